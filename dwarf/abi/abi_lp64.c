/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Named arguments only: the unnamed ones of variadic functions are no parameters; that pairs of
 * registers begin at an even one is a rule for those alone.
 */
#include "dwarf/abi/abi_lp64.h"

static bool parameter(struct abi_cursor *cursor, const struct abi_type *type,
		      struct abi_place *place)
{
	uint64_t words = abi_words(cursor->abi, type->size_bytes);
	uint32_t left = abi_integers_left(cursor);
	struct abi_place rest = { 0 };

	if (abi_has_class(type, ABI_VECTOR))
		return false;
	if (words > 2)
		return abi_take_reference(cursor, place);
	if (words <= left) {
		abi_take_integers(cursor, place, words);
		return true;
	}
	if (!left)
		return abi_take_stack(cursor, place, type->size_bytes,
				      type->alignment_bytes >= 16 ? 16 : 8);
	abi_take_integers(cursor, place, 1);
	if (!abi_take_stack(cursor, &rest, type->size_bytes - 8, 8))
		return false;
	place->kind = ABI_SPLIT;
	place->stack_offset = rest.stack_offset;
	return true;
}

/* As a first named argument of that type would be passed. */
static bool result(struct abi_cursor *cursor, const struct abi_type *type, struct abi_call *call)
{
	unsigned int first = cursor->abi->argument_registers[0];

	if (abi_has_class(type, ABI_VECTOR))
		return false;
	if (type->size_bytes > 16) {
		abi_take_result_address(cursor, call);
		return true;
	}
	call->result = abi_in_register(first);
	if (type->size_bytes > 8)
		abi_add_register(&call->result, first + 1);
	return true;
}

bool abi_lp64_assign(const struct abi *abi, const struct abi_prototype *prototype,
		     struct abi_call *call, struct abi_place *parameters)
{
	static const struct abi_rules rules = { .result = result, .parameter = parameter };
	struct abi_cursor cursor = { .abi = abi };

	return abi_walk(&cursor, &rules, prototype, call, parameters);
}
