/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The encoder is the list of passes in encode_file(), to be read from top to bottom. What each
 * hands on, and what holds between them, is in docs/architecture.md.
 */
#include "encoder/encode.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/workers.h"
#include "btf/verify/verify.h"
#include "encoder/distant_callers.h"

/* ---- time ---- */

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void lap(struct stopwatch *watch, const char *pass)
{
	double time;

	if (!watch->enabled)
		return;
	time = now();
	fprintf(stderr, "%-10s %8.4f s\n", pass, time - watch->last);
	watch->last = time;
}

/* ---- read ---- */

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
	_Atomic bool wants_groups;	/* some unit may refer to another one */
};

static uint64_t batch_bytes(uint64_t left, unsigned int jobs)
{
	uint64_t bytes = left / (4 * (jobs ? jobs : 1));

	return bytes > MAX_BATCH_BYTES ? MAX_BATCH_BYTES :
	       bytes < MIN_BATCH_BYTES ? MIN_BATCH_BYTES : bytes;
}

static void make_batches(struct reading *reading)
{
	const struct unit_groups *groups = &reading->program->groups;
	uint64_t size = reading->program->object.sections[SECTION_INFO].size;
	unsigned int jobs = reading->program->options->jobs;
	uint64_t begin = 0;

	array_push(&reading->batches, 0);
	for (uint32_t g = 0; g < groups->groups.count; g++) {
		uint64_t end = groups->groups.data[g].end;

		if (end < begin + batch_bytes(size > begin ? size - begin : 0, jobs) &&
		    g + 1 < groups->groups.count)
			continue;
		array_push(&reading->batches, g + 1);
		begin = end;
	}
}

/* Around a page that is missing the kernel maps all that it has in memory, this many bytes. */
#define FAULT_BYTES (64u * 1024)

/*
 * Pages that have been read: of the groups' DIEs, and of their location lists. The first DIEs of
 * these groups have brought back pages of those before them.
 */
static void give_back(const struct program *program, struct unit_worker *worker, uint32_t first,
		      uint32_t end)
{
	struct address_range *lists = &worker->evidence.lists;
	uint64_t begin = program->groups.groups.data[first].begin;

	object_forget(&program->object, SECTION_INFO, begin < FAULT_BYTES ? 0 : begin - FAULT_BYTES,
		      program->groups.groups.data[end - 1].end);
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
				unit_worker_take(worker, group);
			if (worker->wants_groups) {
				atomic_store(&reading->wants_groups, true);
				return;
			}
		}
		if (first < end)
			give_back(program, worker, first, end);
	}
	merge_prepare(&program->sources[number]);
}

static const char *worker_name(const void *names, uint32_t key)
{
	return name_table_text(names, key);
}

static void make_sources(struct program *program)
{
	unsigned int jobs = program->options->jobs;

	program->sources = memory_zeroed(jobs, sizeof(*program->sources));
	for (unsigned int i = 0; i < jobs; i++)
		program->sources[i] = (struct merge_source){
			.collector = &program->workers[i].collector,
			.names = &program->workers[i].reader.names,
			.name_text = worker_name,
		};
}

/* What only reading looks at. */
static void forget_sections(const struct program *program)
{
	for (int id = 0; id < SECTION_COUNT; id++) {
		if (id != SECTION_STR && id != SECTION_LINE_STR)
			object_forget(&program->object, (enum section_id)id, 0, SIZE_MAX);
	}
}

/* Reads all groups. False: groups have to be looked for first. */
static struct site_wishes site_wishes(const struct encode_options *options)
{
	const struct features *features = &options->features;

	if (options->keep_findings)
		return (struct site_wishes){ .sites = true, .instances = true,
					     .name = options->keep_findings };
	return (struct site_wishes){
		.sites = features->feature_inline || features->func_secinfo_inline,
		.counts = options->count_sites,
		.instances = features->feature_func_secinfo };
}

static bool read_groups(struct program *program)
{
	const struct encode_options *options = program->options;
	struct reading reading = { .program = program };
	unsigned int workers;

	program->workers = memory_zeroed(options->jobs, sizeof(*program->workers));
	if (options->keep_changes)
		program->unit_names =
			memory_zeroed(program->units.count, sizeof(*program->unit_names));
	for (unsigned int i = 0; i < options->jobs; i++)
		unit_worker_init(&program->workers[i], &program->object, &program->units,
				 &program->groups, &program->symbols, &program->code,
				 &options->features, &options->languages,
				 site_wishes(options));
	for (unsigned int i = 0; i < options->jobs; i++) {
		program->workers[i].reader.names.copies = true;
		program->workers[i].timed = options->timings;
		program->workers[i].keep_findings = options->keep_findings;
		program->workers[i].keep_changes = options->keep_changes;
		program->workers[i].unit_names = program->unit_names;
		program->workers[i].count_inlined = options->count_inlined;
		program->workers[i].lowering.count_kinds = options->count_inlined;
	}
	for (unsigned int i = 0; i < options->jobs; i++)
		program->workers[i].examine_copies =
			options->examine_copies || options->features.feature_true_signature;
	make_sources(program);
	make_batches(&reading);
	/* Batches have an end: there is one less of them. */
	workers = reading.batches.count - 1 < options->jobs
			  ? (unsigned int)reading.batches.count - 1 : options->jobs;
	workers_run(workers ? workers : 1, read_batches, &reading);
	array_release(&reading.batches);
	return !reading.wants_groups;
}

static void release_workers(struct program *program)
{
	for (unsigned int i = 0; program->sources && i < program->options->jobs; i++)
		merge_source_release(&program->sources[i]);
	for (unsigned int i = 0; program->workers && i < program->options->jobs; i++)
		unit_worker_release(&program->workers[i]);
	free(program->sources);
	free(program->workers);
	free(program->unit_names);
	program->sources = NULL;
	program->workers = NULL;
	program->unit_names = NULL;
}

static void read_all(struct program *program)
{
	if (!read_groups(program)) {
		release_workers(program);
		unit_groups_find(&program->groups, &program->object, &program->units);
		read_groups(program);
	}
	forget_sections(program);
}

static int compare_problems(const void *a, const void *b)
{
	const struct group_problem *x = a, *y = b;

	return x->group < y->group ? -1 : x->group > y->group;
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
	qsort(problems.data, problems.count, sizeof(*problems.data), compare_problems);
	fatal = program->options->strict || !report->units.units;
	if (fatal)
		error_set(err, "%s", problems.data[0].text);
	for (size_t i = 0; !fatal && !program->problems_printed && i < problems.count; i++)
		fprintf(stderr, "btfenc: warning: %s; skipped\n", problems.data[i].text);
	program->problems_printed = true;
	array_release(&problems);
	return !fatal;
}

static void add_counts(const struct program *program, struct encode_report *report)
{
	for (unsigned int i = 0; i < program->options->jobs; i++) {
		const struct unit_worker *worker = &program->workers[i];

		report->units.units += worker->counts.units;
		report->units.excluded += worker->counts.excluded;
		report->units.unusable += worker->counts.unusable;
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
}

/* Nothing to encode is a failure that wants a better reason than an empty BTF. */
static bool something_read(const struct program *program, const struct encode_report *report,
			   struct error *err)
{
	if (report->dwarf_types)
		return true;
	if (report->units.units)
		return error_at(err, program->options->path,
				"its DWARF has no types (built with -g1?); "
				"rebuild with -g");
	if (report->units.excluded)
		return error_at(err, program->options->path,
				"all its units are of excluded languages; "
				"see --lang-exclude");
	return error_at(err, program->options->path, "none of its units can be used; the warnings "
			"say why");
}

/* ---- inlined functions ---- */

/* The names of functions that were inlined somewhere; they may repeat. */
static void add_inlined(struct program *program)
{
	ARRAY_OF(struct pool_id) names = { 0 };

	for (unsigned int i = 0; i < program->options->jobs; i++) {
		const struct unit_worker *worker = &program->workers[i];

		for (size_t k = 0; k < worker->inlined.names.count; k++)
			array_push(&names,
				   string_pool_add(&program->pool,
						   name_table_text(&worker->reader.names,
								   worker->inlined.names.data[k].value)));
	}
	selection_add_inlined(&program->selection, names.data, names.count, &program->pool);
	array_release(&names);
}

/* ---- verify ---- */

enum attempt {
	ATTEMPT_DONE,
	ATTEMPT_FAILED,
	ATTEMPT_AGAIN,		/* units have been left out */
};

/* What is read back, and by whose rules. */
struct verification {
	const struct btf_image *image;
	enum btf_dialect dialect;
};

static enum attempt judge_findings(struct program *program, const struct verification *what,
				   const struct btf_reader *reader,
				   const struct btf_findings *findings,
				   struct encode_report *report, struct error *err)
{
	if (!findings->errors)
		return ATTEMPT_DONE;
	return program_leave_out(program, what->image, reader, findings, report, err)
		       ? ATTEMPT_AGAIN : ATTEMPT_FAILED;
}

/* Every rule, on the finished bytes. */
static enum attempt verify_reader(struct program *program, const struct verification *what,
				  const struct btf_reader *reader, struct encode_report *report,
				  struct error *err)
{
	const struct btf_verify_options options = {
		.pointer_bytes = program->object.address_bytes, .limit = 10000,
		.layout = true, .errors_only = true, .dialect = what->dialect,
		.two_threads = program->options->jobs > 1 };
	struct btf_findings findings;
	enum attempt result;

	btf_verify(reader, &options, &findings);
	result = judge_findings(program, what, reader, &findings, report, err);
	btf_findings_release(&findings);
	return result;
}

static enum attempt verify_extra(struct program *program, const struct btf_image *image,
				 const struct btf_reader *base, struct encode_report *report,
				 struct error *err)
{
	const struct verification what = { image, BTF_DIALECT_EXTRA };
	struct btf_reader reader;
	enum attempt result;

	if (!btf_reader_from_memory(&reader, image->extra_data, image->extra_size,
				    program->options->path, base, err))
		return ATTEMPT_FAILED;
	result = verify_reader(program, &what, &reader, report, err);
	btf_reader_release(&reader);
	return result;
}

/* The image, and the extra one on top of it; `base` as for btf_reader_from_memory(). */
static enum attempt verify_on(struct program *program, const struct btf_image *image,
			      const struct btf_reader *base, struct encode_report *report,
			      struct error *err)
{
	const struct verification what = {
		image, program->options->features.feature_inline ? BTF_DIALECT_INLINE
								 : BTF_DIALECT_CLASSIC };
	struct btf_reader reader;
	enum attempt result;

	if (!btf_reader_from_memory(&reader, image->data, image->size, program->options->path,
				    base, err))
		return ATTEMPT_FAILED;
	result = verify_reader(program, &what, &reader, report, err);
	if (result == ATTEMPT_DONE && image->extra_data)
		result = verify_extra(program, image, &reader, report, err);
	btf_reader_release(&reader);
	return result;
}

/* The image is read back on the base that a reader will find beside it. */
static enum attempt verify(struct program *program, const struct btf_image *image,
			   struct encode_report *report, struct error *err)
{
	const struct btf_base *base = program->options->base;
	struct btf_reader distilled;
	enum attempt result;

	if (!image->type_count && !base) {
		error_at(err, program->options->path, "nothing in its DWARF goes into BTF; were "
			 "the units that have types left out (--lang, --lang-exclude)?");
		return ATTEMPT_FAILED;
	}
	if (!image->base_data)
		return verify_on(program, image, base ? base->reader : NULL, report, err);
	if (!btf_reader_from_memory(&distilled, image->base_data, image->base_size,
				    program->options->path, NULL, err))
		return ATTEMPT_FAILED;
	result = verify_on(program, image, &distilled, report, err);
	btf_reader_release(&distilled);
	return result;
}

/* ---- the passes ---- */

/* Finding the units and reading the symbols have nothing to do with each other. */
struct opening {
	struct program *program;
	struct error errors[2];
	bool good[2];
};

static void open_part(void *context, unsigned int part)
{
	struct opening *opening = context;
	struct program *program = opening->program;
	struct error *err = &opening->errors[part];

	if (part == 0) {
		opening->good[0] = unit_list_read(&program->units, &program->object, err);
		if (opening->good[0])
			unit_groups_single(&program->groups, &program->units);
	} else {
		opening->good[1] = symbol_table_read(&program->symbols, program->object.elf,
						     program->object.section_bases,
						     program->options->path, err);
	}
}

static bool open_input(struct program *program, struct error *err)
{
	struct opening opening = { .program = program };

	if (!object_open(&program->object, program->options->path, err)) {
		program->no_dwarf = program->object.no_dwarf;
		return false;
	}
	if (program->options->jobs > 1) {
		workers_run(2, open_part, &opening);
	} else {
		open_part(&opening, 0);
		open_part(&opening, 1);
	}
	for (int part = 0; part < 2; part++) {
		if (!opening.good[part]) {
			*err = opening.errors[part];
			return false;
		}
	}
	shared_code_init(&program->code, &program->object);
	program->left_out = memory_zeroed(program->groups.groups.count, sizeof(bool));
	return true;
}

static void release_attempt(struct program *program)
{
	selection_release(&program->selection);
	instances_release(&program->instances);
	site_list_release(&program->sites);
	resolver_free(program->resolver);
	free(program->funcs);
	for (size_t i = 0; i < program->texts.count; i++)
		free(program->texts.data[i]);
	array_release(&program->texts);
	release_workers(program);
	program->resolver = NULL;
	shape_table_release(&program->table);
	string_pool_release(&program->pool);
	program->instances = (struct instances){ 0 };
	program->sites = (struct site_list){ 0 };
	program->funcs = NULL;
	program->selection = (struct selection){ 0 };
}

static void release_input(struct program *program)
{
	free(program->left_out);
	unit_groups_release(&program->groups);
	unit_list_release(&program->units);
	symbol_table_release(&program->symbols);
	shared_code_release(&program->code);
	object_close(&program->object);
}

/* What the pass "read" is made of, as sums over all workers. */
static void print_read_times(const struct program *program)
{
	struct worker_times sum = { 0 };

	if (!program->options->timings)
		return;
	for (unsigned int i = 0; i < program->options->jobs; i++) {
		sum.dies += program->workers[i].times.dies;
		sum.types += program->workers[i].times.types;
		sum.functions += program->workers[i].times.functions;
	}
	fprintf(stderr, "  of all workers: DIEs %.4f s, types %.4f s, functions %.4f s\n",
		sum.dies, sum.types, sum.functions);
}

/* The passes up to the verdicts. */
static bool run_judging_passes(struct program *program, struct encode_report *report,
			       struct error *err)
{
	struct stopwatch *watch = &program->watch;

	read_all(program);
	add_counts(program, report);
	if (!report_problems(program, report, err))
		return false;
	lap(watch, "read");
	print_read_times(program);
	if (!something_read(program, report, err))
		return false;
	collectors_merge(&program->table, &program->pool, program->sources,
			 program->options->jobs);
	program_merge_sites(program);
	lap(watch, "merge");
	program->resolver = resolver_new(&program->table, program->sources, program->options->jobs,
					 (uint32_t)program->groups.groups.count);
	report->resolve = *resolver_counts(program->resolver);
	lap(watch, "resolve");
	program_gather_instances(program);
	report->sites.counts = program->sites.counts;
	lap(watch, "gather");
	distant_callers_ask(program);
	lap(watch, "callers");
	select_functions(&program->selection, &program->instances, &program->pool,
			 &program->symbols, &program->options->features);
	if (program->options->count_inlined)
		add_inlined(program);
	lap(watch, "select");
	return true;
}

static enum attempt run_passes(struct program *program, struct btf_image *image,
			       struct encode_report *report, struct error *err)
{
	const struct encode_options *options = program->options;
	struct btf_image_options image_options = {
		.swap = program->object.swap,
		.layout = options->features.feature_layout,
		.base = options->base,
		.distill = options->features.feature_distilled_base,
	};
	struct stopwatch *watch = &program->watch;
	enum attempt result;

	if (options->base && options->base->reader->swapped != program->object.swap) {
		error_at(err, options->path, "its byte order is not that of the base %.300s; give "
			 "the BTF of the same kernel", options->base->reader->name);
		return ATTEMPT_FAILED;
	}
	if (!run_judging_passes(program, report, err))
		return ATTEMPT_FAILED;
	if (!program_add_functions(program, report, err))
		return ATTEMPT_FAILED;
	program_add_variables(program, report);
	if (options->features.feature_inline)
		program_add_inline_sites(program, report);
	if (options->features.feature_func_secinfo) {
		image_options.extra_from = (uint32_t)program->table.shapes.count;
		program_add_extra(program, report);
	}
	lap(watch, "emit");
	if (!btf_image_build(image, &program->table, &program->pool, &image_options, err))
		return ATTEMPT_FAILED;
	lap(watch, "write");
	result = verify(program, image, report, err);
	lap(watch, "verify");
	if (result != ATTEMPT_DONE)
		btf_image_release(image);
	return result;
}

/* Each attempt leaves out all units that have the bad types, so two are enough as a rule. */
#define MAX_ATTEMPTS 4

bool program_open(struct program *program, const struct encode_options *options,
		  struct error *err)
{
	*program = (struct program){ .options = options, .object = { .fd = -1 },
				     .watch = { options->timings, now() } };
	if (!open_input(program, err)) {
		release_input(program);
		return false;
	}
	lap(&program->watch, "open");
	return true;
}

bool program_encode(struct program *program, struct btf_image *image,
		    struct encode_report *report, struct error *err)
{
	enum attempt result = ATTEMPT_AGAIN;
	uint32_t left_out = 0;

	*image = (struct btf_image){ 0 };
	for (int i = 0; i < MAX_ATTEMPTS && result == ATTEMPT_AGAIN; i++) {
		release_attempt(program);
		*report = (struct encode_report){ .left_out = left_out };
		string_pool_init(&program->pool);
		shape_table_init(&program->table);
		result = run_passes(program, image, report, err);
		left_out = report->left_out;
	}
	report->units.unusable += left_out;
	return result == ATTEMPT_DONE;
}

bool program_judge(struct program *program, struct encode_report *report, struct error *err)
{
	*report = (struct encode_report){ 0 };
	string_pool_init(&program->pool);
	shape_table_init(&program->table);
	return run_judging_passes(program, report, err);
}

void program_close(struct program *program)
{
	release_attempt(program);
	release_input(program);
}

/* The index of a section, 0 when there is none. */
static size_t find_section(const struct object *object, const char *name)
{
	for (size_t i = 1; i < object->header_count; i++) {
		if (strcmp(object->headers[i].name, name) == 0)
			return i;
	}
	return 0;
}

/* Is there other BTF in the file, to which the ids in its .BTF_ids belong? */
static bool has_ids_of_other(const struct object *object, const struct btf_image *image)
{
	size_t index = find_section(object, ".BTF");
	Elf_Data *data;

	if (!index || !object->headers[index].size || !find_section(object, ".BTF_ids"))
		return false;
	data = elf_rawdata(elf_getscn(object->elf, index), NULL);
	return !data || !data->d_buf || data->d_size != image->size ||
	       memcmp(data->d_buf, image->data, image->size) != 0;
}

/* What whoever puts the BTF into the file has to know of it. */
static void report_file(const struct program *program, const struct btf_image *image,
			struct encode_report *report)
{
	report->read = program->object.stamp;
	report->stale_ids = has_ids_of_other(&program->object, image);
	report->lone_module = !program->options->base &&
			      find_section(&program->object, ".gnu.linkonce.this_module");
}

bool encode_file(const struct encode_options *options, struct btf_image *image,
		 struct encode_report *report, struct error *err)
{
	struct program program;
	bool good;

	*image = (struct btf_image){ 0 };
	*report = (struct encode_report){ 0 };
	if (!program_open(&program, options, err)) {
		report->no_dwarf = program.no_dwarf;
		return false;
	}
	good = program_encode(&program, image, report, err);
	if (good)
		report_file(&program, image, report);
	program_close(&program);
	return good;
}
