/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/base.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

static bool has_name_chain(enum btf_kind kind)
{
	switch (kind) {
	case BTF_INT:
	case BTF_FLOAT:
	case BTF_STRUCT:
	case BTF_UNION:
	case BTF_ENUM:
	case BTF_ENUM64:
	case BTF_FWD: return true;
	default: return false;
	}
}

/* What is looked up by content: not what is about code and data. */
static bool has_slot(enum btf_kind kind)
{
	return kind != BTF_FUNC && kind != BTF_VAR && kind != BTF_DATASEC;
}

/* All ids from 1 to end_id have a record. */
static const uint32_t *record_of(const struct btf_base *base, uint32_t id)
{
	const uint32_t *record = btf_reader_type(base->reader, id);

	assert(record);
	return record;
}

static uint32_t add_name(struct btf_base *base, uint32_t offset)
{
	const char *text;
	uint32_t id;

	if (offset >= btf_reader_end_string(base->reader))
		return 0;
	if (base->name_of_offset[offset])
		return base->name_of_offset[offset];
	text = btf_reader_string(base->reader, offset);
	id = text ? string_pool_add(&base->names, text).index : 0;
	base->name_of_offset[offset] = id;
	return id;
}

static void add_names(struct btf_base *base)
{
	for (uint32_t id = 1; id < base->end_id; id++) {
		const uint32_t *words = record_of(base, id);
		uint32_t info = words[BTF_WORD_INFO];
		const struct btf_kind_info *kind = btf_kind_of(info);

		for (uint32_t i = 0, n = btf_name_count(info); i < n; i++)
			add_name(base, words[btf_name_word(kind, i)]);
	}
	base->offset_of_name = memory_zeroed(base->names.strings.count, sizeof(uint32_t));
	for (uint32_t offset = btf_reader_end_string(base->reader); offset-- > 0;)
		base->offset_of_name[base->name_of_offset[offset]] = offset;
	base->offset_of_name[0] = 0;
}

void btf_base_record(const struct btf_base *base, uint32_t id, uint32_t *words)
{
	const uint32_t *record = record_of(base, id);
	uint32_t info = record[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);

	memcpy(words, record, btf_record_words(info) * sizeof(*words));
	for (uint32_t i = 0, n = btf_name_count(info); i < n; i++) {
		uint32_t *name = &words[btf_name_word(kind, i)];

		*name = btf_base_name_at(base, *name);
	}
}

/* The type with this content, 0: there is none. `scratch` has room for a record of its length. */
static uint32_t find_content(const struct btf_base *base, const uint32_t *words, uint32_t hash,
			     uint32_t *scratch)
{
	uint32_t count = btf_record_words(words[BTF_WORD_INFO]);
	const uint64_t *slot = hash_table_first(&base->by_content, hash);

	for (; *slot; slot = hash_table_next(&base->by_content, slot)) {
		uint32_t id = hash_table_value(slot);

		if (record_of(base, id)[BTF_WORD_INFO] != words[BTF_WORD_INFO])
			continue;
		btf_base_record(base, id, scratch);
		if (memcmp(scratch, words, count * sizeof(*words)) == 0)
			break;
	}
	return hash_table_value(slot);
}

uint32_t btf_base_find(const struct btf_base *base, const uint32_t *words)
{
	uint32_t count = btf_record_words(words[BTF_WORD_INFO]);
	uint32_t *scratch = memory_alloc(count * sizeof(*scratch));
	uint32_t id = find_content(base, words, hash_words(words, count), scratch);

	free(scratch);
	return id;
}

static void index_content(struct btf_base *base)
{
	ARRAY_OF(uint32_t) words = { 0 };

	hash_table_reserve(&base->by_content, base->end_id);
	for (uint32_t id = 1; id < base->end_id; id++) {
		uint32_t info = record_of(base, id)[BTF_WORD_INFO];
		uint32_t count = btf_record_words(info);
		uint32_t hash;

		if (!has_slot(btf_info_kind(info)))
			continue;
		array_reserve(&words, 2 * (size_t)count);
		assert(words.data);
		btf_base_record(base, id, words.data);
		hash = hash_words(words.data, count);
		if (!find_content(base, words.data, hash, words.data + count))
			hash_table_add(&base->by_content, hash, id);
	}
	array_release(&words);
}

/* From the highest id down, so that each chain ascends. */
static void index_names(struct btf_base *base)
{
	base->first_of_name = memory_zeroed(base->names.strings.count, sizeof(uint32_t));
	base->next_of_name = memory_zeroed(base->end_id, sizeof(uint32_t));
	for (uint32_t id = base->end_id - 1; id > 0; id--) {
		const uint32_t *words = record_of(base, id);
		uint32_t name = btf_base_name_at(base, words[BTF_WORD_NAME]);

		if (!name || !has_name_chain(btf_info_kind(words[BTF_WORD_INFO])))
			continue;
		base->next_of_name[id] = base->first_of_name[name];
		base->first_of_name[name] = id;
	}
}

void btf_base_init(struct btf_base *base, const struct btf_reader *reader)
{
	*base = (struct btf_base){ .reader = reader, .end_id = btf_reader_end_id(reader) };
	string_pool_init(&base->names);
	base->name_of_offset = memory_zeroed(btf_reader_end_string(reader) + (size_t)1,
					     sizeof(uint32_t));
	add_names(base);
	index_content(base);
	index_names(base);
}

void btf_base_release(struct btf_base *base)
{
	string_pool_release(&base->names);
	free(base->name_of_offset);
	free(base->offset_of_name);
	hash_table_release(&base->by_content);
	free(base->first_of_name);
	free(base->next_of_name);
	*base = (struct btf_base){ 0 };
}

uint32_t btf_base_name(const struct btf_base *base, const struct pool_string *string)
{
	return string_pool_find(&base->names, string).index;
}

bool btf_base_is_distinct(const struct btf_base *base, uint32_t id)
{
	const uint32_t *words = record_of(base, id);
	uint32_t name = btf_base_name_at(base, words[BTF_WORD_NAME]);

	for (uint32_t k = base->first_of_name[name]; k; k = base->next_of_name[k]) {
		const uint32_t *other = record_of(base, k);

		if (k == id)
			continue;
		if (btf_info_kind(words[BTF_WORD_INFO]) == BTF_FWD ||
		    btf_info_kind(other[BTF_WORD_INFO]) == BTF_FWD ||
		    other[BTF_WORD_SIZE] == words[BTF_WORD_SIZE])
			return false;
	}
	return true;
}
