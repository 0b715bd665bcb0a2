/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/compat/compat_attach.h"

#include <fnmatch.h>
#include <stdlib.h>

#include "commands/explain/explain.h"
#include "commands/explain/explain_print.h"
#include "commands/explain/hooks.h"
#include "commands/explain/program_type.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"
#include "kernel/attach/machine.h"
#include "kernel/c_spelling.h"

/* What does not attach may yet be loaded, as far as is known. */
static void set(struct compat_answer *answer, struct answer taken)
{
	answer->state = taken.is == ATTACH_YES  ? COMPAT_OK
			: taken.is == ATTACH_NO ? COMPAT_MISSING : COMPAT_NOT_KNOWN;
	answer->loads = taken.is == ATTACH_YES ? ATTACH_YES : ATTACH_UNKNOWN;
	free(answer->why);
	answer->why = taken.is == ATTACH_YES || !taken.why ? NULL : memory_copy(taken.why);
}

/* ---- parameters ---- */

/*
 * Of each parameter the word of the program's context that has it, -1: not known, how many it has,
 * its type, and what that is to who reads it: without the names of numbers, or a const.
 */
static json_t *parameters_of(const struct explanation *explanation, bool is_probe)
{
	const struct type_source *types = &explanation->types;
	bool is_tracepoint = explanation_is_of_tracepoint(explanation);
	uint32_t named, prototype = !is_tracepoint ? explanation->prototype_id
		: tracepoint_prototype(types, type_named(types, BTF_TYPEDEF, TRACEPOINT_TYPE,
							 explanation->name), 0, &named);
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);
	json_t *array = words ? json_array() : NULL;
	int word = 0, count;

	/* Before those of a tracepoint is what was registered with the function. */
	for (uint32_t i = 0; i + is_tracepoint < btf_element_count(words); i++) {
		uint32_t ref = btf_element(words, i + is_tracepoint)[1];
		struct value_type value = value_type_of(types, ref);
		struct text type = { 0 };

		type_add(&type, types, ref, "");
		count = value.size_bytes > 8 ? 2 : 1;
		json_array_append_new(array, json_pack("[i, i, o, o]", is_probe
			? type_argument_word(types, i) : word, count,
			json_take(&type), json_sprintf("%d %d %u %s", value.kind == BTF_PTR,
				value.is_signed, value.size_bytes,
				explain_pointed_struct(types, ref))));
		word += count;
	}
	return array;
}

static uint64_t words_from(size_t word)
{
	return word < 64 ? UINT64_MAX << word : 0;
}

/* The words of its context for which a program is refused where it reads them. */
static void set_context(struct compat_answer *answer, const struct kernel *kernel,
			const struct bpf_section *section)
{
	const char *type = section->program_type, *attach = section->attach_type;
	bool has_result = strstr(attach, "EXIT") || strstr(attach, "RETURN") ||
			  strstr(attach, "LSM") || strstr(attach, "SESSION");
	bool is_perf = strcmp(type, "PERF_EVENT") == 0, is_raw = text_after(type, "RAW_TRACEPOINT");
	const uint32_t *registers = type_named(&kernel->types, BTF_STRUCT, "",
					       is_perf ? "bpf_perf_event_data" : "pt_regs");
	int word = answer->parameters ? 0 : 64, count = 0;
	uint64_t beyond;

	json_unpack(json_array_get(answer->parameters, json_array_size(answer->parameters) - 1),
		    "[i, i]", &word, &count);
	beyond = words_from((size_t)(word + count) + has_result);
	answer->not_loaded_with = strcmp(type, "TRACEPOINT") == 0 ? 1 : is_raw ? words_from(12)
		: !is_perf && strcmp(type, "KPROBE") != 0 ? beyond
		: registers ? words_from((registers[BTF_WORD_SIZE] + 7) / 8) : 0;
	if (is_raw)
		answer->not_attached_with = beyond | (strstr(type, "WRITABLE") != NULL);
}

/* Of the arguments that it reads the first that is another thing than in the first kernel. */
static char *find_change(const struct compat_program *program, json_t *first, json_t *other,
			 const char *path)
{
	for (size_t i = 0; i < json_array_size(first) || i < json_array_size(other); i++) {
		const char *was = NULL, *is = NULL, *was_value = "", *is_value = "";
		int word = -1, count;

		json_unpack(json_array_get(first, i), "[i, i, s, s]", &word, &count, &was,
			    &was_value);
		json_unpack(json_array_get(other, i), "[i, i, s, s]", &word, &count, &is,
			    &is_value);
		if (word >= 0 && word < 64 && program->context_words >> word & 1 &&
		    !(is && was && (c_spelling_is_same(is, was) ||
				    strcmp(is_value, was_value) == 0)))
			return text_format("argument %zu is %s; in %s it is %s", i + 1,
					   is ? is : "not there", path, was ? was : "not there");
	}
	return NULL;
}

/* Of a struct's members, which are its programs. */
static char *find_changed_member(const json_t *first, const json_t *other, const char *path)
{
	const char *was = NULL, *is = NULL;

	for (size_t i = 0; i < json_array_size(first) && i < json_array_size(other); i++) {
		was = json_string_value(json_array_get(first, i));
		is = json_string_value(json_array_get(other, i));
		if (!c_spelling_is_same(is, was))
			return text_format("it has %s; in %s that is %s", is, path, was);
	}
	return NULL;
}

void compat_compare(struct compat *compat)
{
	for (size_t i = 0; i < compat->needs.count; i++) {
		const struct compat_need *need = &compat->needs.data[i];
		const struct compat_kernel *first = NULL;

		for (size_t k = 0; k < compat->kernels.count; k++) {
			struct compat_answer *answer = &compat->kernels.data[k].answers[i];
			char *change = NULL;

			if (!answer->parameters || answer->state == COMPAT_MISSING)
				continue;
			first = first ? first : &compat->kernels.data[k];
			if (need->kind == COMPAT_STRUCT_OPS)
				change = find_changed_member(first->answers[i].parameters,
							     answer->parameters,
							     first->build.vmlinux);
			for (size_t p = 0; p < need->programs.count && !change; p++)
				change = find_change(&compat->programs.data[need->programs.data[p]],
						     first->answers[i].parameters,
						     answer->parameters, first->build.vmlinux);
			if (!change)
				continue;
			free(answer->why);
			answer->why = change;
			answer->state = COMPAT_CHANGED;
		}
	}
}

/* ---- targets ---- */

/* Calls that programs do not see. */
static char *unseen_calls(const struct explanation *explanation)
{
	struct text text = { 0 };

	if (explanation->outer_sites)
		text_add_format(&text, "%zu call%s inlined and not seen", explanation->outer_sites,
				explanation->outer_sites == 1 ? " is" : "s are");
	array_each(const struct probe_point, point, &explanation->instances) {
		if (point->join == JOIN_CLONE)
			text_add_format(&text, "%scalls of its clone %s are not seen",
					text.count ? "; " : "", point->function);
	}
	return text.count ? text_finish(&text) : NULL;
}

/* fentry needs a hook, and so do probes at many functions. */
static bool is_hook_unknown(const struct explanation *explanation, const struct probe_point *point)
{
	return point->attach.ftrace == ATTACH_UNKNOWN &&
	       (!(explanation->needs & ASKED_PROBE) || strchr(explanation->word, '.'));
}

#define HOOK_UNKNOWN ANSWER_MAYBE("nothing here shows whether it has a tracer's hook")

/* The reason alone where it is one of the function, else what explain says. */
static struct answer because(const struct explanation *explanation,
			     const struct probe_point *point, enum attach_answer is)
{
	if (is == ATTACH_UNKNOWN && is_hook_unknown(explanation, point))
		return HOOK_UNKNOWN;
	if (is == ATTACH_UNKNOWN && explanation->needs & ASKED_PROBE &&
	    explanation->records && explanation->records->without_symbols)
		return ANSWER_MAYBE("without symbols nothing shows whether kprobes are taken");
	if (is == ATTACH_UNKNOWN && explanation->needs & ASKED_PROBE && point->attach.kprobe.why)
		return ANSWER_MAYBE(point->attach.kprobe.why);
	if (is == ATTACH_UNKNOWN && explanation->func == FUNC_PROMISED)
		return ANSWER_MAYBE("the release decides, which nothing here shows");
	return (struct answer){ is, !explanation->reasons ? explanation->headline
			: verdict_texts[reasons_verdict(explanation->reasons)].sentence };
}

/* libbpf gives the kernel the name alone, which has had count_symbols() for it since 6.6. */
static struct answer ask_for_only_symbol(const struct symbol_table *symbols, const char *name)
{
	if (!symbol_table_find(symbols, name) || attach_only_symbol(symbols, name))
		return ANSWER_YES;
	if (!symbol_table_find(symbols, "count_symbols"))
		return ANSWER_MAYBE("several symbols have the name, and older kernels take one");
	return symbol_table_only_code(symbols, name)
		? ANSWER_MAYBE("CONFIG_KALLSYMS_ALL forbids it: a variable has the name, too")
		: ANSWER_NO("several functions have the name, and kernels take none of them");
}

static void ask_function(struct compat_answer *answer, const struct explanation *explanation,
			 bool has_func)
{
	bool by_fentry = !(explanation->needs & ASKED_PROBE);
	enum attach_answer is = explain_function_answer(explanation, by_fentry);
	const struct probe_point *point = explanation->instances.count
		? &explanation->instances.data[0] : &explanation->entry;
	struct asked_answer asked = explain_takes_asked(explanation, point);
	bool has_symbols = !explanation->records || !explanation->records->without_symbols;
	bool has_symbol = !has_symbols ||
			  symbol_table_find(explanation->image.symbols, explanation->name);
	/* Such a program attaches, and never runs; fexit if the kernel does not refuse it. */
	bool never_runs = asked.never_returns &&
			  (!by_fentry || (has_symbols && !symbol_table_find(
				explanation->image.symbols, "noreturn_deny")));

	if (asked.never_returns && by_fentry && !has_symbols)
		asked.answer.is = ATTACH_UNKNOWN;
	if (!has_symbol || (by_fentry && !has_func))
		is = ATTACH_NO;
	/* Of fentry: the kernel goes by its own BTF, which may promise more than is true. */
	else if (by_fentry ? explanation->func != FUNC_PROMISED
			   : is == ATTACH_YES && (is_hook_unknown(explanation, point) ||
						  !has_symbols))
		is = ATTACH_UNKNOWN;
	if (!by_fentry && !strchr(explanation->word, '.') && asked.answer.is == ATTACH_YES)
		asked.answer = ask_for_only_symbol(explanation->image.symbols, explanation->name);
	set(answer, !never_runs && ((is == ATTACH_YES && asked.answer.is != ATTACH_YES) ||
				    (explanation->func == FUNC_PROMISED &&
				     asked.answer.is == ATTACH_NO))
			    ? asked.answer : because(explanation, point, is));
	if (by_fentry && (!has_func || !has_symbol ||
			  (point->attach.init && explanation->image.is_module)))
		answer->loads = ATTACH_NO;
	if (answer->state == COMPAT_OK)
		answer->why = never_runs ? memory_copy(asked.answer.why)
					 : unseen_calls(explanation);
	if (answer->state == COMPAT_OK && answer->why)
		answer->state = COMPAT_OK_BUT;
}

static bool is_call(const char *name)
{
	return text_after(name, "sys_enter_") || text_after(name, "sys_exit_");
}

/* May the kernel have it, though nothing here shows it: without symbols, or without tracefs? */
static bool is_hidden(const struct kernel *kernel, const struct asked *asked)
{
	const struct records *records = kernel->records;

	if (!records || !is_call(asked->name))
		return records && records->without_symbols && asked->needs & ASKED_PROBE;
	return records->without_symbols ||
	       (records->is_running && !records->running_kernel.events_read);
}

/* libbpf goes by the group of an event, and wants one. */
static void ask_tracepoint(struct compat_answer *answer, const struct explanation *explanation)
{
	const struct tracepoint *tracepoint = explanation->tracepoint;
	bool by_event = explanation->needs & ASKED_TRACE_EVENT;
	struct answer taken = explain_takes_asked(explanation, &explanation->entry).answer;
	struct call_parameters call;

	if (tracepoint->system_call && explanation->kind == ASKED_TRACEPOINT && !by_event)
		taken = ANSWER_NO("system calls have events alone (tp/syscalls); the raw "
				  "tracepoints of all are sys_enter and sys_exit");
	else if (by_event && !explanation->folder)
		taken = ANSWER_NO("libbpf wants the group of the event, too: tp/GROUP/NAME");
	else if (taken.is == ATTACH_YES && (by_event || tracepoint->system_call))
		taken = (struct answer){ tracepoint->event, explanation->headline };
	if (by_event)
		answer->not_attached_with = words_from(tracepoint->is_exit ? 3
			: tracepoint->system_call && system_call_parameters(&explanation->image,
				tracepoint->system_call, &call) ? 2 + call.count
			: tracepoint->record ? (tracepoint->record_bytes + 7) / 8 : 64);
	if (by_event && taken.is == ATTACH_YES && (!tracepoint->system || tracepoint->is_said))
		taken = ANSWER_MAYBE("nothing here shows in which group the event is");
	set(answer, taken);
	if (taken.is == ATTACH_NO)
		answer->loads = ATTACH_NO;
}

/* libbpf finds the function of a system call by its name, whether a number leads there or not. */
static void ask_call(struct compat_answer *answer, const struct attach_image *image,
		     const struct asked *asked)
{
	const struct machine *machine = machine_of(image->abi);
	const char *name = text_after(asked->name, "sys_enter_");
	char *function;

	if (asked->kind != ASKED_SYSTEM_CALL || *asked->word != 'k' || !machine ||
	    !machine->call_prefix || answer->state != COMPAT_MISSING || attach_no_kprobes(image))
		return;
	function = text_format("%s%s%s", machine->call_prefix,
			       text_ends_with(machine->call_prefix, "sys_") ? "" : "sys_",
			       name ? name : text_after(asked->name, "sys_exit_"));
	if (symbol_table_find(image->symbols, function)) {
		set(answer, ANSWER_YES);
		answer->state = COMPAT_OK_BUT;
		answer->why = text_format("no number of a system call leads to %s", function);
		json_decref(answer->advice);
		answer->advice = NULL;
	}
	free(function);
}

static void ask_name(struct compat_answer *answer, const struct kernel *kernel,
		     const struct func_names *functions, const struct compat_program *program)
{
	const struct asked *asked = &program->asked;
	/* Those of programs, and the lines before them. */
	static const char *const tools[] = { "bpf", "better", "inside", "calls", "else" };
	bool has_func = func_names_find(functions, asked->name);
	struct explanation explanation;
	bool known = explanation_make(&explanation, kernel, asked->name, asked) &&
		     !explain_is_elsewhere(&explanation);

	if (!known) {
		bool is_other = explanation.tracepoint &&
				explanation_is_of_tracepoint(&explanation);
		bool hidden = !is_other && is_hidden(kernel, asked);

		set(answer, hidden ? ANSWER_MAYBE(NULL) : ANSWER_NO(NULL));
		answer->why = text_format("the kernel has no %s%s%s%s", asked->name,
			asked->folder ? " in " : "", asked->folder ? asked->folder : "",
			hidden ? ", as far as what was given shows" : "");
		answer->loads = hidden || asked->needs & ASKED_MANY ? ATTACH_UNKNOWN : ATTACH_NO;
		/* What libbpf reads as a whole, and looks for in modules. */
		answer->is_elsewhere = asked->kind != ASKED_LSM && !is_call(asked->name) &&
			!is_other && *asked->name && text_is_made_of(asked->name, "_.") &&
			(asked->needs & ASKED_PROBE
				 ? strchr("+", program->section.target[strlen(asked->name)]) != NULL
				 : asked->folder || !(asked->needs & ASKED_MANY));
	} else if (explanation_is_of_tracepoint(&explanation)) {
		ask_tracepoint(answer, &explanation);
	} else if (hooks_are_asked(&explanation)) {
		const struct hook *hook = explanation.hooks.data;

		set(answer, hook->taken.is != ATTACH_YES ? hook->taken
			: explain_takes_asked(&explanation, &explanation.entry).answer);
		if (hook->taken.is == ATTACH_UNKNOWN) {
			free(answer->why);
			answer->why = text_format("it is taken%s", hook->taken.why);
		}
		/* Links of iterators ask it, LSM programs are asked when they are loaded. */
		if (answer->state == COMPAT_MISSING)
			answer->loads = hook->kind == HOOK_LSM ? ATTACH_NO : ATTACH_YES;
	} else {
		ask_function(answer, &explanation, has_func);
	}
	if (asked->kind == ASKED_TRACEPOINT) {
		struct answer taken = explain_kernel_takes(&explanation);

		if (taken.is != ATTACH_YES)
			set(answer, taken);
		if (taken.is != ATTACH_YES || !text_after(asked->word, "tp_btf"))
			answer->loads = (uint8_t)taken.is;
		answer->is_elsewhere &= taken.is == ATTACH_YES;
	}
	if (known && !(asked->needs & ASKED_TRACE_EVENT))
		answer->parameters = parameters_of(&explanation, asked->needs & ASKED_PROBE);
	for (size_t i = 0; known && answer->state >= COMPAT_NOT_KNOWN &&
			   i < explanation.advice.count; i++) {
		const char *tool = explanation.advice.data[i].tool;

		if (text_find_word(tools, 5, tool, strlen(tool)) == 5)
			continue;
		if (!answer->advice)
			answer->advice = json_array();
		json_array_append_new(answer->advice, json_text(explanation.advice.data[i].text));
	}
	ask_call(answer, &kernel->image, asked);
	explanation_release(&explanation);
}

/*
 * "tcp_*": each function that matches is asked as one name would be. Of those without a hook, which
 * may be 50,000, nothing else is asked. Of "kprobe.multi/tcp_*" one has to be taken. Of
 * "fentry.multi/tcp_*" libbpf takes each FUNC whose prototype trampolines take, and the kernel all
 * of these or none (bpf_trampoline_multi_attach()).
 */
static void ask_pattern(struct compat_answer *answer, const struct kernel *kernel,
			const struct func_names *functions, const struct asked *asked)
{
	bool by_probe = asked->needs & ASKED_PROBE, goes_on;
	const struct symbol_table *symbols = kernel->image.symbols;
	const struct type_source own = { .btf = functions->btf, .abi = kernel->types.abi,
					 .word_bytes = kernel->types.word_bytes };
	uint32_t count = by_probe ? (uint32_t)symbols->symbols.count : btf_reader_end_id(own.btf);
	struct trampoline_view view = { 0 };
	struct probe_point point = { .attach = { .ftrace = ATTACH_YES, .modifiable = true },
				     .fentry = trampoline_answer(&kernel->image, NULL, &view) };
	struct explanation explanation;
	struct answer found;

	explanation_begin(&explanation, kernel, asked->name, asked);
	found = explain_takes_asked(&explanation, &point).answer;
	goes_on = found.is != ATTACH_NO;
	if (goes_on)
		found = ANSWER_MAYBE(symbols->symbols.count
			? "no function of the kernel itself matches it; one of a module may"
			: "there are no symbols to match");
	for (uint32_t i = 0; goes_on && symbols->symbols.count && i < count; i++) {
		const uint32_t *func = by_probe ? NULL : btf_reader_type(own.btf, i);
		const char *name = by_probe ? symbols->symbols.data[i].name
			: btf_record_kind(func) == BTF_FUNC ? btf_type_name(own.btf, func) : "";
		const struct symbol *symbol = by_probe ? &symbols->symbols.data[i]
					      : *name ? symbol_table_find(symbols, name) : NULL;

		if ((by_probe && !symbol_is_function(symbol)) || !*name ||
		    fnmatch(asked->name, name, 0) != 0)
			continue;
		if (func)
			view = type_trampoline_view(&own, func[BTF_WORD_TYPE]);
		point.fentry = trampoline_answer(&kernel->image, func ? name : NULL, &view);
		if (point.fentry.refused)
			continue;
		/* Programs that sleep are not for all of them. */
		point.attach = attach_state_of_entry(&kernel->image, symbol ? symbol->address : 0,
						     !text_ends_with(asked->word, ".s"));
		if (by_probe && point.attach.init)
			continue;
		explanation.name = name;
		found = !symbol ? ANSWER_NO("no symbol has the name")
			: point.attach.init ? ANSWER_NO("it is freed when booting is done")
					    : explain_has_hook(&point, false);
		if (found.is == ATTACH_YES)
			found = explain_takes_asked(&explanation, &point).answer;
		if (found.is == ATTACH_YES && is_hook_unknown(&explanation, &point))
			found = HOOK_UNKNOWN;
		goes_on = found.is == (by_probe ? ATTACH_NO : ATTACH_YES);
	}
	set(answer, found);
	if (!by_probe && found.is == ATTACH_NO && explanation.name != asked->name) {
		free(answer->why);
		answer->why = text_format("it takes all that match or none, and %s matches: %s",
					  explanation.name, found.why);
	}
	explanation_release(&explanation);
}

void compat_attach(struct compat_answer *answer, const struct kernel *kernel,
		   const struct func_names *functions, const struct compat_program *program)
{
	const struct asked *asked = &program->asked;
	const char *type = program->section.program_type, *target = program->section.target;
	const char *plus;

	if (!*type) {
		set(answer, ANSWER_MAYBE("libbpf knows no such section: it refuses it, unless its "
					 "loader says of which type it is"));
	} else if (program->by_loader) {
		answer->loads = ATTACH_YES;
		answer->why = memory_copy(target ? "to what it attaches, the kernel does not decide"
						 : "it names no target: its loader does");
	} else if (asked->kind == ASKED_ANY) {
		answer->state = COMPAT_OK;
	} else if (!*target || (!*asked->name && !asked->folder)) {
		set(answer, ANSWER_MAYBE("libbpf finds no name in it, which its loader may know"));
	} else if (!(asked->needs & ASKED_MANY) || !strpbrk(asked->name, "*?")) {
		ask_name(answer, kernel, functions, program);
		plus = (asked->needs & (ASKED_PROBE | ASKED_MANY)) == ASKED_PROBE
			? strchr(target, '+') : NULL;
		if (plus && strtoull(plus + 1, NULL, 0) && answer->state <= COMPAT_OK_BUT)
			set(answer, asked->needs & ASKED_RETURN
				? ANSWER_NO("libbpf takes no offset for returns")
				: ANSWER_MAYBE("whether an instruction begins there is not asked"));
	} else if (asked->folder) {
		set(answer, ANSWER_MAYBE("functions of modules are not matched"));
	} else {
		ask_pattern(answer, kernel, functions, asked);
	}
	if (strcmp(type, "KPROBE") == 0)
		answer->loads = ATTACH_YES;
	set_context(answer, kernel, &program->section);
}
