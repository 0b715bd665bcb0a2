/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The pass of encode that reads: all workers take batches of groups of units until none is left. */
#include <stdatomic.h>

#include "base/progress.h"
#include "base/sort.h"
#include "base/workers.h"
#include "encoder/passes.h"

/*
 * A batch is a run of groups. Giving its pages back makes every core forget its translations, so
 * batches are large (2 MB instead of 512 KB: 6% of the time at -j2), but smaller towards the end,
 * so that all workers end together, and so that small files, too, are shared by all.
 */
#define MAX_BATCH_BYTES (2048u * 1024)
#define MIN_BATCH_BYTES (16u * 1024)

struct reading {
	struct program *program;
	ARRAY_OF(uint32_t) batches;	/* first group of each, and the end */
	_Atomic uint32_t next;
	_Atomic bool wants_groups;	/* a unit may refer to another one */
};

static void make_batches(struct reading *reading)
{
	const struct unit_groups *groups = &reading->program->groups;
	uint64_t left = 0, batch = 0;

	for (uint32_t g = 0; g < groups->groups.count; g++)
		left += groups->groups.data[g].bytes;
	array_push(&reading->batches, 0);
	for (uint32_t g = 0; g < groups->groups.count; g++) {
		uint64_t bytes = left / 4 / reading->program->options->jobs;

		if (bytes > MAX_BATCH_BYTES)
			bytes = MAX_BATCH_BYTES;
		if (bytes < MIN_BATCH_BYTES)
			bytes = MIN_BATCH_BYTES;
		batch += groups->groups.data[g].bytes;
		if (batch < bytes && g + 1 < groups->groups.count)
			continue;
		array_push(&reading->batches, g + 1);
		left -= batch;
		batch = 0;
	}
}

/* Around a missing page the kernel maps all that it has in memory, this many bytes. */
#define FAULT_BYTES (64u * 1024)

static void forget_run(const struct program *program, uint64_t begin, uint64_t end)
{
	if (begin < end)
		object_forget(&program->object, SECTION_INFO,
			      begin < FAULT_BYTES ? 0 : begin - FAULT_BYTES, end);
}

/*
 * Gives back the pages of the DIEs of the groups' own units and of their location lists. The first
 * DIEs of a run of units have brought back pages of those before them.
 */
static void give_back(const struct program *program, struct unit_worker *worker, uint32_t first,
		      uint32_t end)
{
	struct address_range *lists = &worker->evidence.lists;
	const struct unit_group *groups = program->groups.groups.data;
	const struct group_member *member = program->groups.members.data + groups[first].first;
	const struct group_member *last = program->groups.members.data + groups[end - 1].first +
					  groups[end - 1].count;
	uint64_t run_begin = 0, run_end = 0;

	for (; member < last; member++) {
		const struct unit *unit = &program->units.data[member->unit];

		if (member->is_borrowed)
			continue;
		if (unit->offset != run_end) {
			forget_run(program, run_begin, run_end);
			run_begin = unit->offset;
		}
		run_end = unit->end;
	}
	forget_run(program, run_begin, run_end);
	if (lists->begin < lists->end) {
		object_forget(&program->object, SECTION_LOC, lists->begin, lists->end);
		object_forget(&program->object, SECTION_LOCLISTS, lists->begin, lists->end);
	}
	*lists = (struct address_range){ UINT64_MAX, 0 };
}

/* Batches are handed out in order: that keeps each worker's groups ascending. */
static void read_batches(void *context, unsigned int number)
{
	struct reading *reading = context;
	const struct program *program = reading->program;
	struct unit_worker *worker = &program->workers[number];
	uint32_t batch;

	while (!atomic_load_explicit(&reading->wants_groups, memory_order_relaxed) &&
	       (batch = atomic_fetch_add(&reading->next, 1)) + 1 < reading->batches.count) {
		uint32_t first = reading->batches.data[batch];
		uint32_t end = reading->batches.data[batch + 1];

		workers_start_more();
		for (uint32_t group = first; group < end; group++) {
			if (!program->left_out[group])
				unit_worker_take(worker, (struct group_id){ group });
			if (worker->wants_groups) {
				atomic_store(&reading->wants_groups, true);
				return;
			}
		}
		if (first < end)
			give_back(program, worker, first, end);
		progress_done("units", end - first);
	}
	/* The next passes need memory, too. */
	abbrev_table_release(&worker->reader.abbrevs);
	dwarf_model_release(&worker->model);
	lowering_release(&worker->lowering);
	merge_prepare(&program->sources[number]);
}

static const char *worker_name(const void *names, uint32_t key)
{
	return name_table_text(names, key);
}

void program_release_workers(struct program *program)
{
	for (unsigned int i = 0; program->workers && i < program->options->jobs; i++) {
		merge_source_release(&program->sources[i]);
		unit_worker_release(&program->workers[i]);
	}
	free(program->sources);
	free(program->workers);
	free(program->unit_names);
	program->sources = NULL;
	program->workers = NULL;
	program->unit_names = NULL;
}

/* False: a unit may refer to another one, so groups have to be found first. */
static bool read_groups(struct program *program)
{
	const struct encode_options *options = program->options;
	struct reading reading = { .program = program };
	unsigned int batches;

	program->workers = memory_zeroed(options->jobs, sizeof(*program->workers));
	program->sources = memory_zeroed(options->jobs, sizeof(*program->sources));
	if (options->keep_changes)
		program->unit_names =
			memory_zeroed(program->units.count, sizeof(*program->unit_names));
	for (unsigned int i = 0; i < options->jobs; i++) {
		struct unit_worker *worker = &program->workers[i];

		unit_worker_init(worker, &program->object, &program->units, &program->groups,
				 &program->symbols, &program->code, options);
		worker->notes_inlined = program->kfuncs.kfuncs.count ||
					program->options->keep_findings;
		worker->unit_names = program->unit_names;
		program->sources[i] = (struct merge_source){
			.collector = &worker->collector,
			.names = &worker->reader.names,
			.name_text = worker_name,
		};
	}
	make_batches(&reading);
	batches = (unsigned int)reading.batches.count - 1;
	if (batches > options->jobs)
		batches = options->jobs;
	progress_expect("units", (uint32_t)program->groups.groups.count);
	workers_run(batches ? batches : 1, read_batches, &reading);
	array_release(&reading.batches);
	return !reading.wants_groups;
}

static int compare_problems(const void *a, const void *b)
{
	const struct group_problem *x = a, *y = b;

	return order_of(x->group.index, y->group.index);
}

/* Prints what could not be used, in the order of the units. */
static bool report_problems(struct program *program, const struct encode_report *report,
			    struct error *err)
{
	ARRAY_OF(struct group_problem) problems = { 0 };
	bool fatal;

	for (unsigned int i = 0; i < program->options->jobs; i++) {
		const struct unit_worker *worker = &program->workers[i];

		for (size_t k = 0; k < worker->problems.count; k++)
			array_push(&problems, worker->problems.data[k]);
	}
	if (!problems.count)
		return true;
	array_sort(&problems, compare_problems);
	fatal = program->options->strict || !report->units.units;
	if (fatal)
		error_set(err, "%s", problems.data[0].text);
	for (size_t i = 0; !fatal && !program->problems_printed && i < problems.count; i++)
		print_warning("%s; its types are missing", problems.data[i].text);
	array_release(&problems);
	return !fatal;
}

/* What was compiled so that its DWARF has no types, among units that have them. */
static bool report_typeless(struct program *program, const struct encode_report *report,
			    struct error *err)
{
	struct error lines[2] = { 0 };
	unsigned int count = 0;

	if (program->symbols.has_slim_lto)
		error_at(&lines[count++], program->options->path, "parts of it are GCC's "
			 "intermediate code (-flto), which has no DWARF yet, so their types are "
			 "missing; give what the linker makes of it, or compile with "
			 "-ffat-lto-objects");
	if (report->units.typeless)
		error_at(&lines[count++], program->options->path, "%u of %u units have code and "
			 "no types (built with -g1?); rebuild them with -g",
			 report->units.typeless, report->units.units);
	if (count && program->options->strict) {
		*err = lines[0];
		return false;
	}
	for (unsigned int i = 0; !program->problems_printed && i < count; i++)
		print_warning("%s", lines[i].text);
	return true;
}

/* Many DIEs may have the same bytes for different things, which costs each time. */
static bool check_shared(const struct program *program, struct error *err)
{
	for (unsigned int i = 0; i < program->options->jobs; i++) {
		if (program->sources[i].name_bytes > MERGE_NAME_BYTES)
			return error_at(err, program->object.path, "its types have names of more "
					"than %u MiB together, and BTF has room for 16; the file "
					"is damaged", MERGE_NAME_BYTES >> 20);
	}
	return object_check_shared(&program->object, err);
}

bool program_read(struct program *program, struct encode_report *report, struct error *err)
{
	if (!read_groups(program)) {
		program_release_workers(program);
		unit_groups_find(&program->groups, &program->object, &program->units,
				 &program->options->languages, program->options->jobs);
		read_groups(program);
	}
	/* From here on only names are read. */
	for (int id = 0; id < SECTION_COUNT; id++) {
		if (id != SECTION_STR && id != SECTION_LINE_STR)
			object_forget(&program->object, (enum section_id)id, 0, SIZE_MAX);
	}
	for (unsigned int i = 0; i < program->options->jobs; i++) {
		const struct unit_worker *worker = &program->workers[i];

		report->units.units += worker->counts.units;
		report->units.excluded += worker->counts.excluded;
		report->units.unusable += worker->counts.unusable;
		report->units.typeless += worker->counts.typeless;
		report->units.functions += worker->counts.functions;
		for (int k = 0; k < PARAMETER_STATE_COUNT; k++)
			report->units.parameters[k] += worker->counts.parameters[k];
		report->dwarf_types += worker->lowering.counts.types;
		report->dwarf_declarations += worker->lowering.counts.declarations;
		for (int k = 0; k < DWARF_KIND_COUNT; k++)
			report->dwarf_kinds[k] += worker->lowering.counts.kinds[k];
		report->inexpressible += worker->lowering.counts.inexpressible;
		report->broken += worker->lowering.counts.broken;
	}
	program->excluded_units = report->units.excluded;
	if (!check_shared(program, err) || !report_problems(program, report, err))
		return false;
	if (report->dwarf_types ||
	    (program->options->may_be_empty && report->units.excluded &&
	     !report->units.unusable && !report->units.typeless)) {
		bool good = report_typeless(program, report, err);

		program->problems_printed = true;
		return good;
	}
	report->nothing_wanted = !report->units.unusable;
	return error_at(err, program->options->path, "%s",
			report->units.typeless
				? "its DWARF has no types (built with -g1?); rebuild with -g" :
			report->units.units
				? "its DWARF has no types (only assembler, or built with -g1?)" :
			report->units.excluded && !report->units.unusable
				? "its units are all of excluded languages (encode --lang)" :
			!program->units.count
				? "its .debug_info has no units; rebuild with -g"
				: "none of its units can be used; the warnings say why");
}
