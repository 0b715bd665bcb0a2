/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Gathering: the instances of all workers become one list in the order of groups, which does not
 * depend on who read which group. Their names become ids of the pool, their types resolved ones.
 *
 * A kernel's 43,000 functions take 3 ms, most of it for names that the pool has not seen yet.
 */
#include "encoder/program.h"

#include <string.h>

#include "encoder/variables.h"

struct gathering {
	struct program *program;
	uint32_t *owner;		/* by group: the worker that has read it */
	struct variable_sections sections;
};

/* ---- one list ---- */

static void find_owners(struct gathering *gathering)
{
	const struct program *program = gathering->program;

	gathering->owner = memory_zeroed(program->groups.groups.count, sizeof(uint32_t));
	for (unsigned int i = 0; i < program->options->jobs; i++) {
		const struct collector *collector = &program->workers[i].collector;

		for (size_t g = 0; g < collector->groups.count; g++)
			gathering->owner[collector->groups.data[g].group] = i;
	}
}

/* Annotations and findings stand in no order: each instance knows where its own are. */
static void append_details(struct instances *to, struct instances *from)
{
	uint32_t annotations = (uint32_t)to->annotations.count;
	uint32_t findings = (uint32_t)to->findings.count;

	for (size_t i = 0; i < from->functions.count; i++) {
		from->functions.data[i].first_annotation += annotations;
		from->functions.data[i].first_finding += findings;
	}
	for (size_t i = 0; i < from->variables.count; i++)
		from->variables.data[i].first_annotation += annotations;
	for (size_t i = 0; i < from->annotations.count; i++)
		array_push(&to->annotations, from->annotations.data[i]);
	for (size_t i = 0; i < from->findings.count; i++)
		array_push(&to->findings, from->findings.data[i]);
}

/* Variables of most sections are not written. */
static bool is_wanted(const struct gathering *gathering, const struct variable_instance *variable)
{
	return variable_section(&gathering->sections, &gathering->program->object,
				variable->address);
}

/* A merge in the order of groups: each worker's list is sorted. */
static void join_lists(struct gathering *gathering)
{
	struct program *program = gathering->program;
	struct instances *to = &program->instances;
	unsigned int jobs = program->options->jobs;
	size_t functions = 0;
	size_t *next_function = memory_zeroed(jobs, sizeof(size_t));
	size_t *next_variable = memory_zeroed(jobs, sizeof(size_t));

	for (unsigned int i = 0; i < jobs; i++) {
		append_details(to, &program->workers[i].instances);
		functions += program->workers[i].instances.functions.count;
	}
	array_reserve(&to->functions, functions);
	for (uint32_t g = 0; g < program->groups.groups.count; g++) {
		unsigned int i = gathering->owner[g];
		const struct instances *from = &program->workers[i].instances;

		for (size_t *at = &next_function[i]; *at < from->functions.count &&
						     from->functions.data[*at].group == g; (*at)++)
			to->functions.data[to->functions.count++] = from->functions.data[*at];
		for (size_t *at = &next_variable[i]; *at < from->variables.count; (*at)++) {
			const struct variable_instance *variable = &from->variables.data[*at];

			if (variable->group != g)
				break;
			if (is_wanted(gathering, variable))
				array_push(&to->variables, *variable);
		}
	}
	for (unsigned int i = 0; i < jobs; i++)
		instances_release(&program->workers[i].instances);
	free(next_function);
	free(next_variable);
}

/* What a single worker has is in order, and nothing is copied. */
static void bring_together(struct gathering *gathering)
{
	struct program *program = gathering->program;

	if (program->options->jobs > 1) {
		join_lists(gathering);
		return;
	}
	program->instances = program->workers[0].instances;
	program->workers[0].instances = (struct instances){ 0 };
}

/* ---- the spaces of all ---- */

static uint32_t pool_name(struct program *program, uint32_t worker, uint32_t key)
{
	return string_pool_add(&program->pool,
			       name_table_text(&program->workers[worker].reader.names, key));
}

/* The symbol's base name is the function's name, unless that has a suffix itself. */
static uint32_t function_name(struct program *program, uint32_t worker,
			      const struct function_instance *function)
{
	const char *text =
		name_table_text(&program->workers[worker].reader.names, function->name);
	const struct symbol *symbol;

	if (function->symbol == NO_SYMBOL)
		return string_pool_add(&program->pool, text);
	symbol = &program->symbols.symbols.data[function->symbol];
	if (text[symbol->base_length])
		return string_pool_add(&program->pool, text);
	return string_pool_add_hashed(&program->pool,
				      &(struct pool_string){ text, symbol->base_length,
							     symbol->base_hash });
}

/* What a worker's reference means in its group, as a resolved type. */
static shape_ref resolved(struct program *program, uint32_t worker, uint32_t group, shape_ref ref)
{
	return resolver_ref(program->resolver, group,
			    merge_map_ref(&program->sources[worker].map, ref));
}

static void translate_annotations(struct program *program, uint32_t worker, uint32_t first,
				  uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct decl_annotation *annotation =
			&program->instances.annotations.data[first + i];

		annotation->value = pool_name(program, worker, annotation->value);
	}
}

static void translate_function(struct program *program, uint32_t worker,
			       struct function_instance *function)
{
	function->name = function_name(program, worker, function);
	function->prototype = resolved(program, worker, function->group, function->prototype);
	if (function->true_prototype)
		function->true_prototype = resolved(program, worker, function->group,
						    function->true_prototype);
	translate_annotations(program, worker, function->first_annotation,
			      function->annotation_count);
}

static void translate_variable(struct program *program, uint32_t worker,
			       struct variable_instance *variable)
{
	variable->name = pool_name(program, worker, variable->name);
	variable->type = resolved(program, worker, variable->group, variable->type);
	translate_annotations(program, worker, variable->first_annotation,
			      variable->annotation_count);
}

/* Drops the variables of sections that are not written, as a rule nearly all. */
static void translate_instances(const struct gathering *gathering)
{
	struct program *program = gathering->program;
	struct instances *instances = &program->instances;
	size_t function = 0, variable = 0, kept = 0;

	for (uint32_t g = 0; g < program->groups.groups.count; g++) {
		for (; function < instances->functions.count &&
		       instances->functions.data[function].group == g; function++)
			translate_function(program, gathering->owner[g],
					   &instances->functions.data[function]);
		for (; variable < instances->variables.count &&
		       instances->variables.data[variable].group == g; variable++) {
			struct variable_instance *read = &instances->variables.data[variable];

			if (!is_wanted(gathering, read))
				continue;
			translate_variable(program, gathering->owner[g], read);
			instances->variables.data[kept++] = *read;
		}
	}
	instances->variables.count = kept;
}

/* ---- sites ---- */

/* Appends what one worker has of a group; its sites' functions stand at `functions` then. */
struct site_position {
	size_t function;
	size_t site;
	size_t piece;
};

static void append_sites(struct site_list *to, const struct site_list *from, uint32_t group,
			 struct site_position *next)
{
	uint32_t first = (uint32_t)next->function;
	uint32_t shift = (uint32_t)to->functions.count - first;
	uint32_t end;

	for (; next->function < from->functions.count &&
	       from->functions.data[next->function].group == group; next->function++)
		array_push(&to->functions, from->functions.data[next->function]);
	end = (uint32_t)next->function;
	for (; next->site < from->sites.count && from->sites.data[next->site].function < end;
	     next->site++) {
		struct site site = from->sites.data[next->site];

		site.function += shift;
		array_push(&to->sites, site);
		if (from->sources.count)
			array_push(&to->sources, from->sources.data[next->site]);
	}
	for (; next->piece < from->pieces.count &&
	       from->pieces.data[next->piece].site.function < end; next->piece++) {
		struct site_piece piece = from->pieces.data[next->piece];

		piece.site.function += shift;
		array_push(&to->pieces, piece);
	}
}

static void add_site_counts(struct site_counts *to, const struct site_counts *from)
{
	to->sites += from->sites;
	to->without_code += from->without_code;
	to->without_parameters += from->without_parameters;
	to->complete += from->complete;
	to->partial += from->partial;
	to->empty += from->empty;
	to->in_itself += from->in_itself;
	for (int i = 0; i < PLACE_COUNT; i++)
		to->places[i] += from->places[i];
	to->entries_kept += from->entries_kept;
	to->frames_resolved += from->frames_resolved;
}

/*
 * Each unit names the functions of the same headers again, by the same key: what it was last is
 * kept, where the key leads to.
 */
#define NAME_MEMO 16384

struct named {
	uint32_t key;
	uint32_t id;
};

static uint32_t site_name(struct program *program, uint32_t worker, uint32_t key,
			  struct named *memo)
{
	struct named *named = &memo[key * 0x9e3779b1u >> 18];

	if (named->key != key)
		*named = (struct named){ key, pool_name(program, worker, key) };
	return named->id;
}

/* Before they are joined: each worker's names are its own. */
static void translate_sites(struct program *program, uint32_t worker)
{
	struct site_list *list = &program->workers[worker].sites.list;
	struct named *memo = memory_zeroed(NAME_MEMO, sizeof(*memo));

	for (size_t i = 0; i < list->functions.count; i++) {
		struct site_function *function = &list->functions.data[i];

		function->name = site_name(program, worker, function->name, memo);
		if (function->prototype)
			function->prototype = resolver_ref(program->resolver, function->group,
							   function->prototype);
	}
	free(memo);
}

static void join_sites(struct gathering *gathering)
{
	struct program *program = gathering->program;
	unsigned int jobs = program->options->jobs;
	struct site_position *next = memory_zeroed(jobs, sizeof(*next));

	for (uint32_t g = 0; g < program->groups.groups.count; g++) {
		unsigned int i = gathering->owner[g];

		append_sites(&program->sites, &program->workers[i].sites.list, g, &next[i]);
	}
	free(next);
}

static void gather_sites(struct gathering *gathering)
{
	struct program *program = gathering->program;

	for (unsigned int i = 0; i < program->options->jobs; i++) {
		translate_sites(program, i);
		add_site_counts(&program->sites.counts, &program->workers[i].sites.list.counts);
	}
	if (program->options->jobs > 1) {
		join_sites(gathering);
	} else {
		struct site_counts counts = program->sites.counts;

		program->sites = program->workers[0].sites.list;
		program->sites.counts = counts;
		program->workers[0].sites.list = (struct site_list){ 0 };
	}
	for (unsigned int i = 0; i < program->options->jobs; i++)
		site_list_release(&program->workers[i].sites.list);
}

/* ---- all ---- */

void program_gather_instances(struct program *program)
{
	struct gathering gathering = { .program = program };

	find_owners(&gathering);
	variable_sections_find(&gathering.sections, &program->object,
			       &program->options->features);
	bring_together(&gathering);
	translate_instances(&gathering);
	gather_sites(&gathering);
	variable_sections_release(&gathering.sections);
	free(gathering.owner);
}
