/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The verifier against tables of small blobs, and the running kernel against the same tables: for
 * each rule an accepted neighbour and a rejected case. Then random damage to a valid blob, where
 * verifier and kernel must agree every time. The rules for the experimental records are ours alone:
 * the kernel is not asked.
 *
 * `unit_verify FILE [COUNT]` does the last part with a file (COUNT times) and prints the time that
 * the verifier takes for it.
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/memory.h"
#include "btf/inspect.h"
#include "btf/verify/verify.h"
#include "tests/btf_blob.h"
#include "tests/oracle_kernel.h"

#define MUTATIONS 3000
#define NO_RULE	  BTF_RULE_COUNT

/* Offsets into the string section that all cases share. */
enum {
	N_a = 1,
	N_b = 3,
	N_c = 5,
	N_int = 7,
	N_nt = 8,
	N_digit = 11,
	N_dash = 14,
	N_data = 18,
	N_tab = 24,
	N_latin = 28,
	N_empty = 2,
	N_512 = 30,
	N_513 = N_512 + 513,
	N_end = N_513 + 514,
};

static char strings[N_end];

static void fill_strings(void)
{
	static const char head[] = "\0a\0b\0c\0int\0"
				   "1x\0"
				   "x-y\0"
				   ".data\0"
				   "a\tb\0"
				   "\xc3\0";

	assert_int_equal(sizeof(head) - 1, N_512);
	memcpy(strings, head, N_512);
	memset(strings + N_512, 'x', 512);
	memset(strings + N_513, 'y', 513);
}

#define T		       BLOB_TYPE
#define INT(size, data)	       T(BTF_INT, 0, 0, N_int, size), (data)
#define INT4		       INT(4, 0x01000020)
#define PTR(to)		       T(BTF_PTR, 0, 0, 0, to)
#define CONST(to)	       T(BTF_CONST, 0, 0, 0, to)
#define TAG(to)		       T(BTF_TYPE_TAG, 0, 0, N_a, to)
#define TYPEDEF(to)	       T(BTF_TYPEDEF, 0, 0, N_a, to)
#define ARRAY(of, index, n)    T(BTF_ARRAY, 0, 0, 0, 0), (of), (index), (n)
#define STRUCT(n, size)	       T(BTF_STRUCT, n, 0, N_a, size)
#define STRUCT_BITS(n, size)   T(BTF_STRUCT, n, 1, N_a, size)
#define UNION(n, size)	       T(BTF_UNION, n, 0, N_a, size)
#define MEMBER(type, offset)   N_b, (type), (offset)
#define BITS(width, offset)    ((uint32_t)(width) << 24 | (offset))
#define ENUM(n, size)	       T(BTF_ENUM, n, 0, N_a, size)
#define ENUM64(n, size)	       T(BTF_ENUM64, n, 0, N_a, size)
#define FWD		       T(BTF_FWD, 0, 0, N_a, 0)
#define PROTO(n, returns)      T(BTF_FUNC_PROTO, n, 0, 0, returns)
#define FUNC(to)	       T(BTF_FUNC, 0, 0, N_a, to)
#define VAR(to)		       T(BTF_VAR, 0, 0, N_a, to), 1
#define DATASEC(n, size)       T(BTF_DATASEC, n, 0, N_data, size)
#define FLOAT(size)	       T(BTF_FLOAT, 0, 0, N_a, size)
#define DECL_TAG(to, index)    T(BTF_DECL_TAG, 0, 0, N_a, to), (uint32_t)(index)
#define WORDS(...)                                                                                 \
	(const uint32_t[]){ __VA_ARGS__ }, sizeof((const uint32_t[]){ __VA_ARGS__ }) / 4
#define GOOD(what, ...)	      { what, NO_RULE, WORDS(__VA_ARGS__) }
#define BAD(rule, what, ...) { what, BTF_RULE_##rule, WORDS(__VA_ARGS__) }

static const struct verify_case {
	const char *what;
	enum btf_rule rule;		/* of the first error; NO_RULE: none */
	const uint32_t *words;
	size_t count;
} cases[] = {
	GOOD("an int", INT4),
	BAD(KIND_UNKNOWN, "kind 0", INT4, T(0, 0, 0, 0, 0)),
	BAD(KIND_UNKNOWN, "kind 23", INT4, T(23, 0, 0, 0, 0)),
	BAD(KIND_UNKNOWN, "a reference to it is not blamed", INT4, PTR(5), T(0, 0, 0, 0, 0)),
	BAD(KIND_UNKNOWN, "LOC_PARAM", INT4, T(BTF_LOC_PARAM, 1, 0, 0, 4), BTF_LOC_REG, 5),
	BAD(KIND_UNKNOWN, "LOC_PROTO", INT4, T(BTF_LOC_PROTO, 0, 0, 0, 0)),
	BAD(KIND_UNKNOWN, "LOCSEC", INT4, T(BTF_LOCSEC, 0, 0, N_data, 0)),
	BAD(KIND_UNKNOWN, "LOC", PROTO(0, 0), T(BTF_LOC, 0, 0, 0, 1)),
	BAD(KIND_UNKNOWN, "kind 32", INT4, T(32, 0, 0, 0, 0)),
	BAD(INFO_RESERVED, "info bit 16", T(BTF_FLOAT, 0x10000, 0, N_a, 4)),
	BAD(INFO_RESERVED, "info bit 16 of a struct", INT4, T(BTF_STRUCT, 0x10001, 0, N_a, 4),
	    MEMBER(1, 0)),
	BAD(TYPE_TRUNCATED, "half a head", INT4, N_a, 0),
	BAD(TYPE_TRUNCATED, "a member is cut off", INT4, STRUCT(1, 4), N_a, 1),
	BAD(VLEN_NONZERO, "int with vlen", T(BTF_INT, 1, 0, N_int, 4), 0x20),
	BAD(VLEN_NONZERO, "float with vlen", T(BTF_FLOAT, 1, 0, N_a, 4)),
	BAD(KIND_FLAG, "int with kind_flag", T(BTF_INT, 0, 1, N_int, 4), 0x20),
	BAD(KIND_FLAG, "pointer with kind_flag", T(BTF_PTR, 0, 1, 0, 0)),
	/* Attributes: older kernels than 6.15 reject these two. */
	GOOD("type tag with kind_flag", T(BTF_TYPE_TAG, 0, 1, N_a, 0)),
	GOOD("declaration tag with kind_flag", STRUCT(0, 0), T(BTF_DECL_TAG, 0, 1, N_a, 1), ~0u),

	GOOD("int without a name", T(BTF_INT, 0, 0, 0, 4), 0x20),
	GOOD("int with a name that is not an identifier", T(BTF_INT, 0, 0, N_dash, 4), 0x20),
	BAD(NAME_OFFSET, "int's name past the strings", T(BTF_INT, 0, 0, N_end, 4), 0x20),
	GOOD("last string", T(BTF_INT, 0, 0, N_end - 1, 4), 0x20),
	GOOD("struct without a name", T(BTF_STRUCT, 0, 0, 0, 0)),
	BAD(NAME_MISSING, "empty string instead of none", T(BTF_STRUCT, 0, 0, N_empty, 0)),
	BAD(NAME_INVALID, "struct 1x", T(BTF_STRUCT, 0, 0, N_digit, 0)),
	BAD(NAME_INVALID, "struct x-y", T(BTF_STRUCT, 0, 0, N_dash, 0)),
	/* Before 6.5, and its stable updates, only for variables and sections. */
	GOOD("a name may start with a dot", T(BTF_STRUCT, 0, 0, N_data, 0)),
	GOOD("Latin-1 letters are letters", T(BTF_STRUCT, 0, 0, N_latin, 0)),
	GOOD("512 characters", T(BTF_STRUCT, 0, 0, N_512, 0)),
	BAD(NAME_LENGTH, "513 characters", T(BTF_STRUCT, 0, 0, N_513, 0)),
	BAD(NAME_FORBIDDEN, "pointer with a name", T(BTF_PTR, 0, 0, N_a, 0)),
	BAD(NAME_FORBIDDEN, "const with a name", T(BTF_CONST, 0, 0, N_a, 0)),
	BAD(NAME_FORBIDDEN, "array with a name", INT4, T(BTF_ARRAY, 0, 0, N_a, 0), 1, 1, 1),
	BAD(NAME_FORBIDDEN, "prototype with a name", T(BTF_FUNC_PROTO, 0, 0, N_a, 0)),
	BAD(NAME_MISSING, "typedef without a name", T(BTF_TYPEDEF, 0, 0, 0, 0)),
	GOOD("typedef of void", TYPEDEF(0)),
	BAD(NAME_MISSING, "fwd without a name", T(BTF_FWD, 0, 0, 0, 0)),
	GOOD("type tag with any text", T(BTF_TYPE_TAG, 0, 0, N_tab, 0)),
	BAD(NAME_MISSING, "type tag without text", T(BTF_TYPE_TAG, 0, 0, 0, 0)),
	BAD(NAME_MISSING, "type tag with empty text", T(BTF_TYPE_TAG, 0, 0, N_empty, 0)),
	GOOD("tail of another name", T(BTF_STRUCT, 0, 0, N_nt, 0)),

	GOOD("int of 128 bits", INT(16, 128)),
	BAD(INT_BITS, "int of 129 bits", INT(32, 129)),
	BAD(INT_BITS, "int of 33 bits in 4 bytes", INT(4, 33)),
	BAD(INT_BITS, "offset pushes the bits out", INT(4, 0x00010020)),
	GOOD("int of 0 bits in 0 bytes", INT(0, 0)),
	BAD(INT_RESERVED, "bit 28", INT(4, 0x10000020)),
	GOOD("bits 8-15 mean nothing", INT(4, 0x0000ff20)),
	GOOD("bool", INT(1, 0x04000008)),
	BAD(INT_ENCODING, "signed char", INT(1, 0x03000008)),
	BAD(INT_ENCODING, "encoding 8", INT(1, 0x08000008)),
	GOOD("float of 12 bytes", FLOAT(12)),
	BAD(FLOAT_SIZE, "float of 10 bytes", FLOAT(10)),
	GOOD("fwd union", T(BTF_FWD, 0, 1, N_a, 0)),
	BAD(SIZE_NONZERO, "fwd with a type", INT4, T(BTF_FWD, 0, 0, N_a, 1)),

	GOOD("array", INT4, ARRAY(1, 1, 2)),
	BAD(SIZE_NONZERO, "array with a size", INT4, T(BTF_ARRAY, 0, 0, 0, 8), 1, 1, 2),
	BAD(REF_TO_VOID, "array of void", INT4, ARRAY(0, 1, 2)),
	BAD(REF_MISSING, "array of what is not there", INT4, ARRAY(3, 1, 2)),
	BAD(REF_NO_SIZE, "array of const void", INT4, CONST(0), ARRAY(2, 1, 2)),
	BAD(REF_NO_SIZE, "array of fwd", INT4, FWD, ARRAY(2, 1, 2)),
	GOOD("index is a typedef of int", INT4, TYPEDEF(1), ARRAY(1, 2, 2)),
	BAD(ARRAY_INDEX, "index is a pointer", INT4, PTR(0), ARRAY(1, 2, 2)),
	BAD(ARRAY_INDEX, "index is 7 bits wide", INT4, INT(1, 7), ARRAY(1, 2, 2)),
	BAD(ARRAY_ELEMENT, "elements are 7 bits wide", INT4, INT(1, 7), ARRAY(2, 1, 2)),
	GOOD("array of 2^32 - 4 bytes", INT4, ARRAY(1, 1, 0x3fffffff)),
	BAD(ARRAY_OVERFLOW, "array of 2^32 bytes", INT4, ARRAY(1, 1, 0x40000000)),
	BAD(REF_LOOP, "array of itself", INT4, ARRAY(2, 1, 2)),

	GOOD("member at the end", INT4, STRUCT(2, 8), MEMBER(1, 0), MEMBER(1, 32)),
	BAD(MEMBER_END, "member past the end", INT4, STRUCT(1, 6), MEMBER(1, 24)),
	BAD(MEMBER_OFFSET, "offset past the end", INT4, STRUCT(1, 4), MEMBER(1, 33)),
	BAD(MEMBER_ORDER, "descending offsets", INT4, STRUCT(2, 8), MEMBER(1, 32), MEMBER(1, 0)),
	GOOD("equal offsets", INT4, STRUCT(2, 8), MEMBER(1, 32), MEMBER(1, 32)),
	GOOD("overlapping members", INT4, STRUCT(2, 8), MEMBER(1, 0), MEMBER(1, 8)),
	GOOD("union", INT4, UNION(2, 4), MEMBER(1, 0), MEMBER(1, 0)),
	BAD(MEMBER_OFFSET, "offset in a union", INT4, UNION(1, 8), MEMBER(1, 8)),
	GOOD("old bit-field", INT(4, 0x00030005), STRUCT(1, 4), MEMBER(1, 8)),
	BAD(MEMBER_END, "old bit-field past the end", INT(4, 0x00030005), STRUCT(1, 1),
	    MEMBER(1, 3)),
	GOOD("int at an odd bit", INT4, STRUCT(1, 8), MEMBER(1, 3)),
	BAD(MEMBER_BITS, "128 bits at an odd bit", INT(16, 128), STRUCT(1, 32), MEMBER(1, 1)),
	BAD(NAME_INVALID, "member x-y", INT4, STRUCT(1, 4), N_dash, 1, 0),
	GOOD("member without a name", INT4, STRUCT(1, 4), 0, 1, 0),
	BAD(NAME_OFFSET, "member's name past the strings", INT4, STRUCT(1, 4), N_end, 1, 0),
	BAD(REF_TO_VOID, "member of void", INT4, STRUCT(1, 4), MEMBER(0, 0)),
	BAD(REF_MISSING, "member of what is not there", INT4, STRUCT(1, 4), MEMBER(9, 0)),
	BAD(REF_NO_SIZE, "member of fwd", FWD, STRUCT(1, 4), MEMBER(1, 0)),
	BAD(REF_NO_SIZE, "member of const void", CONST(0), STRUCT(1, 4), MEMBER(1, 0)),
	BAD(REF_KIND, "member of a VAR", INT4, VAR(1), STRUCT(1, 4), MEMBER(2, 0)),
	GOOD("pointer member", PTR(0), STRUCT(1, 8), MEMBER(1, 0)),
	BAD(MEMBER_END, "pointer in 4 bytes", PTR(0), STRUCT(1, 4), MEMBER(1, 0)),
	BAD(MEMBER_ALIGN, "pointer at an odd bit", PTR(0), STRUCT(1, 16), MEMBER(1, 4)),
	GOOD("pointer at an odd byte", PTR(0), STRUCT(1, 16), MEMBER(1, 8)),
	BAD(MEMBER_END, "array past the end", INT4, ARRAY(1, 1, 3), STRUCT(1, 8), MEMBER(2, 0)),
	GOOD("empty array at the end", INT4, ARRAY(1, 1, 0), STRUCT(1, 4), MEMBER(2, 32)),
	BAD(MEMBER_END, "struct past the end", STRUCT(0, 8), STRUCT(1, 4), MEMBER(1, 0)),
	GOOD("double at 8", FLOAT(8), STRUCT(1, 16), MEMBER(1, 64)),
	BAD(MEMBER_ALIGN, "double at 4", FLOAT(8), STRUCT(1, 16), MEMBER(1, 32)),
	GOOD("long double of 12 bytes at 8", FLOAT(12), STRUCT(1, 20), MEMBER(1, 64)),
	BAD(MEMBER_END, "double past the end", FLOAT(8), STRUCT(1, 12), MEMBER(1, 64)),

	GOOD("bit-field", INT4, STRUCT_BITS(1, 4), MEMBER(1, BITS(5, 27))),
	BAD(MEMBER_END, "bit-field past the end", INT4, STRUCT_BITS(1, 4), MEMBER(1, BITS(6, 27))),
	BAD(MEMBER_BITS, "bit-field wider than its type", INT4, STRUCT_BITS(1, 8),
	    MEMBER(1, BITS(33, 0))),
	GOOD("bit-field of a const int", INT4, CONST(1), STRUCT_BITS(1, 4), MEMBER(2, BITS(1, 3))),
	BAD(MEMBER_ALIGN, "no bit-field at an odd bit", INT4, STRUCT_BITS(1, 8), MEMBER(1, 4)),
	BAD(MEMBER_BASE, "bit-field of an odd int", INT(4, 7), STRUCT_BITS(1, 4), MEMBER(1, 0)),
	BAD(MEMBER_BITS, "bit-field of a pointer", PTR(0), STRUCT_BITS(1, 8),
	    MEMBER(1, BITS(3, 0))),
	BAD(MEMBER_BITS, "bit-field of a float", FLOAT(4), STRUCT_BITS(1, 8),
	    MEMBER(1, BITS(3, 0))),
	GOOD("bit-field of an enum", ENUM(0, 4), STRUCT_BITS(1, 4), MEMBER(1, BITS(3, 29))),
	BAD(MEMBER_BITS, "enum bit-field of 33 bits", ENUM64(0, 8), STRUCT_BITS(1, 8),
	    MEMBER(1, BITS(33, 0))),
	GOOD("small enum at the end", ENUM(0, 1), STRUCT(1, 1), MEMBER(1, 0)),
	/* The kernel takes an enum for an int of 4 bytes when the struct has bit-fields. */
	BAD(MEMBER_END, "small enum at the end, kind_flag", ENUM(0, 1), STRUCT_BITS(1, 1),
	    MEMBER(1, 0)),
	GOOD("enum of 8 bytes at the end, kind_flag", ENUM64(0, 8), STRUCT_BITS(1, 4),
	     MEMBER(1, 0)),
	BAD(MEMBER_END, "enum past the end", ENUM(0, 8), STRUCT(1, 4), MEMBER(1, 0)),
	BAD(MEMBER_ALIGN, "enum at an odd bit", ENUM(0, 4), STRUCT(1, 8), MEMBER(1, 1)),
	BAD(MEMBER_ALIGN, "enum at an odd bit, kind_flag", ENUM(0, 4), STRUCT_BITS(1, 8),
	    MEMBER(1, 1)),

	GOOD("enum", ENUM(1, 4), N_b, 7),
	GOOD("signed enum64 of 1 byte", T(BTF_ENUM64, 1, 1, 0, 1), N_b, 7, 0),
	BAD(ENUM_SIZE, "enum of 3 bytes", ENUM(0, 3)),
	BAD(ENUM_SIZE, "enum of 0 bytes", ENUM(0, 0)),
	BAD(ENUM_SIZE, "enum64 of 16 bytes", ENUM64(0, 16)),
	BAD(NAME_MISSING, "enumerator without a name", ENUM(1, 4), 0, 7),
	BAD(NAME_INVALID, "enumerator x-y", ENUM64(1, 8), N_dash, 7, 0),
	BAD(NAME_OFFSET, "enumerator's name past the strings", ENUM(1, 4), N_end, 7),

	GOOD("function", INT4, PROTO(1, 1), N_b, 1, FUNC(2)),
	GOOD("function before its prototype", INT4, FUNC(3), PROTO(1, 0), N_b, 1),
	GOOD("global function", PROTO(0, 0), T(BTF_FUNC, 1, 0, N_a, 1)),
	BAD(FUNC_LINKAGE, "extern function", PROTO(0, 0), T(BTF_FUNC, 2, 0, N_a, 1)),
	BAD(KIND_FLAG, "function with kind_flag", PROTO(0, 0), T(BTF_FUNC, 0, 1, N_a, 1)),
	BAD(NAME_MISSING, "function without a name", PROTO(0, 0), T(BTF_FUNC, 0, 0, 0, 1)),
	BAD(FUNC_PROTO, "function of an int", INT4, FUNC(1)),
	BAD(FUNC_PROTO, "function of void", FUNC(0)),
	BAD(FUNC_PROTO, "function of what is not there", FUNC(9)),
	BAD(FUNC_PARAM, "parameter without a name", INT4, PROTO(1, 0), 0, 1, FUNC(2)),
	GOOD("prototype's parameter without a name", INT4, PROTO(1, 0), 0, 1),
	GOOD("function with ...", INT4, PROTO(2, 0), N_b, 1, 0, 0, FUNC(2)),
	BAD(PARAM_VARARG, "... with a name", INT4, PROTO(1, 0), N_b, 0),
	BAD(REF_NO_SIZE, "... in the middle", INT4, PROTO(2, 0), 0, 0, N_b, 1),
	BAD(NAME_INVALID, "parameter x-y", INT4, PROTO(1, 0), N_dash, 1),
	BAD(NAME_OFFSET, "parameter's name past the strings", INT4, PROTO(1, 0), N_end, 1),
	BAD(REF_MISSING, "parameter of what is not there", INT4, PROTO(1, 0), N_b, 9),
	BAD(REF_NO_SIZE, "parameter of fwd", FWD, PROTO(1, 0), N_b, 1),
	BAD(REF_KIND, "parameter of a VAR", INT4, VAR(1), PROTO(1, 0), N_b, 2),
	BAD(REF_MISSING, "returns what is not there", PROTO(0, 9)),
	BAD(REF_NO_SIZE, "returns const void", CONST(0), PROTO(0, 1)),
	BAD(REF_NO_SIZE, "returns typedef of void", TYPEDEF(0), PROTO(0, 1)),
	BAD(REF_NO_SIZE, "returns a function", PROTO(0, 0), FUNC(1), PROTO(0, 2)),

	GOOD("variable", INT4, VAR(1)),
	BAD(REF_TO_VOID, "variable of void", INT4, VAR(0)),
	BAD(REF_NO_SIZE, "variable of const void", CONST(0), VAR(1)),
	BAD(REF_NO_SIZE, "variable of fwd", FWD, VAR(1)),
	BAD(REF_KIND, "variable of a variable", INT4, VAR(1), VAR(2)),
	BAD(VAR_LINKAGE, "extern variable", INT4, T(BTF_VAR, 0, 0, N_a, 1), 2),
	BAD(NAME_MISSING, "variable without a name", INT4, T(BTF_VAR, 0, 0, 0, 1), 1),

	GOOD("section", INT4, VAR(1), DATASEC(2, 8), 2, 0, 4, 2, 4, 4),
	GOOD("section with nothing in it", DATASEC(0, 1)),
	BAD(DATASEC_SIZE, "section of 0 bytes", DATASEC(0, 0)),
	BAD(NAME_MISSING, "section without a name", T(BTF_DATASEC, 0, 0, 0, 4)),
	/* Before 6.12, and its stable updates, a section's name had to be an identifier. */
	GOOD("section x-y", T(BTF_DATASEC, 0, 0, N_dash, 4)),
	BAD(NAME_INVALID, "section with a tab", T(BTF_DATASEC, 0, 0, N_tab, 4)),
	BAD(KIND_FLAG, "section with kind_flag", T(BTF_DATASEC, 0, 1, N_data, 4)),
	BAD(REF_TO_VOID, "entry of void", INT4, VAR(1), DATASEC(1, 8), 0, 0, 4),
	BAD(DATASEC_OFFSET, "overlap", INT4, VAR(1), DATASEC(2, 8), 2, 0, 4, 2, 3, 4),
	BAD(DATASEC_OFFSET, "descending", INT4, VAR(1), DATASEC(2, 8), 2, 4, 4, 2, 0, 4),
	BAD(DATASEC_OFFSET, "starts at the end", INT4, VAR(1), DATASEC(1, 8), 2, 8, 4),
	BAD(DATASEC_END, "ends past the end", INT4, VAR(1), DATASEC(1, 8), 2, 5, 4),
	BAD(DATASEC_END, "empty entry", INT4, VAR(1), DATASEC(1, 8), 2, 0, 0),
	BAD(DATASEC_ENTRY, "entry of an int", INT4, DATASEC(1, 8), 1, 0, 4),
	BAD(DATASEC_ENTRY, "entry of what is not there", INT4, DATASEC(1, 8), 9, 0, 4),
	BAD(DATASEC_VAR, "entry smaller than its type", INT4, VAR(1), DATASEC(1, 8), 2, 0, 3),
	GOOD("... but not when the section comes first", INT4, DATASEC(1, 8), 3, 0, 3, VAR(1)),

	GOOD("tag of a struct", STRUCT(0, 0), DECL_TAG(1, -1)),
	GOOD("tag of a member", INT4, STRUCT(1, 4), MEMBER(1, 0), DECL_TAG(2, 0)),
	BAD(TAG_COMPONENT, "tag of a member too many", INT4, STRUCT(1, 4), MEMBER(1, 0),
	    DECL_TAG(2, 1)),
	GOOD("tag of a parameter", INT4, PROTO(1, 0), N_b, 1, FUNC(2), DECL_TAG(3, 0)),
	BAD(TAG_COMPONENT, "tag of a parameter too many", INT4, PROTO(1, 0), N_b, 1, FUNC(2),
	    DECL_TAG(3, 1)),
	BAD(TAG_COMPONENT, "component -2", STRUCT(0, 0), DECL_TAG(1, -2)),
	GOOD("tag of a variable", INT4, VAR(1), DECL_TAG(2, -1)),
	BAD(TAG_COMPONENT, "component of a variable", INT4, VAR(1), DECL_TAG(2, 0)),
	BAD(TAG_COMPONENT, "component of a typedef", TYPEDEF(0), DECL_TAG(1, 0)),
	BAD(TAG_TARGET, "tag of an int", INT4, DECL_TAG(1, -1)),
	BAD(TAG_TARGET, "tag of void", DECL_TAG(0, -1)),
	BAD(NAME_MISSING, "tag without text", STRUCT(0, 0), T(BTF_DECL_TAG, 0, 0, 0, 1), ~0u),
	BAD(VLEN_NONZERO, "tag with vlen", STRUCT(0, 0), T(BTF_DECL_TAG, 1, 0, N_a, 1), ~0u),

	GOOD("type tags first", INT4, CONST(1), TAG(2), TAG(3), PTR(4)),
	BAD(TAG_ORDER, "const before a type tag", INT4, TAG(1), CONST(2)),
	BAD(TAG_ORDER, "typedef before a type tag", INT4, TAG(1), TYPEDEF(2)),

	GOOD("pointer to itself through a struct", STRUCT(1, 8), MEMBER(2, 0), PTR(1)),
	BAD(REF_LOOP, "pointer to itself", PTR(1)),
	BAD(REF_LOOP, "const of itself", CONST(1)),
	BAD(REF_LOOP, "struct in itself", STRUCT(1, 8), MEMBER(1, 0)),
	BAD(REF_LOOP, "struct in its own array", INT4, STRUCT(1, 8), MEMBER(3, 0), ARRAY(2, 1, 1)),
	BAD(REF_LOOP, "pointer loop over a modifier", CONST(2), PTR(1)),
	BAD(REF_LOOP, "pointer loop below a struct", STRUCT(1, 8), MEMBER(2, 0), CONST(3), PTR(2)),
	BAD(REF_MISSING, "pointer to what is not there", PTR(9)),
	BAD(REF_MISSING, "typedef of what is not there", TYPEDEF(0x100000)),
	BAD(REF_KIND, "pointer to a VAR", INT4, VAR(1), PTR(2)),
	BAD(REF_KIND, "const of a section", DATASEC(0, 1), CONST(1)),
	GOOD("pointer to fwd", FWD, PTR(1)),
	GOOD("pointer to a prototype", PROTO(0, 0), PTR(1)),
	/* Odd, but so it is: the order decides. */
	GOOD("pointer to a function that was walked", PROTO(0, 0), FUNC(1), PTR(2)),
	BAD(REF_NO_SIZE, "pointer to a function not yet walked", PTR(2), FUNC(3), PROTO(0, 0)),
	/* The array's size is not known yet when the struct is checked. */
	GOOD("array met through a pointer has no size", INT4, PTR(3), CONST(5), STRUCT(1, 4),
	     MEMBER(3, 0), ARRAY(1, 1, 9)),
	BAD(MEMBER_END, "the same without the pointer", INT4, CONST(4), STRUCT(1, 4), MEMBER(2, 0),
	    ARRAY(1, 1, 9)),
};

static const char *rule_text(enum btf_rule rule)
{
	return rule == NO_RULE ? "none" : btf_rules[rule].code;
}

static enum btf_rule first_error(const struct btf_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		if (btf_rules[findings->data[i].rule].severity == BTF_RULE_ERROR)
			return findings->data[i].rule;
	}
	return NO_RULE;
}

/* Two threads must say the same. */
static void expect_same_of_two(const struct btf_reader *btf,
			       const struct btf_verify_options *options,
			       const struct btf_findings *expected)
{
	struct btf_verify_options two = *options;
	struct btf_findings findings;

	two.two_threads = true;
	btf_verify(btf, &two, &findings);
	assert_int_equal(findings.errors, expected->errors);
	assert_int_equal(findings.warnings, expected->warnings);
	assert_int_equal(findings.count, expected->count);
	for (size_t i = 0; i < findings.count; i++) {
		assert_int_equal(findings.data[i].rule, expected->data[i].rule);
		assert_int_equal(findings.data[i].type_id, expected->data[i].type_id);
		assert_int_equal(findings.data[i].element, expected->data[i].element);
	}
	btf_findings_release(&findings);
}

/* What is accepted has only types and names that are there, in all of its records. */
static void check_references(const struct btf_reader *btf)
{
	assert_true(btf->complete);
	for (uint32_t id = btf->first_id; id < btf_reader_end_id(btf); id++) {
		const uint32_t *record = btf_reader_type(btf, id);

		btf_each_ref(word, record)
			assert_true(record[word] == 0 || btf_reader_type(btf, record[word]));
		btf_each_name(word, record)
			assert_non_null(btf_reader_string(btf, record[word]));
	}
}

/*
 * What each finding blames is there: a type of this BTF, or the record after the last that could be
 * read, and one of its elements, or of a FUNC the prototype's. It has a line.
 */
static void check_findings(const struct btf_reader *btf, const struct btf_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		const struct btf_finding *finding = &findings->data[i];
		const uint32_t *record = btf_reader_type(btf, finding->type_id);
		char line[2048], head[32];

		assert_in_range(finding->rule, 0, BTF_RULE_COUNT - 1);
		if (finding->type_id)
			assert_in_range(finding->type_id, btf->first_id, btf_reader_end_id(btf));
		if (finding->element != BTF_NO_ELEMENT)
			assert_true(record && (finding->rule == BTF_RULE_FUNC_PARAM ||
					       finding->element <
						       btf_info_vlen(record[BTF_WORD_INFO])));
		assert_true(btf_finding_text(btf, finding, line, sizeof(line)) > 0);
		snprintf(head, sizeof(head), "[%u] ", finding->type_id);
		assert_true(!finding->type_id || strncmp(line, head, strlen(head)) == 0);
		assert_non_null(strstr(line, btf_rules[finding->rule].code));
		for (const char *c = line; *c; c++)
			assert_false((unsigned char)*c < ' ' || *c == 0x7f);
	}
	if (!findings->errors)
		check_references(btf);
}

/*
 * The number of errors, and the rule of the first. A blob that cannot be opened breaks no rule but
 * is not good either: -1.
 */
static int64_t count_errors(const struct btf_blob *blob, const struct btf_verify_options *options,
			    enum btf_rule *rule)
{
	struct btf_findings findings;
	struct btf_reader btf;
	struct error err;
	int64_t errors;

	*rule = NO_RULE;
	if (!btf_reader_from_memory(&btf, blob->data, blob->bytes, "test", NULL, &err))
		return -1;
	btf_verify(&btf, options, &findings);
	expect_same_of_two(&btf, options, &findings);
	*rule = first_error(&findings);
	errors = (int64_t)findings.errors;
	check_findings(&btf, &findings);
	btf_findings_release(&findings);
	btf_reader_release(&btf);
	return errors;
}

static bool is_good(const struct btf_blob *blob, enum btf_rule *rule)
{
	const struct btf_verify_options options = { .pointer_bytes = 8, .limit = 1000 };

	return count_errors(blob, &options, rule) == 0;
}

/* False: it cannot be opened. */
static bool find_rule(const struct btf_blob *blob, enum btf_dialect dialect, enum btf_rule *rule)
{
	const struct btf_verify_options options = { .dialect = dialect, .pointer_bytes = 8 };

	return count_errors(blob, &options, rule) >= 0;
}

/* What the verifier finds in words and strings. */
struct verified {
	struct btf_blob blob;
	struct btf_reader btf;
	struct btf_findings findings;
};

static void verify_words(struct verified *v, const uint32_t *words, size_t count, const char *text,
			 size_t bytes, const struct btf_reader *base,
			 const struct btf_verify_options *options)
{
	v->blob = btf_blob_make(words, count, text, bytes);
	btf_open(&v->btf, v->blob.data, v->blob.bytes, base);
	btf_verify(&v->btf, options, &v->findings);
}

static void verified_release(struct verified *v)
{
	btf_findings_release(&v->findings);
	btf_reader_release(&v->btf);
	btf_blob_release(&v->blob);
}

/* One line says why the kernel is not asked; the tests pass without it. */
static bool kernel_is_available(void)
{
	static const uint32_t words[] = { INT4 };
	static int available = -1;

	if (available < 0) {
		struct btf_blob blob = btf_blob_make(words, LENGTH(words), strings, N_end);

		available = kernel_btf_load(blob.data, blob.bytes, NULL, 0) == KERNEL_ACCEPTED;
		if (!available)
			print_message("BPF_BTF_LOAD is not permitted: the kernel is not asked\n");
		btf_blob_release(&blob);
	}
	return available;
}

static bool kernel_agrees(const struct btf_blob *blob, bool good, const char *what)
{
	static char log[1 << 16];
	enum kernel_verdict verdict;

	if (!kernel_is_available())
		return true;
	verdict = kernel_btf_load(blob->data, blob->bytes, NULL, 0);
	if ((verdict == KERNEL_ACCEPTED) == good)
		return true;
	kernel_btf_load(blob->data, blob->bytes, log, sizeof(log));
	print_message("%s: the kernel %s it, the verifier does not; log:\n%s\n", what,
		      good ? "rejects" : "accepts", log);
	return false;
}

static bool check_blob(const struct btf_blob *blob, enum btf_rule wanted, const char *what)
{
	enum btf_rule rule;
	bool good = is_good(blob, &rule);
	bool ok = rule == wanted && good == (wanted == NO_RULE);

	if (!ok)
		print_message("%s: rule %s instead of %s\n", what, rule_text(rule),
			      rule_text(wanted));
	return ok & kernel_agrees(blob, good, what);
}

TEST(test_records)
{
	bool ok = true;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct btf_blob blob =
			btf_blob_make(cases[i].words, cases[i].count, strings, N_end);

		ok &= check_blob(&blob, cases[i].rule, cases[i].what);
		btf_blob_release(&blob);
	}
	assert_true(ok);
}

/* ---- the experimental records ---- */

/* Strings of which the cases below have some of their own. */
enum {
	P_text = 1,
	P_f = 7,
	P_reg = 9,
	P_pair = 13,
	P_plus = 21,
	P_minus = 29,
	P_number = 39,
	P_negative = 43,
	P_bare = 47,
	P_blank = 50,
	P_blanks = 55,
	P_nested = 64,
	P_open = 77,
	P_hex = 84,
	P_sign = 90,
	P_empty_register = 92,
	P_text_again = 94,
	P_a = 100,
	P_other = 102,
	P_dotted = 109,
	P_end = 123,
};

static const char places[] = "\0.text\0f\0%di\0%di %si\0+8(%sp)\0-16(%r10)\0\\42\0\\-1\0"
			     "di\0%di \0%di  %si\0+8(+16(%sp))\0+8(%sp\0\\0x2a\0+\0%\0"
			     ".text\0a\0.init1\0f.part.0.cold";

#define LOC_PARAM(n, size, flags, ...) T(BTF_LOC_PARAM, n, 0, 0, size), (flags), __VA_ARGS__
#define IN_DI			       LOC_PARAM(1, 8, BTF_LOC_REG, 5)
#define LOC_PROTO(n)		       T(BTF_LOC_PROTO, n, 0, 0, 0)
#define LOCSEC(n)		       T(BTF_LOCSEC, n, 0, P_text, 0)
#define LOC(n, proto)		       T(BTF_LOC, n, 0, 0, proto)
#define SITES(n, size)		       T(BTF_DATASEC, n, 1, P_text, size)
#define FUNC_F(to)		       T(BTF_FUNC, 0, 0, P_f, to)
#define NUMBER			       T(BTF_INT, 0, 0, 0, 4), 0x01000020

/* 1: int, 2: int f(int a), 3: f, 4: in di, 5: { di }, 6: { nowhere }; the next is 7. */
#define INLINE_F                                                                                   \
	NUMBER, PROTO(1, 1), P_a, 1, FUNC_F(2), IN_DI, LOC_PROTO(1), 4, LOC_PROTO(1), 0
/* The same for void g(int a, ...): 7: its prototype, 8: g, 9: { di, nowhere }, 10: { di, di }. */
#define INLINE_G                                                                                   \
	INLINE_F, PROTO(2, 0), P_a, 1, 0, 0, FUNC_F(7), LOC_PROTO(2), 4, 0, LOC_PROTO(2), 4, 4

static const struct verify_case inline_cases[] = {
	GOOD("in a register", IN_DI),
	BAD(NAME_FORBIDDEN, "LOC_PARAM with a name", T(BTF_LOC_PARAM, 1, 0, P_a, 8), 8, 5),
	BAD(KIND_FLAG, "LOC_PARAM with kind_flag", T(BTF_LOC_PARAM, 1, 1, 0, 8), 8, 5),
	BAD(LOC_SIZE, "no size", LOC_PARAM(1, 0, BTF_LOC_REG, 5)),
	GOOD("in two registers", LOC_PARAM(2, 16, BTF_LOC_REG, 5, 4)),
	GOOD("16 bytes in memory", LOC_PARAM(1, 16, BTF_LOC_REG | BTF_LOC_DEREF, 7)),
	BAD(LOC_SIZE, "17 bytes in memory", LOC_PARAM(1, 17, BTF_LOC_REG | BTF_LOC_DEREF, 7)),
	BAD(LOC_VALUES, "in three registers", LOC_PARAM(3, 16, BTF_LOC_REG, 5, 4, 1)),
	BAD(LOC_VALUES, "in no register", T(BTF_LOC_PARAM, 0, 0, 0, 8), BTF_LOC_REG),
	BAD(INFO_RESERVED, "65536 values", T(BTF_LOC_PARAM, 0x10001, 0, 0, 8), BTF_LOC_REG),
	GOOD("in memory", LOC_PARAM(1, 8, BTF_LOC_REG | BTF_LOC_DEREF, 7)),
	BAD(LOC_VALUES, "two values in memory", LOC_PARAM(2, 8, BTF_LOC_REG | BTF_LOC_DEREF, 7, 8)),
	GOOD("in memory, offset", LOC_PARAM(2, 8, BTF_LOC_REG | BTF_LOC_DEREF | BTF_LOC_OFFSET,
					    7, (uint32_t)-8)),
	BAD(LOC_VALUES, "OFFSET without one", LOC_PARAM(1, 8, BTF_LOC_REG | BTF_LOC_OFFSET, 7)),
	BAD(LOC_VALUES, "an OFFSET of two words", LOC_PARAM(3, 8, BTF_LOC_REG | BTF_LOC_OFFSET, 7,
							    8, 0)),
	BAD(LOC_VALUES, "one in memory", LOC_PARAM(3, 8, BTF_LOC_REG | BTF_LOC_DEREF |
						   BTF_LOC_OFFSET, 7, (uint32_t)-8, UINT32_MAX)),
	GOOD("frame base", LOC_PARAM(2, 8, BTF_LOC_REG | BTF_LOC_OFFSET, BTF_LOC_FRAME_BASE, 8)),
	BAD(LOC_FLAGS, "DEREF without REG", LOC_PARAM(1, 8, BTF_LOC_DEREF, 7)),
	BAD(LOC_FLAGS, "OFFSET without REG", LOC_PARAM(2, 8, BTF_LOC_OFFSET, 7, 8)),
	BAD(LOC_FLAGS, "no flags", LOC_PARAM(1, 8, 0, 7)),
	GOOD("signed", LOC_PARAM(1, 8, BTF_LOC_SIGNED | BTF_LOC_REG, 7)),
	BAD(LOC_FLAGS, "only signed", LOC_PARAM(1, 8, BTF_LOC_SIGNED, 7)),
	BAD(LOC_FLAGS, "flag 0x40", LOC_PARAM(1, 8, BTF_LOC_REG | 0x40, 7)),
	GOOD("a constant", LOC_PARAM(1, 4, BTF_LOC_CONST, 7)),
	BAD(LOC_FLAGS, "a constant and a register", LOC_PARAM(1, 4, BTF_LOC_CONST | BTF_LOC_REG,
							      7)),
	BAD(LOC_FLAGS, "a constant in memory", LOC_PARAM(1, 4, BTF_LOC_CONST | BTF_LOC_DEREF, 7)),
	BAD(LOC_VALUES, "4 bytes in two words", LOC_PARAM(2, 4, BTF_LOC_CONST, 7, 0)),
	GOOD("8 bytes in two words", LOC_PARAM(2, 8, BTF_LOC_SIGNED | BTF_LOC_CONST, 7, 0)),
	BAD(LOC_VALUES, "5 bytes in one word", LOC_PARAM(1, 5, BTF_LOC_CONST, 7)),
	GOOD("an address", LOC_PARAM(2, 8, BTF_LOC_CONST | BTF_LOC_ADDR, 7, 0)),
	GOOD("an address of 4 bytes", LOC_PARAM(1, 4, BTF_LOC_CONST | BTF_LOC_ADDR, 7)),
	BAD(LOC_VALUES, "one of 8 in one word", LOC_PARAM(1, 8, BTF_LOC_CONST | BTF_LOC_ADDR, 7)),
	BAD(LOC_FLAGS, "an address, not a constant", LOC_PARAM(2, 8, BTF_LOC_REG | BTF_LOC_ADDR,
								   7, 0)),
	BAD(REF_KIND, "pointer to a LOC_PARAM", IN_DI, PTR(1)),
	BAD(REF_KIND, "parameter of a LOC_PARAM", IN_DI, PROTO(1, 0), P_a, 1),

	GOOD("a LOC_PROTO", IN_DI, LOC_PROTO(2), 1, 0),
	BAD(SIZE_NONZERO, "LOC_PROTO with a type", IN_DI, T(BTF_LOC_PROTO, 1, 0, 0, 1), 1),
	BAD(NAME_FORBIDDEN, "LOC_PROTO with a name", IN_DI, T(BTF_LOC_PROTO, 1, 0, P_a, 0), 1),
	BAD(LOC_PARAM, "LOC_PROTO of an int", NUMBER, LOC_PROTO(1), 1),
	BAD(LOC_PARAM, "LOC_PROTO of what is not there", IN_DI, LOC_PROTO(1), 9),
	BAD(REF_KIND, "const of a LOC_PROTO", LOC_PROTO(0), CONST(1)),

	GOOD("sites", INLINE_F, LOCSEC(3), 3, 5, 0, 3, 5, 16, 3, 6, 16),
	GOOD("no sites", LOCSEC(0)),
	GOOD("a LOC_PROTO that comes later", NUMBER, PROTO(1, 1), P_a, 1, FUNC_F(2), LOCSEC(1), 3,
	     5, 0, LOC_PROTO(1), 0),
	BAD(NAME_MISSING, "LOCSEC without a name", T(BTF_LOCSEC, 0, 0, 0, 0)),
	BAD(KIND_FLAG, "LOCSEC with kind_flag", T(BTF_LOCSEC, 0, 1, P_text, 0)),
	BAD(SIZE_NONZERO, "LOCSEC with a type", T(BTF_LOCSEC, 0, 0, P_text, 1)),
	BAD(LOCSEC_ORDER, "a site twice", INLINE_F, LOCSEC(2), 3, 5, 16, 3, 5, 16),
	BAD(LOCSEC_ORDER, "descending offsets", INLINE_F, LOCSEC(2), 3, 5, 16, 3, 5, 8),
	BAD(LOCSEC_ORDER, "descending LOC_PROTOs", INLINE_F, LOCSEC(2), 3, 6, 16, 3, 5, 16),
	GOOD("offsets ascend for each function", INLINE_G, LOCSEC(2), 3, 5, 16, 8, 9, 8),
	BAD(LOCSEC_ORDER, "descending functions", INLINE_G, LOCSEC(2), 8, 9, 8, 3, 5, 16),
	BAD(LOCSEC_FUNC, "site of a prototype", INLINE_F, LOCSEC(1), 2, 5, 0),
	BAD(LOCSEC_FUNC, "site of nothing", INLINE_F, LOCSEC(1), 0, 5, 0),
	BAD(LOCSEC_FUNC, "site of what is not there", INLINE_F, LOCSEC(1), 9, 5, 0),
	BAD(LOCSEC_PROTO, "site without a LOC_PROTO", INLINE_F, LOCSEC(1), 3, 0, 0),
	BAD(LOCSEC_PROTO, "a LOC_PARAM instead", INLINE_F, LOCSEC(1), 3, 4, 0),
	BAD(LOCSEC_PROTO, "a LOC_PROTO that is not there", INLINE_F, LOCSEC(1), 3, 8, 0),
	BAD(LOC_COUNT, "two places for one parameter", INLINE_G, LOCSEC(1), 3, 9, 0),
	BAD(LOC_COUNT, "one place for two parameters", INLINE_G, LOCSEC(1), 8, 5, 0),
	BAD(LOC_VARARG, "a place for the dots", INLINE_G, LOCSEC(1), 8, 10, 0),
	BAD(REF_KIND, "const of a LOCSEC", LOCSEC(0), CONST(1)),

	BAD(FUNC_PROTO, "function of type 0", FUNC_F(0)),
	BAD(KIND_FLAG, "DATASEC with kind_flag", SITES(0, 16)),
	BAD(KIND_UNKNOWN, "LOC", PROTO(0, 0), LOC(0, 1)),
	BAD(KIND_UNKNOWN, "kind 23", NUMBER, T(23, 0, 0, 0, 0)),
};

/* 1: int, 2: int f(int a), 3: f of no type, 4: LOC { di }; the next is 5. */
#define EXTRA_F NUMBER, PROTO(1, 1), P_a, 1, FUNC_F(0), LOC(1, 2), P_reg
#define PLACE(at) NUMBER, PROTO(1, 1), P_a, 1, LOC(1, 2), (at)

static const struct verify_case extra_cases[] = {
	GOOD("function of type 0", FUNC_F(0)),
	GOOD("f.part.0.cold", T(BTF_FUNC, 0, 0, P_dotted, 0)),
	BAD(FUNC_PROTO, "function of an int", NUMBER, FUNC_F(1)),
	BAD(FUNC_LINKAGE, "extern function of type 0", T(BTF_FUNC, 2, 0, P_f, 0)),

	GOOD("%di", PLACE(P_reg)),
	GOOD("no place", PLACE(0)),
	GOOD("%di %si", PLACE(P_pair)),
	GOOD("+8(%sp)", PLACE(P_plus)),
	GOOD("-16(%r10)", PLACE(P_minus)),
	GOOD("\\42", PLACE(P_number)),
	GOOD("\\-1", PLACE(P_negative)),
	BAD(LOC_PLACE, "di", PLACE(P_bare)),
	BAD(LOC_PLACE, "a blank at the end", PLACE(P_blank)),
	BAD(LOC_PLACE, "two blanks", PLACE(P_blanks)),
	BAD(LOC_PLACE, "+8(+16(%sp))", PLACE(P_nested)),
	BAD(LOC_PLACE, "+8(%sp", PLACE(P_open)),
	BAD(LOC_PLACE, "\\0x2a", PLACE(P_hex)),
	BAD(LOC_PLACE, "+", PLACE(P_sign)),
	BAD(LOC_PLACE, "%", PLACE(P_empty_register)),
	BAD(NAME_MISSING, "empty", PLACE(P_f + 1)),
	BAD(NAME_OFFSET, "past the strings", PLACE(P_end + 9)),
	BAD(NAME_FORBIDDEN, "LOC with a name", PROTO(0, 0), T(BTF_LOC, 0, 0, P_a, 1)),
	BAD(KIND_FLAG, "LOC with kind_flag", PROTO(0, 0), T(BTF_LOC, 0, 1, 0, 1)),
	BAD(INFO_RESERVED, "LOC with 65536 places", PROTO(0, 0), T(BTF_LOC, 0x10000, 0, 0, 1)),
	BAD(LOC_PROTO, "LOC of nothing", LOC(0, 0)),
	BAD(LOC_PROTO, "LOC of an int", NUMBER, LOC(0, 1)),
	BAD(LOC_PROTO, "LOC of what is not there", LOC(0, 7)),
	BAD(LOC_COUNT, "two places for one parameter", NUMBER, PROTO(1, 1), P_a, 1, LOC(2, 2), 0,
	    0),
	BAD(LOC_COUNT, "none for one parameter", NUMBER, PROTO(1, 1), P_a, 1, LOC(0, 2)),
	GOOD("dots", NUMBER, PROTO(2, 1), P_a, 1, 0, 0, LOC(2, 2), P_reg, 0),
	BAD(LOC_VARARG, "a place for the dots", NUMBER, PROTO(2, 1), P_a, 1, 0, 0, LOC(2, 2), P_reg,
	    P_reg),
	BAD(REF_KIND, "pointer to a LOC", PROTO(0, 0), LOC(0, 1), PTR(2)),

	GOOD("sites", EXTRA_F, SITES(4, 16), 3, 0, 2, 3, 8, 4, 3, 8, 0, 3, 15, 4),
	GOOD("no sites", SITES(0, 16)),
	GOOD("a function that comes later", SITES(1, 16), 2, 0, 0, FUNC_F(0)),
	BAD(NAME_MISSING, "sites without a section", T(BTF_DATASEC, 0, 1, 0, 16)),
	BAD(DATASEC_SIZE, "section of 0 bytes", SITES(0, 0)),
	BAD(SITE_OFFSET, "past the section", EXTRA_F, SITES(1, 16), 3, 16, 2),
	BAD(SITE_ORDER, "descending", EXTRA_F, SITES(2, 16), 3, 8, 2, 3, 7, 2),
	BAD(SITE_FUNC, "site of a prototype", EXTRA_F, SITES(1, 16), 2, 0, 2),
	BAD(SITE_FUNC, "site of nothing", EXTRA_F, SITES(1, 16), 0, 0, 2),
	BAD(SITE_FUNC, "site of what is not there", EXTRA_F, SITES(1, 16), 9, 0, 2),
	BAD(SITE_LOCATION, "location is an int", EXTRA_F, SITES(1, 16), 3, 0, 1),
	BAD(SITE_LOCATION, "location is not there", EXTRA_F, SITES(1, 16), 3, 0, 9),
	BAD(REF_KIND, "const of sites", SITES(0, 16), CONST(1)),
	GOOD("a section goes on", EXTRA_F, SITES(1, 16), 3, 8, 0, SITES(1, 16), 3, 8, 0),
	BAD(SITE_ORDER, "a section goes back", EXTRA_F, SITES(1, 16), 3, 8, 0, SITES(1, 16), 3, 7,
	    0),
	BAD(SITE_ORDER, "its name is there twice", EXTRA_F, SITES(1, 16), 3, 8, 0,
	    T(BTF_DATASEC, 1, 1, P_text_again, 16), 3, 7, 0),
	GOOD("another section", EXTRA_F, SITES(1, 16), 3, 8, 0, T(BTF_DATASEC, 1, 1, P_other, 16),
	     3, 7, 0),
	/* One of variables has the kernel's rules. */
	GOOD("variables", NUMBER, T(BTF_VAR, 0, 0, P_a, 1), 1, T(BTF_DATASEC, 1, 0, P_other, 16),
	     2, 8, 4),
	BAD(DATASEC_ENTRY, "variables and a function", EXTRA_F, T(BTF_DATASEC, 1, 0, P_other, 16),
	    3, 8, 4),
	BAD(KIND_UNKNOWN, "LOC_PARAM", IN_DI),
	BAD(KIND_UNKNOWN, "LOCSEC", LOCSEC(0)),
};

/* What libbpf fills in before it loads a program. The names are those of `places`. */
static const struct verify_case object_cases[] = {
#define SECTION(n, size) T(BTF_DATASEC, n, 0, P_other, size)
#define OPEN_VAR(link)	 T(BTF_VAR, 0, 0, P_a, 1), (link)
	GOOD("a section of size 0", NUMBER, OPEN_VAR(1), SECTION(1, 0), 2, 0, 4),
	GOOD("two at one offset", NUMBER, OPEN_VAR(1), OPEN_VAR(1), SECTION(2, 0), 2, 0, 4, 3, 0,
	     4),
	GOOD("a variable that is extern", NUMBER, OPEN_VAR(2), SECTION(1, 0), 2, 0, 4),
	GOOD("a function that is extern", NUMBER, PROTO(0, 1), T(BTF_FUNC, 2, 0, P_a, 2),
	     SECTION(1, 0), 3, 0, 0),
	GOOD("its parameters without names", NUMBER, PROTO(1, 1), 0, 1, T(BTF_FUNC, 2, 0, P_a, 2)),
	BAD(FUNC_PARAM, "those of one that is not", NUMBER, PROTO(1, 1), 0, 1,
	    T(BTF_FUNC, 1, 0, P_a, 2)),
	GOOD("an extern of no size", CONST(0), T(BTF_VAR, 0, 0, P_a, 1), 2),
	BAD(REF_NO_SIZE, "a variable of none", CONST(0), T(BTF_VAR, 0, 0, P_a, 1), 1),
	BAD(FUNC_LINKAGE, "a function of linkage 3", NUMBER, PROTO(0, 1),
	    T(BTF_FUNC, 3, 0, P_a, 2)),
	BAD(VAR_LINKAGE, "a variable of linkage 3", NUMBER, OPEN_VAR(3)),
	BAD(DATASEC_ENTRY, "an entry that is a number", NUMBER, SECTION(1, 0), 1, 0, 4),
	BAD(DATASEC_OFFSET, "offsets of a linked one count", NUMBER, OPEN_VAR(1), SECTION(1, 4), 2,
	    4, 4),
	BAD(DATASEC_VAR, "and sizes", NUMBER, OPEN_VAR(1), SECTION(1, 4), 2, 0, 2),
};

static bool check_in_dialect(const struct verify_case *test, enum btf_dialect dialect, bool swap)
{
	struct btf_blob blob = btf_blob_make(test->words, test->count, places, sizeof(places));
	enum btf_rule rule;

	if (swap)
		btf_blob_swap(&blob);
	assert_true(find_rule(&blob, dialect, &rule));
	if (rule != test->rule)
		print_message("dialect %d, %s: rule %s instead of %s\n", (int)dialect, test->what,
			      rule_text(rule), rule_text(test->rule));
	btf_blob_release(&blob);
	return rule == test->rule;
}

TEST(test_dialects)
{
	static const struct {
		enum btf_dialect dialect;
		const struct verify_case *cases;
		size_t count;
	} rows[] = {
		{ BTF_DIALECT_INLINE, inline_cases, LENGTH(inline_cases) },
		{ BTF_DIALECT_EXTRA, extra_cases, LENGTH(extra_cases) },
		{ BTF_DIALECT_OBJECT, object_cases, LENGTH(object_cases) },
	};
	bool ok = true;

	assert_int_equal(sizeof(places), P_end);
	for (size_t d = 0; d < LENGTH(rows); d++) {
		for (size_t i = 0; i < 2 * rows[d].count; i++)
			ok &= check_in_dialect(&rows[d].cases[i / 2], rows[d].dialect, i % 2);
	}
	assert_true(ok);
}

/* The kernel's kinds are judged the same in each dialect. */
TEST(test_dialects_agree)
{
	bool ok = true;

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct btf_blob blob =
			btf_blob_make(cases[i].words, cases[i].count, strings, N_end);
		enum btf_rule rule;

		assert_true(find_rule(&blob, BTF_DIALECT_INLINE, &rule));
		/* Except for the kinds that a dialect is about. */
		if (rule != cases[i].rule && cases[i].rule != BTF_RULE_KIND_UNKNOWN) {
			print_message("inline, %s: another rule\n", cases[i].what);
			ok = false;
		}
		btf_blob_release(&blob);
	}
	assert_true(ok);
}

/* More sites in one LOCSEC than any older kind may have elements. */
TEST(test_many_sites)
{
	static const uint32_t head[] = { INLINE_F, LOCSEC(70000) };
	struct verify_case test = { "70000 sites", NO_RULE, NULL, LENGTH(head) + 3 * 70000 };
	uint32_t *words = memory_alloc(test.count * sizeof(*words));

	memcpy(words, head, sizeof(head));
	for (uint32_t i = 0; i < 70000; i++) {
		uint32_t *site = words + LENGTH(head) + (size_t)3 * i;

		site[0] = 3;
		site[1] = 5;
		site[2] = 4 * i;
	}
	test.words = words;
	assert_true(check_in_dialect(&test, BTF_DIALECT_INLINE, false));
	free(words);
}

/* A chain of `length` types, then an int; `up`: each refers to the next id, else to the last. */
TEST(test_depth)
{
	static const struct {
		const char *what;
		enum btf_kind kind;
		bool up;
		uint32_t length;
		enum btf_rule rule;
	} chains[] = {
		{ "32 modifiers", BTF_CONST, true, 32, NO_RULE },
		{ "33 modifiers", BTF_CONST, true, 33, BTF_RULE_REF_DEPTH },
		{ "200 modifiers, innermost first", BTF_CONST, false, 200, NO_RULE },
		{ "32 pointers", BTF_PTR, true, 32, NO_RULE },
		{ "33 pointers", BTF_PTR, true, 33, BTF_RULE_REF_DEPTH },
		{ "32 structs", BTF_STRUCT, true, 32, NO_RULE },
		{ "33 structs", BTF_STRUCT, true, 33, BTF_RULE_REF_DEPTH },
		{ "100 structs, innermost first", BTF_STRUCT, false, 100, NO_RULE },
	};
	bool ok = true;

	for (size_t i = 0; i < LENGTH(chains); i++) {
		ARRAY_OF(uint32_t) words = { 0 };
		const uint32_t number[] = { INT4 };
		struct btf_blob blob;

		for (uint32_t id = 1; id <= chains[i].length + 1; id++) {
			bool is_int = chains[i].up ? id == chains[i].length + 1 : id == 1;
			uint32_t to = chains[i].up ? id + 1 : id - 1;
			const uint32_t record[] = { STRUCT(1, 4), MEMBER(to, 0) };
			const uint32_t reference[] = { T(chains[i].kind, 0, 0, 0, to) };
			const uint32_t *from = is_int			    ? number :
					       chains[i].kind == BTF_STRUCT ? record :
									      reference;

			for (uint32_t w = 0; w < btf_record_words(from[BTF_WORD_INFO]); w++)
				array_push(&words, from[w]);
		}
		blob = btf_blob_make(words.data, words.count, strings, N_end);
		ok &= check_blob(&blob, chains[i].rule, chains[i].what);
		btf_blob_release(&blob);
		array_release(&words);
	}
	assert_true(ok);
}

static const uint32_t small[] = { INT4 }; /* 16 bytes */

#define HEADER(bytes, ...) { BTF_MAGIC, BTF_VERSION, __VA_ARGS__, 0, 0 }, bytes

/* What the header says: flags, its bytes, offset and bytes of the types and of the strings. */
static const struct {
	const char *what;
	enum btf_rule rule;
	struct btf_file_header header;
	size_t bytes;
} headers[] = {
	{ "plain", NO_RULE, HEADER(40 + N_end, 0, 24, 0, 16, 16, N_end) },
	{ "flags", BTF_RULE_HEADER_FLAGS, HEADER(40 + N_end, 1, 24, 0, 16, 16, N_end) },
	{ "longer header", NO_RULE, HEADER(48 + N_end, 0, 32, 0, 16, 16, N_end) },
	{ "gap after the header", BTF_RULE_SECTION_GAP,
	  HEADER(44 + N_end, 0, 24, 4, 16, 20, N_end) },
	{ "gap between", BTF_RULE_SECTION_GAP, HEADER(44 + N_end, 0, 24, 0, 16, 20, N_end) },
	{ "gap at the end", BTF_RULE_SECTION_GAP, HEADER(44 + N_end, 0, 24, 0, 16, 16, N_end) },
	{ "overlap", BTF_RULE_SECTION_OVERLAP, HEADER(36 + N_end, 0, 24, 0, 16, 12, N_end) },
	{ "strings first", BTF_RULE_SECTION_ORDER, HEADER(52, 0, 24, 12, 16, 0, 12) },
	{ "strings first, types not aligned", BTF_RULE_SECTION_ALIGN,
	  HEADER(51, 0, 24, 11, 16, 0, 11) },
	{ "no types", BTF_RULE_TYPES_NONE, HEADER(24 + N_end, 0, 24, 0, 0, 0, N_end) },
	{ "no strings", BTF_RULE_STRINGS_SIZE, HEADER(40, 0, 24, 0, 16, 16, 0) },
	{ "last string not terminated", BTF_RULE_STRINGS_END, HEADER(50, 0, 24, 0, 16, 16, 10) },
	{ "16 MiB", NO_RULE, HEADER(BTF_MAX_SIZE, 0, 24, 0, 16, 16, BTF_MAX_SIZE - 40) },
};

TEST(test_header)
{
	bool ok = true;

	for (size_t i = 0; i < LENGTH(headers); i++) {
		size_t wanted = headers[i].header.string_bytes;
		size_t string_bytes = wanted < N_end ? wanted : N_end;
		struct btf_blob blob = btf_blob_place(&headers[i].header, headers[i].bytes, small,
						      4, strings, string_bytes);

		ok &= check_blob(&blob, headers[i].rule, headers[i].what);
		btf_blob_release(&blob);
	}
	assert_true(ok);
}

/* BPF_BTF_LOAD refuses it, kernels take it of modules (make check-system). None booted with it. */
TEST(test_above_16_mib)
{
	static const struct { struct btf_file_header header; size_t bytes; } large = {
		HEADER(BTF_MAX_SIZE + 1, 0, 24, 0, 16, 16, BTF_MAX_SIZE - 39) };
	struct btf_blob blob =
		btf_blob_place(&large.header, large.bytes, small, 4, strings, N_end);
	struct btf_findings findings;
	struct btf_reader btf;

	assert_true(kernel_agrees(&blob, false, "more than 16 MiB"));
	btf_open(&btf, blob.data, blob.bytes, NULL);
	btf_verify(&btf, NULL, &findings);
	assert_int_equal(findings.errors, 0);
	assert_true(findings.count);
	assert_int_equal(findings.data[0].rule, BTF_RULE_BLOB_SIZE);
	btf_findings_release(&findings);
	btf_verify(&btf, &(struct btf_verify_options){ .errors_only = true }, &findings);
	assert_int_equal(findings.count, 0);
	btf_findings_release(&findings);
	btf_verify(&btf, &(struct btf_verify_options){ .dialect = BTF_DIALECT_OBJECT }, &findings);
	assert_int_equal(findings.errors, 1);
	assert_int_equal(findings.data[0].rule, BTF_RULE_OBJECT_SIZE);
	btf_findings_release(&findings);
	btf_reader_release(&btf);
	btf_blob_release(&blob);
}

TEST(test_header_bytes)
{
	struct btf_file_header header = {
		.magic = BTF_MAGIC,
		.version = BTF_VERSION,
		.header_bytes = 40,
		.type_bytes = 16,
		.string_offset = 16,
		.string_bytes = N_end,
	};
	struct btf_blob blob = btf_blob_place(&header, 56 + N_end, small, 4, strings, N_end);

	/* The last byte: later kernels know a header of 32 bytes. */
	blob.data[39] = 1;
	assert_true(check_blob(&blob, BTF_RULE_HEADER_EXTRA, "longer header, not zero"));
	btf_blob_release(&blob);

	blob = btf_blob_make(small, 4, strings, N_end);
	blob.data[40] = 'x';
	assert_true(check_blob(&blob, BTF_RULE_STRINGS_START, "first string not empty"));
	btf_blob_release(&blob);
}

/* The kernel forgets types that it cannot number and accepts the rest: not asked. */
TEST(test_too_many_types)
{
	for (uint32_t count = BTF_TYPE_ID_MAX - 1; count <= BTF_TYPE_ID_MAX; count++) {
		uint32_t *words = memory_zeroed(count, 3 * sizeof(*words));
		struct btf_blob blob;
		enum btf_rule rule;

		for (uint32_t i = 0; i < count; i++)
			words[3 * i + 1] = BLOB_INFO(BTF_PTR, 0, 0);
		blob = btf_blob_make(words, 3 * (size_t)count, "", 1);
		is_good(&blob, &rule);
		assert_int_equal(rule, count < BTF_TYPE_ID_MAX ? NO_RULE : BTF_RULE_TYPES_MAX);
		btf_blob_release(&blob);
		free(words);
	}
}

static void check_warning(const uint32_t *words, size_t count, const char *text, size_t bytes,
			  enum btf_rule wanted, uint32_t id)
{
	struct verified v;
	char line[200];

	verify_words(&v, words, count, text, bytes, NULL, NULL);
	assert_int_equal(v.findings.errors, 0);
	assert_int_equal(v.findings.warnings, wanted == NO_RULE ? 0 : 1);
	if (wanted != NO_RULE) {
		assert_int_equal(v.findings.data[0].rule, wanted);
		assert_int_equal(v.findings.data[0].type_id, id);
		btf_finding_text(&v.btf, &v.findings.data[0], line, sizeof(line));
		assert_non_null(strstr(line, id ? "': warning: " : "warning: "));
		assert_true(id || line == strstr(line, "warning: "));
	}
	verified_release(&v);
}

TEST(test_warnings)
{
	static const uint32_t sorted[] = { PTR(0), T(BTF_FLOAT, 0, 0, 1, 4),
					   T(BTF_FLOAT, 0, 0, 3, 4) };
	static const uint32_t named_first[] = { T(BTF_FLOAT, 0, 0, 1, 4), PTR(0) };
	static const uint32_t descending[] = { T(BTF_FLOAT, 0, 0, 3, 4), T(BTF_FLOAT, 0, 0, 1, 4) };
	static const uint32_t tail[] = { T(BTF_FLOAT, 0, 0, 2, 4) };
	static const uint32_t whole[] = { T(BTF_FLOAT, 0, 0, 1, 4) };

	check_warning(sorted, LENGTH(sorted), "\0a\0b", 5, NO_RULE, 0);
	check_warning(named_first, LENGTH(named_first), "\0a\0b", 5, BTF_RULE_NAMES_UNSORTED, 2);
	check_warning(descending, LENGTH(descending), "\0a\0b", 5, BTF_RULE_NAMES_UNSORTED, 2);
	check_warning(sorted, LENGTH(sorted), "\0a\0a", 5, BTF_RULE_STRING_DUPLICATE, 0);
	check_warning(tail, LENGTH(tail), "\0ab", 4, BTF_RULE_STRING_TAIL, 1);
	check_warning(whole, LENGTH(whole), "\0ab", 4, NO_RULE, 0);
}

/* Once, whatever there is of them. */
TEST(test_loc_kinds)
{
	static const uint32_t words[] = { INLINE_F, LOCSEC(1), 3, 5, 0 };
	const struct btf_verify_options options = { .dialect = BTF_DIALECT_INLINE };
	struct verified v;
	uint32_t count = 0;

	verify_words(&v, words, LENGTH(words), places, sizeof(places), NULL, &options);
	assert_int_equal(v.findings.errors, 0);
	for (size_t i = 0; i < v.findings.count; i++) {
		if (v.findings.data[i].rule == BTF_RULE_LOC_KINDS) {
			assert_int_equal(v.findings.data[i].type_id, 4);
			count++;
		}
	}
	assert_int_equal(count, 1);
	verified_release(&v);
}

struct split_case {
	uint32_t words[24];
	size_t count;
	enum btf_rule rule;
};

/* Each on one base of these words and strings, with a string of its own, of four bytes. */
static void check_splits(const uint32_t *words, size_t count, const char *text, size_t bytes,
			 const struct split_case *splits, size_t split_count, const char *own,
			 const struct btf_verify_options *options)
{
	struct verified base;

	verify_words(&base, words, count, text, bytes, NULL, NULL);
	for (size_t i = 0; i < split_count; i++) {
		struct verified v;
		enum btf_rule rule;

		verify_words(&v, splits[i].words, splits[i].count, own, 4, &base.btf, options);
		rule = first_error(&v.findings);
		if (rule != splits[i].rule)
			fail_msg("split %zu: rule %s instead of %s", i, rule_text(rule),
				 rule_text(splits[i].rule));
		verified_release(&v);
	}
	verified_release(&base);
}

/* .BTF.extra on a .BTF of the other dialect: ids and strings of the base are as good as its own. */
TEST(test_extra_on_base)
{
	static const uint32_t base_words[] = { INLINE_F, LOCSEC(1), 3, 5, 0 };
	static const struct split_case extras[] = {
		{ { LOC(1, 2), P_reg, SITES(2, 16), 3, 0, 2, 3, 8, 8 }, 13, NO_RULE },
		{ { LOC(1, 2), sizeof(places), SITES(1, 16), 3, 0, 8 }, 10, NO_RULE },
		{ { LOC(1, 2), sizeof(places) + 4, SITES(1, 16), 3, 0, 8 }, 10,
		  BTF_RULE_NAME_OFFSET },
		{ { SITES(1, 16), 2, 0, 2 }, 6, BTF_RULE_SITE_FUNC },
		{ { SITES(1, 16), 3, 0, 6 }, 6, BTF_RULE_SITE_LOCATION },
		{ { SITES(1, 16), 9, 0, 0 }, 6, BTF_RULE_SITE_FUNC },
		{ { LOC(2, 2), 0, 0 }, 5, BTF_RULE_LOC_COUNT },
		{ { PTR(4) }, 3, BTF_RULE_REF_KIND },
		{ { PTR(7) }, 3, BTF_RULE_REF_KIND },
	};
	const struct btf_verify_options options = { .dialect = BTF_DIALECT_EXTRA };

	check_splits(base_words, LENGTH(base_words), places, sizeof(places), extras, LENGTH(extras),
		     "%ax", &options);
}

/* Split BTF cannot be given to the kernel this way; our verdict only. */
TEST(test_split)
{
	static const uint32_t base_words[] = {
		INT4,						/* 1 */
		STRUCT(1, 4), MEMBER(1, 0),			/* 2 */
		ARRAY(2, 1, 3),					/* 3 */
		CONST(3),					/* 4 */
		CONST(0),					/* 5 */
		PROTO(1, 0), N_a, 1,				/* 6 */
		FUNC(6),					/* 7 */
		VAR(4),						/* 8 */
	};
	static const struct split_case splits[] = {
		{ { PTR(2), T(BTF_STRUCT, 1, 0, N_end, 4), N_b, 2, 0 }, 9, NO_RULE },
		{ { T(BTF_STRUCT, 1, 0, N_end, 2), N_b, 2, 0 }, 6, BTF_RULE_MEMBER_END },
		{ { T(BTF_STRUCT, 1, 0, N_end, 12), N_b, 4, 0 }, 6, NO_RULE },
		{ { T(BTF_STRUCT, 1, 0, N_end, 11), N_b, 4, 0 }, 6, BTF_RULE_MEMBER_END },
		{ { CONST(4), STRUCT(1, 11), MEMBER(9, 0) }, 9, BTF_RULE_MEMBER_END },
		{ { STRUCT(1, 4), MEMBER(5, 0) }, 6, BTF_RULE_REF_NO_SIZE },
		{ { PTR(5), CONST(5), PTR(7) }, 9, NO_RULE },
		{ { FUNC(6), DECL_TAG(7, 0), DECL_TAG(9, 0) }, 11, NO_RULE },
		{ { DECL_TAG(7, 1) }, 4, BTF_RULE_TAG_COMPONENT },
		{ { DATASEC(1, 20), 8, 0, 12 }, 6, NO_RULE },
		{ { DATASEC(1, 20), 8, 0, 11 }, 6, BTF_RULE_DATASEC_VAR },
		{ { PTR(8) }, 3, BTF_RULE_REF_KIND },
		{ { PTR(10) }, 3, BTF_RULE_REF_MISSING },
		{ { CONST(9) }, 3, BTF_RULE_REF_LOOP },
		{ { T(BTF_STRUCT, 0, 0, N_end + 4, 2) }, 3, BTF_RULE_NAME_OFFSET },
		{ { 0 }, 0, NO_RULE },
	};

	check_splits(base_words, LENGTH(base_words), strings, N_end, splits, LENGTH(splits), "new",
		     NULL);
}

/* What kernels take differs by their release; tests/system_boot.sh asks two. */
TEST(test_releases)
{
	static const struct {
		struct btf_verify_options options;
		uint32_t words[10];
		size_t count;
		enum btf_rule older, newer;
	} of[] = {
		{ { .any_tag_order = true },
		  { INT4, TAG(1), CONST(2) },
		  10,
		  BTF_RULE_TAG_ORDER,
		  NO_RULE },
		{ { .wide_info = true },
		  { T(BTF_FLOAT, 0x10000, 0, N_a, 4) },
		  3,
		  BTF_RULE_INFO_RESERVED,
		  BTF_RULE_VLEN_NONZERO },
		{ { .plain_tags = true },
		  { INT4, T(BTF_TYPE_TAG, 0, 1, N_a, 1) },
		  7,
		  NO_RULE,
		  BTF_RULE_KIND_FLAG },
		{ { .as_module = true }, { 0 }, 0, BTF_RULE_TYPES_NONE, NO_RULE },
	};

	for (size_t i = 0; i < 2 * LENGTH(of); i++) {
		const struct btf_verify_options none = { 0 };
		struct verified v;

		verify_words(&v, of[i / 2].words, of[i / 2].count, strings, N_end, NULL,
			     i % 2 ? &of[i / 2].options : &none);
		assert_int_equal(first_error(&v.findings),
				 i % 2 ? of[i / 2].newer : of[i / 2].older);
		verified_release(&v);
	}
}

/* A finding's text, and that the limit cuts the list but not the counts. */
TEST(test_findings)
{
	static const uint32_t words[] = { INT4, STRUCT(2, 4), N_c, 9, 0, N_b, 0, 0, FLOAT(3) };
	const struct btf_verify_options options = { .limit = 1 };
	struct verified v;
	char line[256];

	verify_words(&v, words, LENGTH(words), strings, N_end, NULL, &options);
	assert_int_equal(v.findings.errors, 2);
	assert_int_equal(v.findings.count, 1);
	btf_finding_text(&v.btf, &v.findings.data[0], line, sizeof(line));
	assert_string_equal(line, "[2] STRUCT 'a': ref-void: the reference must not be void "
				  "(member 2 'b': 0)");
	assert_int_equal(btf_finding_text(&v.btf, &v.findings.data[0], line, 8), 74);
	assert_string_equal(line, "[2] STR");
	verified_release(&v);
}

/* One of everything, as the start for random damage. Ids in the comments. */
static const uint32_t garden[] = {
	INT4,						/* 1 */
	INT(8, 0x00000040),				/* 2 */
	INT(1, 0x04000008),				/* 3 */
	PTR(0),						/* 4 */
	CONST(4),					/* 5 */
	PTR(9),						/* 6 */
	ARRAY(1, 2, 10),				/* 7 */
	T(BTF_VOLATILE, 0, 0, 0, 7),			/* 8 */
	STRUCT(4, 64), MEMBER(1, 0), MEMBER(6, 64), MEMBER(8, 128), MEMBER(13, 448), /* 9 */
	T(BTF_STRUCT, 3, 1, N_b, 16), MEMBER(1, BITS(3, 0)), MEMBER(1, BITS(7, 3)),
	MEMBER(14, BITS(2, 32)),			/* 10 */
	UNION(3, 64), MEMBER(9, 0), MEMBER(10, 0), MEMBER(7, 0), /* 11 */
	T(BTF_RESTRICT, 0, 0, 0, 6),			/* 12 */
	FLOAT(8),					/* 13 */
	ENUM(2, 4), N_b, 1, N_c, 2,			/* 14 */
	T(BTF_ENUM64, 1, 1, N_c, 8), N_b, 1, 2,		/* 15 */
	FWD,						/* 16 */
	PTR(16),					/* 17 */
	TYPEDEF(11),					/* 18 */
	PROTO(3, 1), N_a, 17, N_b, 2, 0, 0,		/* 19 */
	FUNC(19),					/* 20 */
	PTR(19),					/* 21 */
	VAR(18),					/* 22 */
	VAR(21),					/* 23 */
	DATASEC(2, 100), 22, 0, 64, 23, 64, 8,		/* 24 */
	DECL_TAG(20, 1),				/* 25 */
	DECL_TAG(9, 2),					/* 26 */
	DECL_TAG(18, -1),				/* 27 */
	CONST(9),					/* 28 */
	TAG(28),					/* 29 */
	TAG(29),					/* 30 */
	PTR(30),					/* 31 */
	PROTO(1, 31), 0, 5,				/* 32 */
	STRUCT(2, 128), MEMBER(18, 0), MEMBER(34, 512),	/* 33 */
	TYPEDEF(35),					/* 34 */
	ARRAY(36, 1, 2),				/* 35 */
	STRUCT(1, 8), MEMBER(37, 0),			/* 36 */
	PTR(33),					/* 37 */
};

static uint32_t below(uint32_t limit)
{
	static struct random random = { 0x9e3779b97f4a7c15u };

	return (uint32_t)random_below(&random, limit);
}

/* Changes one word of the first `words`: a bit, a small number, a number of another word. */
static void damage(uint32_t *data, uint32_t words)
{
	uint32_t *word = &data[below(words)];

	switch (below(6)) {
	case 0:
	case 1:
		*word ^= 1u << below(32);
		break;
	case 2:
		*word = below(48);
		break;
	case 3:
		*word = data[below(words)];
		break;
	case 4:
		*word += below(17) - 8;
		break;
	default:
		*word ^= below(UINT32_MAX);
		break;
	}
}

/* Counts where verifier and kernel differ. In half of the cases a second word is damaged, too. */
static uint32_t count_differences(const struct btf_blob *good, uint32_t count, uint32_t *rejected)
{
	struct btf_file_header header;
	uint32_t differences = 0;

	memcpy(&header, good->data, sizeof(header));
	*rejected = 0;
	for (uint32_t i = 0; i < count; i++) {
		struct btf_blob blob = { memory_alloc(good->bytes), good->bytes };
		uint32_t *words = (uint32_t *)(void *)blob.data;
		/* Header and types; sometimes the strings, too. */
		size_t bytes = below(8) ? BTF_SHORT_HEADER_BYTES + header.type_bytes
					       : good->bytes;
		uint32_t limit = (uint32_t)bytes / 4;
		char what[32];
		enum btf_rule rule;
		bool verdict;

		memcpy(blob.data, good->data, good->bytes);
		damage(words, limit);
		if (below(2))
			damage(words, limit);
		verdict = is_good(&blob, &rule);
		*rejected += !verdict;
		snprintf(what, sizeof(what), "damage %u", i);
		differences += !kernel_agrees(&blob, verdict, what);
		btf_blob_release(&blob);
	}
	return differences;
}

TEST(test_damage)
{
	struct btf_blob blob = btf_blob_make(garden, LENGTH(garden), strings, N_end);
	uint32_t rejected;

	assert_true(check_blob(&blob, NO_RULE, "one of everything"));
	assert_int_equal(count_differences(&blob, MUTATIONS, &rejected), 0);
	/* Neither all nor nothing, or the test proves nothing. */
	assert_in_range(rejected, MUTATIONS / 4, MUTATIONS - MUTATIONS / 20);
	btf_blob_release(&blob);
}

/* A split BTF on any base, good or damaged, is checked. */
TEST(test_damaged_base)
{
	static const uint32_t words[] = {
		STRUCT(4, 64), MEMBER(18, 0), MEMBER(8, 0), MEMBER(13, 64), MEMBER(34, 64),
		PTR(20), CONST(12), PTR(40), DECL_TAG(20, 1), DATASEC(1, 100), 22, 0, 100,
		PROTO(2, 18), 0, 34, 0, 28, FUNC(19), ARRAY(35, 1, 2), VAR(30), TAG(29),
	};
	struct btf_blob base_blob = btf_blob_make(garden, LENGTH(garden), strings, N_end);
	struct btf_blob blob = btf_blob_make(words, LENGTH(words), "new", 4);
	uint32_t accepted = 0, rejected = 0;

	for (uint32_t i = 0; i < MUTATIONS; i++) {
		struct btf_blob copy = { memory_alloc(base_blob.bytes), base_blob.bytes };
		struct btf_findings findings;
		struct btf_reader base;
		struct btf_reader btf;
		struct error err;

		memcpy(copy.data, base_blob.data, base_blob.bytes);
		damage((uint32_t *)(void *)copy.data, sizeof(garden) / 4 + 6);
		damage((uint32_t *)(void *)copy.data, sizeof(garden) / 4 + 6);
		if (btf_reader_from_memory(&base, copy.data, copy.bytes, "base", NULL, &err)) {
			if (btf_reader_from_memory(&btf, blob.data, blob.bytes, "m", &base, &err)) {
				btf_verify(&btf, NULL, &findings);
				check_findings(&btf, &findings);
				accepted += findings.errors == 0;
				rejected += findings.errors != 0;
				btf_findings_release(&findings);
				btf_reader_release(&btf);
			}
			btf_reader_release(&base);
		}
		btf_blob_release(&copy);
	}
	assert_true(accepted > MUTATIONS / 10 && rejected > MUTATIONS / 20);
	btf_blob_release(&base_blob);
	btf_blob_release(&blob);
}

/* No kernel judges this. */
TEST(test_damaged_sites)
{
	static const uint32_t with_inline[] = { INLINE_G, LOCSEC(3), 3, 5, 0, 3, 6, 8, 8, 9, 4 };
	static const uint32_t with_extra[] = {
		EXTRA_F, LOC(1, 2), P_pair, SITES(3, 16), 3, 0, 2, 3, 8, 4, 3, 8, 5,
		SITES(1, 16), 3, 12, 5,
	};
	const struct btf_blob good[] = {
		btf_blob_make(with_inline, LENGTH(with_inline), places, sizeof(places)),
		btf_blob_make(with_extra, LENGTH(with_extra), places, sizeof(places)),
	};

	uint32_t accepted = 0, rejected = 0;

	for (uint32_t i = 0; i < 2 * MUTATIONS; i++) {
		const struct btf_blob *from = &good[i % 2];
		struct btf_blob blob = { memory_alloc(from->bytes), from->bytes };
		enum btf_dialect dialect = (enum btf_dialect)(i / 2 % 3);
		enum btf_rule rule;

		memcpy(blob.data, from->data, from->bytes);
		damage((uint32_t *)(void *)blob.data, (uint32_t)from->bytes / 4);
		damage((uint32_t *)(void *)blob.data, (uint32_t)from->bytes / 4);
		if (find_rule(&blob, dialect, &rule)) {
			accepted += rule == NO_RULE;
			rejected += rule != NO_RULE;
		}
		btf_blob_release(&blob);
	}
	assert_true(accepted > MUTATIONS / 20 && rejected > MUTATIONS);
	for (int i = 0; i < 2; i++) {
		struct btf_blob blob = good[i];

		btf_blob_release(&blob);
	}
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static double measure(const struct btf_reader *btf, bool errors_only, uint64_t *errors)
{
	const struct btf_verify_options options = { .errors_only = errors_only };
	double best = 1e9;

	for (int round = 0; round < 10; round++) {
		struct btf_findings findings;
		double start = now();

		btf_verify(btf, &options, &findings);
		if (now() - start < best)
			best = now() - start;
		*errors = findings.errors;
		btf_findings_release(&findings);
	}
	return best * 1e3;
}

static int run_on_file(const char *path, uint32_t count)
{
	struct btf_reader btf;
	struct btf_blob blob;
	struct error err;
	uint64_t errors;
	uint32_t rejected;
	uint32_t differences;

	fill_strings();
	if (!btf_reader_open(&btf, path, NULL, NULL, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	printf("verify: %.2f ms, ", measure(&btf, false, &errors));
	printf("without warnings %.2f ms; %u types, %zu bytes, %llu errors\n",
	       measure(&btf, true, &errors), btf.type_count, btf.data_bytes,
	       (unsigned long long)errors);
	blob = (struct btf_blob){ memory_alloc(btf.data_bytes), btf.data_bytes };
	memcpy(blob.data, btf.data, btf.data_bytes);
	differences = count_differences(&blob, count, &rejected);
	printf("damage: %u times, %u rejected, %u differences\n", count, rejected, differences);
	btf_blob_release(&blob);
	btf_reader_release(&btf);
	return differences != 0;
}

static int setup(void **state)
{
	(void)state;
	fill_strings();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return run_on_file(argv[1], argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 0);
	return test_list_run(setup, NULL);
}
