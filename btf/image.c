/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/image.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sort.h"

/* A record to be written: a shape, or a forward declaration of a tag. */
struct record {
	const char *name;
	uint64_t birth;
	shape_ref what;
	uint32_t order;		/* among records of one name: the kind, then see add_forward() */
};

struct builder {
	struct shape_table *table;
	const struct string_pool *pool;
	bool swap;
	ARRAY_OF(struct record) records;
	uint32_t *shape_ids;
	uint32_t *tag_ids;
	uint32_t *string_offsets;	/* pool id -> offset + 1; 0: not used yet */
	ARRAY_OF(uint32_t) strings;	/* pool ids in the order of their offsets */
	uint64_t string_bytes;
	uint64_t type_words;
};

/* A shape's references have smaller ids, so one pass downwards reaches everything. */
static void mark_reachable(struct shape_table *table)
{
	for (uint32_t s = (uint32_t)table->shapes.count - 1; s > 0; s--) {
		const uint32_t *words = shape_words(table, s);
		uint32_t info = words[BTF_WORD_INFO];
		const struct btf_kind_info *kind = &btf_kinds[btf_info_kind(info)];

		if (!table->shapes.data[s].is_root)
			continue;
		for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
			shape_ref ref = words[btf_ref_word(kind, i)];

			if (ref && !ref_is_tag(ref)) {
				assert(ref < s);
				table->shapes.data[ref].is_root = true;
			}
		}
	}
}

static void add_record(struct builder *b, shape_ref what, uint32_t name, uint32_t order,
		       uint64_t birth)
{
	array_push(&b->records, ((struct record){
		.name = string_pool_text(b->pool, name), .birth = birth, .what = what,
		.order = order }));
}

static enum btf_kind forward_kind(const struct tag *tag)
{
	return tag->kind == BTF_ENUM ? BTF_ENUM : BTF_FWD;
}

/*
 * A tag without definition is written where something refers to it. Where that was met first
 * depends on the threads, so its birth must decide nothing: of one name the struct stands before
 * the union, the enum before its definitions.
 */
static void add_forward(struct builder *b, uint32_t tag, uint64_t birth)
{
	const struct tag *entry = &b->table->tags.data[tag];
	uint32_t order = (uint32_t)forward_kind(entry) << 1 | (entry->kind == BTF_UNION);

	if (entry->definition)
		return;
	if (b->tag_ids[tag]) {
		struct record *record = &b->records.data[b->tag_ids[tag] - 1];

		record->birth = birth < record->birth ? birth : record->birth;
		return;
	}
	b->tag_ids[tag] = (uint32_t)b->records.count + 1;	/* until they are sorted */
	add_record(b, ref_to_tag(tag), entry->name, order, birth);
}

static void collect_records(struct builder *b)
{
	struct shape_table *table = b->table;

	array_reserve(&b->records, table->shapes.count);
	for (uint32_t s = 1; s < table->shapes.count; s++) {
		const uint32_t *words = shape_words(table, s);
		uint32_t info = words[BTF_WORD_INFO];
		const struct btf_kind_info *kind = &btf_kinds[btf_info_kind(info)];

		if (!table->shapes.data[s].is_root)
			continue;
		add_record(b, s, words[BTF_WORD_NAME], (uint32_t)btf_info_kind(info) << 1 | 1,
			   table->shapes.data[s].birth);
		b->type_words += btf_record_words(info);
		for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
			shape_ref ref = words[btf_ref_word(kind, i)];

			if (ref_is_tag(ref)) {
				/* A variant that is only declared is a forward of the name. */
				add_forward(b, ref_tag(ref), table->shapes.data[s].birth);
			}
		}
	}
}

static const char *record_name(const void *records, uint32_t index)
{
	return ((const struct record *)records)[index].name;
}

/*
 * By name, then kind, then birth, then as they were collected: three stable sorts from the last to
 * the first. A type without a name has the smallest name of all; among these the kind counts not.
 */
static void sort_records(struct builder *b)
{
	size_t count = b->records.count;
	struct sort_item *items = memory_alloc(count * sizeof(*items));
	struct record *sorted = memory_alloc(count * sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ b->records.data[i].birth, (uint32_t)i };
	sort_by_key(items, count);
	for (size_t i = 0; i < count; i++) {
		const struct record *record = &b->records.data[items[i].value];

		items[i].key = *record->name ? record->order : 0;
	}
	sort_by_key(items, count);
	sort_by_text(items, count, record_name, b->records.data);
	for (size_t i = 0; i < count; i++)
		sorted[i] = b->records.data[items[i].value];
	free(items);
	free(b->records.data);
	b->records.data = sorted;
	b->records.capacity = count;
}

static void number_records(struct builder *b, struct btf_image *image)
{
	image->shapes = memory_alloc(b->records.count * sizeof(*image->shapes));
	for (size_t i = 0; i < b->records.count; i++) {
		shape_ref what = b->records.data[i].what;

		image->shapes[i] = what;
		if (ref_is_tag(what)) {
			b->tag_ids[ref_tag(what)] = (uint32_t)i + 1;
			b->type_words += BTF_HEAD_WORDS;
		} else {
			b->shape_ids[what] = (uint32_t)i + 1;
		}
	}
	for (size_t t = 0; t < b->table->tags.count; t++) {
		if (b->table->tags.data[t].definition)
			b->tag_ids[t] = b->shape_ids[b->table->tags.data[t].definition];
	}
}

static uint32_t string_offset(struct builder *b, uint32_t id)
{
	if (!id)
		return 0;
	if (!b->string_offsets[id]) {
		b->string_offsets[id] = (uint32_t)b->string_bytes + 1;
		b->string_bytes += b->pool->strings.data[id].length + 1;
		array_push(&b->strings, id);
	}
	return b->string_offsets[id] - 1;
}

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
	kind = &btf_kinds[btf_info_kind(info)];
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

	for (size_t i = 0; i < b->records.count; i++) {
		shape_ref what = b->records.data[i].what;
		uint32_t *start = out;

		out = ref_is_tag(what) ? write_forward(b, ref_tag(what), out)
				       : write_shape(b, what, out);
		image->kind_counts[btf_info_kind(start[BTF_WORD_INFO])]++;
	}
	assert(out == words + b->type_words);
	for (uint64_t i = 0; b->swap && i < b->type_words; i++)
		words[i] = bytes_order_u32(words[i], true);
}

static void write_header(const struct builder *b, uint8_t *data)
{
	struct btf_file_header header = {
		.magic = bytes_order_u16(BTF_MAGIC, b->swap),
		.version = BTF_VERSION,
		.header_bytes = bytes_order_u32(sizeof(header), b->swap),
		.type_bytes = bytes_order_u32((uint32_t)b->type_words * 4, b->swap),
		.string_offset = bytes_order_u32((uint32_t)b->type_words * 4, b->swap),
		.string_bytes = bytes_order_u32((uint32_t)b->string_bytes, b->swap),
	};

	memcpy(data, &header, sizeof(header));
}

static bool fits(const struct builder *b, struct error *err)
{
	if (b->records.count > BTF_MAX_TYPE)
		return error_set(err, "%zu types are more than BTF can number (%u); leave out "
				 "functions or variables with --features",
				 b->records.count, BTF_MAX_TYPE);
	if (b->type_words * 4 > BTF_MAX_SIZE || b->string_bytes > BTF_MAX_NAME_OFFSET)
		return error_set(err, "%llu bytes of types and %llu of strings are more than the "
				 "kernel takes (16 MiB); leave out functions or variables with "
				 "--features", (unsigned long long)b->type_words * 4,
				 (unsigned long long)b->string_bytes);
	return true;
}

static void write_strings(const struct builder *b, uint8_t *out)
{
	*out++ = '\0';
	for (size_t i = 0; i < b->strings.count; i++) {
		const struct pool_string *string = &b->pool->strings.data[b->strings.data[i]];

		memcpy(out, string->text, string->length + 1);
		out += string->length + 1;
	}
}

static bool write_image(struct builder *b, struct btf_image *image, struct error *err)
{
	size_t type_bytes = b->type_words * 4;
	size_t header_bytes = sizeof(struct btf_file_header);

	/* Types first: that decides which strings are used and where they stand. */
	image->data = memory_alloc(header_bytes + type_bytes);
	write_types(b, image, (uint32_t *)(void *)(image->data + header_bytes));
	if (!fits(b, err))
		return false;
	image->size = header_bytes + type_bytes + b->string_bytes;
	image->data = memory_resize(image->data, image->size, 1);
	write_header(b, image->data);
	write_strings(b, image->data + header_bytes + type_bytes);
	image->type_count = (uint32_t)b->records.count;
	image->type_bytes = (uint32_t)type_bytes;
	image->string_bytes = (uint32_t)b->string_bytes;
	return true;
}

bool btf_image_build(struct btf_image *image, struct shape_table *table,
		     const struct string_pool *pool, bool swap, struct error *err)
{
	struct builder b = {
		.table = table, .pool = pool, .swap = swap,
		.shape_ids = memory_zeroed(table->shapes.count, sizeof(uint32_t)),
		.tag_ids = memory_zeroed(table->tags.count, sizeof(uint32_t)),
		.string_offsets = memory_zeroed(pool->strings.count, sizeof(uint32_t)),
		.string_bytes = 1,
	};
	bool good;

	*image = (struct btf_image){ 0 };
	mark_reachable(table);
	collect_records(&b);
	sort_records(&b);
	number_records(&b, image);
	good = write_image(&b, image, err);
	if (!good)
		btf_image_release(image);
	array_release(&b.records);
	array_release(&b.strings);
	free(b.shape_ids);
	free(b.tag_ids);
	free(b.string_offsets);
	return good;
}

void btf_image_release(struct btf_image *image)
{
	free(image->data);
	free(image->shapes);
	*image = (struct btf_image){ 0 };
}
