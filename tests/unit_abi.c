/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The calling conventions, case by case; tests/abi.sh compares them with compilers.
 *
 * Types are written as c s i l q (integers of 1, 2, 4, 8, 16 bytes), f d D (floats of 4, 8, 16), V
 * (a vector of 16), F and C (complex float and double), v (void), or, for a record, as
 * "size/alignment:members": "16/8:l0,i8" is struct { long; int; }. In front of it: u union, w
 * wrapper of one scalar, o odd part, x array of no length; "16/16n8" has a natural alignment of 8.
 *
 * Outcomes are written as "result | parameters": "di+si" registers, "[8]" the stack, "a7+[0]" both,
 * "*di" a copy's address, "-" nowhere; "mem(di)" is a result in memory with the register that has
 * its address, "->ax" where it is again on return; "?" what is refused. #17 is a register that has
 * no name. Parameters that begin with "! " are those of a compiler that keeps an __int128 whole.
 */
#include "tests/cmocka_all.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/abi/abi.h"

#define MAX_PARAMETERS 16
#define MAX_LEAVES     40

/* ---- types from text ---- */

struct typed {
	struct abi_type type;
	struct abi_leaf leaves[MAX_LEAVES];
};

static void add_leaf(struct typed *out, char letter, uint32_t offset)
{
	static const struct {
		char letter;
		uint8_t class, bytes;
	} rows[] = {
		{ 'c', ABI_INTEGER, 1 }, { 's', ABI_INTEGER, 2 }, { 'i', ABI_INTEGER, 4 },
		{ 'l', ABI_INTEGER, 8 }, { 'q', ABI_INTEGER, 16 }, { 'f', ABI_FLOAT, 4 },
		{ 'd', ABI_FLOAT, 8 }, { 'D', ABI_FLOAT, 16 }, { 'V', ABI_VECTOR, 16 },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		if (rows[i].letter != letter)
			continue;
		out->leaves[out->type.leaf_count++] =
			(struct abi_leaf){ offset, rows[i].bytes, rows[i].class, false };
		return;
	}
	fail_msg("no scalar '%c'", letter);
}

static void parse_record(struct typed *out, const char *text)
{
	struct abi_type *type = &out->type;
	char *end;

	type->is_record = true;
	for (; strchr("uwox", *text); text++) {
		type->is_union |= *text == 'u';
		type->is_wrapper |= *text == 'w';
		type->has_odd_part |= *text == 'o';
		type->is_variable |= *text == 'x';
	}
	type->size_bytes = strtoul(text, &end, 10);
	type->alignment_bytes = type->natural_bytes = (uint32_t)strtoul(end + 1, &end, 10);
	if (*end == 'n')
		type->natural_bytes = (uint32_t)strtoul(end + 1, &end, 10);
	while (*end && *end != ' ') {
		char letter = end[1];

		add_leaf(out, letter, (uint32_t)strtoul(end + 2, &end, 10));
	}
	type->leaves = type->leaf_count ? out->leaves : NULL;
}

static void parse_type(struct typed *out, const char *text)
{
	struct abi_type *type = &out->type;

	memset(out, 0, sizeof(*out));
	type->alignment_bytes = type->natural_bytes = 1;
	if (text[1] && text[1] != ' ') {
		parse_record(out, text);
		return;
	}
	if (*text == 'v')
		return;
	type->leaves = out->leaves;
	type->is_complex = *text == 'F' || *text == 'C';
	add_leaf(out, *text == 'F' ? 'f' : *text == 'C' ? 'd' : *text, 0);
	if (type->is_complex)
		add_leaf(out, *text == 'F' ? 'f' : 'd', out->leaves[0].size_bytes);
	type->size_bytes = type->leaf_count * out->leaves[0].size_bytes;
	type->alignment_bytes = type->natural_bytes = out->leaves[0].size_bytes;
}

/* ---- places as text ---- */

static void print_registers(FILE *out, const struct abi *abi, const struct abi_location *place)
{
	for (uint32_t i = 0; i < place->register_count; i++) {
		const char *name = abi_register_name(abi, place->registers[i]);

		fprintf(out, "%s", i ? "+" : "");
		if (name)
			fprintf(out, "%s", name);
		else
			fprintf(out, "#%u", place->registers[i]);
	}
}

static void print_place(FILE *out, const struct abi *abi, const struct abi_location *place)
{
	if (place->kind == ABI_NOWHERE)
		fprintf(out, "-");
	if (place->kind == ABI_REFERENCE || place->kind == ABI_REFERENCE_STACK)
		fprintf(out, "*");
	print_registers(out, abi, place);
	if (place->kind == ABI_SPLIT)
		fprintf(out, "+");
	if (place->kind == ABI_STACK || place->kind == ABI_SPLIT ||
	    place->kind == ABI_REFERENCE_STACK)
		fprintf(out, "[%d]", place->stack_offset);
}

static void print_call(FILE *out, const struct abi *abi, const struct abi_call *call,
		       const struct abi_location *places, uint32_t count)
{
	if (call->has_result_address) {
		assert_int_equal(call->result.kind, ABI_REFERENCE);
		fprintf(out, "mem(");
		print_place(out, abi, &call->result_address);
		fprintf(out, ")%s", call->result.register_count ? "->" : "");
		print_registers(out, abi, &call->result);
	} else {
		print_place(out, abi, &call->result);
	}
	fprintf(out, " |");
	for (uint32_t i = 0; i < count; i++) {
		fprintf(out, " ");
		print_place(out, abi, &places[i]);
	}
}

/* ---- cases ---- */

struct abi_case {
	const char *what;
	const char *result;
	const char *parameters;	/* ends with "...": variadic */
	const char *wanted;
};

static void run_case(const struct abi *abi, const struct abi_case *c)
{
	static struct typed typed[MAX_PARAMETERS + 1];
	struct abi_type types[MAX_PARAMETERS];
	struct abi_location places[MAX_PARAMETERS];
	struct abi_prototype prototype = { .result = &typed[MAX_PARAMETERS].type,
					   .parameters = types };
	struct abi_call call;
	size_t bytes;
	char *text;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	parse_type(&typed[MAX_PARAMETERS], c->result);
	for (const char *p = c->parameters; *p; p += strcspn(p, " "), p += *p == ' ') {
		if (*p == '!') {
			prototype.is_int128_whole = true;
			continue;
		}
		if (strcmp(p, "...") == 0) {
			prototype.is_variadic = true;
			continue;
		}
		parse_type(&typed[prototype.parameter_count], p);
		types[prototype.parameter_count] = typed[prototype.parameter_count].type;
		prototype.parameter_count++;
	}
	if (abi_assign(abi, &prototype, &call, places))
		print_call(out, abi, &call, places, prototype.parameter_count);
	else
		fprintf(out, "?");
	fclose(out);
	if (strcmp(text, c->wanted) != 0)
		fail_msg("%s, %s: (%s) is at %s, wanted %s", abi->name, c->what, c->parameters,
			 text, c->wanted);
	free(text);
}

static void run_cases(uint16_t machine, uint8_t address_bytes, bool big_endian,
		      const struct abi_case *cases, size_t count)
{
	const struct abi *abi = abi_find(machine, address_bytes, big_endian);

	assert_non_null(abi);
	for (size_t i = 0; i < count; i++)
		run_case(abi, &cases[i]);
}

#define RUN(machine, address_bytes, big_endian, cases)                                             \
	run_cases(machine, address_bytes, big_endian, cases, LENGTH(cases))

static const struct abi_case x86_64_cases[] = {
	{ "seven integers", "i", "c s i l i l i", "ax | di si dx cx r8 r9 [8]" },
	{ "nothing", "v", "", "- |" },
	{ "a parameter of no type", "v", "i v", "?" },
	{ "two eightbytes", "q", "i 16/8:l0,i8 l", "ax+dx | di si+dx cx" },
	{ "a result of 16 bytes", "16/8:l0,l8", "i", "ax+dx | di" },
	{ "a result of 17", "17/1:c0,c16", "i", "mem(di)->ax | si" },
	{ "a struct of 24", "v", "24/8:l0,l8,l16 l", "- | [8] di" },
	{ "a struct that does not fit leaves the register", "v", "l l l l l 16/8:l0,l8 l",
	  "- | di si dx cx r8 [8] r9" },
	{ "__int128 with two left", "v", "l l l l q l", "- | di si dx cx r8+r9 [8]" },
	{ "__int128 with one left: clang before 21", "v", "l l l l l q", "?" },
	{ "__int128 with one left", "v", "! l l l l l q l", "- | di si dx cx r8 [8] r9" },
	{ "__int128 with one left is aligned to 16", "v", "! l l l l l 24/8:l0,l8,l16 q l",
	  "- | di si dx cx r8 [8] [40] r9" },
	{ "__int128 with none left is aligned to 16", "v", "l l l l l l l q",
	  "- | di si dx cx r8 r9 [8] [24]" },
	{ "floats among integers", "d", "i f l d", "#17 | di #17 si #18" },
	{ "integer and float in one eightbyte", "v", "8/4:f0,i4 d", "- | di #17" },
	{ "one eightbyte each", "16/8:d0,l8", "16/8:l0,d8", "#17+ax | di+#17" },
	{ "two floats in one eightbyte", "v", "8/4:f0,f4 12/4:f0,f4,f8", "- | #17 #18+#19" },
	{ "long double", "D", "D i", "#33 | [8] di" },
	{ "complex", "F", "F C", "#17 | #17 #18+#19" },
	{ "complex results", "C", "", "#17+#18 |" },
	{ "a vector", "V", "V", "#17 | #17" },
	{ "union of integer and float", "v", "u8/8:l0,d0", "- | di" },
	{ "union of long double and integer", "v", "u16/16:D0,i0", "- | [8]" },
	{ "packed, in place", "v", "5/1:i0,c4", "- | di" },
	{ "packed, out of place", "v", "5/1:c0,i1", "- | [8]" },
	{ "aligned to 32, of its own", "v", "l l l l l l l 32/32n8:l0",
	  "- | di si dx cx r8 r9 [8] [40]" },
	{ "aligned to 16, on the stack", "v", "l l l l l l l 32/16:l0",
	  "- | di si dx cx r8 r9 [8] [24]" },
	{ "the second half is padding", "v", "16/16:l0 l", "- | di si" },
	{ "an empty struct", "0/1", "0/1 l", "- | - di" },
	{ "an array of no length", "v", "x4/4:i0", "?" },
	{ "variadic", "i", "i l ...", "ax | di si" },
};

static const struct abi_case i386_cases[] = {
	{ "four integers", "i", "i c s i", "ax | ax dx cx [4]" },
	{ "64 bits", "l", "i l i", "ax+dx | ax dx+cx [4]" },
	{ "64 bits with one register left: it is lost", "v", "i i l i", "- | ax dx [4] [12]" },
	{ "a struct of three words", "v", "12/4:i0,i4,i8 i", "- | ax+dx+cx [4]" },
	{ "a struct of four words", "v", "16/4:i0,i4,i8,i12 i", "- | [4] [20]" },
	{ "a small struct", "4/4:i0", "3/1:c0,c1,c2 i", "ax | ax dx" },
	{ "a result of 3 bytes", "3/1:c0,c1,c2", "i", "mem(ax)->ax | dx" },
	{ "a result with an odd part", "o4/1:c0,c1,c2,c3", "i", "mem(ax)->ax | dx" },
	{ "a result of 8 bytes", "8/4:i0,i4", "i", "ax+dx | ax" },
	{ "variadic", "i", "i i ...", "ax | [4] [8]" },
	{ "variadic with a result in memory", "12/4:i0,i4,i8", "i ...", "mem([4])->ax | [8]" },
	{ "floating point", "v", "f", "?" },
	{ "aligned to 16", "v", "16/16:i0", "?" },
	{ "an empty struct", "v", "0/1 i", "- | - ax" },
	{ "an empty result", "0/1", "i", "?" },
};

static const struct abi_case arm64_cases[] = {
	{ "nine integers", "i", "i i i i i i i i c", "x0 | x0 x1 x2 x3 x4 x5 x6 x7 [0]" },
	{ "a struct of 16", "16/8:l0,l8", "i 16/8:l0,l8 i", "x0+x1 | x0 x1+x2 x3" },
	{ "a struct of 17", "17/1:c0,c16", "17/1:c0,c16 i", "mem(x8) | *x0 x1" },
	{ "__int128 begins at an even register", "q", "i q i", "x0+x1 | x0 x2+x3 x4" },
	{ "what does not fit closes the registers", "v", "i i i i i i i 16/8:l0,l8 i",
	  "- | x0 x1 x2 x3 x4 x5 x6 [0] [16]" },
	{ "__int128 on the stack", "v", "i i i i i i i i i q",
	  "- | x0 x1 x2 x3 x4 x5 x6 x7 [0] [16]" },
	{ "a reference on the stack", "v", "i i i i i i i i 24/8:l0,l8,l16",
	  "- | x0 x1 x2 x3 x4 x5 x6 x7 *[0]" },
	{ "four floats", "16/4:f0,f4,f8,f12", "i 16/4:f0,f4,f8,f12 d",
	  "#64+#65+#66+#67 | x0 #64+#65+#66+#67 #68" },
	{ "five floats", "v", "20/4:f0,f4,f8,f12,f16 d", "- | *x0 #64" },
	{ "float and int", "v", "8/4:f0,i4 f", "- | x0 #64" },
	{ "float and double", "v", "16/8:f0,d8", "- | x0+x1" },
	{ "homogeneous, too few registers left", "v", "d d d d d d 24/8:d0,d8,d16 d",
	  "- | #64 #65 #66 #67 #68 #69 [0] [24]" },
	{ "complex", "C", "F", "#64+#65 | #64+#65" },
	{ "long double", "D", "D", "#64 | #64" },
	{ "union of float and float[2]", "v", "u8/4:f0,f0,f4", "- | #64+#65" },
	{ "an empty struct", "v", "0/1 i", "- | - x0" },
	{ "its own alignment does not count", "v", "i 16/16n8:l0,l8 i", "- | x0 x1+x2 x3" },
	{ "that of a member does", "v", "i 16/16:i0 i", "- | x0 x2+x3 x4" },
	{ "variadic", "i", "i d ...", "x0 | x0 #64" },
};

static const struct abi_case arm_cases[] = {
	{ "five integers", "i", "i c s i i", "r0 | r0 r1 r2 r3 [0]" },
	{ "64 bits begin at an even register", "l", "i l i", "r0+r1 | r0 r2+r3 [0]" },
	{ "64 bits on the stack", "v", "i i i l i", "- | r0 r1 r2 [0] [8]" },
	{ "64 bits after a word on the stack", "v", "i i i i i l", "- | r0 r1 r2 r3 [0] [8]" },
	{ "a struct in two parts", "v", "i i 16/4:i0,i4,i8,i12 i", "- | r0 r1 r2+r3+[0] [8]" },
	{ "no parts once the stack is in use", "v", "i i i l 8/4:i0,i4", "- | r0 r1 r2 [0] [8]" },
	{ "a struct of 4", "4/4:i0", "i", "r0 | r0" },
	{ "a struct of 5", "8/4:i0,c4", "i", "mem(r0) | r1" },
	{ "a float and a double", "d", "f d", "r0+r1 | r0 r2+r3" },
	{ "an empty struct", "v", "0/1 i", "- | - r0" },
	{ "its own alignment does not count", "v", "i 8/8n4:i0,i4 i", "- | r0 r1+r2 r3" },
	{ "that of a member does", "v", "i 8/8:i0 i", "- | r0 r2+r3 [0]" },
};

static const struct abi_case s390x_cases[] = {
	{ "six integers", "l", "i l c s l i", "r2 | r2 r3 r4 r5 r6 [164]" },
	{ "a char on the stack", "v", "l l l l l c s", "- | r2 r3 r4 r5 r6 [167] [174]" },
	{ "structs of 8 and 3", "v", "8/4:i0,i4 3/1:c0,c1,c2", "- | r2 *r3" },
	{ "a struct as result", "8/8:l0", "i", "mem(r2) | r3" },
	{ "__int128", "q", "q i", "mem(r2) | *r3 r4" },
	{ "a reference on the stack", "v", "l l l l l 16/8:l0,l8", "- | r2 r3 r4 r5 r6 *[160]" },
	{ "five floats", "d", "f d f d f i", "#16 | #16 #17 #18 #19 [164] r2" },
	{ "a struct of one float", "v", "w4/4:f0 i", "- | #16 r2" },
	{ "a struct of one array of one float", "v", "4/4:f0 i", "- | r2 r3" },
	{ "a union of one float", "v", "u4/4:f0", "- | r2" },
	{ "complex", "F", "F", "mem(r2) | *r3" },
	{ "an empty struct", "v", "0/1 i", "- | *r2 r3" },
	{ "a vector", "v", "V", "?" },
};

static const struct abi_case ppc64le_cases[] = {
	{ "nine integers", "i", "i i i i i i i i c",
	  "gpr3 | gpr3 gpr4 gpr5 gpr6 gpr7 gpr8 gpr9 gpr10 [96]" },
	{ "a struct in two parts", "v", "l l l l l l l 16/8:l0,l8 l",
	  "- | gpr3 gpr4 gpr5 gpr6 gpr7 gpr8 gpr9 gpr10+[96] [104]" },
	{ "a struct of 40 is not passed by reference", "v", "40/8:l0,l8,l16,l24,l32 i",
	  "- | gpr3+gpr4+gpr5+gpr6+gpr7 gpr8" },
	{ "a result of 16", "16/8:l0,l8", "i", "gpr3+gpr4 | gpr3" },
	{ "a result of 24", "24/8:l0,l8,l16", "i", "mem(gpr3) | gpr4" },
	{ "floats leave their doublewords empty", "d", "i d i f i",
	  "#33 | gpr3 #33 gpr5 #34 gpr7" },
	{ "homogeneous", "24/8:d0,d8,d16", "24/8:d0,d8,d16 i", "#33+#34+#35 | #33+#34+#35 gpr6" },
	{ "homogeneous, aligned to 16", "v", "i 16/16:d0,d8 i", "- | gpr3 #33+#34 gpr6" },
	{ "aligned to 16", "v", "i 16/16:l0,l8 i", "- | gpr3 gpr5+gpr6 gpr7" },
	{ "nine floats", "v", "36/4:f0,f4,f8,f12,f16,f20,f24,f28,f32 i",
	  "- | gpr3+gpr4+gpr5+gpr6+gpr7 gpr8" },
	{ "float and int", "v", "8/4:f0,i4", "- | gpr3" },
	{ "complex float takes two doublewords", "v", "F i", "- | #33+#34 gpr5" },
	{ "__int128 is not aligned, a struct of it is", "q", "i q", "gpr3+gpr4 | gpr3 gpr4+gpr5" },
	{ "a struct of __int128", "v", "i 16/16:q0 i", "- | gpr3 gpr5+gpr6 gpr7" },
	{ "a vector", "V", "i V i", "#79 | gpr3 #79 gpr7" },
	{ "long double", "v", "D", "?" },
	{ "an empty struct", "0/1", "0/1 i", "- | - gpr3" },
	{ "an empty struct that is aligned moves the next", "v", "i 0/16 i", "- | gpr3 - gpr5" },
};

static const struct abi_case riscv64_cases[] = {
	{ "nine integers", "i", "i i i i i i i i c", "a0 | a0 a1 a2 a3 a4 a5 a6 a7 [0]" },
	{ "pairs need not begin at an even register", "q", "i q i", "a0+a1 | a0 a1+a2 a3" },
	{ "the last register and the stack", "v", "i i i i i i i 16/8:l0,l8 i",
	  "- | a0 a1 a2 a3 a4 a5 a6 a7+[0] [8]" },
	{ "a struct of 24", "24/8:l0,l8,l16", "24/8:l0,l8,l16", "mem(a0) | *a1" },
	{ "aligned to 16 on the stack", "v", "l l l l l l l l l q",
	  "- | a0 a1 a2 a3 a4 a5 a6 a7 [0] [16]" },
	{ "floats are integers", "d", "f d 8/4:f0,f4", "a0 | a0 a1 a2" },
	{ "a reference on the stack", "v", "l l l l l l l l 24/8:l0,l8,l16",
	  "- | a0 a1 a2 a3 a4 a5 a6 a7 *[0]" },
	{ "its own alignment counts", "v", "l l l l l l l l l 16/16n8:l0,l8",
	  "- | a0 a1 a2 a3 a4 a5 a6 a7 [0] [16]" },
	{ "an empty struct", "v", "0/1 i", "- | - a0" },
	{ "an empty struct that is aligned: GCC aligns the stack", "v", "0/16 i", "?" },
};

static const struct abi_case loongarch64_cases[] = {
	{ "nine integers", "i", "i i i i i i i i c", "r4 | r4 r5 r6 r7 r8 r9 r10 r11 [0]" },
	{ "the last register and the stack", "v", "i i i i i i i q",
	  "- | r4 r5 r6 r7 r8 r9 r10 r11+[0]" },
	{ "a struct of 24", "24/8:l0,l8,l16", "24/8:l0,l8,l16", "mem(r4) | *r5" },
	{ "two words", "16/8:l0,l8", "", "r4+r5 |" },
};

#define CASES_TEST(name, ...)                                                                      \
	TEST(test_##name)                                                                          \
	{                                                                                          \
		RUN(__VA_ARGS__, name##_cases);                                                    \
	}

CASES_TEST(x86_64, EM_X86_64, 8, false)
CASES_TEST(i386, EM_386, 4, false)
CASES_TEST(arm64, EM_AARCH64, 8, false)
CASES_TEST(arm, EM_ARM, 4, false)
CASES_TEST(s390x, EM_S390, 8, true)
CASES_TEST(ppc64le, EM_PPC64, 8, false)
CASES_TEST(riscv64, EM_RISCV, 8, false)
CASES_TEST(loongarch64, 258, 8, false)

/* ---- which convention ---- */

TEST(test_find)
{
	static const struct {
		uint16_t machine;
		uint8_t address_bytes;
		bool big_endian;
		const char *name;	/* NULL: none */
	} rows[] = {
		{ EM_X86_64, 8, false, "x86-64" },
		{ EM_X86_64, 4, false, NULL },	/* x32 */
		{ EM_386, 4, false, "i386" },
		{ EM_AARCH64, 8, true, NULL },
		{ EM_ARM, 4, true, NULL },
		{ EM_S390, 8, true, "s390x" },
		{ EM_S390, 4, true, NULL },
		{ EM_PPC64, 8, true, NULL },
		{ EM_PPC64, 8, false, "ppc64le" },
		{ EM_RISCV, 4, false, NULL },
		{ EM_MIPS, 4, true, NULL },
	};

	for (size_t i = 0; i < LENGTH(rows); i++) {
		const struct abi *abi = abi_find(rows[i].machine, rows[i].address_bytes,
						 rows[i].big_endian);

		assert_int_equal(!abi, !rows[i].name);
		if (abi)
			assert_string_equal(abi->name, rows[i].name);
	}
}

/* Each argument register and the stack pointer have names, as the tables promise. */
TEST(test_tables)
{
	static const uint16_t machines[] = { EM_X86_64, EM_386, EM_AARCH64, EM_ARM, EM_S390,
					     EM_PPC64, EM_RISCV, 258 };

	for (size_t i = 0; i < LENGTH(machines); i++) {
		const struct abi *abi = abi_find(machines[i], 8, machines[i] == EM_S390);

		if (!abi)
			abi = abi_find(machines[i], 4, false);
		assert_non_null(abi);
		for (uint32_t k = 0; k < abi->argument_register_count; k++)
			assert_non_null(abi_register_name(abi, abi->argument_registers[k]));
		assert_non_null(abi_register_name(abi, abi->stack_register));
		assert_null(abi_register_name(abi, 200));
	}
}

/* Offsets that do not fit are refused, not wrapped. */
TEST(test_huge)
{
	static const struct abi_case cases[] = {
		{ "2 GiB", "v", "2147483648/8 i", "?" },
		{ "1 GiB, twice", "v", "1073741824/8 1073741824/8 i", "- | [8] [1073741832] di" },
		{ "1 GiB, three times", "v", "1073741824/8 1073741824/8 1073741824/8", "?" },
	};

	RUN(EM_X86_64, 8, false, cases);
}
