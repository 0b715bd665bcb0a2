/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * x86-64. Source: System V ABI, AMD64 supplement 1.0, section 3.2.3 (classes of eightbytes,
 * passing, returning) and figure 3.36 (DWARF numbers). The kernel passes no floating point, but
 * follows the same rules.
 *
 * A FLOAT of 16 bytes is taken for long double; __float128 looks the same in DWARF.
 */
#include "dwarf/abi/abi_state.h"

enum {
	RAX = 0, RDX = 1, RCX = 2, RSI = 4, RDI = 5, RSP = 7, R8 = 8, R9 = 9, XMM0 = 17, ST0 = 33,
	SSE_ARGUMENTS = 8,
};

enum eightbyte { NO_CLASS, INTEGER, SSE, SSE_UP, X87, X87_UP, MEMORY };

struct classes {
	uint8_t of[2];		/* enum eightbyte, of each half */
	bool memory;
};

static enum eightbyte merge(enum eightbyte a, enum eightbyte b)
{
	if (a == b || b == NO_CLASS)
		return a;
	if (a == NO_CLASS)
		return b;
	if (a == MEMORY || b == MEMORY)
		return MEMORY;
	if (a == INTEGER || b == INTEGER)
		return INTEGER;
	if (a == X87 || a == X87_UP || b == X87 || b == X87_UP)
		return MEMORY;
	return SSE;
}

static void add(struct classes *classes, uint32_t first, enum eightbyte low, enum eightbyte high)
{
	classes->of[first] = (uint8_t)merge((enum eightbyte)classes->of[first], low);
	if (first == 0)
		classes->of[1] = (uint8_t)merge((enum eightbyte)classes->of[1], high);
}

/* What a scalar makes of the eightbytes that it touches. Misaligned ones send all to memory. */
static void add_leaf(struct classes *classes, const struct abi_leaf *leaf)
{
	uint32_t first = leaf->offset_bytes / 8;
	uint32_t last = (leaf->offset_bytes + leaf->size_bytes - 1u) / 8;

	if (!leaf->is_bitfield && leaf->offset_bytes % leaf->size_bytes)
		classes->memory = true;
	else if (leaf->class == ABI_FLOAT && leaf->size_bytes > 8)
		add(classes, first, X87, X87_UP);
	else if (leaf->class == ABI_VECTOR && leaf->size_bytes > 8)
		add(classes, first, SSE, SSE_UP);
	else if (leaf->class != ABI_INTEGER)
		add(classes, first, SSE, NO_CLASS);
	else
		add(classes, first, INTEGER, last > first ? INTEGER : NO_CLASS);
}

/*
 * False: a vector that compilers do not agree on (below 8 bytes), or that depends on the machine's
 * extensions (above 16), or a record whose first eightbyte is nothing but padding.
 */
static bool classify(const struct abi_type *type, struct classes *classes)
{
	*classes = (struct classes){ .memory = type->size_bytes > 16 };
	for (uint32_t i = 0; i < type->leaf_count; i++) {
		const struct abi_leaf *leaf = &type->leaves[i];

		if (leaf->class == ABI_VECTOR && leaf->size_bytes != 8 && leaf->size_bytes != 16)
			return false;
	}
	for (uint32_t i = 0; i < type->leaf_count && !classes->memory; i++)
		add_leaf(classes, &type->leaves[i]);
	if (classes->of[0] == MEMORY || classes->of[1] == MEMORY ||
	    (classes->of[1] == X87_UP && classes->of[0] != X87))
		classes->memory = true;
	if (classes->of[1] == SSE_UP && classes->of[0] != SSE)
		classes->of[1] = SSE;
	return classes->memory || classes->of[0] != NO_CLASS;
}

static uint32_t count_class(const struct classes *classes, enum eightbyte class)
{
	return (classes->of[0] == class ? 1u : 0) + (classes->of[1] == class ? 1 : 0);
}

static bool parameter(struct abi_cursor *cursor, const struct abi_type *type,
		      struct abi_place *place)
{
	uint64_t alignment = type->alignment_bytes > 8 ? type->alignment_bytes : 8;
	struct classes classes;

	if (!classify(type, &classes))
		return false;
	/* Compilers differ in what becomes of the last register (dwarf/producer.c). */
	if (!cursor->is_int128_whole && !type->is_record && count_class(&classes, INTEGER) == 2 &&
	    abi_integers_left(cursor) == 1)
		return false;
	if (classes.memory || classes.of[0] == X87 ||
	    count_class(&classes, INTEGER) > abi_integers_left(cursor) ||
	    count_class(&classes, SSE) > SSE_ARGUMENTS - cursor->floats)
		return abi_take_stack(cursor, place, type->size_bytes, alignment);
	for (int i = 0; i < 2; i++) {
		if (classes.of[i] == INTEGER)
			abi_take_integers(cursor, place, 1);
		else if (classes.of[i] == SSE)
			abi_take_floats(cursor, place, XMM0, 1);
	}
	return true;
}

static bool result(struct abi_cursor *cursor, const struct abi_type *type, struct abi_call *call)
{
	uint8_t integer = RAX, sse = XMM0;
	struct classes classes;

	if (type->is_complex && type->leaves->size_bytes > 8) {
		call->result = (struct abi_place){ ABI_REGISTERS, 2, { ST0, ST0 + 1 }, 0 };
		return true;
	}
	if (!classify(type, &classes))
		return false;
	if (classes.memory) {
		abi_take_result_address(cursor, call);
		abi_add_register(&call->result, RAX);
		return true;
	}
	call->result.kind = ABI_REGISTERS;
	for (int i = 0; i < 2; i++) {
		if (classes.of[i] == INTEGER) {
			abi_add_register(&call->result, integer);
			integer = RDX;
		} else if (classes.of[i] == SSE) {
			abi_add_register(&call->result, sse++);
		} else if (classes.of[i] == X87) {
			abi_add_register(&call->result, ST0);
		}
	}
	return true;
}

static bool assign(const struct abi *abi, const struct abi_prototype *prototype,
		   struct abi_call *call, struct abi_place *parameters)
{
	static const struct abi_rules rules = { .result = result, .parameter = parameter };
	struct abi_cursor cursor = { .abi = abi, .is_int128_whole = prototype->is_int128_whole };

	return abi_walk(&cursor, &rules, prototype, call, parameters);
}

static const char *const names[] = {
	"ax", "dx", "cx", "bx", "si", "di", "bp", "sp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

const struct abi abi_x86_64 = {
	.name = "x86-64",
	.word_bytes = 8,
	.extended_bytes = 4,
	.argument_registers = { RDI, RSI, RDX, RCX, R8, R9 },
	.argument_register_count = 6,
	.stack_register = RSP,
	.entry_cfa_offset = 8,
	.entry_stack_offset = 8,
	.assign = assign,
	.register_names = names,
	.register_name_count = sizeof(names) / sizeof(*names),
};
