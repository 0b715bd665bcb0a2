/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What one worker has collected from its groups of units: a node table with the worker's own name
 * keys, and for each group which nodes it has (*entries*, in the order of the DIEs): as the
 * definition of a named type, or as a root, which is any other type.
 *
 * Units include the same headers, so what follows a type in one unit nearly always follows it in
 * the next. Each entry is linked with the one that first followed it, and a group is a list of
 * *runs* along these links: 3.3 million entries of a kernel are 300,000 runs. The links are also
 * the best guess at what the next type will be (collector_successor()).
 */
#ifndef BTFENC_BTF_DEDUP_COLLECTOR_H
#define BTFENC_BTF_DEDUP_COLLECTOR_H

#include "btf/dedup/node_table.h"

/* The definition of a tag; with TAG_NONE a root. */
struct definition {
	uint32_t tag;
	uint32_t node;
};

/*
 * `count` entries along the links from `first` on. A count of 0 is one entry whose tag is not the
 * one it is linked with; that tag is `first` of a second run after it.
 */
struct entry_run {
	uint32_t first;
	uint32_t count;
};

struct entry_link {
	uint32_t next;		/* node of the entry that first followed, 0 none yet */
	uint32_t defines;	/* tag + 1, 0: a root; LINK_UNSEEN: never an entry */
};

#define LINK_UNSEEN UINT32_MAX

struct group_record {
	struct group_id group;			/* ascending within a collector */
	uint32_t first_run, run_count;
};

struct collector {
	struct node_table table;
	ARRAY_OF(struct group_record) groups;
	ARRAY_OF(struct entry_run) runs;
	ARRAY_OF(struct entry_link) links;	/* by node */
	ARRAY_OF(struct definition) fresh;	/* of the open group: what no group had before it */
	uint32_t last;				/* node of its last entry, 0: no link from it */
};

void collector_init(struct collector *collector);
void collector_release(struct collector *collector);

/* Between these, entries belong to the group. */
void collector_begin_group(struct collector *collector, struct group_id group);
void collector_end_group(struct collector *collector);
/*
 * Takes back the entries of the open group, and the nodes from `nodes` on: only this group has
 * them. What stays of its nodes is not a root of anything that is written. Costs a look at each
 * link, so it is for what is rare.
 */
void collector_restart_group(struct collector *collector, uint32_t nodes);

/* Adds an entry; `tag` TAG_NONE: a root. */
void collector_add_other(struct collector *collector, uint32_t tag, uint32_t node);

static inline void collector_add(struct collector *collector, uint32_t tag, uint32_t node)
{
	const struct entry_link *links = collector->links.data;

	/* What is linked has been an entry, so it has a link of its own. */
	if (__builtin_expect(collector->last && links[collector->last].next == node &&
				     links[node].defines == tag + 1, 1)) {
		collector->runs.data[collector->runs.count - 1].count++;
		collector->last = node;
		return;
	}
	collector_add_other(collector, tag, node);
}

/* The entry that is likely to follow: a node, or 0. */
static inline uint32_t collector_successor(const struct collector *collector, uint32_t node)
{
	return node < collector->links.count ? collector->links.data[node].next : 0;
}

/* ---- looking at the entries again ---- */

/* Which entries to stop at: all that are marked. */
struct entry_filter {
	uint32_t *steps;	/* by node: to the next marked one along the links, 0: itself */
	uint32_t *target;	/* that one */
};

/* marked[node]: for nodes below the collector's links; others have no entry. */
void entry_filter_init(struct entry_filter *filter, const struct collector *collector,
		       const bool *marked);
void entry_filter_release(struct entry_filter *filter);

struct entry_walk {
	const struct collector *collector;
	const struct entry_filter *filter;
	uint32_t run, end;
	uint32_t node;		/* of the next entry, when `left` are left of the run */
	uint32_t left;
};

/*
 * The entries of a group in order, those that pass the filter (NULL: all). Entries with a tag of
 * their own always pass. A run costs what passes, not what it holds.
 */
void entry_walk_start(struct entry_walk *walk, const struct collector *collector,
		      const struct group_record *group, const struct entry_filter *filter);
bool entry_walk_next(struct entry_walk *walk, struct definition *entry);

#endif
