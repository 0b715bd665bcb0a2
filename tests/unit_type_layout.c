/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Types as the calling conventions see them, from hand-made DWARF.
 *
 * Layouts are written as "size/alignment:leaves": class and size of a leaf, "@" its offset ("i4@8",
 * f float, v vector, b bitfield); in front of the size u union, c complex, s signed, w wrapper,
 * o odd part, x an array of no length; r is a record. "n" is the natural alignment where it
 * is another. "?" is what is refused.
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/type_layout.h"
#include "tests/dwarf_reading.h"

enum { T = 1, CHAR, INT, LONG, FLOAT, DOUBLE, OTHER, MORE, PAIR };

/* The types that all cases may use; T is the one that is laid out. */
static void add_scalars(struct dwarf_blob *b)
{
	DIE(b, CHAR, DW_TAG_base_type, NAME("char"), SIZE(1), ENCODING(DW_ATE_unsigned_char));
	DIE(b, INT, DW_TAG_base_type, NAME("int"), SIZE(4), ENCODING(DW_ATE_signed));
	DIE(b, LONG, DW_TAG_base_type, NAME("long"), SIZE(8), ENCODING(DW_ATE_unsigned));
	DIE(b, FLOAT, DW_TAG_base_type, NAME("float"), SIZE(4), ENCODING(DW_ATE_float));
	DIE(b, DOUBLE, DW_TAG_base_type, NAME("double"), SIZE(8), ENCODING(DW_ATE_float));
	OPEN(b, PAIR, DW_TAG_structure_type, NAME("pair"), SIZE(8));
	DIE(b, 0, DW_TAG_member, NAME("a"), TYPE(CHAR), AT(0));
	DIE(b, 0, DW_TAG_member, NAME("b"), TYPE(INT), AT(4));
	CLOSE(b);
}

static void add_array(struct dwarf_blob *b, uint32_t label, uint32_t element, uint64_t count)
{
	OPEN(b, label, DW_TAG_array_type, TYPE(element));
	if (count)
		DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_count, DW_FORM_udata, count));
	else
		DIE(b, 0, DW_TAG_subrange_type);
	CLOSE(b);
}

/* ---- reading ---- */

struct laid {
	struct dwarf_reading reading;
	struct type_layout layout;
	struct abi_type type;
	bool known;
};

static void lay_out(struct laid *l, struct dwarf_blob *b, uint32_t label)
{

	assert_true(dwarf_reading_open(&l->reading, b));
	assert_true(dwarf_reading_model(&l->reading));
	type_layout_init(&l->layout, b->address_bytes);
	l->layout.big_endian = b->big_endian;
	type_layout_reset(&l->layout, &l->reading.model);
	l->known = type_layout_of(
		&l->layout,
		offset_index_find(&l->reading.model.type_index, (uint32_t)b->labels[label]) + 1,
		&l->type);
}

static void laid_release(struct laid *l)
{
	type_layout_release(&l->layout);
	dwarf_reading_release(&l->reading);
}

static void print_layout(char *text, size_t room, const struct abi_type *type)
{
	size_t used = (size_t)snprintf(text, room, "%s%s%s%s%s%s%s%llu/%u",
				       type->is_record ? "r" : "", type->is_union ? "u" : "",
				       type->is_complex ? "c" : "", type->is_signed ? "s" : "",
				       type->is_wrapper ? "w" : "", type->has_odd_part ? "o" : "",
				       type->is_variable ? "x" : "",
				       (unsigned long long)type->size_bytes, type->alignment_bytes);

	if (type->natural_bytes != type->alignment_bytes)
		used += (size_t)snprintf(text + used, room - used, "n%u", type->natural_bytes);
	used += (size_t)snprintf(text + used, room - used, ":");
	for (uint32_t i = 0; i < type->leaf_count && used < room; i++) {
		const struct abi_leaf *leaf = &type->leaves[i];
		const char *letters = leaf->is_bitfield ? "bbb" : "ifv";
		const char letter = letters[leaf->class];

		used += (size_t)snprintf(text + used, room - used, "%s%c%u@%u", i ? "," : "",
					 letter, leaf->size_bytes, leaf->offset_bytes);
	}
}

/* ---- cases ---- */

static void a_base(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_base_type, NAME("short"), SIZE(2), ENCODING(DW_ATE_signed));
}

static void a_bool(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_base_type, NAME("_Bool"), SIZE(1), ENCODING(DW_ATE_boolean));
}

static void an_int128(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_base_type, NAME("__int128"), SIZE(16), ENCODING(DW_ATE_signed));
}

static void odd_size(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_base_type, NAME("_BitInt(24)"), SIZE(3), ENCODING(DW_ATE_signed));
}

static void decimal(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_base_type, NAME("_Decimal64"), SIZE(8), ENCODING(DW_ATE_decimal_float));
}

static void long_double_12(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_base_type, NAME("long double"), SIZE(12), ENCODING(DW_ATE_float));
}

static void complex_float(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_base_type, NAME("complex float"), SIZE(8),
	    ENCODING(DW_ATE_complex_float));
}

static void pointer(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_pointer_type, TYPE(T));
}

static void qualified(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_typedef, NAME("t"), TYPE(OTHER));
	DIE(b, OTHER, DW_TAG_const_type, TYPE(MORE));
	DIE(b, MORE, DW_TAG_atomic_type, TYPE(INT));
}

static void const_void(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_const_type);
}

static void unspecified(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_unspecified_type);
}

static void typedef_cycle(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_structure_type, NAME("s"), SIZE(8));
	DIE(b, OTHER, DW_TAG_typedef, NAME("t"), TYPE(MORE));
	DIE(b, MORE, DW_TAG_typedef, NAME("u"), TYPE(OTHER));
}

static void plain_enum(struct dwarf_blob *b)
{
	OPEN(b, T, DW_TAG_enumeration_type, NAME("e"), SIZE(4));
	DIE(b, 0, DW_TAG_enumerator, NAME("A"), ATTR(DW_AT_const_value, DW_FORM_sdata, -1));
	CLOSE(b);
}

static void enum_of_type(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_enumeration_type, NAME("e"), SIZE(8), TYPE(LONG));
}

static void declared(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_structure_type, NAME("s"), FLAG(DW_AT_declaration));
}

static void a_function(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_subroutine_type);
}

static void empty(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_structure_type, NAME("s"), SIZE(0));
}

static void in_record(struct dwarf_blob *b, uint16_t tag, uint64_t size, uint32_t first,
		      uint64_t first_at, uint32_t second, uint64_t second_at)
{
	OPEN(b, T, tag, NAME("s"), SIZE(size));
	DIE(b, 0, DW_TAG_member, NAME("a"), TYPE(first), AT(first_at));
	if (second)
		DIE(b, 0, DW_TAG_member, NAME("b"), TYPE(second), AT(second_at));
	CLOSE(b);
}

static void a_struct(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 16, LONG, 0, CHAR, 8);
}

static void packed_by_place(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 8, CHAR, 0, INT, 1);
}

static void packed_by_size(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 9, LONG, 0, CHAR, 8);
}

static void one_aligned(struct dwarf_blob *b, uint32_t label, uint64_t size, uint32_t member,
			uint64_t alignment)
{
	OPEN(b, label, DW_TAG_structure_type, NAME("a"), SIZE(size),
	     ATTR(DW_AT_alignment, DW_FORM_udata, alignment));
	DIE(b, 0, DW_TAG_member, NAME("a"), TYPE(member), AT(0));
	CLOSE(b);
}

static void aligned(struct dwarf_blob *b)
{
	one_aligned(b, T, 16, INT, 16);
}

static void aligned_union(struct dwarf_blob *b)
{
	OPEN(b, T, DW_TAG_union_type, SIZE(32), ATTR(DW_AT_alignment, DW_FORM_data1, 32));
	DIE(b, 0, DW_TAG_member, TYPE(CHAR), AT(0));
	CLOSE(b);
}

/* clang writes the attribute as in the source. */
static void aligned_to_less(struct dwarf_blob *b)
{
	one_aligned(b, T, 8, LONG, 4);
}

static void aligned_to_24(struct dwarf_blob *b)
{
	one_aligned(b, T, 8, LONG, 24);
}

static void aligned_to_much(struct dwarf_blob *b)
{
	one_aligned(b, T, 8, LONG, 1ull << 32);
}

static void packed_and_aligned(struct dwarf_blob *b)
{
	OPEN(b, T, DW_TAG_structure_type, SIZE(8), ATTR(DW_AT_alignment, DW_FORM_data1, 4));
	DIE(b, 0, DW_TAG_member, TYPE(CHAR), AT(0));
	DIE(b, 0, DW_TAG_member, TYPE(INT), AT(1));
	CLOSE(b);
}

static void has_aligned(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 32, CHAR, 0, OTHER, 16);
	one_aligned(b, OTHER, 16, INT, 16);
}

static void has_array_of_aligned(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 32, OTHER, 0, 0, 0);
	add_array(b, OTHER, MORE, 2);
	one_aligned(b, MORE, 16, INT, 16);
}

/* Only its declared offset contradicts, not its natural alignment. */
static void packed_around_aligned(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 20, INT, 0, OTHER, 4);
	one_aligned(b, OTHER, 16, INT, 16);
}

static void past_its_end(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 8, LONG, 0, INT, 8);
}

static void a_union(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_union_type, 8, PAIR, 0, LONG, 0);
}

static void wrapper(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 4, OTHER, 0, 0, 0);
	OPEN(b, OTHER, DW_TAG_structure_type, SIZE(4));
	DIE(b, 0, DW_TAG_member, TYPE(FLOAT), AT(0));
	CLOSE(b);
}

static void array_is_no_wrapper(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 4, OTHER, 0, 0, 0);
	add_array(b, OTHER, FLOAT, 1);
}

static void array_of_records(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 28, INT, 0, OTHER, 4);
	add_array(b, OTHER, PAIR, 3);
}

static void odd_part(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 4, OTHER, 0, CHAR, 3);
	add_array(b, OTHER, CHAR, 3);
}

static void flexible(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 4, INT, 0, OTHER, 4);
	add_array(b, OTHER, INT, 0);
}

static void vector(struct dwarf_blob *b)
{
	add_array(b, T, INT, 4);
}

static void vector_of_records(struct dwarf_blob *b)
{
	add_array(b, T, PAIR, 2);
}

static void large(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 8008, LONG, 0, OTHER, 8);
	add_array(b, OTHER, LONG, 1000);
}

/* Its leaves would matter, so that not listing them is not enough. */
static void crowded_union(struct dwarf_blob *b)
{
	OPEN(b, T, DW_TAG_union_type, NAME("u"), SIZE(128));
	for (int i = 0; i < 3; i++)
		DIE(b, 0, DW_TAG_member, TYPE(OTHER), AT(0));
	CLOSE(b);
	add_array(b, OTHER, CHAR, 128);
}

static void array_overflow(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 64, LONG, 0, OTHER, 8);
	OPEN(b, OTHER, DW_TAG_array_type, TYPE(LONG));
	for (int i = 0; i < 3; i++)
		DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_count, DW_FORM_udata, 0xffffffff));
	CLOSE(b);
}

/* 2^40 empty structs: the leaves do not bound the work, the steps do. */
static void empty_doubling(struct dwarf_blob *b)
{
	for (uint32_t i = 0; i < 40; i++) {
		OPEN(b, i ? 100 + i : T, DW_TAG_structure_type, SIZE(0));
		DIE(b, 0, DW_TAG_member, TYPE(101 + i), AT(0));
		DIE(b, 0, DW_TAG_member, TYPE(101 + i), AT(0));
		CLOSE(b);
	}
	DIE(b, 140, DW_TAG_structure_type, SIZE(0));
}

static void nested(struct dwarf_blob *b, uint32_t depth)
{
	for (uint32_t i = 0; i < depth; i++) {
		OPEN(b, i ? 100 + i : T, DW_TAG_structure_type, SIZE(4));
		DIE(b, 0, DW_TAG_member, TYPE(i + 1 < depth ? 101 + i : (uint32_t)INT), AT(0));
		CLOSE(b);
	}
}

static void deep(struct dwarf_blob *b)
{
	nested(b, TYPE_LAYOUT_MAX_DEPTH);
}

static void too_deep(struct dwarf_blob *b)
{
	nested(b, TYPE_LAYOUT_MAX_DEPTH + 1);
}

static void in_itself(struct dwarf_blob *b)
{
	in_record(b, DW_TAG_structure_type, 8, T, 0, 0, 0);
}

static void bitfields(struct dwarf_blob *b)
{
	OPEN(b, T, DW_TAG_structure_type, NAME("s"), SIZE(8));
	DIE(b, 0, DW_TAG_member, TYPE(INT), ATTR(DW_AT_bit_size, DW_FORM_data1, 3),
	    ATTR(DW_AT_data_bit_offset, DW_FORM_data1, 0));
	DIE(b, 0, DW_TAG_member, TYPE(INT), ATTR(DW_AT_bit_size, DW_FORM_data1, 6),
	    ATTR(DW_AT_data_bit_offset, DW_FORM_data1, 12));
	DIE(b, 0, DW_TAG_member, TYPE(INT), AT(4));
	CLOSE(b);
}

/* DWARF 4: the third to the eighth bit of the second word, counted from its upper end. */
static void old_bitfield(struct dwarf_blob *b)
{
	OPEN(b, T, DW_TAG_structure_type, NAME("s"), SIZE(8));
	DIE(b, 0, DW_TAG_member, TYPE(INT), AT(0));
	DIE(b, 0, DW_TAG_member, TYPE(INT), SIZE(4), ATTR(DW_AT_bit_size, DW_FORM_data1, 6),
	    ATTR(DW_AT_bit_offset, DW_FORM_data1, 2), AT(4));
	CLOSE(b);
}

static const struct {
	const char *what;
	void (*build)(struct dwarf_blob *b);
	const char *wanted, *wanted_big_endian;	/* NULL: the same */
} cases[] = {
	{ "base type", a_base, "s2/2:i2@0", NULL },
	{ "bool", a_bool, "1/1:i1@0", NULL },
	{ "__int128", an_int128, "s16/16:i16@0", NULL },
	{ "a base type of 3 bytes", odd_size, "?", NULL },
	{ "decimal float", decimal, "?", NULL },
	{ "long double of i386", long_double_12, "12/4:f12@0", NULL },
	{ "complex", complex_float, "c8/4:f4@0,f4@4", NULL },
	{ "pointer", pointer, "8/8:i8@0", NULL },
	{ "typedef of const _Atomic int", qualified, "s4/4:i4@0", NULL },
	{ "const void", const_void, "0/1:", NULL },
	{ "what assemblers call the type of a result", unspecified, "0/1:", NULL },
	{ "enum", plain_enum, "s4/4:i4@0", NULL },
	{ "enum of a type", enum_of_type, "8/8:i8@0", NULL },
	{ "declaration", declared, "?", NULL },
	{ "function", a_function, "?", NULL },
	{ "empty struct", empty, "r0/1:", NULL },
	{ "struct", a_struct, "r16/8:i8@0,i1@8", NULL },
	{ "packed, by a member's place", packed_by_place, "r8/1:i1@0,i4@1", NULL },
	{ "packed, by its size", packed_by_size, "r9/1:i8@0,i1@8", NULL },
	{ "aligned", aligned, "rw16/16n4:i4@0", NULL },
	{ "an aligned union", aligned_union, "ru32/32n1:i1@0", NULL },
	{ "aligned to less than it is anyway", aligned_to_less, "rw8/8:i8@0", NULL },
	{ "aligned to what is not a power of two", aligned_to_24, "rw8/8:i8@0", NULL },
	{ "aligned to more than can be", aligned_to_much, "rw8/8:i8@0", NULL },
	{ "packed and aligned", packed_and_aligned, "r8/4n1:i1@0,i4@1", NULL },
	{ "a member that is aligned", has_aligned, "ro32/16:i1@0,i4@16", NULL },
	{ "an array whose elements are aligned", has_array_of_aligned, "ro32/16:i4@0,i4@16", NULL },
	{ "packed around what is aligned", packed_around_aligned, "ro20/1:i4@0,i4@4", NULL },
	{ "a member past the end", past_its_end, "?", NULL },
	{ "union: leaves by offset", a_union, "ru8/8:i1@0,i8@0,i4@4", NULL },
	{ "wrapper of a wrapper", wrapper, "rw4/4:f4@0", NULL },
	{ "an array is not a wrapper", array_is_no_wrapper, "r4/4:f4@0", NULL },
	{ "array of records", array_of_records,
	  "ro28/4:i4@0,i1@4,i4@8,i1@12,i4@16,i1@20,i4@24", NULL },
	{ "odd part", odd_part, "ro4/1:i1@0,i1@1,i1@2,i1@3", NULL },
	{ "flexible array", flexible, "rx4/4:i4@0", NULL },
	{ "vector", vector, "16/16:v16@0", NULL },
	{ "vector of records", vector_of_records, "?", NULL },
	{ "more leaves than the limit", large, "ro8008/8:", NULL },
	{ "more leaves than the limit in a small union", crowded_union, "?", NULL },
	{ "array whose size overflows", array_overflow, "?", NULL },
	{ "exponentially many members", empty_doubling, "?", NULL },
	{ "as deep as the limit", deep, "rw4/4:i4@0", NULL },
	{ "deeper than the limit", too_deep, "?", NULL },
	{ "a struct in itself", in_itself, "?", NULL },
	{ "bitfields", bitfields, "r8/4:b1@0,b2@1,i4@4", NULL },
	{ "bitfields counted from the upper end", old_bitfield, "r8/4:i4@0,b1@7",
	  "r8/4:i4@0,b1@4" },
	{ "typedefs in a circle elsewhere", typedef_cycle, "r8/1:", NULL },
};

static void test_layouts(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(cases) * 2; i++) {
		bool big_endian = i % 2;
		const char *wanted = cases[i / 2].wanted;
		struct dwarf_blob b;
		struct laid l = { 0 };
		char text[4096] = "?";

		if (big_endian && cases[i / 2].wanted_big_endian)
			wanted = cases[i / 2].wanted_big_endian;
		dwarf_blob_init(&b);
		b.big_endian = big_endian;
		dwarf_blob_unit(&b, 4);
		add_scalars(&b);
		cases[i / 2].build(&b);
		dwarf_blob_end_unit(&b);
		lay_out(&l, &b, T);
		if (l.known)
			print_layout(text, sizeof(text), &l.type);
		if (strcmp(text, wanted) != 0)
			fail_msg("%s: is %s, wanted %s", cases[i / 2].what, text, wanted);
		laid_release(&l);
		dwarf_blob_release(&b);
	}
}

/* Pointers have the size that the file's class says. */
static void test_32_bit(void **state)
{
	struct dwarf_blob b;
	struct laid l = { 0 };

	(void)state;
	dwarf_blob_init(&b);
	b.elf32 = true;
	b.address_bytes = 4;
	dwarf_blob_unit(&b, 4);
	pointer(&b);
	dwarf_blob_end_unit(&b);
	lay_out(&l, &b, T);
	assert_true(l.known);
	assert_int_equal(l.type.size_bytes, 4);
	laid_release(&l);
	dwarf_blob_release(&b);
}

/*
 * Leaves stay where they are while other types are laid out, more of them than the memo and than a
 * block can hold, and the layout can be used again for the next group.
 */
static void test_lifetime(void **state)
{
	enum { RECORDS = 3 * TYPE_LAYOUT_MEMO };
	static struct abi_type types[RECORDS];
	struct dwarf_blob b;
	struct laid l = { 0 };

	(void)state;
	dwarf_blob_init(&b);
	dwarf_blob_unit(&b, 5);
	add_scalars(&b);
	for (uint32_t i = 0; i < RECORDS; i++) {
		OPEN(&b, 100 + i, DW_TAG_structure_type, SIZE(4 * (i + 1)));
		DIE(&b, 0, DW_TAG_member, TYPE(500 + i), AT(0));
		CLOSE(&b);
		add_array(&b, 500 + i, INT, i + 1);
	}
	dwarf_blob_end_unit(&b);
	lay_out(&l, &b, 100);
	for (int round = 0; round < 2; round++) {
		type_layout_reset(&l.layout, &l.reading.model);
		for (uint32_t i = 0; i < RECORDS; i++) {
			uint32_t offset = (uint32_t)b.labels[100 + i];

			uint32_t link =
				offset_index_find(&l.reading.model.type_index, offset) + 1;

			assert_true(type_layout_of(&l.layout, link, &types[i]));
		}
		for (uint32_t i = 0; i < RECORDS; i++) {
			assert_int_equal(types[i].leaf_count, i + 1);
			for (uint32_t k = 0; k <= i; k++)
				assert_int_equal(types[i].leaves[k].offset_bytes, 4 * k);
		}
	}
	laid_release(&l);
	dwarf_blob_release(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layouts),
		cmocka_unit_test(test_32_bit),
		cmocka_unit_test(test_lifetime),
	};

	return cmocka_run_group_tests_name("type_layout", tests, NULL, NULL);
}
