/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/location_operation.h"

#include "base/bytes.h"
#include "dwarf/leb128.h"

enum operand {
	NOTHING, U1, S1, U2, S2, U4, S4, U8, S8,
	WORD,			/* as wide as an address */
	REFERENCE,		/* an offset of .debug_info */
	ULEB, SLEB,
	BLOCK,			/* ULEB length, bytes */
	BLOCK1,			/* length in one byte, bytes */
};

struct operation_row {
	uint8_t op;		/* the standard operation that this one is; 0: not known */
	uint8_t first;		/* enum operand */
	uint8_t second;
	uint8_t takes;
	uint8_t gives;
};

/* DWARF 5 section 7.7.1, and the GNU operations, which became most of the new ones of DWARF 5. */
static const struct operation_row rows[256] = {
#define ROW(name, first, second, takes, gives) [name] = { name, first, second, takes, gives }
#define GNU(name, standard, first, second, takes, gives)                                           \
	[name] = { standard, first, second, takes, gives }
	ROW(DW_OP_addr, WORD, NOTHING, 0, 1),
	ROW(DW_OP_deref, NOTHING, NOTHING, 1, 1),
	ROW(DW_OP_const1u, U1, NOTHING, 0, 1),
	ROW(DW_OP_const1s, S1, NOTHING, 0, 1),
	ROW(DW_OP_const2u, U2, NOTHING, 0, 1),
	ROW(DW_OP_const2s, S2, NOTHING, 0, 1),
	ROW(DW_OP_const4u, U4, NOTHING, 0, 1),
	ROW(DW_OP_const4s, S4, NOTHING, 0, 1),
	ROW(DW_OP_const8u, U8, NOTHING, 0, 1),
	ROW(DW_OP_const8s, S8, NOTHING, 0, 1),
	ROW(DW_OP_constu, ULEB, NOTHING, 0, 1),
	ROW(DW_OP_consts, SLEB, NOTHING, 0, 1),
	ROW(DW_OP_dup, NOTHING, NOTHING, 1, 2),
	ROW(DW_OP_drop, NOTHING, NOTHING, 1, 0),
	ROW(DW_OP_over, NOTHING, NOTHING, 2, 3),
	ROW(DW_OP_pick, U1, NOTHING, 0, 1),
	ROW(DW_OP_swap, NOTHING, NOTHING, 2, 2),
	ROW(DW_OP_rot, NOTHING, NOTHING, 3, 3),
	ROW(DW_OP_xderef, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_abs, NOTHING, NOTHING, 1, 1),
	ROW(DW_OP_and, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_div, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_minus, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_mod, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_mul, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_neg, NOTHING, NOTHING, 1, 1),
	ROW(DW_OP_not, NOTHING, NOTHING, 1, 1),
	ROW(DW_OP_or, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_plus, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_plus_uconst, ULEB, NOTHING, 1, 1),
	ROW(DW_OP_shl, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_shr, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_shra, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_xor, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_eq, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_ge, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_gt, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_le, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_lt, NOTHING, NOTHING, 2, 1),
	ROW(DW_OP_ne, NOTHING, NOTHING, 2, 1),
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
	GNU(DW_OP_GNU_push_tls_address, DW_OP_form_tls_address, NOTHING, NOTHING, 1, 1),
	ROW(DW_OP_GNU_uninit, NOTHING, NOTHING, 0, 0),
	GNU(DW_OP_GNU_implicit_pointer, DW_OP_implicit_pointer, REFERENCE, SLEB, 0, 0),
	GNU(DW_OP_GNU_entry_value, DW_OP_entry_value, BLOCK, NOTHING, 0, 1),
	GNU(DW_OP_GNU_const_type, DW_OP_const_type, ULEB, BLOCK1, 0, 1),
	GNU(DW_OP_GNU_regval_type, DW_OP_regval_type, ULEB, ULEB, 0, 1),
	GNU(DW_OP_GNU_deref_type, DW_OP_deref_type, U1, ULEB, 1, 1),
	GNU(DW_OP_GNU_convert, DW_OP_convert, ULEB, NOTHING, 1, 1),
	GNU(DW_OP_GNU_reinterpret, DW_OP_reinterpret, ULEB, NOTHING, 1, 1),
	ROW(DW_OP_GNU_parameter_ref, U4, NOTHING, 0, 1),
	GNU(DW_OP_GNU_addr_index, DW_OP_addrx, ULEB, NOTHING, 0, 1),
	GNU(DW_OP_GNU_const_index, DW_OP_constx, ULEB, NOTHING, 0, 1),
	ROW(DW_OP_GNU_variable_value, REFERENCE, NOTHING, 0, 1),
#undef ROW
#undef GNU
};

static const uint8_t *load_fixed(const uint8_t *p, const uint8_t *end, uint8_t bytes, bool swap,
				 uint64_t *number)
{
	if (end - p < bytes)
		return NULL;
	switch (bytes) {
	case 1: *number = *p; break;
	case 2: *number = bytes_load_u16(p, swap); break;
	case 4: *number = bytes_load_u32(p, swap); break;
	default: *number = bytes_load_u64(p, swap); break;
	}
	return p + bytes;
}

static const uint8_t *load_signed(const uint8_t *p, const uint8_t *end, uint8_t bytes, bool swap,
				  uint64_t *number)
{
	unsigned int unused = 64 - 8u * bytes;

	p = load_fixed(p, end, bytes, swap, number);
	if (p)
		*number = (uint64_t)((int64_t)(*number << unused) >> unused);
	return p;
}

static const uint8_t *read_block(const uint8_t *p, const uint8_t *end,
				 struct location_operand *operand)
{
	if (!p || operand->number > (uint64_t)(end - p))
		return NULL;
	operand->block = p;
	return p + operand->number;
}

static const uint8_t *read_sleb(const uint8_t *p, const uint8_t *end, uint64_t *number)
{
	int64_t value = 0;

	p = leb128_signed(p, end, &value);
	*number = (uint64_t)value;
	return p;
}

static const uint8_t *read_operand(const struct location_unit *unit, const uint8_t *p,
				   const uint8_t *end, enum operand kind,
				   struct location_operand *operand)
{
	const struct unit *sizes = unit->unit;
	uint64_t *number = &operand->number;
	bool swap = unit->swap;

	switch (kind) {
	case U1: return load_fixed(p, end, 1, swap, number);
	case U2: return load_fixed(p, end, 2, swap, number);
	case U4: return load_fixed(p, end, 4, swap, number);
	case U8:
	case S8: return load_fixed(p, end, 8, swap, number);
	case S1: return load_signed(p, end, 1, swap, number);
	case S2: return load_signed(p, end, 2, swap, number);
	case S4: return load_signed(p, end, 4, swap, number);
	case WORD: return load_fixed(p, end, sizes->address_bytes, swap, number);
	/* In DWARF 2 such references were as wide as an address. */
	case REFERENCE:
		return load_fixed(p, end, sizes->version == 2 ? sizes->address_bytes
							      : sizes->offset_bytes, swap, number);
	case ULEB: return leb128_unsigned(p, end, number);
	case SLEB: return read_sleb(p, end, number);
	case BLOCK: return read_block(leb128_unsigned(p, end, number), end, operand);
	case BLOCK1: return read_block(load_fixed(p, end, 1, swap, number), end, operand);
	default: return p;
	}
}

const uint8_t *location_operation_read(const struct location_unit *unit, const uint8_t *p,
				       const uint8_t *end, struct location_operation *operation)
{
	const struct operation_row *row;
	uint8_t op;

	if (p >= end)
		return NULL;
	op = *p++;
	*operation = (struct location_operation){ .gives = 1 };
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		operation->op = DW_OP_constu;
		operation->a.number = op - (uint64_t)DW_OP_lit0;
		return p;
	}
	if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		operation->op = DW_OP_regx;
		operation->a.number = op - (uint64_t)DW_OP_reg0;
		operation->gives = 0;
		return p;
	}
	if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		operation->op = DW_OP_bregx;
		operation->a.number = op - (uint64_t)DW_OP_breg0;
		return read_sleb(p, end, &operation->b.number);
	}
	row = &rows[op];
	operation->op = row->op;
	operation->takes = row->takes;
	operation->gives = row->gives;
	p = read_operand(unit, p, end, row->first, &operation->a);
	return p ? read_operand(unit, p, end, row->second, &operation->b) : NULL;
}
