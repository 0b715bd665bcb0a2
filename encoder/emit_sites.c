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
#include <string.h>

#include "base/sort.h"
#include "base/text.h"
#include "encoder/passes.h"

/* The FUNC that the last function of a name has. */
struct named_func {
	uint32_t func;
	uint32_t number;
	struct node_ref prototype;
	bool has_named_parameters;
};

/* The FUNC for the sites of a function, FUNC_NONE if they are left out. */
#define FUNC_NONE 0

static uint32_t find_func(struct program *program, const struct site_function *function,
			  struct encode_report *report)
{
	const char *name = string_pool_text(&program->pool, function->name);
	uint32_t func = program_promised_func(program, function->name);
	size_t known = program->table.nodes.count;

	if (ref_is_void(function->prototype) || !function->has_named_parameters ||
	    !btf_is_identifier(name))
		return FUNC_NONE;
	if (func)
		return program_promises(program, function) ? func : FUNC_NONE;
	if (symbol_table_find(&program->symbols, name))
		return FUNC_NONE;
	func = program_intern(program, (uint32_t[]){
		function->name.index, btf_info(BTF_FUNC, BTF_LINKAGE_STATIC, false),
		function->prototype.word });
	report->sites.added_funcs += program->table.nodes.count > known;
	return func;
}

/*
 * No kernel takes a LOC_PARAM of more than BTF_LOC_MAX_SIZE bytes: a LOC_PROTO with one is written
 * without it. By node; pages of those that are types are never touched.
 */
static uint32_t *find_fitting(struct program *program)
{
	struct node_table *table = &program->table;
	uint32_t count = (uint32_t)table->nodes.count;
	uint32_t *fitting = memory_zeroed(count, sizeof(*fitting));
	ARRAY_OF(uint32_t) words = { 0 };

	for (uint32_t n = program->first_site_node; n < count; n++) {
		bool fits = true;

		if (node_kind(table, n) != BTF_LOC_PROTO)
			continue;
		fitting[n] = n;
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

/* ---- sections ---- */

/*
 * DWARF may have an entry twice: two calls of one function without code between them; a definition
 * that was folded into another, with and without its address. Those that are kept stay in their
 * order. Returns how many these are.
 */
static size_t drop_repeated(struct site_entry *entries, struct sort_item *order, size_t count)
{
	ARRAY_OF(struct sort_item) run = { 0 };
	size_t kept = 0;

	for (size_t i = 0, end; i < count; i = end) {
		run.count = 0;
		for (end = i; end < count && order[end].key == order[i].key; end++) {
			const struct site_entry *entry = &entries[order[end].value];

			array_push(&run, ((struct sort_item){
				(uint64_t)entry->func << 32 | entry->location, order[end].value }));
		}
		if (run.count > 1)
			sort_by_key(run.data, run.count);
		for (size_t k = 1; k < run.count; k++) {
			if (run.data[k].key == run.data[k - 1].key)
				entries[run.data[k].value].func = FUNC_NONE;
		}
		for (size_t k = i; k < end; k++) {
			if (entries[order[k].value].func != FUNC_NONE)
				order[kept++] = order[k];
		}
	}
	array_release(&run);
	return kept;
}

/* By addresses; btf/dedup/image.c puts the sites of a LOCSEC in the order of their functions. */
static void add_section(struct program *program, enum btf_kind kind, const char *name,
			const struct section_header *section, const struct site_entry *entries,
			const struct sort_item *order, uint32_t count)
{
	bool is_locsec = kind == BTF_LOCSEC;
	uint32_t head[BTF_HEAD_WORDS] = {
		[BTF_WORD_NAME] = program_add_text(program, name).index,
		[BTF_WORD_INFO] = btf_info(kind, count, !is_locsec),
		[BTF_WORD_SIZE] = is_locsec ? 0 : (uint32_t)section->size };
	struct node_table *table = &program->table;
	uint32_t node = node_table_append_head(table, head, UINT64_MAX);
	uint32_t *words = table->words.data + table->starts.data[node] + BTF_HEAD_WORDS;

	table->nodes.data[node].is_root = true;
	for (uint32_t i = 0; i < count; i++, words += 3) {
		const struct site_entry *entry = &entries[order[i].value];

		words[0] = entry->func;
		words[is_locsec ? 1 : 2] = entry->location;
		words[is_locsec ? 2 : 1] = (uint32_t)(entry->address - section->address);
	}
}

uint32_t program_add_site_sections(struct program *program, enum btf_kind kind,
				   struct site_entry *entries, size_t count)
{
	const struct object *object = &program->object;
	const char *prefix = kind == BTF_LOCSEC ? BTF_LOCSEC_PREFIX : "";
	size_t limit = kind == BTF_LOCSEC ? BTF_MAX_LOCSEC_VLEN : BTF_VLEN_MAX, written = 0;
	struct sort_item *order = memory_alloc(count * sizeof(*order));

	for (size_t i = 0; i < count; i++)
		order[i] = (struct sort_item){ entries[i].address, (uint32_t)i };
	sort_by_key(order, count);
	count = drop_repeated(entries, order, count);
	for (size_t i = 0, end; i < count; i = end) {
		const struct section_header *section =
			&object->headers[site_section(object, order[i].key)];
		char *name;

		for (end = i + 1; end < count && end - i < limit &&
				  order[end].key - section->address < section->size; end++)
			;
		if (section == object->headers)
			continue;
		name = text_format("%s%s", prefix, section->name);
		add_section(program, kind, name, section, entries, order + i, (uint32_t)(end - i));
		free(name);
		written += end - i;
	}
	free(order);
	return (uint32_t)written;
}

/* ---- all ---- */

void program_add_inline_sites(struct program *program, struct encode_report *report)
{
	struct site_list *list = &program->sites;
	uint32_t *fitting = find_fitting(program);
	/* Units inline the same functions of headers: the last of a name is kept. */
	struct named_func *of_name = memory_zeroed(program->pool.strings.count, sizeof(*of_name));
	ARRAY_OF(struct site_entry) entries = { 0 };

	array_reserve(&entries, list->sites.count);
	array_each(const struct site, site, &list->sites) {
		const struct site_function *function = &list->functions.data[site->function];
		struct named_func *known = &of_name[function->name.index];

		/* Zeroed is what a function without a prototype has: no FUNC. */
		if (!ref_equal(known->prototype, function->prototype) ||
		    known->number != function->number ||
		    known->has_named_parameters != function->has_named_parameters)
			*known = (struct named_func){ find_func(program, function, report),
						      function->number, function->prototype,
						      function->has_named_parameters };
		if (known->func != FUNC_NONE)
			array_push(&entries, ((struct site_entry){
				site->address, known->func, fitting[ref_node(site->locations)] }));
		else
			report->sites.unpromisable++;
	}
	/* The only other reader is .BTF.extra. */
	if (!program->options->features.func_secinfo_inline)
		array_release(&list->sites);
	report->sites.written = program_add_site_sections(program, BTF_LOCSEC, entries.data,
							  entries.count);
	array_release(&entries);
	free(of_name);
	free(fitting);
}
