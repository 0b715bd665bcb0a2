/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/unit.h"

#include <dwarf.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/search.h"

static bool truncated(const struct object *object, uint64_t offset, struct error *err)
{
	return error_at(err, object->path,
			"unit 0x%" PRIx64 ": its header or length runs past the end of .debug_info "
			"(0x%zx bytes); the file is truncated or damaged",
			offset, object->sections[SECTION_INFO].size);
}

/* The longest header: 64-bit DWARF 5, of a type unit. */
#define HEADER_BYTES_MAX (12 + 2 + 1 + 1 + 8 + 8 + 8)

/*
 * What follows the length depends on the version: until DWARF 4 version, abbreviation offset and
 * address size; from DWARF 5 on version, unit type, address size and abbreviation offset, then for
 * type units signature and type offset, for skeleton units the dwo id.
 */
static bool parse_body(struct unit *unit, const uint8_t *p, uint64_t left, bool swap)
{
	uint8_t wide = unit->offset_bytes;
	uint64_t used;

	if (left < 2)
		return false;
	unit->version = bytes_load_u16(p, swap);
	unit->unit_type = DW_UT_compile;
	if (unit->version < 5) {
		used = 2u + wide + 1;
		if (left < used)
			return false;
		unit->abbrev_offset = unit_load_word(p + 2, wide, swap);
		unit->address_bytes = p[2 + wide];
	} else {
		used = 2u + 1 + 1 + wide;
		if (left < used)
			return false;
		unit->unit_type = p[2];
		unit->address_bytes = p[3];
		unit->abbrev_offset = unit_load_word(p + 4, wide, swap);
		if (unit->unit_type == DW_UT_type || unit->unit_type == DW_UT_split_type) {
			if (left < used + 8 + wide)
				return false;
			unit->signature = bytes_load_u64(p + used, swap);
			unit->type_die = unit->offset + unit_load_word(p + used + 8, wide, swap);
			used += 8u + wide;
		} else if (unit->unit_type == DW_UT_skeleton ||
			   unit->unit_type == DW_UT_split_compile) {
			used += 8;
			if (left < used)
				return false;
		}
	}
	unit->first_die = unit->end - left + used;
	return true;
}

static bool parse_unit(struct unit *unit, const struct object *object, uint64_t offset,
		       struct error *err)
{
	uint64_t left = object->sections[SECTION_INFO].size - offset;
	uint64_t length, length_bytes = 4;
	uint8_t p[HEADER_BYTES_MAX];

	object_copy(object, SECTION_INFO, offset, p, left < sizeof(p) ? left : sizeof(p));
	*unit = (struct unit){ .offset = offset, .offset_bytes = 4 };
	if (left < 4)
		return truncated(object, offset, err);
	length = bytes_load_u32(p, object->swap);
	if (length == 0xffffffff) {
		if (left < 12)
			return truncated(object, offset, err);
		length = bytes_load_u64(p + 4, object->swap);
		length_bytes = 12;
		unit->offset_bytes = 8;
	}
	if (length > left - length_bytes)
		return truncated(object, offset, err);
	unit->end = offset + length_bytes + length;
	/* Too short for a header: padding, or damage; the next unit is where the length says. */
	if (!parse_body(unit, p + length_bytes, length, object->swap))
		*unit = (struct unit){ .offset = offset, .end = unit->end, .first_die = unit->end };
	return true;
}

bool unit_list_read(struct unit_list *units, const struct object *object, struct error *err)
{
	uint64_t size = object->sections[SECTION_INFO].size;
	uint64_t offset = 0;

	*units = (struct unit_list){ 0 };
	while (offset < size) {
		struct unit unit;

		if (!parse_unit(&unit, object, offset, err)) {
			unit_list_release(units);
			return false;
		}
		array_push(units, unit);
		offset = unit.end;
	}
	return true;
}

void unit_list_release(struct unit_list *units)
{
	array_release(units);
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
	if (unit->unit_type == DW_UT_skeleton)
		return error_at(err, where,
				"is a skeleton of a split unit; its types are in a .dwo "
				"file: rebuild without -gsplit-dwarf");
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
