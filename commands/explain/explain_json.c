/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An explanation for programs. The keys are documented in man/btfenc.1 and only ever added to;
 * what is not known is null, addresses are strings ("0xffffffff81000000", of
 * modules ".text+0x10"). And for people: explain_page.txt over it, and over "text" and "page",
 * which have what it has not.
 */
#include "commands/explain/explain_print.h"
#include "commands/explain/explain_argument.h"
#include "commands/explain/hooks.h"
#include "commands/explain/tracepoint.h"
#include "commands/print/json.h"
#include "commands/print/template.h"

#include <inttypes.h>
#include <string.h>

static json_t *line_json(const struct source_line *line)
{
	if (!line->file)
		return json_null();
	return json_pack("{s:o, s:i}", "file", json_text(line->file), "line", line->line);
}

static json_t *reason_json(enum verdict reason)
{
	return json_pack("{s:s, s:s}", "code", verdict_texts[reason].code,
			 "sentence", verdict_texts[reason].sentence);
}

static json_t *reasons_json(reason_set reasons)
{
	json_t *array = json_array();

	for (reason_set left = reasons; left; left &= left - 1)
		json_array_append_new(array, reason_json((enum verdict)__builtin_ctz(left)));
	return array;
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

static json_t *parameter_json(const struct explained_parameter *parameter, size_t number)
{
	const struct parameter_finding *finding = parameter->finding;
	struct text fetch = { 0 };
	json_t *json;

	explain_add_parameter_fetch(&fetch, parameter, number, ' ');
	text_add_char(&fetch, '\0');
	/* Programs by fentry read it where an instance is entered alone. */
	json = json_pack("{s:n, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "bpf",
		"name", json_known(parameter->name), "type", json_known(parameter->type),
		"expected", json_known(parameter->expected), "found", json_known(parameter->found),
		"fetch", json_known(fetch.data),
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
	char *where = *point->where ? memory_copy(point->where)
				    : text_format("%s+0x%" PRIx64, point->section,
					      point->section_offset);
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:b, s:b, s:o}",
		"address", json_text(where), "section", json_known(point->section),
		"section_offset", json_number(*point->section, point->section_offset),
		"place", json_known(point->probe),
		"kprobe", json_answer(refusal ? ATTACH_NO : point->attach.kprobe.is),
		"notrace", point->attach.notrace,
		"by_convention", point->by_convention, "parameters", parameters);

	for (size_t i = 0; i < point->parameters.count; i++)
		json_array_append_new(parameters, parameter_json(&point->parameters.data[i], i));
	free(where);
	return object;
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

		json_set(json_array_get(json_object_get(object, "parameters"), i), "bpf",
			 json_string(argument_states[explanation->own_prototype ? ARGUMENT_UNKNOWN
										: answer.is]));
	}
	json_set(object, "symbol", json_known(has_symbol ? point->function : NULL));
	json_set(object, "joined", json_string(joins[point->join]));
	json_set(object, "unit", json_text(point->unit));
	json_set(object, "external", point->instance ? json_boolean(point->is_global)
						     : json_null());
	json_set(object, "declared", line_json(&point->declared));
	json_set(object, "prototype", json_text(prototype));
	json_set(object, "true_prototype", json_text(left));
	json_set(object, "reasons", point->instance ? reasons_json(point->instance->reasons)
						    : json_null());
	json_set(object, "ftrace", json_answer(point->attach.ftrace));
	json_set(object, "init", json_boolean(point->attach.init));
	free(prototype);
	free(left);
	return object;
}

static json_t *site_json(const struct probe_point *point, const char *refusal)
{
	const struct symbol *symbol = point->symbol;
	const struct site_source *source = point->source;
	json_t *object = point_json(point, refusal);
	struct text fetch = { 0 };

	explain_add_fetch(&fetch, point, ' ');
	json_set(object, "symbol", json_text(symbol ? symbol->name : NULL));
	json_set(object, "offset",
		 json_number(symbol, symbol ? point->address - symbol->address : 0));
	/* Without the first blank. */
	json_set(object, "fetch", fetch.count ? json_text_bytes(fetch.data + 1, fetch.count - 1)
					      : json_null());
	json_set(object, "function", json_known(source ? source->caller : NULL));
	json_set(object, "inlined_with", json_text(source ? source->parent : NULL));
	json_set(object, "in_itself", json_boolean(point->in_itself));
	json_set(object, "call", line_json(&point->call));
	array_release(&fetch);
	return object;
}

static json_t *sections_json(const struct records *records)
{
	json_t *array = json_array();

	array_each(const struct record_section, section, &records->sections) {
		char address[32] = "";

		if (section->runs || section->is_known)
			snprintf(address, sizeof(address), "0x%" PRIx64,
				 section->runs ? section->running : section->address);
		json_array_append_new(array, json_pack("{s:o, s:o, s:i, s:i}",
			"name", json_known(section->name), "address", json_known(address),
			"anchors", (int)section->anchors.count,
			"agreeing", (int)section->anchors.agreeing));
	}
	return array;
}

/* ---- what the page says of them, too ---- */

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

static const char *name_of(const struct explained_parameter *parameter)
{
	return *parameter->name ? parameter->name : "(unnamed)";
}

/* Its rows. What the ABI wants and the state are known where DWARF's evidence was examined. */
static json_t *parameter_table(const struct probe_point *point, bool is_examined)
{
	static const char *const columns[] = { "name", "type", "expected", "found" };
	json_t *rows = json_pack("[{s:s, s:s, s:s, s:s, s:s}]", "name", "parameter",
		"type", "type", "expected", "ABI",
		"found", is_examined ? "DWARF" : point->by_convention ? "location, by convention"
								      : "location",
		"state", "state");

	array_each(const struct explained_parameter, parameter, &point->parameters) {
		const struct parameter_finding *finding = parameter->finding;

		json_array_append_new(rows, json_pack("{s:o, s:o, s:o, s:o, s:s?}",
			"name", json_text(name_of(parameter)), "type", json_text(parameter->type),
			"expected", json_text(*parameter->expected ? parameter->expected : "-"),
			"found", json_text(*parameter->found ? parameter->found : "-"),
			"state", finding ? parameter_state_texts[finding->state].code : NULL));
	}
	/* What is last in a line ends it. */
	for (int i = 0; i < 3 + is_examined; i++)
		json_align(rows, columns[i]);
	return rows;
}

/* Locations that tracefs cannot fetch from are printed after the #. */
static json_t *other_locations(const struct probe_point *point)
{
	struct text text = { 0 };

	array_each(const struct explained_parameter, parameter, &point->parameters) {
		if (parameter->fetched.sign || !*parameter->found)
			continue;
		text_add_clean_in(&text, ", ", name_of(parameter), " in ");
		text_add_clean(&text, parameter->found);
	}
	return json_take(&text);
}

/* What is said of one that is not where it should be, and of its register. */
static void add_finding(json_t *parameter, const struct parameter_finding *finding)
{
	static const char *const uses[] = {
		[USE_UNKNOWN] = "", [USE_READ] = "; its code reads the register",
		[USE_PASSED] = "; its code passes the register on",
		[USE_DEAD] = "; its code does not read the register",
	};

	if (finding && finding->state != PARAMETER_IN_PLACE)
		json_set(parameter, "sentence",
			 json_string(parameter_state_texts[finding->state].sentence));
	if (finding)
		json_set(parameter, "use", json_string(uses[finding->call_sites.use]));
}

static json_t *instance_text(const struct explanation *explanation,
			     const struct probe_point *point, const json_t *instance)
{
	const char *prototype = json_string_value(json_object_get(instance, "prototype"));
	bool is_other = explanation->prototype && prototype &&
			strcmp(explanation->prototype, prototype) != 0;
	json_t *parameters = json_object_get(instance, "parameters");
	size_t count = json_array_size(parameters);
	bool is_examined = count && point->parameters.data[0].finding;

	for (size_t i = 0; i < count; i++)
		add_finding(json_array_get(parameters, i), point->parameters.data[i].finding);
	return json_pack("{s:o, s:s, s:o?, s:O?, s:b, s:o?, s:o, s:o}", "where", where(point),
		"linkage", !point->instance ? "" : point->is_global ? ", global" : ", static",
		"prototype", is_other ? json_text(prototype) : NULL,
		"left", point->true_prototype != point->prototype
				? json_object_get(instance, "true_prototype") : NULL,
		"is_examined", is_examined,
		"table", count ? parameter_table(point, is_examined) : NULL,
		"function", json_text(point->function),
		"others", other_locations(point));
}

static json_t *site_text(const struct explanation *explanation, const struct probe_point *point,
			 const char *refusal)
{
	struct text event = { 0 }, caller = { 0 }, doubt = { 0 };

	explain_add_site_event(&event, explanation, point->number);
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

/* ---- tracepoints ---- */

static json_t *tracepoint_json(const struct tracepoint *tracepoint, bool is_page)
{
	json_t *members = json_array(), *arguments = json_array();
	json_t *object = json_pack("{s:o, s:o, s:o, s:o, s:o, s:I, s:o, s:o}",
		"prototype", json_text(tracepoint->prototype),
		"class", json_text(tracepoint->class_name),
		"system", json_text(tracepoint->system),
		"event", json_answer(tracepoint->event),
		"record", json_text(tracepoint->record),
		"record_bytes", (json_int_t)tracepoint->record_bytes, "members", members,
		"arguments", arguments);

	array_each(const struct tracepoint_argument, argument, &tracepoint->arguments) {
		json_array_append_new(arguments, json_pack("{s:o, s:s}",
			"name", json_known(argument->name),
			"state", argument_states[argument->state.is]));
	}
	array_each(const struct tracepoint_member, member, &tracepoint->members) {
		json_array_append_new(members, json_pack("{s:o, s:o, s:i, s:i, s:o*}",
			"name", json_known(member->name),
			"declaration", json_text(member->declaration),
			"offset_bits", (int)member->offset_bits,
			"size_bits", (int)member->size_bits,
			"offset", is_page ? json_integer(member->offset_bits / 8) : NULL));
	}
	return object;
}

static json_t *hooks_json(const struct explanation *explanation)
{
	json_t *array = json_array();

	array_each(const struct hook, hook, &explanation->hooks) {
		bool is_counted = hook->kind == HOOK_TRACEPOINT || hook->kind == HOOK_CALLEE;

		json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:o, s:o}",
			"kind", hook_kinds[hook->kind], "name", json_text(hook->name),
			"system", json_text(hook->tracepoint ? hook->tracepoint->system : NULL),
			"addresses", json_number(is_counted, hook->points),
			"of", json_number(is_counted, explanation->hook_points)));
	}
	return array;
}

/* ---- all of it ---- */

static json_t *instances_json(const struct explanation *explanation,
			      const struct probe_points *points, size_t most, bool is_page)
{
	json_t *array = json_array();

	for (size_t i = 0; i < points->count && i < most; i++) {
		json_t *instance = instance_json(explanation, &points->data[i]);

		if (is_page)
			json_set(instance, "text",
				 instance_text(explanation, &points->data[i], instance));
		json_array_append_new(array, instance);
	}
	return array;
}

/* Without its namesakes. A page has not all inline sites, and not all addresses without a place. */
static json_t *explanation_json(const struct explanation *explanation, bool is_page)
{
	size_t most = is_page ? EXPLAIN_SITES_SHOWN : SIZE_MAX;
	const struct records *records = explanation->records;
	bool is_known = explanation->has_function &&
			(explanation->reasons || explanation->func == FUNC_PROMISED);
	json_t *sites = json_array(), *advice = json_array();
	json_t *root = json_pack("{s:i, s:o, s:o, s:o, s:b, s:s, s:o, s:o, s:o, s:o, s:o}",
		"version", 1,
		"file", json_text(explanation->path),
		"name", json_text(explanation->name),
		"asked", json_text(explanation->asked),
		"known", 1,
		"answer", explanation->headline,
		"verdict", is_known ? reason_json(reasons_verdict(explanation->reasons))
				    : json_null(),
		"reasons", reasons_json(explanation->reasons),
		"prototype", json_text(explanation->prototype),
		"declared", line_json(&explanation->declared),
		"advice", advice);

	for (size_t i = 0; i < explanation->advice.count; i++)
		json_array_append_new(advice, json_pack("{s:s, s:o}",
			"tool", explanation->advice.data[i].tool,
			"text", json_text(explanation->advice.data[i].text)));
	for (size_t i = 0; i < explanation->sites.count && i < most; i++) {
		const struct probe_point *point = &explanation->sites.data[i];
		const char *refusal = explain_refusal(explanation, point, false);
		json_t *site = site_json(point, refusal);

		if (is_page)
			json_set(site, "text", site_text(explanation, point, refusal));
		json_array_append_new(sites, site);
	}
	json_set(root, "excluded", json_text(explanation->excluded));
	json_set(root, "own_prototype", json_text(explanation->own_prototype));
	json_set(root, "promised", json_boolean(explanation->func == FUNC_PROMISED));
	json_set(root, "entry",
		 json_known(explanation->has_entry ? explanation->entry.where : NULL));
	json_set(root, "symbols", records && records->without_symbols
					  ? json_null() : json_text(records ? records->symbols_path
							    : explanation->program->options->path));
	json_set(root, "sections", records ? sections_json(records) : json_null());
	json_set(root, "instances",
		 instances_json(explanation, &explanation->instances, SIZE_MAX, is_page));
	json_set(root, "inline_sites", sites);
	json_set(root, "unplaced",
		 instances_json(explanation, &explanation->unplaced, most, is_page));
	json_set(root, "kfunc", explanation->kfunc ? json_incref(explanation->kfunc) : json_null());
	json_set(root, "hooks", hooks_json(explanation));
	json_set(root, "tracepoint", !explanation->tracepoint ? json_null()
				     : tracepoint_json(explanation->tracepoint, is_page));
	return root;
}

void explain_print_json(const struct explanation *explanation)
{
	json_t *root = explanation_json(explanation, false), *namesakes = json_array();

	for (size_t i = 0; i < explanation->namesake_count; i++) {
		json_t *namesake = explanation_json(&explanation->namesakes[i], false);

		json_set(namesake, "namesakes", json_array());
		json_array_append_new(namesakes, namesake);
	}
	json_set(root, "namesakes", namesakes);
	json_write(root, JSON_INDENT(2), stdout);
}

/* ---- the page ---- */

/* Notes come last; what has the same tool as the line before it does not repeat it. */
static json_t *advice_lines(const struct explanation *explanation)
{
	json_t *lines = json_array();

	for (int notes = 0; notes < 2; notes++) {
		const char *last = "";

		array_each(const struct advice, advice, &explanation->advice) {
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
		json_t *root = explanation_json(one, true);

		json_set(root, "page", page_json(one));
		template_print(explain_page, root, false, stdout);
	}
}
