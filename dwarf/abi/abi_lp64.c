/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The integer convention LP64 that riscv64 and loongarch64 (LP64S) share, as their kernels are
 * built: eight registers, up to two of them for a value, the last of them also for the first half
 * of one; longer ones by reference. Floating point counts as integers. Sources: RISC-V ELF psABI,
 * sections 2.1 (integer calling convention) and 5 (DWARF numbers); Procedure Call Standard for the
 * LoongArch Architecture, section "Integer calling convention", and ELF for the LoongArch
 * Architecture (DWARF numbers).
 *
 * Named arguments only: the unnamed ones of variadic functions are not parameters; that pairs of
 * registers begin at an even one is a rule for those alone.
 */
#include "dwarf/abi/abi_state.h"

static bool parameter(struct abi_cursor *cursor, const struct abi_type *type,
		      struct abi_location *location)
{
	uint64_t words = abi_words(cursor->abi, type->size_bytes);
	uint32_t left = abi_integers_left(cursor);

	if (words > 2)
		return abi_take_reference(cursor, location);
	if (left && words > left)
		return abi_take_split(cursor, location, type->size_bytes);
	return abi_take_words(cursor, location, type->size_bytes,
			      type->alignment_bytes >= 16 ? 16 : 8);
}

/* As a first named argument of that type would be passed. */
static bool result(struct abi_cursor *cursor, const struct abi_type *type, struct abi_call *call)
{
	if (type->size_bytes > 16)
		abi_take_result_address(cursor, call);
	else
		abi_take_registers(&call->result, cursor->abi->argument_registers[0],
				   abi_words(cursor->abi, type->size_bytes));
	return true;
}

/* ---- riscv64 ---- */

static const char *const riscv64_names[] = {
	NULL, "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0",
	"a1", "a2", "a3", "a4", "a5", "a6", "a7", "s2", "s3", "s4", "s5",
	"s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4", "t5", "t6",
};

const struct abi abi_riscv64 = {
	.name = "riscv64",
	.machine = ABI_RISCV64,
	.word_bytes = 8,
	.extended_bytes = 8,
	.argument_registers = { 10, 11, 12, 13, 14, 15, 16, 17 },
	.argument_register_count = 8,
	.stack_register = 2,
	.has_zero_register = true,
	.hook_bytes_before = 8,		/* -fpatchable-function-entry=8,4 of NOPs of 2 bytes */
	.float_bytes = ~UINT32_C(0),
	.result = result,
	.parameter = parameter,
	ABI_REGISTER_NAMES(riscv64_names),
};

/* ---- loongarch64 ---- */

static const char *const loongarch64_names[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10",
	"r11", "r12", "r13", "r14", "r15", "r16", "r17", "r18", "r19", "r20", "r21",
	"r22", "r23", "r24", "r25", "r26", "r27", "r28", "r29", "r30", "r31",
};

const struct abi abi_loongarch64 = {
	.name = "loongarch64",
	.machine = ABI_LOONGARCH64,
	.word_bytes = 8,
	.extended_bytes = 8,
	.argument_registers = { 4, 5, 6, 7, 8, 9, 10, 11 },
	.argument_register_count = 8,
	.stack_register = 3,
	.has_zero_register = true,
	.float_bytes = ~UINT32_C(0),
	.result = result,
	.parameter = parameter,
	ABI_REGISTER_NAMES(loongarch64_names),
};
