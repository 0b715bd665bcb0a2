/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Strings by content: equal strings have equal ids. Id 0 is the empty string. The characters are
 * borrowed and must outlive the pool.
 *
 * An id is a type of its own, so that the key of a name in a worker's name table (struct name_key)
 * cannot be passed in its place. BTF words hold ids as plain numbers.
 */
#ifndef BTFENC_BTF_STRING_POOL_H
#define BTFENC_BTF_STRING_POOL_H

#include "base/hash_table.h"
#include "base/memory.h"

struct pool_id {
	uint32_t index;
};

struct pool_string {
	const char *text;
	uint32_t length;
	uint32_t hash;
};

struct string_pool {
	ARRAY_OF(struct pool_string) strings;
	struct hash_table by_text;	/* ids */
};

/* The id that a name word holds: the table's names are in a pool. */
static inline struct pool_id pool_id_of_word(uint32_t word)
{
	return (struct pool_id){ word };
}

void string_pool_init(struct string_pool *pool);
void string_pool_release(struct string_pool *pool);
struct pool_id string_pool_add(struct string_pool *pool, const char *text);

/* The same for a string of which length and hash_bytes() are known. */
struct pool_id string_pool_add_hashed(struct string_pool *pool, const struct pool_string *string);
/* A string as a pool has it. */
struct pool_string pool_string(const char *text);

/* Adds many at once: ids[i] becomes the id of strings[i]. */
void string_pool_add_all(struct string_pool *pool, const struct pool_string *strings, size_t count,
			 struct pool_id *ids);

/* The id of a string of another pool; 0 when this one does not have it. */
struct pool_id string_pool_find(const struct string_pool *pool,
			       const struct pool_string *string);

/* Sorts ids by their strings, as strcmp orders them. */
void string_pool_sort(const struct string_pool *pool, struct pool_id *ids, size_t count);

static inline const char *string_pool_text(const struct string_pool *pool, struct pool_id id)
{
	return pool->strings.data[id.index].text;
}

static inline const char *string_pool_word_text(const struct string_pool *pool, uint32_t word)
{
	return string_pool_text(pool, pool_id_of_word(word));
}

#endif
