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

static uint8_t merge(uint8_t a, uint8_t b)
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

/*
 * A misaligned scalar sends all to memory. False: a record whose first eightbyte is nothing but
 * padding.
 */
static bool classify(const struct abi_type *type, struct classes *classes)
{
	/* The eightbytes that a scalar touches, by its class: of one, of two. */
	static const uint8_t touched[][2][2] = {
		[ABI_INTEGER] = { { INTEGER, NO_CLASS }, { INTEGER, INTEGER } },
		[ABI_FLOAT] = { { SSE, NO_CLASS }, { X87, X87_UP } },
		[ABI_VECTOR] = { { SSE, NO_CLASS }, { SSE, SSE_UP } },
	};
	uint8_t *of = classes->of;

	*classes = (struct classes){ .memory = type->size_bytes > 16 };
	for (uint32_t i = 0; i < type->leaf_count && !classes->memory; i++) {
		const struct abi_leaf *leaf = &type->leaves[i];
		uint32_t first = leaf->offset_bytes / 8;
		uint32_t last = (leaf->offset_bytes + leaf->size_bytes - 1u) / 8;
		bool two = leaf->class == ABI_INTEGER ? last > first : leaf->size_bytes > 8;

		if (!leaf->is_bitfield && leaf->offset_bytes % leaf->size_bytes) {
			classes->memory = true;
			break;
		}
		of[first] = merge(of[first], touched[leaf->class][two][0]);
		if (first == 0)
			of[1] = merge(of[1], touched[leaf->class][two][1]);
	}
	if (of[0] == MEMORY || of[1] == MEMORY || (of[1] == X87_UP && of[0] != X87))
		classes->memory = true;
	if (of[1] == SSE_UP && of[0] != SSE)
		of[1] = SSE;
	return classes->memory || of[0] != NO_CLASS;
}

static uint32_t count_class(const struct classes *classes, enum eightbyte class)
{
	return (classes->of[0] == class ? 1u : 0) + (classes->of[1] == class ? 1 : 0);
}

static bool parameter(struct abi_cursor *cursor, const struct abi_type *type,
		      struct abi_location *location)
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
		return abi_take_stack(cursor, location, type->size_bytes, alignment);
	for (int i = 0; i < 2; i++) {
		if (classes.of[i] == INTEGER)
			abi_take_integers(cursor, location, 1);
		else if (classes.of[i] == SSE)
			abi_take_floats(cursor, location, XMM0, 1);
	}
	return true;
}

static bool result(struct abi_cursor *cursor, const struct abi_type *type, struct abi_call *call)
{
	uint8_t integer = RAX, sse = XMM0;
	struct classes classes;

	if (type->is_complex && type->leaves->size_bytes > 8) {
		abi_take_registers(&call->result, ST0, 2);
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

static const char *const names[] = {
	"ax", "dx", "cx", "bx", "si", "di", "bp", "sp",
	"r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15",
};

const struct abi abi_x86_64 = {
	.name = "x86-64",
	.machine = ABI_X86_64,
	.word_bytes = 8,
	.extended_bytes = 4,
	.argument_registers = { RDI, RSI, RDX, RCX, R8, R9 },
	.argument_register_count = 6,
	.stack_register = RSP,
	.entry_cfa_offset = 8,
	.entry_stack_offset = 8,
	.float_bytes = ~UINT32_C(0),
	.vector_bytes = 1u << 8 | 1u << 16,	/* below: compilers differ; above: extensions */
	.result = result,
	.parameter = parameter,
	ABI_REGISTER_NAMES(names),
};
