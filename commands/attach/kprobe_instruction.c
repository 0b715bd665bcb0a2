/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What find_bug() of kernel/kprobes.c and each machine's arch_prepare_kprobe() refuse. Debian's
 * kernels were asked (tests/machine_probes.sh): 6.1, of riscv64 7.2; loongarch64 is by its source
 * alone.
 *
 * The code that runs may differ where the kernel patches it for its processor: arm64's atomic
 * instructions of 8.1 replace loops of exclusive loads and stores.
 */
#include <stdbool.h>
#include <string.h>

#include "base/bytes.h"
#include "commands/attach/kprobe_instruction.h"

#define BUG_OR_WARN "the instruction there is that of a BUG() or WARN()"
#define NOT_STEPPED "the instruction there cannot be single-stepped"
#define TO_STACK "the kernel steps no store at [sp, register], which is there"
#define IN_MEMORY "the kernel cannot emulate a call or jump through memory, which is there"
#define ATOMIC "the kernel takes the code there for an atomic sequence, after an exclusive load"

/* Of words; the first that fits counts. */
static const struct pattern {
	const char *machine;
	uint32_t mask, value;
	const char *why;	/* NULL: a kprobe is taken */
} patterns[] = {
	/* aarch64_insn_is_steppable() and arm_probe_decode_insn(), the same from 5.10 to 7.2 */
	{ "arm64", 0xffe0001f, 0xd4200000, BUG_OR_WARN },
	{ "arm64", 0xff000000, 0xd4000000, NOT_STEPPED },	/* svc, hvc, smc, hlt */
	{ "arm64", 0xfff8f01f, 0xd500401f, NOT_STEPPED },	/* msr, an immediate */
	{ "arm64", 0xfff00000, 0xd5100000, NOT_STEPPED },	/* msr */
	{ "arm64", 0xffffffe0, 0xd53b4220, NOT_STEPPED },	/* mrs of DAIF */
	{ "arm64", 0xffffffff, 0xd503201f, NULL },		/* nop */
	{ "arm64", 0xffffffff, 0xd50320ff, NULL },		/* xpaclri */
	{ "arm64", 0xffffffbf, 0xd503211f, NULL },		/* pacia1716, pacib1716 */
	{ "arm64", 0xffffff9f, 0xd503231f, NULL },		/* paciasp and its kin */
	{ "arm64", 0xffffff3f, 0xd503241f, NULL },		/* bti */
	{ "arm64", 0xfffff01f, 0xd503201f, NOT_STEPPED },	/* other hints: yield, autiasp */
	{ "arm64", 0xff9ffc1f, 0xd61f0000, NULL },		/* br, blr, ret */
	{ "arm64", 0xfe000000, 0xd6000000, NOT_STEPPED },	/* retaa and its kin, eret */
	{ "arm64", 0xff000000, 0xd8000000, NOT_STEPPED },	/* prfm of a literal */
	{ "arm64", 0x3f800000, 0x08000000, NOT_STEPPED },	/* exclusive loads and stores */

	/* arm_probes_decode_insn(), of what compilers and the kernel's headers write */
	{ "arm", 0xfe000000, 0xfa000000, NULL },		/* blx */
	{ "arm", 0xfc300000, 0xf4100000, NULL },		/* pld */
	{ "arm", 0xf0000000, 0xf0000000, NOT_STEPPED },		/* barriers, cps */
	{ "arm", 0x0c000000, 0x0c000000, NOT_STEPPED },		/* mrc and its kin, svc */
	{ "arm", 0x0ff000f0, 0x07f000f0, BUG_OR_WARN },		/* udf */
	{ "arm", 0x0f8000f0, 0x01800090, NOT_STEPPED },		/* ldrex, strex */
	{ "arm", 0x0fb000f0, 0x01200000, NOT_STEPPED },		/* msr */
	{ "arm", 0x0fff00f8, 0x03200000, NULL },		/* nop, wfe, sev */
	{ "arm", 0x0fb00000, 0x03200000, NOT_STEPPED },		/* msr, an immediate; other hints */
	{ "arm", 0x0e1f0010, 0x060d0000, TO_STACK },		/* str, strb */
	{ "arm", 0x0e5f00b0, 0x000d00b0, TO_STACK },		/* strd, strh */

	/* can_single_step() of 6.1; mtmsrd and rfid are refused by all */
	{ "ppc64le", 0xf8000000, 0x08000000, BUG_OR_WARN },	/* tdi, twi */
	{ "ppc64le", 0xfc00077e, 0x7c000008, BUG_OR_WARN },	/* tw, td */
	{ "ppc64le", 0xfc000000, 0x44000000, NOT_STEPPED },	/* sc */
	{ "ppc64le", 0xfc0007fe, 0x4c000024, NOT_STEPPED },	/* rfid */
	{ "ppc64le", 0xfc0007fe, 0x4c0000a4, NOT_STEPPED },	/* rfscv */
	{ "ppc64le", 0xfc0007fe, 0x4c000224, NOT_STEPPED },	/* hrfid */
	{ "ppc64le", 0xfc0007fe, 0x4c0002e4, NOT_STEPPED },	/* stop */
	{ "ppc64le", 0xfc0007be, 0x7c000124, NOT_STEPPED },	/* mtmsr, mtmsrd */

	/* insns_not_supported(); atomic instructions since 6.14 and in stable releases before */
	{ "loongarch64", 0xffff8000, 0x002a0000, BUG_OR_WARN },	/* break */
	{ "loongarch64", 0xfc000000, 0x20000000, NOT_STEPPED },	/* ll, sc */
	{ "loongarch64", 0xfff00000, 0x38600000, NOT_STEPPED },	/* amswap, amadd and their kin */
	{ "loongarch64", 0xfffe0000, 0x38700000, NOT_STEPPED },	/* amm*_db.*u */
	{ "loongarch64", 0xfc000000, 0x48000000, NOT_STEPPED },	/* bceqz, bcnez */

	/* riscv_probe_decode_insn(); 32 bits at least are read, of which a halfword may be one */
	{ "riscv64", 0xffffffff, 0x00100073, BUG_OR_WARN },	/* ebreak */
	{ "riscv64", 0x0000ffff, 0x00009002, BUG_OR_WARN },	/* c.ebreak */
	{ "riscv64", 0x0000007f, 0x00000073, NOT_STEPPED },	/* csrr and its kin, ecall, wfi */
	{ "riscv64", 0x0000007f, 0x0000000f, NOT_STEPPED },	/* fence */

	/* probe_is_prohibited_opcode(); the first halfword of the word has it */
	{ "s390x", 0xff000000, 0xaf000000, BUG_OR_WARN },	/* mc */
	{ "s390x", 0xfe000000, 0xac000000, NOT_STEPPED },	/* stnsm, stosm */
	{ "s390x", 0xff000000, 0x0b000000, NOT_STEPPED },	/* bsm */
	{ "s390x", 0xff000000, 0x0c000000, NOT_STEPPED },	/* bassm */
	{ "s390x", 0xff000000, 0x44000000, NOT_STEPPED },	/* ex */
	{ "s390x", 0xff000000, 0x83000000, NOT_STEPPED },	/* diag */
	{ "s390x", 0xff0f0000, 0xc6000000, NOT_STEPPED },	/* exrl */
	{ "s390x", 0xffff0000, 0x01010000, NOT_STEPPED },	/* pr */
	{ "s390x", 0xffff0000, 0xb2180000, NOT_STEPPED },	/* pc */
	{ "s390x", 0xffff0000, 0xb2280000, NOT_STEPPED },	/* pt */
	{ "s390x", 0xffff0000, 0xb2400000, NOT_STEPPED },	/* bakr */
	{ "s390x", 0xfffd0000, 0xb2580000, NOT_STEPPED },	/* bsg, bsa */
	{ "s390x", 0xffff0000, 0xb2f80000, NOT_STEPPED },	/* tend */
	{ "s390x", 0xffff0000, 0xb98d0000, NOT_STEPPED },	/* epsw */
	{ "s390x", 0xfffe0000, 0xe5600000, NOT_STEPPED },	/* tbegin, tbeginc */
};

/* Of a kernel whose version is not known, too. */
static bool is_from(struct kernel_version version, uint16_t major, uint16_t minor)
{
	struct kernel_version since = { major, minor };

	return !version.major || kernel_version_compare(version, since) >= 0;
}

/* prepare_emulation() of arch/x86/kernel/kprobes/core.c, the same from 5.13 to 7.2. */
static const char *refused_by_x86(bool is_64, struct kernel_version version, const uint8_t *code,
				  size_t size)
{
	size_t at = 0;

	/* No instruction is longer. */
	size = size < 15 ? size : 15;
	/* Prefixes: a segment, notrack, REX. */
	while (at < size && (code[at] == 0x2e || code[at] == 0x3e || code[at] == 0x64 ||
			     code[at] == 0x65 || (is_64 && (code[at] & 0xf0) == 0x40)))
		at++;
	if (at + 2 > size)
		return NULL;
	if (code[at] == 0x0f && code[at + 1] == 0x0b)
		return BUG_OR_WARN;
	/* Before 5.13 what follows was stepped, not emulated. */
	if (!is_from(version, 5, 13))
		return NULL;
	/* vmcall and its kin */
	if (code[at] == 0x0f && code[at + 1] == 0x01 && at + 2 < size && code[at + 2] >> 3 == 0x18)
		return NOT_STEPPED;
	/* ff /2 to /5 with an operand in memory */
	return code[at] == 0xff && (code[at + 1] >> 3 & 7) >= 2 && (code[at + 1] >> 3 & 7) <= 5 &&
			       code[at + 1] >> 6 != 3 ? IN_MEMORY : NULL;
}

/*
 * is_probed_address_atomic(): the instructions in front, up to the symbol, at most 32. Before 6.15
 * loads and stores that acquire and release, and casa, were taken for exclusive ones.
 */
static bool is_atomic(struct kernel_version version, const uint8_t *code, size_t at)
{
	uint32_t mask = version.major && is_from(version, 6, 15) ? 0x3fc00000 : 0x3f400000;

	for (size_t i = 1; i <= 32 && 4 * i <= at; i++) {
		uint32_t word = bytes_load_u32(code + at - 4 * i, HOST_IS_BIG_ENDIAN);

		if ((word & mask) == 0x08000000)
			return false;
		if ((word & mask) == 0x08400000)
			return true;
	}
	return false;
}

const char *kprobe_instruction_refusal(const struct abi *abi, struct kernel_version version,
				       const uint8_t *code, size_t size, size_t at)
{
	const char *machine = abi ? abi->name : "";
	bool is_big = strcmp(machine, "s390x") == 0;
	uint32_t word;

	if (at >= size)
		return NULL;
	if (strcmp(machine, "x86-64") == 0 || strcmp(machine, "i386") == 0)
		return refused_by_x86(*machine == 'x', version, code + at, size - at);
	if (size - at < sizeof(word))
		return NULL;
	word = bytes_load_u32(code + at, is_big != HOST_IS_BIG_ENDIAN);
	for (size_t i = 0; i < sizeof(patterns) / sizeof(*patterns); i++) {
		const struct pattern *pattern = &patterns[i];

		if ((word & pattern->mask) != pattern->value ||
		    strcmp(pattern->machine, machine) != 0)
			continue;
		if (pattern->why)
			return pattern->why;
		break;
	}
	return strcmp(machine, "arm64") == 0 && is_atomic(version, code, at) ? ATOMIC : NULL;
}
