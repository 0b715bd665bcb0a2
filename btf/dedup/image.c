/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/image_state.h"

#include <string.h>

#include "base/sort.h"

static bool has_extra(const struct builder *b)
{
	return b->options->extra_from;
}

/* ---- what stays in the base ---- */

/*
 * The id in the base of what a reference means, 0 when it is not left to the base. A distilled base
 * has no pointers, arrays or typedefs: these are written again where something needs them.
 */
static uint32_t base_id(const struct builder *b, shape_ref ref)
{
	const uint32_t *words;

	if (!b->options->base)
		return 0;
	if (ref_is_tag(ref))
		return b->match.tags[ref_tag(ref)];
	if (!b->options->distill || !b->match.shapes[ref])
		return b->match.shapes[ref];
	words = shape_words(b->table, ref);
	return btf_distill_takes(btf_info_kind(words[BTF_WORD_INFO]), words[BTF_WORD_NAME])
		       ? b->match.shapes[ref] : 0;
}

/* Is there nothing to be written of a shape that nothing else refers to? */
static bool is_in_base(const struct builder *b, uint32_t shape)
{
	return b->options->base && (b->match.shapes[shape] || b->match.inside[shape]);
}

static void match_base(struct builder *b)
{
	if (b->options->base)
		btf_base_match(&b->match, b->options->base, b->table, b->pool,
			       b->options->distill);
}

/* Makes the distilled base of all that the records refer to. */
static void distill(struct builder *b)
{
	bool *used = memory_zeroed(b->options->base->end_id, sizeof(bool));

	for (uint32_t s = 1; s < b->table->shapes.count; s++) {
		const uint32_t *words = shape_words(b->table, s);
		uint32_t info = words[BTF_WORD_INFO];
		const struct btf_kind_info *kind = btf_kind_of(info);

		for (uint32_t i = 0, n = b->wanted[s] ? btf_ref_count(info) : 0; i < n; i++)
			used[base_id(b, words[btf_ref_word(kind, i)])] = true;
	}
	used[0] = false;
	btf_distill(&b->distilled, b->options->base, used, b->options->swap);
	free(used);
}

/* ---- which records there are ---- */

/* A tag on a member of a type in a distilled base: there it has no members, and no place. */
static bool has_no_place(const struct builder *b, const uint32_t *words)
{
	return b->options->distill && btf_info_kind(words[BTF_WORD_INFO]) == BTF_DECL_TAG &&
	       words[BTF_HEAD_WORDS] != UINT32_MAX && base_id(b, words[BTF_WORD_TYPE]);
}

static void add_record(struct builder *b, struct record **front, shape_ref what, uint32_t name,
		       uint64_t birth)
{
	*--*front = (struct record){ birth, what, pool_id_of_word(name) };
	b->record_count++;
}

/* A tag without definition is written where something refers to it. */
static void add_forward(struct builder *b, struct record **front, uint32_t tag, uint64_t birth,
			uint8_t part)
{
	const struct tag *entry = &b->table->tags.data[tag];

	if (entry->definition || base_id(b, ref_to_tag(tag)))
		return;
	if (part > b->wanted_tags[tag])
		b->wanted_tags[tag] = part;
	if (b->tag_ids[tag]) {
		struct record *record = &b->records[b->tag_ids[tag]];

		record->birth = birth < record->birth ? birth : record->birth;
		return;
	}
	add_record(b, front, ref_to_tag(tag), entry->name, birth);
	b->tag_ids[tag] = (uint32_t)(*front - b->records);
}

/* What a shape that is written refers to is written, too. */
static void want_references(struct builder *b, struct record **front, const uint32_t *words,
			    uint64_t birth, uint8_t part)
{
	uint32_t info = words[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);

	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
		shape_ref ref = words[btf_ref_word(kind, i)];

		if (ref_is_tag(ref))
			add_forward(b, front, ref_tag(ref), birth, part);
		else if (ref && b->wanted[ref] < part && !base_id(b, ref))
			b->wanted[ref] = part;
	}
}

static enum part part_of_root(const struct builder *b, uint32_t shape)
{
	return has_extra(b) && shape >= b->options->extra_from ? PART_EXTRA : PART_MAIN;
}

/*
 * A shape's references have smaller ids, so one pass downwards reaches everything. What the base
 * has is no root, whatever stands in the DWARF. The records come to stand in the order of ids.
 */
static void collect_records(struct builder *b)
{
	const struct shape_table *table = b->table;
	size_t room = table->shapes.count + table->tags.count;
	struct record *front;

	b->records = memory_alloc(room * sizeof(*b->records));
	front = b->records + room;
	for (uint32_t s = (uint32_t)table->shapes.count - 1; s > 0; s--) {
		const struct shape *shape = &table->shapes.data[s];
		const uint32_t *words = shape_words(table, s);

		if (shape->is_root && !is_in_base(b, s) && !has_no_place(b, words) &&
		    b->wanted[s] < part_of_root(b, s))
			b->wanted[s] = (uint8_t)part_of_root(b, s);
		if (!b->wanted[s])
			continue;
		add_record(b, &front, s, words[BTF_WORD_NAME], shape->birth);
		want_references(b, &front, words, shape->birth, b->wanted[s]);
	}
}

/* ---- their order ---- */

/*
 * Among records of one name: by kind. A declaration's birth must decide nothing, because it depends
 * on the threads what is met first: a struct's stands before a union's, an enum's before its
 * definitions.
 */
static uint32_t record_order(const struct builder *b, shape_ref what)
{
	const struct tag *tag;

	if (!ref_is_tag(what))
		return (uint32_t)shape_kind(b->table, what) << 1 | 1;
	tag = &b->table->tags.data[ref_tag(what)];
	return (uint32_t)forward_kind(tag) << 1 | (tag->kind == BTF_UNION);
}

static void sort_namesakes(const struct builder *b, shape_ref *records, size_t count)
{
	struct sort_item *items = memory_alloc(count * sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ record_order(b, records[i]), records[i] };
	sort_by_key(items, count);
	for (size_t i = 0; i < count; i++)
		records[i] = items[i].value;
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

/* Distributes the records, in the order of their births, to their names' places. */
static void place_records(const struct builder *b, const struct record *records,
			  const struct sort_item *births, shape_ref *sorted)
{
	size_t count;
	uint32_t *ranks = rank_names(b, records, &count);
	uint32_t *ends = memory_zeroed(count + 1, sizeof(*ends));

	for (size_t i = 0; i < b->record_count; i++)
		ends[ranks[records[i].name.index] + 1]++;
	for (size_t rank = 0; rank < count; rank++)
		ends[rank + 1] += ends[rank];
	for (size_t i = 0; i < b->record_count; i++) {
		const struct record *record = &records[births[i].value];

		sorted[ends[ranks[record->name.index]]++] = record->what;
	}
	for (size_t rank = 1; rank < count; rank++) {
		if (ends[rank] - ends[rank - 1] > 1)
			sort_namesakes(b, sorted + ends[rank - 1], ends[rank] - ends[rank - 1]);
	}
	free(ends);
	free(ranks);
}

static bool is_in_main(const struct builder *b, shape_ref what)
{
	return (ref_is_tag(what) ? b->wanted_tags[ref_tag(what)] : b->wanted[what]) == PART_MAIN;
}

/* The image's records come first, each part in its order. */
static void divide_records(struct builder *b, shape_ref *sorted)
{
	shape_ref *extra;
	size_t count = 0;

	b->main_count = b->record_count;
	if (!has_extra(b))
		return;
	b->main_count = 0;
	extra = memory_alloc(b->record_count * sizeof(*extra));
	for (size_t i = 0; i < b->record_count; i++) {
		if (is_in_main(b, sorted[i]))
			sorted[b->main_count++] = sorted[i];
		else
			extra[count++] = sorted[i];
	}
	memcpy(sorted + b->main_count, extra, count * sizeof(*extra));
	free(extra);
}

/*
 * By name, then kind, then birth, then id. A type without a name has the smallest name of all;
 * among these the kind counts not. Births ascend with ids, as far as one worker met the types.
 */
static void sort_records(struct builder *b, shape_ref *sorted)
{
	size_t room = b->table->shapes.count + b->table->tags.count;
	const struct record *records = b->records + room - b->record_count;
	struct sort_item *births = memory_alloc(b->record_count * sizeof(*births));

	for (size_t i = 0; i < b->record_count; i++)
		births[i] = (struct sort_item){ records[i].birth, (uint32_t)i };
	sort_by_key(births, b->record_count);
	place_records(b, records, births, sorted);
	divide_records(b, sorted);
	free(births);
	free(b->records);
	b->records = NULL;
}

/* ---- numbers ---- */

/* The id in the BTF that is referred to of an id in the base, 0 for 0. */
static uint32_t final_base_id(const struct builder *b, uint32_t id)
{
	return b->options->distill ? b->distilled.ids[id] : id;
}

/* What the base has gets its ids from there, the records theirs behind. */
static void number_records(struct builder *b, struct btf_image *image)
{
	memset(b->tag_ids, 0, b->table->tags.count * sizeof(*b->tag_ids));
	for (size_t t = 0; b->options->base && t < b->table->tags.count; t++)
		b->tag_ids[t] = final_base_id(b, b->match.tags[t]);
	for (uint32_t s = 1; b->options->base && s < b->table->shapes.count; s++)
		b->shape_ids[s] = final_base_id(b, b->match.shapes[s]);
	for (size_t i = 0; i < b->record_count; i++) {
		shape_ref what = image->shapes[i];

		if (ref_is_tag(what))
			b->tag_ids[ref_tag(what)] = image->first_id + (uint32_t)i;
		else
			b->shape_ids[what] = image->first_id + (uint32_t)i;
	}
	for (size_t t = 0; t < b->table->tags.count; t++) {
		if (b->table->tags.data[t].definition && !base_id(b, ref_to_tag((uint32_t)t)))
			b->tag_ids[t] = b->shape_ids[b->table->tags.data[t].definition];
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

static void release(struct builder *b)
{
	btf_base_match_release(&b->match);
	btf_distilled_release(&b->distilled);
	free(b->records);
	array_release(&b->strings);
	free(b->wanted);
	free(b->wanted_tags);
	free(b->shape_ids);
	free(b->tag_ids);
	free(b->string_offsets);
}

/* The distilled base changes hands. */
static void take_base(struct builder *b, struct btf_image *image)
{
	image->base_data = b->distilled.data;
	image->base_size = b->distilled.size;
	b->distilled.data = NULL;
}

bool btf_image_build(struct btf_image *image, const struct shape_table *table,
		     const struct string_pool *pool, const struct btf_image_options *options,
		     struct error *err)
{
	struct builder b = {
		.table = table, .pool = pool, .options = options,
		.wanted = memory_zeroed(table->shapes.count, 1),
		.wanted_tags = memory_zeroed(table->tags.count, 1),
		.shape_ids = memory_zeroed(table->shapes.count, sizeof(uint32_t)),
		.tag_ids = memory_zeroed(table->tags.count, sizeof(uint32_t)),
		.string_offsets = memory_zeroed(pool->strings.count, sizeof(uint32_t)),
	};
	bool good;

	*image = (struct btf_image){ 0 };
	match_base(&b);
	collect_records(&b);
	image->shapes = memory_alloc(b.record_count * sizeof(*image->shapes));
	sort_records(&b, image->shapes);
	if (options->base && options->distill)
		distill(&b);
	set_starts(&b, image);
	number_records(&b, image);
	good = btf_image_write(&b, image, err);
	take_base(&b, image);
	if (!good)
		btf_image_release(image);
	release(&b);
	return good;
}

void btf_image_release(struct btf_image *image)
{
	free(image->data);
	free(image->base_data);
	free(image->extra_data);
	free(image->shapes);
	*image = (struct btf_image){ 0 };
}
