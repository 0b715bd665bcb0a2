/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What else sees a function's calls, or what it does, and serves better than the function: a
 * tracepoint that its code calls, the events of a system call, a LSM hook, and what an inlined
 * wrapper calls. No list of names is behind it; the evidence is
 *
 *	tracepoints	trace_NAME() inlined into the function's code, or a call of
 *			__traceiter_NAME() or of its static call, by DWARF; by records, sites of
 *			trace_NAME() inside the function's symbol
 *	system calls	__ARCH_sys_NAME, and an event sys_enter_NAME
 *	LSM hooks	security_NAME, and a function bpf_lsm_NAME of the same parameters; or that
 *			function itself
 *	iterators	bpf_iter_NAME, and a struct bpf_iter__NAME
 *	callees		calls at more than half of the inline sites
 */
#include <stdlib.h>
#include <string.h>

#include "commands/explain/hooks.h"
#include "base/hash.h"
#include "base/hash_table.h"
#include "base/sort.h"
#include "kernel/btf_functions.h"
#include "kernel/attach/known_functions.h"
#include "commands/explain/explain_dwarf.h"
#include "commands/explain/tracepoint.h"
#include "kernel/registered.h"
#include "encoder/kfuncs.h"

#define NAME_BYTES 512
/* Tracepoints that are looked for by one name each; code of a kernel has some twenty at most. */
#define TRACEPOINTS_MAX 256

const char *const hook_kinds[HOOK_KINDS] = {
	[HOOK_TRACEPOINT] = "tracepoint", [HOOK_SYSTEM_CALL] = "system-call",
	[HOOK_LSM] = "lsm", [HOOK_ITERATOR] = "iterator", [HOOK_CALLEE] = "callee",
};

static struct hook *add_hook(struct explanation *explanation, enum hook_kind kind,
			     const char *name)
{
	struct hook hook = { .kind = (uint8_t)kind, .name = memory_copy(name),
			     .taken = ANSWER_YES };

	array_push(&explanation->hooks, hook);
	return &explanation->hooks.data[explanation->hooks.count - 1];
}

/* The last one. */
static void remove_hook(struct explanation *explanation)
{
	struct hook *hook = &explanation->hooks.data[--explanation->hooks.count];

	tracepoint_free(hook->tracepoint);
	free((char *)hook->taken.why);
	free(hook->name);
}

/* Adds one with its tracepoint, if that exists. */
static struct hook *add_tracepoint(struct explanation *explanation, enum hook_kind kind,
				   const char *name)
{
	struct hook *hook = add_hook(explanation, kind, name);

	hook->tracepoint = tracepoint_find(explanation, hook->name);
	if (hook->tracepoint)
		return hook;
	remove_hook(explanation);
	return NULL;
}

/* ---- by name, and what else there must be ---- */

#define NO_NUMBER ", unless the system call has no number, which nothing here shows (tracefs' " \
		  "events do, and an image's sys_call_table)"

static void find_system_call(struct explanation *explanation)
{
	static const char *const events[] = { "sys_enter_", "sys_exit_" };
	const struct abi *abi = explanation->image.abi;
	const char *call = system_call_of(explanation->name);
	char event[NAME_BYTES];

	/* The events are not for tasks of 32 bits (arch_trace_is_compat_syscall()). */
	if (!call || (abi_is(abi, ABI_X86_64) && text_after(explanation->name, "__ia32_")))
		return;
	for (size_t i = 0; i < 1u + trampoline_returns(explanation->name); i++) {
		struct hook *hook;

		snprintf(event, sizeof(event), "%s%s", events[i], call);
		hook = add_tracepoint(explanation, HOOK_SYSTEM_CALL, event);
		if (hook && hook->tracepoint->event == ATTACH_UNKNOWN)
			hook->taken = ANSWER_MAYBE(memory_copy(NO_NUMBER));
		else if (hook && hook->tracepoint->event == ATTACH_NO)
			remove_hook(explanation);
	}
}

static bool are_same_parameters(const struct type_source *types, uint32_t a, uint32_t b)
{
	const uint32_t *x = type_words_of(types, a, BTF_FUNC_PROTO);
	const uint32_t *y = type_words_of(types, b, BTF_FUNC_PROTO);
	bool same = x && y && btf_element_count(x) == btf_element_count(y);

	for (uint32_t i = 0; same && i < btf_element_count(x); i++) {
		struct value_type p = value_type_of(types, btf_element(x, i)[1]);
		struct value_type q = value_type_of(types, btf_element(y, i)[1]);

		/* Qualifiers differ in places. */
		if (p.kind == BTF_PTR && q.kind == BTF_PTR && p.words && q.words) {
			p = value_type_of(types, p.words[BTF_WORD_TYPE]);
			q = value_type_of(types, q.words[BTF_WORD_TYPE]);
		}
		same = p.kind == q.kind && p.words == q.words;
	}
	return same;
}

static void add_lsm(struct explanation *explanation, const char *function, uint32_t prototype)
{
	struct hook *hook = add_hook(explanation, HOOK_LSM, text_after(function, LSM_FUNCTION));
	const struct symbol_table *symbols = explanation->image.symbols;

	hook->prototype = prototype;
	hook->taken = registered_lsm_hook(&explanation->image, &explanation->types, function,
					  prototype);
	hook->sleepable = btf_ids_have(symbols, BTF_ID_SET "sleepable_lsm_hooks", function);
	if (hook->sleepable == ATTACH_UNKNOWN)
		hook->sleepable = btf_ids_have(symbols, BTF_ID_SET "btf_sleepable_lsm_hooks",
					       function);
}

enum attach_answer hooks_modifiable(const struct explanation *explanation, const char *function)
{
	const struct symbol_table *symbols = explanation->image.symbols;
	enum attach_answer answer = ATTACH_NO, has = ATTACH_NO;
	const struct symbol *last = NULL;

	array_each(const struct symbol, set, &symbols->symbols) {
		if (!text_after(set->name, "__BTF_ID__set8__"))
			continue;
		/* A damaged list may have all sets at one address. */
		if (!last || set->address != last->address)
			has = btf_ids_set_has(symbols, set, function);
		last = set;
		if (has != ATTACH_YES)
			continue;
		answer = ATTACH_UNKNOWN;
		if (kfuncs_are_for_fmod_ret(set->name))
			return ATTACH_YES;
	}
	if (answer == ATTACH_NO && btf_has_kfunc_tag(explanation->types.btf, function))
		answer = ATTACH_UNKNOWN;
	return answer;
}

/*
 * security_file_open() calls the hook file_open, security_bprm_check() bprm_check_security: two
 * ways of naming them, and the parameters tell whether it is so.
 */
static void find_lsm(struct explanation *explanation)
{
	static const char *const ends[] = { "", "_security" };
	const char *rest = text_after(explanation->name, "security_");
	char whole[NAME_BYTES];

	if (text_after(explanation->name, LSM_FUNCTION) && explanation->func == FUNC_PROMISED)
		add_lsm(explanation, explanation->name, explanation->prototype_id);
	for (size_t i = 0; rest && i < sizeof(ends) / sizeof(*ends); i++) {
		uint32_t prototype;

		snprintf(whole, sizeof(whole), LSM_FUNCTION "%s%s", rest, ends[i]);
		prototype = explain_find_function(explanation, whole);
		if (!prototype || !are_same_parameters(&explanation->types, prototype,
						       explanation->prototype_id))
			continue;
		add_lsm(explanation, whole, prototype);
		return;
	}
}

static void find_iterator(struct explanation *explanation)
{
	const char *rest = text_after(explanation->name, ITERATOR_FUNCTION);
	char whole[NAME_BYTES];

	if (!rest)
		return;
	snprintf(whole, sizeof(whole), ITERATOR_CONTEXT "%s", rest);
	if (type_exists(&explanation->types, 1, whole))
		add_hook(explanation, HOOK_ITERATOR, rest)->sleepable =
			registered_iterator_sleeps(&explanation->image, &explanation->types, rest);
}

/* ---- in its code ---- */

/* A name met in the function's code. */
struct met {
	char *name;
	bool is_call, is_tracepoint;
	size_t points;		/* at how many */
	size_t last;		/* the last of them, from 1 */
};

struct search {
	struct explanation *explanation;
	ARRAY_OF(struct met) names;
	struct hash_table by_name;	/* their numbers, from 1 */
	size_t tracepoints;		/* that were looked for */
};

/* Names of a damaged file may be anything, and go into scripts. */
static void take_name(void *context, const char *name, bool is_call)
{
	struct search *search = context;
	uint32_t hash = hash_bytes(name, strlen(name)) + is_call;
	const struct met *known = search->names.data;
	uint32_t at = hash_table_find(i, &search->by_name, hash, known[i - 1].is_call == is_call &&
				      strcmp(known[i - 1].name, name) == 0);
	struct met *met;

	if (!text_is_made_of(name, "_.$"))
		return;
	if (!at) {
		array_push(&search->names, ((struct met){
			.name = memory_copy(name), .is_call = is_call }));
		at = (uint32_t)search->names.count;
		hash_table_add(&search->by_name, hash, at);
	}
	met = &search->names.data[at - 1];
	if (met->last != search->explanation->hook_points) {
		met->last = search->explanation->hook_points;
		met->points++;
	}
}

/* "sched_switch" of what calls it: trace_sched_switch() inlined, a call of its static call, ... */
static const char *tracepoint_of(const char *name, char buffer[NAME_BYTES])
{
	static const char *const prefixes[] = { "trace_", "__do_trace_", "__traceiter_",
						"__SCT__tp_func_" };

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++) {
		const char *rest = text_after(name, prefixes[i]);

		if (!rest)
			continue;
		snprintf(buffer, NAME_BYTES, "%s", rest);
		if (strlen(buffer) > sizeof("_rcuidle") && text_ends_with(buffer, "_rcuidle"))
			buffer[strlen(buffer) - strlen("_rcuidle")] = '\0';
		return buffer;
	}
	return NULL;
}

static void add_called_tracepoint(struct search *search, struct met *met)
{
	struct explanation *explanation = search->explanation;
	char buffer[NAME_BYTES];
	const char *name = tracepoint_of(met->name, buffer);
	struct hook *hook;

	if (!name || search->tracepoints++ >= TRACEPOINTS_MAX)
		return;
	met->is_tracepoint = strcmp(name, explanation->name) == 0;
	for (size_t i = 0; i < explanation->hooks.count; i++)
		met->is_tracepoint |= strcmp(explanation->hooks.data[i].name, name) == 0;
	if (met->is_tracepoint)
		return;
	hook = add_tracepoint(explanation, HOOK_TRACEPOINT, name);
	met->is_tracepoint = hook;
	if (hook)
		hook->points = met->points;
}

/*
 * What a wrapper calls nearly always, where it has code of its own and a prototype. `callers`: by
 * judged function, NULL: not known.
 */
static void add_callee(struct explanation *explanation, const struct met *met,
		       const uint32_t *callers)
{
	const struct program *program = explanation->program;
	const struct judged_function *judged =
		selection_find(&program->selection, &program->pool, met->name);
	const struct function_instance *instance =
		judged && !judged->reasons ? &program->instances.functions.data[judged->instance]
					   : NULL;
	struct probe_point callee;
	struct hook *hook;

	if (!met->is_call || met->points * 2 <= explanation->hook_points || !instance ||
	    instance->symbol == NO_SYMBOL || strcmp(met->name, explanation->name) == 0)
		return;
	explain_dwarf_callee(explanation, instance, &callee);
	if (explain_refusal(explanation, &callee, false) &&
	    !probe_point_takes_fentry(&callee))
		return;
	hook = add_hook(explanation, HOOK_CALLEE, met->name);
	hook->points = met->points;
	hook->callers = callers ? callers[judged - program->selection.functions.data] : 0;
	hook->prototype = instance->prototype.word;
	hook->callee = callee;
}

static int compare_callees(const void *a, const void *b)
{
	const struct hook *x = a, *y = b;
	int order = order_of(x->callers, y->callers);

	return order ? order : strcmp(x->name, y->name);
}

/* What is called from few places first: helpers that all code calls say least of the wrapper. */
static void add_callees(struct explanation *explanation, const struct search *search)
{
	uint32_t *callers = program_count_callers(explanation->program);
	size_t first = explanation->hooks.count, count;

	for (size_t i = 0; i < search->names.count; i++) {
		if (!search->names.data[i].is_tracepoint)
			add_callee(explanation, &search->names.data[i], callers);
	}
	count = explanation->hooks.count - first;
	if (count > 1)
		qsort(explanation->hooks.data + first, count, sizeof(struct hook),
		      compare_callees);
	free(callers);
}

static void search_dwarf(struct search *search)
{
	struct explanation *explanation = search->explanation;
	const struct program *program = explanation->program;

	for (size_t i = 0; i < explanation->instances.count; i++) {
		const struct function_instance *instance = explanation->instances.data[i].instance;

		if (!instance)
			continue;
		explanation->hook_points++;
		source_walk_code(&explanation->lines,
				 program->groups.groups.data[instance->group.index].begin +
					 instance->die, take_name, search);
	}
	array_each(const struct probe_point, point, &explanation->sites) {
		if (!point->source || point->in_itself)
			continue;
		explanation->hook_points++;
		source_walk_code(&explanation->lines, point->source->die, take_name, search);
	}
}

/* Of records only where something was inlined is known, not what is called. */
static void search_sites(struct search *search, const struct record_sites *sites)
{
	struct explanation *explanation = search->explanation;
	const struct records *records = explanation->records;
	const struct probe_points *instances = &explanation->instances;

	array_each(const struct record_site, site, sites) {
		const char *name = records_function_name(records, site->function);
		const struct record_section *section = &records->sections.data[site->section];

		if (!text_after(name, "trace_") || !section->is_known)
			continue;
		for (size_t k = 0; k <= instances->count; k++) {
			const struct probe_point *point = k < instances->count
				? &instances->data[k] : &explanation->entry;

			if (!point->symbol || section->address + site->offset - point->address >=
						      point->symbol->size)
				continue;
			explanation->hook_points = k + 1;
			take_name(search, name, false);
		}
	}
	explanation->hook_points = instances->count + (explanation->entry.symbol != NULL);
}

void hooks_find(struct explanation *explanation)
{
	struct search search = { .explanation = explanation };
	bool is_wrapper = explanation->program && !explanation->instances.count;

	if (!explanation->has_function)
		return;
	find_system_call(explanation);
	find_lsm(explanation);
	find_iterator(explanation);
	if (explanation->program) {
		search_dwarf(&search);
	} else {
		search_sites(&search, &explanation->records->entries);
		if (!search.names.count)
			search_sites(&search, &explanation->records->inline_sites);
	}
	for (size_t i = 0; i < search.names.count; i++)
		add_called_tracepoint(&search, &search.names.data[i]);
	if (is_wrapper && search.names.count)
		add_callees(explanation, &search);
	for (size_t i = 0; i < search.names.count; i++)
		free(search.names.data[i].name);
	hash_table_release(&search.by_name);
	array_release(&search.names);
}

void hooks_release(struct explanation *explanation)
{
	while (explanation->hooks.count)
		remove_hook(explanation);
	array_release(&explanation->hooks);
}

/* ---- what they are to the function ---- */

bool hooks_are_own(const struct explanation *explanation)
{
	const struct hook *hook = explanation->hooks.count ? explanation->hooks.data : NULL;

	return hook && (hook->kind == HOOK_ITERATOR ||
			(hook->kind == HOOK_LSM && strncmp(explanation->name, "bpf_", 4) == 0));
}

/* An iterator's function never runs: it is there for its types. */
bool hooks_are_asked(const struct explanation *explanation)
{
	return hooks_are_own(explanation) && explanation->kind != ASKED_FUNCTION &&
	       (explanation->kind != ASKED_ANY ||
		explanation->hooks.data[0].kind == HOOK_ITERATOR);
}

bool hooks_come_first(const struct explanation *explanation)
{
	const struct probe_point *point =
		explanation->instances.count ? &explanation->instances.data[0]
					     : &explanation->entry;

	/* Those do not see each call. */
	if (!explanation->hooks.count || explanation->hooks.data[0].kind == HOOK_TRACEPOINT ||
	    explanation->hooks.data[0].kind == HOOK_CALLEE)
		return false;
	return explanation->func != FUNC_PROMISED || point->attach.ftrace == ATTACH_NO ||
	       explanation->hooks.data[0].kind == HOOK_SYSTEM_CALL;
}
