/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Sorting by keys and by texts against the obvious way, on lists that are in order, nearly so, in
 * runs and not at all. Items that are equal have to keep their order.
 */
#include "tests/cmocka_all.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "btf/string_pool.h"
#include "tests/mutate.h"

#define MAX_ITEMS 700
#define ROUNDS	  3000

static struct random dice = { 1 };

/* ---- by key ---- */

/* Lists with long ascending parts, few or many distinct keys, and keys that fill 64 bits. */
static void make_keys(struct sort_item *items, size_t count)
{
	uint64_t limit = random_below(&dice, 2) ? UINT64_MAX : 1 + random_below(&dice, 1000);
	uint64_t disorder = random_below(&dice, 12);
	uint64_t key = 0;

	for (size_t i = 0; i < count; i++) {
		if (random_below(&dice, 1u << disorder) == 0)
			key = random_below(&dice, limit);
		else
			key += random_below(&dice, 3);
		items[i] = (struct sort_item){ key, (uint32_t)i };
	}
}

TEST(test_keys)
{
	struct sort_item items[MAX_ITEMS];

	for (int round = 0; round < ROUNDS; round++) {
		size_t count = random_below(&dice, MAX_ITEMS + 1);
		uint64_t keys[MAX_ITEMS];
		bool seen[MAX_ITEMS] = { false };

		make_keys(items, count);
		for (size_t i = 0; i < count; i++)
			keys[i] = items[i].key;
		sort_by_key(items, count);
		for (size_t i = 0; i < count; i++) {
			assert_false(seen[items[i].value]);
			seen[items[i].value] = true;
			assert_true(items[i].key == keys[items[i].value]);
			if (!i)
				continue;
			assert_true(items[i - 1].key <= items[i].key);
			if (items[i - 1].key == items[i].key)
				assert_true(items[i - 1].value < items[i].value);
		}
	}
}

/* ---- by text ---- */

#define TEXT_BYTES 40

static char texts[MAX_ITEMS][TEXT_BYTES];

/* Few characters, among them the greatest, and long common beginnings. */
static void make_text(char *text)
{
	static const char characters[] = "ab_\xff";
	size_t common = random_below(&dice, 3) * 8 + random_below(&dice, 3);
	size_t length = common + random_below(&dice, TEXT_BYTES - 1 - common);

	for (size_t i = 0; i < length; i++)
		text[i] = i < common ? 'x' : characters[random_below(&dice, 4)];
	text[length] = '\0';
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Some rounds have a part that is in order already. */
static void make_texts(size_t count)
{
	size_t first = random_below(&dice, count + 1);
	size_t ordered = random_below(&dice, 2) ? random_below(&dice, count - first + 1) : 0;

	for (size_t i = 0; i < count; i++)
		make_text(texts[i]);
	qsort(texts[first], ordered, TEXT_BYTES, compare_texts);
}

static uint64_t prefix_of(const void *context, uint32_t value, size_t skip)
{
	const char *text = texts[value] + skip;
	uint64_t key = 0;

	(void)context;
	for (int i = 0; i < 8; i++) {
		key = key << 8 | (uint8_t)*text;
		text += *text != '\0';
	}
	return key;
}

TEST(test_texts)
{
	struct sort_item items[MAX_ITEMS];

	for (int round = 0; round < ROUNDS; round++) {
		size_t count = random_below(&dice, MAX_ITEMS + 1);

		make_texts(count);
		for (uint32_t i = 0; i < count; i++)
			items[i].value = i;
		sort_by_prefix(items, count, prefix_of, NULL);
		for (size_t i = 1; i < count; i++) {
			int order = strcmp(texts[items[i - 1].value], texts[items[i].value]);

			assert_true(order <= 0);
			if (!order)
				assert_true(items[i - 1].value < items[i].value);
		}
	}
}

/* ---- a pool's ids ---- */

/* The texts are in memory of their exact size, so that a sanitizer sees a load past the end. */
TEST(test_pool)
{
	for (int round = 0; round < ROUNDS / 4; round++) {
		size_t count = random_below(&dice, MAX_ITEMS + 1), distinct = 0;
		char *copies[MAX_ITEMS];
		struct pool_id ids[MAX_ITEMS];
		struct string_pool pool;

		string_pool_init(&pool);
		make_texts(count);
		for (size_t i = 0; i < count; i++) {
			copies[i] = memory_string(texts[i], strlen(texts[i]));
			string_pool_add(&pool, copies[i]);
		}
		for (uint32_t id = 0; id < pool.strings.count; id++)
			ids[distinct++].index = id;
		string_pool_sort(&pool, ids, distinct);
		for (size_t i = 1; i < distinct; i++)
			assert_true(strcmp(string_pool_text(&pool, ids[i - 1]),
					   string_pool_text(&pool, ids[i])) < 0);
		string_pool_release(&pool);
		for (size_t i = 0; i < count; i++)
			free(copies[i]);
	}
}
