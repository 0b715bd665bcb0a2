/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SMALL_RUN 24

static void sort_small(struct sort_item *items, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct sort_item item = items[i];
		size_t at = i;

		for (; at > 0 && items[at - 1].key > item.key; at--)
			items[at] = items[at - 1];
		items[at] = item;
	}
}

/*
 * The bytes that are not 0 here decide something. One that equals the next higher byte in every
 * key does not: where that is the same, so is this. Kernel addresses have three of them.
 */
static uint64_t deciding_bytes(const struct sort_item *items, size_t count)
{
	uint64_t differs = 0;

	for (size_t i = 0; i < count; i++)
		differs |= items[i].key ^ items[i].key >> 8;
	return differs;
}

/* One pass of the radix sort; false when all items have the same byte there. */
static int sort_pass(const struct sort_item *from, struct sort_item *to, size_t count,
		     unsigned int shift)
{
	size_t position[257] = { 0 };

	for (size_t i = 0; i < count; i++)
		position[(from[i].key >> shift & 0xff) + 1]++;
	if (position[(from[0].key >> shift & 0xff) + 1] == count)
		return 0;
	for (int i = 0; i < 256; i++)
		position[i + 1] += position[i];
	for (size_t i = 0; i < count; i++)
		to[position[from[i].key >> shift & 0xff]++] = from[i];
	return 1;
}

static void sort_with_scratch(struct sort_item *items, size_t count, struct sort_item *scratch)
{
	struct sort_item *from = items, *to = scratch;
	uint64_t deciding;

	if (count <= SMALL_RUN) {
		sort_small(items, count);
		return;
	}
	deciding = deciding_bytes(items, count);
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		if (deciding >> shift & 0xff && sort_pass(from, to, count, shift)) {
			struct sort_item *swapped = from;

			from = to;
			to = swapped;
		}
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}

void sort_by_key(struct sort_item *items, size_t count)
{
	struct sort_item *scratch = memory_alloc(count * sizeof(*scratch));

	sort_with_scratch(items, count, scratch);
	free(scratch);
}

/* Eight characters as a number that compares like them; 0 behind the end of the string. */
static uint64_t text_key(const char *text, size_t skip)
{
	uint64_t key = 0;

	text += skip;
	for (int i = 0; i < 8; i++) {
		key = key << 8 | (uint8_t)*text;
		text += *text != '\0';
	}
	return key;
}

struct text_run {
	size_t first;
	size_t count;
	size_t skip;	/* characters that all strings of the run have in common */
};

void sort_by_text(struct sort_item *items, size_t count, sort_text_function text,
		  const void *context)
{
	struct sort_item *scratch = memory_alloc(count * sizeof(*scratch));
	ARRAY_OF(struct text_run) runs = { 0 };

	array_push(&runs, ((struct text_run){ 0, count, 0 }));
	while (runs.count) {
		struct text_run run = runs.data[--runs.count];
		struct sort_item *first = items + run.first;

		for (size_t i = 0; i < run.count; i++)
			first[i].key = text_key(text(context, first[i].value), run.skip);
		sort_with_scratch(first, run.count, scratch);
		for (size_t i = 0, next; i < run.count; i = next) {
			for (next = i + 1; next < run.count && first[next].key == first[i].key;)
				next++;
			/* A key that ends in NUL has compared the whole strings. */
			if (next - i > 1 && first[i].key & 0xff)
				array_push(&runs, ((struct text_run){
					run.first + i, next - i, run.skip + 8 }));
		}
	}
	array_release(&runs);
	free(scratch);
}
