/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/unit_groups.h"

#include "base/sort.h"

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

/* Appends a unit to the last group, or to a new one. */
static void add_unit(struct unit_groups *groups, const struct unit_list *units, uint32_t index,
		     bool is_new)
{
	const struct unit *unit = &units->data[index];
	struct unit_group *group;

	if (is_new)
		array_push(&groups->groups, ((struct unit_group){
			.first = (uint32_t)groups->members.count, .begin = unit->offset }));
	group = &groups->groups.data[groups->groups.count - 1];
	group->count++;
	group->end = unit->end;
	array_push(&groups->members, index);
}

void unit_groups_find(struct unit_groups *groups, const struct object *object,
		      const struct unit_list *units)
{
	struct group_search search = {
		.object = object, .units = units,
		.parent = memory_alloc(units->count * sizeof(*search.parent)),
		.counts = memory_alloc(units->count * sizeof(*search.counts)),
	};
	ARRAY_OF(struct sort_item) members = { 0 };	/* by the lowest unit of their group */

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
	for (uint32_t i = 0; i < units->count; i++) {
		if (search.counts[i])
			array_push(&members, ((struct sort_item){
				find_root(search.parent, i), i }));
	}
	sort_by_key(members.data, members.count);
	for (size_t i = 0; i < members.count; i++)
		add_unit(groups, units, members.data[i].value,
			 i == 0 || members.data[i].key != members.data[i - 1].key);
	array_release(&members);
	abbrev_table_release(&search.abbrevs);
	array_release(&search.left);
	free(search.parent);
	free(search.counts);
}

void unit_groups_single(struct unit_groups *groups, const struct unit_list *units)
{
	*groups = (struct unit_groups){ 0 };
	for (uint32_t i = 0; i < units->count; i++)
		add_unit(groups, units, i, true);
}

void unit_groups_release(struct unit_groups *groups)
{
	array_release(&groups->groups);
	array_release(&groups->members);
	groups->are_final = false;
}
