/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/shape_table.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define FIRST_SHAPE_SLOTS (1u << 16)
#define FIRST_TAG_SLOTS	  (1u << 14)

static void add_void(struct shape_table *table)
{
	array_push(&table->shapes, ((struct shape){ 0 }));
	array_push(&table->starts, 0);
}

void shape_table_init(struct shape_table *table)
{
	*table = (struct shape_table){
		.shape_slots = memory_zeroed(FIRST_SHAPE_SLOTS, sizeof(uint64_t)),
		.shape_mask = FIRST_SHAPE_SLOTS - 1,
		.tag_slots = memory_zeroed(FIRST_TAG_SLOTS, sizeof(uint64_t)),
		.tag_mask = FIRST_TAG_SLOTS - 1,
	};
	add_void(table);
}

void shape_table_release(struct shape_table *table)
{
	array_release(&table->words);
	array_release(&table->shapes);
	array_release(&table->starts);
	array_release(&table->tags);
	free(table->shape_slots);
	free(table->tag_slots);
	*table = (struct shape_table){ 0 };
}

void shape_table_clear(struct shape_table *table)
{
	table->words.count = table->shapes.count = table->tags.count = 0;
	table->starts.count = 0;
	memset(table->shape_slots, 0, ((size_t)table->shape_mask + 1) * sizeof(uint64_t));
	memset(table->tag_slots, 0, ((size_t)table->tag_mask + 1) * sizeof(uint64_t));
	add_void(table);
}

/* Doubles a slot array; the hash in the upper half of a slot is all that is needed. */
static void grow_slots(uint64_t **slots, uint32_t *mask)
{
	uint32_t count = (*mask + 1) * 2;
	uint64_t *grown = memory_zeroed(count, sizeof(uint64_t));

	for (uint32_t i = 0; i <= *mask; i++) {
		uint64_t slot = (*slots)[i];
		uint32_t at = (uint32_t)(slot >> 32) & (count - 1);

		if (!slot)
			continue;
		while (grown[at])
			at = (at + 1) & (count - 1);
		grown[at] = slot;
	}
	free(*slots);
	*slots = grown;
	*mask = count - 1;
}

static uint32_t append_shape(struct shape_table *table, const uint32_t *words, uint32_t count,
			     uint64_t birth)
{
	uint32_t id = (uint32_t)table->shapes.count;
	uint32_t start = (uint32_t)table->words.count + 1;
	struct shape shape = {
		.word_count = count,
		.birth = birth,
	};

	array_reserve(&table->words, count + 1);
	table->words.data[start - 1] = id;
	memcpy(table->words.data + start, words, count * sizeof(*words));
	table->words.count += count + 1;
	array_push(&table->shapes, shape);
	array_push(&table->starts, start);
	return id;
}

/*
 * One probe per type of every unit: the memcmp is what makes the dedup exact. A slot leads to the
 * words at once and the id stands before them, so a hit touches two cache lines.
 */
uint32_t shape_table_intern(struct shape_table *table, const uint32_t *words, uint64_t birth)
{
	uint32_t count = btf_record_words(words[BTF_WORD_INFO]);
	uint32_t hash = hash_words(words, count);
	uint32_t at = hash & table->shape_mask;
	uint32_t id;

	for (; table->shape_slots[at]; at = (at + 1) & table->shape_mask) {
		const uint32_t *other = table->words.data + (uint32_t)table->shape_slots[at];

		/* Equal info words mean equal lengths; the record is at least three words. */
		if (table->shape_slots[at] >> 32 == hash &&
		    other[BTF_WORD_INFO] == words[BTF_WORD_INFO] &&
		    memcmp(other, words, count * sizeof(*words)) == 0)
			return other[-1];
	}
	id = append_shape(table, words, count, birth);
	table->shape_slots[at] = (uint64_t)hash << 32 | table->starts.data[id];
	if (table->shapes.count * 2 > table->shape_mask)
		grow_slots(&table->shape_slots, &table->shape_mask);
	return id;
}

bool shape_table_equal(const struct shape_table *table, uint32_t shape, const uint32_t *words)
{
	return table->shapes.data[shape].word_count == btf_record_words(words[BTF_WORD_INFO]) &&
	       memcmp(shape_words(table, shape), words,
		      table->shapes.data[shape].word_count * sizeof(*words)) == 0;
}

/* Closes the gap at `at`: whatever would not be found behind it any more moves up. */
static void free_slot(uint64_t *slots, uint32_t mask, uint32_t at)
{
	for (uint32_t next = (at + 1) & mask; slots[next]; next = (next + 1) & mask) {
		uint32_t home = (uint32_t)(slots[next] >> 32) & mask;

		if (((next - home) & mask) < ((next - at) & mask))
			continue;
		slots[at] = slots[next];
		at = next;
	}
	slots[at] = 0;
}

void shape_table_truncate(struct shape_table *table, uint32_t count)
{
	for (uint32_t shape = (uint32_t)table->shapes.count; shape-- > count;) {
		uint32_t start = table->starts.data[shape];
		uint32_t at = hash_words(table->words.data + start,
					 table->shapes.data[shape].word_count);

		while ((uint32_t)table->shape_slots[at & table->shape_mask] != start) {
			assert(table->shape_slots[at & table->shape_mask]);
			at++;
		}
		free_slot(table->shape_slots, table->shape_mask, at & table->shape_mask);
		table->words.count = start - 1;
	}
	table->shapes.count = table->starts.count = count;
}

uint32_t shape_table_append(struct shape_table *table, const uint32_t *words, uint64_t birth)
{
	return append_shape(table, words, btf_record_words(words[BTF_WORD_INFO]), birth);
}

static uint32_t append_tag(struct shape_table *table, enum btf_kind kind, uint32_t name,
			   uint32_t variant)
{
	struct tag tag = {
		.name = name,
		.variant = variant,
		.kind = (uint8_t)kind,
		.base = (uint32_t)table->tags.count,
		.group = UINT32_MAX,
	};

	array_push(&table->tags, tag);
	return (uint32_t)table->tags.count - 1;
}

static uint32_t tag_hash(enum btf_kind kind, uint32_t name, uint32_t variant)
{
	return hash_finish(hash_mix(name, (uint64_t)variant << 32 | (uint32_t)kind));
}

uint32_t shape_table_find_tag(const struct shape_table *table, enum btf_kind kind, uint32_t name,
			      uint32_t variant)
{
	uint32_t at = tag_hash(kind, name, variant) & table->tag_mask;

	for (; table->tag_slots[at]; at = (at + 1) & table->tag_mask) {
		const struct tag *tag;

		if (table->tag_slots[at] >> 32 != name)
			continue;
		tag = &table->tags.data[(uint32_t)table->tag_slots[at] - 1];
		if (tag->variant == variant && tag->kind == (uint8_t)kind)
			return (uint32_t)table->tag_slots[at] - 1;
	}
	return TAG_NONE;
}

static void add_tag_slot(struct shape_table *table, uint32_t id)
{
	const struct tag *tag = &table->tags.data[id];
	uint32_t at = tag_hash((enum btf_kind)tag->kind, tag->name, tag->variant) & table->tag_mask;

	while (table->tag_slots[at])
		at = (at + 1) & table->tag_mask;
	table->tag_slots[at] = (uint64_t)tag->name << 32 | (id + 1);
}

static void grow_tag_slots(struct shape_table *table)
{
	uint64_t *old = table->tag_slots;
	uint32_t old_mask = table->tag_mask;

	table->tag_mask = old_mask * 2 + 1;
	table->tag_slots = memory_zeroed((size_t)table->tag_mask + 1, sizeof(uint64_t));
	for (uint32_t i = 0; i <= old_mask; i++) {
		if (old[i])
			add_tag_slot(table, (uint32_t)old[i] - 1);
	}
	free(old);
}

uint32_t shape_table_tag(struct shape_table *table, enum btf_kind kind, uint32_t name,
			 uint32_t variant)
{
	uint32_t id = shape_table_find_tag(table, kind, name, variant);
	uint32_t base;

	if (id != TAG_NONE)
		return id;
	id = append_tag(table, kind, name, variant);
	add_tag_slot(table, id);
	if (table->tags.count * 2 > table->tag_mask)
		grow_tag_slots(table);
	if (variant) {
		base = shape_table_tag(table, kind, name, 0);
		table->tags.data[id].base = base;
	}
	return id;
}

uint32_t shape_table_new_tag(struct shape_table *table, const struct tag *like)
{
	return append_tag(table, (enum btf_kind)like->kind, like->name, like->variant);
}

static void add_shape_slot(struct shape_table *table, uint32_t shape)
{
	uint32_t hash = hash_words(shape_words(table, shape), table->shapes.data[shape].word_count);
	uint32_t at = hash & table->shape_mask;

	while (table->shape_slots[at])
		at = (at + 1) & table->shape_mask;
	table->shape_slots[at] = (uint64_t)hash << 32 | table->starts.data[shape];
}

void shape_table_reindex(struct shape_table *table)
{
	memset(table->shape_slots, 0, ((size_t)table->shape_mask + 1) * sizeof(uint64_t));
	memset(table->tag_slots, 0, ((size_t)table->tag_mask + 1) * sizeof(uint64_t));
	for (uint32_t s = 1; s < table->shapes.count; s++)
		add_shape_slot(table, s);
	for (uint32_t t = 0; t < table->tags.count; t++)
		add_tag_slot(table, t);
}
