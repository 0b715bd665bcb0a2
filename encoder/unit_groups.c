/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/unit_groups.h"

#include <assert.h>
#include <stdlib.h>

/* Union-find over units: the root is the lowest member. */
static uint32_t find_root(uint32_t *parent, uint32_t unit)
{
	while (parent[unit] != unit) {
		parent[unit] = parent[parent[unit]];
		unit = parent[unit];
	}
	return unit;
}

struct group_search {
	const struct object *object;
	const struct unit_list *units;
	struct abbrev_table abbrevs;
	uint32_t *parent;
	/* Of the units in a supplementary file only those count that others refer to. */
	bool *counts;
	ARRAY_OF(uint32_t) left;	/* to search, of these */
};

/*
 * References that abbreviation programs decode; others are never followed. An imported unit belongs
 * to the image, but need not be read together with the one that imports it.
 */
static const enum die_slot reference_slots[] = {
	SLOT_TYPE, SLOT_ORIGIN, SLOT_SPECIFICATION, SLOT_SIGNATURE, SLOT_ANNOTATION, SLOT_IMPORT,
};

static void follow(struct group_search *search, uint32_t index, enum die_slot slot, uint64_t target)
{
	const struct unit *other = unit_list_find(search->units, target);
	uint32_t at, a, b;

	if (!other)
		return;
	at = (uint32_t)(other - search->units->data);
	if (!search->counts[at]) {
		search->counts[at] = true;
		array_push(&search->left, at);
	}
	if (slot == SLOT_IMPORT)
		return;
	a = find_root(search->parent, index);
	b = find_root(search->parent, at);
	search->parent[a < b ? b : a] = a < b ? a : b;
}

static void search_unit(struct group_search *search, uint32_t index)
{
	const struct unit *unit = &search->units->data[index];
	struct die_cursor cursor;
	struct error ignored;
	enum die_status status;
	struct die die;

	/* A unit that cannot be read is reported by the pass that reads it. */
	if (!unit_is_readable(unit, search->object, &ignored) ||
	    !abbrev_table_compile(&search->abbrevs, search->object, unit, &ignored) ||
	    !search->abbrevs.crosses_units)
		return;
	die_cursor_init(&cursor, search->object, search->units, unit, &search->abbrevs, &ignored);
	while ((status = die_cursor_next(&cursor, &die)) == DIE_READ || status == DIE_NULL) {
		if (status == DIE_NULL)
			continue;
		for (size_t i = 0; i < sizeof(reference_slots) / sizeof(*reference_slots); i++) {
			enum die_slot slot = reference_slots[i];
			uint64_t target = die_value(&die, slot, unit->offset);

			if (target < unit->offset || target >= unit->end)
				follow(search, index, slot, target);
		}
	}
}

/* Adds the group of each root, then sorts the members by counting. */
static void build_groups(struct unit_groups *groups, const struct unit_list *units,
			 uint32_t *parent, const bool *counts)
{
	uint32_t *group_of = memory_alloc(units->count * sizeof(uint32_t));

	for (uint32_t i = 0; i < units->count; i++) {
		uint32_t root = find_root(parent, i);

		if (!counts[i])
			continue;
		if (root == i) {
			group_of[i] = (uint32_t)groups->groups.count;
			array_push(&groups->groups, ((struct unit_group){
				.begin = units->data[i].offset }));
		}
		assert(groups->groups.data);	/* the first unit is a root */
		group_of[i] = group_of[root];
		groups->groups.data[group_of[i]].count++;
		groups->groups.data[group_of[i]].end = units->data[i].end;
	}
	for (uint32_t g = 0, first = 0; g < groups->groups.count; g++) {
		groups->groups.data[g].first = first;
		first += groups->groups.data[g].count;
		groups->groups.data[g].count = 0;
	}
	array_reserve(&groups->members, units->count);
	groups->members.count = units->count;
	for (uint32_t i = 0; i < units->count; i++) {
		struct unit_group *group = &groups->groups.data[counts[i] ? group_of[i] : 0];

		if (counts[i])
			groups->members.data[group->first + group->count++] = i;
	}
	free(group_of);
}

void unit_groups_find(struct unit_groups *groups, const struct object *object,
		      const struct unit_list *units)
{
	struct group_search search = {
		.object = object, .units = units,
		.parent = memory_alloc(units->count * sizeof(*search.parent)),
		.counts = memory_alloc(units->count * sizeof(*search.counts)),
	};

	unit_groups_release(groups);
	groups->are_final = true;
	for (uint32_t i = 0; i < units->count; i++) {
		search.parent[i] = i;
		search.counts[i] = !units->data[i].piece->is_supplement;
	}
	for (uint32_t i = 0; i < units->count; i++)
		if (!units->data[i].piece->is_supplement)
			search_unit(&search, i);
	while (search.left.count)
		search_unit(&search, search.left.data[--search.left.count]);
	build_groups(groups, units, search.parent, search.counts);
	abbrev_table_release(&search.abbrevs);
	array_release(&search.left);
	free(search.parent);
	free(search.counts);
}

void unit_groups_single(struct unit_groups *groups, const struct unit_list *units)
{
	*groups = (struct unit_groups){ 0 };
	array_reserve(&groups->groups, units->count);
	array_reserve(&groups->members, units->count);
	groups->groups.count = groups->members.count = units->count;
	for (uint32_t i = 0; i < units->count; i++) {
		groups->members.data[i] = i;
		groups->groups.data[i] = (struct unit_group){ .first = i,
							      .count = 1,
							      .begin = units->data[i].offset,
							      .end = units->data[i].end };
	}
}

void unit_groups_release(struct unit_groups *groups)
{
	array_release(&groups->groups);
	array_release(&groups->members);
	groups->are_final = false;
}
