/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sort.h"
#include "btf/dedup/image_state.h"

/* ---- strings ---- */

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

/* ---- records ---- */

static uint32_t type_id(const struct builder *b, struct node_ref ref)
{
	return ref_is_tag(ref) ? b->tag_ids[ref_tag(ref)] : b->node_ids[ref_node(ref)];
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

/* Sites of one function at one offset: by their LOC_PROTOs. There is hardly ever more than one. */
static void sort_run(uint32_t *sites, uint32_t count)
{
	struct sort_item *items = memory_alloc(count * sizeof(*items));

	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ sites[3 * (size_t)i + 1], 0 };
	sort_by_key(items, count);
	for (uint32_t i = 0; i < count; i++)
		sites[3 * (size_t)i + 1] = (uint32_t)items[i].key;
	free(items);
}

static void sort_equals(uint32_t *sites, uint32_t count)
{
	uint32_t end;

	for (uint32_t i = 0; i < count; i = end) {
		const uint32_t *first = sites + 3 * (size_t)i;

		for (end = i + 1; end < count && sites[3 * (size_t)end] == first[0] &&
				  sites[3 * (size_t)end + 2] == first[2]; end++)
			;
		if (end - i > 1)
			sort_run(sites + 3 * (size_t)i, end - i);
	}
}

/* The sites of one function stand together and ascend: only the functions' order is to be made. */
static void sort_groups(uint32_t *sites, uint32_t count)
{
	ARRAY_OF(struct sort_item) groups = { 0 };
	uint32_t *copy = memory_alloc((size_t)count * 3 * sizeof(*copy));
	uint32_t *out = sites;

	memcpy(copy, sites, (size_t)count * 3 * sizeof(*copy));
	for (uint32_t i = 0; i < count; i++) {
		if (!i || sites[3 * i] != sites[3 * i - 3])
			array_push(&groups, ((struct sort_item){ sites[3 * i], i }));
	}
	sort_by_key(groups.data, groups.count);
	for (size_t g = 0; g < groups.count; g++) {
		for (uint32_t i = groups.data[g].value;
		     i < count && copy[3 * (size_t)i] == groups.data[g].key; i++) {
			memcpy(out, copy + 3 * (size_t)i, 3 * sizeof(*out));
			out += 3;
		}
	}
	array_release(&groups);
	free(copy);
}

static void sort_sites(uint32_t *sites, uint32_t count)
{
	struct sort_item *items = memory_alloc(count * sizeof(*items));
	uint32_t *copy = memory_alloc((size_t)count * 3 * sizeof(*copy));

	memcpy(copy, sites, (size_t)count * 3 * sizeof(*copy));
	for (uint32_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ (uint64_t)sites[3 * i] << 32 | sites[3 * i + 2], i };
	sort_by_key(items, count);
	for (uint32_t i = 0; i < count; i++)
		memcpy(sites + 3 * (size_t)i, copy + 3 * (size_t)items[i].value,
		       3 * sizeof(*sites));
	free(copy);
	free(items);
}

static bool sites_ascend(const uint32_t *sites, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++) {
		const uint32_t *site = sites + 3 * (size_t)i, *before = site - 3;

		if (before[0] > site[0] || (before[0] == site[0] && before[2] > site[2]))
			return false;
	}
	return true;
}

/* The sites of a LOCSEC by what the ids of their functions have become. */
static void sort_locsec(uint32_t *record)
{
	uint32_t *sites = record + BTF_HEAD_WORDS;
	uint32_t count = btf_info_vlen(record[BTF_WORD_INFO]);

	if (!sites_ascend(sites, count))
		sort_groups(sites, count);
	if (!sites_ascend(sites, count))
		sort_sites(sites, count);
	sort_equals(sites, count);
}

static uint32_t *write_node(struct builder *b, uint32_t node, uint32_t *out)
{
	uint32_t count = b->table->nodes.data[node].word_count;
	const struct btf_kind_info *kind;
	uint32_t info;

	memcpy(out, node_words(b->table, node), count * sizeof(*out));
	info = out[BTF_WORD_INFO];
	kind = btf_kind_of(info);
	for (uint32_t i = 0, n = btf_name_count(info); i < n; i++) {
		uint32_t *name = &out[btf_name_word(kind, i)];

		*name = string_offset(b, *name);
	}
	for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
		uint32_t *ref = &out[btf_ref_word(kind, i)];

		*ref = type_id(b, ref_of_word(*ref));
	}
	if (btf_info_kind(info) == BTF_LOCSEC)
		sort_locsec(out);
	return out + count;
}

/* ---- images ---- */

/* One of the two images while it is written: records [first, end). */
struct part_image {
	size_t first, end;
	uint64_t type_words;
	bool has_sites;			/* LOC kinds */
	uint64_t first_string;		/* its strings: from this offset ... */
	size_t first_of_strings;	/* ... and from here on in builder.strings */
	uint32_t kind_counts[BTF_KIND_COUNT];
	uint8_t *data;
	size_t size;
	uint32_t string_bytes;
};

static void measure(const struct builder *b, const struct btf_image *image,
		    struct part_image *part)
{
	for (size_t i = part->first; i < part->end; i++) {
		struct node_ref what = image->nodes[i];

		part->type_words += ref_is_tag(what) ? BTF_HEAD_WORDS
						     : b->table->nodes.data[ref_node(what)]
							       .word_count;
		part->has_sites |= !ref_is_tag(what) &&
				   node_kind(b->table, ref_node(what)) == BTF_LOCSEC;
	}
}

static void write_types(struct builder *b, const struct btf_image *image, struct part_image *part,
			uint32_t *words)
{
	uint32_t *out = words;

	for (size_t i = part->first; i < part->end; i++) {
		struct node_ref what = image->nodes[i];
		uint32_t *start = out;

		out = ref_is_tag(what) ? write_forward(b, ref_tag(what), out)
				       : write_node(b, ref_node(what), out);
		part->kind_counts[btf_info_kind(start[BTF_WORD_INFO])]++;
	}
	assert(out == words + part->type_words);
	for (uint64_t i = 0; b->options->swap && i < part->type_words; i++)
		words[i] = bytes_order_u32(words[i], true);
}

static bool fits(const struct builder *b, const struct btf_image *image,
		 const struct part_image *part, struct error *err)
{
	if (image->first_id + part->end - 1 > BTF_MAX_TYPE)
		return error_set(err, "%zu types are more than BTF can number (%u); leave out "
				 "functions or variables with --features",
				 image->first_id + part->end - 1, BTF_MAX_TYPE);
	if (part->type_words * 4 > BTF_MAX_SIZE || b->end_string > BTF_MAX_NAME_OFFSET)
		return error_set(err, "%llu bytes of types and %llu of strings are more than the "
				 "kernel takes (16 MiB); leave out functions or variables with "
				 "--features", (unsigned long long)part->type_words * 4,
				 (unsigned long long)b->end_string);
	return true;
}

static void write_strings(const struct builder *b, const struct part_image *part, uint8_t *out)
{
	if (!part->first_string)
		*out++ = '\0';
	for (size_t i = part->first_of_strings; i < b->strings.count; i++) {
		const struct pool_string *string = &b->pool->strings.data[b->strings.data[i]];

		memcpy(out, string->text, string->length + 1);
		out += string->length + 1;
	}
}

/* Of how many kinds the layout section tells; 0: there is none. */
static uint32_t layout_kinds(const struct builder *b, const struct part_image *part)
{
	if (!b->options->layout || b->options->base || part->first)
		return 0;
	return part->has_sites ? BTF_INLINE_KIND_COUNT : BTF_CLASSIC_KIND_COUNT;
}

/* Types first: that decides which strings are used and where they stand. */
static bool write_part(struct builder *b, const struct btf_image *image, struct part_image *part,
		       struct error *err)
{
	uint32_t layout_bytes, header_bytes, type_bytes;
	uint32_t kinds;
	uint8_t *out;

	measure(b, image, part);
	kinds = layout_kinds(b, part);
	layout_bytes = btf_layout_bytes(kinds);
	header_bytes = btf_header_bytes(layout_bytes);
	part->size = header_bytes + part->type_words * 4 + layout_bytes;
	part->data = memory_alloc(part->size);
	write_types(b, image, part, (uint32_t *)(void *)(part->data + header_bytes));
	if (!fits(b, image, part, err)) {
		free(part->data);
		return false;
	}
	type_bytes = (uint32_t)part->type_words * 4;
	part->string_bytes = (uint32_t)(b->end_string - part->first_string);
	part->size += part->string_bytes;
	part->data = memory_resize(part->data, part->size, 1);
	btf_put_header(part->data, type_bytes, layout_bytes, part->string_bytes, b->options->swap);
	out = part->data + header_bytes + type_bytes;
	if (kinds)
		btf_put_layout(out, kinds);
	write_strings(b, part, out + layout_bytes);
	return true;
}

static bool write_extra(struct builder *b, struct btf_image *image, struct error *err)
{
	struct part_image extra = { .first = b->main_count, .end = b->record_count,
				    .first_string = b->end_string,
				    .first_of_strings = b->strings.count };

	if (!write_part(b, image, &extra, err))
		return false;
	image->extra_data = extra.data;
	image->extra_size = extra.size;
	image->extra_strings = (uint32_t)extra.first_string;
	return true;
}

bool btf_image_write(struct builder *b, struct btf_image *image, struct error *err)
{
	struct part_image part = { .end = b->main_count, .first_string = b->first_string };

	if (!write_part(b, image, &part, err))
		return false;
	image->data = part.data;
	image->size = part.size;
	image->type_count = (uint32_t)b->main_count;
	image->type_bytes = (uint32_t)part.type_words * 4;
	image->string_bytes = part.string_bytes;
	memcpy(image->kind_counts, part.kind_counts, sizeof(image->kind_counts));
	return !b->options->extra_from || write_extra(b, image, err);
}
