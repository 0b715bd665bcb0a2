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

static bool parameter(struct abi_cursor *cursor, const struct abi_type *type,
		      struct abi_location *location)
{
	if (type->alignment_bytes >= 16)
		return false;
	return !type->size_bytes || abi_take_words(cursor, location, type->size_bytes, 4);
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

	if (type->alignment_bytes >= 16 || !size)
		return false;
	if (is_in_memory(type)) {
		if (!abi_integers_left(cursor)) {
			/* Variadic: on top of the stack, and the callee removes it. */
			call->result = (struct abi_location){ .kind = ABI_REFERENCE };
			call->has_result_address = true;
			if (!abi_take_stack(cursor, &call->result_address, 4, 4))
				return false;
		} else {
			abi_take_result_address(cursor, call);
		}
		abi_add_register(&call->result, EAX);
		return true;
	}
	abi_take_registers(&call->result, EAX, 1);
	if (size > 4)
		abi_add_register(&call->result, EDX);
	return true;
}

static const char *const names[] = { "ax", "cx", "dx", "bx", "sp", "bp", "si", "di" };

const struct abi abi_i386 = {
	.name = "i386",
	.machine = ABI_I386,
	.word_bytes = 4,
	.extended_bytes = 4,
	.argument_registers = { EAX, EDX, ECX },
	.argument_register_count = 3,
	.stack_register = ESP,
	.entry_cfa_offset = 4,
	.entry_stack_offset = 4,
	.empty_counts = true,
	.variadic_on_stack = true,
	.result = result,
	.parameter = parameter,
	ABI_REGISTER_NAMES(names),
};
