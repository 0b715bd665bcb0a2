/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Adds the workers' site nodes (encoder/sites/sites.h) to the merged table. Between merging and
 * resolving: prototypes may refer to named types that are not resolved yet. A prototype that is a
 * type, too, is that type; all other nodes are first seen after all types.
 */
#include <string.h>

#include "encoder/passes.h"

/* Prototypes have names, and refer to the worker's types; lists of locations to site nodes. */
static void translate(struct program *program, uint32_t number, const uint32_t *from, uint32_t *to)
{
	const struct unit_worker *worker = &program->workers[number];
	uint32_t info = from[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);

	memcpy(to, from, btf_record_words(info) * sizeof(*to));
	for (uint32_t i = 1, n = btf_name_count(info); i < n; i++) {
		uint32_t word = btf_name_word(kind, i);
		const char *name = name_table_text(&worker->reader.names, from[word]);

		to[word] = string_pool_add(&program->pool, name).index;
	}
	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
		uint32_t word = btf_ref_word(kind, i);
		struct node_ref ref = btf_info_kind(info) == BTF_FUNC_PROTO
			? merge_map_ref(&program->sources[number].map, ref_of_word(from[word]))
			: worker->sites.merged[from[word]];

		to[word] = ref.word;
	}
}

void program_merge_sites(struct program *program)
{
	struct node_table *table = &program->table;
	ARRAY_OF(uint32_t) words = { 0 };

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
