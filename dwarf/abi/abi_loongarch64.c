/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * loongarch64 without floating point registers, LP64S, as the kernel is built. Source: Procedure
 * Call Standard for the LoongArch Architecture, section "Integer calling convention", and ELF for
 * the LoongArch Architecture (DWARF numbers).
 */
#include "dwarf/abi/abi_lp64.h"

enum { SP = 3, R4 = 4 };

static const char *const names[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10",
	"r11", "r12", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21",
	"r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31",
};

const struct abi abi_loongarch64 = {
	.name = "loongarch64",
	.word_bytes = 8,
	.extended_bytes = 8,
	.argument_registers = { R4, 5, 6, 7, 8, 9, 10, 11 },
	.argument_register_count = 8,
	.stack_register = SP,
	.has_zero_register = true,
	.assign = abi_lp64_assign,
	.register_names = names,
	.register_name_count = sizeof(names) / sizeof(*names),
};
