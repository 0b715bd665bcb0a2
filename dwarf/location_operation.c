/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/location_operation.h"

#include "dwarf/location_term.h"

enum operand {
	NOTHING,
	U1 = 1, U2 = 2, U4 = 4, U8 = 8,			/* of so many bytes */
	S1 = 0x11, S2 = 0x12, S4 = 0x14, S8 = 0x18,	/* the same, signed */
	WORD,			/* as wide as an address */
	REFERENCE,		/* an offset of .debug_info */
	ULEB, SLEB,
	BLOCK,			/* ULEB length, bytes */
	BLOCK1,			/* length in one byte, bytes */
};

struct operation_row {
	bool is_known;
	uint8_t is;		/* the standard operation that this one is; 0: itself */
	uint8_t first;		/* enum operand */
	uint8_t second;
	uint8_t takes;
	uint8_t gives;
};

/* DWARF 5 section 7.7.1, and the GNU operations, which became most of the new ones of DWARF 5. */
static const struct operation_row rows[256] = {
#define ROW(name, first, second, takes, gives) [name] = { true, 0, first, second, takes, gives }
#define ROWS(from, to, takes, gives) [from... to] = { true, 0, NOTHING, NOTHING, takes, gives }
#define SAME(name, standard, first, second, takes, gives)                                          \
	[name] = { true, standard, first, second, takes, gives }
	ROW(DW_OP_addr, WORD, NOTHING, 0, 1),
	ROW(DW_OP_deref, NOTHING, NOTHING, 1, 1),
	SAME(DW_OP_const1u, DW_OP_constu, U1, NOTHING, 0, 1),
	SAME(DW_OP_const1s, DW_OP_constu, S1, NOTHING, 0, 1),
	SAME(DW_OP_const2u, DW_OP_constu, U2, NOTHING, 0, 1),
	SAME(DW_OP_const2s, DW_OP_constu, S2, NOTHING, 0, 1),
	SAME(DW_OP_const4u, DW_OP_constu, U4, NOTHING, 0, 1),
	SAME(DW_OP_const4s, DW_OP_constu, S4, NOTHING, 0, 1),
	SAME(DW_OP_const8u, DW_OP_constu, U8, NOTHING, 0, 1),
	SAME(DW_OP_const8s, DW_OP_constu, S8, NOTHING, 0, 1),
	ROW(DW_OP_constu, ULEB, NOTHING, 0, 1),
	SAME(DW_OP_consts, DW_OP_constu, SLEB, NOTHING, 0, 1),
	ROW(DW_OP_dup, NOTHING, NOTHING, 1, 2),
	ROW(DW_OP_drop, NOTHING, NOTHING, 1, 0),
	ROW(DW_OP_over, NOTHING, NOTHING, 2, 3),
	ROW(DW_OP_pick, U1, NOTHING, 0, 1),
	ROW(DW_OP_swap, NOTHING, NOTHING, 2, 2),
	ROW(DW_OP_rot, NOTHING, NOTHING, 3, 3),
	ROW(DW_OP_xderef, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_abs, NOTHING, NOTHING, 1, 1),
	ROWS(DW_OP_and, DW_OP_mul, 2, 1),
	ROWS(DW_OP_neg, DW_OP_not, 1, 1),
	ROWS(DW_OP_or, DW_OP_plus, 2, 1),
	ROW(DW_OP_plus_uconst, ULEB, NOTHING, 1, 1),
	ROWS(DW_OP_shl, DW_OP_xor, 2, 1),
	ROWS(DW_OP_eq, DW_OP_ne, 2, 1),
	ROW(DW_OP_bra, S2, NOTHING, 1, 0),
	ROW(DW_OP_skip, S2, NOTHING, 0, 0),
	ROW(DW_OP_regx, ULEB, NOTHING, 0, 0),
	ROW(DW_OP_fbreg, SLEB, NOTHING, 0, 1),
	ROW(DW_OP_bregx, ULEB, SLEB, 0, 1),
	ROW(DW_OP_piece, ULEB, NOTHING, 0, 0),
	ROW(DW_OP_deref_size, U1, NOTHING, 1, 1),
	ROW(DW_OP_xderef_size, U1, NOTHING, 2, 1),
	ROW(DW_OP_nop, NOTHING, NOTHING, 0, 0),
	ROW(DW_OP_push_object_address, NOTHING, NOTHING, 0, 1),
	ROW(DW_OP_call2, U2, NOTHING, 0, 0),
	ROW(DW_OP_call4, U4, NOTHING, 0, 0),
	ROW(DW_OP_call_ref, REFERENCE, NOTHING, 0, 0),
	ROW(DW_OP_form_tls_address, NOTHING, NOTHING, 1, 1),
	ROW(DW_OP_call_frame_cfa, NOTHING, NOTHING, 0, 1),
	ROW(DW_OP_bit_piece, ULEB, ULEB, 0, 0),
	ROW(DW_OP_implicit_value, BLOCK, NOTHING, 0, 0),
	ROW(DW_OP_stack_value, NOTHING, NOTHING, 1, 1),
	ROW(DW_OP_implicit_pointer, REFERENCE, SLEB, 0, 0),
	ROW(DW_OP_addrx, ULEB, NOTHING, 0, 1),
	ROW(DW_OP_constx, ULEB, NOTHING, 0, 1),
	ROW(DW_OP_entry_value, BLOCK, NOTHING, 0, 1),
	ROW(DW_OP_const_type, ULEB, BLOCK1, 0, 1),
	ROW(DW_OP_regval_type, ULEB, ULEB, 0, 1),
	ROW(DW_OP_deref_type, U1, ULEB, 1, 1),
	ROW(DW_OP_xderef_type, U1, ULEB, 2, 1),
	ROW(DW_OP_convert, ULEB, NOTHING, 1, 1),
	ROW(DW_OP_reinterpret, ULEB, NOTHING, 1, 1),
	SAME(DW_OP_GNU_push_tls_address, DW_OP_form_tls_address, NOTHING, NOTHING, 1, 1),
	ROW(DW_OP_GNU_uninit, NOTHING, NOTHING, 0, 0),
	SAME(DW_OP_GNU_implicit_pointer, DW_OP_implicit_pointer, REFERENCE, SLEB, 0, 0),
	SAME(DW_OP_GNU_entry_value, DW_OP_entry_value, BLOCK, NOTHING, 0, 1),
	SAME(DW_OP_GNU_const_type, DW_OP_const_type, ULEB, BLOCK1, 0, 1),
	SAME(DW_OP_GNU_regval_type, DW_OP_regval_type, ULEB, ULEB, 0, 1),
	SAME(DW_OP_GNU_deref_type, DW_OP_deref_type, U1, ULEB, 1, 1),
	SAME(DW_OP_GNU_convert, DW_OP_convert, ULEB, NOTHING, 1, 1),
	SAME(DW_OP_GNU_reinterpret, DW_OP_reinterpret, ULEB, NOTHING, 1, 1),
	ROW(DW_OP_GNU_parameter_ref, U4, NOTHING, 0, 1),
	ROW(DW_OP_GNU_variable_value, REFERENCE, NOTHING, 0, 1),
#undef ROW
#undef ROWS
#undef SAME
};

static struct location_operand read_operand(const struct unit *unit, struct byte_cursor *cursor,
					    uint8_t kind)
{
	uint8_t bytes = kind & 0xf;
	struct byte_range block = { NULL, NULL };
	uint64_t number = 0;

	switch ((enum operand)kind) {
	case NOTHING: break;
	case U1:
	case U2:
	case U4:
	case U8: number = cursor_number(cursor, bytes); break;
	case S1:
	case S2:
	case S4:
	case S8: number = (uint64_t)bytes_sign_extend(cursor_number(cursor, bytes), bytes); break;
	case WORD: number = cursor_number(cursor, unit->address_bytes); break;
	/* In DWARF 2 such references were as wide as an address. */
	case REFERENCE:
		number = cursor_number(cursor, unit->version == 2 ? unit->address_bytes
								  : unit->offset_bytes);
		break;
	case ULEB: number = cursor_uleb(cursor); break;
	case SLEB: number = (uint64_t)cursor_sleb(cursor); break;
	case BLOCK:
	case BLOCK1:
		block = cursor_block(cursor, kind == BLOCK1 ? 1 : 0);
		number = (uint64_t)(block.end - block.begin);
		break;
	}
	return (struct location_operand){ number, block.begin };
}

const uint8_t *location_operation_read(const struct location_unit *unit, const uint8_t *p,
				       const uint8_t *end, struct location_operation *operation)
{
	struct byte_cursor cursor = { p, end, unit->swap, false };
	const struct operation_row *row;
	uint8_t op;

	if (p >= end)
		return NULL;
	op = *cursor.p++;
	*operation = (struct location_operation){ .gives = 1 };
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		operation->op = DW_OP_constu;
		operation->a.number = op - (uint64_t)DW_OP_lit0;
	} else if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		operation->op = DW_OP_regx;
		operation->a.number = op - (uint64_t)DW_OP_reg0;
		operation->gives = 0;
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		operation->op = DW_OP_bregx;
		operation->a.number = op - (uint64_t)DW_OP_breg0;
		operation->b.number = (uint64_t)cursor_sleb(&cursor);
	} else {
		row = &rows[op];
		operation->op = row->is || !row->is_known ? row->is : op;
		operation->takes = row->takes;
		operation->gives = row->gives;
		operation->a = read_operand(unit->unit, &cursor, row->first);
		operation->b = read_operand(unit->unit, &cursor, row->second);
	}
	return cursor.is_bad ? NULL : cursor.p;
}
