/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/location.h"

#include "dwarf/address_list.h"

struct location_source location_source_of(const struct die_cursor *cursor, const struct die *die,
					  enum die_slot slot)
{
	struct location_source source = { .form_class = LOCATION_FORM_ABSENT };
	enum section_id id = cursor->unit->version < 5 ? SECTION_LOC : SECTION_LOCLISTS;
	uint16_t form = abbrev_form(cursor->abbrevs, die->abbrev, slot);
	uint64_t lists = cursor->unit->piece->starts[id];

	if (!die_has(die, slot))
		return source;
	source.value = die->value[slot];
	if (slot == SLOT_LOCATION && die_has(die, SLOT_LOCATION_VIEWS)) {
		source.has_views = true;
		source.views = die->value[SLOT_LOCATION_VIEWS] + lists;
	}
	switch (form) {
	case DW_FORM_exprloc:
	case DW_FORM_block:
	case DW_FORM_block1:
	case DW_FORM_block2:
	case DW_FORM_block4:
		source.form_class = LOCATION_FORM_EXPRESSION;
		source.length_bytes = block_length_bytes(form);
		break;
	case DW_FORM_loclistx: source.form_class = LOCATION_FORM_LIST_INDEX; break;
	default:
		source.form_class = LOCATION_FORM_LIST;
		source.value += lists;
		/* DWARF 2 and 3 have no form of its own for a list's offset. All else is no
		   location: it must not pass for "no attribute", so it leads nowhere. */
		if (form != DW_FORM_sec_offset &&
		    (cursor->unit->version > 3 ||
		     (form != DW_FORM_data4 && form != DW_FORM_data8)))
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
	const uint8_t *section = unit->object->sections[SECTION_INFO].data;
	struct byte_cursor cursor = { NULL, section + unit->unit->end, unit->swap, false };

	if (source->value < unit->unit->first_die || source->value >= unit->unit->end)
		return false;
	cursor.p = section + source->value;
	*block = cursor_block(&cursor, source->length_bytes);
	return !cursor.is_bad;
}

/* ---- lists ---- */

struct list_search {
	const struct location_moment *moment;
	uint64_t highest;		/* address */
	struct byte_cursor views;	/* of the next entry; is_bad: there are none, or no more */
	bool by_views;			/* only they say what comes next, if they can be read */
	struct byte_range exact;	/* the first entry that covers pc, or is for the entry */
	struct byte_range padded;	/* the first that covers pc + pad_bytes */
	struct byte_range otherwise;	/* the first default location */
	struct byte_range later;	/* the first entry that begins after pc, or its view */
};

/* (address, view) pairs, as one number is less than another. */
static bool is_before(uint64_t address, uint64_t view, uint64_t other, uint64_t other_view)
{
	return address < other || (address == other && view < other_view);
}

/*
 * An empty range is for a statement without an instruction (GCC's views): it covers nothing, but at
 * the entry of a function its expression holds before the first.
 */
static void add_list_entry(struct list_search *search, const struct list_entry *entry)
{
	const struct location_moment *moment = search->moment;
	uint64_t begin = entry->begin & search->highest, end = entry->end & search->highest;
	uint64_t pc = moment->pc, padded_pc = pc + moment->pad_bytes;

	if (entry->is_default) {
		if (!search->otherwise.begin)
			search->otherwise = entry->expression;
		return;
	}
	if (!search->views.is_bad) {
		uint64_t first = cursor_uleb(&search->views);
		uint64_t last = cursor_uleb(&search->views);

		/* An entry without its views is skipped; for the rest addresses alone count. */
		if (search->views.is_bad)
			return;
		if (!is_before(pc, moment->view, begin, first) &&
		    is_before(pc, moment->view, end, last))
			search->exact = entry->expression;
		else if (begin == pc && first == moment->view + 1 && !search->later.begin)
			search->later = entry->expression;
		return;
	}
	if (begin <= pc && (pc < end || (moment->is_entry && begin == pc && begin == end)))
		search->exact = entry->expression;
	else if (begin <= padded_pc && padded_pc < end && !search->padded.begin)
		search->padded = entry->expression;
	if (!search->by_views && pc < begin && begin < end && !search->later.begin)
		search->later = entry->expression;
}

/* Counting what is shared takes time: lists so short do no harm. */
#define FREE_ENTRIES 16

/*
 * The expression for a moment in the list at `offset` in the unit's section. False: the list is
 * malformed or runs out of its section before an entry that counts.
 */
static bool find_in_list(const struct location_unit *unit, const struct location_source *source,
			 uint64_t offset, const struct location_moment *moment,
			 struct byte_range *expression)
{
	const struct section *section =
		&unit->object->sections[unit->unit->version < 5 ? SECTION_LOC : SECTION_LOCLISTS];
	struct list_search search = { .moment = moment };
	struct address_list list;
	struct list_entry entry;
	enum list_status status;

	address_list_open(&list, unit->object, unit->unit, &unit->bases, true, offset);
	search.highest = list.highest;
	search.by_views = moment->has_view && source->has_views && source->views < section->size;
	search.views = (struct byte_cursor){ section->data, array_place(section, section->size),
					     unit->swap, !search.by_views };
	if (search.by_views)
		search.views.p += source->views;
	do {
		status = address_list_next(&list, &entry);
		if (status == LIST_ENTRY)
			add_list_entry(&search, &entry);
	} while (status == LIST_ENTRY && !search.exact.begin);
	if (!address_list_close(&list, FREE_ENTRIES) || status == LIST_BAD)
		return false;
	if (search.exact.begin)
		*expression = search.exact;
	else if (search.padded.begin)
		*expression = search.padded;
	else if (search.otherwise.begin || !(moment->or_later || search.by_views))
		*expression = search.otherwise;
	else
		*expression = search.later;
	return true;
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
		return find_in_list(unit, source, offset, moment, expression);
	case LOCATION_FORM_LIST: return find_in_list(unit, source, offset, moment, expression);
	default: return block_at(unit, source, expression);
	}
}

bool location_at(const struct location_unit *unit, const struct location_source *source,
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

enum frame_base frame_base_of(const struct location_unit *unit,
			      const struct location_source *source, uint8_t *reg)
{
	struct byte_range expression;
	struct location location;

	/* A list is one that changes as the prologue moves on: no one answer. */
	if (source->form_class != LOCATION_FORM_EXPRESSION ||
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
