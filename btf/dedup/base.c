/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/base.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

static uint32_t find_content(const struct btf_base *base, const uint32_t *words, uint32_t count,
			     uint32_t hash)
{
	const uint64_t *slot = hash_table_first(&base->by_content, hash);

	for (; *slot; slot = hash_table_next(&base->by_content, slot)) {
		const uint32_t *other = base->words.data + base->starts[hash_table_value(slot)];

		if (other[BTF_WORD_INFO] == words[BTF_WORD_INFO] &&
		    memcmp(other, words, count * sizeof(*words)) == 0)
			break;
	}
	return hash_table_value(slot);
}

uint32_t btf_base_find(const struct btf_base *base, const uint32_t *words)
{
	uint32_t count = btf_record_words(words[BTF_WORD_INFO]);

	return find_content(base, words, count, hash_words(words, count));
}

/* Copies the records, and numbers the names of all types, members, ... */
static void copy_records(struct btf_base *base)
{
	uint32_t end = btf_reader_end_string(base->reader);
	uint32_t *name_of_offset = memory_zeroed(end + (size_t)1, sizeof(uint32_t));

	string_pool_init(&base->names);
	base->starts = memory_alloc(base->end_id * sizeof(uint32_t));
	for (uint32_t id = 1; id < base->end_id; id++) {
		const uint32_t *record = btf_reader_type(base->reader, id);
		uint32_t count, *words;

		assert(record);		/* all ids from 1 to end_id have one */
		count = btf_record_words(record[BTF_WORD_INFO]);
		array_reserve(&base->words, count);
		base->starts[id] = (uint32_t)base->words.count;
		words = memcpy(base->words.data + base->words.count, record,
			       count * sizeof(*words));
		base->words.count += count;
		btf_each_name(word, record) {
			uint32_t offset = record[word];
			const char *text = btf_reader_string(base->reader, offset);

			if (offset && text && !name_of_offset[offset])
				name_of_offset[offset] =
					string_pool_add(&base->names, text).index;
			words[word] = text ? name_of_offset[offset] : 0;
		}
	}
	base->offset_of_name = memory_zeroed(base->names.strings.count, sizeof(uint32_t));
	for (uint32_t offset = end; offset-- > 0;)
		base->offset_of_name[name_of_offset[offset]] = offset;
	base->offset_of_name[0] = 0;
	free(name_of_offset);
}

void btf_base_init(struct btf_base *base, const struct btf_reader *reader)
{
	*base = (struct btf_base){ .reader = reader, .end_id = btf_reader_end_id(reader) };
	copy_records(base);
	hash_table_reserve(&base->by_content, base->end_id);
	base->first_of_name = memory_zeroed(base->names.strings.count, sizeof(uint32_t));
	base->next_of_name = memory_zeroed(base->end_id, sizeof(uint32_t));
	for (uint32_t id = 1; id < base->end_id; id++) {
		const uint32_t *words = base->words.data + base->starts[id];
		uint32_t count = btf_record_words(words[BTF_WORD_INFO]);
		enum btf_kind kind = btf_info_kind(words[BTF_WORD_INFO]);
		uint32_t hash = hash_words(words, count);

		/* Types of code and data are not looked up by content. */
		if (kind != BTF_FUNC && kind != BTF_VAR && kind != BTF_DATASEC &&
		    !find_content(base, words, count, hash))
			hash_table_add(&base->by_content, hash, id);
	}
	/* From the highest id down, so that each chain ascends. */
	for (uint32_t id = base->end_id - 1; id > 0; id--) {
		const uint32_t *words = base->words.data + base->starts[id];
		uint32_t name = words[BTF_WORD_NAME];

		if (!name || !btf_base_has_chain(btf_info_kind(words[BTF_WORD_INFO])))
			continue;
		base->next_of_name[id] = base->first_of_name[name];
		base->first_of_name[name] = id;
	}
}

void btf_base_release(struct btf_base *base)
{
	string_pool_release(&base->names);
	free(base->offset_of_name);
	array_release(&base->words);
	free(base->starts);
	hash_table_release(&base->by_content);
	free(base->first_of_name);
	free(base->next_of_name);
	*base = (struct btf_base){ 0 };
}

bool btf_base_is_distinct(const struct btf_base *base, uint32_t id)
{
	const uint32_t *words = base->words.data + base->starts[id];
	uint32_t first = base->first_of_name[words[BTF_WORD_NAME]];

	for (uint32_t k = first; k; k = base->next_of_name[k]) {
		const uint32_t *other = base->words.data + base->starts[k];

		if (k == id)
			continue;
		if (btf_info_kind(words[BTF_WORD_INFO]) == BTF_FWD ||
		    btf_info_kind(other[BTF_WORD_INFO]) == BTF_FWD ||
		    other[BTF_WORD_SIZE] == words[BTF_WORD_SIZE])
			return false;
	}
	return true;
}
