/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The numbers of `btfenc stats` as JSON. Codes are keys, counts are integers, all is sorted. */
#include "commands/stats/stats.h"

#include "commands/print/json.h"

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

void stats_print_json(const struct stats *stats)
{
	const struct abi *abi = abi_of(&stats->program->object);
	const struct encode_report *report = stats->report;
	const struct site_counts *sites = &report->sites.counts;
	const struct btf_image *image = stats->image;
	json_t *root, *producers, *suffixes, *parameters, *locations, *kinds, *dwarf, *sections;

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
	root = json_pack("{s:i, s:o, s:o, s:{s:I, s:I, s:I, s:o}, s:o, s:o, s:o,"
			 " s:{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o},"
			 " s:{s:I, s:o, s:I, s:o, s:I}, s:{s:I, s:I, s:I, s:I, s:o}}",
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
		"dwarf_sections", sections);
	json_write(root, JSON_INDENT(2) | JSON_SORT_KEYS, stdout);
}
