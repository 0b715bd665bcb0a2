/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/location_term.h"

#include <string.h>

/*
 * ---- types ----
 *
 * The base types that typed operations of expressions name (DW_OP_convert, DW_OP_regval_type, ...):
 * a DIE in the same unit. Decoded on the spot, because expressions are looked at long after the
 * unit was read; few name a type.
 */

struct location_type {
	uint8_t bytes;
	bool is_signed;
};

struct attribute {
	uint64_t name;
	uint64_t form;
	uint64_t constant;	/* of DW_FORM_implicit_const */
};

static struct attribute read_attribute(struct byte_cursor *cursor)
{
	struct attribute attribute = { .name = cursor_uleb(cursor) };

	attribute.form = cursor_uleb(cursor);
	if (attribute.form == DW_FORM_implicit_const)
		attribute.constant = (uint64_t)cursor_sleb(cursor);
	return attribute;
}

/*
 * Goes to the attributes of an abbreviation by walking over the table: base types are among the
 * first abbreviations of a unit, and the compiled ones are not at hand any more. Returns the tag,
 * 0: there is no such abbreviation.
 */
static uint64_t find_abbreviation(const struct location_unit *unit, uint64_t wanted,
				  struct byte_cursor *cursor)
{
	const struct section *abbrev = &unit->object->sections[SECTION_ABBREV];

	*cursor = (struct byte_cursor){ abbrev->data, abbrev->data + abbrev->size, false, false };
	cursor_skip(cursor, unit->unit->abbrev_offset);
	for (;;) {
		uint64_t code = cursor_uleb(cursor);
		uint64_t tag = cursor_uleb(cursor);
		struct attribute attribute;

		cursor_skip(cursor, 1);		/* DW_CHILDREN_* */
		if (!code || cursor->is_bad)
			return 0;
		if (code == wanted)
			return tag;
		do {
			attribute = read_attribute(cursor);
		} while (attribute.name || attribute.form);
	}
}

/* A value of one of the forms that base types have; the cursor is poisoned by all others. */
static uint64_t read_form(const struct location_unit *unit, uint64_t form,
			  struct byte_cursor *cursor)
{
	switch (form) {
	case DW_FORM_flag_present: return 0;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1: return cursor_number(cursor, 1);
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2: return cursor_number(cursor, 2);
	case DW_FORM_strx3: cursor_skip(cursor, 3); return 0;
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4: return cursor_number(cursor, 4);
	case DW_FORM_data8:
	case DW_FORM_ref8: return cursor_number(cursor, 8);
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_sec_offset: return cursor_number(cursor, unit->unit->offset_bytes);
	case DW_FORM_udata:
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_ref_udata: return cursor_uleb(cursor);
	case DW_FORM_sdata: return (uint64_t)cursor_sleb(cursor);
	case DW_FORM_string:
		cursor_skip(cursor, strnlen((const char *)cursor->p,
					    (size_t)(cursor->end - cursor->p)));
		cursor_skip(cursor, 1);
		return 0;
	default: cursor_poison(cursor); return 0;
	}
}

/*
 * The base type at an offset from the unit's start. False: no integer of 1 to 8 whole bytes in the
 * file's byte order, or nothing that can be read.
 */
static bool location_type_at(const struct location_unit *unit, uint64_t unit_offset,
		      struct location_type *type)
{
	const uint8_t *info = unit->object->sections[SECTION_INFO].data;
	struct byte_cursor die = { NULL, info + unit->unit->end, unit->swap, false };
	uint64_t code, size = 0, encoding = 0;
	struct byte_cursor abbreviation;

	if (unit_offset < unit->unit->first_die - unit->unit->offset ||
	    unit_offset >= unit->unit->end - unit->unit->offset)
		return false;
	die.p = info + unit->unit->offset + unit_offset;
	code = cursor_uleb(&die);
	if (!code || find_abbreviation(unit, code, &abbreviation) != DW_TAG_base_type)
		return false;
	for (;;) {
		struct attribute attribute = read_attribute(&abbreviation);
		uint64_t value = attribute.constant;

		if (abbreviation.is_bad)
			return false;
		if (!attribute.name && !attribute.form)
			break;
		if (attribute.form != DW_FORM_implicit_const)
			value = read_form(unit, attribute.form, &die);
		/* Bits, or another byte order, would make it something else than its bytes. */
		if (die.is_bad || attribute.name == DW_AT_bit_size ||
		    attribute.name == DW_AT_endianity)
			return false;
		if (attribute.name == DW_AT_byte_size)
			size = value;
		else if (attribute.name == DW_AT_encoding)
			encoding = value;
	}
	type->bytes = (uint8_t)size;
	type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	return (type->is_signed || encoding == DW_ATE_unsigned ||
		encoding == DW_ATE_unsigned_char || encoding == DW_ATE_address ||
		encoding == DW_ATE_UTF) && size >= 1 && size <= 8;
}

/* ---- terms ---- */

struct term term_generic(const struct location_unit *unit, enum term_base base, uint64_t reg,
			 uint64_t number)
{
	uint8_t bytes = unit->unit->address_bytes;

	return (struct term){
		.base = (uint8_t)(reg > UINT8_MAX ? TERM_OTHER : base),
		.reg = (uint8_t)reg,
		.width = bytes,
		.kept = bytes,
		.is_generic = true,
		.number = number,
	};
}

void term_set_other(struct term *term)
{
	term->base = TERM_OTHER;
	term->shift = 0;
}

bool term_is_word(const struct location_unit *unit, const struct term *term)
{
	return term->kept == term->width && !term->shift && !term->skipped &&
	       term->width == unit->unit->address_bytes;
}

/* Keeps the low `bytes` bytes. */
static void narrow(const struct location_unit *unit, struct term *term, uint8_t bytes)
{
	if (term->base == TERM_NUMBER)
		term->number &= bytes_mask(bytes);
	if (bytes >= term->kept)
		return;
	/* The low bytes of what is in memory are at its end. */
	if (term->base == TERM_LOADED && unit->object->big_endian)
		term->number += (uint64_t)(term->kept - bytes);
	term->kept = bytes;
}

void term_convert(const struct location_unit *unit, struct term *term, uint64_t type_offset,
		  bool is_reinterpreted)
{
	struct location_type to = { unit->unit->address_bytes, false };
	int64_t extended;

	if (type_offset && !location_type_at(unit, type_offset, &to))
		term_set_other(term);
	if (term->shift || term->base == TERM_PARAMETER ||
	    (is_reinterpreted && term->width != to.bytes))
		term_set_other(term);
	if (term->base == TERM_NUMBER) {
		extended = bytes_sign_extend(term->number, term->width);
		/* The generic type has no sign; where that matters, the result is not known. */
		if (term->is_generic && to.bytes > term->width && extended < 0)
			term_set_other(term);
		term->number = term->is_signed ? (uint64_t)extended
					       : term->number & bytes_mask(term->width);
		term->number &= bytes_mask(to.bytes);
		term->kept = to.bytes;
	} else {
		narrow(unit, term, to.bytes);
	}
	term->width = to.bytes;
	term->is_generic = type_offset == 0;
	term->is_signed = to.is_signed;
}

void term_set_type(const struct location_unit *unit, struct term *term, uint64_t type_offset,
		   uint64_t type_bytes)
{
	struct location_type type;

	if (!location_type_at(unit, type_offset, &type) ||
	    (type_bytes && type.bytes != type_bytes) ||
	    (term->base != TERM_NUMBER && type.bytes > term->kept)) {
		term_set_other(term);
		return;
	}
	narrow(unit, term, type.bytes);
	term->is_generic = false;
	term->is_signed = type.is_signed;
	term->width = type.bytes;
	term->kept = type.bytes;
}

void term_deref(const struct location_unit *unit, struct term *term, uint64_t bytes)
{
	bool good = term->base == TERM_REGISTER && term_is_word(unit, term) && bytes > 0 &&
		    bytes <= unit->unit->address_bytes;

	*term = term_generic(unit, good ? TERM_LOADED : TERM_OTHER, term->reg, term->number);
	if (good)
		term->kept = (uint8_t)bytes;
}

static uint64_t fold(uint8_t op, const struct term *a, uint64_t b)
{
	uint64_t number = a->number & bytes_mask(a->width);
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
		return (uint64_t)(bytes_sign_extend(number, a->width) >>
				  (b < bits ? b : bits - 1));
	}
}

/*
 * By as much as to the left before: the low bytes, extended (GCC, for a narrower integer). Without
 * that: the bytes above (clang, for the second member of a struct in one register).
 */
static void shift_right(const struct location_unit *unit, struct term *term, uint64_t bits)
{
	uint8_t bytes = (uint8_t)(bits / 8);

	if (term->shift && term->shift == bits) {
		term->shift = 0;
		narrow(unit, term, (uint8_t)(term->width - bytes));
	} else if (term->shift || term->base == TERM_BIT || bits % 8 || bits >= 8u * term->kept) {
		term_set_other(term);
	} else {
		if (term->base != TERM_LOADED)
			term->skipped = (uint8_t)(term->skipped + bytes);
		else if (!unit->object->big_endian)
			term->number += bytes;
		term->kept = (uint8_t)(term->kept - bytes);
	}
}

static void mask_term(const struct location_unit *unit, struct term *term, uint64_t mask)
{
	uint8_t bytes = 1;

	mask &= bytes_mask(term->width);
	while (bytes < term->width && mask != bytes_mask(bytes))
		bytes++;
	if (term->base == TERM_BIT && mask & 1)
		return;
	if (term->base == TERM_REGISTER && mask == 1 && term->number == 0 && !term->skipped &&
	    !term->shift)
		term->base = TERM_BIT;
	else if (term->shift || mask != bytes_mask(bytes))
		term_set_other(term);
	else
		narrow(unit, term, bytes);
}

/* A term and a number. */
static void combine(const struct location_unit *unit, struct term *term, uint8_t op,
		    uint64_t number)
{
	switch (op) {
	case DW_OP_plus:
	case DW_OP_minus:
		/* A narrowed term is good enough: low bytes of a sum are those of the sum of the
		   low bytes (clang: "the low 4 bytes of esi, - 1"). */
		if (term->base < TERM_ADDRESS || term->base > TERM_ENTRY || term->shift ||
		    term->skipped)
			term_set_other(term);
		term->number += op == DW_OP_plus ? number : 0 - number;
		break;
	case DW_OP_and: mask_term(unit, term, number); break;
	case DW_OP_shl:
		if (term->shift || term->base == TERM_BIT || number == 0 ||
		    number >= 8u * term->width || number % 8)
			term_set_other(term);
		else
			term->shift = (uint8_t)number;
		break;
	case DW_OP_shr:
	case DW_OP_shra: shift_right(unit, term, number); break;
	default: term_set_other(term); break;
	}
}

void term_binary(const struct location_unit *unit, uint8_t op, struct term *a, struct term *b)
{
	bool commutes = op == DW_OP_plus || op == DW_OP_and;
	bool shifts = op == DW_OP_shl || op == DW_OP_shr || op == DW_OP_shra;

	if (a->base == TERM_NUMBER && b->base != TERM_NUMBER && commutes) {
		struct term swapped = *a;

		*a = *b;
		*b = swapped;
	}
	/* Both of one type, but for the count of a shift. */
	if (b->base != TERM_NUMBER || a->base == TERM_OTHER || a->base == TERM_PARAMETER ||
	    (!shifts && (a->width != b->width || a->is_generic != b->is_generic))) {
		term_set_other(a);
		return;
	}
	b->number &= bytes_mask(b->width);
	if (a->base == TERM_NUMBER)
		a->number = fold(op, a, b->number) & bytes_mask(a->width);
	else
		combine(unit, a, op, b->number);
}
