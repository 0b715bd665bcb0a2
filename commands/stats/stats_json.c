/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The numbers of `btfenc stats` as JSON. Codes are keys, counts are integers, all is sorted. */
#include <jansson.h>
#include <string.h>

#include "commands/stats/stats.h"

/* There is one out-of-memory path (base/memory.h), so nothing here returns NULL. */
static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

/* Names in a file need not be UTF-8, JSON has to be. */
static json_t *text(const char *bytes, size_t length)
{
	json_t *string = json_stringn(bytes, length);
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

static json_t *text_or_null(const char *string)
{
	return string ? text(string, strlen(string)) : json_null();
}

static json_t *units_object(const struct stats *stats)
{
	const struct worker_counts *units = &stats->report->units;
	json_t *object = json_object();
	json_t *producers = json_array();

	for (size_t i = 0; i < stats->producers.count; i++) {
		const struct producer_count *count = &stats->producers.data[i];
		json_t *row = json_object();

		json_object_set_new(row, "name", count->producer.name_length
			? text(count->producer.text, count->producer.name_length) : json_null());
		json_object_set_new(row, "units", integer(count->units));
		json_array_append_new(producers, row);
	}
	json_object_set_new(object, "read", integer(units->units));
	json_object_set_new(object, "excluded", integer(units->excluded));
	json_object_set_new(object, "unusable", integer(units->unusable));
	json_object_set_new(object, "producers", producers);
	return object;
}

static json_t *promised_object(const struct promised_count *count)
{
	json_t *object = json_object();

	json_object_set_new(object, "names", integer(count->names));
	json_object_set_new(object, "example", text_or_null(count->example));
	json_object_set_new(object, "symbol", text_or_null(count->symbol));
	return object;
}

static json_t *functions_object(const struct stats *stats)
{
	json_t *object = json_object();
	json_t *verdicts = json_object();
	json_t *reasons = json_object();

	for (enum verdict v = VERDICT_OK; v < VERDICT_COUNT; v++) {
		const struct reason_count *count = &stats->reasons[v];
		json_t *reason = json_object();

		json_object_set_new(verdicts, verdict_code(v),
				    integer(stats->program->selection.counts[v]));
		json_object_set_new(reason, "names", integer(count->names));
		json_object_set_new(reason, "only_this", integer(count->alone));
		json_object_set_new(reason, "example", text_or_null(count->example));
		if (v != VERDICT_OK)
			json_object_set_new(reasons, verdict_code(v), reason);
		else
			json_decref(reason);
	}
	json_object_set_new(object, "names", integer(stats->names));
	json_object_set_new(object, "names_with_code", integer(stats->names_with_code));
	json_object_set_new(object, "instances",
			    integer(stats->program->instances.functions.count));
	json_object_set_new(object, "verdicts", verdicts);
	json_object_set_new(object, "reasons", reasons);
	json_object_set_new(object, "ok_renamed", promised_object(&stats->renamed));
	json_object_set_new(object, "ok_init", promised_object(&stats->init));
	return object;
}

static json_t *suffixes_object(const struct stats *stats)
{
	json_t *object = json_object();

	for (int i = 0; i < SUFFIX_COUNT; i++) {
		json_t *row = json_object();

		json_object_set_new(row, "symbols", integer(stats->suffixes[i].symbols));
		json_object_set_new(row, "instances", integer(stats->suffixes[i].instances));
		json_object_set_new(object, i == SUFFIX_NUMBER ? "number"
						  : suffix_text((enum suffix)i) + 1, row);
	}
	return object;
}

static json_t *sites_object(const struct stats *stats)
{
	const struct site_counts *counts = &stats->report->sites.counts;
	json_t *object = json_object(), *places = json_object();

	json_object_set_new(object, "total", integer(counts->sites));
	json_object_set_new(object, "complete", integer(counts->complete));
	json_object_set_new(object, "partial", integer(counts->partial));
	json_object_set_new(object, "empty", integer(counts->empty));
	json_object_set_new(object, "without_parameters", integer(counts->without_parameters));
	json_object_set_new(object, "in_itself", integer(counts->in_itself));
	json_object_set_new(object, "without_code", integer(counts->without_code));
	for (int i = 0; i < PLACE_COUNT; i++)
		json_object_set_new(places, place_code((enum place_kind)i),
				    integer(counts->places[i]));
	json_object_set_new(object, "places", places);
	return object;
}

static json_t *parameters_object(const struct stats *stats)
{
	json_t *object = json_object();

	for (int i = 0; i < PARAMETER_STATE_COUNT; i++)
		json_object_set_new(object, parameter_state_code((enum parameter_state)i),
				    integer(stats->report->units.parameters[i]));
	return object;
}

static json_t *types_object(const struct stats *stats)
{
	json_t *object = json_object();
	json_t *kinds = json_object();
	json_t *dwarf = json_object();

	for (int kind = 1; kind < BTF_CLASSIC_KIND_COUNT; kind++)
		json_object_set_new(kinds, btf_kinds[kind].name,
				    integer(stats->image->kind_counts[kind]));
	for (uint32_t i = 0; i < stats->type_rows; i++) {
		if (stats->types[i].dwarf)
			json_object_set_new(dwarf, stats->types[i].code,
					    integer(stats->types[i].dwarf));
	}
	json_object_set_new(object, "btf", integer(stats->image->type_count));
	json_object_set_new(object, "btf_kinds", kinds);
	json_object_set_new(object, "dwarf", integer(stats->report->dwarf_types));
	json_object_set_new(object, "dwarf_kinds", dwarf);
	json_object_set_new(object, "inexpressible", integer(stats->report->inexpressible));
	return object;
}

static json_t *bytes_object(const struct stats *stats)
{
	json_t *object = json_object();
	json_t *sections = json_object();

	for (size_t i = 0; i < stats->sections.count; i++) {
		const struct debug_section *section = &stats->sections.data[i];
		json_t *other = json_object_get(sections, section->name);

		json_object_set_new(sections, section->name,
				    integer(section->bytes +
					    (uint64_t)json_integer_value(other)));
	}
	json_object_set_new(object, "btf", integer(stats->image->size));
	json_object_set_new(object, "btf_strings", integer(stats->image->string_bytes));
	json_object_set_new(object, "btf_types", integer(stats->image->type_bytes));
	json_object_set_new(object, "dwarf", integer(stats->section_bytes));
	json_object_set_new(object, "dwarf_sections", sections);
	return object;
}

void stats_print_json(const struct stats *stats, FILE *out)
{
	const struct abi *abi = abi_of(&stats->program->object);
	json_t *root;

	json_set_alloc_funcs(memory_alloc, free);
	root = json_object();
	json_object_set_new(root, "file", text_or_null(stats->program->options->path));
	json_object_set_new(root, "machine", text_or_null(abi ? abi->name : NULL));
	json_object_set_new(root, "units", units_object(stats));
	json_object_set_new(root, "functions", functions_object(stats));
	json_object_set_new(root, "suffixes", suffixes_object(stats));
	json_object_set_new(root, "parameters", parameters_object(stats));
	json_object_set_new(root, "inline_sites", sites_object(stats));
	json_object_set_new(root, "types", types_object(stats));
	json_object_set_new(root, "bytes", bytes_object(stats));
	json_dumpf(root, out, JSON_INDENT(2) | JSON_SORT_KEYS);
	fputc('\n', out);
	json_decref(root);
}
