/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Instructions that kernels of each machine refuse a kprobe at, as their assemblers write them. */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <string.h>

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

#include "commands/attach/kprobe_instruction.h"

static const struct kernel_version v5_10 = { 5, 10 }, v6_1 = { 6, 1 }, v6_15 = { 6, 15 };

static const char *ask(uint16_t machine, struct kernel_version version, const char *code,
		       size_t size, size_t at)
{
	uint8_t address_bytes = machine == EM_386 || machine == EM_ARM ? 4 : 8;
	const struct abi *abi = abi_find(machine, address_bytes, machine == EM_S390);

	assert_non_null(abi);
	return kprobe_instruction_refusal(abi, version, (const uint8_t *)code, size, at);
}

#define REFUSED(machine, version, code, at, word)                                                  \
	do {                                                                                       \
		const char *why = ask(machine, version, code, sizeof(code) - 1, at);               \
		assert_non_null(why);                                                              \
		assert_non_null(strstr(why, word));                                                \
	} while (0)
#define TAKEN(machine, version, code, at)                                                          \
	assert_null(ask(machine, version, code, sizeof(code) - 1, at))

static void test_arm64(void **state)
{
	(void)state;
	REFUSED(EM_AARCH64, v6_1, "\x00\x00\x21\xd4", 0, "WARN");	/* brk #0x800 */
	REFUSED(EM_AARCH64, v6_1, "\x02\x00\x00\xd4", 0, "stepped");	/* hvc #0 */
	REFUSED(EM_AARCH64, v6_1, "\x34\x42\x3b\xd5", 0, "stepped");	/* mrs x20, daif */
	TAKEN(EM_AARCH64, v6_1, "\x00\x41\x38\xd5", 0);			/* mrs x0, sp_el0 */
	REFUSED(EM_AARCH64, v6_1, "\x22\x42\x1b\xd5", 0, "stepped");	/* msr daif, x2 */
	REFUSED(EM_AARCH64, v6_1, "\xbf\x23\x03\xd5", 0, "stepped");	/* autiasp */
	REFUSED(EM_AARCH64, v6_1, "\x3f\x20\x03\xd5", 0, "stepped");	/* yield */
	TAKEN(EM_AARCH64, v6_1, "\x3f\x23\x03\xd5", 0);			/* paciasp */
	TAKEN(EM_AARCH64, v6_1, "\x5f\x24\x03\xd5", 0);			/* bti c */
	TAKEN(EM_AARCH64, v6_1, "\x1f\x20\x03\xd5", 0);			/* nop */
	TAKEN(EM_AARCH64, v6_1, "\xc0\x03\x5f\xd6", 0);			/* ret */
	REFUSED(EM_AARCH64, v6_1, "\xff\x0b\x5f\xd6", 0, "stepped");	/* retaa */
	REFUSED(EM_AARCH64, v6_1, "\x04\x7c\x5f\x88", 0, "stepped");	/* ldxr w4, [x0] */
	/* Not a whole instruction, and not in the code. */
	TAKEN(EM_AARCH64, v6_1, "\x00\x00\x21", 0);
	TAKEN(EM_AARCH64, v6_1, "\x00\x00\x21\xd4", 4);
}

#define MOV "\xe0\x03\x01\xaa"	/* mov x0, x1 */
#define LDXR "\x04\x7c\x5f\x88"
#define STXR "\x04\x7c\x03\x88"
#define LDAR "\x00\xfc\xdf\x88"
#define EIGHT MOV MOV MOV MOV MOV MOV MOV MOV

static void test_atomic(void **state)
{
	(void)state;
	REFUSED(EM_AARCH64, v6_1, LDXR MOV, 4, "atomic");
	REFUSED(EM_AARCH64, v6_15, LDXR MOV, 4, "atomic");
	TAKEN(EM_AARCH64, v6_1, LDXR STXR MOV, 8);
	TAKEN(EM_AARCH64, v6_1, MOV LDXR, 0);
	/* Up to 32 instructions in front, */
	REFUSED(EM_AARCH64, v6_1, LDXR EIGHT EIGHT EIGHT EIGHT, 128, "atomic");
	TAKEN(EM_AARCH64, v6_1, LDXR EIGHT EIGHT EIGHT EIGHT MOV, 132);
	/* and ldar is one of them before 6.15. */
	REFUSED(EM_AARCH64, v6_1, LDAR MOV, 4, "atomic");
	TAKEN(EM_AARCH64, v6_15, LDAR MOV, 4);
}

static void test_s390x(void **state)
{
	(void)state;
	REFUSED(EM_S390, v6_1, "\xaf\x00\x00\x00", 0, "BUG");		/* mc 0,0 */
	REFUSED(EM_S390, v6_1, "\xac\xfc\xf0\xa0", 0, "stepped");	/* stnsm */
	REFUSED(EM_S390, v6_1, "\xad\x03\xf1\x30", 0, "stepped");	/* stosm */
	REFUSED(EM_S390, v6_1, "\xc6\x10\x00\x00\x00\x08", 0, "stepped");	/* exrl */
	TAKEN(EM_S390, v6_1, "\xc6\x14\x00\x00\x00\x08", 0);		/* cghrl */
	TAKEN(EM_S390, v6_1, "\xa7\xf4\x00\x08", 0);			/* j */
}

static void test_ppc64le(void **state)
{
	(void)state;
	REFUSED(EM_PPC64, v6_1, "\x00\x00\x08\x0b", 0, "BUG");		/* tdnei r8,0 */
	REFUSED(EM_PPC64, v6_1, "\x00\x00\xe0\x0f", 0, "BUG");		/* trap */
	REFUSED(EM_PPC64, v6_1, "\x24\x00\x00\x4c", 0, "stepped");	/* rfid */
	REFUSED(EM_PPC64, v6_1, "\x64\x01\x21\x7d", 0, "stepped");	/* mtmsrd r9,1 */
	TAKEN(EM_PPC64, v6_1, "\xa6\x00\x20\x7d", 0);			/* mfmsr r9 */
	TAKEN(EM_PPC64, v6_1, "\x20\x00\x80\x4e", 0);			/* blr */
}

static void test_arm(void **state)
{
	(void)state;
	REFUSED(EM_ARM, v6_1, "\xf2\x01\xf0\xe7", 0, "BUG");		/* udf, BUG_INSTR_VALUE */
	REFUSED(EM_ARM, v6_1, "\x70\x3f\x1d\xee", 0, "stepped");	/* mrc 15, 0, r3, cr13 */
	REFUSED(EM_ARM, v6_1, "\x5b\xf0\x7f\xf5", 0, "stepped");	/* dmb ish */
	REFUSED(EM_ARM, v6_1, "\x80\x00\x0c\xf1", 0, "stepped");	/* cpsid i */
	REFUSED(EM_ARM, v6_1, "\x9f\x3f\x92\xe1", 0, "stepped");	/* ldrex r3, [r2] */
	TAKEN(EM_ARM, v6_1, "\x00\xf0\xd1\xf5", 0);			/* pld [r1] */
	TAKEN(EM_ARM, v6_1, "\x00\xf0\x20\xe3", 0);			/* nop */
	TAKEN(EM_ARM, v6_1, "\xf0\x4f\x2d\xe9", 0);			/* push {r4-r11, lr} */
	TAKEN(EM_ARM, v6_1, "\xb1\x33\xf9\xeb", 0);			/* bl */
	/* arch/arm/probes/kprobes/checkers-arm.c */
	REFUSED(EM_ARM, v6_1, "\x01\x00\x8d\xe7", 0, "[sp,");	/* str r0, [sp, r1] */
	REFUSED(EM_ARM, v6_1, "\xb1\x00\x8d\xe1", 0, "[sp,");	/* strh r0, [sp, r1] */
	TAKEN(EM_ARM, v6_1, "\x01\x00\x9d\xe7", 0);			/* ldr r0, [sp, r1] */
	TAKEN(EM_ARM, v6_1, "\x01\x00\x82\xe7", 0);			/* str r0, [r2, r1] */
	TAKEN(EM_ARM, v6_1, "\x04\x00\x8d\xe5", 0);			/* str r0, [sp, #4] */
	TAKEN(EM_ARM, v6_1, "\xb4\x00\xcd\xe1", 0);			/* strh r0, [sp, #4] */
}

static void test_riscv64(void **state)
{
	(void)state;
	REFUSED(EM_RISCV, v6_1, "\x73\x00\x10\x00", 0, "BUG");		/* ebreak */
	REFUSED(EM_RISCV, v6_1, "\x02\x90\x01\x00", 0, "BUG");		/* c.ebreak */
	REFUSED(EM_RISCV, v6_1, "\xf3\x27\x00\x10", 0, "stepped");	/* csrr a5, sstatus */
	REFUSED(EM_RISCV, v6_1, "\x0f\x00\x30\x03", 0, "stepped");	/* fence rw,rw */
	TAKEN(EM_RISCV, v6_1, "\x13\x05\x00\x00", 0);			/* addi a0, zero, 0 */
	TAKEN(EM_RISCV, v6_1, "\x01\x00\x73\x00", 0);			/* c.nop, half an ecall */
	TAKEN(EM_RISCV, v6_1, "\x2f\xa7\x06\x10", 0);			/* lr.w a4,(a3) */
}

static void test_loongarch64(void **state)
{
	(void)state;
	REFUSED(EM_LOONGARCH, v6_15, "\x01\x00\x2a\x00", 0, "BUG");	/* break 1 */
	REFUSED(EM_LOONGARCH, v6_15, "\x8c\x01\x00\x22", 0, "stepped");	/* ll.d */
	REFUSED(EM_LOONGARCH, v6_15, "\x8c\x35\x6a\x38", 0, "stepped");	/* amadd_db.w */
	REFUSED(EM_LOONGARCH, v6_15, "\x8c\xb5\x71\x38", 0, "stepped");	/* ammin_db.du */
	TAKEN(EM_LOONGARCH, v6_15, "\x8c\x35\x74\x38", 0);			/* fldgt.s */
	TAKEN(EM_LOONGARCH, v6_15, "\x8c\x01\x00\x28", 0);			/* ld.b */
	TAKEN(EM_LOONGARCH, v6_15, "\x20\x00\x00\x4c", 0);			/* jirl */
}

static void test_x86(void **state)
{
	(void)state;
	for (size_t i = 0; i < 2; i++) {
		uint16_t machine = i ? EM_386 : EM_X86_64;

		REFUSED(machine, v6_1, "\x0f\x0b", 0, "WARN");		/* ud2 */
		REFUSED(machine, v6_1, "\xff\x50\x08", 0, "memory");	/* call *8(%rax) */
		REFUSED(machine, v6_1, "\x3e\xff\x60\x08", 0, "memory");	/* notrack jmp */
		TAKEN(machine, v6_1, "\xff\xd0", 0);			/* call *%rax */
		TAKEN(machine, v5_10, "\xff\x50\x08", 0);
		REFUSED(machine, v6_1, "\x0f\x01\xc1", 0, "stepped");	/* vmcall */
		TAKEN(machine, v5_10, "\x0f\x01\xc1", 0);
		TAKEN(machine, v6_1, "\x0f\x01\xca", 0);		/* clac */
		TAKEN(machine, v6_1, "\x0f\x01", 0);
	}
	/* A prefix of 64-bit code, and an instruction of its own: dec %eax. */
	REFUSED(EM_X86_64, v6_1, "\x41\xff\x50\x08", 0, "memory");
	TAKEN(EM_386, v6_1, "\x48\xff\x50\x08", 0);
	/* Nothing but prefixes. */
	TAKEN(EM_X86_64, v6_1, "\x2e\x2e\x2e", 0);
	/* More of them than an instruction can have. */
	TAKEN(EM_X86_64, v6_1, "\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x0f\x0b",
	      0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_arm64),
		cmocka_unit_test(test_atomic),
		cmocka_unit_test(test_s390x),
		cmocka_unit_test(test_ppc64le),
		cmocka_unit_test(test_arm),
		cmocka_unit_test(test_riscv64),
		cmocka_unit_test(test_loongarch64),
		cmocka_unit_test(test_x86),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
