/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Units that refer to others, when reading has come some way before it meets the first of them:
 * some have been read by themselves, by several workers, and that must not show.
 */
#include "tests/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/encode_blob.h"

enum { INT = 1, STRUCT };

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

static void check_references(const char *dump, size_t number)
{
	for (size_t i = 0; i < LENGTH(cases[number].references); i++) {
		uint8_t from = cases[number].references[i].from;
		uint8_t to = cases[number].references[i].to;
		char target[40], line[120];

		if (from == to)
			continue;
		snprintf(target, sizeof(target), "s%u", to);
		snprintf(line, sizeof(line), "TYPEDEF 'from_%u_to_%u' type_id=%u\n", from, to,
			 id_of(dump, "STRUCT", target));
		if (!strstr(dump, line)) {
			print_error("%s: '%s' is missing in\n%s", cases[number].what, line, dump);
			fail();
		}
	}
}

static unsigned int jobs;

static void set_jobs(struct encode_options *options)
{
	options->jobs = jobs;
}

static void test_late_references(void **state)
{
	(void)state;
	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct encoded_blob wanted = { 0 };

		for (jobs = 1; jobs <= 4; jobs++) {
			struct encoded_blob out;
			struct dwarf_blob b;

			build(&b, i);
			encode_blob(&out, &b, set_jobs);
			dwarf_blob_release(&b);
			assert_non_null(out.dump);
			assert_int_equal(out.report.units.units, UNITS);
			check_references(out.dump, i);
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
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_late_references),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
