/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * First which records there are, in which order, with which ids; then they are written: types
 * before strings, because that decides which strings are used, and their offsets.
 */
#include "btf/dedup/image.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sort.h"

/* Where something is written: what several need is in the lowest of them. */
enum part {
	PART_NONE,
	PART_EXTRA,
	PART_INLINE,
	PART_MAIN,
};

#define PART_OF(p) ((enum part)(PART_INLINE - (p)))

/* A record to be written: a node, or a forward declaration of a tag. */
struct record {
	uint64_t first_seen;
	struct node_ref what;
	struct pool_id name;
};

struct builder {
	const struct node_table *table;
	const struct string_pool *pool;
	const struct btf_image_options *options;
	const struct btf_base *base;	/* options->base with an index; NULL without one */
	struct btf_base_match match;	/* ids in the base; NULL arrays without one */
	struct btf_distilled distilled;
	uint8_t *wanted;		/* by node: enum part */
	uint8_t *wanted_tags;		/* by tag without definition, the same */
	ARRAY_OF(struct record) records;	/* until they are sorted: nodes descend */
	size_t record_count;
	size_t part_counts[PART_MAIN + 1];	/* sorted, the image's come first */
	uint32_t *node_ids;
	uint32_t *tag_ids;		/* before: where in `records` its forward is */
	uint32_t *string_offsets;	/* pool id -> offset + 1; 0: not used yet */
	ARRAY_OF(uint32_t) strings;	/* pool ids in the order of their offsets */
	uint64_t first_string;		/* offset of the first of them */
	uint64_t end_string;
};

static enum btf_kind forward_kind(const struct tag *tag)
{
	return tag->kind == BTF_ENUM ? BTF_ENUM : BTF_FWD;
}

/* ---- what stays in the base ---- */

/*
 * The id in the base of what a reference means, 0 when it is not left to the base. A distilled base
 * has no pointers, arrays or typedefs: these are written again where something needs them.
 */
static uint32_t base_id(const struct builder *b, struct node_ref ref)
{
	const uint32_t *words;
	uint32_t id;

	if (!b->base)
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
	bool *used = memory_zeroed(b->base->end_id, sizeof(bool));

	for (uint32_t s = 1; s < b->table->nodes.count; s++) {
		const uint32_t *words = node_words(b->table, s);

		if (!b->wanted[s])
			continue;
		btf_each_ref(word, words)
			used[base_id(b, ref_of_word(words[word]))] = true;
	}
	used[0] = false;
	btf_distill(&b->distilled, b->base, used, b->options->swap);
	free(used);
}

/* ---- which records there are ---- */

/* A tag without definition is written where something refers to it. */
static void add_forward(struct builder *b, uint32_t tag, uint64_t first_seen, uint8_t part)
{
	const struct tag *entry = &b->table->tags.data[tag];

	if (entry->definition || base_id(b, ref_to_tag(tag)))
		return;
	if (part > b->wanted_tags[tag])
		b->wanted_tags[tag] = part;
	if (b->tag_ids[tag]) {
		struct record *record = &b->records.data[b->tag_ids[tag]];

		if (first_seen < record->first_seen)
			record->first_seen = first_seen;
		return;
	}
	/* Not the first record: that is the node which refers to it. */
	b->tag_ids[tag] = (uint32_t)b->records.count;
	array_push(&b->records, ((struct record){ first_seen, ref_to_tag(tag),
						  pool_id_of_word(entry->name) }));
}

/* Has the base what a root would say? */
static bool is_in_base(const struct builder *b, uint32_t node)
{
	const uint32_t *words = node_words(b->table, node);

	if (!b->base || b->match.nodes[node] || b->match.inside[node])
		return b->base;
	/* A tag on a member of a type in a distilled base, where it has no members. */
	return b->options->distill && btf_info_kind(words[BTF_WORD_INFO]) == BTF_DECL_TAG &&
	       words[BTF_HEAD_WORDS] != UINT32_MAX &&
	       base_id(b, ref_of_word(words[BTF_WORD_TYPE]));
}

/*
 * What only inline sites need is in their part if it is a function or a location. Types stay in the
 * image, as in the kernel's own builds (resolve_btfids --inline).
 */
static bool may_be_inline(const struct node_table *table, struct node_ref ref)
{
	enum btf_kind kind = ref_is_tag(ref) ? BTF_VOID : node_kind(table, ref_node(ref));

	return kind == BTF_FUNC || kind == BTF_FUNC_PROTO || kind >= BTF_CLASSIC_KIND_COUNT;
}

/*
 * A node's references have smaller ids, so one pass downwards reaches everything. What the base
 * has is not a root, even if the DWARF has it.
 */
static void collect_records(struct builder *b)
{
	const struct node_table *table = b->table;

	array_reserve(&b->records, table->nodes.count + table->tags.count);
	for (uint32_t s = (uint32_t)table->nodes.count - 1; s > 0; s--) {
		const struct type_node *node = &table->nodes.data[s];
		const uint32_t *words = node_words(table, s);
		enum part part = PART_MAIN;

		for (int p = 0; p < BTF_PART_COUNT; p++) {
			if (b->options->part_from[p] && s >= b->options->part_from[p])
				part = PART_OF(p);
		}

		if (node->is_root && b->wanted[s] < part && !is_in_base(b, s))
			b->wanted[s] = (uint8_t)part;
		if (!b->wanted[s])
			continue;
		array_push(&b->records, ((struct record){
			node->first_seen, ref_to_node(s), pool_id_of_word(words[BTF_WORD_NAME]) }));
		btf_each_ref(word, words) {
			struct node_ref ref = ref_of_word(words[word]);
			uint8_t *wanted = &b->wanted[ref_is_tag(ref) ? 0 : ref_node(ref)];

			part = b->wanted[s];
			if (part == PART_INLINE && !may_be_inline(table, ref))
				part = PART_MAIN;
			if (ref_is_tag(ref))
				add_forward(b, ref_tag(ref), node->first_seen, (uint8_t)part);
			else if (!ref_is_void(ref) && *wanted < part && !base_id(b, ref))
				*wanted = (uint8_t)part;
		}
	}
	b->record_count = b->records.count;
}

/* ---- their order ---- */

/*
 * Among records of one name: by kind. Where a declaration was first seen must decide nothing,
 * because it depends on the threads what is met first: a struct's comes before a union's, an
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

/*
 * By pool id: the rank of a name among those of the records, 0 for none. The names are sorted, not
 * the records, of which some share one and most of the others have none.
 */
static uint32_t *rank_names(const struct builder *b)
{
	uint32_t *ranks = memory_zeroed(b->pool->strings.count, sizeof(*ranks));
	ARRAY_OF(struct pool_id) names = { 0 };

	for (size_t i = 0; i < b->record_count; i++) {
		struct pool_id name = b->records.data[i].name;

		if (name.index && !ranks[name.index]) {
			ranks[name.index] = 1;
			array_push(&names, name);
		}
	}
	string_pool_sort(b->pool, names.data, names.count);
	for (uint32_t i = 0; i < names.count; i++)
		ranks[names.data[i].index] = i + 1;
	array_release(&names);
	return ranks;
}

/*
 * By part, then name, then kind, then where it was first seen, then id. A type without a name has
 * the smallest name of all; among these the kind does not count. first_seen ascends with ids, as
 * far as one worker met the types.
 */
static void sort_records(struct builder *b, struct node_ref *sorted)
{
	const struct record *records = b->records.data;
	struct sort_item *items = memory_alloc(b->record_count * sizeof(*items));
	uint32_t *ranks = rank_names(b);

	for (size_t i = 0; i < b->record_count; i++) {
		size_t record = b->record_count - 1 - i;

		items[i] = (struct sort_item){ records[record].first_seen, (uint32_t)record };
	}
	sort_by_key(items, b->record_count);
	for (size_t i = 0; i < b->record_count; i++) {
		const struct record *record = &records[items[i].value];
		struct node_ref what = record->what;
		uint32_t rank = ranks[record->name.index];
		enum part part = ref_is_tag(what) ? b->wanted_tags[ref_tag(what)]
						  : b->wanted[ref_node(what)];

		items[i].key = (uint64_t)(PART_MAIN - part) << 40 | (uint64_t)rank << 8 |
			       (rank ? record_order(b, what) : 0);
		b->part_counts[part]++;
	}
	sort_by_key(items, b->record_count);
	for (size_t i = 0; i < b->record_count; i++)
		sorted[i] = records[items[i].value].what;
	free(items);
	free(ranks);
	array_release(&b->records);
}

/* ---- numbers ---- */

/*
 * Ids and strings go on after the base's; without one, after void and the empty string. What the
 * base has gets its ids from there.
 */
static void number_records(struct builder *b, struct btf_image *image)
{
	const struct btf_base *base = b->base;
	const uint32_t *distilled = b->options->distill ? b->distilled.ids : NULL;

	image->first_id = distilled ? b->distilled.type_count + 1 : base ? base->end_id : 1;
	if (base)
		b->first_string = distilled ? b->distilled.string_bytes
					    : btf_reader_end_string(base->reader);
	/* The empty string comes first, unless a base has it: one without strings has not. */
	b->end_string = b->first_string ? b->first_string : 1;
	memset(b->tag_ids, 0, b->table->tags.count * sizeof(*b->tag_ids));
	for (size_t t = 0; base && t < b->table->tags.count; t++)
		b->tag_ids[t] = distilled ? distilled[b->match.tags[t]] : b->match.tags[t];
	for (uint32_t s = 1; base && s < b->table->nodes.count; s++)
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

/* ---- writing ---- */

static uint32_t string_offset(struct builder *b, uint32_t id)
{
	uint32_t offset = 0;

	if (!id)
		return 0;
	if (b->string_offsets[id])
		return b->string_offsets[id] - 1;
	if (b->base)
		offset = btf_base_string(b->base, b->pool, pool_id_of_word(id));
	if (offset && b->options->distill)
		offset = b->distilled.offset_of_name[offset];
	if (!offset) {
		offset = (uint32_t)b->end_string;
		b->end_string += b->pool->strings.data[id].length + 1;
		array_push(&b->strings, id);
	}
	b->string_offsets[id] = offset + 1;
	return offset;
}

/*
 * Writes the sites of a LOCSEC by the ids of their functions, then by offset, then by the id of
 * their LOC_PROTO: they are in the order of offsets, and hardly any two have the same.
 */
static void write_sites(const struct builder *b, const uint32_t *record, uint32_t *out)
{
	const uint32_t (*from)[3] = (const uint32_t(*)[3])(record + BTF_HEAD_WORDS);
	uint32_t (*sites)[3] = (uint32_t(*)[3])(out + BTF_HEAD_WORDS);
	uint32_t count = btf_info_vlen(record[BTF_WORD_INFO]), end;
	ARRAY_OF(struct sort_item) run = { 0 };

	array_reserve(&run, count);
	for (uint32_t i = 0; i < count; i++)
		array_push(&run, ((struct sort_item){ b->node_ids[from[i][0]], i }));
	sort_by_key(run.data, run.count);
	for (uint32_t i = 0; i < count; i++) {
		const uint32_t *site = from[run.data[i].value];

		sites[i][0] = (uint32_t)run.data[i].key;
		sites[i][1] = b->node_ids[site[1]];
		sites[i][2] = site[2];
	}
	for (uint32_t i = 0; i < count; i = end) {
		run.count = 0;
		for (end = i; end < count && sites[end][0] == sites[i][0] &&
			      sites[end][2] == sites[i][2]; end++)
			array_push(&run, ((struct sort_item){ sites[end][1], 0 }));
		if (run.count > 1)
			sort_by_key(run.data, run.count);
		for (uint32_t k = i; k < end && run.count > 1; k++)
			sites[k][1] = (uint32_t)run.data[k - i].key;
	}
	array_release(&run);
}

static uint32_t *write_record(struct builder *b, struct node_ref what, uint32_t *out)
{
	uint32_t count;

	if (ref_is_tag(what)) {
		const struct tag *tag = &b->table->tags.data[ref_tag(what)];

		out[BTF_WORD_NAME] = string_offset(b, tag->name);
		out[BTF_WORD_INFO] = btf_info(forward_kind(tag), 0, tag->kind == BTF_UNION);
		/* An enum that was never defined: what C gives it, an int. */
		out[BTF_WORD_SIZE] = tag->kind == BTF_ENUM ? 4 : 0;
		return out + BTF_HEAD_WORDS;
	}
	count = b->table->nodes.data[ref_node(what)].word_count;
	if (node_kind(b->table, ref_node(what)) == BTF_LOCSEC) {
		const uint32_t *words = node_words(b->table, ref_node(what));

		out[BTF_WORD_NAME] = string_offset(b, words[BTF_WORD_NAME]);
		out[BTF_WORD_INFO] = words[BTF_WORD_INFO];
		out[BTF_WORD_SIZE] = words[BTF_WORD_SIZE];
		write_sites(b, words, out);
		return out + count;
	}
	memcpy(out, node_words(b->table, ref_node(what)), count * sizeof(*out));
	btf_each_name(word, out)
		out[word] = string_offset(b, out[word]);
	btf_each_ref(word, out) {
		struct node_ref ref = ref_of_word(out[word]);

		out[word] = ref_is_tag(ref) ? b->tag_ids[ref_tag(ref)]
					    : b->node_ids[ref_node(ref)];
	}
	return out + count;
}

/* One of the images while it is written: records [first, end). */
struct part_image {
	size_t first, end;
	uint32_t header_bytes;		/* at least */
	uint64_t type_words;
	uint64_t first_string;		/* offset of its strings */
	uint32_t string_bytes;
	uint32_t kind_counts[BTF_KIND_COUNT];
	uint8_t *data;
	size_t size;
};

/* The kernel's limits. */
static bool fits(const struct builder *b, const struct btf_image *image,
		 const struct part_image *part, struct error *err)
{
	if (image->first_id + part->end - 1 > BTF_TYPE_ID_MAX)
		return error_set(err, "%zu types are more than BTF can number (%u); leave out "
				 "functions or variables with --features",
				 image->first_id + part->end - 1, BTF_TYPE_ID_MAX);
	/* Only BPF_BTF_LOAD has a limit of 16 MiB; what kernels allocate for modules, of 2 GiB. */
	if (part->size + b->end_string - part->first_string > INT32_MAX ||
	    b->end_string > BTF_NAME_OFFSET_MAX)
		return error_set(err, "%llu bytes of types and %llu of strings are more than "
				 "kernels take (2 GiB, and 16 MiB of strings); leave out functions "
				 "or variables with --features",
				 (unsigned long long)part->type_words * 4,
				 (unsigned long long)b->end_string);
	return true;
}

static bool write_part(struct builder *b, const struct btf_image *image, struct part_image *part,
		       struct error *err)
{
	size_t first_of_strings = b->strings.count;
	uint32_t kinds = BTF_CLASSIC_KIND_COUNT, layout_bytes, header_bytes;
	uint32_t *words, *next;
	uint8_t *out;

	for (size_t i = part->first; i < part->end; i++) {
		struct node_ref what = image->nodes[i];

		part->type_words += ref_is_tag(what) ? BTF_HEAD_WORDS
						     : b->table->nodes.data[ref_node(what)]
							       .word_count;
		if (!ref_is_tag(what) && node_kind(b->table, ref_node(what)) == BTF_LOCSEC)
			kinds = BTF_INLINE_KIND_COUNT;
	}
	/* The image's says how to skip what its part may have. */
	if (b->options->part_from[BTF_PART_INLINE])
		kinds = BTF_INLINE_KIND_COUNT;
	if (!b->options->layout || b->base || part->first)
		kinds = 0;
	layout_bytes = kinds * (uint32_t)sizeof(struct btf_layout_entry);
	header_bytes = layout_bytes && part->header_bytes < sizeof(struct btf_file_header)
			       ? sizeof(struct btf_file_header) : part->header_bytes;
	part->size = header_bytes + part->type_words * 4 + layout_bytes;
	part->data = memory_alloc(part->size);
	next = words = (uint32_t *)(void *)(part->data + header_bytes);
	for (size_t i = part->first; i < part->end; i++) {
		uint32_t *record = next;

		next = write_record(b, image->nodes[i], record);
		part->kind_counts[btf_info_kind(record[BTF_WORD_INFO])]++;
	}
	assert(next == words + part->type_words);
	for (; b->options->swap && words < next; words++)
		*words = bytes_order_u32(*words, true);
	/*
	 * The kernel and libbpf take split BTF without strings, cilium/ebpf does not: it has
	 * the empty one.
	 */
	if (part->first_string && b->end_string == part->first_string)
		b->end_string++;
	if (!fits(b, image, part, err)) {
		free(part->data);
		return false;
	}
	part->string_bytes = (uint32_t)(b->end_string - part->first_string);
	part->data = memory_resize(part->data, part->size + part->string_bytes, 1);
	btf_put_header(part->data, header_bytes, (uint32_t)part->type_words * 4, layout_bytes,
		       part->string_bytes, b->options->swap);
	btf_put_layout(part->data + part->size - layout_bytes, kinds);
	out = part->data + part->size;
	part->size += part->string_bytes;
	if (!part->first_string || first_of_strings == b->strings.count)
		*out++ = '\0';
	for (size_t i = first_of_strings; i < b->strings.count; i++) {
		const struct pool_string *string = &b->pool->strings.data[b->strings.data[i]];

		out = (uint8_t *)memcpy(out, string->text, string->length + 1) + string->length + 1;
	}
	return true;
}

/* The header of .BTF.extra says which .BTF it belongs to. */
static void put_id(const struct btf_image *image, uint8_t *header, bool swap)
{
	uint64_t id = btf_id(image->data + bytes_load_u32(image->data + 4, swap),
			     image->type_bytes,
			     image->data + image->size - image->string_bytes, image->string_bytes);

	for (size_t i = 0; i < 2; i++, id >>= 32) {
		uint32_t word = bytes_order_u32((uint32_t)id, swap);

		memcpy(header + sizeof(struct btf_file_header) + 4 * i, &word, sizeof(word));
	}
}

/* Writes the image and its parts. */
static bool write_images(struct builder *b, struct btf_image *image, struct error *err)
{
	struct part_image part = { .end = b->part_counts[PART_MAIN],
				   .first_string = b->first_string,
				   .header_bytes = BTF_SHORT_HEADER_BYTES };

	if (!write_part(b, image, &part, err))
		return false;
	image->data = part.data;
	image->size = part.size;
	image->all_types = (uint32_t)b->record_count;
	image->type_count = (uint32_t)part.end;
	image->type_bytes = (uint32_t)part.type_words * 4;
	image->string_bytes = part.string_bytes;
	memcpy(image->kind_counts, part.kind_counts, sizeof(image->kind_counts));
	for (int p = 0; p < BTF_PART_COUNT; p++) {
		/* Readers of LOCSECs know a header with a layout section. */
		static const uint32_t header_bytes[BTF_PART_COUNT] = {
			sizeof(struct btf_file_header), BTF_EXTRA_HEADER_BYTES };

		image->end_strings[p] = (uint32_t)b->end_string;
		if (!b->options->part_from[p])
			continue;
		part = (struct part_image){ .first = part.end,
					    .end = part.end + b->part_counts[PART_OF(p)],
					    .first_string = b->end_string,
					    .header_bytes = header_bytes[p] };
		if (!write_part(b, image, &part, err))
			return false;
		image->parts[p].data = part.data;
		image->parts[p].size = part.size;
		if (p == BTF_PART_EXTRA)
			put_id(image, part.data, b->options->swap);
	}
	return true;
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
	struct btf_base own = { 0 };
	bool good;

	*image = (struct btf_image){ 0 };
	if (options->base) {
		b.base = options->base;
		if (!b.base->types.first) {
			btf_base_index_for(&own, options->base, table, pool);
			b.base = &own;
		}
		btf_base_match(&b.match, b.base, table, pool, options->distill);
	}
	collect_records(&b);
	image->nodes = memory_alloc(b.record_count * sizeof(*image->nodes));
	sort_records(&b, image->nodes);
	if (b.base && options->distill)
		distill(&b);
	number_records(&b, image);
	if (options->targets_first) {
		put_targets_first(image->nodes, b.record_count, image->first_id, table, b.node_ids,
				  b.tag_ids);
		number_records(&b, image);
	}
	good = write_images(&b, image, err);
	/* The distilled base changes hands. */
	image->base_data = b.distilled.data;
	image->base_size = b.distilled.size;
	b.distilled.data = NULL;
	if (!good)
		btf_image_release(image);
	btf_base_match_release(&b.match);
	btf_distilled_release(&b.distilled);
	btf_base_release(&own);
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
	for (int p = 0; p < BTF_PART_COUNT; p++)
		free(image->parts[p].data);
	free(image->nodes);
	*image = (struct btf_image){ 0 };
}
