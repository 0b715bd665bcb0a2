/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/ranges.h"

#include "dwarf/address_list.h"

bool ranges_read(const struct die_cursor *cursor, const struct die *die,
		 address_range_array *ranges)
{
	uint64_t offset = die->value[SLOT_RANGES];
	struct address_list list;
	struct list_entry entry;
	enum list_status status;

	/* An index into the offset table at rnglists_base. */
	if (abbrev_form(cursor->abbrevs, die->abbrev, SLOT_RANGES) == DW_FORM_rnglistx) {
		if (!unit_indexed_word(cursor->object, SECTION_RNGLISTS, cursor->bases.rnglists,
				       offset, cursor->unit->offset_bytes, &offset))
			return false;
		offset += cursor->bases.rnglists;
	} else {
		enum section_id id = cursor->unit->version < 5 ? SECTION_RANGES : SECTION_RNGLISTS;

		/* GNU's: in the image's section, from the skeleton's DW_AT_GNU_ranges_base on. */
		offset += cursor->unit->skeleton && cursor->unit->version < 5
				  ? cursor->bases.rnglists
				  : cursor->unit->piece->starts[id];
	}
	address_list_open(&list, cursor->object, cursor->unit, &cursor->bases, false, offset);
	for (;;) {
		status = address_list_next(&list, &entry);
		if (status != LIST_ENTRY)
			return status == LIST_END;
		if (entry.begin < entry.end)
			array_push(ranges, ((struct address_range){ entry.begin, entry.end }));
	}
}
