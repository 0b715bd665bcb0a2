/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: tool_explain [-v] FILE BTF [MAP]
 *
 * explain's answers for all functions of FILE by its DWARF, against its answers by records: those
 * in an ELF file BTF, or in raw BTF and its BTF.extra, with a list of symbols. For each
 * instance and inline site the parameters, their types and their probe arguments must be the same,
 * or absent in both. Places are compared as sets of (section, offset, function, arguments): records
 * do not repeat what is equal.
 *
 * Omissions of records by design are counted: code without a symbol, names that BTF cannot hold.
 * Code without a symbol of its function's name has another one's there.
 *
 *	-v	every difference, not the first 20
 *
 * Exit status: 0 no difference, 1 some, 3 a file cannot be read.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "commands/explain/explain.h"
#include "commands/explain/explain_argument.h"
#include "commands/explain/explain_dwarf.h"

#define MAX_DIFFERENCES 20

/* A line per probe point, and what they are made of. */
struct side {
	ARRAY_OF(char *) lines;
	uint64_t instances, sites, parameters, arguments;
	uint64_t left_out;
};

static int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Its name in records: the first symbol there if none has its name. NULL: they have none. */
static const char *name_of(const struct explanation *explanation,
			   const struct probe_point *point)
{
	const struct symbol_table *symbols = explanation->image.symbols;
	const char *name = point->function;

	if (point->instance && !point->symbol) {
		name = NULL;
		for (size_t i = symbol_table_at(symbols, point->address);
		     !name && i < symbols->symbols.count &&
		     symbols->symbols.data[i].address == point->address; i++)
			name = symbol_is_function(&symbols->symbols.data[i])
				       ? symbols->symbols.data[i].name : NULL;
	}
	return name && btf_is_identifier(name) ? name : NULL;
}

static void take_point(struct side *side, const struct probe_point *point, const char *name)
{
	struct text text = { 0 }, *out = &text;

	text_add_format(out, "%s+0x%" PRIx64 " %s(", point->section, point->section_offset, name);
	for (size_t i = 0; i < point->parameters.count; i++) {
		const struct explained_parameter *parameter = &point->parameters.data[i];

		text_add_format(out, "%s%s %s: %s", i ? ", " : "", parameter->type, parameter->name,
				parameter->fetched.sign ? "" : "-");
		explain_add_parameter_fetch(out, parameter, i, ' ');
		side->parameters++;
		side->arguments += parameter->fetched.sign != '\0';
	}
	text_add_string(out, ")");
	array_push(&side->lines, text_finish(&text));
}

static void take_points(struct side *side, const struct explanation *explanation,
			struct probe_points *list, uint64_t *count)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct probe_point *point = &list->data[i];
		const char *name = name_of(explanation, point);

		++*count;
		if (name)
			take_point(side, point, name);
		else
			side->left_out++;
	}
	probe_points_release(list);
}

static void take_all(struct side *side, struct explanation *explanation)
{
	take_points(side, explanation, &explanation->instances, &side->instances);
	take_points(side, explanation, &explanation->sites, &side->sites);
	take_points(side, explanation, &explanation->unplaced, &side->sites);
}

static bool read_dwarf(struct side *side, const char *path, struct error *err)
{
	struct kernel_options options = {
		.encode = { .jobs = workers_by_default(), .examine_clones = true },
		.records.path = path };
	struct kernel kernel;
	const struct program *program = &kernel.opened;
	struct explanation explanation;

	encode_options_default(&options.encode);
	options.encode.features.feature_func_secinfo = true;
	options.encode.features.func_secinfo_inline = true;
	options.encode.features.feature_true_signature = true;
	if (!kernel_open(&kernel, &options, err)) {
		kernel_close(&kernel);
		return false;
	}
	explanation_begin(&explanation, &kernel, "", &(struct asked){ .name = (char *)"" });
	/* It is for one name, and these are all. */
	explanation.own_room = SIZE_MAX;
	for (size_t i = 0; i < program->instances.functions.count; i++) {
		explain_dwarf_instance(&explanation, &program->instances.functions.data[i]);
		take_all(side, &explanation);
	}
	for (size_t i = 0; i < program->sites.fragments.count; i++) {
		explain_dwarf_fragment(&explanation, &program->sites.fragments.data[i]);
		take_all(side, &explanation);
	}
	for (size_t i = 0; i < program->sites.sites.count; i++) {
		explain_dwarf_site(&explanation, i);
		take_all(side, &explanation);
	}
	explanation_release(&explanation);
	kernel_close(&kernel);
	return true;
}

static bool read_records(struct side *side, const char *path, const char *map, struct error *err)
{
	const struct kernel_options options = {
		.records = { .path = path, .symbols = map, .records_only = true } };
	struct explanation explanation;
	struct kernel kernel;

	if (!kernel_open(&kernel, &options, err)) {
		kernel_close(&kernel);
		return false;
	}
	explanation_begin(&explanation, &kernel, "", &(struct asked){ .name = (char *)"" });
	explanation.own_room = SIZE_MAX;
	for (size_t i = 0; i < kernel.records->entries.count; i++) {
		explain_records_site(&explanation, &kernel.records->entries.data[i], false);
		take_all(side, &explanation);
	}
	explanation_release(&explanation);
	kernel_close(&kernel);
	return true;
}

static size_t make_unique(struct side *side)
{
	size_t kept = 0;

	if (side->lines.count)
		qsort(side->lines.data, side->lines.count, sizeof(char *), compare_lines);
	for (size_t i = 0; i < side->lines.count; i++) {
		if (kept && strcmp(side->lines.data[kept - 1], side->lines.data[i]) == 0)
			free(side->lines.data[i]);
		else
			side->lines.data[kept++] = side->lines.data[i];
	}
	side->lines.count = kept;
	return kept;
}

/* Counts the lines that only one side has. */
static uint64_t compare_sides(const struct side *dwarf, const struct side *records, bool all)
{
	uint64_t differences = 0;

	for (size_t d = 0, r = 0; d < dwarf->lines.count || r < records->lines.count;) {
		const char *mine = d < dwarf->lines.count ? dwarf->lines.data[d] : NULL;
		const char *other = r < records->lines.count ? records->lines.data[r] : NULL;
		int order = !mine ? 1 : !other ? -1 : strcmp(mine, other);

		d += order <= 0;
		r += order >= 0;
		if (order && (differences++ < MAX_DIFFERENCES || all))
			printf("only by %s: %s\n", order < 0 ? "DWARF" : "records",
			       order < 0 ? mine : other);
	}
	return differences;
}

static void release(struct side *side)
{
	for (size_t i = 0; i < side->lines.count; i++)
		free(side->lines.data[i]);
	array_release(&side->lines);
}

int main(int argc, char **argv)
{
	struct side dwarf = { 0 }, records = { 0 };
	bool all = argc > 1 && strcmp(argv[1], "-v") == 0;
	uint64_t differences;
	struct error err;

	if (argc != 3 + all && argc != 4 + all) {
		fprintf(stderr, "usage: tool_explain [-v] FILE BTF [MAP]\n");
		return 2;
	}
	argv += all;
	if (!read_dwarf(&dwarf, argv[1], &err) || !read_records(&records, argv[2], argv[3], &err)) {
		fprintf(stderr, "tool_explain: %s\n", err.text);
		return 3;
	}
	make_unique(&dwarf);
	make_unique(&records);
	differences = compare_sides(&dwarf, &records, all);
	printf("%" PRIu64 " instances, %" PRIu64 " inline sites, %" PRIu64 " of %" PRIu64
	       " parameters can be fetched; %" PRIu64 " without a name; %" PRIu64
	       " differences\n", dwarf.instances, dwarf.sites, dwarf.arguments, dwarf.parameters,
	       dwarf.left_out, differences);
	release(&dwarf);
	release(&records);
	return differences || !dwarf.arguments;
}
