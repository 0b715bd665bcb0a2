/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Connected units are put in an order in which what a unit refers to follows it, and that order is
 * cut into parts of about equal size. A part borrows what it refers to of the others: 1 to 2% of
 * the whole in a kernel after dwz, where what is shared is small.
 *
 * What LTO has linked before it was compiled is not divided. There a compiled unit refers to
 * others, and a local function has callers in them: a part that does not know these takes it for
 * one that is called as declared (45 FUNCs more of a 6.1 by clang, 20 less).
 */
#include "encoder/unit_groups.h"

#include <assert.h>

#include "base/search.h"
#include "base/sort.h"
#include "encoder/unit_references.h"

bool unit_groups_always_divide;

/*
 * Parts of connected units: so many, or half of that, ..., until none is too small, and all
 * together cost no more than a third.
 */
#define MOST_PARTS 16
#define LEAST_PARTS 2
#define LEAST_PART_BYTES (512u * 1024)
#define IS_CHEAP(read, bytes) ((read) - (bytes) <= (bytes) / 3)

struct grouping {
	struct unit_groups *groups;
	const struct unit_list *units;
	struct unit_references references;
	bool *is_target;		/* by unit: others refer to it */
	uint32_t *position;		/* by unit: in `order`, UINT32_MAX: not yet */
	uint32_t *stamps;		/* by unit: the last reach() that met it */
	uint32_t stamp;
	ARRAY_OF(uint32_t) order;	/* of connected units */
	ARRAY_OF(uint32_t) roots;	/* positions where the order may be cut */
	ARRAY_OF(uint32_t) cuts;	/* positions where it is, and the end */
	ARRAY_OF(uint32_t) reached;
};

/* The loop over the units that a unit refers to. */
#define each_target(to, references, unit)                                                          \
	for (const uint32_t *to = (references)->targets.data + (references)->first[unit];          \
	     to < (references)->targets.data + (references)->first[(unit) + 1]; to++)

static uint64_t unit_bytes(const struct grouping *g, uint32_t unit)
{
	return g->units->data[unit].end - g->units->data[unit].offset;
}

/* Fills g->reached with part of the order and all that this refers to. Returns its size. */
static uint64_t reach(struct grouping *g, uint32_t begin, uint32_t end)
{
	uint64_t bytes = 0;

	g->stamp++;
	g->reached.count = 0;
	for (uint32_t i = begin; i < end; i++) {
		g->stamps[g->order.data[i]] = g->stamp;
		array_push(&g->reached, g->order.data[i]);
	}
	for (size_t i = 0; i < g->reached.count; i++) {
		uint32_t unit = g->reached.data[i];

		bytes += unit_bytes(g, unit);
		each_target(to, &g->references, unit) {
			if (g->stamps[*to] == g->stamp)
				continue;
			g->stamps[*to] = g->stamp;
			array_push(&g->reached, *to);
		}
	}
	return bytes;
}

/* Appends a unit and all that it refers to, as far as it has no position. */
static void place(struct grouping *g, uint32_t root)
{
	size_t next = g->order.count;

	if (g->position[root] != UINT32_MAX)
		return;
	array_push(&g->roots, (uint32_t)next);
	g->position[root] = (uint32_t)next;
	array_push(&g->order, root);
	for (; next < g->order.count; next++) {
		each_target(to, &g->references, g->order.data[next]) {
			if (g->position[*to] != UINT32_MAX)
				continue;
			g->position[*to] = (uint32_t)g->order.count;
			array_push(&g->order, *to);
		}
	}
}

/* Cuts the order into at most so many parts, and returns what they have to read in all. */
static uint64_t cut(struct grouping *g, uint64_t bytes, uint64_t parts)
{
	uint64_t read = 0, part = 0;
	uint32_t begin = 0;

	g->cuts.count = 0;
	for (size_t i = 0; i < g->roots.count; i++) {
		uint32_t end = i + 1 < g->roots.count ? g->roots.data[i + 1]
						      : (uint32_t)g->order.count;

		for (uint32_t at = g->roots.data[i]; at < end; at++)
			part += unit_bytes(g, g->order.data[at]);
		if (part < bytes / parts && end < g->order.count)
			continue;
		read += reach(g, begin, end);
		array_push(&g->cuts, end);
		begin = end;
		part = 0;
	}
	return read;
}

/* Adds the group of part of the order, and of what it borrows. */
static void add_group(struct grouping *g, uint32_t begin, uint32_t end)
{
	struct unit_groups *groups = g->groups;
	struct unit_group group = { .first = (uint32_t)groups->members.count,
				    .own_count = end - begin, .bytes = reach(g, begin, end),
				    .is_part = g->cuts.count > 1 };
	ARRAY_OF(struct sort_item) members = { 0 };

	for (size_t i = 0; i < g->reached.count; i++)
		array_push(&members, ((struct sort_item){ g->reached.data[i], 0 }));
	sort_by_key(members.data, members.count);
	for (size_t i = 0; i < members.count; i++) {
		uint32_t unit = (uint32_t)members.data[i].key;
		bool is_own = g->position[unit] >= begin && g->position[unit] < end;

		array_push(&groups->members, ((struct group_member){
			unit, !is_own, g->references.is_wanted[unit] }));
		group.is_wanted |= g->references.is_wanted[unit];
	}
	assert(members.data);
	group.count = (uint32_t)members.count;
	group.begin = g->units->data[members.data[0].key].offset;
	group.end = g->units->data[members.data[members.count - 1].key].end;
	array_push(&groups->groups, group);
	array_release(&members);
}

/* Tells the groups from `first` on, the parts of these units, where the code of all of them is. */
static void add_code(struct grouping *g, size_t first, const struct sort_item *items, size_t count)
{
	struct unit_groups *groups = g->groups;
	const struct unit_code *code = g->references.code.data;
	uint32_t begin = (uint32_t)groups->code.count;

	for (size_t i = 0; i < count; i++) {
		size_t at = lower_bound(k, g->references.code.count, code[k].unit < items[i].value);

		for (; at < g->references.code.count && code[at].unit == items[i].value; at++)
			array_push(&groups->code, code[at].range);
	}
	for (size_t i = first; i < groups->groups.count; i++) {
		groups->groups.data[i].first_code = begin;
		groups->groups.data[i].code_count = (uint32_t)groups->code.count - begin;
	}
}

/* Does a compiled unit of these refer to another one? */
static bool are_linked_first(const struct grouping *g, const struct sort_item *items, size_t count)
{
	const bool *is_compiled = g->references.is_compiled;

	for (size_t i = 0; i < count; i++) {
		each_target(to, &g->references, items[i].value) {
			if (is_compiled[items[i].value] && is_compiled[*to])
				return true;
		}
	}
	return false;
}

/* Adds the groups of connected units, whose indices are the values of the items. */
static void add_connected(struct grouping *g, const struct sort_item *items, size_t count)
{
	uint64_t bytes = 0, parts = MOST_PARTS, read;
	size_t first = g->groups->groups.count;
	uint32_t begin = 0;

	g->order.count = g->roots.count = 0;
	for (size_t i = 0; i < count; i++) {
		bytes += unit_bytes(g, items[i].value);
		if (!g->is_target[items[i].value])
			place(g, items[i].value);
	}
	/* What is left refers to itself in circles. */
	for (size_t i = 0; i < count; i++)
		place(g, items[i].value);
	if (unit_groups_always_divide) {
		g->roots.count = 0;
		for (uint32_t i = 0; i < g->order.count; i++)
			array_push(&g->roots, i);
	}
	if (are_linked_first(g, items, count) && !unit_groups_always_divide)
		parts = 1;
	for (; parts >= LEAST_PARTS; parts /= 2) {
		if (bytes / parts < LEAST_PART_BYTES && !unit_groups_always_divide)
			continue;
		read = cut(g, bytes, parts);
		if (IS_CHEAP(read, bytes) || unit_groups_always_divide)
			break;
	}
	if (parts < LEAST_PARTS)
		cut(g, bytes, 1);
	for (size_t i = 0; i < g->cuts.count; i++) {
		add_group(g, begin, g->cuts.data[i]);
		begin = g->cuts.data[i];
	}
	if (g->cuts.count > 1)
		add_code(g, first, items, count);
}

/* Union-find over units: the root is the lowest member. */
static uint32_t find_root(uint32_t *parent, uint32_t unit)
{
	while (parent[unit] != unit) {
		parent[unit] = parent[parent[unit]];
		unit = parent[unit];
	}
	return unit;
}

/* The units that are read, sorted by the lowest of the units that each is connected with. */
static struct sort_item *find_connected(struct grouping *g, size_t *count)
{
	uint32_t *parent = memory_alloc(g->units->count * sizeof(*parent));
	struct sort_item *items = memory_alloc(g->units->count * sizeof(*items));

	for (uint32_t i = 0; i < g->units->count; i++)
		parent[i] = i;
	for (uint32_t i = 0; i < g->units->count; i++) {
		each_target(to, &g->references, i) {
			uint32_t a = find_root(parent, i), b = find_root(parent, *to);

			parent[a < b ? b : a] = a < b ? a : b;
			g->is_target[*to] = true;
		}
	}
	*count = 0;
	for (uint32_t i = 0; i < g->units->count; i++) {
		if (g->references.is_used[i])
			items[(*count)++] = (struct sort_item){ find_root(parent, i), i };
	}
	sort_by_key(items, *count);
	free(parent);
	return items;
}

void unit_groups_find(struct unit_groups *groups, const struct object *object,
		      const struct unit_list *units, const struct language_set *excluded,
		      unsigned int jobs)
{
	struct grouping g = { .groups = groups, .units = units,
			      .is_target = memory_zeroed(units->count, sizeof(bool)),
			      .position = memory_alloc(units->count * sizeof(uint32_t)),
			      .stamps = memory_zeroed(units->count, sizeof(uint32_t)) };
	struct sort_item *items;
	size_t count, end;

	unit_groups_release(groups);
	groups->are_final = true;
	unit_references_find(&g.references, object, units, excluded, jobs);
	memset(g.position, 0xff, units->count * sizeof(uint32_t));
	items = find_connected(&g, &count);
	for (size_t i = 0; i < count; i = end) {
		for (end = i; end < count && items[end].key == items[i].key; end++)
			;
		add_connected(&g, items + i, end - i);
	}
	array_move(&groups->coded, &g.references.coded, 0);
	unit_references_release(&g.references);
	array_release(&g.order);
	array_release(&g.roots);
	array_release(&g.cuts);
	array_release(&g.reached);
	free(items);
	free(g.is_target);
	free(g.position);
	free(g.stamps);
}

void unit_groups_single(struct unit_groups *groups, const struct unit_list *units)
{
	*groups = (struct unit_groups){ 0 };
	for (uint32_t i = 0; i < units->count; i++) {
		const struct unit *unit = &units->data[i];

		array_push(&groups->groups, ((struct unit_group){
			.first = i, .count = 1, .own_count = 1, .begin = unit->offset,
			.end = unit->end, .bytes = unit->end - unit->offset }));
		array_push(&groups->members, ((struct group_member){ .unit = i }));
	}
}

void unit_groups_release(struct unit_groups *groups)
{
	array_release(&groups->groups);
	array_release(&groups->members);
	array_release(&groups->coded);
	array_release(&groups->code);
	groups->are_final = false;
}
