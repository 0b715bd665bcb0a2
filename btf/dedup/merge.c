/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Equal keys are equal names, but two keys of a source may be one name, too: an *alias* (inline in
 * one place, in .debug_str in another). A source without aliases can be renamed in place: that is
 * one to one, so its nodes stay distinct and its references as they are. So the largest source
 * gives its table away, unless it has aliases; the nodes of all others are interned one by one.
 *
 * Results do not depend on whose table it was: the merged table is the same set of nodes, and
 * what orders them, where they were first seen and marks, is the smallest and the union of what the
 * sources have.
 */
#include "btf/dedup/merge.h"

#include <string.h>

#include "base/hash.h"

#define TEXTS_AHEAD 16	/* so many texts are on their way from memory */

/* ---- names ---- */

static void name_map_release(struct name_map *map)
{
	hash_table_release(&map->numbers);
	array_release(&map->keys);
	array_release(&map->strings);
	array_release(&map->ids);
	*map = (struct name_map){ 0 };
}

/* The number of a key, 0 for key 0. */
static inline uint32_t name_map_number(struct name_map *map, uint32_t key)
{
	uint32_t hash = hash_number(key), number;

	if (!key)
		return 0;
	number = hash_table_value(hash_table_first(&map->numbers, hash));
	if (!number) {
		number = (uint32_t)map->keys.count;
		array_push(&map->keys, key);
		hash_table_add(&map->numbers, hash, number);
	}
	return number;
}

typedef uint32_t (*rename_function)(struct name_map *names, uint32_t name);

/* 185,000 names in 540,000 words of a kernel: 2 ms to number them, and 0.4 to replace them. */
static inline __attribute__((always_inline)) void
rename_table(struct node_table *table, struct name_map *names, rename_function rename)
{
	uint32_t *next = table->words.data, *end = next + table->words.count;

	while (next < end) {
		uint32_t *words = next + 1;

		next = words + btf_record_words(words[BTF_WORD_INFO]);
		btf_each_name(word, words)
			words[word] = rename(names, words[word]);
	}
	for (size_t t = 0; t < table->tags.count; t++)
		table->tags.data[t].name = rename(names, table->tags.data[t].name);
}

static inline uint32_t id_of_number(struct name_map *names, uint32_t number)
{
	return names->ids.data[number].index;
}

/*
 * Room for a name per node, as in a kernel: growing while another thread runs costs more than it
 * should. The texts of 55,000 names: 2 ms, most of it waiting, in spite of asking ahead.
 */
void merge_prepare(struct merge_source *source)
{
	struct node_table *table = &source->collector->table;
	struct name_map *names = &source->numbered;

	hash_table_reserve(&names->numbers, table->nodes.count);
	array_reserve(&names->keys, table->nodes.count + 1);
	array_push(&names->keys, 0);
	rename_table(table, names, name_map_number);
	array_reserve(&names->strings, names->keys.count);
	array_push(&names->strings, pool_string(""));
	for (size_t i = 1; i < names->keys.count && source->name_bytes <= MERGE_NAME_BYTES; i++) {
		const uint32_t *keys = names->keys.data;

		if (i + TEXTS_AHEAD < names->keys.count)
			__builtin_prefetch(source->name_text(source->names, keys[i + TEXTS_AHEAD]));
		array_push(&names->strings,
			   pool_string(source->name_text(source->names, keys[i])));
		source->name_bytes += names->strings.data[i].length;
	}
}

/* The numbers become ids of the pool. */
static void add_names(struct merge_source *source, struct string_pool *pool)
{
	const struct node_table *table = &source->collector->table;
	struct name_map *names = &source->numbered;
	bool is_identity = true, *seen;

	if (!names->keys.count)
		merge_prepare(source);
	array_reserve(&names->ids, names->strings.count);
	string_pool_add_all(pool, names->strings.data, names->strings.count, names->ids.data);
	seen = memory_zeroed(pool->strings.count, sizeof(bool));
	source->has_aliases = false;
	for (uint32_t i = 0; i < names->strings.count; i++) {
		uint32_t id = names->ids.data[i].index;

		is_identity &= id == i;
		source->has_aliases |= seen[id];
		seen[id] = true;
	}
	free(seen);
	if (!is_identity)
		rename_table(&source->collector->table, names, id_of_number);
	name_map_release(names);
	source->map = (struct merge_map){
		.nodes = memory_alloc(table->nodes.count * sizeof(uint32_t)),
		.tags = memory_alloc(table->tags.count * sizeof(uint32_t)) };
}

/*
 * One group may have one name under two keys and define it under both: then these are two
 * definitions, and the second key's tag becomes a variant. Across groups it does not matter: there
 * the name is what counts.
 */
static void split_keys(struct node_table *table, struct merge_source *source)
{
	const struct collector *from = source->collector;
	uint32_t *group_of = memory_alloc(table->tags.count * sizeof(uint32_t));
	uint32_t *tag_of = memory_alloc(table->tags.count * sizeof(uint32_t));
	size_t known = table->tags.count;

	memset(group_of, 0xff, known * sizeof(uint32_t));
	for (size_t g = 0; g < from->groups.count; g++) {
		struct definition entry;
		struct entry_walk walk;

		entry_walk_start(&walk, from, &from->groups.data[g], NULL);
		while (entry_walk_next(&walk, &entry)) {
			uint32_t local = entry.tag;
			uint32_t tag = local == TAG_NONE ? TAG_NONE : source->map.tags[local];

			if (tag >= known)
				continue;	/* a root, or split already */
			if (group_of[tag] == g && tag_of[tag] != local) {
				struct tag like = table->tags.data[tag];

				source->map.tags[local] = node_table_tag(
					table, (enum btf_kind)like.kind, like.name,
					TAG_VARIANT_KEYS | local);
				continue;
			}
			group_of[tag] = (uint32_t)g;
			tag_of[tag] = local;
		}
	}
	free(group_of);
	free(tag_of);
}

static void merge_definition(struct node_table *table, uint32_t tag, uint32_t node)
{
	struct tag *merged = &table->tags.data[tag];

	if (!merged->definition)
		merged->definition = node;
	else if (merged->definition != node)
		merged->ambiguous = true;
}

/* With aliases, what is ambiguous by key need not be so by name: look at each of them again. */
static void merge_definitions(struct node_table *table, const struct merge_source *source)
{
	const struct collector *from = source->collector;
	bool look_again = false;

	for (uint32_t i = 0; i < from->table.tags.count; i++) {
		const struct tag *tag = &from->table.tags.data[i];

		if (!tag->definition)
			continue;
		merge_definition(table, source->map.tags[i], source->map.nodes[tag->definition]);
		if (tag->ambiguous && source->has_aliases)
			look_again = true;
		else if (tag->ambiguous)
			table->tags.data[source->map.tags[i]].ambiguous = true;
	}
	for (size_t g = 0; look_again && g < from->groups.count; g++) {
		struct definition entry;
		struct entry_walk walk;

		entry_walk_start(&walk, from, &from->groups.data[g], NULL);
		while (entry_walk_next(&walk, &entry)) {
			if (entry.tag != TAG_NONE && from->table.tags.data[entry.tag].ambiguous)
				merge_definition(table, source->map.tags[entry.tag],
						 source->map.nodes[entry.node]);
		}
	}
}

/* Interns what a source has: tags, then nodes, in the order of ids: references ascend. */
static void absorb(struct node_table *table, struct merge_source *source)
{
	struct node_table *from = &source->collector->table;

	for (uint32_t i = 0; i < from->tags.count; i++) {
		const struct tag *tag = &from->tags.data[i];

		source->map.tags[i] = node_table_tag(table, (enum btf_kind)tag->kind, tag->name,
						     tag->variant);
	}
	if (source->has_aliases)
		split_keys(table, source);
	source->map.nodes[0] = 0;
	for (uint32_t i = 1; i < from->nodes.count; i++) {
		const struct type_node *node = &from->nodes.data[i];
		uint32_t *words = from->words.data + from->starts.data[i];
		struct type_node *merged;
		uint32_t id;

		btf_each_ref(word, words)
			words[word] = merge_map_ref(&source->map, ref_of_word(words[word])).word;
		id = node_table_intern(table, words, node->first_seen);
		merged = &table->nodes.data[id];
		merged->is_root |= node->is_root;
		if (node->first_seen < merged->first_seen)
			merged->first_seen = node->first_seen;
		source->map.nodes[i] = id;
	}
	merge_definitions(table, source);
	node_table_release(from);
}

/* The largest source comes first, so that its numbers are ids where the pool was empty. */
void collectors_merge(struct node_table *table, struct string_pool *pool,
		      struct merge_source *sources, size_t source_count)
{
	struct merge_source *first = sources;

	for (size_t i = 1; i < source_count; i++) {
		if (sources[i].collector->table.nodes.count >
		    first->collector->table.nodes.count)
			first = &sources[i];
	}
	add_names(first, pool);
	if (first->has_aliases) {
		absorb(table, first);
	} else {
		node_table_release(table);
		*table = first->collector->table;
		first->collector->table = (struct node_table){ 0 };
		node_table_reindex(table);
		for (uint32_t i = 0; i < table->nodes.count; i++)
			first->map.nodes[i] = i;
		for (uint32_t i = 0; i < table->tags.count; i++)
			first->map.tags[i] = i;
	}
	for (struct merge_source *source = sources; source < sources + source_count; source++) {
		if (source == first)
			continue;
		add_names(source, pool);
		absorb(table, source);
	}
}

void merge_source_release(struct merge_source *source)
{
	name_map_release(&source->numbered);
	free(source->map.nodes);
	free(source->map.tags);
	source->map = (struct merge_map){ 0 };
}
