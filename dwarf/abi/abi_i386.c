/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * i386 as the kernel is built: -mregparm=3 -freg-struct-return. Sources: System V ABI, Intel386
 * supplement, section 2.2 and table 2.14 (DWARF numbers); GCC's manual, "regparm", "-freg-struct-
 * return". What does not fit into the registers left takes the rest of them away from all others.
 *
 * Floating point is refused: where it is depends on -msoft-float, and on the compiler. So are
 * records aligned to 16, which GCC aligns on the stack and clang does not, and empty results, for
 * which GCC passes an address and clang does not. Functions declared asmlinkage, regparm(0), look
 * the same in DWARF.
 */
#include "dwarf/abi/abi_state.h"

enum { EAX = 0, ECX = 1, EDX = 2, ESP = 4 };

static bool is_known(const struct abi_type *type)
{
	return !abi_has_class(type, ABI_FLOAT) && !abi_has_class(type, ABI_VECTOR) &&
	       type->alignment_bytes < 16;
}

static bool parameter(struct abi_cursor *cursor, const struct abi_type *type,
		      struct abi_place *place)
{
	uint64_t words = abi_words(cursor->abi, type->size_bytes);

	if (!is_known(type))
		return false;
	if (!words)
		return true;
	if (words <= abi_integers_left(cursor)) {
		abi_take_integers(cursor, place, words);
		return true;
	}
	cursor->integers = cursor->abi->argument_register_count;
	return abi_take_stack(cursor, place, type->size_bytes, 4);
}

/*
 * A record is returned in registers when that is its size, and that of each record and array in it:
 * others have no machine mode (GCC), or are looked into one by one (clang), with the same outcome.
 */
static bool is_in_memory(const struct abi_type *type)
{
	uint64_t size = type->size_bytes;

	return type->is_record &&
	       (type->has_odd_part || (size != 1 && size != 2 && size != 4 && size != 8));
}

static bool result(struct abi_cursor *cursor, const struct abi_type *type, struct abi_call *call)
{
	uint64_t size = type->size_bytes;

	if (!is_known(type) || !size)
		return false;
	if (is_in_memory(type)) {
		if (!abi_integers_left(cursor)) {
			/* Variadic: on top of the stack, and the callee removes it. */
			call->result = (struct abi_place){ .kind = ABI_REFERENCE };
			call->has_result_address = true;
			if (!abi_take_stack(cursor, &call->result_address, 4, 4))
				return false;
		} else {
			abi_take_result_address(cursor, call);
		}
		abi_add_register(&call->result, EAX);
		return true;
	}
	call->result = abi_in_register(EAX);
	if (size > 4)
		abi_add_register(&call->result, EDX);
	return true;
}

static bool assign(const struct abi *abi, const struct abi_prototype *prototype,
		   struct abi_call *call, struct abi_place *parameters)
{
	static const struct abi_rules rules = {
		.result = result,
		.parameter = parameter,
		.empty_counts = true,
	};
	struct abi_cursor cursor = { .abi = abi };

	if (prototype->is_variadic)
		cursor.integers = abi->argument_register_count;
	return abi_walk(&cursor, &rules, prototype, call, parameters);
}

static const char *const names[] = { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di" };

const struct abi abi_i386 = {
	.name = "i386",
	.word_bytes = 4,
	.extended_bytes = 4,
	.argument_registers = { EAX, EDX, ECX },
	.argument_register_count = 3,
	.stack_register = ESP,
	.entry_cfa_offset = 4,
	.entry_stack_offset = 4,
	.assign = assign,
	.register_names = names,
	.register_name_count = sizeof(names) / sizeof(*names),
};
