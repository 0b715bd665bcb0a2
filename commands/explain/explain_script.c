/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Programs that see every call of a function: at its entry, in its clones and where it was inlined;
 * or every hit of a tracepoint. They are for bpftrace, for tracefs (a shell script) and for libbpf
 * (C). What they cannot see, and parameters that they cannot print, are in a comment at the head.
 *
 * Only what is_plain() and type_is_code() let pass gets into the code: nothing in an image can
 * make a shell or a compiler do anything else.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands/explain/explain_script_value.h"
#include "commands/explain/explain_argument.h"
#include "commands/explain/hooks.h"
#include "commands/explain/program_type.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"
#include "commands/print/template.h"

/* How a call is seen. */
enum script_means { BY_KPROBE, BY_FENTRY, BY_LSM, BY_ITERATOR };

static const char *const means_texts[] = { "kprobe", "fentry", "lsm", "iter" };

/* A place where calls are seen, or would be. */
struct script_probe {
	const struct probe_point *point;
	char *event;		/* "vfs_read_inline_1" */
	const char *missed;	/* why nothing is seen there; NULL: it is */
	bool is_site;
	enum script_means means;
};

struct script {
	const struct explanation *explanation;
	enum script_kind kind;
	ARRAY_OF(struct script_probe) probes;
	size_t seen;		/* of them */
	bool by_kprobe;		/* something is seen by a BPF program on a kprobe */
	const struct tracepoint *tracepoint;	/* what is traced; NULL: a function */
	/* For the templates: */
	json_t *comments, *programs;
	char *events;		/* a tracepoint's for tracefs; NULL: its own */
	bool reads_memory;
	/*
	 * The oldest bpftrace, 0.NEEDS, by its CHANGELOG.md: raw tracepoints and modules of kprobes
	 * have come after 0.17 of Debian 12.
	 */
	int needs;
};

/* ---- which probes ---- */

/* What may be written between quotes in all three languages. */
static bool is_plain(const char *probe)
{
	return text_is_made_of(probe, "_.$+:-");
}

/* Can a program by fentry print all parameters? */
static bool are_readable(const struct script *script, const struct probe_point *point)
{
	struct script_program scratch = { .explanation = script->explanation,
					  .kind = script->kind };
	bool all = true;

	for (size_t i = 0; all && i < point->parameters.count; i++)
		all = program_print_named(&scratch, point, i);
	program_release(&scratch);
	return all;
}

static bool is_prototype_code(const struct explanation *explanation, uint32_t prototype)
{
	const struct type_source *types = &explanation->types;
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);
	struct text text = { 0 };
	bool good;

	/* A parameter, too, of programs on LSM hooks. */
	type_add(&text, types, words ? words[BTF_WORD_TYPE] : 0, "");
	type_add_parameters(&text, types, prototype, prototype, 0, 0);
	good = type_is_code(text.data, text.count);
	array_release(&text);
	return good;
}

static enum script_means means_of(const struct script *script, const struct probe_point *point)
{
	const struct explanation *explanation = script->explanation;
	const struct trampoline_view *view = &point->view;

	if (script->kind == SCRIPT_TRACEFS || explanation->func != FUNC_PROMISED ||
	    point->join != JOIN_SAME ||
	    view->has_struct || view->has_float || explanation->own_prototype ||
	    !is_prototype_code(explanation, point->prototype))
		return BY_KPROBE;
	if (hooks_are_own(explanation) && script->kind == SCRIPT_LIBBPF &&
	    (hooks_are_asked(explanation) || explanation->hooks.data[0].taken.is != ATTACH_NO))
		return explanation->hooks.data[0].kind == HOOK_LSM ? BY_LSM : BY_ITERATOR;
	return probe_point_takes_fentry(point) &&
	       (point->attach.kprobe.is == ATTACH_NO || are_readable(script, point))
		       ? BY_FENTRY : BY_KPROBE;
}

/* Of the symbols that a kernel lists it drops these, and refuses the whole script. */
static bool is_hidden_from_bpftrace(const char *probe)
{
	return strstr(probe, ".part.");
}

/* libbpf's SEC("kprobe/NAME+0x4") has no module. */
static bool finds_kernels(const struct explanation *explanation, const char *probe)
{
	const char *colon = strchr(probe, ':');
	char *name = colon ? memory_string(colon + 1, strcspn(colon + 1, "+")) : NULL;
	bool finds = name && attach_finds_kernels(&explanation->image, name);

	free(name);
	return finds;
}

/* NULL: calls are seen there. */
static const char *why_missed(const struct script *script, const struct script_probe *probe)
{
	const struct explanation *explanation = script->explanation;
	const struct probe_point *point = probe->point;
	bool is_tracefs = script->kind == SCRIPT_TRACEFS;
	const char *refusal = explain_refusal(explanation, point, probe->means == BY_FENTRY);

	if (probe->means >= BY_LSM && explanation->hooks.data[0].taken.is == ATTACH_NO)
		return explanation->hooks.data[0].taken.why;
	if (!is_plain(probe->means >= BY_LSM ? explanation->hooks.data[0].name : point->probe))
		return "its name is not one to write in a script";
	if (probe->means >= BY_LSM)
		return NULL;
	if (point->join == JOIN_FRAGMENT && !probe->is_site && explanation->outer_sites)
		return "what is called there is the rest of an inlined call";
	if (point->in_itself)
		return "the function's own code; the call is seen elsewhere, too, unless it is "
		       "recursive";
	if (refusal)
		return refusal;
	if (point->attach.init && !is_tracefs)
		return "it is freed when the module is loaded; only tracefs sets a probe before";
	/* Modules and $ in libbpf's SEC("kprobe/..."), addresses in bpftrace. */
	if (!is_tracefs && (isdigit((unsigned char)*point->probe) || strpbrk(point->probe, "$")))
		return "libbpf and bpftrace have no such name";
	if (script->kind == SCRIPT_LIBBPF && probe->means == BY_KPROBE &&
	    finds_kernels(explanation, point->probe))
		return "by that name libbpf finds the kernel's function";
	if (script->kind == SCRIPT_BPFTRACE && is_hidden_from_bpftrace(point->probe))
		return "bpftrace finds no symbol with .part in its name";
	if (probe->means == BY_KPROBE && point->attach.notrace)
		return "kprobes are refused there without CONFIG_KPROBE_EVENTS_ON_NOTRACE: "
		       "no tracer's hook is in the function around it";
	/* One that is refused ends bpftrace, and libbpf's whole object. */
	return probe->means == BY_KPROBE && !is_tracefs ? point->attach.kprobe.why : NULL;
}

static void add_probe(struct script *script, const struct probe_point *point, bool is_site)
{
	const struct explanation *explanation = script->explanation;
	struct script_probe probe = { .point = point, .is_site = is_site };
	struct text event = { 0 };

	if (is_site)
		explain_add_site_event(&event, explanation, point->number);
	else
		explain_add_instance_event(&event, explanation, point->number, "");
	probe.event = text_finish(&event);
	probe.means = is_site ? BY_KPROBE : means_of(script, point);
	probe.missed = why_missed(script, &probe);
	script->seen += !probe.missed;
	script->by_kprobe |= !probe.missed && probe.means == BY_KPROBE &&
			     script->kind != SCRIPT_TRACEFS;
	array_push(&script->probes, probe);
}

static void add_probes(struct script *script)
{
	const struct explanation *explanation = script->explanation;

	array_each(const struct probe_point, point, &explanation->instances) {
		if (point->is_entry_probe)
			add_probe(script, point, false);
	}
	if (explanation->has_entry)
		add_probe(script, &explanation->entry, false);
	array_each(const struct probe_point, point, &explanation->sites)
		add_probe(script, point, true);
	array_each(const struct probe_point, point, &explanation->unplaced)
		array_push(&script->probes, ((struct script_probe){
			.point = point, .missed = "it is not known where that section is" }));
}

/* ---- the head ---- */

/* A line of the comment; what is in it may be anything but its end. */
__attribute__((format(printf, 2, 3)))
static void comment(struct script *script, const char *format, ...)
{
	struct text line = { 0 };
	char *text;
	va_list args;

	va_start(args, format);
	text_add_vformat(&line, format, args);
	va_end(args);
	text = text_finish(&line);
	for (char *c = strstr(text, "*/"); c; c = strstr(c, "*/"))
		*c = '?';
	json_array_append_new(script->comments, json_text(text));
	free(text);
}

static void comment_missed(struct script *script)
{
	const struct explanation *explanation = script->explanation;
	/* The functions of hooks are never inlined. */
	bool sites_unknown = explanation->sites_unknown && !hooks_are_own(explanation);

	if (script->seen < script->probes.count || sites_unknown)
		comment(script, "Not seen:");
	array_each(const struct script_probe, probe, &script->probes) {
		const struct probe_point *point = probe->point;
		char section[128] = "";

		/* By symbols alone it is not known where the section begins. */
		if (*point->section && point != &explanation->entry)
			snprintf(section, sizeof(section), " (%.90s+0x%" PRIx64 ")", point->section,
				 point->section_offset);
		if (probe->missed)
			comment(script, "  calls %s %s%s: %s", probe->is_site ? "inlined at" : "of",
				*point->probe ? point->probe
				: *point->where ? point->where : explanation->name,
				section, probe->missed);
	}
	if (sites_unknown)
		comment(script, "  calls that were inlined: nothing here says where they are "
			"(btfenc encode --features +inline does)");
}

/* ---- functions ---- */

static void print_parameter(struct script_program *program, const struct script_probe *probe,
			    size_t i, struct text *left_out)
{
	const struct explained_parameter *parameter = &probe->point->parameters.data[i];
	bool by_name = probe->means != BY_KPROBE;

	if (program->kind == SCRIPT_TRACEFS ? parameter->fetched.sign
	    : by_name ? program_print_named(program, probe->point, i)
		      : program_print_parameter(program, probe->point, i))
		return;
	text_add_item(left_out, 0, ", ", *parameter->name ? parameter->name : "(unnamed)");
	text_add_format(left_out, " (%s%s%s)", parameter->type,
			by_name ? ", not for the verifier"
			: *parameter->found ? ": " : ", no location",
			by_name ? "" : parameter->found);
}

/* On "kprobe:tcp_connect"; SEC("kprobe/tcp_connect") int on_tcp_connect(struct pt_regs *ctx). */
static void add_program(struct script *script, struct script_program *program, const char *on,
			const char *signature, const char *result)
{
	program_finish_line(program);
	script->reads_memory |= program->reads_memory;
	json_array_append_new(script->programs, json_pack("{s:o, s:o, s:o, s:s, s:b, s:O}",
		"event", json_text(program->event), "on", json_text(on),
		"signature", json_text(signature), "result", result,
		"is_iterator", program->is_iterator, "lines", program->lines));
}

/* "do_open file=%di:x64" */
static void add_event(struct script *script, const struct script_probe *probe)
{
	struct text on = { 0 };

	text_add_string(&on, probe->point->probe);
	explain_add_fetch(&on, probe->point, ' ');
	json_array_append_new(script->programs, json_pack("{s:o, s:o, s:b}",
		"event", json_text(probe->event),
		"on", json_take(&on),
		"is_doubtful", probe->point->attach.kprobe.is == ATTACH_UNKNOWN));
}

static void add_probe_program(struct script *script, const struct script_probe *probe,
			      struct script_program *program)
{
	const struct explanation *explanation = script->explanation;
	const struct probe_point *point = probe->point;
	bool is_libbpf = script->kind == SCRIPT_LIBBPF;
	/* libbpf finds the module itself. */
	const char *colon = is_libbpf ? strchr(point->probe, ':') : NULL;
	const char *means = means_texts[probe->means], *name = colon ? colon + 1 : point->probe;
	const char *result = "0";
	/* As it was asked for, if the kernel takes it: "iter.s". */
	const char *section = is_libbpf ? advise_section(explanation, point) : NULL;
	struct text signature = { 0 };
	char *on, *head;

	if (probe->means >= BY_LSM)
		name = explanation->hooks.data[0].name;
	if (probe->means == BY_KPROBE && strchr(point->probe, ':'))
		script->needs = 20;
	if (probe->means == BY_KPROBE)
		text_add_format(&signature, "int on_%s(struct pt_regs *ctx)", probe->event);
	/* What the programs before it have said. */
	else if (explain_add_signature(&signature, explanation, means, probe->event,
				       point->prototype) && probe->means == BY_LSM)
		result = "ret";
	head = text_finish(&signature);
	if (section && text_after(section, means) && strcmp(section + strlen(means), ".s") == 0)
		means = section;
	on = text_format("%s%c%s", means, is_libbpf ? '/' : ':', name);
	add_program(script, program, on, head, result);
	free(head);
	free(on);
}

/* Ahead of the programs in a comment: what they do not print. */
static void add_programs(struct script *script)
{
	bool has_head = false;

	array_each(const struct script_probe, probe, &script->probes) {
		struct script_program program = { .explanation = script->explanation,
					   .kind = script->kind, .event = probe->event,
					   .is_iterator = probe->means == BY_ITERATOR };
		struct text left_out = { 0 };

		if (probe->missed)
			continue;
		for (size_t k = 0; k < probe->point->parameters.count; k++)
			print_parameter(&program, probe, k, &left_out);
		if (!probe->point->prototype && !has_head)
			comment(script, "No parameters: no prototype of %s is known.",
				script->explanation->name);
		else if (left_out.count && !has_head)
			comment(script, "Parameters that are not printed:");
		if (left_out.count)
			comment(script, "  %s: %.*s", probe->event, (int)left_out.count,
				left_out.data);
		has_head |= left_out.count || !probe->point->prototype;
		if (script->kind == SCRIPT_TRACEFS)
			add_event(script, probe);
		else
			add_probe_program(script, probe, &program);
		program_release(&program);
		array_release(&left_out);
	}
}

EMBED(script_comments, "commands/explain/script_comments.txt");

static void add_function(struct script *script)
{
	const struct explanation *explanation = script->explanation;
	const struct hook *own =
		hooks_are_own(explanation) ? &explanation->hooks.data[0] : NULL;
	const struct source_line *first =
		explanation->namesake_count ? &explanation->namesakes->declared : NULL;
	const struct attach_tables *tables = explanation->image.tables;
	const char *rows = script_comments;
	enum script_means means;
	json_t *facts;

	add_probes(script);
	means = script->seen ? script->probes.data[0].means : BY_KPROBE;
	facts = json_pack(
		"{s:o, s:o, s:o, s:o, s:b, s:o, s:i, s:o, s:I, s:s?, s:o, s:b, s:b, s:b, s:o}",
		"name", json_text(explanation->name),
		"prototype", json_text(explanation->prototype),
		"own_prototype", json_text(explanation->own_prototype),
		"why_unread", json_text(means == BY_FENTRY && tables ? tables->own.why_unread
								     : NULL),
		"has_namesakes", first != NULL,
		"file", json_text(first ? first->file : NULL), "line", first ? first->line : 0,
		"headline", json_text(explanation->headline), "seen", INTEGER(script->seen),
		"kind", means == BY_LSM ? "LSM hook" : means == BY_ITERATOR ? "iterator" : NULL,
		"hook", json_text(own ? own->name : NULL),
		"by_kprobe", script->by_kprobe,
		"is_of_bpf", explanation->declared.file &&
				     strstr(explanation->declared.file, "kernel/bpf/"),
		"is_lsm", own && own->kind == HOOK_LSM,
		"unless", json_text(own && own->taken.is == ATTACH_UNKNOWN ? own->taken.why
									   : NULL));
	while (*rows) {
		char *line = template_sentence(&rows, facts);

		if (line)
			comment(script, "%s", line);
		free(line);
	}
	json_decref(facts);
	for (size_t i = 0; !script->seen && i < explanation->advice.count; i++) {
		if (strcmp(explanation->advice.data[i].tool, "note") != 0)
			comment(script, "  %s", explanation->advice.data[i].text);
	}
	/* fentry is taken where it is not known to fail. */
	array_each(const struct script_probe, probe, &script->probes) {
		struct text since = { 0 };

		trampoline_add_since(&since, &probe->point->fentry);
		if (probe->point->attach.ftrace == ATTACH_UNKNOWN)
			text_add_string(&since, " if it has a tracer's hook, which is not known "
					"here");
		if (!probe->missed && probe->means == BY_FENTRY && since.count)
			comment(script, "fentry sees %s%.*s.", probe->event, (int)since.count,
				since.data);
		array_release(&since);
	}
	comment_missed(script);
	add_programs(script);
}

/* ---- tracepoints ---- */

/* The members after the entry. */
static void print_member(struct script_program *program, struct script *script,
			 const struct tracepoint_member *member, size_t i)
{
	bool is_bpftrace = program->kind == SCRIPT_BPFTRACE;
	const char *is_located = text_after(member->name, "__data_loc_");
	const char *name = is_located ? is_located : member->name;
	struct fetch_type type = member->value;
	char *value;

	if (strcmp(name, "__data") == 0)
		return;
	if (is_located || member->is_string)
		type = (struct fetch_type){ .sign = VALUE_STRING };
	if (!type.sign || type.words > 1 || !type_is_plain_name(name) ||
	    text_after(name, "__rel_loc_")) {
		comment(script, "Not printed: %s", member->declaration);
		return;
	}
	if (is_located)
		comment(script, "%s is printed as a string: nothing here says whether it is one",
			name);
	if (is_bpftrace)
		value = text_format(is_located ? "str(args.%s)" : "args.%s", name);
	else if (is_located)
		value = text_format("(void *)ctx + (ctx->%s & 0xffff)", member->name);
	else
		value = text_format("%sctx->%s", type.sign == VALUE_STRING ? "" : type.sign == 's'
				    ? "(s64)" : "(u64)", name);
	program_print(program, name, i, 0, type, value);
}

/* By name for tp_btf, by number for bpftrace's rawtracepoint. */
static void print_argument(struct script_program *program, struct script *script,
			   const struct tracepoint_argument *argument, size_t i)
{
	bool is_bpftrace = program->kind == SCRIPT_BPFTRACE;
	char name[TYPE_NAME_BYTES];
	const char *safe = type_parameter_name(argument->name, (uint32_t)i, name);
	struct fetch_type type = argument->value;

	if (!type.sign || type.words > 1 ||
	    (!is_bpftrace && argument->state.is >= ARGUMENT_REFUSED)) {
		comment(script, "Not printed: %s, %s", safe, argument->state.why
			? argument->state.why : "it is not a number or a pointer");
		return;
	}
	program_print(program, safe, i, 0, type, is_bpftrace
		? text_format("arg%zu", i)
		: text_format("(%c64)%s", type.sign == 's' ? 's' : 'u', safe));
}

static void print_system_call(struct script_program *program, struct script *script)
{
	const struct tracepoint *tracepoint = script->tracepoint;
	bool is_bpftrace = program->kind == SCRIPT_BPFTRACE;

	if (tracepoint->is_exit)
		program_print(program, "ret", 0, 0, (struct fetch_type){ .sign = 's' },
			      memory_copy(is_bpftrace ? "args.ret" : "(s64)ctx->ret"));
	else if (!tracepoint->arguments.count)
		comment(script, "Its arguments, if any, are not printed: bpftrace -lv "
			"tracepoint:syscalls:%s lists them", tracepoint->name);
	/* Programs that read more than it has are refused. */
	for (size_t i = 0; i < tracepoint->arguments.count; i++) {
		const char *name = tracepoint->arguments.data[i].name;

		program_print(program, name, i, 0, tracepoint->arguments.data[i].value, is_bpftrace
			? text_format("args.%s", name) : text_format("(u64)ctx->args[%zu]", i));
	}
}

/*
 * By the record of its event, where its folder is known; else BPF gets the arguments with their
 * types, and bpftrace as numbers.
 */
static void add_tracepoint(struct script *script)
{
	const struct tracepoint *tracepoint = script->tracepoint;
	const char *name = tracepoint->name, *system = tracepoint->system;
	const char *parameters = tracepoint->arguments.count ? tracepoint->parameters : "";
	bool is_libbpf = script->kind == SCRIPT_LIBBPF;
	bool is_call = tracepoint->system_call;
	bool is_described = tracepoint->record || is_call;
	/* Those of system calls have nothing but the event. */
	bool has_record = (tracepoint->event == ATTACH_YES || is_call) &&
			  (is_libbpf ? system && is_described : system || is_described);
	struct script_program program = { .explanation = script->explanation, .kind = script->kind,
				   .event = name };
	char *signature, *on;

	comment(script, "%s", tracepoint->prototype ? tracepoint->prototype : name);
	if (!type_is_plain_name(name) || (system && !is_plain(system)) ||
	    (tracepoint->class_name && !type_is_plain_name(tracepoint->class_name))) {
		comment(script, "Its name is not one to write in a script.");
		return;
	}
	if (tracepoint->never_comes || (is_call && tracepoint->event == ATTACH_NO)) {
		comment(script, "%s: %s.", name, script->explanation->headline);
		return;
	}
	system = system ? system : "*";
	if (tracepoint->event == ATTACH_UNKNOWN && (is_call || script->kind == SCRIPT_TRACEFS))
		comment(script, "Whether it has an event in tracefs is not known.");
	if (script->kind == SCRIPT_TRACEFS) {
		if (tracepoint->event == ATTACH_NO)
			comment(script, "It has no event in tracefs.");
		else
			script->events = text_format("%s/%s", system, name);
		return;
	}
	if (has_record && is_call)
		print_system_call(&program, script);
	for (size_t i = 1; has_record && !is_call && i < tracepoint->members.count; i++)
		print_member(&program, script, &tracepoint->members.data[i], i);
	if (!has_record)
		script->needs = 19;
	for (size_t i = 0; !has_record && i < tracepoint->arguments.count; i++)
		print_argument(&program, script, &tracepoint->arguments.data[i], i);
	if (has_record) {
		signature = text_format("int on_%s(struct trace_event_raw_%s *ctx)", name,
					tracepoint->class_name);
		on = text_format(is_libbpf ? "tp/%s/%s" : "tracepoint:%s:%s", system, name);
	} else if (tracepoint->parameters && type_is_code(parameters, strlen(parameters))) {
		signature = text_format("int BPF_PROG(on_%s%s%s)", name, *parameters ? ", " : "",
					parameters);
		on = text_format(is_libbpf ? "tp_btf/%s" : "rawtracepoint:%s", name);
	} else {
		program.count = program.format.count = program.values.count = 0;
		signature = text_format("int on_%s(void *ctx)", name);
		on = text_format(is_libbpf ? "raw_tp/%s" : "rawtracepoint:%s", name);
	}
	add_program(script, &program, on, signature, "0");
	program_release(&program);
	free(signature);
	free(on);
}

/* ---- the three languages ---- */

EMBED(script_head, "commands/explain/script_head.txt");
EMBED(script_bpftrace, "commands/explain/script_bpftrace.txt");
EMBED(script_tracefs, "commands/explain/script_tracefs.txt");
EMBED(script_libbpf, "commands/explain/script_libbpf.txt");

/* The kernel, or module, and how a shell knows it again; nothing that a shell might run. */
static void add_kernel(json_t *facts, const struct attach_image *image)
{
	const struct kernel_identity *identity = &image->identity;
	const char *module = image->is_module ? image->module : NULL;
	const char *release =
		text_is_made_of(identity->release, "_.+~-") ? identity->release : "";
	const char *build_id = image->is_module && !(module && text_is_made_of(module, "_-"))
				       ? "" : identity->build_id;
	char *notes = running_kernel_notes(module);
	char *made_for = text_format("%s%s%s%s%s", *release ? "Linux " : "", release,
				     *release && *build_id ? ", " : "", !*build_id ? "" : module
				     ? "build id of the module " : "build id ", build_id);

	json_object_update_new(facts, json_pack("{s:s, s:s, s:s, s:s}", "made_for", made_for,
		"release", release, "build_id", build_id, "notes", *build_id ? notes : ""));
	free(made_for);
	free(notes);
}

void explain_print_script(const struct explanation *explanation, enum script_kind kind)
{
	const char *const templates[] = {
		[SCRIPT_BPFTRACE] = script_bpftrace, [SCRIPT_TRACEFS] = script_tracefs,
		[SCRIPT_LIBBPF] = script_libbpf,
	};
	const struct attach_image *image = &explanation->image;
	const char *target = program_target(explanation);
	struct script script = { .explanation = explanation, .kind = kind, .needs = 17,
				 .comments = json_array(), .programs = json_array() };
	json_t *facts;
	size_t count;
	bool has_code;

	/* A system call's arguments are those of its event; the function has but registers. */
	if (!explanation->has_function)
		script.tracepoint = explanation->tracepoint;
	else if (explanation->hooks.count && explanation->hooks.data[0].kind == HOOK_SYSTEM_CALL)
		script.tracepoint = explanation->hooks.data[0].tracepoint;
	if (script.tracepoint)
		add_tracepoint(&script);
	else
		add_function(&script);
	count = json_array_size(script.programs);
	has_code = count || script.events;
	/* The number of probes if it is more than the oldest limit. */
	facts = json_pack("{s:o, s:o, s:o, s:o, s:s, s:b, s:b, s:b, s:i, s:I, s:b}",
		"comments", script.comments, "programs", script.programs,
		"events", json_text(script.events), "btf", json_text(image->module ? image->module
			: image->is_module ? "MODULE" : "vmlinux"),
		"target", target ? target : "MACHINE", "has_code", has_code,
		"reads_memory", script.reads_memory,
		"iterates", script.seen && script.probes.data[0].means == BY_ITERATOR,
		"needs", script.needs, "probe_count", INTEGER(count > 512 ? count : 0),
		/* Only tracefs sets probes before a module is loaded. */
		"may_come", kind == SCRIPT_TRACEFS && image->is_module);
	add_kernel(facts, image);
	if (kind != SCRIPT_LIBBPF)
		template_print(script_head, json_incref(facts), false, stdout);
	template_print(templates[kind], facts, false, stdout);
	for (size_t i = 0; i < script.probes.count; i++)
		free(script.probes.data[i].event);
	array_release(&script.probes);
	free(script.events);
}

bool explain_add_bpftrace(struct text *out, const struct explanation *explanation,
			  const struct probe_point *point, const char *by_fentry)
{
	struct script_program program = { .explanation = explanation, .kind = SCRIPT_BPFTRACE };
	const uint32_t *words = type_words_of(&explanation->types, point->prototype,
					      BTF_FUNC_PROTO);
	size_t count = by_fentry ? btf_element_count(words) : point->parameters.count;

	if (!by_fentry && (!is_plain(point->probe) || isdigit((unsigned char)*point->probe) ||
			   strchr(point->probe, '$') || is_hidden_from_bpftrace(point->probe)))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (by_fentry)
			program_print_named(&program, point, i);
		else
			program_print_parameter(&program, point, i);
	}
	text_add_format(out, by_fentry ? "fentry:%s { " : "kprobe:%s { ",
			by_fentry ? by_fentry : point->probe);
	if (program.count)
		text_add_format(out, "printf(\"%.*s\\n\"%.*s); }",
				(int)program.format.count - 1, program.format.data + 1,
				(int)program.values.count, program.values.data);
	else
		text_add_string(out, "@[comm] = count(); }");
	program_release(&program);
	return true;
}
