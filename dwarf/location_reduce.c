/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Reduces a location expression (DWARF 5 sections 2.5 and 2.6) by running it with terms in place of
 * numbers. An expression is read to its end even after what a term cannot say, so that damage is
 * seen and each piece of a composite has an answer of its own. Branches and calls end the
 * reduction: nothing loops.
 */
#include "dwarf/location.h"

#include <assert.h>

#include "dwarf/location_operation.h"
#include "dwarf/location_term.h"

/* GCC and clang stay below 8. */
#define MAX_DEPTH 32

/* The result of the operations since the last piece. */
enum stage {
	STAGE_STACK, /* an address on the stack, or nothing */
	STAGE_VALUE, /* a value on the stack: DW_OP_stack_value */
	STAGE_SIMPLE, /* `simple`, complete: a register, an implicit value */
};

struct reduction {
	const struct location_unit *unit;
	struct location *location;
	enum frame_base frame_base;
	enum stage stage;
	bool is_lost;		/* the rest cannot be followed: all of it is LOCATION_OTHER */
	struct location_piece simple;
	uint32_t depth;
	struct term stack[MAX_DEPTH];
};

/* The location of a value on the stack, or of an object whose address is there. */
static struct location_piece take_term(const struct location_unit *unit, const struct term *term,
				       bool is_value)
{
	static const struct {
		uint8_t value;
		uint8_t memory;
		bool is_address;	/* a part of it is of no use */
	} kinds[] = {
		[TERM_OTHER] = { LOCATION_OTHER, LOCATION_OTHER, false },
		[TERM_NUMBER] = { LOCATION_CONSTANT, LOCATION_ADDRESS, false },
		[TERM_ADDRESS] = { LOCATION_ADDRESS_VALUE, LOCATION_ADDRESS, true },
		[TERM_REGISTER] = { LOCATION_REGISTER_VALUE, LOCATION_MEMORY, false },
		[TERM_FRAME] = { LOCATION_FRAME_VALUE, LOCATION_FRAME, true },
		[TERM_CFA] = { LOCATION_CFA_VALUE, LOCATION_CFA, true },
		[TERM_ENTRY] = { LOCATION_ENTRY_VALUE, LOCATION_OTHER, false },
		[TERM_LOADED] = { LOCATION_MEMORY_VALUE, LOCATION_OTHER, false },
		[TERM_BIT] = { LOCATION_REGISTER_BIT, LOCATION_OTHER, false },
		[TERM_PARAMETER] = { LOCATION_PARAMETER_REF, LOCATION_OTHER, false },
	};
	uint8_t word = unit->unit->address_bytes;
	bool is_word = term_is_word(unit, term);
	struct location_piece piece = {
		.kind = is_value ? kinds[term->base].value : kinds[term->base].memory,
		.reg = term->reg,
	};

	if (term->shift || (!is_word && (!is_value || kinds[term->base].is_address)))
		piece.kind = LOCATION_OTHER;
	switch (piece.kind) {
	case LOCATION_CONSTANT:
		piece.constant = term->number;
		piece.value_bytes = term->is_generic ? 0 : term->width;
		break;
	case LOCATION_ADDRESS:
	case LOCATION_ADDRESS_VALUE: piece.constant = term->number & bytes_mask(word); break;
	case LOCATION_PARAMETER_REF: piece.constant = term->number; break;
	case LOCATION_REGISTER_VALUE:
	case LOCATION_ENTRY_VALUE:
		piece.offset = bytes_sign_extend(term->number, term->skipped + term->kept);
		piece.value_bytes = is_word ? 0 : term->kept;
		piece.first_byte = term->skipped;
		break;
	case LOCATION_MEMORY_VALUE: piece.value_bytes = term->kept; __attribute__((fallthrough));
	case LOCATION_MEMORY:
	case LOCATION_FRAME:
	case LOCATION_FRAME_VALUE:
	case LOCATION_CFA:
	case LOCATION_CFA_VALUE: piece.offset = bytes_sign_extend(term->number, word); break;
	default: break;
	}
	return piece;
}

/* The location that the operations since the last piece describe; then none of them is left. */
static struct location_piece finish_piece(struct reduction *r)
{
	struct location_piece piece = { .kind = LOCATION_NONE };

	if (r->stage == STAGE_SIMPLE)
		piece = r->simple;
	else if (r->depth)
		piece = take_term(r->unit, &r->stack[r->depth - 1], r->stage == STAGE_VALUE);
	r->depth = 0;
	r->stage = STAGE_STACK;
	return piece;
}

/* Is the piece so many bytes of a register, from *first_byte on? */
static bool is_slice(const struct location_piece *piece, uint8_t *first_byte)
{
	*first_byte = piece->first_byte;
	return piece->size_bytes &&
	       (piece->kind == LOCATION_REGISTER ||
		(piece->kind == LOCATION_REGISTER_VALUE && !piece->offset &&
		 (!piece->value_bytes || piece->value_bytes >= piece->size_bytes)));
}

/*
 * clang takes a struct in a register apart: "the low half of rdi; rdi >> 32". Where the slices
 * join, they are one piece again; in big-endian order they never do.
 */
static bool join_piece(const struct location_unit *unit, struct location_piece *last,
		       const struct location_piece *next)
{
	uint8_t first, second;

	if (unit->object->big_endian || last->reg != next->reg || !is_slice(last, &first) ||
	    !is_slice(next, &second) || first + last->size_bytes != second ||
	    second + next->size_bytes > unit->unit->address_bytes)
		return false;
	last->size_bytes = (uint16_t)(last->size_bytes + next->size_bytes);
	last->kind = first ? LOCATION_REGISTER_VALUE : LOCATION_REGISTER;
	last->value_bytes = first ? (uint8_t)last->size_bytes : 0;
	return true;
}

/* DW_OP_piece, DW_OP_bit_piece. The bits of a piece that begins inside its location are unknown. */
static void add_piece(struct reduction *r, uint64_t size_bits, uint64_t offset_bits)
{
	struct location_piece piece = finish_piece(r);
	struct location *location = r->location;
	uint64_t size_bytes = size_bits % 8 ? 0 : size_bits / 8;

	if (size_bytes > UINT16_MAX) {
		r->is_lost = true;
		return;
	}
	if (offset_bits && piece.kind != LOCATION_NONE)
		piece.kind = LOCATION_OTHER;
	piece.size_bytes = (uint16_t)size_bytes;
	if (location->piece_count &&
	    join_piece(r->unit, &location->pieces[location->piece_count - 1], &piece))
		return;
	if (location->piece_count == LOCATION_MAX_PIECES)
		r->is_lost = true;
	else
		location->pieces[location->piece_count++] = piece;
}

/* Of up to 8 bytes. */
static uint64_t load_block(const struct location_unit *unit, const struct location_operand *block)
{
	return bytes_load_number(block->block, (size_t)block->number, unit->object->big_endian);
}

/* Operations that make a simple location description. */
static void run_simple(struct reduction *r, const struct location_operation *operation)
{
	const struct location_operand *a = &operation->a;
	struct location_piece *piece = &r->simple;

	*piece = (struct location_piece){ .kind = LOCATION_OTHER };
	r->stage = STAGE_SIMPLE;
	if (operation->op == DW_OP_regx && a->number <= UINT8_MAX) {
		piece->kind = LOCATION_REGISTER;
		piece->reg = (uint8_t)a->number;
	} else if (operation->op == DW_OP_implicit_pointer) {
		piece->kind = LOCATION_IMPLICIT_POINTER;
		piece->constant = a->number;
		piece->offset = (int64_t)operation->b.number;
	} else if (operation->op == DW_OP_implicit_value && a->number >= 1 && a->number <= 8) {
		piece->kind = LOCATION_CONSTANT;
		piece->constant = load_block(r->unit, a);
		piece->value_bytes = (uint8_t)a->number;
	}
}

/* The term that an operation pushes which takes none. False: damaged. */
static bool run_push(const struct reduction *r, const struct location_operation *operation,
		     struct term *term)
{
	const struct location_unit *unit = r->unit;
	uint64_t a = operation->a.number, b = operation->b.number;
	struct location_operation inner = { 0 };
	const uint8_t *end;
	bool is_register;

	switch (operation->op) {
	case DW_OP_addr: *term = term_generic(unit, TERM_ADDRESS, 0, a); break;
	case DW_OP_addrx:
	case DW_OP_constx:
		*term = term_generic(unit, operation->op == DW_OP_addrx ? TERM_ADDRESS
									: TERM_NUMBER, 0, 0);
		return unit_indexed_word(unit->object, SECTION_ADDR, unit->bases.addr, a,
					 unit->unit->address_bytes, &term->number);
	case DW_OP_constu: *term = term_generic(unit, TERM_NUMBER, 0, a); break;
	case DW_OP_bregx: *term = term_generic(unit, TERM_REGISTER, a, b); break;
	case DW_OP_fbreg:
		*term = term_generic(unit, r->frame_base == FRAME_BASE_CFA ? TERM_CFA : TERM_FRAME,
				     0, a);
		break;
	case DW_OP_call_frame_cfa: *term = term_generic(unit, TERM_CFA, 0, 0); break;
	/* Of one register, in either form; nothing else occurs in kernels. */
	case DW_OP_entry_value:
		end = operation->a.block + operation->a.number;
		is_register = location_operation_read(unit, operation->a.block, end, &inner) ==
				      end &&
			      (inner.op == DW_OP_regx || inner.op == DW_OP_bregx);
		*term = term_generic(unit, is_register ? TERM_ENTRY : TERM_OTHER, inner.a.number,
				     inner.b.number);
		break;
	case DW_OP_GNU_parameter_ref:
		*term = term_generic(unit, TERM_PARAMETER, 0, unit->unit->offset + a);
		break;
	case DW_OP_const_type:
		*term = term_generic(unit, TERM_OTHER, 0, 0);
		if (b >= 1 && b <= 8) {
			*term = term_generic(unit, TERM_NUMBER, 0, load_block(unit, &operation->b));
			term_set_type(unit, term, a, b);
		}
		break;
	case DW_OP_regval_type:
		*term = term_generic(unit, TERM_REGISTER, a, 0);
		term_set_type(unit, term, b, 0);
		break;
	default: *term = term_generic(unit, TERM_OTHER, 0, 0); break;
	}
	return true;
}

/* Operations that change the term on top, or the two there. */
static void run_change(struct reduction *r, const struct location_operation *operation)
{
	const struct location_unit *unit = r->unit;
	struct term *top = &r->stack[r->depth - 1];
	uint64_t a = operation->a.number, b = operation->b.number;
	struct term number;

	switch (operation->op) {
	case DW_OP_deref: term_deref(unit, top, unit->unit->address_bytes); break;
	case DW_OP_deref_size: term_deref(unit, top, a); break;
	case DW_OP_deref_type:
		term_deref(unit, top, a);
		term_set_type(unit, top, b, a);
		break;
	case DW_OP_convert:
	case DW_OP_reinterpret:
		term_convert(unit, top, a, operation->op == DW_OP_reinterpret);
		break;
	case DW_OP_plus_uconst:
		number = term_generic(unit, TERM_NUMBER, 0, a);
		term_binary(unit, DW_OP_plus, top, &number);
		break;
	case DW_OP_plus:
	case DW_OP_minus:
	case DW_OP_mul:
	case DW_OP_and:
	case DW_OP_or:
	case DW_OP_xor:
	case DW_OP_shl:
	case DW_OP_shr:
	case DW_OP_shra: term_binary(unit, operation->op, top - 1, top); break;
	default: term_set_other(operation->takes == 2 ? top - 1 : top); break;
	}
}

/* DW_OP_dup to DW_OP_rot. False: DW_OP_pick from below the stack. */
static bool shuffle(struct reduction *r, const struct location_operation *operation)
{
	struct term *top = &r->stack[r->depth];	/* after it */
	uint64_t index = operation->a.number;
	struct term last;

	switch (operation->op) {
	case DW_OP_dup: top[0] = top[-1]; break;
	case DW_OP_over: top[0] = top[-2]; break;
	case DW_OP_pick:
		if (index >= r->depth)
			return false;
		top[0] = r->stack[r->depth - 1 - index];
		break;
	case DW_OP_swap:
		last = top[-1];
		top[-1] = top[-2];
		top[-2] = last;
		break;
	case DW_OP_rot:
		assert(r->depth >= 3);	/* run_stack() knows from the table */
		last = top[-1];
		top[-1] = top[-2];
		top[-2] = top[-3];
		top[-3] = last;
		break;
	default: break;		/* DW_OP_drop */
	}
	return true;
}

/* Runs one operation on the stack. False: damaged. */
static bool run_stack(struct reduction *r, const struct location_operation *operation)
{
	uint32_t depth = r->depth + operation->gives - operation->takes;

	if (r->depth < operation->takes)
		return false;
	if (depth > MAX_DEPTH) {
		r->is_lost = true;
		return true;
	}
	if (operation->op == DW_OP_stack_value) {
		r->stage = STAGE_VALUE;
	} else if (operation->op >= DW_OP_dup && operation->op <= DW_OP_rot) {
		if (!shuffle(r, operation))
			return false;
	} else if (operation->takes) {
		run_change(r, operation);
	} else if (!run_push(r, operation, &r->stack[r->depth])) {
		return false;
	}
	r->depth = depth;
	return true;
}

static bool run_operation(struct reduction *r, const struct location_operation *operation)
{
	uint64_t a = operation->a.number;

	switch (operation->op) {
	case DW_OP_nop: return true;
	case DW_OP_piece:
		/* What is too large stays too large, in bits as well. */
		add_piece(r, a > UINT32_MAX ? UINT64_MAX - 7 : a * 8, 0);
		return true;
	case DW_OP_bit_piece: add_piece(r, a, operation->b.number); return true;
	case DW_OP_regx:
	case DW_OP_implicit_value:
	case DW_OP_implicit_pointer:
		/* A simple location description begins on an empty stack. */
		if (r->stage != STAGE_STACK || r->depth)
			break;
		run_simple(r, operation);
		return true;
	case 0:			/* not known */
	case DW_OP_GNU_uninit:	/* it would be there, but nothing was put into it */
	/* Goes on somewhere else, or does to the stack what only another DIE knows. */
	case DW_OP_bra:
	case DW_OP_skip:
	case DW_OP_call2:
	case DW_OP_call4:
	case DW_OP_call_ref: break;
	default:
		/* A complete location or value must be a piece, or the whole. */
		if (r->stage != STAGE_STACK)
			break;
		return run_stack(r, operation);
	}
	r->is_lost = true;
	return true;
}

static bool reduce(const struct location_unit *unit, const uint8_t *begin, const uint8_t *end,
		   enum frame_base frame_base, bool is_value, struct location *location)
{
	struct location_operation operation;
	struct location_piece piece;
	struct reduction r;

	/* The stack is not zeroed: that would take longer than most expressions. */
	r.unit = unit;
	r.location = location;
	r.frame_base = frame_base;
	r.stage = STAGE_STACK;
	r.is_lost = false;
	r.depth = 0;
	location_set(location, LOCATION_OTHER);
	while (begin < end && !r.is_lost) {
		begin = location_operation_read(unit, begin, end, &operation);
		if (!begin || !run_operation(&r, &operation)) {
			location->piece_count = 0;
			return false;
		}
	}
	/* Nothing may follow the last piece. */
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
	piece = finish_piece(&r);
	location->kind = piece.kind;
	location->reg = piece.reg;
	location->value_bytes = piece.value_bytes;
	location->first_byte = piece.first_byte;
	location->offset = piece.offset;
	location->constant = piece.constant;
	return true;
}

bool location_reduce(const struct location_unit *unit, const uint8_t *begin, const uint8_t *end,
		     enum frame_base frame_base, struct location *location)
{
	/* Nineteen of twenty parameters of a kernel: one register. */
	if (end - begin == 1 && *begin >= DW_OP_reg0 && *begin <= DW_OP_reg31) {
		location_set(location, LOCATION_REGISTER);
		location->reg = (uint8_t)(*begin - DW_OP_reg0);
		return true;
	}
	/* And GCC's frame bases. */
	if (end - begin == 1 && *begin == DW_OP_call_frame_cfa) {
		location_set(location, LOCATION_CFA);
		return true;
	}
	/* Every fifth parameter of an inlined function: a small number. */
	if (end - begin == 2 && *begin >= DW_OP_lit0 && *begin <= DW_OP_lit31 &&
	    begin[1] == DW_OP_stack_value) {
		location_set(location, LOCATION_CONSTANT);
		location->constant = (uint64_t)(*begin - DW_OP_lit0);
		return true;
	}
	return reduce(unit, begin, end, frame_base, false, location);
}

bool location_reduce_value(const struct location_unit *unit, const uint8_t *begin,
			   const uint8_t *end, struct location *location)
{
	return reduce(unit, begin, end, FRAME_BASE_NONE, true, location);
}
