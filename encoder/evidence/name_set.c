/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/evidence/name_set.h"

#include "base/hash.h"

void name_set_release(struct name_set *set)
{
	array_release(&set->names);
	free(set->slots);
	*set = (struct name_set){ 0 };
}

/* The slot of a name: the one that has it, or the free one where it belongs. */
static uint32_t *find_slot(const struct name_set *set, struct name_key name)
{
	uint32_t mask = set->slot_count - 1;
	uint32_t at = hash_words(&name.value, 1) & mask;

	while (set->slots[at] && set->names.data[set->slots[at] - 1].value != name.value)
		at = (at + 1) & mask;
	return &set->slots[at];
}

static void grow(struct name_set *set)
{
	free(set->slots);
	set->slot_count = set->slot_count ? set->slot_count * 2 : 1024;
	set->slots = memory_zeroed(set->slot_count, sizeof(*set->slots));
	for (uint32_t i = 0; i < set->names.count; i++)
		*find_slot(set, set->names.data[i]) = i + 1;
}

void name_set_add(struct name_set *set, struct name_key name)
{
	uint32_t *slot;

	if (set->names.count * 2 >= set->slot_count)
		grow(set);
	slot = find_slot(set, name);
	if (*slot)
		return;
	array_push(&set->names, name);
	*slot = (uint32_t)set->names.count;
}
