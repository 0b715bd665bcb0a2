/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Gathering: the site nodes of all workers are merged, after their types; then, when these are
 * resolved, the instances and sites of all workers become one list in the order of groups, which
 * does not depend on which worker read which group. Their names become ids of the pool, their types
 * resolved ones.
 *
 * A kernel's 43,000 functions take 3 ms, most of it for names that the pool does not have yet.
 */
#include <elf.h>
#include <string.h>

#include "encoder/passes.h"

#define PERCPU_SECTION ".data..percpu"

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

/* ---- site nodes ---- */

/* Prototypes have names, and refer to the worker's types; lists of locations to site nodes. */
static void translate(struct program *program, uint32_t worker, const uint32_t *from, uint32_t *to)
{
	memcpy(to, from, btf_record_words(from[BTF_WORD_INFO]) * sizeof(*to));
	btf_each_name(word, from) {
		if (from[word])
			to[word] = pool_name(program, worker,
					     (struct name_key){ from[word] }).index;
	}
	btf_each_ref(word, from) {
		struct node_ref ref = ref_of_word(from[word]);

		ref = btf_info_kind(from[BTF_WORD_INFO]) == BTF_FUNC_PROTO
			      ? merge_map_ref(&program->sources[worker].map, ref)
			      : merged_site_node(program, worker, (struct site_node){ ref.word });
		to[word] = ref.word;
	}
}

/*
 * Between merging and resolving: prototypes may refer to named types that are not resolved yet. A
 * prototype that is a type, too, is that type; all other nodes are first seen after all types.
 */
void program_merge_sites(struct program *program)
{
	struct node_table *table = &program->table;
	ARRAY_OF(uint32_t) words = { 0 };
	size_t nodes = 0;

	program->first_site_node = (uint32_t)table->nodes.count;
	for (uint32_t w = 0; w < program->options->jobs; w++)
		nodes += program->workers[w].sites.nodes.nodes.count;
	hash_table_reserve(&table->by_words, nodes);
	for (uint32_t w = 0; w < program->options->jobs; w++) {
		struct site_collector *sites = &program->workers[w].sites;
		const struct node_table *from = &sites->nodes;

		if (!sites->known)
			continue;
		sites->merged = memory_zeroed(from->nodes.count, sizeof(*sites->merged));
		for (uint32_t i = 1; i < from->nodes.count; i++) {
			uint64_t first_seen = from->nodes.data[i].first_seen;
			struct type_node *merged;
			uint32_t node;

			array_reserve(&words,
				      btf_record_words(node_words(from, i)[BTF_WORD_INFO]));
			translate(program, w, node_words(from, i), words.data);
			node = node_table_intern(table, words.data, first_seen);
			sites->merged[i] = ref_to_node(node);
			/* The earliest counts, whichever worker was first. */
			merged = &table->nodes.data[node];
			if (first_seen < merged->first_seen)
				merged->first_seen = first_seen;
		}
		node_table_release(&sites->nodes);
	}
	array_release(&words);
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
	const struct parameter_findings *findings = &program->workers[worker].instances.findings;
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
	for (uint32_t i = 0; i < to.finding_count; i++) {
		const struct parameter_finding *finding =
			&findings->data[from->instance.first_finding + i];

		parameter_findings_add(&program->instances.findings, *finding,
				       parameter_finding_pieces(findings, finding));
	}
	array_push(&program->instances.functions, to);
}

/* The sections with variables that are written, by the features var and global_var. */
typedef ARRAY_OF(uint32_t) section_list;

/* Sections without SHF_ALLOC have no addresses, even if they say 0; SHF_TLS is a template only. */
static section_list variable_sections(const struct object *object, const struct features *features)
{
	section_list sections = { 0 };

	for (uint32_t i = 1; i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];
		bool is_percpu = strcmp(header->name, PERCPU_SECTION) == 0;
		bool has_data = header->type == SHT_PROGBITS || header->type == SHT_NOBITS;
		size_t length = 0;

		/* The kernel wants printable characters in a DATASEC's name, and not too many. */
		while (header->name[length] > ' ' && header->name[length] <= '~')
			length++;
		if (header->name[length] || !length || length >= BTF_NAME_BYTES_MAX)
			continue;
		if (!(header->flags & SHF_ALLOC) || header->flags & SHF_TLS || !has_data)
			continue;
		if (features->feature_global_var || (features->feature_var && is_percpu))
			array_push(&sections, i);
	}
	return sections;
}

/* A variable that is in none of the sections, as a rule nearly all, is left out. */
static void gather_variable(struct program *program, uint32_t worker,
			    const struct collected_variable *from, const section_list *sections)
{
	const struct section_header *headers = program->object.headers;
	struct variable_instance to = from->instance;
	size_t i = 0;

	while (i < sections->count && to.address - headers[sections->data[i]].address >=
					      headers[sections->data[i]].size)
		i++;
	if (i == sections->count)
		return;
	to.section = sections->data[i];
	to.name = pool_name(program, worker, from->name);
	to.type = resolved(program, worker, to.group, from->type);
	to.first_annotation = gather_annotations(program, worker, to.first_annotation,
						 to.annotation_count);
	array_push(&program->instances.variables, to);
}

/* A merge in the order of groups: each worker's list is sorted. */
static void gather_instances(struct program *program, const uint32_t *owner)
{
	unsigned int jobs = program->options->jobs;
	section_list sections = variable_sections(&program->object, &program->options->features);
	size_t functions = 0;
	struct next {
		size_t function, variable;
	} *next = memory_zeroed(jobs, sizeof(*next));

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
		       from->variables.data[*variable].instance.group.index == g; (*variable)++)
			gather_variable(program, worker, &from->variables.data[*variable],
					&sections);
	}
	for (unsigned int i = 0; i < jobs; i++) {
		array_move(&program->registrations, &program->workers[i].registrations, 0);
		collected_instances_release(&program->workers[i].instances);
	}
	array_release(&sections);
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

/* Appends what one worker has of a group. */
static void gather_group_sites(struct program *program, uint32_t worker, struct group_id group,
			       struct site_position *next)
{
	const struct collected_sites *from = &program->workers[worker].sites.list;
	struct site_list *to = &program->sites;
	uint32_t shift = (uint32_t)(to->functions.count - next->function);

	for (; next->function < from->functions.count &&
	       from->functions.data[next->function].function.group.index == group.index;
	     next->function++) {
		const struct collected_site_function *read =
			&from->functions.data[next->function];
		struct named *named = &next->memo[read->name.value * 0x9e3779b1u >> 18];
		struct site_function function = read->function;

		if (named->key.value != read->name.value)
			*named = (struct named){ read->name,
						 pool_name(program, worker, read->name) };
		function.name = named->id;
		if (read->prototype.index)
			function.prototype =
				resolver_ref(program->resolver, group,
					     merged_site_node(program, worker, read->prototype));
		array_push(&to->functions, function);
	}
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

/* Numbers of 64 bits are all that it has. */
static void add_site_counts(struct site_counts *to, const struct site_counts *from)
{
	for (size_t i = 0; i < sizeof(*to) / sizeof(uint64_t); i++)
		((uint64_t *)to)[i] += ((const uint64_t *)from)[i];
}

static void gather_sites(struct program *program, const uint32_t *owner)
{
	unsigned int jobs = program->options->jobs;
	struct site_position *next = memory_zeroed(jobs, sizeof(*next));
	size_t functions = 0, sites = 0;

	for (unsigned int i = 0; i < jobs; i++) {
		functions += program->workers[i].sites.list.functions.count;
		sites += program->workers[i].sites.list.sites.count;
	}
	array_reserve(&program->sites.functions, functions);
	array_reserve(&program->sites.sites, sites);
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
	parameter_findings_release(&instances->findings);
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
