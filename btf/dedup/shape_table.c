/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/shape_table.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

#define FIRST_SHAPES (1u << 15)
#define FIRST_TAGS   (1u << 13)

static void add_void(struct shape_table *table)
{
	array_push(&table->shapes, ((struct shape){ 0 }));
	array_push(&table->starts, 0);
}

void shape_table_init(struct shape_table *table)
{
	*table = (struct shape_table){ 0 };
	hash_table_reserve(&table->by_words, FIRST_SHAPES);
	hash_table_reserve(&table->by_name, FIRST_TAGS);
	add_void(table);
}

void shape_table_release(struct shape_table *table)
{
	array_release(&table->words);
	array_release(&table->shapes);
	array_release(&table->starts);
	array_release(&table->tags);
	hash_table_release(&table->by_words);
	hash_table_release(&table->by_name);
	*table = (struct shape_table){ 0 };
}

void shape_table_clear(struct shape_table *table)
{
	table->words.count = table->shapes.count = table->tags.count = 0;
	table->starts.count = 0;
	hash_table_clear(&table->by_words);
	hash_table_clear(&table->by_name);
	add_void(table);
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
	uint32_t id;

	for (const uint64_t *slot = hash_table_first(&table->by_words, hash); *slot;
	     slot = hash_table_next(&table->by_words, slot)) {
		const uint32_t *other = table->words.data + hash_table_value(slot);

		/* Equal info words mean equal lengths; the record is at least three words. */
		if (other[BTF_WORD_INFO] == words[BTF_WORD_INFO] &&
		    memcmp(other, words, count * sizeof(*words)) == 0)
			return other[-1];
	}
	id = append_shape(table, words, count, birth);
	hash_table_add(&table->by_words, hash, table->starts.data[id]);
	return id;
}

bool shape_table_equal(const struct shape_table *table, uint32_t shape, const uint32_t *words)
{
	return table->shapes.data[shape].word_count == btf_record_words(words[BTF_WORD_INFO]) &&
	       memcmp(shape_words(table, shape), words,
		      table->shapes.data[shape].word_count * sizeof(*words)) == 0;
}

void shape_table_truncate(struct shape_table *table, uint32_t count)
{
	for (uint32_t shape = (uint32_t)table->shapes.count; shape-- > count;) {
		uint32_t start = table->starts.data[shape];
		uint32_t hash = hash_words(table->words.data + start,
					   table->shapes.data[shape].word_count);
		const uint64_t *slot = hash_table_first(&table->by_words, hash);

		while (hash_table_value(slot) != start) {
			assert(*slot);
			slot = hash_table_next(&table->by_words, slot);
		}
		hash_table_remove(&table->by_words, slot);
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
	uint32_t hash = tag_hash(kind, name, variant);

	for (const uint64_t *slot = hash_table_first(&table->by_name, hash); *slot;
	     slot = hash_table_next(&table->by_name, slot)) {
		uint32_t id = hash_table_value(slot) - 1;
		const struct tag *tag = &table->tags.data[id];

		if (tag->name == name && tag->variant == variant && tag->kind == (uint8_t)kind)
			return id;
	}
	return TAG_NONE;
}

uint32_t shape_table_tag(struct shape_table *table, enum btf_kind kind, uint32_t name,
			 uint32_t variant)
{
	uint32_t id = shape_table_find_tag(table, kind, name, variant);
	uint32_t base;

	if (id != TAG_NONE)
		return id;
	id = append_tag(table, kind, name, variant);
	hash_table_add(&table->by_name, tag_hash(kind, name, variant), id + 1);
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

void shape_table_reindex(struct shape_table *table)
{
	hash_table_clear(&table->by_words);
	hash_table_clear(&table->by_name);
	for (uint32_t s = 1; s < table->shapes.count; s++)
		hash_table_add(&table->by_words,
			       hash_words(shape_words(table, s), table->shapes.data[s].word_count),
			       table->starts.data[s]);
	for (uint32_t t = 0; t < table->tags.count; t++) {
		const struct tag *tag = &table->tags.data[t];

		hash_table_add(&table->by_name,
			       tag_hash((enum btf_kind)tag->kind, tag->name, tag->variant), t + 1);
	}
}
