/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The numbers of `btfenc stats` as JSON. Codes are keys, counts are integers, all is sorted. */
#include <jansson.h>
#include <string.h>

#include "commands/stats/stats.h"

/* There is one out-of-memory path (base/memory.h), so nothing here returns NULL. */
#define INTEGER(value) ((json_int_t)(value))

/* Names in a file need not be UTF-8, JSON has to be. NULL: null. */
static json_t *text(const char *bytes, size_t length)
{
	json_t *string = bytes ? json_stringn(bytes, length) : json_null();
	char *copy;

	if (string)
		return string;
	copy = memory_string(bytes, length);
	for (size_t i = 0; i < length; i++)
		copy[i] = copy[i] & '\x80' ? '?' : copy[i];
	string = json_stringn(copy, length);
	free(copy);
	return string;
}

static json_t *name(const char *string)
{
	return text(string, string ? strlen(string) : 0);
}

static json_t *units_object(const struct stats *stats)
{
	const struct worker_counts *units = &stats->report->units;
	json_t *producers = json_array();

	for (size_t i = 0; i < stats->producers.count; i++) {
		const struct producer *producer = &stats->producers.data[i].producer;

		json_array_append_new(producers, json_pack("{s:o, s:I}",
			"name", text(producer->name_length ? producer->text : NULL,
				     producer->name_length),
			"units", INTEGER(stats->producers.data[i].units)));
	}
	return json_pack("{s:I, s:I, s:I, s:o}", "read", INTEGER(units->units),
			 "excluded", INTEGER(units->excluded),
			 "unusable", INTEGER(units->unusable), "producers", producers);
}

static json_t *promised_object(const struct promised_count *count)
{
	return json_pack("{s:I, s:o, s:o}", "names", INTEGER(count->names),
			 "example", name(count->example), "symbol", name(count->symbol));
}

static json_t *functions_object(const struct stats *stats)
{
	json_t *verdicts = json_object(), *reasons = json_object();

	for (enum verdict v = VERDICT_OK; v < VERDICT_COUNT; v++) {
		const struct reason_count *count = &stats->reasons[v];

		json_object_set_new(verdicts, verdict_code(v),
				    json_integer(stats->program->selection.counts[v]));
		if (v == VERDICT_OK)
			continue;
		json_object_set_new(reasons, verdict_code(v), json_pack("{s:I, s:I, s:o}",
			"names", INTEGER(count->names), "only_this", INTEGER(count->alone),
			"example", name(count->example)));
	}
	return json_pack("{s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
		"names", INTEGER(stats->names),
		"names_with_code", INTEGER(stats->names_with_code),
		"instances", INTEGER(stats->program->instances.functions.count),
		"verdicts", verdicts,
		"reasons", reasons,
		"ok_renamed", promised_object(&stats->renamed),
		"ok_init", promised_object(&stats->init));
}

static json_t *suffixes_object(const struct stats *stats)
{
	json_t *object = json_object();

	for (int i = 0; i < SUFFIX_COUNT; i++)
		json_object_set_new(object, i == SUFFIX_NUMBER ? "number"
						  : suffix_text((enum suffix)i) + 1,
			json_pack("{s:I, s:I}", "symbols", INTEGER(stats->suffixes[i].symbols),
				  "instances", INTEGER(stats->suffixes[i].instances)));
	return object;
}

static json_t *parameters_object(const struct stats *stats)
{
	json_t *object = json_object();

	for (int i = 0; i < PARAMETER_STATE_COUNT; i++)
		json_object_set_new(object, parameter_state_code((enum parameter_state)i),
			json_integer(INTEGER(stats->report->units.parameters[i])));
	return object;
}

static json_t *sites_object(const struct stats *stats)
{
	const struct site_counts *counts = &stats->report->sites.counts;
	json_t *places = json_object();

	for (int i = 0; i < PLACE_COUNT; i++)
		json_object_set_new(places, place_code((enum place_kind)i),
				    json_integer(INTEGER(counts->places[i])));
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o}",
		"total", INTEGER(counts->sites),
		"complete", INTEGER(counts->complete),
		"partial", INTEGER(counts->partial),
		"empty", INTEGER(counts->empty),
		"without_parameters", INTEGER(counts->without_parameters),
		"in_itself", INTEGER(counts->in_itself),
		"without_code", INTEGER(counts->without_code),
		"places", places);
}

static json_t *types_object(const struct stats *stats)
{
	json_t *kinds = json_object(), *dwarf = json_object();

	for (int kind = 1; kind < BTF_CLASSIC_KIND_COUNT; kind++)
		json_object_set_new(kinds, btf_kinds[kind].name,
				    json_integer(stats->image->kind_counts[kind]));
	for (uint32_t i = 0; i < stats->type_rows; i++) {
		if (stats->types[i].dwarf)
			json_object_set_new(dwarf, stats->types[i].code,
					    json_integer(INTEGER(stats->types[i].dwarf)));
	}
	return json_pack("{s:I, s:o, s:I, s:o, s:I}",
		"btf", INTEGER(stats->image->type_count),
		"btf_kinds", kinds,
		"dwarf", INTEGER(stats->report->dwarf_types),
		"dwarf_kinds", dwarf,
		"inexpressible", INTEGER(stats->report->inexpressible));
}

static json_t *bytes_object(const struct stats *stats)
{
	json_t *sections = json_object();

	/* Several sections of one name (type units) are added up. */
	for (size_t i = 0; i < stats->sections.count; i++) {
		const struct debug_section *section = &stats->sections.data[i];
		json_t *other = json_object_get(sections, section->name);

		json_object_set_new(sections, section->name,
				    json_integer(INTEGER(section->bytes) +
						 json_integer_value(other)));
	}
	return json_pack("{s:I, s:I, s:I, s:I, s:o}",
		"btf", INTEGER(stats->image->size),
		"btf_strings", INTEGER(stats->image->string_bytes),
		"btf_types", INTEGER(stats->image->type_bytes),
		"dwarf", INTEGER(stats->section_bytes),
		"dwarf_sections", sections);
}

void stats_print_json(const struct stats *stats, FILE *out)
{
	const struct abi *abi = abi_of(&stats->program->object);
	json_t *root;

	json_set_alloc_funcs(memory_alloc, free);
	root = json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}",
		"file", name(stats->program->options->path),
		"machine", name(abi ? abi->name : NULL),
		"units", units_object(stats),
		"functions", functions_object(stats),
		"suffixes", suffixes_object(stats),
		"parameters", parameters_object(stats),
		"inline_sites", sites_object(stats),
		"types", types_object(stats),
		"bytes", bytes_object(stats));
	json_dumpf(root, out, JSON_INDENT(2) | JSON_SORT_KEYS);
	fputc('\n', out);
	json_decref(root);
}
