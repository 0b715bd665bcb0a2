/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Gathering: the instances of all workers become one list in the order of groups, which does not
 * depend on who read which group. Their names become ids of the pool, their types resolved ones.
 *
 * A kernel's 43,000 functions take 3 ms, most of it for names that the pool has not seen yet.
 */
#include "encoder/passes.h"

#include <string.h>

#include "encoder/variables.h"

struct gathering {
	struct program *program;
	uint32_t *owner;		/* by group: the worker that has read it */
	struct variable_sections sections;
};

/* ---- instances ---- */

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

static struct pool_id pool_name(struct program *program, uint32_t worker, struct name_key key)
{
	return string_pool_add(&program->pool,
			       name_table_text(&program->workers[worker].reader.names, key.value));
}

/* The symbol's base name is the function's name, unless that has a suffix itself. */
static struct pool_id function_name(struct program *program, uint32_t worker,
				    const struct collected_function *function)
{
	const char *text =
		name_table_text(&program->workers[worker].reader.names, function->name.value);
	const struct symbol *symbol;

	if (function->instance.symbol == NO_SYMBOL)
		return string_pool_add(&program->pool, text);
	symbol = &program->symbols.symbols.data[function->instance.symbol];
	if (text[symbol->base_length])
		return string_pool_add(&program->pool, text);
	return string_pool_add_hashed(&program->pool,
				      &(struct pool_string){ text, symbol->base_length,
							     symbol->base_hash });
}

/* What a worker's reference means in its group, as a resolved type. */
static struct node_ref resolved(struct program *program, uint32_t worker, uint32_t group,
				struct node_ref ref)
{
	return resolver_ref(program->resolver, group,
			    merge_map_ref(&program->sources[worker].map, ref));
}

/* Appends a worker's annotations [*first, *first + count); *first is where they stand then. */
static void gather_annotations(struct program *program, uint32_t worker, uint32_t *first,
			       uint32_t count)
{
	const struct collected_instances *from = &program->workers[worker].instances;
	uint32_t next = *first;

	*first = (uint32_t)program->instances.annotations.count;
	for (uint32_t end = next + count; next < end; next++) {
		const struct collected_annotation *read = &from->annotations.data[next];

		array_push(&program->instances.annotations, ((struct decl_annotation){
			pool_name(program, worker, read->value), read->component }));
	}
}

static void gather_function(struct program *program, uint32_t worker,
			    const struct collected_function *from)
{
	const struct collected_instances *all = &program->workers[worker].instances;
	uint32_t finding = from->instance.first_finding;
	struct function_instance to = from->instance;

	to.name = function_name(program, worker, from);
	to.prototype = resolved(program, worker, to.group, from->prototype);
	if (!ref_is_void(from->true_prototype))
		to.true_prototype = resolved(program, worker, to.group, from->true_prototype);
	gather_annotations(program, worker, &to.first_annotation, to.annotation_count);
	to.first_finding = (uint32_t)program->instances.findings.count;
	for (uint32_t i = 0; i < to.finding_count; i++)
		array_push(&program->instances.findings, all->findings.data[finding + i]);
	array_push(&program->instances.functions, to);
}

static void gather_variable(struct program *program, uint32_t worker,
			    const struct collected_variable *from)
{
	struct variable_instance to = from->instance;

	to.name = pool_name(program, worker, from->name);
	to.type = resolved(program, worker, to.group, from->type);
	gather_annotations(program, worker, &to.first_annotation, to.annotation_count);
	array_push(&program->instances.variables, to);
}

/*
 * A merge in the order of groups: each worker's list is sorted. The variables of sections that are
 * not written are left out, as a rule nearly all.
 */
static void gather_instances(const struct gathering *gathering)
{
	struct program *program = gathering->program;
	unsigned int jobs = program->options->jobs;
	size_t functions = 0;
	struct next {
		size_t function, variable;
	} *next = memory_zeroed(jobs, sizeof(*next));

	for (unsigned int i = 0; i < jobs; i++)
		functions += program->workers[i].instances.functions.count;
	array_reserve(&program->instances.functions, functions);
	for (uint32_t g = 0; g < program->groups.groups.count; g++) {
		uint32_t worker = gathering->owner[g];
		const struct collected_instances *from = &program->workers[worker].instances;
		size_t *function = &next[worker].function, *variable = &next[worker].variable;

		for (; *function < from->functions.count &&
		       from->functions.data[*function].instance.group == g; (*function)++)
			gather_function(program, worker, &from->functions.data[*function]);
		for (; *variable < from->variables.count &&
		       from->variables.data[*variable].instance.group == g; (*variable)++) {
			const struct collected_variable *read = &from->variables.data[*variable];

			if (variable_section(&gathering->sections, &program->object,
					     read->instance.address))
				gather_variable(program, worker, read);
		}
	}
	for (unsigned int i = 0; i < jobs; i++)
		collected_instances_release(&program->workers[i].instances);
	free(next);
}

/* ---- sites ---- */

/* Appends what one worker has of a group; its sites' functions stand at `functions` then. */
struct site_position {
	size_t function;
	size_t site;
	size_t fragment;
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
	for (; next->fragment < from->fragments.count &&
	       from->fragments.data[next->fragment].site.function < end; next->fragment++) {
		struct site_fragment fragment = from->fragments.data[next->fragment];

		fragment.site.function += shift;
		array_push(&to->fragments, fragment);
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
	struct name_key key;
	struct pool_id id;
};

static struct pool_id site_name(struct program *program, uint32_t worker, struct name_key key,
				struct named *memo)
{
	struct named *named = &memo[key.value * 0x9e3779b1u >> 18];

	if (named->key.value != key.value)
		*named = (struct named){ key, pool_name(program, worker, key) };
	return named->id;
}

/* Before they are joined: each worker's names are its own. */
static void translate_sites(struct program *program, uint32_t worker)
{
	const struct site_collector *collector = &program->workers[worker].sites;
	const struct site_list *list = &collector->list;
	struct named *memo = memory_zeroed(NAME_MEMO, sizeof(*memo));

	for (size_t i = 0; i < list->functions.count; i++) {
		struct site_function *function = &list->functions.data[i];

		function->name = site_name(program, worker, collector->names.data[i], memo);
		if (!ref_is_void(function->prototype))
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

void instances_release(struct instances *instances)
{
	array_release(&instances->functions);
	array_release(&instances->variables);
	array_release(&instances->annotations);
	array_release(&instances->findings);
}

void program_gather_instances(struct program *program)
{
	struct gathering gathering = { .program = program };

	find_owners(&gathering);
	variable_sections_find(&gathering.sections, &program->object,
			       &program->options->features);
	gather_instances(&gathering);
	gather_sites(&gathering);
	variable_sections_release(&gathering.sections);
	free(gathering.owner);
}
