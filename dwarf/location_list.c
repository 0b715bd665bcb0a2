/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/location_list.h"

#include "dwarf/address_list.h"

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
static void add_entry(struct list_search *search, const struct list_entry *entry)
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

bool location_list_find(const struct location_unit *unit, uint64_t offset,
			const struct location_moment *moment, struct byte_range *expression)
{
	const struct section *section =
		&unit->object->sections[unit->unit->version < 5 ? SECTION_LOC : SECTION_LOCLISTS];
	struct list_search search = { .moment = moment };
	struct address_list list;
	struct list_entry entry;
	enum list_status status;

	*expression = (struct byte_range){ NULL, NULL };
	address_list_open(&list, unit->object, unit->unit, &unit->bases, true, offset);
	search.highest = list.highest;
	search.by_views = moment->has_view && moment->views < section->size;
	search.views = (struct byte_cursor){ section->data, section->data + section->size,
					     unit->swap, !search.by_views };
	if (search.by_views)
		search.views.p += moment->views;
	do {
		status = address_list_next(&list, &entry);
		if (status == LIST_BAD)
			return false;
		if (status == LIST_ENTRY)
			add_entry(&search, &entry);
	} while (status == LIST_ENTRY && !search.exact.begin);
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
