/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * 32-bit Arm, EABI without floating point registers, as the kernel is built. Source: Procedure Call
 * Standard for the Arm Architecture (AAPCS), sections 6.4 and 6.5 (the base standard), and DWARF
 * for the Arm Architecture, section 3.1.
 */
#include "dwarf/abi/abi_state.h"

enum { R0 = 0, SP = 13 };

static bool parameter(struct abi_cursor *cursor, const struct abi_type *type,
		      struct abi_location *location)
{
	uint32_t alignment = type->natural_bytes >= 8 ? 8 : 4;
	uint32_t left;

	if (alignment == 8)
		cursor->integers = (uint32_t)abi_align(cursor->integers, 2);
	left = abi_integers_left(cursor);
	/* Rule C.5: in two parts, unless something is on the stack already. */
	if (left && abi_words(cursor->abi, type->size_bytes) > left && !cursor->stack_bytes)
		return abi_take_split(cursor, location, type->size_bytes);
	return abi_take_words(cursor, location, type->size_bytes, alignment);
}

/* Records of more than a word go to memory; of other types the halves are in r0 and r1. */
static bool result(struct abi_cursor *cursor, const struct abi_type *type, struct abi_call *call)
{
	uint64_t limit = type->is_record || type->is_complex ? 4 : 8;

	if (type->size_bytes > limit)
		abi_take_result_address(cursor, call);
	else
		abi_take_registers(&call->result, R0, abi_words(cursor->abi, type->size_bytes));
	return true;
}

static const char *const names[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7",
	"r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};

const struct abi abi_arm = {
	.name = "arm",
	.machine = ABI_ARM,
	.word_bytes = 4,
	.extended_bytes = 4,
	.argument_registers = { 0, 1, 2, 3 },
	.argument_register_count = 4,
	.stack_register = SP,
	.float_bytes = ~UINT32_C(0),
	.result = result,
	.parameter = parameter,
	ABI_REGISTER_NAMES(names),
};
