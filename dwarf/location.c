/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/location.h"

#include "dwarf/location_list.h"

struct location_source location_source_of(const struct die_cursor *cursor, const struct die *die,
					  enum die_slot slot)
{
	struct location_source source = { .form_class = LOCATION_FORM_ABSENT };
	enum section_id id = cursor->unit->version < 5 ? SECTION_LOC : SECTION_LOCLISTS;
	uint64_t lists = cursor->unit->piece->starts[id];
	uint16_t form;

	if (!die_has(die, slot))
		return source;
	source.value = die->value[slot];
	if (slot == SLOT_LOCATION && die_has(die, SLOT_LOCATION_VIEWS)) {
		source.has_views = true;
		source.views = die->value[SLOT_LOCATION_VIEWS] + lists;
	}
	form = abbrev_form(cursor->abbrevs, die->abbrev, slot);
	switch (form) {
	case DW_FORM_exprloc:
	case DW_FORM_block: source.form_class = LOCATION_FORM_EXPRESSION; break;
	case DW_FORM_block1: source.form_class = LOCATION_FORM_BLOCK1; break;
	case DW_FORM_block2: source.form_class = LOCATION_FORM_BLOCK2; break;
	case DW_FORM_block4: source.form_class = LOCATION_FORM_BLOCK4; break;
	case DW_FORM_loclistx: source.form_class = LOCATION_FORM_LIST_INDEX; break;
	case DW_FORM_sec_offset:
		source.form_class = LOCATION_FORM_LIST;
		source.value += lists;
		break;
	default:
		/* DWARF 2 and 3 have no form of its own for a list's offset. All else is no
		   location: it must not pass for "no attribute", so it leads nowhere. */
		source.form_class = LOCATION_FORM_LIST;
		source.value += lists;
		if (cursor->unit->version > 3 ||
		    (form != DW_FORM_data4 && form != DW_FORM_data8))
			source.value = UINT64_MAX;
		break;
	}
	return source;
}

struct location_unit location_unit_of(const struct die_cursor *cursor)
{
	return (struct location_unit){ cursor->object, cursor->unit, cursor->bases, cursor->swap };
}

/* The bytes of a block whose length field is at an offset of .debug_info. */
static bool block_at(const struct location_unit *unit, const struct location_source *source,
		     struct byte_range *block)
{
	static const uint8_t length_bytes[] = {
		[LOCATION_FORM_EXPRESSION] = 0,		/* LEB128 */
		[LOCATION_FORM_BLOCK1] = 1,
		[LOCATION_FORM_BLOCK2] = 2,
		[LOCATION_FORM_BLOCK4] = 4,
	};
	const uint8_t *section = unit->object->sections[SECTION_INFO].data;
	struct byte_cursor cursor = { NULL, section + unit->unit->end, unit->swap, false };

	if (source->value < unit->unit->first_die || source->value >= unit->unit->end)
		return false;
	cursor.p = section + source->value;
	*block = cursor_block(&cursor, length_bytes[source->form_class]);
	return !cursor.is_bad;
}

bool location_expression_at(const struct location_unit *unit, const struct location_source *source,
			    const struct location_moment *moment, struct byte_range *expression)
{
	uint64_t offset = source->value;

	*expression = (struct byte_range){ NULL, NULL };
	switch (source->form_class) {
	case LOCATION_FORM_ABSENT: return true;
	case LOCATION_FORM_LIST_INDEX:
		if (!unit_indexed_word(unit->object, SECTION_LOCLISTS, unit->bases.loclists,
				       offset, unit->unit->offset_bytes, &offset))
			return false;
		offset += unit->bases.loclists;
		return location_list_find(unit, offset, moment, expression);
	case LOCATION_FORM_LIST: return location_list_find(unit, offset, moment, expression);
	default: return block_at(unit, source, expression);
	}
}

static bool find_location(const struct location_unit *unit, const struct location_source *source,
			  enum frame_base frame_base, const struct location_moment *moment,
			  struct location *location)
{
	struct byte_range expression;

	if (!location_expression_at(unit, source, moment, &expression)) {
		location_set(location, LOCATION_OTHER);
		return false;
	}
	return location_reduce(unit, expression.begin, expression.end, frame_base, location);
}

bool location_at(const struct location_unit *unit, const struct location_source *source,
		 enum frame_base frame_base, uint64_t pc, uint32_t pad_bytes,
		 struct location *location)
{
	struct location_moment moment = { .pc = pc, .pad_bytes = pad_bytes };

	return find_location(unit, source, frame_base, &moment, location);
}

bool location_at_entry(const struct location_unit *unit, const struct location_source *source,
		       enum frame_base frame_base, uint64_t entry, uint32_t pad_bytes,
		       struct location *location)
{
	struct location_moment moment = { .pc = entry, .pad_bytes = pad_bytes, .is_entry = true };

	return find_location(unit, source, frame_base, &moment, location);
}

bool location_at_inline_entry(const struct location_unit *unit,
			      const struct location_source *source, enum frame_base frame_base,
			      uint64_t entry, const uint64_t *view, struct location *location)
{
	struct location_moment moment = { .pc = entry, .is_entry = true };

	if (view && source->has_views) {
		moment.has_view = true;
		moment.view = *view;
		moment.views = source->views;
	}
	return find_location(unit, source, frame_base, &moment, location);
}

bool location_after(const struct location_unit *unit, const struct location_source *source,
		    enum frame_base frame_base, uint64_t pc, struct location *location)
{
	struct location_moment moment = { .pc = pc, .or_later = true };

	return find_location(unit, source, frame_base, &moment, location);
}

enum frame_base frame_base_of(const struct location_unit *unit,
			      const struct location_source *source, uint8_t *reg)
{
	struct byte_range expression;
	struct location location;

	/* A list is one that changes as the prologue moves on: no one answer. */
	if (source->form_class == LOCATION_FORM_ABSENT ||
	    source->form_class == LOCATION_FORM_LIST ||
	    source->form_class == LOCATION_FORM_LIST_INDEX ||
	    !block_at(unit, source, &expression) ||
	    !location_reduce(unit, expression.begin, expression.end, FRAME_BASE_NONE, &location))
		return FRAME_BASE_NONE;
	if (location.kind == LOCATION_CFA && location.offset == 0)
		return FRAME_BASE_CFA;
	/* clang says reg, others breg 0: the register's contents in both. */
	if (location.kind == LOCATION_REGISTER ||
	    (location.kind == LOCATION_MEMORY && location.offset == 0)) {
		*reg = location.reg;
		return FRAME_BASE_REGISTER;
	}
	return FRAME_BASE_NONE;
}
