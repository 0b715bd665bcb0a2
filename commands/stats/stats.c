/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/stats/stats.h"

#include <string.h>

#include "kernel/kernel.h"
#include "kernel/type_source.h"

/* ---- units ---- */

static int compare_names(const void *a, const void *b)
{
	const struct producer_count *p = a, *q = b;
	const struct producer *x = &p->producer, *y = &q->producer;
	size_t length = x->name_length < y->name_length ? x->name_length : y->name_length;
	int order = length ? memcmp(x->text, y->text, length) : 0;

	return order ? order
		     : (x->name_length > y->name_length) - (x->name_length < y->name_length);
}

static int compare_counts(const void *a, const void *b)
{
	const struct producer_count *x = a, *y = b;

	if (x->units != y->units)
		return x->units > y->units ? -1 : 1;
	return compare_names(x, y);
}

void producers_count(const struct program *program, producer_counts *counts)
{
	size_t count = 0;

	for (unsigned int i = 0; i < program->options->jobs; i++) {
		const struct unit_worker *worker = &program->workers[i];

		for (size_t k = 0; k < worker->producers.count; k++)
			array_push(counts, worker->producers.data[k]);
	}
	if (!counts->count)
		return;
	array_sort(counts, compare_names);
	for (size_t i = 1; i < counts->count; i++) {
		if (compare_names(&counts->data[count], &counts->data[i]) == 0)
			counts->data[count].units += counts->data[i].units;
		else
			counts->data[++count] = counts->data[i];
	}
	counts->count = count + 1;
	array_sort(counts, compare_counts);
}

/* ---- functions ---- */

static const char *name_of(const struct stats *stats, const struct judged_function *judged)
{
	return string_pool_text(&stats->program->pool, judged->name);
}

static void count_reasons(struct stats *stats)
{
	const struct selection *selection = &stats->program->selection;

	for (size_t i = 0; i < selection->functions.count; i++) {
		const struct judged_function *judged = &selection->functions.data[i];
		bool alone = !(judged->reasons & (judged->reasons - 1));
		const char *name = name_of(stats, judged);

		if (!selection_is_first(selection, judged))
			continue;
		for (reason_set left = judged->reasons; left; left &= left - 1) {
			struct reason_count *count = &stats->reasons[__builtin_ctz(left)];

			/*
			 * A better example has this reason alone, and a name that people know:
			 * without leading underscores. The names come sorted, so the first of the
			 * best stays.
			 */
			if (!count->example || (alone && !count->alone) ||
			    (alone == (count->alone > 0) && *count->example == '_' && *name != '_'))
				count->example = name;
			count->names++;
			count->alone += alone;
		}
	}
	for (enum verdict v = VERDICT_OK + 1; v < VERDICT_COUNT; v++) {
		uint32_t at = stats->costly_count;

		if (!stats->reasons[v].names || v == VERDICT_INLINED_ONLY)
			continue;
		for (; at && stats->reasons[stats->costly[at - 1]].names < stats->reasons[v].names;
		     at--)
			stats->costly[at] = stats->costly[at - 1];
		stats->costly[at] = v;
		stats->costly_count++;
	}
}

static void count_promise(struct promised_count *count, const char *name,
			  const struct symbol *symbol)
{
	if (count->names++)
		return;
	count->example = name;
	count->symbol = symbol->name;
}

/* What is asked of each promise. */
struct promises {
	struct stats *stats;
	struct type_source types;
	struct attach_image image;
	struct attach_tables tables;
};

static enum fentry_obstacle obstacle_of(const struct promises *promises, const char *name,
					const struct judged_function *judged)
{
	const struct function_instance *instance =
		&promises->stats->program->instances.functions.data[judged->instance];
	struct attach_state state = attach_state_for_fentry(&promises->image, instance->address);
	struct trampoline_view view =
		type_trampoline_view(&promises->types, instance->prototype.word);

	return fentry_obstacle(&promises->image, &state, name, &view);
}

static void count_alias(void *context, const char *name, const struct judged_function *of)
{
	const struct promises *promises = context;

	promises->stats->aliases += obstacle_of(promises, name, of) == FENTRY_OBSTACLE_COUNT;
}

static void count_promises(struct stats *stats)
{
	const struct program *program = stats->program;
	struct type_alignments alignments = { 0 };
	struct promises promises = {
		.stats = stats,
		.types = type_source_of_dwarf(&program->object, &program->table, &program->pool) };

	promises.types.alignments = &alignments;
	attach_image_of_file(&promises.image, &promises.tables, &program->object,
			     &program->symbols, program_base(program));
	if (program_base(program))
		attach_set_kernel(&promises.image, &promises.tables, program_base(program));
	for (size_t i = 0; i < program->selection.functions.count; i++) {
		const struct judged_function *judged = &program->selection.functions.data[i];
		const struct function_instance *instance;
		const char *name = name_of(stats, judged);
		const struct symbol *symbol;
		enum fentry_obstacle obstacle;

		if (judged->verdict != VERDICT_OK)
			continue;
		instance = &program->instances.functions.data[judged->instance];
		symbol = &program->symbols.symbols.data[instance->symbol];
		if (strcmp(symbol->name, name) != 0)
			count_promise(&stats->renamed, name, symbol);
		obstacle = obstacle_of(&promises, name, judged);
		if (obstacle != FENTRY_OBSTACLE_COUNT)
			count_promise(&stats->obstacles[obstacle], name, symbol);
	}
	program_visit_aliases(program, &promises.tables, count_alias, &promises);
	type_alignments_release(&alignments);
	attach_tables_release(&promises.tables);
}

static void count_suffixes(struct stats *stats)
{
	const struct program *program = stats->program;
	const struct symbol_table *symbols = &program->symbols;
	uint32_t *instances = memory_zeroed(symbols->symbols.count, sizeof(*instances));

	for (size_t i = 0; i < program->instances.functions.count; i++) {
		uint32_t symbol = program->instances.functions.data[i].symbol;

		if (symbol != NO_SYMBOL)
			instances[symbol]++;
	}
	for (size_t i = 0; i < symbols->symbols.count; i++) {
		const struct symbol *symbol = &symbols->symbols.data[i];

		/* Padding before a function (objtool's, and clang's for kCFI) does not count. */
		if (!symbol_is_function(symbol) || !symbol->name[symbol->base_length] ||
		    strncmp(symbol->name, "__pfx_", 6) == 0 ||
		    strncmp(symbol->name, "__cfi_", 6) == 0)
			continue;
		for (uint32_t left = symbol_parse(symbol->name).suffixes; left; left &= left - 1) {
			struct suffix_count *count = &stats->suffixes[__builtin_ctz(left)];

			count->symbols++;
			count->instances += instances[i];
		}
	}
	free(instances);
}

/* ---- types ---- */

/* One row for what becomes the same; the rows cover all kinds of both sides. */
static void count_types(struct stats *stats)
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
	_Static_assert(sizeof(rows) / sizeof(*rows) <= TYPE_ROWS_MAX, "rows fit");

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct type_row row = { .code = rows[i].code, .btf = rows[i].btf };

		if (rows[i].dwarf != NO_DWARF)
			row.dwarf = stats->report->dwarf_kinds[rows[i].dwarf];
		else if (rows[i].kinds[0] == BTF_FWD)
			row.dwarf = stats->report->dwarf_declarations;
		for (int k = 0; k < 2; k++)
			row.encoded += rows[i].kinds[k]
					       ? stats->image->kind_counts[rows[i].kinds[k]] : 0;
		if (row.dwarf || row.encoded)
			stats->types[stats->type_rows++] = row;
	}
}

/* ---- sizes ---- */

static int compare_sections(const void *a, const void *b)
{
	const struct section_header *x = *(const struct section_header *const *)a;
	const struct section_header *y = *(const struct section_header *const *)b;

	if (x->size != y->size)
		return x->size > y->size ? -1 : 1;
	return strcmp(x->name, y->name);
}

/* .debug_*, and .zdebug_*: the old way to compress. */
static void find_sections(struct stats *stats)
{
	const struct object *object = &stats->program->object;

	for (size_t i = 0; i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];

		if (!header->name || (strncmp(header->name, ".debug_", 7) != 0 &&
				      strncmp(header->name, ".zdebug_", 8) != 0))
			continue;
		array_push(&stats->sections, header);
		stats->section_bytes += header->size;
	}
	array_sort(&stats->sections, compare_sections);
}

bool stats_gather(struct stats *stats, const struct program *program,
		  const struct encode_report *report, const struct btf_image *image,
		  struct error *err)
{
	*stats = (struct stats){ .program = program, .report = report, .image = image };
	if (!btf_reader_from_memory(&stats->btf, image->data, image->size, program->options->path,
				    program_base(program), err))
		return false;
	for (int i = 0; i < VERDICT_COUNT; i++)
		stats->names += program->selection.counts[i];
	stats->names_with_code =
		stats->names - program->selection.counts[VERDICT_INLINED_ONLY];
	producers_count(program, &stats->producers);
	count_reasons(stats);
	count_promises(stats);
	count_suffixes(stats);
	count_types(stats);
	find_sections(stats);
	return true;
}

void stats_release(struct stats *stats)
{
	array_release(&stats->producers);
	array_release(&stats->sections);
	btf_reader_release(&stats->btf);
}
