/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Advice on tracepoints, and on what serves better than a function (commands/explain/hooks.c). */
#include <stdlib.h>
#include <string.h>

#include "commands/explain/advice.h"
#include "commands/explain/hooks.h"
#include "commands/explain/program_type.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"

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

EMBED(advice_hooks_rows, "commands/explain/advice_hooks.txt");
EMBED(advice_tracepoint_rows, "commands/explain/advice_tracepoint.txt");

/* The arguments in each state that needs a word. `instead`: what reads those that are refused. */
static void note_states(struct explanation *explanation, const char *section, const char *name,
			const struct tracepoint_argument *arguments, size_t count,
			const char *instead)
{
	for (int state = ARGUMENT_NULL; state < ARGUMENT_STATES; state++) {
		struct text names = { 0 };
		size_t found = 0;

		for (size_t i = 0; i < count; i++) {
			const struct tracepoint_argument *argument = &arguments[i];

			if ((int)argument->state.is != state)
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
			advise_rows(explanation, advice_hooks_rows, json_pack(
				"{s:b, s:s, s:o, s:o, s:b, s:s}", argument_states[state], 1,
				"section", section, "name", json_text(name),
				"names", json_take(&names), "several", found > 1,
				"instead", instead));
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

/* `is_own`: it was asked for; else the most useful lines are enough. False: there are none. */
static bool advise_lines(struct explanation *explanation, const struct tracepoint *tracepoint,
			 bool is_own)
{
	const char *class_name = tracepoint->class_name;
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
	json_set(facts, "eventful", json_boolean(
		is_plain && !call && (tracepoint->event == ATTACH_YES ||
				      (tracepoint->event == ATTACH_UNKNOWN && is_own))));
	advise_rows(explanation, advice_tracepoint_rows, facts);
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
	const char *name = hook->name, *section = NULL;
	const struct tracepoint *tracepoint = hook->tracepoint;
	bool is_own = hooks_are_asked(explanation), refused = hook->taken.is == ATTACH_NO;
	bool has_fentry = hook->kind == HOOK_CALLEE && probe_point_takes_fentry(&hook->callee);
	json_t *facts;

	if (is_own)
		section = advise_section(explanation, &explanation->entry);
	facts = json_pack(
		"{s:b, s:o, s:o, s:o, s:b, s:b, s:I, s:I, s:b, s:b, s:o, s:s, s:b, s:o, s:b}",
		hook_kinds[hook->kind], 1, "name", json_text(name),
		"function", json_text(explanation->name),
		"system", json_text(tracepoint ? tracepoint->system : NULL),
		"is_exit", tracepoint && tracepoint->is_exit,
		"is_inlined", !explanation->instances.count && !explanation->has_entry,
		"points", INTEGER(hook->points), "all", INTEGER(explanation->hook_points),
		"is_own", is_own, "refused", refused, "why", json_text(hook->taken.why),
		"section", section ? section : "iter", "has_fentry", has_fentry,
		"probe", json_text(hook->callee.probe), "notrace", hook->callee.attach.notrace);
	advise_rows(explanation, advice_hooks_rows, facts);
	if (tracepoint)
		advise_lines(explanation, tracepoint, false);
	if (hook->kind == HOOK_LSM && !refused)
		advise_program(explanation, section ? section : "lsm", name, hook->prototype);
	if (has_fentry)
		advise_fentry(explanation, name, &hook->callee, hook->prototype);
}

void advise_hooks(struct explanation *explanation)
{
	size_t count = explanation->hooks.count;

	for (size_t i = 0; i < count && i < HOOKS_SHOWN; i++)
		advise_hook(explanation, &explanation->hooks.data[i]);
	if (count > HOOKS_SHOWN)
		note(explanation, "its code calls %zu more: all by --json", count - HOOKS_SHOWN);
}
