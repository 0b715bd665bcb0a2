/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The hash table against an array of the values that are in it, with hashes that collide and
 * hashes at the end of the slots; lower_bound() against a walk.
 */
#include "tests/cmocka_all.h"

#include <stdbool.h>

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/search.h"
#include "tests/mutate.h"

#define MAX_VALUES 400
#define ROUNDS	   200

static struct random dice = { 1 };

static const uint64_t *find(const struct hash_table *table, uint32_t hash, uint32_t value)
{
	const uint64_t *slot = hash_table_first(table, hash);

	while (*slot && hash_table_value(slot) != value)
		slot = hash_table_next(table, slot);
	return slot;
}

static void check_table(const struct hash_table *table, const uint32_t *hashes, const bool *is_in)
{
	uint32_t count = 0;

	for (uint32_t value = 1; value < MAX_VALUES; value++) {
		assert_int_equal(hash_table_value(find(table, hashes[value], value)),
				 is_in[value] ? value : 0);
		count += is_in[value];
	}
	assert_int_equal(table->count, count);
}

TEST(test_table)
{
	static const uint32_t masks[] = { UINT32_MAX, 0xffff, 3, 0, 0xffffff3f };

	for (int round = 0; round < ROUNDS; round++) {
		uint32_t mask = masks[round % 5], at_end = round % 2 ? ~mask : 0;
		struct hash_table table = { 0 };
		uint32_t hashes[MAX_VALUES];
		bool is_in[MAX_VALUES] = { false };

		for (uint32_t i = 0; i < MAX_VALUES; i++)
			hashes[i] = ((uint32_t)random_next(&dice) & mask) | at_end;
		check_table(&table, hashes, is_in);
		for (int step = 0; step < 2 * MAX_VALUES; step++) {
			uint32_t value = 1 + (uint32_t)random_below(&dice, MAX_VALUES - 1);

			if (is_in[value])
				hash_table_remove(&table, find(&table, hashes[value], value));
			else
				hash_table_add(&table, hashes[value], value);
			is_in[value] = !is_in[value];
		}
		check_table(&table, hashes, is_in);
		hash_table_clear(&table);
		for (uint32_t i = 0; i < MAX_VALUES; i++)
			is_in[i] = false;
		check_table(&table, hashes, is_in);
		hash_table_release(&table);
	}
}

/* hash_number() is one-to-one: multiplying and shifting can be undone. */
TEST(test_number)
{
	for (int i = 0; i < 100000; i++) {
		uint32_t number = (uint32_t)random_next(&dice), hash = hash_number(number);

		hash ^= hash >> 16;
		assert_int_equal(hash * 0x0e8b2f51u, number);
	}
}

TEST(test_lower_bound)
{
	uint32_t sorted[100];

	for (uint32_t count = 0; count < 100; count++) {
		for (uint32_t i = 0; i < count; i++)
			sorted[i] = (i ? sorted[i - 1] : 1) + (uint32_t)random_below(&dice, 3);
		for (uint32_t wanted = 0; wanted < 300; wanted++) {
			size_t at = 0;

			while (at < count && sorted[at] < wanted)
				at++;
			assert_int_equal(lower_bound(i, count, sorted[i] < wanted), at);
		}
	}
}
