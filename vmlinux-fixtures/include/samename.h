/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Containers that look the same in samename_a.c and samename_b.c but lead, through several
 * pointers, to structs that each of these units defines for itself. Deduplication by the look of
 * the outer types alone would merge them; they must stay two chains.
 */
#ifndef FIXTURE_SAMENAME_H
#define FIXTURE_SAMENAME_H

struct inner;

struct middle {
	struct inner **inners;
	int count;
};

struct outer {
	const struct middle *const *middles;
	struct outer *next;
};

/* This one leads to nothing that differs: one copy. */
struct outer_shared {
	struct outer_shared *next;
	int count;
};

#endif
