/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The numbers of `btfenc stats` as JSON, and the page that is made of it. */
#include "commands/stats/stats.h"

#include <stdlib.h>

#include "base/text.h"
#include "commands/print/json.h"
#include "commands/print/template.h"
#include "commands/stats/btf_sizes.h"

static json_t *promised_object(const struct promised_count *count)
{
	return json_pack("{s:I, s:o, s:o}", "names", INTEGER(count->names),
			 "example", json_text(count->example), "symbol", json_text(count->symbol));
}

static json_t *functions_object(const struct stats *stats)
{
	static const char *const obstacles[] = {
#define X(id, code, sentence) "ok_" code,
		FENTRY_OBSTACLE_LIST(X)
#undef X
	};
	const struct kfunc_list *list = &stats->program->kfuncs;
	json_t *verdicts = json_object(), *reasons = json_object(), *lost = json_array();
	json_t *functions;

	for (enum verdict v = VERDICT_OK; v < VERDICT_COUNT; v++) {
		const struct reason_count *count = &stats->reasons[v];

		json_object_set_new(verdicts, verdict_texts[v].code,
				    json_integer(stats->program->selection.counts[v]));
		if (v == VERDICT_OK)
			continue;
		json_object_set_new(reasons, verdict_texts[v].code, json_pack("{s:I, s:I, s:o}",
			"names", INTEGER(count->names), "only_this", INTEGER(count->alone),
			"example", json_text(count->example)));
	}
	for (size_t i = 0; i < list->kfuncs.count; i++) {
		char *why = program_lost_kfunc(stats->program, &list->kfuncs.data[i]);

		if (why)
			json_array_append_new(lost, json_pack("{s:o, s:o}",
				"name", json_text(list->kfuncs.data[i].name),
				"why", json_text(why)));
		free(why);
	}
	functions = json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
		"kfuncs", INTEGER(list->kfuncs.count),
		"names", INTEGER(stats->names),
		"names_with_code", INTEGER(stats->names_with_code),
		"instances", INTEGER(stats->program->instances.functions.count),
		"verdicts", verdicts,
		"reasons", reasons,
		"lost_kfuncs", lost,
		"ok_renamed", promised_object(&stats->renamed));
	for (int i = 0; i < FENTRY_OBSTACLE_COUNT; i++)
		json_object_set_new(functions, obstacles[i],
				    promised_object(&stats->obstacles[i]));
	return functions;
}

static void set_count(json_t *object, const char *key, uint64_t count)
{
	json_object_set_new(object, key, json_integer(INTEGER(count)));
}

/* Codes are keys, counts are integers. */
static json_t *stats_object(const struct stats *stats)
{
	const struct abi *abi = abi_of(&stats->program->object);
	const struct encode_report *report = stats->report;
	const struct site_counts *sites = &report->sites.counts;
	const struct btf_image *image = stats->image;
	json_t *producers, *suffixes, *parameters, *locations, *kinds, *dwarf, *sections;

	json_set_alloc_funcs(memory_alloc, free);
	producers = json_array();
	for (size_t i = 0; i < stats->producers.count; i++) {
		const struct producer *producer = &stats->producers.data[i].producer;

		json_array_append_new(producers, json_pack("{s:o, s:I}",
			"name", json_text_bytes(producer->name_length ? producer->text : NULL,
				     producer->name_length),
			"units", INTEGER(stats->producers.data[i].units)));
	}
	suffixes = json_object();
	for (int i = 0; i < SUFFIX_COUNT; i++)
		json_object_set_new(suffixes, i == SUFFIX_NUMBER ? "number"
						  : suffix_text((enum suffix)i) + 1,
			json_pack("{s:I, s:I}", "symbols", INTEGER(stats->suffixes[i].symbols),
				  "instances", INTEGER(stats->suffixes[i].instances)));
	parameters = json_object();
	for (int i = 0; i < PARAMETER_STATE_COUNT; i++)
		set_count(parameters, parameter_state_texts[i].code,
			  report->units.parameters[i]);
	locations = json_object();
	for (int i = 0; i < LOC_PARAM_COUNT; i++)
		set_count(locations, loc_param_texts[i].code, sites->locations[i]);
	kinds = json_object();
	for (int kind = 1; kind < BTF_CLASSIC_KIND_COUNT; kind++)
		set_count(kinds, btf_kinds[kind].name, image->kind_counts[kind]);
	dwarf = json_object();
	for (uint32_t i = 0; i < stats->type_rows; i++) {
		if (stats->types[i].dwarf)
			set_count(dwarf, stats->types[i].code, stats->types[i].dwarf);
	}
	/* Several sections of one name (type units) are added up. */
	sections = json_object();
	for (size_t i = 0; i < stats->sections.count; i++) {
		const struct section_header *section = stats->sections.data[i];
		json_t *other = json_object_get(sections, section->name);

		set_count(sections, section->name,
			  section->size + (uint64_t)json_integer_value(other));
	}
	return json_pack("{s:i, s:o, s:o, s:{s:I, s:I, s:I, s:o}, s:o, s:o, s:o,"
			 " s:{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o},"
			 " s:{s:I, s:o, s:I, s:o, s:I}, s:{s:I, s:I, s:I, s:I, s:o}, s:o}",
		"version", 1,
		"file", json_text(stats->program->options->path),
		"machine", json_text(abi ? abi->name : NULL),
		"units",
		"read", INTEGER(report->units.units),
		"excluded", INTEGER(report->units.excluded),
		"unusable", INTEGER(report->units.unusable),
		"producers", producers,
		"functions", functions_object(stats),
		"suffixes", suffixes,
		"parameters", parameters,
		"inline_sites",
		"total", INTEGER(sites->sites),
		"complete", INTEGER(sites->complete),
		"partial", INTEGER(sites->partial),
		"empty", INTEGER(sites->empty),
		"without_parameters", INTEGER(sites->without_parameters),
		"in_itself", INTEGER(sites->in_itself),
		"without_code", INTEGER(sites->without_code),
		"places", locations,
		"types",
		"btf", INTEGER(image->type_count),
		"btf_kinds", kinds,
		"dwarf", INTEGER(report->dwarf_types),
		"dwarf_kinds", dwarf,
		"inexpressible", INTEGER(report->inexpressible),
		"bytes",
		"btf", INTEGER(image->size),
		"btf_strings", INTEGER(image->string_bytes),
		"btf_types", INTEGER(image->type_bytes),
		"dwarf", INTEGER(stats->section_bytes),
		"dwarf_sections", sections,
		"sizes", btf_sizes(&stats->btf));
}

void stats_print_json(const struct stats *stats)
{
	json_write(stats_object(stats), JSON_INDENT(2) | JSON_SORT_KEYS, stdout);
}

/* Has the keys of stats_object(): what only DWARF tells is null. */
static json_t *alone_object(const struct btf_reader *btf)
{
	json_set_alloc_funcs(memory_alloc, free);
	return json_pack("{s:i, s:o, s:n, s:n, s:n, s:n, s:n, s:n, s:{s:I, s:n, s:n, s:n, s:n},"
			 " s:{s:I, s:I, s:I, s:n, s:n}, s:o}",
		"version", 1,
		"file", json_text(btf->name),
		"machine", "units", "functions", "suffixes", "parameters", "inline_sites",
		"types",
		"btf", INTEGER(btf->type_count),
		"btf_kinds", "dwarf", "dwarf_kinds", "inexpressible",
		"bytes",
		"btf", INTEGER(btf->data_bytes),
		"btf_strings", INTEGER(btf->header.string_bytes),
		"btf_types", INTEGER(btf->header.type_bytes),
		"dwarf", "dwarf_sections",
		"sizes", btf_sizes(btf));
}

void stats_print_alone_json(const struct btf_reader *btf)
{
	json_write(alone_object(btf), JSON_INDENT(2) | JSON_SORT_KEYS, stdout);
}

/* ---- the page ---- */

#define COSTLY_SHOWN 10

EMBED(stats_page, "commands/stats/stats_page.txt");
EMBED(sizes_page, "commands/stats/sizes_page.txt");

/* Nothing for 0. */
static void add_row(json_t *page, const char *rows, uint64_t count, const char *code,
		    const char *text)
{
	if (count)
		json_array_append_new(json_object_get(page, rows), json_pack("{s:I, s:o, s:o}",
			"count", INTEGER(count), "code", json_text(code), "text", json_text(text)));
}

static void add_functions(json_t *page, const struct stats *stats)
{
	static const char *const sentences[] = {
#define X(id, code, sentence) sentence,
		FENTRY_OBSTACLE_LIST(X)
#undef X
	};
	const uint32_t *counts = stats->program->selection.counts;
	uint32_t attachable = counts[VERDICT_OK] + stats->aliases;

	for (enum verdict v = VERDICT_OK + 1; v < VERDICT_COUNT; v++)
		add_row(page, v == VERDICT_INLINED_ONLY ? "inlined_rows" : "verdict_rows",
			counts[v], verdict_texts[v].code, verdict_texts[v].sentence);
	for (uint32_t i = 0; i < stats->costly_count && i < COSTLY_SHOWN; i++) {
		const struct reason_count *count = &stats->reasons[stats->costly[i]];

		json_array_append_new(json_object_get(page, "costly_rows"),
			json_pack("{s:I, s:I, s:s, s:o}", "names", INTEGER(count->names),
				  "only_this", INTEGER(count->alone),
				  "code", verdict_texts[stats->costly[i]].code,
				  "example", json_text(count->example)));
	}
	for (int i = 0; i < FENTRY_OBSTACLE_COUNT; i++) {
		add_row(page, "obstacle_rows", stats->obstacles[i].names, NULL, sentences[i]);
		attachable -= stats->obstacles[i].names;
	}
	set_count(page, "attachable", attachable);
	set_count(page, "others", stats->names_with_code - counts[VERDICT_OK]);
}

static void add_suffixes(json_t *page, const struct stats *stats)
{
	static const char *const texts[] = {
		[SUFFIX_SAME] = "the whole function as it was written",
		[SUFFIX_CHANGES] = "a clone, which may have another signature",
		[SUFFIX_PIECE] = "a fragment of the function, not its entry",
	};
	static const enum suffix_class classes[SUFFIX_COUNT] = {
#define X(id, text, class) [SUFFIX_##id] = class,
		SUFFIX_LIST(X)
#undef X
	};

	for (enum suffix i = 0; i < SUFFIX_COUNT; i++) {
		const struct suffix_count *count = &stats->suffixes[i];
		const char *code = i == SUFFIX_NUMBER ? ".NUMBER" : suffix_text(i);

		if (count->symbols)
			json_array_append_new(json_object_get(page, "suffix_rows"),
				json_pack("{s:I, s:I, s:s, s:s}",
					  "symbols", INTEGER(count->symbols),
					  "instances", INTEGER(count->instances), "code", code,
					  "text", texts[classes[i]]));
	}
}

static void add_others(json_t *page, const struct stats *stats)
{
	const uint64_t *parameters = stats->report->units.parameters;
	const struct site_counts *sites = &stats->report->sites.counts;
	uint64_t parameter_total = 0, location_total = 0;

	for (int i = 0; i < PARAMETER_STATE_COUNT; i++) {
		add_row(page, "parameter_rows", parameters[i], parameter_state_texts[i].code,
			parameter_state_texts[i].sentence);
		parameter_total += parameters[i];
	}
	for (int i = 0; i < LOC_PARAM_COUNT; i++) {
		add_row(page, "location_rows", sites->locations[i], loc_param_texts[i].code,
			loc_param_texts[i].sentence);
		location_total += sites->locations[i];
	}
	set_count(page, "parameter_total", parameter_total);
	set_count(page, "location_total", location_total);
	for (uint32_t i = 0; i < stats->type_rows; i++) {
		const struct type_row *row = &stats->types[i];

		json_array_append_new(json_object_get(page, "type_rows"),
			json_pack("{s:s, s:s, s:o, s:o}", "code", row->code, "kinds", row->btf,
				  "dwarf", row->dwarf ? json_integer(INTEGER(row->dwarf))
						      : json_null(),
				  "encoded", row->encoded ? json_integer(INTEGER(row->encoded))
							  : json_null()));
	}
	for (size_t i = 0; i < stats->sections.count; i++)
		add_row(page, "section_rows", stats->sections.data[i]->size,
			stats->sections.data[i]->name, NULL);
}

void stats_print_page(const struct stats *stats, bool colour)
{
	static const char *const lists[] = {
		"verdict_rows", "inlined_rows", "costly_rows", "obstacle_rows", "suffix_rows",
		"parameter_rows", "location_rows", "type_rows", "section_rows" };
	const struct object *object = &stats->program->object;
	const struct abi *abi = abi_of(object);
	json_t *page = stats_object(stats);
	struct text quoted = { 0 };
	char *path;

	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		json_object_set_new(page, lists[i], json_array());
	text_add_quoted(&quoted, stats->program->options->path);
	path = text_finish(&quoted);
	json_object_update_new(page, json_pack("{s:s, s:i, s:s, s:s, s:I, s:o}",
		"machine_text", abi ? abi->name
				    : "a machine whose calling convention btfenc does not know",
		"bits", object->address_bytes * 8, "endian", object->big_endian ? "big" : "little",
		"ok_text", verdict_texts[VERDICT_OK].sentence,
		"aliases", INTEGER(stats->aliases), "quoted", json_text(path)));
	free(path);
	add_functions(page, stats);
	add_suffixes(page, stats);
	add_others(page, stats);
	template_print(stats_page, json_incref(page), colour, stdout);
	template_print(sizes_page, page, colour, stdout);
}

void stats_print_alone(const struct btf_reader *btf, bool colour)
{
	json_t *page = alone_object(btf);

	json_object_set_new(page, "alone", json_true());
	template_print(sizes_page, page, colour, stdout);
}
