/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/name_map.h"

#include <string.h>

#define TEXTS_AHEAD 16	/* so many texts are on their way from memory */

void name_map_init(struct name_map *map, size_t names)
{
	*map = (struct name_map){ 0 };
	hash_table_reserve(&map->numbers, names);
	array_reserve(&map->keys, names + 1);
	array_push(&map->keys, 0);
}

void name_map_release(struct name_map *map)
{
	hash_table_release(&map->numbers);
	array_release(&map->keys);
	array_release(&map->strings);
	array_release(&map->ids);
	*map = (struct name_map){ 0 };
}

uint32_t name_map_new(struct name_map *map, uint32_t key)
{
	uint32_t number = (uint32_t)map->keys.count;

	array_push(&map->keys, key);
	hash_table_add(&map->numbers, hash_number(key), number);
	return number;
}

/* 55,000 names of a kernel: 2 ms, most of it waiting, in spite of asking ahead. */
void name_map_measure(struct name_map *map, const void *names, name_text_function text)
{
	size_t count = map->keys.count;

	array_reserve(&map->strings, count - map->strings.count);
	for (size_t i = map->strings.count; i < count; i++) {
		if (i + TEXTS_AHEAD < count)
			__builtin_prefetch(text(names, map->keys.data[i + TEXTS_AHEAD]));
		map->strings.data[i] =
			pool_string(map->keys.data[i] ? text(names, map->keys.data[i]) : "");
	}
	map->strings.count = count;
}

void name_map_add(struct name_map *map, struct string_pool *pool)
{
	uint32_t count = (uint32_t)map->strings.count;
	bool *seen;

	array_reserve(&map->ids, count);
	map->ids.count = count;
	string_pool_add_all(pool, map->strings.data, count, map->ids.data);
	array_release(&map->strings);
	map->is_identity = true;
	for (uint32_t i = 0; i < count; i++)
		map->is_identity &= map->ids.data[i].index == i;
	if (map->is_identity)
		return;
	seen = memory_zeroed(pool->strings.count, sizeof(bool));
	for (uint32_t i = 0; i < count; i++) {
		map->has_aliases |= seen[map->ids.data[i].index];
		seen[map->ids.data[i].index] = true;
	}
	free(seen);
}
