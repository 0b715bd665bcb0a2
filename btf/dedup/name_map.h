/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * From the name keys of one source to the ids of a string pool. Keys are numbered densely in the
 * order in which they are first asked for; so their texts can be looked up all at once, and each
 * thereafter by its number.
 */
#ifndef BTFENC_BTF_DEDUP_NAME_MAP_H
#define BTFENC_BTF_DEDUP_NAME_MAP_H

#include <stdbool.h>

#include "base/hash.h"
#include "btf/string_pool.h"

/* The characters of a name key; they outlive the pool. */
typedef const char *(*name_text_function)(const void *names, uint32_t key);

struct name_map {
	struct hash_table numbers;	/* by hash_number() of the key */
	ARRAY_OF(uint32_t) keys;	/* by number; [0] is no name */
	ARRAY_OF(struct pool_string) strings;	/* by number, once measured */
	ARRAY_OF(struct pool_id) ids;	/* by number, once added to a pool */
	bool is_identity;		/* each id is the number */
	bool has_aliases;		/* two keys are the same name, or a key is none */
};

/* Room for about that many names: growing while another thread runs costs more than it should. */
void name_map_init(struct name_map *map, size_t names);
void name_map_release(struct name_map *map);

/* Looks at the texts of all keys numbered so far. */
void name_map_measure(struct name_map *map, const void *names, name_text_function text);

/* Adds what was measured to the pool, and finds out what is the same. */
void name_map_add(struct name_map *map, struct string_pool *pool);

uint32_t name_map_new(struct name_map *map, uint32_t key);

/* The number of a key, 0 for key 0. Inline: the caller loops over all names of a kernel. */
static inline uint32_t name_map_number(struct name_map *map, uint32_t key)
{
	uint32_t number;

	if (!key)
		return 0;
	number = hash_table_value(hash_table_first(&map->numbers, hash_number(key)));
	return number ? number : name_map_new(map, key);
}

#endif
