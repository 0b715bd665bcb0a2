/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/name_map.h"

#include <string.h>

#define SLOT_BITS_MIN 8
#define TEXTS_AHEAD 16	/* so many texts are on their way from memory */

static void make_slots(struct name_map *map, uint32_t bits)
{
	free(map->slots);
	map->slots = memory_zeroed((size_t)1 << bits, sizeof(uint64_t));
	map->shift = 32 - bits;
}

void name_map_init(struct name_map *map, size_t names)
{
	uint32_t bits = SLOT_BITS_MIN;

	*map = (struct name_map){ 0 };
	while (names >> (bits - 1))
		bits++;
	make_slots(map, bits);
	array_reserve(&map->keys, names + 1);
	array_push(&map->keys, 0);
}

void name_map_release(struct name_map *map)
{
	free(map->slots);
	array_release(&map->keys);
	array_release(&map->strings);
	array_release(&map->ids);
	*map = (struct name_map){ 0 };
}

static void store(struct name_map *map, uint32_t number)
{
	uint32_t key = map->keys.data[number];
	uint32_t at = name_map_slot(map, key);

	while (map->slots[at])
		at = (at + 1) & (UINT32_MAX >> map->shift);
	map->slots[at] = (uint64_t)key << 32 | number;
}

uint32_t name_map_new(struct name_map *map, uint32_t key)
{
	uint32_t number = (uint32_t)map->keys.count;

	if (map->keys.count * 2 > UINT32_MAX >> map->shift) {
		make_slots(map, 32 - map->shift + 1);
		for (uint32_t known = 1; known < number; known++)
			store(map, known);
	}
	array_push(&map->keys, key);
	store(map, number);
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
