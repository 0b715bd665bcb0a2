/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/stats/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "kernel/kernel.h"
#include "kernel/type_source.h"

/* ---- units ---- */

static int compare_counts(const void *a, const void *b)
{
	const struct compiler_count *x = a, *y = b;
	int order = order_of(y->units, x->units);

	return order ? order : strcmp(x->name, y->name);
}

void compilers_count(const struct program *program, compiler_counts *counts)
{
	size_t count = 0;

	for (unsigned int i = 0; i < program->options->jobs; i++) {
		array_each(const struct producer_count, made, &program->workers[i].producers)
			array_push(counts, ((struct compiler_count){
				memory_string(made->producer.text ? made->producer.text : "",
					      made->producer.name_length), made->units }));
	}
	array_sort(counts, compare_strings);
	for (size_t i = 0; i < counts->count; i++) {
		struct compiler_count *last = &counts->data[count ? count - 1 : 0];

		if (!count || strcmp(last->name, counts->data[i].name) != 0) {
			counts->data[count++] = counts->data[i];
			continue;
		}
		last->units += counts->data[i].units;
		free(counts->data[i].name);
	}
	counts->count = count;
	array_sort(counts, compare_counts);
}

void compilers_release(compiler_counts *counts)
{
	array_each(struct compiler_count, count, counts)
		free(count->name);
	array_release(counts);
}

/* ---- functions ---- */

static const char *name_of(const struct stats *stats, const struct judged_function *judged)
{
	return string_pool_text(&stats->program->pool, judged->name);
}

static void count_reasons(struct stats *stats)
{
	const struct selection *selection = &stats->program->selection;

	array_each(const struct judged_function, judged, &selection->functions) {
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
	struct attach_state state =
		attach_state_of_entry(&promises->image, instance->address, true);
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
	struct promises promises = { .stats = stats, .types = type_source_of_program(program) };

	promises.types.alignments = &alignments;
	attach_image_of_file(&promises.image, &promises.tables, &program->object,
			     &program->symbols, program_base(program));
	if (program_base(program))
		attach_set_kernel(&promises.image, &promises.tables, program_base(program));
	array_each(const struct judged_function, judged, &program->selection.functions) {
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
	array_release(&alignments.records);
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
	count_reasons(stats);
	count_promises(stats);
	count_suffixes(stats);
	return true;
}
