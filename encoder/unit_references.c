/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/unit_references.h"

#include <stdatomic.h>

#include "base/search.h"
#include "base/sort.h"
#include "base/workers.h"

/* As an index: the first unit that ends after the start of each so many bytes of the section. */
#define INDEX_SHIFT 10

/* Units that a worker takes at once. */
#define RUN 16

/* What one worker has found. */
struct found {
	/* from << 32 | to << 1; | 1: it is imported only, which is not a reference to its DIEs. */
	ARRAY_OF(struct sort_item) edges;
	uint64_t *last;			/* by unit: the last edge to it + 1 */
	ARRAY_OF(struct sort_item) coded;
	ARRAY_OF(struct unit_code) code;
	address_range_array ranges;	/* of one unit */
	struct abbrev_table abbrevs;
};

struct reference_search {
	const struct object *object;
	const struct unit_list *units;
	uint32_t *index;
	const struct language_set *excluded;
	bool *is_compiled, *is_wanted;	/* by unit */
	struct found *found;		/* by worker */
	_Atomic size_t next;
};

/*
 * References that abbreviation programs decode; others are never followed. An imported unit belongs
 * to the image, but need not be read together with the one that imports it.
 */
#define REFERENCE_SLOTS                                                                            \
	(SLOT_BIT(TYPE) | SLOT_BIT(ORIGIN) | SLOT_BIT(SPECIFICATION) | SLOT_BIT(SIGNATURE) |       \
	 SLOT_BIT(ANNOTATION) | SLOT_BIT(IMPORT))
#define CODE_SLOTS                                                                                 \
	(SLOT_BIT(LOW_PC) | SLOT_BIT(HIGH_PC) | SLOT_BIT(RANGES) | SLOT_BIT(ADDR_BASE) |           \
	 SLOT_BIT(RNGLISTS_BASE))

/*
 * DWARF 5 section 7.12 and later registrations. Unknown languages are read like C. Those with
 * subranges as types, descriptors of arrays or hidden arguments are left out: BTF has none of it.
 */
bool language_is_in(const struct language_set *excluded, uint64_t language)
{
	switch (language) {
	case DW_LANG_Rust: return excluded->rust;
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case 0x002a:	/* DW_LANG_C_plus_plus_17 */
	case 0x002b:	/* DW_LANG_C_plus_plus_20 */
	case 0x003a:	/* DW_LANG_C_plus_plus_23 */
		return excluded->cxx;
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
	case 0x002c:	/* DW_LANG_C17 */
	case 0x003e:	/* DW_LANG_C23 */
		return excluded->c;
	case DW_LANG_Mips_Assembler:
	case 0x0031:	/* DW_LANG_Assembly */
		return excluded->assembler;
	case DW_LANG_Ada83:
	case DW_LANG_Ada95:
	case 0x002e:	/* DW_LANG_Ada2005 */
	case 0x002f:	/* DW_LANG_Ada2012 */
	case DW_LANG_Cobol74:
	case DW_LANG_Cobol85:
	case DW_LANG_Fortran77:
	case DW_LANG_Fortran90:
	case DW_LANG_Fortran95:
	case DW_LANG_Fortran03:
	case DW_LANG_Fortran08:
	case 0x002d:	/* DW_LANG_Fortran18 */
	case 0x003f:	/* DW_LANG_Fortran23 */
	case DW_LANG_Modula2:
	case DW_LANG_Modula3:
	case DW_LANG_Pascal83:
	case DW_LANG_PLI:
		return true;
	default: return excluded->other;
	}
}

static uint32_t *index_units(const struct object *object, const struct unit_list *units)
{
	size_t cells = (object->sections[SECTION_INFO].size >> INDEX_SHIFT) + 1;
	uint32_t *index = memory_alloc(cells * sizeof(*index));
	uint32_t unit = 0;

	for (size_t i = 0; i < cells; i++) {
		while (unit < units->count && units->data[unit].end <= i << INDEX_SHIFT)
			unit++;
		index[i] = unit;
	}
	return index;
}

/* As unit_list_find(), which takes 20 steps for each of the millions of references of a kernel. */
static uint32_t find_unit(const struct reference_search *search, uint64_t offset)
{
	const struct unit_list *units = search->units;
	uint32_t unit;

	if (offset >= search->object->sections[SECTION_INFO].size)
		return UINT32_MAX;
	unit = search->index[offset >> INDEX_SHIFT];
	while (unit < units->count && units->data[unit].end <= offset)
		unit++;
	return unit < units->count && units->data[unit].offset <= offset ? unit : UINT32_MAX;
}

static void add_edge(struct found *found, uint64_t from, uint32_t to, bool is_import)
{
	uint64_t edge = from << 32 | (uint64_t)to << 1 | is_import;

	if (found->last[to] == edge + 1)
		return;
	found->last[to] = edge + 1;
	array_push(&found->edges, ((struct sort_item){ edge, 0 }));
}

static void search_die(const struct reference_search *search, struct found *found, uint32_t from,
		       const struct die *die)
{
	const struct unit *unit = &search->units->data[from];
	uint64_t left = die->present & REFERENCE_SLOTS;

	for (; left; left &= left - 1) {
		unsigned int slot = (unsigned int)__builtin_ctzll(left);
		uint64_t target = die->value[slot];
		uint32_t to;

		if (target >= unit->offset && target < unit->end)
			continue;
		to = find_unit(search, target);
		if (to == UINT32_MAX)
			continue;
		add_edge(found, from, to, slot == SLOT_IMPORT);
		/* A function without code may be between the code and its declaration. */
		if (die->tag == DW_TAG_subprogram && slot != SLOT_TYPE)
			array_push(&found->coded, ((struct sort_item){ target, 0 }));
	}
}

/* A unit that cannot be read is reported by the pass that reads it. */
static void search_unit(const struct reference_search *search, struct found *found, uint32_t from)
{
	const struct unit *unit = &search->units->data[from];
	struct die_cursor cursor;
	struct error ignored;
	enum die_status status;
	struct die die;

	if (!die_cursor_open(&cursor, search->object, search->units, unit, &found->abbrevs, &die,
			     &ignored))
		return;
	search->is_compiled[from] = die.tag == DW_TAG_compile_unit;
	search->is_wanted[from] =
		die.tag != DW_TAG_partial_unit &&
		!language_is_in(search->excluded, die_value(&die, SLOT_LANGUAGE, 0));
	found->ranges.count = 0;
	code_ranges_read(&cursor, &die, &found->ranges);
	for (size_t i = 0; i < found->ranges.count; i++)
		array_push(&found->code, ((struct unit_code){ from, found->ranges.data[i] }));
	if (!found->abbrevs.crosses_units)
		return;
	do {
		search_die(search, found, from, &die);
		while ((status = die_cursor_next(&cursor, &die)) == DIE_NULL)
			;
	} while (status == DIE_READ);
}

static void search_units(void *context, unsigned int worker)
{
	struct reference_search *search = context;
	struct found *found = &search->found[worker];
	size_t first;

	found->last = memory_zeroed(search->units->count, sizeof(*found->last));
	found->abbrevs.ignored_slots = ~(REFERENCE_SLOTS | CODE_SLOTS | SLOT_BIT(LANGUAGE));
	while ((first = atomic_fetch_add(&search->next, RUN)) < search->units->count) {
		workers_start_more();
		for (size_t i = first; i < first + RUN && i < search->units->count; i++)
			search_unit(search, found, (uint32_t)i);
	}
	abbrev_table_release(&found->abbrevs);
	array_release(&found->ranges);
	free(found->last);
}

/* Units of dwz have the flag, too, if others with it refer to them, or import them. */
static void pass_on(bool *flags, const struct reference_search *search,
		    const struct sort_item *edges, size_t count)
{
	ARRAY_OF(uint32_t) left = { 0 };

	for (uint32_t i = 0; i < search->units->count; i++) {
		if (flags[i])
			array_push(&left, i);
	}
	while (left.count) {
		uint64_t from = left.data[--left.count];
		size_t at = lower_bound(i, count, edges[i].key < from << 32);

		for (; at < count && edges[at].key >> 32 == from; at++) {
			uint32_t to = (uint32_t)edges[at].key >> 1;

			if (flags[to] || search->is_compiled[to])
				continue;
			flags[to] = true;
			array_push(&left, to);
		}
	}
	array_release(&left);
}

static void keep_edges(struct unit_references *references, const struct unit_list *units,
		       const struct sort_item *edges, size_t count)
{
	size_t at = 0;

	array_reserve(&references->targets, 1);
	references->first = memory_alloc((units->count + 1) * sizeof(uint32_t));
	for (uint32_t i = 0; i < units->count; i++) {
		references->first[i] = (uint32_t)references->targets.count;
		for (; at < count && edges[at].key >> 32 == i; at++) {
			if (!(edges[at].key & 1) && (!at || edges[at].key != edges[at - 1].key))
				array_push(&references->targets, (uint32_t)edges[at].key >> 1);
		}
	}
	references->first[units->count] = (uint32_t)references->targets.count;
}

void unit_references_find(struct unit_references *references, const struct object *object,
			  const struct unit_list *units, const struct language_set *excluded,
			  unsigned int jobs)
{
	struct reference_search search = { .object = object, .units = units,
					   .index = index_units(object, units),
					   .excluded = excluded,
					   .is_compiled = memory_zeroed(units->count, sizeof(bool)),
					   .is_wanted = memory_zeroed(units->count, sizeof(bool)),
					   .found = memory_zeroed(jobs, sizeof(*search.found)) };
	ARRAY_OF(struct sort_item) edges = { 0 }, coded = { 0 }, order = { 0 };
	ARRAY_OF(struct unit_code) code = { 0 };

	*references = (struct unit_references){
		.is_compiled = search.is_compiled, .is_wanted = search.is_wanted,
		.is_used = memory_zeroed(units->count, sizeof(bool)) };
	workers_run(jobs, search_units, &search);
	for (unsigned int w = 0; w < jobs; w++) {
		struct found *found = &search.found[w];

		array_move(&edges, &found->edges, 0);
		array_move(&coded, &found->coded, 0);
		array_move(&code, &found->code, 0);
		array_release(&found->edges);
		array_release(&found->coded);
		array_release(&found->code);
	}
	sort_by_key(edges.data, edges.count);
	sort_by_key(coded.data, coded.count);
	for (size_t i = 0; i < coded.count; i++) {
		if (!i || coded.data[i].key != coded.data[i - 1].key)
			array_push(&references->coded, coded.data[i].key);
	}
	/* Each unit was searched by one worker, so its ranges are in their order. */
	for (size_t i = 0; i < code.count; i++)
		array_push(&order, ((struct sort_item){ code.data[i].unit, (uint32_t)i }));
	sort_by_key(order.data, order.count);
	for (size_t i = 0; i < code.count; i++)
		array_push(&references->code, code.data[order.data[i].value]);
	/* Others than those of a supplementary file are used. */
	for (uint32_t i = 0; i < units->count; i++)
		references->is_used[i] = !units->data[i].piece->is_supplement;
	pass_on(references->is_used, &search, edges.data, edges.count);
	pass_on(references->is_wanted, &search, edges.data, edges.count);
	keep_edges(references, units, edges.data, edges.count);
	array_release(&edges);
	array_release(&coded);
	array_release(&order);
	array_release(&code);
	free(search.index);
	free(search.found);
}

void unit_references_release(struct unit_references *references)
{
	free(references->first);
	free(references->is_used);
	free(references->is_compiled);
	free(references->is_wanted);
	array_release(&references->targets);
	array_release(&references->coded);
	array_release(&references->code);
	*references = (struct unit_references){ 0 };
}
