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

/* The names by their text; `words` is scratch. */
static uint32_t content_hash(const struct btf_base *base, const uint32_t *record,
			     uint32_t *words)
{
	uint32_t count = btf_record_words(record[BTF_WORD_INFO]);

	assert(words);
	memcpy(words, record, count * sizeof(*words));
	btf_each_name(word, record) {
		const char *text = record[word] ? btf_reader_string(base->reader, record[word])
						: NULL;

		words[word] = text && *text ? hash_bytes(text, strlen(text)) : 0;
	}
	return hash_words(words, count);
}

void btf_base_init(struct btf_base *base, const struct btf_reader *reader)
{
	*base = (struct btf_base){ .reader = reader, .end_id = btf_reader_end_id(reader) };
}

/* ---- what an index for one module leaves out ---- */

/* What can be the same as something of a module: a bit each. */
struct filter {
	const struct string_pool *pool;
	uint32_t longest;		/* length of a string of the pool */
	uint64_t *brief;		/* by brief_hash() of a string: the pool may have it */
	uint64_t *names;		/* by offset of a string: the pool has it */
	uint64_t *types;		/* by id */
	uint32_t end_id;		/* of these; damaged types may refer to more */
};

#define BRIEF_BITS 16

static uint64_t *bits_new(size_t count)
{
	return memory_zeroed(count / 64 + 1, sizeof(uint64_t));
}

static void set_bit(uint64_t *bits, uint32_t at)
{
	bits[at / 64] |= UINT64_C(1) << at % 64;
}

static void clear_bit(uint64_t *bits, uint32_t at)
{
	bits[at / 64] &= ~(UINT64_C(1) << at % 64);
}

static bool get_bit(const uint64_t *bits, uint32_t at)
{
	return bits[at / 64] >> at % 64 & 1;
}

/* Costs little: most strings of a base are not looked up. */
static uint32_t brief_hash(const char *text, size_t length)
{
	uint64_t first, last;

	if (length < sizeof(first))
		return (uint32_t)(hash_load_short(text, length) * HASH_ODD >> (64 - BRIEF_BITS));
	memcpy(&first, text, sizeof(first));
	memcpy(&last, text + length - sizeof(last), sizeof(last));
	return (uint32_t)(((first ^ length) * 3 + last) * HASH_ODD >> (64 - BRIEF_BITS));
}

/* ---- the index ---- */

/* `filter` may be NULL. */
static void index_strings(struct btf_base *base, const struct filter *filter)
{
	const struct btf_reader *reader = base->reader;

	for (; reader; reader = reader->base) {
		/* A kernel's strings have 17 bytes. */
		if (!filter)
			array_reserve(&base->strings, reader->string_bytes / 16);
		for (uint32_t at = 0, length; at < reader->string_bytes; at += length + 1) {
			struct pool_string string = { .text = reader->strings + at };

			length = string.length = (uint32_t)strlen(string.text);
			if (!length || (filter && !get_bit(filter->brief,
							   brief_hash(string.text, length))))
				continue;
			string.hash = hash_bytes(string.text, length);
			if (filter && !string_pool_find(filter->pool, &string).index)
				continue;
			array_push(&base->strings, ((struct base_string){
				reader->first_string + at, string.hash }));
			if (filter)
				set_bit(filter->names, reader->first_string + at);
		}
	}
}

/* A name may also be the end of a string. `text` is not the beginning of one. */
static bool is_end_of_known(const struct filter *filter, const char *text)
{
	struct pool_string string;

	if (strnlen(text, filter->longest + 1) > filter->longest)
		return false;
	string = pool_string(text);
	return string_pool_find(filter->pool, &string).index;
}

static inline bool is_known_name(const struct btf_reader *reader, const struct filter *filter,
				 uint32_t name)
{
	const char *text;

	if (!name)
		return true;
	if (name >= btf_reader_end_string(reader))
		return false;
	if (get_bit(filter->names, name))
		return true;
	while (name < reader->first_string)
		reader = reader->base;
	text = reader->strings + (name - reader->first_string);
	if (!*text)
		return true;	/* as good as none */
	return name > reader->first_string && text[-1] && is_end_of_known(filter, text);
}

static inline bool refers_to_known(const struct filter *filter, const uint32_t *words)
{
	btf_each_ref(word, words) {
		if (words[word] && (words[word] >= filter->end_id ||
				    !get_bit(filter->types, words[word])))
			return false;
	}
	return true;
}

static bool is_matched(enum btf_kind kind)
{
	return kind != BTF_FUNC && kind != BTF_VAR && kind != BTF_DATASEC;
}

/* Finds the types that have a name which the pool has, too, and those without a name. */
static void find_known_names(const struct btf_base *base, const struct filter *filter)
{
	for (uint32_t id = 1, end; id < base->end_id; id = end) {
		const struct btf_reader *reader = base->reader;
		const uint32_t *positions;

		while (id < reader->first_id)
			reader = reader->base;
		positions = reader->positions;
		end = btf_reader_end_id(reader);
		for (uint32_t i = id; i < end; i++) {
			const uint32_t *words = reader->words + positions[i - reader->first_id];

			if (is_matched(btf_info_kind(words[BTF_WORD_INFO])) &&
			    is_known_name(reader, filter, words[BTF_WORD_NAME]))
				set_bit(filter->types, i);
		}
	}
}

static bool is_candidate(const struct btf_reader *reader, const struct filter *filter,
			 const uint32_t *words)
{
	if (words[BTF_WORD_NAME] && btf_base_has_chain(btf_info_kind(words[BTF_WORD_INFO])))
		return true;
	if (!refers_to_known(filter, words))
		return false;
	btf_each_name(word, words) {
		if (!is_known_name(reader, filter, words[word]))
			return false;
	}
	return true;
}

/*
 * Leaves out those found by find_known_names() that refer to what is left out. Ids ascend: what a
 * type refers to is mostly below it, or has a name. Gives the number of those left.
 */
static uint32_t find_candidates(const struct btf_base *base, const struct filter *filter)
{
	uint32_t count = 0;

	for (uint32_t at = 0; at <= base->end_id / 64; at++) {
		for (uint64_t left = filter->types[at]; left; left &= left - 1) {
			uint32_t id = at * 64 + (uint32_t)__builtin_ctzll(left);

			if (is_candidate(base->reader, filter, btf_reader_type(base->reader, id)))
				count++;
			else
				clear_bit(filter->types, id);
		}
	}
	return count;
}

/* The highest id up to `id` that may be wanted; 0: none. */
static uint32_t candidate_below(const struct filter *filter, uint32_t id)
{
	uint64_t bits;

	if (!filter)
		return id;
	for (; id; id -= id % 64 + 1) {
		bits = filter->types[id / 64] << (63 - id % 64);
		if (bits)
			return id - (uint32_t)__builtin_clzll(bits);
		if (id < 64)
			break;
	}
	return 0;
}

static void index_types(struct btf_base *base, const struct filter *filter)
{
	uint32_t count = base->end_id;
	ARRAY_OF(uint32_t) scratch = { 0 };

	if (filter) {
		find_known_names(base, filter);
		count = find_candidates(base, filter);
	}
	for (base->buckets = 1; base->buckets < count / 2;)
		base->buckets *= 2;
	base->first = memory_zeroed(base->buckets, sizeof(uint32_t));
	base->next = memory_zeroed(base->end_id, sizeof(uint32_t));
	/* From the highest id down, so that all ids ascend. */
	for (uint32_t id = base->end_id; (id = candidate_below(filter, id - 1));) {
		const uint32_t *words = btf_reader_type(base->reader, id);
		uint32_t hash, *first;

		if (has_chain(base, id)) {
			hash = pool_string(name_of(base, id)).hash;
		} else if (filter ? refers_to_known(filter, words)
				  : is_matched(btf_info_kind(words[BTF_WORD_INFO]))) {
			array_reserve(&scratch, btf_record_words(words[BTF_WORD_INFO]));
			hash = content_hash(base, words, scratch.data);
		} else {
			if (filter)
				clear_bit(filter->types, id);
			continue;
		}
		first = &base->first[hash % base->buckets];
		base->next[id] = *first;
		*first = id;
	}
	array_release(&scratch);
}

void btf_base_index_all(struct btf_base *base)
{
	index_strings(base, NULL);
	index_types(base, NULL);
}

void btf_base_index_for(struct btf_base *base, const struct string_pool *pool)
{
	struct filter filter = {
		.pool = pool,
		.brief = bits_new(1u << BRIEF_BITS),
		.names = bits_new(btf_reader_end_string(base->reader)),
		.types = bits_new(base->end_id),
		.end_id = base->end_id,
	};

	for (size_t i = 1; i < pool->strings.count; i++) {
		const struct pool_string *string = &pool->strings.data[i];

		set_bit(filter.brief, brief_hash(string->text, string->length));
		if (string->length > filter.longest)
			filter.longest = string->length;
	}
	index_strings(base, &filter);
	index_types(base, &filter);
	free(filter.brief);
	free(filter.names);
	free(filter.types);
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
