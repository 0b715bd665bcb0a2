/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * powerpc64le. Source: 64-Bit ELF V2 ABI Specification, Power Architecture, sections 2.2.3
 * (parameter passing), 2.2.5 (return values) and 2.4 (DWARF numbers).
 *
 * All arguments have doublewords in the parameter save area, whose first eight doublewords are in
 * r3 to r10. Floating point goes to f1 to f13 instead, and leaves its doublewords empty.
 *
 * long double is refused (it may be an IBM pair or a vector register), and so are homogeneous
 * aggregates that f1 to f13 hold only in part, and _Complex float after f13, whose halves have
 * doublewords of their own.
 */
#include "dwarf/abi/abi_state.h"

enum {
	R1 = 1, R3 = 3, F1 = 33, V2 = 79, FLOAT_ARGUMENTS = 13, VECTOR_ARGUMENTS = 12,
	SAVE_AREA = 32, MAX_HOMOGENEOUS = 8, WORDS_IN_REGISTERS = 8,
};

static uint32_t homogeneous(const struct abi_type *type, enum abi_class class)
{
	uint32_t count;

	if (!abi_is_homogeneous(type, class, &count) || count > MAX_HOMOGENEOUS)
		return 0;
	return count;
}

/* In r3 to r10, on the stack, or begun in the ones and ended on the other. */
static bool in_save_area(struct abi_cursor *cursor, struct abi_location *location, uint64_t first,
			 uint64_t size_bytes)
{
	uint64_t end = first + abi_words(cursor->abi, size_bytes);

	if (end > INT32_MAX / 16)
		return false;
	location->kind = ABI_REGISTERS;
	for (uint64_t word = first; word < end && word < WORDS_IN_REGISTERS; word++)
		abi_add_register(location, R3 + (unsigned int)word);
	if (end > WORDS_IN_REGISTERS) {
		location->kind = location->register_count ? ABI_SPLIT : ABI_STACK;
		if (first < WORDS_IN_REGISTERS)
			first = WORDS_IN_REGISTERS;
		location->stack_offset = (int32_t)(SAVE_AREA + 8 * first);
		cursor->stack_bytes = 8 * (end - WORDS_IN_REGISTERS);
	}
	return true;
}

static bool parameter(struct abi_cursor *cursor, const struct abi_type *type,
		      struct abi_location *location)
{
	uint32_t floats = homogeneous(type, ABI_FLOAT);
	uint32_t vectors = homogeneous(type, ABI_VECTOR);
	uint64_t first = cursor->words;

	/* Homogeneous aggregates are aligned as their elements are. */
	if (vectors || (!floats && type->is_record && type->alignment_bytes >= 16))
		first = abi_align(first, 2);
	if (!type->size_bytes) {
		cursor->words = first;
		return true;
	}
	cursor->words = first + (type->is_complex ? 2 : abi_words(cursor->abi, type->size_bytes));
	if (floats && cursor->floats < FLOAT_ARGUMENTS) {
		if (floats > FLOAT_ARGUMENTS - cursor->floats)
			return false;
		abi_take_floats(cursor, location, F1, floats);
		return true;
	}
	if (vectors && cursor->vectors < VECTOR_ARGUMENTS) {
		if (vectors > VECTOR_ARGUMENTS - cursor->vectors)
			return false;
		abi_take_registers(location, V2 + cursor->vectors, vectors);
		cursor->vectors += vectors;
		return true;
	}
	if (type->is_complex && type->size_bytes == 8)
		return false;
	return in_save_area(cursor, location, first, type->size_bytes);
}

static bool result(struct abi_cursor *cursor, const struct abi_type *type, struct abi_call *call)
{
	uint32_t floats = homogeneous(type, ABI_FLOAT);
	uint32_t vectors = homogeneous(type, ABI_VECTOR);

	if (!type->size_bytes)
		return true;
	if (!floats && !vectors && type->size_bytes > 16) {
		abi_take_result_address(cursor, call);
		cursor->words = 1;
		return true;
	}
	if (floats || vectors)
		abi_take_registers(&call->result, floats ? F1 : V2, floats + vectors);
	else
		abi_take_registers(&call->result, R3, abi_words(cursor->abi, type->size_bytes));
	return true;
}

static const char *const names[] = {
	"gpr0", "gpr1", "gpr2", "gpr3", "gpr4", "gpr5", "gpr6", "gpr7",
	"gpr8", "gpr9", "gpr10", "gpr11", "gpr12", "gpr13", "gpr14", "gpr15",
	"gpr16", "gpr17", "gpr18", "gpr19", "gpr20", "gpr21", "gpr22", "gpr23",
	"gpr24", "gpr25", "gpr26", "gpr27", "gpr28", "gpr29", "gpr30", "gpr31",
};

const struct abi abi_ppc64le = {
	.name = "ppc64le",
	.machine = ABI_PPC64LE,
	.word_bytes = 8,
	.extended_bytes = 8,
	.argument_registers = { R3, 4, 5, 6, 7, 8, 9, 10 },
	.argument_register_count = WORDS_IN_REGISTERS,
	.stack_register = R1,
	.entry_stack_offset = SAVE_AREA + 8 * WORDS_IN_REGISTERS,
	.float_bytes = 1u << 4 | 1u << 8,
	.vector_bytes = 1u << 16,
	.empty_counts = true,	/* an aligned one takes no space but moves the next */
	.result = result,
	.parameter = parameter,
	ABI_REGISTER_NAMES(names),
};
