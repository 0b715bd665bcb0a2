/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/unit.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>

#include "base/hash.h"
#include "base/search.h"
#include "dwarf/byte_cursor.h"

/* The longest header: 64-bit DWARF 5, of a type unit. */
#define HEADER_BYTES_MAX (12 + 2 + 1 + 1 + 8 + 8 + 8)

/*
 * What follows the length depends on the version: until DWARF 4 version, abbreviation offset and
 * address size; from DWARF 5 on version, unit type, address size and abbreviation offset, then for
 * type units signature and type offset, for skeleton units an id.
 */
static bool parse_unit(struct unit *unit, const struct object *object,
		       const struct dwarf_piece *piece, uint64_t offset, struct error *err)
{
	uint64_t size = piece->end, left = size - offset, length;
	uint8_t bytes[HEADER_BYTES_MAX];
	struct byte_cursor header = { bytes, bytes + (left < sizeof(bytes) ? left : sizeof(bytes)),
				      object->swap, false };

	object_copy(object, SECTION_INFO, offset, bytes, (size_t)(header.end - bytes));
	*unit = (struct unit){ .offset = offset, .unit_type = DW_UT_compile, .piece = piece };
	length = cursor_initial_length(&header, &unit->offset_bytes);
	left -= (uint64_t)(header.p - bytes);
	if (header.is_bad || length > left)
		return error_at(err, object->path, "unit 0x%" PRIx64 ": its header or length runs "
				"past the end of .debug_info (0x%zx bytes); the file is truncated "
				"or damaged", offset, (size_t)size);
	unit->end = size - left + length;
	if (length < (uint64_t)(header.end - header.p))
		header.end = header.p + length;
	unit->version = (uint16_t)cursor_number(&header, 2);
	if (unit->version < 5) {
		unit->abbrev_offset = cursor_number(&header, unit->offset_bytes);
		unit->address_bytes = (uint8_t)cursor_number(&header, 1);
		if (piece->has_type_units)
			unit->unit_type = DW_UT_type;
	} else {
		unit->unit_type = (uint8_t)cursor_number(&header, 1);
		unit->address_bytes = (uint8_t)cursor_number(&header, 1);
		unit->abbrev_offset = cursor_number(&header, unit->offset_bytes);
	}
	if (unit->unit_type == DW_UT_type) {
		unit->signature = cursor_number(&header, 8);
		unit->type_die = offset + cursor_number(&header, unit->offset_bytes);
	} else if (unit->unit_type == DW_UT_skeleton) {
		cursor_skip(&header, 8);
	}
	unit->abbrev_offset += piece->starts[SECTION_ABBREV];
	unit->first_die = offset + (uint64_t)(header.p - bytes);
	/* Too short for a header; the next unit is where the length says. */
	if (header.is_bad)
		*unit = (struct unit){ .offset = offset, .end = unit->end, .first_die = unit->end,
				       .piece = piece };
	return true;
}

/*
 * Linkers align the sections that they put together, and fill up with zeros: so many words of them
 * are next. A hole is read by pages.
 */
static uint64_t padding_bytes(const struct object *object, uint64_t offset, uint64_t end)
{
	uint8_t bytes[4096];
	uint64_t at = offset;
	size_t count = 4, zeros;

	do {
		count = end - at < count ? (size_t)(end - at) : count;
		object_copy(object, SECTION_INFO, at, bytes, count);
		for (zeros = 0; zeros < count && !bytes[zeros]; zeros++)
			;
		at += zeros < count ? zeros & ~(size_t)3 : count;
		count = zeros < count ? 0 : sizeof(bytes);
	} while (count && at < end);
	return at - offset;
}

static uint32_t signature_hash(uint64_t signature)
{
	return hash_finish(hash_mix(signature, 0));
}

uint64_t unit_list_type(const struct unit_list *units, uint64_t signature)
{
	uint32_t unit = hash_table_find(i, &units->signatures, signature_hash(signature),
					units->data[i - 1].signature == signature);

	return unit ? units->data[unit - 1].type_die : UINT64_MAX;
}

static bool list_units(struct unit_list *units, const struct object *object, struct error *err)
{
	for (size_t i = 0; i < object->pieces.count; i++) {
		const struct dwarf_piece *piece = object->pieces.data[i];
		struct unit unit;

		for (uint64_t offset = piece->begin; offset < piece->end; offset = unit.end) {
			struct unit *last = units->count ? &units->data[units->count - 1] : NULL;

			unit.end = offset + padding_bytes(object, offset, piece->end);
			if (unit.end != offset)
				continue;
			if (!parse_unit(&unit, object, piece, offset, err))
				return false;
			/* Damage is not millions of units. */
			if (last && last->piece == piece && last->first_die == last->end &&
			    unit.first_die == unit.end && !last->version && !unit.version)
				last->first_die = last->end = unit.end;
			else
				array_push(units, unit);
		}
	}
	return true;
}

bool unit_list_read(struct unit_list *units, const struct object *object, struct error *err)
{
	*units = (struct unit_list){ 0 };
	if (!list_units(units, object, err)) {
		unit_list_release(units);
		return false;
	}
	for (uint32_t i = 0; i < units->count; i++) {
		const struct unit *unit = &units->data[i];

		/* Of equal ones the first counts. */
		if (unit->type_die && unit_list_type(units, unit->signature) == UINT64_MAX)
			hash_table_add(&units->signatures, signature_hash(unit->signature), i + 1);
	}
	return true;
}

void unit_list_release(struct unit_list *units)
{
	array_release(units);
	hash_table_release(&units->signatures);
}

const struct unit *unit_list_find(const struct unit_list *units, uint64_t offset)
{
	size_t at = lower_bound(i, units->count, units->data[i].end <= offset);

	return at < units->count && units->data[at].offset <= offset ? &units->data[at] : NULL;
}

bool unit_is_readable(const struct unit *unit, const struct object *object, struct error *err)
{
	char where[600];

	snprintf(where, sizeof(where), "%.500s: unit 0x%" PRIx64, object->path, unit->offset);
	if (unit->first_die == unit->end && !unit->address_bytes)
		return error_at(err, where, "is too short for a unit header; the file is damaged");
	if (unit->version < 2 || unit->version > 5)
		return error_at(err, where, "has DWARF version %u, known are 2 to 5; "
				"rebuild with -gdwarf-5", unit->version);
	if (unit->address_bytes != 4 && unit->address_bytes != 8)
		return error_at(err, where, "has addresses of %u bytes, known are 4 and 8; "
				"the file is damaged", unit->address_bytes);
	if (unit->abbrev_offset >= object->sections[SECTION_ABBREV].size)
		return error_at(err, where,
				"its abbreviations at 0x%" PRIx64 " are past the end of "
				".debug_abbrev (0x%zx bytes); the file is damaged",
				unit->abbrev_offset, object->sections[SECTION_ABBREV].size);
	return true;
}

bool unit_indexed_word(const struct object *object, enum section_id id, uint64_t base,
		       uint64_t index, uint8_t wide, uint64_t *value)
{
	const struct section *section = &object->sections[id];
	uint64_t at;

	if (__builtin_mul_overflow(index, wide, &at) || __builtin_add_overflow(at, base, &at) ||
	    section->size < wide || at > section->size - wide)
		return false;
	*value = unit_load_word(section->data + at, wide, object->swap);
	return true;
}
