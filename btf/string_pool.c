/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/string_pool.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define FIRST_SLOTS (1u << 17)

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

static void grow(struct string_pool *pool)
{
	uint32_t count = (pool->slot_mask + 1) * 2;

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

/* The slot of this string: of the one that is there, or a free one. */
static uint32_t find_slot(const struct string_pool *pool, const struct pool_string *string)
{
	uint32_t at = string->hash & pool->slot_mask;

	for (; pool->slots[at]; at = (at + 1) & pool->slot_mask) {
		const struct pool_string *other = &pool->strings.data[pool->slots[at]];

		if (other->hash == string->hash && other->length == string->length &&
		    memcmp(other->text, string->text, string->length) == 0)
			break;
	}
	return at;
}

uint32_t string_pool_find(const struct string_pool *pool, const struct pool_string *string)
{
	return string->length ? pool->slots[find_slot(pool, string)] : 0;
}

uint32_t string_pool_add_hashed(struct string_pool *pool, const struct pool_string *string)
{
	uint32_t at;

	if (string->length == 0)
		return 0;
	at = find_slot(pool, string);
	if (pool->slots[at])
		return pool->slots[at];
	pool->slots[at] = (uint32_t)pool->strings.count;
	array_push(&pool->strings, *string);
	if (pool->strings.count * 2 > pool->slot_mask)
		grow(pool);
	return (uint32_t)pool->strings.count - 1;
}

uint32_t string_pool_add(struct string_pool *pool, const char *text)
{
	size_t length = strlen(text);

	return string_pool_add_hashed(pool, &(struct pool_string){ text, (uint32_t)length,
								   hash_bytes(text, length) });
}
