/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The pass of encode that adds inline sites to .BTF: LOCSEC, and FUNCs for functions that have no
 * code of their own (docs/format.md). LOC_PROTO and LOC_PARAM shapes are there since the group was
 * read; what a LOCSEC refers to is written.
 *
 * A FUNC is a promise to whoever finds a symbol of its name. So none is added under a name that a
 * symbol has, and none beside a promised one of another prototype: such sites are left out.
 */
#include <string.h>

#include "base/sort.h"
#include "encoder/program.h"

/* A site_function has not been looked at, or has no FUNC. */
#define FUNC_PENDING UINT32_MAX
#define FUNC_NONE    0

/* What find_func() said last about a name. */
struct named_func {
	uint32_t func;
	shape_ref prototype;
	bool has_named_parameters;
	bool is_known;
};

struct emission {
	struct program *program;
	uint32_t *funcs;		/* by site function: its FUNC shape */
	struct named_func *of_name;	/* by pool id */
	struct encode_report *report;
};

/* ---- FUNCs ---- */

static bool has_symbol(const struct program *program, const char *name)
{
	struct symbol_search search = symbol_table_search(&program->symbols, name);

	return symbol_search_next(&search) != NULL;
}

static uint32_t find_func(struct emission *emission, const struct site_function *function)
{
	struct program *program = emission->program;
	const char *name = string_pool_text(&program->pool, function->name);
	const struct judged_function *judged =
		selection_of(&program->selection, function->name);
	uint32_t func = judged ? program->funcs[judged - program->selection.functions.data]
			       : FUNC_NONE;
	size_t known = program->table.shapes.count;

	if (!function->prototype || !function->has_named_parameters || !btf_is_identifier(name))
		return FUNC_NONE;
	if (func)
		return shape_words(&program->table, func)[BTF_WORD_TYPE] == function->prototype
			       ? func : FUNC_NONE;
	if (has_symbol(program, name))
		return FUNC_NONE;
	func = program_intern(program, (uint32_t[]){
		function->name.index, btf_info(BTF_FUNC, BTF_LINKAGE_STATIC, false),
		function->prototype });
	emission->report->sites.added_funcs += program->table.shapes.count > known;
	return func;
}

/* Most units inline the same functions of headers: the answer for a name is kept. */
static uint32_t func_of(struct emission *emission, uint32_t index)
{
	const struct site_function *function =
		&emission->program->sites.functions.data[index];
	struct named_func *known = &emission->of_name[function->name.index];
	uint32_t *func = &emission->funcs[index];

	if (*func != FUNC_PENDING)
		return *func;
	if (!known->is_known || known->prototype != function->prototype ||
	    known->has_named_parameters != function->has_named_parameters)
		*known = (struct named_func){ find_func(emission, function), function->prototype,
					      function->has_named_parameters, true };
	*func = known->func;
	return *func;
}

/* ---- sections ---- */

typedef ARRAY_OF(uint32_t) word_array;

/* The sites of one section by their functions, in three passes that touch each site once. */
struct grouping {
	const struct site_list *sites;
	uint32_t *func;			/* by site: its FUNC shape, or FUNC_NONE */
	uint32_t *begins;		/* by shape: where its sites begin; 0 between sections */
	word_array touched;		/* FUNCs that have sites in the section */
	uint32_t *grouped;		/* sites */
};

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
 * In the order of addresses, and of places where these are equal. Units ascend in the code as they
 * do in DWARF, so most are already.
 */
static void sort_group(const struct site_list *sites, uint64_t section_address, uint32_t *group,
		       uint32_t count)
{
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
			(site->address - section_address) << 32 | site->places, group[i] };
	}
	sort_by_key(items, count);
	for (uint32_t i = 0; i < count; i++)
		group[i] = items[i].value;
	free(items);
}

/* The same site may stand in DWARF twice: two calls of one function without code between them. */
static void write_group(struct grouping *grouping, const uint32_t *group, uint32_t count,
			uint32_t func, uint64_t section_address, word_array *words)
{
	const struct site *last = NULL;

	array_reserve(words, 3 * (size_t)count);
	for (uint32_t i = 0; i < count; i++) {
		const struct site *site = &grouping->sites->sites.data[group[i]];
		const uint32_t entry[3] = { func, site->places,
					    (uint32_t)(site->address - section_address) };

		if (last && last->address == site->address && last->places == site->places)
			continue;
		memcpy(words->data + words->count, entry, sizeof(entry));
		words->count += 3;
		last = site;
	}
}

/* The LOCSEC of a section: group by group, which the image puts into the order of their ids. */
static void add_section(struct emission *emission, struct grouping *grouping,
			const uint32_t *sites, uint32_t count,
			const struct section_header *section, word_array *words)
{
	struct program *program = emission->program;
	uint32_t begin = 0, shape;

	find_groups(grouping, sites, count);
	words->count = 0;
	array_reserve(words, BTF_HEAD_WORDS);
	words->count = BTF_HEAD_WORDS;
	for (size_t i = 0; i < grouping->touched.count; i++) {
		uint32_t func = grouping->touched.data[i];
		uint32_t end = grouping->begins[func];

		sort_group(grouping->sites, section->address, grouping->grouped + begin,
			   end - begin);
		write_group(grouping, grouping->grouped + begin, end - begin, func,
			    section->address, words);
		grouping->begins[func] = 0;
		begin = end;
	}
	count = (uint32_t)((words->count - BTF_HEAD_WORDS) / 3);
	if (count > BTF_MAX_LOCSEC_VLEN)
		count = BTF_MAX_LOCSEC_VLEN;
	if (!count)
		return;
	words->data[BTF_WORD_NAME] = string_pool_add(&program->pool, section->name).index;
	words->data[BTF_WORD_INFO] = btf_info(BTF_LOCSEC, count, false);
	words->data[BTF_WORD_TYPE] = 0;
	shape = shape_table_append(&program->table, words->data, UINT64_MAX);
	program->table.shapes.data[shape].is_root = true;
	emission->report->sites.written += count;
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

static void find_funcs(struct emission *emission, struct grouping *grouping)
{
	const struct site_list *sites = grouping->sites;

	grouping->func = memory_alloc(sites->sites.count * sizeof(uint32_t));
	for (size_t i = 0; i < sites->sites.count; i++) {
		grouping->func[i] = func_of(emission, sites->sites.data[i].function);
		emission->report->sites.unpromisable += grouping->func[i] == FUNC_NONE;
	}
}

void program_add_inline_sites(struct program *program, struct encode_report *report)
{
	struct emission emission = { .program = program, .report = report };
	struct grouping grouping = { .sites = &program->sites };
	size_t functions = program->sites.functions.count;
	uint32_t *ends = memory_zeroed(program->object.header_count, sizeof(*ends));
	uint32_t *order = divide(program, ends), begin = 0;
	word_array words = { 0 };

	emission.funcs = memory_alloc(functions * sizeof(uint32_t));
	memset(emission.funcs, 0xff, functions * sizeof(uint32_t));
	emission.of_name = memory_zeroed(program->pool.strings.count,
					 sizeof(*emission.of_name));
	find_funcs(&emission, &grouping);
	grouping.begins = memory_zeroed(program->table.shapes.count, sizeof(uint32_t));
	grouping.grouped = memory_alloc(program->sites.sites.count * sizeof(uint32_t));
	for (size_t s = 1; s < program->object.header_count; s++) {
		if (ends[s] > begin)
			add_section(&emission, &grouping, order + begin, ends[s] - begin,
				    &program->object.headers[s], &words);
		begin = ends[s] > begin ? ends[s] : begin;
	}
	array_release(&words);
	array_release(&grouping.touched);
	free(grouping.func);
	free(grouping.begins);
	free(grouping.grouped);
	free(emission.funcs);
	free(emission.of_name);
	free(order);
	free(ends);
}
