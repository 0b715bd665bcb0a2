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
#include <stdio.h>
#include <string.h>

#include "dwarf/address_list.h"
#include "dwarf/byte_cursor.h"
#include "dwarf/location_operation.h"
#include "tests/comparison.h"

#define MAX_DEPTH 1024
#define MAX_PCS	  64

struct their_entry {
	uint64_t begin, end;
	Dwarf_Op *ops;
	size_t count;
};

struct function {
	bool has_code;
	uint64_t entry;
};

static struct {
	struct location_unit unit;
	address_range_array ranges;
	struct function functions[MAX_DEPTH];	/* by depth */
	ARRAY_OF(struct their_entry) entries;	/* of one parameter's list */
	bool is_cut;				/* libdw could not read on */
	uint64_t parameters, lookups, expressions, cuts;
} session;

/* ---- expressions ---- */

/*
 * libdw gives operations, not bytes: where each begins, its code, and its operands by value. So the
 * codes must be at these offsets, and the operands must be what our decoder reads there.
 */
static bool same_operation(const uint8_t *p, const uint8_t *end,
			   const uint8_t *next, const Dwarf_Op *theirs)
{
	struct location_operation ours;

	if (p >= end || *p != theirs->atom ||
	    location_operation_read(&session.unit, p, end, &ours) != next)
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

static bool same_expression(const struct byte_range *ours, const Dwarf_Op *ops, size_t count)
{
	if (!ours->begin)
		return false;
	if (!count)
		return ours->begin == ours->end;
	for (size_t i = 0; i < count; i++) {
		const uint8_t *p = ours->begin + ops[i].offset;
		const uint8_t *next = i + 1 < count ? ours->begin + ops[i + 1].offset : ours->end;

		if (!same_operation(p, ours->end, next, &ops[i]))
			return false;
	}
	return ops[0].offset == 0;
}

/* ---- one parameter ---- */

/* libdw has stopped at the entry [begin, end): only in front of DW_OP_GNU_uninit it may. */
static void explain_cut(uint64_t offset, const struct location_source *source, uint64_t begin)
{
	struct location_moment moment = { .pc = begin };
	struct byte_range ours;

	session.is_cut = true;
	session.cuts++;
	if (!location_expression_at(&session.unit, source, &moment, &ours) ||
	    ours.begin == ours.end ||
	    !memchr(ours.begin, DW_OP_GNU_uninit, (size_t)(ours.end - ours.begin)))
		differ(offset, "libdw cannot read the list (%s)", dwarf_errmsg(-1));
}

/* The rules of dwarf/location.h, written down a second time. */
static const struct their_entry *expected_entry(const struct location_moment *moment)
{
	for (size_t i = 0; i < session.entries.count; i++) {
		const struct their_entry *entry = &session.entries.data[i];

		if (entry->begin <= moment->pc && moment->pc < entry->end)
			return entry;
		if (moment->is_entry && entry->begin == moment->pc && entry->end == moment->pc)
			return entry;
	}
	for (size_t i = 0; i < session.entries.count; i++) {
		const struct their_entry *entry = &session.entries.data[i];

		if (entry->begin <= moment->pc + moment->pad_bytes &&
		    moment->pc + moment->pad_bytes < entry->end)
			return entry;
	}
	return NULL;
}

static void compare_moment(uint64_t offset, const struct location_source *source,
			   const struct location_moment *moment)
{
	const struct their_entry *expected = expected_entry(moment);
	struct byte_range ours;

	if (session.is_cut &&
	    (!expected || expected->begin > moment->pc || expected->end <= moment->pc))
		return;
	session.lookups++;
	if (!location_expression_at(&session.unit, source, moment, &ours))
		differ(offset, "the list is malformed");
	else if (!expected ? ours.begin != NULL
			   : !same_expression(&ours, expected->ops, expected->count))
		differ(offset, "pc 0x%" PRIx64 " + %u%s: another expression", moment->pc,
		       moment->pad_bytes, moment->is_entry ? " (entry)" : "");
}

/* libdw's own answer for a pc; it returns all entries that cover it. */
static void compare_address(uint64_t offset, Dwarf_Attribute *attr,
			    const struct location_source *source, uint64_t pc)
{
	struct location_moment moment = { .pc = pc };
	struct byte_range ours = { NULL, NULL };
	Dwarf_Op *ops;
	size_t count;
	int found = dwarf_getlocation_addr(attr, pc, &ops, &count, 1);

	if (found < 0 && session.is_cut)
		return;
	session.lookups++;
	if (found < 0 || !location_expression_at(&session.unit, source, &moment, &ours))
		differ(offset, "pc 0x%" PRIx64 ": libdw says %d (%s)", pc, found, dwarf_errmsg(-1));
	else if (found ? !same_expression(&ours, ops, count) : ours.begin != NULL)
		differ(offset, "pc 0x%" PRIx64 ": not the expression of libdw", pc);
}

static void compare_parameter(const struct die *die, uint64_t entry)
{
	struct location_source source = location_source_of(&compared.cursor, die, SLOT_LOCATION);
	static const uint32_t pads[] = { 0, 1, 4, 5, 9, 16 };
	Dwarf_Addr base, begin = 0, end = 0;
	struct location location;
	Dwarf_Attribute attr;
	ptrdiff_t at = 0;
	Dwarf_Die theirs;
	Dwarf_Op *ops;
	size_t count;

	session.parameters++;
	if (!dwarf_offdie(compared.theirs.dwarf, die->offset, &theirs) ||
	    !dwarf_attr(&theirs, DW_AT_location, &attr)) {
		if (source.form_class != LOCATION_FORM_ABSENT)
			differ(die->offset, "libdw has no location");
		return;
	}
	session.entries.count = 0;
	session.is_cut = false;
	while ((at = dwarf_getlocations(&attr, at, &base, &begin, &end, &ops, &count)) > 0)
		array_push(&session.entries, ((struct their_entry){ begin, end, ops, count }));
	if (at < 0)
		explain_cut(die->offset, &source, begin);
	compare_address(die->offset, &attr, &source, entry);
	for (size_t i = 0; i < sizeof(pads) / sizeof(pads[0]); i++) {
		for (int is_entry = 0; is_entry < 2; is_entry++)
			compare_moment(die->offset, &source, &(struct location_moment){
					       .pc = entry, .pad_bytes = pads[i],
					       .is_entry = is_entry });
	}
	/* The ends of each entry; a lone expression is one entry, from 0 to -1, for any pc. */
	for (size_t i = 0; i < session.entries.count && i < MAX_PCS &&
			   source.form_class >= LOCATION_FORM_LIST; i++) {
		uint64_t from = session.entries.data[i].begin, to = session.entries.data[i].end;
		uint64_t pcs[] = { from - 1, from, to - 1, to };

		for (size_t k = 0; k < sizeof(pcs) / sizeof(pcs[0]); k++) {
			struct location_moment moment = { .pc = pcs[k] };

			compare_moment(die->offset, &source, &moment);
			session.expressions++;
			if (!location_at(&session.unit, &source, FRAME_BASE_CFA, &moment,
					 &location))
				differ(die->offset, "pc 0x%" PRIx64 ": malformed", pcs[k]);
		}
	}
}

/* ---- the walk ---- */

static void enter_function(const struct die *die, struct function *function)
{
	if (die_has(die, SLOT_LOW_PC)) {
		function->has_code = die_cursor_address(&compared.cursor, die, SLOT_LOW_PC,
							&function->entry);
	} else if (die_has(die, SLOT_RANGES)) {
		session.ranges.count = 0;
		function->has_code = ranges_read(&compared.cursor, die, &session.ranges) &&
				     session.ranges.count;
		if (function->has_code)
			function->entry = session.ranges.data[0].begin;
	}
}

static bool compare_unit(const struct unit *unit, struct error *err)
{
	enum die_status status;
	uint32_t depth = 0;
	struct die die;

	if (!compared_unit_open(unit, err))
		return false;
	while ((status = die_cursor_next(&compared.cursor, &die)) <= DIE_NULL) {
		if (status == DIE_NULL) {
			depth -= depth > 0;
			continue;
		}
		if (depth == 0) {
			die_cursor_set_bases(&compared.cursor, &die);
			session.unit = location_unit_of(&compared.cursor);
		}
		if (depth + 1 >= MAX_DEPTH)
			return error_set(err, "%s: too deep", compared.path);
		session.functions[depth].has_code = false;
		if (die.tag == DW_TAG_subprogram)
			enter_function(&die, &session.functions[depth]);
		if (die.tag == DW_TAG_formal_parameter && depth &&
		    session.functions[depth - 1].has_code)
			compare_parameter(&die, session.functions[depth - 1].entry);
		depth += die.has_children;
	}
	return status == DIE_END;
}

static bool compare_parameters(struct error *err)
{
	bool good = true;

	memset(&session, 0, sizeof(session));
	for (size_t i = 0; good && i < compared.units.count; i++)
		good = compare_unit(&compared.units.data[i], err);
	if (good)
		printf("%s: %" PRIu64 " parameters, %" PRIu64 " lookups, %" PRIu64
		       " reductions, %" PRIu64 " lists cut: %s\n", compared.path,
		       session.parameters, session.lookups, session.expressions, session.cuts,
		       compared_verdict());
	array_release(&session.entries);
	array_release(&session.ranges);
	return good;
}

int main(int argc, char **argv)
{
	return compare_dwarf(argc, argv, true, compare_parameters);
}
