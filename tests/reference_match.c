/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * One relation between all nodes and all ids: it starts with everything, and what proves different
 * is taken out until nothing more does.
 */
#include "tests/reference_match.h"

#include <string.h>

struct relation {
	const struct btf_reader *base;
	const struct type_text *module;
	uint32_t end_id;
	bool exact;	/* no declaration is matched with a definition */
	bool closed;	/* no tag that is only declared is any definition */
	bool *same;	/* [node * end_id + id] */
};

static enum btf_kind kind_of(const struct btf_reader *base, uint32_t id)
{
	return btf_info_kind(btf_reader_type(base, id)[BTF_WORD_INFO]);
}

static const char *name_of(const struct btf_reader *base, uint32_t id)
{
	return btf_reader_string(base, btf_reader_type(base, id)[BTF_WORD_NAME]);
}

static bool is_enum(enum btf_kind kind)
{
	return kind == BTF_ENUM || kind == BTF_ENUM64;
}

static bool is_for_code_or_data(enum btf_kind kind)
{
	return kind == BTF_FUNC || kind == BTF_VAR || kind == BTF_DATASEC;
}

/* ---- what the base has under the name of a tag ---- */

static bool has_tag_name(const struct relation *r, const struct tag *tag, uint32_t id)
{
	return strcmp(name_of(r->base, id),
		      string_pool_word_text(&r->module->pool, tag->name)) == 0;
}

static bool declares(const struct relation *r, const struct tag *tag, uint32_t id)
{
	uint32_t info = btf_reader_type(r->base, id)[BTF_WORD_INFO];

	if (!has_tag_name(r, tag, id))
		return false;
	if (tag->kind == BTF_ENUM)
		return is_enum(btf_info_kind(info)) && btf_info_vlen(info) == 0;
	return btf_info_kind(info) == BTF_FWD &&
	       btf_info_kind_flag(info) == (tag->kind == BTF_UNION);
}

static bool defines(const struct relation *r, const struct tag *tag, uint32_t id)
{
	enum btf_kind kind = kind_of(r->base, id);

	return (tag->kind == BTF_ENUM ? is_enum(kind) : kind == tag->kind) &&
	       has_tag_name(r, tag, id) && !declares(r, tag, id);
}

/* Does the module declare a tag that it defines nowhere? */
static bool is_open(const struct relation *r, const struct tag *tag)
{
	for (size_t t = 0; t < r->module->table.tags.count; t++) {
		const struct tag *other = &r->module->table.tags.data[t];

		if (other->definition && other->kind == tag->kind && other->name == tag->name)
			return false;
	}
	return true;
}

static uint32_t only_definition(const struct relation *r, const struct tag *tag)
{
	uint32_t found = 0;

	for (uint32_t id = 1; is_open(r, tag) && id < r->end_id; id++) {
		if (defines(r, tag, id)) {
			if (found)
				return 0;
			found = id;
		}
	}
	return found;
}

/* ---- the relation ---- */

static bool same_node(const struct relation *r, uint32_t node, uint32_t id)
{
	return r->same[node * r->end_id + id];
}

static bool same_reference(const struct relation *r, uint32_t ref, uint32_t id)
{
	const struct tag *tag;

	if (ref == 0 || id == 0)
		return ref == 0 && id == 0;
	if (!ref_is_tag(ref_of_word(ref)))
		return same_node(r, ref, id);
	tag = &r->module->table.tags.data[ref_tag(ref_of_word(ref))];
	if (declares(r, tag, id))
		return !r->exact || !tag->definition;
	if (!tag->definition)
		return !r->exact && !r->closed && is_open(r, tag) && defines(r, tag, id);
	return defines(r, tag, id) && same_node(r, tag->definition, id);
}

/* The names and numbers of two records; `reference` is asked about what they refer to. */
static bool same_record(const struct relation *r, uint32_t node, uint32_t id,
			bool (*reference)(const void *context, uint32_t ref, uint32_t id),
			const void *context)
{
	const uint32_t *ours = node_words(&r->module->table, node);
	const uint32_t *theirs = btf_reader_type(r->base, id);
	uint32_t info = ours[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);
	uint32_t names = 0, refs = 0;

	if (info != theirs[BTF_WORD_INFO])
		return false;
	for (uint32_t word = 0; word < btf_record_words(info); word++) {
		if (names < btf_name_count(info) && btf_name_word(kind, names) == word) {
			names++;
			if (strcmp(string_pool_word_text(&r->module->pool, ours[word]),
				   btf_reader_string(r->base, theirs[word])) != 0)
				return false;
		} else if (refs < btf_ref_count(info) && btf_ref_word(kind, refs) == word) {
			refs++;
			if (!reference(context, ours[word], theirs[word]))
				return false;
		} else if (ours[word] != theirs[word]) {
			return false;
		}
	}
	return true;
}

static bool related(const void *context, uint32_t ref, uint32_t id)
{
	return same_reference(context, ref, id);
}

static void find_relation(struct relation *r)
{
	uint32_t nodes = (uint32_t)r->module->table.nodes.count;
	bool changed = true;

	memset(r->same, true, (size_t)nodes * r->end_id);
	while (changed) {
		changed = false;
		for (uint32_t s = 1; s < nodes; s++) {
			for (uint32_t id = 1; id < r->end_id; id++) {
				bool *same = &r->same[s * r->end_id + id];

				if (!*same || same_record(r, s, id, related, r))
					continue;
				*same = false;
				changed = true;
			}
		}
	}
}

/* ---- from the relation to ids ---- */

/* Can relocation tell it from all others of its name? */
static bool is_distinct(const struct relation *r, uint32_t id)
{
	const uint32_t *words = btf_reader_type(r->base, id);

	for (uint32_t other = 1; other < r->end_id; other++) {
		enum btf_kind kind = kind_of(r->base, other);
		bool has_size = is_enum(kind) || kind == BTF_STRUCT || kind == BTF_UNION ||
				kind == BTF_INT || kind == BTF_FLOAT;

		if (other == id || strcmp(name_of(r->base, other), name_of(r->base, id)) != 0 ||
		    !(has_size || kind == BTF_FWD))
			continue;
		if (kind == BTF_FWD || kind_of(r->base, id) == BTF_FWD ||
		    btf_reader_type(r->base, other)[BTF_WORD_SIZE] == words[BTF_WORD_SIZE])
			return false;
	}
	return true;
}

/*
 * The meaning that definitions in the base give a tag which the module does not define: looks
 * for the tag in all pairs of nodes below such definitions.
 */
struct search {
	const struct relation *relation;
	const struct tag *tag;
	uint32_t *found;	/* 0 none, UINT32_MAX several */
};

static bool search(const void *context, uint32_t ref, uint32_t id)
{
	struct search s = *(const struct search *)context;
	const struct relation *r = s.relation;

	if (ref == 0)
		return true;
	if (!ref_is_tag(ref_of_word(ref)))
		return same_record(r, ref, id, search, &s);
	if (&r->module->table.tags.data[ref_tag(ref_of_word(ref))] == s.tag &&
	    defines(r, s.tag, id))
		*s.found = !*s.found || *s.found == id ? id : UINT32_MAX;
	return true;
}

static uint32_t taken_for(const struct relation *r, const struct tag *tag)
{
	uint32_t found = 0;
	struct search s = { .relation = r, .tag = tag, .found = &found };

	for (size_t t = 0; is_open(r, tag) && t < r->module->table.tags.count; t++) {
		const struct tag *other = &r->module->table.tags.data[t];

		for (uint32_t id = 1; other->definition && id < r->end_id; id++) {
			if (defines(r, other, id) && same_node(r, other->definition, id))
				same_record(r, other->definition, id, search, &s);
		}
	}
	return found == UINT32_MAX ? 0 : found;
}

static uint32_t tag_id(const struct relation *r, const struct relation *closed,
		       const struct relation *exact, const struct tag *tag)
{
	const struct relation *const strict[] = { exact, closed };
	uint32_t only = only_definition(r, tag), found = 0;

	if (!tag->definition && only)
		return only;
	if (!tag->definition && taken_for(r, tag))
		return taken_for(r, tag);
	for (int k = 0; tag->definition && k < 2; k++) {
		for (uint32_t id = 1; id < r->end_id; id++) {
			if (defines(r, tag, id) && same_node(strict[k], tag->definition, id))
				return id;
		}
	}
	for (uint32_t id = 1; id < r->end_id; id++) {
		if (!tag->definition && declares(r, tag, id))
			return id;
		if (!tag->definition || !defines(r, tag, id) ||
		    !same_node(r, tag->definition, id))
			continue;
		if (found)
			return 0;
		found = id;
	}
	return found;
}

struct lookup {
	const struct relation *relation;
	const struct btf_base_match *match;
};

static bool is_match(const void *context, uint32_t ref, uint32_t id)
{
	const struct btf_base_match *match = ((const struct lookup *)context)->match;

	if (ref == 0)
		return id == 0;
	return id && id == (ref_is_tag(ref_of_word(ref)) ? match->tags[ref_tag(ref_of_word(ref))]
							 : match->nodes[ref]);
}

static uint32_t node_id(const struct relation *r, const struct btf_base_match *match,
			uint32_t node)
{
	struct lookup lookup = { r, match };

	for (uint32_t id = 1; id < r->end_id; id++) {
		if (!is_for_code_or_data(kind_of(r->base, id)) &&
		    same_record(r, node, id, is_match, &lookup))
			return id;
	}
	return 0;
}

static bool is_definition(const struct node_table *table, uint32_t node)
{
	for (size_t t = 0; t < table->tags.count; t++) {
		if (table->tags.data[t].definition == node)
			return true;
	}
	return false;
}

void reference_match(struct btf_base_match *match, const struct btf_reader *base,
		     const struct type_text *module, bool distilled)
{
	const struct node_table *table = &module->table;
	struct relation r = { .base = base, .module = module, .end_id = btf_reader_end_id(base) };
	struct relation closed = r, exact = r;

	closed.closed = exact.exact = true;
	r.same = memory_alloc(table->nodes.count * r.end_id);
	closed.same = memory_alloc(table->nodes.count * r.end_id);
	exact.same = memory_alloc(table->nodes.count * r.end_id);
	match->inside = memory_zeroed(table->nodes.count, sizeof(bool));
	match->nodes = memory_zeroed(table->nodes.count, sizeof(uint32_t));
	match->tags = memory_zeroed(table->tags.count + 1, sizeof(uint32_t));
	find_relation(&r);
	find_relation(&closed);
	find_relation(&exact);
	for (uint32_t t = 0; t < table->tags.count; t++) {
		const struct tag *tag = &table->tags.data[t];

		match->tags[t] = tag_id(&r, &closed, &exact, tag);
		if (distilled && match->tags[t] && !is_distinct(&r, match->tags[t]))
			match->tags[t] = 0;
		if (tag->definition)
			match->nodes[tag->definition] = match->tags[t];
	}
	for (uint32_t s = 1; s < table->nodes.count; s++) {
		enum btf_kind kind = node_kind(table, s);
		bool by_name = kind == BTF_INT || kind == BTF_FLOAT;

		if (is_definition(table, s))
			continue;
		match->nodes[s] = node_id(&r, match, s);
		if (distilled && by_name && match->nodes[s] && !is_distinct(&r, match->nodes[s]))
			match->nodes[s] = 0;
	}
	free(r.same);
	free(closed.same);
	free(exact.same);
}
