/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/dedup/collector.h"

#include <stdlib.h>

void collector_init(struct collector *collector)
{
	*collector = (struct collector){ 0 };
	node_table_init(&collector->table);
}

void collector_release(struct collector *collector)
{
	node_table_release(&collector->table);
	array_release(&collector->groups);
	array_release(&collector->runs);
	array_release(&collector->links);
	array_release(&collector->fresh);
}

/* ---- recording ---- */

void collector_begin_group(struct collector *collector, struct group_id group)
{
	array_push(&collector->groups, ((struct group_record){
		.group = group, .first_run = (uint32_t)collector->runs.count }));
	collector->last = 0;
}

/* Entries that were entries in an earlier group are known already: only fresh ones count. */
void collector_end_group(struct collector *collector)
{
	struct group_record *record = &collector->groups.data[collector->groups.count - 1];

	record->run_count = (uint32_t)collector->runs.count - record->first_run;
	array_each(const struct definition, entry, &collector->fresh) {
		struct tag *tag;

		collector->table.nodes.data[entry->node].is_root = true;
		if (entry->tag == TAG_NONE)
			continue;
		tag = &collector->table.tags.data[entry->tag];
		if (!tag->definition) {
			tag->definition = entry->node;
			tag->start = collector->table.starts.data[entry->node];
		}
		tag->ambiguous |= tag->definition != entry->node;
	}
	collector->fresh.count = 0;
}

void collector_restart_group(struct collector *collector, uint32_t nodes)
{
	array_each(const struct definition, entry, &collector->fresh) {
		struct entry_link *link = &collector->links.data[entry->node];

		if (link->defines == entry->tag + 1)
			link->defines = LINK_UNSEEN;
	}
	collector->fresh.count = 0;
	collector->runs.count = collector->groups.data[collector->groups.count - 1].first_run;
	collector->last = 0;
	node_table_truncate(&collector->table, nodes);
	if (collector->links.count > nodes)
		collector->links.count = nodes;
	for (size_t i = 0; i < collector->links.count; i++) {
		if (collector->links.data[i].next >= nodes)
			collector->links.data[i].next = 0;
	}
}

void collector_add_other(struct collector *collector, uint32_t tag, uint32_t node)
{
	struct entry_link *link;

	while (collector->links.count <= node)
		array_push(&collector->links, ((struct entry_link){ 0, LINK_UNSEEN }));
	link = &collector->links.data[node];
	if (link->defines != tag + 1)
		array_push(&collector->fresh, ((struct definition){ tag, node }));
	if (link->defines == LINK_UNSEEN)
		link->defines = tag + 1;
	if (link->defines != tag + 1) {
		array_push(&collector->runs, ((struct entry_run){ node, 0 }));
		array_push(&collector->runs, ((struct entry_run){ tag, 0 }));
		collector->last = 0;
		return;
	}
	array_push(&collector->runs, ((struct entry_run){ node, 1 }));
	if (collector->last && !collector->links.data[collector->last].next)
		collector->links.data[collector->last].next = node;
	collector->last = node;
}

/* ---- looking at the entries again ---- */

#define NEVER UINT32_MAX

/*
 * From each node the links are followed until something is known, then the path is gone back. Where
 * they run in a circle, or end, there is nothing to stop at.
 */
void entry_filter_init(struct entry_filter *filter, const struct collector *collector,
		       const bool *marked)
{
	const struct entry_link *links = collector->links.data;
	size_t count = collector->links.count;
	uint32_t *path = memory_alloc(count * sizeof(*path));

	*filter = (struct entry_filter){ .steps = memory_zeroed(count, sizeof(uint32_t)),
					 .target = memory_zeroed(count, sizeof(uint32_t)) };
	for (uint32_t s = 1; s < count; s++) {
		if (marked[s])
			filter->target[s] = s;
	}
	for (uint32_t s = 1; s < count; s++) {
		uint32_t node = s, length = 0, steps, target;

		while (node && !filter->steps[node] && !filter->target[node]) {
			filter->steps[node] = NEVER;	/* to come back here closes a circle */
			path[length++] = node;
			node = links[node].next;
		}
		steps = node ? filter->steps[node] : NEVER;
		target = node ? filter->target[node] : 0;
		while (length--) {
			steps = steps == NEVER ? NEVER : steps + 1;
			filter->steps[path[length]] = steps;
			filter->target[path[length]] = target;
		}
	}
	free(path);
}

void entry_filter_release(struct entry_filter *filter)
{
	free(filter->steps);
	free(filter->target);
	*filter = (struct entry_filter){ 0 };
}

void entry_walk_start(struct entry_walk *walk, const struct collector *collector,
		      const struct group_record *group, const struct entry_filter *filter)
{
	*walk = (struct entry_walk){ .collector = collector,
				     .filter = filter,
				     .run = group->first_run,
				     .end = group->first_run + group->run_count };
}

/* Goes on to what passes in the open run; false when nothing is left of it. */
static bool skip_to_marked(struct entry_walk *walk)
{
	uint32_t steps = walk->filter ? walk->filter->steps[walk->node] : 0;

	if (steps >= walk->left)
		return false;
	if (steps)
		walk->node = walk->filter->target[walk->node];
	walk->left -= steps;
	return true;
}

bool entry_walk_next(struct entry_walk *walk, struct definition *entry)
{
	const struct entry_run *runs = walk->collector->runs.data;
	const struct entry_link *link;

	while (!walk->left || !skip_to_marked(walk)) {
		if (walk->run == walk->end)
			return false;
		if (!runs[walk->run].count) {
			*entry = (struct definition){ .tag = runs[walk->run + 1].first,
						      .node = runs[walk->run].first };
			walk->run += 2;
			return true;
		}
		walk->node = runs[walk->run].first;
		walk->left = runs[walk->run++].count;
	}
	link = &walk->collector->links.data[walk->node];
	*entry = (struct definition){ .tag = link->defines - 1, .node = walk->node };
	walk->node = link->next;
	walk->left--;
	return true;
}
