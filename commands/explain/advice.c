/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What to do about a function or tracepoint, given what was found: lines to be pasted where the
 * tool is the BPF program's source, bpftrace's command line or tracefs' kprobe_events.
 */
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "commands/explain/advice.h"
#include "commands/explain/advice_hooks.h"
#include "commands/explain/explain_argument.h"
#include "commands/explain/explain_print.h"
#include "commands/explain/hooks.h"
#include "commands/explain/program_type.h"
#include "commands/explain/tracepoint.h"

static bool is_promised(const struct explanation *explanation)
{
	return explanation->func == FUNC_PROMISED;
}

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
	const struct abi *abi = explanation->image.abi;
	const struct trampoline_view *view = &point->view;
	const char *section = advise_section(explanation, point);

	if (attach_finds_kernels(&explanation->image, point->function)) {
		note(explanation, "SEC(\"kprobe/%s\") finds the kernel's function: attach with "
		     "bpf_program__attach_kprobe(program, false, \"%s\")", point->function,
		     point->probe);
		return;
	}
	if (abi && abi->machine != ABI_I386 && !view->has_struct &&
	    !view->returns_struct && !view->has_float && !view->is_variadic &&
	    view->widest_bytes <= abi->word_bytes && view->parameters <= 8 &&
	    view->parameters <= abi->argument_register_count)
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
static void advise_kprobe(struct explanation *explanation, const struct probe_point *point,
			  size_t number)
{
	struct text entry = { 0 }, result = { 0 }, comment = { 0 };

	text_add_string(&entry, "p:");
	explain_add_instance_event(&entry, explanation, number, "");
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
	explain_add_instance_event(&result, explanation, number, "_return");
	text_add_format(&result, " %s", point->probe);
	if (point->result.sign && point->result.words == 1 && !is_result_gone(point) &&
	    !point->result_in_doubt)
		text_add_format(&result, " result=$retval:%c%u", point->result.sign,
				point->result.bits);
	if (point->attach.notrace)
		text_add_string(&result, "  # refused, too");
	else if (point->attach.kprobe.is == ATTACH_UNKNOWN)
		text_add_string(&result, "  # not known, either");
	advise_text(explanation, "tracefs", &result);
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
	const char *unread = explain_why_own_unread(explanation);
	struct probe_point own = *point;

	if (unread)
		note(explanation, "which prototype the file's own .BTF has, by which programs go, "
		     "is not known: %s", unread);
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

static void advise_instance(struct explanation *explanation, const struct probe_point *point,
			    size_t number)
{
	const struct attach_state *attach = &point->attach;
	bool is_module = explanation->image.is_module;
	/* Not for every reason: the name must be one address, called as it is declared. */
	bool is_own = is_promised(explanation) && point->join == JOIN_SAME && !attach->init;

	if (attach->init && !is_module && attach->kprobe.is != ATTACH_NO) {
		struct text text = { 0 };

		/* The kernel's command line has commas where tracefs has blanks. */
		text_add_string(&text, "kprobe_event=p:");
		explain_add_instance_event(&text, explanation, number, "");
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
		advise_bpftrace(explanation, point);
	if (attach->kprobe.is != ATTACH_NO)
		advise_kprobe(explanation, point, number);
	if (point->join == JOIN_CLONE || point->join == JOIN_RENAMED)
		advise_clone(explanation, point);
}

/* ---- notes ---- */

static void note_results(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->instances.count; i++) {
		const struct probe_point *point = &explanation->instances.data[i];

		if (point->instance && point->result_in_doubt && point->result.sign &&
		    !is_result_gone(point) && !point->attach.init &&
		    point->attach.kprobe.is != ATTACH_NO)
			note(explanation, "it is not known whether %s still returns its value: no "
			     "caller is known to read it", point->function);
	}
}

static void note_hooks(struct explanation *explanation)
{
	const struct probe_point *point = first_instance(explanation, JOIN_CLONE);
	const struct attach_state *attach = point ? &point->attach : NULL;
	const char *name = point && *point->probe ? point->probe : explanation->name;
	bool no_kprobe = point && attach->kprobe.is == ATTACH_NO;

	if (!point)
		return;
	if (attach->init && explanation->image.is_module)
		note(explanation, "%s is in %s: it is freed when the module is loaded, so only a "
		     "%s%s that is set before can see it", name, point->section,
		     explanation->image.module ? "probe" : "kprobe on MODULE:",
		     explanation->image.module ? "" : name);
	else if (attach->init)
		note(explanation, "%s is in %s: it is freed when booting is done%s", name,
		     point->section, no_kprobe ? "" : "; a probe on the kernel command "
		     "line sees calls from the fs initcalls (level 5) on, none before");
	else if (attach->exit)
		note(explanation, "%s is in %s: built-in code never calls it", name,
		     point->section);
	else if (no_kprobe)
		note(explanation, "no kprobe at %s: %s", name, attach->kprobe.why);
	else if (attach->kprobe.is == ATTACH_UNKNOWN)
		note(explanation, "it is not known whether a kprobe at %s is taken: %s", name,
		     attach->kprobe.why);
	if (!is_promised(explanation) || attach->init)
		return;
	if (attach->ftrace == ATTACH_NO && !attach->may_have_nop)
		note(explanation, "no fentry at %s: it has no tracer's hook at its entry "
		     "(notrace)", name);
	/* note_sources() says it of a running kernel. */
	else if (attach->ftrace == ATTACH_UNKNOWN && point->fentry.is != ATTACH_NO &&
		 !explanation->image.running)
		note(explanation, "%s whether %s has a tracer's hook%s, without which fentry "
		     "cannot attach",
		     explanation->program ? "the image does not say" : "BTF does not say", name,
		     explanation->program ? " (no __mcount_loc)"
					  : " (available_filter_functions does)");
}

/* Functions around inline sites, each once, as long as they are few. */
#define CALLERS_SHOWN 4

static void note_sites(struct explanation *explanation)
{
	size_t count = explanation->outer_sites, caller_count = 0, others = 0;
	const struct symbol *callers[CALLERS_SHOWN];
	struct text text = { 0 };

	if (!count)
		return;
	if (is_promised(explanation))
		note(explanation, "%zu more call%s inlined, which no probe at the entry sees: see "
		     "the sites below", count, count == 1 ? " was" : "s were");
	else
		note(explanation, "its body was inlined at %zu address%s: each line below is a "
		     "probe for one", count, count == 1 ? "" : "es");
	for (size_t i = 0; i < explanation->sites.count; i++) {
		const struct symbol *symbol = explanation->sites.data[i].symbol;
		size_t k = 0;

		while (k < caller_count && callers[k] != symbol)
			k++;
		if (!symbol || k < caller_count || explanation->sites.data[i].in_itself)
			continue;
		if (caller_count < CALLERS_SHOWN)
			callers[caller_count++] = symbol;
		else
			others++;
	}
	for (size_t i = 0; i < caller_count; i++)
		text_add_format(&text, "%s%s", i ? ", " : "", callers[i]->name);
	if (caller_count)
		note(explanation, "or trace what it was inlined into: %.*s%s", (int)text.count,
		     text.data, others ? ", ..." : "");
	array_release(&text);
}

static const char *why_no_func(reason_set reasons)
{
	if (reasons & (REASON(RENAMED) | REASON(CLONE) | REASON(PARTIAL) | REASON(COLD) |
		       REASON(NO_SYMBOL)))
		return ", because no code has that name";
	if (reasons & REASON(NO_PROTOTYPE))
		return ", because no prototype is known";
	if (reasons & (REASON(INVALID_NAME) | REASON(UNNAMED_PARAM)))
		return ", because the kernel would reject it";
	return reasons & ~(REASON(INLINED_ONLY) | REASON(AMBIGUOUS_ADDRESS))
		       ? ", because it would promise what does not hold" : "";
}

/* Why there is no FUNC, or no probe although there is code. */
static void note_func(struct explanation *explanation)
{
	const struct trampoline_view nothing = { 0 };
	const char *name = explanation->name;
	bool any = explanation->instances.count;
	bool is_named = explanation->has_entry && *explanation->entry.probe;
	/* Where nothing can be attached by fentry, it is not what is missing. */
	const char *no_fentry =
		trampoline_answer(&explanation->image, NULL, &nothing).is != ATTACH_NO
			? "no fentry: " : "";

	for (size_t i = 0; i < explanation->instances.count; i++)
		is_named |= *explanation->instances.data[i].probe != '\0';
	if (explanation->reasons & REASON(AMBIGUOUS_ADDRESS) && is_named &&
	    !symbol_table_only_code(explanation->image.symbols, name))
		note(explanation, "a kprobe by the name alone is refused, or finds one of them%s",
		     explanation->image.module ? "" : "; offsets from _stext survive KASLR");
	else if (explanation->func == FUNC_WITHOUT_PROTOTYPE)
		note(explanation, "%sFUNC %s has no prototype", no_fentry, name);
	else if (explanation->func == FUNC_WITHOUT_SYMBOL)
		note(explanation, "%sthere is a FUNC %s, but no symbol has the name", no_fentry,
		     name);
	else if (explanation->func == FUNC_NONE && (any || explanation->records))
		note(explanation, "%sBTF has no FUNC %s%s", no_fentry, name,
		     why_no_func(explanation->reasons));
	if ((!any && !explanation->has_entry) || is_named)
		return;
	/* Only their addresses tell namesakes apart, which a module has where it is loaded. */
	if (!text_is_made_of(name, "_.$"))
		note(explanation, "no probe is printed: the function's name is none in C");
	else
		note(explanation, "no probe: several functions have the name %s, %s", name,
		     !any ? "and BTF does not say which it is (with +func_secinfo it does)"
		     : explanation->image.is_module
			     ? "which are known where the module is loaded; give --running"
			     : "and only the kernel's ELF file says where direct calls enter each "
			       "(ppc64le's local entry)");
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

		if (!bsearch(&section->name, named.data, named.count, sizeof(*named.data),
			     compare_strings))
			continue;
		if (section->anchors.count)
			note(explanation, "%s starts at 0x%llx: %u of %u functions in %s agree",
			     section->name, (unsigned long long)section->address,
			     section->anchors.agreeing, section->anchors.count,
			     records->symbols_path);
		else if (records->symbols == &records->file.symbols)
			note(explanation, "%s starts at 0x%llx, if %s is of this kernel: no "
			     "function shows it", section->name,
			     (unsigned long long)section->address, records->symbols_path);
	}
	array_release(&named);
}

/* ---- the answer in one line ---- */

static char *headline_unplaced(const struct explanation *explanation)
{
	const char *cause = explanation->records ? explanation->records->without_symbols : NULL;

	return text_format("%s", cause ? cause : "no: its code is in a section that is not there "
			   "any more, or whose address is not known");
}

/* "not by fmod_ret.s: ...; " */
static void add_why_not(struct text *out, const char *word, struct answer answer)
{
	if (answer.is != ATTACH_YES)
		text_add_format(out, answer.is == ATTACH_NO ? "not by %s: %s; "
							    : "not known whether by %s: %s; ",
				word, answer.why);
}

static char *headline_of_hook(const struct explanation *explanation)
{
	const struct hook *hook = &explanation->hooks.data[0];
	struct text text = { 0 };

	if (hook->taken.is == ATTACH_NO)
		return text_format("no: %s", hook->taken.why);
	add_why_not(&text, explanation->word,
		    explain_takes_asked(explanation, &explanation->entry).answer);
	text_add_string(&text, hook->kind == HOOK_ITERATOR
			? "yes, it is an iterator for BPF programs"
			: "yes, by LSM programs, if /sys/kernel/security/lsm has \"bpf\"");
	text_add_string(&text, hook->taken.why ? hook->taken.why : "");
	return text_finish(&text);
}

/* Of a function with a FUNC that nothing can attach to; NULL: something can. */
static char *headline_never(const struct probe_point *point)
{
	const struct attach_state *attach = &point->attach;
	const struct trampoline_answer *fentry = &point->fentry;
	const char *no_kprobe = attach->kprobe.is == ATTACH_NO ? attach->kprobe.why : NULL;

	if (attach->init && no_kprobe)
		return text_format("no: its code is freed when booting is done; no kprobe at it: "
				   "%s", no_kprobe);
	if (attach->exit)
		return text_format("no: it is code for unloading, which is never called here");
	if (fentry->refused && no_kprobe)
		return text_format("no: not by fentry, which refuses it because %s; not by kprobe: "
				   "%s", fentry->why, no_kprobe);
	if (attach->ftrace == ATTACH_NO && !attach->may_have_nop && no_kprobe)
		return text_format("no: %s", no_kprobe);
	if (fentry->is == ATTACH_NO && no_kprobe)
		return text_format("no: not by fentry: %s; not by kprobe: %s", fentry->why,
				   no_kprobe);
	return NULL;
}

/* Of a function with a FUNC. */
static char *headline_promised(const struct explanation *explanation)
{
	const struct probe_point *point = first_instance(explanation, JOIN_SAME);
	const struct trampoline_answer *fentry = point ? &point->fentry : NULL;
	char *never = point ? headline_never(point) : NULL;
	bool is_module = explanation->image.is_module;
	size_t sites = explanation->outer_sites;
	struct text text = { 0 };
	const char *no_kprobe = point && point->attach.kprobe.is == ATTACH_NO
				? point->attach.kprobe.why : NULL;
	struct asked_answer asked;

	if (never)
		return never;
	if (!point && explanation->unplaced.count)
		return headline_unplaced(explanation);
	if (!point)
		return text_format("yes: %s", verdict_texts[VERDICT_OK].sentence);
	asked = explain_takes_asked(explanation, point);
	if (!asked.by_trampoline && !asked.by_hook)
		add_why_not(&text, explanation->word, asked.answer);
	if (point->attach.init) {
		text_add_format(&text, "only while %s: its code is freed afterwards%s",
				is_module ? "the module is loaded, by a kprobe that is set before"
				: "booting, and only calls from the fs initcalls (level 5) on",
				is_module ? "" : "; do this:");
		return text_finish(&text);
	}
	if (point->attach.ftrace == ATTACH_NO) {
		add_why_not(&text, asked.by_hook ? explanation->word : "fentry",
			    asked.by_hook ? asked.answer : explain_has_hook(point, true));
		text_add_format(&text, "%s%s", no_kprobe ? "not by kprobe: " : "",
				no_kprobe ? no_kprobe : "by kprobe only where the kernel has "
				"CONFIG_KPROBE_EVENTS_ON_NOTRACE:");
		return text_finish(&text);
	}
	if (fentry->refused) {
		text_add_format(&text, "not by fentry, which refuses it because %s; a kprobe "
				"works:", fentry->why);
		return text_finish(&text);
	}
	if (fentry->is == ATTACH_NO && asked.by_trampoline) {
		add_why_not(&text, explanation->word, asked.answer);
		text_add_string(&text, "yes, by kprobe");
	} else if (fentry->is == ATTACH_NO) {
		text_add_format(&text, "yes, by kprobe (not by fentry: %s)", fentry->why);
	} else {
		text_add_string(&text, "yes, by fentry");
	}
	trampoline_add_since(&text, fentry);
	/* Most functions have one, and only an image can show it. */
	if (explanation->records && fentry->is != ATTACH_NO &&
	    point->attach.ftrace == ATTACH_UNKNOWN)
		text_add_string(&text, " where it has a hook");
	if (sites == 1)
		text_add_string(&text, ", but not the one address where it was inlined");
	else if (sites)
		text_add_format(&text, ", but not the %zu addresses where it was inlined", sites);
	else
		text_add_format(&text, ": %s", verdict_texts[VERDICT_OK].sentence);
	return text_finish(&text);
}

/* How an answer goes on that begins with "no". */
static void add_what_then(struct text *out, const struct explanation *explanation)
{
	static const char option[] = "only where the kernel has CONFIG_KPROBE_EVENTS_ON_NOTRACE";
	const struct probe_points *const lists[] = { &explanation->instances, &explanation->sites };
	size_t probes = 0, refused = 0;		/* those without the option */
	bool any = explanation->sites.count;

	for (size_t k = 0; k < sizeof(lists) / sizeof(*lists); k++) {
		for (size_t i = 0; i < lists[k]->count; i++) {
			const struct probe_point *point = &lists[k]->data[i];
			bool is_probe = (k || point->is_entry_probe) &&
					!explain_refusal(explanation, point, false);

			probes += is_probe;
			refused += is_probe && point->attach.notrace;
		}
	}
	for (size_t i = 0; i < explanation->advice.count; i++)
		any |= strcmp(explanation->advice.data[i].tool, "note") != 0;
	if (!any)
		text_add_string(out, "nothing can be done about it");
	else if (refused && refused == probes && !explanation->hooks.count)
		text_add_format(out, "%s do this instead:", option);
	else if (refused)
		text_add_format(out, "do this instead (%zu of the %zu probes %s):", refused,
				probes, option);
	else if (!explanation->instances.count && explanation->hooks.count &&
		 !hooks_come_first(explanation))
		text_add_string(out, "probe the addresses below (what its code calls need not see "
				"each call):");
	else
		text_add_string(out, "do this instead:");
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

static char *headline_of_system_call(const struct tracepoint *tracepoint)
{
	return text_format(
		tracepoint->event == ATTACH_NO
			? "no: the system call %s has no number in this kernel, and without one "
			  "there is no event"
		: tracepoint->never_comes
			? "no: the system call %s never returns, so this event never comes; that "
			  "of sys_enter does"
		: tracepoint->event == ATTACH_YES
			? "yes, it is an event of the system call %s"
			: "not known whether there is an event: nothing here shows whether the "
			  "system call %s has a number (tracefs' events do, and an image's "
			  "sys_call_table)",
		tracepoint->system_call);
}

static char *headline(const struct explanation *explanation)
{
	bool has_points = explanation->instances.count || explanation->sites.count;
	bool is_refused = has_points && (explanation->reasons || explanation->instances.count);
	const char *alias = explanation->has_entry && !has_points ? alias_of(explanation) : NULL;
	struct text text = { 0 };

	if (hooks_are_asked(explanation))
		return headline_of_hook(explanation);
	if (!explanation->has_function && explanation->kind == ASKED_FUNCTION)
		return text_format("no function has that name, but a tracepoint has:");
	if (!explanation->has_function && explanation->tracepoint &&
	    explanation->tracepoint->system_call)
		return headline_of_system_call(explanation->tracepoint);
	if (!explanation->has_function && explanation->needs & ASKED_TRACE_EVENT &&
	    explanation->tracepoint->event != ATTACH_YES)
		return text_format(explanation->tracepoint->event == ATTACH_NO
				   ? "no: this tracepoint has no event; do this instead:"
				   : "not known whether this tracepoint has an event: a note says "
				     "what shows it");
	if (!explanation->has_function)
		return text_format("yes, it is a tracepoint: BPF gets its arguments with their "
				   "types");
	if (is_promised(explanation))
		return headline_promised(explanation);
	if (alias)
		return text_format("another name of %s: ask for that%s", alias,
				   is_in_own_btf(explanation, alias)
				   ? "; fentry finds this one, too, by a FUNC in the file's own "
				     "BTF" : "");
	if (explanation->func == FUNC_OF_NAMESAKES)
		return text_format("no: several functions have this name, and BTF does not say "
				   "which of them its FUNC is");
	if (explanation->has_entry && explanation->entry.attach.kprobe.is == ATTACH_NO)
		return text_format("no: %s", explanation->entry.attach.kprobe.why);
	if (explanation->has_entry && !has_points && explanation->excluded)
		return text_format("no fentry: it is %s", explanation->excluded);
	if (explanation->has_entry && !has_points)
		return text_format("no fentry: %s", explanation->is_described
				   ? "it is declared in C, but its code is not described"
				   : "only its symbol is known, nothing describes it");
	if (is_refused) {
		text_add_format(&text, "no: %s; ", explanation->reasons
				? verdict_texts[reasons_verdict(explanation->reasons)].sentence
				: "BTF does not promise its prototype");
		add_what_then(&text, explanation);
		return text_finish(&text);
	}
	if (explanation->unplaced.count)
		return headline_unplaced(explanation);
	return text_format("no: it is declared, but nothing of its code is in this image");
}

/* What is by the running kernel, and what is not known without one. */
static void note_sources(struct explanation *explanation)
{
	const struct records *records = explanation->records;
	const struct running_kernel *running;
	size_t length;

	if (explanation->image.is_module && !(records && records->is_running))
		note(explanation, "from %s", explanation->path);
	if (!records)
		return;
	running = &records->running_kernel;
	if (records->without_symbols)
		note(explanation, "without symbols it is not known whether code has the name, "
		     "where it is, and what can be attached there: %s",
		     records->without_symbols);
	for (size_t at = 0; at < running->unread.count; at += length + 1) {
		const char *line = running->unread.data + at;

		length = strcspn(line, "\n");
		note(explanation, "%.*s", (int)length, line);
	}
	if (records->is_running)
		note(explanation, "from %s, %s%s%.*s", records->options->path,
		     records->symbols_path, running->sources.count ? ", " : "",
		     (int)running->sources.count, running->sources.data);
}

/* The function's own lines: after those of the hooks they have a head. */
static void advise_function(struct explanation *explanation, bool is_after)
{
	size_t head = explanation->advice.count, count = 0, number = 0, unknown = 0;

	if (is_after)
		advise(explanation, "else", "%s itself:", explanation->name);
	for (size_t i = 0; i < explanation->instances.count; i++)
		count += explanation->instances.data[i].is_entry_probe;
	for (size_t i = 0; i < explanation->instances.count; i++) {
		if (!explanation->instances.data[i].is_entry_probe)
			continue;
		number++;
		unknown += explanation->instances.data[i].unknown_parameters;
		advise_instance(explanation, &explanation->instances.data[i],
				count > 1 ? number : 0);
	}
	if (explanation->has_entry) {
		unknown = explanation->entry.unknown_parameters;
		advise_instance(explanation, &explanation->entry, 0);
	}
	if (unknown)
		note(explanation, "%zu parameter%s missing in the probe%s: no location is known at "
		     "the entry, or tracefs cannot fetch from there", unknown,
		     unknown == 1 ? " is" : "s are", count > 1 ? "s" : "");
	if (is_after && explanation->advice.count == head + 1)
		free(explanation->advice.data[--explanation->advice.count].text);
}

void advice_give(struct explanation *explanation)
{
	bool is_hook = hooks_are_asked(explanation);
	bool hooks_first = hooks_come_first(explanation);

	if (hooks_first || is_hook)
		advise_hooks(explanation);
	if (explanation->has_function && !is_hook) {
		advise_function(explanation, hooks_first);
		if (!hooks_first)
			advise_hooks(explanation);
		if (!explanation->rank)
			note_func(explanation);
		note_results(explanation);
		note_hooks(explanation);
		note_sites(explanation);
		if (!explanation->rank)
			note_anchors(explanation);
	}
	if (explanation->tracepoint)
		advise_tracepoint(explanation, explanation->tracepoint);
	explanation->headline = headline(explanation);
	if (explanation->tracepoint && explanation->has_function)
		note(explanation, "a tracepoint has that name, too: see the lines with %s",
		     explanation->tracepoint->event == ATTACH_YES ? "tp/" : "tp_btf/");
	if (!explanation->rank)
		note_sources(explanation);
}
