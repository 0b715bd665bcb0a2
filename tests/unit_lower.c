/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Lowering: odd DWARF in, BTF out. Each case builds a unit by hand and expects certain lines of the
 * dump, or the error. Cases that depend on nothing but the DIEs run in each byte order, class and
 * offset size.
 */
#include "tests/cmocka_all.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/encode_blob.h"

enum { INT = 1, A, B, C, D, E, F };

static void add_int(struct dwarf_blob *b)
{
	DIE(b, INT, DW_TAG_base_type, NAME("int"), SIZE(4), ENCODING(DW_ATE_signed));
}

/* An array of one dimension; what its DIE says. */
#define ARRAY(b, label, element, ...)                                                              \
	OPEN(b, label, DW_TAG_array_type, TYPE(element));                                          \
	DIE(b, 0, DW_TAG_subrange_type __VA_OPT__(, ) __VA_ARGS__);                                \
	CLOSE(b)

/* An enum of one value. */
#define ENUM(b, name, size, value_name, form, value)                                               \
	OPEN(b, 0, DW_TAG_enumeration_type, NAME(name), SIZE(size));                               \
	DIE(b, 0, DW_TAG_enumerator, NAME(value_name), ATTR(DW_AT_const_value, form, value));      \
	CLOSE(b)

/* ---- expectations ---- */

struct lower_case {
	const char *what;
	void (*build)(struct dwarf_blob *b);
	const char *lines[8];	/* parts of the dump in this order; "!..." must not be there */
	bool big_endian_only, little_endian_only;
	void (*change)(struct encode_options *options);
};

static void check_lines(const struct lower_case *c, const char *dump)
{
	const char *from = dump;

	for (size_t i = 0; i < LENGTH(c->lines) && c->lines[i]; i++) {
		const char *line = c->lines[i];
		bool absent = *line == '!';
		const char *found = strstr(absent ? dump : from, line + absent);

		if (!found == !absent)
			fail_msg("%s: '%s' is %s in\n%s", c->what, line + absent,
				 absent ? "there" : "missing", dump);
		if (!absent)
			from = found;
	}
}

static void run_case(const struct lower_case *c, bool big_endian, bool elf32, uint8_t offset_bytes)
{
	struct encoded_blob out;
	struct dwarf_blob b;

	dwarf_blob_init(&b);
	b.big_endian = big_endian;
	b.elf32 = elf32;
	b.address_bytes = elf32 ? 4 : 8;
	b.offset_bytes = offset_bytes;
	dwarf_blob_unit(&b, 4);
	c->build(&b);
	dwarf_blob_end_unit(&b);
	encode_blob(&out, &b, c->change);
	if (!out.dump)
		fail_msg("%s: %s", c->what, out.err.text);
	check_lines(c, out.dump);
	encoded_blob_release(&out);
	dwarf_blob_release(&b);
}

/* ---- base types ---- */

static void odd_sizes(struct dwarf_blob *b)
{
	DIE(b, A, DW_TAG_base_type, NAME("_BitInt(24)"), SIZE(3), ENCODING(DW_ATE_signed));
	DIE(b, B, DW_TAG_base_type, NAME("__int128"), SIZE(16), ENCODING(DW_ATE_signed));
	DIE(b, C, DW_TAG_base_type, NAME("huge"), SIZE(32), ENCODING(DW_ATE_unsigned));
	DIE(b, D, DW_TAG_base_type, NAME("_Bool"), SIZE(1), ENCODING(DW_ATE_boolean));
	DIE(b, 0, DW_TAG_base_type, NAME("DW_ATE_unsigned_24"), SIZE(3), ENCODING(DW_ATE_unsigned));
	OPEN(b, 0, DW_TAG_structure_type, NAME("s"), SIZE(64));
	DIE(b, 0, DW_TAG_member, NAME("a"), TYPE(A), AT(0));
	DIE(b, 0, DW_TAG_member, NAME("b"), TYPE(B), AT(16));
	DIE(b, 0, DW_TAG_member, NAME("c"), TYPE(C), AT(32));
	CLOSE(b);
}

static void bit_size(struct dwarf_blob *b)
{
	DIE(b, A, DW_TAG_base_type, NAME("bits"), ATTR(DW_AT_bit_size, DW_FORM_data1, 31),
	    ENCODING(DW_ATE_unsigned));
}

static void floats(struct dwarf_blob *b)
{
	DIE(b, A, DW_TAG_base_type, NAME("float"), SIZE(4), ENCODING(DW_ATE_float));
	DIE(b, B, DW_TAG_base_type, NAME("complex double"), SIZE(16),
	    ENCODING(DW_ATE_complex_float));
	DIE(b, C, DW_TAG_base_type, NAME("long double"), SIZE(12), ENCODING(DW_ATE_float));
	OPEN(b, 0, DW_TAG_structure_type, NAME("s"), SIZE(24));
	DIE(b, 0, DW_TAG_member, NAME("z"), TYPE(B), AT(8));
	CLOSE(b);
}

static void no_float(struct encode_options *options)
{
	options->features.feature_float = false;
}

/* ---- references ---- */

static void modifiers(struct dwarf_blob *b)
{
	add_int(b);
	DIE(b, A, DW_TAG_atomic_type, TYPE(INT));
	DIE(b, B, DW_TAG_const_type, TYPE(A));
	DIE(b, 0, DW_TAG_typedef, NAME("ct"), TYPE(B));
	DIE(b, 0, DW_TAG_restrict_type, TYPE(D));
	DIE(b, D, DW_TAG_pointer_type);
	DIE(b, E, DW_TAG_unspecified_type, NAME("nothing"));
	DIE(b, 0, DW_TAG_typedef, NAME("et"), TYPE(E));
	DIE(b, 0, DW_TAG_reference_type, TYPE(INT));
}

static void nameless_forwards(struct dwarf_blob *b)
{
	DIE(b, A, DW_TAG_structure_type, FLAG(DW_AT_declaration));
	DIE(b, B, DW_TAG_union_type, NAME(""), FLAG(DW_AT_declaration));
	DIE(b, 0, DW_TAG_pointer_type, TYPE(A));
	DIE(b, 0, DW_TAG_pointer_type, TYPE(B));
	DIE(b, C, DW_TAG_union_type, NAME("u"), FLAG(DW_AT_declaration));
	DIE(b, 0, DW_TAG_pointer_type, TYPE(C));
	DIE(b, D, DW_TAG_enumeration_type, NAME("e"), FLAG(DW_AT_declaration));
	DIE(b, 0, DW_TAG_pointer_type, TYPE(D));
}

/* ---- arrays ---- */

static void arrays(struct dwarf_blob *b)
{
	add_int(b);
	OPEN(b, A, DW_TAG_array_type, TYPE(INT));
	DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_upper_bound, DW_FORM_data1, 2));
	DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_count, DW_FORM_data2, 5));
	CLOSE(b);
	ARRAY(b, B, INT);
	ARRAY(b, C, INT, ATTR(DW_AT_upper_bound, DW_FORM_sdata, -1));
	ARRAY(b, D, INT, ATTR(DW_AT_upper_bound, DW_FORM_data4, 0xffffffff));
	OPEN(b, E, DW_TAG_structure_type, NAME("s"), SIZE(60));
	DIE(b, 0, DW_TAG_member, NAME("two"), TYPE(A), AT(0));
	DIE(b, 0, DW_TAG_member, NAME("flexible"), TYPE(B), AT(60));
	CLOSE(b);
	DIE(b, 0, DW_TAG_typedef, NAME("minus_one"), TYPE(C));
	DIE(b, 0, DW_TAG_typedef, NAME("all_ones"), TYPE(D));
}

/* A length that only the running program knows: an expression, or another DIE. */
static void variable_array(struct dwarf_blob *b)
{
	add_int(b);
	ARRAY(b, A, INT, BLOCK(DW_AT_upper_bound, DW_FORM_exprloc, "\x91\x08"));
	DIE(b, 0, DW_TAG_typedef, NAME("by_expression"), TYPE(A));
	ARRAY(b, B, INT, REFERENCE(DW_AT_upper_bound, DW_FORM_ref4, INT));
	DIE(b, 0, DW_TAG_typedef, NAME("by_reference"), TYPE(B));
	DIE(b, 0, DW_TAG_structure_type, NAME("computed"),
	    BLOCK(DW_AT_byte_size, DW_FORM_exprloc, "\x91\x08"));
}

/* The product is 2^32: BTF counts to 2^32 - 1. */
static void huge_array(struct dwarf_blob *b)
{
	DIE(b, A, DW_TAG_base_type, NAME("char"), SIZE(1), ENCODING(DW_ATE_signed_char));
	OPEN(b, B, DW_TAG_array_type, TYPE(A));
	DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_count, DW_FORM_data4, 0x10000));
	DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_count, DW_FORM_data4, 0x10001));
	CLOSE(b);
	DIE(b, 0, DW_TAG_typedef, NAME("huge"), TYPE(B));
}

/* BTF has no such size. */
static void giant(struct dwarf_blob *b)
{
	DIE(b, A, DW_TAG_structure_type, NAME("giant"), SIZE(UINT64_C(1) << 32));
	DIE(b, B, DW_TAG_structure_type, SIZE(UINT64_C(1) << 32));
	DIE(b, 0, DW_TAG_pointer_type, TYPE(A));
	DIE(b, 0, DW_TAG_pointer_type, TYPE(B));
}

/* type F func(F) */
static void cycle_of_prototype(struct dwarf_blob *b)
{
	DIE(b, C, DW_TAG_base_type, NAME("C"), SIZE(1), ENCODING(DW_ATE_signed_char));
	DIE(b, A, DW_TAG_typedef, NAME("F"), TYPE(B));
	OPEN(b, B, DW_TAG_subroutine_type);
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(A));
	CLOSE(b);
}

/* type P *P */
static void cycle_of_pointer(struct dwarf_blob *b)
{
	DIE(b, C, DW_TAG_base_type, NAME("C"), SIZE(1), ENCODING(DW_ATE_signed_char));
	DIE(b, A, DW_TAG_typedef, NAME("P"), TYPE(B));
	DIE(b, B, DW_TAG_pointer_type, TYPE(A));
}

/* The typedef waits again when what is after it has been cut. */
static void cycle_of_many(struct dwarf_blob *b)
{
	OPEN(b, A, DW_TAG_subroutine_type);
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(INT));
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(B));
	CLOSE(b);
	DIE(b, B, DW_TAG_pointer_type, TYPE(C));
	DIE(b, C, DW_TAG_typedef, NAME("G"), TYPE(D));
	DIE(b, D, DW_TAG_const_type, TYPE(A));
	DIE(b, INT, DW_TAG_base_type, NAME("int"), SIZE(4), ENCODING(DW_ATE_signed));
}

/* ---- enums ---- */

static void enums(struct dwarf_blob *b)
{
	OPEN(b, 0, DW_TAG_enumeration_type, NAME("plus"), SIZE(4));
	DIE(b, 0, DW_TAG_enumerator, NAME("P0"), ATTR(DW_AT_const_value, DW_FORM_data1, 200));
	DIE(b, 0, DW_TAG_enumerator, NAME("P1"),
	    ATTR(DW_AT_const_value, DW_FORM_data4, 0xffffffff));
	CLOSE(b);
	ENUM(b, "minus", 4, "M0", DW_FORM_sdata, -3);
	ENUM(b, "small", 1, "S0", DW_FORM_implicit_const, -1);
	ENUM(b, "wide", 8, "W0", DW_FORM_data8, 0x1122334455667788);
	ENUM(b, "wide_minus", 8, "V0", DW_FORM_sdata, -1);
}

/* ---- records ---- */

static void nested(struct dwarf_blob *b)
{
	add_int(b);
	OPEN(b, A, DW_TAG_structure_type, NAME("outer"), SIZE(12));
	DIE(b, 0, DW_TAG_member, NAME("first"), TYPE(INT), AT(0));
	OPEN(b, B, DW_TAG_union_type, SIZE(4));
	DIE(b, 0, DW_TAG_member, NAME("x"), TYPE(INT));
	OPEN(b, C, DW_TAG_structure_type, NAME("inner"), SIZE(4));
	DIE(b, 0, DW_TAG_member, NAME("deep"), TYPE(INT), AT(0));
	CLOSE(b);
	DIE(b, 0, DW_TAG_member, NAME("y"), TYPE(C));
	CLOSE(b);
	DIE(b, 0, DW_TAG_member, TYPE(B), AT(4));
	DIE(b, 0, DW_TAG_member, NAME("static_one"), TYPE(INT), FLAG(DW_AT_external),
	    FLAG(DW_AT_declaration));
	DIE(b, 0, DW_TAG_member, NAME("last"), TYPE(INT), AT(8));
	CLOSE(b);
}

static void expression_offsets(struct dwarf_blob *b)
{
	add_int(b);
	OPEN(b, A, DW_TAG_structure_type, NAME("s"), SIZE(400));
	DIE(b, 0, DW_TAG_member, NAME("a"), TYPE(INT),
	    BLOCK(DW_AT_data_member_location, DW_FORM_block1, "\x23\x04"));
	DIE(b, 0, DW_TAG_member, NAME("b"), TYPE(INT),
	    BLOCK(DW_AT_data_member_location, DW_FORM_exprloc, "\x23\x80\x02"));
	DIE(b, 0, DW_TAG_member, NAME("computed"), TYPE(INT),
	    BLOCK(DW_AT_data_member_location, DW_FORM_exprloc, "\x06\x23\x08"));
	CLOSE(b);
}

/*
 * struct { unsigned a : 3, b : 7; unsigned long c : 33; int d; } counted from the most significant
 * bit of the storage unit (DWARF 2 and 3), as GCC writes it for each byte order; and the same in
 * DWARF 4 and 5, where DW_AT_data_bit_offset is BTF's counting.
 */
struct bitfield {
	const char *name;
	uint32_t type;
	uint8_t storage, bits;
	int8_t msb_little, msb_big;
	uint8_t byte_offset;
	uint8_t bit_offset_little, bit_offset_big;
};

static const struct bitfield bitfields[] = {
	{ "a", A, 4, 3, 29, 0, 0, 0, 0 },
	{ "b", A, 4, 7, 22, 3, 0, 3, 3 },
	{ "c", B, 8, 33, 31, 0, 8, 64, 64 },
	/* Packed: across the end of its storage unit, which begins in front of it. */
	{ "p", A, 4, 30, -6, 8, 16, 136, 136 },
	{ "q", A, 4, 20, 14, -2, 24, 190, 190 },
};

static void add_bitfields(struct dwarf_blob *b, bool old)
{
	DIE(b, A, DW_TAG_base_type, NAME("unsigned int"), SIZE(4), ENCODING(DW_ATE_unsigned));
	DIE(b, B, DW_TAG_base_type, NAME("unsigned long"), SIZE(8), ENCODING(DW_ATE_unsigned));
	OPEN(b, C, DW_TAG_structure_type, NAME("s"), SIZE(32));
	for (size_t i = 0; i < LENGTH(bitfields); i++) {
		const struct bitfield *f = &bitfields[i];
		int msb = b->big_endian ? f->msb_big : f->msb_little;
		uint64_t bit = b->big_endian ? f->bit_offset_big : f->bit_offset_little;

		if (old)
			DIE(b, 0, DW_TAG_member, NAME(f->name), TYPE(f->type), SIZE(f->storage),
			    ATTR(DW_AT_bit_size, DW_FORM_data1, f->bits),
			    ATTR(DW_AT_bit_offset, DW_FORM_sdata, msb), AT(f->byte_offset));
		else
			DIE(b, 0, DW_TAG_member, NAME(f->name), TYPE(f->type),
			    ATTR(DW_AT_bit_size, DW_FORM_data1, f->bits),
			    ATTR(DW_AT_data_bit_offset, DW_FORM_udata, bit));
	}
	DIE(b, 0, DW_TAG_member, NAME("d"), TYPE(A), AT(28));
	CLOSE(b);
}

TEST(test_bitfields)
{
	for (int big_endian = 0; big_endian < 2; big_endian++) {
		struct encoded_blob out[2];

		for (int old = 0; old < 2; old++) {
			struct dwarf_blob b;

			dwarf_blob_init(&b);
			b.big_endian = big_endian;
			dwarf_blob_unit(&b, old ? 3 : 5);
			add_bitfields(&b, old);
			dwarf_blob_end_unit(&b);
			encode_blob(&out[old], &b, NULL);
			assert_non_null(out[old].dump);
			assert_int_equal(out[old].report.inexpressible, 0);
			dwarf_blob_release(&b);
		}
		assert_string_equal(out[0].dump, out[1].dump);
		assert_non_null(strstr(out[0].dump, "'b' type_id="));
		assert_non_null(strstr(out[0].dump, "bits_offset=3 bitfield_size=7\n"));
		assert_non_null(strstr(out[0].dump, "bits_offset=64 bitfield_size=33\n"));
		assert_non_null(strstr(out[0].dump, "bits_offset=136 bitfield_size=30\n"));
		assert_non_null(strstr(out[0].dump, "bits_offset=190 bitfield_size=20\n"));
		assert_non_null(strstr(out[0].dump, "bits_offset=224"));
		for (int old = 0; old < 2; old++)
			encoded_blob_release(&out[old]);
	}
}

/* Without DW_AT_byte_size the storage unit is as large as the type without typedef and const. */
static void bitfield_of_typedef(struct dwarf_blob *b)
{
	DIE(b, A, DW_TAG_base_type, NAME("unsigned short"), SIZE(2), ENCODING(DW_ATE_unsigned));
	DIE(b, B, DW_TAG_typedef, NAME("u16"), TYPE(A));
	DIE(b, C, DW_TAG_const_type, TYPE(B));
	OPEN(b, 0, DW_TAG_structure_type, NAME("s"), SIZE(4));
	DIE(b, 0, DW_TAG_member, NAME("f"), TYPE(C), ATTR(DW_AT_bit_size, DW_FORM_data1, 5),
	    ATTR(DW_AT_bit_offset, DW_FORM_data1, 4), AT(2));
	CLOSE(b);
}

/* ---- prototypes ---- */

static void prototypes(struct dwarf_blob *b)
{
	add_int(b);
	OPEN(b, A, DW_TAG_subroutine_type, TYPE(INT));
	DIE(b, 0, DW_TAG_formal_parameter, TYPE(INT));
	DIE(b, 0, DW_TAG_unspecified_parameters);
	CLOSE(b);
	DIE(b, 0, DW_TAG_pointer_type, TYPE(A));
	DIE(b, 0, DW_TAG_subroutine_type);
}

/* ---- names that a group defines twice ---- */

/* Two structs of one name, what refers to each, and a struct with both of these. */
static void two_structs(struct dwarf_blob *b, bool in_functions, uint16_t second_form, uint16_t tag,
			uint64_t second_at)
{
	add_int(b);
	for (uint32_t i = 0; i < 2; i++) {
		if (in_functions)
			OPEN(b, 0, DW_TAG_subprogram, NAME("f"));
		OPEN(b, A + i, DW_TAG_structure_type,
		     STRING(DW_AT_name, i ? second_form : DW_FORM_string, "local"),
		     SIZE(4 + 4 * i));
		DIE(b, 0, DW_TAG_member, NAME("m"), TYPE(INT), AT(4 * i));
		CLOSE(b);
		DIE(b, C + i, tag, TYPE(A + i));
		if (in_functions)
			CLOSE(b);
	}
	OPEN(b, 0, DW_TAG_structure_type, NAME("user"), SIZE(8 + second_at));
	DIE(b, 0, DW_TAG_member, NAME("p0"), TYPE(C), AT(0));
	DIE(b, 0, DW_TAG_member, NAME("p1"), TYPE(D), AT(second_at));
	CLOSE(b);
}

static void local_structs(struct dwarf_blob *b)
{
	two_structs(b, true, DW_FORM_string, DW_TAG_pointer_type, 8);
}

/* The same with one name in .debug_info, the other in .debug_str: two keys, one name. */
static void local_structs_by_form(struct dwarf_blob *b)
{
	two_structs(b, false, DW_FORM_strp, DW_TAG_pointer_type, 8);
}

/* _Atomic struct local is struct local: the one of its own function. */
static void atomic_local_structs(struct dwarf_blob *b)
{
	two_structs(b, false, DW_FORM_string, DW_TAG_atomic_type, 4);
}

static void same_local_structs(struct dwarf_blob *b)
{
	add_int(b);
	for (uint32_t i = 0; i < 3; i++) {
		OPEN(b, A + i, DW_TAG_structure_type, NAME("same"), SIZE(8));
		DIE(b, 0, DW_TAG_member, NAME("next"), TYPE(D + i), AT(0));
		CLOSE(b);
		DIE(b, D + i, DW_TAG_pointer_type, TYPE(A + i));
	}
}

/*
 * Two chains head -> middle -> last, which differ in the last struct only; `other` is the same in
 * both. What is declared is one type as long as the definitions of its name are.
 */
static void chains(struct dwarf_blob *b, bool differ)
{
	enum { HEAD = 10, MIDDLE = 20, LAST = 30, OTHER = 40, DECLARED = 50, POINTER = 60 };

	add_int(b);
	for (uint32_t i = 0; i < 2; i++) {
		static const char *const names[] = { "head", "middle", "last" };

		for (uint32_t k = 0; k < 3; k++) {
			OPEN(b, HEAD + 10 * k + i, DW_TAG_structure_type, NAME(names[k]),
			     SIZE(k == 2 && differ ? 8 + 4 * i : 8));
			DIE(b, 0, DW_TAG_member, NAME("next"),
			    TYPE(k == 2 ? INT : POINTER + 10 * k + i), AT(0));
			CLOSE(b);
			DIE(b, POINTER + 10 * k + i, DW_TAG_pointer_type,
			    TYPE(k == 2 ? HEAD + i : HEAD + 10 * (k + 1) + i));
		}
		OPEN(b, OTHER + i, DW_TAG_structure_type, NAME("other"), SIZE(4));
		DIE(b, 0, DW_TAG_member, NAME("m"), TYPE(INT), AT(0));
		CLOSE(b);
	}
	DIE(b, DECLARED, DW_TAG_structure_type, NAME("head"), FLAG(DW_AT_declaration));
	DIE(b, A, DW_TAG_pointer_type, TYPE(DECLARED));
	DIE(b, 0, DW_TAG_typedef, NAME("of_declared"), TYPE(A));
	DIE(b, 0, DW_TAG_typedef, NAME("of_second"), TYPE(POINTER + 20 + 1));
}

static void chains_that_differ(struct dwarf_blob *b)
{
	chains(b, true);
}

static void chains_alike(struct dwarf_blob *b)
{
	chains(b, false);
}

#define MEMBER(tag, name, at)                                                                      \
	OPEN(b, 0, DW_TAG_member, NAME(name), TYPE(INT), AT(at));                                  \
	DIE(b, 0, DW_TAG_LLVM_annotation, NAME("btf_decl_tag"),                                    \
	    STRING(DW_AT_const_value, DW_FORM_string, tag));                                       \
	CLOSE(b)

/*
 * As Rust has them; those of one offset stay as declared, and one that BTF cannot say has no
 * tag either.
 */
static void moved_members(struct dwarf_blob *b)
{
	add_int(b);
	OPEN(b, A, DW_TAG_structure_type, NAME("moved"), SIZE(16));
	MEMBER("last", "z", 12);
	MEMBER("first", "a", 0);
	OPEN(b, 0, DW_TAG_structure_type, NAME("between"), SIZE(8));
	MEMBER("second of two", "n", 4);
	MEMBER("first of two", "m", 0);
	CLOSE(b);
	MEMBER("nowhere", "far", UINT32_MAX);
	MEMBER("third", "c", 4);
	MEMBER("fourth", "d", 4);
	CLOSE(b);
	OPEN(b, 0, DW_TAG_structure_type, NAME("short"), SIZE(8));
	MEMBER("nowhere", "far", UINT32_MAX);
	MEMBER("only", "m", 4);
	CLOSE(b);
}

/*
 * One type for each tag; what BTF has no kind for is what it is a variant of, or bytes: how many
 * with addresses of 4 and of 8 bytes; AN_INT; or VOID.
 */
#define AN_INT UINT32_MAX
#define VOID   0
#define FOREIGN_TYPES(X)                                                                           \
	X(ptr_to_member, 4, 8, DW_TAG_ptr_to_member_type, TYPE(INT))                               \
	X(ptr_to_function, 8, 16, DW_TAG_ptr_to_member_type, TYPE(F))                              \
	X(known_pointer, 24, 24, DW_TAG_ptr_to_member_type, TYPE(INT), SIZE(24))                   \
	X(string, 3, 3, DW_TAG_string_type, SIZE(3))                                               \
	X(set, 32, 32, DW_TAG_set_type, TYPE(INT), SIZE(32))                                       \
	X(file, 6, 6, DW_TAG_file_type, TYPE(INT), SIZE(6))                                        \
	X(dynamic, 5, 5, DW_TAG_dynamic_type, TYPE(INT), SIZE(5))                                  \
	X(subrange_of_size, 1, 1, DW_TAG_subrange_type, TYPE(INT), SIZE(1))                        \
	X(newer, 7, 7, 0x5f, SIZE(7))                                                              \
	X(vendor, 9, 9, 0x7ffe, SIZE(9))                                                           \
	X(subrange, AN_INT, AN_INT, DW_TAG_subrange_type, TYPE(INT))                               \
	X(packed, AN_INT, AN_INT, DW_TAG_packed_type, TYPE(INT))                                   \
	X(shared, AN_INT, AN_INT, DW_TAG_shared_type, TYPE(INT))                                   \
	X(immutable, AN_INT, AN_INT, DW_TAG_immutable_type, TYPE(INT))                             \
	X(coarray, AN_INT, AN_INT, DW_TAG_coarray_type, TYPE(INT))                                 \
	X(ptrauth, AN_INT, AN_INT, 0x4300, TYPE(INT))                                              \
	X(upc_shared, AN_INT, AN_INT, 0x8765, TYPE(INT))                                           \
	X(upc_strict, AN_INT, AN_INT, 0x8766, TYPE(INT))                                           \
	X(upc_relaxed, AN_INT, AN_INT, 0x8767, TYPE(INT))                                          \
	X(typedef_without_name, AN_INT, AN_INT, DW_TAG_typedef, TYPE(INT))                         \
	X(thrown, AN_INT, AN_INT, DW_TAG_thrown_type, TYPE(INT))                                   \
	X(no_size, VOID, VOID, DW_TAG_set_type, TYPE(INT))                                         \
	X(no_type, VOID, VOID, DW_TAG_subrange_type, ATTR(DW_AT_upper_bound, DW_FORM_data1, 1))

static void foreign_types(struct dwarf_blob *b)
{
	enum {
		BEFORE = F,
#define X(name, bytes_32, bytes_64, ...) LABEL_##name,
		FOREIGN_TYPES(X)
#undef X
	};

	add_int(b);
	DIE(b, F, DW_TAG_subroutine_type);
#define X(name, bytes_32, bytes_64, tag, ...)                                                      \
	DIE(b, LABEL_##name, tag, __VA_ARGS__);                                                    \
	DIE(b, 0, DW_TAG_typedef, NAME(#name), TYPE(LABEL_##name));
	FOREIGN_TYPES(X)
#undef X
	DIE(b, 0, DW_TAG_template_alias, NAME("alias"), TYPE(INT));
	OPEN(b, 0, DW_TAG_array_type, TYPE(INT));
	DIE(b, 0, DW_TAG_generic_subrange);
	CLOSE(b);
}

/* The array that a typedef leads to, its number of elements; or "int" or "void". */
TEST(test_foreign_types)
{
	static const struct {
		const char *name;
		uint32_t bytes_32, bytes_64;
	} rows[] = {
#define X(name, bytes_32, bytes_64, ...) { #name, bytes_32, bytes_64 },
		FOREIGN_TYPES(X)
#undef X
		{ "alias", AN_INT, AN_INT },
	};

	for (int wide = 0; wide < 2; wide++) {
		struct encoded_blob out;
		struct dwarf_blob b;

		dwarf_blob_init(&b);
		b.elf32 = !wide;
		b.address_bytes = wide ? 8 : 4;
		dwarf_blob_unit(&b, 5);
		foreign_types(&b);
		dwarf_blob_end_unit(&b);
		encode_blob(&out, &b, NULL);
		if (!out.dump)
			fail_msg("%s", out.err.text);
		for (size_t i = 0; i < LENGTH(rows); i++) {
			uint32_t bytes = wide ? rows[i].bytes_64 : rows[i].bytes_32, id = 0;
			char text[100];
			const char *line;

			snprintf(text, sizeof(text), "TYPEDEF '%s' type_id=", rows[i].name);
			line = strstr(out.dump, text);
			assert_non_null(line);
			id = (uint32_t)atoi(line + strlen(text));
			if (!bytes) {
				assert_int_equal(id, 0);
				continue;
			}
			snprintf(text, sizeof(text), "[%u] %s", id,
				 bytes == AN_INT ? "INT 'int'" : "ARRAY");
			line = strstr(out.dump, text);
			if (!line)
				fail_msg("%s: no %s in\n%s", rows[i].name, text, out.dump);
			if (bytes == AN_INT)
				continue;
			snprintf(text, sizeof(text), "nr_elems=%u\n", bytes);
			line = strstr(line, "nr_elems=");
			if (strncmp(line, text, strlen(text)) != 0)
				fail_msg("%s: no %s in\n%s", rows[i].name, text, out.dump);
		}
		assert_int_equal(out.report.inexpressible, 2);
		encoded_blob_release(&out);
		dwarf_blob_release(&b);
	}
}

#define LINES(...) .lines = { __VA_ARGS__ }

static const struct lower_case cases[] = {
	{ "odd base types", odd_sizes, LINES("[1] ARRAY '(anon)' type_id=", "nr_elems=3\n",
		"nr_elems=32\n", "INT '__int128' size=16 bits_offset=0 nr_bits=128 encoding=SIGNED",
		"!DW_ATE_unsigned_24", "!'huge'") },
	{ "bool", odd_sizes, LINES("INT '_Bool' size=1 bits_offset=0 nr_bits=8 encoding=BOOL") },
	{ "a size in bits", bit_size, LINES("INT 'bits' size=4") },
	{ "floats", floats, LINES("nr_elems=2", "FLOAT 'double' size=8", "FLOAT 'float' size=4",
		"FLOAT 'long double' size=12") },
	{ "floats without the feature", floats, LINES("!FLOAT", "INT 'float' size=4"),
	  .change = no_float },
	{ "modifiers", modifiers, LINES("CONST '(anon)' type_id=7", "PTR '(anon)' type_id=0",
		"RESTRICT '(anon)' type_id=2", "PTR '(anon)' type_id=7", "TYPEDEF 'ct' type_id=1",
		"!nothing", "TYPEDEF 'et' type_id=0") },
	{ "declarations", nameless_forwards, LINES("STRUCT '(anon)' size=0 vlen=0",
		"UNION '(anon)' size=0 vlen=0", "ENUM 'e' encoding=UNSIGNED size=4 vlen=0",
		"FWD 'u' fwd_kind=union") },
	{ "arrays", arrays, LINES("[1] ARRAY '(anon)' type_id=5 index_type_id=5 nr_elems=5\n",
		"[2] ARRAY '(anon)' type_id=1 index_type_id=5 nr_elems=3\n", "nr_elems=0\n",
		"!nr_elems=42949", "TYPEDEF 'all_ones'", "TYPEDEF 'minus_one'") },
	{ "flexible array", arrays, LINES("'flexible' type_id=", "=480") },
	{ "variable arrays", variable_array,
	  LINES("[1] ARRAY '(anon)' type_id=5 index_type_id=5 nr_elems=0\n",
		"[2] TYPEDEF 'by_expression' type_id=1\n[3] TYPEDEF 'by_reference' type_id=1\n",
		"STRUCT 'computed' size=0 vlen=0") },
	{ "a huge array", huge_array, LINES("[2] TYPEDEF 'huge' type_id=0\n", "!ARRAY") },
	{ "structs of 4 GiB", giant,
	  LINES("[1] PTR '(anon)' type_id=3\n[2] PTR '(anon)' type_id=0\n"
		"[3] FWD 'giant' fwd_kind=struct\n", "!STRUCT") },
	{ "Go's prototype in a cycle", cycle_of_prototype, LINES("[2] TYPEDEF 'F' type_id=0\n",
		"!FUNC_PROTO") },
	{ "Go's pointer in a cycle", cycle_of_pointer, LINES("[1] PTR '(anon)' type_id=0\n",
		"[3] TYPEDEF 'P' type_id=1\n") },
	{ "a pointer and two prototypes in a cycle", cycle_of_many, LINES("TYPEDEF 'G' type_id=") },
	{ "enums", enums, LINES("ENUM 'minus' encoding=SIGNED size=4 vlen=1\n\t'M0' val=-3\n",
		"ENUM 'plus' encoding=UNSIGNED size=4 vlen=2\n\t'P0' val=200\n"
		"\t'P1' val=4294967295\n",
		"ENUM 'small' encoding=SIGNED size=1 vlen=1\n\t'S0' val=-1\n",
		"ENUM64 'wide' encoding=UNSIGNED size=8 vlen=1\n"
		"\t'W0' val=1234605616436508552ULL\n",
		"ENUM64 'wide_minus' encoding=SIGNED size=8 vlen=1\n\t'V0' val=-1LL\n") },
	{ "definitions between members", nested, LINES("UNION '(anon)' size=4 vlen=2\n\t'x' ",
		"'y' type_id=2 bits_offset=0\n", "[2] STRUCT 'inner' size=4 vlen=1\n",
		"STRUCT 'outer' size=12 vlen=3\n\t'first' type_id=3 bits_offset=0\n"
		"\t'(anon)' type_id=1 bits_offset=32\n\t'last' type_id=3 bits_offset=64\n",
		"!static_one") },
	{ "offsets as expressions", expression_offsets,
	  LINES("vlen=2\n\t'a' type_id=1 bits_offset=32\n\t'b' type_id=1 bits_offset=2048\n",
		"!computed") },
	{ "members in another order", moved_members,
	  LINES("STRUCT 'between' size=8 vlen=2\n\t'm' type_id=5 bits_offset=0\n\t'n'",
		"STRUCT 'moved' size=16 vlen=4\n\t'a' type_id=5 bits_offset=0\n"
		"\t'c' type_id=5 bits_offset=32\n\t'd' type_id=5 bits_offset=32\n"
		"\t'z' type_id=5 bits_offset=96\n") },
	{ "their tags", moved_members, LINES("DECL_TAG 'first' type_id=7 component_idx=0\n",
		"DECL_TAG 'first of two' type_id=1 component_idx=0\n",
		"DECL_TAG 'fourth' type_id=7 component_idx=2\n",
		"DECL_TAG 'last' type_id=7 component_idx=3\n",
		"DECL_TAG 'only' type_id=10 component_idx=0\n",
		"DECL_TAG 'second of two' type_id=1 component_idx=1\n",
		"DECL_TAG 'third' type_id=7 component_idx=1\n", "!'nowhere'") },
	{ "bitfield of a typedef", bitfield_of_typedef,
	  LINES("'f' type_id=1 bits_offset=23 bitfield_size=5"), .little_endian_only = true },
	{ "bitfield of a typedef", bitfield_of_typedef,
	  LINES("'f' type_id=1 bits_offset=20 bitfield_size=5"), .big_endian_only = true },
	{ "prototypes", prototypes,
	  LINES("FUNC_PROTO '(anon)' ret_type_id=4 vlen=2\n\t'(anon)' type_id=4\n"
		"\t'(anon)' type_id=0\n", "FUNC_PROTO '(anon)' ret_type_id=0 vlen=0\n") },
	{ "two structs of one name", local_structs, LINES("STRUCT 'local' size=4 vlen=1",
		"STRUCT 'local' size=8 vlen=1",
		"STRUCT 'user' size=16 vlen=2\n\t'p0' type_id=1 bits_offset=0\n"
		"\t'p1' type_id=2 ") },
	{ "two structs of one name in two forms", local_structs_by_form,
	  LINES("[1] PTR '(anon)' type_id=4\n[2] PTR '(anon)' type_id=5\n",
		"[4] STRUCT 'local' size=4 vlen=1", "[5] STRUCT 'local' size=8 vlen=1",
		"STRUCT 'user' size=16 vlen=2\n\t'p0' type_id=1 bits_offset=0\n"
		"\t'p1' type_id=2 ") },
	{ "_Atomic of two structs of one name", atomic_local_structs,
	  LINES("[2] STRUCT 'local' size=4 vlen=1", "[3] STRUCT 'local' size=8 vlen=1",
		"STRUCT 'user' size=12 vlen=2\n\t'p0' type_id=2 bits_offset=0\n"
		"\t'p1' type_id=3 bits_offset=32\n") },
	{ "one struct three times", same_local_structs,
	  LINES("[1] PTR '(anon)' type_id=3\n[2] INT 'int'",
		"[3] STRUCT 'same' size=8 vlen=1\n\t'next' type_id=1 bits_offset=0\n", "![4]") },
	{ "two chains that differ in the last struct", chains_that_differ, LINES("STRUCT 'head'",
		"STRUCT 'head'", "FWD 'head'", "STRUCT 'last'", "STRUCT 'last'", "STRUCT 'middle'",
		"STRUCT 'middle'", "STRUCT 'other'") },
	{ "two chains that do not", chains_alike, LINES("STRUCT 'head'", "STRUCT 'last'",
		"STRUCT 'middle'", "[8] TYPEDEF 'of_declared' type_id=3",
		"[9] TYPEDEF 'of_second' type_id=3", "[10] STRUCT 'other'", "![11]", "!FWD") },
};

TEST(test_cases)
{
	for (size_t i = 0; i < LENGTH(cases); i++) {
		for (int way = 0; way < 6; way++) {
			bool big_endian = way & 1;

			if (big_endian ? cases[i].little_endian_only : cases[i].big_endian_only)
				continue;
			run_case(&cases[i], big_endian, way >= 4, way & 2 ? 8 : 4);
		}
	}
}

/* ---- units that cannot be used ---- */

static void cycle(struct dwarf_blob *b)
{
	DIE(b, A, DW_TAG_pointer_type, TYPE(B));
	DIE(b, B, DW_TAG_const_type, TYPE(A));
}

static void cycle_of_one(struct dwarf_blob *b)
{
	DIE(b, A, DW_TAG_typedef, NAME("t"), TYPE(A));
}

static void cycle_of_anonymous(struct dwarf_blob *b)
{
	OPEN(b, A, DW_TAG_structure_type, SIZE(8));
	DIE(b, 0, DW_TAG_member, NAME("m"), TYPE(B), AT(0));
	CLOSE(b);
	DIE(b, B, DW_TAG_pointer_type, TYPE(A));
}

static void dangling(struct dwarf_blob *b)
{
	DIE(b, A, DW_TAG_pointer_type, ATTR(DW_AT_type, DW_FORM_ref4, 2));
}

static void outside(struct dwarf_blob *b)
{
	DIE(b, A, DW_TAG_pointer_type, ATTR(DW_AT_type, DW_FORM_ref4, 0x7fffffff));
}

static void bad_string(struct dwarf_blob *b)
{
	blob_string(b, SECTION_STR, "x");
	DIE(b, A, DW_TAG_typedef, ATTR(DW_AT_name, DW_FORM_strp, 2));
}

static void deep(struct dwarf_blob *b)
{
	for (int i = 0; i < UNIT_MAX_DEPTH; i++)
		OPEN(b, 0, DW_TAG_lexical_block);
	for (int i = 0; i < UNIT_MAX_DEPTH; i++)
		CLOSE(b);
}

static void be_strict(struct encode_options *options)
{
	options->strict = true;
}

static const struct {
	const char *what;
	void (*build)(struct dwarf_blob *b);
	const char *wanted;	/* after the file name; a part of it */
} bad_units[] = {
	{ "pointer and const in a circle", cycle, "of types without a name" },
	{ "a typedef of itself", cycle_of_one, "of types without a name" },
	{ "an anonymous struct in itself", cycle_of_anonymous, "of types without a name" },
	{ "a reference to a DIE that is none", dangling,
	  "refers to something that is not a type, at" },
	{ "a reference outside the unit", outside, "refers to something outside its unit" },
	{ "a string offset", bad_string, "string offset 0x2 is outside .debug_str" },
	{ "too deep", deep, "is nested more than 1024 deep" },
};

/* Three units, the middle one bad. */
static void build_bad(struct dwarf_blob *b, size_t i)
{
	dwarf_blob_init(b);
	for (size_t unit = 0; unit < 3; unit++) {
		dwarf_blob_unit(b, 4);
		DIE(b, F, DW_TAG_base_type, NAME(unit == 0 ? "first" : unit == 1 ? "bad" : "last"),
		    SIZE(4), ENCODING(DW_ATE_signed));
		if (unit == 1)
			bad_units[i].build(b);
		dwarf_blob_end_unit(b);
	}
}

TEST(test_bad_units)
{
	int stderr_copy = dup(STDERR_FILENO);
	int null = open("/dev/null", O_WRONLY);

	for (size_t i = 0; i < LENGTH(bad_units); i++) {
		struct encoded_blob out;
		struct dwarf_blob b;

		build_bad(&b, i);
		dup2(null, STDERR_FILENO);	/* the warnings */
		encode_blob(&out, &b, NULL);
		dup2(stderr_copy, STDERR_FILENO);
		if (!out.dump || strstr(out.dump, "'bad'") || !strstr(out.dump, "'first'") ||
		    !strstr(out.dump, "'last'"))
			fail_msg("%s: %s", bad_units[i].what, out.dump ? out.dump : out.err.text);
		assert_int_equal(out.report.units.unusable, 1);
		assert_int_equal(out.report.units.units, 2);
		encoded_blob_release(&out);
		encode_blob(&out, &b, be_strict);
		assert_null(out.dump);
		if (!strstr(out.err.text, bad_units[i].wanted) ||
		    !strstr(out.err.text, ": unit 0x") || !strstr(out.err.text, "DIE 0x"))
			fail_msg("%s: %s", bad_units[i].what, out.err.text);
		encoded_blob_release(&out);
		dwarf_blob_release(&b);
	}
	close(null);
	close(stderr_copy);
}

/*
 * What no C has and only the finished image shows costs the unit, too: a member that extends past
 * the end of its struct.
 */
TEST(test_rejected_unit)
{
	struct encoded_blob out;
	struct dwarf_blob b;

	dwarf_blob_init(&b);
	for (size_t unit = 0; unit < 2; unit++) {
		dwarf_blob_unit(&b, 5);
		DIE(&b, F, DW_TAG_base_type, NAME("int"), SIZE(4), ENCODING(DW_ATE_signed));
		OPEN(&b, 0, DW_TAG_structure_type, NAME(unit ? "bad" : "good"), SIZE(8));
		DIE(&b, 0, DW_TAG_member, NAME("m"), TYPE(F), AT(unit ? 6 : 4));
		CLOSE(&b);
		dwarf_blob_end_unit(&b);
	}
	encode_blob(&out, &b, NULL);
	if (!out.dump || strstr(out.dump, "'bad'") || !strstr(out.dump, "'good'"))
		fail_msg("%s", out.dump ? out.dump : out.err.text);
	assert_int_equal(out.report.left_out, 1);
	encoded_blob_release(&out);
	encode_blob(&out, &b, be_strict);
	assert_null(out.dump);
	if (!strstr(out.err.text, "the kernel would reject the BTF: ") ||
	    !strstr(out.err.text, "STRUCT 'bad': member-end"))
		fail_msg("%s", out.err.text);
	dwarf_blob_release(&b);
}

/* When no unit is left there is nothing to write. */
TEST(test_only_bad_units)
{
	struct encoded_blob out;
	struct dwarf_blob b;

	dwarf_blob_init(&b);
	dwarf_blob_unit(&b, 5);
	dangling(&b);
	dwarf_blob_end_unit(&b);
	encode_blob(&out, &b, NULL);
	assert_null(out.dump);
	if (!strstr(out.err.text, "refers to something that is not a type"))
		fail_msg("%s", out.err.text);
	dwarf_blob_release(&b);
}

/*
 * The codes of dwarfstd.org/languages.html: what encode leaves out by default is C++, Rust, and
 * what BTF cannot describe.
 */
static const struct {
	uint16_t first, last;
	bool is_left_out;
} languages[] = {
	{ DW_LANG_C89, DW_LANG_C, false },
	{ DW_LANG_Ada83, DW_LANG_Modula2, true },	/* C++, COBOL, Fortran, Pascal */
	{ DW_LANG_C99, DW_LANG_C99, false },
	{ DW_LANG_Ada95, DW_LANG_PLI, true },		/* Fortran 95 */
	{ DW_LANG_Go, DW_LANG_Go, false },
	{ DW_LANG_Modula3, DW_LANG_Modula3, true },
	{ DW_LANG_C_plus_plus_03, DW_LANG_C_plus_plus_11, true },
	{ DW_LANG_Rust, DW_LANG_Rust, true },
	{ DW_LANG_C11, DW_LANG_C11, false },
	{ DW_LANG_C_plus_plus_14, DW_LANG_Fortran08, true },
	{ 0x27, 0x27, false },				/* Zig */
	{ 0x2a, 0x2b, true },				/* C++17, C++20 */
	{ 0x2c, 0x2c, false },				/* C17 */
	{ 0x2d, 0x2f, true },				/* Fortran 18, Ada 2005, Ada 2012 */
	{ 0x31, 0x31, false },				/* Assembly */
	{ 0x3a, 0x3a, true },				/* C++23 */
	{ 0x3e, 0x3e, false },				/* C23 */
	{ 0x3f, 0x3f, true },				/* Fortran 23 */
	{ 0x40, 0x40, false },				/* Ruby */
	{ DW_LANG_Mips_Assembler, DW_LANG_Mips_Assembler, false },
};

static void leave_out(struct encode_options *options)
{
	options->languages = (struct language_set){ .rust = true, .cxx = true };
}

TEST(test_languages)
{
	uint32_t left_out = 0;
	struct encoded_blob out;
	struct dwarf_blob b;
	char name[32];

	dwarf_blob_init(&b);
	for (size_t i = 0; i < LENGTH(languages); i++) {
		for (uint32_t code = languages[i].first; code <= languages[i].last; code++) {
			snprintf(name, sizeof(name), "language_%x", code);
			dwarf_blob_unit_with(&b, 5, BLOB_ATTRS(
				ATTR(DW_AT_language, DW_FORM_data2, code)));
			DIE(&b, 0, DW_TAG_base_type, NAME(name), SIZE(4), ENCODING(DW_ATE_signed));
			dwarf_blob_end_unit(&b);
			left_out += languages[i].is_left_out;
		}
	}
	encode_blob(&out, &b, leave_out);
	if (!out.dump)
		fail_msg("%s", out.err.text);
	for (size_t i = 0; i < LENGTH(languages); i++) {
		for (uint32_t code = languages[i].first; code <= languages[i].last; code++) {
			snprintf(name, sizeof(name), "'language_%x'", code);
			if (!strstr(out.dump, name) != languages[i].is_left_out)
				fail_msg("DW_LANG %#x is %s", code,
					 languages[i].is_left_out ? "there" : "missing");
		}
	}
	assert_int_equal(out.report.units.excluded, left_out);
	encoded_blob_release(&out);
	dwarf_blob_release(&b);
}

/*
 * The index type of arrays has the key of the DIEs' "int", wherever that name is: a second key for
 * it makes the merge intern the whole table again.
 */
TEST(test_index_type_key)
{
	static const uint16_t forms[] = { DW_FORM_string, DW_FORM_strp };

	for (size_t i = 0; i < LENGTH(forms); i++) {
		struct encode_options options = { .jobs = 1 };
		struct encode_report report;
		struct program program;
		struct dwarf_blob b;
		struct error err;

		dwarf_blob_init(&b);
		dwarf_blob_unit(&b, 4);
		ARRAY(&b, A, INT, ATTR(DW_AT_upper_bound, DW_FORM_data1, 4));
		DIE(&b, INT, DW_TAG_base_type, STRING(DW_AT_name, forms[i], "int"), SIZE(4),
		    ENCODING(DW_ATE_signed));
		dwarf_blob_end_unit(&b);
		options.path = dwarf_blob_write(&b);
		features_default(&options.features);
		assert_true(program_open(&program, &options, &err));
		assert_true(program_judge(&program, &report, &err));
		assert_false(program.sources[0].has_aliases);
		program_close(&program);
		dwarf_blob_release(&b);
	}
}
