/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Finds the types of a merged table that do not mean the same everywhere.
 *
 * A named type (tag) is *ambiguous* when it has two definitions of different node, or variants. It
 * is *tainted* when it is ambiguous, or a definition of it leads to a tainted tag; a node when it
 * leads to a tainted tag. For all other tags the name alone is the identity: by induction over the
 * paths that leave it, everything reachable is the same wherever the name occurs. In a kernel that
 * is all but a few of 10,000 names.
 */
#ifndef BTFENC_BTF_DEDUP_TAINT_H
#define BTFENC_BTF_DEDUP_TAINT_H

#include "btf/dedup/node_table.h"

struct taint {
	bool *nodes;			/* by node */
	bool *tags;			/* by base tag */
	uint32_t ambiguous_tags;	/* how many; base tags only */
	uint32_t tainted_tags;
};

/* One walk over the table, and one over what is tainted. */
void taint_find(struct taint *taint, const struct node_table *table);
void taint_release(struct taint *taint);

#endif
