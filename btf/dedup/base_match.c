/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which types of a module its base has.
 *
 * Named types ("struct foo", called tags here) are matched first, because cycles go through them. A
 * *pair* is a tag that has a definition, and a type of the base whose record is the same but for
 * what it refers to. All pairs are taken for good; one becomes bad where that differs, and then all
 * that lead to one that is bad. What is left is the largest set of pairs that are the same
 * everywhere they lead. Pairs, and the nodes between them, are compared once, and each reference is
 * followed back once: linear in their words, however the chains between them turn.
 *
 * A declaration proves nothing (btf/dedup/refine.c): a tag that the module only declares, and
 * defines nowhere, may be any definition of its name that the base has there, and the
 * module's definition may be what the base only declares. Where a tag is left with several pairs,
 * some may be the same only because of that. So it is done again without this indulgence, step by
 * step, and what is good then comes first. Several that are good only by what an open tag may be
 * are none.
 *
 * All other nodes are finite trees down to tags: from the leaves up each is looked up by content,
 * with the ids of what it refers to. A pointer to a type that is the module's own is so never taken
 * for the base's pointer to a declaration of it.
 */
#include <string.h>

#include "base/hash.h"
#include "base/search.h"
#include "base/sort.h"
#include "btf/dedup/base.h"

/* What a declaration may be taken for, the least strict first. */
enum rule {
	RULE_OPEN,	/* an open tag for any definition, and what follows */
	RULE_CLOSED,	/* a declaration in the base for the module's definition */
	RULE_EXACT,	/* nothing */
	RULE_COUNT,
};

struct pair {
	uint32_t tag;
	uint32_t id;		/* in the base */
	bool is_bad[RULE_COUNT];
};

/* A reference of the module, and the one of the base that it is compared with. */
struct comparison {
	struct node_ref ref;
	uint32_t id;
};

/* A pair, or a node between pairs: its records are compared once. */
struct item {
	struct comparison what;
	uint32_t first_use;	/* of others; the next item's begin where they end */
	uint32_t last_user;	/* in uses, + 1; 0: none */
	bool is_bad;
	bool is_reached;	/* from a good pair, itself included */
};

/* One item refers to another. */
struct use {
	uint32_t user, used;
	uint32_t previous;	/* of the same `used`, + 1 */
};

/* An item has an open tag where the base has a definition. */
struct guess {
	uint32_t user, tag, id;
};

#define SEVERAL UINT32_MAX
/* Else time is quadratic. */
#define MAX_PAIRS 16	/* of a tag; if there are more, none */
#define MAX_TRIED 64	/* types of its name; if there are more, its shape is looked up */

struct matcher {
	const struct btf_base *base;
	const struct node_table *table;
	const struct string_pool *pool;
	uint32_t *names;	/* by pool id: an offset of the base with this text */
	bool distilled;
	enum rule rule;
	ARRAY_OF(struct pair) pairs;	/* ascending by tag, then by id */
	uint32_t *first_pair;	/* tag -> first of its pairs; one more entry than tags */
	bool *is_open;		/* tags that are declared, and defined nowhere */
	uint32_t *bound;	/* open tag -> the definition meant; 0 none, SEVERAL */
	uint32_t *forwards;	/* by pool id and kind: forward_id() + 1; 0: not known yet */
	ARRAY_OF(struct sort_item) shapes;	/* of the base: read_shapes(), when needed */

	ARRAY_OF(struct comparison) pending;
	ARRAY_OF(struct item) items;	/* the pairs, then nodes */
	ARRAY_OF(struct use) uses;
	ARRAY_OF(struct guess) guesses;
	ARRAY_OF(uint32_t) stack;	/* items */
	struct hash_table by_key;	/* of nodes: index into items */
	ARRAY_OF(uint32_t) words;	/* a record */
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

static uint32_t next_of_name(const struct matcher *m, const struct tag *tag, uint32_t *at)
{
	return btf_base_next_of_name(m->base, at, &m->pool->strings.data[tag->name]);
}

static bool same_record(struct matcher *m, uint32_t node, uint32_t id);

/* BTF cannot say its name, so it is without one (encoder/repair.c), and so it is in the base. */
static bool has_lost_name(const struct matcher *m, const struct tag *tag)
{
	return tag->name && tag->definition &&
	       !node_words(m->table, tag->definition)[BTF_WORD_NAME];
}

/* The hash of a record without what it refers to. */
static uint32_t shape_hash(struct matcher *m, const uint32_t *record, bool is_ours)
{
	uint32_t count = btf_record_words(record[BTF_WORD_INFO]), *words;

	array_reserve(&m->words, count);
	words = memcpy(m->words.data, record, count * sizeof(*words));
	btf_each_ref(word, record)
		words[word] = 0;
	btf_each_name(word, record) {
		const char *text = is_ours ? string_pool_word_text(m->pool, record[word])
					   : btf_reader_string(m->base->reader, record[word]);

		words[word] = text && *text ? hash_bytes(text, strlen(text)) : 0;
	}
	return hash_words(words, count);
}

/* The structs, unions and enums of the base by their shapes, when it is needed. */
static void read_shapes(struct matcher *m)
{
	array_reserve(&m->shapes, 1);
	for (uint32_t id = 1; id < m->base->end_id; id++) {
		const uint32_t *words = btf_reader_type(m->base->reader, id);

		if (is_tag_kind(btf_info_kind(words[BTF_WORD_INFO])))
			array_push(&m->shapes,
				   ((struct sort_item){ shape_hash(m, words, false), id }));
	}
	sort_by_key(m->shapes.data, m->shapes.count);
}

/*
 * Adds one if the records are the same. False: there are too many. All or none: of some, one might
 * seem to be the only guess (tag_id()).
 */
static bool add_pair(struct matcher *m, uint32_t t, uint32_t id)
{
	m->pending.count = 0;
	if (!same_record(m, m->table->tags.data[t].definition, id))
		return true;
	array_push(&m->pairs, ((struct pair){ .tag = t, .id = id }));
	if (m->pairs.count - m->first_pair[t] <= MAX_PAIRS)
		return true;
	m->pairs.count = m->first_pair[t];
	return false;
}

/* Pairs of a tag with the base's types of its shape, which its name, if it has one, is part of. */
static void pair_by_shape(struct matcher *m, uint32_t t)
{
	uint32_t node = m->table->tags.data[t].definition;
	const struct sort_item *shapes;
	uint64_t hash;

	if (!m->shapes.capacity)
		read_shapes(m);
	shapes = m->shapes.data;
	hash = shape_hash(m, node_words(m->table, node), true);
	for (size_t i = lower_bound(k, m->shapes.count, shapes[k].key < hash);
	     i < m->shapes.count && shapes[i].key == hash; i++) {
		if (!add_pair(m, t, (uint32_t)shapes[i].value))
			return;
	}
}

/* Pairs of a tag with the base's definitions of its name. */
static void pair_by_name(struct matcher *m, uint32_t t)
{
	const struct tag *tag = &m->table->tags.data[t];
	uint32_t tried = 0;

	for (uint32_t at = 0, id; (id = next_of_name(m, tag, &at));) {
		if (!is_definition_of(tag, btf_reader_type(m->base->reader, id)))
			continue;
		if (tried++ == MAX_TRIED) {
			m->pairs.count = m->first_pair[t];
			pair_by_shape(m, t);
			return;
		}
		if (!add_pair(m, t, id))
			return;
	}
}

/* Also finds the open tags. */
static void make_pairs(struct matcher *m, size_t name_count)
{
	const struct tag *tags = m->table->tags.data;
	size_t count = m->table->tags.count;
	uint32_t *defined = memory_zeroed(name_count, sizeof(*defined));	/* kinds, by name */

	m->first_pair = memory_alloc((count + 1) * sizeof(uint32_t));
	m->is_open = memory_zeroed(count + 1, sizeof(*m->is_open));
	m->bound = memory_zeroed(count + 1, sizeof(*m->bound));
	for (uint32_t t = 0; t < count; t++) {
		m->first_pair[t] = (uint32_t)m->pairs.count;
		if (!tags[t].definition)
			continue;
		defined[tags[t].name] |= 1u << tags[t].kind;
		if (has_lost_name(m, &tags[t]))
			pair_by_shape(m, t);
		else
			pair_by_name(m, t);
	}
	m->first_pair[count] = (uint32_t)m->pairs.count;
	/* Not even where the declaration was not seen together with a definition. */
	for (size_t t = 0; t < count; t++)
		m->is_open[t] = !tags[t].definition &&
				!(defined[tags[t].name] & 1u << tags[t].kind);
	free(defined);
}

/*
 * An open tag means elsewhere the definition that it is in all definitions that the base has, or
 * else the only one of the base.
 */
static void bind_open(struct matcher *m)
{
	for (size_t t = 0; t < m->table->tags.count; t++) {
		const struct tag *tag = &m->table->tags.data[t];
		uint32_t at = 0, id, only = 0;

		while (m->is_open[t] && only != SEVERAL && (id = next_of_name(m, tag, &at))) {
			if (is_definition_of(tag, btf_reader_type(m->base->reader, id)))
				only = only ? SEVERAL : id;
		}
		if (only && only != SEVERAL)
			m->bound[t] = only;
		if (m->bound[t] == SEVERAL)
			m->bound[t] = 0;
	}
}

/* The base may have a string twice, or as the end of another. */
static bool same_name(const struct matcher *m, uint32_t ours, uint32_t theirs)
{
	const char *text;

	if (m->names[ours] == theirs && (theirs || !ours))
		return true;
	text = btf_reader_string(m->base->reader, theirs);
	if (!text || strcmp(text, string_pool_word_text(m->pool, ours)) != 0)
		return false;
	m->names[ours] = theirs;
	return true;
}

static void add_use(struct matcher *m, uint32_t user, uint32_t used)
{
	struct item *item = &m->items.data[used];

	array_push(&m->uses, ((struct use){ user, used, item->last_user }));
	item->last_user = (uint32_t)m->uses.count;
}

/* Is a tag of the module what the base has there, as far as is known yet? */
static bool same_tag(struct matcher *m, uint32_t user, uint32_t t, uint32_t id)
{
	const struct tag *tag = &m->table->tags.data[t];
	const struct pair *pairs = m->pairs.data + m->first_pair[t];
	uint32_t count = m->first_pair[t + 1] - m->first_pair[t];
	const uint32_t *words = btf_reader_type(m->base->reader, id);

	if (!words || !tag->name)
		return false;
	if (tag->definition && !is_forward_of(tag, words)) {
		size_t pair = lower_bound(i, count, pairs[i].id < id);

		if (pair == count || pairs[pair].id != id)
			return false;
		add_use(m, user, m->first_pair[t] + (uint32_t)pair);
		return true;
	}
	if (!same_name(m, tag->name, words[BTF_WORD_NAME]))
		return false;
	if (is_forward_of(tag, words))
		return !(m->rule == RULE_EXACT && tag->definition);
	if (m->rule != RULE_OPEN || !m->is_open[t] || !is_definition_of(tag, words))
		return false;
	array_push(&m->guesses, ((struct guess){ user, t, id }));
	return true;
}

/* ---- comparing ---- */

static uint32_t *copy_record(struct matcher *m, uint32_t node)
{
	uint32_t count = m->table->nodes.data[node].word_count;

	array_reserve(&m->words, count);
	return memcpy(m->words.data, node_words(m->table, node), count * sizeof(uint32_t));
}

/* Two records whose references are of the base. */
static bool same_words(const struct matcher *m, const uint32_t *ours, const uint32_t *theirs)
{
	uint32_t info = ours[BTF_WORD_INFO], from = 1;

	if (theirs[BTF_WORD_INFO] != info)
		return false;
	/* What is between the names. */
	btf_each_name(word, ours) {
		size_t between = word ? (word - from) * sizeof(*ours) : 0;

		if (!same_name(m, ours[word], theirs[word]) ||
		    memcmp(ours + from, theirs + from, between) != 0)
			return false;
		from = word + 1;
	}
	return memcmp(ours + from, theirs + from,
		      (btf_record_words(info) - from) * sizeof(*ours)) == 0;
}

/* The records without what they refer to, which is left to be compared. */
static bool same_record(struct matcher *m, uint32_t node, uint32_t id)
{
	const uint32_t *ours = node_words(m->table, node);
	const uint32_t *theirs = btf_reader_type(m->base->reader, id);
	uint32_t *words;

	if (!theirs || theirs[BTF_WORD_INFO] != ours[BTF_WORD_INFO])
		return false;
	words = copy_record(m, node);
	btf_each_ref(word, ours)
		words[word] = theirs[word];
	if (!same_words(m, words, theirs))
		return false;
	btf_each_ref(word, ours)
		array_push(&m->pending, ((struct comparison){
			ref_of_word(ours[word]), theirs[word] }));
	return true;
}

/* The item of a node, which is compared later. */
static uint32_t node_item(struct matcher *m, struct comparison what)
{
	uint32_t hash = hash_finish(hash_mix(what.ref.word, what.id)), item;

	for (const uint64_t *slot = hash_table_first(&m->by_key, hash); *slot;
	     slot = hash_table_next(&m->by_key, slot)) {
		item = hash_table_value(slot);
		if (ref_equal(m->items.data[item].what.ref, what.ref) &&
		    m->items.data[item].what.id == what.id)
			return item;
	}
	item = (uint32_t)m->items.count;
	array_push(&m->items, ((struct item){ .what = what }));
	hash_table_add(&m->by_key, hash, item);
	return item;
}

/* Does an item differ by itself? What it refers to is compared later. */
static bool same_item(struct matcher *m, uint32_t i)
{
	struct comparison what = m->items.data[i].what;
	uint32_t node = ref_is_tag(what.ref) ? m->table->tags.data[ref_tag(what.ref)].definition
					     : ref_node(what.ref);
	bool good;

	m->pending.count = 0;
	good = same_record(m, node, what.id);
	for (size_t r = 0; good && r < m->pending.count; r++) {
		struct comparison next = m->pending.data[r];

		if (ref_is_void(next.ref) || next.id == 0)
			good = ref_is_void(next.ref) && next.id == 0;
		else if (ref_is_tag(next.ref))
			good = same_tag(m, i, ref_tag(next.ref), next.id);
		else
			add_use(m, i, node_item(m, next));
	}
	return good;
}

static void spread_bad(struct matcher *m)
{
	while (m->stack.count) {
		uint32_t item = m->stack.data[--m->stack.count];

		for (uint32_t u = m->items.data[item].last_user; u;) {
			const struct use *use = &m->uses.data[u - 1];

			u = use->previous;
			if (m->items.data[use->user].is_bad)
				continue;
			m->items.data[use->user].is_bad = true;
			array_push(&m->stack, use->user);
		}
	}
}

static void reach(struct matcher *m, uint32_t i)
{
	if (m->items.data[i].is_reached)
		return;
	m->items.data[i].is_reached = true;
	array_push(&m->stack, i);
}

/* What an open tag is for a pair that is bad does not count. */
static void bind_guesses(struct matcher *m)
{
	for (uint32_t p = 0; p < m->pairs.count; p++) {
		if (!m->items.data[p].is_bad)
			reach(m, p);
	}
	while (m->stack.count) {
		uint32_t i = m->stack.data[--m->stack.count];
		size_t end = i + 1 < m->items.count ? m->items.data[i + 1].first_use
						    : m->uses.count;

		for (size_t u = m->items.data[i].first_use; u < end; u++)
			reach(m, m->uses.data[u].used);
	}
	for (size_t g = 0; g < m->guesses.count; g++) {
		struct guess guess = m->guesses.data[g];
		uint32_t *bound = &m->bound[guess.tag];

		if (m->items.data[guess.user].is_reached)
			*bound = !*bound || *bound == guess.id ? guess.id : SEVERAL;
	}
}

/* A pair that is bad by a less strict rule is so by this one. */
static void match_definitions(struct matcher *m, enum rule rule)
{
	m->rule = rule;
	m->items.count = m->uses.count = m->guesses.count = 0;
	hash_table_clear(&m->by_key);
	for (size_t p = 0; p < m->pairs.count; p++) {
		const struct pair *pair = &m->pairs.data[p];

		array_push(&m->items, ((struct item){
			.what = { ref_to_tag(pair->tag), pair->id },
			.is_bad = rule && pair->is_bad[rule - 1] }));
	}
	for (uint32_t i = 0; i < m->items.count; i++) {
		m->items.data[i].first_use = (uint32_t)m->uses.count;
		if (!m->items.data[i].is_bad && same_item(m, i))
			continue;
		m->items.data[i].is_bad = true;
		array_push(&m->stack, i);
	}
	spread_bad(m);
	if (rule == RULE_OPEN)
		bind_guesses(m);
	for (size_t p = 0; p < m->pairs.count; p++)
		m->pairs.data[p].is_bad[rule] = m->items.data[p].is_bad;
}

/* Has a tag several types of the base to choose from? */
static bool has_choice(const struct matcher *m)
{
	uint32_t last_tag = UINT32_MAX;

	for (size_t p = 0; p < m->pairs.count; p++) {
		const struct pair *pair = &m->pairs.data[p];

		if (!pair->is_bad[RULE_OPEN] && pair->tag == last_tag)
			return true;
		if (!pair->is_bad[RULE_OPEN])
			last_tag = pair->tag;
	}
	return false;
}

/* ---- ids ---- */

/* What the base has as a declaration of a tag's name, 0: nothing. Many tags may have one name. */
static uint32_t forward_id(struct matcher *m, const struct tag *tag)
{
	uint32_t kind = tag->kind == BTF_STRUCT ? 0 : tag->kind == BTF_UNION ? 1 : 2;
	uint32_t *known = &m->forwards[3 * tag->name + kind], at = 0, id = 0;

	if (!*known) {
		while ((id = next_of_name(m, tag, &at)) &&
		       !is_forward_of(tag, btf_reader_type(m->base->reader, id)))
			;
		*known = id + 1;
	}
	return *known - 1;
}

/*
 * Of several that are guesses, good only where open tags may be any definition, none is taken: they
 * differ in what an open tag is, and the module does not say which it means.
 */
static uint32_t tag_id(struct matcher *m, uint32_t t)
{
	const struct tag *tag = &m->table->tags.data[t];
	uint32_t id = m->bound[t], guess = 0;
	bool is_strict = m->rule == RULE_EXACT;

	/* A distilled base has no types without names. */
	if (m->distilled && has_lost_name(m, tag))
		return 0;
	if (!tag->definition)
		return id ? id : forward_id(m, tag);
	for (uint32_t p = m->first_pair[t]; p < m->first_pair[t + 1]; p++) {
		const struct pair *pair = &m->pairs.data[p];

		if (is_strict && !pair->is_bad[RULE_EXACT])
			return pair->id;
		if (is_strict && !pair->is_bad[RULE_CLOSED] && !id)
			id = pair->id;
		if (!pair->is_bad[RULE_OPEN])
			guess = guess ? SEVERAL : pair->id;
	}
	return id ? id : guess == SEVERAL ? 0 : guess;
}

/* The id; 0 if relocation of a distilled base could confuse it. */
static uint32_t usable(const struct matcher *m, uint32_t id, bool by_name)
{
	return id && m->distilled && by_name && !btf_base_is_distinct(m->base, id) ? 0 : id;
}

/* The base's type with a node's content, the lowest; 0: there is none. */
static uint32_t node_id(struct matcher *m, const struct btf_base_match *match, uint32_t node)
{
	const struct pool_string *strings = m->pool->strings.data;
	const uint32_t *ours = node_words(m->table, node);
	uint32_t *words = copy_record(m, node), name = ours[BTF_WORD_NAME], at = 0, id, hash;
	bool by_name = name && btf_base_has_chain(btf_info_kind(ours[BTF_WORD_INFO]));

	btf_each_ref(word, ours) {
		struct node_ref ref = ref_of_word(ours[word]);

		if (ref_is_void(ref))
			continue;
		words[word] = ref_is_tag(ref) ? match->tags[ref_tag(ref)]
					      : match->nodes[ref_node(ref)];
		if (!words[word])
			return 0;
	}
	btf_each_name(word, ours)
		words[word] = ours[word] ? strings[ours[word]].hash : 0;
	hash = hash_words(words, btf_record_words(ours[BTF_WORD_INFO]));
	btf_each_name(word, ours)
		words[word] = ours[word];
	do {
		id = by_name ? btf_base_next_of_name(m->base, &at, &strings[name])
			     : btf_base_next_like(m->base, &at, hash);
	} while (id && !same_words(m, words, btf_reader_type(m->base->reader, id)));
	return id;
}

/* FUNC, VAR and DATASEC need no exception: the base's index by content does not have them. */
static void find_ids(struct matcher *m, struct btf_base_match *match)
{
	for (uint32_t t = 0; t < m->table->tags.count; t++) {
		uint32_t definition = m->table->tags.data[t].definition;

		match->tags[t] = usable(m, tag_id(m, t), true);
		if (definition)
			match->nodes[definition] = match->tags[t];
	}
	for (uint32_t s = 1; s < m->table->nodes.count; s++) {
		const uint32_t *words = node_words(m->table, s);
		enum btf_kind kind = btf_info_kind(words[BTF_WORD_INFO]);

		if (!match->nodes[s] && (!words[BTF_WORD_NAME] || !is_tag_kind(kind)))
			match->nodes[s] = usable(m, node_id(m, match, s),
						 kind == BTF_INT || kind == BTF_FLOAT);
	}
	/* What refers to a tag that has lost its name has not found it, nor has the tag itself. */
	for (uint32_t t = 0; m->distilled && t < m->table->tags.count; t++) {
		if (has_lost_name(m, &m->table->tags.data[t]))
			match->nodes[m->table->tags.data[t].definition] = 0;
	}
}

/* The nodes of good definitions. */
static void note_inside(const struct matcher *m, struct btf_base_match *match)
{
	for (size_t i = m->pairs.count; i < m->items.count; i++) {
		const struct item *item = &m->items.data[i];
		const uint32_t *words;

		if (!item->is_reached)
			continue;
		words = node_words(m->table, ref_node(item->what.ref));
		match->inside[ref_node(item->what.ref)] =
			!words[BTF_WORD_NAME] &&
			is_tag_kind(btf_info_kind(words[BTF_WORD_INFO]));
	}
}

void btf_base_match(struct btf_base_match *match, const struct btf_base *base,
		    const struct node_table *table, const struct string_pool *pool,
		    bool distilled)
{
	struct matcher m = {
		.base = base, .table = table, .pool = pool, .distilled = distilled,
		.names = memory_zeroed(pool->strings.count, sizeof(uint32_t)),
		.forwards = memory_zeroed(pool->strings.count, 3 * sizeof(uint32_t)),
	};

	if (base->offsets)
		memcpy(m.names, base->offsets, pool->strings.count * sizeof(*m.names));
	match->nodes = memory_zeroed(table->nodes.count, sizeof(uint32_t));
	match->tags = memory_zeroed(table->tags.count + 1, sizeof(uint32_t));
	match->inside = memory_zeroed(table->nodes.count, sizeof(bool));
	make_pairs(&m, pool->strings.count);
	match_definitions(&m, RULE_OPEN);
	bind_open(&m);
	note_inside(&m, match);
	if (has_choice(&m)) {
		match_definitions(&m, RULE_CLOSED);
		match_definitions(&m, RULE_EXACT);
	}
	find_ids(&m, match);
	free(m.names);
	free(m.forwards);
	free(m.first_pair);
	free(m.is_open);
	free(m.bound);
	array_release(&m.shapes);
	hash_table_release(&m.by_key);
	array_release(&m.items);
	array_release(&m.uses);
	array_release(&m.guesses);
	array_release(&m.stack);
	array_release(&m.pairs);
	array_release(&m.pending);
	array_release(&m.words);
}

void btf_base_match_release(struct btf_base_match *match)
{
	free(match->nodes);
	free(match->tags);
	free(match->inside);
	*match = (struct btf_base_match){ 0 };
}
