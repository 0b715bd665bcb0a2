/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Settles what each named type (tag) means, so that each of the merged table has at most one
 * definition.
 *
 * After it, a tag with a definition is that type; one without is a forward declaration. Nodes that
 * lead to a tag with several meanings have been replaced by one node per combination that occurs.
 */
#ifndef BTFENC_BTF_DEDUP_RESOLVE_H
#define BTFENC_BTF_DEDUP_RESOLVE_H

#include "btf/dedup/merge.h"
#include "btf/dedup/node_table.h"

struct resolver;

struct resolve_counts {
	uint32_t ambiguous_tags;	/* names with definitions that differ */
	uint32_t tainted_tags;		/* names whose types lead to one of these */
	uint32_t instances;		/* definitions of tainted tags, over all groups */
	uint32_t classes;		/* distinct types they turned out to be */
	uint32_t split_tags;		/* names that turned out to be several of these */
};

/*
 * Resolves `table`, into which the sources were merged. The resolver answers resolver_ref() until
 * it is freed; it borrows everything it was given.
 */
struct resolver *resolver_new(struct node_table *table, const struct merge_source *sources,
			      size_t source_count, uint32_t group_count);
void resolver_free(struct resolver *resolver);

/* The meaning of a reference of the merged table inside a group: a resolved type. */
struct node_ref resolver_ref(struct resolver *resolver, struct group_id group, struct node_ref ref);

const struct resolve_counts *resolver_counts(const struct resolver *resolver);

/* ---- taint.c ---- */

/*
 * Finds the types of a merged table that do not mean the same everywhere.
 *
 * A named type (tag) is *ambiguous* when it has two definitions of different node, or variants. It
 * is *tainted* when it is ambiguous, or a definition of it leads to a tainted tag; a node when it
 * leads to a tainted tag. For all other tags the name alone is the identity: by induction over the
 * paths that leave it, everything reachable is the same wherever the name occurs. In a kernel that
 * is all but a few of 10,000 names.
 */

struct taint {
	bool *nodes;			/* by node */
	bool *tags;			/* by base tag */
	uint32_t ambiguous_tags;	/* how many; base tags only */
	uint32_t tainted_tags;
};

/* One walk over the table, and one over what is tainted. The arrays are the caller's. */
void taint_find(struct taint *taint, const struct node_table *table);

#endif
