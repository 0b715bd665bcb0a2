/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/stats/stats.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "base/sort.h"
#include "btf/inspect.h"
#include "commands/print/json.h"

#define LARGEST 10

/* Something that takes bytes: a kind, a type by its number, a string by its offset. */
struct sized {
	uint64_t bytes;
	uint32_t number;
	uint32_t count;		/* types of the kind, or of the name */
};

typedef ARRAY_OF(struct sized) sized_list;

/* Most bytes first, then the first. */
static int compare_sizes(const void *a, const void *b)
{
	const struct sized *x = a, *y = b;
	int order = order_of(y->bytes, x->bytes);

	return order ? order : order_of(x->number, y->number);
}

/* Keeps it if it is one of the largest. */
static void offer(sized_list *largest, struct sized one)
{
	struct sized *last = array_place(largest, largest->count - 1);

	if (largest->count < LARGEST)
		array_push(largest, one);
	else if (compare_sizes(&one, last) < 0)
		*last = one;
	else
		return;
	array_sort(largest, compare_sizes);
}

static const uint32_t *record(const struct btf_reader *btf, uint32_t i)
{
	return btf->words + btf->positions[i];
}

static uint64_t record_bytes(const struct btf_reader *btf, uint32_t i)
{
	return 4 * (uint64_t)btf_record_words(record(btf, i)[BTF_WORD_INFO]);
}

/* What has no name is known by its first member or enumerator. */
static json_t *type_row(const struct btf_reader *btf, const struct sized *one)
{
	const uint32_t *words = record(btf, one->number);
	uint32_t info = words[BTF_WORD_INFO], elements = btf_info_vlen(info);
	bool has_first = elements && (btf_kind_is_aggregate(btf_record_kind(words)) ||
				      btf_kind_is_enum(btf_record_kind(words)));

	return json_pack("{s:I, s:I, s:s, s:o, s:o, s:I, s:I}", "bytes", INTEGER(one->bytes),
			 "id", INTEGER(btf->first_id + one->number),
			 "kind", btf_kind_of(info)->name,
			 "name", json_text(btf_type_name(btf, words)),
			 "first", json_text(has_first ? btf_text(btf, words[BTF_HEAD_WORDS])
						      : NULL),
			 "elements", INTEGER(elements), "count", INTEGER(one->count));
}

static json_t *type_rows(const struct btf_reader *btf, sized_list *list)
{
	json_t *rows = json_array();

	for (size_t i = 0; i < list->count; i++)
		json_array_append_new(rows, type_row(btf, &list->data[i]));
	array_release(list);
	return rows;
}

static json_t *kind_rows(const struct btf_reader *btf)
{
	struct sized kinds[BTF_ROW_COUNT] = { 0 };
	json_t *rows = json_array();

	for (uint32_t i = 0; i < btf->type_count; i++) {
		struct sized *kind = &kinds[btf_kind_of(record(btf, i)[BTF_WORD_INFO]) - btf_kinds];

		kind->number = i;
		kind->count++;
		kind->bytes += record_bytes(btf, i);
	}
	qsort(kinds, BTF_ROW_COUNT, sizeof(*kinds), compare_sizes);
	for (int i = 0; i < BTF_ROW_COUNT && kinds[i].count; i++) {
		uint32_t info = record(btf, kinds[i].number)[BTF_WORD_INFO];

		json_array_append_new(rows, json_pack("{s:I, s:I, s:s}",
			"bytes", INTEGER(kinds[i].bytes), "count", INTEGER(kinds[i].count),
			"kind", btf_kind_of(info)->name));
	}
	return rows;
}

static json_t *largest_types(const struct btf_reader *btf)
{
	sized_list largest = { 0 };

	for (uint32_t i = 0; i < btf->type_count; i++)
		offer(&largest, (struct sized){ record_bytes(btf, i), i, 1 });
	return type_rows(btf, &largest);
}

/* Structs, unions and enums; those of one kind and name have one key: a name is one string. */
static json_t *repeated_types(const struct btf_reader *btf)
{
	struct sort_item *items = memory_alloc(btf->type_count * sizeof(*items));
	sized_list largest = { 0 };
	uint32_t count = 0;

	for (uint32_t i = 0; i < btf->type_count; i++) {
		const uint32_t *words = record(btf, i);
		enum btf_kind kind = btf_record_kind(words);

		if (words[BTF_WORD_NAME] && (btf_kind_is_aggregate(kind) || btf_kind_is_enum(kind)))
			items[count++] = (struct sort_item){
				(uint64_t)words[BTF_WORD_NAME] << 32 | kind, i };
	}
	sort_by_key(items, count);
	for (uint32_t i = 0, end; i < count; i = end) {
		struct sized one = { 0, items[i].value, 0 };

		for (end = i; end < count && items[end].key == items[i].key; end++)
			one.bytes += record_bytes(btf, items[end].value);
		one.count = end - i;
		if (one.count > 1)
			offer(&largest, one);
	}
	free(items);
	return type_rows(btf, &largest);
}

static json_t *longest_strings(const struct btf_reader *btf)
{
	sized_list largest = { 0 };
	json_t *rows = json_array();
	size_t length;

	for (uint32_t at = 0; at < btf->string_bytes; at += (uint32_t)length + 1) {
		length = strlen(btf->strings + at);
		if (length)
			offer(&largest, (struct sized){ length + 1, at, 1 });
	}
	for (size_t i = 0; i < largest.count; i++)
		json_array_append_new(rows, json_pack("{s:I, s:o}",
			"bytes", INTEGER(largest.data[i].bytes),
			"text", json_text(btf->strings + largest.data[i].number)));
	array_release(&largest);
	return rows;
}

json_t *btf_sizes(const struct btf_reader *btf)
{
	return json_pack("{s:I, s:b, s:I, s:I, s:I, s:o, s:o, s:o, s:o}",
		"all", INTEGER(btf->data_bytes),
		"split", btf->base != NULL,
		"header", INTEGER(btf->header.header_bytes),
		"types", INTEGER(btf->header.type_bytes),
		"strings", INTEGER(btf->header.string_bytes),
		"by_kind", kind_rows(btf),
		"largest_types", largest_types(btf),
		"repeated", repeated_types(btf),
		"longest_strings", longest_strings(btf));
}
