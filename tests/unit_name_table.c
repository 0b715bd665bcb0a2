/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Names of up to three characters have a way of their own to their keys, name_table_short(): it
 * must be the key that all others give them.
 */
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "dwarf/name_table.h"

/* A text as in a DIE, with something else after it. */
struct written {
	char bytes[8];
};

static uint32_t short_key(struct name_table *names, const struct written *text)
{
	char characters[4] = "";
	uint32_t word;

	memcpy(characters, text->bytes, strlen(text->bytes));
	memcpy(&word, characters, sizeof(word));
	return name_table_short(names, word, text->bytes);
}

/* All texts of up to `length` of the characters, in a row. */
static struct written *write_texts(const char *characters, size_t length, size_t *count)
{
	size_t base = strlen(characters) + 1, all = 1;
	struct written *texts;

	for (size_t i = 0; i < length; i++)
		all *= base;
	texts = memory_zeroed(all, sizeof(*texts));
	*count = 0;
	for (size_t number = 0; number < all; number++) {
		struct written *text = &texts[*count];
		size_t rest = number, used = 0;

		memset(text, 0, sizeof(*text));
		for (; rest && rest % base; rest /= base)
			text->bytes[used++] = characters[rest % base - 1];
		if (rest)
			continue; /* a hole in the middle */
		memcpy(text->bytes + used + 1, "???", 3);
		++*count;
	}
	return texts;
}

/* Every other text is met as a literal first. */
static void check_texts(const char *characters, bool copies)
{
	struct object object = { .path = "image" };
	struct name_table names;
	struct written *texts, *read;
	uint32_t *keys;
	size_t count;

	texts = write_texts(characters, 3, &count);
	read = memory_alloc(count * sizeof(*read));
	memcpy(read, texts, count * sizeof(*read));
	keys = memory_alloc(count * sizeof(*keys));
	name_table_init(&names, &object);
	names.copies = copies;
	for (size_t i = 0; i < count; i++) {
		if (i % 2)
			keys[i] = name_table_literal(&names, texts[i].bytes);
		else
			keys[i] = short_key(&names, &read[i]);
	}
	if (copies)
		memset(read, '!', count * sizeof(*read));
	for (size_t i = 0; i < count; i++) {
		assert_int_equal(short_key(&names, &texts[i]), keys[i]);
		assert_int_equal(name_table_literal(&names, texts[i].bytes), keys[i]);
		assert_int_equal(name_table_copy(&names, texts[i].bytes), keys[i]);
		assert_string_equal(name_table_text(&names, keys[i]), texts[i].bytes);
		assert_int_equal(keys[i] == NAME_NONE, !texts[i].bytes[0]);
	}
	assert_int_equal(names.interned.count, count - 1);
	name_table_release(&names);
	free(texts);
	free(read);
	free(keys);
}

/* Both tables grow: 1024 slots of short names, 4096 of all. */
TEST(test_short_names)
{
	check_texts("abcdefghijklmnopqrstuvwxyz_0123\x01\x7f\x80\xff", false);
	check_texts("abcdefghijklmnopqrstuvwxyz_0123\x01\x7f\x80\xff", true);
}

TEST(test_collisions)
{
	static const uint32_t masks[] = { 0, 3, 0xff };

	for (size_t i = 0; i < LENGTH(masks); i++) {
		hash_mask = masks[i];
		check_texts("abcdefghij", i % 2);
	}
	hash_mask = UINT32_MAX;
}
