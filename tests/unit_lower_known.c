/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Assumptions that do not hold (encoder/lower/lower_known.c): units that define the same struct
 * with the same names and places, of which one means something else by it. Each case is encoded
 * with guesses, with hashes that collide, with several threads and in other orders of the units;
 * the bytes must be those of the encoder that never guesses, and the assumption must indeed have
 * failed.
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "tests/encode_blob.h"

enum { INT = 1, LONG, P, T, U, V, W, FRESH };

/* The type at label P in units of one sort, after struct s, which has a member of that type. */
struct broken_case {
	const char *what;
	void (*one)(struct dwarf_blob *b);
	void (*other)(struct dwarf_blob *b);
};

/* ---- the types at P ---- */

static void pointer_to_int(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_pointer_type, TYPE(INT));
}

static void pointer_to_long(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_pointer_type, TYPE(LONG));
}

static void pointer_to_void(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_pointer_type);
}

static void pointer_to_struct(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_pointer_type, TYPE(T));
	DIE(b, T, DW_TAG_structure_type, NAME("t"), FLAG(DW_AT_declaration));
}

static void pointer_to_union(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_pointer_type, TYPE(T));
	DIE(b, T, DW_TAG_union_type, NAME("t"), FLAG(DW_AT_declaration));
}

static void pointer_to_s(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_pointer_type, TYPE(W));
}

static void const_int(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_const_type, TYPE(INT));
}

static void volatile_int(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_volatile_type, TYPE(INT));
}

static void typedef_one(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_typedef, NAME("one"), TYPE(INT));
}

static void typedef_other(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_typedef, NAME("other"), TYPE(INT));
}

static void just_int(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_base_type, NAME("unsigned"), SIZE(4), ENCODING(DW_ATE_unsigned));
}

static void just_short(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_base_type, NAME("unsigned"), SIZE(2), ENCODING(DW_ATE_unsigned));
}

static void array(struct dwarf_blob *b, uint32_t element, uint32_t count)
{
	OPEN(b, P, DW_TAG_array_type, TYPE(element));
	DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_count, DW_FORM_data1, count));
	CLOSE(b);
}

static void two_ints(struct dwarf_blob *b)
{
	array(b, INT, 2);
}

static void three_ints(struct dwarf_blob *b)
{
	array(b, INT, 3);
}

static void two_longs(struct dwarf_blob *b)
{
	array(b, LONG, 2);
}

/* Each promise leads to the next; only the last one is broken. */
static void chain(struct dwarf_blob *b, uint32_t parameter, bool dots)
{
	DIE(b, P, DW_TAG_typedef, NAME("callback"), TYPE(T));
	DIE(b, T, DW_TAG_pointer_type, TYPE(U));
	OPEN(b, U, DW_TAG_subroutine_type, TYPE(INT));
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(INT));
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(V));
	if (dots)
		DIE(b, 0, DW_TAG_unspecified_parameters);
	CLOSE(b);
	DIE(b, V, DW_TAG_const_type, TYPE(parameter));
}

static void callback_int(struct dwarf_blob *b)
{
	chain(b, INT, false);
}

static void callback_long(struct dwarf_blob *b)
{
	chain(b, LONG, false);
}

static void callback_dots(struct dwarf_blob *b)
{
	chain(b, INT, true);
}

static void callback_of_three(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_typedef, NAME("callback"), TYPE(T));
	DIE(b, T, DW_TAG_pointer_type, TYPE(U));
	OPEN(b, U, DW_TAG_subroutine_type, TYPE(INT));
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(INT));
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(V));
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(V));
	CLOSE(b);
	DIE(b, V, DW_TAG_const_type, TYPE(INT));
}

static void callback_returns_nothing(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_typedef, NAME("callback"), TYPE(T));
	DIE(b, T, DW_TAG_pointer_type, TYPE(U));
	OPEN(b, U, DW_TAG_subroutine_type);
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(INT));
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(V));
	CLOSE(b);
	DIE(b, V, DW_TAG_const_type, TYPE(INT));
}

static void nameless(struct dwarf_blob *b, const char *member, uint32_t offset, uint32_t type)
{
	OPEN(b, P, DW_TAG_structure_type, SIZE(16));
	DIE(b, 0, DW_TAG_member, NAME(member), TYPE(type), AT(offset));
	CLOSE(b);
	DIE(b, T, DW_TAG_const_type, TYPE(INT));
}

static void nameless_x(struct dwarf_blob *b)
{
	nameless(b, "x", 0, INT);
}

static void nameless_y(struct dwarf_blob *b)
{
	nameless(b, "y", 0, INT);
}

static void nameless_x_at_4(struct dwarf_blob *b)
{
	nameless(b, "x", 4, INT);
}

static void nameless_x_const(struct dwarf_blob *b)
{
	nameless(b, "x", 0, T);
}

static void nameless_enum(struct dwarf_blob *b, uint32_t value)
{
	OPEN(b, P, DW_TAG_enumeration_type, SIZE(4));
	DIE(b, 0, DW_TAG_enumerator, NAME("E"), ATTR(DW_AT_const_value, DW_FORM_data1, value));
	CLOSE(b);
}

static void enum_1(struct dwarf_blob *b)
{
	nameless_enum(b, 1);
}

static void enum_2(struct dwarf_blob *b)
{
	nameless_enum(b, 2);
}

/* In the counting of DWARF 2, from the most significant bit. */
static void nameless_bits(struct dwarf_blob *b, uint32_t first)
{
	OPEN(b, P, DW_TAG_structure_type, SIZE(4));
	DIE(b, 0, DW_TAG_member, NAME("x"), TYPE(INT), AT(0), SIZE(4),
	    ATTR(DW_AT_bit_size, DW_FORM_data1, 3), ATTR(DW_AT_bit_offset, DW_FORM_data1, first));
	CLOSE(b);
}

static void bits_at_29(struct dwarf_blob *b)
{
	nameless_bits(b, 29);
}

static void bits_at_8(struct dwarf_blob *b)
{
	nameless_bits(b, 8);
}

/* With bitfields in it, a member at the end may be an enum that needs its bits: this one is not. */
static void nameless_end(struct dwarf_blob *b, const char *end)
{
	OPEN(b, P, DW_TAG_structure_type, SIZE(2));
	DIE(b, 0, DW_TAG_member, NAME("x"), TYPE(T), ATTR(DW_AT_bit_size, DW_FORM_data1, 3),
	    ATTR(DW_AT_data_bit_offset, DW_FORM_data1, 0));
	DIE(b, 0, DW_TAG_member, NAME(end), TYPE(T), AT(1));
	CLOSE(b);
	DIE(b, T, DW_TAG_base_type, NAME("byte"), SIZE(1), ENCODING(DW_ATE_unsigned));
}

static void end_x(struct dwarf_blob *b)
{
	nameless_end(b, "x");
}

static void end_y(struct dwarf_blob *b)
{
	nameless_end(b, "y");
}

/* An anonymous struct with a pointer that has type tags. */
static void tagged(struct dwarf_blob *b, const char *tag, const char *second)
{
	OPEN(b, P, DW_TAG_structure_type, SIZE(8));
	DIE(b, 0, DW_TAG_member, NAME("x"), TYPE(T), AT(0));
	CLOSE(b);
	if (!tag) {
		DIE(b, T, DW_TAG_pointer_type, TYPE(INT));
		return;
	}
	OPEN(b, T, DW_TAG_pointer_type, TYPE(INT));
	DIE(b, 0, DW_TAG_LLVM_annotation, NAME("btf_type_tag"),
	    STRING(DW_AT_const_value, DW_FORM_string, tag));
	if (second)
		DIE(b, 0, DW_TAG_LLVM_annotation, NAME("btf_type_tag"),
		    STRING(DW_AT_const_value, DW_FORM_string, second));
	CLOSE(b);
}

static void tagged_user(struct dwarf_blob *b)
{
	tagged(b, "user", NULL);
}

static void tagged_rcu(struct dwarf_blob *b)
{
	tagged(b, "rcu", NULL);
}

static void tagged_twice(struct dwarf_blob *b)
{
	tagged(b, "user", "rcu");
}

static void not_tagged(struct dwarf_blob *b)
{
	tagged(b, NULL, NULL);
}

/* _Atomic becomes what its target is; it cannot be compared with a node. */
static void atomic_int(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_pointer_type, TYPE(T));
	DIE(b, T, DW_TAG_atomic_type, TYPE(INT));
}

static void atomic_struct(struct dwarf_blob *b)
{
	DIE(b, P, DW_TAG_pointer_type, TYPE(T));
	DIE(b, T, DW_TAG_atomic_type, TYPE(W));
}

static const struct broken_case cases[] = {
	{ "another target", pointer_to_int, pointer_to_long },
	{ "void", pointer_to_int, pointer_to_void },
	{ "a tag of another kind", pointer_to_struct, pointer_to_union },
	{ "a tag", pointer_to_int, pointer_to_s },
	{ "another modifier", const_int, volatile_int },
	{ "a typedef of another name", typedef_one, typedef_other },
	{ "a base type of another size", just_int, just_short },
	{ "another length", two_ints, three_ints },
	{ "another element", two_ints, two_longs },
	{ "another kind", two_ints, typedef_one },
	{ "another parameter", callback_int, callback_long },
	{ "more parameters", callback_int, callback_dots },
	{ "dots for a parameter", callback_of_three, callback_dots },
	{ "another return type", callback_int, callback_returns_nothing },
	{ "another member", nameless_x, nameless_y },
	{ "another place", nameless_x, nameless_x_at_4 },
	{ "a member of another type", nameless_x, nameless_x_const },
	{ "another enumerator", enum_1, enum_2 },
	{ "_Atomic", atomic_int, atomic_struct },
	{ "another place of DWARF 2", bits_at_29, bits_at_8 },
	{ "another member at the end", end_x, end_y },
	{ "another type tag", tagged_user, tagged_rcu },
	{ "a second type tag", tagged_user, tagged_twice },
	{ "no type tag", tagged_twice, not_tagged },
};

/* ---- programs of several units ---- */

/* Types that no other unit has, interned before the promise is found to be broken. */
#define FRESH_TYPES 40

static void add_fresh(struct dwarf_blob *b, uint32_t unit)
{
	for (uint32_t i = 0; i < FRESH_TYPES; i++) {
		char name[40];

		snprintf(name, sizeof(name), "fresh_%u_%u", unit, i);
		DIE(b, FRESH + i, DW_TAG_typedef, NAME(name), TYPE(i % 2 ? P : W));
		/* Made of what has been promised, which may not be true. */
		DIE(b, 0, DW_TAG_volatile_type, TYPE(FRESH + i));
	}
	OPEN(b, 0, DW_TAG_structure_type, SIZE(16));
	DIE(b, 0, DW_TAG_member, NAME("wrong"), TYPE(P), AT(0));
	CLOSE(b);
	if (!unit)
		return;
	OPEN(b, 0, DW_TAG_array_type, TYPE(P));
	DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_count, DW_FORM_data1, unit));
	CLOSE(b);
}

static void add_types(struct dwarf_blob *b, void (*add)(struct dwarf_blob *b), uint32_t unit,
		      bool fresh)
{
	OPEN(b, W, DW_TAG_structure_type, NAME("s"), SIZE(32));
	DIE(b, 0, DW_TAG_member, NAME("before"), TYPE(INT), AT(0));
	DIE(b, 0, DW_TAG_member, NAME("p"), TYPE(P), AT(8));
	CLOSE(b);
	if (fresh)
		add_fresh(b, unit);
	add(b);
	/* Not "int": that is the index type of arrays, which the first of them brings along. */
	DIE(b, INT, DW_TAG_base_type, NAME("number"), SIZE(4), ENCODING(DW_ATE_signed));
	DIE(b, LONG, DW_TAG_base_type, NAME("long"), SIZE(8), ENCODING(DW_ATE_signed));
}

/* Bytes that are not read, so that the units before and after are in different batches. */
static void add_padding(struct dwarf_blob *b)
{
	static const char zeros[256 * 1024];

	dwarf_blob_unit(b, 4);
	DIE(b, 0, DW_TAG_dwarf_procedure,
	    { .attribute = DW_AT_location,
	      .form = DW_FORM_block4,
	      .value = sizeof(zeros),
	      .text = zeros });
	dwarf_blob_end_unit(b);
}

enum unit_sort { ONE = 1, OTHER };

/* Sorts of units in the order of the section, and how many of them break their promise. */
static const struct unit_order {
	uint8_t sorts[5];
	uint32_t broken;
} orders[] = {
	{ { ONE, OTHER }, 1 },
	{ { OTHER, ONE }, 1 },
	{ { ONE, ONE, OTHER, ONE }, 1 },
	{ { ONE, OTHER, ONE, OTHER }, 2 },
	{ { ONE, ONE }, 0 },
};

static void build(struct dwarf_blob *b, const struct broken_case *c, const struct unit_order *order,
		  bool fresh, bool padded)
{
	dwarf_blob_init(b);
	for (uint32_t i = 0; order->sorts[i]; i++) {
		if (i && padded)
			add_padding(b);
		dwarf_blob_unit(b, 4);
		add_types(b, order->sorts[i] == ONE ? c->one : c->other, i, fresh);
		dwarf_blob_end_unit(b);
	}
}

static void encode(const char *path, unsigned int jobs, bool never_guess, struct btf_image *image,
		   struct encode_report *report)
{
	struct encode_options options = { .path = path, .jobs = jobs };
	struct error err;

	features_default(&options.features);
	lower_never_guess = never_guess;
	if (!encode_file(&options, image, report, &err))
		fail_msg("%s", err.text);
	lower_never_guess = false;
}

static void check_same(const struct btf_image *wanted, const char *path, unsigned int jobs,
		       const char *what, struct encode_report *report)
{
	struct btf_image image;

	encode(path, jobs, false, &image, report);
	if (image.size != wanted->size || memcmp(image.data, wanted->data, image.size) != 0)
		fail_msg("%s: other bytes, with hash mask %#x and %u threads", what, hash_mask,
			 jobs);
	btf_image_release(&image);
}

static void check_order(const struct broken_case *c, const struct unit_order *order, bool fresh)
{
	static const uint32_t masks[] = { UINT32_MAX, 3, 0 };
	struct encode_report report;
	struct btf_image wanted;
	struct dwarf_blob b;
	const char *path;

	build(&b, c, order, fresh, false);
	path = dwarf_blob_write(&b);
	encode(path, 1, true, &wanted, &report);
	assert_int_equal(report.broken, 0);
	for (size_t m = 0; m < LENGTH(masks); m++) {
		hash_mask = masks[m];
		check_same(&wanted, path, 1, c->what, &report);
		if (report.broken != order->broken && !(c->one == atomic_int))
			fail_msg("%s: %u promises broken, not %u", c->what, (uint32_t)report.broken,
				 order->broken);
	}
	hash_mask = UINT32_MAX;
	dwarf_blob_release(&b);
	build(&b, c, order, fresh, true);
	path = dwarf_blob_write(&b);
	for (unsigned int jobs = 1; jobs <= 3; jobs++)
		check_same(&wanted, path, jobs, c->what, &report);
	btf_image_release(&wanted);
	dwarf_blob_release(&b);
}

TEST(test_broken_promises)
{
	for (size_t i = 0; i < LENGTH(cases); i++) {
		for (size_t k = 0; k < LENGTH(orders); k++) {
			check_order(&cases[i], &orders[k], false);
			check_order(&cases[i], &orders[k], true);
		}
	}
}

/*
 * A group that cannot be used while a promise is open that would be broken: what has been made of
 * it must not be older than what the next unit has in that order.
 */
static void add_unusable(struct dwarf_blob *b)
{
	OPEN(b, W, DW_TAG_structure_type, NAME("s"), SIZE(32));
	DIE(b, 0, DW_TAG_member, NAME("before"), TYPE(INT), AT(0));
	DIE(b, 0, DW_TAG_member, NAME("p"), TYPE(P), AT(8));
	CLOSE(b);
	DIE(b, 0, DW_TAG_const_type, TYPE(P));
	DIE(b, 0, DW_TAG_typedef, NAME("bad"), ATTR(DW_AT_type, DW_FORM_ref4, 1));
	pointer_to_long(b);
	DIE(b, INT, DW_TAG_base_type, NAME("number"), SIZE(4), ENCODING(DW_ATE_signed));
	DIE(b, LONG, DW_TAG_base_type, NAME("long"), SIZE(8), ENCODING(DW_ATE_signed));
}

static void add_last(struct dwarf_blob *b)
{
	DIE(b, 0, DW_TAG_volatile_type, TYPE(INT));
	DIE(b, 0, DW_TAG_const_type, TYPE(P));
	add_types(b, pointer_to_int, 0, false);
}

TEST(test_unusable)
{
	void (*const sorts[])(struct dwarf_blob * b) = { add_unusable, add_last };
	struct encode_report report;
	struct btf_image wanted;
	struct dwarf_blob b;
	const char *path;

	for (int padded = 0; padded < 2; padded++) {
		dwarf_blob_init(&b);
		dwarf_blob_unit(&b, 4);
		add_types(&b, pointer_to_int, 0, false);
		dwarf_blob_end_unit(&b);
		for (size_t i = 0; i < LENGTH(sorts); i++) {
			if (padded)
				add_padding(&b);
			dwarf_blob_unit(&b, 4);
			sorts[i](&b);
			dwarf_blob_end_unit(&b);
		}
		path = dwarf_blob_write(&b);
		if (!padded)
			encode(path, 1, true, &wanted, &report);
		for (unsigned int jobs = 1; jobs <= 3; jobs++) {
			check_same(&wanted, path, jobs, "a unit that is left out", &report);
			assert_int_equal(report.units.unusable, 1);
		}
		dwarf_blob_release(&b);
	}
	btf_image_release(&wanted);
}
