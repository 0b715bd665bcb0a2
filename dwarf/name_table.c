/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/name_table.h"

#include <stdlib.h>

#include "base/hash.h"

#define BLOCK_BYTES 8192
#define SHORT_NAME  512

/* Of a kernel's 55,000 names that dwz has left in .debug_str: 4 ns for nearly all, not 40. */
#define MEMO_BITS 15

void name_table_init(struct name_table *names, const struct object *object)
{
	*names = (struct name_table){
		.object = object,
		.debug_str = (const char *)object->sections[SECTION_STR].data,
	};
}

void name_table_release(struct name_table *names)
{
	array_free(&names->blocks);
	array_release(&names->interned);
	hash_table_release(&names->by_text);
	hash_table_release(&names->shorts);
	free(names->memos);
	*names = (struct name_table){ 0 };
}

static const char *copy_text(struct name_table *names, const char *text)
{
	size_t bytes = strlen(text) + 1;
	char *copy;

	if (names->block_left < bytes) {
		names->block_left = bytes < BLOCK_BYTES ? BLOCK_BYTES : bytes;
		array_push(&names->blocks, memory_alloc(names->block_left));
		names->block_next = names->blocks.data[names->blocks.count - 1];
	}
	copy = memcpy(names->block_next, text, bytes);
	names->block_next += bytes;
	names->block_left -= bytes;
	return copy;
}

static uint32_t intern(struct name_table *names, const char *text, bool copy)
{
	size_t length = strlen(text);
	uint32_t hash, number;

	/* Only long names, which are ends of one another, can take long. */
	if (length > SHORT_NAME && !object_share(names->object, SECTION_STR, length))
		return NAME_NONE;
	hash = hash_bytes(text, length);
	number = hash_table_find(i, &names->by_text, hash,
				 strcmp(names->interned.data[i - 1], text) == 0);
	if (!number) {
		array_push(&names->interned, copy ? copy_text(names, text) : text);
		number = (uint32_t)names->interned.count;
		hash_table_add(&names->by_text, hash, number);
	}
	return NAME_KEY_INTERNED | (number - 1);
}

uint32_t name_table_literal(struct name_table *names, const char *text)
{
	return *text ? intern(names, text, false) : NAME_NONE;
}

uint32_t name_table_copy(struct name_table *names, const char *text)
{
	return *text ? intern(names, text, true) : NAME_NONE;
}

/* A module has fewer names, about one in 32 bytes of .debug_str, and a page costs 1 us. */
static void make_memos(struct name_table *names)
{
	size_t expected = names->object->sections[SECTION_STR].size / 32;

	names->memo_bits = 10;
	while (names->memo_bits < MEMO_BITS && 1u << names->memo_bits < expected * 2)
		names->memo_bits++;
	names->memos = memory_zeroed((size_t)1 << names->memo_bits, sizeof(*names->memos));
	if (names->memo_bits < MEMO_BITS)
		hash_table_reserve(&names->by_text, expected);
}

uint32_t name_table_key_at(struct name_table *names, uint32_t str_offset)
{
	struct name_memo *memo;

	if (!names->intern_all)
		return str_offset + 1;
	if (!names->memos)
		make_memos(names);
	memo = &names->memos[str_offset * 0x9e3779b1u >> (32 - names->memo_bits)];
	if (memo->offset != str_offset + 1)
		*memo = (struct name_memo){ str_offset + 1, name_table_literal(
			names, names->debug_str + str_offset) };
	return memo->key;
}

uint32_t name_table_short(struct name_table *names, uint32_t text, const char *where)
{
	uint32_t hash = hash_number(text);
	uint32_t key;

	if (!text)
		return NAME_NONE;
	key = hash_table_value(hash_table_first(&names->shorts, hash));
	if (!key) {
		key = intern(names, where, names->copies);
		hash_table_add(&names->shorts, hash, key);
	}
	return key;
}

uint32_t name_table_key(struct name_table *names, struct die_cursor *cursor,
			const struct die *die, enum die_slot slot)
{
	uint64_t str_offset;
	const char *text;

	if (!die_has(die, slot))
		return NAME_NONE;
	text = die_cursor_string(cursor, die, slot, &str_offset);
	if (!text)
		return NAME_NONE;
	if (str_offset < NAME_KEY_INTERNED - 1)
		return name_table_key_at(names, (uint32_t)str_offset);
	return *text ? intern(names, text, names->copies && str_offset == UINT64_MAX) : NAME_NONE;
}
