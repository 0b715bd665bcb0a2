/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What to do about a function or tracepoint, given what was found: lines to be pasted where the
 * tool is the BPF program's source, bpftrace's command line or tracefs' kprobe_events.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "commands/explain/advice.h"
#include "commands/explain/explain_argument.h"
#include "commands/explain/fprobe.h"
#include "commands/explain/hooks.h"
#include "commands/explain/program_type.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"
#include "commands/print/template.h"

static const struct probe_point *first_instance(const struct explanation *explanation,
						    enum join_class least)
{
	for (size_t i = 0; i < explanation->instances.count; i++) {
		if (explanation->instances.data[i].join >= least)
			return &explanation->instances.data[i];
	}
	return explanation->has_entry && !explanation->instances.count
		       ? &explanation->entry : NULL;
}

/* ---- BPF ---- */

/*
 * BPF programs on kprobes need no FUNC: the arguments are counted by registers, so what is left of
 * the prototype must be known, and all of it be in registers, one for each. libbpf knows 8 at most,
 * and with vmlinux.h those of x86-64 alone for x86.
 */
static void advise_bpf_kprobe(struct explanation *explanation,
			      const struct probe_point *point, uint32_t prototype)
{
	const char *section = advise_section(explanation, point);

	if (attach_finds_kernels(&explanation->image, point->function)) {
		note(explanation, "SEC(\"kprobe/%s\") finds the kernel's function: attach with "
		     "bpf_program__attach_kprobe(program, false, \"%s\")", point->function,
		     point->probe);
		return;
	}
	if (probe_point_is_of_registers(point, explanation->image.abi))
		advise_program(explanation, section && *section == 'k' ? section : "kprobe",
			       point->function, prototype);
}

/* ---- tracefs ---- */

static bool is_result_gone(const struct probe_point *point)
{
	return point->instance &&
	       point->instance->reasons & (REASON(RETURN_REMOVED) | REASON(NO_PROTOTYPE));
}

/* p: and r: lines. Fragments of functions do not return from them. */
static void advise_kprobe(struct explanation *explanation, const struct probe_point *point)
{
	struct text entry = { 0 }, result = { 0 }, comment = { 0 };

	text_add_string(&entry, "p:");
	explain_add_instance_event(&entry, explanation, point->number, "");
	text_add_format(&entry, " %s", point->probe);
	explain_add_fetch(&entry, point, ' ');
	if (point->symbol && !strstr(point->probe, point->symbol->name))
		text_add_format(&comment, ", %s%s%s", point->symbol->name,
				point->unit ? " of " : "", point->unit ? point->unit : "");
	if (point->attach.notrace)
		text_add_string(&comment, EXPLAIN_NOTRACE);
	if (point->attach.kprobe.is == ATTACH_UNKNOWN)
		text_add_string(&comment, EXPLAIN_NOT_KNOWN);
	/* Without the first comma. */
	if (comment.count)
		text_add_format(&entry, "  #%.*s", (int)comment.count - 1, comment.data + 1);
	advise_text(explanation, "tracefs", &entry);
	array_release(&comment);
	if (point->join < JOIN_CLONE || !explanation->is_described || point->attach.no_return ||
	    !trampoline_returns(explanation->name))
		return;
	text_add_string(&result, "r:");
	explain_add_instance_event(&result, explanation, point->number, "_return");
	text_add_format(&result, " %s", point->probe);
	if (point->result.sign && point->result.words == 1 && !is_result_gone(point) &&
	    !point->result_in_doubt) {
		text_add_string(&result, " result=");
		explain_add_fetched(&result, point->result, "$retval");
	}
	if (point->attach.notrace)
		text_add_string(&result, "  # refused, too");
	else if (point->attach.kprobe.is == ATTACH_UNKNOWN)
		text_add_string(&result, "  # not known, either");
	advise_text(explanation, "tracefs", &result);
}

static void advise_fprobe(struct explanation *explanation, const struct probe_point *point)
{
	struct text line = { 0 };

	fprobe_add(&line, explanation, point);
	if (!line.count)
		return;
	text_add_string(&line, "  # instead of p:, in dynamic_events: by BTF, so without "
			       "registers");
	advise_text(explanation, "tracefs", &line);
}

/* ---- instances ---- */

static void advise_clone(struct explanation *explanation, const struct probe_point *point)
{
	const char *symbol = point->function;
	struct text text = { 0 };

	if (!point->true_prototype || !point->symbol || point->attach.notrace ||
	    !symbol_table_only_code(explanation->image.symbols, symbol))
		return;
	advise_bpf_kprobe(explanation, point, point->true_prototype);
	/* A FUNC is of no use where fentry cannot be attached. */
	if (point->fentry.is == ATTACH_NO || point->attach.ftrace == ATTACH_NO)
		return;
	text_add_format(&text, "btfenc encode --features +true_signature makes FUNC %s: then",
			symbol);
	trampoline_add_since(&text, &point->fentry);
	advise_text(explanation, "encode", &text);
	advise_fentry(explanation, symbol, point, point->true_prototype);
}

/* By the prototype that the kernel has of it. */
static void advise_own_fentry(struct explanation *explanation, const struct probe_point *point)
{
	const struct type_source types = explanation->types;
	const struct attach_tables *tables = explanation->image.tables;
	struct probe_point own = *point;

	if (tables && tables->own.why_unread)
		note(explanation, "which prototype the file's own .BTF has, by which programs go, "
		     "is not known: %s", tables->own.why_unread);
	if (!explanation->own_prototype) {
		advise_fentry(explanation, explanation->name, point, point->prototype);
		note_unreadable(explanation, point);
		return;
	}
	explanation->types = explain_own_types(explanation);
	own.prototype = explanation->own_prototype_id;
	own.view = type_trampoline_view(&explanation->types, own.prototype);
	advise_fentry(explanation, explanation->name, &own, own.prototype);
	explanation->types = types;
	note(explanation, "FILE's own .BTF has %s: the lines above follow it, because programs and "
	     "bpftrace go by it; DWARF is right about the arguments", explanation->own_prototype);
}

static void advise_instance(struct explanation *explanation, const struct probe_point *point)
{
	const struct attach_state *attach = &point->attach;
	bool is_module = explanation->image.is_module;
	/* Not for every reason: the name must be one address, called as it is declared. */
	bool is_own = explanation->func == FUNC_PROMISED && point->join == JOIN_SAME &&
		      !attach->init;

	if (attach->init && !is_module && attach->kprobe.is != ATTACH_NO) {
		struct text text = { 0 };

		/* The kernel's command line has commas where tracefs has blanks. */
		text_add_string(&text, "kprobe_event=p:");
		explain_add_instance_event(&text, explanation, point->number, "");
		text_add_format(&text, ",%s", point->probe);
		explain_add_fetch(&text, point, ',');
		advise_text(explanation, "boot", &text);
	}
	/* Without a module's name note_hooks() says what to do. */
	if (attach->exit || !*point->probe ||
	    (attach->init && (!is_module || !explanation->image.module)))
		return;
	if (is_own && attach->ftrace != ATTACH_NO && point->fentry.is != ATTACH_NO)
		advise_own_fentry(explanation, point);
	else if (is_own && explanation->own_prototype)
		note(explanation, "FILE's own .BTF has %s", explanation->own_prototype);
	if (is_own && point->fentry.is == ATTACH_NO && attach->kprobe.is != ATTACH_NO &&
	    !attach->notrace)
		advise_bpf_kprobe(explanation, point, point->prototype);
	if (attach->kprobe.is != ATTACH_NO && !attach->notrace &&
	    (!is_own || point->fentry.is == ATTACH_NO))
		advise_bpftrace(explanation, point, NULL);
	if (attach->kprobe.is != ATTACH_NO)
		advise_kprobe(explanation, point);
	if (is_own && !attach->notrace)
		advise_fprobe(explanation, point);
	if (point->join == JOIN_CLONE || point->join == JOIN_RENAMED)
		advise_clone(explanation, point);
}

/* ---- notes ---- */

static void note_results(struct explanation *explanation)
{
	array_each(const struct probe_point, point, &explanation->instances) {
		if (point->instance && point->result_in_doubt && point->result.sign &&
		    !is_result_gone(point) && !point->attach.init &&
		    point->attach.kprobe.is != ATTACH_NO)
			note(explanation, "it is not known whether %s still returns its value: no "
			     "caller is known to read it", point->function);
	}
}

/* Functions around inline sites, each once, as long as they are few. */
#define CALLERS_SHOWN 4

static json_t *callers_of(const struct explanation *explanation)
{
	const struct symbol *callers[CALLERS_SHOWN];
	size_t count = 0, others = 0;
	struct text text = { 0 };

	for (size_t i = 0; i < explanation->sites.count; i++) {
		const struct symbol *symbol = explanation->sites.data[i].symbol;
		size_t k = 0;

		while (k < count && callers[k] != symbol)
			k++;
		if (!symbol || k < count || explanation->sites.data[i].in_itself)
			continue;
		if (count < CALLERS_SHOWN)
			text_add_item(&text, 0, ", ", (callers[count++] = symbol)->name);
		else
			others++;
	}
	text_add_string(&text, others ? ", ..." : "");
	return json_take(&text);
}

/* How sure the addresses are that were found by symbols. */
static void note_anchors(struct explanation *explanation)
{
	const struct records *records = explanation->records;
	const struct probe_points *lists[] = { &explanation->instances, &explanation->sites };
	ARRAY_OF(const char *) named = { 0 };

	for (size_t i = 0; records && i < 2; i++) {
		for (size_t k = 0; k < lists[i]->count; k++)
			array_push(&named, lists[i]->data[k].section);
	}
	array_sort(&named, compare_strings);
	for (uint32_t i = 0; named.count && i < records->sections.count; i++) {
		const struct record_section *section = &records->sections.data[i];

		if (!array_find(&named, &section->name, compare_strings))
			continue;
		if (section->anchors.count)
			note(explanation, "%s starts at 0x%llx: %u of %u functions in %s agree",
			     section->name, (unsigned long long)section->address,
			     section->anchors.agreeing, section->anchors.count,
			     records->symbols_path);
		else if (section->is_told)
			note(explanation, "%s starts at 0x%llx (/sys/module/%s/sections)",
			     section->name, (unsigned long long)section->address, records->module);
		else if (records->symbols == &records->file.symbols)
			note(explanation, "%s starts at 0x%llx, if %s is of this kernel: no "
			     "function shows it", section->name,
			     (unsigned long long)section->address, records->symbols_path);
	}
	if (explanation->unplaced.count && records && records->is_running && records->module)
		note(explanation, "root sees where sections of %s are (/sys/module/%s/sections)",
		     records->module, records->module);
	array_release(&named);
}

/* ---- the facts ---- */

/* "not by fmod_ret.s: ...; " */
static json_t *why_not(const char *word, struct answer answer)
{
	char *text = answer.is == ATTACH_YES ? NULL
		: text_format(answer.is == ATTACH_NO ? "not by %s: %s; "
						     : "not known whether by %s: %s; ",
			      word, answer.why);
	json_t *json = json_text(text);

	free(text);
	return json;
}

static json_t *facts_of_point(const struct explanation *explanation,
			      const struct probe_point *point)
{
	const struct attach_state *attach = &point->attach;
	struct text since = { 0 };

	trampoline_add_since(&since, &point->fentry);
	return json_pack("{s:o, s:o, s:b, s:b, s:b, s:b, s:o, s:b, s:b, s:b, s:b, s:b, s:o, s:o}",
		"name", json_text(*point->probe ? point->probe : explanation->name),
		"section", json_text(point->section),
		"init", attach->init, "exit", attach->exit,
		"no_kprobe", attach->kprobe.is == ATTACH_NO,
		"maybe_kprobe", attach->kprobe.is == ATTACH_UNKNOWN,
		"kprobe", json_text(attach->kprobe.why),
		"no_hook", attach->ftrace == ATTACH_NO,
		"maybe_hook", attach->ftrace == ATTACH_UNKNOWN,
		"may_have_nop", attach->may_have_nop,
		"no_trampoline", point->fentry.is == ATTACH_NO, "refused", point->fentry.refused,
		"trampoline", json_text(point->fentry.why),
		"since", json_take(&since));
}

/* Probes where no FUNC is promised, and those that are refused without an option. */
static json_t *facts_of_probes(const struct explanation *explanation)
{
	const struct probe_points *const lists[] = { &explanation->instances, &explanation->sites };
	size_t probes = 0, refused = 0;
	bool any = explanation->sites.count;

	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		array_each(const struct probe_point, point, lists[k]) {
			bool is_probe = (k || point->is_entry_probe) &&
					!explain_refusal(explanation, point, false);

			probes += is_probe;
			refused += is_probe && point->attach.notrace;
		}
	}
	for (size_t i = 0; i < explanation->advice.count; i++)
		any |= strcmp(explanation->advice.data[i].tool, "note") != 0;
	return json_pack("{s:b, s:b, s:I, s:I}", "any", any,
		"all_refused", refused && refused == probes && !explanation->hooks.count,
		"refused", INTEGER(refused), "count", INTEGER(probes));
}

/* A described function of the same code, as that of a module's init_module(); NULL: none. */
static const char *alias_of(const struct explanation *explanation)
{
	const struct symbol_table *symbols = explanation->image.symbols;
	const struct symbol *own = explanation->entry.symbol;

	for (size_t i = own ? symbol_table_at(symbols, own->address) : symbols->symbols.count;
	     i < symbols->symbols.count && symbols->symbols.data[i].address == own->address; i++) {
		const struct symbol *symbol = &symbols->symbols.data[i];

		if (symbol != own && symbol_is_function(symbol) &&
		    explain_find_function(explanation, symbol->name))
			return symbol->name;
	}
	return NULL;
}

/*
 * pahole writes a FUNC of each symbol that some unit declares: of __x64_sys_inotify_init by the
 * stub in kernel/sys_ni.c, though DWARF describes the code as __do_sys_inotify_init. 6.1 takes
 * fentry there.
 */
static bool is_in_own_btf(const struct explanation *explanation, const char *alias)
{
	const struct attach_tables *tables = explanation->image.tables;
	uint32_t prototype = explain_find_function(explanation, alias);
	struct trampoline_view view = type_trampoline_view(&explanation->types, prototype);

	return tables && tables->own.is_known && explanation->entry.attach.ftrace != ATTACH_NO &&
	       func_names_find(&tables->own.funcs, explanation->name) &&
	       trampoline_answer(&explanation->image, explanation->name, &view).is !=
		       ATTACH_NO;
}

/* Why there is no FUNC, or no probe although there is code. */
static void add_func(json_t *facts, const struct explanation *explanation)
{
	const struct trampoline_view nothing = { 0 };
	const struct attach_image *image = &explanation->image;
	reason_set reasons = explanation->reasons;
	bool any = explanation->instances.count;
	bool is_named = explanation->has_entry && *explanation->entry.probe;

	for (size_t i = 0; i < explanation->instances.count; i++)
		is_named |= *explanation->instances.data[i].probe != '\0';
	json_set(facts, "ambiguous", json_boolean(
		reasons & REASON(AMBIGUOUS_ADDRESS) && is_named &&
		!symbol_table_only_code(image->symbols, explanation->name)));
	json_set(facts, "unnamed", json_boolean((any || explanation->has_entry) && !is_named));
	json_set(facts, "is_c_name", json_boolean(text_is_made_of(explanation->name, "_.$")));
	/* Where nothing can be attached by fentry, it is not what is missing. */
	json_set(facts, "no_fentry", json_string(
		trampoline_answer(image, NULL, &nothing).is == ATTACH_NO ? "" : "no fentry: "));
	json_set(facts, "func", json_pack("{s:b, s:b, s:b}",
		"without_prototype", explanation->func == FUNC_WITHOUT_PROTOTYPE,
		"without_symbol", explanation->func == FUNC_WITHOUT_SYMBOL,
		"missing", explanation->func == FUNC_NONE && (any || explanation->records)));
	json_set(facts, "lacks", json_pack("{s:b, s:b, s:b, s:b}",
		"name", (reasons & (REASON(RENAMED) | REASON(CLONE) | REASON(PARTIAL) |
					 REASON(COLD) | REASON(NO_SYMBOL))) != 0,
		"prototype", (reasons & REASON(NO_PROTOTYPE)) != 0,
		"validity", (reasons & (REASON(INVALID_NAME) | REASON(UNNAMED_PARAM))) != 0,
		"truth", (reasons & ~(REASON(INLINED_ONLY) | REASON(AMBIGUOUS_ADDRESS))) != 0));
}

/* Whether the program that was asked for is taken there. */
static void add_asked(json_t *facts, const struct explanation *explanation,
		      const struct probe_point *point)
{
	struct asked_answer asked = explain_takes_asked(explanation, point);

	json_set(facts, "word", json_text(explanation->word));
	json_set(facts, "by_trampoline", json_boolean(asked.by_trampoline));
	if (!asked.by_trampoline && !asked.by_hook)
		json_set(facts, "asked", why_not(explanation->word, asked.answer));
	json_set(facts, "no_hook", asked.by_hook
		 ? why_not(explanation->word, asked.answer)
		 : why_not("fentry", explain_has_hook(point, true)));
}

/* Of a function without a FUNC. */
static void add_others(json_t *facts, const struct explanation *explanation)
{
	bool coded = explanation->instances.count || explanation->sites.count;
	const char *alias = explanation->has_entry && !coded ? alias_of(explanation) : NULL;
	enum verdict verdict = reasons_verdict(explanation->reasons);

	json_set(facts, "coded", json_boolean(coded));
	json_set(facts, "alias", json_text(alias));
	json_set(facts, "alias_has_fentry",
		 json_boolean(alias && is_in_own_btf(explanation, alias)));
	json_set(facts, "of_namesakes", json_boolean(explanation->func == FUNC_OF_NAMESAKES));
	if (explanation->has_entry)
		json_set(facts, "entry", facts_of_point(explanation, &explanation->entry));
	json_set(facts, "excluded", json_text(explanation->excluded));
	json_set(facts, "described", json_boolean(explanation->is_described));
	if (explanation->reasons ? coded || explanation->has_entry : explanation->instances.count)
		json_set(facts, "because", json_string(explanation->reasons
			? verdict_texts[verdict].sentence : "BTF does not promise its prototype"));
	json_set(facts, "hooks", json_boolean(explanation->hooks.count));
	json_set(facts, "hooks_first", json_boolean(hooks_come_first(explanation)));
}

/* The files that answered. */
static json_t *facts_of_sources(const struct records *records)
{
	const struct text *others = &records->running_kernel.sources;

	return json_pack("{s:o, s:o, s:o}", "path", json_text(records->options->path),
			 "symbols", json_text(records->symbols_path),
			 "others", json_text_bytes(others->data, others->count));
}

/* As a program declares it, without what the verifier adds; NULL: it is not one in C. */
static char *kfunc_declaration(const struct explanation *explanation)
{
	const struct type_source *types = &explanation->types;
	uint32_t prototype = explanation->prototype_id;
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);
	struct text text = { 0 };

	if (!words || !type_is_plain_name(explanation->name))
		return NULL;
	type_add(&text, types, words[BTF_WORD_TYPE], "");
	text_add_format(&text, "%s%s(", text.data[text.count - 1] == '*' ? "" : " ",
			explanation->name);
	type_add_parameters(&text, types, prototype, prototype, 0, explanation->implicit);
	text_add_char(&text, ')');
	if (type_is_code(text.data, text.count))
		return text_finish(&text);
	array_release(&text);
	return NULL;
}

/* All that the sentences of advice.txt are about, but what depends on lines and lookups. */
static json_t *facts_of(const struct explanation *explanation)
{
	const struct records *records = explanation->records;
	const struct tracepoint *tracepoint = explanation->tracepoint;
	const struct hook *hook = hooks_are_asked(explanation) ? explanation->hooks.data : NULL;
	bool is_function = explanation->has_function && !hook;
	const struct probe_point *at = is_function ? first_instance(explanation, JOIN_CLONE) : NULL;
	const struct probe_point *point = is_function && explanation->func == FUNC_PROMISED
		? first_instance(explanation, JOIN_SAME) : NULL;
	size_t sites = is_function ? explanation->outer_sites : 0;
	char *declaration = explanation->kfunc ? kfunc_declaration(explanation) : NULL;
	json_t *facts = json_pack(
		"{s:o, s:o, s:o, s:s, s:I, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, "
		"s:b}",
		"name", json_text(explanation->name), "path", json_text(explanation->path),
		"without_symbols", json_text(records ? records->without_symbols : NULL),
		"ok", verdict_texts[VERDICT_OK].sentence, "sites", INTEGER(sites),
		"is_other", explanation->rank != 0, "function", explanation->has_function,
		"promised", is_function && explanation->func == FUNC_PROMISED,
		"by_dwarf", explanation->program != NULL,
		"is_module", explanation->image.is_module,
		"in_module", explanation->image.module != NULL,
		"is_running", explanation->image.running != NULL,
		"wants_function", explanation->kind == ASKED_FUNCTION,
		"wants_event", (explanation->needs & ASKED_TRACE_EVENT) != 0,
		"one_site", sites == 1, "instances", explanation->instances.count != 0,
		"unplaced", explanation->unplaced.count != 0);

	if (hook)
		json_set(facts, "hook", json_pack("{s:b, s:b, s:o}",
			"refused", hook->taken.is == ATTACH_NO,
			"iterates", hook->kind == HOOK_ITERATOR,
			"why", json_text(hook->taken.why)));
	if (explanation->kfunc && declaration)
		json_set(facts, "kfunc", json_pack("{s:o, s:O}",
			"declaration", json_text(declaration), "sets", explanation->kfunc));
	free(declaration);
	if (tracepoint)
		json_set(facts, "event", json_pack("{s:o, s:b, s:b, s:b, s:b}",
			"call", json_text(tracepoint->system_call), "is_there", true,
			"never_comes", tracepoint->never_comes,
			"yes", tracepoint->event == ATTACH_YES,
			"no", tracepoint->event == ATTACH_NO));
	if (is_function && !explanation->rank)
		add_func(facts, explanation);
	if (at)
		json_set(facts, "at", facts_of_point(explanation, at));
	if (sites)
		json_set(facts, "callers", callers_of(explanation));
	if (point)
		json_set(facts, "point", facts_of_point(explanation, point));
	if (point || hook || explanation->kind == ASKED_SYSTEM_CALL)
		add_asked(facts, explanation, point ? point : &explanation->entry);
	if (is_function && explanation->func != FUNC_PROMISED)
		add_others(facts, explanation);
	return facts;
}

/* The function's own lines: after those of the hooks they have a head. */
static void advise_function(struct explanation *explanation, bool is_after)
{
	size_t head = explanation->advice.count, count = 0, unknown = 0;

	if (is_after)
		advise(explanation, "else", "%s itself:", explanation->name);
	array_each(const struct probe_point, point, &explanation->instances) {
		if (!point->is_entry_probe)
			continue;
		count++;
		unknown += point->unknown_parameters;
		advise_instance(explanation, point);
	}
	if (explanation->has_entry) {
		unknown = explanation->entry.unknown_parameters;
		advise_instance(explanation, &explanation->entry);
	}
	if (unknown)
		note(explanation, "%zu parameter%s missing in the probe%s: no location is known at "
		     "the entry, or tracefs cannot fetch from there", unknown,
		     unknown == 1 ? " is" : "s are", count > 1 ? "s" : "");
	if (is_after && explanation->advice.count == head + 1)
		free(explanation->advice.data[--explanation->advice.count].text);
}

static void add_notes(struct explanation *explanation, const char **rows, json_t *facts,
		      size_t groups)
{
	while (groups--)
		advise_row(explanation, rows, facts);
}

EMBED(advice_rows, "commands/explain/advice.txt");

void advice_give(struct explanation *explanation)
{
	bool is_hook = hooks_are_asked(explanation);
	bool hooks_first = hooks_come_first(explanation);
	bool is_function = explanation->has_function && !is_hook;
	const struct records *records = explanation->rank ? NULL : explanation->records;
	json_t *facts = facts_of(explanation);
	const char *rows = advice_rows;
	char *headline;

	add_notes(explanation, &rows, facts, 1);
	if (hooks_first || is_hook)
		advise_hooks(explanation);
	if (is_function)
		advise_function(explanation, hooks_first);
	if (is_function && !hooks_first)
		advise_hooks(explanation);
	add_notes(explanation, &rows, facts, 2);
	if (is_function)
		note_results(explanation);
	add_notes(explanation, &rows, facts, 4);
	if (is_function && !explanation->rank)
		note_anchors(explanation);
	if (explanation->tracepoint)
		advise_tracepoint(explanation, explanation->tracepoint);
	json_set(facts, "probes", facts_of_probes(explanation));
	if (records && records->is_running)
		json_set(facts, "sources", facts_of_sources(records));
	headline = template_sentence(&rows, facts);
	explanation->headline = !explanation->kfunc ? headline
		: text_format("a kfunc, which BPF programs call; to trace it: %s", headline);
	if (explanation->kfunc)
		free(headline);
	add_notes(explanation, &rows, facts, 3);
	for (size_t i = 0; records && i < records->running_kernel.unread.count; i++)
		note(explanation, "%s", records->running_kernel.unread.data[i]);
	add_notes(explanation, &rows, facts, 1);
	json_decref(facts);
}
