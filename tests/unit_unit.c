/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Unit headers, range lists, the offset index, the name table. */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "tests/dwarf_reading.h"
#include "tests/mutate.h"

/* ---- unit headers ---- */

TEST(test_headers)
{
	static const struct {
		uint16_t version;
		uint8_t unit_type, offset_bytes, address_bytes, header_bytes;
		bool big_endian;
		const char *wanted;	/* why it is not readable; NULL: it is */
	} rows[] = {
		{ 2, 0, 4, 8, 11, false, NULL },
		{ 3, 0, 8, 4, 23, true, NULL },
		{ 4, 0, 4, 4, 11, true, NULL },
		{ 5, DW_UT_compile, 4, 8, 12, false, NULL },
		{ 5, DW_UT_compile, 8, 8, 24, true, NULL },
		{ 5, DW_UT_partial, 4, 8, 12, false, NULL },
		{ 5, DW_UT_type, 4, 8, 24, false, NULL },
		{ 5, DW_UT_type, 8, 8, 40, false, NULL },
		{ 5, DW_UT_skeleton, 4, 8, 20, false, NULL },
		{ 1, 0, 4, 8, 11, false, "has DWARF version 1, known are 2 to 5" },
		{ 6, DW_UT_compile, 4, 8, 12, false, "has DWARF version 6, known are 2 to 5" },
		{ 5, DW_UT_compile, 4, 2, 12, false,
		  "has addresses of 2 bytes, known are 4 and 8" },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct dwarf_reading r;
		const struct unit *unit;
		struct dwarf_blob b;

		dwarf_blob_init(&b);
		b.big_endian = rows[i].big_endian;
		dwarf_blob_unit(&b, 4);
		dwarf_blob_end_unit(&b);
		b.offset_bytes = rows[i].offset_bytes;
		b.address_bytes = rows[i].address_bytes;
		dwarf_blob_header(&b, rows[i].version, rows[i].unit_type, 0x1234567890abcdef, 1);
		DIE(&b, 1, DW_TAG_compile_unit);
		dwarf_blob_finish_unit(&b);
		assert_true(dwarf_reading_open(&r, &b));
		assert_int_equal(r.units.count, 2);
		unit = &r.units.data[1];
		assert_int_equal(unit->offset, r.units.data[0].end);
		assert_int_equal(unit->end, r.object.sections[SECTION_INFO].size);
		assert_int_equal(unit->first_die - unit->offset, rows[i].header_bytes);
		assert_int_equal(unit->version, rows[i].version);
		assert_int_equal(unit->offset_bytes, rows[i].offset_bytes);
		assert_int_equal(unit->address_bytes, rows[i].address_bytes);
		if (rows[i].unit_type == DW_UT_type) {
			assert_true(unit->signature == 0x1234567890abcdef);
			assert_int_equal(unit->type_die, b.labels[1]);
		}
		assert_int_equal(unit_is_readable(unit, &r.object, &r.err), !rows[i].wanted);
		if (rows[i].wanted)
			assert_non_null(strstr(dwarf_reading_error(&r), rows[i].wanted));
		assert_null(unit_list_find(&r.units, unit->end));
		assert_ptr_equal(unit_list_find(&r.units, unit->end - 1), unit);
		assert_ptr_equal(unit_list_find(&r.units, unit->offset), unit);
		assert_ptr_equal(unit_list_find(&r.units, unit->offset - 1), &r.units.data[0]);
		dwarf_reading_end(&r, &b);
	}
}

/* Two units with `count` bytes after the first, and `end` zeros after the second. */
static void open_with_hole(struct dwarf_reading *r, struct dwarf_blob *b, const uint8_t *hole,
			   int count, int end)
{
	dwarf_blob_init(b);
	dwarf_blob_unit(b, 4);
	dwarf_blob_end_unit(b);
	for (int i = 0; i < count; i++)
		array_push(&b->sections[SECTION_INFO], hole[i]);
	dwarf_blob_unit(b, 4);
	dwarf_blob_end_unit(b);
	for (int i = 0; i < end; i++)
		array_push(&b->sections[SECTION_INFO], 0);
	assert_true(dwarf_reading_open(r, b));
}

/* Zeros are padding; units that are too short for a header are counted once. */
TEST(test_hole)
{
	uint8_t hole[4096] = { 0 };
	struct dwarf_reading r;
	struct dwarf_blob b;

	for (int count = 4; count <= 4096; count += 4092) {
		for (int end = 0; end < 9; end++) {
			open_with_hole(&r, &b, hole, count, end);
			assert_int_equal(r.units.count, 2);
			assert_int_equal(r.units.data[1].offset,
					 r.units.data[0].end + (uint64_t)count);
			assert_true(unit_is_readable(&r.units.data[1], &r.object, &r.err));
			dwarf_reading_end(&r, &b);
		}
	}
	for (int i = 0; i < 4095; i += 5)
		hole[i] = 1;
	open_with_hole(&r, &b, hole, 4095, 0);
	assert_int_equal(r.units.count, 3);
	assert_int_equal(r.units.data[1].offset, r.units.data[0].end);
	assert_int_equal(r.units.data[1].end, r.units.data[1].offset + 4095);
	assert_int_equal(r.units.data[2].offset, r.units.data[1].end);
	assert_false(unit_is_readable(&r.units.data[1], &r.object, &r.err));
	assert_non_null(strstr(dwarf_reading_error(&r), "is too short for a unit header"));
	assert_true(unit_is_readable(&r.units.data[2], &r.object, &r.err));
	dwarf_reading_end(&r, &b);
}

/* Wherever it is cut, the list either ends with a whole unit or says where it broke. */
TEST(test_truncated_headers)
{
	for (uint8_t wide = 4; wide <= 8; wide += 4) {
		struct dwarf_blob whole;
		size_t bytes;

		dwarf_blob_init(&whole);
		whole.offset_bytes = wide;
		for (int i = 0; i < 2; i++) {
			dwarf_blob_header(&whole, 5, DW_UT_type, 1, 1);
			DIE(&whole, 1, DW_TAG_type_unit);
			dwarf_blob_finish_unit(&whole);
		}
		bytes = whole.sections[SECTION_INFO].count;
		for (size_t cut = bytes; cut > 0; cut--) {
			bool at_unit = cut % (bytes / 2) == 0;
			struct dwarf_reading r;

			whole.sections[SECTION_INFO].count = cut;
			assert_int_equal(dwarf_reading_open(&r, &whole), at_unit);
			if (!at_unit) {
				assert_non_null(strstr(r.err.text,
						       "its header or length runs past the "
						       "end of .debug_info"));
				assert_int_equal(r.units.count, 0);
			}
			dwarf_reading_release(&r);
		}
		dwarf_blob_release(&whole);
	}
}

/* ---- ranges ---- */

#define RANGES 6

struct range_case {
	const char *what;
	uint16_t version;
	const char *bytes;	/* of the list; addresses have 4 bytes, little-endian */
	size_t count;
	bool good;
	struct address_range ranges[RANGES];
};

#define LIST(text) text, sizeof(text) - 1
#define ADDRESS(a) a "\0\0\0"

static const struct range_case range_cases[] = {
	{ "one pair on the unit's base",
	  4,
	  LIST(ADDRESS("\1") ADDRESS("\3") ADDRESS("\0") ADDRESS("\0")),
	  true,
	  { { 0x101, 0x103 } } },
	{ "an empty pair, then one",
	  4,
	  LIST(ADDRESS("\5") ADDRESS("\5") ADDRESS("\6") ADDRESS("\7") ADDRESS("\0") ADDRESS("\0")),
	  true,
	  { { 0x106, 0x107 } } },
	{ "a base of its own",
	  4,
	  LIST("\xff\xff\xff\xff"
	       "\0\2\0\0" ADDRESS("\1") ADDRESS("\2") ADDRESS("\0") ADDRESS("\0")),
	  true,
	  { { 0x201, 0x202 } } },
	{ "no end", 4, LIST(ADDRESS("\1") ADDRESS("\3")), false, { { 0x101, 0x103 } } },
	{ "half a pair", 4, LIST(ADDRESS("\1")), false, { { 0, 0 } } },
	{ "offset pair", 5, LIST("\4\1\3\0"), true, { { 0x101, 0x103 } } },
	{ "base address",
	  5,
	  LIST("\5"
	       "\0\3\0\0"
	       "\4\1\2\0"),
	  true,
	  { { 0x301, 0x302 } } },
	{ "base index",
	  5,
	  LIST("\1\1"
	       "\4\1\2\0"),
	  true,
	  { { 0xb1, 0xb2 } } },
	{ "start and end indexes", 5, LIST("\2\0\1\0"), true, { { 0xa0, 0xb0 } } },
	{ "start index and length", 5, LIST("\3\1\x90\1\0"), true, { { 0xb0, 0x140 } } },
	{ "start and end", 5, LIST("\6" ADDRESS("\1") ADDRESS("\2") "\0"), true, { { 1, 2 } } },
	{ "start and length, twice",
	  5,
	  LIST("\7" ADDRESS("\1") "\2"
				  "\7" ADDRESS("\x10") "\1\0"),
	  true,
	  { { 1, 3 }, { 0x10, 0x11 } } },
	{ "an index outside", 5, LIST("\2\0\2\0"), false, { { 0, 0 } } },
	{ "an unknown kind", 5, LIST("\4\1\2\x08\0"), false, { { 0x101, 0x102 } } },
	{ "no end", 5, LIST("\4\1\2"), false, { { 0x101, 0x102 } } },
	{ "cut in an address", 5, LIST("\6\1\2\3"), false, { { 0, 0 } } },
	{ "cut in a number", 5, LIST("\4\x81"), false, { { 0, 0 } } },
	{ "nothing", 5, LIST(""), false, { { 0, 0 } } },
};

/* In DWARF 5 through an offset and through the index table, whose header has 12 bytes. */
static void run_range_case(const struct range_case *c, bool by_index)
{
	enum section_id section = c->version == 5 ? SECTION_RNGLISTS : SECTION_RANGES;
	address_range_array ranges = { 0 };
	struct dwarf_reading r;
	struct dwarf_blob b;
	struct die die;
	size_t n = 0;

	dwarf_blob_init(&b);
	b.elf32 = true;
	b.big_endian = false;
	b.address_bytes = 4;
	blob_put(&b.sections[section], "0123456789ab\4\0\0\0", 16);
	blob_put(&b.sections[section], c->bytes, c->count);
	blob_put(&b.sections[SECTION_ADDR], "01234567\xa0\0\0\0\xb0\0\0\0", 16);
	dwarf_blob_unit_with(&b, c->version, BLOB_ATTRS(ATTR(DW_AT_low_pc, DW_FORM_addr, 0x100)));
	if (by_index)
		DIE(&b, 0, DW_TAG_subprogram, ATTR(DW_AT_ranges, DW_FORM_rnglistx, 0));
	else
		DIE(&b, 0, DW_TAG_subprogram, ATTR(DW_AT_ranges, DW_FORM_sec_offset, 16));
	DIE(&b, 0, DW_TAG_subprogram, ATTR(DW_AT_ranges, DW_FORM_sec_offset, 0x7fffffff));
	DIE(&b, 0, DW_TAG_subprogram, ATTR(DW_AT_ranges, DW_FORM_rnglistx, UINT64_MAX / 2));
	dwarf_blob_end_unit(&b);
	assert_true(dwarf_reading_open(&r, &b));
	assert_true(dwarf_reading_cursor(&r, 0));
	assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_READ);
	die_cursor_set_bases(&r.cursor, &die);
	assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_READ);
	if (ranges_read(&r.cursor, &die, &ranges) != c->good)
		fail_msg("%s", c->what);
	for (; n < RANGES && c->ranges[n].end; n++) {
		if (n >= ranges.count || ranges.data[n].begin != c->ranges[n].begin ||
		    ranges.data[n].end != c->ranges[n].end)
			fail_msg("%s: range %zu", c->what, n);
	}
	assert_int_equal(ranges.count, n);
	for (int bad = 0; bad < 2; bad++) {
		assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_READ);
		assert_false(ranges_read(&r.cursor, &die, &ranges));
		assert_int_equal(ranges.count, n);
	}
	array_release(&ranges);
	dwarf_reading_end(&r, &b);
}

TEST(test_ranges)
{
	for (size_t i = 0; i < LENGTH(range_cases); i++) {
		run_range_case(&range_cases[i], false);
		if (range_cases[i].version == 5)
			run_range_case(&range_cases[i], true);
	}
}

/* ---- offset index ---- */

TEST(test_offset_index)
{
	static const uint64_t spans[] = { 1, 63, 64, 65, 1000, 100000, 10 };
	struct offset_index index = { 0 };
	struct random random = { 1 };

	for (size_t i = 0; i < LENGTH(spans); i++) {
		uint32_t *expected = memory_alloc(spans[i] * sizeof(*expected));
		uint32_t count = 0;

		offset_index_cover(&index, spans[i]);
		for (uint32_t at = 0; at < spans[i]; at++) {
			expected[at] = OFFSET_INDEX_NONE;
			if (random_below(&random, 3) == 0) {
				offset_index_add(&index, at, count);
				expected[at] = count++;
			}
		}
		for (uint32_t at = 0; at < spans[i]; at++)
			assert_int_equal(offset_index_find(&index, at), expected[at]);
		assert_int_equal(offset_index_find(&index, (uint32_t)spans[i] + 64),
				 OFFSET_INDEX_NONE);
		assert_int_equal(offset_index_find(&index, UINT32_MAX), OFFSET_INDEX_NONE);
		/* The next one expects an empty index. */
		offset_index_clear(&index, 0, (uint32_t)spans[i] / 2);
		offset_index_clear(&index, (uint32_t)spans[i] / 2, (uint32_t)spans[i]);
		free(expected);
	}
	offset_index_release(&index);
}

/* ---- names ---- */

TEST(test_names)
{
	static const uint32_t masks[] = { UINT32_MAX, 3 };
	static char texts[10000][8];

	for (size_t i = 0; i < LENGTH(texts); i++)
		snprintf(texts[i], sizeof(texts[i]), "n%zu", i);
	for (size_t m = 0; m < LENGTH(masks); m++) {
		size_t count = masks[m] == 3 ? 300 : LENGTH(texts);
		struct name_table names;
		struct object object = { 0 };

		hash_mask = masks[m];
		name_table_init(&names, &object);
		assert_int_equal(name_table_literal(&names, ""), NAME_NONE);
		for (int again = 0; again < 2; again++) {
			for (size_t i = 0; i < count; i++) {
				uint32_t key = name_table_literal(&names, texts[i]);

				assert_int_equal(key, NAME_KEY_INTERNED | i);
				assert_string_equal(name_table_text(&names, key), texts[i]);
			}
		}
		name_table_release(&names);
	}
	hash_mask = UINT32_MAX;
}

/* The same name in .debug_str, .debug_line_str and inline; one key where it must be. */
TEST(test_name_keys)
{
	for (int intern_all = 0; intern_all < 2; intern_all++) {
		uint32_t keys[5];
		struct dwarf_reading r;
		struct dwarf_blob b;
		struct die die;

		dwarf_blob_init(&b);
		dwarf_blob_unit(&b, 5);
		blob_string(&b, SECTION_STR, "front");
		DIE(&b, 0, DW_TAG_typedef, STRING(DW_AT_name, DW_FORM_strp, "name"));
		DIE(&b, 0, DW_TAG_typedef, STRING(DW_AT_name, DW_FORM_strp, "name"));
		DIE(&b, 0, DW_TAG_typedef, NAME("name"));
		DIE(&b, 0, DW_TAG_typedef, STRING(DW_AT_name, DW_FORM_line_strp, "name"));
		DIE(&b, 0, DW_TAG_typedef, NAME(""));
		dwarf_blob_end_unit(&b);
		assert_true(dwarf_reading_open(&r, &b));
		assert_true(dwarf_reading_cursor(&r, 0));
		assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_READ);
		assert_int_equal(name_table_key(&r.reader.names, &r.cursor, &die, SLOT_NAME),
				 NAME_NONE);
		r.reader.names.intern_all = intern_all;
		for (size_t i = 0; i < LENGTH(keys); i++) {
			assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_READ);
			keys[i] = name_table_key(&r.reader.names, &r.cursor, &die, SLOT_NAME);
			assert_string_equal(name_table_text(&r.reader.names, keys[i]),
					    i < 4 ? "name" : "");
		}
		assert_int_equal(keys[0], keys[1]);
		assert_int_equal(keys[2], keys[3]);
		assert_int_equal(keys[4], NAME_NONE);
		if (intern_all)
			assert_int_equal(keys[0], keys[2]);
		else
			assert_int_equal(keys[0], 7);
		dwarf_reading_end(&r, &b);
	}
}
