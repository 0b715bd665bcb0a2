/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/list/list.h"

#include <fnmatch.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "btf/inspect.h"
#include "kernel/btf_functions.h"
#include "kernel/kernel.h"
#include "kernel/records.h"
#include "kernel/registered.h"

const char *const list_kinds[LIST_KINDS] = {
	[LIST_FUNCTION] = "function", [LIST_KFUNC] = "kfunc", [LIST_TRACEPOINT] = "tracepoint",
	[LIST_LSM] = "lsm", [LIST_ITER] = "iter", [LIST_STRUCT_OPS] = "struct_ops",
};

static int compare_listed(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	int order = list_is_of_kind(y, LIST_FUNCTION) - list_is_of_kind(x, LIST_FUNCTION);

	order = order ? order : strcmp(x->name, y->name);
	/* Of several functions of a name the one that is found by it is the first. */
	order = order ? order : x->is_other - y->is_other;
	/* Nodes of prototypes depend on the threads, ids in BTF do not. */
	order = order ? order : order_of(x->number, y->number);
	order = order ? order : order_of(x->prototype, y->prototype);
	return order ? order : order_of(x->sites, y->sites);
}

/* The first of a name among the first `functions` items, which are sorted; NULL: there is none. */
static struct listed *find_function(const struct list_source *source, size_t functions,
				    const char *name)
{
	struct listed *items = source->items.data;
	size_t at = lower_bound(i, functions, strcmp(items[i].name, name) < 0);

	return at < functions && strcmp(items[at].name, name) == 0 ? &items[at] : NULL;
}

static void add_tracepoint(struct list_source *source, size_t functions, const uint32_t *words)
{
	const char *name =
		text_after(type_string(&source->types, words[BTF_WORD_NAME]), TRACEPOINT_TYPE);
	struct listed listed = { .name = name, .kind = LIST_TRACEPOINT };
	const struct listed *iterator;
	char *text;

	if (btf_record_kind(words) != BTF_TYPEDEF || !name || name[btf_name_length(name)])
		return;
	text = text_format(TRACEPOINT_ITERATOR "%s", name);
	iterator = find_function(source, functions, text);
	free(text);
	listed.prototype = tracepoint_prototype(&source->types, words,
						iterator ? iterator->prototype : 0,
						&listed.named_prototype);
	if (!listed.prototype)
		return;
	listed.event = event_of_tracepoint(&source->events, name);
	listed.record = listed.event.is == ATTACH_YES && listed.event.class_name
				? event_record(&source->events, listed.event.class_name) : NULL;
	array_push(&source->items, listed);
}

/* Those that the kernel surely does not keep are left out. */
static void add_call(void *context, const char *name)
{
	struct list_source *source = context;
	struct listed listed = { .kind = LIST_TRACEPOINT };

	if (!event_of_call(&source->events, name, &listed.event) ||
	    listed.event.is == ATTACH_NO)
		return;
	listed.name = memory_copy(name);
	listed.record = event_record(&source->events, listed.event.class_name);
	array_push(&source->names, (char *)listed.name);
	array_push(&source->items, listed);
}

/* Names of hooks are looked for one by one; a kernel has some 250. */
#define LSM_HOOKS_MAX 1024

static void add_lsm(struct list_source *source, struct listed listed)
{
	const char *function = listed.name;
	struct answer answer;

	if (!text_after(function, LSM_FUNCTION) || source->hooks >= LSM_HOOKS_MAX)
		return;
	if (++source->hooks == LSM_HOOKS_MAX)
		print_warning("%s has more LSM hooks than kernels have; those after the first %d "
			      "are left out", source->module ? source->module : "the kernel",
			      LSM_HOOKS_MAX);
	answer = registered_lsm_hook(&source->image, &source->types, function, listed.prototype);
	free((char *)answer.why);
	listed.name = text_after(function, LSM_FUNCTION);
	listed.kind = LIST_LSM;
	listed.taken = (uint8_t)answer.is;
	if (answer.is != ATTACH_NO)
		array_push(&source->items, listed);
}

static void add_iterator(struct list_source *source, size_t functions, const uint32_t *words)
{
	const char *name =
		text_after(type_string(&source->types, words[BTF_WORD_NAME]), ITERATOR_CONTEXT);
	char *text = name && btf_record_kind(words) == BTF_STRUCT
			     ? text_format(ITERATOR_FUNCTION "%s", name) : NULL;
	const struct listed *function = text ? find_function(source, functions, text) : NULL;

	free(text);
	if (function)
		array_push(&source->items, ((struct listed){
			.name = name, .kind = LIST_ITER, .prototype = function->prototype }));
}

/* What is asked for besides functions, which are there and sorted; by types [first, end). */
static void add_others(struct list_source *source, uint32_t first, uint32_t end)
{
	size_t functions = source->items.count;

	source->events = (struct events){ .image = &source->image, .types = &source->types,
					  .by_dwarf = !source->types.btf };
	for (size_t i = 0; i < functions && source->kind == LIST_LSM; i++)
		add_lsm(source, source->items.data[i]);
	for (uint32_t i = first; i < end && source->kind >= LIST_TRACEPOINT; i++) {
		const uint32_t *words = type_nth(&source->types, i);
		const char *ops;

		if (source->kind == LIST_TRACEPOINT)
			add_tracepoint(source, functions, words);
		else if (source->kind == LIST_ITER)
			add_iterator(source, functions, words);
		else if (source->kind == LIST_STRUCT_OPS &&
			 (ops = registered_ops_of(&source->types, words)))
			array_push(&source->items, ((struct listed){
				.name = ops, .kind = LIST_STRUCT_OPS }));
	}
	if (source->kind == LIST_TRACEPOINT && !source->module)
		events_visit_calls(&source->events, add_call, source);
	array_sort(&source->items, compare_listed);
}

void list_source_release(struct list_source *source)
{
	array_release(&source->items);
	array_free(&source->names);
	array_release(&source->alignments.records);
	events_release(&source->events);
	kfunc_table_release(&source->kfuncs);
}

/* ---- by BTF ---- */

/* .BTF.extra has FUNCs for all code: by symbols those without code of their own are known. */
static bool is_inlined_only(const struct list_source *source, const struct btf_function *function)
{
	const struct symbol_table *symbols = source->image.symbols;
	const struct symbol *symbol;
	struct symbol_search search;

	if (!symbols || !symbols->symbols.count || !function->entry_prototype)
		return false;
	search = symbol_table_search_base(symbols, function->symbol);
	while ((symbol = symbol_search_next(&search)) && symbol->type == STT_OBJECT)
		;
	return !symbol;
}

/*
 * By the sets of an image, which know more than BTF's tags: these are on functions for fmod_ret,
 * too. A damaged .BTF_ids costs the marks, not the list: encode reports it.
 */
static void mark_kfuncs(struct list_source *source, const struct program *program)
{
	kfunc_table_read(&source->kfuncs, &source->image, &source->types, program);
	/* A function may be in sets of both kinds. */
	for (int is_callable = 0; is_callable < 2; is_callable++) {
		array_each(const struct kfunc_row, row, &source->kfuncs.rows) {
			struct listed *listed = find_function(source, source->items.count,
							      row->name);

			if (listed && row->is_callable == is_callable)
				listed->kind = is_callable ? LIST_KFUNC : LIST_FUNCTION;
		}
	}
}

/* BTF does not say which function is found by a name that has two FUNCs, as pahole 1.24 writes. */
static void mark_twins(struct list_source *source)
{
	for (size_t i = 1; i < source->items.count; i++) {
		struct listed *a = &source->items.data[i - 1], *b = &source->items.data[i];

		if (a->verdict == VERDICT_OK && b->verdict == VERDICT_OK &&
		    strcmp(a->name, b->name) == 0)
			a->is_twin = b->is_twin = true;
	}
}

void list_add_btf(struct list_source *source, const struct btf_reader *btf,
		  const struct btf_reader *parts, uint32_t part_count)
{
	struct btf_functions found;

	btf_functions_read(&found, btf, parts, part_count);
	source->types.btf = found.btf;
	source->types.alignments = &source->alignments;
	source->has_sites = found.has_sites || found.has_entries;
	array_each(const struct btf_function, function, &found.items) {
		struct listed listed = {
			.name = function->symbol,
			.id = function->is_part || btf->has_base_section ? 0 : function->id,
			.prototype = function->prototype ? function->prototype
							 : function->entry_prototype,
			/* One of the entries of what has a FUNC is its own. */
			.sites = found.has_sites ? function->sites.count
				 : function->entries - (function->entries && !function->is_part),
			.verdict = function->is_part ? VERDICT_INLINED_ONLY : VERDICT_OK,
			.kind = function->is_kfunc ? LIST_KFUNC : LIST_FUNCTION };

		/* FUNCs without a prototype are there for copies, parts and the like. */
		if (function->is_extra ? is_inlined_only(source, function)
				       : function->prototype || !function->is_part)
			array_push(&source->items, listed);
	}
	array_release(&found.items);
	array_sort(&source->items, compare_listed);
	/* Feature inline adds FUNCs for other functions, which are no promises. */
	if (!btf_has_kind(btf, BTF_LOCSEC))
		mark_twins(source);
	mark_kfuncs(source, NULL);
	add_others(source, btf->first_id, btf_reader_end_id(btf));
}

/* ---- by DWARF ---- */

static bool has_own_prototype(const struct judged_function *judged)
{
	return judged->instance != NO_INSTANCE && !(judged->reasons & REASON(NO_PROTOTYPE));
}

/* To items in the order of judged functions. What is inlined has the prototype of its sites. */
static void add_sites(struct list_source *source, const struct program *program)
{
	const struct selection *selection = &program->selection;

	array_each(const struct site_function, function, &program->sites.functions) {
		const struct judged_function *judged =
			selection_of_function(selection, function->name, function->number);
		struct listed *listed;

		if (!judged)
			continue;
		listed = &source->items.data[judged - selection->functions.data];
		listed->sites += function->sites;
		/* Rather a definition's. */
		if (!has_own_prototype(judged) && !ref_is_void(function->prototype) &&
		    (!listed->prototype || !function->is_declaration))
			listed->prototype = function->prototype.word;
	}
}

/* The items, `count` of which are sorted. */
struct alias_items {
	struct list_source *source;
	const struct string_pool *pool;
	size_t count;
};

static void add_alias(void *context, const char *name, const struct judged_function *of)
{
	const struct alias_items *items = context;
	struct listed alias = *find_function(items->source, items->count,
					     string_pool_text(items->pool, of->name));

	alias.name = name;
	alias.sites = 0;
	array_push(&items->source->items, alias);
}

void list_add_program(struct list_source *source, const struct program *program)
{
	source->types = type_source_of_program(program);
	source->types.alignments = &source->alignments;
	source->has_sites = true;
	array_each(const struct judged_function, judged, &program->selection.functions) {
		const struct function_instance *instance =
			judged->instance == NO_INSTANCE
				? NULL : &program->instances.functions.data[judged->instance];

		array_push(&source->items, ((struct listed){
			.name = string_pool_text(&program->pool, judged->name),
			.number = judged->number,
			.prototype = has_own_prototype(judged) ? instance->prototype.word : 0,
			.address = instance ? instance->address : 0,
			.verdict = (uint8_t)judged->verdict,
			.has_address = instance,
			.is_other = !selection_is_first(&program->selection, judged) }));
	}
	add_sites(source, program);
	array_sort(&source->items, compare_listed);
	program_visit_aliases(program, source->image.tables, add_alias,
			      &(struct alias_items){ source, &program->pool, source->items.count });
	array_sort(&source->items, compare_listed);
	mark_kfuncs(source, program);
	add_others(source, 1, program->first_site_node);
}

/* ---- what is asked for ---- */

struct attach_state list_attach(const struct list_source *source, const struct listed *listed,
				bool by_kprobe)
{
	const struct attach_image *image = &source->image;
	const struct symbol *symbol;
	uint64_t address = listed->address;

	/* What has no code may share its name with data. */
	if (listed->verdict == VERDICT_INLINED_ONLY)
		return (struct attach_state){ .kprobe = ANSWER_YES };
	if (!listed->has_address) {
		symbol = image->symbols ? records_find_symbol(image->symbols, listed->name,
							      RECORDS_ANYWHERE) : NULL;
		if (!symbol && image->running)
			return attach_state_of_name(image, listed->name, !by_kprobe);
		if (!symbol)
			return (struct attach_state){ .kprobe = ANSWER_YES };
		address = symbol->address;
	}
	return attach_state_of_entry(image, address, !by_kprobe);
}

/*
 * Kernels look for it by its name, under which BTF may promise what a link has left out, or, by
 * pahole 1.24, one of several functions.
 */
static bool has_no_own_symbol(const struct list_source *source, const struct listed *listed)
{
	const struct symbol_table *symbols = source->image.symbols;
	const struct symbol *symbol;
	struct symbol_search search;

	if (listed->has_address || !symbols || !symbols->symbols.count ||
	    symbol_table_only_code(symbols, listed->name))
		return false;
	search = symbol_table_search_base(symbols, listed->name);
	while ((symbol = symbol_search_next(&search))) {
		if (symbol_parse(symbol->name).class == SUFFIX_SAME)
			return symbol_is_function(symbol) &&
			       strcmp(symbol->name, listed->name) == 0;
	}
	return true;
}

static bool is_attachable(enum list_attachable by, const struct list_source *source,
			  const struct listed *listed)
{
	struct attach_state state;
	struct trampoline_view view;

	if (by == LIST_ANY)
		return true;
	/* Other functions have no code of that name, or no FUNC. */
	if (listed->is_other || (listed->is_twin && by == LIST_FENTRY) ||
	    (listed->verdict != VERDICT_OK && (by == LIST_FENTRY || !listed->has_address)))
		return false;
	/* A kprobe goes to the only symbol of a name, and that of a clone has another name. */
	if (by == LIST_KPROBE && source->image.symbols && source->image.symbols->symbols.count &&
	    !attach_only_symbol(source->image.symbols, listed->name))
		return false;
	state = list_attach(source, listed, by == LIST_KPROBE);
	/* Kernels refuse kprobes, too, where there is no hook (within_notrace_func()). */
	if (by == LIST_KPROBE)
		return state.kprobe.is == ATTACH_YES && state.ftrace != ATTACH_NO && !state.init &&
		       !state.exit;
	view = type_trampoline_view(&source->types, listed->prototype);
	return listed->prototype && !has_no_own_symbol(source, listed) &&
	       fentry_obstacle(&source->image, &state, listed->name, &view) ==
		       FENTRY_OBSTACLE_COUNT;
}

static bool has_parameter(const struct list_parameter *wanted, const struct list_source *source,
			  const struct listed *listed)
{
	const uint32_t *words = type_words_of(&source->types, listed->prototype, BTF_FUNC_PROTO);
	/* void *__data is not an argument */
	uint32_t first = listed->kind == LIST_TRACEPOINT;

	for (uint32_t i = first; i < btf_element_count(words); i++) {
		uint32_t ref = btf_element(words, i)[1];

		/* The dots have no type. */
		if (ref && (!wanted->position || wanted->position == i - first + 1) &&
		    type_pattern_matches(&wanted->type, &source->types, ref))
			return true;
	}
	return false;
}

bool list_name_fits(const char *pattern, const char *group, const char *name)
{
	char *whole = group && strchr(pattern, ':') ? text_format("%s:%s", group, name) : NULL;
	bool fits = fnmatch(pattern, whole ? whole : name, 0) == 0;

	free(whole);
	return fits;
}

/* A system call's have its parameters, too. */
static bool has_field(const struct list_source *source, const struct listed *listed,
		      const char *field)
{
	const char *call = text_after(listed->name, "sys_enter_");
	struct call_parameters found = { 0 };
	uint32_t byte;

	if (!listed->prototype && call &&
	    system_call_parameters(&source->image, call, &found)) {
		for (size_t i = 0; i < found.count; i++) {
			if (strcmp(found.names[i], field) == 0)
				return true;
		}
	}
	return type_member_byte(&source->types, listed->record, field, &byte);
}

bool list_is_wanted(const struct list_query *query, const struct list_source *source,
		    const struct listed *listed)
{
	const uint32_t *words;
	bool fits = !query->name_count;

	for (int i = 0; i < query->name_count && !fits; i++)
		fits = list_name_fits(query->names[i], listed->event.group, listed->name);
	if (!fits || !list_is_of_kind(listed, query->kind) ||
	    (query->field && !has_field(source, listed, query->field)) ||
	    (query->with_sites && !listed->sites) ||
	    (query->verdicts && !(query->verdicts >> listed->verdict & 1)))
		return false;
	for (size_t i = 0; i < query->takes.count; i++) {
		if (!has_parameter(&query->takes.data[i], source, listed))
			return false;
	}
	if (query->has_result) {
		words = type_words_of(&source->types, listed->prototype, BTF_FUNC_PROTO);
		if (!words ||
		    !type_pattern_matches(&query->result, &source->types, words[BTF_WORD_TYPE]))
			return false;
	}
	return is_attachable(query->attachable, source, listed);
}
