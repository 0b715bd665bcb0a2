/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The numbers of `btfenc stats` as JSON, and the page over it. What has rows in the page is counted
 * once for both: a member of the JSON by its code, and a row unless it is 0.
 */
#include "commands/stats/stats.h"

#include <stdlib.h>

#include "base/sort.h"
#include "base/text.h"
#include "commands/print/json.h"
#include "commands/print/template.h"

static void set_count(json_t *object, const char *key, uint64_t count)
{
	json_set(object, key, json_integer(INTEGER(count)));
}

static void add_row(json_t *page, const char *rows, json_t *row)
{
	if (!json_object_get(page, rows))
		json_set(page, rows, json_array());
	json_array_append_new(json_object_get(page, rows), row);
}

/* `rows` may be NULL. */
static void add_count(json_t *object, json_t *page, const char *rows,
		      const struct code_text *what, uint64_t count)
{
	set_count(object, what->code, count);
	if (count && rows)
		add_row(page, rows, json_pack("{s:I, s:o, s:s?}", "count", INTEGER(count),
			"code", json_text(what->code), "text", what->sentence));
}

/* ---- functions ---- */

#define COSTLY_SHOWN 10

static json_t *promised_object(const struct promised_count *count)
{
	return json_pack("{s:I, s:o, s:o}", "names", INTEGER(count->names),
			 "example", json_text(count->example), "symbol", json_text(count->symbol));
}

static json_t *functions_object(const struct stats *stats, json_t *page)
{
	static const char *const obstacles[] = {
#define X(id, code) "ok_" code,
		FENTRY_OBSTACLE_LIST(X)
#undef X
	};
	const uint32_t *counts = stats->program->selection.counts;
	uint32_t obstructed = 0;
	const struct kfunc_list *list = &stats->program->kfuncs;
	json_t *verdicts = json_object(), *reasons = json_object(), *lost = json_array();
	json_t *functions = json_object();

	for (enum verdict v = VERDICT_OK; v < VERDICT_COUNT; v++) {
		const struct reason_count *count = &stats->reasons[v];

		add_count(verdicts, page, v == VERDICT_OK ? NULL :
			  v == VERDICT_INLINED_ONLY ? "inlined_rows" : "verdict_rows",
			  &verdict_texts[v], counts[v]);
		if (v != VERDICT_OK)
			json_set(reasons, verdict_texts[v].code, json_pack("{s:I, s:I, s:o}",
				"names", INTEGER(count->names),
				"only_this", INTEGER(count->alone),
				"example", json_text(count->example)));
	}
	for (uint32_t i = 0; i < stats->costly_count && i < COSTLY_SHOWN; i++) {
		const char *code = verdict_texts[stats->costly[i]].code;
		json_t *row = json_copy(json_object_get(reasons, code));

		json_set(row, "code", json_text(code));
		add_row(page, "costly_rows", row);
	}
	for (size_t i = 0; i < list->kfuncs.count; i++) {
		char *why = program_lost_kfunc(stats->program, &list->kfuncs.data[i]);

		if (why)
			json_array_append_new(lost, json_pack("{s:o, s:o}",
				"name", json_text(list->kfuncs.data[i].name),
				"why", json_text(why)));
		free(why);
	}
	for (int i = 0; i < FENTRY_OBSTACLE_COUNT; i++) {
		json_set(functions, obstacles[i], promised_object(&stats->obstacles[i]));
		obstructed += stats->obstacles[i].names;
	}
	set_count(page, "obstructed", obstructed);
	set_count(page, "attachable", counts[VERDICT_OK] + stats->aliases - obstructed);
	set_count(page, "others", stats->names_with_code - counts[VERDICT_OK]);
	json_object_update_new(functions, json_pack("{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
		"kfuncs", INTEGER(list->kfuncs.count),
		"names", INTEGER(stats->names),
		"names_with_code", INTEGER(stats->names_with_code),
		"instances", INTEGER(stats->program->instances.functions.count),
		"verdicts", verdicts,
		"reasons", reasons,
		"lost_kfuncs", lost,
		"ok_renamed", promised_object(&stats->renamed)));
	return functions;
}

/* ---- symbols and types ---- */

static json_t *suffixes_object(const struct stats *stats, json_t *page)
{
	static const char *const texts[] = {
		[SUFFIX_SAME] = "the whole function as it was written",
		[SUFFIX_CHANGES] = "a clone, which may have another signature",
		[SUFFIX_PIECE] = "a fragment of the function, not its entry",
	};
	json_t *suffixes = json_object();

	for (enum suffix i = 0; i < SUFFIX_COUNT; i++) {
		const struct suffix_count *count = &stats->suffixes[i];
		bool is_number = i == SUFFIX_NUMBER;
		json_t *row = json_pack("{s:I, s:I}", "symbols", INTEGER(count->symbols),
					"instances", INTEGER(count->instances));

		json_set(suffixes, is_number ? "number" : suffix_texts[i] + 1, json_copy(row));
		json_object_update_new(row, json_pack("{s:s, s:s}",
			"code", is_number ? ".NUMBER" : suffix_texts[i],
			"text", texts[suffix_classes[i]]));
		if (count->symbols)
			add_row(page, "suffix_rows", json_incref(row));
		json_decref(row);
	}
	return suffixes;
}

/* One row for what becomes the same; the rows cover all kinds of both sides. */
static json_t *dwarf_kinds_object(const struct stats *stats, json_t *page)
{
	static const struct {
		const char *code, *btf;
		enum dwarf_type_kind dwarf;		/* NO_DWARF: none */
		enum btf_kind kinds[2];
	} rows[] = {
#define NO_DWARF DWARF_KIND_COUNT
		{ "base", "INT, FLOAT", DWARF_BASE, { BTF_INT, BTF_FLOAT } },
		{ "pointer", "PTR", DWARF_POINTER, { BTF_PTR } },
		{ "array", "ARRAY", DWARF_ARRAY, { BTF_ARRAY } },
		{ "struct", "STRUCT", DWARF_STRUCT, { BTF_STRUCT } },
		{ "union", "UNION", DWARF_UNION, { BTF_UNION } },
		{ "enum", "ENUM, ENUM64", DWARF_ENUM, { BTF_ENUM, BTF_ENUM64 } },
		{ "declaration", "FWD", NO_DWARF, { BTF_FWD } },
		{ "typedef", "TYPEDEF", DWARF_TYPEDEF, { BTF_TYPEDEF } },
		{ "const", "CONST", DWARF_CONST, { BTF_CONST } },
		{ "volatile", "VOLATILE", DWARF_VOLATILE, { BTF_VOLATILE } },
		{ "restrict", "RESTRICT", DWARF_RESTRICT, { BTF_RESTRICT } },
		{ "atomic", "", DWARF_ATOMIC, { 0 } },
		{ "unspecified", "", DWARF_UNSPECIFIED, { 0 } },
		{ "bytes", "ARRAY", DWARF_BYTES, { 0 } },
		{ "prototype", "FUNC_PROTO, also those of functions", DWARF_SUBROUTINE,
		  { BTF_FUNC_PROTO } },
		{ "function", "FUNC", NO_DWARF, { BTF_FUNC } },
		{ "variable", "VAR, of each CPU", NO_DWARF, { BTF_VAR } },
		{ "section", "DATASEC", NO_DWARF, { BTF_DATASEC } },
		{ "decl-tag", "DECL_TAG", NO_DWARF, { BTF_DECL_TAG } },
		{ "type-tag", "TYPE_TAG", NO_DWARF, { BTF_TYPE_TAG } },
	};
	json_t *kinds = json_object();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		uint64_t dwarf = rows[i].dwarf != NO_DWARF
					 ? stats->report->dwarf_kinds[rows[i].dwarf]
				 : *rows[i].kinds == BTF_FWD ? stats->report->dwarf_declarations
							     : 0;
		uint64_t encoded = 0;

		for (int k = 0; k < 2 && rows[i].kinds[k]; k++)
			encoded += stats->image->kind_counts[rows[i].kinds[k]];
		if (dwarf)
			set_count(kinds, rows[i].code, dwarf);
		if (dwarf || encoded)
			add_row(page, "type_rows", json_pack("{s:s, s:s, s:o, s:o}",
				"code", rows[i].code, "kinds", rows[i].btf,
				"dwarf", json_number(dwarf, dwarf),
				"encoded", json_number(encoded, encoded)));
	}
	return kinds;
}

static int compare_sections(const void *a, const void *b)
{
	const struct section_header *x = *(const struct section_header *const *)a;
	const struct section_header *y = *(const struct section_header *const *)b;
	int order = order_of(y->size, x->size);

	return order ? order : strcmp(x->name, y->name);
}

/* .debug_*, and .zdebug_*: the old way to compress. Largest first; their sum is in *bytes. */
static json_t *sections_object(const struct object *object, json_t *page, uint64_t *bytes)
{
	ARRAY_OF(const struct section_header *) found = { 0 };
	json_t *sections = json_object();

	for (size_t i = 0; i < object->header_count; i++) {
		const char *name = object->headers[i].name;

		if (name && (text_after(name, ".debug_") || text_after(name, ".zdebug_")))
			array_push(&found, &object->headers[i]);
	}
	array_sort(&found, compare_sections);
	for (size_t i = 0; i < found.count; i++) {
		const struct code_text row = { found.data[i]->name, NULL };
		json_t *other = json_object_get(sections, row.code);
		uint64_t before = (uint64_t)json_integer_value(other);

		add_count(sections, page, "section_rows", &row, found.data[i]->size);
		/* Several sections of one name (type units) are added up. */
		set_count(sections, row.code, before + found.data[i]->size);
		*bytes += found.data[i]->size;
	}
	array_release(&found);
	return sections;
}

/* ---- all of it ---- */

/* Codes are keys, counts are integers. What is only in the page is added to that. */
static json_t *stats_object(const struct stats *stats, json_t *page)
{
	const struct object *object = &stats->program->object;
	const struct abi *abi = abi_of(object);
	const struct encode_report *report = stats->report;
	const struct site_counts *sites = &report->sites.counts;
	const struct btf_image *image = stats->image;
	json_t *parameters = json_object(), *locations = json_object(), *kinds = json_object();
	json_t *compilers = json_array();
	uint64_t section_bytes = 0, parameter_total = 0, location_total = 0;
	json_t *sections = sections_object(object, page, &section_bytes);
	compiler_counts counts = { 0 };

	compilers_count(stats->program, &counts);
	array_each(const struct compiler_count, count, &counts)
		json_array_append_new(compilers, json_pack("{s:o, s:I}", "name",
			json_known(count->name), "units", INTEGER(count->units)));
	compilers_release(&counts);
	for (int i = 0; i < PARAMETER_STATE_COUNT; i++) {
		add_count(parameters, page, "parameter_rows", &parameter_state_texts[i],
			  report->units.parameters[i]);
		parameter_total += report->units.parameters[i];
	}
	for (int i = 0; i < LOC_PARAM_COUNT; i++) {
		add_count(locations, page, "location_rows", &loc_param_texts[i],
			  sites->locations[i]);
		location_total += sites->locations[i];
	}
	set_count(page, "parameter_total", parameter_total);
	set_count(page, "location_total", location_total);
	for (int kind = 1; kind < BTF_CLASSIC_KIND_COUNT; kind++)
		set_count(kinds, btf_kinds[kind].name, image->kind_counts[kind]);
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
		"producers", compilers,
		"functions", functions_object(stats, page),
		"suffixes", suffixes_object(stats, page),
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
		"dwarf_kinds", dwarf_kinds_object(stats, page),
		"inexpressible", INTEGER(report->inexpressible),
		"bytes",
		"btf", INTEGER(image->size),
		"btf_strings", INTEGER(image->string_bytes),
		"btf_types", INTEGER(image->type_bytes),
		"dwarf", INTEGER(section_bytes),
		"dwarf_sections", sections,
		"sizes", btf_sizes(&stats->btf));
}

/* Has the keys of stats_object(): what only DWARF tells is null. */
static json_t *alone_object(const struct btf_reader *btf)
{
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

EMBED(stats_page, "commands/stats/stats_page.txt");
EMBED(sizes_page, "commands/stats/sizes_page.txt");

void stats_print(const struct stats *stats, bool as_json, bool colour)
{
	const struct object *object = &stats->program->object;
	json_t *page = json_object(), *json = stats_object(stats, page);
	struct text quoted = { 0 };

	if (as_json) {
		json_decref(page);
		json_write(json, JSON_INDENT(2) | JSON_SORT_KEYS, stdout);
		return;
	}
	text_add_quoted(&quoted, stats->program->options->path);
	json_object_update_new(page, json_pack("{s:i, s:s, s:s, s:I, s:o}",
		"bits", object->address_bytes * 8, "endian", object->big_endian ? "big" : "little",
		"ok_text", verdict_texts[VERDICT_OK].sentence,
		"aliases", INTEGER(stats->aliases), "quoted", json_take(&quoted)));
	json_object_update_new(page, json);
	template_print(stats_page, json_incref(page), colour, stdout);
	template_print(sizes_page, page, colour, stdout);
}

void stats_print_alone(const struct btf_reader *btf, bool as_json, bool colour)
{
	json_t *object = alone_object(btf);

	if (as_json) {
		json_write(object, JSON_INDENT(2) | JSON_SORT_KEYS, stdout);
		return;
	}
	json_set(object, "alone", json_true());
	template_print(sizes_page, object, colour, stdout);
}
