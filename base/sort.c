/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "base/sort.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define SMALL_RUN 24

/*
 * The bytes that are not 0 here decide something. One that equals the next higher byte in every
 * key does not: where that is the same, so is this. Kernel addresses have three of them. Nor does
 * one that is the same in all keys.
 */
static uint64_t deciding_bytes(const struct sort_item *items, size_t count)
{
	uint64_t differs = 0, varies = 0;

	for (size_t i = 0; i < count; i++) {
		differs |= items[i].key ^ items[i].key >> 8;
		varies |= items[i].key ^ items[0].key;
	}
	/* By bytes: a zero byte of either is one that does not decide. */
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		if (!(differs >> shift & 0xff))
			varies &= ~(UINT64_C(0xff) << shift);
	}
	return varies;
}

/* One pass of the radix sort. */
static void sort_pass(const struct sort_item *from, struct sort_item *to, size_t count,
		      unsigned int shift)
{
	uint32_t position[257] = { 0 };

	for (size_t i = 0; i < count; i++)
		position[(from[i].key >> shift & 0xff) + 1]++;
	for (int i = 0; i < 256; i++)
		position[i + 1] += position[i];
	for (size_t i = 0; i < count; i++)
		to[position[from[i].key >> shift & 0xff]++] = from[i];
}

static void sort_with_scratch(struct sort_item *items, size_t count, struct sort_item *scratch)
{
	struct sort_item *from = items, *to = scratch;
	uint64_t deciding;

	if (count <= SMALL_RUN) {
		for (size_t i = 1; i < count; i++) {
			struct sort_item item = items[i];
			size_t at = i;

			for (; at > 0 && items[at - 1].key > item.key; at--)
				items[at] = items[at - 1];
			items[at] = item;
		}
		return;
	}
	deciding = deciding_bytes(items, count);
	for (unsigned int shift = 0; shift < 64; shift += 8) {
		struct sort_item *sorted = to;

		if (!(deciding >> shift & 0xff))
			continue;
		sort_pass(from, to, count, shift);
		to = from;
		from = sorted;
	}
	if (from != items)
		memcpy(items, from, count * sizeof(*items));
}

/*
 * An ascending part is kept at the beginning, the rest is moved away, sorted and merged. Of equal
 * items the one that was kept comes first: the other was moved away because something greater came
 * before it, and after that no equal item is kept.
 */
static void sort_ascending(struct sort_item *items, size_t count, struct sort_item *rest)
{
	size_t kept = 0, moved = 0;

	for (size_t i = 0; i < count; i++) {
		if (!kept || items[i].key >= items[kept - 1].key)
			items[kept++] = items[i];
		else
			rest[moved++] = items[i];
	}
	sort_with_scratch(rest, moved, items + kept);
	/* From the back. */
	for (size_t at = count; moved; at--) {
		if (kept && items[kept - 1].key > rest[moved - 1].key)
			items[at - 1] = items[--kept];
		else
			items[at - 1] = rest[--moved];
	}
}

void sort_by_key(struct sort_item *items, size_t count)
{
	struct sort_item *rest;

	if (count < 2)
		return;
	rest = memory_alloc(count * sizeof(*rest));
	sort_ascending(items, count, rest);
	free(rest);
}

struct text_run {
	size_t first;
	size_t count;
	size_t skip;	/* characters that all strings of the run have in common */
};

void sort_by_prefix(struct sort_item *items, size_t count, sort_prefix_function prefix,
		    const void *context)
{
	struct sort_item *scratch = memory_alloc(count * sizeof(*scratch));
	ARRAY_OF(struct text_run) runs = { 0 };

	if (count)
		array_push(&runs, ((struct text_run){ 0, count, 0 }));
	while (runs.count) {
		struct text_run run = runs.data[--runs.count];
		struct sort_item *first = items + run.first;

		for (size_t i = 0; i < run.count; i++)
			first[i].key = prefix(context, first[i].value, run.skip);
		sort_ascending(first, run.count, scratch);
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

int compare_u64(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return order_of(x, y);
}

int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

bool string_set_has(const struct string_set *set, const char *string)
{
	return set->count && bsearch(&string, set->strings, set->count, sizeof(*set->strings),
				     compare_strings);
}
