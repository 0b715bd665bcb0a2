/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/string_pool.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/sort.h"

#define FIRST_SLOTS 1024u
#define SLOTS_AHEAD 16 /* so many slots are on their way from memory */

void string_pool_init(struct string_pool *pool)
{
	*pool = (struct string_pool){
		.slots = memory_zeroed(FIRST_SLOTS, sizeof(uint32_t)),
		.slot_mask = FIRST_SLOTS - 1,
	};
	array_push(&pool->strings, ((struct pool_string){ "", 0, 0 }));
}

void string_pool_release(struct string_pool *pool)
{
	array_release(&pool->strings);
	free(pool->slots);
	*pool = (struct string_pool){ 0 };
}

/* Makes room for `extra` more strings; half of the slots stay free. */
static void reserve_slots(struct string_pool *pool, size_t extra)
{
	uint32_t count = pool->slot_mask + 1;

	while ((pool->strings.count + extra) * 2 > count)
		count *= 2;
	if (count == pool->slot_mask + 1)
		return;
	free(pool->slots);
	pool->slots = memory_zeroed(count, sizeof(uint32_t));
	pool->slot_mask = count - 1;
	for (uint32_t id = 1; id < pool->strings.count; id++) {
		uint32_t at = pool->strings.data[id].hash & pool->slot_mask;

		while (pool->slots[at])
			at = (at + 1) & pool->slot_mask;
		pool->slots[at] = id;
	}
}

/* Workers that share .debug_str often mean the same characters. */
static bool is_same(const struct pool_string *a, const struct pool_string *b)
{
	return a->hash == b->hash && a->length == b->length &&
	       (a->text == b->text || memcmp(a->text, b->text, a->length) == 0);
}

/* The slot of this string: of the one that is there, or a free one. */
static uint32_t find_slot(const struct string_pool *pool, const struct pool_string *string)
{
	uint32_t at = string->hash & pool->slot_mask;

	for (; pool->slots[at]; at = (at + 1) & pool->slot_mask) {
		if (is_same(&pool->strings.data[pool->slots[at]], string))
			break;
	}
	return at;
}

struct pool_id string_pool_find(const struct string_pool *pool, const struct pool_string *string)
{
	return (struct pool_id){ string->length ? pool->slots[find_slot(pool, string)] : 0 };
}

struct pool_string pool_string(const char *text)
{
	size_t length = strlen(text);

	return (struct pool_string){ text, (uint32_t)length, hash_bytes(text, length) };
}

/* There is room for it. */
static struct pool_id add(struct string_pool *pool, const struct pool_string *string)
{
	uint32_t at;

	if (!string->length)
		return (struct pool_id){ 0 };
	at = find_slot(pool, string);
	if (!pool->slots[at]) {
		pool->slots[at] = (uint32_t)pool->strings.count;
		pool->strings.data[pool->strings.count++] = *string;
	}
	return (struct pool_id){ pool->slots[at] };
}

static void reserve(struct string_pool *pool, size_t extra)
{
	array_reserve(&pool->strings, extra);
	reserve_slots(pool, extra);
}

struct pool_id string_pool_add_hashed(struct string_pool *pool, const struct pool_string *string)
{
	reserve(pool, 1);
	return add(pool, string);
}

void string_pool_add_all(struct string_pool *pool, const struct pool_string *strings, size_t count,
			 struct pool_id *ids)
{
	reserve(pool, count);
	for (size_t i = 0; i < count; i++) {
		if (i + SLOTS_AHEAD < count)
			__builtin_prefetch(
				&pool->slots[strings[i + SLOTS_AHEAD].hash & pool->slot_mask]);
		ids[i] = add(pool, &strings[i]);
	}
}

static uint64_t load_characters(const char *text)
{
	return bytes_load_u64((const uint8_t *)text, !HOST_IS_BIG_ENDIAN);
}

/* The load that ends with the string's NUL is in bounds, too, when there are seven before it. */
static uint64_t prefix(const void *pool, uint32_t id, size_t skip)
{
	const struct pool_string *string = &((const struct string_pool *)pool)->strings.data[id];
	size_t left = string->length - skip;
	uint64_t key = 0;

	if (left >= 7)
		return load_characters(string->text + skip);
	if (string->length >= 7)
		return load_characters(string->text + string->length - 7) << 8 * (7 - left);
	for (size_t i = 0; i < 8; i++)
		key = key << 8 | (i < left ? (uint8_t)string->text[skip + i] : 0);
	return key;
}

/* 50,000 names of a kernel, of which 40,000 are in order: 2.5 ms. */
void string_pool_sort(const struct string_pool *pool, struct pool_id *ids, size_t count)
{
	struct sort_item *items = memory_alloc(count * sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ .value = ids[i].index };
	sort_by_prefix(items, count, prefix, pool);
	for (size_t i = 0; i < count; i++)
		ids[i].index = items[i].value;
	free(items);
}

struct pool_id string_pool_add(struct string_pool *pool, const char *text)
{
	struct pool_string string = pool_string(text);

	return string_pool_add_hashed(pool, &string);
}
