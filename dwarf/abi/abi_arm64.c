/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * arm64. Source: Procedure Call Standard for the Arm 64-bit Architecture (AAPCS64), sections 6.4 to
 * 6.9 (stages B and C), and DWARF for the Arm 64-bit Architecture, section 4.1.
 */
#include "dwarf/abi/abi_state.h"

enum { X0 = 0, X8 = 8, SP = 31, V0 = 64, FLOAT_ARGUMENTS = 8, MAX_HOMOGENEOUS = 4 };

/* Vectors other than the short ones of 8 and 16 bytes are the compiler's affair. */
static bool is_known(const struct abi_type *type)
{
	for (uint32_t i = 0; i < type->leaf_count; i++) {
		const struct abi_leaf *leaf = &type->leaves[i];

		if (leaf->class == ABI_VECTOR && leaf->size_bytes != 8 && leaf->size_bytes != 16)
			return false;
	}
	return true;
}

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
		      struct abi_place *place)
{
	uint32_t floats = float_registers(type);
	uint64_t words = abi_words(cursor->abi, type->size_bytes);

	if (!is_known(type))
		return false;
	if (floats) {
		if (floats <= FLOAT_ARGUMENTS - cursor->floats) {
			abi_take_floats(cursor, place, V0, floats);
			return true;
		}
		cursor->floats = FLOAT_ARGUMENTS;	/* rule C.3: none comes back */
		return abi_take_stack(cursor, place, type->size_bytes, stack_alignment(type));
	}
	if (words > 2)
		return abi_take_reference(cursor, place);
	if (type->natural_bytes >= 16)
		cursor->integers = (uint32_t)abi_align(cursor->integers, 2);
	if (words <= abi_integers_left(cursor)) {
		abi_take_integers(cursor, place, words);
		return true;
	}
	cursor->integers = cursor->abi->argument_register_count;
	return abi_take_stack(cursor, place, type->size_bytes, stack_alignment(type));
}

/* x8 has the address of a result in memory; it is nobody's argument register, nor kept. */
static bool result(struct abi_cursor *cursor, const struct abi_type *type, struct abi_call *call)
{
	uint32_t floats = float_registers(type);

	(void)cursor;
	if (!is_known(type))
		return false;
	if (!floats && type->size_bytes > 16) {
		call->result.kind = ABI_REFERENCE;
		call->has_result_address = true;
		call->result_address = abi_in_register(X8);
		return true;
	}
	call->result.kind = ABI_REGISTERS;
	for (uint32_t i = 0; i < floats; i++)
		abi_add_register(&call->result, V0 + i);
	for (uint64_t bytes = 0; !floats && bytes < type->size_bytes; bytes += 8)
		abi_add_register(&call->result, X0 + (unsigned int)(bytes / 8));
	return true;
}

static bool assign(const struct abi *abi, const struct abi_prototype *prototype,
		   struct abi_call *call, struct abi_place *parameters)
{
	static const struct abi_rules rules = { .result = result, .parameter = parameter };
	struct abi_cursor cursor = { .abi = abi };

	return abi_walk(&cursor, &rules, prototype, call, parameters);
}

static const char *const names[] = {
	"x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10",
	"x11", "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x20", "x21",
	"x22", "x23", "x24", "x25", "x26", "x27", "x28", "x29", "lr", "sp",
};

const struct abi abi_arm64 = {
	.name = "arm64",
	.word_bytes = 8,
	.extended_bytes = 4,
	.argument_registers = { 0, 1, 2, 3, 4, 5, 6, 7 },
	.argument_register_count = 8,
	.stack_register = SP,
	.has_zero_register = true,
	.zero_register = SP,	/* wzr, xzr */
	.hook_bytes_before = 8,	/* -fpatchable-function-entry=4,2 */
	.assign = assign,
	.register_names = names,
	.register_name_count = sizeof(names) / sizeof(*names),
};
