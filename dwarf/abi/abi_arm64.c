/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * arm64. Source: Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64), sections 6.4 to
 * 6.9 (stages B and C), and DWARF for the Arm 64-bit Architecture, section 4.1.
 */
#include "dwarf/abi/abi_state.h"

enum { X0 = 0, X8 = 8, SP = 31, V0 = 64, FLOAT_ARGUMENTS = 8, MAX_HOMOGENEOUS = 4 };

/* The number of SIMD registers of a float, a vector, a homogeneous aggregate of them; 0: none. */
static uint32_t float_registers(const struct abi_type *type)
{
	uint32_t count;

	if (!abi_is_homogeneous(type, ABI_FLOAT, &count) &&
	    !abi_is_homogeneous(type, ABI_VECTOR, &count))
		return 0;
	return count <= MAX_HOMOGENEOUS ? count : 0;
}

static uint64_t stack_alignment(const struct abi_type *type)
{
	return type->natural_bytes >= 16 ? 16 : 8;
}

static bool parameter(struct abi_cursor *cursor, const struct abi_type *type,
		      struct abi_location *location)
{
	uint32_t floats = float_registers(type);

	if (floats) {
		if (floats <= FLOAT_ARGUMENTS - cursor->floats) {
			abi_take_floats(cursor, location, V0, floats);
			return true;
		}
		cursor->floats = FLOAT_ARGUMENTS;	/* rule C.3: none comes back */
		return abi_take_stack(cursor, location, type->size_bytes, stack_alignment(type));
	}
	if (type->size_bytes > 16)
		return abi_take_reference(cursor, location);
	if (type->natural_bytes >= 16)
		cursor->integers = (uint32_t)abi_align(cursor->integers, 2);
	return abi_take_words(cursor, location, type->size_bytes, stack_alignment(type));
}

/* x8 has the address of a result in memory. It is not an argument register, and not preserved. */
static bool result(struct abi_cursor *cursor, const struct abi_type *type, struct abi_call *call)
{
	uint32_t floats = float_registers(type);

	if (!floats && type->size_bytes > 16) {
		call->result.kind = ABI_REFERENCE;
		call->has_result_address = true;
		abi_take_registers(&call->result_address, X8, 1);
	} else if (floats) {
		abi_take_registers(&call->result, V0, floats);
	} else {
		abi_take_registers(&call->result, X0, abi_words(cursor->abi, type->size_bytes));
	}
	return true;
}

static const char *const names[] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr", "sp",
};

const struct abi abi_arm64 = {
	.name = "arm64",
	.machine = ABI_ARM64,
	.word_bytes = 8,
	.extended_bytes = 4,
	.argument_registers = { 0, 1, 2, 3, 4, 5, 6, 7 },
	.argument_register_count = 8,
	.stack_register = SP,
	.has_zero_register = true,
	.zero_register = SP,	/* wzr, xzr */
	.hook_bytes_before = 8,	/* -fpatchable-function-entry=4,2 */
	.float_bytes = ~UINT32_C(0),
	.vector_bytes = 1u << 8 | 1u << 16,	/* short vectors; others are the compiler's */
	.result = result,
	.parameter = parameter,
	ABI_REGISTER_NAMES(names),
};
