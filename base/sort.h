/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Stable, linear sorting of 32-bit values by 64-bit keys and by strings. */
#ifndef BTFENC_BASE_SORT_H
#define BTFENC_BASE_SORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sort_item {
	uint64_t key;
	uint32_t value;
};

/*
 * By key, ascending; items of equal keys keep their order. Costs little where most of them ascend
 * already.
 */
void sort_by_key(struct sort_item *items, size_t count);

/*
 * Eight characters of a value's text from the one at `skip` on, as a number that compares like
 * them: the first in the highest byte, 0 after the end. `skip` is not after the end.
 */
typedef uint64_t (*sort_prefix_function)(const void *context, uint32_t value, size_t skip);

/*
 * By the text of the values, as strcmp orders it; equal texts keep their order. The keys are
 * scratch. Each eight characters that strings have in common cost one more pass over them.
 */
void sort_by_prefix(struct sort_item *items, size_t count, sort_prefix_function prefix,
		    const void *context);

/* Of two numbers what strcmp() is of strings. */
#define order_of(a, b) (((a) > (b)) - ((a) < (b)))

/* For qsort() and bsearch(): elements that are, or begin with, a uint64_t; or are strings. */
int compare_u64(const void *a, const void *b);
int compare_strings(const void *a, const void *b);

/* Strings in the order of compare_strings(). */
struct string_set {
	const char **strings;
	size_t count;
};

bool string_set_has(const struct string_set *set, const char *string);

#endif
