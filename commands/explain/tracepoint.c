/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/explain/tracepoint.h"
#include "commands/explain/explain_argument.h"

#include <stdlib.h>
#include <string.h>

/*
 * The FUNC_PROTO of `typedef void (*btf_trace_NAME)(void *__data, ...)`, with the names of its
 * iterator's parameters.
 */
static void set_prototype(struct tracepoint *tracepoint, const struct explanation *explanation)
{
	const struct type_source *types = &explanation->types;
	const uint32_t *type = type_named(types, BTF_TYPEDEF, TRACEPOINT_TYPE, tracepoint->name);
	char *iterator = text_format(TRACEPOINT_ITERATOR "%s", tracepoint->name);
	uint32_t named, prototype = tracepoint_prototype(
		types, type, explain_find_function(explanation, iterator), &named);
	struct text text = { 0 };

	free(iterator);
	if (!prototype)
		return;
	type_add_parameters(&text, types, prototype, named, 1, 0);
	tracepoint->parameters = text_finish(&text);
	tracepoint->prototype = text_format("void %s(%s)", tracepoint->name,
					    tracepoint->parameters);
	tracepoint_arguments(tracepoint, explanation, prototype, named);
}

static void set_record(struct tracepoint *tracepoint, struct explanation *explanation)
{
	const struct type_source *types = &explanation->types;
	const uint32_t *words;

	if (!tracepoint->class_name || tracepoint->event != ATTACH_YES)
		return;
	words = event_record(&explanation->events, tracepoint->class_name);
	if (!words)
		return;
	tracepoint->record = type_string(types, words[BTF_WORD_NAME]);
	tracepoint->record_bytes = words[BTF_WORD_SIZE];
	for (uint32_t i = 0; i < btf_element_count(words); i++) {
		const uint32_t *element = btf_element(words, i);
		struct tracepoint_member member = {
			.name = type_string(types, element[0]),
			.offset_bits = btf_member_offset(words[BTF_WORD_INFO], element),
			.size_bits = btf_member_bits(words[BTF_WORD_INFO], element),
			.value = explain_fetch_type(types, element[1]),
			.is_string = type_is_string(types, element[1]),
		};
		struct text text = { 0 };

		type_add(&text, types, element[1], member.name);
		member.declaration = text_finish(&text);
		array_push(&tracepoint->members, member);
	}
}

static void set_system_call(struct tracepoint *tracepoint, const struct explanation *explanation)
{
	const char *exits = text_after(tracepoint->name, "sys_exit_");
	const char *call = exits ? exits : text_after(tracepoint->name, "sys_enter_");
	char *function = text_format("__x64_sys_%s", call);
	struct call_parameters found;
	struct text text = { 0 };

	tracepoint->system_call = call;
	tracepoint->is_exit = exits;
	tracepoint->never_comes = exits && !trampoline_returns(function);
	free(function);
	if (exits)
		return;
	if (!system_call_parameters(&explanation->image, call, &found))
		found.count = 0;
	for (size_t i = 0; i < found.count; i++) {
		bool is_string = strcmp(found.types[i], "const char *") == 0;

		for (size_t k = i + 1; k < found.count; k++)
			is_string &= !explain_is_length(found.names[k]);
		text_add_format(&text, "%s%s %s", i ? ", " : "", found.types[i], found.names[i]);
		array_push(&tracepoint->arguments, ((struct tracepoint_argument){
			.name = found.names[i],
			.value = { 'x', 64, 1, is_string ? 'u' : '\0' } }));
	}
	tracepoint->parameters = text_finish(&text);
}

struct tracepoint *tracepoint_find(struct explanation *explanation, const char *name)
{
	const struct program *program = explanation->program;
	const struct type_source *types = &explanation->types;
	struct tracepoint *tracepoint = memory_zeroed(1, sizeof(*tracepoint));
	char *symbol = text_format("__tracepoint_%s", name);
	struct event event;

	tracepoint->name = name;
	if (program ? symbol_table_find(&program->symbols, symbol) != NULL
		    : type_named(types, BTF_TYPEDEF, TRACEPOINT_TYPE, name) != NULL) {
		set_prototype(tracepoint, explanation);
		event = event_of_tracepoint(&explanation->events, name);
	} else if (event_of_call(&explanation->events, name, &event)) {
		set_system_call(tracepoint, explanation);
	} else {
		free(symbol);
		tracepoint_free(tracepoint);
		return NULL;
	}
	free(symbol);
	tracepoint->class_name = event.class_name;
	tracepoint->system = event.group;
	tracepoint->event = event.is;
	if (!tracepoint->system && tracepoint->event != ATTACH_NO && explanation->folder &&
	    explanation->kind != ASKED_FUNCTION &&
	    text_is_made_of(explanation->folder, "_-") && strcmp(name, explanation->name) == 0) {
		tracepoint->system = explanation->folder;
		tracepoint->is_said = true;
	}
	set_record(tracepoint, explanation);
	return tracepoint;
}

void tracepoint_free(struct tracepoint *tracepoint)
{
	if (!tracepoint)
		return;
	for (size_t i = 0; i < tracepoint->members.count; i++)
		free(tracepoint->members.data[i].declaration);
	array_release(&tracepoint->members);
	array_release(&tracepoint->arguments);
	free(tracepoint->prototype);
	free(tracepoint->parameters);
	free(tracepoint);
}
