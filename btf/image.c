/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/image.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sort.h"
#include "btf/distill.h"

/* A record to be written: a shape, or a forward declaration of a tag. */
struct record {
	uint64_t birth;
	shape_ref what;
	uint32_t name;		/* pool id */
};

struct builder {
	const struct shape_table *table;
	const struct string_pool *pool;
	const struct btf_image_options *options;
	struct btf_base_match match;	/* ids in options->base; NULL arrays without one */
	struct btf_distilled distilled;
	bool *wanted;			/* by shape: it is written */
	struct record *records;		/* until they are sorted: by shape, filled from its end */
	size_t record_count;
	uint32_t *shape_ids;
	uint32_t *tag_ids;		/* before: where in `records` its forward stands */
	uint32_t *string_offsets;	/* pool id -> offset + 1; 0: not used yet */
	ARRAY_OF(uint32_t) strings;	/* pool ids in the order of their offsets */
	uint64_t first_string;		/* offset of the first of them */
	uint64_t end_string;
	uint64_t type_words;
};

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
	*--*front = (struct record){ birth, what, name };
	b->record_count++;
}

static enum btf_kind forward_kind(const struct tag *tag)
{
	return tag->kind == BTF_ENUM ? BTF_ENUM : BTF_FWD;
}

/* A tag without definition is written where something refers to it. */
static void add_forward(struct builder *b, struct record **front, uint32_t tag, uint64_t birth)
{
	const struct tag *entry = &b->table->tags.data[tag];

	if (entry->definition || base_id(b, ref_to_tag(tag)))
		return;
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
			    uint64_t birth)
{
	uint32_t info = words[BTF_WORD_INFO];
	const struct btf_kind_info *kind = btf_kind_of(info);

	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
		shape_ref ref = words[btf_ref_word(kind, i)];

		if (ref_is_tag(ref))
			add_forward(b, front, ref_tag(ref), birth);
		else if (ref && !base_id(b, ref))
			b->wanted[ref] = true;
	}
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

		b->wanted[s] |= shape->is_root && !is_in_base(b, s) && !has_no_place(b, words);
		if (!b->wanted[s])
			continue;
		add_record(b, &front, s, words[BTF_WORD_NAME], shape->birth);
		b->type_words += shape->word_count;
		want_references(b, &front, words, shape->birth);
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
	ARRAY_OF(uint32_t) names = { 0 };

	for (size_t i = 0; i < b->record_count; i++) {
		uint32_t name = records[i].name;

		if (name && !ranks[name]) {
			ranks[name] = 1;
			array_push(&names, name);
		}
	}
	string_pool_sort(b->pool, names.data, names.count);
	for (uint32_t i = 0; i < names.count; i++)
		ranks[names.data[i]] = i + 1;
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
		ends[ranks[records[i].name] + 1]++;
	for (size_t rank = 0; rank < count; rank++)
		ends[rank + 1] += ends[rank];
	for (size_t i = 0; i < b->record_count; i++) {
		const struct record *record = &records[births[i].value];

		sorted[ends[ranks[record->name]]++] = record->what;
	}
	for (size_t rank = 1; rank < count; rank++) {
		if (ends[rank] - ends[rank - 1] > 1)
			sort_namesakes(b, sorted + ends[rank - 1], ends[rank] - ends[rank - 1]);
	}
	free(ends);
	free(ranks);
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

		if (ref_is_tag(what)) {
			b->tag_ids[ref_tag(what)] = image->first_id + (uint32_t)i;
			b->type_words += BTF_HEAD_WORDS;
		} else {
			b->shape_ids[what] = image->first_id + (uint32_t)i;
		}
	}
	for (size_t t = 0; t < b->table->tags.count; t++) {
		if (b->table->tags.data[t].definition && !base_id(b, ref_to_tag((uint32_t)t)))
			b->tag_ids[t] = b->shape_ids[b->table->tags.data[t].definition];
	}
}

/* The offset at which the base has this string, 0 if it does not. */
static uint32_t base_string(const struct builder *b, uint32_t id)
{
	const struct btf_base *base = b->options->base;
	uint32_t name = base ? btf_base_name(base, &b->pool->strings.data[id]) : 0;

	if (!name)
		return 0;
	return b->options->distill ? b->distilled.offset_of_name[name]
				   : base->offset_of_name[name];
}

static uint32_t string_offset(struct builder *b, uint32_t id)
{
	uint32_t offset;

	if (!id)
		return 0;
	if (!b->string_offsets[id]) {
		offset = base_string(b, id);
		if (!offset) {
			offset = (uint32_t)b->end_string;
			b->end_string += b->pool->strings.data[id].length + 1;
			array_push(&b->strings, id);
		}
		b->string_offsets[id] = offset + 1;
	}
	return b->string_offsets[id] - 1;
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

/* ---- writing ---- */

static uint32_t type_id(const struct builder *b, shape_ref ref)
{
	return ref_is_tag(ref) ? b->tag_ids[ref_tag(ref)] : b->shape_ids[ref];
}

static uint32_t *write_forward(struct builder *b, uint32_t tag, uint32_t *out)
{
	const struct tag *entry = &b->table->tags.data[tag];

	out[BTF_WORD_NAME] = string_offset(b, entry->name);
	out[BTF_WORD_INFO] = btf_info(forward_kind(entry), 0, entry->kind == BTF_UNION);
	/* An enum that was never defined: what C gives it, an int. */
	out[BTF_WORD_SIZE] = entry->kind == BTF_ENUM ? 4 : 0;
	return out + BTF_HEAD_WORDS;
}

static uint32_t *write_shape(struct builder *b, uint32_t shape, uint32_t *out)
{
	uint32_t count = b->table->shapes.data[shape].word_count;
	const struct btf_kind_info *kind;
	uint32_t info;

	memcpy(out, shape_words(b->table, shape), count * sizeof(*out));
	info = out[BTF_WORD_INFO];
	kind = btf_kind_of(info);
	for (uint32_t i = 0, n = btf_name_count(info); i < n; i++) {
		uint32_t *name = &out[btf_name_word(kind, i)];

		*name = string_offset(b, *name);
	}
	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
		uint32_t *ref = &out[btf_ref_word(kind, i)];

		*ref = type_id(b, *ref);
	}
	return out + count;
}

static void write_types(struct builder *b, struct btf_image *image, uint32_t *words)
{
	uint32_t *out = words;

	for (size_t i = 0; i < b->record_count; i++) {
		shape_ref what = image->shapes[i];
		uint32_t *start = out;

		out = ref_is_tag(what) ? write_forward(b, ref_tag(what), out)
				       : write_shape(b, what, out);
		image->kind_counts[btf_info_kind(start[BTF_WORD_INFO])]++;
	}
	assert(out == words + b->type_words);
	for (uint64_t i = 0; b->options->swap && i < b->type_words; i++)
		words[i] = bytes_order_u32(words[i], true);
}

static bool fits(const struct builder *b, const struct btf_image *image, struct error *err)
{
	if (image->first_id + b->record_count - 1 > BTF_MAX_TYPE)
		return error_set(err, "%zu types are more than BTF can number (%u); leave out "
				 "functions or variables with --features",
				 image->first_id + b->record_count - 1, BTF_MAX_TYPE);
	if (b->type_words * 4 > BTF_MAX_SIZE || b->end_string > BTF_MAX_NAME_OFFSET)
		return error_set(err, "%llu bytes of types and %llu of strings are more than the "
				 "kernel takes (16 MiB); leave out functions or variables with "
				 "--features", (unsigned long long)b->type_words * 4,
				 (unsigned long long)b->end_string);
	return true;
}

static void write_strings(const struct builder *b, uint8_t *out)
{
	if (!b->options->base)
		*out++ = '\0';
	for (size_t i = 0; i < b->strings.count; i++) {
		const struct pool_string *string = &b->pool->strings.data[b->strings.data[i]];

		memcpy(out, string->text, string->length + 1);
		out += string->length + 1;
	}
}

static bool write_image(struct builder *b, struct btf_image *image, struct error *err)
{
	uint32_t layout_bytes = b->options->layout && !b->options->base
					? btf_layout_bytes(BTF_CLASSIC_KIND_COUNT) : 0;
	size_t type_bytes = b->type_words * 4;
	size_t header_bytes = btf_header_bytes(layout_bytes);
	size_t string_bytes;
	uint8_t *out;

	/* Types first: that decides which strings are used and where they stand. */
	image->data = memory_alloc(header_bytes + type_bytes + layout_bytes);
	write_types(b, image, (uint32_t *)(void *)(image->data + header_bytes));
	if (!fits(b, image, err))
		return false;
	string_bytes = b->end_string - b->first_string;
	image->size = header_bytes + type_bytes + layout_bytes + string_bytes;
	image->data = memory_resize(image->data, image->size, 1);
	btf_put_header(image->data, (uint32_t)type_bytes, layout_bytes, (uint32_t)string_bytes,
		       b->options->swap);
	out = image->data + header_bytes + type_bytes;
	if (layout_bytes)
		btf_put_layout(out, BTF_CLASSIC_KIND_COUNT);
	write_strings(b, out + layout_bytes);
	image->type_count = (uint32_t)b->record_count;
	image->type_bytes = (uint32_t)type_bytes;
	image->string_bytes = (uint32_t)string_bytes;
	return true;
}

static void release(struct builder *b)
{
	btf_base_match_release(&b->match);
	btf_distilled_release(&b->distilled);
	free(b->records);
	array_release(&b->strings);
	free(b->wanted);
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
		.wanted = memory_zeroed(table->shapes.count, sizeof(bool)),
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
	good = write_image(&b, image, err);
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
	free(image->shapes);
	*image = (struct btf_image){ 0 };
}
