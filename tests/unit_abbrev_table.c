/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Declarations are recognized by their bytes (dwarf/abbrev_table.c): a table that has met others
 * must make the same programs as one that has met none, for declarations that share their fronts,
 * have zeros in them, and end where the section does. By hand, and at random.
 *
 * usage: unit_abbrev_table [ROUNDS [FIRST_SEED]]
 */
#include "tests/cmocka_all.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/abbrev_table.h"
#include "tests/mutate.h"
#include "tests/seeds.h"

static uint32_t rounds = 200;
static uint32_t first_seed;

typedef ARRAY_OF(uint8_t) byte_array;
typedef ARRAY_OF(uint64_t) number_array;

/* ---- two tables hold the same ---- */

#define SAME(a, b, field) assert_int_equal((a)->field, (b)->field)

static void check_loads(const struct abbrev_table *a, uint32_t first_a,
			const struct abbrev_table *b, uint32_t first_b, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		const struct abbrev_load *x = &a->loads.data[first_a + i];
		const struct abbrev_load *y = &b->loads.data[first_b + i];

		SAME(x, y, mask);
		SAME(x, y, constant);
		SAME(x, y, offset);
		SAME(x, y, slot);
		SAME(x, y, space);
		SAME(x, y, width);
		SAME(x, y, form);
	}
}

static void check_program(const struct abbrev_table *a, const struct abbrev *x,
			  const struct abbrev_table *b, const struct abbrev *y)
{
	SAME(x, y, tag);
	SAME(x, y, has_children);
	SAME(x, y, present);
	SAME(x, y, block_slots);
	SAME(x, y, signed_slots);
	SAME(x, y, min_bytes);
	SAME(x, y, lead_bytes);
	SAME(x, y, lead_load_count);
	SAME(x, y, step_count);
	check_loads(a, x->lead_first_load, b, y->lead_first_load, x->lead_load_count);
	for (uint32_t i = 0; i < x->step_count; i++) {
		const struct abbrev_step *p = &a->steps.data[x->first_step + i];
		const struct abbrev_step *q = &b->steps.data[y->first_step + i];

		SAME(p, q, code);
		SAME(p, q, slot);
		SAME(p, q, space);
		SAME(p, q, form);
		SAME(p, q, bytes);
		SAME(p, q, load_count);
		SAME(p, q, rest_bytes);
		check_loads(a, p->first, b, q->first, p->load_count);
	}
}

static void check_fixed(const struct fixed_die *x, const struct fixed_die *y)
{
	SAME(x, y, action);
	SAME(x, y, tag);
	SAME(x, y, has_children);
	SAME(x, y, is_declaration);
	SAME(x, y, has_number);
	SAME(x, y, has_indexed_name);
	SAME(x, y, has_inline_name);
	SAME(x, y, has_tail);
	SAME(x, y, bytes);
	SAME(x, y, name_at);
	SAME(x, y, type_at);
	SAME(x, y, number_at);
	SAME(x, y, second_at);
	SAME(x, y, name_mask);
	SAME(x, y, type_mask);
	SAME(x, y, number_mask);
	SAME(x, y, number_constant);
	SAME(x, y, second_mask);
	SAME(x, y, second_constant);
	SAME(x, y, shift);
	SAME(x, y, is_bitfield);
	SAME(x, y, is_common_member);
	SAME(x, y, has_type_only);
	SAME(x, y, has_section_type);
	SAME(x, y, has_steps);
	SAME(x, y, base_mask);
}

static void check_code(const struct abbrev_table *a, const struct abbrev_table *b, uint64_t code)
{
	const struct abbrev *x = abbrev_table_lookup(a, code);
	const struct abbrev *y = abbrev_table_lookup(b, code);

	assert_int_equal(!x, !y);
	if (x && y)
		check_program(a, x, b, y);
}

/* Compiles the unit's table into both; `codes` are looked up, and all that are an index. */
static bool check_table(struct abbrev_table *known, const struct object *object,
			const struct unit *unit, const uint64_t *codes, size_t count)
{
	struct abbrev_table fresh = { 0 };
	struct error known_err = { 0 }, fresh_err = { 0 };
	bool good = abbrev_table_compile(&fresh, object, unit, &fresh_err);

	assert_int_equal(abbrev_table_compile(known, object, unit, &known_err), good);
	if (good) {
		assert_int_equal(known->crosses_units, fresh.crosses_units);
		assert_int_equal(known->fixed_dies.count, fresh.fixed_dies.count);
		for (uint64_t code = 0; code < fresh.fixed_dies.count; code++) {
			check_code(known, &fresh, code);
			check_fixed(&known->fixed_dies.data[code], &fresh.fixed_dies.data[code]);
		}
		for (size_t i = 0; i < count; i++)
			check_code(known, &fresh, codes[i]);
	} else {
		assert_string_equal(known_err.text, fresh_err.text);
	}
	abbrev_table_release(&fresh);
	return good;
}

/* ---- what tables are made of ---- */

#define MEMBER "\x0d\x00\x03\x0e\x49\x13" /* no children, name: strp, type: ref4 */
#define LINES  "\x3a\x0b\x3b\x05\x39\x0b" /* file, line and column: not read */
#define END    "\x00\x00"

/* Declarations without their codes. */
static const struct {
	const char *bytes;
	uint8_t length;
	uint8_t tag;
	uint8_t min_bytes; /* of a DIE's attributes */
} declarations[] = {
#define ROW(bytes, tag, min_bytes)                                                                 \
	{                                                                                          \
		bytes, sizeof(bytes) - 1, tag, min_bytes                                           \
	}
	/* A place of 0, of 5, in the DIE, none; what follows a 0. */
	ROW(MEMBER "\x38\x21\x00" END, DW_TAG_member, 8),
	ROW(MEMBER "\x38\x21\x05" END, DW_TAG_member, 8),
	ROW(MEMBER "\x38\x0b" END, DW_TAG_member, 9),
	ROW(MEMBER "\x38\x05" END, DW_TAG_member, 10),
	ROW(MEMBER END, DW_TAG_member, 8),
	ROW(MEMBER "\x38\x21\x00\x3a\x0b" END, DW_TAG_member, 9),
	ROW(MEMBER "\x38\x21\x00\x3a\x05" END, DW_TAG_member, 10),
	ROW(MEMBER "\x38\x21\x80\x00\x3a\x0b" END, DW_TAG_member, 9),
	/* Long ones that differ in the last byte. */
	ROW(MEMBER LINES LINES LINES LINES "\x38\x0b" END, DW_TAG_member, 25),
	ROW(MEMBER LINES LINES LINES LINES "\x38\x05" END, DW_TAG_member, 26),
	ROW(MEMBER LINES LINES LINES LINES "\x38\x21\x00" END, DW_TAG_member, 24),
	ROW(MEMBER LINES LINES LINES LINES "\x38\x21\x00\x0d\x21\x00" END, DW_TAG_member, 24),
	ROW(MEMBER LINES LINES LINES LINES "\x38\x21\x00\x0d\x21\x03" END, DW_TAG_member, 24),
	/* Two zeros in the middle: a tag of two bytes, or a constant, in front of no children. */
	ROW("\x8d\x00\x00\x03\x0e" END, DW_TAG_member, 4),
	ROW("\x8d\x00\x00\x03\x08" END, DW_TAG_member, 1),
	ROW("\xb4\x80\x00\x00\x49\x13" END, DW_TAG_variable, 4),
	ROW("\xb4\x80\x00\x00\x49\x10" END, DW_TAG_variable, 4),
	/* Short ones. */
	ROW("\x0f\x00" END, DW_TAG_pointer_type, 0),
	ROW("\x0f\x01" END, DW_TAG_pointer_type, 0),
	ROW("\x0f\x00\x0b\x21\x08\x49\x13" END, DW_TAG_pointer_type, 4),
	ROW("\x0f\x00\x0b\x0b\x49\x13" END, DW_TAG_pointer_type, 5),
	ROW("\x18\x00" END, DW_TAG_unspecified_parameters, 0),
	ROW("\x13\x01\x03\x08\x0b\x0b\x3a\x0b" END, DW_TAG_structure_type, 3),
	ROW("\x13\x01\x03\x08\x0b\x0b\x3a\x21\x00" END, DW_TAG_structure_type, 2),
	ROW("\x28\x00\x03\x0e\x1c\x0d" END, DW_TAG_enumerator, 5),
	ROW("\x28\x00\x03\x0e\x1c\x21\x7f" END, DW_TAG_enumerator, 4),
	ROW("\x28\x00\x03\x0e\x1c\x21\xff\x00" END, DW_TAG_enumerator, 4),
	ROW("\x34\x00\x03\x08\x49\x13\x02\x18" END, DW_TAG_variable, 6),
#undef ROW
};

#define CROSSES 16	/* the one with DW_FORM_ref_addr */

static const struct unit sizes_of_dwarf5 = { .version = 5, .address_bytes = 8, .offset_bytes = 4 };

static void put_uleb(byte_array *out, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		array_push(out, (uint8_t)(value | 0x80));
	array_push(out, (uint8_t)value);
}

static void put_declaration(byte_array *out, uint64_t code, size_t number)
{
	put_uleb(out, code);
	for (uint8_t i = 0; i < declarations[number].length; i++)
		array_push(out, (uint8_t)declarations[number].bytes[i]);
}

/* The section is a copy of its own size, so that a sanitizer sees a read past its end. */
static struct object make_object(const byte_array *bytes)
{
	uint8_t *copy = memory_alloc(bytes->count);
	struct object object = { .path = "image" };

	memcpy(copy, bytes->data, bytes->count);
	object.sections[SECTION_ABBREV].data = copy;
	object.sections[SECTION_ABBREV].size = bytes->count;
	return object;
}

static void release_object(struct object *object)
{
	free((void *)(uintptr_t)object->sections[SECTION_ABBREV].data);
}

static void check_declared(const struct abbrev_table *table, uint64_t code, size_t number)
{
	const struct abbrev *abbrev = abbrev_table_lookup(table, code);

	assert_non_null(abbrev);
	assert_int_equal(abbrev->tag, declarations[number].tag);
	assert_int_equal(abbrev->min_bytes, declarations[number].min_bytes);
}

/* ---- by hand ---- */

/* Each declaration after each other one, and the last at the end of the section. */
TEST(test_pairs)
{
	static const uint64_t codes[] = { 1, 2 };
	struct abbrev_table known = { 0 };

	for (size_t i = 0; i < LENGTH(declarations) * LENGTH(declarations); i++) {
		size_t one = i / LENGTH(declarations), two = i % LENGTH(declarations);
		struct unit unit = sizes_of_dwarf5;
		byte_array bytes = { 0 };
		struct object object;

		for (int tables = 0; tables < 2; tables++) {
			unit.abbrev_offset = bytes.count;
			put_declaration(&bytes, codes[0], tables ? two : one);
			put_declaration(&bytes, codes[1], tables ? one : two);
			array_push(&bytes, 0);
		}
		object = make_object(&bytes);
		known.valid = false; /* another section */
		assert_true(check_table(&known, &object, &unit, codes, LENGTH(codes)));
		check_declared(&known, codes[0], two);
		check_declared(&known, codes[1], one);
		unit.abbrev_offset = 0;
		assert_true(check_table(&known, &object, &unit, codes, LENGTH(codes)));
		check_declared(&known, codes[0], one);
		check_declared(&known, codes[1], two);
		release_object(&object);
		array_release(&bytes);
	}
	/* All have been recognized but those at the very end. */
	assert_true(known.declarations.count < 4 * LENGTH(declarations) * LENGTH(declarations));
	abbrev_table_release(&known);
}

/* The first of equal codes counts, and codes of all sizes are found. */
TEST(test_codes)
{
	static const uint64_t codes[] = { 1,	     127,  128,	 129,	300,
					  4095,	     4096, 4097, 70000, UINT64_C(1) << 40,
					  UINT64_MAX };
	struct abbrev_table known = { 0 };
	struct unit unit = sizes_of_dwarf5;
	byte_array bytes = { 0 };
	struct object object;

	for (size_t i = 0; i < 2 * LENGTH(codes); i++)
		put_declaration(&bytes, codes[i % LENGTH(codes)], i);
	array_push(&bytes, 0);
	unit.abbrev_offset = bytes.count;
	for (size_t i = LENGTH(codes); i-- > 0;)
		put_declaration(&bytes, codes[i], LENGTH(codes) - i);
	array_push(&bytes, 0);
	object = make_object(&bytes);
	for (int times = 0; times < 2; times++) {
		unit.abbrev_offset = times ? 0 : unit.abbrev_offset;
		assert_true(check_table(&known, &object, &unit, codes, LENGTH(codes)));
		for (size_t i = 0; i < LENGTH(codes); i++)
			check_declared(&known, codes[i], times ? i : LENGTH(codes) - i);
	}
	assert_null(abbrev_table_lookup(&known, 2));
	assert_null(abbrev_table_lookup(&known, 5000));
	abbrev_table_release(&known);
	release_object(&object);
	array_release(&bytes);
}

/* ---- at random ---- */

static uint64_t random_code(struct random *random, uint64_t ordinal)
{
	switch (random_below(random, 12)) {
	case 0: return 1 + random_below(random, 4);
	case 1: return 120 + random_below(random, 20);
	case 2: return 4090 + random_below(random, 12);
	case 3: return 1 + (random_next(random) >> random_below(random, 64));
	default: return ordinal;
	}
}

/* Nonsense, too: both must refuse what is not a table, with the same words. */
static void add_table(struct random *random, byte_array *bytes, number_array *codes)
{
	uint64_t count = random_below(random, 30);

	for (uint64_t i = 1; i <= count; i++) {
		uint64_t code = random_code(random, i);
		size_t begin = bytes->count;

		put_declaration(bytes, code ? code : 1, random_below(random, LENGTH(declarations)));
		array_push(codes, code);
		if (random_below(random, 100) == 0)
			bytes->data[begin + random_below(random, bytes->count - begin)] =
				(uint8_t)random_next(random);
	}
	array_push(bytes, 0);
}

#define TABLES 6

static void check_random(struct random *random, uint32_t *refused)
{
	static const struct unit sizes[] = {
		{ .version = 5, .address_bytes = 8, .offset_bytes = 4 },
		{ .version = 4, .address_bytes = 8, .offset_bytes = 8 },
		{ .version = 2, .address_bytes = 4, .offset_bytes = 4 },
	};
	uint64_t offsets[TABLES];
	struct abbrev_table known = { 0 };
	number_array codes = { 0 };
	byte_array bytes = { 0 };
	struct object object;
	struct unit unit = sizes[0];

	for (size_t i = 0; i < TABLES; i++) {
		offsets[i] = bytes.count;
		add_table(random, &bytes, &codes);
	}
	/* The last one may end anywhere. */
	if (random_below(random, 3) == 0)
		bytes.count -= random_below(random, bytes.count - offsets[TABLES - 1]);
	object = make_object(&bytes);
	for (size_t i = 0; i < 3 * TABLES; i++) {
		if (random_below(random, 10) == 0)
			unit = sizes[random_below(random, LENGTH(sizes))];
		unit.abbrev_offset = offsets[random_below(random, TABLES)];
		*refused += !check_table(&known, &object, &unit, codes.data, codes.count);
	}
	abbrev_table_release(&known);
	release_object(&object);
	array_release(&codes);
	array_release(&bytes);
}

TEST(test_random_tables)
{
	uint32_t refused = 0;

	for (uint32_t i = 0; i < rounds; i++) {
		struct random random = { first_seed + i };

		check_random(&random, &refused);
	}
	assert_in_range(refused, rounds / 4, rounds * TABLES);
}

int main(int argc, char **argv)
{
	seeds_read(argc, argv, &rounds, &first_seed);
	return test_list_run(NULL, NULL);
}
