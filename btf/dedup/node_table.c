/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/node_table.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

void node_table_init(struct node_table *table)
{
	*table = (struct node_table){ 0 };
	array_push(&table->nodes, ((struct type_node){ 0 }));
	array_push(&table->starts, 0);
	array_reserve(&table->words, 1);	/* "data + 0" is a place, too */
}

void node_table_release(struct node_table *table)
{
	array_release(&table->words);
	array_release(&table->nodes);
	array_release(&table->starts);
	array_release(&table->tags);
	hash_table_release(&table->by_words);
	hash_table_release(&table->by_name);
	*table = (struct node_table){ 0 };
}

uint32_t node_table_append_head(struct node_table *table, const uint32_t *head,
				uint64_t first_seen)
{
	uint32_t count = btf_record_words(head[BTF_WORD_INFO]);
	uint32_t id = (uint32_t)table->nodes.count;
	uint32_t start = (uint32_t)table->words.count + 1;

	array_reserve(&table->words, count + 1);
	table->words.data[start - 1] = id;
	memcpy(table->words.data + start, head, BTF_HEAD_WORDS * sizeof(*head));
	table->words.count += count + 1;
	array_push(&table->nodes, ((struct type_node){
		.word_count = count, .first_seen = first_seen }));
	array_push(&table->starts, start);
	return id;
}

uint32_t node_table_append(struct node_table *table, const uint32_t *words, uint64_t first_seen)
{
	uint32_t id = node_table_append_head(table, words, first_seen);

	memcpy(table->words.data + table->starts.data[id], words,
	       table->nodes.data[id].word_count * sizeof(*words));
	return id;
}

/*
 * One probe per type of every unit: the memcmp is what makes the dedup exact. A slot leads to the
 * words at once and the id is before them, so a hit touches two cache lines.
 */
uint32_t node_table_intern(struct node_table *table, const uint32_t *words, uint64_t first_seen)
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
	id = node_table_append(table, words, first_seen);
	hash_table_add(&table->by_words, hash, table->starts.data[id]);
	return id;
}

bool node_table_equal(const struct node_table *table, uint32_t node, const uint32_t *words)
{
	return table->nodes.data[node].word_count == btf_record_words(words[BTF_WORD_INFO]) &&
	       memcmp(node_words(table, node), words,
		      table->nodes.data[node].word_count * sizeof(*words)) == 0;
}

void node_table_truncate(struct node_table *table, uint32_t count)
{
	for (uint32_t node = (uint32_t)table->nodes.count; node-- > count;) {
		uint32_t start = table->starts.data[node];
		uint32_t hash = hash_words(table->words.data + start,
					   table->nodes.data[node].word_count);
		const uint64_t *slot = hash_table_first(&table->by_words, hash);

		while (hash_table_value(slot) != start) {
			assert(*slot);
			slot = hash_table_next(&table->by_words, slot);
		}
		hash_table_remove(&table->by_words, slot);
		table->words.count = start - 1;
	}
	table->nodes.count = table->starts.count = count;
}

uint32_t node_table_new_tag(struct node_table *table, const struct tag *like)
{
	uint32_t id = (uint32_t)table->tags.count;

	array_push(&table->tags, ((struct tag){
		.name = like->name, .variant = like->variant, .kind = like->kind, .base = id,
		.group = { UINT32_MAX } }));
	return id;
}

static uint32_t tag_hash(enum btf_kind kind, uint32_t name, uint32_t variant)
{
	return hash_finish(hash_mix(name, (uint64_t)variant << 32 | (uint32_t)kind));
}

uint32_t node_table_find_tag(const struct node_table *table, enum btf_kind kind, uint32_t name,
			     uint32_t variant)
{
	const struct tag *tags = table->tags.data;
	uint32_t hash = tag_hash(kind, name, variant);
	uint32_t found = hash_table_find(i, &table->by_name, hash,
					 tags[i - 1].name == name &&
						 tags[i - 1].variant == variant &&
						 tags[i - 1].kind == (uint8_t)kind);

	return found ? found - 1 : TAG_NONE;
}

uint32_t node_table_tag(struct node_table *table, enum btf_kind kind, uint32_t name,
			uint32_t variant)
{
	const struct tag like = { .name = name, .variant = variant, .kind = (uint8_t)kind };
	uint32_t id = node_table_find_tag(table, kind, name, variant), base;

	if (id != TAG_NONE)
		return id;
	id = node_table_new_tag(table, &like);
	hash_table_add(&table->by_name, tag_hash(kind, name, variant), id + 1);
	if (variant) {
		base = node_table_tag(table, kind, name, 0);
		table->tags.data[id].base = base;
	}
	return id;
}

void node_table_reindex(struct node_table *table)
{
	hash_table_clear(&table->by_words);
	hash_table_clear(&table->by_name);
	for (uint32_t s = 1; s < table->nodes.count; s++)
		hash_table_add(&table->by_words,
			       hash_words(node_words(table, s), table->nodes.data[s].word_count),
			       table->starts.data[s]);
	for (uint32_t t = 0; t < table->tags.count; t++) {
		const struct tag *tag = &table->tags.data[t];

		hash_table_add(&table->by_name,
			       tag_hash((enum btf_kind)tag->kind, tag->name, tag->variant), t + 1);
	}
}
