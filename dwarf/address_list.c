/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/address_list.h"

/* GCC's views may be between the entries (-gvariable-location-views=incompat5). */
#ifndef DW_LLE_GNU_view_pair
#define DW_LLE_GNU_view_pair 0x09
#endif

void address_list_open(struct address_list *list, const struct object *object,
		       const struct unit *unit, const struct unit_bases *bases,
		       bool has_expressions, uint64_t offset)
{
	static const enum section_id ids[2][2] = { { SECTION_RNGLISTS, SECTION_RANGES },
						   { SECTION_LOCLISTS, SECTION_LOC } };
	enum section_id id = ids[has_expressions][unit->version < 5];
	const struct section *section = &object->sections[id];

	*list = (struct address_list){
		.object = object,
		.unit = unit,
		.section = id,
		.cursor = { section->data, array_place(section, section->size), object->swap,
			    false },
		.base = bases->low_pc,
		.highest = unit->address_bytes == 8 ? UINT64_MAX : UINT32_MAX,
		.addr_base = bases->addr,
		.has_expressions = has_expressions,
	};
	cursor_skip(&list->cursor, offset);
	if (!object_share(object, id, 0))
		cursor_poison(&list->cursor);
}

/* Pairs of addresses relative to a base; (-1, x) sets the base, (0, 0) ends the list. */
static enum list_status next_pair(struct address_list *list, struct list_entry *entry)
{
	struct byte_cursor *cursor = &list->cursor;
	uint8_t wide = list->unit->address_bytes;

	for (;; list->entries++) {
		entry->begin = cursor_number(cursor, wide);
		entry->end = cursor_number(cursor, wide);
		if (cursor->is_bad)
			return LIST_BAD;
		if (!entry->begin && !entry->end)
			return LIST_END;
		if (entry->begin != list->highest)
			break;
		list->base = entry->end;
	}
	entry->begin += list->base;
	entry->end += list->base;
	if (list->has_expressions)
		entry->expression = cursor_block(cursor, 2);
	return cursor->is_bad ? LIST_BAD : LIST_ENTRY;
}

enum operand { NOTHING, NUMBER, ADDRESS, INDEX };

enum meaning { BASE, BASE_RELATIVE, ADDRESSES, LENGTH, DEFAULT_LOCATION, VIEWS };

/* By DW_LLE_*. DW_RLE_* has no default location: from there on its numbers are one lower. */
static const struct entry_rule {
	uint8_t first;		/* enum operand */
	uint8_t second;
	uint8_t meaning;
} entry_rules[] = {
	[DW_LLE_base_addressx] = { INDEX, NOTHING, BASE },
	[DW_LLE_startx_endx] = { INDEX, INDEX, ADDRESSES },
	[DW_LLE_startx_length] = { INDEX, NUMBER, LENGTH },
	[DW_LLE_offset_pair] = { NUMBER, NUMBER, BASE_RELATIVE },
	[DW_LLE_default_location] = { NOTHING, NOTHING, DEFAULT_LOCATION },
	[DW_LLE_base_address] = { ADDRESS, NOTHING, BASE },
	[DW_LLE_start_end] = { ADDRESS, ADDRESS, ADDRESSES },
	[DW_LLE_start_length] = { ADDRESS, NUMBER, LENGTH },
	[DW_LLE_GNU_view_pair] = { NUMBER, NUMBER, VIEWS },
};

static uint64_t read_operand(struct address_list *list, uint8_t kind)
{
	uint64_t value;

	if (kind == NOTHING)
		return 0;
	if (kind == ADDRESS)
		return cursor_number(&list->cursor, list->unit->address_bytes);
	value = cursor_uleb(&list->cursor);
	if (kind == INDEX && !unit_indexed_word(list->object, SECTION_ADDR, list->addr_base, value,
						list->unit->address_bytes, &value))
		cursor_poison(&list->cursor);
	return value;
}

enum list_status address_list_next(struct address_list *list, struct list_entry *entry)
{
	struct byte_cursor *cursor = &list->cursor;

	entry->is_default = false;
	list->entries++;
	if (list->unit->version < 5)
		return next_pair(list, entry);
	for (;; list->entries++) {
		uint8_t kind = (uint8_t)cursor_number(cursor, 1);
		const struct entry_rule *rule;

		if (cursor->is_bad)
			return LIST_BAD;
		if (kind == DW_LLE_end_of_list)
			return LIST_END;
		if (kind > (list->has_expressions ? DW_LLE_GNU_view_pair : DW_RLE_start_length))
			return LIST_BAD;
		if (!list->has_expressions && kind >= DW_RLE_base_address)
			kind += DW_LLE_base_address - DW_RLE_base_address;
		rule = &entry_rules[kind];
		entry->begin = read_operand(list, rule->first);
		entry->end = read_operand(list, rule->second);
		if (rule->meaning == BASE)
			list->base = entry->begin;
		if (rule->meaning == BASE || rule->meaning == VIEWS)
			continue;
		if (list->has_expressions)
			entry->expression = cursor_block(cursor, 0);
		if (rule->meaning == BASE_RELATIVE)
			entry->begin += list->base;
		if (rule->meaning != ADDRESSES)
			entry->end += rule->meaning == LENGTH ? entry->begin : list->base;
		entry->is_default = rule->meaning == DEFAULT_LOCATION;
		return cursor->is_bad ? LIST_BAD : LIST_ENTRY;
	}
}

bool address_list_close(const struct address_list *list, uint32_t free_entries)
{
	return list->entries <= free_entries ||
	       object_share(list->object, list->section,
			    (uint64_t)list->entries * list->unit->address_bytes * 2);
}

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

		offset += cursor->unit->piece->starts[id];
	}
	address_list_open(&list, cursor->object, cursor->unit, &cursor->bases, false, offset);
	while ((status = address_list_next(&list, &entry)) == LIST_ENTRY) {
		if (entry.begin < entry.end)
			array_push(ranges, ((struct address_range){ entry.begin, entry.end }));
	}
	return address_list_close(&list, 0) && status == LIST_END;
}

void code_ranges_read(struct die_cursor *cursor, const struct die *die,
		      address_range_array *code)
{
	struct address_range range;

	if (die_has(die, SLOT_RANGES)) {
		ranges_read(cursor, die, code);
	} else if (die_has(die, SLOT_HIGH_PC) &&
		   die_cursor_address(cursor, die, SLOT_LOW_PC, &range.begin)) {
		/* An address, or since DWARF 4 a constant: the length. */
		if (!die_cursor_address(cursor, die, SLOT_HIGH_PC, &range.end))
			range.end = range.begin + die->value[SLOT_HIGH_PC];
		array_push(code, range);
	}
}
