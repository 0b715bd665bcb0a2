/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The hash table of the program: 32-bit values other than 0, as a rule indices into an array, by
 * their hashes. Open addressing with linear probing. The table has hashes but no keys: the caller
 * compares what a value leads to.
 *
 *	for (slot = hash_table_first(table, hash); *slot; slot = hash_table_next(table, slot)) {
 *		if (is_equal(hash_table_value(slot), key))
 *			return hash_table_value(slot);
 *	}
 *	hash_table_add(table, hash, value);
 *
 * A table of zeros is an empty one.
 */
#ifndef BTFENC_BASE_HASH_TABLE_H
#define BTFENC_BASE_HASH_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct hash_table {
	uint64_t *slots;	/* hash << 32 | value; 0: free */
	uint32_t mask;		/* the number of slots - 1 */
	uint32_t count;		/* of values; at most two thirds of the slots */
};

void hash_table_release(struct hash_table *table);

/* Removes all values, keeps the memory if they had a fair part of it. */
void hash_table_clear(struct hash_table *table);

/* hash_table_reserve() of a table that has to grow. */
void hash_table_grow(struct hash_table *table, size_t extra);

/* Makes room for `extra` more values, for speed; slots may move. */
static inline void hash_table_reserve(struct hash_table *table, size_t extra)
{
	if (__builtin_expect((table->count + extra) * 3 > ((size_t)table->mask + 1) * 2, 0))
		hash_table_grow(table, extra);
}

/* Adds a value that is not in the table; slots may move. */
static inline void hash_table_add(struct hash_table *table, uint32_t hash, uint32_t value)
{
	uint32_t at;

	hash_table_reserve(table, 1);
	for (at = hash & table->mask; table->slots[at];)
		at = (at + 1) & table->mask;
	table->slots[at] = (uint64_t)hash << 32 | value;
	table->count++;
}

/* Removes the value of a slot; others may move into this slot and those after it. */
void hash_table_remove(struct hash_table *table, const uint64_t *slot);

static inline uint32_t hash_table_value(const uint64_t *slot)
{
	return (uint32_t)*slot;
}

/* The next slot with the same hash; a free one: there is none. */
static inline const uint64_t *hash_table_next(const struct hash_table *table,
					      const uint64_t *slot)
{
	uint64_t hash = *slot >> 32;

	do {
		slot = &table->slots[(size_t)(slot + 1 - table->slots) & table->mask];
	} while (*slot && *slot >> 32 != hash);
	return slot;
}

/* The first slot with the hash; a free one: there is none. */
static inline const uint64_t *hash_table_first(const struct hash_table *table, uint32_t hash)
{
	static const uint64_t free_slot;
	uint32_t at = hash & table->mask;

	if (!table->count)
		return &free_slot;
	while (table->slots[at] && table->slots[at] >> 32 != hash)
		at = (at + 1) & table->mask;
	return &table->slots[at];
}

/*
 * The first value with the hash for which `is_it` is true, an expression in `value`; 0: there is
 * none.
 *
 *	id = hash_table_find(i, &names, hash, strcmp(names[i], name) == 0);
 */
#define hash_table_find(value, table, hash, is_it)                                                 \
	({                                                                                         \
		const uint64_t *find_slot = hash_table_first(table, hash);                         \
		uint32_t value;                                                                    \
		while ((value = hash_table_value(find_slot)) && !(is_it))                          \
			find_slot = hash_table_next(table, find_slot);                             \
		hash_table_value(find_slot);                                                       \
	})

/* Asks for the memory at which a search for the hash begins. The table is not empty. */
static inline void hash_table_prefetch(const struct hash_table *table, uint32_t hash)
{
	__builtin_prefetch(&table->slots[hash & table->mask]);
}

#endif
