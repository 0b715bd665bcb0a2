/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Inline sites: each case is a unit that is read, and the lines that its sites print. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/inline_site.h"
#include "tests/cmocka_all.h"
#include "tests/dwarf_reading.h"

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

enum { NO_LABEL, INNER, OUTER, VALUE, OTHER };

#define ORIGIN(label)  REFERENCE(DW_AT_abstract_origin, DW_FORM_ref4, label)
#define LOW(address)   ATTR(DW_AT_low_pc, DW_FORM_addr, address)
#define ENTRY(address) ATTR(DW_AT_entry_pc, DW_FORM_addr, address)
#define CALL(file, line)                                                                           \
	ATTR(DW_AT_call_file, DW_FORM_data1, file), ATTR(DW_AT_call_line, DW_FORM_data2, line)

/* Two functions that are only inlined, one with a parameter. */
static void put_abstract(struct dwarf_blob *b)
{
	OPEN(b, INNER, DW_TAG_subprogram, NAME("inner"), ATTR(DW_AT_inline, DW_FORM_data1, 1));
	DIE(b, VALUE, DW_TAG_formal_parameter, NAME("value"));
	DIE(b, OTHER, DW_TAG_formal_parameter, NAME("other"));
	CLOSE(b);
	DIE(b, OUTER, DW_TAG_subprogram, NAME("outer"), ATTR(DW_AT_inline, DW_FORM_data1, 3));
}

static void entry_pc(struct dwarf_blob *b)
{
	put_abstract(b);
	OPEN(b, 0, DW_TAG_subprogram, NAME("caller"), LOW(0x1000));
	DIE(b, 0, DW_TAG_inlined_subroutine, ORIGIN(OUTER), LOW(0x1010), ENTRY(0x1014),
	    CALL(2, 77));
	DIE(b, 0, DW_TAG_inlined_subroutine, ORIGIN(OUTER), LOW(0x1020),
	    ATTR(DW_AT_entry_pc, DW_FORM_data1, 4));
	DIE(b, 0, DW_TAG_inlined_subroutine, ORIGIN(OUTER), LOW(0x1030));
	DIE(b, 0, DW_TAG_inlined_subroutine, ORIGIN(OUTER));
	CLOSE(b);
}

/* The second range is the lower one. */
static void ranges(struct dwarf_blob *b)
{
	blob_bytes *section = &b->sections[SECTION_RANGES];

	put_abstract(b);
	OPEN(b, 0, DW_TAG_subprogram, NAME("caller"), LOW(0x1000));
	DIE(b, 0, DW_TAG_inlined_subroutine, ORIGIN(OUTER),
	    ATTR(DW_AT_ranges, DW_FORM_sec_offset, section->count));
	DIE(b, 0, DW_TAG_inlined_subroutine, ORIGIN(OUTER),
	    ATTR(DW_AT_ranges, DW_FORM_sec_offset, section->count),
	    ATTR(DW_AT_entry_pc, DW_FORM_data1, 8));
	CLOSE(b);
	blob_put_number(b, section, 0x1080, 8);
	blob_put_number(b, section, 0x1090, 8);
	blob_put_number(b, section, 0x1040, 8);
	blob_put_number(b, section, 0x1050, 8);
	blob_put_number(b, section, 0, 8);
	blob_put_number(b, section, 0, 8);
}

/* A block belongs to the site around it, and a parameter in a block to no site. */
static void nested(struct dwarf_blob *b)
{
	put_abstract(b);
	OPEN(b, 0, DW_TAG_subprogram, NAME("caller"), LOW(0x1000));
	OPEN(b, 0, DW_TAG_lexical_block);
	OPEN(b, 0, DW_TAG_inlined_subroutine, ORIGIN(OUTER), LOW(0x1010));
	OPEN(b, 0, DW_TAG_lexical_block);
	OPEN(b, 0, DW_TAG_inlined_subroutine, ORIGIN(INNER), LOW(0x1020));
	CLOSE(b);
	CLOSE(b);
	CLOSE(b);
	CLOSE(b);
	DIE(b, 0, DW_TAG_inlined_subroutine, ORIGIN(INNER), LOW(0x1030));
	CLOSE(b);
}

/* A parameter after a site that has one, too. */
static void arguments(struct dwarf_blob *b)
{
	put_abstract(b);
	OPEN(b, 0, DW_TAG_subprogram, NAME("caller"), LOW(0x1000));
	OPEN(b, 0, DW_TAG_inlined_subroutine, ORIGIN(INNER), LOW(0x1010));
	DIE(b, 0, DW_TAG_formal_parameter, ORIGIN(OTHER),
	    ATTR(DW_AT_const_value, DW_FORM_sdata, -3));
	OPEN(b, 0, DW_TAG_inlined_subroutine, ORIGIN(INNER), LOW(0x1010));
	DIE(b, 0, DW_TAG_formal_parameter, ORIGIN(VALUE),
	    BLOCK(DW_AT_location, DW_FORM_exprloc, "\x55"));
	CLOSE(b);
	DIE(b, 0, DW_TAG_formal_parameter, ORIGIN(VALUE));
	OPEN(b, 0, DW_TAG_lexical_block);
	DIE(b, 0, DW_TAG_formal_parameter, ORIGIN(VALUE));
	CLOSE(b);
	CLOSE(b);
	DIE(b, 0, DW_TAG_formal_parameter, NAME("own"));
	CLOSE(b);
}

/* Twice the same parameter: what says something counts, and of two of these the first. */
static void twice(struct dwarf_blob *b)
{
	put_abstract(b);
	OPEN(b, 0, DW_TAG_subprogram, NAME("caller"), LOW(0x1000));
	OPEN(b, 0, DW_TAG_inlined_subroutine, ORIGIN(INNER), LOW(0x1010));
	DIE(b, 0, DW_TAG_formal_parameter, ORIGIN(VALUE));
	DIE(b, 0, DW_TAG_formal_parameter, ORIGIN(OTHER),
	    ATTR(DW_AT_const_value, DW_FORM_sdata, 7));
	OPEN(b, 0, DW_TAG_inlined_subroutine, ORIGIN(INNER), LOW(0x1010));
	DIE(b, 0, DW_TAG_formal_parameter, ORIGIN(VALUE));
	CLOSE(b);
	DIE(b, 0, DW_TAG_formal_parameter, ORIGIN(VALUE),
	    BLOCK(DW_AT_location, DW_FORM_exprloc, "\x55"));
	DIE(b, 0, DW_TAG_formal_parameter, ORIGIN(VALUE));
	DIE(b, 0, DW_TAG_formal_parameter, ORIGIN(OTHER),
	    ATTR(DW_AT_const_value, DW_FORM_sdata, 8));
	CLOSE(b);
	CLOSE(b);
}

/* A site that refers to no function; a function inside another; one without code. */
static void strange(struct dwarf_blob *b)
{
	put_abstract(b);
	OPEN(b, 0, DW_TAG_subprogram, NAME("no_code"));
	DIE(b, 0, DW_TAG_inlined_subroutine, ORIGIN(OUTER), LOW(0x1010));
	CLOSE(b);
	OPEN(b, 0, DW_TAG_subprogram, NAME("caller"), LOW(0x1000));
	DIE(b, 0, DW_TAG_inlined_subroutine, ORIGIN(VALUE), LOW(0x1010));
	OPEN(b, 0, DW_TAG_subprogram, NAME("nested_function"), LOW(0x2000));
	DIE(b, 0, DW_TAG_inlined_subroutine, ORIGIN(OUTER), LOW(0x2010));
	CLOSE(b);
	DIE(b, 0, DW_TAG_inlined_subroutine, LOW(0x1020));
	CLOSE(b);
}

static const struct {
	void (*build)(struct dwarf_blob *b);
	uint16_t version;
	const char *wanted;
} cases[] = {
	{ entry_pc, 5, "outer in caller at 0x1014, call 2:77\n"
		       "outer in caller at 0x1024\n"
		       "outer in caller at 0x1030\n"
		       "outer in caller nowhere\n" },
	{ ranges, 4, "outer in caller at 0x1040\n"
		     "outer in caller at 0x1088\n" },
	{ nested, 5, "outer in caller at 0x1010\n"
		     "inner in caller at 0x1020, inside 0\n"
		     "inner in caller at 0x1030\n" },
	{ arguments, 5, "inner in caller at 0x1010, other = -3, value\n"
			"inner in caller at 0x1010, inside 0, in itself, value located\n" },
	{ twice, 5, "inner in caller at 0x1010, value located, other = 7\n"
		    "inner in caller at 0x1010, inside 0, in itself, value\n" },
	{ strange, 5, "? in caller at 0x1010\n"
		      "? in caller at 0x1020\n"
		      "outer in nested_function at 0x2010\n" },
};

static const char *name_of(const struct dwarf_reading *r, uint32_t function)
{
	if (function == OFFSET_INDEX_NONE)
		return "?";
	return name_table_text(&r->reader.names, r->model.functions.data[function].name);
}

static void print_argument(const struct dwarf_reading *r, FILE *out, const struct inline_site *site,
			   const struct dwarf_argument *argument)
{
	const struct dwarf_function *origin = &r->model.functions.data[site->origin];

	for (uint32_t i = 0; i < origin->parameter_count; i++) {
		const struct dwarf_parameter *parameter =
			&r->model.parameters.data[origin->first_parameter + i];

		if (parameter->offset == argument->parameter)
			fprintf(out, ", %s", name_table_text(&r->reader.names, parameter->name));
	}
	if (argument->is_number)
		fprintf(out, " = %" PRId64, (int64_t)argument->constant);
	if (argument->location.form_class != LOCATION_FORM_ABSENT)
		fputs(" located", out);
}

static char *print_sites(const struct dwarf_reading *r, const struct inline_sites *sites)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	for (size_t i = 0; i < sites->sites.count; i++) {
		const struct inline_site *site = &sites->sites.data[i];

		fprintf(out, "%s in %s", name_of(r, site->origin), name_of(r, site->function));
		if (site->has_entry)
			fprintf(out, " at 0x%" PRIx64, site->entry);
		else
			fputs(" nowhere", out);
		if (site->call_line)
			fprintf(out, ", call %u:%u", site->call_file, site->call_line);
		if (site->parent != INLINE_SITE_NONE)
			fprintf(out, ", inside %u", site->parent);
		if (site->origin != OFFSET_INDEX_NONE &&
		    inline_site_is_in_itself(sites, &r->model, site))
			fputs(", in itself", out);
		for (uint32_t k = 0; k < site->argument_count; k++)
			print_argument(r, out, site,
				       &sites->arguments.data[site->first_argument + k]);
		fputc('\n', out);
	}
	fclose(out);
	return text;
}

TEST(test_cases)
{
	for (size_t i = 0; i < LENGTH(cases); i++) {
		for (int end = 0; end < 2; end++) {
			struct inline_sites sites = { 0 };
			struct dwarf_reading r;
			struct dwarf_blob b;
			char *text;

			dwarf_blob_init(&b);
			dwarf_blob_unit(&b, cases[i].version);
			cases[i].build(&b);
			/* The last null entry may be missing. */
			if (end)
				dwarf_blob_end_unit(&b);
			else
				dwarf_blob_finish_unit(&b);
			assert_true(dwarf_reading_open(&r, &b));
			assert_true(dwarf_reading_model(&r));
			if (!inline_sites_read(&sites, &r.reader, &r.model, 0, &r.err))
				fail_msg("%s", r.err.text);
			text = print_sites(&r, &sites);
			assert_string_equal(text, cases[i].wanted);
			free(text);
			inline_sites_release(&sites);
			dwarf_reading_end(&r, &b);
		}
	}
}

/* Reading skips what is inside a site, so that only this walk meets the depth. */
TEST(test_depth)
{
	for (int depth = UNIT_MAX_DEPTH - 2; depth <= UNIT_MAX_DEPTH; depth++) {
		struct inline_sites sites = { 0 };
		struct dwarf_reading r;
		struct dwarf_blob b;

		dwarf_blob_init(&b);
		dwarf_blob_unit(&b, 5);
		put_abstract(&b);
		OPEN(&b, 0, DW_TAG_subprogram, NAME("caller"), LOW(0x1000));
		for (int i = 0; i < depth; i++)
			OPEN(&b, 0, DW_TAG_inlined_subroutine, ORIGIN(OUTER), LOW(0x1010));
		for (int i = 0; i <= depth; i++)
			CLOSE(&b);
		dwarf_blob_end_unit(&b);
		assert_true(dwarf_reading_open(&r, &b));
		assert_true(dwarf_reading_model(&r));
		assert_int_equal(inline_sites_read(&sites, &r.reader, &r.model, 0, &r.err),
				 depth <= UNIT_MAX_DEPTH - 2);
		if (depth > UNIT_MAX_DEPTH - 2)
			assert_non_null(strstr(r.err.text, "nested more than 1024 deep"));
		inline_sites_release(&sites);
		dwarf_reading_end(&r, &b);
	}
}

/* Nothing keeps others from writing to a file while it is read. */
TEST(test_file_changes)
{
	struct inline_sites sites = { 0 };
	struct dwarf_reading r;
	struct dwarf_blob b;
	uint64_t at;

	dwarf_blob_init(&b);
	dwarf_blob_unit(&b, 5);
	OPEN(&b, 0, DW_TAG_subprogram, NAME("caller"), LOW(0x1000));
	CLOSE(&b);
	dwarf_blob_end_unit(&b);
	assert_true(dwarf_reading_open(&r, &b));
	assert_true(dwarf_reading_model(&r));
	at = r.object.sections[SECTION_INFO].file_offset + r.model.begin +
	     r.model.functions.data[0].offset;
	assert_int_equal(pwrite(b.fd, "", 1, (off_t)at), 1);
	assert_false(inline_sites_read(&sites, &r.reader, &r.model, 0, &r.err));
	assert_non_null(strstr(r.err.text, "the file was changed while it was read"));
	inline_sites_release(&sites);
	dwarf_reading_end(&r, &b);
}
