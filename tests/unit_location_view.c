/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Location lists with GCC's views: which entry counts where inlined code begins. The views are in
 * front of the list, as GCC has them, or at an offset that damage may lead to.
 */
#include "tests/cmocka_all.h"

#include "dwarf/location.h"
#include "tests/dwarf_reading.h"

#define LOW_PC 0x1000
#define ABSENT 0x80	/* no entry */
#define NO_VIEW UINT64_MAX

enum { HEADER_BYTES = 12 };

enum entry_kind { END, PAIR, BASE, DEFAULT };	/* DEFAULT: in DWARF 5 only */

/* Its expression is register `reg`; it holds from (begin, first) to (end, last). */
struct entry {
	enum entry_kind kind;
	uint64_t begin, end;
	uint8_t reg;
	uint64_t first, last;
};

enum views_at {
	IN_FRONT,
	NOWHERE,		/* without the attribute */
	AT_END,			/* where the section ends */
	FAR_AWAY,
	LAST_BYTE,		/* which is 0: the first entry's first view, and no more */
	TORN,			/* after the list, a number that does not end */
};

struct query {
	uint64_t pc;		/* 0: no more queries */
	uint64_t view;		/* or NO_VIEW: the site has none */
	uint8_t wanted;
};

static const struct view_case {
	const char *what;
	enum views_at views_at;
	struct entry entries[4];
	struct query queries[6];
} cases[] = {
	{ "it holds before and after the pc", IN_FRONT, { { PAIR, 0xf0, 0x110, 5, 0, 0 } },
	  { { 0x1100, 0, 5 }, { 0x1100, 9, 5 }, { 0x110f, 9, 5 }, { 0x1110, 0, ABSENT },
	    { 0x10ef, 9, ABSENT } } },
	{ "it begins at the pc: with the view, or right after it", IN_FRONT,
	  { { PAIR, 0x100, 0x110, 5, 2, 0 } },
	  { { 0x1100, 0, ABSENT }, { 0x1100, 1, 5 }, { 0x1100, 2, 5 }, { 0x1100, 3, 5 },
	    { 0x1101, 0, 5 } } },
	{ "after the pc is not right after the view", IN_FRONT, { { PAIR, 0x101, 0x110, 5, 1, 0 } },
	  { { 0x1100, 0, ABSENT } } },
	{ "it ends at the pc with a greater view", IN_FRONT,
	  { { PAIR, 0xf0, 0x100, 5, 0, 2 }, { PAIR, 0x100, 0x110, 6, 2, 0 } },
	  { { 0x1100, 0, 5 }, { 0x1100, 1, 5 }, { 0x1100, 2, 6 }, { 0x1100, 3, 6 } } },
	{ "and then there is nothing", IN_FRONT, { { PAIR, 0xf0, 0x100, 5, 0, 2 } },
	  { { 0x1100, 1, 5 }, { 0x1100, 2, ABSENT } } },
	{ "statements without an instruction", IN_FRONT,
	  { { PAIR, 0x100, 0x100, 5, 1, 3 }, { PAIR, 0x100, 0x110, 6, 3, 0 } },
	  { { 0x1100, 0, 5 }, { 0x1100, 1, 5 }, { 0x1100, 2, 5 }, { 0x1100, 3, 6 },
	    { 0x1101, 0, 6 } } },
	{ "what holds goes before what comes next", IN_FRONT,
	  { { PAIR, 0x100, 0x100, 5, 1, 2 }, { PAIR, 0xf0, 0x110, 6, 0, 0 } },
	  { { 0x1100, 0, 6 }, { 0x1100, 1, 5 } } },
	{ "of two that come next the first", IN_FRONT,
	  { { PAIR, 0x100, 0x104, 5, 1, 0 }, { PAIR, 0x100, 0x110, 6, 1, 0 } },
	  { { 0x1100, 0, 5 } } },
	{ "views of two bytes", IN_FRONT,
	  { { PAIR, 0x100, 0x100, 5, 127, 300 }, { PAIR, 0x100, 0x110, 6, 300, 0 } },
	  { { 0x1100, 125, ABSENT }, { 0x1100, 126, 5 }, { 0x1100, 299, 5 }, { 0x1100, 300, 6 } } },
	{ "the site has no view: the first at the pc, if empty", IN_FRONT,
	  { { PAIR, 0x100, 0x100, 5, 1, 3 }, { PAIR, 0x100, 0x110, 6, 3, 0 } },
	  { { 0x1100, NO_VIEW, 5 }, { 0x1104, NO_VIEW, 6 } } },
	{ "the site has no view: what covers the pc", IN_FRONT,
	  { { PAIR, 0xf0, 0x100, 5, 0, 2 }, { PAIR, 0x100, 0x110, 6, 2, 0 } },
	  { { 0x1100, NO_VIEW, 6 }, { 0x1110, NO_VIEW, ABSENT } } },
	{ "a base has no views", IN_FRONT,
	  { { BASE, 0x3000, 0, 0, 0, 0 }, { PAIR, 0x100, 0x110, 5, 2, 0 } },
	  { { 0x3100, 0, ABSENT }, { 0x3100, 1, 5 }, { 0x1100, 2, ABSENT } } },
	{ "nor has a default, which goes before what comes next", IN_FRONT,
	  { { DEFAULT, 0, 0, 9, 0, 0 }, { PAIR, 0x100, 0x110, 5, 2, 0 } },
	  { { 0x1100, 0, 9 }, { 0x1100, 1, 9 }, { 0x1100, 2, 5 }, { 0x1200, 2, 9 } } },
	{ "the list has no views: addresses alone", NOWHERE,
	  { { PAIR, 0xf0, 0x100, 4, 0, 9 }, { PAIR, 0x100, 0x100, 5, 7, 7 },
	    { PAIR, 0x100, 0x110, 6, 7, 0 } },
	  { { 0x1100, 1, 5 }, { 0x1104, 1, 6 }, { 0x10fc, 1, 4 }, { 0x10e0, 1, ABSENT } } },
	{ "they would begin where the section ends: addresses alone", AT_END,
	  { { PAIR, 0x100, 0x100, 5, 7, 7 }, { PAIR, 0x100, 0x110, 6, 7, 0 } },
	  { { 0x1100, 1, 5 }, { 0x10ff, 1, ABSENT } } },
	{ "far outside: addresses alone", FAR_AWAY,
	  { { PAIR, 0x100, 0x100, 5, 7, 7 }, { PAIR, 0x100, 0x110, 6, 7, 0 } },
	  { { 0x1100, 1, 5 }, { 0x10ff, 1, ABSENT } } },
	{ "half a pair: its entry says nothing, the next ones by address", LAST_BYTE,
	  { { PAIR, 0x100, 0x110, 5, 0, 0 }, { PAIR, 0x100, 0x108, 6, 0, 0 },
	    { PAIR, 0x108, 0x120, 7, 0, 0 } },
	  { { 0x1100, 0, 6 }, { 0x1107, 0, 6 }, { 0x110c, 0, 7 }, { 0x10ff, 0, ABSENT } } },
	{ "half a number", TORN,
	  { { PAIR, 0x100, 0x110, 5, 0, 0 }, { PAIR, 0x100, 0x108, 6, 0, 0 } },
	  { { 0x1100, 0, 6 }, { 0x10ff, 0, ABSENT }, { 0x1108, 0, ABSENT } } },
};

/* ---- lists ---- */

static const struct encoding {
	uint16_t version;
	uint8_t address_bytes;
	bool big_endian;
} encodings[] = {
	{ 4, 8, false }, { 4, 4, true }, { 3, 8, true }, { 5, 8, false }, { 5, 4, true },
};

static void put_old_entry(struct dwarf_blob *b, blob_bytes *out, const struct entry *entry)
{
	bool is_base = entry->kind == BASE;

	blob_put_number(b, out, is_base ? UINT64_MAX : entry->begin, b->address_bytes);
	blob_put_number(b, out, is_base ? entry->begin : entry->end, b->address_bytes);
	if (is_base)
		return;
	blob_put_number(b, out, 1, 2);
	blob_put_number(b, out, (uint64_t)DW_OP_reg0 + entry->reg, 1);
}

static void put_new_entry(struct dwarf_blob *b, blob_bytes *out, const struct entry *entry)
{
	static const uint8_t codes[] = { [PAIR] = DW_LLE_offset_pair, [BASE] = DW_LLE_base_address,
					 [DEFAULT] = DW_LLE_default_location };

	blob_put_number(b, out, codes[entry->kind], 1);
	if (entry->kind == BASE) {
		blob_put_number(b, out, entry->begin, b->address_bytes);
		return;
	}
	if (entry->kind == PAIR) {
		blob_put_uleb(out, entry->begin);
		blob_put_uleb(out, entry->end);
	}
	blob_put_uleb(out, 1);
	blob_put_number(b, out, (uint64_t)DW_OP_reg0 + entry->reg, 1);
}

static void put_list(struct dwarf_blob *b, blob_bytes *out, const struct view_case *c, bool is_new)
{
	for (size_t i = 0; i < LENGTH(c->entries) && c->entries[i].kind != END; i++) {
		if (is_new)
			put_new_entry(b, out, &c->entries[i]);
		else
			put_old_entry(b, out, &c->entries[i]);
	}
	for (int i = 0; i < (is_new ? 1 : 2); i++)
		blob_put_number(b, out, 0, is_new ? 1 : b->address_bytes);
}

/* The offset that the attribute gives the views, once the list is written. */
static uint64_t views_offset(const struct view_case *c, uint64_t in_front, blob_bytes *out)
{
	switch (c->views_at) {
	case AT_END: return out->count;
	case FAR_AWAY: return 0xfffffff0;
	case LAST_BYTE: return out->count - 1;
	case TORN: array_push(out, 0x80); return out->count - 1;
	default: return in_front;
	}
}

static void build(struct dwarf_blob *b, const struct encoding *encoding, const struct view_case *c)
{
	bool is_new = encoding->version == 5;
	uint16_t form = encoding->version < 4 ? DW_FORM_data4 : DW_FORM_sec_offset;
	blob_bytes lists = { 0 };
	blob_bytes *out;
	uint64_t begin, list, views;

	dwarf_blob_init(b);
	b->big_endian = encoding->big_endian;
	b->elf32 = encoding->address_bytes == 4;
	b->address_bytes = encoding->address_bytes;
	out = &b->sections[is_new ? SECTION_LOCLISTS : SECTION_LOC];
	for (size_t i = 0; i < LENGTH(c->entries); i++) {
		if (c->entries[i].kind != PAIR)
			continue;
		blob_put_uleb(&lists, c->entries[i].first);
		blob_put_uleb(&lists, c->entries[i].last);
	}
	list = lists.count;
	put_list(b, &lists, c, is_new);
	blob_put(out, "0123456789ab", HEADER_BYTES);
	begin = out->count;
	blob_put(out, lists.data, lists.count);
	array_release(&lists);
	list += begin;
	views = views_offset(c, begin, out);
	dwarf_blob_unit_with(b, encoding->version,
			     BLOB_ATTRS(ATTR(DW_AT_low_pc, DW_FORM_addr, LOW_PC)));
	if (c->views_at == NOWHERE)
		DIE(b, 0, DW_TAG_formal_parameter, ATTR(DW_AT_location, form, list));
	else
		DIE(b, 0, DW_TAG_formal_parameter, ATTR(DW_AT_location, form, list),
		    ATTR(DW_AT_GNU_locviews, form, views));
	DIE(b, 0, DW_TAG_formal_parameter, BLOCK(DW_AT_location, DW_FORM_block1, "\x57"));
	dwarf_blob_end_unit(b);
}

/* ---- queries ---- */

static struct location_source next_source(struct dwarf_reading *r)
{
	struct die die;

	assert_int_equal(die_cursor_next(&r->cursor, &die), DIE_READ);
	return location_source_of(&r->cursor, &die, SLOT_LOCATION);
}

static void run_query(const struct location_unit *unit, const struct location_source *source,
		      const struct query *query, const char *what)
{
	struct location_moment moment = { .pc = query->pc, .is_entry = true,
					  .has_view = query->view != NO_VIEW, .view = query->view };
	struct location location;
	uint8_t found;

	assert_true(location_at(unit, source, FRAME_BASE_NONE, &moment, &location));
	found = location.kind == LOCATION_NONE ? ABSENT : location.reg;
	if (found != ABSENT)
		assert_int_equal(location.kind, LOCATION_REGISTER);
	if (found != query->wanted)
		fail_msg("%s: (0x%llx, %llu): 0x%x; expected is 0x%x", what,
			 (unsigned long long)query->pc, (unsigned long long)query->view, found,
			 query->wanted);
}

/* A lone expression holds everywhere. */
static void check_expression(const struct location_unit *unit, struct dwarf_reading *r)
{
	static const struct query queries[] = { { 0x1100, 0, 7 }, { 0x1100, NO_VIEW, 7 } };
	struct location_source source = next_source(r);

	for (size_t i = 0; i < LENGTH(queries); i++)
		run_query(unit, &source, &queries[i], "a lone expression");
}

static bool is_new_only(const struct view_case *c)
{
	return c->entries[0].kind == DEFAULT;
}

TEST(test_views)
{
	for (size_t e = 0; e < LENGTH(encodings); e++) {
		for (size_t i = 0; i < LENGTH(cases); i++) {
			const struct view_case *c = &cases[i];
			struct location_source source;
			struct location_unit unit;
			struct dwarf_reading r;
			struct dwarf_blob b;

			if (is_new_only(c) && encodings[e].version < 5)
				continue;
			build(&b, &encodings[e], c);
			assert_true(dwarf_reading_unit(&r, &b));
			unit = location_unit_of(&r.cursor);
			source = next_source(&r);
			assert_int_equal(source.has_views, c->views_at != NOWHERE);
			for (size_t q = 0; q < LENGTH(c->queries) && c->queries[q].pc; q++)
				run_query(&unit, &source, &c->queries[q], c->what);
			check_expression(&unit, &r);
			dwarf_reading_end(&r, &b);
		}
	}
}
