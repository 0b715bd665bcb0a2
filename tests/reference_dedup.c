/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/reference_dedup.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf/dedup/resolve.h"

#define MAX_INSTANCES 64
#define TEXT_BYTES    160
#define NONE	      (-1)

/* ---- the text ---- */

struct tag_text {
	char kind;	/* s or n */
	char name;
	char variant;	/* 0 to 9 or ? */
};

static bool is_wrapper(char c)
{
	return c == 'P' || c == 'C' || c == 'A' || c == 'X' || c == 'T';
}

static bool is_tag(const char *type)
{
	return *type == 's' || *type == 'n';
}

static struct tag_text parse_tag(const char *type)
{
	bool has_variant;

	if (!is_tag(type))
		return (struct tag_text){ *type, '\0', '0' };
	has_variant = (type[2] >= '0' && type[2] <= '9') || type[2] == '?';
	return (struct tag_text){ type[0], type[1], has_variant ? type[2] : '0' };
}

/* The end of a chain: the position of its tag or basic type. */
static const char *chain_end(const char *type)
{
	while (is_wrapper(*type))
		type++;
	return type;
}

static const char *next_word(const char *text)
{
	text += strcspn(text, " ");
	return text + strspn(text, " ");
}

static size_t word_length(const char *text)
{
	return strcspn(text, " ");
}

/* "sa:..." is a definition, "Psa" and "sa" are not. */
static bool is_definition(const char *word)
{
	size_t length = word_length(word);

	return is_tag(word) && memchr(word, ':', length);
}

static const char *first_member(const char *definition)
{
	return strchr(definition, ':') + 1;
}

static bool at_end(const char *p)
{
	return *p == '\0' || *p == ' ';
}

static const char *next_member(const char *member)
{
	member += strcspn(member, ", ");
	return *member == ',' ? member + 1 : member;
}

/* ---- the reference: instances, what they see, classes ---- */

struct ref_instance {
	uint32_t group;
	struct tag_text tag;
	const char *text;
	char skeleton[TEXT_BYTES];	/* without variants */
	int class;
};

struct reference {
	const struct reference_program *program;
	struct ref_instance instances[MAX_INSTANCES];
	int count;
};

static bool same_base(struct tag_text a, struct tag_text b)
{
	return a.kind == b.kind && a.name == b.name;
}

static void make_skeleton(struct ref_instance *out)
{
	size_t n = 0;

	for (const char *c = out->text; !at_end(c); c++) {
		if (!(*c >= '0' && *c <= '9') && *c != '?')
			out->skeleton[n++] = *c;
	}
	out->skeleton[n] = '\0';
}

static void add_instances(struct reference *r)
{
	for (uint32_t g = 0; g < r->program->group_count; g++) {
		for (const char *w = r->program->groups[g]; *w; w = next_word(w)) {
			struct ref_instance *out = &r->instances[r->count];

			if (!is_definition(w))
				continue;
			*out = (struct ref_instance){ .group = g, .tag = parse_tag(w), .text = w };
			make_skeleton(out);
			out->class = r->count++;
			for (int i = out->class - 1; i >= 0; i--) {
				if (strcmp(r->instances[i].skeleton, out->skeleton) == 0)
					out->class = i;
			}
		}
	}
}

static int own_class(const struct reference *r, uint32_t group, struct tag_text tag)
{
	for (int i = 0; i < r->count; i++) {
		const struct ref_instance *instance = &r->instances[i];

		if (instance->group == group && same_base(instance->tag, tag) &&
		    instance->tag.variant == tag.variant)
			return instance->class;
	}
	return NONE;
}

/*
 * An instance's view of a base tag, as text: nothing if it does not refer to it, "?" if it only
 * knows a declaration, a class, or, if there are several, which of them where.
 */
struct view {
	char text[TEXT_BYTES];
	bool several;
};

static struct view look(const struct reference *r, int i, struct tag_text base)
{
	struct view view = { .several = false };
	int class = NONE;
	size_t n = 0;

	for (const char *m = first_member(r->instances[i].text); !at_end(m); m = next_member(m)) {
		struct tag_text tag = parse_tag(chain_end(m));
		int sees;

		if (!same_base(tag, base))
			continue;
		sees = own_class(r, r->instances[i].group, tag);
		view.several |= sees != NONE && class != NONE && sees != class;
		class = sees == NONE ? class : sees;
		n += (size_t)snprintf(view.text + n, TEXT_BYTES - n, "(%d)", sees);
	}
	if (n && !view.several)
		snprintf(view.text, TEXT_BYTES, class == NONE ? "?" : "%d", class);
	return view;
}

/* The view of a base tag from all instances of a class. */
struct lookout {
	bool unknown;		/* some unit knows only a declaration */
	bool several;		/* several classes are seen */
	char seen[TEXT_BYTES];	/* else the one that is */
};

static struct lookout look_from(const struct reference *r, int class, struct tag_text base)
{
	struct lookout out = { .unknown = false };

	for (int i = 0; i < r->count; i++) {
		struct view view = look(r, i, base);

		if (r->instances[i].class != class || !*view.text)
			continue;
		if (strcmp(view.text, "?") == 0) {
			out.unknown = true;
			continue;
		}
		out.several |= view.several || (*out.seen && strcmp(out.seen, view.text) != 0);
		memcpy(out.seen, view.text, TEXT_BYTES);
	}
	return out;
}

/* The rule at the head of btf/dedup/refine.c. */
static bool are_told_apart(const struct reference *r, int i, int k)
{
	for (int t = 0; t < r->count; t++) {
		struct tag_text base = r->instances[t].tag;
		struct view a = look(r, i, base), b = look(r, k, base);

		if (strcmp(a.text, b.text) != 0 &&
		    !look_from(r, r->instances[i].class, base).unknown)
			return true;
	}
	return false;
}

/* One round: all instances against all others, by the classes before it. */
static bool split_classes(struct reference *r)
{
	int next[MAX_INSTANCES];
	bool changed = false;

	for (int i = 0; i < r->count; i++) {
		next[i] = i;
		for (int k = i - 1; k >= 0; k--) {
			if (r->instances[i].class == r->instances[k].class &&
			    !are_told_apart(r, i, k))
				next[i] = k;
		}
	}
	for (int i = 0; i < r->count; i++) {
		changed |= r->instances[i].class != next[i];
		r->instances[i].class = next[i];
	}
	return changed;
}

static bool refers_to(const struct reference *r, int i, struct tag_text wanted)
{
	for (const char *m = first_member(r->instances[i].text); !at_end(m); m = next_member(m)) {
		struct tag_text tag = parse_tag(chain_end(m));

		if (same_base(tag, wanted) && tag.variant == wanted.variant)
			return true;
	}
	return false;
}

/* The meaning that a group's definitions give a tag that the group does not define. */
static int implied(const struct reference *r, uint32_t group, struct tag_text tag)
{
	int found = NONE;

	for (int i = 0; i < r->count; i++) {
		struct lookout all = look_from(r, r->instances[i].class, tag);

		if (r->instances[i].group != group || !refers_to(r, i, tag) || all.several ||
		    !*all.seen)
			continue;
		if (found != NONE && found != atoi(all.seen))
			return NONE;
		found = atoi(all.seen);
	}
	return found;
}

static int only_class(const struct reference *r, struct tag_text tag)
{
	int only = NONE;

	for (int i = 0; i < r->count; i++) {
		if (!same_base(r->instances[i].tag, tag))
			continue;
		if (only != NONE && only != r->instances[i].class)
			return NONE;
		only = r->instances[i].class;
	}
	return only;
}

/*
 * The class that a tag means in a group, within the definition of a class or NONE; by the list at
 * the head of btf/dedup/resolve.c. NONE: a FWD.
 */
static int meaning(const struct reference *r, uint32_t group, int class, struct tag_text tag)
{
	int own = own_class(r, group, tag);
	struct lookout all;

	if (only_class(r, tag) != NONE)
		return only_class(r, tag);
	if (class == NONE)
		return own != NONE ? own : implied(r, group, tag);
	all = look_from(r, class, tag);
	if (all.several)
		return all.unknown ? NONE : own;
	return *all.seen ? atoi(all.seen) : NONE;
}

/* ---- the reference's output ---- */

struct blob_writer {
	const struct reference *r;
	ARRAY_OF(uint32_t) words;
	char strings[4096];
	uint32_t string_bytes;
	uint32_t next_id;
	uint32_t ids[MAX_INSTANCES];	/* of a class, 0: not written yet */
	uint32_t forwards[2][26];
	ARRAY_OF(int) queue;
};

static uint32_t add_string(struct blob_writer *w, const char *text)
{
	uint32_t at = w->string_bytes;

	if (at + strlen(text) + 1 > sizeof(w->strings))
		abort();
	for (uint32_t i = 0; i < at; i += (uint32_t)strlen(w->strings + i) + 1) {
		if (strcmp(w->strings + i, text) == 0)
			return i;
	}
	memcpy(w->strings + at, text, strlen(text) + 1);
	w->string_bytes += (uint32_t)strlen(text) + 1;
	return at;
}

static uint32_t add_record(struct blob_writer *w, const uint32_t *words)
{
	uint32_t count = btf_record_words(words[BTF_WORD_INFO]);

	array_reserve(&w->words, count);
	memcpy(w->words.data + w->words.count, words, count * sizeof(*words));
	w->words.count += count;
	return w->next_id++;
}

/* The words of the types without a tag; `target` is the reference. Shared with the real one. */
static uint32_t wrapper_words(char wrapper, uint32_t name_t, uint32_t name_m, uint32_t target,
			      uint32_t index, uint32_t *words)
{
	static const struct {
		char wrapper;
		enum btf_kind kind;
	} rows[] = { { 'P', BTF_PTR }, { 'C', BTF_CONST }, { 'T', BTF_TYPEDEF } };

	memset(words, 0, 8 * sizeof(*words));
	if (wrapper == 'A') {
		words[1] = btf_info(BTF_ARRAY, 0, false);
		words[3] = target;
		words[4] = index;
		words[5] = 2;
		return 6;
	}
	if (wrapper == 'X') {
		words[1] = btf_info(BTF_STRUCT, 1, false);
		words[2] = 64;
		words[3] = name_m;
		words[4] = target;
		return 6;
	}
	for (size_t i = 0; i < 3; i++) {
		if (rows[i].wrapper == wrapper)
			words[1] = btf_info(rows[i].kind, 0, false);
	}
	words[0] = wrapper == 'T' ? name_t : 0;
	words[2] = target;
	return 3;
}

static void int_words(bool is_signed, uint32_t name, uint32_t *words)
{
	words[0] = name;
	words[1] = btf_info(BTF_INT, 0, false);
	words[2] = 4;
	words[3] = (is_signed ? (uint32_t)BTF_INT_SIGNED << 24 : 0) | 32;
}

static enum btf_kind kind_of(char kind)
{
	return kind == 's' ? BTF_STRUCT : BTF_UNION;
}

static uint32_t write_int(struct blob_writer *w, bool is_signed)
{
	uint32_t words[4];

	int_words(is_signed, add_string(w, is_signed ? "int" : "unsigned"), words);
	return add_record(w, words);
}

/* A class is called by its first instance. */
static uint32_t write_tag(struct blob_writer *w, int number, struct tag_text tag)
{
	const char name[] = { tag.name, '\0' };
	uint32_t *forward = &w->forwards[tag.kind == 's'][tag.name - 'a'];

	if (number != NONE) {
		if (!w->ids[number]) {
			/* Its id is given when it is written: after the types that lead to it. */
			w->ids[number] = UINT32_MAX - (uint32_t)number;
			array_push(&w->queue, number);
		}
		return UINT32_MAX - (uint32_t)number;
	}
	if (!*forward) {
		uint32_t words[3] = { add_string(w, name),
				      btf_info(BTF_FWD, 0, tag.kind == 'n'), 0 };

		*forward = add_record(w, words);
	}
	return *forward;
}

static uint32_t write_chain(struct blob_writer *w, uint32_t group, int class, const char *type)
{
	uint32_t words[8], target;

	if (*type == 'i' || *type == 'u')
		return write_int(w, *type == 'i');
	if (*type == 'v')
		return 0;
	if (is_tag(type)) {
		struct tag_text tag = parse_tag(type);

		return write_tag(w, meaning(w->r, group, class, tag), tag);
	}
	target = write_chain(w, group, class, type + 1);
	wrapper_words(*type, add_string(w, "t"), add_string(w, "m"), target,
		      *type == 'A' ? write_int(w, true) : 0, words);
	return add_record(w, words);
}

static uint32_t member_count(const char *definition)
{
	uint32_t count = 0;

	for (const char *m = first_member(definition); !at_end(m); m = next_member(m))
		count++;
	return count;
}

static void write_definition(struct blob_writer *w, int i)
{
	const struct ref_instance *instance = &w->r->instances[i];
	uint32_t count = member_count(instance->text);
	const char name[] = { instance->tag.name, '\0' };
	uint32_t words[3 + 3 * 16] = { add_string(w, name),
				       btf_info(kind_of(instance->tag.kind), count, false), 64 };
	uint32_t *out = words + 3;

	for (const char *m = first_member(instance->text); !at_end(m); m = next_member(m)) {
		out[0] = add_string(w, "m");
		out[1] = write_chain(w, instance->group, i, m);
		out += 3;
	}
	w->ids[i] = add_record(w, words);
}

/* Tags were referred to by UINT32_MAX - instance. */
static void patch_tags(struct blob_writer *w)
{
	uint32_t *end = w->words.count ? w->words.data + w->words.count : w->words.data;

	for (uint32_t *words = w->words.data; words < end;
	     words += btf_record_words(words[BTF_WORD_INFO])) {
		btf_each_ref(word, words) {
			if (words[word] > UINT32_MAX - MAX_INSTANCES)
				words[word] = w->ids[UINT32_MAX - words[word]];
		}
	}
}

struct btf_blob reference_btf(const struct reference_program *program)
{
	struct reference *r = memory_zeroed(1, sizeof(*r));
	struct blob_writer w = { .r = r, .string_bytes = 1, .next_id = 1 };
	struct btf_blob blob;

	r->program = program;
	add_instances(r);
	while (split_classes(r))
		;
	for (int i = 0; i < r->count; i++)
		write_tag(&w, r->instances[i].class, r->instances[i].tag);
	for (uint32_t g = 0; g < program->group_count; g++) {
		for (const char *t = program->groups[g]; *t; t = next_word(t)) {
			if (!is_definition(t) && !is_tag(t))
				write_chain(&w, g, NONE, t);
		}
	}
	for (size_t i = 0; i < w.queue.count; i++)
		write_definition(&w, w.queue.data[i]);
	patch_tags(&w);
	blob = btf_blob_make(w.words.data, w.words.count, w.strings, w.string_bytes);
	array_release(&w.words);
	array_release(&w.queue);
	free(r);
	return blob;
}

/* ---- the real passes ---- */

/*
 * Each collector has name keys of its own: the key of a letter depends on the collector. Some have
 * two keys for each, and use either.
 */
#define ALIAS 50

struct names {
	uint32_t salt;
};

static const char *key_text(const void *context, uint32_t key)
{
	static const char *const texts[] = { "t", "m", "int", "unsigned" };
	static const char letters[26][2] = { "a", "b", "c", "d", "e", "f", "g", "h", "i",
					     "j", "k", "l", "m", "n", "o", "p", "q", "r",
					     "s", "t", "u", "v", "w", "x", "y", "z" };
	const struct names *names = context;

	key = (key - names->salt) % ALIAS;
	return key < 4 ? texts[key] : letters[key - 4];
}

struct feeder {
	struct collector *collector;
	uint32_t group;
	uint32_t salt;
	bool has_aliases;
	uint32_t uses;
};

/* The key of a name, by its number in key_text(). */
static uint32_t feed_name(struct feeder *f, uint32_t number)
{
	bool other = f->has_aliases && (++f->uses + f->group) * 0x9e3779b1u >> 31;

	return f->salt + number + (other ? ALIAS : 0);
}

static uint32_t feed_words(struct feeder *f, const uint32_t *words)
{
	struct node_table *table = &f->collector->table;

	return node_table_intern(table, words, (uint64_t)f->group << 32 | table->nodes.count);
}

static uint32_t feed_int(struct feeder *f, bool is_signed)
{
	uint32_t words[4];

	int_words(is_signed, feed_name(f, is_signed ? 2 : 3), words);
	return feed_words(f, words);
}

static uint32_t feed_tag(struct feeder *f, struct tag_text tag)
{
	return node_table_tag(&f->collector->table, kind_of(tag.kind),
			      feed_name(f, 4 + (uint32_t)(tag.name - 'a')),
			      tag.variant == '?' ? TAG_VARIANT_UNKNOWN
						  : (uint32_t)(tag.variant - '0'));
}

static uint32_t feed_chain(struct feeder *f, const char *type)
{
	uint32_t words[8], index = 0;
	uint32_t target;

	if (*type == 'i' || *type == 'u')
		return feed_int(f, *type == 'i');
	if (*type == 'v')
		return 0;
	if (is_tag(type))
		return ref_to_tag(feed_tag(f, parse_tag(type))).word;
	target = feed_chain(f, type + 1);
	if (*type == 'A')
		index = feed_int(f, true);
	wrapper_words(*type, feed_name(f, 0), feed_name(f, 1), target, index, words);
	return feed_words(f, words);
}

static void feed_definition(struct feeder *f, const char *text)
{
	struct tag_text tag = parse_tag(text);
	uint32_t count = member_count(text);
	uint32_t id = feed_tag(f, tag);
	uint32_t words[3 + 3 * 16] = { feed_name(f, 4 + (uint32_t)(tag.name - 'a')),
				       btf_info(kind_of(tag.kind), count, false), 64 };
	uint32_t *out = words + 3;

	for (const char *m = first_member(text); !at_end(m); m = next_member(m)) {
		out[0] = feed_name(f, 1);
		out[1] = feed_chain(f, m);
		out += 3;
	}
	collector_add(f->collector, id, feed_words(f, words));
}

static void feed_group(struct feeder *f, const char *text)
{
	collector_begin_group(f->collector, (struct group_id){ f->group });
	for (const char *w = text; *w; w = next_word(w)) {
		if (is_definition(w))
			feed_definition(f, w);
		else if (!is_tag(w))
			collector_add(f->collector, TAG_NONE, feed_chain(f, w));
	}
	collector_end_group(f->collector);
}

bool reference_encode(const struct reference_program *program, const uint32_t *owner,
		      uint32_t collectors, struct btf_image *image, struct error *err)
{
	struct collector *all = memory_zeroed(collectors, sizeof(*all));
	struct names *names = memory_zeroed(collectors, sizeof(*names));
	struct merge_source *sources = memory_zeroed(collectors, sizeof(*sources));
	struct node_table table;
	struct string_pool pool;
	struct resolver *resolver;
	bool good;

	node_table_init(&table);
	string_pool_init(&pool);
	for (uint32_t i = 0; i < collectors; i++) {
		collector_init(&all[i]);
		names[i].salt = 1 + 100 * (collectors - i);
		sources[i] = (struct merge_source){ .collector = &all[i], .names = &names[i],
						    .name_text = key_text };
	}
	for (uint32_t g = 0; g < program->group_count; g++) {
		struct feeder f = { .collector = &all[owner[g]], .group = g,
				    .salt = names[owner[g]].salt,
				    .has_aliases = (owner[g] + collectors) % 2 };

		feed_group(&f, program->groups[g]);
	}
	collectors_merge(&table, &pool, sources, collectors);
	resolver = resolver_new(&table, sources, collectors, program->group_count);
	good = btf_image_build(image, &table, &pool, &(struct btf_image_options){ 0 }, err);
	resolver_free(resolver);
	for (uint32_t i = 0; i < collectors; i++) {
		merge_source_release(&sources[i]);
		collector_release(&all[i]);
	}
	node_table_release(&table);
	string_pool_release(&pool);
	free(all);
	free(names);
	free(sources);
	return good;
}

/* ---- comparison by meaning ---- */

struct signature {
	ARRAY_OF(uint32_t) words;
};

/* The record with names as numbers of a common list and references as classes. */
static void sign(struct signature *out, const struct btf_reader *btf, uint32_t id,
		 const uint32_t *classes, struct string_pool *pool)
{
	const uint32_t *record = btf_reader_type(btf, id);
	uint32_t count = btf_record_words(record[BTF_WORD_INFO]);

	out->words.count = 0;
	array_reserve(&out->words, count);
	memcpy(out->words.data, record, count * sizeof(*record));
	out->words.count = count;
	btf_each_name(word, record)
		out->words.data[word] =
			string_pool_add(pool, btf_reader_string(btf, record[word])).index;
	btf_each_ref(word, record)
		out->words.data[word] = record[word] ? classes[record[word]] : UINT32_MAX;
}

static bool same_signature(const struct signature *a, const struct signature *b)
{
	return a->words.count == b->words.count &&
	       memcmp(a->words.data, b->words.data, a->words.count * sizeof(uint32_t)) == 0;
}

static void describe(const struct btf_reader *btf, uint32_t id, const char *problem, char *why,
		     size_t bytes)
{
	const uint32_t *record = btf_reader_type(btf, id);

	snprintf(why, bytes, "type %u, %s '%s', %s", id,
		 btf_kinds[btf_info_kind(record[BTF_WORD_INFO])].name,
		 btf_reader_string(btf, record[BTF_WORD_NAME]), problem);
}

bool reference_same(const struct btf_reader *a, const struct btf_reader *b, char *why, size_t bytes)
{
	const struct btf_reader *readers[] = { a, b };
	uint32_t total = a->type_count + b->type_count;
	struct signature *signs = memory_zeroed(total, sizeof(*signs));
	uint32_t *classes = memory_zeroed(total + 2, sizeof(*classes));
	uint32_t *next = memory_zeroed(total, sizeof(*next));
	uint32_t *members = memory_zeroed((size_t)total * 2, sizeof(*members));
	uint32_t count = 0, before;
	struct string_pool pool;
	bool same = true;

	string_pool_init(&pool);
	/* classes[id] for a, classes[a->type_count + id] for b; ids from 1. */
	do {
		before = count;
		count = 0;
		for (uint32_t t = 0; t < total; t++) {
			bool second = t >= a->type_count;
			uint32_t first = second ? a->type_count : 0;
			uint32_t k = 0;

			sign(&signs[t], readers[second], t - first + 1, classes + first, &pool);
			while (k < t && !same_signature(&signs[k], &signs[t]))
				k++;
			next[t] = k < t ? next[k] : count++;
		}
		memcpy(classes + 1, next, total * sizeof(*next));
	} while (count != before);
	for (uint32_t t = 0; t < total; t++)
		members[2 * next[t] + (t >= a->type_count)]++;
	for (uint32_t t = 0; t < total && same; t++) {
		bool second = t >= a->type_count;
		const uint32_t *found = &members[2 * next[t]];

		same = found[0] && found[1] == 1;
		if (!same)
			describe(readers[second], t - (second ? a->type_count : 0) + 1,
				 !found[0] ? "is only in the second"
				 : !found[1] ? "is only in the first" : "is there more than once",
				 why, bytes);
	}
	for (uint32_t t = 0; t < total; t++)
		array_release(&signs[t].words);
	string_pool_release(&pool);
	free(signs);
	free(classes);
	free(next);
	free(members);
	return same;
}
