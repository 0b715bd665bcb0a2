/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The variables that get a VAR, and their DATASECs, by the features var and global_var. The image
 * has the sections .text and .data..percpu, of 4 KiB each, and .debug_* at address 0. Each case is
 * one unit; what is expected is each DATASEC's line and entries.
 */
#include "tests/cmocka_all.h"

#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf/format.h"
#include "tests/encode_blob.h"

#define TEXT   0x1000u
#define PERCPU 0x8000u
#define END    0x1000u		/* of each section, from its beginning */

enum { INT = 1, ARRAY, OPEN_ARRAY, FORWARD, VOLATILE, FUNCTION, FIRST, SECOND };

static void add_types(struct dwarf_blob *b)
{
	DIE(b, INT, DW_TAG_base_type, NAME("int"), SIZE(4), ENCODING(DW_ATE_signed));
	OPEN(b, ARRAY, DW_TAG_array_type, TYPE(INT));
	DIE(b, 0, DW_TAG_subrange_type, ATTR(DW_AT_count, DW_FORM_data1, 3));
	CLOSE(b);
	OPEN(b, OPEN_ARRAY, DW_TAG_array_type, TYPE(INT));
	DIE(b, 0, DW_TAG_subrange_type);
	CLOSE(b);
	DIE(b, FORWARD, DW_TAG_structure_type, NAME("later"), FLAG(DW_AT_declaration));
	DIE(b, VOLATILE, DW_TAG_volatile_type, TYPE(ARRAY));
	DIE(b, FUNCTION, DW_TAG_subroutine_type);
}

/* DW_AT_location: DW_OP_addr of a little-endian 64-bit address; for one DIE at a time. */
static struct blob_attr place(uint64_t address)
{
	static char bytes[9] = { DW_OP_addr };

	memcpy(bytes + 1, &address, sizeof(address));
	return (struct blob_attr){ .attribute = DW_AT_location, .form = DW_FORM_exprloc,
				   .value = sizeof(bytes), .text = bytes };
}

#define VARIABLE(b, address, ...) DIE(b, 0, DW_TAG_variable, place(address), __VA_ARGS__)

static void both_sections(struct dwarf_blob *b)
{
	VARIABLE(b, PERCPU + 4, NAME("counter"), TYPE(INT), FLAG(DW_AT_external));
	VARIABLE(b, TEXT + 8, NAME("second"), TYPE(VOLATILE));
	VARIABLE(b, TEXT + 4, NAME("first"), TYPE(INT));
}

/* The first byte of a section wants a symbol; the others do not. */
static void first_bytes(struct dwarf_blob *b)
{
	VARIABLE(b, TEXT, NAME("confirmed"), TYPE(INT));
	VARIABLE(b, PERCPU, NAME("discarded"), TYPE(INT));
	dwarf_blob_symbol(b, "confirmed", TEXT, STT_OBJECT, 1);
	dwarf_blob_symbol(b, "discarded", TEXT, STT_OBJECT, 1);
}

static void outside(struct dwarf_blob *b)
{
	VARIABLE(b, 0, NAME("in_debug_info"), TYPE(INT));
	VARIABLE(b, TEXT - 1, NAME("before"), TYPE(INT));
	VARIABLE(b, TEXT + END, NAME("after"), TYPE(INT));
	VARIABLE(b, TEXT + END - 4, NAME("last"), TYPE(INT));
	VARIABLE(b, TEXT + END - 8, NAME("too_long"), TYPE(ARRAY));
	VARIABLE(b, UINT64_C(0xffffffff00000000) + TEXT, NAME("far"), TYPE(INT));
}

/* Among overlapping variables the first by address and name stays. */
static void overlaps(struct dwarf_blob *b)
{
	VARIABLE(b, TEXT + 16, NAME("zulu"), TYPE(INT));
	VARIABLE(b, TEXT + 16, NAME("alpha"), TYPE(INT));
	VARIABLE(b, TEXT + 32, NAME("twice"), TYPE(INT));
	VARIABLE(b, TEXT + 32, NAME("twice"), TYPE(ARRAY));
	VARIABLE(b, TEXT + 48, NAME("whole"), TYPE(ARRAY));
	VARIABLE(b, TEXT + 52, NAME("part"), TYPE(INT));
	VARIABLE(b, TEXT + 60, NAME("next"), TYPE(INT));
	/* The same offset in another section is another place. */
	VARIABLE(b, PERCPU + 16, NAME("other"), TYPE(INT));
}

static void without_size(struct dwarf_blob *b)
{
	VARIABLE(b, TEXT + 4, NAME("open"), TYPE(OPEN_ARRAY));
	VARIABLE(b, TEXT + 8, NAME("forward"), TYPE(FORWARD));
	VARIABLE(b, TEXT + 12, NAME("of_void"));
	VARIABLE(b, TEXT + 16, NAME("function"), TYPE(FUNCTION));
	VARIABLE(b, TEXT + 20, NAME("sized"), TYPE(INT));
}

static void odd_names(struct dwarf_blob *b)
{
	VARIABLE(b, TEXT + 4, NAME("__UNIQUE_ID_x1"), TYPE(INT));
	VARIABLE(b, TEXT + 8, NAME("operator+"), TYPE(INT));
	VARIABLE(b, TEXT + 12, NAME(""), TYPE(INT));
	VARIABLE(b, TEXT + 16, TYPE(INT));
	VARIABLE(b, TEXT + 20, NAME("made_up"), TYPE(INT), FLAG(DW_AT_artificial));
	VARIABLE(b, TEXT + 24, NAME("UNIQUE_ID"), TYPE(INT));
}

/* A declaration leaves the length open; LTO puts another DIE between it and the storage. */
static void chains(struct dwarf_blob *b)
{
	DIE(b, FIRST, DW_TAG_variable, NAME("completed"), TYPE(OPEN_ARRAY),
	    FLAG(DW_AT_declaration), FLAG(DW_AT_external));
	DIE(b, SECOND, DW_TAG_variable, TYPE(ARRAY),
	    REFERENCE(DW_AT_specification, DW_FORM_ref4, FIRST));
	VARIABLE(b, TEXT + 4, REFERENCE(DW_AT_abstract_origin, DW_FORM_ref4, SECOND));
	VARIABLE(b, TEXT + 32, REFERENCE(DW_AT_specification, DW_FORM_ref4, FIRST));
	VARIABLE(b, TEXT + 64, REFERENCE(DW_AT_specification, DW_FORM_ref4, INT));
}

static void loop(struct dwarf_blob *b)
{
	DIE(b, FIRST, DW_TAG_variable, REFERENCE(DW_AT_specification, DW_FORM_ref4, SECOND));
	DIE(b, SECOND, DW_TAG_variable, REFERENCE(DW_AT_specification, DW_FORM_ref4, FIRST));
	VARIABLE(b, TEXT + 4, REFERENCE(DW_AT_specification, DW_FORM_ref4, FIRST));
}

static void local(struct dwarf_blob *b)
{
	OPEN(b, 0, DW_TAG_subprogram, NAME("f"));
	VARIABLE(b, TEXT + 4, NAME("calls"), TYPE(INT));
	CLOSE(b);
	VARIABLE(b, TEXT + 8, NAME("top"), TYPE(INT));
}

static void no_features(struct encode_options *options)
{
	options->features.feature_var = false;
}

static void all_sections(struct encode_options *options)
{
	options->features.feature_global_var = true;
}

static void all_sections_without_var(struct encode_options *options)
{
	no_features(options);
	all_sections(options);
}

static const struct {
	const char *what;
	void (*build)(struct dwarf_blob *b);
	void (*change)(struct encode_options *options);
	const char *wanted;
} cases[] = {
	{ "by default", both_sections, NULL, ".data..percpu 8: counter@4+4\n" },
	{ "without var", both_sections, no_features, "" },
	{ "global_var", both_sections, all_sections,
	  ".data..percpu 8: counter@4+4\n.text 20: first@4+4 second@8+12\n" },
	{ "global_var without var", both_sections, all_sections_without_var,
	  ".data..percpu 8: counter@4+4\n.text 20: first@4+4 second@8+12\n" },
	{ "at the beginning", first_bytes, all_sections, ".text 4: confirmed@0+4\n" },
	{ "outside", outside, all_sections, ".text 4096: last@4092+4\n" },
	{ "overlaps", overlaps, all_sections,
	  ".data..percpu 20: other@16+4\n"
	  ".text 64: alpha@16+4 twice@32+4 whole@48+12 next@60+4\n" },
	{ "without a size", without_size, all_sections, ".text 24: sized@20+4\n" },
	{ "odd names", odd_names, all_sections, ".text 28: UNIQUE_ID@24+4\n" },
	{ "chains of DIEs", chains, all_sections, ".text 16: completed@4+12\n" },
	{ "a loop of DIEs", loop, all_sections, "" },
	{ "inside a function", local, all_sections, ".text 12: top@8+4\n" },
};

/* "SECTION SIZE: NAME@OFFSET+SIZE ..." for each DATASEC of a dump; to be freed. */
static char *sections_of(const char *dump)
{
	char *text = NULL;
	size_t length;
	FILE *out = open_memstream(&text, &length);
	bool inside = false;

	for (const char *line = dump; *line; line += strcspn(line, "\n") + 1) {
		char name[32];
		unsigned int size, offset;

		if (inside && sscanf(line, "\ttype_id=%*u offset=%u size=%u (VAR '%31[^']')",
				     &offset, &size, name) == 3) {
			fprintf(out, " %s@%u+%u", name, offset, size);
			continue;
		}
		if (inside)
			fprintf(out, "\n");
		inside = sscanf(line, "[%*u] DATASEC '%31[^']' size=%u", name, &size) == 2;
		if (inside)
			fprintf(out, "%s %u:", name, size);
	}
	if (inside)
		fprintf(out, "\n");
	fclose(out);
	return text;
}

TEST(test_cases)
{
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct encoded_blob out;
		struct dwarf_blob b;
		char *sections;

		dwarf_blob_init(&b);
		b.big_endian = false;
		dwarf_blob_unit(&b, 4);
		add_types(&b);
		cases[i].build(&b);
		dwarf_blob_end_unit(&b);
		encode_blob(&out, &b, cases[i].change);
		if (!out.dump)
			fail_msg("%s: %s", cases[i].what, out.err.text);
		sections = sections_of(out.dump);
		if (strcmp(sections, cases[i].wanted) != 0)
			fail_msg("%s:\n%swanted:\n%s", cases[i].what, sections, cases[i].wanted);
		free(sections);
		encoded_blob_release(&out);
		dwarf_blob_release(&b);
	}
}

/* More than one DATASEC can hold: the rest gets no VAR either. */
TEST(test_too_many)
{
	struct encoded_blob out;
	struct dwarf_blob b;

	dwarf_blob_init(&b);
	b.big_endian = false;
	b.percpu_bytes = BLOB_MAX_PERCPU;
	dwarf_blob_unit(&b, 4);
	DIE(&b, INT, DW_TAG_base_type, NAME("char"), SIZE(1), ENCODING(DW_ATE_signed_char));
	for (uint32_t i = 1; i <= BTF_VLEN_MAX + 2; i++)
		VARIABLE(&b, PERCPU + i, NAME(i > BTF_VLEN_MAX ? "many" : "one"), TYPE(INT));
	dwarf_blob_end_unit(&b);
	encode_blob(&out, &b, NULL);
	if (!out.dump)
		fail_msg("%s", out.err.text);
	assert_non_null(strstr(out.dump, "DATASEC '.data..percpu' size=65536 vlen=65535\n"));
	assert_null(strstr(out.dump, "'many'"));
	assert_int_equal(out.report.variables, BTF_VLEN_MAX);
	encoded_blob_release(&out);
	dwarf_blob_release(&b);
}
