/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/site_expression.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#define TERMS_MAX  16
#define PIECES_MAX 2

const char *const site_reading_names[READINGS] = {
	"place", "entry value", "absent", "no place", "not judged",
};

enum term_kind {
	TERM_CONSTANT,
	TERM_ADDRESS,
	TERM_REGISTER,	/* the value of a register + number */
	TERM_ENTRY,	/* the value of it at the function's entry + number */
	TERM_FRAME,	/* the frame base + number */
	TERM_LOADED,	/* what is in memory at register + number */
	TERM_IN,	/* not a value: the object is in the register */
	TERM_OTHER,
};

struct term {
	enum term_kind kind;
	uint32_t reg;
	uint64_t number;
	unsigned int bytes;	/* of TERM_LOADED */
};

struct machine {
	const struct site_scope *scope;
	Dwarf_Attribute *attr;
	uint32_t size_bytes;
	struct term terms[TERMS_MAX];
	unsigned int count;
	bool is_value;		/* DW_OP_stack_value */
	struct term pieces[PIECES_MAX];
	uint64_t piece_bytes[PIECES_MAX];
	bool piece_is_value[PIECES_MAX];
	unsigned int piece_count;
	enum site_reading reading;	/* not READING_PLACE: it ends here */
	const char *why;
};

static void end(struct machine *m, enum site_reading reading, const char *why)
{
	if (m->reading == READING_PLACE) {
		m->reading = reading;
		m->why = why;
	}
}

static void push(struct machine *m, struct term term)
{
	if (m->count == TERMS_MAX)
		end(m, READING_UNKNOWN, "a deep stack");
	else
		m->terms[m->count++] = term;
}

static struct term pop(struct machine *m)
{
	if (!m->count) {
		end(m, READING_UNKNOWN, "an empty stack");
		return (struct term){ .kind = TERM_OTHER };
	}
	return m->terms[--m->count];
}

static bool has_number(const struct term *term)
{
	return term->kind <= TERM_FRAME;
}

/* ---- the frame ---- */

/* Is the object in a register, or the value a register + number? */
static bool read_register(const Dwarf_Op *op, struct term *term)
{
	uint8_t atom = op->atom;

	if (atom >= DW_OP_reg0 && atom <= DW_OP_reg31)
		*term = (struct term){ TERM_IN, atom - DW_OP_reg0, 0, 0 };
	else if (atom >= DW_OP_breg0 && atom <= DW_OP_breg31)
		*term = (struct term){ TERM_REGISTER, atom - DW_OP_breg0, op->number, 0 };
	else if (atom == DW_OP_regx)
		*term = (struct term){ TERM_IN, (uint32_t)op->number, 0, 0 };
	else if (atom == DW_OP_bregx)
		*term = (struct term){ TERM_REGISTER, (uint32_t)op->number, op->number2, 0 };
	else
		return false;
	return true;
}

/* The CFA as a register and a number. */
static bool cfa_at(const struct site_scope *scope, struct term *term)
{
	struct term found;
	Dwarf_Frame *frame;
	Dwarf_Op *ops;
	size_t count;
	bool good;

	if (!scope->cfi || dwarf_cfi_addrframe(scope->cfi, scope->pc, &frame))
		return false;
	good = dwarf_frame_cfa(frame, &ops, &count) == 0 && count == 1 &&
	       read_register(ops, &found) && found.kind == TERM_REGISTER;
	if (good)
		*term = found;
	free(frame);
	return good;
}

static struct term frame_base(const struct site_scope *scope)
{
	struct term term = { .kind = TERM_FRAME };
	Dwarf_Die function = scope->function;
	Dwarf_Attribute attr;
	Dwarf_Op *ops;
	size_t count;

	if (!dwarf_attr(&function, DW_AT_frame_base, &attr) ||
	    dwarf_getlocation_addr(&attr, scope->pc, &ops, &count, 1) != 1 || count != 1)
		return term;
	if (read_register(ops, &term))
		term.kind = TERM_REGISTER;
	if (ops[0].atom == DW_OP_call_frame_cfa)
		cfa_at(scope, &term);
	return term;
}

/* ---- operations ---- */

static void add(struct machine *m, uint64_t number)
{
	struct term term = pop(m);

	if (!has_number(&term))
		term.kind = TERM_OTHER;
	term.number += number;
	push(m, term);
}

static void load(struct machine *m, unsigned int bytes)
{
	struct term term = pop(m);

	if (term.kind == TERM_REGISTER)
		term = (struct term){ TERM_LOADED, term.reg, term.number, bytes };
	else
		term.kind = TERM_OTHER;
	push(m, term);
}

static bool fold(uint8_t atom, uint64_t a, uint64_t b, uint64_t *result)
{
	switch (atom) {
	case DW_OP_and: *result = a & b; break;
	case DW_OP_or: *result = a | b; break;
	case DW_OP_xor: *result = a ^ b; break;
	case DW_OP_mul: *result = a * b; break;
	case DW_OP_shl: *result = b < 64 ? a << b : 0; break;
	case DW_OP_shr: *result = b < 64 ? a >> b : 0; break;
	default: return false;
	}
	return true;
}

/* Combines two terms. All but a sum is computed, unless it leaves the parameter's bytes alone. */
static void combine(struct machine *m, uint8_t atom)
{
	struct term b = pop(m), a = pop(m);
	uint64_t mask = m->size_bytes < 8 ? (1UL << 8 * m->size_bytes) - 1 : UINT64_MAX;
	uint64_t result;

	if (atom == DW_OP_plus && a.kind == TERM_CONSTANT && has_number(&b)) {
		b.number += a.number;
		push(m, b);
	} else if ((atom == DW_OP_plus || atom == DW_OP_minus) && b.kind == TERM_CONSTANT &&
		   has_number(&a)) {
		a.number += atom == DW_OP_plus ? b.number : -b.number;
		push(m, a);
	} else if (a.kind == TERM_CONSTANT && b.kind == TERM_CONSTANT &&
		   fold(atom, a.number, b.number, &result)) {
		push(m, (struct term){ .kind = TERM_CONSTANT, .number = result });
	} else if (atom == DW_OP_and && b.kind == TERM_CONSTANT && (b.number & mask) == mask) {
		push(m, a);
	} else if (atom == DW_OP_and && a.kind == TERM_CONSTANT && (a.number & mask) == mask) {
		push(m, b);
	} else {
		push(m, (struct term){ .kind = TERM_OTHER });
	}
}

static void swap(struct machine *m)
{
	struct term b = pop(m), a = pop(m);

	push(m, b);
	push(m, a);
}

static void enter(struct machine *m, const Dwarf_Op *op)
{
	Dwarf_Attribute inner;
	struct term term;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_getlocation_attr(m->attr, op, &inner) || dwarf_getlocation(&inner, &ops, &count))
		end(m, READING_UNKNOWN, "an entry value that libdw cannot read");
	else if (count == 1 && read_register(ops, &term) && term.kind == TERM_IN)
		push(m, (struct term){ TERM_ENTRY, term.reg, 0, 0 });
	else
		push(m, (struct term){ .kind = TERM_OTHER });
}

/* To a type that is wide enough: the parameter's bytes stay what they are. */
static void convert(struct machine *m, const Dwarf_Op *op)
{
	struct term term = pop(m);
	Dwarf_Die type;

	if (op->number && (dwarf_getlocation_die(m->attr, op, &type) ||
			   dwarf_bytesize(&type) < (int)m->size_bytes))
		end(m, READING_UNKNOWN, "a conversion to something smaller");
	push(m, term);
}

static void push_address(struct machine *m, const Dwarf_Op *op)
{
	Dwarf_Attribute at;
	Dwarf_Addr address = op->number;

	if (op->atom != DW_OP_addr &&
	    (dwarf_getlocation_attr(m->attr, op, &at) || dwarf_formaddr(&at, &address)))
		end(m, READING_UNKNOWN, "an address that libdw cannot read");
	push(m, (struct term){ .kind = TERM_ADDRESS, .number = address });
}

/* A value as the bytes that it would have in memory. */
static void push_bytes(struct machine *m, const Dwarf_Op *op)
{
	uint64_t value = 0;
	Dwarf_Block block;

	if (dwarf_getlocation_implicit_value(m->attr, op, &block) || block.length > 8) {
		end(m, READING_NO_PLACE, "more bytes than a number has");
		return;
	}
	for (size_t i = 0; i < block.length; i++)
		value |= (uint64_t)block.data[m->scope->is_big_endian ? block.length - 1 - i : i]
			 << 8 * i;
	push(m, (struct term){ .kind = TERM_CONSTANT, .number = value });
	m->is_value = true;
}

static void piece(struct machine *m, uint64_t bytes)
{
	if (m->piece_count == PIECES_MAX || !m->count) {
		end(m, READING_NO_PLACE, "pieces");
		return;
	}
	m->piece_is_value[m->piece_count] = m->is_value;
	m->is_value = false;
	m->pieces[m->piece_count] = pop(m);
	m->piece_bytes[m->piece_count++] = bytes;
}

static void execute(struct machine *m, const Dwarf_Op *op)
{
	uint8_t atom = op->atom;
	struct term term;

	if (m->is_value && atom != DW_OP_piece && atom != DW_OP_bit_piece) {
		end(m, READING_UNKNOWN, "operations after the value");
	} else if (atom >= DW_OP_lit0 && atom <= DW_OP_lit31) {
		push(m, (struct term){ .kind = TERM_CONSTANT, .number = atom - DW_OP_lit0 });
	} else if (atom >= DW_OP_const1u && atom <= DW_OP_consts) {
		push(m, (struct term){ .kind = TERM_CONSTANT, .number = op->number });
	} else if (read_register(op, &term)) {
		push(m, term);
	} else {
		switch (atom) {
		case DW_OP_addr: case DW_OP_addrx:
			push_address(m, op);
			break;
		case DW_OP_fbreg:
			push(m, frame_base(m->scope));
			if (m->terms[m->count - 1].kind == TERM_FRAME && !m->scope->has_frames)
				end(m, READING_UNKNOWN, "libdw knows no frames of this machine");
			add(m, op->number);
			break;
		case DW_OP_call_frame_cfa:
			push(m, (struct term){ .kind = TERM_FRAME });
			if (!cfa_at(m->scope, &m->terms[m->count - 1]))
				end(m, READING_UNKNOWN, "an unknown CFA");
			break;
		case DW_OP_plus_uconst:
			add(m, op->number);
			break;
		case DW_OP_plus: case DW_OP_minus: case DW_OP_and: case DW_OP_or: case DW_OP_xor:
		case DW_OP_mul: case DW_OP_shl: case DW_OP_shr: case DW_OP_shra: case DW_OP_div:
		case DW_OP_mod: case DW_OP_eq: case DW_OP_ne: case DW_OP_lt: case DW_OP_le:
		case DW_OP_gt: case DW_OP_ge:
			combine(m, atom);
			break;
		case DW_OP_neg: case DW_OP_not: case DW_OP_abs:
			pop(m);
			push(m, (struct term){ .kind = TERM_OTHER });
			break;
		case DW_OP_deref:
			load(m, m->scope->address_bytes);
			break;
		case DW_OP_deref_size:
			load(m, (unsigned int)op->number);
			break;
		case DW_OP_dup:
			push(m, m->count ? m->terms[m->count - 1]
					 : (struct term){ .kind = TERM_OTHER });
			break;
		case DW_OP_stack_value:
			m->is_value = true;
			break;
		case DW_OP_swap:
			swap(m);
			break;
		case DW_OP_over:
			push(m, m->count > 1 ? m->terms[m->count - 2]
					     : (struct term){ .kind = TERM_OTHER });
			break;
		case DW_OP_bra: case DW_OP_skip:
			end(m, READING_NO_PLACE, "computed");
			break;
		case DW_OP_piece:
			piece(m, op->number);
			break;
		case DW_OP_bit_piece:
			end(m, READING_NO_PLACE, "pieces");
			break;
		case DW_OP_implicit_value:
			push_bytes(m, op);
			break;
		case DW_OP_entry_value: case DW_OP_GNU_entry_value:
			enter(m, op);
			break;
		case DW_OP_convert: case DW_OP_GNU_convert:
			convert(m, op);
			break;
		case DW_OP_implicit_pointer: case DW_OP_GNU_implicit_pointer:
			end(m, READING_NO_PLACE, "an implicit pointer");
			break;
		case DW_OP_GNU_parameter_ref:
			end(m, READING_NO_PLACE, "the caller's argument");
			break;
		case DW_OP_nop:
			break;
		default:
			end(m, READING_UNKNOWN, "an operation that is not interpreted");
		}
	}
}

/* ---- what it comes to ---- */

static void conclude_pieces(struct machine *m, struct record_place *place)
{
	if (m->count || m->piece_count != 2 || m->pieces[0].kind != TERM_IN ||
	    m->pieces[1].kind != TERM_IN || m->piece_bytes[0] != m->scope->address_bytes ||
	    m->piece_bytes[0] + m->piece_bytes[1] < m->size_bytes) {
		end(m, READING_NO_PLACE, "pieces");
		return;
	}
	*place = (struct record_place){ .kind = RECORD_REGISTER, .reg_count = 2,
					.regs = { m->pieces[0].reg, m->pieces[1].reg } };
}

static void conclude_value(struct machine *m, const struct term *term, struct record_place *place)
{
	*place = (struct record_place){ .reg_count = 1, .regs[0] = term->reg,
					.number = term->number };
	switch (term->kind) {
	case TERM_CONSTANT:
		place->kind = RECORD_CONSTANT;
		break;
	case TERM_ADDRESS:
		place->kind = RECORD_ADDRESS;
		place->number -= m->scope->base;
		break;
	case TERM_FRAME:
		place->regs[0] = RECORD_FRAME_BASE;
		place->kind = RECORD_SUM;
		break;
	case TERM_REGISTER:
		place->kind = term->number ? RECORD_SUM : RECORD_REGISTER;
		break;
	case TERM_ENTRY:
		place->kind = term->number ? RECORD_SUM : RECORD_REGISTER;
		end(m, READING_ENTRY, "an entry value");
		break;
	case TERM_LOADED:
		place->kind = RECORD_MEMORY;
		if (term->bytes < m->size_bytes || m->size_bytes > 8)
			end(m, READING_UNKNOWN, "a value from memory of another size");
		else if (m->scope->is_big_endian)
			place->number += term->bytes - m->size_bytes;
		break;
	default:
		end(m, READING_NO_PLACE, "computed");
	}
}

static void conclude(struct machine *m, struct record_place *place)
{
	struct term term;

	if (m->reading != READING_PLACE)
		return;
	/* One piece may be the whole. */
	if (m->piece_count == 1 && !m->count && m->piece_bytes[0] >= m->size_bytes) {
		m->is_value = m->piece_is_value[0];
		push(m, m->pieces[0]);
	} else if (m->piece_count) {
		conclude_pieces(m, place);
		return;
	}
	term = pop(m);
	if (m->reading != READING_PLACE)
		return;
	if (m->is_value) {
		conclude_value(m, &term, place);
		return;
	}
	*place = (struct record_place){ .reg_count = 1, .regs[0] = term.reg,
					.number = term.number };
	switch (term.kind) {
	case TERM_IN:
		place->kind = RECORD_REGISTER;
		break;
	case TERM_FRAME:
		place->regs[0] = RECORD_FRAME_BASE;
		place->kind = RECORD_MEMORY;
		break;
	case TERM_REGISTER:
		place->kind = RECORD_MEMORY;
		break;
	default:
		end(m, READING_NO_PLACE, "in memory, but not at a register and a number");
	}
}

static enum site_reading read_expression(const struct site_scope *scope, Dwarf_Attribute *attr,
					 uint32_t size_bytes, const Dwarf_Op *ops, size_t count,
					 struct record_place *place, const char **why)
{
	struct machine m = { .scope = scope, .attr = attr, .size_bytes = size_bytes,
			     .reading = READING_PLACE, .why = "" };

	if (!count)
		end(&m, READING_ABSENT, "an empty expression");
	for (size_t i = 0; i < count && m.reading == READING_PLACE; i++)
		execute(&m, &ops[i]);
	conclude(&m, place);
	*why = m.why;
	return m.reading;
}

static enum site_reading read_constant(Dwarf_Attribute *attr, struct record_place *place,
				       const char **why)
{
	Dwarf_Sword number;
	Dwarf_Word word;

	*place = (struct record_place){ .kind = RECORD_CONSTANT };
	switch (dwarf_whatform(attr)) {
	case DW_FORM_sdata: case DW_FORM_implicit_const:
		if (dwarf_formsdata(attr, &number) == 0) {
			place->number = (uint64_t)number;
			return READING_PLACE;
		}
		break;
	case DW_FORM_data1: case DW_FORM_data2: case DW_FORM_data4: case DW_FORM_data8:
	case DW_FORM_udata:
		if (dwarf_formudata(attr, &word) == 0) {
			place->number = word;
			return READING_PLACE;
		}
		break;
	default:
		*why = "a constant that is a block";
		return READING_NO_PLACE;
	}
	*why = "a constant that libdw cannot read";
	return READING_UNKNOWN;
}

/* ---- lists ---- */

/* GCC's view numbers of a list: a pair per entry. */
struct views {
	const uint8_t *at, *end;	/* NULL: none */
};

static struct views views_of(const struct site_scope *scope, Dwarf_Die *parameter)
{
	Dwarf_Die unit;
	const struct section *section;
	Dwarf_Attribute attr;
	Dwarf_Word offset;
	Dwarf_Half version;
	Dwarf_Die *cu = dwarf_cu_die(parameter->cu, &unit, &version, NULL, NULL, NULL, NULL, NULL);

	if (!scope->has_view || !cu || !dwarf_attr(parameter, DW_AT_GNU_locviews, &attr) ||
	    dwarf_formudata(&attr, &offset))
		return (struct views){ NULL, NULL };
	section = &scope->object->sections[version < 5 ? SECTION_LOC : SECTION_LOCLISTS];
	if (offset >= section->size)
		return (struct views){ NULL, NULL };
	return (struct views){ section->data + offset, section->data + section->size };
}

static uint64_t next_view(struct views *views)
{
	uint64_t view = 0;
	unsigned int shift = 0;

	while (views->at < views->end) {
		view |= (uint64_t)(*views->at & 0x7f) << shift;
		shift += 7;
		if (!(*views->at++ & 0x80))
			break;
	}
	return view;
}

static bool is_before(uint64_t pc, uint64_t view, uint64_t other_pc, uint64_t other_view)
{
	return pc < other_pc || (pc == other_pc && view < other_view);
}

/*
 * Does an entry of a list hold, and how surely? The first of the highest rank counts; 0: not at
 * all.
 *
 * At one pc several statements may happen that need no instruction; view numbers tell them apart,
 * and an entry holds from a (pc, view) to another. A parameter may be bound after the mark of the
 * entry: then its entry begins at the pc, with the next view; later ones are of what the first
 * statements make of it. Without views: what begins at the pc, even an empty one, before what
 * covers it.
 */
static unsigned int rank_entry(const struct site_scope *scope, uint64_t from, uint64_t to,
			       struct views *views)
{
	bool is_whole = from == 0 && to == (Dwarf_Addr)-1;
	uint64_t first, last;

	if (is_whole)
		return 1;
	if (!views->at)
		return from == scope->pc ? 2 : from < scope->pc && scope->pc < to;
	first = next_view(views);
	last = next_view(views);
	if (!is_before(scope->pc, scope->view, from, first) &&
	    is_before(scope->pc, scope->view, to, last))
		return 2;
	return from == scope->pc && first == scope->view + 1;
}

enum site_reading site_read_parameter(const struct site_scope *scope, Dwarf_Die *parameter,
				      uint32_t size_bytes, struct record_place *place,
				      const char **why)
{
	struct views views = views_of(scope, parameter);
	Dwarf_Op *ops, *found = NULL;
	size_t count, found_count = 0;
	Dwarf_Addr base, from = 0, to = 0;
	unsigned int best = 0;
	Dwarf_Attribute attr;
	ptrdiff_t at = 0;

	*place = (struct record_place){ .kind = RECORD_NOWHERE };
	*why = "";
	if (dwarf_attr(parameter, DW_AT_const_value, &attr))
		return read_constant(&attr, place, why);
	if (!dwarf_attr(parameter, DW_AT_location, &attr)) {
		*why = "no location";
		return READING_ABSENT;
	}
	while ((at = dwarf_getlocations(&attr, at, &base, &from, &to, &ops, &count)) > 0) {
		unsigned int rank = rank_entry(scope, from, to, &views);

		if (rank > best) {
			best = rank;
			found = ops;
			found_count = count;
		}
	}
	if (at < 0) {
		*why = "a list that libdw cannot read";
		return READING_UNKNOWN;
	}
	if (!best) {
		*why = "nothing at the pc";
		return READING_ABSENT;
	}
	return read_expression(scope, &attr, size_bytes, found, found_count, place, why);
}
