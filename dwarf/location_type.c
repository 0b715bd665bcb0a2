/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/location_type.h"

#include <string.h>

#include "base/bytes.h"
#include "dwarf/leb128.h"

/*
 * The pairs of attribute and form of an abbreviation, found by walking over the table: base types
 * are among the first abbreviations of a unit, and a compiled program is not at hand any more.
 */
static const uint8_t *find_abbreviation(const struct location_unit *unit, uint64_t wanted,
					uint64_t *tag)
{
	const struct section *abbrev = &unit->object->sections[SECTION_ABBREV];
	const uint8_t *p = abbrev->data + unit->unit->abbrev_offset;
	const uint8_t *end = abbrev->data + abbrev->size;
	uint64_t code, attribute, form;
	int64_t constant;

	if (unit->unit->abbrev_offset >= abbrev->size)
		return NULL;
	for (;;) {
		p = leb128_unsigned(p, end, &code);
		p = p && code ? leb128_unsigned(p, end, tag) : NULL;
		if (!p || p == end)
			return NULL;
		p++;
		if (code == wanted)
			return p;
		do {
			p = leb128_unsigned(p, end, &attribute);
			p = p ? leb128_unsigned(p, end, &form) : NULL;
			if (p && form == DW_FORM_implicit_const)
				p = leb128_signed(p, end, &constant);
			if (!p)
				return NULL;
		} while (attribute || form);
	}
}

static const uint8_t *read_fixed(const uint8_t *p, const uint8_t *end, uint8_t bytes, bool swap,
				 uint64_t *value)
{
	if (end - p < bytes)
		return NULL;
	switch (bytes) {
	case 1: *value = *p; break;
	case 2: *value = bytes_load_u16(p, swap); break;
	case 4: *value = bytes_load_u32(p, swap); break;
	case 8: *value = bytes_load_u64(p, swap); break;
	default: break;		/* nobody wants it */
	}
	return p + bytes;
}

/* After a value of one of the forms that base types have; NULL for all others. */
static const uint8_t *read_form(const struct location_unit *unit, uint64_t form, const uint8_t *p,
				const uint8_t *end, uint64_t *value)
{
	bool swap = unit->swap;
	int64_t number = 0;

	switch (form) {
	case DW_FORM_flag_present: return p;
	case DW_FORM_data1:
	case DW_FORM_flag:
	case DW_FORM_ref1:
	case DW_FORM_strx1: return read_fixed(p, end, 1, swap, value);
	case DW_FORM_data2:
	case DW_FORM_ref2:
	case DW_FORM_strx2: return read_fixed(p, end, 2, swap, value);
	case DW_FORM_strx3: return read_fixed(p, end, 3, swap, value);
	case DW_FORM_data4:
	case DW_FORM_ref4:
	case DW_FORM_strx4: return read_fixed(p, end, 4, swap, value);
	case DW_FORM_data8:
	case DW_FORM_ref8: return read_fixed(p, end, 8, swap, value);
	case DW_FORM_strp:
	case DW_FORM_line_strp:
	case DW_FORM_strp_sup:
	case DW_FORM_GNU_strp_alt:
	case DW_FORM_sec_offset:
		return read_fixed(p, end, unit->unit->offset_bytes, swap, value);
	case DW_FORM_udata:
	case DW_FORM_strx:
	case DW_FORM_GNU_str_index:
	case DW_FORM_ref_udata: return leb128_unsigned(p, end, value);
	case DW_FORM_sdata:
		p = leb128_signed(p, end, &number);
		*value = (uint64_t)number;
		return p;
	case DW_FORM_string:
		p = memchr(p, 0, (size_t)(end - p));
		return p ? p + 1 : NULL;
	default: return NULL;
	}
}

static bool encoding_of(uint64_t encoding, struct location_type *type)
{
	type->is_signed = encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
	return type->is_signed || encoding == DW_ATE_unsigned || encoding == DW_ATE_unsigned_char ||
	       encoding == DW_ATE_address || encoding == DW_ATE_UTF;
}

bool location_type_at(const struct location_unit *unit, uint64_t unit_offset,
		      struct location_type *type)
{
	const struct section *abbrev = &unit->object->sections[SECTION_ABBREV];
	const uint8_t *info = unit->object->sections[SECTION_INFO].data;
	const uint8_t *end = info + unit->unit->end;
	uint64_t tag, code, attribute, form, size = 0, encoding = 0;
	const uint8_t *p, *pair;

	if (unit_offset < unit->unit->first_die - unit->unit->offset ||
	    unit_offset >= unit->unit->end - unit->unit->offset)
		return false;
	p = leb128_unsigned(info + unit->unit->offset + unit_offset, end, &code);
	pair = p && code ? find_abbreviation(unit, code, &tag) : NULL;
	if (!pair || tag != DW_TAG_base_type)
		return false;
	for (;;) {
		uint64_t value = 0;
		int64_t constant = 0;

		pair = leb128_unsigned(pair, abbrev->data + abbrev->size, &attribute);
		pair = pair ? leb128_unsigned(pair, abbrev->data + abbrev->size, &form) : NULL;
		if (!pair)
			return false;
		if (!attribute && !form)
			break;
		if (form == DW_FORM_implicit_const) {
			pair = leb128_signed(pair, abbrev->data + abbrev->size, &constant);
			if (!pair)
				return false;
			value = (uint64_t)constant;
		} else {
			p = read_form(unit, form, p, end, &value);
			if (!p)
				return false;
		}
		/* Bits, or another byte order, would make it something else than its bytes. */
		if (attribute == DW_AT_bit_size || attribute == DW_AT_endianity)
			return false;
		if (attribute == DW_AT_byte_size)
			size = value;
		else if (attribute == DW_AT_encoding)
			encoding = value;
	}
	type->bytes = (uint8_t)size;
	return encoding_of(encoding, type) && size >= 1 && size <= 8;
}
