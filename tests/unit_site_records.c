/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The tests' own reader of sites, from bytes made by hand: what it must read, and that it complains
 * of what docs/format.md does not allow.
 */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <string.h>

#include "tests/btf_blob.h"
#include "tests/scratch.h"
#include "tests/site_records.h"

#define WORDS_MAX 128

enum { FLAG_CONST = 2, FLAG_ADDR = 4, FLAG_REG = 8, FLAG_DEREF = 0x10, FLAG_OFFSET = 0x20 };

/* Strings of .BTF, by offset; those of .BTF.extra follow them. */
static const char base_strings[] = "\0.text\0f\0long\0x\0y";
static const char extra_strings[] = "\0%di\0+8(%sp)\0\\-1\0%di %si\0g";
enum { NAME_TEXT = 1, NAME_F = 7, NAME_LONG = 9, NAME_X = 14, NAME_Y = 16 };
#define EXTRA(offset) ((uint32_t)sizeof(base_strings) + (offset))

struct image {
	uint32_t words[WORDS_MAX];
	uint32_t count;
};

static void add(struct image *image, uint32_t name, uint32_t kind, uint32_t vlen, uint32_t size)
{
	image->words[image->count++] = name;
	image->words[image->count++] = kind << 24 | vlen;
	image->words[image->count++] = size;
}

static void add_words(struct image *image, uint32_t count, const uint32_t *words)
{
	memcpy(image->words + image->count, words, count * sizeof(*words));
	image->count += count;
}

#define ADD_WORDS(image, ...)                                                                      \
	add_words(image, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t),                   \
		  (uint32_t[]){ __VA_ARGS__ })

static void write_image(const char *name, const struct image *image, const char *strings,
			size_t string_bytes)
{
	struct btf_blob blob = btf_blob_make(image->words, image->count, strings, string_bytes);

	scratch_write(name, blob.data, blob.bytes);
	btf_blob_release(&blob);
}

/* 1 long, 2 FUNC_PROTO(long x, long y), 3 FUNC f, 4 to 8 LOC_PARAMs, 9 LOC_PROTO, 10 LOCSEC. */
static struct image base_image(void)
{
	struct image image = { .count = 0 };

	add(&image, NAME_LONG, 1, 0, 8);
	ADD_WORDS(&image, 1 << 24 | 64);
	add(&image, 0, 13, 2, 1);
	ADD_WORDS(&image, NAME_X, 1, NAME_Y, 1);
	add(&image, NAME_F, 12, 0, 2);
	add(&image, 0, 20, 1, 8);
	ADD_WORDS(&image, FLAG_REG, 5);
	add(&image, 0, 20, 2, 8);
	ADD_WORDS(&image, FLAG_REG | FLAG_DEREF | FLAG_OFFSET, 7, (uint32_t)-16);
	add(&image, 0, 20, 2, 8);
	ADD_WORDS(&image, FLAG_REG | FLAG_OFFSET, RECORD_FRAME_BASE, 8);
	add(&image, 0, 20, 2, 8);
	ADD_WORDS(&image, FLAG_CONST, 1, 2);
	add(&image, 0, 20, 2, 8);
	ADD_WORDS(&image, FLAG_CONST | FLAG_ADDR, 64, 0);
	add(&image, 0, 21, 2, 0);
	ADD_WORDS(&image, 4, 5);
	add(&image, NAME_TEXT, 22, 1, 0);
	ADD_WORDS(&image, 3, 9, 32);
	return image;
}

static bool read_base(struct site_records *records, const struct image *image)
{
	write_image("base", image, base_strings, sizeof(base_strings));
	return site_records_read(records, scratch_path("base"), NULL, EM_X86_64);
}

SCRATCH_TEST(test_inline)
{
	struct image image = base_image();
	struct site_records records;
	const struct record_place *places;

	assert_true(read_base(&records, &image));
	assert_int_equal(records.count, 1);
	assert_string_equal(records.data[0].name, "f");
	assert_string_equal(records.data[0].section, ".text");
	assert_int_equal(records.data[0].offset, 32);
	assert_int_equal(records.data[0].parameter_count, 2);
	assert_int_equal(site_records_size(&records, &records.data[0], 0), 8);
	assert_true(site_records_is_scalar(&records, &records.data[0], 1));
	assert_string_equal(site_records_name(&records, &records.data[0], 1), "y");
	places = records.places + records.data[0].first_place;
	assert_int_equal(places[0].kind, RECORD_REGISTER);
	assert_int_equal(places[0].regs[0], 5);
	assert_int_equal(places[1].kind, RECORD_MEMORY);
	assert_int_equal((int64_t)places[1].number, -16);
	site_records_release(&records);
}

/* Each row spoils one word of the image, counted from its beginning. */
SCRATCH_TEST(test_complaints)
{
	static const struct {
		uint32_t word, value;
	} rows[] = {
		{ 14, NAME_F },		/* a LOC_PARAM with a name */
		{ 15, 20 << 24 | 3 },	/* three registers: the words after it are others */
		{ 17, FLAG_DEREF },	/* flags that say nothing */
		{ 46, 1 },		/* a LOC_PROTO of something that is not a LOC_PARAM */
		{ 51, 1 },		/* a LOCSEC of something that is not a FUNC */
		{ 52, 4 },		/* with something that is not a LOC_PROTO */
		{ 48, 10000 },		/* a name outside of the strings */
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		struct image image = base_image();
		struct site_records records;

		image.words[rows[i].word] = rows[i].value;
		if (read_base(&records, &image))
			fail_msg("row %zu: no complaint", i);
		site_records_release(&records);
	}
}

SCRATCH_TEST(test_order)
{
	struct image image = base_image();
	struct site_records records;

	image.words[image.count - 5] = 22 << 24 | 2;
	ADD_WORDS(&image, 3, 9, 33);
	assert_true(read_base(&records, &image));
	site_records_release(&records);
	image.words[image.count - 1] = 32;
	assert_false(read_base(&records, &image));
	site_records_release(&records);
}

static bool read_extra(struct site_records *records)
{
	return site_records_read(records, scratch_path("base"), scratch_path("extra"), EM_X86_64);
}

/* After the ten types of .BTF: 11 LOC, 12 FUNC g, 13 LOC, 14 DATASEC. */
SCRATCH_TEST(test_extra)
{
	struct image base = base_image(), image = { .count = 0 };
	struct site_records records;
	const struct record_place *places;

	add(&image, 0, 31, 2, 2);
	ADD_WORDS(&image, EXTRA(1), EXTRA(5));
	add(&image, EXTRA(25), 12, 0, 0);
	add(&image, 0, 31, 2, 2);
	ADD_WORDS(&image, EXTRA(13), EXTRA(17));
	add(&image, NAME_TEXT, 0x80 | 15, 4, 100);
	ADD_WORDS(&image, 3, 0, 2, 3, 16, 11, 12, 16, 13, 12, 99, 0);
	write_image("base", &base, base_strings, sizeof(base_strings));
	write_image("extra", &image, extra_strings, sizeof(extra_strings));
	if (!read_extra(&records))
		fail_msg("%s", records.complaint);
	assert_int_equal(records.count, 5);
	assert_int_equal(records.data[1].says, RECORD_CONVENTION);
	assert_true(records.data[1].is_promised);
	assert_int_equal(records.data[4].says, RECORD_NOTHING);
	assert_string_equal(records.data[4].name, "g");
	assert_false(records.data[4].is_promised);
	places = records.places + records.data[2].first_place;
	assert_int_equal(places[0].kind, RECORD_REGISTER);
	assert_int_equal(places[1].kind, RECORD_MEMORY);
	assert_int_equal(places[1].regs[0], 7);
	assert_int_equal(places[1].number, 8);
	places = records.places + records.data[3].first_place;
	assert_int_equal(places[0].kind, RECORD_CONSTANT);
	assert_int_equal((int64_t)places[0].number, -1);
	assert_int_equal(places[1].reg_count, 2);
	assert_int_equal(places[1].regs[1], 4);
	site_records_release(&records);

	/* Past the end of the section. */
	image.words[image.count - 2] = 100;
	write_image("extra", &image, extra_strings, sizeof(extra_strings));
	assert_false(read_extra(&records));
	site_records_release(&records);
}
