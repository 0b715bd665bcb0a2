/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which types of a module stand in its base.
 *
 * Tags ("struct foo") are matched first, because cycles go through them. A *pair* is a tag that has
 * a definition, and a type of its kind and name in the base. All pairs are taken for good; one
 * whose records differ, or lead to a pair that is not good, becomes bad; that is repeated until no
 * more does. What is left is the largest set of pairs that are the same everywhere they lead. Each
 * round is linear in the pairs' words; there are as many as a chain between two that differ has
 * turns in the order of the tags, normally two.
 *
 * A declaration is no evidence (btf/dedup/refine.c): a tag that the module only declares, and defines
 * nowhere, may be any definition of its name that the base has in that place, and the module's
 * definition may be what the base only declares. Where a tag is left with several pairs, some may
 * be the same only because of that. So it is done again without this indulgence, step by step, and
 * what is good then comes first. Several that are good only by what an open tag may be are none.
 *
 * All other shapes are finite trees down to tags: from the leaves up each is looked up by content,
 * with the ids of what it refers to. A pointer to a type that is the module's own is so never taken
 * for the base's pointer to a declaration of it.
 */
#include <string.h>

#include "base/hash.h"
#include "base/search.h"
#include "btf/dedup/base.h"

struct pair {
	uint32_t tag;
	uint32_t id;		/* in the base */
	bool is_bad;
	bool is_guess;		/* or good only where open tags may be any definition */
	bool is_loose;		/* or good only where declarations stand for definitions */
};

/* What a declaration may stand for, the least strict first. */
enum rule {
	RULE_OPEN,	/* an open tag for any definition, and what follows */
	RULE_CLOSED,	/* a declaration in the base for the module's definition */
	RULE_EXACT,	/* nothing */
};

/* A reference of the module beside one of the base. */
struct comparison {
	shape_ref ref;
	uint32_t id;
};

/* A comparison that some pair has made already: `owner` says whether it came out well. */
struct memo {
	struct comparison key;
	uint32_t owner;		/* number of the attempt */
};

#define SEVERAL UINT32_MAX

struct matcher {
	const struct btf_base *base;
	const struct shape_table *table;
	bool distilled;
	enum rule rule;
	uint32_t *names;	/* pool id -> id in base->names, 0 none */
	ARRAY_OF(struct pair) pairs;	/* ascending by tag, then by id */
	uint32_t *first_pair;	/* tag -> first of its pairs; one more entry than tags */
	bool *is_open;		/* tags that are declared, and defined nowhere */
	uint32_t *bound;	/* open tag -> the definition meant; 0 none, SEVERAL */

	ARRAY_OF(struct comparison) pending;
	ARRAY_OF(bool) attempts;	/* [0] unused; did this attempt of the round fail? */
	ARRAY_OF(struct memo) memos;
	struct hash_table by_key;	/* index into memos + 1 */
	ARRAY_OF(uint32_t) words;	/* two records */
};

static bool is_tag_kind(enum btf_kind kind)
{
	return kind == BTF_STRUCT || kind == BTF_UNION || kind == BTF_ENUM || kind == BTF_ENUM64;
}

/* An enum that was only declared is written as one without values (btf/dedup/image.c). */
static bool is_forward_of(const struct tag *tag, const uint32_t *words)
{
	uint32_t info = words[BTF_WORD_INFO];

	if (tag->kind == BTF_ENUM)
		return btf_info_kind(info) == BTF_ENUM && btf_info_vlen(info) == 0;
	return btf_info_kind(info) == BTF_FWD &&
	       btf_info_kind_flag(info) == (tag->kind == BTF_UNION);
}

/* Tags of ENUM and ENUM64 are of one kind. */
static bool is_definition_of(const struct tag *tag, const uint32_t *words)
{
	enum btf_kind kind = btf_info_kind(words[BTF_WORD_INFO]);

	return (kind == tag->kind || (tag->kind == BTF_ENUM && kind == BTF_ENUM64)) &&
	       !is_forward_of(tag, words);
}

/* ---- pairs ---- */

static uint32_t first_of_name(const struct matcher *m, const struct tag *tag)
{
	uint32_t name = m->names[tag->name];

	return name ? m->base->first_of_name[name] : 0;
}

static void make_pairs(struct matcher *m)
{
	size_t count = m->table->tags.count;

	m->first_pair = memory_alloc((count + 1) * sizeof(uint32_t));
	for (uint32_t t = 0; t < count; t++) {
		const struct tag *tag = &m->table->tags.data[t];

		m->first_pair[t] = (uint32_t)m->pairs.count;
		if (!tag->definition)
			continue;
		for (uint32_t id = first_of_name(m, tag); id; id = m->base->next_of_name[id]) {
			if (is_definition_of(tag, btf_reader_type(m->base->reader, id)))
				array_push(&m->pairs, ((struct pair){ .tag = t, .id = id }));
		}
	}
	m->first_pair[count] = (uint32_t)m->pairs.count;
}

/* What is known of a pair by the rules of this pass. */
static bool *verdict_on(const struct matcher *m, uint32_t pair)
{
	struct pair *p = &m->pairs.data[pair];

	return m->rule == RULE_EXACT ? &p->is_loose
	       : m->rule == RULE_CLOSED ? &p->is_guess : &p->is_bad;
}

static bool is_good_pair(const struct matcher *m, uint32_t tag, uint32_t id)
{
	uint32_t first = m->first_pair[tag], end = m->first_pair[tag + 1];
	uint32_t pair = first + (uint32_t)lower_bound(i, end - first,
						      m->pairs.data[first + i].id < id);

	return pair < end && m->pairs.data[pair].id == id && !*verdict_on(m, pair);
}

/* The base's only definition of a tag; 0: there is none, or SEVERAL. */
static uint32_t only_definition(const struct matcher *m, const struct tag *tag)
{
	uint32_t found = 0;

	for (uint32_t id = first_of_name(m, tag); id; id = m->base->next_of_name[id]) {
		if (is_definition_of(tag, btf_reader_type(m->base->reader, id)))
			found = found ? SEVERAL : id;
	}
	return found;
}

/* Not even where the declaration was not seen together with it. */
static void find_open(struct matcher *m, size_t name_count)
{
	const struct shape_table *table = m->table;
	uint32_t *defined = memory_zeroed(name_count, sizeof(*defined));	/* kinds, by name */

	m->is_open = memory_zeroed(table->tags.count + 1, sizeof(*m->is_open));
	m->bound = memory_zeroed(table->tags.count + 1, sizeof(*m->bound));
	for (size_t t = 0; t < table->tags.count; t++) {
		const struct tag *tag = &table->tags.data[t];

		if (tag->definition)
			defined[tag->name] |= 1u << tag->kind;
	}
	for (size_t t = 0; t < table->tags.count; t++) {
		const struct tag *tag = &table->tags.data[t];

		m->is_open[t] = !tag->definition && !(defined[tag->name] & 1u << tag->kind);
	}
	free(defined);
}

/*
 * What an open tag is in all places of definitions that the base has, it is elsewhere, too; also
 * if it is the base's only definition.
 */
static void bind_open(struct matcher *m)
{
	for (size_t t = 0; t < m->table->tags.count; t++) {
		const struct tag *tag = &m->table->tags.data[t];
		uint32_t only = m->is_open[t] ? only_definition(m, tag) : 0;

		if (only && only != SEVERAL)
			m->bound[t] = only;
		if (m->bound[t] == SEVERAL)
			m->bound[t] = 0;
	}
}

static uint32_t forward_of(const struct matcher *m, const struct tag *tag)
{
	for (uint32_t id = first_of_name(m, tag); id; id = m->base->next_of_name[id]) {
		if (is_forward_of(tag, btf_reader_type(m->base->reader, id)))
			return id;
	}
	return 0;
}

/* Is a tag of the module what the base has there, as far as is known in this round? */
static bool same_tag(struct matcher *m, uint32_t t, uint32_t id)
{
	const struct tag *tag = &m->table->tags.data[t];
	const uint32_t *words = btf_reader_type(m->base->reader, id);

	if (!words || !tag->name)
		return false;
	if (tag->definition && !is_forward_of(tag, words))
		return is_good_pair(m, t, id);
	if (btf_base_name_at(m->base, words[BTF_WORD_NAME]) != m->names[tag->name])
		return false;
	if (is_forward_of(tag, words))
		return !(m->rule == RULE_EXACT && tag->definition);
	if (m->rule != RULE_OPEN || !m->is_open[t] || !is_definition_of(tag, words))
		return false;
	m->bound[t] = !m->bound[t] || m->bound[t] == id ? id : SEVERAL;
	return true;
}

/* ---- comparing ---- */

/* A shape's record with the base's names and without references; false: it has an own name. */
static bool translate_names(const struct matcher *m, uint32_t shape, uint32_t *words)
{
	uint32_t info, names;
	const struct btf_kind_info *kind;

	memcpy(words, shape_words(m->table, shape),
	       m->table->shapes.data[shape].word_count * sizeof(*words));
	info = words[BTF_WORD_INFO];
	kind = btf_kind_of(info);
	names = btf_name_count(info);
	for (uint32_t i = 0; i < names; i++) {
		uint32_t *name = &words[btf_name_word(kind, i)];

		if (*name && !m->names[*name])
			return false;
		*name = m->names[*name];
	}
	return true;
}

static void clear_references(uint32_t *words)
{
	uint32_t info = words[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);

	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++)
		words[btf_ref_word(kind, i)] = 0;
}

/* The records without what they refer to, which is left to be compared. */
static bool same_record(struct matcher *m, uint32_t shape, uint32_t id)
{
	const uint32_t *ours = shape_words(m->table, shape);
	const uint32_t *theirs = btf_reader_type(m->base->reader, id);
	uint32_t info = ours[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);
	uint32_t count = btf_record_words(info);

	if (!theirs || theirs[BTF_WORD_INFO] != info)
		return false;
	m->words.count = 0;
	array_reserve(&m->words, 2 * (size_t)count);
	if (!translate_names(m, shape, m->words.data))
		return false;
	btf_base_record(m->base, id, m->words.data + count);
	clear_references(m->words.data);
	clear_references(m->words.data + count);
	if (memcmp(m->words.data, m->words.data + count, count * sizeof(uint32_t)) != 0)
		return false;
	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
		uint32_t word = btf_ref_word(kind, i);

		array_push(&m->pending, ((struct comparison){ ours[word], theirs[word] }));
	}
	return true;
}

/* Need these be compared in this attempt? Not when it or a good one before it has done so. */
static bool is_news(struct matcher *m, struct comparison key)
{
	uint32_t attempt = (uint32_t)m->attempts.count - 1;
	uint32_t hash = hash_finish(hash_mix(key.ref, key.id));

	for (const uint64_t *slot = hash_table_first(&m->by_key, hash); *slot;
	     slot = hash_table_next(&m->by_key, slot)) {
		struct memo *memo = &m->memos.data[hash_table_value(slot) - 1];

		if (memo->key.ref != key.ref || memo->key.id != key.id)
			continue;
		if (!m->attempts.data[memo->owner])
			return false;
		memo->owner = attempt;
		return true;
	}
	array_push(&m->memos, ((struct memo){ key, attempt }));
	hash_table_add(&m->by_key, hash, (uint32_t)m->memos.count);
	return true;
}

static bool compare(struct matcher *m, struct comparison next)
{
	if (next.ref == SHAPE_VOID || next.id == 0)
		return next.ref == SHAPE_VOID && next.id == 0;
	if (ref_is_tag(next.ref))
		return same_tag(m, ref_tag(next.ref), next.id);
	return !is_news(m, next) || same_record(m, next.ref, next.id);
}

static bool same_definition(struct matcher *m, const struct pair *pair)
{
	uint32_t shape = m->table->tags.data[pair->tag].definition;
	bool good;

	array_push(&m->attempts, false);
	m->pending.count = 0;
	good = same_record(m, shape, pair->id);
	while (good && m->pending.count)
		good = compare(m, m->pending.data[--m->pending.count]);
	m->attempts.data[m->attempts.count - 1] = !good;
	return good;
}

/* Every other round goes the other way, because chains of types stand in either order. */
static void match_definitions(struct matcher *m)
{
	uint32_t count = (uint32_t)m->pairs.count;
	bool changed = true;

	for (bool backwards = false; changed; backwards = !backwards) {
		changed = false;
		m->attempts.count = m->memos.count = 0;
		array_push(&m->attempts, true);
		hash_table_clear(&m->by_key);
		/* Of the last round only, in which all are good. */
		if (m->rule == RULE_OPEN)
			memset(m->bound, 0, m->table->tags.count * sizeof(*m->bound));
		for (uint32_t i = 0; i < count; i++) {
			uint32_t p = backwards ? count - 1 - i : i;
			bool *is_bad = verdict_on(m, p);

			if (*is_bad || same_definition(m, &m->pairs.data[p]))
				continue;
			*is_bad = changed = true;
		}
	}
}

/* Has a tag several types of the base to choose from? */
static bool has_choice(const struct matcher *m)
{
	uint32_t last_tag = UINT32_MAX;

	for (size_t p = 0; p < m->pairs.count; p++) {
		const struct pair *pair = &m->pairs.data[p];

		if (pair->is_bad)
			continue;
		if (pair->tag == last_tag)
			return true;
		last_tag = pair->tag;
	}
	return false;
}

/* What is bad anyway need not be looked at again. */
static void match_strictly(struct matcher *m)
{
	for (size_t p = 0; p < m->pairs.count; p++)
		m->pairs.data[p].is_guess = m->pairs.data[p].is_bad;
	m->rule = RULE_CLOSED;
	match_definitions(m);
	for (size_t p = 0; p < m->pairs.count; p++)
		m->pairs.data[p].is_loose = m->pairs.data[p].is_guess;
	m->rule = RULE_EXACT;
	match_definitions(m);
}

/* ---- ids ---- */

/*
 * Of several that are guesses none is taken: they differ in what an open tag is, and the module does
 * not say which it means.
 */
static uint32_t tag_id(const struct matcher *m, uint32_t t)
{
	const struct tag *tag = &m->table->tags.data[t];
	uint32_t id = 0, guess = 0;
	bool is_strict = m->rule == RULE_EXACT;

	if (!tag->definition)
		return m->bound[t] ? m->bound[t] : forward_of(m, tag);
	for (uint32_t p = m->first_pair[t]; p < m->first_pair[t + 1]; p++) {
		const struct pair *pair = &m->pairs.data[p];

		if (is_strict && !pair->is_loose)
			return pair->id;
		if (is_strict && !pair->is_guess && !id)
			id = pair->id;
		if (!pair->is_bad)
			guess = guess ? SEVERAL : pair->id;
	}
	return id ? id : guess == SEVERAL ? 0 : guess;
}

/* What relocation of a distilled base could confuse is not found. */
static uint32_t usable(const struct matcher *m, uint32_t id, bool by_name)
{
	return id && m->distilled && by_name && !btf_base_is_distinct(m->base, id) ? 0 : id;
}

static void match_tags(struct matcher *m, struct btf_base_match *match)
{
	for (uint32_t t = 0; t < m->table->tags.count; t++) {
		uint32_t definition = m->table->tags.data[t].definition;

		match->tags[t] = usable(m, tag_id(m, t), true);
		if (definition)
			match->shapes[definition] = match->tags[t];
	}
}

static uint32_t shape_id(struct matcher *m, const struct btf_base_match *match, uint32_t shape)
{
	uint32_t info = shape_words(m->table, shape)[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);

	m->words.count = 0;
	array_reserve(&m->words, btf_record_words(info));
	if (!translate_names(m, shape, m->words.data))
		return 0;
	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
		uint32_t *ref = &m->words.data[btf_ref_word(kind, i)];

		if (!*ref)
			continue;
		*ref = ref_is_tag(*ref) ? match->tags[ref_tag(*ref)] : match->shapes[*ref];
		if (!*ref)
			return 0;
	}
	return btf_base_find(m->base, m->words.data);
}

static bool is_definition(const struct shape_table *table, uint32_t shape)
{
	const uint32_t *words = shape_words(table, shape);

	return words[BTF_WORD_NAME] && is_tag_kind(btf_info_kind(words[BTF_WORD_INFO]));
}

/* FUNC, VAR and DATASEC need no exception: the base's index by content does not have them. */
static void match_shapes(struct matcher *m, struct btf_base_match *match)
{
	for (uint32_t s = 1; s < m->table->shapes.count; s++) {
		enum btf_kind kind = shape_kind(m->table, s);

		if (!is_definition(m->table, s))
			match->shapes[s] = usable(m, shape_id(m, match, s),
						  kind == BTF_INT || kind == BTF_FLOAT);
	}
}

/* What the last round has compared belongs to definitions that are all good. */
static void note_inside(const struct matcher *m, struct btf_base_match *match)
{
	for (size_t i = 0; i < m->memos.count; i++) {
		const struct memo *memo = &m->memos.data[i];
		const uint32_t *words;

		if (m->attempts.data[memo->owner])
			continue;
		words = shape_words(m->table, memo->key.ref);
		match->inside[memo->key.ref] = !words[BTF_WORD_NAME] &&
					       is_tag_kind(btf_info_kind(words[BTF_WORD_INFO]));
	}
}

void btf_base_match(struct btf_base_match *match, const struct btf_base *base,
		    const struct shape_table *table, const struct string_pool *pool,
		    bool distilled)
{
	struct matcher m = { .base = base, .table = table, .distilled = distilled };

	match->shapes = memory_zeroed(table->shapes.count, sizeof(uint32_t));
	match->tags = memory_zeroed(table->tags.count + 1, sizeof(uint32_t));
	match->inside = memory_zeroed(table->shapes.count, sizeof(bool));
	m.names = memory_zeroed(pool->strings.count, sizeof(uint32_t));
	for (uint32_t i = 1; i < pool->strings.count; i++)
		m.names[i] = btf_base_name(base, &pool->strings.data[i]);
	make_pairs(&m);
	find_open(&m, pool->strings.count);
	match_definitions(&m);
	bind_open(&m);
	note_inside(&m, match);
	if (has_choice(&m))
		match_strictly(&m);
	match_tags(&m, match);
	match_shapes(&m, match);
	free(m.names);
	free(m.first_pair);
	free(m.is_open);
	free(m.bound);
	hash_table_release(&m.by_key);
	array_release(&m.memos);
	array_release(&m.pairs);
	array_release(&m.pending);
	array_release(&m.attempts);
	array_release(&m.words);
}

void btf_base_match_release(struct btf_base_match *match)
{
	free(match->shapes);
	free(match->tags);
	free(match->inside);
	*match = (struct btf_base_match){ 0 };
}
