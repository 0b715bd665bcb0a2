/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/places.h"

#include "base/hash.h"

#define FIRST_SLOTS 1024u

void place_table_release(struct place_table *places)
{
	array_release(&places->all);
	free(places->slots);
	*places = (struct place_table){ 0 };
}

/* The slot of a place: where it is, or a free one. */
static uint32_t *find_slot(const struct place_table *places, uint32_t class, uint32_t tag)
{
	uint32_t at = hash_finish(hash_mix(class, tag));

	for (;; at++) {
		uint32_t *slot = &places->slots[at & places->mask];
		const struct place *place;

		if (!*slot)
			return slot;
		place = &places->all.data[*slot - 1];
		if (place->class == class && place->tag == tag)
			return slot;
	}
}

static void grow(struct place_table *places)
{
	uint32_t count = places->slots ? (places->mask + 1) * 2 : FIRST_SLOTS;

	free(places->slots);
	places->slots = memory_zeroed(count, sizeof(uint32_t));
	places->mask = count - 1;
	for (uint32_t i = 0; i < places->all.count; i++) {
		const struct place *place = &places->all.data[i];

		*find_slot(places, place->class, place->tag) = i + 1;
	}
}

struct place *place_find(const struct place_table *places, uint32_t class, uint32_t tag)
{
	uint32_t slot = places->slots ? *find_slot(places, class, tag) : 0;

	return slot ? &places->all.data[slot - 1] : NULL;
}

struct place *place_add(struct place_table *places, uint32_t class, uint32_t tag)
{
	uint32_t *slot;

	if (!places->slots || places->all.count * 2 >= places->mask)
		grow(places);
	slot = find_slot(places, class, tag);
	if (!*slot) {
		array_push(&places->all, ((struct place){ .class = class, .tag = tag }));
		*slot = (uint32_t)places->all.count;
	}
	return &places->all.data[*slot - 1];
}
