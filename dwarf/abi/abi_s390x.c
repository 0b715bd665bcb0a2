/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * s390x. Source: ELF Application Binary Interface, s390x Supplement, sections 1.2.4 (parameter
 * passing), 1.2.5 (return values) and table 1.9 (DWARF numbers).
 *
 * Big-endian: what is shorter than a doubleword is at the end of its register or stack slot,
 * but a float at the start of its register. Vectors are refused: they depend on -mvx.
 */
#include "dwarf/abi/abi_state.h"

enum { R2 = 2, R15 = 15, F0 = 16, FLOAT_ARGUMENTS = 4, SAVE_AREA = 160 };

/* float and double, also as the only member of structs; f0, f2, f4, f6 have adjacent numbers. */
static bool is_float(const struct abi_type *type)
{
	return (!type->is_record || type->is_wrapper) && !type->is_complex &&
	       type->leaf_count == 1 && type->leaves->class == ABI_FLOAT &&
	       type->size_bytes <= 8;
}

static bool is_by_value(const struct abi_type *type)
{
	uint64_t size = type->size_bytes;

	return !type->is_complex && (size == 1 || size == 2 || size == 4 || size == 8);
}

static bool parameter(struct abi_cursor *cursor, const struct abi_type *type,
		      struct abi_location *location)
{
	if (!is_by_value(type))
		return abi_take_reference(cursor, location);
	if (is_float(type) && cursor->floats < FLOAT_ARGUMENTS) {
		abi_take_floats(cursor, location, F0, 1);
		return true;
	}
	if (!is_float(type) && abi_integers_left(cursor)) {
		abi_take_integers(cursor, location, 1);
		return true;
	}
	if (!abi_take_stack(cursor, location, 8, 8))
		return false;
	location->stack_offset += 8 - (int32_t)type->size_bytes;
	return true;
}

static bool result(struct abi_cursor *cursor, const struct abi_type *type, struct abi_call *call)
{
	if (type->is_record || type->is_complex || type->size_bytes > 8)
		abi_take_result_address(cursor, call);
	else
		abi_take_registers(&call->result, is_float(type) ? F0 : R2, 1);
	return true;
}

static const char *const names[] = {
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

const struct abi abi_s390x = {
	.name = "s390x",
	.machine = ABI_S390X,
	.word_bytes = 8,
	.extended_bytes = 8,
	.big_endian = true,
	.argument_registers = { 2, 3, 4, 5, 6 },
	.argument_register_count = 5,
	.stack_register = R15,
	.entry_cfa_offset = SAVE_AREA,
	.entry_stack_offset = SAVE_AREA,
	.float_bytes = ~UINT32_C(0),
	.empty_counts = true,	/* an empty struct is passed by reference, too */
	.result = result,
	.parameter = parameter,
	ABI_REGISTER_NAMES(names),
};
