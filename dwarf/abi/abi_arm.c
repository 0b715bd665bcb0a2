/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * 32-bit Arm, EABI without floating point registers, as the kernel is built. Source: Procedure Call
 * Standard for the Arm Architecture (AAPCS), sections 6.4 and 6.5 (the base standard), and DWARF
 * for the Arm Architecture, section 3.1.
 */
#include "dwarf/abi/abi_state.h"

enum { R0 = 0, SP = 13 };

static bool parameter(struct abi_cursor *cursor, const struct abi_type *type,
		      struct abi_place *place)
{
	uint64_t words = abi_words(cursor->abi, type->size_bytes);
	uint32_t alignment = type->natural_bytes >= 8 ? 8 : 4;
	uint32_t left;
	struct abi_place rest = { 0 };

	if (abi_has_class(type, ABI_VECTOR))
		return false;
	if (alignment == 8)
		cursor->integers = (uint32_t)abi_align(cursor->integers, 2);
	left = abi_integers_left(cursor);
	if (words <= left) {
		abi_take_integers(cursor, place, words);
		return true;
	}
	/* Rule C.5: in two parts, unless something is on the stack already. */
	if (!left || cursor->stack_bytes) {
		cursor->integers = cursor->abi->argument_register_count;
		return abi_take_stack(cursor, place, type->size_bytes, alignment);
	}
	abi_take_integers(cursor, place, left);
	if (!abi_take_stack(cursor, &rest, type->size_bytes - 4ull * left, 4))
		return false;
	place->kind = ABI_SPLIT;
	place->stack_offset = rest.stack_offset;
	return true;
}

/* Records of more than a word go to memory; of other types the halves are in r0 and r1. */
static bool result(struct abi_cursor *cursor, const struct abi_type *type, struct abi_call *call)
{
	uint64_t limit = type->is_record ? 4 : 8;

	if (abi_has_class(type, ABI_VECTOR))
		return false;
	if (type->is_complex)
		limit = 4;
	if (type->size_bytes > limit) {
		abi_take_result_address(cursor, call);
		return true;
	}
	call->result = abi_in_register(R0);
	if (type->size_bytes > 4)
		abi_add_register(&call->result, R0 + 1);
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
	"r0", "r1", "r2", "r3", "r4", "r5", "r6", "r7",
	"r8", "r9", "r10", "fp", "ip", "sp", "lr", "pc",
};

const struct abi abi_arm = {
	.name = "arm",
	.word_bytes = 4,
	.extended_bytes = 4,
	.argument_registers = { 0, 1, 2, 3 },
	.argument_register_count = 4,
	.stack_register = SP,
	.assign = assign,
	.register_names = names,
	.register_name_count = sizeof(names) / sizeof(*names),
};
