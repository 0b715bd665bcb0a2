/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Brings the workers' site nodes (encoder/sites/sites.h) into the merged table, and what refers to
 * them to their places there. Between merging and resolving: prototypes may refer to tags whose
 * meaning has yet to be found. What is a type, too, stays what it is; all else is born behind all
 * types.
 */
#include <string.h>

#include "encoder/passes.h"

struct site_merging {
	struct program *program;
	uint32_t worker;
	struct node_ref *nodes;		/* site node -> merged node */
};

/* Prototypes have names, and refer to the worker's types; lists of places to site nodes. */
static void translate(const struct site_merging *merging, uint32_t *words)
{
	struct program *program = merging->program;
	const struct name_table *names = &program->workers[merging->worker].reader.names;
	const struct merge_map *map = &program->sources[merging->worker].map;
	uint32_t info = words[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);
	bool is_prototype = btf_info_kind(info) == BTF_FUNC_PROTO;

	for (uint32_t i = 1, n = btf_name_count(info); i < n; i++) {
		uint32_t *name = &words[btf_name_word(kind, i)];

		*name = string_pool_add(&program->pool, name_table_text(names, *name)).index;
	}
	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
		uint32_t *ref = &words[btf_ref_word(kind, i)];

		*ref = is_prototype ? merge_map_ref(map, ref_of_word(*ref)).word
				    : merging->nodes[*ref].word;
	}
}

/* Which worker met a node first must not matter: what counts is the earliest. */
static void merge_nodes(struct site_merging *merging, struct node_table *from)
{
	struct node_table *table = &merging->program->table;

	merging->nodes = memory_zeroed(from->nodes.count, sizeof(*merging->nodes));
	for (uint32_t i = 1; i < from->nodes.count; i++) {
		uint32_t *words = from->words.data + from->starts.data[i];
		uint64_t first_seen = from->nodes.data[i].first_seen;
		struct type_node *merged;

		translate(merging, words);
		merging->nodes[i] = ref_to_node(node_table_intern(table, words, first_seen));
		merged = &table->nodes.data[ref_node(merging->nodes[i])];
		if (first_seen < merged->first_seen)
			merged->first_seen = first_seen;
	}
}

static void refer(const struct site_merging *merging, struct unit_worker *worker)
{
	struct site_list *list = &worker->sites.list;

	for (size_t i = 0; i < list->functions.count; i++)
		list->functions.data[i].prototype =
			merging->nodes[ref_node(list->functions.data[i].prototype)];
	for (size_t i = 0; i < list->sites.count; i++)
		list->sites.data[i].places =
			merging->nodes[ref_node(list->sites.data[i].places)];
	for (size_t i = 0; i < list->fragments.count; i++)
		list->fragments.data[i].site.places =
			merging->nodes[ref_node(list->fragments.data[i].site.places)];
	for (size_t i = 0; i < worker->instances.functions.count; i++) {
		struct collected_function *collected = &worker->instances.functions.data[i];

		collected->instance.places = merging->nodes[ref_node(collected->places)];
	}
}

void program_merge_sites(struct program *program)
{
	for (uint32_t i = 0; i < program->options->jobs; i++) {
		struct site_merging merging = { .program = program, .worker = i };
		struct unit_worker *worker = &program->workers[i];

		if (!worker->sites.known)
			continue;
		merge_nodes(&merging, &worker->sites.nodes);
		refer(&merging, worker);
		node_table_release(&worker->sites.nodes);
		free(merging.nodes);
	}
}
