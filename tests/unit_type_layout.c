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

static void laid_release(struct laid *l, struct dwarf_blob *b)
{
	type_layout_release(&l->layout);
	dwarf_reading_end(&l->reading, b);
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

/* ---- what cases build besides ---- */

static void one_aligned(struct dwarf_blob *b, uint32_t label)
{
	OPEN(b, label, DW_TAG_structure_type, NAME("a"), SIZE(16),
	     ATTR(DW_AT_alignment, DW_FORM_udata, 16));
	DIE(b, 0, DW_TAG_member, NAME("a"), TYPE(INT), AT(0));
	CLOSE(b);
}

static void aligned_other(struct dwarf_blob *b)
{
	one_aligned(b, OTHER);
}

static void aligned_more(struct dwarf_blob *b)
{
	one_aligned(b, MORE);
}

static void other_of_float(struct dwarf_blob *b)
{
	OPEN(b, OTHER, DW_TAG_structure_type, SIZE(4));
	DIE(b, 0, DW_TAG_member, TYPE(FLOAT), AT(0));
	CLOSE(b);
}

static void vector(struct dwarf_blob *b)
{
	OPEN(b, OTHER, DW_TAG_array_type, TYPE(INT),
	     ATTR(DW_AT_GNU_vector, DW_FORM_flag_present, 1));
	DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_upper_bound, DW_FORM_data1, 3));
	CLOSE(b);
}

static void overflowing_array(struct dwarf_blob *b)
{
	OPEN(b, OTHER, DW_TAG_array_type, TYPE(LONG));
	for (int i = 0; i < 3; i++)
		DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_count, DW_FORM_udata, 0xffffffff));
	CLOSE(b);
}

/* ---- cases ---- */

static void qualified(struct dwarf_blob *b)
{
	DIE(b, T, DW_TAG_typedef, NAME("t"), TYPE(OTHER));
	DIE(b, OTHER, DW_TAG_const_type, TYPE(MORE));
	DIE(b, MORE, DW_TAG_atomic_type, TYPE(INT));
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

/* Its leaves would matter, so that not listing them is not enough. */
static void crowded_union(struct dwarf_blob *b)
{
	OPEN(b, T, DW_TAG_union_type, NAME("u"), SIZE(128));
	for (int i = 0; i < 3; i++)
		DIE(b, 0, DW_TAG_member, TYPE(OTHER), AT(0));
	CLOSE(b);
	add_array(b, OTHER, CHAR, 128);
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

static const struct layout_case {
	const char *what;
	const char *wanted, *wanted_big_endian;	/* NULL: the same */
	/* T; with members if there are any. */
	uint16_t tag;
	struct blob_attr attrs[4];
	struct {
		uint32_t type;
		uint64_t offset;
	} members[2];
	/* OTHER, or T where nothing else is. */
	struct {
		uint32_t element;
		uint64_t count;
	} array;
	uint32_t depth;				/* of nested structs */
	void (*build)(struct dwarf_blob *b);	/* more types */
} cases[] = {
#define LONE(what, wanted, tag_, ...) { what, wanted, .tag = tag_, .attrs = { __VA_ARGS__ } }
#define BASE(what, wanted, name, size, encoding)                                                   \
	LONE(what, wanted, DW_TAG_base_type, NAME(name), SIZE(size), ENCODING(encoding))
#define RECORD(tag_, size, ...)                                                                    \
	.tag = tag_, .attrs = { NAME("s"), SIZE(size) }, .members = { __VA_ARGS__ }
#define STRUCT(what, wanted, ...) { what, wanted, RECORD(DW_TAG_structure_type, __VA_ARGS__) }
#define ALIGNMENT(form, number) ATTR(DW_AT_alignment, form, number)
#define ALIGNED(what, wanted, size, type, alignment)                                               \
	{ what, wanted, .tag = DW_TAG_structure_type, .members = { { type, 0 } },                  \
	  .attrs = { NAME("a"), SIZE(size), ALIGNMENT(DW_FORM_udata, alignment) } }
#define WITH_ARRAY(what, wanted, type, number, ...)                                                \
	{ what, wanted, RECORD(DW_TAG_structure_type, __VA_ARGS__), .array = { type, number } }
#define WITH(what, wanted, more, ...)                                                              \
	{ what, wanted, RECORD(DW_TAG_structure_type, __VA_ARGS__), .build = more }
#define BUILT(what, wanted, function) { what, wanted, .build = function }
	BASE("base type", "s2/2:i2@0", "short", 2, DW_ATE_signed),
	BASE("bool", "1/1:i1@0", "_Bool", 1, DW_ATE_boolean),
	BASE("__int128", "s16/16:i16@0", "__int128", 16, DW_ATE_signed),
	BASE("a base type of 3 bytes", "?", "_BitInt(24)", 3, DW_ATE_signed),
	BASE("decimal float", "?", "_Decimal64", 8, DW_ATE_decimal_float),
	BASE("long double of i386", "12/4:f12@0", "long double", 12, DW_ATE_float),
	BASE("complex", "c8/4:f4@0,f4@4", "complex float", 8, DW_ATE_complex_float),
	LONE("pointer", "8/8:i8@0", DW_TAG_pointer_type, TYPE(T)),
	BUILT("typedef of const _Atomic int", "s4/4:i4@0", qualified),
	LONE("const void", "0/1:", DW_TAG_const_type, { 0 }),
	LONE("what assemblers call the type of a result", "0/1:", DW_TAG_unspecified_type, { 0 }),
	BUILT("enum", "s4/4:i4@0", plain_enum),
	LONE("enum of a type", "8/8:i8@0", DW_TAG_enumeration_type, NAME("e"), SIZE(8), TYPE(LONG)),
	LONE("declaration", "?", DW_TAG_structure_type, NAME("s"), FLAG(DW_AT_declaration)),
	LONE("function", "?", DW_TAG_subroutine_type, { 0 }),
	LONE("empty struct", "r0/1:", DW_TAG_structure_type, NAME("s"), SIZE(0)),
	STRUCT("struct", "r16/8:i8@0,i1@8", 16, { LONG, 0 }, { CHAR, 8 }),
	STRUCT("packed, by a member's place", "r8/1:i1@0,i4@1", 8, { CHAR, 0 }, { INT, 1 }),
	STRUCT("packed, by its size", "r9/1:i8@0,i1@8", 9, { LONG, 0 }, { CHAR, 8 }),
	ALIGNED("aligned", "rw16/16n4:i4@0", 16, INT, 16),
	{ "an aligned union", "ru32/32n1:i1@0", .tag = DW_TAG_union_type,
	  .attrs = { SIZE(32), ALIGNMENT(DW_FORM_data1, 32) }, .members = { { CHAR, 0 } } },
	/* clang writes the attribute as in the source. */
	ALIGNED("aligned to less than it is anyway", "rw8/8:i8@0", 8, LONG, 4),
	ALIGNED("aligned to what is not a power of two", "rw8/8:i8@0", 8, LONG, 24),
	ALIGNED("aligned to more than can be", "rw8/8:i8@0", 8, LONG, 1ull << 32),
	{ "packed and aligned", "r8/4n1:i1@0,i4@1", .tag = DW_TAG_structure_type,
	  .attrs = { SIZE(8), ALIGNMENT(DW_FORM_data1, 4) },
	  .members = { { CHAR, 0 }, { INT, 1 } } },
	WITH("a member that is aligned", "ro32/16:i1@0,i4@16", aligned_other, 32, { CHAR, 0 },
	     { OTHER, 16 }),
	{ "an array whose elements are aligned", "ro32/16:i4@0,i4@16",
	  RECORD(DW_TAG_structure_type, 32, { OTHER, 0 }), .array = { MORE, 2 },
	  .build = aligned_more },
	/* Only its declared offset contradicts, not its natural alignment. */
	WITH("packed around what is aligned", "ro20/1:i4@0,i4@4", aligned_other, 20, { INT, 0 },
	     { OTHER, 4 }),
	STRUCT("a member past the end", "?", 8, { LONG, 0 }, { INT, 8 }),
	{ "union: leaves by offset", "ru8/8:i1@0,i8@0,i4@4",
	  RECORD(DW_TAG_union_type, 8, { PAIR, 0 }, { LONG, 0 }) },
	WITH("wrapper of a wrapper", "rw4/4:f4@0", other_of_float, 4, { OTHER, 0 }),
	WITH_ARRAY("an array is not a wrapper", "r4/4:f4@0", FLOAT, 1, 4, { OTHER, 0 }),
	WITH_ARRAY("array of records", "ro28/4:i4@0,i1@4,i4@8,i1@12,i4@16,i1@20,i4@24", PAIR, 3, 28,
		   { INT, 0 }, { OTHER, 4 }),
	WITH_ARRAY("odd part", "ro4/1:i1@0,i1@1,i1@2,i1@3", CHAR, 3, 4, { OTHER, 0 }, { CHAR, 3 }),
	WITH_ARRAY("flexible array", "rx4/4:i4@0", INT, 0, 4, { INT, 0 }, { OTHER, 4 }),
	{ "vector", "16/16:v16@0", .array = { INT, 4 } },
	{ "vector of records", "?", .array = { PAIR, 2 } },
	WITH("a vector in a struct", "rw16/16:v16@0", vector, 16, { OTHER, 0 }),
	WITH_ARRAY("more leaves than the limit", "ro8008/8:", LONG, 1000, 8008, { LONG, 0 },
		   { OTHER, 8 }),
	BUILT("more leaves than the limit in a small union", "?", crowded_union),
	WITH("array whose size overflows", "?", overflowing_array, 64, { LONG, 0 }, { OTHER, 8 }),
	BUILT("exponentially many members", "?", empty_doubling),
	{ "as deep as the limit", "rw4/4:i4@0", .depth = TYPE_LAYOUT_MAX_DEPTH },
	{ "deeper than the limit", "?", .depth = TYPE_LAYOUT_MAX_DEPTH + 1 },
	STRUCT("a struct in itself", "?", 8, { T, 0 }),
	BUILT("bitfields", "r8/4:b1@0,b2@1,i4@4", bitfields),
	{ "bitfields counted from the upper end", "r8/4:i4@0,b1@7", "r8/4:i4@0,b1@4",
	  .build = old_bitfield },
	BUILT("typedefs in a circle elsewhere", "r8/1:", typedef_cycle),
};

static void build_case(struct dwarf_blob *b, const struct layout_case *c)
{
	if (c->tag) {
		bool has_members = c->members[0].type;

		dwarf_blob_die(b, T, c->tag, has_members, c->attrs);
		for (size_t i = 0; i < LENGTH(c->members) && c->members[i].type; i++)
			DIE(b, 0, DW_TAG_member, NAME(i ? "b" : "a"), TYPE(c->members[i].type),
			    AT(c->members[i].offset));
		if (has_members)
			CLOSE(b);
	}
	if (c->array.element)
		add_array(b, c->tag ? OTHER : T, c->array.element, c->array.count);
	nested(b, c->depth);
	if (c->build)
		c->build(b);
}

TEST(test_layouts)
{
	for (size_t i = 0; i < LENGTH(cases) * 2; i++) {
		bool big_endian = i % 2;
		const struct layout_case *c = &cases[i / 2];
		const char *wanted = c->wanted;
		struct dwarf_blob b;
		struct laid l = { 0 };
		char text[4096] = "?";

		if (big_endian && c->wanted_big_endian)
			wanted = c->wanted_big_endian;
		dwarf_blob_init(&b);
		b.big_endian = big_endian;
		dwarf_blob_unit(&b, 4);
		add_scalars(&b);
		build_case(&b, c);
		dwarf_blob_end_unit(&b);
		lay_out(&l, &b, T);
		if (l.known)
			print_layout(text, sizeof(text), &l.type);
		if (strcmp(text, wanted) != 0)
			fail_msg("%s: is %s, wanted %s", c->what, text, wanted);
		laid_release(&l, &b);
	}
}

/* Pointers have the size that the file's class says. */
TEST(test_32_bit)
{
	struct dwarf_blob b;
	struct laid l = { 0 };

	dwarf_blob_init(&b);
	b.elf32 = true;
	b.address_bytes = 4;
	dwarf_blob_unit(&b, 4);
	DIE(&b, T, DW_TAG_pointer_type, TYPE(T));
	dwarf_blob_end_unit(&b);
	lay_out(&l, &b, T);
	assert_true(l.known);
	assert_int_equal(l.type.size_bytes, 4);
	laid_release(&l, &b);
}

/*
 * Leaves stay where they are while other types are laid out, more of them than the memo and than a
 * block can hold, and the layout can be used again for the next group.
 */
TEST(test_lifetime)
{
	enum { RECORDS = 3 * TYPE_LAYOUT_MEMO };
	static struct abi_type types[RECORDS];
	struct dwarf_blob b;
	struct laid l = { 0 };

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
	laid_release(&l, &b);
}
