/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* An explanation for people: explain_page.txt over the JSON, and what that has not. */
#include <inttypes.h>
#include <string.h>

#include "commands/explain/explain_argument.h"
#include "commands/explain/explain_print.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"
#include "commands/print/template.h"

/* "0xffffffff81000040, .text+0x40", of a module that is not loaded only the latter. */
static json_t *where(const struct probe_point *point)
{
	struct text text = { 0 };

	text_add_clean(&text, point->where);
	if (*point->section) {
		text_add_clean_in(&text, *point->where ? ", " : "", point->section, "");
		text_add_format(&text, "+0x%" PRIx64, point->section_offset);
	}
	return json_take(&text);
}

/* ---- the table of parameters ---- */

enum { NAME, TYPE, ABI, FOUND, STATE, COLUMNS };

static const char *cell(const struct explained_parameter *parameter, int column)
{
	const struct parameter_finding *finding = parameter->finding;

	switch (column) {
	case NAME: return *parameter->name ? parameter->name : "(unnamed)";
	case TYPE: return parameter->type;
	case ABI: return *parameter->expected ? parameter->expected : "-";
	case FOUND: return *parameter->found ? parameter->found : "-";
	default:
		return finding ? parameter_state_texts[finding->state].code : "";
	}
}

/* Its lines. What the ABI wants and the state are known where DWARF's evidence was examined. */
static json_t *parameter_table(const struct probe_point *point)
{
	size_t count = point->parameters.count;
	bool examined = count && point->parameters.data[0].finding;
	const char *const heads[COLUMNS] = {
		"parameter", "type", "ABI",
		examined ? "DWARF" : point->by_convention ? "location, by convention" : "location",
		"state" };
	int last = examined ? STATE : FOUND;
	json_t *lines = json_array();
	size_t width[COLUMNS];

	for (int c = 0; c < COLUMNS; c++) {
		width[c] = strlen(heads[c]);
		for (size_t i = 0; i < count; i++) {
			size_t length = strlen(cell(&point->parameters.data[i], c));

			width[c] = length > width[c] ? length : width[c];
		}
	}
	for (size_t row = 0; count && row <= count; row++) {
		struct text line = { 0 };

		for (int c = 0; c <= last; c++) {
			const char *text = row ? cell(&point->parameters.data[row - 1], c)
					       : heads[c];

			if (c == ABI && !examined)
				continue;
			text_add_clean(&line, text);
			if (c != last)
				text_add_format(&line, "%*s", (int)(width[c] + 2 - strlen(text)),
						"");
		}
		json_array_append_new(lines, json_take(&line));
	}
	return lines;
}

/* Locations that tracefs cannot fetch from are printed after the #. */
static json_t *other_locations(const struct probe_point *point)
{
	struct text text = { 0 };

	for (size_t i = 0; i < point->parameters.count; i++) {
		const struct explained_parameter *parameter = &point->parameters.data[i];

		if (parameter->fetched.sign || !*parameter->found)
			continue;
		text_add_clean_in(&text, ", ", cell(parameter, NAME), " in ");
		text_add_clean(&text, parameter->found);
	}
	return json_take(&text);
}

/* ---- instances and inline sites ---- */

/* What is said of one that is not where it should be, and of its register. */
static void add_finding(json_t *parameter, const struct parameter_finding *finding)
{
	static const char *const uses[] = {
		[USE_UNKNOWN] = "", [USE_READ] = "; its code reads the register",
		[USE_PASSED] = "; its code passes the register on",
		[USE_DEAD] = "; its code does not read the register",
	};

	if (finding && finding->state != PARAMETER_IN_PLACE)
		json_object_set_new(parameter, "sentence",
			json_string(parameter_state_texts[finding->state].sentence));
	if (finding)
		json_object_set_new(parameter, "use", json_string(uses[finding->call_sites.use]));
}

static json_t *instance_text(const struct explanation *explanation,
			     const struct probe_point *point, const json_t *instance)
{
	const char *prototype = json_string_value(json_object_get(instance, "prototype"));
	bool is_other = explanation->prototype && prototype &&
			strcmp(explanation->prototype, prototype) != 0;
	json_t *parameters = json_object_get(instance, "parameters");

	for (size_t i = 0; i < json_array_size(parameters); i++)
		add_finding(json_array_get(parameters, i), point->parameters.data[i].finding);
	return json_pack("{s:o, s:s, s:o?, s:O?, s:o, s:o, s:o}", "where", where(point),
		"linkage", !point->instance ? "" : point->is_global ? ", global" : ", static",
		"prototype", is_other ? json_text(prototype) : NULL,
		"left", point->true_prototype != point->prototype
				? json_object_get(instance, "true_prototype") : NULL,
		"table", parameter_table(point), "function", json_text(point->function),
		"others", other_locations(point));
}

/* `number`: of the probes. */
static json_t *site_text(const struct explanation *explanation, const struct probe_point *point,
			 const char *refusal, size_t number)
{
	struct text event = { 0 }, caller = { 0 }, doubt = { 0 };

	explain_add_site_event(&event, explanation, number);
	if (point->source && point->source->parent)
		text_add_format(&caller, "%s()", point->source->parent);
	else if (!point->source && point->symbol)
		text_add_string(&caller, point->symbol->name);
	if (!refusal && point->attach.notrace)
		text_add_string(&doubt, EXPLAIN_NOTRACE);
	if (!refusal && point->attach.kprobe.is == ATTACH_UNKNOWN)
		text_add_format(&doubt, EXPLAIN_NOT_KNOWN ": %s", point->attach.kprobe.why);
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o}", "where", where(point),
			 "event", json_take(&event), "refusal", json_text(refusal),
			 "caller", json_take(&caller), "doubt", json_take(&doubt),
			 "others", other_locations(point));
}

/* Of the points that the list has: of many it has the first. */
static void add_instance_texts(json_t *list, const struct explanation *explanation,
			       const struct probe_points *points)
{
	for (size_t i = 0; i < json_array_size(list); i++) {
		json_t *json = json_array_get(list, i);

		json_object_set_new(json, "text",
				    instance_text(explanation, &points->data[i], json));
	}
}

static void add_texts(json_t *root, const struct explanation *explanation)
{
	json_t *sites = json_object_get(root, "inline_sites");
	json_t *members = json_object_get(json_object_get(root, "tracepoint"), "members");
	size_t probes = 0;

	add_instance_texts(json_object_get(root, "instances"), explanation,
			   &explanation->instances);
	add_instance_texts(json_object_get(root, "unplaced"), explanation,
			   &explanation->unplaced);
	for (size_t i = 0; i < json_array_size(sites); i++) {
		const struct probe_point *point = &explanation->sites.data[i];
		const char *refusal = explain_refusal(explanation, point, false);

		probes += !refusal;
		json_object_set_new(json_array_get(sites, i), "text",
				    site_text(explanation, point, refusal, probes));
	}
	for (size_t i = 0; i < json_array_size(members); i++)
		json_object_set_new(json_array_get(members, i), "offset", json_integer(
			explanation->tracepoint->members.data[i].offset_bits / 8));
}

/* ---- all of it ---- */

/* Notes come last; what has the same tool as the line before it does not repeat it. */
static json_t *advice_lines(const struct explanation *explanation)
{
	json_t *lines = json_array();

	for (int notes = 0; notes < 2; notes++) {
		const char *last = "";

		for (size_t i = 0; i < explanation->advice.count; i++) {
			const struct advice *advice = &explanation->advice.data[i];

			if ((strcmp(advice->tool, "note") == 0) != notes)
				continue;
			json_array_append_new(lines, json_pack("{s:b, s:s, s:o}", "begins", !*last,
				"tool", strcmp(advice->tool, last) ? advice->tool : "",
				"text", json_text(advice->text)));
			last = advice->tool;
		}
	}
	return lines;
}

static json_t *page_json(const struct explanation *explanation)
{
	const struct tracepoint *tracepoint = explanation->tracepoint;
	bool is_symbol = !explanation->rank && strcmp(explanation->name, explanation->asked) != 0;
	bool is_found = is_symbol &&
			symbol_table_find(explanation->image.symbols, explanation->asked);
	size_t sites = explanation->sites.count;

	if (tracepoint && tracepoint->system_call && tracepoint->event == ATTACH_NO)
		tracepoint = NULL;
	return json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:I, s:I, s:I, s:I, s:o, s:o, s:o}",
		"is_other", explanation->rank != 0,
		"is_clone", is_found, "is_missing", is_symbol && !is_found,
		/* A lone reason is in the first line. */
		"has_reasons", (explanation->reasons & (explanation->reasons - 1)) != 0,
		"has_clones", explanation->instances.count > 1,
		"has_outer", explanation->outer_sites != 0,
		"sites", INTEGER(sites), "inner", INTEGER(sites - explanation->outer_sites),
		"shown", INTEGER(sites > EXPLAIN_SITES_SHOWN ? EXPLAIN_SITES_SHOWN : 0),
		"unplaced", INTEGER(explanation->unplaced.count),
		"advice", advice_lines(explanation),
		"tracepoint", json_text(tracepoint ? tracepoint->name : NULL),
		"class", json_text(tracepoint && tracepoint->class_name &&
				   strcmp(tracepoint->class_name, tracepoint->name) != 0
				   ? tracepoint->class_name : NULL));
}

EMBED(explain_page, "commands/explain/explain_page.txt");

void explain_print_text(const struct explanation *explanation)
{
	for (size_t i = 0; i <= explanation->namesake_count; i++) {
		const struct explanation *one = i ? &explanation->namesakes[i - 1] : explanation;
		json_t *root = explanation_json(one, EXPLAIN_SITES_SHOWN);

		add_texts(root, one);
		json_object_set_new(root, "page", page_json(one));
		template_print(explain_page, root, false, stdout);
	}
}
