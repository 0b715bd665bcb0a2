/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * riscv64 with the integer convention, LP64, as the kernel is built. Source: RISC-V ELF psABI,
 * sections 2.1 (integer calling convention) and 5 (DWARF numbers). LoongArch's LP64S is the same
 * with other registers.
 */
#include "dwarf/abi/abi_lp64.h"

enum { SP = 2, A0 = 10 };

static const char *const names[] = {
	NULL, "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",
	"a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5",
	"s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

const struct abi abi_riscv64 = {
	.name = "riscv64",
	.word_bytes = 8,
	.extended_bytes = 8,
	.argument_registers = { A0, 11, 12, 13, 14, 15, 16, 17 },
	.argument_register_count = 8,
	.stack_register = SP,
	.has_zero_register = true,
	.hook_bytes_before = 8,		/* -fpatchable-function-entry=8,4 of NOPs of 2 bytes */
	.assign = abi_lp64_assign,
	.register_names = names,
	.register_name_count = sizeof(names) / sizeof(*names),
};
