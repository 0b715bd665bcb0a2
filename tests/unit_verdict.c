/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Verdicts of small images that are written in memory: what the symbols, the locations and the
 * declaration of one function say, each case with its neighbour. (What callers and instructions
 * say needs code: tests/traps.sh, tests/truth.)
 */
#include "tests/cmocka_all.h"

#include <gelf.h>
#include <string.h>

#include "tests/dwarf_blob.h"
#include "tests/encode_blob.h"

#define ENTRY 0x1100

enum { INT = 1, STRUCT, ARRAY, ABSTRACT };

/* Expressions: rdi is register 5, rsi 4, rdx 1, rbx 3. */
#define RDI	   "\x55"
#define RSI	   "\x54"
#define RDX	   "\x51"
#define RBX	   "\x53"
#define CALLERS	   "\x91\x00"		/* fbreg 0: the CFA, where arguments on the stack begin */
#define OWN	   "\x91\x6c"		/* fbreg -20: the function's own frame */
#define REMOVED	   "\xfa\x01\x00\x00\x00\x9f"	/* GNU_parameter_ref, stack_value */
#define SEVEN	   "\x37\x9f"		/* lit7, stack_value */
#define POINTED_TO "\xa0\x01\x00\x00\x00\x00"	/* implicit_pointer */

#define GCC   "GNU C11 12.2.0 -O2"
#define CLANG "clang version 22.1.8"

struct parameter {
	const char *location;	/* an expression; NULL: none */
	bool in_list;		/* it is the entry of a list that covers the function's entry */
	bool is_flexible;	/* a struct with a flexible array, by value */
	bool has_constant;	/* DW_AT_const_value */
};

struct row {
	const char *what;
	const char *producer;
	const char *symbol;	/* NULL: there is none */
	struct parameter a, b;
	enum verdict verdict;
	uint8_t convention;	/* DW_AT_calling_convention, 0: not said */
};

#define IN(where)   { .location = where }
#define LIST(where) { .location = where, .in_list = true }

static const struct row rows[] = {
	{ "all is as it should be", GCC, "f", IN(RDI), IN(RSI), VERDICT_OK, 0 },
	{ "the same from clang", CLANG, "f", IN(RDI), IN(RSI), VERDICT_OK, 0 },
	{ "no location, and no calls", CLANG, "f", IN(NULL), IN(NULL), VERDICT_OK, 0 },

	{ "exchanged", CLANG, "f", IN(RSI), IN(RDI), VERDICT_REORDERED, 0 },
	{ "exchanged, by lists", GCC, "f", LIST(RSI), LIST(RDI), VERDICT_REORDERED, 0 },
	{ "a lone expression of GCC's", GCC, "f", IN(RSI), IN(RDI), VERDICT_OK, 0 },
	{ "another register", CLANG, "f", IN(RDI), IN(RDX), VERDICT_REG_MISMATCH, 0 },
	{ "another register, by a list", GCC, "f", LIST(RDI), LIST(RDX), VERDICT_REG_MISMATCH, 0 },
	{ "where it is kept", CLANG, "f", IN(RDI), IN(RBX), VERDICT_OK, 0 },
	{ "a register of a convention of its own", CLANG, "f", IN(RDI), LIST(RBX),
	  VERDICT_REG_MISMATCH, 0 },
	{ "a list of GCC's, not an argument's", GCC, "f", IN(RDI), LIST(RBX), VERDICT_OK, 0 },
	{ "on the stack instead", GCC, "f", IN(CALLERS), IN(RSI), VERDICT_STACK_LAYOUT, 0 },
	{ "in the function's frame", GCC, "f", IN(OWN), IN(RSI), VERDICT_OK, 0 },

	{ "DW_CC_nocall", CLANG, "f", IN(RDI), IN(RSI), VERDICT_SIGNATURE_CHANGED, DW_CC_nocall },
	{ "DW_CC_normal", CLANG, "f", IN(RDI), IN(RSI), VERDICT_OK, DW_CC_normal },
	{ "preserves most registers", CLANG, "f", IN(RDI), IN(RSI), VERDICT_OK, 0xc9 },
	{ "vectorcall", CLANG, "f", IN(RDI), IN(RSI), VERDICT_SIGNATURE_CHANGED, 0xc0 },
	{ "nocall, and a constant", CLANG, "f", IN(RDI), { .has_constant = true },
	  VERDICT_PARAM_CONSTANT, DW_CC_nocall },

	{ "a struct that no two compilers agree on", CLANG, "f", IN(RDI),
	  { .location = RSI, .is_flexible = true }, VERDICT_UNKNOWN_LAYOUT, 0 },
	{ "the same from GCC", GCC, "f", IN(RDI), { .location = RSI, .is_flexible = true },
	  VERDICT_OK, 0 },

	{ "a copy", GCC, "f.isra.0", IN(RDI), IN(RSI), VERDICT_CLONE, 0 },
	{ "a copy, one is gone", GCC, "f.isra.0", IN(RDI), IN(REMOVED), VERDICT_PARAM_REMOVED, 0 },
	{ "a copy, a constant", GCC, "f.constprop.0", IN(RDI), { .has_constant = true },
	  VERDICT_PARAM_CONSTANT, 0 },
	{ "a copy, a constant by location", GCC, "f.constprop.0", IN(RDI), IN(SEVEN),
	  VERDICT_PARAM_CONSTANT, 0 },
	{ "a copy, a pointer is gone", GCC, "f.isra.0", IN(RDI), IN(POINTED_TO),
	  VERDICT_PARAM_SCALARIZED, 0 },
	{ "without a suffix that is only unread", GCC, "f", IN(RDI), { .has_constant = true },
	  VERDICT_OK, 0 },
	{ "a promoted static", GCC, "f.lto_priv.0", IN(RDI), IN(RSI), VERDICT_RENAMED, 0 },
	{ "the same of ThinLTO", CLANG, "f.llvm.12", IN(RDI), IN(RSI), VERDICT_RENAMED, 0 },
	{ "a namesake of full LTO", CLANG, "f.1", IN(RDI), IN(RSI), VERDICT_RENAMED, 0 },
	{ "renamed, and one is elsewhere", CLANG, "f.llvm.12", IN(RDI), IN(RDX),
	  VERDICT_REG_MISMATCH, 0 },
	{ "an outlined fragment", GCC, "f.part.0", IN(RDI), IN(RSI), VERDICT_PARTIAL, 0 },
	{ "the unlikely paths", GCC, "f.cold", IN(RDI), IN(RSI), VERDICT_COLD, 0 },
	{ "a fragment's unlikely paths", GCC, "f.part.0.cold", IN(RDI), IN(RSI), VERDICT_COLD, 0 },
	{ "another symbol", GCC, "g", IN(RDI), IN(RSI), VERDICT_NO_SYMBOL, 0 },
	{ "no symbol", GCC, NULL, IN(RDI), IN(RSI), VERDICT_NO_SYMBOL, 0 },
};

static void add_types(struct dwarf_blob *b)
{
	DIE(b, INT, DW_TAG_base_type, NAME("int"), SIZE(4), ENCODING(DW_ATE_signed));
	OPEN(b, ARRAY, DW_TAG_array_type, TYPE(INT));
	DIE(b, 0, DW_TAG_subrange_type);
	CLOSE(b);
	OPEN(b, STRUCT, DW_TAG_structure_type, NAME("flexible"), SIZE(4));
	DIE(b, 0, DW_TAG_member, NAME("count"), TYPE(INT), AT(0));
	DIE(b, 0, DW_TAG_member, NAME("rest"), TYPE(ARRAY), AT(4));
	CLOSE(b);
}

/* A list of one entry, [ENTRY, ENTRY + 16); returns its offset in .debug_loclists. */
static uint64_t add_list(struct dwarf_blob *b, const char *expression, size_t length)
{
	blob_bytes *lists = &b->sections[SECTION_LOCLISTS];
	uint64_t offset;

	if (!lists->count)
		blob_put(lists, "\0\0\0\0\0\0\0\0\0\0\0\0", 12);
	offset = lists->count;
	blob_put_number(b, lists, DW_LLE_start_length, 1);
	blob_put_number(b, lists, ENTRY, 8);
	blob_put_uleb(lists, 16);
	blob_put_uleb(lists, length);
	blob_put(lists, expression, length);
	blob_put_number(b, lists, DW_LLE_end_of_list, 1);
	return offset;
}

/* Zeros end a C string, and some expressions have them: their length by their first byte. */
static size_t length_of(const char *expression)
{
	switch ((uint8_t)*expression) {
	case 0x91: return 2;
	case DW_OP_GNU_parameter_ref:
	case DW_OP_implicit_pointer: return 6;
	default: return strlen(expression);
	}
}

static void add_parameter(struct dwarf_blob *b, const char *name,
			  const struct parameter *parameter)
{
	struct blob_attr attrs[4] = { NAME(name), TYPE(parameter->is_flexible ? STRUCT : INT) };

	if (parameter->location && parameter->in_list)
		attrs[2] = (struct blob_attr)ATTR(
			DW_AT_location, DW_FORM_sec_offset,
			add_list(b, parameter->location, length_of(parameter->location)));
	else if (parameter->location)
		attrs[2] = (struct blob_attr){ .attribute = DW_AT_location,
					       .form = DW_FORM_exprloc,
					       .value = length_of(parameter->location),
					       .text = parameter->location };
	else if (parameter->has_constant)
		attrs[2] = (struct blob_attr)ATTR(DW_AT_const_value, DW_FORM_data1, 7);
	dwarf_blob_die(b, 0, DW_TAG_formal_parameter, false, attrs);
}

static void add_unit(struct dwarf_blob *b, const char *producer)
{
	dwarf_blob_unit_with(b, 5, BLOB_ATTRS(STRING(DW_AT_producer, DW_FORM_string, producer),
					      ATTR(DW_AT_language, DW_FORM_data1, DW_LANG_C11)));
	add_types(b);
}

static void add_function(struct dwarf_blob *b, const char *name, uint64_t entry,
			 uint8_t convention)
{
	OPEN(b, 0, DW_TAG_subprogram, NAME(name), TYPE(INT), FLAG(DW_AT_prototyped),
	     FLAG(DW_AT_external), ATTR(DW_AT_low_pc, DW_FORM_addr, entry),
	     ATTR(DW_AT_high_pc, DW_FORM_data4, 16),
	     BLOCK(DW_AT_frame_base, DW_FORM_exprloc, "\x9c"),
	     ATTR(DW_AT_calling_convention, DW_FORM_data1, convention));
}

static void be_strict(struct encode_options *options)
{
	options->strict = true;
}

/* Encodes the image; its only name with code must have that verdict, and a FUNC if it is ok. */
static void expect_verdict(struct dwarf_blob *b, const char *what, enum verdict verdict)
{
	struct encoded_blob out;

	encode_blob(&out, b, be_strict);
	if (!out.dump)
		fail_msg("%s: %s", what, out.err.text);
	for (int i = 0; i < VERDICT_COUNT; i++) {
		if (out.report.verdicts[i] != (i == (int)verdict))
			fail_msg("%s: %u are %s; expected is %s", what, out.report.verdicts[i],
				 verdict_texts[i].code, verdict_texts[verdict].code);
	}
	if ((strstr(out.dump, "FUNC '") != NULL) != (verdict == VERDICT_OK))
		fail_msg("%s: FUNC or no FUNC", what);
	encoded_blob_release(&out);
}

TEST(test_one_function)
{
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const struct row *row = &rows[i];
		struct dwarf_blob b;

		dwarf_blob_init(&b);
		b.big_endian = false;
		add_unit(&b, row->producer);
		add_function(&b, "f", ENTRY, row->convention ? row->convention : DW_CC_normal);
		add_parameter(&b, "a", &row->a);
		add_parameter(&b, "b", &row->b);
		CLOSE(&b);
		dwarf_blob_end_unit(&b);
		if (row->symbol)
			dwarf_blob_symbol(&b, row->symbol, ENTRY, STT_FUNC, 1);
		expect_verdict(&b, row->what, row->verdict);
		dwarf_blob_release(&b);
	}
}

static const struct parameter in_rdi = IN(RDI);

/* Verdicts that follow from the declaration. */
TEST(test_declarations)
{
	static const struct {
		const char *function;
		const char *parameter;	/* NULL: it has none */
		bool prototyped;
		enum verdict verdict;
	} cases[] = {
		{ "f", "a", true, VERDICT_OK },
		{ "f", NULL, true, VERDICT_OK },
		{ "f", NULL, false, VERDICT_NO_PROTOTYPE },
		{ "f", "a", false, VERDICT_OK },
		{ "f", "", true, VERDICT_UNNAMED_PARAM },
		{ "f$", "a", true, VERDICT_INVALID_NAME },
		{ "f.x", "a", true, VERDICT_OK },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct dwarf_blob b;

		dwarf_blob_init(&b);
		b.big_endian = false;
		add_unit(&b, GCC);
		OPEN(&b, 0, DW_TAG_subprogram, NAME(cases[i].function), FLAG(DW_AT_external),
		     ATTR(DW_AT_prototyped, DW_FORM_flag, cases[i].prototyped),
		     ATTR(DW_AT_low_pc, DW_FORM_addr, ENTRY));
		if (cases[i].parameter)
			add_parameter(&b, cases[i].parameter, &in_rdi);
		CLOSE(&b);
		dwarf_blob_end_unit(&b);
		dwarf_blob_symbol(&b, cases[i].function, ENTRY, STT_FUNC, 1);
		expect_verdict(&b, cases[i].function, cases[i].verdict);
		dwarf_blob_release(&b);
	}
}

/*
 * Other symbols and functions of the name. Every order of the symbols and of the units must give
 * the same answer.
 */
TEST(test_names)
{
	static const struct {
		const char *what;
		const char *symbol;	/* in addition to `f` at ENTRY */
		uint64_t address;
		uint8_t type;
		bool second;		/* a second unit has a function `f` there */
		const char *parameter;	/* of that function */
		enum verdict verdict;
	} cases[] = {
		{ "alone", "g", ENTRY + 16, STT_FUNC, false, NULL, VERDICT_OK },
		{ "an alias", "f", ENTRY, STT_FUNC, false, NULL, VERDICT_OK },
		{ "a namesake without DWARF", "f", ENTRY + 16, STT_FUNC, false, NULL,
		  VERDICT_AMBIGUOUS_ADDRESS },
		{ "a namesake", "f", ENTRY + 16, STT_FUNC, true, "a", VERDICT_AMBIGUOUS_ADDRESS },
		{ "one that the link renamed", "f.lto_priv.0", ENTRY + 16, STT_FUNC, true, "a",
		  VERDICT_OK },
		{ "one that ThinLTO renamed", "f.llvm.12", ENTRY + 16, STT_FUNC, true, "other",
		  VERDICT_OK },
		{ "a copy", "f.constprop.0", ENTRY + 16, STT_FUNC, true, "a", VERDICT_OK },
		{ "a copy that is the same code", "f.constprop.0", ENTRY, STT_FUNC, false, NULL,
		  VERDICT_OK },
		{ "its unlikely paths", "f.cold", ENTRY + 16, STT_FUNC, false, NULL, VERDICT_OK },
		{ "the padding in front", "__pfx_f", ENTRY - 16, STT_FUNC, false, NULL,
		  VERDICT_OK },
		{ "two prototypes of one code", "f", ENTRY, STT_FUNC, true, "other",
		  VERDICT_INCONSISTENT_PROTO },
		{ "a variable after it", "f", ENTRY + 16, STT_OBJECT, false, NULL, VERDICT_OK },
		{ "a variable in front, which a kernel finds", "f", ENTRY - 16, STT_OBJECT, false,
		  NULL, VERDICT_AMBIGUOUS_ADDRESS },
		{ "a label in front", "f", ENTRY - 16, STT_NOTYPE, false, NULL,
		  VERDICT_AMBIGUOUS_ADDRESS },
	};

	for (size_t i = 0; i < 4 * LENGTH(cases); i++) {
		const size_t at = i / 4;
		const bool exchange_symbols = i & 1, exchange_units = i & 2;
		struct dwarf_blob b;

		dwarf_blob_init(&b);
		b.big_endian = false;
		for (int unit = 0; unit < 2; unit++) {
			const bool second = (unit == 1) != exchange_units;

			if (second && !cases[at].second)
				continue;
			add_unit(&b, GCC);
			add_function(&b, "f", second ? cases[at].address : ENTRY, DW_CC_normal);
			add_parameter(&b, second ? cases[at].parameter : "a", &in_rdi);
			CLOSE(&b);
			dwarf_blob_end_unit(&b);
		}
		for (int symbol = 0; symbol < 2; symbol++) {
			if ((symbol == 1) != exchange_symbols)
				dwarf_blob_symbol(&b, cases[at].symbol, cases[at].address,
						  cases[at].type, 1);
			else
				dwarf_blob_symbol(&b, "f", ENTRY, STT_FUNC, 1);
		}
		expect_verdict(&b, cases[at].what, cases[at].verdict);
		dwarf_blob_release(&b);
	}
}

static void strip_llvm(struct encode_options *options)
{
	options->features.feature_strips_llvm = true;
}

/* What a kernel that strips .llvm.HASH, and some also other suffixes, finds as `f`. */
TEST(test_stripped_names)
{
	static const struct {
		const char *own, *other;	/* symbols at ENTRY, and after it; NULL: none */
		bool has_func;
	} cases[] = {
		{ "f.llvm.12", NULL, true },
		{ "f.llvm.12", "g.llvm.12", true },
		{ "f.lto_priv.0", "g.llvm.12", false },
		{ "f.1", "g.llvm.12", false },
		{ "f", "g.llvm.12", true },
		{ "f", "f.llvm.12", false },
		{ "f.llvm.12", "f.llvm.13", false },
		{ "f.llvm.12", "f", false },
		{ "f", "f.1", false },
		{ "f.llvm.12.cold", NULL, false },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct encoded_blob out;
		struct dwarf_blob b;

		dwarf_blob_init(&b);
		b.big_endian = false;
		add_unit(&b, CLANG);
		add_function(&b, "f", ENTRY, DW_CC_normal);
		add_parameter(&b, "a", &in_rdi);
		CLOSE(&b);
		dwarf_blob_end_unit(&b);
		dwarf_blob_symbol(&b, cases[i].own, ENTRY, STT_FUNC, 1);
		if (cases[i].other)
			dwarf_blob_symbol(&b, cases[i].other, ENTRY + 16, STT_FUNC, 1);
		encode_blob(&out, &b, strip_llvm);
		if (!out.dump || (strstr(out.dump, "FUNC 'f'") != NULL) != cases[i].has_func)
			fail_msg("%s and %s: %s", cases[i].own, cases[i].other,
				 out.dump ? out.dump : out.err.text);
		encoded_blob_release(&out);
		dwarf_blob_release(&b);
	}
}

/*
 * GCC folds functions of equal bodies: what is left of a definition is its symbol at the code of
 * another one. What is inlined everywhere looks the same, but the symbol is its namesake's.
 */
TEST(test_folded)
{
	static const struct {
		const char *what;
		bool namesake;		/* another `f`, of parameter `a`, has the code at ENTRY */
		const char *parameter;	/* of the one without code; NULL: nothing is said */
		enum verdict verdict;
	} cases[] = {
		{ "folded", false, "a", VERDICT_OK },
		{ "folded, and nothing is said", false, NULL, VERDICT_NO_PROTOTYPE },
		{ "a namesake has the code", true, "b", VERDICT_OK },
		{ "a namesake has the code, and nothing is said", true, NULL, VERDICT_OK },
	};

	for (size_t i = 0; i < 2 * LENGTH(cases); i++) {
		const size_t at = i / 2;
		struct dwarf_blob b;

		dwarf_blob_init(&b);
		b.big_endian = false;
		dwarf_blob_unit_with(&b, 5, BLOB_ATTRS(STRING(DW_AT_producer, DW_FORM_string, GCC),
						       ATTR(DW_AT_low_pc, DW_FORM_addr, ENTRY),
						       ATTR(DW_AT_high_pc, DW_FORM_data4, 16)));
		add_types(&b);
		for (size_t k = 0; k < 2; k++) {
			if (k == i % 2) {
				if (!cases[at].namesake)
					continue;
				add_function(&b, "f", ENTRY, DW_CC_normal);
				add_parameter(&b, "a", &in_rdi);
			} else {
				OPEN(&b, 0, DW_TAG_subprogram, NAME("f"), TYPE(INT));
				if (cases[at].parameter)
					add_parameter(&b, cases[at].parameter, &in_rdi);
			}
			CLOSE(&b);
		}
		dwarf_blob_end_unit(&b);
		dwarf_blob_symbol(&b, "f", ENTRY, STT_FUNC, 1);
		expect_verdict(&b, cases[at].what, cases[at].verdict);
		dwarf_blob_release(&b);
	}
}
