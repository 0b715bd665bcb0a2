/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/ranges.h"

#include "dwarf/leb128.h"

static void add_range(address_range_array *ranges, uint64_t begin, uint64_t end)
{
	if (begin < end)
		array_push(ranges, ((struct address_range){ begin, end }));
}

/* Pairs of addresses relative to a base; (-1, x) sets the base, (0, 0) ends the list. */
static bool read_ranges(const struct die_cursor *cursor, uint64_t offset,
			address_range_array *ranges)
{
	const struct section *section = &cursor->object->sections[SECTION_RANGES];
	uint8_t wide = cursor->unit->address_bytes;
	uint64_t highest = wide == 8 ? UINT64_MAX : UINT32_MAX;
	uint64_t base = cursor->bases.low_pc;

	for (; offset <= section->size && section->size - offset >= 2u * wide;
	     offset += 2u * wide) {
		uint64_t begin = unit_load_word(section->data + offset, wide, cursor->swap);
		uint64_t end = unit_load_word(section->data + offset + wide, wide, cursor->swap);

		if (begin == 0 && end == 0)
			return true;
		if (begin == highest)
			base = end;
		else
			add_range(ranges, base + begin, base + end);
	}
	return false;
}

/* One operand of a range list entry: an address, an index into .debug_addr or a number. */
static const uint8_t *read_operand(const struct die_cursor *cursor, const uint8_t *p,
				   const uint8_t *end, bool is_address, bool is_index,
				   uint64_t *value)
{
	uint8_t wide = cursor->unit->address_bytes;

	if (is_address) {
		if (end - p < wide)
			return NULL;
		*value = unit_load_word(p, wide, cursor->swap);
		return p + wide;
	}
	p = leb128_unsigned(p, end, value);
	if (p && is_index && !die_cursor_indexed_address(cursor, *value, value))
		return NULL;
	return p;
}

static bool read_rnglist(const struct die_cursor *cursor, uint64_t offset,
			 address_range_array *ranges)
{
	const struct section *section = &cursor->object->sections[SECTION_RNGLISTS];
	const uint8_t *end = section->data + section->size;
	uint64_t base = cursor->bases.low_pc;
	const uint8_t *p;

	if (offset >= section->size)
		return false;
	p = section->data + offset;
	while (p < end) {
		uint8_t kind = *p++;
		bool first_address = kind == DW_RLE_base_address || kind == DW_RLE_start_end ||
				     kind == DW_RLE_start_length;
		bool first_index = kind == DW_RLE_base_addressx || kind == DW_RLE_startx_endx ||
				   kind == DW_RLE_startx_length;
		uint64_t a, b;

		if (kind == DW_RLE_end_of_list)
			return true;
		if (kind > DW_RLE_start_length)
			return false;
		p = read_operand(cursor, p, end, first_address, first_index, &a);
		if (!p)
			return false;
		if (kind == DW_RLE_base_address || kind == DW_RLE_base_addressx) {
			base = a;
			continue;
		}
		p = read_operand(cursor, p, end, kind == DW_RLE_start_end,
				 kind == DW_RLE_startx_endx, &b);
		if (!p)
			return false;
		if (kind == DW_RLE_offset_pair)
			add_range(ranges, base + a, base + b);
		else if (kind == DW_RLE_start_end || kind == DW_RLE_startx_endx)
			add_range(ranges, a, b);
		else
			add_range(ranges, a, a + b);
	}
	return false;
}

bool ranges_read(struct die_cursor *cursor, const struct die *die, address_range_array *ranges)
{
	uint64_t offset = die->value[SLOT_RANGES];

	if (cursor->unit->version < 5)
		return read_ranges(cursor, offset, ranges);
	/* An index into the offset table at rnglists_base. */
	if (abbrev_form(cursor->abbrevs, die->abbrev, SLOT_RANGES) == DW_FORM_rnglistx) {
		if (!unit_indexed_word(cursor->object, SECTION_RNGLISTS, cursor->bases.rnglists,
				       offset, cursor->unit->offset_bytes, &offset))
			return false;
		offset += cursor->bases.rnglists;
	}
	return read_rnglist(cursor, offset, ranges);
}
