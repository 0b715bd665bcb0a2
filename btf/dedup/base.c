/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/base.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "base/hash.h"

/* ---- chains ---- */

static void chains_add(struct base_chains *chains, uint32_t hash, uint32_t value)
{
	array_push(&chains->links, ((struct base_link){ value, hash, 0 }));
}

/* After the last value, from there to the first: so each bucket has its own in order. */
static void chains_link(struct base_chains *chains)
{
	uint32_t buckets = 1;

	while (buckets < chains->links.count / 2)
		buckets *= 2;
	chains->mask = buckets - 1;
	chains->first = memory_zeroed(buckets, sizeof(*chains->first));
	for (size_t i = chains->links.count; i-- > 0;) {
		struct base_link *link = &chains->links.data[i];
		uint32_t *first = &chains->first[link->hash & chains->mask];

		link->next = *first;
		*first = (uint32_t)i + 1;
	}
}

static bool chains_next(const struct base_chains *chains, uint32_t *at, uint32_t hash,
			uint32_t *value)
{
	*at = *at ? chains->links.data[*at - 1].next : chains->first[hash & chains->mask];
	while (*at && chains->links.data[*at - 1].hash != hash)
		*at = chains->links.data[*at - 1].next;
	if (*at)
		*value = chains->links.data[*at - 1].value;
	return *at;
}

static void chains_release(struct base_chains *chains)
{
	array_release(&chains->links);
	free(chains->first);
}

/* ---- names ---- */

/* "" of what has none, and in a damaged base. */
static inline const char *name_at(const struct btf_reader *reader, uint32_t name)
{
	const char *text = name ? btf_reader_string(reader, name) : NULL;

	return text ? text : "";
}

/* As a pool has it. */
static inline uint32_t hash_of_name(const char *name)
{
	return *name ? hash_bytes(name, strlen(name)) : 0;
}

/* ---- the index of types ---- */

uint32_t btf_base_next_of_name(const struct btf_base *base, uint32_t *at,
			       const struct pool_string *name)
{
	uint32_t id;

	while (chains_next(&base->types, at, name->hash, &id)) {
		const uint32_t *words = btf_reader_type(base->reader, id);

		if (btf_base_has_chain(btf_info_kind(words[BTF_WORD_INFO])) && name->length &&
		    strcmp(name_at(base->reader, words[BTF_WORD_NAME]), name->text) == 0)
			return id;
	}
	return 0;
}

uint32_t btf_base_next_like(const struct btf_base *base, uint32_t *at, uint32_t hash)
{
	uint32_t id;

	return chains_next(&base->types, at, hash, &id) ? id : 0;
}

struct scratch {
	ARRAY_OF(uint32_t) words;
};

/* Adds a type by its content. Most of those that a module's types can be have no names in them. */
static void add_content(struct btf_base *base, uint32_t id, const uint32_t *record,
			struct scratch *scratch)
{
	uint32_t count = btf_record_words(record[BTF_WORD_INFO]), names = 0;
	const uint32_t *words = record;

	btf_each_name(word, record)
		names |= record[word];
	if (names) {
		array_reserve(&scratch->words, count);
		words = memcpy(scratch->words.data, record, count * sizeof(*words));
		btf_each_name(word, record)
			scratch->words.data[word] = hash_of_name(name_at(base->reader,
									 record[word]));
	}
	chains_add(&base->types, hash_words(words, count), id);
}

void btf_base_init(struct btf_base *base, const struct btf_reader *reader)
{
	*base = (struct btf_base){ .reader = reader, .end_id = btf_reader_end_id(reader) };
}

void btf_base_release(struct btf_base *base)
{
	chains_release(&base->types);
	chains_release(&base->strings);
	free(base->offsets);
	*base = (struct btf_base){ 0 };
}

/* ---- what an index for one module leaves out ---- */

#define HASH_BITS 16	/* of names of types, and of types without names */
#define ENDS_BITS 18	/* of all strings of a module */

/* A bit for each of so many. */
static uint64_t *bits_new(size_t count)
{
	return memory_zeroed(count / 64 + 1, sizeof(uint64_t));
}

static void set_bit(uint64_t *bits, uint32_t at)
{
	bits[at / 64] |= UINT64_C(1) << at % 64;
}

static bool get_bit(const uint64_t *bits, uint32_t at)
{
	return bits[at / 64] >> at % 64 & 1;
}

/* What the types of a table look like: a base's type that looks like none of these is none. */
struct looks {
	uint64_t *names;	/* by name_bit() of their hash */
	uint64_t *others;	/* by offset of the NUL before it: a string that is no such name */
	uint32_t others_end;	/* others are known only before this; in the lowest base */
	uint64_t *unnamed;	/* by look_of_unnamed() */
};

static inline uint32_t name_bit(uint32_t hash)
{
	return hash >> (32 - HASH_BITS);
}

/*
 * Of a type without a name by kind, length and the first two letters of its first element's name:
 * most prototypes of a kernel are of functions and have names of parameters, most of a module's are
 * types of members and have none.
 */
static inline uint32_t look_of_unnamed(const uint32_t *words, const char *element)
{
	uint32_t first = (uint8_t)element[0], second = first ? (uint8_t)element[1] : 0;

	return hash_number(hash_number(words[BTF_WORD_INFO]) ^ (second << 8 | first)) >>
	       (32 - HASH_BITS);
}

/* The name of its first element as a word; 0: none. */
static inline uint32_t element_name(const uint32_t *words)
{
	uint32_t info = words[BTF_WORD_INFO];

	return btf_name_count(info) > 1 ? words[btf_name_word(btf_kind_of(info), 1)] : 0;
}

static struct looks looks_of(const struct node_table *table, const struct string_pool *pool)
{
	const struct pool_string *strings = pool->strings.data;
	struct looks looks = {
		.names = bits_new(1u << HASH_BITS), .unnamed = bits_new(1u << HASH_BITS),
	};

	for (size_t t = 0; t < table->tags.count; t++)
		set_bit(looks.names, name_bit(strings[table->tags.data[t].name].hash));
	for (uint32_t s = 1; s < table->nodes.count; s++) {
		const uint32_t *words = node_words(table, s);

		if (words[BTF_WORD_NAME])
			set_bit(looks.names, name_bit(strings[words[BTF_WORD_NAME]].hash));
		else
			set_bit(looks.unnamed, look_of_unnamed(
				words, string_pool_word_text(pool, element_name(words))));
	}
	return looks;
}

/* ---- strings ---- */

#define END sizeof(uint32_t)

/* Of a string of at least so many bytes. It costs little: most of a base's are not looked up. */
static inline uint32_t hash_of_ends(const char *text, size_t length)
{
	uint32_t first, last;

	memcpy(&first, text, END);
	memcpy(&last, text + length - END, END);
	return (uint32_t)(((first | (uint64_t)last << 32) + length) * HASH_ODD >> (64 - ENDS_BITS));
}

/* May the module have it? Shorter strings are few. */
static inline bool may_be_ours(const uint64_t *ends, const char *text, size_t length)
{
	return length < END || get_bit(ends, hash_of_ends(text, length));
}

#ifdef __SSE2__
/* The bytes of 64 that are 0. */
static inline uint64_t zero_bytes(const char *text)
{
	uint64_t zeros = 0;

	for (int i = 0; i < 4; i++) {
		__m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)(text + i * 16));
		int mask = _mm_movemask_epi8(_mm_cmpeq_epi8(bytes, _mm_setzero_si128()));

		zeros |= (uint64_t)(uint32_t)mask << i * 16;
	}
	return zeros;
}
#endif

/* Apart, so that the loop that calls it, for one string of 20, is in registers. */
static __attribute__((noinline)) void take_string(struct btf_base *base, struct looks *looks,
						  const struct string_pool *pool,
						  const char *text, size_t length,
						  uint32_t offset)
{
	struct pool_string string = { text, (uint32_t)length, hash_bytes(text, length) };
	uint32_t id = string_pool_find(pool, &string).index, before = offset - 1;

	if (id && (!base->offsets[id] || offset < base->offsets[id]))
		base->offsets[id] = offset;
	if (before < looks->others_end &&
	    (!length || get_bit(looks->names, name_bit(string.hash))))
		looks->others[before / 64] &= ~(UINT64_C(1) << before % 64);
}

/*
 * A kernel has 95,000 strings, of which a module has 2,000. The loop of 64 bytes saves 6% of a
 * small module's instructions; the other one alone does the same. `ends`: hash_of_ends() of the
 * module's strings.
 */
static void find_strings(struct btf_base *base, const struct btf_reader *reader,
			 struct looks *looks, const struct string_pool *pool,
			 const uint64_t *ends)
{
	const char *strings = reader->strings;
	uint32_t begin = 0, bytes = reader->string_bytes;

#ifdef __SSE2__
	if (!reader->base)
		looks->others = memory_alloc(bytes / 64 * sizeof(*looks->others));
	for (uint32_t at = 0; bytes - at >= 64; at += 64) {
		uint64_t zeros = zero_bytes(strings + at);

		if (!reader->base) {
			looks->others[at / 64] = zeros;
			looks->others_end = at + 64;
		}
		for (; zeros; zeros &= zeros - 1) {
			uint32_t end = at + (uint32_t)__builtin_ctzll(zeros);

			if (may_be_ours(ends, strings + begin, end - begin))
				take_string(base, looks, pool, strings + begin, end - begin,
					    reader->first_string + begin);
			begin = end + 1;
		}
	}
#endif
	for (uint32_t length; begin < bytes; begin += length + 1) {
		length = (uint32_t)strlen(strings + begin);
		if (may_be_ours(ends, strings + begin, length))
			take_string(base, looks, pool, strings + begin, length,
				    reader->first_string + begin);
	}
}

static void find_all_strings(struct btf_base *base, struct looks *looks,
			     const struct string_pool *pool)
{
	uint64_t *ends = bits_new(1u << ENDS_BITS);

	base->offsets = memory_zeroed(pool->strings.count, sizeof(*base->offsets));
	for (size_t i = 1; i < pool->strings.count; i++) {
		const struct pool_string *string = &pool->strings.data[i];

		if (string->length >= END)
			set_bit(ends, hash_of_ends(string->text, string->length));
	}
	for (const struct btf_reader *reader = base->reader; reader; reader = reader->base)
		find_strings(base, reader, looks, pool, ends);
	free(ends);
}

uint32_t btf_base_string(const struct btf_base *base, const struct string_pool *pool,
			 struct pool_id id)
{
	const struct pool_string *string = &pool->strings.data[id.index];
	uint32_t at = 0, offset, lowest = 0;

	if (base->offsets)
		return base->offsets[id.index];
	while (chains_next(&base->strings, &at, string->hash, &offset)) {
		if ((!lowest || offset < lowest) &&
		    strcmp(btf_reader_string(base->reader, offset), string->text) == 0)
			lowest = offset;
	}
	return lowest;
}

/* ---- types ---- */

/* `types`: those that are wanted. */
static inline bool refers_to_wanted(const struct btf_base *base, const uint64_t *types,
				    const uint32_t *words)
{
	btf_each_ref(word, words) {
		/* Damaged types may refer to more than there are. */
		if (words[word] && (words[word] >= base->end_id || !get_bit(types, words[word])))
			return false;
	}
	return true;
}

/*
 * Most names begin where a string begins, and those that are none of the module's are known by
 * that. A name may be the end of a string, too.
 */
static inline bool looks_like(const struct btf_reader *reader, const uint32_t *words,
			      const struct looks *looks)
{
	uint32_t before = words[BTF_WORD_NAME] - 1;
	const char *name;

	if (before < looks->others_end && get_bit(looks->others, before))
		return false;
	name = name_at(reader, words[BTF_WORD_NAME]);
	if (*name)
		return get_bit(looks->names, name_bit(hash_of_name(name)));
	return get_bit(looks->unnamed,
		       look_of_unnamed(words, name_at(reader, element_name(words))));
}

/* Finds the types that look like one of these (NULL: any), by id. */
static uint64_t *find_alike(const struct btf_base *base, const struct looks *looks)
{
	const uint32_t never = 1u << BTF_FUNC | 1u << BTF_VAR | 1u << BTF_DATASEC;
	uint64_t *types = bits_new(base->end_id);

	for (uint32_t id = 1, end; id < base->end_id; id = end) {
		const struct btf_reader *reader = base->reader;

		while (id < reader->first_id)
			reader = reader->base;
		end = btf_reader_end_id(reader);
		for (uint32_t i = id; i < end; i++) {
			const uint32_t *words = reader->words +
						reader->positions[i - reader->first_id];

			if (!(never >> btf_info_kind(words[BTF_WORD_INFO]) & 1) &&
			    (!looks || looks_like(reader, words, looks)))
				set_bit(types, i);
		}
	}
	return types;
}

/*
 * Ids ascend: what a type refers to is mostly below it, or has a name. One that refers to what is
 * left out is left out, too, if this is for one table. `types` is freed.
 */
static void index_types(struct btf_base *base, uint64_t *types, bool is_for_all)
{
	struct scratch scratch = { 0 };

	for (uint32_t at = 0; at <= base->end_id / 64; at++) {
		for (uint64_t left = types[at]; left; left &= left - 1) {
			uint32_t id = at * 64 + (uint32_t)__builtin_ctzll(left);
			const uint32_t *words = btf_reader_type(base->reader, id);
			const char *name = name_at(base->reader, words[BTF_WORD_NAME]);

			if (*name && btf_base_has_chain(btf_info_kind(words[BTF_WORD_INFO])))
				chains_add(&base->types, hash_of_name(name), id);
			else if (is_for_all || refers_to_wanted(base, types, words))
				add_content(base, id, words, &scratch);
			else
				types[at] &= ~(left & -left);
		}
	}
	chains_link(&base->types);
	array_release(&scratch.words);
	free(types);
}

/* ---- the index ---- */

void btf_base_index_all(struct btf_base *base)
{
	index_types(base, find_alike(base, NULL), true);
	for (const struct btf_reader *reader = base->reader; reader; reader = reader->base) {
		for (uint32_t at = 0, length; at < reader->string_bytes; at += length + 1) {
			const char *text = reader->strings + at;

			length = (uint32_t)strlen(text);
			if (length)
				chains_add(&base->strings, hash_bytes(text, length),
					   reader->first_string + at);
		}
	}
	chains_link(&base->strings);
}

void btf_base_index_for(struct btf_base *base, const struct btf_base *of,
			const struct node_table *table, const struct string_pool *pool)
{
	struct looks looks = looks_of(table, pool);
	uint64_t *types;

	btf_base_init(base, of->reader);
	find_all_strings(base, &looks, pool);
	types = find_alike(base, &looks);
	free(looks.names);
	free(looks.others);
	free(looks.unnamed);
	index_types(base, types, false);
}

#define MAX_OTHERS 64	/* of a name; if there are more, none is distinct: else time is quadratic */

bool btf_base_is_distinct(const struct btf_base *base, uint32_t id)
{
	const uint32_t *words = btf_reader_type(base->reader, id);
	struct pool_string name = pool_string(name_at(base->reader, words[BTF_WORD_NAME]));
	uint32_t at = 0, other, others = 0;

	while ((other = btf_base_next_of_name(base, &at, &name))) {
		const uint32_t *with = btf_reader_type(base->reader, other);

		if (other == id)
			continue;
		if (others++ == MAX_OTHERS)
			return false;
		if (btf_info_kind(words[BTF_WORD_INFO]) == BTF_FWD ||
		    btf_info_kind(with[BTF_WORD_INFO]) == BTF_FWD ||
		    with[BTF_WORD_SIZE] == words[BTF_WORD_SIZE])
			return false;
	}
	return true;
}
