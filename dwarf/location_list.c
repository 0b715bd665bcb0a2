/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/location_list.h"

#include "base/bytes.h"
#include "dwarf/leb128.h"

/* GCC's views may be between the entries (-gvariable-location-views=incompat5). */
#ifndef DW_LLE_GNU_view_pair
#define DW_LLE_GNU_view_pair 0x09
#endif

struct list_search {
	const struct location_unit *unit;
	const uint8_t *p;
	const uint8_t *end;		/* of the section */
	uint64_t base;
	uint64_t highest;		/* address */
	uint64_t pc;
	uint64_t padded_pc;
	bool is_entry;
	bool or_later;
	const uint8_t *views;		/* of the next entry; NULL: there are none, or no more */
	uint64_t view;			/* at pc */
	bool by_views;			/* only they say what comes next, if they can be read */
	struct byte_range exact;	/* the first entry that covers pc, or is for the entry */
	struct byte_range padded;	/* the first that covers padded_pc */
	struct byte_range otherwise;	/* the first default location */
	struct byte_range later;	/* the first entry that begins after pc, or its view */
};

bool location_indexed_address(const struct location_unit *unit, uint64_t index, uint64_t *address)
{
	return unit_indexed_word(unit->object, SECTION_ADDR, unit->bases.addr, index,
				 unit->unit->address_bytes, address);
}

bool location_list_offset(const struct location_unit *unit, uint64_t index, uint64_t *offset)
{
	if (!unit_indexed_word(unit->object, SECTION_LOCLISTS, unit->bases.loclists, index,
			       unit->unit->offset_bytes, offset))
		return false;
	*offset += unit->bases.loclists;
	return true;
}

/* (address, view) pairs, as one number is less than another. */
static bool is_before(uint64_t address, uint64_t view, uint64_t other, uint64_t other_view)
{
	return address < other || (address == other && view < other_view);
}

/* The same by views. What cannot be read as views says nothing; then addresses alone count. */
static void add_entry_with_views(struct list_search *search, uint64_t begin, uint64_t end,
				 const struct byte_range *expression)
{
	uint64_t first, last;

	search->views = leb128_unsigned(search->views, search->end, &first);
	if (search->views)
		search->views = leb128_unsigned(search->views, search->end, &last);
	if (!search->views)
		return;
	if (!is_before(search->pc, search->view, begin, first) &&
	    is_before(search->pc, search->view, end, last))
		search->exact = *expression;
	else if (begin == search->pc && first == search->view + 1 && !search->later.begin)
		search->later = *expression;
}

/*
 * [begin, end) has this expression. An empty range is for a statement without an instruction (GCC's
 * views): it covers nothing, but at the entry of a function it says what holds before the first.
 */
static void add_entry(struct list_search *search, uint64_t begin, uint64_t end,
		      const struct byte_range *expression)
{
	begin &= search->highest;
	end &= search->highest;
	if (search->views) {
		add_entry_with_views(search, begin, end, expression);
		return;
	}
	if (begin <= search->pc &&
	    (search->pc < end || (search->is_entry && begin == search->pc && begin == end)))
		search->exact = *expression;
	else if (begin <= search->padded_pc && search->padded_pc < end && !search->padded.begin)
		search->padded = *expression;
	if (!search->by_views && search->pc < begin && begin < end && !search->later.begin)
		search->later = *expression;
}

/* Pairs of addresses relative to a base, with an expression; (-1, x) sets the base, (0, 0) ends. */
static bool search_loc(struct list_search *search)
{
	uint8_t wide = search->unit->unit->address_bytes;
	bool swap = search->unit->swap;
	const uint8_t *p = search->p;

	while (search->end - p >= 2 * wide) {
		uint64_t begin = unit_load_word(p, wide, swap);
		uint64_t end = unit_load_word(p + wide, wide, swap);
		struct byte_range expression;
		uint16_t length;

		p += 2 * wide;
		if (begin == 0 && end == 0)
			return true;
		if (begin == search->highest) {
			search->base = end;
			continue;
		}
		if (search->end - p < 2)
			return false;
		length = bytes_load_u16(p, swap);
		p += 2;
		if (search->end - p < length)
			return false;
		expression = (struct byte_range){ p, p + length };
		p += length;
		add_entry(search, search->base + begin, search->base + end, &expression);
		if (search->exact.begin)
			return true;
	}
	return false;
}

enum operand { NOTHING, NUMBER, ADDRESS, INDEX };

static const struct entry_rule {
	uint8_t first;		/* enum operand */
	uint8_t second;
	bool has_expression;
} entry_rules[] = {
	[DW_LLE_base_addressx] = { INDEX, NOTHING, false },
	[DW_LLE_startx_endx] = { INDEX, INDEX, true },
	[DW_LLE_startx_length] = { INDEX, NUMBER, true },
	[DW_LLE_offset_pair] = { NUMBER, NUMBER, true },
	[DW_LLE_default_location] = { NOTHING, NOTHING, true },
	[DW_LLE_base_address] = { ADDRESS, NOTHING, false },
	[DW_LLE_start_end] = { ADDRESS, ADDRESS, true },
	[DW_LLE_start_length] = { ADDRESS, NUMBER, true },
	[DW_LLE_GNU_view_pair] = { NUMBER, NUMBER, false },
};

/* After the operand, or NULL. */
static const uint8_t *read_operand(const struct list_search *search, const uint8_t *p,
				   enum operand kind, uint64_t *value)
{
	uint8_t wide = search->unit->unit->address_bytes;

	if (kind == NOTHING)
		return p;
	if (kind == ADDRESS) {
		if (search->end - p < wide)
			return NULL;
		*value = unit_load_word(p, wide, search->unit->swap);
		return p + wide;
	}
	p = leb128_unsigned(p, search->end, value);
	if (p && kind == INDEX && !location_indexed_address(search->unit, *value, value))
		return NULL;
	return p;
}

static const uint8_t *read_expression(const struct list_search *search, const uint8_t *p,
				      struct byte_range *expression)
{
	uint64_t length;

	p = leb128_unsigned(p, search->end, &length);
	if (!p || length > (uint64_t)(search->end - p))
		return NULL;
	*expression = (struct byte_range){ p, p + length };
	return p + length;
}

/* What an entry says, once its operands a and b are read. */
static void apply_entry(struct list_search *search, uint8_t kind, uint64_t a, uint64_t b,
			const struct byte_range *expression)
{
	switch (kind) {
	case DW_LLE_base_address:
	case DW_LLE_base_addressx: search->base = a; break;
	case DW_LLE_offset_pair:
		add_entry(search, search->base + a, search->base + b, expression);
		break;
	case DW_LLE_start_end:
	case DW_LLE_startx_endx: add_entry(search, a, b, expression); break;
	case DW_LLE_start_length:
	case DW_LLE_startx_length: add_entry(search, a, a + b, expression); break;
	case DW_LLE_default_location:
		if (!search->otherwise.begin)
			search->otherwise = *expression;
		break;
	default: break;
	}
}

static bool search_loclist(struct list_search *search)
{
	const uint8_t *p = search->p;

	while (p < search->end) {
		uint8_t kind = *p++;
		struct byte_range expression = { NULL, NULL };
		const struct entry_rule *rule;
		uint64_t a = 0, b = 0;

		if (kind == DW_LLE_end_of_list)
			return true;
		if (kind >= sizeof(entry_rules) / sizeof(entry_rules[0]))
			return false;
		rule = &entry_rules[kind];
		p = read_operand(search, p, rule->first, &a);
		p = p ? read_operand(search, p, rule->second, &b) : NULL;
		if (p && rule->has_expression)
			p = read_expression(search, p, &expression);
		if (!p)
			return false;
		apply_entry(search, kind, a, b, &expression);
		if (search->exact.begin)
			return true;
	}
	return false;
}

bool location_list_find(const struct location_unit *unit, uint64_t offset,
			const struct location_moment *moment, struct byte_range *expression)
{
	bool is_old = unit->unit->version < 5;
	const struct section *section =
		&unit->object->sections[is_old ? SECTION_LOC : SECTION_LOCLISTS];
	struct list_search search = {
		.unit = unit,
		.base = unit->bases.low_pc,
		.highest = unit->unit->address_bytes == 8 ? UINT64_MAX : UINT32_MAX,
		.pc = moment->pc,
		.padded_pc = moment->pc + moment->pad_bytes,
		.is_entry = moment->is_entry,
		.or_later = moment->or_later,
	};

	*expression = (struct byte_range){ NULL, NULL };
	if (offset >= section->size)
		return false;
	search.p = section->data + offset;
	search.end = section->data + section->size;
	if (moment->has_view && moment->views < section->size) {
		search.views = section->data + moment->views;
		search.view = moment->view;
		search.by_views = search.or_later = true;
	}
	if (!(is_old ? search_loc(&search) : search_loclist(&search)))
		return false;
	if (search.exact.begin)
		*expression = search.exact;
	else if (search.padded.begin)
		*expression = search.padded;
	else if (search.otherwise.begin || !search.or_later)
		*expression = search.otherwise;
	else
		*expression = search.later;
	return true;
}
