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

/* References that abbreviation programs decode; others are never followed. */
static const enum die_slot reference_slots[] = {
	SLOT_TYPE, SLOT_ORIGIN, SLOT_SPECIFICATION, SLOT_SIGNATURE, SLOT_ANNOTATION,
};

static void search_unit(const struct object *object, const struct unit_list *units,
			struct abbrev_table *abbrevs, uint32_t *parent, uint32_t index)
{
	const struct unit *unit = &units->data[index];
	struct die_cursor cursor;
	struct error ignored;
	enum die_status status;
	struct die die;

	/* A unit that cannot be read is reported by the pass that reads it. */
	if (!unit_is_readable(unit, object, &ignored) ||
	    !abbrev_table_compile(abbrevs, object, unit, &ignored) || !abbrevs->crosses_units)
		return;
	die_cursor_init(&cursor, object, units, unit, abbrevs, &ignored);
	while ((status = die_cursor_next(&cursor, &die)) == DIE_READ || status == DIE_NULL) {
		if (status == DIE_NULL)
			continue;
		for (size_t i = 0; i < sizeof(reference_slots) / sizeof(*reference_slots); i++) {
			const struct unit *other;
			uint64_t target;
			uint32_t a, b;

			if (!die_has(&die, reference_slots[i]))
				continue;
			target = die.value[reference_slots[i]];
			if (target >= unit->offset && target < unit->end)
				continue;
			other = unit_list_find(units, target);
			if (!other)
				continue;
			a = find_root(parent, index);
			b = find_root(parent, (uint32_t)(other - units->data));
			parent[a < b ? b : a] = a < b ? a : b;
		}
	}
}

/* Adds the group of each root, then sorts the members by counting. */
static void build_groups(struct unit_groups *groups, const struct unit_list *units,
			 uint32_t *parent)
{
	uint32_t *group_of = memory_alloc(units->count * sizeof(uint32_t));

	for (uint32_t i = 0; i < units->count; i++) {
		uint32_t root = find_root(parent, i);

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
		struct unit_group *group = &groups->groups.data[group_of[i]];

		groups->members.data[group->first + group->count++] = i;
	}
	free(group_of);
}

void unit_groups_find(struct unit_groups *groups, const struct object *object,
		      const struct unit_list *units)
{
	uint32_t *parent = memory_alloc(units->count * sizeof(*parent));
	struct abbrev_table abbrevs = { 0 };

	unit_groups_release(groups);
	groups->are_final = true;
	for (uint32_t i = 0; i < units->count; i++)
		parent[i] = i;
	for (uint32_t i = 0; i < units->count; i++)
		search_unit(object, units, &abbrevs, parent, i);
	build_groups(groups, units, parent);
	abbrev_table_release(&abbrevs);
	free(parent);
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
