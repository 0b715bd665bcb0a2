/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An explanation for programs. The keys are documented in man/btfenc.1 and only ever added to;
 * what is not known is null, addresses are strings ("0xffffffff81000000", of
 * modules ".text+0x10").
 */
#include "commands/explain/explain_print.h"
#include "commands/explain/explain_argument.h"
#include "commands/explain/hooks.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"

#include <inttypes.h>

static json_t *known_text(const char *text)
{
	return json_text(text && *text ? text : NULL);
}

static json_t *line_json(const struct source_line *line)
{
	if (!line->file)
		return json_null();
	return json_pack("{s:o, s:i}", "file", json_text(line->file), "line", line->line);
}

static json_t *reasons_json(reason_set reasons)
{
	json_t *array = json_array();

	for (int i = 1; i < VERDICT_COUNT; i++) {
		if (reasons >> i & 1)
			json_array_append_new(array, json_pack("{s:s, s:s}", "code",
				verdict_texts[i].code, "sentence",
				verdict_texts[i].sentence));
	}
	return array;
}

static json_t *answer_json(enum attach_answer answer)
{
	return answer == ATTACH_UNKNOWN ? json_null() : json_boolean(answer == ATTACH_YES);
}

/* ---- parameters ---- */

static json_t *call_sites_json(const struct call_site_counts *seen)
{
	static const char *const use_names[] = { [USE_UNKNOWN] = NULL, [USE_READ] = "read",
						 [USE_PASSED] = "passed", [USE_DEAD] = "dead" };

	return json_pack("{s:i, s:i, s:i, s:i, s:o}", "calls", seen->calls,
			 "described", seen->described, "set", seen->set,
			 "unset", seen->unset, "use",
			 json_text(use_names[seen->use]));
}

static const char *const argument_states[ARGUMENT_STATES] = {
	[ARGUMENT_PLAIN] = "plain", [ARGUMENT_NULL] = "null",
	[ARGUMENT_NUMBER] = "number", [ARGUMENT_REFUSED] = "refused",
	[ARGUMENT_UNKNOWN] = "unknown",
};

static json_t *parameter_json(const struct explained_parameter *parameter, size_t number)
{
	const struct parameter_finding *finding = parameter->finding;
	struct text fetch = { 0 };
	json_t *json;

	explain_add_parameter_fetch(&fetch, parameter, number, ' ');
	text_add_char(&fetch, '\0');
	/* Programs by fentry read it where an instance is entered alone. */
	json = json_pack("{s:n, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "bpf",
		"name", known_text(parameter->name), "type", known_text(parameter->type),
		"expected", known_text(parameter->expected), "found", known_text(parameter->found),
		"fetch", known_text(fetch.data),
		"state", json_text(finding ?
			parameter_state_texts[finding->state].code : NULL),
		"callers", finding ? call_sites_json(&finding->call_sites) : json_null());
	array_release(&fetch);
	return json;
}

/* ---- instances and inline sites ---- */

/* What both have. Like the text, it has no kprobe at a `refusal`; NULL: there is none. */
static json_t *point_json(const struct probe_point *point, const char *refusal)
{
	json_t *parameters = json_array();
	char *where = *point->where ? text_format("%s", point->where)
				    : text_format("%s+0x%" PRIx64, point->section,
					      point->section_offset);
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o}",
		"address", json_text(where), "section", known_text(point->section),
		"section_offset", *point->section ? json_integer((json_int_t)point->section_offset)
						  : json_null(),
		"place", known_text(point->probe),
		"kprobe", answer_json(refusal ? ATTACH_NO : point->attach.kprobe.is),
		"notrace", point->attach.notrace,
		"by_convention", point->by_convention, "parameters", parameters);

	for (size_t i = 0; i < point->parameters.count; i++)
		json_array_append_new(parameters, parameter_json(&point->parameters.data[i], i));
	free(where);
	return object;
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

static json_t *instance_json(const struct explanation *explanation,
			     const struct probe_point *point)
{
	static const char *const joins[] = {
		[JOIN_NONE] = "none", [JOIN_COLD] = "cold", [JOIN_FRAGMENT] = "part",
		[JOIN_CLONE] = "copy", [JOIN_RENAMED] = "renamed", [JOIN_SAME] = "same",
	};
	/* In .init.text one can be set for the time of booting. */
	json_t *object = point_json(point, point->attach.init ? NULL
					   : explain_refusal(explanation, point, false));
	bool has_symbol = point->symbol || !point->instance;
	char *prototype = explain_prototype(explanation, point->prototype, explanation->name);
	char *left = explain_prototype(explanation, point->true_prototype, point->function);

	for (size_t i = 0; i < point->parameters.count; i++) {
		const struct argument_answer answer = explain_argument_of(explanation, point, i);

		set(json_array_get(json_object_get(object, "parameters"), i), "bpf",
		    json_string(argument_states[explanation->own_prototype ? ARGUMENT_UNKNOWN
									   : answer.is]));
	}
	set(object, "symbol", known_text(has_symbol ? point->function : NULL));
	set(object, "joined", json_string(joins[point->join]));
	set(object, "unit", json_text(point->unit));
	set(object, "external", point->instance ? json_boolean(point->is_global)
						: json_null());
	set(object, "declared", line_json(&point->declared));
	set(object, "prototype", json_text(prototype));
	set(object, "true_prototype", json_text(left));
	set(object, "reasons", point->instance ? reasons_json(point->instance->reasons)
					       : json_null());
	set(object, "ftrace", answer_json(point->attach.ftrace));
	set(object, "init", json_boolean(point->attach.init));
	free(prototype);
	free(left);
	return object;
}

static json_t *site_json(const struct explanation *explanation, const struct probe_point *point)
{
	const struct symbol *symbol = point->symbol;
	const struct site_source *source = point->source;
	json_t *object = point_json(point, explain_refusal(explanation, point, false));
	struct text text = { 0 };
	char *fetch;

	explain_add_fetch(&text, point, ' ');
	fetch = text_finish(&text);
	set(object, "symbol", json_text(symbol ? symbol->name : NULL));
	set(object, "offset", symbol ? json_integer((json_int_t)(point->address - symbol->address))
				     : json_null());
	set(object, "fetch", known_text(*fetch ? fetch + 1 : fetch));
	set(object, "function", known_text(source ? source->caller : NULL));
	set(object, "inlined_with", json_text(source ? source->parent : NULL));
	set(object, "in_itself", json_boolean(point->in_itself));
	set(object, "call", line_json(&point->call));
	free(fetch);
	return object;
}

static json_t *sections_json(const struct records *records)
{
	json_t *array = json_array();

	for (size_t i = 0; i < records->sections.count; i++) {
		const struct record_section *section = &records->sections.data[i];
		char address[32] = "";

		if (section->runs || section->is_known)
			snprintf(address, sizeof(address), "0x%" PRIx64,
				 section->runs ? section->running : section->address);
		json_array_append_new(array, json_pack("{s:o, s:o, s:i, s:i}",
			"name", known_text(section->name), "address", known_text(address),
			"anchors", (int)section->anchors.count,
			"agreeing", (int)section->anchors.agreeing));
	}
	return array;
}

/* ---- tracepoints ---- */

static json_t *tracepoint_json(const struct tracepoint *tracepoint)
{
	json_t *members = json_array(), *arguments = json_array();
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}",
		"prototype", json_text(tracepoint->prototype),
		"class", json_text(tracepoint->class_name),
		"system", json_text(tracepoint->system),
		"event", answer_json(tracepoint->event),
		"record", json_text(tracepoint->record),
		"record_bytes", (json_int_t)tracepoint->record_bytes, "members", members,
		"arguments", arguments);

	for (size_t i = 0; i < tracepoint->arguments.count; i++) {
		const struct tracepoint_argument *argument = &tracepoint->arguments.data[i];

		json_array_append_new(arguments, json_pack("{s:o, s:s}",
			"name", known_text(argument->name),
			"state", argument_states[argument->state.is]));
	}

	for (size_t i = 0; i < tracepoint->members.count; i++) {
		const struct tracepoint_member *member = &tracepoint->members.data[i];

		json_array_append_new(members, json_pack("{s:o, s:o, s:i, s:i}",
			"name", known_text(member->name),
			"declaration", json_text(member->declaration),
			"offset_bits", (int)member->offset_bits,
			"size_bits", (int)member->size_bits));
	}
	return object;
}

static json_t *hooks_json(const struct explanation *explanation)
{
	static const char *const kinds[HOOK_KINDS] = {
		[HOOK_TRACEPOINT] = "tracepoint", [HOOK_SYSTEM_CALL] = "system-call",
		[HOOK_LSM] = "lsm", [HOOK_ITERATOR] = "iterator", [HOOK_CALLEE] = "callee",
	};
	json_t *array = json_array();

	for (size_t i = 0; i < explanation->hooks.count; i++) {
		const struct hook *hook = &explanation->hooks.data[i];
		bool is_counted = hook->kind == HOOK_TRACEPOINT || hook->kind == HOOK_CALLEE;

		json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:o, s:o}",
			"kind", kinds[hook->kind], "name", json_text(hook->name),
			"system", json_text(hook->tracepoint ? hook->tracepoint->system : NULL),
			"addresses", is_counted ? json_integer((json_int_t)hook->points)
						: json_null(),
			"of", is_counted ? json_integer((json_int_t)explanation->hook_points)
					 : json_null()));
	}
	return array;
}

/* ---- all of it ---- */

static json_t *verdict_json(const struct explanation *explanation)
{
	enum verdict verdict = reasons_verdict(explanation->reasons);
	bool is_known = explanation->has_function &&
			(explanation->reasons || explanation->func == FUNC_PROMISED);

	return is_known ? json_pack("{s:s, s:s}", "code", verdict_texts[verdict].code,
				    "sentence", verdict_texts[verdict].sentence)
			: json_null();
}

json_t *explanation_json(const struct explanation *explanation, size_t most)
{
	const struct records *records = explanation->records;
	json_t *instances = json_array(), *sites = json_array(), *unplaced = json_array();
	json_t *advice = json_array();
	json_t *root = json_pack("{s:i, s:o, s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:o, s:o}",
		"version", 1,
		"file", json_text(explanation->path),
		"name", json_text(explanation->name),
		"asked", json_text(explanation->asked),
		"known", 1,
		"answer", explanation->headline,
		"verdict", verdict_json(explanation),
		"reasons", reasons_json(explanation->reasons),
		"prototype", json_text(explanation->prototype),
		"declared", line_json(&explanation->declared),
		"advice", advice);

	for (size_t i = 0; i < explanation->advice.count; i++)
		json_array_append_new(advice, json_pack("{s:s, s:o}",
			"tool", explanation->advice.data[i].tool,
			"text", json_text(explanation->advice.data[i].text)));
	for (size_t i = 0; i < explanation->instances.count; i++)
		json_array_append_new(instances, instance_json(explanation,
			&explanation->instances.data[i]));
	for (size_t i = 0; i < explanation->sites.count && i < most; i++)
		json_array_append_new(sites, site_json(explanation, &explanation->sites.data[i]));
	for (size_t i = 0; i < explanation->unplaced.count && i < most; i++)
		json_array_append_new(unplaced, instance_json(explanation,
			&explanation->unplaced.data[i]));
	set(root, "excluded", json_text(explanation->excluded));
	set(root, "own_prototype", json_text(explanation->own_prototype));
	set(root, "promised", json_boolean(explanation->func == FUNC_PROMISED));
	set(root, "symbols", records && records->without_symbols
				     ? json_null() : json_text(records ? records->symbols_path
						       : explanation->program->options->path));
	set(root, "sections", records ? sections_json(records) : json_null());
	set(root, "instances", instances);
	set(root, "inline_sites", sites);
	set(root, "unplaced", unplaced);
	set(root, "hooks", hooks_json(explanation));
	set(root, "tracepoint", explanation->tracepoint
				  ? tracepoint_json(explanation->tracepoint) : json_null());
	return root;
}

void explain_print_json(const struct explanation *explanation)
{
	json_t *root = explanation_json(explanation, SIZE_MAX), *namesakes = json_array();

	for (size_t i = 0; i < explanation->namesake_count; i++) {
		json_t *namesake = explanation_json(&explanation->namesakes[i], SIZE_MAX);

		set(namesake, "namesakes", json_array());
		json_array_append_new(namesakes, namesake);
	}
	set(root, "namesakes", namesakes);
	json_write(root, JSON_INDENT(2), stdout);
}
