/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Units that refer to others, when reading has come some way before it meets the first of them:
 * some have been read by themselves, by several workers, and that must not show.
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "encoder/unit_references.h"
#include "tests/dwarf_reading.h"
#include "tests/encode_blob.h"

enum { INT = 1, STRUCT, SHARED = 20 };

#define UNITS 6

/* The references between units; units of 200 KB, so that each is a batch. */
static const struct {
	const char *what;
	struct {
		uint8_t from, to;
	} references[3];
	bool padded;
} cases[] = {
	{ "none", { { 0 } }, true },
	{ "the last to the first", { { 5, 0 } }, true },
	{ "the last to the first, in one batch", { { 5, 0 } }, false },
	{ "the last to the one before", { { 5, 4 } }, true },
	{ "the first to the last", { { 0, 5 } }, true },
	{ "one in the middle", { { 3, 1 } }, true },
	{ "two groups", { { 2, 0 }, { 5, 1 } }, true },
	{ "a chain", { { 3, 0 }, { 4, 3 }, { 5, 4 } }, true },
};

static void add_unit(struct dwarf_blob *b, uint8_t number, bool padded)
{
	static const char zeros[200 * 1024];
	char name[40];

	if (padded)
		DIE(b, 0, DW_TAG_dwarf_procedure,
		    { .attribute = DW_AT_location,
		      .form = DW_FORM_block4,
		      .value = sizeof(zeros),
		      .text = zeros });
	DIE(b, INT, DW_TAG_base_type, NAME("int"), SIZE(4), ENCODING(DW_ATE_signed));
	snprintf(name, sizeof(name), "s%u", number);
	OPEN(b, STRUCT + number, DW_TAG_structure_type, NAME(name), SIZE(4));
	DIE(b, 0, DW_TAG_member, NAME("a"), TYPE(INT), AT(0));
	CLOSE(b);
	/* The same name in each unit means its own struct. */
	DIE(b, 0, DW_TAG_typedef, NAME("own"), TYPE(STRUCT + number));
}

static void build(struct dwarf_blob *b, size_t number)
{
	dwarf_blob_init(b);
	for (uint8_t u = 0; u < UNITS; u++) {
		dwarf_blob_unit(b, 4);
		add_unit(b, u, cases[number].padded);
		for (size_t i = 0; i < LENGTH(cases[number].references); i++) {
			uint8_t from = cases[number].references[i].from;
			uint8_t to = cases[number].references[i].to;
			char name[40];

			if (from != u || from == to)
				continue;
			snprintf(name, sizeof(name), "from_%u_to_%u", from, to);
			DIE(b, 0, DW_TAG_typedef, NAME(name),
			    REFERENCE(DW_AT_type, DW_FORM_ref_addr, STRUCT + to));
		}
		dwarf_blob_end_unit(b);
	}
}

/* "[7] STRUCT 's0' ...": its number, 0 when there is none. */
static unsigned int id_of(const char *dump, const char *kind, const char *name)
{
	char wanted[80];
	const char *found;

	snprintf(wanted, sizeof(wanted), "] %s '%s'", kind, name);
	found = strstr(dump, wanted);
	while (found && found > dump && *found != '[')
		found--;
	return found ? (unsigned int)strtoul(found + 1, NULL, 10) : 0;
}

static void check_references(const struct encoded_blob *out, size_t number)
{
	for (size_t i = 0; i < LENGTH(cases[number].references); i++) {
		uint8_t from = cases[number].references[i].from;
		uint8_t to = cases[number].references[i].to;
		char target[40], line[120];

		if (from == to)
			continue;
		snprintf(target, sizeof(target), "s%u", to);
		snprintf(line, sizeof(line), "TYPEDEF 'from_%u_to_%u' type_id=%u\n", from, to,
			 id_of(out->dump, "STRUCT", target));
		if (!strstr(out->dump, line))
			fail_msg("%s: '%s' is missing in\n%s", cases[number].what, line,
				 out->dump);
	}
}

/* ---- division ---- */

#define MIB 1048576u
#define TEXT 0x1000u

/*
 * Groups are what several workers can read; the larger what they share, the fewer there are. What
 * was linked before it was compiled stays together.
 */
static const struct {
	uint32_t shared_bytes;
	uint16_t tag;
	uint32_t groups;
} divisions[] = {
	{ 16, DW_TAG_partial_unit, 5 }, { 2 * MIB, DW_TAG_partial_unit, 2 },
	{ 4 * MIB, DW_TAG_partial_unit, 1 }, { 16, DW_TAG_compile_unit, 1 },
};

/*
 * As dwz or LTO leave it: one unit, with the tag, that names types and functions, and others of a
 * MiB that have the code of a function each.
 */
static void build_shared(struct dwarf_blob *b, size_t row)
{
	static const char zeros[4 * MIB];
	static const char *const names[UNITS] = { NULL, "f1", "f2", "f3", "f4", "f5" };

	dwarf_blob_init(b);
	dwarf_blob_header(b, 4, DW_UT_compile, 0, 0);
	OPEN(b, 0, divisions[row].tag);
	DIE(b, 0, DW_TAG_dwarf_procedure,
	    { .attribute = DW_AT_location, .form = DW_FORM_block4,
	      .value = divisions[row].shared_bytes, .text = zeros });
	add_unit(b, 0, false);
	for (uint8_t u = 1; u < UNITS; u++)
		DIE(b, SHARED + u, DW_TAG_subprogram, NAME(names[u]), FLAG(DW_AT_external),
		    FLAG(DW_AT_prototyped), TYPE(INT));
	dwarf_blob_end_unit(b);
	for (uint8_t u = 1; u < UNITS; u++) {
		uint64_t address = TEXT + 16u * u;

		dwarf_blob_unit(b, 4);
		DIE(b, 0, DW_TAG_dwarf_procedure,
		    { .attribute = DW_AT_location, .form = DW_FORM_block4,
		      .value = MIB, .text = zeros });
		DIE(b, 0, DW_TAG_typedef, NAME("shared"),
		    REFERENCE(DW_AT_type, DW_FORM_ref_addr, STRUCT));
		DIE(b, 0, DW_TAG_subprogram,
		    REFERENCE(DW_AT_abstract_origin, DW_FORM_ref_addr, SHARED + u),
		    ATTR(DW_AT_low_pc, DW_FORM_addr, address),
		    ATTR(DW_AT_high_pc, DW_FORM_udata, 16));
		dwarf_blob_end_unit(b);
		dwarf_blob_symbol(b, names[u], address, STT_FUNC, 1);
	}
}

static unsigned int jobs;

static void set_jobs(struct encode_options *options)
{
	options->jobs = jobs;
}

/* What `make` makes of a row is with 1 to 4 jobs what `check` wants, and always the same. */
static void check_jobs(size_t row, void (*make)(struct dwarf_blob *b, size_t row),
		       void (*check)(const struct encoded_blob *out, size_t row))
{
	struct encoded_blob wanted = { 0 };

	for (jobs = 1; jobs <= 4; jobs++) {
		struct encoded_blob out;
		struct dwarf_blob b;

		make(&b, row);
		encode_blob(&out, &b, set_jobs);
		dwarf_blob_release(&b);
		assert_non_null(out.dump);
		assert_int_equal(out.report.units.units, UNITS);
		check(&out, row);
		if (jobs == 1) {
			wanted = out;
			continue;
		}
		assert_string_equal(out.dump, wanted.dump);
		assert_int_equal(out.report.dwarf_types, wanted.report.dwarf_types);
		encoded_blob_release(&out);
	}
	encoded_blob_release(&wanted);
}

TEST(test_late_references)
{
	for (size_t i = 0; i < LENGTH(cases); i++)
		check_jobs(i, build, check_references);
}

/* How many times `text` is in it. */
static unsigned int count_text(const char *in, const char *text)
{
	unsigned int count = 0;

	for (; (in = strstr(in, text)); in++)
		count++;
	return count;
}

static uint32_t count_groups(struct dwarf_blob *b)
{
	struct encode_options options = { .path = dwarf_blob_write(b), .jobs = 1 };
	struct encode_report report;
	struct program program;
	struct error err;
	uint32_t count, own = 0;

	features_default(&options.features);
	assert_true(program_open(&program, &options, &err));
	assert_true(program_judge(&program, &report, &err));
	count = (uint32_t)program.groups.groups.count;
	for (uint32_t i = 0; i < count; i++)
		own += program.groups.groups.data[i].own_count;
	/* Each unit belongs to one. */
	assert_int_equal(own, UNITS);
	program_close(&program);
	return count;
}

static void check_shared(const struct encoded_blob *out, size_t row)
{
	(void)row;
	assert_int_equal(out->report.units.functions, UNITS - 1);
	assert_int_equal(out->report.verdicts[VERDICT_OK], UNITS - 1);
	assert_int_equal(count_text(out->dump, "] FUNC 'f"), UNITS - 1);
	assert_int_equal(count_text(out->dump, "] TYPEDEF 'shared'"), 1);
}

TEST(test_division)
{
	for (size_t i = 0; i < LENGTH(divisions); i++) {
		struct dwarf_blob b;

		build_shared(&b, i);
		assert_int_equal(count_groups(&b), divisions[i].groups);
		dwarf_blob_release(&b);
		check_jobs(i, build_shared, check_shared);
	}
}

/* ---- references ---- */

enum { DECLARED = 20, WITHOUT_CODE };

/*
 * The code of a function is in the third unit, which refers to a function without code in the
 * second one, and that to the declaration in the first. The fourth has code, and no references.
 */
TEST(test_functions_of_others)
{
	static const struct blob_attr proto = FLAG(DW_AT_prototyped);
	const struct language_set nothing = { 0 };
	struct unit_references references;
	struct dwarf_reading r;
	struct dwarf_blob b;

	dwarf_blob_init(&b);
	dwarf_blob_unit(&b, 4);
	DIE(&b, DECLARED, DW_TAG_subprogram, NAME("f"), proto, FLAG(DW_AT_declaration));
	dwarf_blob_end_unit(&b);
	dwarf_blob_unit(&b, 4);
	DIE(&b, WITHOUT_CODE, DW_TAG_subprogram, proto,
	    REFERENCE(DW_AT_specification, DW_FORM_ref_addr, DECLARED));
	dwarf_blob_end_unit(&b);
	for (uint64_t u = 0; u < 2; u++) {
		dwarf_blob_unit_with(&b, 4, BLOB_ATTRS(
			ATTR(DW_AT_low_pc, DW_FORM_addr, TEXT + 64 * u),
			ATTR(DW_AT_high_pc, DW_FORM_data4, 16)));
		if (u == 0)
			DIE(&b, 0, DW_TAG_subprogram,
			    REFERENCE(DW_AT_abstract_origin, DW_FORM_ref_addr, WITHOUT_CODE),
			    ATTR(DW_AT_low_pc, DW_FORM_addr, TEXT),
			    ATTR(DW_AT_high_pc, DW_FORM_data4, 16));
		dwarf_blob_end_unit(&b);
	}
	assert_true(dwarf_reading_open(&r, &b));
	for (unsigned int workers = 1; workers <= 2; workers++) {
		unit_references_find(&references, &r.object, &r.units, &nothing, workers);
		/* Both may be asked where the code is. */
		assert_int_equal(references.coded.count, 2);
		assert_in_range(references.coded.data[0], r.units.data[0].offset,
				r.units.data[0].end);
		assert_in_range(references.coded.data[1], r.units.data[1].offset,
				r.units.data[1].end);
		assert_int_equal(references.code.count, 2);
		for (uint32_t u = 0; u < 2; u++) {
			assert_int_equal(references.code.data[u].unit, 2 + u);
			assert_int_equal(references.code.data[u].range.begin, TEXT + 64 * u);
			assert_int_equal(references.code.data[u].range.end, TEXT + 64 * u + 16);
		}
		assert_int_equal(references.targets.count, 2);
		unit_references_release(&references);
	}
	dwarf_reading_end(&r, &b);
}

/* ---- languages ---- */

enum { ROUTINE = SHARED + 1, C_FUNCTION, ONLY_RUST };

static void unit_in(struct dwarf_blob *b, uint16_t language)
{
	dwarf_blob_unit_with(b, 4, BLOB_ATTRS(ATTR(DW_AT_language, DW_FORM_data2, language)));
}

/* What it declares itself, one of them per CPU, what C shares, and the code of a function of C. */
static void add_rust(struct dwarf_blob *b)
{
	unit_in(b, DW_LANG_Rust);
	DIE(b, ROUTINE, DW_TAG_subroutine_type);
	DIE(b, INT, DW_TAG_base_type, NAME("i32"), SIZE(4), ENCODING(DW_ATE_signed));
	/* It contains a pointer to itself, and has the name of C's. */
	OPEN(b, STRUCT, DW_TAG_structure_type, NAME("ticket"), SIZE(16));
	DIE(b, 0, DW_TAG_member, NAME("next"), TYPE(STRUCT + 1), AT(0));
	DIE(b, 0, DW_TAG_member, NAME("inner"), TYPE(INT), AT(8));
	CLOSE(b);
	DIE(b, STRUCT + 1, DW_TAG_pointer_type, NAME("&ticket"), TYPE(STRUCT));
	DIE(b, 0, DW_TAG_subprogram, NAME("rust_entry"), FLAG(DW_AT_external),
	    FLAG(DW_AT_prototyped), TYPE(STRUCT + 1), ATTR(DW_AT_low_pc, DW_FORM_addr, TEXT),
	    ATTR(DW_AT_high_pc, DW_FORM_udata, 16));
	DIE(b, 0, DW_TAG_subprogram,
	    REFERENCE(DW_AT_abstract_origin, DW_FORM_ref_addr, C_FUNCTION),
	    ATTR(DW_AT_low_pc, DW_FORM_addr, TEXT + 16),
	    ATTR(DW_AT_high_pc, DW_FORM_udata, 16));
	DIE(b, 0, DW_TAG_variable, NAME("rust_variable"), TYPE(INT), FLAG(DW_AT_external),
	    BLOCK(DW_AT_location, DW_FORM_exprloc, "\x03\x04\x80\x00\x00\x00\x00\x00\x00"));
	dwarf_blob_end_unit(b);
}

static void add_c(struct dwarf_blob *b)
{
	unit_in(b, DW_LANG_C11);
	DIE(b, INT, DW_TAG_base_type, NAME("int"), SIZE(4), ENCODING(DW_ATE_signed));
	DIE(b, SHARED, DW_TAG_pointer_type, REFERENCE(DW_AT_type, DW_FORM_ref_addr, ROUTINE));
	OPEN(b, STRUCT, DW_TAG_structure_type, NAME("ticket"), SIZE(8));
	DIE(b, 0, DW_TAG_member, NAME("run"), TYPE(SHARED), AT(0));
	CLOSE(b);
	DIE(b, C_FUNCTION, DW_TAG_subprogram, NAME("c_entry"), FLAG(DW_AT_external),
	    FLAG(DW_AT_prototyped), TYPE(INT), ATTR(DW_AT_inline, DW_FORM_data1, 1));
	dwarf_blob_end_unit(b);
}

/* dwz has moved what two units of Rust had alike into a unit without a language. */
static void add_rust_after_dwz(struct dwarf_blob *b)
{
	dwarf_blob_header(b, 4, DW_UT_compile, 0, 0);
	OPEN(b, 0, DW_TAG_partial_unit);
	OPEN(b, ONLY_RUST, DW_TAG_structure_type, NAME("only_rust"), SIZE(1));
	CLOSE(b);
	dwarf_blob_end_unit(b);
	unit_in(b, DW_LANG_Rust);
	DIE(b, 0, DW_TAG_pointer_type, REFERENCE(DW_AT_type, DW_FORM_ref_addr, ONLY_RUST));
	dwarf_blob_end_unit(b);
}

static bool is_rust_left_out;

static void choose_rust(struct encode_options *options)
{
	options->languages.rust = is_rust_left_out;
}

TEST(test_languages_of_connected_units)
{
	static const struct {
		const char *text;
		bool is_rust;
	} lines[] = {
		{ "] STRUCT 'ticket' size=8 vlen=1\n\t'run'", false },
		{ "] FUNC 'c_entry'", false }, { "] FUNC_PROTO '(anon)' ret_type_id=0", false },
		{ "] STRUCT 'ticket' size=16", true }, { "] INT 'i32'", true },
		{ "] FUNC 'rust_entry'", true }, { "] VAR 'rust_variable'", true },
		{ "] STRUCT 'only_rust'", true },
	};

	for (int i = 0; i < 4; i++) {
		bool is_rust_first = i & 2;
		struct encoded_blob out;
		struct dwarf_blob b;

		is_rust_left_out = i & 1;
		dwarf_blob_init(&b);
		if (is_rust_first)
			add_rust(&b);
		add_c(&b);
		if (!is_rust_first)
			add_rust(&b);
		add_rust_after_dwz(&b);
		dwarf_blob_symbol(&b, "rust_entry", TEXT, STT_FUNC, 1);
		dwarf_blob_symbol(&b, "c_entry", TEXT + 16, STT_FUNC, 1);
		encode_blob(&out, &b, choose_rust);
		if (!out.dump)
			fail_msg("%s", out.err.text);
		for (size_t k = 0; k < LENGTH(lines); k++) {
			bool is_wanted = !(is_rust_left_out && lines[k].is_rust);

			if (!strstr(out.dump, lines[k].text) == is_wanted)
				fail_msg("Rust %s, left out: %d: '%s' is %s in\n%s",
					 is_rust_first ? "first" : "last", is_rust_left_out,
					 lines[k].text, is_wanted ? "missing" : "there",
					 out.dump);
		}
		assert_int_equal(out.report.units.excluded, is_rust_left_out ? 3 : 0);
		assert_int_equal(out.report.units.units, is_rust_left_out ? 1 : 4);
		encoded_blob_release(&out);
		dwarf_blob_release(&b);
	}
}
