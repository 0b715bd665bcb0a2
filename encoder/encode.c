/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The encoder is the list of passes in encode_file(), to be read from top to bottom. What each
 * hands on, and what holds between them, is in docs/architecture.md.
 */
#define _GNU_SOURCE	/* memmem */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/workers.h"
#include "btf/own_btf.h"
#include "dwarf/unit.h"
#include "encoder/passes.h"
#include "kallsyms/kernel_version.h"

/* With --timings prints how long the pass took that ends here. */
static void lap(struct program *program, const char *pass)
{
	double begin = program->lap_begin;

	program->lap_begin = seconds_now();
	if (program->options->timings)
		fprintf(stderr, "%-10s %8.4f s\n", pass, program->lap_begin - begin);
}

/* The kfuncs that are no judged functions. False: all are. */
static bool find_unjudged_kfuncs(const struct program *program, struct string_pool *names)
{
	const struct kfunc_list *list = &program->kfuncs;

	string_pool_init(names);
	for (size_t i = 0; i < list->kfuncs.count; i++) {
		if (!selection_find(&program->selection, &program->pool, list->kfuncs.data[i].name))
			string_pool_add(names, list->kfuncs.data[i].name);
	}
	return names->strings.count > 1;
}

/*
 * Judges functions that were inlined somewhere and have no code of their own: all, or only those
 * that one of `only` names.
 */
static void add_inlined(struct program *program, const struct string_pool *only)
{
	ARRAY_OF(struct inlined_function) inlined = { 0 };	/* may repeat */

	for (size_t i = 0; !only && i < program->sites.functions.count; i++) {
		const struct site_function *function = &program->sites.functions.data[i];

		if (function->sites)
			array_push(&inlined, ((struct inlined_function){ function->name,
									 function->number }));
	}
	for (unsigned int i = 0; only && i < program->options->jobs; i++) {
		const struct unit_worker *worker = &program->workers[i];

		for (size_t k = 0; k < worker->inlined.count; k++) {
			const char *text = name_table_text(&worker->reader.names,
							   worker->inlined.data[k].value);
			const struct pool_string string = pool_string(text);

			if (string_pool_find(only, &string).index)
				array_push(&inlined, ((struct inlined_function){
					string_pool_add(&program->pool, text), 0 }));
		}
	}
	selection_add_inlined(&program->selection, inlined.data, inlined.count,
			      &program->instances, &program->pool);
	/* How many there are is not known. */
	if (only)
		program->selection.counts[VERDICT_INLINED_ONLY] = 0;
	array_release(&inlined);
}

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
		if (opening->good[0] && program->object.pieces.data[0]->supplement)
			unit_groups_find(&program->groups, &program->object, &program->units,
					 &program->options->languages, 1);
		else if (opening->good[0])
			unit_groups_single(&program->groups, &program->units);
	} else {
		opening->good[1] = symbol_table_read(&program->symbols, program->object.elf,
						     program->object.section_bases,
						     program->options->path, err);
	}
}

static void release_attempt(struct program *program)
{
	selection_release(&program->selection);
	instances_release(&program->instances);
	site_list_release(&program->sites);
	resolver_free(program->resolver);
	kfuncs_release(&program->kfuncs);
	array_release(&program->registrations);
	free(program->funcs);
	array_free(&program->texts);
	program_release_workers(program);
	node_table_release(&program->table);
	string_pool_release(&program->pool);
	/* All from there on belongs to the attempt. */
	memset(&program->workers, 0, sizeof(*program) - offsetof(struct program, workers));
}

bool program_judge(struct program *program, struct encode_report *report, struct error *err)
{
	struct worker_times times = { 0 };
	struct string_pool unjudged = { 0 };

	*report = (struct encode_report){ 0 };
	memory_set_task(program->options->path, "reading its DWARF");
	string_pool_init(&program->pool);
	node_table_init(&program->table);
	if (!program_read(program, report, err))
		return false;
	lap(program, "read");
	for (unsigned int i = 0; i < program->options->jobs; i++) {
		times.dies += program->workers[i].times.dies;
		times.types += program->workers[i].times.types;
		times.functions += program->workers[i].times.functions;
	}
	if (program->options->timings)
		fprintf(stderr,
			"  of all workers: DIEs %.4f s, types %.4f s, functions %.4f s\n",
			times.dies, times.types, times.functions);
	collectors_merge(&program->table, &program->pool, program->sources,
			 program->options->jobs);
	program_merge_sites(program);
	lap(program, "merge");
	program->resolver = resolver_new(&program->table, program->sources, program->options->jobs,
					 (uint32_t)program->groups.groups.count);
	report->resolve = *resolver_counts(program->resolver);
	lap(program, "resolve");
	program_gather_instances(program);
	report->sites.counts = program->sites.counts;
	lap(program, "gather");
	program_ask_distant_callers(program);
	lap(program, "callers");
	select_functions(&program->selection, &program->instances, &program->pool,
			 &program->symbols, &program->options->features);
	if (program->options->count_inlined)
		add_inlined(program, NULL);
	else if (find_unjudged_kfuncs(program, &unjudged))
		add_inlined(program, &unjudged);
	string_pool_release(&unjudged);
	lap(program, "select");
	return true;
}

/* By the ids, if these belong to the file's .BTF. */
static void find_kfunc_flags(struct program *program)
{
	const struct btf_base *base = program->options->base;
	struct own_btf own = { 0 };
	bool has_ids = false;

	for (size_t i = 0; i < program->kfuncs.kfuncs.count; i++)
		has_ids |= program->kfuncs.kfuncs.data[i].id != 0;
	if (has_ids)
		own_btf_read(&own, &program->object, base ? base->reader : NULL);
	kfuncs_find_flags(&program->kfuncs, own.is_known ? &own.btf : NULL);
	own_btf_release(&own);
}

static bool is_without_flags(const struct kfunc *kfunc)
{
	return kfunc->is_callable && !kfunc->is_repeated && !kfunc->has_flags;
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
	enum attempt result;

	/* Damage costs what is made of it: tags, or only the warnings. */
	if (!kfuncs_read(&program->kfuncs, &program->object, &program->symbols, err) &&
	    options->features.feature_decl_tag_kfuncs)
		return ATTEMPT_FAILED;
	if (options->features.feature_decl_tag_kfuncs)
		find_kfunc_flags(program);
	if (!program_judge(program, report, err) || !program_add_functions(program, report, err))
		return ATTEMPT_FAILED;
	for (size_t i = 0; options->features.feature_decl_tag_kfuncs &&
			   i < program->kfuncs.kfuncs.count; i++)
		report->kfuncs_without_flags += is_without_flags(&program->kfuncs.kfuncs.data[i]);
	program_add_variables(program, report);
	if (options->features.feature_inline) {
		uint32_t from = (uint32_t)program->table.nodes.count;

		program_add_inline_sites(program, report);
		if (options->split_inline && report->sites.written)
			image_options.part_from[BTF_PART_INLINE] = from;
	}
	if (options->features.feature_func_secinfo) {
		image_options.part_from[BTF_PART_EXTRA] = (uint32_t)program->table.nodes.count;
		program_add_extra(program, report);
	}
	lap(program, "emit");
	memory_set_task(options->path, "writing its BTF");
	do {
		image_options.targets_first = program->targets_first;
		if (!btf_image_build(image, &program->table, &program->pool, &image_options, err))
			return ATTEMPT_FAILED;
		lap(program, "write");
		result = program_check(program, image, report, err);
		lap(program, "verify");
		if (result != ATTEMPT_DONE)
			btf_image_release(image);
	} while (result == ATTEMPT_REPAIRED);
	return result;
}

/*
 * Does the kernel find f.llvm.HASH as f? Linux 5.16 and later do if they are built with LLVM's LTO:
 * cleanup_symbol_name() of kernel/kallsyms.c strips the suffix. 6.11 has no such function, nor have
 * stable releases from 6.10.6 on. (5.13 to 5.15 have it for another suffix.) Symbols of modules are
 * compared exactly.
 */
static bool kernel_strips_llvm(const struct program *program)
{
	static const char stripper[] = "cleanup_symbol_name";	/* and its NUL, in .debug_str */
	const struct features *features = &program->options->features;
	const struct section *names = &program->object.sections[SECTION_STR];
	struct kernel_version version;

	if (!(program->symbols.suffixes & (1u << SUFFIX_LLVM | 1u << SUFFIX_NUMBER)) ||
	    program->object.relocatable || !features->feature_optimized_func)
		return false;
	if (features->feature_strips_llvm)
		return true;
	version = kernel_version_of_image(&program->object);
	return names->size && memmem(names->data, names->size, stripper, sizeof(stripper)) &&
	       (!version.major || kernel_version_is_from(version, 5, 16));
}

static bool open_input(struct program *program, struct error *err)
{
	struct opening opening = { .program = program };

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
	program->symbols.strips_llvm = kernel_strips_llvm(program);
	shared_code_init(&program->code, &program->object);
	program->left_out = memory_zeroed(program->groups.groups.count, sizeof(bool));
	return program_check_base(program, err);
}

bool program_open(struct program *program, const struct encode_options *options,
		  struct error *err)
{
	*program = (struct program){ .options = options, .object = { .fd = -1 },
				     .lap_begin = seconds_now() };
	if (!object_open(&program->object, options->path, err))
		return false;
	if (!open_input(program, err)) {
		program_close(program);
		return false;
	}
	lap(program, "open");
	return true;
}

/*
 * Each attempt leaves out all units that have the bad types, so two are enough as a rule. What
 * was hidden behind others, by merging with them, takes one more each time; no legal type leads
 * here.
 */
#define MAX_ATTEMPTS 16

bool program_encode(struct program *program, struct btf_image *image,
		    struct encode_report *report, struct error *err)
{
	enum attempt result = ATTEMPT_AGAIN;
	uint32_t left_out = 0;

	*image = (struct btf_image){ 0 };
	*report = (struct encode_report){ 0 };
	for (int i = 0; i < MAX_ATTEMPTS && result == ATTEMPT_AGAIN; i++) {
		release_attempt(program);
		result = run_passes(program, image, report, err);
		left_out += report->left_out;
	}
	report->left_out = left_out;
	report->units.unusable += left_out;
	if (result == ATTEMPT_DONE && program_check_module(program, image, err))
		return true;
	btf_image_release(image);
	return false;
}

void program_close(struct program *program)
{
	release_attempt(program);
	free(program->left_out);
	unit_groups_release(&program->groups);
	unit_list_release(&program->units);
	symbol_table_release(&program->symbols);
	shared_code_release(&program->code);
	object_close(&program->object);
}

/* Is there other BTF in the file, to which the ids in its .BTF_ids belong? */
static bool has_ids_of_other(const struct program *program, const struct btf_image *image)
{
	const struct object *object = &program->object;
	size_t size;
	const uint8_t *other = object_section_named(object->image ? object->image : object, ".BTF",
						    &size);

	return other && (size != image->size || memcmp(other, image->data, size) != 0) &&
	       program->kfuncs.may_have_ids;
}

bool encode_file(const struct encode_options *options, struct btf_image *image,
		 struct encode_report *report, struct error *err)
{
	struct program program;
	bool good;

	*image = (struct btf_image){ 0 };
	*report = (struct encode_report){ 0 };
	if (!program_open(&program, options, err)) {
		report->nothing_wanted = program.object.no_dwarf;
		return false;
	}
	good = program_encode(&program, image, report, err);
	for (size_t i = 0; good && i < program.kfuncs.kfuncs.count; i++) {
		char *text = program_lost_kfunc(&program, &program.kfuncs.kfuncs.data[i]);

		if (text)
			print_warning("%s: %s", options->path, text);
		free(text);
	}
	if (good) {
		report->read = program.object.status;
		report->stale_ids = has_ids_of_other(&program, image);
		report->lone_module = !options->base &&
			object_find_section(&program.object, ".gnu.linkonce.this_module");
	}
	program_close(&program);
	return good;
}
