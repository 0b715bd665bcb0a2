/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/base.h"

#include <assert.h>
#include <string.h>

#include "base/hash.h"

/* "" in a damaged base. */
static const char *name_of(const struct btf_base *base, uint32_t id)
{
	const char *name = btf_reader_string(
		base->reader, btf_reader_type(base->reader, id)[BTF_WORD_NAME]);

	return name ? name : "";
}

/* ---- strings ---- */

uint32_t *btf_base_names(const struct btf_base *base, const struct string_pool *pool)
{
	uint32_t *names = memory_zeroed(pool->strings.count, sizeof(*names));

	for (size_t i = 0; i < base->strings.count; i++) {
		const struct base_string *string = &base->strings.data[i];
		struct pool_string wanted;
		uint32_t id;

		if (!*hash_table_first(&pool->by_text, string->hash))
			continue;
		wanted = pool_string(btf_reader_string(base->reader, string->offset));
		id = string_pool_find(pool, &wanted).index;
		if (id && (!names[id] || string->offset < names[id]))
			names[id] = string->offset;
	}
	return names;
}

/* ---- types ---- */

static bool has_chain(const struct btf_base *base, uint32_t id)
{
	const uint32_t *words = btf_reader_type(base->reader, id);

	return btf_base_has_chain(btf_info_kind(words[BTF_WORD_INFO])) && *name_of(base, id);
}

uint32_t btf_base_next_of_name(const struct btf_base *base, uint32_t id,
			       const struct pool_string *name)
{
	id = id ? base->next[id] : base->first[name->hash % base->buckets];
	while (id && !(has_chain(base, id) && strcmp(name_of(base, id), name->text) == 0))
		id = base->next[id];
	return id;
}

uint32_t btf_base_next_like(const struct btf_base *base, uint32_t id, uint32_t hash)
{
	return id ? base->next[id] : base->first[hash % base->buckets];
}

/* `words` is scratch. */
static uint32_t content_hash(const struct btf_base *base, const uint32_t *record,
			     uint32_t *words)
{
	uint32_t count = btf_record_words(record[BTF_WORD_INFO]);

	assert(words);
	memcpy(words, record, count * sizeof(*words));
	btf_each_name(word, record) {
		const char *text = btf_reader_string(base->reader, record[word]);

		words[word] = text && *text ? hash_bytes(text, strlen(text)) : 0;
	}
	return hash_words(words, count);
}

void btf_base_init(struct btf_base *base, const struct btf_reader *reader)
{
	ARRAY_OF(uint32_t) scratch = { 0 };

	*base = (struct btf_base){ .reader = reader, .end_id = btf_reader_end_id(reader) };
	for (; reader; reader = reader->base) {
		/* A kernel's strings have 17 bytes. */
		array_reserve(&base->strings, reader->string_bytes / 16);
		for (uint32_t at = 0, length; at < reader->string_bytes; at += length + 1) {
			length = (uint32_t)strlen(reader->strings + at);
			if (length)
				array_push(&base->strings, ((struct base_string){
					reader->first_string + at,
					hash_bytes(reader->strings + at, length) }));
		}
	}
	for (base->buckets = 1; base->buckets < base->end_id / 2;)
		base->buckets *= 2;
	base->first = memory_zeroed(base->buckets, sizeof(uint32_t));
	base->next = memory_zeroed(base->end_id, sizeof(uint32_t));
	/* From the highest id down, so that all ids ascend. */
	for (uint32_t id = base->end_id - 1; id > 0; id--) {
		const uint32_t *words = btf_reader_type(base->reader, id);
		enum btf_kind kind = btf_info_kind(words[BTF_WORD_INFO]);
		uint32_t hash, *first;

		if (kind == BTF_FUNC || kind == BTF_VAR || kind == BTF_DATASEC)
			continue;
		array_reserve(&scratch, btf_record_words(words[BTF_WORD_INFO]));
		hash = has_chain(base, id) ? pool_string(name_of(base, id)).hash
					   : content_hash(base, words, scratch.data);
		first = &base->first[hash % base->buckets];
		base->next[id] = *first;
		*first = id;
	}
	array_release(&scratch);
}

void btf_base_release(struct btf_base *base)
{
	array_release(&base->strings);
	free(base->first);
	free(base->next);
	*base = (struct btf_base){ 0 };
}

bool btf_base_is_distinct(const struct btf_base *base, uint32_t id)
{
	const uint32_t *words = btf_reader_type(base->reader, id);
	struct pool_string name = pool_string(name_of(base, id));
	uint32_t other = 0;

	while ((other = btf_base_next_of_name(base, other, &name))) {
		const uint32_t *with = btf_reader_type(base->reader, other);

		if (other == id)
			continue;
		if (btf_info_kind(words[BTF_WORD_INFO]) == BTF_FWD ||
		    btf_info_kind(with[BTF_WORD_INFO]) == BTF_FWD ||
		    with[BTF_WORD_SIZE] == words[BTF_WORD_SIZE])
			return false;
	}
	return true;
}
