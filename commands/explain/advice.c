/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What to do about a function or tracepoint, given what was found: lines to be pasted where the
 * tool is the BPF program's source, bpftrace's command line or tracefs' kprobe_events.
 */
#include <ctype.h>
#include <string.h>

#include "commands/explain/explain.h"
#include "commands/explain/explain_place.h"

static void advise(struct explanation *explanation, const char *tool, char *text)
{
	array_push(&explanation->advice, ((struct advice){ tool, text }));
}

/* tracefs takes identifiers of up to 63 characters for the names of events (MAX_EVENT_NAME_LEN). */
#define MAX_EVENT 63

static void print_event(FILE *out, const char *name, size_t number, const char *suffix)
{
	char tail[32] = "";
	int room;

	if (number)
		snprintf(tail, sizeof(tail), "_%zu", number);
	room = MAX_EVENT - (int)strlen(tail) - (int)strlen(suffix);
	for (; *name && room > 0; name++, room--)
		fputc(isalnum((unsigned char)*name) ? *name : '_', out);
	fprintf(out, "%s%s", tail, suffix);
}

/* ---- functions found by their names ---- */

/* "struct sk_buff *skb" of "int tcp_v4_rcv(struct sk_buff *skb)": behind the name that is known. */
static char *parameters_of(const char *prototype, const char *name)
{
	const char *at = strstr(prototype, name);
	size_t length;

	while (at && at[strlen(name)] != '(')
		at = strstr(at + 1, name);
	if (!at)
		return text_of("void");
	at += strlen(name) + 1;
	length = strlen(at);
	return memory_string(at, length && at[length - 1] == ')' ? length - 1 : length);
}

static void advise_fentry(struct explanation *explanation, const char *name,
			  const struct explained_instance *instance, const char *prototype)
{
	char *parameters;
	struct text_buffer buffer;
	FILE *out;

	/* Structs by value need BPF_PROG2, which wants types and names apart. */
	if (instance->trampoline.has_struct) {
		advise(explanation, "note",
		       text_of("fentry/%s takes a struct by value: that needs BPF_PROG2", name));
		return;
	}
	parameters = parameters_of(prototype, name);
	out = text_begin(&buffer);
	fprintf(out, "SEC(\"fentry/%s\") int BPF_PROG(on_", name);
	print_event(out, explanation->name, 0, "");
	fprintf(out, "%s%s)", strcmp(parameters, "void") == 0 ? "" : ", ",
		strcmp(parameters, "void") == 0 ? "" : parameters);
	advise(explanation, "bpf", text_end(&buffer));
	out = text_begin(&buffer);
	fprintf(out, "fentry:%s { ", name);
	if (instance->parameters.count && *instance->parameters.data[0].name)
		fprintf(out, "print(args.%s);", instance->parameters.data[0].name);
	else
		fputs("@[comm] = count();", out);
	fputs(" }", out);
	advise(explanation, "bpftrace", text_end(&buffer));
	free(parameters);
}

/* GCC's .isra drops return values, too; that a caller reads it shows that this one did not. */
static bool is_result_in_doubt(const struct explained_instance *instance)
{
	return instance->instance->join == JOIN_CLONE &&
	       (instance->instance->result_in_doubt || instance->instance->folded);
}

static bool is_result_gone(const struct explained_instance *instance)
{
	return instance->instance->reasons & (REASON(RETURN_REMOVED) | REASON(NO_PROTOTYPE));
}

/* p: and r: lines. Pieces of functions have no arguments that anybody declared, and no return. */
static void advise_kprobe(struct explanation *explanation,
			  const struct explained_instance *instance, size_t number)
{
	const char *name = explanation->name;
	bool whole = instance->instance->join >= JOIN_CLONE;
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);

	fputs("p:", out);
	print_event(out, name, number, "");
	fprintf(out, " %s", instance->place);
	for (size_t i = 0; whole && i < instance->parameters.count; i++) {
		const char *fetch = instance->parameters.data[i].fetch;

		fprintf(out, "%s%s", *fetch ? " " : "", fetch);
	}
	if (instance->symbol && strcmp(instance->symbol->name, instance->place) != 0)
		fprintf(out, "  # %s%s%s", instance->symbol->name, instance->unit ? " of " : "",
			instance->unit ? instance->unit : "");
	advise(explanation, "tracefs", text_end(&buffer));
	if (!whole)
		return;
	out = text_begin(&buffer);
	fputs("r:", out);
	print_event(out, name, number, "_return");
	fprintf(out, " %s", instance->place);
	if (instance->result.sign && instance->result.words == 1 && !is_result_gone(instance) &&
	    !is_result_in_doubt(instance)) {
		fputs(" result=$retval", out);
		place_print_type(out, instance->result);
	}
	advise(explanation, "tracefs", text_end(&buffer));
}

static bool is_module(const struct explanation *explanation)
{
	return explanation->program->object.relocatable;
}

/* The kernel's command line has commas where tracefs has blanks. */
static void advise_boot(struct explanation *explanation, const struct explained_instance *instance,
			size_t number)
{
	struct text_buffer buffer;
	FILE *out;

	/* A module's own name is not in its DWARF: note_hooks() says what to do. */
	if (is_module(explanation))
		return;
	out = text_begin(&buffer);
	fputs("kprobe_event=p:", out);
	print_event(out, explanation->name, number, "");
	fprintf(out, ",%s", instance->place);
	for (size_t i = 0; i < instance->parameters.count; i++) {
		const char *fetch = instance->parameters.data[i].fetch;

		if (*fetch)
			fputc(',', out);
		for (; *fetch; fetch++)
			fputc(*fetch == ' ' ? ',' : *fetch, out);
	}
	advise(explanation, "boot", text_end(&buffer));
}

/*
 * BPF programs on kprobes need no FUNC: the arguments are counted by registers, so what is left of
 * the prototype must be known, and all of it be in registers, one for each. libbpf knows 8 at most.
 */
static bool is_in_registers(const struct explanation *explanation,
			    const struct trampoline_view *view)
{
	const struct abi *abi = explanation->kernel.abi;

	return abi && !view->has_struct && !view->returns_struct && !view->has_float &&
	       view->widest_bytes <= abi->word_bytes && view->parameters <= 8 &&
	       view->parameters <= abi->argument_register_count;
}

static void advise_bpf_kprobe(struct explanation *explanation,
			      const struct explained_instance *instance, const char *prototype)
{
	const char *symbol = instance->symbol->name;
	char *parameters = parameters_of(prototype, symbol);
	struct text_buffer buffer;
	FILE *out;

	if (is_in_registers(explanation, &instance->trampoline) && !strchr(parameters, '.')) {
		out = text_begin(&buffer);
		fprintf(out, "SEC(\"kprobe/%s\") int BPF_KPROBE(on_", symbol);
		print_event(out, explanation->name, 0, "");
		fprintf(out, "%s%s)", strcmp(parameters, "void") == 0 ? "" : ", ",
			strcmp(parameters, "void") == 0 ? "" : parameters);
		advise(explanation, "bpf", text_end(&buffer));
	}
	free(parameters);
}

static void advise_copy(struct explanation *explanation, const struct explained_instance *instance)
{
	const char *symbol = instance->symbol->name;
	struct text_buffer buffer;

	if (!instance->true_prototype || !attach_only_symbol(explanation->program, symbol))
		return;
	advise_bpf_kprobe(explanation, instance, instance->true_prototype);
	if (instance->fentry.answer == ATTACH_NO)
		return;
	text_begin(&buffer);
	fprintf(buffer.stream, "btfenc encode --features +true_signature makes FUNC %s: then",
		symbol);
	trampoline_print_since(buffer.stream, &instance->fentry);
	advise(explanation, "encode", text_end(&buffer));
	if (instance->attach.ftrace != ATTACH_NO)
		advise_fentry(explanation, symbol, instance, instance->true_prototype);
}

/* Not for every reason: what the name stands for must be one place, called as it is declared. */
static bool is_promised(const struct explanation *explanation)
{
	return explanation->judged && explanation->verdict == VERDICT_OK;
}

/* The whole function, but under a symbol that no kernel takes for the name: f.lto_priv.0. */
static bool is_renamed(const struct explanation *explanation,
		       const struct explained_instance *instance)
{
	return instance->instance->join == JOIN_SAME && instance->symbol &&
	       !symbol_is_found_as(instance->symbol, explanation->name);
}

static void advise_instance(struct explanation *explanation,
			    const struct explained_instance *instance, size_t number)
{
	const struct attach_state *attach = &instance->attach;

	if (attach->init) {
		advise_boot(explanation, instance, number);
		return;
	}
	if (attach->exit)
		return;
	if (is_promised(explanation) && attach->ftrace != ATTACH_NO &&
	    instance->fentry.answer != ATTACH_NO &&
	    instance->instance->join == JOIN_SAME && !is_renamed(explanation, instance))
		advise_fentry(explanation, explanation->name, instance, instance->prototype);
	if (is_promised(explanation) && instance->instance->join == JOIN_SAME &&
	    instance->fentry.answer == ATTACH_NO && attach->kprobe == ATTACH_YES)
		advise_bpf_kprobe(explanation, instance, instance->prototype);
	if (attach->kprobe == ATTACH_YES)
		advise_kprobe(explanation, instance, number);
	if (instance->instance->join == JOIN_CLONE || is_renamed(explanation, instance))
		advise_copy(explanation, instance);
}

/* ---- notes ---- */

static void note(struct explanation *explanation, char *text)
{
	advise(explanation, "note", text);
}

static bool same_address_before(const struct explanation *explanation, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (explanation->instances.data[i].instance->address ==
		    explanation->instances.data[index].instance->address)
			return true;
	}
	return false;
}

/* Copies and pieces are worth a probe where they are all there is. */
static bool is_worth_a_probe(const struct explanation *explanation,
			     const struct explained_instance *instance)
{
	switch ((enum join_class)instance->instance->join) {
	case JOIN_SAME:
	case JOIN_CLONE: return true;
	case JOIN_NONE: return explanation->verdict == VERDICT_NO_SYMBOL;
	case JOIN_FRAGMENT: return explanation->verdict == VERDICT_PARTIAL;
	case JOIN_COLD: return false;
	}
	return false;
}

static void advise_instances(struct explanation *explanation)
{
	size_t count = 0, number = 0, unknown = 0;

	for (int counting = 1; counting >= 0; counting--) {
		for (size_t i = 0; i < explanation->instances.count; i++) {
			const struct explained_instance *instance = &explanation->instances.data[i];

			if (!is_worth_a_probe(explanation, instance) ||
			    same_address_before(explanation, i))
				continue;
			if (counting) {
				count++;
				continue;
			}
			number++;
			unknown += instance->instance->join >= JOIN_CLONE
					   ? instance->unknown_parameters : 0;
			advise_instance(explanation, instance, count > 1 ? number : 0);
		}
	}
	if (unknown && !(explanation->reasons & REASON(NO_PROTOTYPE)))
		note(explanation, text_of("%zu parameter%s missing in the probe%s: nothing says "
					  "where %s at the entry", unknown,
					  unknown == 1 ? " is" : "s are", count == 1 ? "" : "s",
					  unknown == 1 ? "it is" : "they are"));
}

static void note_results(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->instances.count; i++) {
		const struct explained_instance *instance = &explanation->instances.data[i];

		if (is_result_in_doubt(instance) && instance->result.sign &&
		    !is_result_gone(instance) && !instance->attach.init &&
		    instance->attach.kprobe == ATTACH_YES)
			note(explanation, text_of("it is not known whether %s still returns its "
						  "value: no caller is known to read it",
						  instance->symbol->name));
	}
}

static void note_hooks(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->instances.count; i++) {
		const struct explained_instance *instance = &explanation->instances.data[i];

		if (instance->instance->join < JOIN_CLONE)
			continue;
		if (instance->attach.init && is_module(explanation))
			note(explanation, text_of("%s is in %s: it is freed when the module is "
						  "loaded, so only a kprobe on MODULE:%s that is "
						  "set before can see it", instance->place,
						  instance->section, instance->place));
		else if (instance->attach.init)
			note(explanation, text_of("%s is in %s: it is freed when booting is done, "
						  "so only a probe on the kernel command line "
						  "can see it, from the initcalls on",
						  instance->place, instance->section));
		else if (instance->attach.exit)
			note(explanation, text_of("%s is in %s: in built-in code nobody calls it",
						  instance->place, instance->section));
		else if (instance->attach.forbidden)
			note(explanation, text_of("no kprobe at %s: %s", instance->place,
						  instance->attach.forbidden));
		if (!is_promised(explanation) || instance->attach.init)
			return;
		if (instance->attach.ftrace == ATTACH_NO)
			note(explanation, text_of("no fentry at %s: it has no tracer's hook at "
						  "its entry (notrace)", instance->place));
		else if (instance->attach.ftrace == ATTACH_UNKNOWN &&
			 instance->fentry.answer != ATTACH_NO)
			note(explanation, text_of("the image does not say whether %s has a "
						  "tracer's hook (no __mcount_loc), without which "
						  "fentry cannot attach", instance->place));
		return;
	}
}

/* Functions around inline sites, each once, as long as they are few. */
#define CALLERS_SHOWN 4

static void note_callers(struct explanation *explanation)
{
	const struct symbol *callers[CALLERS_SHOWN];
	struct text_buffer buffer;
	size_t count = 0, others = 0;
	FILE *out;

	for (size_t i = 0; i < explanation->sites.count; i++) {
		const struct symbol *symbol = explanation->sites.data[i].symbol;
		size_t k = 0;

		while (k < count && callers[k] != symbol)
			k++;
		if (!symbol || k < count || explanation->sites.data[i].in_itself)
			continue;
		if (count < CALLERS_SHOWN)
			callers[count++] = symbol;
		else
			others++;
	}
	if (!count)
		return;
	out = text_begin(&buffer);
	fputs("or trace what it was inlined into: ", out);
	for (size_t i = 0; i < count; i++)
		fprintf(out, "%s%s", i ? ", " : "", callers[i]->name);
	if (others)
		fputs(", ...", out);
	note(explanation, text_end(&buffer));
}

static void note_sites(struct explanation *explanation)
{
	size_t count = explanation->outer_sites;

	if (!count)
		return;
	if (is_promised(explanation))
		note(explanation, text_of("%zu more call%s %s inlined, which no probe at the entry "
					  "sees: see the sites below", count, count == 1 ? "" : "s",
					  count == 1 ? "was" : "were"));
	else
		note(explanation, text_of("its body was inlined at %zu place%s: each line below "
					  "is a probe for one", count, count == 1 ? "" : "s"));
	note_callers(explanation);
}

static const char *why_no_func(reason_set reasons)
{
	if (reasons & (REASON(CLONE) | REASON(PARTIAL) | REASON(COLD) | REASON(NO_SYMBOL)))
		return "no code has that name";
	if (reasons & REASON(NO_PROTOTYPE))
		return "nobody says what its arguments are";
	if (reasons & (REASON(INVALID_NAME) | REASON(UNNAMED_PARAM)))
		return "the kernel would reject it";
	return "it would promise what does not hold";
}

/* Does fentry take anything here? Else nothing is said of it. */
static bool has_fentry(const struct explanation *explanation)
{
	const struct trampoline_view nothing = { 0 };

	return trampoline_answer(&explanation->kernel, &nothing).answer != ATTACH_NO;
}

static void note_reasons(struct explanation *explanation)
{
	if (explanation->reasons & REASON(AMBIGUOUS_ADDRESS))
		note(explanation, text_of("a kprobe by the name alone is refused, or finds one of "
					  "them; offsets from _stext survive KASLR"));
	else if (explanation->judged && explanation->verdict != VERDICT_OK)
		note(explanation, text_of("%sBTF has no FUNC %s, because %s",
					  has_fentry(explanation) ? "no fentry: " : "",
					  explanation->name, why_no_func(explanation->reasons)));
}

/* ---- tracepoints ---- */

static void advise_tracepoint(struct explanation *explanation)
{
	const struct tracepoint *tracepoint = explanation->tracepoint;
	const char *name = tracepoint->name;
	bool has_parameters = tracepoint->parameters && strcmp(tracepoint->parameters, "void") != 0;
	const char *system = tracepoint->system ? tracepoint->system : "*";

	if (tracepoint->prototype)
		advise(explanation, "bpf",
		       text_of("SEC(\"tp_btf/%s\") int BPF_PROG(on_%s%s%s)", name, name,
			       has_parameters ? ", " : "",
			       has_parameters ? tracepoint->parameters : ""));
	else
		advise(explanation, "bpf", text_of("SEC(\"raw_tp/%s\")", name));
	if (!tracepoint->has_event) {
		advise(explanation, "bpftrace",
		       text_of("rawtracepoint:%s { print(arg0); }", name));
		note(explanation, text_of("it has no event in tracefs (DECLARE_TRACE)"));
		return;
	}
	if (tracepoint->record)
		advise(explanation, "bpf", text_of("SEC(\"tp/%s/%s\") int on_%s(struct %s *ctx)",
						   system, name, name, tracepoint->record));
	advise(explanation, "bpftrace",
	       text_of("tracepoint:%s:%s { print(args.%s); }", system, name,
		       tracepoint->members.count > 1 ? tracepoint->members.data[1].name : "..."));
	if (tracepoint->system)
		advise(explanation, "tracefs",
		       text_of("echo 1 > events/%s/%s/enable", system, name));
}

/* ---- the answer in one line ---- */

static char *headline_attached(const struct explanation *explanation,
			       const struct explained_instance *instance)
{
	size_t sites = explanation->outer_sites;
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);

	if (instance->fentry.answer == ATTACH_NO)
		fprintf(out, "yes, by kprobe (not by fentry: %s)", instance->fentry.why);
	else
		fputs("yes, by fentry", out);
	trampoline_print_since(out, &instance->fentry);
	if (sites == 1)
		fputs(", but not the one place where it was inlined", out);
	else if (sites)
		fprintf(out, ", but not the %zu places where it was inlined", sites);
	else
		fprintf(out, ": %s", verdict_sentence(VERDICT_OK));
	return text_end(&buffer);
}

/* Of a function with a FUNC. */
static char *headline_promised(const struct explanation *explanation)
{
	const struct explained_instance *instance = NULL;

	for (size_t i = 0; !instance && i < explanation->instances.count; i++) {
		if (explanation->instances.data[i].instance->join == JOIN_SAME)
			instance = &explanation->instances.data[i];
	}
	if (!instance)
		return text_of("yes: %s", verdict_sentence(VERDICT_OK));
	if (instance->attach.init && is_module(explanation))
		return text_of("only while the module is loaded, by a kprobe that is set before: "
			       "its code is freed afterwards");
	if (instance->attach.init)
		return text_of("only while booting, from the initcalls on: its code is freed "
			       "afterwards; do this:");
	if (instance->attach.exit)
		return text_of("no: it is code for unloading, which nobody calls here");
	if (instance->attach.ftrace == ATTACH_NO && instance->attach.forbidden)
		return text_of("no: %s", instance->attach.forbidden);
	if (is_renamed(explanation, instance))
		return text_of("not by fentry under that name: its symbol is %s; a kprobe works:",
			       instance->symbol->name);
	if (instance->attach.ftrace == ATTACH_NO)
		return text_of("not by fentry: it has no tracer's hook (notrace); by kprobe only "
			       "where the kernel has CONFIG_KPROBE_EVENTS_ON_NOTRACE:");
	if (instance->fentry.answer == ATTACH_NO && instance->attach.forbidden)
		return text_of("no: %s", instance->attach.forbidden);
	if (instance->fentry.refused)
		return text_of("not by fentry, which refuses it because %s; a kprobe works:",
			       instance->fentry.why);
	return headline_attached(explanation, instance);
}

static char *headline_without_code(const struct explanation *explanation)
{
	size_t sites = explanation->sites.count;
	const char *forbidden = explanation->lone_symbol
					? attach_kprobe_forbidden(explanation->program,
								  explanation->lone_symbol->address)
					: NULL;

	if (forbidden)
		return text_of("no: %s", forbidden);
	if (explanation->lone_symbol && !explanation->scan.functions.count)
		return text_of("no fentry: only its symbol is known, no DWARF describes it");
	if (explanation->lone_symbol)
		return text_of("no fentry: it is declared in C, but its code is not described");
	if (sites)
		return text_of("no: %s; do this instead:", verdict_sentence(VERDICT_INLINED_ONLY));
	return text_of("no: it is declared, but nothing of its code is in this image");
}

static bool anything_to_do(const struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->advice.count; i++) {
		if (strcmp(explanation->advice.data[i].tool, "note") != 0)
			return true;
	}
	return explanation->sites.count;
}

static char *headline(const struct explanation *explanation)
{
	if (!explanation_has_function(explanation))
		return text_of("yes, it is a tracepoint: BPF gets its arguments with their types");
	if (!explanation->judged)
		return headline_without_code(explanation);
	if (explanation->verdict == VERDICT_OK)
		return headline_promised(explanation);
	return text_of("no: %s; %s", verdict_sentence(explanation->verdict),
		       anything_to_do(explanation) ? "do this instead:"
						   : "nothing can be done about it");
}

static void advise_lone_symbol(struct explanation *explanation)
{
	const struct program *program = explanation->program;
	uint64_t address = explanation->lone_symbol->address;
	struct attach_state attach = attach_state_at(program, address);
	char place[ATTACH_PLACE_BYTES];
	struct text_buffer buffer;

	if (attach.forbidden) {
		note(explanation, text_of("no kprobe: %s", attach.forbidden));
		return;
	}
	attach_place(program, address, place, sizeof(place));
	text_begin(&buffer);
	fputs(attach.init ? "kprobe_event=p:" : "p:", buffer.stream);
	print_event(buffer.stream, explanation->name, 0, "");
	fprintf(buffer.stream, "%c%s", attach.init ? ',' : ' ', place);
	advise(explanation, attach.init && !is_module(explanation) ? "boot" : "tracefs",
	       text_end(&buffer));
}

void advice_give(struct explanation *explanation)
{
	if (explanation->lone_symbol)
		advise_lone_symbol(explanation);
	if (explanation_has_function(explanation)) {
		advise_instances(explanation);
		note_reasons(explanation);
		note_results(explanation);
		note_hooks(explanation);
		note_sites(explanation);
	}
	if (explanation->tracepoint)
		advise_tracepoint(explanation);
	explanation->headline = headline(explanation);
	if (explanation->tracepoint && explanation_has_function(explanation))
		note(explanation, text_of("a tracepoint has that name, too: see the lines with %s",
					  explanation->tracepoint->has_event ? "tp/" : "tp_btf/"));
}
