/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/image_state.h"

#include <string.h>

#include "base/sort.h"

/* ---- what stays in the base ---- */

/*
 * The id in the base of what a reference means, 0 when it is not left to the base. A distilled base
 * has no pointers, arrays or typedefs: these are written again where something needs them.
 */
static uint32_t base_id(const struct builder *b, struct node_ref ref)
{
	const uint32_t *words;
	uint32_t id;

	if (!b->options->base)
		return 0;
	if (ref_is_tag(ref))
		return b->match.tags[ref_tag(ref)];
	id = b->match.nodes[ref_node(ref)];
	if (!b->options->distill || !id)
		return id;
	words = node_words(b->table, ref_node(ref));
	return words[BTF_WORD_NAME] && btf_base_has_chain(btf_info_kind(words[BTF_WORD_INFO]))
		       ? id : 0;
}

/* Makes the distilled base of all that the records refer to. */
static void distill(struct builder *b)
{
	bool *used = memory_zeroed(b->options->base->end_id, sizeof(bool));

	for (uint32_t s = 1; s < b->table->nodes.count; s++) {
		const uint32_t *words = node_words(b->table, s);
		uint32_t info = words[BTF_WORD_INFO];
		const struct btf_kind_info *kind = btf_kind_of(info);

		for (uint32_t i = 0, n = b->wanted[s] ? btf_ref_count(info) : 0; i < n; i++)
			used[base_id(b, ref_of_word(words[btf_ref_word(kind, i)]))] = true;
	}
	used[0] = false;
	btf_distill(&b->distilled, b->options->base, used, b->options->swap);
	free(used);
}

/* ---- which records there are ---- */

static void add_record(struct builder *b, struct record **front, struct node_ref what,
		       uint32_t name, uint64_t first_seen)
{
	*--*front = (struct record){ first_seen, what, pool_id_of_word(name) };
	b->record_count++;
}

/* A tag without definition is written where something refers to it. */
static void add_forward(struct builder *b, struct record **front, uint32_t tag, uint64_t first_seen,
			uint8_t part)
{
	const struct tag *entry = &b->table->tags.data[tag];

	if (entry->definition || base_id(b, ref_to_tag(tag)))
		return;
	if (part > b->wanted_tags[tag])
		b->wanted_tags[tag] = part;
	if (b->tag_ids[tag]) {
		struct record *record = &b->records[b->tag_ids[tag]];

		if (first_seen < record->first_seen)
			record->first_seen = first_seen;
		return;
	}
	add_record(b, front, ref_to_tag(tag), entry->name, first_seen);
	b->tag_ids[tag] = (uint32_t)(*front - b->records);
}

/* What a node that is written refers to is written, too. */
static void want_references(struct builder *b, struct record **front, const uint32_t *words,
			    uint64_t first_seen, uint8_t part)
{
	uint32_t info = words[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);

	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
		struct node_ref ref = ref_of_word(words[btf_ref_word(kind, i)]);
		uint8_t *wanted = &b->wanted[ref_is_tag(ref) ? 0 : ref_node(ref)];

		if (ref_is_tag(ref))
			add_forward(b, front, ref_tag(ref), first_seen, part);
		else if (!ref_is_void(ref) && *wanted < part && !base_id(b, ref))
			*wanted = part;
	}
}

/* Has the base what a root would say? */
static bool is_in_base(const struct builder *b, uint32_t node)
{
	const uint32_t *words = node_words(b->table, node);

	if (!b->options->base || b->match.nodes[node] || b->match.inside[node])
		return b->options->base;
	/* A tag on a member of a type in a distilled base, where it has no members. */
	return b->options->distill && btf_info_kind(words[BTF_WORD_INFO]) == BTF_DECL_TAG &&
	       words[BTF_HEAD_WORDS] != UINT32_MAX &&
	       base_id(b, ref_of_word(words[BTF_WORD_TYPE]));
}

/*
 * A node's references have smaller ids, so one pass downwards reaches everything. What the base
 * has is no root, whatever stands in the DWARF. The records come to stand in the order of ids.
 */
static void collect_records(struct builder *b)
{
	const struct node_table *table = b->table;
	size_t room = table->nodes.count + table->tags.count;
	struct record *front;

	b->records = memory_alloc(room * sizeof(*b->records));
	front = b->records + room;
	for (uint32_t s = (uint32_t)table->nodes.count - 1; s > 0; s--) {
		const struct type_node *node = &table->nodes.data[s];
		const uint32_t *words = node_words(table, s);
		bool is_extra = b->options->extra_from && s >= b->options->extra_from;
		enum part part = is_extra ? PART_EXTRA : PART_MAIN;

		if (node->is_root && b->wanted[s] < part && !is_in_base(b, s))
			b->wanted[s] = (uint8_t)part;
		if (!b->wanted[s])
			continue;
		add_record(b, &front, ref_to_node(s), words[BTF_WORD_NAME], node->first_seen);
		want_references(b, &front, words, node->first_seen, b->wanted[s]);
	}
}

/* ---- their order ---- */

/*
 * Among records of one name: by kind. Where a declaration was first seen must decide nothing,
 * because it depends on the threads what is met first: a struct's stands before a union's, an
 * enum's before its definitions.
 */
static uint32_t record_order(const struct builder *b, struct node_ref what)
{
	const struct tag *tag;

	if (!ref_is_tag(what))
		return (uint32_t)node_kind(b->table, ref_node(what)) << 1 | 1;
	tag = &b->table->tags.data[ref_tag(what)];
	return (uint32_t)forward_kind(tag) << 1 | (tag->kind == BTF_UNION);
}

static void sort_namesakes(const struct builder *b, struct node_ref *records, size_t count)
{
	struct sort_item *items = memory_alloc(count * sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ record_order(b, records[i]), records[i].word };
	sort_by_key(items, count);
	for (size_t i = 0; i < count; i++)
		records[i] = ref_of_word(items[i].value);
	free(items);
}

/*
 * By pool id: the rank of a name among those of the records, 0 for none. The names are sorted, not
 * the records, of which some share one and most of the others have none.
 */
static uint32_t *rank_names(const struct builder *b, const struct record *records, size_t *count)
{
	uint32_t *ranks = memory_zeroed(b->pool->strings.count, sizeof(*ranks));
	ARRAY_OF(struct pool_id) names = { 0 };

	for (size_t i = 0; i < b->record_count; i++) {
		struct pool_id name = records[i].name;

		if (name.index && !ranks[name.index]) {
			ranks[name.index] = 1;
			array_push(&names, name);
		}
	}
	string_pool_sort(b->pool, names.data, names.count);
	for (uint32_t i = 0; i < names.count; i++)
		ranks[names.data[i].index] = i + 1;
	*count = names.count + 1;
	array_release(&names);
	return ranks;
}

/* Distributes the records, in the order in which they were first seen, to their names' places. */
static void place_records(const struct builder *b, const struct record *records,
			  const struct sort_item *by_first_seen, struct node_ref *sorted)
{
	size_t count;
	uint32_t *ranks = rank_names(b, records, &count);
	uint32_t *ends = memory_zeroed(count + 1, sizeof(*ends));

	for (size_t i = 0; i < b->record_count; i++)
		ends[ranks[records[i].name.index] + 1]++;
	for (size_t rank = 0; rank < count; rank++)
		ends[rank + 1] += ends[rank];
	for (size_t i = 0; i < b->record_count; i++) {
		const struct record *record = &records[by_first_seen[i].value];

		sorted[ends[ranks[record->name.index]]++] = record->what;
	}
	for (size_t rank = 1; rank < count; rank++) {
		if (ends[rank] - ends[rank - 1] > 1)
			sort_namesakes(b, sorted + ends[rank - 1], ends[rank] - ends[rank - 1]);
	}
	free(ends);
	free(ranks);
}

/* The image's records come first, each part in its order. */
static void divide_records(struct builder *b, struct node_ref *sorted)
{
	struct node_ref *extra;
	size_t count = 0;

	b->main_count = b->record_count;
	if (!b->options->extra_from)
		return;
	b->main_count = 0;
	extra = memory_alloc(b->record_count * sizeof(*extra));
	for (size_t i = 0; i < b->record_count; i++) {
		const struct node_ref what = sorted[i];
		uint8_t part = ref_is_tag(what) ? b->wanted_tags[ref_tag(what)]
						: b->wanted[ref_node(what)];

		if (part == PART_MAIN)
			sorted[b->main_count++] = what;
		else
			extra[count++] = what;
	}
	memcpy(sorted + b->main_count, extra, count * sizeof(*extra));
	free(extra);
}

/*
 * By name, then kind, then where it was first seen, then id. A type without a name has the smallest
 * name of all; among these the kind counts not. first_seen ascends with ids, as far as one worker
 * met the types.
 */
static void sort_records(struct builder *b, struct node_ref *sorted)
{
	size_t room = b->table->nodes.count + b->table->tags.count;
	const struct record *records = b->records + room - b->record_count;
	struct sort_item *by_first_seen = memory_alloc(b->record_count * sizeof(*by_first_seen));

	for (size_t i = 0; i < b->record_count; i++)
		by_first_seen[i] = (struct sort_item){ records[i].first_seen, (uint32_t)i };
	sort_by_key(by_first_seen, b->record_count);
	place_records(b, records, by_first_seen, sorted);
	divide_records(b, sorted);
	free(by_first_seen);
	free(b->records);
	b->records = NULL;
}

/* ---- numbers ---- */

/* What the base has gets its ids from there, the records theirs behind. */
static void number_records(struct builder *b, struct btf_image *image)
{
	const uint32_t *distilled = b->options->distill ? b->distilled.ids : NULL;

	memset(b->tag_ids, 0, b->table->tags.count * sizeof(*b->tag_ids));
	for (size_t t = 0; b->options->base && t < b->table->tags.count; t++)
		b->tag_ids[t] = distilled ? distilled[b->match.tags[t]] : b->match.tags[t];
	for (uint32_t s = 1; b->options->base && s < b->table->nodes.count; s++)
		b->node_ids[s] = distilled ? distilled[b->match.nodes[s]] : b->match.nodes[s];
	for (size_t i = 0; i < b->record_count; i++) {
		struct node_ref what = image->nodes[i];

		if (ref_is_tag(what))
			b->tag_ids[ref_tag(what)] = image->first_id + (uint32_t)i;
		else
			b->node_ids[ref_node(what)] = image->first_id + (uint32_t)i;
	}
	for (size_t t = 0; t < b->table->tags.count; t++) {
		if (b->table->tags.data[t].definition && !base_id(b, ref_to_tag((uint32_t)t)))
			b->tag_ids[t] = b->node_ids[b->table->tags.data[t].definition];
	}
}

/* Ids and strings begin behind the base's; without one, behind void and the empty string. */
static void set_starts(struct builder *b, struct btf_image *image)
{
	if (!b->options->base) {
		image->first_id = 1;
		b->end_string = 1;
		return;
	}
	if (b->options->distill) {
		image->first_id = b->distilled.type_count + 1;
		b->first_string = b->distilled.string_bytes;
	} else {
		image->first_id = b->options->base->end_id;
		b->first_string = btf_reader_end_string(b->options->base->reader);
	}
	b->end_string = b->first_string;
}

bool btf_image_build(struct btf_image *image, const struct node_table *table,
		     const struct string_pool *pool, const struct btf_image_options *options,
		     struct error *err)
{
	struct builder b = {
		.table = table, .pool = pool, .options = options,
		.wanted = memory_zeroed(table->nodes.count, 1),
		.wanted_tags = memory_zeroed(table->tags.count, 1),
		.node_ids = memory_zeroed(table->nodes.count, sizeof(uint32_t)),
		.tag_ids = memory_zeroed(table->tags.count, sizeof(uint32_t)),
		.string_offsets = memory_zeroed(pool->strings.count, sizeof(uint32_t)),
	};
	bool good;

	*image = (struct btf_image){ 0 };
	if (options->base)
		btf_base_match(&b.match, options->base, table, pool, options->distill);
	collect_records(&b);
	image->nodes = memory_alloc(b.record_count * sizeof(*image->nodes));
	sort_records(&b, image->nodes);
	if (options->base && options->distill)
		distill(&b);
	set_starts(&b, image);
	number_records(&b, image);
	good = btf_image_write(&b, image, err);
	/* The distilled base changes hands. */
	image->base_data = b.distilled.data;
	image->base_size = b.distilled.size;
	b.distilled.data = NULL;
	if (!good)
		btf_image_release(image);
	btf_base_match_release(&b.match);
	btf_distilled_release(&b.distilled);
	array_release(&b.strings);
	free(b.wanted);
	free(b.wanted_tags);
	free(b.node_ids);
	free(b.tag_ids);
	free(b.string_offsets);
	return good;
}

void btf_image_release(struct btf_image *image)
{
	free(image->data);
	free(image->base_data);
	free(image->extra_data);
	free(image->nodes);
	*image = (struct btf_image){ 0 };
}
