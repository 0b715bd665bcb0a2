/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The pass of encode that adds inline sites: LOCSEC, and FUNCs for functions that have no
 * code of their own (docs/format.md). The LOC_PROTO and LOC_PARAM nodes come from reading the
 * group; those that a LOCSEC refers to are written.
 *
 * A FUNC is a promise about the symbol of its name. So none is added under a name that a symbol
 * has, and none if the name is promised with another prototype: such sites are left out.
 */
#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/sort.h"
#include "encoder/passes.h"

/* The FUNC that the last function of a name has. */
struct named_func {
	uint32_t func;
	struct node_ref prototype;
	bool has_named_parameters;
	bool is_known;
};

/* The FUNC for the sites of a function, FUNC_NONE if they are left out. */
#define FUNC_NONE 0

static uint32_t find_func(struct program *program, const struct site_function *function,
			  struct encode_report *report)
{
	const char *name = string_pool_text(&program->pool, function->name);
	uint32_t func = program_promised_func(program, function->name);
	size_t known = program->table.nodes.count;
	struct symbol_search search;

	if (ref_is_void(function->prototype) || !function->has_named_parameters ||
	    !btf_is_identifier(name))
		return FUNC_NONE;
	if (func)
		return node_words(&program->table, func)[BTF_WORD_TYPE] == function->prototype.word
			       ? func : FUNC_NONE;
	search = symbol_table_search(&program->symbols, name);
	if (symbol_search_next(&search))
		return FUNC_NONE;
	func = program_intern(program, (uint32_t[]){
		function->name.index, btf_info(BTF_FUNC, BTF_LINKAGE_STATIC, false),
		function->prototype.word });
	report->sites.added_funcs += program->table.nodes.count > known;
	return func;
}

/* By site: its FUNC. Units inline the same functions of headers: the last of a name is kept. */
static uint32_t *find_funcs(struct program *program, struct encode_report *report)
{
	const struct site_list *list = &program->sites;
	struct named_func *of_name = memory_zeroed(program->pool.strings.count, sizeof(*of_name));
	uint32_t *func = memory_alloc(list->sites.count * sizeof(*func));

	for (size_t i = 0; i < list->sites.count; i++) {
		const struct site_function *function =
			&list->functions.data[list->sites.data[i].function];
		struct named_func *known = &of_name[function->name.index];

		if (!known->is_known || !ref_equal(known->prototype, function->prototype) ||
		    known->has_named_parameters != function->has_named_parameters)
			*known = (struct named_func){ find_func(program, function, report),
						      function->prototype,
						      function->has_named_parameters, true };
		func[i] = known->func;
		report->sites.unpromisable += func[i] == FUNC_NONE;
	}
	free(of_name);
	return func;
}

/* ---- sections ---- */

typedef ARRAY_OF(uint32_t) word_array;

/* The sites of one section by their functions, in three passes that touch each site once. */
struct grouping {
	const struct site_list *sites;
	uint32_t *func;			/* by site: its FUNC node, or FUNC_NONE */
	uint32_t *begins;		/* by node: where its sites begin; 0 between sections */
	word_array touched;		/* FUNCs that have sites in the section */
	uint32_t *grouped;		/* sites */
	uint32_t *fitting;		/* by LOC_PROTO node: what is written for it */
};

static uint32_t locations_of(const struct grouping *grouping, const struct site *site)
{
	return grouping->fitting[ref_node(site->locations)];
}

/*
 * No kernel takes a LOC_PARAM of more than BTF_LOC_MAX_SIZE bytes: a LOC_PROTO with one is written
 * without it.
 */
static uint32_t *find_fitting(struct program *program)
{
	struct node_table *table = &program->table;
	uint32_t count = (uint32_t)table->nodes.count;
	uint32_t *fitting = memory_zeroed(count, sizeof(*fitting));
	word_array words = { 0 };

	for (uint32_t n = 1; n < count; n++) {
		bool fits = true;

		fitting[n] = n;
		if (node_kind(table, n) != BTF_LOC_PROTO)
			continue;
		words.count = 0;
		array_reserve(&words, table->nodes.data[n].word_count);
		assert(words.data);
		memcpy(words.data, node_words(table, n),
		       table->nodes.data[n].word_count * sizeof(uint32_t));
		btf_each_ref(word, words.data) {
			uint32_t *location = &words.data[word];

			if (*location &&
			    node_words(table, *location)[BTF_WORD_SIZE] > BTF_LOC_MAX_SIZE) {
				*location = 0;
				fits = false;
			}
		}
		if (!fits)
			fitting[n] = node_table_intern(table, words.data, UINT64_MAX);
	}
	array_release(&words);
	return fitting;
}

/* How many of a section's sites each FUNC has; then where they begin. */
static void find_groups(struct grouping *grouping, const uint32_t *sites, uint32_t count)
{
	uint32_t begin = 0;

	grouping->touched.count = 0;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t func = grouping->func[sites[i]];

		if (func != FUNC_NONE && !grouping->begins[func]++)
			array_push(&grouping->touched, func);
	}
	for (size_t i = 0; i < grouping->touched.count; i++) {
		uint32_t *at = &grouping->begins[grouping->touched.data[i]];
		uint32_t end = begin + *at;

		*at = begin;
		begin = end;
	}
	for (uint32_t i = 0; i < count; i++) {
		uint32_t func = grouping->func[sites[i]];

		if (func != FUNC_NONE)
			grouping->grouped[grouping->begins[func]++] = sites[i];
	}
}

/*
 * In the order of addresses, and of locations where these are equal. Units ascend in the code as
 * they do in DWARF, so most are already.
 */
static void sort_group(const struct grouping *grouping, uint64_t section_address, uint32_t *group,
		       uint32_t count)
{
	const struct site_list *sites = grouping->sites;
	struct sort_item *items;
	uint32_t sorted = 1;

	while (sorted < count && sites->sites.data[group[sorted - 1]].address <
					 sites->sites.data[group[sorted]].address)
		sorted++;
	if (sorted >= count)
		return;
	items = memory_alloc(count * sizeof(*items));
	for (uint32_t i = 0; i < count; i++) {
		const struct site *site = &sites->sites.data[group[i]];

		items[i] = (struct sort_item){
			(site->address - section_address) << 32 | locations_of(grouping, site),
			group[i] };
	}
	sort_by_key(items, count);
	for (uint32_t i = 0; i < count; i++)
		group[i] = items[i].value;
	free(items);
}

/* DWARF may have a site twice: two calls of one function without code between them. */
static void write_group(struct grouping *grouping, const uint32_t *group, uint32_t count,
			uint32_t func, uint64_t section_address, word_array *words)
{
	const struct site *last = NULL;

	array_reserve(words, 3 * (size_t)count);
	for (uint32_t i = 0; i < count; i++) {
		const struct site *site = &grouping->sites->sites.data[group[i]];
		const uint32_t entry[3] = { func, locations_of(grouping, site),
					    (uint32_t)(site->address - section_address) };

		if (last && last->address == site->address &&
		    locations_of(grouping, last) == entry[1])
			continue;
		memcpy(words->data + words->count, entry, sizeof(entry));
		words->count += 3;
		last = site;
	}
}

/*
 * The LOCSEC of a section, group by group; the image sorts them by id. Returns the number of sites.
 */
static uint32_t add_section(struct program *program, struct grouping *grouping,
			    const uint32_t *sites, uint32_t count,
			    const struct section_header *section, word_array *words)
{
	char name[BTF_NAME_BYTES_MAX];
	uint32_t begin = 0;

	find_groups(grouping, sites, count);
	array_zero(words, BTF_HEAD_WORDS);
	for (size_t i = 0; i < grouping->touched.count; i++) {
		uint32_t func = grouping->touched.data[i];
		uint32_t end = grouping->begins[func];

		sort_group(grouping, section->address, grouping->grouped + begin, end - begin);
		write_group(grouping, grouping->grouped + begin, end - begin, func,
			    section->address, words);
		grouping->begins[func] = 0;
		begin = end;
	}
	count = (uint32_t)((words->count - BTF_HEAD_WORDS) / 3);
	if (count > BTF_MAX_LOCSEC_VLEN)
		count = BTF_MAX_LOCSEC_VLEN;
	if (!count)
		return 0;
	snprintf(name, sizeof(name), BTF_LOCSEC_PREFIX "%s", section->name);
	words->data[BTF_WORD_NAME] = program_add_text(program, name).index;
	words->data[BTF_WORD_INFO] = btf_info(BTF_LOCSEC, count, false);
	program_append(program, words->data);
	return count;
}

/* ---- all ---- */

/* The sites section by section; ends[] has where those of each end. In one section: as they are. */
static uint32_t *divide(const struct program *program, uint32_t *ends)
{
	const struct object *object = &program->object;
	size_t count = program->sites.sites.count;
	uint32_t *section_of = memory_alloc(count * sizeof(*section_of));
	uint32_t *order = memory_alloc(count * sizeof(*order));
	uint32_t section = 0, begin = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t address = program->sites.sites.data[i].address;

		if (address - object->headers[section].address >= object->headers[section].size)
			section = (uint32_t)site_section(object, address);
		section_of[i] = section;
		ends[section]++;
	}
	for (size_t s = 0; s < object->header_count; s++) {
		uint32_t sites = ends[s];

		ends[s] = begin;
		begin += sites;
	}
	for (uint32_t i = 0; i < count; i++)
		order[ends[section_of[i]]++] = i;
	free(section_of);
	return order;
}

void program_add_inline_sites(struct program *program, struct encode_report *report)
{
	struct grouping grouping = { .sites = &program->sites };
	uint32_t *ends = memory_zeroed(program->object.header_count, sizeof(*ends));
	uint32_t *order = divide(program, ends), begin = 0;
	word_array words = { 0 };

	grouping.func = find_funcs(program, report);
	grouping.begins = memory_zeroed(program->table.nodes.count, sizeof(uint32_t));
	grouping.grouped = memory_alloc(program->sites.sites.count * sizeof(uint32_t));
	grouping.fitting = find_fitting(program);
	for (size_t s = 1; s < program->object.header_count; s++) {
		if (ends[s] > begin)
			report->sites.written += add_section(
				program, &grouping, order + begin, ends[s] - begin,
				&program->object.headers[s], &words);
		begin = ends[s] > begin ? ends[s] : begin;
	}
	array_release(&words);
	array_release(&grouping.touched);
	free(grouping.func);
	free(grouping.begins);
	free(grouping.grouped);
	free(grouping.fitting);
	free(order);
	free(ends);
}
