/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Advice on tracepoints, and on what serves better than a function (commands/explain/hooks.c). */
#include <stdlib.h>
#include <string.h>

#include "commands/explain/advice_hooks.h"
#include "commands/explain/hooks.h"
#include "commands/explain/program_type.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"
#include "commands/print/template.h"

/* ---- tracepoints ---- */

/*
 * A member of the record after the entry that bpftrace can print as it is: those of strings and
 * arrays say where these are, and lose their prefix there.
 */
static const char *printable_member(const struct tracepoint *tracepoint)
{
	for (size_t i = 1; i < tracepoint->members.count; i++) {
		const char *name = tracepoint->members.data[i].name;

		if (type_is_plain_name(name) && strncmp(name, "__data_loc_", 11) != 0 &&
		    strncmp(name, "__rel_loc_", 10) != 0 && strcmp(name, "__data") != 0)
			return name;
	}
	return NULL;
}

/*
 * "tp_btf/NAME: A, B may be NULL: the verifier wants them compared first": the arguments in each
 * state that needs a word. `instead`: what reads those that are refused.
 */
static void note_states(struct explanation *explanation, const char *section, const char *name,
			const struct tracepoint_argument *arguments, size_t count,
			const char *instead)
{
#define EACH(text) { text, text }
	static const char *const texts[ARGUMENT_STATES][2] = {
		[ARGUMENT_NULL] = { "may be NULL: the verifier wants it compared first",
				    "may be NULL: the verifier wants them compared first" },
		[ARGUMENT_NUMBER] = { "is a number to the verifier: bpf_probe_read_kernel() "
				      "follows it",
				      "are numbers to the verifier: bpf_probe_read_kernel() "
				      "follows them" },
		[ARGUMENT_REFUSED] = EACH("cannot be read: the verifier refuses the program"),
		[ARGUMENT_UNKNOWN] = EACH("perhaps cannot be read: it is not known whether the "
					  "verifier refuses the program"),
	};
	static const uint8_t order[] = { ARGUMENT_NULL, ARGUMENT_NUMBER, ARGUMENT_REFUSED,
					 ARGUMENT_UNKNOWN };

	for (size_t k = 0; k < sizeof(order); k++) {
		struct text names = { 0 };
		size_t found = 0;

		for (size_t i = 0; i < count; i++) {
			const struct tracepoint_argument *argument = &arguments[i];

			if (argument->state.is != order[k])
				continue;
			text_add_string(&names, found++ ? ", " : "");
			if (*argument->name)
				text_add_string(&names, argument->name);
			else
				text_add_format(&names, "arg%zu", i + 1);
			if (argument->state.why)
				text_add_format(&names, " (%s)", argument->state.why);
		}
		if (found)
			note(explanation, "%s/%s: %.*s %s%s", section, name, (int)names.count,
			     names.data, texts[order[k]][found > 1],
			     order[k] >= ARGUMENT_REFUSED ? instead : "");
		array_release(&names);
	}
}

/* That a pointer is a number to the verifier is not worth a line for each function. */
void note_unreadable(struct explanation *explanation, const struct probe_point *point)
{
	ARRAY_OF(struct tracepoint_argument) arguments = { 0 };

	for (size_t i = 0; i < point->parameters.count; i++) {
		struct tracepoint_argument argument = {
			.name = point->parameters.data[i].name,
			.state = explain_argument_of(explanation, point, i) };

		if (argument.state.is < ARGUMENT_REFUSED)
			argument.state.is = ARGUMENT_PLAIN;
		array_push(&arguments, argument);
	}
	note_states(explanation, "fentry", explanation->name, arguments.data, arguments.count,
		    attach_no_kprobes(&explanation->image) ? "" : "; a kprobe can read that");
	array_release(&arguments);
}

EMBED(advice_tracepoint_rows, "commands/explain/advice_tracepoint.txt");

/* `is_own`: it was asked for; else the most useful lines are enough. False: there are none. */
static bool advise_lines(struct explanation *explanation, const struct tracepoint *tracepoint,
			 bool is_own)
{
	const char *rows = advice_tracepoint_rows, *class_name = tracepoint->class_name;
	const char *parameters = tracepoint->parameters ? tracepoint->parameters : "void";
	bool is_void = strcmp(parameters, "void") == 0;
	bool is_plain = type_is_plain_name(tracepoint->name) &&
			(!class_name || type_is_plain_name(class_name));
	const char *call = tracepoint->system_call;
	json_t *facts = json_pack(
		"{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b}",
		"name", json_text(tracepoint->name), "class", json_text(class_name),
		"system", json_text(tracepoint->system), "record", json_text(tracepoint->record),
		"call", json_text(call), "member", json_text(printable_member(tracepoint)),
		"parameters", json_text(is_void ? NULL : parameters),
		"traced", is_plain && !call, "called", is_plain && call,
		"has_kprobes", !attach_no_kprobes(&explanation->image),
		"has_arguments", tracepoint->arguments.count != 0,
		"is_exit", tracepoint->is_exit, "is_own", is_own,
		"has_prototype", tracepoint->prototype != NULL,
		"is_code", type_is_code(parameters, strlen(parameters)),
		"has_event", tracepoint->event == ATTACH_YES);

	/* Where that is not known, only those who ask for the event get its lines. */
	json_object_set_new(facts, "eventful", json_boolean(
		is_plain && !call && (tracepoint->event == ATTACH_YES ||
				      (tracepoint->event == ATTACH_UNKNOWN && is_own))));
	while (*rows)
		advise_row(explanation, &rows, facts);
	json_decref(facts);
	return is_plain;
}

/* What took the place of a system call that has no number: newstat, sendfile64. */
static void note_live_call(struct explanation *explanation, const struct tracepoint *tracepoint)
{
	static const char *const names[][2] = { { "new", "" }, { "", "64" } };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *name = text_format("sys_%s_%s%s%s", tracepoint->is_exit ? "exit" : "enter",
					 names[i][0], tracepoint->system_call, names[i][1]);
		struct tracepoint *other = tracepoint_find(explanation, name);

		if (other && other->event == ATTACH_YES)
			note(explanation, "the system call %s has a number: see syscalls:%s",
			     other->system_call, name);
		tracepoint_free(other);
		free(name);
	}
}

void advise_tracepoint(struct explanation *explanation, const struct tracepoint *tracepoint)
{
	bool is_gone = tracepoint->system_call && tracepoint->event == ATTACH_NO;

	if (is_gone)
		note_live_call(explanation, tracepoint);
	if (tracepoint->never_comes || is_gone || !advise_lines(explanation, tracepoint, true))
		return;
	if (!tracepoint->system_call)
		note_states(explanation, "tp_btf", tracepoint->name, tracepoint->arguments.data,
			    tracepoint->arguments.count, "; raw_tp has it in ctx->args[]");
}

/* ---- what serves better ---- */

/* Tracepoints in a function's code are many at times. */
#define HOOKS_SHOWN 4

static void advise_hook(struct explanation *explanation, const struct hook *hook)
{
	const char *function = explanation->name, *name = hook->name;
	bool is_inlined = !explanation->instances.count && !explanation->has_entry;
	bool is_own = hooks_are_asked(explanation);
	const char *section = is_own ? advise_section(explanation, &explanation->entry) : NULL;
	const char *unless = hook->taken.why ? hook->taken.why : "";
	char places[700] = "";

	if (is_inlined)
		snprintf(places, sizeof(places), " at %zu of %zu addresses where %.600s was "
			 "inlined", hook->points, explanation->hook_points, function);
	switch ((enum hook_kind)hook->kind) {
	case HOOK_TRACEPOINT:
		advise(explanation, "inside", "%s%s%s, a tracepoint in %s%s%s, perhaps "
		       "not on all of its paths:",
		       hook->tracepoint->system ? hook->tracepoint->system : "",
		       hook->tracepoint->system ? ":" : "", name,
		       is_inlined ? "its code" : "the code of ", is_inlined ? "" : function,
		       places);
		advise_lines(explanation, hook->tracepoint, false);
		break;
	case HOOK_SYSTEM_CALL:
		advise(explanation, "better", hook->tracepoint->is_exit
		       ? "syscalls:%s, which has the result of %s%s:"
		       : "syscalls:%s, which has the arguments that %s "
			 "finds in registers%s:",
		       name, function, unless);
		advise_lines(explanation, hook->tracepoint, false);
		break;
	case HOOK_LSM:
		if (!is_own && hook->taken.is != ATTACH_NO)
			advise(explanation, "better", "lsm/%s, where a program can also refuse, "
			       "and sees what no module before it has refused%s:", name, unless);
		if (hook->taken.is == ATTACH_NO)
			note(explanation, "no lsm/%s: %s", name, hook->taken.why);
		else
			advise_program(explanation, section ? section : "lsm", name,
				       hook->prototype);
		break;
	case HOOK_ITERATOR:
		if (!is_own)
			advise(explanation, "better", "iter/%s, which is for BPF programs that "
			       "iterate:", name);
		advise(explanation, "bpf", "SEC(\"%s/%s\") int on_%s(struct bpf_iter__%s *ctx)",
		       section ? section : "iter", name, name, name);
		break;
	case HOOK_CALLEE:
		advise(explanation, "calls", "%s%s, perhaps not on all paths; others may call it, "
		       "too:", name, places);
		if (probe_point_takes_fentry(&hook->callee))
			advise_fentry(explanation, name, &hook->callee, hook->prototype);
		else
			advise(explanation, "tracefs", "p:%s %s%s%s", name, hook->callee.probe,
			       hook->callee.attach.notrace ? "  #" : "",
			       hook->callee.attach.notrace ? &EXPLAIN_NOTRACE[1] : "");
		break;
	case HOOK_KINDS: break;
	}
}

void advise_hooks(struct explanation *explanation)
{
	size_t count = explanation->hooks.count;

	for (size_t i = 0; i < count && i < HOOKS_SHOWN; i++)
		advise_hook(explanation, &explanation->hooks.data[i]);
	if (count > HOOKS_SHOWN)
		note(explanation, "its code calls %zu more: all by --json", count - HOOKS_SHOWN);
}
