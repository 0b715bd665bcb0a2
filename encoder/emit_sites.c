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
		selection_find(&program->selection, &program->pool, name);
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
		function->name, btf_info(BTF_FUNC, BTF_LINKAGE_STATIC, false),
		function->prototype });
	emission->report->sites.added_funcs += program->table.shapes.count > known;
	return func;
}

/* Most units inline the same functions of headers: the answer for a name is kept. */
static uint32_t func_of(struct emission *emission, uint32_t index)
{
	const struct site_function *function =
		&emission->program->sites.functions.data[index];
	struct named_func *known = &emission->of_name[function->name];
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

static uint32_t *sort_sites(const struct program *program)
{
	size_t count = program->sites.sites.count;
	struct sort_item *items = memory_alloc(count * sizeof(*items));
	uint32_t *order = memory_alloc(count * sizeof(*order));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ program->sites.sites.data[i].address, (uint32_t)i };
	sort_by_key(items, count);
	for (size_t i = 0; i < count; i++)
		order[i] = items[i].value;
	free(items);
	return order;
}

typedef ARRAY_OF(uint32_t) word_array;

/* The same site may stand in DWARF twice: two units that inline one function of a third. */
static bool is_repeated(const word_array *words, const uint32_t entry[3])
{
	for (size_t at = words->count; at > BTF_HEAD_WORDS; at -= 3) {
		const uint32_t *before = words->data + at - 3;

		if (before[2] != entry[2])
			return false;
		if (before[0] == entry[0] && before[1] == entry[1])
			return true;
	}
	return false;
}

/* Takes sites in the order of addresses from order[i] on, as long as they are in the section. */
static size_t fill_section(struct emission *emission, word_array *words, const uint32_t *order,
			   size_t i, const struct section_header *section)
{
	const struct site_list *sites = &emission->program->sites;

	for (; i < sites->sites.count; i++) {
		const struct site *site = &sites->sites.data[order[i]];
		uint32_t entry[3] = { 0, site->places,
				      (uint32_t)(site->address - section->address) };

		if (site->address - section->address >= section->size)
			break;
		entry[0] = func_of(emission, site->function);
		if (!entry[0]) {
			emission->report->sites.unpromisable++;
			continue;
		}
		if (words->count - BTF_HEAD_WORDS >= 3 * (size_t)BTF_MAX_LOCSEC_VLEN ||
		    is_repeated(words, entry))
			continue;
		array_reserve(words, 3);
		memcpy(words->data + words->count, entry, sizeof(entry));
		words->count += 3;
	}
	return i;
}

static void add_section(struct program *program, word_array *words,
			const struct section_header *section)
{
	uint32_t count = (uint32_t)(words->count - BTF_HEAD_WORDS) / 3;
	uint32_t shape;

	if (!count)
		return;
	words->data[BTF_WORD_NAME] = string_pool_add(&program->pool, section->name);
	words->data[BTF_WORD_INFO] = btf_info(BTF_LOCSEC, count, false);
	words->data[BTF_WORD_TYPE] = 0;
	shape = shape_table_append(&program->table, words->data, UINT64_MAX);
	program->table.shapes.data[shape].is_root = true;
}

void program_add_inline_sites(struct program *program, struct encode_report *report)
{
	struct emission emission = { .program = program, .report = report };
	size_t functions = program->sites.functions.count;
	uint32_t *order = sort_sites(program);
	word_array words = { 0 };

	emission.funcs = memory_alloc(functions * sizeof(uint32_t));
	memset(emission.funcs, 0xff, functions * sizeof(uint32_t));
	emission.of_name = memory_zeroed(program->pool.strings.count,
					 sizeof(*emission.of_name));
	for (size_t i = 0; i < program->sites.sites.count;) {
		const struct site *site = &program->sites.sites.data[order[i]];
		size_t section = site_section(&program->object, site->address);

		words.count = 0;
		array_reserve(&words, BTF_HEAD_WORDS);
		words.count = BTF_HEAD_WORDS;
		i = fill_section(&emission, &words, order, i, &program->object.headers[section]);
		report->sites.written += (uint32_t)(words.count - BTF_HEAD_WORDS) / 3;
		add_section(program, &words, &program->object.headers[section]);
	}
	array_release(&words);
	free(emission.funcs);
	free(emission.of_name);
	free(order);
}
