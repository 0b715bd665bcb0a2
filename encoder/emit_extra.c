/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The pass of encode that adds what .BTF.extra has: a DATASEC of functions for each section, the
 * LOCs and FUNCs that it refers to (docs/format.md). The image builder divides what is added here
 * from what is in .BTF.
 */
#include "btf/location_text.h"
#include "encoder/passes.h"

struct extra {
	struct program *program;
	struct encode_report *report;
	const struct abi *abi;
	size_t old_nodes;		/* those of .BTF */
	uint32_t *location_names;	/* by LOC_PARAM node: text in the pool, 0: none known */
	uint32_t *site_funcs;		/* by site function: FUNC of its inline sites, or 0 */
	ARRAY_OF(struct site_entry) entries;
	ARRAY_OF(uint32_t) words;
};

/* ---- probe arguments ---- */

/* The pool's id of a LOC_PARAM as a probe argument, 0 if it has none. */
static uint32_t location_name(struct extra *extra, uint32_t loc_param)
{
	uint32_t *name = &extra->location_names[loc_param];
	const uint32_t *record;
	char text[80] = "\\";

	if (!loc_param || *name)
		return *name;
	record = node_words(&extra->program->table, loc_param);
	if (!btf_location_is_fetched(record, abi_register_of, extra->abi))
		return 0;
	btf_location_text(record, abi_register_of, extra->abi,
			  text + (record[BTF_HEAD_WORDS] & BTF_LOC_CONST ? 1 : 0),
			  sizeof(text) - 1);
	*name = program_add_text(extra->program, text).index;
	return *name;
}

/* The LOC for parameter locations of a prototype. */
static uint32_t make_loc(struct extra *extra, struct node_ref locations, struct node_ref prototype)
{
	struct program *program = extra->program;
	const uint32_t *list = ref_is_void(locations)
		? NULL : node_words(&program->table, ref_node(locations));
	uint32_t count = btf_info_vlen(
		node_words(&program->table, ref_node(prototype))[BTF_WORD_INFO]);

	extra->words.count = 0;
	array_reserve(&extra->words, BTF_HEAD_WORDS + count);
	extra->words.data[BTF_WORD_NAME] = 0;
	extra->words.data[BTF_WORD_INFO] = btf_info(BTF_LOC, count, false);
	extra->words.data[BTF_WORD_TYPE] = prototype.word;
	for (uint32_t i = 0; i < count; i++) {
		bool has = list && i < btf_info_vlen(list[BTF_WORD_INFO]);

		extra->words.data[BTF_HEAD_WORDS + i] =
			has ? location_name(extra, list[BTF_HEAD_WORDS + i]) : 0;
	}
	return node_table_intern(&program->table, extra->words.data, UINT64_MAX);
}

/* ---- FUNCs ---- */

/*
 * The FUNC in .BTF that promises this name with this prototype; else one without a prototype. A
 * prototype of REF_VOID is promised by none.
 */
static uint32_t func_of(struct extra *extra, struct pool_id name, struct node_ref prototype,
			bool external)
{
	struct program *program = extra->program;
	uint32_t func = program_promised_func(program, name);

	if (func && node_words(&program->table, func)[BTF_WORD_TYPE] == prototype.word)
		return func;
	return node_table_intern(&program->table, (uint32_t[]){
		name.index,
		btf_info(BTF_FUNC, external ? BTF_LINKAGE_GLOBAL : BTF_LINKAGE_STATIC, false),
		REF_VOID.word }, UINT64_MAX);
}

/* ---- instances ---- */

/* The function symbol at an address under whatever name (asm labels), or NULL. */
static const struct symbol *symbol_at(const struct program *program, uint64_t address)
{
	const struct symbol_table *symbols = &program->symbols;

	for (size_t i = symbol_table_at(symbols, address);
	     i < symbols->symbols.count && symbols->symbols.data[i].address == address; i++) {
		if (symbol_is_function(&symbols->symbols.data[i]))
			return &symbols->symbols.data[i];
	}
	return NULL;
}

/*
 * Code without a symbol is dead as a rule: a weak function that lost. Under its own name it would
 * be taken for an inline site of the one that won.
 */
static void add_instance(struct extra *extra, const struct function_instance *instance)
{
	struct program *program = extra->program;
	const struct symbol *symbol = instance->symbol == NO_SYMBOL
		? symbol_at(program, instance->address)
		: &program->symbols.symbols.data[instance->symbol];
	uint32_t prototype = ref_node(instance->prototype);
	uint32_t parameters =
		btf_info_vlen(node_words(&program->table, prototype)[BTF_WORD_INFO]);
	bool is_same = instance->join == JOIN_SAME;
	struct site_entry entry = { .address = instance->address, .location = prototype };

	if (!symbol || !btf_is_identifier(symbol->name))
		return;
	entry.func = func_of(extra, string_pool_add(&program->pool, symbol->name),
			     is_same ? instance->prototype : REF_VOID,
			     instance->external && is_same);
	if (instance->reasons & REASON(NO_PROTOTYPE))
		entry.location = 0;
	else if (!instance_is_by_convention(instance) && parameters)
		entry.location = make_loc(extra, instance->locations, instance->prototype);
	array_push(&extra->entries, entry);
	extra->report->sites.instances++;
}

static void add_fragment(struct extra *extra, const struct site_fragment *fragment)
{
	struct program *program = extra->program;
	const struct site_function *function =
		&program->sites.functions.data[fragment->site.function];
	const char *name = program->symbols.symbols.data[fragment->symbol].name;

	if (!btf_is_identifier(name))
		return;
	array_push(&extra->entries, ((struct site_entry){
		.address = fragment->site.address,
		.func = func_of(extra, string_pool_add(&program->pool, name), REF_VOID, false),
		.location = !ref_is_void(function->prototype)
			? make_loc(extra, fragment->site.locations, function->prototype) : 0 }));
	extra->report->sites.instances++;
}

/* ---- inline sites ---- */

static void add_site(struct extra *extra, const struct site *site)
{
	const struct program *program = extra->program;
	const struct site_function *function = &program->sites.functions.data[site->function];
	struct node_ref prototype = function->prototype;
	uint32_t *func = &extra->site_funcs[site->function], location = ref_node(prototype);

	if (!*func && btf_is_identifier(string_pool_text(&program->pool, function->name)))
		*func = func_of(extra, function->name,
				program_promises(program, function) ? prototype : REF_VOID, false);
	if (!*func)
		return;
	if (!ref_is_void(prototype) &&
	    btf_info_vlen(node_words(&program->table, ref_node(prototype))[BTF_WORD_INFO]))
		location = make_loc(extra, site->locations, prototype);
	array_push(&extra->entries, ((struct site_entry){ site->address, *func, location }));
	extra->report->sites.extra_sites++;
}

void program_add_extra(struct program *program, struct encode_report *report)
{
	struct extra extra = { .program = program, .report = report,
			       .abi = abi_of(&program->object),
			       .old_nodes = program->table.nodes.count };
	size_t functions = program->sites.functions.count;
	const struct node_table *table = &program->table;

	extra.location_names = memory_zeroed(extra.old_nodes, sizeof(uint32_t));
	extra.site_funcs = memory_zeroed(functions, sizeof(uint32_t));
	for (size_t i = 0; i < program->instances.functions.count; i++)
		add_instance(&extra, &program->instances.functions.data[i]);
	for (size_t i = 0; i < program->sites.fragments.count; i++)
		add_fragment(&extra, &program->sites.fragments.data[i]);
	for (size_t i = 0; program->options->features.func_secinfo_inline &&
			   i < program->sites.sites.count; i++)
		add_site(&extra, &program->sites.sites.data[i]);
	program_add_site_sections(program, BTF_DATASEC, extra.entries.data, extra.entries.count);
	for (uint32_t n = (uint32_t)extra.old_nodes; n < table->nodes.count; n++) {
		report->sites.extra_funcs += node_kind(table, n) == BTF_FUNC;
		report->sites.locs += node_kind(table, n) == BTF_LOC;
	}
	array_release(&extra.entries);
	array_release(&extra.words);
	free(extra.location_names);
	free(extra.site_funcs);
}
