/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Reduces a location expression (DWARF 5 sections 2.5 and 2.6) by running it with terms in place of
 * numbers: "rdi + 16", "the low 4 bytes of rsi". What a term cannot say becomes TERM_OTHER, which
 * every operation passes on, so that an expression is read to its end and each piece of a composite
 * has an answer of its own. Branches and calls end the reduction: nothing loops.
 */
#include "dwarf/location.h"

#include "base/bytes.h"
#include "dwarf/leb128.h"
#include "dwarf/location_list.h"
#include "dwarf/location_type.h"

/* GCC and clang stay below 8. */
#define MAX_DEPTH 32

enum term_base {
	TERM_OTHER,
	TERM_NUMBER,
	TERM_ADDRESS,		/* number: of something in the program */
	TERM_REGISTER,		/* reg + number */
	TERM_FRAME,		/* frame base + number */
	TERM_CFA,		/* CFA + number */
	TERM_ENTRY,		/* reg at the function's entry + number */
	TERM_LOADED,		/* `kept` bytes in memory at reg + number */
	TERM_PARAMETER,		/* DW_OP_GNU_parameter_ref; number: the DIE */
};

/*
 * An integer of `width` bytes whose low `kept` bytes are those of base + number; above are zeros or
 * copies of the sign. A generic one (no type of its own) is as wide as an address.
 */
struct term {
	uint8_t base;		/* enum term_base */
	uint8_t reg;
	uint8_t width;
	uint8_t kept;
	uint8_t shift;		/* shifted left by so many bits, which a right shift may undo */
	bool is_generic;
	bool is_signed;
	uint64_t number;
};

/* What the operations since the last piece have made. */
enum stage {
	STAGE_STACK,		/* an address on the stack, or nothing */
	STAGE_VALUE,		/* a value on the stack: DW_OP_stack_value */
	STAGE_PLACE,		/* `place`, complete: a register, an implicit value */
};

struct reduction {
	const struct location_unit *unit;
	const uint8_t *p;
	const uint8_t *end;
	struct location *location;
	enum frame_base frame_base;
	enum stage stage;
	uint8_t address_bytes;
	bool is_lost;		/* the rest cannot be followed: all of it is LOCATION_OTHER */
	struct location_piece place;
	uint32_t depth;
	struct term stack[MAX_DEPTH];
};

/* ---- terms ---- */

static uint64_t mask_of(unsigned int bytes)
{
	return bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

static int64_t sign_extend(uint64_t number, unsigned int bytes)
{
	unsigned int unused = bytes >= 8 ? 0 : 64 - 8 * bytes;

	return (int64_t)(number << unused) >> unused;
}

static struct term term_generic(const struct reduction *r, enum term_base base, unsigned int reg,
				uint64_t number)
{
	return (struct term){
		.base = (uint8_t)(reg > UINT8_MAX ? TERM_OTHER : base),
		.reg = (uint8_t)reg,
		.width = r->address_bytes,
		.kept = r->address_bytes,
		.is_generic = true,
		.number = number,
	};
}

static void set_other(struct term *term)
{
	term->base = TERM_OTHER;
	term->shift = 0;
}

/* Nothing was cut off, nothing is shifted: what one may add to. */
static bool is_linear(const struct term *term)
{
	return term->base >= TERM_ADDRESS && term->base <= TERM_ENTRY && !term->shift &&
	       term->kept == term->width;
}

static bool is_address(const struct reduction *r, const struct term *term)
{
	return term->kept == r->address_bytes && term->width == r->address_bytes && !term->shift;
}

/* Keeps the low `bytes` bytes. */
static void narrow(const struct reduction *r, struct term *term, uint8_t bytes)
{
	if (term->base == TERM_NUMBER)
		term->number &= mask_of(bytes);
	if (bytes >= term->kept)
		return;
	/* The low bytes of what is in memory stand at its end. */
	if (term->base == TERM_LOADED && r->unit->object->big_endian)
		term->number += (uint64_t)(term->kept - bytes);
	term->kept = bytes;
}

static void convert_number(struct term *term, const struct term *to)
{
	uint64_t number = term->number & mask_of(term->width);
	int64_t extended = sign_extend(term->number, term->width);

	/* The generic type has no sign; where that matters, nobody can say. */
	if (term->is_generic && to->width > term->width && extended < 0)
		set_other(term);
	term->number = (term->is_signed ? (uint64_t)extended : number) & mask_of(to->width);
	term->kept = to->width;
}

/* DW_OP_convert; offset 0 is the generic type. */
static void convert(const struct reduction *r, struct term *term, uint64_t type_offset,
		    bool is_reinterpreted)
{
	struct term to = term_generic(r, TERM_OTHER, 0, 0);
	struct location_type type;

	if (type_offset) {
		to.is_generic = false;
		if (location_type_at(r->unit, type_offset, &type)) {
			to.width = type.bytes;
			to.is_signed = type.is_signed;
		} else {
			set_other(term);
		}
	}
	if (term->shift || term->base == TERM_PARAMETER ||
	    (is_reinterpreted && term->width != to.width))
		set_other(term);
	if (term->base == TERM_NUMBER)
		convert_number(term, &to);
	else
		narrow(r, term, to.width);
	term->width = to.width;
	term->is_generic = to.is_generic;
	term->is_signed = to.is_signed;
}

/* ---- operations on two terms ---- */

static uint64_t fold(uint8_t op, const struct term *a, uint64_t b)
{
	uint64_t number = a->number & mask_of(a->width);
	unsigned int bits = 8u * a->width;

	switch (op) {
	case DW_OP_plus: return number + b;
	case DW_OP_minus: return number - b;
	case DW_OP_mul: return number * b;
	case DW_OP_and: return number & b;
	case DW_OP_or: return number | b;
	case DW_OP_xor: return number ^ b;
	case DW_OP_shl: return b < bits ? number << b : 0;
	case DW_OP_shr: return b < bits ? number >> b : 0;
	default:
		return (uint64_t)(sign_extend(number, a->width) >> (b < bits ? b : bits - 1));
	}
}

/* A left shift and a right shift by as much: the low bytes, extended. */
static void shift_term(const struct reduction *r, struct term *term, uint8_t op, uint64_t count)
{
	if (op == DW_OP_shl && !term->shift && count > 0 && count < 8u * term->width &&
	    count % 8 == 0) {
		term->shift = (uint8_t)count;
	} else if (op != DW_OP_shl && term->shift && term->shift == count) {
		term->shift = 0;
		narrow(r, term, (uint8_t)(term->width - count / 8));
	} else {
		set_other(term);
	}
}

static void mask_term(const struct reduction *r, struct term *term, uint64_t mask)
{
	uint8_t bytes = 1;

	while (bytes < term->width && mask != mask_of(bytes))
		bytes++;
	if (term->shift || (mask & mask_of(term->width)) != mask_of(bytes))
		set_other(term);
	else
		narrow(r, term, bytes);
}

/* A term and a number. */
static void combine(const struct reduction *r, struct term *term, uint8_t op, uint64_t number)
{
	switch (op) {
	case DW_OP_plus:
	case DW_OP_minus:
		if (!is_linear(term))
			set_other(term);
		term->number += op == DW_OP_plus ? number : 0 - number;
		break;
	case DW_OP_and: mask_term(r, term, number); break;
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra: shift_term(r, term, op, number); break;
	default: set_other(term); break;
	}
}

static bool is_shift(uint8_t op)
{
	return op == DW_OP_shl || op == DW_OP_shr || op == DW_OP_shra;
}

/* The result takes the place of `a`, which was pushed before `b`. */
static void run_binary(const struct reduction *r, uint8_t op, struct term *a, struct term *b)
{
	bool commutes = op == DW_OP_plus || op == DW_OP_and;

	if (a->base == TERM_NUMBER && b->base != TERM_NUMBER && commutes) {
		struct term swapped = *a;

		*a = *b;
		*b = swapped;
	}
	/* Both of one type, but for the count of a shift. */
	if (b->base != TERM_NUMBER || a->base == TERM_OTHER || a->base == TERM_PARAMETER ||
	    (!is_shift(op) && (a->width != b->width || a->is_generic != b->is_generic))) {
		set_other(a);
		return;
	}
	b->number &= mask_of(b->width);
	if (a->base == TERM_NUMBER)
		a->number = fold(op, a, b->number) & mask_of(a->width);
	else
		combine(r, a, op, b->number);
}

/* ---- the table of operations ---- */

enum operand {
	NOTHING, U1, S1, U2, S2, U4, S4, U8, S8,
	WORD,			/* as wide as an address */
	REFERENCE,		/* an offset of .debug_info */
	ULEB, SLEB,
	BLOCK,			/* ULEB length, bytes */
	BLOCK1,			/* length in one byte, bytes */
};

struct operation {
	uint8_t op;		/* the standard operation that this one is; 0: not known */
	uint8_t first;		/* enum operand */
	uint8_t second;
	uint8_t takes;		/* terms from the stack */
	uint8_t gives;		/* terms; what they are, run_operation() says, else TERM_OTHER */
};

/* DWARF 5 section 7.7.1, and the GNU operations, which became most of the new ones of DWARF 5. */
static const struct operation operations[256] = {
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

/* ---- operands ---- */

struct operand_value {
	uint64_t number;	/* signed ones sign-extended; of a block its length */
	const uint8_t *block;
};

static bool load_fixed(struct reduction *r, uint8_t bytes, bool is_signed, uint64_t *number)
{
	bool swap = r->unit->swap;

	if (r->end - r->p < bytes)
		return false;
	switch (bytes) {
	case 1: *number = *r->p; break;
	case 2: *number = bytes_load_u16(r->p, swap); break;
	case 4: *number = bytes_load_u32(r->p, swap); break;
	default: *number = bytes_load_u64(r->p, swap); break;
	}
	if (is_signed)
		*number = (uint64_t)sign_extend(*number, bytes);
	r->p += bytes;
	return true;
}

static bool read_block(struct reduction *r, struct operand_value *value)
{
	if (!r->p || value->number > (uint64_t)(r->end - r->p))
		return false;
	value->block = r->p;
	r->p += value->number;
	return true;
}

static bool read_operand(struct reduction *r, enum operand kind, struct operand_value *value)
{
	/* DWARF 2 had no offsets of that kind; GCC gave them the size of an address. */
	uint8_t reference = r->unit->unit->version == 2 ? r->address_bytes
							: r->unit->unit->offset_bytes;
	int64_t number;

	switch (kind) {
	case U1:
	case S1: return load_fixed(r, 1, kind == S1, &value->number);
	case U2:
	case S2: return load_fixed(r, 2, kind == S2, &value->number);
	case U4:
	case S4: return load_fixed(r, 4, kind == S4, &value->number);
	case U8:
	case S8: return load_fixed(r, 8, false, &value->number);
	case WORD: return load_fixed(r, r->address_bytes, false, &value->number);
	case REFERENCE: return load_fixed(r, reference, false, &value->number);
	case ULEB:
		r->p = leb128_unsigned(r->p, r->end, &value->number);
		return r->p;
	case SLEB:
		r->p = leb128_signed(r->p, r->end, &number);
		value->number = r->p ? (uint64_t)number : 0;
		return r->p;
	case BLOCK:
		r->p = leb128_unsigned(r->p, r->end, &value->number);
		return read_block(r, value);
	case BLOCK1: return load_fixed(r, 1, false, &value->number) && read_block(r, value);
	default: return true;
	}
}

/* A number in the file's byte order, of up to 8 bytes. */
static uint64_t load_block(const struct reduction *r, const struct operand_value *value)
{
	uint64_t number = 0;

	for (uint64_t i = 0; i < value->number; i++) {
		uint64_t at = r->unit->object->big_endian ? value->number - 1 - i : i;

		number |= (uint64_t)value->block[at] << 8 * i;
	}
	return number;
}

/* ---- single operations ---- */

static void set_place(struct reduction *r, enum location_kind kind, uint64_t reg)
{
	r->place = (struct location_piece){
		.kind = (uint8_t)(reg > UINT8_MAX ? LOCATION_OTHER : kind),
		.reg = (uint8_t)reg,
	};
	r->stage = STAGE_PLACE;
}

static struct term register_term(const struct reduction *r, enum term_base base, uint64_t reg,
				 uint64_t offset)
{
	return term_generic(r, base, reg > UINT8_MAX ? UINT8_MAX + 1u : (unsigned int)reg, offset);
}

/* DW_OP_entry_value: of one register, however it is said; nothing else is stated so far. */
static struct term entry_term(const struct reduction *r, const struct operand_value *block)
{
	struct reduction inner = { .p = block->block, .end = block->block + block->number };
	uint64_t reg = UINT64_MAX;
	int64_t offset = 0;
	uint8_t op;

	if (!block->number)
		return term_generic(r, TERM_OTHER, 0, 0);
	op = *inner.p++;
	if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		reg = op - (uint64_t)DW_OP_reg0;
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		reg = op - (uint64_t)DW_OP_breg0;
		inner.p = leb128_signed(inner.p, inner.end, &offset);
	} else if (op == DW_OP_regx || op == DW_OP_bregx) {
		inner.p = leb128_unsigned(inner.p, inner.end, &reg);
		if (inner.p && op == DW_OP_bregx)
			inner.p = leb128_signed(inner.p, inner.end, &offset);
	}
	/* More, or less, than that one operation. */
	if (inner.p != inner.end)
		reg = UINT64_MAX;
	return register_term(r, TERM_ENTRY, reg, (uint64_t)offset);
}

/* Loads `bytes` bytes; they are extended to the width of an address. */
static void deref(const struct reduction *r, struct term *term, uint64_t bytes)
{
	bool good = term->base == TERM_REGISTER && is_address(r, term) && bytes > 0 &&
		    bytes <= r->address_bytes;

	*term = term_generic(r, good ? TERM_LOADED : TERM_OTHER, term->reg, term->number);
	if (good)
		term->kept = (uint8_t)bytes;
}

/* Gives a fresh generic term a type; one that is no integer makes it TERM_OTHER. */
static void set_type(const struct reduction *r, struct term *term, uint64_t type_offset,
		     uint64_t bytes)
{
	struct location_type type;

	if (!location_type_at(r->unit, type_offset, &type) || (bytes && type.bytes != bytes) ||
	    (term->base != TERM_NUMBER && type.bytes > term->kept)) {
		set_other(term);
		return;
	}
	term->is_generic = false;
	term->is_signed = type.is_signed;
	narrow(r, term, type.bytes);
	term->width = type.bytes;
	term->kept = type.bytes;
}

/* DW_OP_swap, rot, over, pick, ...; `takes` terms are known to be there. */
static bool shuffle(struct reduction *r, uint8_t op, uint64_t index)
{
	struct term *top, last;

	if (op == DW_OP_dup || op == DW_OP_over)
		index = op == DW_OP_over;
	if (op == DW_OP_dup || op == DW_OP_over || op == DW_OP_pick) {
		if (index >= r->depth)
			return false;
		r->stack[r->depth] = r->stack[r->depth - 1 - index];
	} else if (op == DW_OP_swap || op == DW_OP_rot) {
		top = &r->stack[r->depth - 1];
		last = top[0];
		top[0] = top[-1];
		if (op == DW_OP_rot) {
			top[-1] = top[-2];
			top[-2] = last;
		} else {
			top[-1] = last;
		}
	}
	return true;
}

/* ---- what has come out ---- */

static void take_value(const struct reduction *r, const struct term *term,
		       struct location_piece *place)
{
	static const uint8_t kinds[] = {
		[TERM_OTHER] = LOCATION_OTHER,
		[TERM_NUMBER] = LOCATION_CONSTANT,
		[TERM_ADDRESS] = LOCATION_ADDRESS_VALUE,
		[TERM_REGISTER] = LOCATION_REGISTER_VALUE,
		[TERM_FRAME] = LOCATION_OTHER,
		[TERM_CFA] = LOCATION_OTHER,
		[TERM_ENTRY] = LOCATION_ENTRY_VALUE,
		[TERM_LOADED] = LOCATION_MEMORY_VALUE,
		[TERM_PARAMETER] = LOCATION_PARAMETER_REF,
	};

	*place = (struct location_piece){ .kind = kinds[term->base] };
	if (term->shift || (term->base == TERM_ADDRESS && !is_address(r, term)))
		place->kind = LOCATION_OTHER;
	switch (place->kind) {
	case LOCATION_CONSTANT:
		place->constant = term->number;
		place->value_bytes = term->is_generic ? 0 : term->width;
		break;
	case LOCATION_ADDRESS_VALUE:
		place->constant = term->number & mask_of(r->address_bytes);
		break;
	case LOCATION_PARAMETER_REF: place->constant = term->number; break;
	case LOCATION_REGISTER_VALUE:
	case LOCATION_ENTRY_VALUE:
		place->reg = term->reg;
		place->offset = sign_extend(term->number, term->kept);
		place->value_bytes = is_address(r, term) ? 0 : term->kept;
		break;
	case LOCATION_MEMORY_VALUE:
		place->reg = term->reg;
		place->offset = sign_extend(term->number, r->address_bytes);
		place->value_bytes = term->kept;
		break;
	default: break;
	}
}

static void take_memory(const struct reduction *r, const struct term *term,
			struct location_piece *place)
{
	static const uint8_t kinds[] = {
		[TERM_NUMBER] = LOCATION_ADDRESS,
		[TERM_ADDRESS] = LOCATION_ADDRESS,
		[TERM_REGISTER] = LOCATION_MEMORY,
		[TERM_FRAME] = LOCATION_FRAME,
		[TERM_CFA] = LOCATION_CFA,
		[TERM_PARAMETER] = 0,
	};

	*place = (struct location_piece){ .kind = kinds[term->base] };
	if (!place->kind || !is_address(r, term)) {
		place->kind = LOCATION_OTHER;
	} else if (place->kind == LOCATION_ADDRESS) {
		place->constant = term->number & mask_of(r->address_bytes);
	} else {
		place->reg = term->reg;
		place->offset = sign_extend(term->number, r->address_bytes);
	}
}

/* What the operations since the last piece say; then nothing is left of them. */
static struct location_piece finish_place(struct reduction *r)
{
	struct location_piece place = { .kind = LOCATION_NONE };

	if (r->stage == STAGE_PLACE)
		place = r->place;
	else if (r->depth && r->stage == STAGE_VALUE)
		take_value(r, &r->stack[r->depth - 1], &place);
	else if (r->depth)
		take_memory(r, &r->stack[r->depth - 1], &place);
	r->depth = 0;
	r->stage = STAGE_STACK;
	return place;
}

/* DW_OP_piece, DW_OP_bit_piece. The bits of a piece that begins inside its place are not said. */
static void add_piece(struct reduction *r, uint64_t size_bits, uint64_t offset_bits)
{
	struct location_piece place = finish_place(r);
	uint64_t size_bytes = size_bits % 8 ? 0 : size_bits / 8;

	if (size_bytes > UINT16_MAX || r->location->piece_count == LOCATION_MAX_PIECES) {
		r->is_lost = true;
		return;
	}
	if (offset_bits && place.kind != LOCATION_NONE)
		place.kind = LOCATION_OTHER;
	place.size_bytes = (uint16_t)size_bytes;
	r->location->pieces[r->location->piece_count++] = place;
}

/* ---- the loop ---- */

/* Operations that complete a place or a piece. False: it is none of these. */
static bool run_place(struct reduction *r, uint8_t op, const struct operand_value *a,
		      const struct operand_value *b)
{
	switch (op) {
	case DW_OP_regx: set_place(r, LOCATION_REGISTER, a->number); return true;
	case DW_OP_implicit_pointer:
		set_place(r, LOCATION_IMPLICIT_POINTER, 0);
		r->place.constant = a->number;
		r->place.offset = (int64_t)b->number;
		return true;
	case DW_OP_implicit_value:
		set_place(r, LOCATION_OTHER, 0);
		if (a->number >= 1 && a->number <= 8) {
			r->place.kind = LOCATION_CONSTANT;
			r->place.constant = load_block(r, a);
			r->place.value_bytes = (uint8_t)a->number;
		}
		return true;
	case DW_OP_piece:
		/* More than a piece may have, without an overflow. */
		add_piece(r, a->number > UINT32_MAX ? UINT64_MAX - 7 : a->number * 8, 0);
		return true;
	case DW_OP_bit_piece: add_piece(r, a->number, b->number); return true;
	default: return false;
	}
}

/* The term that an operation without inputs pushes. False: damaged. */
static bool run_push(const struct reduction *r, uint8_t op, const struct operand_value *a,
		     const struct operand_value *b, struct term *term)
{
	switch (op) {
	case DW_OP_addr:
	case DW_OP_addrx: *term = term_generic(r, TERM_ADDRESS, 0, a->number); break;
	case DW_OP_const1u:
	case DW_OP_const1s:
	case DW_OP_const2u:
	case DW_OP_const2s:
	case DW_OP_const4u:
	case DW_OP_const4s:
	case DW_OP_const8u:
	case DW_OP_const8s:
	case DW_OP_constu:
	case DW_OP_consts:
	case DW_OP_constx: *term = term_generic(r, TERM_NUMBER, 0, a->number); break;
	case DW_OP_bregx: *term = register_term(r, TERM_REGISTER, a->number, b->number); break;
	case DW_OP_fbreg:
		*term = term_generic(r, r->frame_base == FRAME_BASE_CFA ? TERM_CFA : TERM_FRAME, 0,
				     a->number);
		break;
	case DW_OP_call_frame_cfa: *term = term_generic(r, TERM_CFA, 0, 0); break;
	case DW_OP_entry_value: *term = entry_term(r, a); break;
	case DW_OP_GNU_parameter_ref:
		*term = term_generic(r, TERM_PARAMETER, 0, r->unit->unit->offset + a->number);
		break;
	case DW_OP_const_type:
		*term = term_generic(r, TERM_OTHER, 0, 0);
		if (b->number >= 1 && b->number <= 8) {
			*term = term_generic(r, TERM_NUMBER, 0, load_block(r, b));
			set_type(r, term, a->number, b->number);
		}
		break;
	case DW_OP_regval_type:
		*term = register_term(r, TERM_REGISTER, a->number, 0);
		set_type(r, term, b->number, 0);
		break;
	default: *term = term_generic(r, TERM_OTHER, 0, 0); break;
	}
	if (op != DW_OP_addrx && op != DW_OP_constx)
		return true;
	return location_indexed_address(r->unit, a->number, &term->number);
}

/* Operations that change the term on top, or the two there. */
static void run_change(struct reduction *r, uint8_t op, const struct operand_value *a,
		       const struct operand_value *b)
{
	struct term *top = &r->stack[r->depth - 1];
	struct term number;

	switch (op) {
	case DW_OP_deref: deref(r, top, r->address_bytes); break;
	case DW_OP_deref_size: deref(r, top, a->number); break;
	case DW_OP_deref_type:
		deref(r, top, a->number);
		set_type(r, top, b->number, a->number);
		break;
	case DW_OP_convert:
	case DW_OP_reinterpret: convert(r, top, a->number, op == DW_OP_reinterpret); break;
	case DW_OP_plus_uconst:
		number = term_generic(r, TERM_NUMBER, 0, a->number);
		run_binary(r, DW_OP_plus, top, &number);
		break;
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_mul:
	case DW_OP_and:
	case DW_OP_or:
	case DW_OP_xor:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra: run_binary(r, op, top - 1, top); break;
	default: set_other(operations[op].takes == 2 ? top - 1 : top); break;
	}
}

static bool is_shuffle(uint8_t op)
{
	return op >= DW_OP_dup && op <= DW_OP_rot;
}

/* One operation behind its operands. False: damaged. */
static bool run_operation(struct reduction *r, uint8_t op, const struct operand_value *a,
			  const struct operand_value *b)
{
	const struct operation *row = &operations[op];

	if (r->depth < row->takes)
		return false;
	if (r->depth + row->gives > MAX_DEPTH + (uint32_t)row->takes) {
		r->is_lost = true;
		return true;
	}
	if (op == DW_OP_nop || run_place(r, op, a, b))
		return true;
	if (op == DW_OP_stack_value) {
		r->stage = STAGE_VALUE;
		return true;
	}
	if (is_shuffle(op)) {
		if (!shuffle(r, op, a->number))
			return false;
	} else if (row->takes) {
		run_change(r, op, a, b);
	} else if (!run_push(r, op, a, b, &r->stack[r->depth])) {
		return false;
	}
	r->depth += row->gives - (uint32_t)row->takes;
	return true;
}

/* May it follow what stands there? A complete place or value must be a piece, or the whole. */
static bool follows(const struct reduction *r, uint8_t op)
{
	if (op == DW_OP_piece || op == DW_OP_bit_piece || op == DW_OP_nop)
		return true;
	if (op == DW_OP_GNU_uninit)	/* GCC: it is there, but nothing was put into it */
		return false;
	if ((op >= DW_OP_reg0 && op <= DW_OP_reg31) || op == DW_OP_regx ||
	    op == DW_OP_implicit_value || op == DW_OP_implicit_pointer)
		return r->stage == STAGE_STACK && !r->depth;
	return r->stage == STAGE_STACK;
}

/* It goes on somewhere else, or does to the stack what only the other DIE knows. */
static bool leads_away(uint8_t op)
{
	return op == DW_OP_bra || op == DW_OP_skip || op == DW_OP_call2 || op == DW_OP_call4 ||
	       op == DW_OP_call_ref;
}

/* Reads one operation and runs it. False: damaged. */
static bool step(struct reduction *r)
{
	struct operand_value a = { 0, NULL }, b = { 0, NULL };
	uint8_t op = *r->p++;

	if (!follows(r, op)) {
		r->is_lost = true;
		return true;
	}
	if (op >= DW_OP_lit0 && op <= DW_OP_lit31) {
		a.number = op - (uint64_t)DW_OP_lit0;
		op = DW_OP_constu;
	} else if (op >= DW_OP_reg0 && op <= DW_OP_reg31) {
		a.number = op - (uint64_t)DW_OP_reg0;
		op = DW_OP_regx;
	} else if (op >= DW_OP_breg0 && op <= DW_OP_breg31) {
		a.number = op - (uint64_t)DW_OP_breg0;
		if (!read_operand(r, SLEB, &b))
			return false;
		op = DW_OP_bregx;
	} else {
		const struct operation *row = &operations[op];

		if (!row->op || leads_away(op)) {
			r->is_lost = true;
			return true;
		}
		if (!read_operand(r, row->first, &a) || !read_operand(r, row->second, &b))
			return false;
		op = row->op;
	}
	return run_operation(r, op, &a, &b);
}

static bool reduce(const struct location_unit *unit, const uint8_t *begin, const uint8_t *end,
		   enum frame_base frame_base, bool is_value, struct location *location)
{
	struct reduction r;
	struct location_piece place;

	r.unit = unit;
	r.p = begin;
	r.end = end;
	r.location = location;
	r.frame_base = frame_base;
	r.stage = STAGE_STACK;
	r.address_bytes = unit->unit->address_bytes;
	r.is_lost = false;
	r.depth = 0;
	location_set(location, LOCATION_OTHER);
	while (r.p < r.end && !r.is_lost) {
		if (!step(&r)) {
			location->piece_count = 0;
			return false;
		}
	}
	/* Behind the last piece nothing may stand. */
	if (r.is_lost || (location->piece_count && (r.depth || r.stage != STAGE_STACK))) {
		location->piece_count = 0;
		return true;
	}
	if (location->piece_count) {
		location->kind = LOCATION_PIECES;
		return true;
	}
	if (is_value && r.stage == STAGE_STACK)
		r.stage = STAGE_VALUE;
	place = finish_place(&r);
	location->kind = place.kind;
	location->reg = place.reg;
	location->value_bytes = place.value_bytes;
	location->offset = place.offset;
	location->constant = place.constant;
	return true;
}

bool location_reduce(const struct location_unit *unit, const uint8_t *begin, const uint8_t *end,
		     enum frame_base frame_base, struct location *location)
{
	/* Nine of ten parameters: one register. */
	if (end - begin == 1 && *begin >= DW_OP_reg0 && *begin <= DW_OP_reg31) {
		location_set(location, LOCATION_REGISTER);
		location->reg = (uint8_t)(*begin - DW_OP_reg0);
		return true;
	}
	return reduce(unit, begin, end, frame_base, false, location);
}

bool location_reduce_value(const struct location_unit *unit, const uint8_t *begin,
			   const uint8_t *end, enum frame_base frame_base,
			   struct location *location)
{
	return reduce(unit, begin, end, frame_base, true, location);
}
