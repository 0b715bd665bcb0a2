/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Abbreviation programs and the cursor that runs them: every form read and skipped, in each DWARF
 * version, offset size, address size and byte order; bounds; siblings; strings; addresses; and what
 * is said about damage.
 */
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "tests/dwarf_reading.h"

/* The encoding of a unit. */
struct flavour {
	uint16_t version;
	uint8_t offset_bytes;
	uint8_t address_bytes;
	bool big_endian;
};

static const struct flavour flavours[] = {
	{ 2, 4, 8, false }, { 3, 4, 4, false }, { 4, 8, 8, false }, { 5, 4, 8, false },
	{ 5, 8, 4, true },  { 4, 4, 4, true },	{ 2, 8, 4, true },  { 5, 4, 8, true },
};

static void start(struct dwarf_blob *b, const struct flavour *flavour)
{
	dwarf_blob_init(b);
	b->big_endian = flavour->big_endian;
	b->elf32 = flavour->address_bytes == 4;
	b->address_bytes = flavour->address_bytes;
	b->offset_bytes = flavour->offset_bytes;
}

static void next(struct dwarf_reading *r, struct die *die, uint16_t tag)
{
	assert_int_equal(die_cursor_next(&r->cursor, die), DIE_READ);
	assert_int_equal(die->tag, tag);
}

/* ---- forms ---- */

enum expectation { IS_VALUE, IS_REFERENCE, IS_STRING, IS_BLOCK };

/* Each form on an attribute that is read; `value` and `text` are written and expected back. */
static const struct {
	uint16_t tag, attribute, form;
	enum die_slot slot;
	enum expectation expect;
	uint64_t value;
	const char *text;
} forms[] = {
#define ROW(tag, attribute, form, slot, expect, value, text)                                       \
	{ DW_TAG_##tag, DW_AT_##attribute, DW_FORM_##form, SLOT_##slot, IS_##expect, value, text }
	ROW(base_type, byte_size, data1, BYTE_SIZE, VALUE, 0xfe, NULL),
	ROW(base_type, byte_size, data2, BYTE_SIZE, VALUE, 0xfedc, NULL),
	ROW(base_type, byte_size, data4, BYTE_SIZE, VALUE, 0xfedcba98, NULL),
	ROW(base_type, byte_size, data8, BYTE_SIZE, VALUE, 0xfedcba9876543210, NULL),
	ROW(base_type, byte_size, udata, BYTE_SIZE, VALUE, 0x123456789a, NULL),
	ROW(base_type, byte_size, sdata, BYTE_SIZE, VALUE, (uint64_t)-3, NULL),
	ROW(base_type, byte_size, implicit_const, BYTE_SIZE, VALUE, (uint64_t)-70000, NULL),
	ROW(base_type, byte_size, sec_offset, BYTE_SIZE, VALUE, 0x01020304, NULL),
	ROW(structure_type, declaration, flag, DECLARATION, VALUE, 1, NULL),
	ROW(structure_type, declaration, flag_present, DECLARATION, VALUE, 1, NULL),
	ROW(pointer_type, type, ref1, TYPE, REFERENCE, 0xab, NULL),
	ROW(pointer_type, type, ref2, TYPE, REFERENCE, 0xabcd, NULL),
	ROW(pointer_type, type, ref4, TYPE, REFERENCE, 0xabcdef, NULL),
	ROW(pointer_type, type, ref8, TYPE, REFERENCE, 0xabcdef01, NULL),
	ROW(pointer_type, type, ref_udata, TYPE, REFERENCE, 0x4321, NULL),
	ROW(pointer_type, type, ref_addr, TYPE, VALUE, 0x654321, NULL),
	ROW(typedef, name, string, NAME, STRING, 0, "inline"),
	ROW(typedef, name, strp, NAME, STRING, 0, "in .debug_str"),
	ROW(typedef, name, line_strp, NAME, STRING, 0, "in line_str"),
	ROW(typedef, name, strx, NAME, STRING, 0, "index"),
	ROW(typedef, name, strx1, NAME, STRING, 0, "index 1"),
	ROW(typedef, name, strx2, NAME, STRING, 0, "index 2"),
	ROW(typedef, name, strx3, NAME, STRING, 0, "index 3"),
	ROW(typedef, name, strx4, NAME, STRING, 0, "index 4"),
	ROW(typedef, name, GNU_str_index, NAME, STRING, 0, "GNU index"),
	ROW(variable, location, exprloc, LOCATION, BLOCK, 3, "abc"),
	ROW(variable, location, block, LOCATION, BLOCK, 0, ""),
	ROW(variable, location, block1, LOCATION, BLOCK, 5, "block"),
	ROW(variable, location, block2, LOCATION, BLOCK, 1, "x"),
	ROW(variable, location, block4, LOCATION, BLOCK, 2, "yz"),
	ROW(subprogram, low_pc, addr, LOW_PC, VALUE, 0x12345678, NULL),
	ROW(subprogram, low_pc, addrx, LOW_PC, VALUE, 300, NULL),
	ROW(subprogram, low_pc, addrx1, LOW_PC, VALUE, 200, NULL),
	ROW(subprogram, low_pc, addrx2, LOW_PC, VALUE, 0x1234, NULL),
	ROW(subprogram, low_pc, addrx3, LOW_PC, VALUE, 0x123456, NULL),
	ROW(subprogram, low_pc, addrx4, LOW_PC, VALUE, 0x12345678, NULL),
	ROW(subprogram, ranges, rnglistx, RANGES, VALUE, 77, NULL),
	ROW(subprogram, ranges, sec_offset, RANGES, VALUE, 0x99, NULL),
#undef ROW
};

/* Forms that are not read; they must be skipped exactly. */
static const struct {
	uint16_t form;
	uint64_t value;
	const char *text;
} unread[] = {
	{ DW_FORM_data16, 7, NULL },
	{ DW_FORM_loclistx, 300, NULL }, { DW_FORM_GNU_addr_index, 300, NULL },
	{ DW_FORM_ref_sig8, 7, NULL },
};

/* 3- and 4-byte forms, strings, blocks, odd lengths: a slip shows in the attributes after it. */
#define BEFORE STRING(DW_AT_producer, DW_FORM_string, "xy"), ATTR(DW_AT_decl_line, DW_FORM_data2, 9)
#define AFTER                                                                                      \
	ATTR(DW_AT_decl_column, DW_FORM_data1, 3), BLOCK(DW_AT_producer, DW_FORM_block1, "pq"),    \
	ATTR(DW_AT_decl_file, DW_FORM_udata, 1000)
#define SENTINEL 0x5a

static void check_form(struct dwarf_reading *r, const struct die *die, size_t i)
{
	const struct unit *unit = r->cursor.unit;
	struct byte_range block;
	uint64_t ignored;

	assert_true(die_has(die, forms[i].slot));
	switch (forms[i].expect) {
	case IS_VALUE:
		assert_true(die->value[forms[i].slot] == forms[i].value);
		break;
	case IS_REFERENCE:
		assert_true(die->value[forms[i].slot] == forms[i].value + unit->offset);
		break;
	case IS_STRING:
		assert_string_equal(die_cursor_string(&r->cursor, die, forms[i].slot, &ignored),
				    forms[i].text);
		break;
	case IS_BLOCK:
		assert_true(die_cursor_block(&r->cursor, die, forms[i].slot, &block));
		assert_int_equal(block.end - block.begin, forms[i].value);
		assert_memory_equal(block.begin, forms[i].text, forms[i].value);
		break;
	}
}

/* A unit in front, so that the unit's offset is not zero. */
static void add_padding_unit(struct dwarf_blob *b, uint16_t version)
{
	dwarf_blob_unit(b, version);
	dwarf_blob_end_unit(b);
}

TEST(test_forms)
{
	for (size_t f = 0; f < LENGTH(flavours); f++) {
		struct dwarf_reading r;
		struct dwarf_blob b;
		struct die die;

		start(&b, &flavours[f]);
		add_padding_unit(&b, flavours[f].version);
		dwarf_blob_unit_with(&b, flavours[f].version,
				     BLOB_ATTRS(ATTR(DW_AT_str_offsets_base, DW_FORM_sec_offset,
						     b.offset_bytes == 8 ? 16 : 8)));
		for (size_t i = 0; i < LENGTH(forms); i++) {
			const struct blob_attr wanted = { .attribute = forms[i].attribute,
							  .form = forms[i].form,
							  .value = forms[i].value,
							  .text = forms[i].text };
			struct blob_attr other = wanted;

			other.attribute = DW_AT_lo_user + 7;
			DIE(&b, 0, forms[i].tag, BEFORE, wanted, AFTER);
			DIE(&b, 0, forms[i].tag, BEFORE, other, AFTER);
			DIE(&b, 0, DW_TAG_base_type, ENCODING(SENTINEL));
		}
		for (size_t i = 0; i < LENGTH(unread); i++) {
			struct blob_attr other = { .attribute = DW_AT_lo_user + 7,
						   .form = unread[i].form,
						   .value = unread[i].value };

			DIE(&b, 0, DW_TAG_variable, BEFORE, other, AFTER);
			DIE(&b, 0, DW_TAG_base_type, ENCODING(SENTINEL));
		}
		dwarf_blob_end_unit(&b);

		assert_true(dwarf_reading_open(&r, &b));
		assert_true(dwarf_reading_cursor(&r, 1));
		next(&r, &die, DW_TAG_compile_unit);
		die_cursor_set_bases(&r.cursor, &die);
		for (size_t i = 0; i < LENGTH(forms); i++) {
			next(&r, &die, forms[i].tag);
			check_form(&r, &die, i);
			next(&r, &die, forms[i].tag);
			assert_false(die_has(&die, forms[i].slot));
			next(&r, &die, DW_TAG_base_type);
			assert_int_equal(die.value[SLOT_ENCODING], SENTINEL);
		}
		for (size_t i = 0; i < LENGTH(unread); i++) {
			next(&r, &die, DW_TAG_variable);
			next(&r, &die, DW_TAG_base_type);
			assert_int_equal(die.value[SLOT_ENCODING], SENTINEL);
		}
		assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_NULL);
		assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_END);
		assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_END);
		assert_false(r.cursor.failed);
		dwarf_reading_end(&r, &b);
	}
}

/* Several attributes of one fixed run, the first of two equal ones, a name that is not a string. */
TEST(test_runs)
{
	struct dwarf_reading r;
	struct dwarf_blob b;
	struct die die;

	dwarf_blob_init(&b);
	dwarf_blob_unit(&b, 5);
	DIE(&b, 0, DW_TAG_member, ATTR(DW_AT_data_member_location, DW_FORM_data1, 7),
	    ATTR(DW_AT_decl_line, DW_FORM_data4, 1), ATTR(DW_AT_bit_size, DW_FORM_data2, 3),
	    ATTR(DW_AT_bit_size, DW_FORM_data2, 4), ATTR(DW_AT_data_bit_offset, DW_FORM_data8, 99),
	    ATTR(DW_AT_name, DW_FORM_data4, 1), ATTR(DW_AT_bit_offset, DW_FORM_implicit_const, 5));
	dwarf_blob_end_unit(&b);
	assert_true(dwarf_reading_unit(&r, &b));
	next(&r, &die, DW_TAG_member);
	assert_int_equal(die.value[SLOT_MEMBER_LOCATION], 7);
	assert_int_equal(die.value[SLOT_BIT_SIZE], 3);
	assert_int_equal(die.value[SLOT_DATA_BIT_OFFSET], 99);
	assert_int_equal(die.value[SLOT_BIT_OFFSET], 5);
	assert_false(die_has(&die, SLOT_NAME));
	assert_int_equal(abbrev_form(&r.abbrevs, die.abbrev, SLOT_BIT_SIZE), DW_FORM_data2);
	assert_int_equal(abbrev_form(&r.abbrevs, die.abbrev, SLOT_BIT_OFFSET),
			 DW_FORM_implicit_const);
	assert_int_equal(abbrev_form(&r.abbrevs, die.abbrev, SLOT_NAME), 0);
	dwarf_reading_end(&r, &b);
}

/* DW_FORM_indirect: the form comes before the value. */
TEST(test_indirect)
{
	static const struct {
		const char *bytes;	/* form and value */
		size_t count;
		uint64_t value;
		bool reference;
		bool bad;
	} rows[] = {
		{ "\x0b\x7f", 2, 0x7f, false, false },		/* data1 */
		{ "\x0c\x01", 2, 1, false, false },		/* flag */
		{ "\x05\x34\x12", 3, 0x1234, false, false },	/* data2 */
		{ "\x06\x78\x56\x34\x12", 5, 0x12345678, false, false },
		{ "\x07\x08\x07\x06\x05\x04\x03\x02\x01", 9, 0x0102030405060708, false, false },
		{ "\x0d\x7e", 2, (uint64_t)-2, false, false },	/* sdata */
		{ "\x0f\x80\x01", 3, 128, false, false },	/* udata */
		{ "\x11\x20", 2, 0x20, true, false },		/* ref1 */
		{ "\x12\x20\x00", 3, 0x20, true, false },	/* ref2 */
		{ "\x13\x20\x00\x00\x00", 5, 0x20, true, false },
		{ "\x15\x20", 2, 0x20, true, false },		/* ref_udata */
		{ "\x08\x00", 2, 0, false, true },		/* string */
		{ "\x16\x0b\x00", 3, 0, false, true },		/* indirect again */
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		for (int wanted = 0; wanted < 2; wanted++) {
			struct dwarf_reading r;
			struct dwarf_blob b;
			struct die die;

			dwarf_blob_init(&b);
			b.big_endian = false;
			add_padding_unit(&b, 5);
			dwarf_blob_unit(&b, 5);
			/* The builder writes a ULEB for an unknown form: the first byte. */
			DIE(&b, 0, DW_TAG_base_type,
			    ATTR(wanted ? DW_AT_byte_size : DW_AT_lo_user, DW_FORM_indirect,
				 (uint8_t)rows[i].bytes[0]));
			blob_put(&b.sections[SECTION_INFO], rows[i].bytes + 1, rows[i].count - 1);
			DIE(&b, 0, DW_TAG_base_type, ENCODING(SENTINEL));
			dwarf_blob_end_unit(&b);
			assert_true(dwarf_reading_open(&r, &b));
			assert_true(dwarf_reading_cursor(&r, 1));
			next(&r, &die, DW_TAG_compile_unit);
			if (rows[i].bad) {
				assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_FAILED);
			} else {
				next(&r, &die, DW_TAG_base_type);
				if (wanted)
					assert_true(die.value[SLOT_BYTE_SIZE] ==
						    rows[i].value + (rows[i].reference
								? r.cursor.unit->offset : 0));
				next(&r, &die, DW_TAG_base_type);
				assert_int_equal(die.value[SLOT_ENCODING], SENTINEL);
			}
			dwarf_reading_end(&r, &b);
		}
	}
}

/* ---- abbreviation tables ---- */

/* A table of bytes under a unit of one DIE; returns the error or NULL. */
static const char *compile(const char *abbrev, size_t count, const char *die_bytes,
			   size_t die_count, struct dwarf_reading *r, struct dwarf_blob *b)
{
	dwarf_blob_init(b);
	b->big_endian = false;
	dwarf_blob_header(b, 5, DW_UT_compile, 0, 0);
	blob_put(&b->sections[SECTION_INFO], die_bytes, die_count);
	blob_put(&b->sections[SECTION_ABBREV], abbrev, count);
	dwarf_blob_finish_unit(b);
	b->sections[SECTION_ABBREV].count = count;	/* without the builder's end */
	assert_true(dwarf_reading_open(r, b));
	return dwarf_reading_cursor(r, 0) ? NULL : dwarf_reading_error(r);
}

TEST(test_tables)
{
#define TEXT(...) "unit 0x0: its abbreviation table at 0x0 in .debug_abbrev " __VA_ARGS__ \
		  "; the file is damaged, or newer than this program"
#define ROW(bytes, wanted) { bytes, sizeof(bytes) - 1, wanted }
	static const struct {
		const char *bytes;
		size_t count;
		const char *wanted;	/* NULL: it compiles */
	} rows[] = {
		ROW("\1\x11\0\0\0\0", NULL),
		ROW("\0", NULL),
		ROW("\1\x11\0\0\0", TEXT("ends in the middle of an abbreviation (0x0)")),
		ROW("\1\x11\0\0", TEXT("ends in the middle of an abbreviation (0x11)")),
		ROW("\1\x11\0\3", TEXT("ends in the middle of an abbreviation (0x11)")),
		ROW("\1\x11\0", TEXT("ends in the middle of an abbreviation (0x11)")),
		ROW("\1\x11", TEXT("ends in the middle of an abbreviation (0x0)")),
		ROW("\1", TEXT("ends in the middle of an abbreviation (0x0)")),
		ROW("\x80", TEXT("ends in the middle of an abbreviation (0x0)")),
		ROW("\1\0\0\0\0\0", TEXT("has an abbreviation with an impossible tag (0x0)")),
		ROW("\1\x80\x80\4\0\0\0\0",
		    TEXT("has an abbreviation with an impossible tag (0x10000)")),
		ROW("\1\x11\0\3\x02\0\0\0", TEXT("uses an unknown attribute form (0x2)")),
		ROW("\1\x11\0\3\x2d\0\0\0", TEXT("uses an unknown attribute form (0x2d)")),
		ROW("\1\x11\0\3\0\0\0\0", TEXT("uses an unknown attribute form (0x0)")),
		ROW("\1\x11\0\3\xff\x7f\0\0\0", TEXT("uses an unknown attribute form (0x3fff)")),
		ROW("\1\x11\0\3\xa1\x3e\0\0\0",
		    TEXT("needs the supplementary file of dwz -m, which the file does not name, "
			 "form (0x1f21)")),
		ROW("\1\x11\0\3\x1d\0\0\0",
		    TEXT("needs the supplementary file of dwz -m, which the file does not name, "
			 "form (0x1d)")),
		/* DW_FORM_implicit_const without its constant */
		ROW("\1\x11\0\3\x21", TEXT("ends in the middle of an abbreviation (0x11)")),
		/* Attribute 0 with a form is an attribute like any other. */
		ROW("\1\x11\0\0\x0b\0\0\0", NULL),
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct dwarf_reading r;
		struct dwarf_blob b;
		const char *error = compile(rows[i].bytes, rows[i].count, "\1", 1, &r, &b);

		if (rows[i].wanted) {
			assert_non_null(error);
			assert_string_equal(error, rows[i].wanted);
		} else {
			assert_null(error);
		}
		dwarf_reading_end(&r, &b);
	}
#undef TEXT
#undef ROW
}

TEST(test_too_many_attributes)
{
	for (uint32_t count = 1023; count <= 1025; count++) {
		blob_bytes abbrev = { 0 };
		struct dwarf_reading r;
		struct dwarf_blob b;
		const char *error;

		blob_put(&abbrev, "\1\x11\0", 3);
		for (uint32_t i = 0; i < count; i++)
			blob_put(&abbrev, "\x3b\x1e", 2);	/* decl_line, data16 */
		blob_put(&abbrev, "\0\0\0", 3);
		error = compile((const char *)abbrev.data, abbrev.count, "\1", 1, &r, &b);
		if (count <= 1024)
			assert_null(error);
		else
			assert_string_equal(error, "unit 0x0: its abbreviation table at 0x0 in "
					    ".debug_abbrev has an abbreviation with too many "
					    "attributes, tag (0x11); the file is damaged, or newer "
					    "than this program");
		dwarf_reading_end(&r, &b);
		array_release(&abbrev);
	}
}

/* Codes need not be dense, nor in order; of two equal ones the first counts. */
TEST(test_codes)
{
	static const uint64_t codes[] = { 7, 3, 65535, 65536, 0x123456789abcdef0, 70000, 1u << 31 };
	struct dwarf_reading r;
	struct dwarf_blob b;
	struct die die;

	dwarf_blob_init(&b);
	dwarf_blob_unit(&b, 5);
	for (int again = 0; again < 2; again++) {
		for (size_t i = 0; i < LENGTH(codes); i++) {
			b.next_code = codes[i];
			DIE(&b, 0, DW_TAG_base_type,
			    ATTR(DW_AT_encoding, DW_FORM_implicit_const, again ? 99 : (int)i));
		}
	}
	dwarf_blob_end_unit(&b);
	assert_true(dwarf_reading_unit(&r, &b));
	for (size_t i = 0; i < 2 * LENGTH(codes); i++) {
		next(&r, &die, DW_TAG_base_type);
		assert_int_equal(die.value[SLOT_ENCODING], i % LENGTH(codes));
	}
	assert_null(abbrev_table_lookup(&r.abbrevs, 0));
	assert_null(abbrev_table_lookup(&r.abbrevs, 2));
	assert_null(abbrev_table_lookup(&r.abbrevs, 65537));
	assert_null(abbrev_table_lookup(&r.abbrevs, UINT64_MAX));
	dwarf_reading_end(&r, &b);
}

/* The same table under another version or size is another one. */
TEST(test_recompiled)
{
	struct dwarf_reading r;
	struct dwarf_blob b;
	struct die die;

	dwarf_blob_init(&b);
	dwarf_blob_unit(&b, 2);
	DIE(&b, 0, DW_TAG_pointer_type, ATTR(DW_AT_type, DW_FORM_ref_addr, 0x11));
	dwarf_blob_end_unit(&b);
	dwarf_blob_unit(&b, 4);
	DIE(&b, 0, DW_TAG_pointer_type, ATTR(DW_AT_type, DW_FORM_ref_addr, 0x22));
	dwarf_blob_end_unit(&b);
	/* Both units shall use the first table. */
	assert_true(dwarf_reading_open(&r, &b));
	r.units.data[1].abbrev_offset = r.units.data[0].abbrev_offset;
	for (size_t i = 0; i < 2; i++) {
		assert_true(dwarf_reading_cursor(&r, i));
		next(&r, &die, DW_TAG_compile_unit);
		next(&r, &die, DW_TAG_pointer_type);
		assert_int_equal(die.value[SLOT_TYPE], i ? 0x22 : 0x11);
		assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_NULL);
	}
	dwarf_reading_end(&r, &b);
}

/* ---- bounds ---- */

static void add_truncation_unit(struct dwarf_blob *b, uint16_t version)
{
	dwarf_blob_unit_with(b, version, BLOB_ATTRS(NAME("unit"),
						    ATTR(DW_AT_low_pc, DW_FORM_addr, 0x1000)));
	OPEN(b, 1, DW_TAG_structure_type, STRING(DW_AT_name, DW_FORM_strp, "s"), SIZE(300));
	DIE(b, 0, DW_TAG_member, NAME("m"), TYPE(1), AT(200),
	    ATTR(DW_AT_bit_size, DW_FORM_sdata, 3));
	CLOSE(b);
	DIE(b, 0, DW_TAG_variable, BLOCK(DW_AT_location, DW_FORM_block1, "\3abcdefgh"),
	    BLOCK(DW_AT_producer, DW_FORM_block2, "skipped"),
	    BLOCK(DW_AT_lo_user, DW_FORM_block4, "too"), BLOCK(DW_AT_hi_user, DW_FORM_block, "x"),
	    STRING(DW_AT_description, DW_FORM_string, "skip"),
	    ATTR(DW_AT_decl_line, DW_FORM_udata, 300));
	DIE(b, 0, DW_TAG_base_type, ATTR(DW_AT_byte_size, DW_FORM_data8, 4),
	    ATTR(DW_AT_encoding, DW_FORM_data1, 5));
	dwarf_blob_end_unit(b);
}

/* Every truncation of a unit ends in an error or in a clean end, and stays there. */
TEST(test_truncation)
{
	for (size_t f = 0; f < LENGTH(flavours); f++) {
		uint64_t full = UINT64_MAX;

		for (uint64_t cut = 0; cut < full; cut++) {
			struct dwarf_reading r;
			struct dwarf_blob b;
			struct unit unit;
			uint8_t *copy;
			enum die_status status;
			struct die die;
			int dies = 0;

			start(&b, &flavours[f]);
			add_truncation_unit(&b, flavours[f].version);
			assert_true(dwarf_reading_open(&r, &b));
			unit = r.units.data[0];
			full = unit.end - unit.first_die;
			/* In a block of exactly that size, for the sanitizers. */
			r.object.sections[SECTION_INFO].size = unit.first_die + cut;
			copy = memory_alloc(unit.first_die + cut);
			memcpy(copy, r.object.sections[SECTION_INFO].data, unit.first_die + cut);
			r.object.sections[SECTION_INFO].data = copy;
			r.units.data[0].end = unit.first_die + cut;
			assert_true(dwarf_reading_cursor(&r, 0));
			while ((status = die_cursor_next(&r.cursor, &die)) == DIE_READ ||
			       status == DIE_NULL)
				dies++;
			assert_true(dies <= 7);
			assert_int_equal(die_cursor_next(&r.cursor, &die), status);
			if (status == DIE_FAILED)
				assert_non_null(strstr(r.err.text,
						       "run past the end of the unit; the file is "
						       "truncated or damaged"));
			else
				assert_int_equal(status, DIE_END);
			dwarf_reading_end(&r, &b);
			free(copy);
		}
		assert_true(full > 60);
	}
}

TEST(test_unknown_code)
{
	struct dwarf_reading r;
	struct dwarf_blob b;
	struct die die;

	dwarf_blob_init(&b);
	dwarf_blob_unit(&b, 4);
	blob_put_uleb(&b.sections[SECTION_INFO], 9);
	dwarf_blob_end_unit(&b);
	assert_true(dwarf_reading_unit(&r, &b));
	assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_FAILED);
	assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_FAILED);
	assert_string_equal(
		dwarf_reading_error(&r),
		"unit 0x0, DIE 0xc: abbreviation code 9 is not in the table at 0x0; the "
		"file is damaged");
	dwarf_reading_end(&r, &b);
}

/* ---- siblings ---- */

/* With DW_AT_sibling, without, and with one that must not be believed. */
TEST(test_skip_children)
{
	enum { GOOD = 1, BACK, OUTSIDE, NONE };
	static const int cases[] = { NONE, GOOD, BACK, OUTSIDE };

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct blob_attr sibling =
			REFERENCE(DW_AT_sibling, DW_FORM_ref4, (uint32_t)cases[i]);
		struct dwarf_reading r;
		struct dwarf_blob b;
		struct die die;

		dwarf_blob_init(&b);
		dwarf_blob_unit(&b, 5);
		if (cases[i] == OUTSIDE)
			sibling = (struct blob_attr)ATTR(DW_AT_sibling, DW_FORM_ref4, 0x10000);
		if (cases[i] == NONE)
			sibling.attribute = DW_AT_lo_user;
		DIE(&b, BACK, DW_TAG_base_type, ENCODING(1));
		OPEN(&b, NONE, DW_TAG_inlined_subroutine, sibling);
		OPEN(&b, 0, DW_TAG_lexical_block);
		DIE(&b, 0, DW_TAG_base_type, ENCODING(2));
		CLOSE(&b);
		DIE(&b, 0, DW_TAG_base_type, ENCODING(3));
		CLOSE(&b);
		DIE(&b, GOOD, DW_TAG_base_type, ENCODING(4));
		dwarf_blob_end_unit(&b);
		assert_true(dwarf_reading_unit(&r, &b));
		next(&r, &die, DW_TAG_base_type);
		/* Nothing to skip. */
		die_cursor_skip_children(&r.cursor, &die);
		next(&r, &die, DW_TAG_inlined_subroutine);
		die_cursor_skip_children(&r.cursor, &die);
		if (cases[i] == OUTSIDE) {
			assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_FAILED);
			assert_non_null(strstr(r.err.text,
					       ", DIE 0x10000: is outside its unit; the "
					       "file is damaged"));
		} else {
			next(&r, &die, DW_TAG_base_type);
			assert_int_equal(die.value[SLOT_ENCODING], 4);
		}
		dwarf_reading_end(&r, &b);
	}
}

TEST(test_seek)
{
	struct dwarf_reading r;
	struct dwarf_blob b;
	struct die die;

	dwarf_blob_init(&b);
	add_padding_unit(&b, 5);
	dwarf_blob_unit(&b, 5);
	DIE(&b, 1, DW_TAG_base_type, ENCODING(1));
	dwarf_blob_end_unit(&b);
	assert_true(dwarf_reading_open(&r, &b));
	assert_true(dwarf_reading_cursor(&r, 1));
	assert_true(die_cursor_seek(&r.cursor, b.labels[1]));
	next(&r, &die, DW_TAG_base_type);
	assert_true(die_cursor_seek(&r.cursor, r.units.data[1].end));
	assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_END);
	assert_true(die_cursor_seek(&r.cursor, b.labels[1]));
	assert_false(die_cursor_seek(&r.cursor, r.units.data[1].first_die - 1));
	assert_false(die_cursor_seek(&r.cursor, b.labels[1]));
	assert_int_equal(die_cursor_next(&r.cursor, &die), DIE_FAILED);
	dwarf_reading_end(&r, &b);
}

/* ---- strings and addresses ---- */

TEST(test_strings_outside)
{
	static const struct {
		uint16_t form;
		uint64_t value;
		const char *section;
	} rows[] = {
		{ DW_FORM_strp, 4, ".debug_str" },
		{ DW_FORM_strp, 0xffffffff, ".debug_str" },
		{ DW_FORM_line_strp, 3, ".debug_line_str" },
		{ DW_FORM_strx1, 2, ".debug_str_offsets (index)" },
		{ DW_FORM_strx, UINT64_MAX, ".debug_str_offsets (index)" },
		{ DW_FORM_strx, UINT64_MAX / 8, ".debug_str_offsets (index)" },
		{ DW_FORM_strx1, 1, ".debug_str" },	/* a bad offset in the table */
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct dwarf_reading r;
		struct dwarf_blob b;
		uint64_t offset;
		struct die die;

		dwarf_blob_init(&b);
		dwarf_blob_unit(&b, 5);
		DIE(&b, 0, DW_TAG_typedef, STRING(DW_AT_name, DW_FORM_strx1, "abc"));
		blob_put_number(&b, &b.sections[SECTION_STR_OFFSETS], 5, 4);
		blob_string(&b, SECTION_LINE_STR, "ab");
		DIE(&b, 0, DW_TAG_typedef, ATTR(DW_AT_name, rows[i].form, rows[i].value));
		dwarf_blob_end_unit(&b);
		assert_true(dwarf_reading_unit(&r, &b));
		next(&r, &die, DW_TAG_typedef);
		assert_string_equal(die_cursor_string(&r.cursor, &die, SLOT_NAME, &offset), "abc");
		assert_int_equal(offset, 0);
		next(&r, &die, DW_TAG_typedef);
		assert_null(die_cursor_string(&r.cursor, &die, SLOT_NAME, &offset));
		assert_true(r.cursor.failed);
		assert_non_null(strstr(r.err.text, "string offset 0x"));
		assert_non_null(strstr(r.err.text, rows[i].section));
		assert_non_null(strstr(r.err.text, "; the file is damaged"));
		dwarf_reading_end(&r, &b);
	}
}

/* A string section that does not end in NUL is refused as a whole, so offsets inside are enough. */
TEST(test_unterminated_strings)
{
	static const enum section_id sections[] = { SECTION_STR, SECTION_LINE_STR };

	for (size_t i = 0; i < LENGTH(sections); i++) {
		struct dwarf_reading r;
		struct dwarf_blob b;

		dwarf_blob_init(&b);
		add_padding_unit(&b, 5);
		blob_put(&b.sections[sections[i]], "abc", 3);
		assert_false(dwarf_reading_open(&r, &b));
		assert_non_null(strstr(r.err.text, sections[i] == SECTION_STR ? ".debug_str"
									      : ".debug_line_str"));
		dwarf_reading_end(&r, &b);
	}
}

TEST(test_addresses)
{
	static const struct {
		uint16_t form;
		uint64_t value;
		uint64_t address;	/* 0: none */
	} rows[] = {
		{ DW_FORM_addr, 0x1234, 0x1234 },
		{ DW_FORM_addrx, 0, 0xa0 },
		{ DW_FORM_addrx1, 1, 0xa1 },
		{ DW_FORM_addrx2, 1, 0xa1 },
		{ DW_FORM_addrx3, 0, 0xa0 },
		{ DW_FORM_addrx4, 1, 0xa1 },
		{ DW_FORM_GNU_addr_index, 1, 0xa1 },
		{ DW_FORM_addrx, 2, 0 },
		{ DW_FORM_addrx, UINT64_MAX, 0 },
		{ DW_FORM_addrx, UINT64_MAX / 8, 0 },
		{ DW_FORM_data4, 0x1234, 0 },
	};

	for (size_t f = 0; f < LENGTH(flavours); f++) {
		struct dwarf_reading r;
		struct dwarf_blob b;

		start(&b, &flavours[f]);
		blob_put_number(&b, &b.sections[SECTION_ADDR], 0xffff, 2);	/* to be skipped */
		blob_put_number(&b, &b.sections[SECTION_ADDR], 0xa0, b.address_bytes);
		blob_put_number(&b, &b.sections[SECTION_ADDR], 0xa1, b.address_bytes);
		dwarf_blob_unit_with(&b, flavours[f].version,
				     BLOB_ATTRS(ATTR(DW_AT_low_pc, DW_FORM_addrx, 1),
						ATTR(DW_AT_addr_base, DW_FORM_sec_offset, 2)));
		for (size_t i = 0; i < LENGTH(rows); i++)
			DIE(&b, 0, DW_TAG_subprogram,
			    ATTR(DW_AT_low_pc, rows[i].form, rows[i].value));
		dwarf_blob_end_unit(&b);
		assert_true(dwarf_reading_unit(&r, &b));
		assert_int_equal(r.cursor.bases.low_pc, 0xa1);
		for (size_t i = 0; i < LENGTH(rows); i++) {
			uint64_t address = 0;
			struct die die;

			next(&r, &die, DW_TAG_subprogram);
			assert_int_equal(die_cursor_address(&r.cursor, &die, SLOT_LOW_PC, &address),
					 rows[i].address != 0);
			assert_int_equal(address, rows[i].address);
		}
		assert_false(r.cursor.failed);
		dwarf_reading_end(&r, &b);
	}
}

/* DW_FORM_ref_sig8 becomes the section offset of the type unit's type. */
TEST(test_signatures)
{
	struct dwarf_reading r;
	struct dwarf_blob b;
	struct die die;

	dwarf_blob_init(&b);
	dwarf_blob_header(&b, 5, DW_UT_type, 0x1122334455667788, 1);
	OPEN(&b, 0, DW_TAG_type_unit);
	DIE(&b, 1, DW_TAG_structure_type, NAME("s"));
	dwarf_blob_end_unit(&b);
	dwarf_blob_unit(&b, 5);
	DIE(&b, 0, DW_TAG_structure_type,
	    ATTR(DW_AT_signature, DW_FORM_ref_sig8, 0x1122334455667788));
	DIE(&b, 0, DW_TAG_structure_type,
	    ATTR(DW_AT_signature, DW_FORM_ref_sig8, 0x1122334455667789));
	dwarf_blob_end_unit(&b);
	assert_true(dwarf_reading_open(&r, &b));
	assert_true(dwarf_reading_cursor(&r, 1));
	next(&r, &die, DW_TAG_compile_unit);
	next(&r, &die, DW_TAG_structure_type);
	assert_true(die.value[SLOT_SIGNATURE] == b.labels[1]);
	next(&r, &die, DW_TAG_structure_type);
	assert_true(die.value[SLOT_SIGNATURE] == UINT64_MAX);
	dwarf_reading_end(&r, &b);
}
