/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/name_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

#define FIRST_SLOTS	  4096
#define FIRST_SHORT_SLOTS 1024
#define BLOCK_BYTES	  8192

void name_table_init(struct name_table *names, const struct object *object)
{
	*names = (struct name_table){
		.debug_str = (const char *)object->sections[SECTION_STR].data,
		.slots = memory_zeroed(FIRST_SLOTS, sizeof(uint64_t)),
		.slot_mask = FIRST_SLOTS - 1,
		.short_slots = memory_zeroed(FIRST_SHORT_SLOTS, sizeof(uint64_t)),
		.short_mask = FIRST_SHORT_SLOTS - 1,
	};
}

void name_table_release(struct name_table *names)
{
	for (size_t i = 0; i < names->blocks.count; i++)
		free(names->blocks.data[i]);
	array_release(&names->blocks);
	array_release(&names->interned);
	free(names->slots);
	free(names->short_slots);
	*names = (struct name_table){ 0 };
}

/* The slot of a text: of its key, or a free one. */
static uint64_t *find_slot(const struct name_table *names, const char *text, uint32_t hash)
{
	uint32_t at = hash & names->slot_mask;

	for (; names->slots[at]; at = (at + 1) & names->slot_mask) {
		if (names->slots[at] >> 32 == hash &&
		    strcmp(names->interned.data[(uint32_t)names->slots[at] - 1], text) == 0)
			break;
	}
	return &names->slots[at];
}

/* All texts differ, so the hash in the upper half of a slot is all that is needed. */
static void grow(struct name_table *names)
{
	uint64_t *old = names->slots;
	uint32_t old_mask = names->slot_mask;

	names->slot_mask = old_mask * 2 + 1;
	names->slots = memory_zeroed((size_t)names->slot_mask + 1, sizeof(uint64_t));
	for (uint32_t i = 0; i <= old_mask; i++) {
		uint32_t at = (uint32_t)(old[i] >> 32) & names->slot_mask;

		if (!old[i])
			continue;
		while (names->slots[at])
			at = (at + 1) & names->slot_mask;
		names->slots[at] = old[i];
	}
	free(old);
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
	uint32_t hash = hash_bytes(text, strlen(text));
	uint64_t *slot = find_slot(names, text, hash);
	uint32_t number;

	if (*slot)
		return NAME_KEY_INTERNED | ((uint32_t)*slot - 1);
	array_push(&names->interned, copy ? copy_text(names, text) : text);
	number = (uint32_t)names->interned.count;
	*slot = (uint64_t)hash << 32 | number;
	if (names->interned.count * 2 > names->slot_mask)
		grow(names);
	return NAME_KEY_INTERNED | (number - 1);
}

uint32_t name_table_literal(struct name_table *names, const char *text)
{
	return *text ? intern(names, text, false) : NAME_NONE;
}

uint32_t name_table_key_at(struct name_table *names, uint32_t str_offset)
{
	if (!names->intern_all)
		return str_offset + 1;
	return name_table_literal(names, names->debug_str + str_offset);
}

static uint32_t short_slot(const struct name_table *names, uint32_t text)
{
	uint32_t at = hash_finish(hash_mix(text, 0)) & names->short_mask;

	while (names->short_slots[at] && names->short_slots[at] >> 32 != text)
		at = (at + 1) & names->short_mask;
	return at;
}

static void grow_short(struct name_table *names)
{
	uint64_t *old = names->short_slots;
	uint32_t old_mask = names->short_mask;

	names->short_mask = old_mask * 2 + 1;
	names->short_slots = memory_zeroed((size_t)names->short_mask + 1, sizeof(uint64_t));
	for (uint32_t i = 0; i <= old_mask; i++) {
		if (old[i])
			names->short_slots[short_slot(names, (uint32_t)(old[i] >> 32))] = old[i];
	}
	free(old);
}

uint32_t name_table_short(struct name_table *names, uint32_t text, const char *where)
{
	uint32_t at, key;

	if (!text)
		return NAME_NONE;
	at = short_slot(names, text);
	if (names->short_slots[at])
		return (uint32_t)names->short_slots[at];
	key = intern(names, where, names->copies);
	names->short_slots[at] = (uint64_t)text << 32 | key;
	if (++names->short_count * 2 > names->short_mask)
		grow_short(names);
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
