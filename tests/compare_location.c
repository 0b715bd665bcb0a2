/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: compare_location FILE...
 *
 * Differential test: the expressions found for the parameters of all functions with code, against
 * libdw. At the entry it must be what dwarf_getlocation_addr() finds; and at the entry, at the
 * ends of all list entries and with a tolerance what the rules of dwarf/location.h say about the
 * entries that dwarf_getlocations() lists. Expressions are compared operation by operation. Every
 * expression of every list must be reduced without being called malformed.
 *
 * libdw does not know DW_OP_GNU_uninit, which GCC writes for what it has split but not yet filled:
 * after such an entry a list is not compared.
 *
 * Exit status: 0 equal (or no FILE: skipped), 1 different, 3 a file cannot be read.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dwarf/address_list.h"
#include "dwarf/byte_cursor.h"
#include "dwarf/location_operation.h"
#include "dwarf/unit.h"
#include "tests/libdw_file.h"

#define MAX_DEPTH	1024
#define MAX_DIFFERENCES 20
#define MAX_PCS		64

struct their_entry {
	uint64_t begin, end;
	Dwarf_Op *ops;
	size_t count;
};

struct function {
	bool has_code;
	uint64_t entry;
};

struct session {
	const char *path;
	struct object object;
	struct unit_list units;
	struct abbrev_table abbrevs;
	struct die_cursor cursor;
	struct location_unit unit;
	address_range_array ranges;
	struct function functions[MAX_DEPTH];	/* by depth */
	ARRAY_OF(struct their_entry) entries;	/* of one parameter's list */
	Dwarf *dbg;
	bool is_cut;				/* libdw could not read on */
	uint64_t parameters, lookups, expressions, cuts, differences;
};

__attribute__((format(printf, 3, 4)))
static void differ(struct session *s, uint64_t offset, const char *format, ...)
{
	va_list args;

	if (s->differences++ >= MAX_DIFFERENCES)
		return;
	printf("%s: DIE 0x%" PRIx64 ": ", s->path, offset);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

/* ---- expressions ---- */

/*
 * libdw gives operations, not bytes: where each begins, its code, and its operands by value. So the
 * codes must be at these offsets, and the operands must be what our decoder reads there.
 */
static bool same_operation(const struct session *s, const uint8_t *p, const uint8_t *end,
			   const uint8_t *next, const Dwarf_Op *theirs)
{
	struct location_operation ours;

	if (p >= end || *p != theirs->atom ||
	    location_operation_read(&s->unit, p, end, &ours) != next)
		return false;
	if (*p >= DW_OP_lit0 && *p <= DW_OP_reg31)
		return true;
	if (*p >= DW_OP_breg0 && *p <= DW_OP_breg31)
		return ours.b.number == theirs->number;
	/* For blocks libdw has the length and an address. */
	if (ours.a.block)
		return ours.a.number == theirs->number;
	if (ours.b.block)
		return ours.a.number == theirs->number;
	return ours.a.number == theirs->number && ours.b.number == theirs->number2;
}

static bool same_expression(const struct session *s, const struct byte_range *ours,
			    const Dwarf_Op *ops, size_t count)
{
	if (!ours->begin)
		return false;
	if (!count)
		return ours->begin == ours->end;
	for (size_t i = 0; i < count; i++) {
		const uint8_t *p = ours->begin + ops[i].offset;
		const uint8_t *next = i + 1 < count ? ours->begin + ops[i + 1].offset : ours->end;

		if (!same_operation(s, p, ours->end, next, &ops[i]))
			return false;
	}
	return ops[0].offset == 0;
}

/* ---- one parameter ---- */

/* libdw has stopped at the entry [begin, end): only in front of DW_OP_GNU_uninit it may. */
static void explain_cut(struct session *s, uint64_t offset, const struct location_source *source,
			uint64_t begin)
{
	struct location_moment moment = { .pc = begin };
	struct byte_range ours;

	s->is_cut = true;
	s->cuts++;
	if (!location_expression_at(&s->unit, source, &moment, &ours) || ours.begin == ours.end ||
	    !memchr(ours.begin, DW_OP_GNU_uninit, (size_t)(ours.end - ours.begin)))
		differ(s, offset, "libdw cannot read the list (%s)", dwarf_errmsg(-1));
}

/* The rules of dwarf/location.h, written down a second time. */
static const struct their_entry *expected_entry(const struct session *s,
						const struct location_moment *moment)
{
	for (size_t i = 0; i < s->entries.count; i++) {
		const struct their_entry *entry = &s->entries.data[i];

		if (entry->begin <= moment->pc && moment->pc < entry->end)
			return entry;
		if (moment->is_entry && entry->begin == moment->pc && entry->end == moment->pc)
			return entry;
	}
	for (size_t i = 0; i < s->entries.count; i++) {
		const struct their_entry *entry = &s->entries.data[i];

		if (entry->begin <= moment->pc + moment->pad_bytes &&
		    moment->pc + moment->pad_bytes < entry->end)
			return entry;
	}
	return NULL;
}

static void compare_moment(struct session *s, uint64_t offset, const struct location_source *source,
			   const struct location_moment *moment)
{
	const struct their_entry *expected = expected_entry(s, moment);
	struct byte_range ours;

	if (s->is_cut && (!expected || expected->begin > moment->pc || expected->end <= moment->pc))
		return;
	s->lookups++;
	if (!location_expression_at(&s->unit, source, moment, &ours))
		differ(s, offset, "the list is malformed");
	else if (!expected ? ours.begin != NULL
			   : !same_expression(s, &ours, expected->ops, expected->count))
		differ(s, offset, "pc 0x%" PRIx64 " + %u%s: another expression", moment->pc,
		       moment->pad_bytes, moment->is_entry ? " (entry)" : "");
}

/* libdw's own answer for a pc; it returns all entries that cover it. */
static void compare_address(struct session *s, uint64_t offset, Dwarf_Attribute *attr,
			    const struct location_source *source, uint64_t pc)
{
	struct location_moment moment = { .pc = pc };
	struct byte_range ours = { NULL, NULL };
	Dwarf_Op *ops;
	size_t count;
	int found = dwarf_getlocation_addr(attr, pc, &ops, &count, 1);

	if (found < 0 && s->is_cut)
		return;
	s->lookups++;
	if (found < 0 || !location_expression_at(&s->unit, source, &moment, &ours))
		differ(s, offset, "pc 0x%" PRIx64 ": libdw says %d (%s)", pc, found,
		       dwarf_errmsg(-1));
	else if (found ? !same_expression(s, &ours, ops, count) : ours.begin != NULL)
		differ(s, offset, "pc 0x%" PRIx64 ": not the expression of libdw", pc);
}

static void compare_parameter(struct session *s, const struct die *die, uint64_t entry)
{
	struct location_source source = location_source_of(&s->cursor, die, SLOT_LOCATION);
	static const uint32_t pads[] = { 0, 1, 4, 5, 9, 16 };
	Dwarf_Addr base, begin = 0, end = 0;
	struct location location;
	Dwarf_Attribute attr;
	ptrdiff_t at = 0;
	Dwarf_Die theirs;
	Dwarf_Op *ops;
	size_t count;

	s->parameters++;
	if (!dwarf_offdie(s->dbg, die->offset, &theirs) ||
	    !dwarf_attr(&theirs, DW_AT_location, &attr)) {
		if (source.form_class != LOCATION_FORM_ABSENT)
			differ(s, die->offset, "libdw has no location");
		return;
	}
	s->entries.count = 0;
	s->is_cut = false;
	while ((at = dwarf_getlocations(&attr, at, &base, &begin, &end, &ops, &count)) > 0)
		array_push(&s->entries, ((struct their_entry){ begin, end, ops, count }));
	if (at < 0)
		explain_cut(s, die->offset, &source, begin);
	compare_address(s, die->offset, &attr, &source, entry);
	for (size_t i = 0; i < sizeof(pads) / sizeof(pads[0]); i++) {
		for (int is_entry = 0; is_entry < 2; is_entry++)
			compare_moment(s, die->offset, &source,
				       &(struct location_moment){
					       .pc = entry, .pad_bytes = pads[i],
					       .is_entry = is_entry });
	}
	/* The ends of each entry; a lone expression is one entry, from 0 to -1, for any pc. */
	for (size_t i = 0; i < s->entries.count && i < MAX_PCS &&
			   source.form_class >= LOCATION_FORM_LIST; i++) {
		uint64_t from = s->entries.data[i].begin, to = s->entries.data[i].end;
		uint64_t pcs[] = { from - 1, from, to - 1, to };

		for (size_t k = 0; k < sizeof(pcs) / sizeof(pcs[0]); k++) {
			struct location_moment moment = { .pc = pcs[k] };

			compare_moment(s, die->offset, &source, &moment);
			s->expressions++;
			if (!location_at(&s->unit, &source, FRAME_BASE_CFA, &moment, &location))
				differ(s, die->offset, "pc 0x%" PRIx64 ": malformed", pcs[k]);
		}
	}
}

/* ---- the walk ---- */

static void enter_function(struct session *s, const struct die *die, struct function *function)
{
	if (die_has(die, SLOT_LOW_PC)) {
		function->has_code = die_cursor_address(&s->cursor, die, SLOT_LOW_PC,
							&function->entry);
	} else if (die_has(die, SLOT_RANGES)) {
		s->ranges.count = 0;
		function->has_code = ranges_read(&s->cursor, die, &s->ranges) && s->ranges.count;
		if (function->has_code)
			function->entry = s->ranges.data[0].begin;
	}
}

static bool compare_unit(struct session *s, const struct unit *unit, struct error *err)
{
	enum die_status status;
	uint32_t depth = 0;
	struct die die;

	if (!unit_is_readable(unit, &s->object, err) ||
	    !abbrev_table_compile(&s->abbrevs, &s->object, unit, err))
		return false;
	die_cursor_init(&s->cursor, &s->object, &s->units, unit, &s->abbrevs, err);
	while ((status = die_cursor_next(&s->cursor, &die)) <= DIE_NULL) {
		if (status == DIE_NULL) {
			depth -= depth > 0;
			continue;
		}
		if (depth == 0) {
			die_cursor_set_bases(&s->cursor, &die);
			s->unit = location_unit_of(&s->cursor);
		}
		if (depth + 1 >= MAX_DEPTH)
			return error_set(err, "%s: too deep", s->path);
		s->functions[depth].has_code = false;
		if (die.tag == DW_TAG_subprogram)
			enter_function(s, &die, &s->functions[depth]);
		if (die.tag == DW_TAG_formal_parameter && depth && s->functions[depth - 1].has_code)
			compare_parameter(s, &die, s->functions[depth - 1].entry);
		depth += die.has_children;
	}
	return status == DIE_END;
}

/* Returns the exit status. */
static int compare_file(const char *path)
{
	struct session *s = memory_zeroed(1, sizeof(*s));
	struct libdw_file theirs;
	int status = EXIT_FAILED;
	struct error err;
	bool good = true;

	s->path = path;
	if (!object_open(&s->object, path, &err)) {
		printf("compare_location: %s\n", err.text);
		free(s);
		return EXIT_FAILED;
	}
	libdw_file_open(&theirs, &s->object);
	s->dbg = theirs.dwarf;
	if (!s->dbg) {
		printf("compare_location: %s: libdw cannot read it\n", path);
	} else {
		good = unit_list_read(&s->units, &s->object, &err);
		for (size_t i = 0; good && i < s->units.count; i++)
			good = compare_unit(s, &s->units.data[i], &err);
		if (!good)
			printf("compare_location: %s\n", err.text);
		else
			printf("%s: %" PRIu64 " parameters, %" PRIu64 " lookups, %" PRIu64
			       " reductions, %" PRIu64 " lists cut: %s\n", path, s->parameters,
			       s->lookups, s->expressions, s->cuts,
			       s->differences ? "DIFFERENT" : "equal");
		status = !good ? EXIT_FAILED : s->differences ? EXIT_ANSWER_NO : EXIT_DONE;
		abbrev_table_release(&s->abbrevs);
		unit_list_release(&s->units);
	}
	array_release(&s->entries);
	array_release(&s->ranges);
	libdw_file_close(&theirs);
	object_close(&s->object);
	free(s);
	return status;
}

int main(int argc, char **argv)
{
	int worst = EXIT_DONE;

	if (argc < 2)
		printf("compare_location: skipped, no files are given\n");
	for (int i = 1; i < argc; i++) {
		int status = compare_file(argv[i]);

		if (status > worst)
			worst = status;
	}
	return worst;
}
