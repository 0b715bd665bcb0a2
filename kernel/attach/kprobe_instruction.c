/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What find_bug() of kernel/kprobes.c and each machine's arch_prepare_kprobe() refuse. Debian's 6.1
 * kernels are asked by tests/machine_probes.sh; 7.2 of riscv64 was asked once by hand, for each
 * 100th name; loongarch64 is by its source alone.
 *
 * Where the kernel replaces code, patched_code.c asks for all that may be there.
 */
#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "kernel/attach/kprobe_instruction.h"

#define TAKEN ANSWER_YES
#define BUG_OR_WARN ANSWER_NO("the instruction there is that of a BUG() or WARN()")
#define MAYBE_BUG ANSWER_MAYBE("of the releases before 5.4 only late stable ones refuse the " \
			       "instruction of a BUG() or WARN(), which is there")
#define NOT_STEPPED ANSWER_NO("the instruction there cannot be single-stepped")
#define TO_STACK ANSWER_NO("the kernel steps no store at [sp, register], which is there")
#define IN_MEMORY ANSWER_NO("the kernel cannot emulate a call or jump through memory, which is " \
			    "there")
#define ATOMIC ANSWER_NO("the kernel takes the code there for an atomic sequence, after an " \
			 "exclusive load")
#define MAYBE_ATOMIC ANSWER_MAYBE("kernels before 6.15 take the code there for an atomic " \
				  "sequence, and stable releases may have the fix")

#define FROM(major, minor) { major, minor }, { UINT16_MAX, UINT16_MAX }
#define BEFORE(major, minor) { 0, 0 }, { major, minor }
#define ALWAYS FROM(0, 0)

/* Of words; the first that fits counts. */
struct pattern {
	uint32_t mask, value;
	struct answer answer;
	struct kernel_version since, until;
};

/* aarch64_insn_is_steppable() and arm_probe_decode_insn() of 5.10 to 7.2 */
static const struct pattern arm64[] = {
	{ 0xffe0001f, 0xd4200000, BUG_OR_WARN, ALWAYS },
	{ 0xff000000, 0xd4000000, NOT_STEPPED, ALWAYS },	/* svc, hvc, smc, hlt */
	{ 0xfff8f01f, 0xd500401f, NOT_STEPPED, ALWAYS },	/* msr, an immediate */
	{ 0xfff00000, 0xd5100000, NOT_STEPPED, ALWAYS },	/* msr */
	{ 0xffffffe0, 0xd53b4220, NOT_STEPPED, ALWAYS },	/* mrs of DAIF */
	{ 0xffffffff, 0xd503201f, TAKEN, ALWAYS },		/* nop */
	{ 0xffffffff, 0xd50320ff, TAKEN, ALWAYS },		/* xpaclri */
	{ 0xffffffbf, 0xd503211f, TAKEN, ALWAYS },		/* pacia1716, pacib1716 */
	{ 0xffffff9f, 0xd503231f, TAKEN, ALWAYS },		/* paciasp and its kin */
	{ 0xffffff3f, 0xd503241f, TAKEN, ALWAYS },		/* bti */
	{ 0xfffff01f, 0xd503201f, NOT_STEPPED, ALWAYS },	/* other hints: yield, autiasp */
	{ 0xff9ffc1f, 0xd61f0000, TAKEN, ALWAYS },		/* br, blr, ret */
	{ 0xfe000000, 0xd6000000, NOT_STEPPED, ALWAYS },	/* retaa and its kin, eret */
	{ 0xff000000, 0xd8000000, NOT_STEPPED, ALWAYS },	/* prfm of a literal */
	{ 0x3f800000, 0x08000000, NOT_STEPPED, ALWAYS },	/* exclusive loads and stores */
	/* cpyp, setp and their kin; in stable releases from 6.6 on, whose own code has none */
	{ 0x3b200c00, 0x19000400, NOT_STEPPED, FROM(6, 13) },
};

/* arm_probes_decode_insn(), arm_check_stack(): what compilers and the kernel's own sources write */
static const struct pattern arm[] = {
	{ 0xfe000000, 0xfa000000, TAKEN, ALWAYS },		/* blx */
	{ 0xfc300000, 0xf4100000, TAKEN, ALWAYS },		/* pld */
	{ 0xf0000000, 0xf0000000, NOT_STEPPED, ALWAYS },	/* barriers, cps */
	{ 0x0c000000, 0x0c000000, NOT_STEPPED, ALWAYS },	/* mrc and its kin, svc */
	{ 0x0ff000f0, 0x07f000f0, BUG_OR_WARN, ALWAYS },	/* udf */
	{ 0x0f8000f0, 0x01800090, NOT_STEPPED, ALWAYS },	/* ldrex, strex */
	{ 0x0ff000f0, 0x01000000, TAKEN, ALWAYS },		/* mrs of CPSR */
	{ 0x0f9000f0, 0x01000000, NOT_STEPPED, ALWAYS },	/* mrs of SPSR, msr */
	{ 0x0f9000f0, 0x01000070, NOT_STEPPED, ALWAYS },	/* smc, hvc, bkpt */
	{ 0x0fff00fc, 0x03200000, TAKEN, ALWAYS },		/* nop, yield, wfe, wfi */
	{ 0x0fff00ff, 0x03200004, TAKEN, ALWAYS },		/* sev */
	{ 0x0fb00000, 0x03200000, NOT_STEPPED, ALWAYS },	/* msr, an immediate; csdb */
	{ 0x0e1f0010, 0x060d0000, TO_STACK, ALWAYS },		/* str, strb at [sp, register] */
	{ 0x0e10001f, 0x0600000d, TO_STACK, ALWAYS },		/* and at [register, sp] */
	{ 0x0e5f00b0, 0x000d00b0, TO_STACK, ALWAYS },		/* strd, strh at [sp, register] */
	{ 0x0e5000bf, 0x000000bd, TO_STACK, ALWAYS },		/* and at [register, sp] */
	{ 0x0f200000, 0x04200000, NOT_STEPPED, ALWAYS },	/* ldrbt, strbt and their kin */
};

/* can_single_step(), and before it IS_MTMSRD() and IS_RFID() */
static const struct pattern ppc64le[] = {
	{ 0xf8000000, 0x08000000, BUG_OR_WARN, FROM(5, 4) },	/* tdi, twi */
	{ 0xfc00077e, 0x7c000008, BUG_OR_WARN, FROM(5, 4) },	/* tw, td */
	{ 0xf8000000, 0x08000000, MAYBE_BUG, BEFORE(5, 4) },
	{ 0xfc00077e, 0x7c000008, MAYBE_BUG, BEFORE(5, 4) },
	{ 0xfc0007be, 0x4c000024, NOT_STEPPED, ALWAYS },	/* rfid, rfi */
	{ 0xfc0007be, 0x7c000124, NOT_STEPPED, ALWAYS },	/* mtmsr, mtmsrd */
	{ 0xfc000000, 0x44000000, NOT_STEPPED, FROM(5, 19) },	/* sc, scv */
	{ 0xfc0007fe, 0x4c0000a4, NOT_STEPPED, FROM(5, 19) },	/* rfscv */
	{ 0xfc0007be, 0x4c000224, NOT_STEPPED, FROM(5, 19) },	/* hrfid, urfid */
	{ 0xfc0007fe, 0x4c0002e4, NOT_STEPPED, FROM(5, 19) },	/* stop */
	{ 0xfc00073e, 0x4c000324, NOT_STEPPED, FROM(5, 19) },	/* doze, nap, sleep, rvwinkle */
};

/* insns_not_supported() */
static const struct pattern loongarch64[] = {
	{ 0xffffffff, 0x002a0001, BUG_OR_WARN, ALWAYS },	/* break BRK_BUG */
	{ 0xfc000000, 0x20000000, NOT_STEPPED, ALWAYS },	/* ll, sc */
	{ 0xfc000000, 0x48000000, NOT_STEPPED, ALWAYS },	/* bceqz, bcnez */
	{ 0xfff00000, 0x38600000, NOT_STEPPED, FROM(6, 5) },	/* amswap, amadd and their kin */
	{ 0xfffe0000, 0x38700000, NOT_STEPPED, FROM(6, 5) },	/* amm*_db.*u */
	/* In stable releases from 6.12 on, whose own code has none. */
	{ 0xffff8000, 0x38570000, NOT_STEPPED, FROM(6, 18) },	/* sc.q */
	{ 0xfffff000, 0x38578000, NOT_STEPPED, FROM(6, 18) },	/* llacq, screl */
};

/* riscv_probe_decode_insn(); 32 bits at least are read, of which a halfword may be one */
static const struct pattern riscv64[] = {
	{ 0xffffffff, 0x00100073, BUG_OR_WARN, ALWAYS },	/* ebreak */
	{ 0x0000ffff, 0x00009002, BUG_OR_WARN, ALWAYS },	/* c.ebreak */
	{ 0x0000007f, 0x00000073, NOT_STEPPED, ALWAYS },	/* csrr and its kin, ecall, wfi */
	{ 0x0000007f, 0x0000000f, NOT_STEPPED, ALWAYS },	/* fence */
	{ 0x0000e003, 0x0000a001, NOT_STEPPED, BEFORE(6, 6) },	/* c.j */
	{ 0x0000e07f, 0x00008002, NOT_STEPPED, BEFORE(6, 6) },	/* c.jr, c.jalr */
	{ 0x0000c003, 0x0000c001, NOT_STEPPED, BEFORE(6, 6) },	/* c.beqz, c.bnez */
	{ 0x0000e003, 0x00002001, NOT_STEPPED, BEFORE(6, 3) },	/* c.addiw, taken for c.jal */
};

/* probe_is_prohibited_opcode(); the first halfword of the word has it */
static const struct pattern s390x[] = {
	{ 0xff000000, 0xaf000000, BUG_OR_WARN, ALWAYS },		/* mc */
	{ 0xfe000000, 0xac000000, NOT_STEPPED, ALWAYS },		/* stnsm, stosm */
	{ 0xff000000, 0x0b000000, NOT_STEPPED, ALWAYS },		/* bsm */
	{ 0xff000000, 0x0c000000, NOT_STEPPED, ALWAYS },		/* bassm */
	{ 0xff000000, 0x44000000, NOT_STEPPED, ALWAYS },		/* ex */
	{ 0xff000000, 0x83000000, NOT_STEPPED, ALWAYS },		/* diag */
	{ 0xff0f0000, 0xc6000000, NOT_STEPPED, ALWAYS },		/* exrl */
	{ 0xffff0000, 0x01010000, NOT_STEPPED, ALWAYS },		/* pr */
	{ 0xffff0000, 0xb2180000, NOT_STEPPED, ALWAYS },		/* pc */
	{ 0xffff0000, 0xb2280000, NOT_STEPPED, ALWAYS },		/* pt */
	{ 0xffff0000, 0xb2400000, NOT_STEPPED, ALWAYS },		/* bakr */
	{ 0xfffd0000, 0xb2580000, NOT_STEPPED, ALWAYS },		/* bsg, bsa */
	{ 0xffff0000, 0xb2f80000, NOT_STEPPED, ALWAYS },		/* tend */
	{ 0xffff0000, 0xb98d0000, NOT_STEPPED, ALWAYS },		/* epsw */
	{ 0xfffe0000, 0xe5600000, NOT_STEPPED, ALWAYS },		/* tbegin, tbeginc */
};

#define PATTERNS(name) { name, sizeof(name) / sizeof(*(name)) }
static const struct machine {
	const struct pattern *patterns;
	size_t count;
} machines[ABI_MACHINES] = {
	[ABI_ARM64] = PATTERNS(arm64), [ABI_ARM] = PATTERNS(arm), [ABI_S390X] = PATTERNS(s390x),
	[ABI_PPC64LE] = PATTERNS(ppc64le), [ABI_RISCV64] = PATTERNS(riscv64),
	[ABI_LOONGARCH64] = PATTERNS(loongarch64),
};

static bool is_from(struct kernel_version version, uint16_t major, uint16_t minor)
{
	return kernel_version_compare(version, (struct kernel_version){ major, minor }) >= 0;
}

/* __copy_instruction() and prepare_emulation() of arch/x86/kernel/kprobes/core.c */
static struct answer refused_by_x86(bool is_64, struct kernel_version version,
				    const uint8_t *code, size_t size)
{
	/* Before 5.13 what the cases below name was stepped, not emulated; so to 7.2. */
	bool is_emulated = is_from(version, 5, 13);
	size_t at = 0;

	/* No instruction is longer. */
	size = size < 15 ? size : 15;
	/* Prefixes: a segment, notrack, REX. */
	while (at < size && (code[at] == 0x2e || code[at] == 0x3e || code[at] == 0x64 ||
			     code[at] == 0x65 || (is_64 && (code[at] & 0xf0) == 0x40)))
		at++;
	/* int3; far call and jump of i386, iret */
	if (at < size && (code[at] == 0xcc || (is_emulated && memchr("\x9a\xea\xcf", code[at], 3))))
		return NOT_STEPPED;
	if (at + 2 > size)
		return TAKEN;
	if (code[at] == 0x0f && code[at + 1] == 0x0b)
		return is_from(version, 5, 4) ? BUG_OR_WARN : MAYBE_BUG;
	if (!is_emulated)
		return TAKEN;
	/* vmcall and its kin */
	if (code[at] == 0x0f && code[at + 1] == 0x01 && at + 2 < size && code[at + 2] >> 3 == 0x18)
		return NOT_STEPPED;
	/* ff /2 to /5 with an operand in memory */
	return code[at] == 0xff && (code[at + 1] >> 3 & 7) >= 2 && (code[at + 1] >> 3 & 7) <= 5 &&
			       code[at + 1] >> 6 != 3 ? IN_MEMORY : TAKEN;
}

/* is_probed_address_atomic(): the instructions in front, up to the symbol, at most 32. */
static bool is_atomic(uint32_t mask, const uint8_t *code, size_t at)
{
	for (size_t i = 1; i <= 32 && 4 * i <= at; i++) {
		uint32_t word = bytes_load_u32(code + at - 4 * i, HOST_IS_BIG_ENDIAN);

		if ((word & mask) == 0x08000000)
			return false;
		if ((word & mask) == 0x08400000)
			return true;
	}
	return false;
}

/*
 * Before 6.15 loads and stores that acquire and release, and casa, were taken for exclusive ones:
 * by 6.1.192 and 6.12.117, too, thus by all up to 6.12. Stable 6.13 and 6.14 may have the fix.
 */
static struct answer refused_as_atomic(struct kernel_version version, const uint8_t *code,
				       size_t at)
{
	bool now = is_atomic(0x3fc00000, code, at), before = is_atomic(0x3f400000, code, at);

	if (now != before && is_from(version, 6, 13) && !is_from(version, 6, 15))
		return MAYBE_ATOMIC;
	return (is_from(version, 6, 15) ? now : before) ? ATOMIC : TAKEN;
}

static struct answer refused_by_pattern(const struct abi *abi, struct kernel_version version,
					const uint8_t *code, size_t at)
{
	const struct machine *machine = &machines[abi->machine];
	uint32_t word = bytes_load_u32(code + at, abi->big_endian != HOST_IS_BIG_ENDIAN);

	for (size_t i = 0; i < machine->count; i++) {
		const struct pattern *pattern = &machine->patterns[i];

		if ((word & pattern->mask) != pattern->value ||
		    kernel_version_compare(version, pattern->since) < 0 ||
		    kernel_version_compare(version, pattern->until) >= 0)
			continue;
		if (pattern->answer.is != ATTACH_YES)
			return pattern->answer;
		break;
	}
	return abi->machine == ABI_ARM64 ? refused_as_atomic(version, code, at) : TAKEN;
}

struct answer kprobe_instruction_is_taken(const struct abi *abi, struct kernel_version version,
					  const uint8_t *code, size_t size, size_t at)
{
	if (!abi || at >= size)
		return TAKEN;
	/* One whose release is not known counts as new. */
	if (!version.major)
		version.major = UINT16_MAX;
	if (abi->machine == ABI_X86_64 || abi->machine == ABI_I386)
		return refused_by_x86(abi->machine == ABI_X86_64, version, code + at, size - at);
	return size - at >= 4 ? refused_by_pattern(abi, version, code, at) : TAKEN;
}
