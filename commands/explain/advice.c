/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What to do about a function or tracepoint, given what was found: lines to be pasted where the
 * tool is the BPF program's source, bpftrace's command line or tracefs' kprobe_events.
 */
#include <ctype.h>
#include <string.h>

#include "commands/explain/explain.h"
#include "commands/explain/explain_argument.h"

static void advise(struct explanation *explanation, const char *tool, char *text)
{
	array_push(&explanation->advice, ((struct advice){ tool, text }));
}

static void note(struct explanation *explanation, char *text)
{
	advise(explanation, "note", text);
}

static bool is_promised(const struct explanation *explanation)
{
	return explanation->func == FUNC_PROMISED;
}

/* The whole function, but under a symbol that no kernel takes for the name: f.lto_priv.0. */
static bool is_renamed(const struct explanation *explanation, const struct explained_place *place)
{
	return place->join == JOIN_SAME && place->symbol &&
	       !symbol_is_found_as(place->symbol, explanation->name);
}

static const struct explained_place *first_instance(const struct explanation *explanation,
						    enum join_class least)
{
	for (size_t i = 0; i < explanation->instances.places.count; i++) {
		if (explanation->instances.places.data[i].join >= least)
			return &explanation->instances.places.data[i];
	}
	return explanation->has_entry && !explanation->instances.places.count
		       ? &explanation->entry : NULL;
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

/* ---- BPF ---- */

/* ", struct sk_buff *skb" of `int tcp_v4_rcv(struct sk_buff *skb)`, and a parenthesis. */
static void print_declarations(FILE *out, const struct type_source *types, uint32_t prototype)
{
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);
	uint32_t count = words ? btf_info_vlen(words[BTF_WORD_INFO]) : 0;

	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *parameter = words + BTF_HEAD_WORDS + 2 * i;

		fputs(", ", out);
		type_print(out, types, parameter[1], type_string(types, parameter[0]));
	}
	fputc(')', out);
}

static void advise_fentry(struct explanation *explanation, const char *name,
			  const struct explained_place *place, uint32_t prototype)
{
	const uint32_t *words = type_words_of(&explanation->types, prototype, BTF_FUNC_PROTO);
	const char *first = words && btf_info_vlen(words[BTF_WORD_INFO])
		? type_string(&explanation->types, words[BTF_HEAD_WORDS]) : "";
	struct text_buffer buffer;
	FILE *out;

	/* Structs by value need BPF_PROG2, which wants types and names apart. */
	if (place->view.has_struct) {
		note(explanation,
		     text_of("fentry/%s takes a struct by value: that needs BPF_PROG2", name));
		return;
	}
	out = text_begin(&buffer);
	fprintf(out, "SEC(\"fentry/%s\") int BPF_PROG(on_", name);
	print_event(out, explanation->name, 0, "");
	print_declarations(out, &explanation->types, prototype);
	advise(explanation, "bpf", text_end(&buffer));
	advise(explanation, "bpftrace",
	       *first ? text_of("fentry:%s { print(args.%s); }", name, first)
		      : text_of("fentry:%s { @[comm] = count(); }", name));
}

/*
 * BPF programs on kprobes need no FUNC: the arguments are counted by registers, so what is left of
 * the prototype must be known, and all of it be in registers, one for each. libbpf knows 8 at most.
 */
static void advise_bpf_kprobe(struct explanation *explanation,
			      const struct explained_place *place, uint32_t prototype)
{
	const struct abi *abi = explanation->kernel.abi;
	const struct trampoline_view *view = &place->view;
	struct text_buffer buffer;
	FILE *out;

	if (!abi || view->has_struct || view->returns_struct || view->has_float ||
	    view->is_variadic || view->widest_bytes > abi->word_bytes || view->parameters > 8 ||
	    view->parameters > abi->argument_register_count)
		return;
	out = text_begin(&buffer);
	fprintf(out, "SEC(\"kprobe/%s\") int BPF_KPROBE(on_", place->function);
	print_event(out, explanation->name, 0, "");
	print_declarations(out, &explanation->types, prototype);
	advise(explanation, "bpf", text_end(&buffer));
}

/* ---- tracefs ---- */

static bool is_result_gone(const struct explained_place *place)
{
	return place->instance &&
	       place->instance->reasons & (REASON(RETURN_REMOVED) | REASON(NO_PROTOTYPE));
}

/* p: and r: lines. Pieces of functions do not return from them. */
static void advise_kprobe(struct explanation *explanation, const struct explained_place *place,
			  size_t number)
{
	const char *name = explanation->name;
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);

	fputs("p:", out);
	print_event(out, name, number, "");
	fprintf(out, " %s", place->place);
	explain_print_fetch(out, place, ' ');
	if (place->symbol && !strstr(place->place, place->symbol->name))
		fprintf(out, "  # %s%s%s", place->symbol->name, place->unit ? " of " : "",
			place->unit ? place->unit : "");
	advise(explanation, "tracefs", text_end(&buffer));
	if (place->join < JOIN_CLONE || !explanation->is_described)
		return;
	out = text_begin(&buffer);
	fputs("r:", out);
	print_event(out, name, number, "_return");
	fprintf(out, " %s", place->place);
	if (place->result.sign && place->result.words == 1 && !is_result_gone(place) &&
	    !place->result_in_doubt) {
		fputs(" result=$retval", out);
		explain_print_fetch_type(out, place->result);
	}
	advise(explanation, "tracefs", text_end(&buffer));
}

/* The kernel's command line has commas where tracefs has blanks. */
static void advise_boot(struct explanation *explanation, const struct explained_place *place,
			size_t number)
{
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);

	fputs("kprobe_event=p:", out);
	print_event(out, explanation->name, number, "");
	fprintf(out, ",%s", place->place);
	explain_print_fetch(out, place, ',');
	advise(explanation, "boot", text_end(&buffer));
}

/* ---- instances ---- */

static void advise_copy(struct explanation *explanation, const struct explained_place *place)
{
	const char *symbol = place->function;
	struct text_buffer buffer;
	uint64_t only;

	if (!place->true_prototype || !place->symbol ||
	    !records_only_symbol(explanation->symbols, symbol, &only))
		return;
	advise_bpf_kprobe(explanation, place, place->true_prototype);
	if (place->fentry.answer == ATTACH_NO)
		return;
	text_begin(&buffer);
	fprintf(buffer.stream, "btfenc encode --features +true_signature makes FUNC %s: then",
		symbol);
	trampoline_print_since(buffer.stream, &place->fentry);
	advise(explanation, "encode", text_end(&buffer));
	if (place->attach.ftrace != ATTACH_NO)
		advise_fentry(explanation, symbol, place, place->true_prototype);
}

static void advise_instance(struct explanation *explanation, const struct explained_place *place,
			    size_t number)
{
	const struct attach_state *attach = &place->attach;
	bool is_module = explanation->kernel.is_module;
	/* Not for every reason: the name must be one place, called as it is declared. */
	bool is_whole = is_promised(explanation) && place->join == JOIN_SAME &&
			!is_renamed(explanation, place);

	if (attach->init && !is_module)
		advise_boot(explanation, place, number);
	/* A module's own name is not in its DWARF: note_hooks() says what to do. */
	if (attach->exit || !*place->place ||
	    (attach->init && (!is_module || !explanation->module)))
		return;
	if (is_whole && !attach->init && attach->ftrace != ATTACH_NO &&
	    place->fentry.answer != ATTACH_NO)
		advise_fentry(explanation, explanation->name, place, place->prototype);
	if (is_promised(explanation) && place->join == JOIN_SAME && !attach->init &&
	    place->fentry.answer == ATTACH_NO && attach->kprobe == ATTACH_YES)
		advise_bpf_kprobe(explanation, place, place->prototype);
	if (attach->kprobe == ATTACH_YES)
		advise_kprobe(explanation, place, number);
	if (place->join == JOIN_CLONE || is_renamed(explanation, place))
		advise_copy(explanation, place);
}

static bool same_address_before(const struct explanation *explanation, size_t index)
{
	const struct explained_place *places = explanation->instances.places.data;

	for (size_t i = 0; i < index; i++) {
		if (places[i].address == places[index].address)
			return true;
	}
	return false;
}

/* Parts are worth a probe where they are all there is; cold code is entered from its function. */
static bool is_worth_a_probe(const struct explanation *explanation,
			     const struct explained_place *place)
{
	switch ((enum join_class)place->join) {
	case JOIN_SAME:
	case JOIN_CLONE: return true;
	case JOIN_NONE: return reasons_verdict(explanation->reasons) == VERDICT_NO_SYMBOL;
	case JOIN_FRAGMENT: return reasons_verdict(explanation->reasons) == VERDICT_PARTIAL;
	case JOIN_COLD: return false;
	}
	return false;
}

static void advise_instances(struct explanation *explanation)
{
	size_t count = 0, number = 0, unknown = 0;

	for (int counting = 1; counting >= 0; counting--) {
		for (size_t i = 0; i < explanation->instances.places.count; i++) {
			const struct explained_place *place =
				&explanation->instances.places.data[i];

			if (!is_worth_a_probe(explanation, place) ||
			    same_address_before(explanation, i))
				continue;
			if (counting) {
				count++;
				continue;
			}
			number++;
			unknown += place->unknown_parameters;
			advise_instance(explanation, place, count > 1 ? number : 0);
		}
	}
	if (explanation->has_entry) {
		unknown = explanation->entry.unknown_parameters;
		advise_instance(explanation, &explanation->entry, 0);
	}
	if (unknown)
		note(explanation, text_of("%zu parameter%s missing in the probe%s: DWARF does not "
					  "say where %s at the entry, or tracefs cannot fetch from "
					  "there", unknown,
					  unknown == 1 ? " is" : "s are", count > 1 ? "s" : "",
					  unknown == 1 ? "it is" : "they are"));
}

/* ---- notes ---- */

static void note_results(struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->instances.places.count; i++) {
		const struct explained_place *place = &explanation->instances.places.data[i];

		if (place->instance && place->result_in_doubt && place->result.sign &&
		    !is_result_gone(place) && !place->attach.init &&
		    place->attach.kprobe == ATTACH_YES)
			note(explanation, text_of("it is not known whether %s still returns its "
						  "value: no caller is known to read it",
						  place->function));
	}
}

static void note_hooks(struct explanation *explanation)
{
	const struct explained_place *place = first_instance(explanation, JOIN_CLONE);
	const struct attach_state *attach = place ? &place->attach : NULL;
	const char *name = place && *place->place ? place->place : explanation->name;

	if (!place)
		return;
	if (attach->init && explanation->kernel.is_module && !explanation->module)
		note(explanation, text_of("%s is in %s: it is freed when the module is "
					  "loaded, so only a kprobe on MODULE:%s that is "
					  "set before can see it", name, place->section, name));
	else if (attach->init)
		note(explanation, text_of("%s is in %s: it is freed when %s, so only a probe %s",
					  name, place->section, explanation->module
					  ? "the module is loaded" : "booting is done",
					  explanation->module ? "that is set before can see it"
					  : "on the kernel command line can see it, from the "
					    "initcalls on"));
	else if (attach->exit)
		note(explanation, text_of("%s is in %s: built-in code never calls it", name,
					  place->section));
	else if (attach->forbidden)
		note(explanation, text_of("no kprobe at %s: %s", name, attach->forbidden));
	if (!is_promised(explanation) || attach->init)
		return;
	if (attach->ftrace == ATTACH_NO)
		note(explanation, text_of("no fentry at %s: it has no tracer's hook at "
					  "its entry (notrace)", name));
	else if (attach->ftrace == ATTACH_UNKNOWN && place->fentry.answer != ATTACH_NO)
		note(explanation, text_of("the %s whether %s has a tracer's hook%s, without which "
					  "fentry cannot attach", explanation->program
					  ? "image does not say" : "records do not say",
					  name, explanation->program ? " (no __mcount_loc)"
					  : " (available_filter_functions does)"));
}

/* Functions around inline sites, each once, as long as they are few. */
#define CALLERS_SHOWN 4

static void note_callers(struct explanation *explanation)
{
	const struct symbol *callers[CALLERS_SHOWN];
	struct text_buffer buffer;
	size_t count = 0, others = 0;
	FILE *out;

	for (size_t i = 0; i < explanation->sites.places.count; i++) {
		const struct symbol *symbol = explanation->sites.places.data[i].symbol;
		size_t k = 0;

		while (k < count && callers[k] != symbol)
			k++;
		if (!symbol || k < count || explanation->sites.places.data[i].in_itself)
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
		return ", because no code has that name";
	if (reasons & REASON(NO_PROTOTYPE))
		return ", because no prototype is known";
	if (reasons & (REASON(INVALID_NAME) | REASON(UNNAMED_PARAM)))
		return ", because the kernel would reject it";
	return reasons & ~(REASON(INLINED_ONLY) | REASON(AMBIGUOUS_ADDRESS))
		       ? ", because it would promise what does not hold" : "";
}

/* Has an instance a name for tracefs? */
static bool has_named_place(const struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->instances.places.count; i++) {
		if (*explanation->instances.places.data[i].place)
			return true;
	}
	return explanation->has_entry && *explanation->entry.place;
}

static void note_func(struct explanation *explanation)
{
	const struct trampoline_view nothing = { 0 };
	const char *name = explanation->name;
	/* Where nothing can be attached by fentry, it is not what is missing. */
	const char *no_fentry =
		trampoline_answer(&explanation->kernel, &nothing).answer != ATTACH_NO
			? "no fentry: " : "";

	if (explanation->reasons & REASON(AMBIGUOUS_ADDRESS) && has_named_place(explanation))
		note(explanation, text_of("a kprobe by the name alone is refused, or finds one of "
					  "them%s", explanation->module
					  ? "" : "; offsets from _stext survive KASLR"));
	else if (explanation->func == FUNC_WITHOUT_PROTOTYPE)
		note(explanation, text_of("%sFUNC %s has no prototype", no_fentry, name));
	else if (explanation->func == FUNC_WITHOUT_SYMBOL)
		note(explanation, text_of("%sthere is a FUNC %s, but no symbol has the name",
					  no_fentry, name));
	else if (explanation->func == FUNC_NONE &&
		 (explanation->instances.places.count || explanation->records))
		note(explanation, text_of("%sBTF has no FUNC %s%s", no_fentry, name,
					  why_no_func(explanation->reasons)));
}

/* Only their addresses tell namesakes apart, which a module has only where it is loaded. */
static void note_nameless(struct explanation *explanation)
{
	bool any = explanation->instances.places.count;

	if ((!any && !explanation->has_entry) || has_named_place(explanation))
		return;
	note(explanation, text_of("no probe: several functions have the name %s, %s",
				  explanation->name,
		any && !explanation->kernel.is_module
		? "and only the kernel's ELF file says where direct calls enter each "
		  "(ppc64le's local entry)"
		: any ? "which are known where the module is loaded; give --running"
		: "and these records do not say which it is (+func_secinfo does)"));
}

static bool is_in_section(const struct explained_places *list, const char *section)
{
	for (size_t i = 0; i < list->places.count; i++) {
		if (strcmp(list->places.data[i].section, section) == 0)
			return true;
	}
	return false;
}

/* How sure the addresses are that were found by symbols. */
static void note_anchors(struct explanation *explanation)
{
	const struct records *records = explanation->records;

	for (uint32_t i = 0; records && i < records->sections.count; i++) {
		const struct record_section *section = &records->sections.data[i];

		if (!is_in_section(&explanation->instances, section->name) &&
		    !is_in_section(&explanation->sites, section->name))
			continue;
		if (section->anchors.count)
			note(explanation, text_of("%s starts at 0x%llx: %u of %u functions in %s "
				"agree", section->name, (unsigned long long)section->address,
				section->anchors.agreeing, section->anchors.count,
				records->symbols_path));
		else if (records->symbols == &records->file.symbols)
			note(explanation, text_of("%s starts at 0x%llx, if %s is of this kernel: "
				"no function shows it", section->name,
				(unsigned long long)section->address, records->symbols_path));
	}
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
			       const struct explained_place *place)
{
	const struct trampoline_answer *fentry = &place->fentry;
	size_t sites = explanation->outer_sites;
	struct text_buffer buffer;
	FILE *out = text_begin(&buffer);

	if (fentry->answer == ATTACH_NO)
		fprintf(out, "yes, by kprobe (not by fentry: %s)", fentry->why);
	else
		fputs("yes, by fentry", out);
	trampoline_print_since(out, fentry);
	/* Most functions have one, and only an image can show it. */
	if (explanation->records && fentry->answer != ATTACH_NO &&
	    place->attach.ftrace == ATTACH_UNKNOWN)
		fputs(" where it has a hook", out);
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
	const struct explained_place *place = first_instance(explanation, JOIN_SAME);
	const struct attach_state *attach = place ? &place->attach : NULL;

	if (!place && explanation->unplaced.places.count)
		return text_of("no: its code is in a section that is not there any more, or whose "
			       "address is not known");
	if (!place)
		return text_of("yes: %s", verdict_sentence(VERDICT_OK));
	if (attach->init && explanation->kernel.is_module)
		return text_of("only while the module is loaded, by a kprobe that is set before: "
			       "its code is freed afterwards");
	if (attach->init)
		return text_of("only while booting, from the initcalls on: its code is freed "
			       "afterwards; do this:");
	if (attach->exit)
		return text_of("no: it is code for unloading, which is never called here");
	if ((attach->ftrace == ATTACH_NO || place->fentry.answer == ATTACH_NO) &&
	    attach->forbidden)
		return text_of("no: %s", attach->forbidden);
	if (is_renamed(explanation, place))
		return text_of("not by fentry under that name: its symbol is %s; a kprobe works:",
			       place->symbol->name);
	if (place->fentry.refused)
		return text_of("not by fentry, which refuses it because %s; a kprobe works:",
			       place->fentry.why);
	if (attach->ftrace == ATTACH_NO)
		return text_of("not by fentry: it has no tracer's hook (notrace); by kprobe only "
			       "where the kernel has CONFIG_KPROBE_EVENTS_ON_NOTRACE:");
	return headline_attached(explanation, place);
}

static bool anything_to_do(const struct explanation *explanation)
{
	for (size_t i = 0; i < explanation->advice.count; i++) {
		if (strcmp(explanation->advice.data[i].tool, "note") != 0)
			return true;
	}
	return explanation->sites.places.count;
}

static char *headline(const struct explanation *explanation)
{
	const char *then = anything_to_do(explanation) ? "do this instead:"
						       : "nothing can be done about it";
	bool has_places = explanation->instances.places.count || explanation->sites.places.count;

	if (!explanation->has_function)
		return text_of("yes, it is a tracepoint: BPF gets its arguments with their types");
	if (is_promised(explanation))
		return headline_promised(explanation);
	if (explanation->has_entry && explanation->entry.attach.forbidden)
		return text_of("no: %s", explanation->entry.attach.forbidden);
	if (explanation->has_entry && !has_places)
		return text_of(explanation->is_described
			       ? "no fentry: it is declared in C, but its code is not described"
			       : "no fentry: only its symbol is known, nothing describes it");
	if (explanation->reasons && has_places)
		return text_of("no: %s; %s",
			       verdict_sentence(reasons_verdict(explanation->reasons)), then);
	if (explanation->instances.places.count)
		return text_of("no: BTF does not promise its prototype; %s", then);
	if (explanation->unplaced.places.count)
		return text_of("no: its code is in a section that is not there any more, or whose "
			       "address is not known");
	return text_of("no: it is declared, but nothing of its code is in this image");
}

void advice_give(struct explanation *explanation)
{
	if (explanation->has_function) {
		advise_instances(explanation);
		note_func(explanation);
		note_nameless(explanation);
		note_results(explanation);
		note_hooks(explanation);
		note_sites(explanation);
		note_anchors(explanation);
	}
	if (explanation->tracepoint)
		advise_tracepoint(explanation);
	explanation->headline = headline(explanation);
	if (explanation->tracepoint && explanation->has_function)
		note(explanation, text_of("a tracepoint has that name, too: see the lines with %s",
					  explanation->tracepoint->has_event ? "tp/" : "tp_btf/"));
}
