/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The workers' tables become one, with names as ids of one string pool.
 *
 * The largest table is not copied but taken as it is, with its names replaced; the others' nodes
 * are interned in it. So one worker's table is only renamed.
 */
#ifndef BTFENC_BTF_DEDUP_MERGE_H
#define BTFENC_BTF_DEDUP_MERGE_H

#include "btf/dedup/collector.h"
#include "btf/string_pool.h"

/* The characters of a name key; they outlive the pool. */
typedef const char *(*name_text_function)(const void *names, uint32_t key);

/*
 * From the name keys of one source to the ids of a string pool. Keys are numbered densely in the
 * order in which they are first asked for; so their texts can be looked up all at once, and each
 * thereafter by its number.
 */
struct name_map {
	struct hash_table numbers;	/* by hash_number() of the key */
	ARRAY_OF(uint32_t) keys;	/* by number; [0] is unused */
	ARRAY_OF(struct pool_string) strings;	/* by number, when all have one */
	ARRAY_OF(struct pool_id) ids;	/* by number, when they are in a pool */
};

/* More than any BTF: it has 16 MiB of strings. Ends of one string may be names by themselves. */
#define MERGE_NAME_BYTES (256u << 20)

/* From the ids of one collector to those of the merged table. */
struct merge_map {
	uint32_t *nodes;
	uint32_t *tags;
};

struct merge_source {
	struct collector *collector;	/* merging empties its table; its lists stay */
	const void *names;
	name_text_function name_text;
	struct name_map numbered;	/* its names, from merge_prepare() to the merge */
	uint64_t name_bytes;		/* of all names, or more than MERGE_NAME_BYTES */
	bool has_aliases;		/* two keys are the same name, or a key is none */
	struct merge_map map;		/* filled by collectors_merge(); owned by the source */
};

/*
 * The part of the merge that a complete source needs for itself: each may have a thread of
 * its own. Its table then has numbers for names, and is good for merging only, or, where name_bytes
 * exceeds MERGE_NAME_BYTES, for nothing.
 */
void merge_prepare(struct merge_source *source);

/*
 * Merges all collectors, at least one, into `table`, an empty one, whose names are ids of `pool`.
 * Nodes that differed only in name keys of equal names become one here. Which worker had which
 * group does not matter. Sources that are not prepared are so first.
 */
void collectors_merge(struct node_table *table, struct string_pool *pool,
		      struct merge_source *sources, size_t source_count);
void merge_source_release(struct merge_source *source);

static inline struct node_ref merge_map_ref(const struct merge_map *map, struct node_ref ref)
{
	return ref_is_tag(ref) ? ref_to_tag(map->tags[ref_tag(ref)])
			       : ref_to_node(map->nodes[ref_node(ref)]);
}

#endif
