/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An explanation for programs. The keys are documented in man/btfenc.1 and only ever added to;
 * what is not known is null, addresses are strings ("0xffffffff81000000", of
 * modules ".text+0x10").
 */
#include <inttypes.h>

#include "commands/explain/explain_print.h"

static json_t *address_json(const struct explanation *explanation, uint64_t address)
{
	char text[ATTACH_PLACE_BYTES];

	attach_address(explanation->program, address, text, sizeof(text));
	return json_string(text);
}

static json_t *line_json(const struct source_line *line)
{
	if (!line->file)
		return json_null();
	return json_pack("{s:o, s:i}", "file", explain_text_json(line->file), "line", line->line);
}

static json_t *reasons_json(reason_set reasons)
{
	json_t *array = json_array();

	for (int i = 1; i < VERDICT_COUNT; i++) {
		if (reasons >> i & 1)
			json_array_append_new(array, json_pack("{s:s, s:s}", "code",
				verdict_code((enum verdict)i), "sentence",
				verdict_sentence((enum verdict)i)));
	}
	return array;
}

static json_t *answer_json(uint8_t answer)
{
	return answer == ATTACH_UNKNOWN ? json_null() : json_boolean(answer == ATTACH_YES);
}

/* ---- instances ---- */

static const char *const join_names[] = {
	[JOIN_NONE] = "none", [JOIN_COLD] = "cold", [JOIN_FRAGMENT] = "part", [JOIN_CLONE] = "copy",
	[JOIN_SAME] = "same",
};

static const char *const use_names[] = {
	[USE_UNKNOWN] = NULL, [USE_READ] = "read", [USE_PASSED] = "passed", [USE_DEAD] = "dead",
};

static json_t *call_sites_json(const struct call_site_counts *call_sites)
{
	return json_pack("{s:i, s:i, s:i, s:i, s:o}", "calls", call_sites->calls,
			 "described", call_sites->described, "set", call_sites->set,
			 "unset", call_sites->unset, "use",
			 explain_text_json(use_names[call_sites->use]));
}

static json_t *known_text(const char *text)
{
	return explain_text_json(*text ? text : NULL);
}

static json_t *parameter_json(const struct explained_parameter *parameter)
{
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o}",
				   "name", known_text(parameter->name),
				   "type", explain_text_json(parameter->type),
				   "expected", known_text(parameter->expected),
				   "found", known_text(parameter->found),
				   "fetch", known_text(parameter->fetch));
	const struct parameter_finding *finding = parameter->finding;

	json_object_set_new(object, "state", explain_text_json(finding ?
		parameter_state_code((enum parameter_state)finding->state) : NULL));
	json_object_set_new(object, "callers", finding ? call_sites_json(&finding->call_sites)
						       : json_null());
	return object;
}

static json_t *instance_json(const struct explanation *explanation,
			     const struct explained_instance *explained)
{
	const struct function_instance *instance = explained->instance;
	json_t *parameters = json_array();
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:s, s:b, s:o, s:o, s:o}",
		"address", address_json(explanation, instance->address),
		"symbol", explain_text_json(explained->symbol ? explained->symbol->name : NULL),
		"unit", explain_text_json(explained->unit),
		"section", known_text(explained->section),
		"joined", join_names[instance->join],
		"external", instance->external,
		"declared", line_json(&explained->declared),
		"prototype", explain_text_json(explained->prototype),
		"true_prototype", explain_text_json(explained->true_prototype));

	for (size_t i = 0; i < explained->parameters.count; i++)
		json_array_append_new(parameters,
				      parameter_json(&explained->parameters.data[i]));
	json_object_set_new(object, "parameters", parameters);
	json_object_set_new(object, "reasons", reasons_json(instance->reasons));
	json_object_set_new(object, "place", explain_text_json(explained->place));
	json_object_set_new(object, "ftrace", answer_json(explained->attach.ftrace));
	json_object_set_new(object, "kprobe", answer_json(explained->attach.kprobe));
	json_object_set_new(object, "init", json_boolean(explained->attach.init));
	return object;
}

/* ---- inline sites ---- */

static json_t *site_json(const struct explanation *explanation,
			 const struct explained_site *explained)
{
	const struct scanned_site *site = explained->site;
	const struct symbol *symbol = explained->symbol;
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:b}",
		"address", address_json(explanation, site->address),
		"symbol", explain_text_json(symbol ? symbol->name : NULL),
		"place", explain_text_json(explained->place),
		"function", known_text(site->caller),
		"inlined_with", explain_text_json(site->parent),
		"fetch", known_text(explained->fetch),
		"kprobe", !explained->forbidden);

	json_object_set_new(object, "offset",
			    symbol ? json_integer((json_int_t)(site->address - symbol->address))
				   : json_null());
	json_object_set_new(object, "in_itself", json_boolean(explained->in_itself));
	json_object_set_new(object, "call", line_json(&explained->call));
	return object;
}

/* ---- tracepoints ---- */

static json_t *tracepoint_json(const struct tracepoint *tracepoint)
{
	json_t *members = json_array();
	json_t *object = json_pack("{s:o, s:o, s:o, s:b, s:o}",
		"prototype", explain_text_json(tracepoint->prototype),
		"class", explain_text_json(tracepoint->class_name),
		"system", explain_text_json(tracepoint->system),
		"event", tracepoint->has_event,
		"record", explain_text_json(tracepoint->record));

	for (size_t i = 0; i < tracepoint->members.count; i++) {
		const struct tracepoint_member *member = &tracepoint->members.data[i];

		json_array_append_new(members, json_pack("{s:o, s:o, s:i, s:i}",
			"name", known_text(member->name),
			"declaration", explain_text_json(member->declaration),
			"offset_bits", (int)member->offset_bits,
			"size_bits", (int)member->size_bits));
	}
	json_object_set_new(object, "record_bytes", json_integer(tracepoint->record_bytes));
	json_object_set_new(object, "members", members);
	return object;
}

/* ---- all of it ---- */

static json_t *verdict_json(const struct explanation *explanation)
{
	if (!explanation_has_function(explanation))
		return json_null();
	return json_pack("{s:s, s:s}", "code", verdict_code(explanation->verdict), "sentence",
			 verdict_sentence(explanation->verdict));
}

bool explain_print_json(const struct explanation *explanation, FILE *out)
{
	json_t *instances = json_array(), *sites = json_array();
	json_t *root = json_pack("{s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:o, s:o}",
		"name", explain_text_json(explanation->name),
		"asked", explain_text_json(explanation->asked),
		"known", 1,
		"answer", explanation->headline,
		"verdict", verdict_json(explanation),
		"reasons", reasons_json(explanation_has_function(explanation)
						? explanation->reasons : 0),
		"prototype", explain_text_json(explanation->prototype),
		"declared", line_json(&explanation->declared),
		"advice", explain_advice_json(explanation->advice.data, explanation->advice.count));

	for (size_t i = 0; i < explanation->instances.count; i++)
		json_array_append_new(instances, instance_json(explanation,
							       &explanation->instances.data[i]));
	for (size_t i = 0; i < explanation->sites.count; i++)
		json_array_append_new(sites, site_json(explanation, &explanation->sites.data[i]));
	json_object_set_new(root, "instances", instances);
	json_object_set_new(root, "inline_sites", sites);
	json_object_set_new(root, "tracepoint", explanation->tracepoint
				  ? tracepoint_json(explanation->tracepoint) : json_null());
	return explain_write_json(root, out);
}

bool near_names_print_json(const struct near_names *near, const char *name, FILE *out)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < near->count; i++)
		json_array_append_new(array, json_pack("{s:o, s:s}", "name",
			explain_text_json(near->names[i].name), "what", near->names[i].what));
	return explain_write_json(json_pack("{s:o, s:b, s:o}", "name", explain_text_json(name),
					    "known", 0, "similar", array), out);
}
