/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/location_type.h"

#include <string.h>

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

bool location_type_at(const struct location_unit *unit, uint64_t unit_offset,
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
