/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Instructions that kernels of each machine refuse a kprobe at, as their assemblers write them. */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <stdio.h>
#include <string.h>

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

#include "kernel/attach/patched_code.h"

/* Why it is refused, "?" in front if that is not known; NULL: it is taken. */
static const char *ask(uint16_t machine, struct kernel_version version, const char *code,
		       size_t size, size_t at)
{
	uint8_t address_bytes = machine == EM_386 || machine == EM_ARM ? 4 : 8;
	const struct abi *abi = abi_find(machine, address_bytes, machine == EM_S390);
	struct answer answer;
	static char text[200];

	assert_non_null(abi);
	answer = kprobe_instruction_is_taken(abi, version, (const uint8_t *)code, size, at);
	snprintf(text, sizeof(text), "%s%s", answer.is == ATTACH_UNKNOWN ? "?" : "",
		 answer.why ? answer.why : "");
	return answer.is == ATTACH_YES ? NULL : text;
}

static const char *ask_word(uint16_t machine, struct kernel_version version, uint32_t word)
{
	char code[4];

	for (size_t i = 0; i < 4; i++)
		code[machine == EM_S390 ? 3 - i : i] = (char)(word >> 8 * i);
	return ask(machine, version, code, sizeof(code), 0);
}

static void check_refused(const char *why, const char *word)
{
	assert_non_null(why);
	assert_non_null(strstr(why, word));
}

#define V(major, minor) ((struct kernel_version){ major, minor })
#define REFUSED(machine, version, code, at, word)                                                  \
	check_refused(ask(machine, version, code, sizeof(code) - 1, at), word)
#define TAKEN(machine, version, code, at)                                                          \
	assert_null(ask(machine, version, code, sizeof(code) - 1, at))

/* An instruction, and one that is like it and taken. */
struct pair {
	uint32_t refused, taken;
	const char *why;
};

static void check_pairs(const struct pair *pairs, size_t count, uint16_t machine,
			struct kernel_version version)
{
	for (size_t i = 0; i < count; i++) {
		const char *why = ask_word(machine, version, pairs[i].refused);

		if (!why || !strstr(why, pairs[i].why) ||
		    ask_word(machine, version, pairs[i].taken))
			fail_msg("machine %u: %08x or %08x", machine, pairs[i].refused,
				 pairs[i].taken);
	}
}

#define PAIRS_TEST(name, ...)                                                                      \
	TEST(test_##name)                                                                          \
	{                                                                                          \
		check_pairs(name##_pairs, LENGTH(name##_pairs), __VA_ARGS__);                      \
	}

static const struct pair arm64_pairs[] = {
	{ 0xd4210000, 0xd50b7423, "WARN" },	/* brk #0x800; dc zva */
	{ 0xd4000002, 0xd3407c02, "stepped" },	/* hvc; ubfx */
	{ 0xd50342df, 0xd50b7a23, "stepped" },	/* msr daifset, #2; dc cvac */
	{ 0xd51b4222, 0xd5384100, "stepped" },	/* msr daif, x2; mrs x0, sp_el0 */
	{ 0xd53b4234, 0xd53b4214, "stepped" },	/* mrs x20, daif; nzcv */
	{ 0xd503203f, 0xd503201f, "stepped" },	/* yield; nop */
	{ 0xd50320df, 0xd50320ff, "stepped" },	/* dgh; xpaclri */
	{ 0xd503219f, 0xd503215f, "stepped" },	/* autia1716; pacib1716 */
	{ 0xd50323bf, 0xd503233f, "stepped" },	/* autiasp; paciasp */
	{ 0xd503251f, 0xd503245f, "stepped" },	/* hint #40; bti c */
	{ 0xd65f0bff, 0xd65f03c0, "stepped" },	/* retaa; ret */
	{ 0xd69f03e0, 0xd61f0020, "stepped" },	/* eret; br x1 */
	{ 0xd8000040, 0x58000040, "stepped" },	/* prfm; ldr of a literal */
	{ 0x885f7c04, 0x88dffc00, "stepped" },	/* ldxr; ldar */
	{ 0x19010440, 0x19010040, "stepped" },	/* cpyfp; stlurb */
};
PAIRS_TEST(arm64, EM_AARCH64, V(6, 13))

TEST(test_arm64_ends)
{
	/* Not a whole instruction, and not in the code. */
	TAKEN(EM_AARCH64, V(6, 1), "\x00\x00\x21", 0);
	TAKEN(EM_AARCH64, V(6, 1), "\x00\x00\x21\xd4", 4);
}

static const struct pair s390x_pairs[] = {
	{ 0xaf000000, 0xa7f40008, "BUG" },	/* mc; j */
	{ 0xacfcf0a0, 0xae120000, "stepped" },	/* stnsm; sigp */
	{ 0xad03f130, 0x82000000, "stepped" },	/* stosm; lpsw */
	{ 0x0b120000, 0x0a120000, "stepped" },	/* bsm; svc */
	{ 0x0c120000, 0x0d120000, "stepped" },	/* bassm; basr */
	{ 0x44120000, 0x45120000, "stepped" },	/* ex; bal */
	{ 0x83120000, 0x81120000, "stepped" },	/* diag */
	{ 0xc6100000, 0xc6140000, "stepped" },	/* exrl; cghrl */
	{ 0x01010000, 0x01020000, "stepped" },	/* pr; upt */
	{ 0xb2180000, 0xb2190000, "stepped" },	/* pc; sac */
	{ 0xb2280000, 0xb2290000, "stepped" },	/* pt; iske */
	{ 0xb2400012, 0xb2410012, "stepped" },	/* bakr; cksm */
	{ 0xb2580012, 0xb2590012, "stepped" },	/* bsg; iesbe */
	{ 0xb25a0012, 0xb25b0012, "stepped" },	/* bsa */
	{ 0xb2f80000, 0xb2fa0012, "stepped" },	/* tend; niai */
	{ 0xb98d0012, 0xb98e0012, "stepped" },	/* epsw; idte */
	{ 0xe5600000, 0xe5580000, "stepped" },	/* tbegin; clghsi */
};
PAIRS_TEST(s390x, EM_S390, V(6, 1))

static const struct pair ppc64le_pairs[] = {
	{ 0x0b080000, 0x38600001, "BUG" },	/* tdnei; li */
	{ 0x0fe00000, 0x1c630005, "BUG" },	/* trap; mulli */
	{ 0x7c000088, 0x7c000010, "BUG" },	/* td; subfc */
	{ 0x4c000024, 0x4e800020, "stepped" },	/* rfid; blr */
	{ 0x4c000064, 0x4c000042, "stepped" },	/* rfi; crnor */
	{ 0x7d210164, 0x7d2000a6, "stepped" },	/* mtmsrd; mfmsr */
	{ 0x44000002, 0x40820008, "stepped" },	/* sc; bne */
	{ 0x4c0000a4, 0x4c00012c, "stepped" },	/* rfscv; isync */
	{ 0x4c000264, 0x4c000202, "stepped" },	/* urfid; crand */
	{ 0x4c0002e4, 0x4c000242, "stepped" },	/* stop; creqv */
	{ 0x4c0003a4, 0x4c000342, "stepped" },	/* sleep; crorc */
};
PAIRS_TEST(ppc64le, EM_PPC64, V(5, 19))

static const struct pair arm_pairs[] = {
	{ 0xf57ff05b, 0xfa000000, "stepped" },	/* dmb; blx */
	{ 0xf10c0080, 0xf5d1f000, "stepped" },	/* cpsid; pld */
	{ 0xee1d3f70, 0xebf933b1, "stepped" },	/* mrc; bl */
	{ 0xe7f001f2, 0xe7e00051, "BUG" },	/* udf, BUG_INSTR_VALUE; ubfx */
	{ 0xe1923f9f, 0xe0010291, "stepped" },	/* ldrex; mul */
	{ 0xe14f2000, 0xe10f2000, "stepped" },	/* mrs of SPSR; of CPSR */
	{ 0xe129f003, 0xe12fff1e, "stepped" },	/* msr; bx lr */
	{ 0xe1600070, 0xe16f0f10, "stepped" },	/* smc; clz */
	{ 0xe320f014, 0xe320f003, "stepped" },	/* csdb; wfi */
	{ 0xe320f005, 0xe320f004, "stepped" },	/* hint 5; sev */
	{ 0xe328f000, 0xe3080000, "stepped" },	/* msr, an immediate; movw */
	{ 0xe78d0001, 0xe79d0001, "[sp," },	/* str; ldr r0, [sp, r1] */
	{ 0xe781000d, 0xe7810002, "[sp," },	/* str r0, [r1, sp]; [r1, r2] */
	{ 0xe18d00b1, 0xe1cd00b4, "[sp," },	/* strh r0, [sp, r1]; [sp, #4] */
	{ 0xe18100bd, 0xe19100bd, "[sp," },	/* strh; ldrh r0, [r1, sp] */
	{ 0xe4f12001, 0xe4d12001, "stepped" },	/* ldrbt; ldrb */
};
PAIRS_TEST(arm, EM_ARM, V(6, 1))

static const struct pair riscv64_pairs[] = {
	{ 0x00100073, 0x00000013, "BUG" },	/* ebreak; nop */
	{ 0x00739002, 0x00739506, "BUG" },	/* c.ebreak; c.add */
	{ 0x100027f3, 0x000027b7, "stepped" },	/* csrr; lui */
	{ 0x0330000f, 0x1006a72f, "stepped" },	/* fence; lr.w */
	{ 0x0073a001, 0x00734501, "stepped" },	/* c.j; c.li */
	{ 0x00738082, 0x0073852e, "stepped" },	/* ret; c.mv */
	{ 0x00739782, 0x00739506, "stepped" },	/* c.jalr; c.add */
	{ 0x0073c111, 0x00738d09, "stepped" },	/* c.beqz; c.sub */
	{ 0x0073e111, 0x0073e110, "stepped" },	/* c.bnez; c.sd */
	{ 0x00732505, 0x00730505, "stepped" },	/* c.addiw; c.addi */
};
PAIRS_TEST(riscv64, EM_RISCV, V(6, 1))

static const struct pair loongarch64_pairs[] = {
	{ 0x002a0001, 0x002a0007, "BUG" },	/* break 1; break 7, of a division */
	{ 0x2200018c, 0x2400018c, "stepped" },	/* ll.d; ldptr.w */
	{ 0x48000000, 0x4c000020, "stepped" },	/* bceqz; jirl */
	{ 0x3860358c, 0x385c358c, "stepped" },	/* amswap.w; amswap.b */
	{ 0x3871b58c, 0x3874358c, "stepped" },	/* ammin_db.du; fldgt.s */
	{ 0x3857358c, 0x3856358c, "stepped" },	/* sc.q */
	{ 0x38578d8c, 0x38579d8c, "stepped" },	/* screl.d */
};
PAIRS_TEST(loongarch64, EM_LOONGARCH, V(6, 18))

/* What changed with a release, and what was before and is then; NULL: it is taken. */
TEST(test_releases)
{
	static const struct {
		uint16_t machine;
		uint32_t word;
		struct kernel_version release;
		const char *before, *then;
	} changes[] = {
		{ EM_AARCH64, 0x19010440, { 6, 13 }, NULL, "stepped" },
		{ EM_PPC64, 0x0fe00000, { 5, 4 }, "?", "BUG" },
		{ EM_PPC64, 0x7c000088, { 5, 4 }, "?", "BUG" },
		{ EM_PPC64, 0x44000002, { 5, 19 }, NULL, "stepped" },
		{ EM_PPC64, 0x4c0000a4, { 5, 19 }, NULL, "stepped" },
		{ EM_PPC64, 0x4c000224, { 5, 19 }, NULL, "stepped" },
		{ EM_PPC64, 0x4c0002e4, { 5, 19 }, NULL, "stepped" },
		{ EM_PPC64, 0x4c000324, { 5, 19 }, NULL, "stepped" },
		{ EM_LOONGARCH, 0x3860358c, { 6, 5 }, NULL, "stepped" },
		{ EM_LOONGARCH, 0x3871b58c, { 6, 5 }, NULL, "stepped" },
		{ EM_LOONGARCH, 0x3857358c, { 6, 18 }, NULL, "stepped" },
		{ EM_LOONGARCH, 0x38578d8c, { 6, 18 }, NULL, "stepped" },
		{ EM_RISCV, 0x0073a001, { 6, 6 }, "stepped", NULL },
		{ EM_RISCV, 0x00738082, { 6, 6 }, "stepped", NULL },
		{ EM_RISCV, 0x0073e111, { 6, 6 }, "stepped", NULL },
		{ EM_RISCV, 0x00732505, { 6, 3 }, "stepped", NULL },
	};

	for (size_t i = 0; i < sizeof(changes) / sizeof(*changes); i++) {
		struct kernel_version version = changes[i].release;

		/* A release that is not known counts as a new one. */
		for (size_t later = 0; later < 2; later++) {
			const char *why = ask_word(changes[i].machine, later ? V(0, 0) : version,
						   changes[i].word);

			changes[i].then ? check_refused(why, changes[i].then) : assert_null(why);
		}
		version.minor--;
		changes[i].before
			? check_refused(ask_word(changes[i].machine, version, changes[i].word),
					changes[i].before)
			: assert_null(ask_word(changes[i].machine, version, changes[i].word));
	}
}

#define MOV "\xe0\x03\x01\xaa"	/* mov x0, x1 */
#define LDXR "\x04\x7c\x5f\x88"
#define STXR "\x04\x7c\x03\x88"
#define LDAR "\x00\xfc\xdf\x88"
#define EIGHT MOV MOV MOV MOV MOV MOV MOV MOV

TEST(test_atomic)
{
	REFUSED(EM_AARCH64, V(6, 1), LDXR MOV, 4, "atomic");
	REFUSED(EM_AARCH64, V(6, 15), LDXR MOV, 4, "atomic");
	TAKEN(EM_AARCH64, V(6, 1), LDXR STXR MOV, 8);
	TAKEN(EM_AARCH64, V(6, 1), MOV LDXR, 0);
	/* Up to 32 instructions in front, */
	REFUSED(EM_AARCH64, V(6, 1), LDXR EIGHT EIGHT EIGHT EIGHT, 128, "atomic");
	TAKEN(EM_AARCH64, V(6, 1), LDXR EIGHT EIGHT EIGHT EIGHT MOV, 132);
	/* and ldar is one of them before 6.15; stable releases may have the fix. */
	REFUSED(EM_AARCH64, V(6, 12), LDAR MOV, 4, "atomic");
	REFUSED(EM_AARCH64, V(6, 13), LDAR MOV, 4, "?");
	REFUSED(EM_AARCH64, V(6, 14), LDAR MOV, 4, "?");
	TAKEN(EM_AARCH64, V(6, 15), LDAR MOV, 4);
	TAKEN(EM_AARCH64, V(0, 0), LDAR MOV, 4);
	REFUSED(EM_AARCH64, V(6, 14), LDXR MOV, 4, "kernel takes");
}

TEST(test_x86)
{
	for (size_t i = 0; i < 2; i++) {
		uint16_t machine = i ? EM_386 : EM_X86_64;

		REFUSED(machine, V(5, 4), "\x0f\x0b", 0, "WARN");		/* ud2 */
		REFUSED(machine, V(5, 3), "\x0f\x0b", 0, "?");
		TAKEN(machine, V(5, 3), "\x0f\x05", 0);			/* syscall */
		REFUSED(machine, V(5, 10), "\xcc", 0, "stepped");	/* int3 */
		TAKEN(machine, V(6, 1), "\xc3", 0);			/* ret */
		for (const char *far = "\x9a\xea\xcf"; *far; far++) {	/* and iret */
			check_refused(ask(machine, V(5, 13), far, 1, 0), "stepped");
			assert_null(ask(machine, V(5, 12), far, 1, 0));
		}
		REFUSED(machine, V(5, 13), "\xff\x50\x08", 0, "memory");	/* call *8(%rax) */
		REFUSED(machine, V(6, 1), "\x3e\xff\x60\x08", 0, "memory");	/* notrack jmp */
		TAKEN(machine, V(6, 1), "\xff\xd0", 0);			/* call *%rax */
		TAKEN(machine, V(5, 12), "\xff\x50\x08", 0);
		REFUSED(machine, V(6, 1), "\x0f\x01\xc1", 0, "stepped");	/* vmcall */
		TAKEN(machine, V(5, 12), "\x0f\x01\xc1", 0);
		TAKEN(machine, V(6, 1), "\x0f\x01\xca", 0);		/* clac */
		TAKEN(machine, V(6, 1), "\x0f\x01", 0);
	}
	/* A prefix of 64-bit code, and an instruction of its own: dec %eax. */
	REFUSED(EM_X86_64, V(6, 1), "\x41\xff\x50\x08", 0, "memory");
	TAKEN(EM_386, V(6, 1), "\x48\xff\x50\x08", 0);
	/* Nothing but prefixes. */
	TAKEN(EM_X86_64, V(6, 1), "\x2e\x2e\x2e", 0);
	/* More of them than an instruction can have. */
	TAKEN(EM_X86_64, V(6, 1),
	      "\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x2e\x0f\x0b", 0);
}
