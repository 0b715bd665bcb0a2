/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The printer: one type of every kind and form, alone and split, against the text that bpftool
 * v7.1 prints for the same blobs.
 *
 * `unit_printer BASE SPLIT` writes the two blobs into files, so that tests/dump.sh can compare
 * with the bpftool that is installed. `unit_printer --sites BTF EXTRA` writes two without errors
 * that have sites and locations, of which no bpftool knows.
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf/inspect.h"
#include "tests/btf_blob.h"

#define T BLOB_TYPE

#define BLOB(words, strings) btf_blob_make(words, LENGTH(words), strings, sizeof(strings))

enum { N_int = 1, N_s = 5, N_a = 7, N_data = 9, N_end = 15 };

static const char base_strings[] = "\0int\0s\0a\0.data";
static const uint32_t base_words[] = {
	T(BTF_INT, 0, 0, N_int, 4), 0x01000020,
	T(BTF_INT, 0, 0, N_s, 1), 0x04000008,
	T(BTF_INT, 0, 0, N_s, 1), 0x02000008,
	T(BTF_INT, 0, 0, N_s, 4), 0x00030005,
	T(BTF_PTR, 0, 0, 0, 0),
	T(BTF_ARRAY, 0, 0, 0, 0), 1, 4, 0xffffffff,
	T(BTF_STRUCT, 2, 0, N_s, 8), N_a, 1, 0, 0, 1, 32,
	T(BTF_STRUCT, 2, 1, 0, 4), N_a, 1, 0x05000003, N_s, 1, 8,
	T(BTF_UNION, 0, 0, N_s, 4),
	T(BTF_ENUM, 2, 0, N_s, 4), N_a, 0xffffffff, N_s, 1,
	T(BTF_ENUM, 1, 1, 0, 4), N_a, 0xffffffff,
	T(BTF_ENUM64, 1, 0, N_s, 8), N_a, 0xffffffff, 0xffffffff,
	T(BTF_ENUM64, 2, 1, N_s, 8), N_a, 0xffffffff, 0xffffffff, N_s, 0, 0x80000000,
	T(BTF_FWD, 0, 0, N_s, 0),
	T(BTF_FWD, 0, 1, N_s, 0),
	T(BTF_TYPEDEF, 0, 0, N_a, 1),
	T(BTF_VOLATILE, 0, 0, 0, 1),
	T(BTF_CONST, 0, 0, 0, 0),
	T(BTF_RESTRICT, 0, 0, 0, 5),
	T(BTF_FUNC_PROTO, 2, 0, 0, 1), N_a, 1, 0, 0,
	T(BTF_FUNC, 0, 0, N_a, 20),
	T(BTF_FUNC, 1, 0, N_a, 20),
	T(BTF_FUNC, 2, 0, N_a, 20),
	T(BTF_FUNC, 7, 0, N_a, 20),
	T(BTF_VAR, 0, 0, N_a, 1), 0,
	T(BTF_VAR, 0, 0, N_a, 1), 1,
	T(BTF_VAR, 0, 0, N_a, 1), 2,
	T(BTF_VAR, 0, 0, N_a, 1), 3,
	T(BTF_DATASEC, 4, 0, N_data, 8), 25, 0, 4, 0, 4, 4, 99, 8, 4, 1, 12, 4,
	T(BTF_FLOAT, 0, 0, N_s, 8),
	T(BTF_DECL_TAG, 0, 0, N_a, 7), 0xffffffff,
	T(BTF_DECL_TAG, 0, 0, N_a, 7), 1,
	T(BTF_TYPE_TAG, 0, 0, N_a, 1),
	T(BTF_STRUCT, 0, 0, 1000, 0),
};

static const char base_text[] =
	"[1] INT 'int' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED\n"
	"[2] INT 's' size=1 bits_offset=0 nr_bits=8 encoding=BOOL\n"
	"[3] INT 's' size=1 bits_offset=0 nr_bits=8 encoding=CHAR\n"
	"[4] INT 's' size=4 bits_offset=3 nr_bits=5 encoding=(none)\n"
	"[5] PTR '(anon)' type_id=0\n"
	"[6] ARRAY '(anon)' type_id=1 index_type_id=4 nr_elems=4294967295\n"
	"[7] STRUCT 's' size=8 vlen=2\n"
	"\t'a' type_id=1 bits_offset=0\n"
	"\t'(anon)' type_id=1 bits_offset=32\n"
	"[8] STRUCT '(anon)' size=4 vlen=2\n"
	"\t'a' type_id=1 bits_offset=3 bitfield_size=5\n"
	"\t's' type_id=1 bits_offset=8\n"
	"[9] UNION 's' size=4 vlen=0\n"
	"[10] ENUM 's' encoding=UNSIGNED size=4 vlen=2\n"
	"\t'a' val=4294967295\n"
	"\t's' val=1\n"
	"[11] ENUM '(anon)' encoding=SIGNED size=4 vlen=1\n"
	"\t'a' val=-1\n"
	"[12] ENUM64 's' encoding=UNSIGNED size=8 vlen=1\n"
	"\t'a' val=18446744073709551615ULL\n"
	"[13] ENUM64 's' encoding=SIGNED size=8 vlen=2\n"
	"\t'a' val=-1LL\n"
	"\t's' val=-9223372036854775808LL\n"
	"[14] FWD 's' fwd_kind=struct\n"
	"[15] FWD 's' fwd_kind=union\n"
	"[16] TYPEDEF 'a' type_id=1\n"
	"[17] VOLATILE '(anon)' type_id=1\n"
	"[18] CONST '(anon)' type_id=0\n"
	"[19] RESTRICT '(anon)' type_id=5\n"
	"[20] FUNC_PROTO '(anon)' ret_type_id=1 vlen=2\n"
	"\t'a' type_id=1\n"
	"\t'(anon)' type_id=0\n"
	"[21] FUNC 'a' type_id=20 linkage=static\n"
	"[22] FUNC 'a' type_id=20 linkage=global\n"
	"[23] FUNC 'a' type_id=20 linkage=extern\n"
	"[24] FUNC 'a' type_id=20 linkage=(unknown)\n"
	"[25] VAR 'a' type_id=1, linkage=static\n"
	"[26] VAR 'a' type_id=1, linkage=global\n"
	"[27] VAR 'a' type_id=1, linkage=extern\n"
	"[28] VAR 'a' type_id=1, linkage=(unknown)\n"
	"[29] DATASEC '.data' size=8 vlen=4\n"
	"\ttype_id=25 offset=0 size=4 (VAR 'a')\n"
	"\ttype_id=0 offset=4 size=4 (UNKNOWN '(anon)')\n"
	"\ttype_id=99 offset=8 size=4\n"
	"\ttype_id=1 offset=12 size=4 (INT 'int')\n"
	"[30] FLOAT 's' size=8\n"
	"[31] DECL_TAG 'a' type_id=7 component_idx=-1\n"
	"[32] DECL_TAG 'a' type_id=7 component_idx=1\n"
	"[33] TYPE_TAG 'a' type_id=1\n"
	"[34] STRUCT '(invalid)' size=0 vlen=0\n";

/* A split blob's string section need not start with a NUL. */
static const char split_strings[] = "new";
static const uint32_t split_words[] = {
	T(BTF_STRUCT, 1, 0, N_end, 8), N_a, 7, 0,
	T(BTF_DATASEC, 1, 0, N_data, 4), 25, 0, 4,
};

static const char split_text[] = "[35] STRUCT 'new' size=8 vlen=1\n"
				 "\t'a' type_id=7 bits_offset=0\n"
				 "[36] DATASEC '.data' size=4 vlen=1\n"
				 "\ttype_id=25 offset=0 size=4 (VAR 'a')\n";

/* ---- sites and locations ---- */

enum {
	S_text = 1,
	S_f = 7,
	S_a = 9,
	S_b = 11,
	S_main = 13,
	S_end = 18,
	X_cold = S_end,
	X_reg = S_end + 7,
	X_memory = S_end + 11,
	X_number = S_end + 19,
};

static const char site_strings[] = "\0.text\0f\0a\0b\0main";
static const uint32_t site_words[] = {
	T(BTF_INT, 0, 0, 0, 4), 0x01000020,
	T(BTF_FUNC_PROTO, 3, 0, 0, 1), S_a, 1, S_b, 1, 0, 0,
	T(BTF_FUNC, 0, 0, S_f, 2),
	T(BTF_LOC_PARAM, 1, 0, 0, 4), BTF_LOC_REG, 5,
	T(BTF_LOC_PARAM, 1, 0, 0, 4), BTF_LOC_CONST | BTF_LOC_SIGNED, 0xffffffff,
	T(BTF_LOC_PARAM, 3, 0, 0, 4), 0x40, 1, 2, 3,
	T(BTF_LOC_PROTO, 3, 0, 0, 0), 4, 5, 0,
	T(BTF_LOC_PROTO, 3, 0, 0, 0), 0, 6, 99,
	T(BTF_LOCSEC, 5, 0, S_text, 0), 3, 7, 0x10, 3, 8, 0x20, 3, 0, 0x30, 1, 7, 0x40, 0, 99, 5,
};

static const char site_text[] =
	"[1] INT '(anon)' size=4 bits_offset=0 nr_bits=32 encoding=SIGNED\n"
	"[2] FUNC_PROTO '(anon)' ret_type_id=1 vlen=3\n"
	"\t'a' type_id=1\n"
	"\t'b' type_id=1\n"
	"\t'(anon)' type_id=0\n"
	"[3] FUNC 'f' type_id=2 linkage=static\n"
	"[4] LOC_PARAM '(anon)' size=4 vlen=1 flags=0x8 values=5 (%di)\n"
	"[5] LOC_PARAM '(anon)' size=4 vlen=1 flags=0x3 values=4294967295 (-1)\n"
	"[6] LOC_PARAM '(anon)' size=4 vlen=3 flags=0x40 values=1,2,3 (?)\n"
	"[7] LOC_PROTO '(anon)' vlen=3\n"
	"\ttype_id=4 (%di)\n"
	"\ttype_id=5 (-1)\n"
	"\ttype_id=0 (?)\n"
	"[8] LOC_PROTO '(anon)' vlen=3\n"
	"\ttype_id=0 (?)\n"
	"\ttype_id=6 (?)\n"
	"\ttype_id=99 (?)\n"
	"[9] LOCSEC '.text' vlen=5\n"
	"\tfunc_id=3 loc_proto_id=7 offset=0x10 (main+0x10: f a=%di b=-1 ...)\n"
	"\tfunc_id=3 loc_proto_id=8 offset=0x20 (main+0x20: f a=? b=? ...)\n"
	"\tfunc_id=3 loc_proto_id=0 offset=0x30 (main+0x30: f)\n"
	"\tfunc_id=1 loc_proto_id=7 offset=0x40 (.text+0x40: (anon))\n"
	"\tfunc_id=0 loc_proto_id=99 offset=0x5 (.text+0x5: (anon))\n";

static const char extra_strings[] = "f.cold\0%di\0+8(%sp)\0\\42";
static const uint32_t extra_words[] = {
	T(BTF_FUNC, 0, 0, X_cold, 0),
	T(BTF_LOC, 3, 0, 0, 2), X_reg, X_memory, 0,
	T(BTF_LOC, 2, 0, 0, 1), X_number, 500,
	T(BTF_DATASEC, 5, 1, S_text, 64), 3, 0, 2, 3, 0, 11, 10, 4, 0, 3, 8, 12, 1, 0xffffffff, 99,
};

static const char extra_text[] =
	"[10] FUNC 'f.cold' type_id=0 linkage=static\n"
	"[11] LOC '(anon)' type_id=2 vlen=3\n"
	"\t'a' location=%di\n"
	"\t'b' location=+8(%sp)\n"
	"\t'(anon)' location=?\n"
	"[12] LOC '(anon)' type_id=1 vlen=2\n"
	"\t'(anon)' location=\\42\n"
	"\t'(anon)' location=?\n"
	"[13] DATASEC '.text' size=64 vlen=5\n"
	"\ttype_id=3 offset=0x0 location_type_id=2 (main+0x0: f by convention)\n"
	"\ttype_id=3 offset=0x0 location_type_id=11 (main+0x0: f a=%di b=+8(%sp) ...)\n"
	"\ttype_id=10 offset=0x4 location_type_id=0 (.text+0x4: f.cold)\n"
	"\ttype_id=3 offset=0x8 location_type_id=12 (main+0x8: f (anon)=\\42 (anon)=?)\n"
	"\ttype_id=1 offset=0xffffffff location_type_id=99 (.text+0xffffffff: (anon))\n";

/* Both without errors. The sites are in the code of any program. */
static const uint32_t good_words[] = {
	T(BTF_INT, 0, 0, 0, 8), 0x00000040,
	T(BTF_FUNC_PROTO, 1, 0, 0, 1), S_a, 1,
	T(BTF_LOC_PARAM, 1, 0, 0, 8), BTF_LOC_REG, 5,
	T(BTF_LOC_PROTO, 1, 0, 0, 0), 3,
	T(BTF_LOCSEC, 2, 0, S_text, 0), 6, 4, 0x10, 6, 4, 0x20,
	T(BTF_FUNC, 0, 0, S_f, 2),
};

static const uint32_t good_extra_words[] = {
	T(BTF_LOC, 1, 0, 0, 2), X_memory,
	T(BTF_DATASEC, 3, 1, S_text, 64), 6, 0, 2, 6, 0x10, 7, 9, 0x14, 0,
	T(BTF_FUNC, 0, 0, X_cold, 0),
};

static void expect_text(const struct btf_reader *btf, const struct btf_print_words *words,
			const char *wanted)
{
	char *text = btf_dump(btf, words);

	assert_string_equal(text, wanted);
	free(text);
}

/* Of both blobs, the second of which is split from the first; without words it has `part`, too. */
static void expect_texts(struct btf_blob blobs[2], const struct btf_print_words *words,
			 const char *base_wanted, const char *split_wanted, const char *part)
{
	struct btf_reader base, split;
	char *text;

	btf_open(&base, blobs[0].data, blobs[0].bytes, NULL);
	expect_text(&base, words, base_wanted);
	btf_open(&split, blobs[1].data, blobs[1].bytes, &base);
	expect_text(&split, words, split_wanted);
	text = btf_dump(&split, NULL);
	assert_non_null(strstr(text, part));
	free(text);
	btf_reader_release(&split);
	btf_reader_release(&base);
	btf_blob_release(&blobs[0]);
	btf_blob_release(&blobs[1]);
}

TEST(test_print)
{
	struct btf_blob blobs[] = { BLOB(base_words, base_strings),
				    BLOB(split_words, split_strings) };

	expect_texts(blobs, NULL, base_text, split_text, "");
}

static const char *register_name(const void *context, uint32_t number)
{
	return number == 5 ? context : NULL;
}

/* Only the places of f are known. */
static int place_name(const void *context, const char *section, uint32_t offset,
		      const char *function, char *buffer, size_t bytes)
{
	(void)context;
	if (strcmp(function, "f") != 0 || strcmp(section, ".text") != 0)
		return 0;
	return snprintf(buffer, bytes, "main+0x%x", offset);
}

TEST(test_print_sites)
{
	static const struct btf_print_words words = { register_name, place_name, "di" };

	for (int swap = 0; swap < 2; swap++) {
		struct btf_blob blobs[] = { BLOB(site_words, site_strings),
					    BLOB(extra_words, extra_strings) };

		for (int i = 0; swap && i < 2; i++)
			btf_blob_swap(&blobs[i]);
		expect_texts(blobs, &words, site_text, extra_text,
			     "(.text+0x0: f a=%di b=+8(%sp) ...)");
	}
}

/* A damaged file cannot make one site as long as it likes. */
TEST(test_many_parameters)
{
	static const uint32_t head[] = { T(BTF_FUNC, 0, 0, S_f, 0), T(BTF_LOC_PROTO, 1000, 0, 0,
								      0) };
	static const uint32_t tail[] = { T(BTF_LOCSEC, 1, 0, S_text, 0), 1, 2, 0 };
	uint32_t words[LENGTH(head) + 1000 + LENGTH(tail)] = { 0 };
	struct btf_blob blob;
	struct btf_reader btf;
	char *text;

	memcpy(words, head, sizeof(head));
	memcpy(words + LENGTH(head) + 1000, tail, sizeof(tail));
	blob = BLOB(words, site_strings);
	btf_open(&btf, blob.data, blob.bytes, NULL);
	text = btf_dump(&btf, NULL);
	assert_non_null(strstr(text, "(.text+0x0: f (anon)=?"));
	assert_true(strlen(strstr(text, "(.text+0x0: f (anon)=?")) < 1000);
	assert_string_equal(text + strlen(text) - 6, " ...)\n");
	free(text);
	btf_reader_release(&btf);
	btf_blob_release(&blob);
}

/* Elements of the record that have a line each. */
static uint32_t element_lines(const uint32_t *record)
{
	switch (btf_record_kind(record)) {
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_ENUM:
	case BTF_ENUM64:
	case BTF_FUNC_PROTO:
	case BTF_DATASEC:
	case BTF_LOC_PROTO:
	case BTF_LOCSEC:
	case BTF_LOC: return btf_info_vlen(record[BTF_WORD_INFO]);
	default: return 0;
	}
}

/*
 * Prints it. Whatever the names are, each type has its line, "[id] KIND ", and each element one
 * with a tab; none has a control character, nor is it longer than names and the parameters of a
 * site allow.
 */
static void check_lines(const struct btf_reader *btf, const struct btf_print_words *words)
{
	char *all = btf_dump(btf, words);
	const char *text = all;
	uint32_t names = btf_reader_end_string(btf);

	for (uint32_t id = btf->first_id; id < btf_reader_end_id(btf); id++) {
		const uint32_t *record = btf_reader_type(btf, id);
		char head[64];

		snprintf(head, sizeof(head), "[%u] %s '", id,
			 btf_kinds[btf_record_kind(record)].name);
		if (strncmp(text, head, strlen(head)) != 0)
			fail_msg("not %s but %.60s", head, text);
		for (uint32_t i = 0; i <= element_lines(record); i++) {
			size_t length = strcspn(text, "\n");

			assert_int_equal(*text == '\t', i > 0);
			assert_in_range(length, 3, 200 + 66 * (2 * names + 100));
			for (size_t k = i > 0; k < length; k++)
				if ((unsigned char)text[k] < ' ' || text[k] == 0x7f)
					fail_msg("byte %02x: %.*s", text[k], (int)length, text);
			assert_int_equal(text[length], '\n');
			text += length + 1;
		}
	}
	assert_string_equal(text, "");
	free(all);
}

/* As of symbols that are damaged, too. */
static int wild_place_name(const void *context, const char *section, uint32_t offset,
			   const char *function, char *buffer, size_t bytes)
{
	(void)context, (void)section, (void)function;
	return snprintf(buffer, bytes, "\x1b[2J\n[1] INT\x7f+0x%x", offset);
}

/* Any BTF that can be opened can be printed, a type a line. */
TEST(test_damaged_sites)
{
	static const struct btf_print_words all_words[] = {
		{ register_name, place_name, "di" },
		{ register_name, wild_place_name, "di" },
	};
	struct random random = { 1 };
	uint32_t printed[2] = { 0 }, refused = 0;

	for (int i = 0; i < 3000; i++) {
		struct btf_blob blobs[] = { BLOB(site_words, site_strings),
					    BLOB(extra_words, extra_strings) };
		const struct btf_print_words *words = &all_words[i / 4 % 2];
		struct btf_reader readers[2];
		struct error err;
		int opened = 0;

		btf_blob_damage(&blobs[i % 2], &random, 16);
		btf_blob_damage(&blobs[i / 2 % 2], &random, 16);
		while (opened < 2 && btf_reader_from_memory(&readers[opened], blobs[opened].data,
							    blobs[opened].bytes, "sites",
							    opened ? readers : NULL, &err)) {
			check_lines(&readers[opened], words);
			printed[opened++]++;
		}
		if (opened < 2)
			assert_int_equal(strncmp(err.text, "sites: ", 7), 0);
		refused += !opened;
		while (opened)
			btf_reader_release(&readers[--opened]);
		btf_blob_release(&blobs[0]);
		btf_blob_release(&blobs[1]);
	}
	assert_true(printed[0] > 1000 && printed[1] > 1000 && refused > 100);
}

#define PARAM(n, size, flags, ...) { T(BTF_LOC_PARAM, n, 0, 0, size), (flags), __VA_ARGS__ }

/* Is it made of probe arguments? Fills the last one. */
static bool scans(const char *text, struct btf_probe_value *value)
{
	bool good = *text;

	while (good && *text)
		good = btf_probe_value_scan(&text, value);
	return good;
}

TEST(test_probe_values)
{
	static const struct {
		const char *text;
		struct btf_probe_value last;
	} rows[] = {
		{ "%di", { 0, false, BTF_PROBE_REGISTER, "di" } },
		{ "%di %si", { 0, false, BTF_PROBE_REGISTER, "si" } },
		{ "+8(%sp)", { 8, false, BTF_PROBE_MEMORY, "sp" } },
		{ "-8(%r15)", { 8, true, BTF_PROBE_MEMORY, "r15" } },
		{ "\\10", { 10, false, BTF_PROBE_CONSTANT, "" } },
		{ "\\-10", { 10, true, BTF_PROBE_CONSTANT, "" } },
		{ "\\18446744073709551615", { UINT64_MAX, false, BTF_PROBE_CONSTANT, "" } },
	};
	static const char *const none[] = { "", " ", "%", "%reg17", "%longer_x", "%abcdefgh", "\\",
					    "\\x", "\\--1", "8", "+8", "+8(%sp", "+8(sp)", "+(%sp)",
					    "8(%sp)",
					    "%di,%si", "%di + 16", "%di  %si", "?", "base+0x12" };
	struct btf_probe_value value;

	for (size_t i = 0; i < LENGTH(rows); i++) {
		assert_true(scans(rows[i].text, &value));
		assert_int_equal(value.number, rows[i].last.number);
		assert_int_equal(value.is_negative, rows[i].last.is_negative);
		assert_int_equal(value.kind, rows[i].last.kind);
		assert_string_equal(value.reg, rows[i].last.reg);
	}
	for (size_t i = 0; i < LENGTH(none); i++) {
		if (scans(none[i], &value))
			fail_msg("'%s' is taken for a probe argument", none[i]);
	}
}

TEST(test_location_text)
{
	enum {
		SIGNED = BTF_LOC_SIGNED,
		CONSTANT = BTF_LOC_CONST,
		ADDRESS = BTF_LOC_CONST | BTF_LOC_ADDR,
		REG = BTF_LOC_REG,
		SUM = BTF_LOC_REG | BTF_LOC_OFFSET,
		DEREF = BTF_LOC_REG | BTF_LOC_DEREF,
		MEMORY = BTF_LOC_REG | BTF_LOC_DEREF | BTF_LOC_OFFSET,
		FRAME = BTF_LOC_FRAME_BASE,
	};
	static const struct {
		const char *text;
		uint32_t words[7];
	} locations[] = {
		{ "%di", PARAM(1, 8, REG, 5) },
		{ "%reg17", PARAM(1, 8, REG, 17) },
		{ "%reg4294967294", PARAM(1, 8, REG, 0xfffffffe) },
		{ "%di %reg4", PARAM(2, 16, REG, 5, 4) },
		{ "%di + 16", PARAM(2, 8, SUM, 5, 16) },
		{ "%di - 16", PARAM(2, 8, SUM, 5, (uint32_t)-16) },
		{ "+0(%di)", PARAM(1, 8, DEREF, 5) },
		{ "+8(%di)", PARAM(2, 8, MEMORY, 5, 8) },
		{ "-2147483648(%di)", PARAM(2, 8, MEMORY, 5, 0x80000000) },
		{ "+16(frame)", PARAM(2, 8, MEMORY, FRAME, 16) },
		{ "frame+16", PARAM(2, 8, SUM, FRAME, 16) },
		{ "frame-8", PARAM(2, 8, SUM, FRAME, (uint32_t)-8) },
		{ "5", PARAM(1, 4, CONSTANT, 5) },
		{ "4294967295", PARAM(1, 4, CONSTANT, 0xffffffff) },
		{ "-1", PARAM(1, 4, CONSTANT | SIGNED, 0xffffffff) },
		{ "-1", PARAM(1, 1, CONSTANT | SIGNED, 0xff) },
		{ "127", PARAM(1, 1, CONSTANT | SIGNED, 0x7f) },
		{ "-32768", PARAM(1, 2, CONSTANT | SIGNED, 0x8000) },
		{ "-2", PARAM(2, 8, CONSTANT | SIGNED, 0xfffffffe, 0xffffffff) },
		{ "18446744073709551614", PARAM(2, 8, CONSTANT, 0xfffffffe, 0xffffffff) },
		{ "4294967296", PARAM(2, 16, CONSTANT | SIGNED, 0, 1) },
		{ "5", PARAM(1, 1, CONSTANT | SIGNED, 0x105) },
		{ "base+0x1234", PARAM(2, 8, ADDRESS, 0x1234, 0) },
		{ "base+0x100001234", PARAM(2, 8, ADDRESS | SIGNED, 0x1234, 1) },
		{ "base+0xfffff000", PARAM(1, 4, ADDRESS | SIGNED, 0xfffff000) },
		{ "?", PARAM(0, 8, REG, 5) },
		{ "?", PARAM(3, 8, REG, 5, 5, 5) },
		{ "?", PARAM(1, 8, SUM, 5) },
		/* A number of two words, which bpf-next's header allows. */
		{ "?", PARAM(3, 8, SUM, 5, 16, 0) },
		{ "?", PARAM(3, 8, MEMORY, 5, (uint32_t)-16, UINT32_MAX) },
		{ "?", PARAM(1, 8, CONSTANT, 5) },
		{ "?", PARAM(2, 4, CONSTANT, 5, 0) },
		{ "?", PARAM(1, 8, CONSTANT | REG, 5) },
		{ "?", PARAM(1, 8, BTF_LOC_DEREF, 5) },
		{ "?", PARAM(1, 8, 0, 5) },
		{ "?", PARAM(1, 8, 0x40 | REG, 5) },
	};

	for (size_t i = 0; i < LENGTH(locations); i++) {
		/* No more words than the record has: what reads on is seen by ASan. */
		size_t bytes = btf_record_words(locations[i].words[1]) * sizeof(uint32_t);
		uint32_t *record = malloc(bytes);
		struct btf_probe_value value;
		char text[64];

		assert_non_null(record);
		memcpy(record, locations[i].words, bytes);
		btf_location_text(record, register_name, "di", text, sizeof(text));
		assert_string_equal(text, locations[i].text);
		assert_int_equal(btf_location_text(record, register_name, "di", text, 3),
				 strlen(locations[i].text));
		assert_true(strlen(text) < 3);
		/* What tracefs can fetch is a probe argument, and nothing else is. */
		snprintf(text, sizeof(text), "%s%s", record[BTF_HEAD_WORDS] & CONSTANT ? "\\" : "",
			 locations[i].text);
		assert_int_equal(btf_location_is_fetched(record, register_name, "di"),
				 scans(text, &value));
		if (*text == '\\' && scans(text, &value))
			assert_int_equal(btf_location_constant(record),
					 value.is_negative ? -value.number : value.number);
		free(record);
	}
}

static int write_blob(const char *path, struct btf_blob blob)
{
	FILE *out = fopen(path, "wb");
	int status = 1;

	if (out) {
		status = fwrite(blob.data, 1, blob.bytes, out) != blob.bytes;
		status |= fclose(out) != 0;
	}
	btf_blob_release(&blob);
	return status;
}

int main(int argc, char **argv)
{
	if (argc == 4 && strcmp(argv[1], "--sites") == 0)
		return write_blob(argv[2], BLOB(good_words, site_strings)) |
		       write_blob(argv[3], BLOB(good_extra_words, extra_strings));
	if (argc == 3)
		return write_blob(argv[1], BLOB(base_words, base_strings)) |
		       write_blob(argv[2], BLOB(split_words, split_strings));
	return test_list_run(NULL, NULL);
}
