/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Binary search. */
#ifndef BTFENC_BASE_SEARCH_H
#define BTFENC_BASE_SEARCH_H

#include <stddef.h>

/*
 * The first index below `count` for which `is_before` is false; `count` if it is true for all.
 * `is_before` is an expression in `i`: true for the first elements, false for all others.
 *
 *	at = lower_bound(i, units->count, units->data[i].offset < offset);
 */
#define lower_bound(i, count, is_before)                                                           \
	({                                                                                         \
		size_t bound_low = 0, bound_high = (count);                                        \
		while (bound_low < bound_high) {                                                   \
			size_t i = bound_low + (bound_high - bound_low) / 2;                       \
			if (is_before)                                                             \
				bound_low = i + 1;                                                 \
			else                                                                       \
				bound_high = i;                                                    \
		}                                                                                  \
		bound_low;                                                                         \
	})

/* In an array that is sorted by a member: the first element with that value; NULL: none. */
#define sorted_find(array, member, value)                                                          \
	({                                                                                         \
		size_t find_at = lower_bound(find_i, (array)->count,                               \
					     (array)->data[find_i].member < (value));              \
		find_at < (array)->count && (array)->data[find_at].member == (value)               \
			? &(array)->data[find_at] : NULL;                                          \
	})

#endif
