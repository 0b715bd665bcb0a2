/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/stats/stats.h"

#include <string.h>

/* ---- units ---- */

static bool same_producer(const struct producer *a, const struct producer *b)
{
	return a->name_length == b->name_length &&
	       (!a->name_length || memcmp(a->text, b->text, a->name_length) == 0);
}

static int compare_producers(const void *a, const void *b)
{
	const struct producer_count *x = a, *y = b;
	size_t length = x->producer.name_length;
	int order;

	if (x->units != y->units)
		return x->units > y->units ? -1 : 1;
	if (length > y->producer.name_length)
		length = y->producer.name_length;
	order = length ? memcmp(x->producer.text, y->producer.text, length) : 0;
	if (order)
		return order;
	return x->producer.name_length < y->producer.name_length ? -1 : 1;
}

static void add_producer(producer_counts *counts, const struct producer_count *counted)
{
	for (size_t i = 0; i < counts->count; i++) {
		struct producer_count *known = &counts->data[i];

		if (same_producer(&known->producer, &counted->producer)) {
			known->units += counted->units;
			return;
		}
	}
	array_push(counts, *counted);
}

void producers_count(const struct program *program, producer_counts *counts)
{
	for (unsigned int i = 0; i < program->options->jobs; i++) {
		const struct unit_worker *worker = &program->workers[i];

		for (size_t k = 0; k < worker->producers.count; k++)
			add_producer(counts, &worker->producers.data[k]);
	}
	if (counts->count)
		qsort(counts->data, counts->count, sizeof(*counts->data), compare_producers);
}

/* ---- functions ---- */

static const char *name_of(const struct stats *stats, const struct judged_function *judged)
{
	return string_pool_text(&stats->program->pool, judged->name);
}

/*
 * The better example shows the reason alone, and has a name that people know: without underscores
 * in front. The names come sorted, so the first of the best stays.
 */
static void count_reason(struct reason_count *count, bool alone, const char *name)
{
	bool better = !count->example || (alone && !count->alone) ||
		      (alone == (count->alone > 0) && *count->example == '_' && *name != '_');

	count->names++;
	count->alone += alone;
	if (better)
		count->example = name;
}

static int compare_costs(const struct stats *stats, enum verdict a, enum verdict b)
{
	uint32_t x = stats->reasons[a].names, y = stats->reasons[b].names;

	return x != y ? (x > y ? -1 : 1) : (int)a - (int)b;
}

static void count_reasons(struct stats *stats)
{
	const struct selection *selection = &stats->program->selection;

	for (size_t i = 0; i < selection->functions.count; i++) {
		const struct judged_function *judged = &selection->functions.data[i];

		for (reason_set left = judged->reasons; left; left &= left - 1)
			count_reason(&stats->reasons[__builtin_ctz(left)],
				     !(judged->reasons & (judged->reasons - 1)),
				     name_of(stats, judged));
	}
	for (enum verdict v = VERDICT_OK + 1; v < VERDICT_COUNT; v++) {
		uint32_t at = stats->costly_count;

		if (!stats->reasons[v].names || v == VERDICT_INLINED_ONLY)
			continue;
		for (; at && compare_costs(stats, v, stats->costly[at - 1]) < 0; at--)
			stats->costly[at] = stats->costly[at - 1];
		stats->costly[at] = v;
		stats->costly_count++;
	}
}

static void count_promised(struct promised_count *count, const char *name, const char *symbol)
{
	if (!count->names++) {
		count->example = name;
		count->symbol = symbol;
	}
}

static bool is_init_section(const struct object *object, uint32_t section)
{
	return section < object->header_count &&
	       strcmp(object->headers[section].name, ".init.text") == 0;
}

static void count_promises(struct stats *stats)
{
	const struct program *program = stats->program;

	for (size_t i = 0; i < program->selection.functions.count; i++) {
		const struct judged_function *judged = &program->selection.functions.data[i];
		const struct symbol *symbol;

		if (judged->verdict != VERDICT_OK)
			continue;
		symbol = &program->symbols.symbols.data[
			program->instances.functions.data[judged->instance].symbol];
		if (!symbol_is_found_as(symbol, name_of(stats, judged)))
			count_promised(&stats->renamed, name_of(stats, judged), symbol->name);
		if (is_init_section(&program->object, symbol->section))
			count_promised(&stats->init, name_of(stats, judged), symbol->name);
	}
}

/* Symbols of the padding in front of a function (objtool's, and clang's for kCFI). */
static bool is_padding(const char *name)
{
	return strncmp(name, "__pfx_", 6) == 0 || strncmp(name, "__cfi_", 6) == 0;
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

		if (!symbol_is_function(symbol) || !symbol->name[symbol->base_length] ||
		    is_padding(symbol->name))
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

static void add_type_row(struct stats *stats, const char *code, const char *btf, uint64_t dwarf,
			 uint64_t encoded)
{
	if (dwarf || encoded)
		stats->types[stats->type_rows++] = (struct type_row){ code, btf, dwarf, encoded };
}

/* One row for what becomes the same; the rows hold all kinds of both sides. */
static void count_types(struct stats *stats)
{
	const uint64_t *dwarf = stats->report->dwarf_kinds;
	const uint32_t *btf = stats->image->kind_counts;

	add_type_row(stats, "base", "INT, FLOAT", dwarf[DWARF_BASE],
		     (uint64_t)btf[BTF_INT] + btf[BTF_FLOAT]);
	add_type_row(stats, "pointer", "PTR", dwarf[DWARF_POINTER], btf[BTF_PTR]);
	add_type_row(stats, "array", "ARRAY", dwarf[DWARF_ARRAY], btf[BTF_ARRAY]);
	add_type_row(stats, "struct", "STRUCT", dwarf[DWARF_STRUCT], btf[BTF_STRUCT]);
	add_type_row(stats, "union", "UNION", dwarf[DWARF_UNION], btf[BTF_UNION]);
	add_type_row(stats, "enum", "ENUM, ENUM64", dwarf[DWARF_ENUM],
		     (uint64_t)btf[BTF_ENUM] + btf[BTF_ENUM64]);
	add_type_row(stats, "declaration", "FWD", stats->report->dwarf_declarations, btf[BTF_FWD]);
	add_type_row(stats, "typedef", "TYPEDEF", dwarf[DWARF_TYPEDEF], btf[BTF_TYPEDEF]);
	add_type_row(stats, "const", "CONST", dwarf[DWARF_CONST], btf[BTF_CONST]);
	add_type_row(stats, "volatile", "VOLATILE", dwarf[DWARF_VOLATILE], btf[BTF_VOLATILE]);
	add_type_row(stats, "restrict", "RESTRICT", dwarf[DWARF_RESTRICT], btf[BTF_RESTRICT]);
	add_type_row(stats, "atomic", "", dwarf[DWARF_ATOMIC], 0);
	add_type_row(stats, "unspecified", "", dwarf[DWARF_UNSPECIFIED], 0);
	add_type_row(stats, "prototype", "FUNC_PROTO, also those of functions",
		     dwarf[DWARF_SUBROUTINE], btf[BTF_FUNC_PROTO]);
	add_type_row(stats, "function", "FUNC", 0, btf[BTF_FUNC]);
	add_type_row(stats, "variable", "VAR, of each CPU", 0, btf[BTF_VAR]);
	add_type_row(stats, "section", "DATASEC", 0, btf[BTF_DATASEC]);
	add_type_row(stats, "decl-tag", "DECL_TAG", 0, btf[BTF_DECL_TAG]);
	add_type_row(stats, "type-tag", "TYPE_TAG", 0, btf[BTF_TYPE_TAG]);
}

/* ---- sizes ---- */

static int compare_sections(const void *a, const void *b)
{
	const struct debug_section *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
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
		array_push(&stats->sections,
			   ((struct debug_section){ header->name, header->size }));
		stats->section_bytes += header->size;
	}
	if (stats->sections.count)
		qsort(stats->sections.data, stats->sections.count, sizeof(*stats->sections.data),
		      compare_sections);
}

void stats_gather(struct stats *stats, const struct program *program,
		  const struct encode_report *report, const struct btf_image *image)
{
	*stats = (struct stats){ .program = program, .report = report, .image = image };
	stats->names = (uint32_t)program->selection.functions.count;
	stats->names_with_code =
		stats->names - program->selection.counts[VERDICT_INLINED_ONLY];
	producers_count(program, &stats->producers);
	count_reasons(stats);
	count_promises(stats);
	count_suffixes(stats);
	count_types(stats);
	find_sections(stats);
}

void stats_release(struct stats *stats)
{
	array_release(&stats->producers);
	array_release(&stats->sections);
}
