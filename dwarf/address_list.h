/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Reads the lists that DWARF has by address: of ranges (.debug_ranges, .debug_rnglists: DWARF 5
 * sections 2.17.3 and 7.25) and of locations (.debug_loc, .debug_loclists: sections 2.6.2 and
 * 7.7.3). Entries of a location list have an expression; else the two differ only in numbers.
 */
#ifndef BTFENC_DWARF_ADDRESS_LIST_H
#define BTFENC_DWARF_ADDRESS_LIST_H

#include "dwarf/die_cursor.h"

struct address_list {
	const struct object *object;
	const struct unit *unit;
	struct byte_cursor cursor;
	uint64_t base;
	uint64_t highest;		/* address */
	uint64_t addr_base;		/* of the unit in .debug_addr */
	enum section_id section;
	uint32_t entries;		/* that were read */
	bool has_expressions;
};

struct list_entry {
	uint64_t begin;			/* not masked to the size of an address */
	uint64_t end;
	struct byte_range expression;	/* of a location list */
	bool is_default;		/* holds where no other entry does; has no addresses */
};

enum list_status {
	LIST_ENTRY,
	LIST_END,
	LIST_BAD,		/* malformed, or it runs out of its section */
};

/* Starts at an offset of the unit's section for that kind of list. */
void address_list_open(struct address_list *list, const struct object *object,
		       const struct unit *unit, const struct unit_bases *bases,
		       bool has_expressions, uint64_t offset);
enum list_status address_list_next(struct address_list *list, struct list_entry *entry);

/* object_share() of what was read, if that is more than `free_entries`. */
bool address_list_close(const struct address_list *list, uint32_t free_entries);

struct address_range {
	uint64_t begin;
	uint64_t end;
};

typedef ARRAY_OF(struct address_range) address_range_array;

/*
 * Appends the non-empty ranges of a DW_AT_ranges slot in list order. False when the list runs out
 * of its section or is malformed; what was read until then is kept.
 */
bool ranges_read(const struct die_cursor *cursor, const struct die *die,
		 address_range_array *ranges);

/* Appends the code of a unit's or a function's DIE: DW_AT_ranges, or up to DW_AT_high_pc. */
void code_ranges_read(struct die_cursor *cursor, const struct die *die,
		      address_range_array *code);

#endif
