/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/base.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

/* All ids from 1 to end_id have a record. */
static const uint32_t *record_of(const struct btf_base *base, uint32_t id)
{
	const uint32_t *record = btf_reader_type(base->reader, id);

	assert(record);
	return record;
}

void btf_base_record(const struct btf_base *base, uint32_t id, uint32_t *words)
{
	const uint32_t *record = record_of(base, id);

	memcpy(words, record, btf_record_words(record[BTF_WORD_INFO]) * sizeof(*words));
	btf_each_name(word, record)
		words[word] = btf_base_name_at(base, record[word]);
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

/* Numbers the names of all types, members, ... */
static void add_names(struct btf_base *base)
{
	uint32_t end = btf_reader_end_string(base->reader);

	string_pool_init(&base->names);
	base->name_of_offset = memory_zeroed(end + (size_t)1, sizeof(uint32_t));
	for (uint32_t id = 1; id < base->end_id; id++) {
		const uint32_t *words = record_of(base, id);

		btf_each_name(word, words) {
			uint32_t offset = words[word];
			const char *text = btf_reader_string(base->reader, offset);

			if (text && !base->name_of_offset[offset])
				base->name_of_offset[offset] =
					string_pool_add(&base->names, text).index;
		}
	}
	base->offset_of_name = memory_zeroed(base->names.strings.count, sizeof(uint32_t));
	for (uint32_t offset = end; offset-- > 0;)
		base->offset_of_name[base->name_of_offset[offset]] = offset;
	base->offset_of_name[0] = 0;
}

void btf_base_init(struct btf_base *base, const struct btf_reader *reader)
{
	ARRAY_OF(uint32_t) words = { 0 };

	*base = (struct btf_base){ .reader = reader, .end_id = btf_reader_end_id(reader) };
	add_names(base);
	hash_table_reserve(&base->by_content, base->end_id);
	for (uint32_t id = 1; id < base->end_id; id++) {
		uint32_t info = record_of(base, id)[BTF_WORD_INFO];
		uint32_t count = btf_record_words(info), hash;
		enum btf_kind kind = btf_info_kind(info);

		/* Types of code and data are not looked up by content. */
		if (kind == BTF_FUNC || kind == BTF_VAR || kind == BTF_DATASEC)
			continue;
		array_reserve(&words, 2 * (size_t)count);
		assert(words.data);
		btf_base_record(base, id, words.data);
		hash = hash_words(words.data, count);
		if (!find_content(base, words.data, hash, words.data + count))
			hash_table_add(&base->by_content, hash, id);
	}
	array_release(&words);
	base->first_of_name = memory_zeroed(base->names.strings.count, sizeof(uint32_t));
	base->next_of_name = memory_zeroed(base->end_id, sizeof(uint32_t));
	/* From the highest id down, so that each chain ascends. */
	for (uint32_t id = base->end_id - 1; id > 0; id--) {
		const uint32_t *record = record_of(base, id);
		uint32_t name = btf_base_name_at(base, record[BTF_WORD_NAME]);

		if (!name || !btf_base_has_chain(btf_info_kind(record[BTF_WORD_INFO])))
			continue;
		base->next_of_name[id] = base->first_of_name[name];
		base->first_of_name[name] = id;
	}
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
