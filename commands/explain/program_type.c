/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Types of BPF programs by libbpf's sections: what they look like, and why a kernel refuses one. */
#include <assert.h>
#include <elf.h>
#include <stdio.h>
#include <string.h>

#include "commands/explain/program_type.h"
#include "kernel/attach/machine.h"
#include "kernel/attach/known_functions.h"
#include "commands/explain/explain_argument.h"
#include "commands/explain/hooks.h"
#include "commands/explain/tracepoint.h"

/* Programs, by their sections without ".s". */
static const struct program_type {
	const char *section;
	bool may_sleep;
	const char *macro, *ending, *result;	/* "" and NULL: without */
	/* Only some kernels take it, and there is a line only if it is asked for. */
	const char *attach_type;
	struct kernel_version since;	/* major 0: not known */
	const char *why;
	const char *function, *without;	/* that it is built with, or NULL; else why not */
} program_types[] = {
#define ANY NULL, { 0, 0 }, NULL, NULL, NULL
#define FAULTABLE "trace_call_bpf_faultable"
#define JIT_FSESSION "bpf_jit_supports_fsession"
#define FPROBES "register_fprobe_ips", "only kernels built with fprobes (CONFIG_FPROBE) take it"
#define MULTI "bpf_trampoline_multi_attach", "only kernels built with " \
	"bpf_trampoline_multi_attach() take it, which up to 7.3 x86-64 alone has"
#define SINCE(type, major, minor)                                                                  \
	"BPF_" #type, { major, minor }, "kernels take it from " #major "." #minor " on"
#define HAS(type) "BPF_" #type, { 0, 0 }, "only kernels with BPF_" #type " take it"
	{ "fentry", true, "PROG", "", NULL, ANY },
	{ "fexit", true, "PROG", "_exit", "result", ANY },
	{ "fmod_ret", true, "PROG", "_change", "ret", ANY },
	{ "lsm", true, "PROG", "", "ret", ANY },
	{ "iter", true, "PROG", "", NULL, ANY },
	{ "kprobe", false, "KPROBE", "_kprobe", NULL, ANY },
	{ "kprobe.multi", false, "KPROBE", "_kprobe", NULL, SINCE(TRACE_KPROBE_MULTI, 5, 18),
	  FPROBES },
	{ "kretprobe.multi", false, "KRETPROBE", "_return", "result",
	  SINCE(TRACE_KPROBE_MULTI, 5, 18), FPROBES },
	{ "kprobe.session", false, "KPROBE", "_kprobe", NULL, SINCE(TRACE_KPROBE_SESSION, 6, 10),
	  FPROBES },
	{ "lsm_cgroup", false, "PROG", "", NULL, SINCE(LSM_CGROUP, 6, 0), NULL, NULL },
	{ "fsession", true, "PROG", "_session", "result", SINCE(TRACE_FSESSION, 7, 0),
	  JIT_FSESSION, "only JITs with a " JIT_FSESSION "() of their own take it" },
	/* Of functions with other arguments: the result is not where BPF_PROG() looks for it. */
	{ "fentry.multi", true, "PROG", "", NULL, HAS(TRACE_FENTRY_MULTI), MULTI },
	{ "fexit.multi", true, "PROG", "_exit", NULL, HAS(TRACE_FEXIT_MULTI), MULTI },
	{ "fsession.multi", true, "PROG", "_session", NULL, HAS(TRACE_FSESSION_MULTI), MULTI },
};

static bool is_sleepable(const char *section)
{
	return section && text_ends_with(section, ".s");
}

static const struct program_type *find_program_type(const char *section)
{
	for (size_t i = 0; section && i < sizeof(program_types) / sizeof(*program_types); i++) {
		const char *rest = text_after(section, program_types[i].section);

		if (rest && (!*rest || strcmp(rest, ".s") == 0))
			return &program_types[i];
	}
	return NULL;
}

/* ", struct timespec64, offset" if `is_apart`: BPF_PROG2() wants types and names so. */
static void add_value(struct text *out, const struct type_source *types, uint32_t ref,
		      const char *name, bool is_apart)
{
	struct text type = { 0 };

	type_add(&type, types, ref, is_apart ? "" : name);
	text_add_format(out, !is_apart ? ", %.*s%s"
			: memchr(type.data, '(', type.count) ? ", __typeof__(%.*s), %s"
							     : ", %.*s, %s",
			(int)type.count, type.data, is_apart ? name : "");
	array_release(&type);
}

/* "result", or "result_" after a parameter of that name. */
static const char *result_name(const struct type_source *types, const uint32_t *words,
			       const char *name, char buffer[TYPE_NAME_BYTES])
{
	for (uint32_t i = 0; i < btf_element_count(words); i++) {
		if (strcmp(type_string(types, *btf_element(words, i)), name) != 0)
			continue;
		snprintf(buffer, TYPE_NAME_BYTES, "%s_", name);
		return buffer;
	}
	return name;
}

bool explain_add_signature(struct text *out, const struct explanation *explanation,
			   const char *section, const char *name, uint32_t prototype)
{
	const struct type_source *types = &explanation->types;
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);
	const struct program_type *type = find_program_type(section);
	bool is_traced, is_apart, has_result, has_parameters;
	uint32_t count = btf_element_count(words), hidden;
	char buffer[TYPE_NAME_BYTES];
	const char *result;

	assert(type);
	/* Those on kprobes have registers. */
	is_traced = strcmp(type->macro, "PROG") == 0;
	hidden = is_traced ? explain_hidden(explanation, prototype) : 0;
	has_parameters = count > hidden && strcmp(type->macro, "KRETPROBE") != 0;
	is_apart = is_traced && type_trampoline_view(types, prototype).has_struct;
	has_result = words && words[BTF_WORD_TYPE] && type->result;
	result = has_result && has_parameters ? result_name(types, words, type->result, buffer)
					      : type->result;
	text_add_format(out, "int BPF_%s%s(on_", type->macro, is_apart ? "2" : "");
	explain_add_event(out, name, 0, type->ending);
	for (uint32_t i = 0; is_apart && i + hidden < count; i++) {
		const uint32_t *parameter = btf_element(words, i);
		char own[TYPE_NAME_BYTES];

		add_value(out, types, parameter[1],
			  type_parameter_name(type_string(types, parameter[0]), i, own), true);
	}
	if (has_parameters && !is_apart) {
		text_add_string(out, ", ");
		type_add_parameters(out, types, prototype, prototype, 0, hidden);
	}
	if (has_result)
		add_value(out, types, words[BTF_WORD_TYPE], result, is_apart);
	text_add_char(out, ')');
	return has_result;
}

#define UNSHOWN ANSWER_MAYBE("nothing here shows ALLOW_ERROR_INJECTION (error_injection/list does)")

/*
 * Do lists let programs change the function, or sleep in it? Without
 * CONFIG_FUNCTION_ERROR_INJECTION later kernels take system calls instead of a list
 * (has_arch_syscall_prefix() in kernel/bpf/verifier.c; 7.2 does, 6.12 not). These have no set
 * btf_non_sleepable_error_inject, but btf_id_deny, of the same file. `why`: of NO.
 */
static struct answer ask_lists(const struct explanation *explanation, const char *name,
			       const struct probe_point *point, bool is_change, const char *why)
{
	const struct attach_image *image = &explanation->image;
	const struct machine *machine = machine_of(image->abi);
	const char *call = machine ? machine->call_prefix : NULL;
	size_t listed = image->tables->modifiable.count;
	enum attach_answer by_ids;

	if (point->attach.modifiable)
		return ANSWER_YES;
	if (call && text_after(name, call) && !listed &&
	    !symbol_table_find(image->symbols, "within_error_injection_list") &&
	    !symbol_table_find(image->symbols, BTF_ID_SET "btf_non_sleepable_error_inject"))
		return symbol_table_find(image->symbols, BTF_ID_SET "btf_id_deny") ? ANSWER_YES
										   : UNSHOWN;
	by_ids = hooks_modifiable(explanation, name);
	if (by_ids != ATTACH_NO)
		return is_change && by_ids == ATTACH_YES ? ANSWER_YES
			: ANSWER_MAYBE("BTF ids name it, and some of them are for such programs");
	/* Without contents an image has no hooks either. */
	return listed || image->tables->hooks.count ||
			       (image->running && image->running->injection.is_read)
		       ? ANSWER_NO(why) : UNSHOWN;
}

struct answer explain_takes_change(const struct explanation *explanation, const char *name,
				   const struct probe_point *point, uint32_t prototype)
{
	const uint32_t *words = type_words_of(&explanation->types, prototype, BTF_FUNC_PROTO);
	uint32_t type = words ? words[BTF_WORD_TYPE] : 0;
	struct value_type result = value_type_of(&explanation->types, type);
	struct answer answer = text_after(name, "security_") ? ANSWER_YES
		: ask_lists(explanation, name, point, true, "it takes only security_*, functions "
			    "with ALLOW_ERROR_INJECTION, and those of sets for it");

	if (answer.is == ATTACH_YES && type && (result.kind != BTF_INT || result.size_bytes > 8))
		return ANSWER_NO("programs that read the result are refused, as it is no integer");
	return answer;
}

/* The enum has what only some kernels are built with: for that there is a function. */
static enum attach_answer is_built_in(const struct explanation *explanation, const char *function)
{
	const struct attach_image *image = &explanation->image;
	const struct symbol *symbol = symbol_table_find(image->symbols, function);

	if (strcmp(function, JIT_FSESSION) != 0)
		return symbol || explain_find_function(explanation, function) ? ATTACH_YES
		       : symbol_table_find(image->symbols, "rest_init")	      ? ATTACH_NO
									      : ATTACH_UNKNOWN;
	/* kernel/bpf/core.c has a weak one, which refuses; 7.2 another for each machine here. */
	if (symbol && image->object)
		return symbol->binding == STB_WEAK ? ATTACH_NO : ATTACH_YES;
	return abi_is(image->abi, ABI_X86_64) || abi_is(image->abi, ABI_ARM64) ||
			       kernel_version_is_from(image->version, 7, 2)
		       ? ATTACH_YES : ATTACH_UNKNOWN;
}

/* Of those without that function 6.1 takes tp_btf.s, at all tracepoints, and 6.12 does not. */
static struct answer ask_for_sleepers(const struct explanation *explanation)
{
	struct kernel_version version = explanation->image.version;
	enum attach_answer is = is_built_in(explanation, FAULTABLE);

	if (is == ATTACH_NO && strcmp(explanation->word, "tp_btf.s") == 0 &&
	    !kernel_version_is_from(version, 6, 12))
		is = kernel_version_is_from(version, 6, 2) ? ATTACH_UNKNOWN : ATTACH_YES;
	return (struct answer){ is, "only kernels with " FAULTABLE "() let programs sleep in "
				    "tracepoints" };
}

struct answer explain_kernel_takes(const struct explanation *explanation)
{
	const struct program_type *type = find_program_type(explanation->word);
	struct kernel_version version = explanation->image.version;
	enum attach_answer answer, built_in;

	if (is_sleepable(explanation->word) && version.major &&
	    !kernel_version_is_from(version, 5, 10))
		return ANSWER_NO("kernels take sleepable programs from 5.10 on");
	if (is_sleepable(explanation->word) && explanation_is_of_tracepoint(explanation))
		return ask_for_sleepers(explanation);
	if (!type || !type->attach_type)
		return ANSWER_YES;
	answer = explain_has_attach_type(explanation, type->attach_type);
	if (answer == ATTACH_UNKNOWN && version.major && type->since.major)
		answer = kernel_version_compare(version, type->since) < 0 ? ATTACH_NO : ATTACH_YES;
	if (answer == ATTACH_NO)
		return ANSWER_NO(type->why);
	built_in = type->function ? is_built_in(explanation, type->function) : ATTACH_YES;
	if (built_in != ATTACH_YES)
		return (struct answer){ built_in, type->without };
	return (struct answer){ answer, type->why };
}

/* bpf_check_attach_target() in kernel/bpf/verifier.c. */
static struct answer ask_for_sleep(const struct explanation *explanation,
				   const struct probe_point *point)
{
	/* The first until 5.15, the second since. */
	static const char *const denied[] = { "__add_to_page_cache_locked", "__filemap_add_folio",
					      "should_fail_alloc_page", "should_failslab" };
	const char *name = explanation->name;
	enum attach_answer answer;

	if (explanation_is_of_tracepoint(explanation))
		return is_built_in(explanation, FAULTABLE) != ATTACH_YES ||
				       (explanation->needs & ASKED_TRACE_EVENT
					? explanation->tracepoint->system_call != NULL
					: strcmp(name, "sys_enter") == 0 ||
					  strcmp(name, "sys_exit") == 0)
			? ANSWER_YES
			: ANSWER_NO("only sys_enter, sys_exit and calls' events let it sleep");
	if (hooks_are_asked(explanation)) {
		bool is_iterator = explanation->hooks.data[0].kind == HOOK_ITERATOR;

		answer = explanation->hooks.data[0].sleepable;
		return (struct answer){ answer,
			is_iterator && answer == ATTACH_NO ? "the iterator has no BPF_ITER_RESCHED"
			: is_iterator ? "only iterators with BPF_ITER_RESCHED take it, and nothing "
					"here shows it (an image does)"
			: answer == ATTACH_NO ? "it is not in sleepable_lsm_hooks"
			: "nothing here shows sleepable_lsm_hooks (an image's symbols do)" };
	}
	answer = btf_ids_have(explanation->image.symbols,
			      BTF_ID_SET "btf_non_sleepable_error_inject", name);
	if (answer == ATTACH_YES || (answer == ATTACH_UNKNOWN &&
				     text_find_word(denied, 4, name, strlen(name)) < 4))
		return ANSWER_NO("its callers may not sleep (btf_non_sleepable_error_inject)");
	return ask_lists(explanation, name, point, false, "sleepable programs are only for "
			 "functions with ALLOW_ERROR_INJECTION");
}

struct answer explain_has_hook(const struct probe_point *point, bool is_single)
{
	if (point->attach.ftrace != ATTACH_NO)
		return ANSWER_YES;
	return is_single && point->attach.may_have_nop
		? ANSWER_MAYBE("it has no tracer's hook (notrace), but for some processors the "
			       "kernel puts a NOP at its entry, which serves as one")
		: ANSWER_NO("it has no tracer's hook (notrace)");
}

struct asked_answer explain_takes_asked(const struct explanation *explanation,
					const struct probe_point *point)
{
	enum { KERNEL, FENTRY, KPROBE, RETURN, CHANGE, SLEEP, HOOK, COUNT };
	uint8_t needs = explanation->needs;
	bool is_function = explanation->kind == ASKED_FUNCTION;
	bool is_probe = needs & ASKED_PROBE;
	bool is_kprobe = is_probe && !strchr(explanation->word, '.');
	/* ksyscall and kretsyscall are kprobes. */
	const char *no_kprobes = explanation->kind == ASKED_SYSTEM_CALL && *explanation->word == 'k'
					 ? attach_no_kprobes(&explanation->image) : NULL;
	bool no_return = !trampoline_returns(explanation->name) || point->attach.no_return;
	const struct answer answers[COUNT] = {
		[KERNEL] = explain_kernel_takes(explanation),
		[FENTRY] = is_function && !is_probe && point->fentry.is == ATTACH_NO
			? ANSWER_NO(point->fentry.why) : ANSWER_YES,
		[KPROBE] = no_kprobes ? ANSWER_NO(no_kprobes)
			: is_kprobe && point->attach.kprobe.is == ATTACH_NO ? point->attach.kprobe
									    : ANSWER_YES,
		[RETURN] = needs & ASKED_RETURN && no_return
			? ANSWER_NO("the function never returns") : ANSWER_YES,
		[CHANGE] = needs & ASKED_CHANGE
			? explain_takes_change(explanation, explanation->name, point,
					       point->prototype) : ANSWER_YES,
		[SLEEP] = is_sleepable(explanation->word) ? ask_for_sleep(explanation, point)
							  : ANSWER_YES,
		/* Those by many addresses take ftrace's, too. */
		[HOOK] = is_function && !is_kprobe
			? explain_has_hook(point, !is_probe && !strstr(explanation->word, ".multi"))
			: ANSWER_YES,
	};
	size_t found = KERNEL;

	for (size_t i = 1; i < COUNT && answers[found].is != ATTACH_NO; i++) {
		if (answers[i].is == ATTACH_NO ||
		    (answers[i].is == ATTACH_UNKNOWN && answers[found].is == ATTACH_YES))
			found = i;
	}
	return (struct asked_answer){ .answer = answers[found], .by_trampoline = found == FENTRY,
				      .by_hook = found == HOOK, .never_returns = found == RETURN };
}

const char *advise_section(const struct explanation *explanation, const struct probe_point *point)
{
	const struct program_type *type = find_program_type(explanation->word);
	bool is_other = type && (is_sleepable(explanation->word) ? type->may_sleep
								 : type->attach_type != NULL);

	return is_other && explain_takes_asked(explanation, point).answer.is == ATTACH_YES
		       ? explanation->word : NULL;
}
