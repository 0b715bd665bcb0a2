/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Gathering: the instances and sites of all workers become one list in the order of groups, which
 * does not depend on which worker read which group. Their names become ids of the pool, their types
 * resolved ones.
 *
 * A kernel's 43,000 functions take 3 ms, most of it for names that the pool does not have yet.
 */
#include "encoder/passes.h"

static struct pool_id pool_name(struct program *program, uint32_t worker, struct name_key key)
{
	return string_pool_add(&program->pool,
			       name_table_text(&program->workers[worker].reader.names, key.value));
}

/* The meaning of a worker's reference in a group, as a resolved type. */
static struct node_ref resolved(struct program *program, uint32_t worker, struct group_id group,
				struct node_ref ref)
{
	return resolver_ref(program->resolver, group,
			    merge_map_ref(&program->sources[worker].map, ref));
}

static struct node_ref merged_site_node(const struct program *program, uint32_t worker,
					struct site_node node)
{
	return node.index ? program->workers[worker].sites.merged[node.index] : REF_VOID;
}

/* ---- instances ---- */

/* Appends `count` annotations of a worker, and returns their first index. */
static uint32_t gather_annotations(struct program *program, uint32_t worker, uint32_t first,
				   uint32_t count)
{
	const struct collected_instances *from = &program->workers[worker].instances;
	uint32_t gathered = (uint32_t)program->instances.annotations.count;

	for (uint32_t i = first; i < first + count; i++) {
		const struct collected_annotation *read = &from->annotations.data[i];

		array_push(&program->instances.annotations, ((struct decl_annotation){
			pool_name(program, worker, read->value), read->component }));
	}
	return gathered;
}

static void gather_function(struct program *program, uint32_t worker,
			    const struct collected_function *from)
{
	const struct parameter_finding *findings =
		program->workers[worker].instances.findings.data;
	const char *name = name_table_text(&program->workers[worker].reader.names,
					   from->name.value);
	struct function_instance to = from->instance;
	const struct symbol *symbol = to.symbol == NO_SYMBOL
		? NULL : &program->symbols.symbols.data[to.symbol];

	/* The symbol's base name is the function's name, unless that has a suffix itself. */
	to.name = symbol && !name[symbol->base_length]
		? string_pool_add_hashed(&program->pool,
					 &(struct pool_string){ name, symbol->base_length,
								symbol->base_hash })
		: string_pool_add(&program->pool, name);
	to.prototype = resolved(program, worker, to.group, from->prototype);
	if (!ref_is_void(from->true_prototype))
		to.true_prototype = resolved(program, worker, to.group, from->true_prototype);
	to.locations = merged_site_node(program, worker, from->locations);
	to.first_annotation = gather_annotations(program, worker, to.first_annotation,
						 to.annotation_count);
	to.first_finding = (uint32_t)program->instances.findings.count;
	for (uint32_t i = 0; i < to.finding_count; i++)
		array_push(&program->instances.findings,
			   findings[from->instance.first_finding + i]);
	array_push(&program->instances.functions, to);
}

static void gather_variable(struct program *program, uint32_t worker,
			    const struct collected_variable *from)
{
	struct variable_instance to = from->instance;

	to.name = pool_name(program, worker, from->name);
	to.type = resolved(program, worker, to.group, from->type);
	to.first_annotation = gather_annotations(program, worker, to.first_annotation,
						 to.annotation_count);
	array_push(&program->instances.variables, to);
}

/*
 * A merge in the order of groups: each worker's list is sorted. The variables of sections that are
 * not written are left out, as a rule nearly all.
 */
static void gather_instances(struct program *program, const uint32_t *owner)
{
	unsigned int jobs = program->options->jobs;
	struct variable_sections sections;
	size_t functions = 0;
	struct next {
		size_t function, variable;
	} *next = memory_zeroed(jobs, sizeof(*next));

	variable_sections_find(&sections, &program->object, &program->options->features);
	for (unsigned int i = 0; i < jobs; i++)
		functions += program->workers[i].instances.functions.count;
	array_reserve(&program->instances.functions, functions);
	for (uint32_t g = 0; g < program->groups.groups.count; g++) {
		uint32_t worker = owner[g];
		const struct collected_instances *from = &program->workers[worker].instances;
		size_t *function = &next[worker].function, *variable = &next[worker].variable;

		for (; *function < from->functions.count &&
		       from->functions.data[*function].instance.group.index == g; (*function)++)
			gather_function(program, worker, &from->functions.data[*function]);
		for (; *variable < from->variables.count &&
		       from->variables.data[*variable].instance.group.index == g; (*variable)++) {
			const struct collected_variable *read = &from->variables.data[*variable];

			if (variable_section(&sections, &program->object, read->instance.address))
				gather_variable(program, worker, read);
		}
	}
	for (unsigned int i = 0; i < jobs; i++)
		collected_instances_release(&program->workers[i].instances);
	array_release(&sections.indices);
	free(next);
}

/* ---- sites ---- */

/*
 * Each unit has the functions of the same headers again, by the same name key: the last one of each
 * hash is kept with its id.
 */
#define NAME_MEMO 16384

struct named {
	struct name_key key;
	struct pool_id id;
};

/* The next in a worker's lists. */
struct site_position {
	size_t function;
	size_t site;
	size_t fragment;
	struct named *memo;		/* NAME_MEMO */
};

static void gather_site_function(struct program *program, uint32_t worker,
				 const struct collected_site_function *from, struct named *memo)
{
	struct named *named = &memo[from->name.value * 0x9e3779b1u >> 18];
	struct site_function to = from->function;

	if (named->key.value != from->name.value)
		*named = (struct named){ from->name, pool_name(program, worker, from->name) };
	to.name = named->id;
	if (from->prototype.index)
		to.prototype = resolver_ref(program->resolver, to.group,
					    merged_site_node(program, worker, from->prototype));
	array_push(&program->sites.functions, to);
}

/* Appends what one worker has of a group. */
static void gather_group_sites(struct program *program, uint32_t worker, struct group_id group,
			       struct site_position *next)
{
	const struct collected_sites *from = &program->workers[worker].sites.list;
	struct site_list *to = &program->sites;
	uint32_t shift = (uint32_t)(to->functions.count - next->function);

	for (; next->function < from->functions.count &&
	       from->functions.data[next->function].function.group.index == group.index;
	     next->function++)
		gather_site_function(program, worker, &from->functions.data[next->function],
				     next->memo);
	for (; next->site < from->sites.count &&
	       from->sites.data[next->site].function < next->function; next->site++) {
		const struct collected_site *site = &from->sites.data[next->site];

		array_push(&to->sites, ((struct site){
			site->address, site->function + shift,
			merged_site_node(program, worker, site->locations) }));
		if (from->sources.count)
			array_push(&to->sources, from->sources.data[next->site]);
	}
	for (; next->fragment < from->fragments.count &&
	       from->fragments.data[next->fragment].site.function < next->function;
	     next->fragment++) {
		const struct collected_fragment *fragment = &from->fragments.data[next->fragment];
		const struct collected_site *site = &fragment->site;

		array_push(&to->fragments, ((struct site_fragment){
			{ site->address, site->function + shift,
			  merged_site_node(program, worker, site->locations) },
			fragment->symbol }));
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
	for (int i = 0; i < LOC_PARAM_COUNT; i++)
		to->locations[i] += from->locations[i];
	to->entries_kept += from->entries_kept;
	to->frames_resolved += from->frames_resolved;
}

static void gather_sites(struct program *program, const uint32_t *owner)
{
	unsigned int jobs = program->options->jobs;
	struct site_position *next = memory_zeroed(jobs, sizeof(*next));

	for (unsigned int i = 0; i < jobs; i++)
		next[i].memo = memory_zeroed(NAME_MEMO, sizeof(*next->memo));
	for (uint32_t g = 0; g < program->groups.groups.count; g++)
		gather_group_sites(program, owner[g], (struct group_id){ g }, &next[owner[g]]);
	for (unsigned int i = 0; i < jobs; i++) {
		struct collected_sites *list = &program->workers[i].sites.list;

		add_site_counts(&program->sites.counts, &list->counts);
		collected_sites_release(list);
		free(next[i].memo);
	}
	free(next);
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
	uint32_t *owner = memory_zeroed(program->groups.groups.count, sizeof(uint32_t));

	for (unsigned int i = 0; i < program->options->jobs; i++) {
		const struct collector *collector = &program->workers[i].collector;

		for (size_t g = 0; g < collector->groups.count; g++)
			owner[collector->groups.data[g].group.index] = i;
	}
	gather_instances(program, owner);
	gather_sites(program, owner);
	free(owner);
}
