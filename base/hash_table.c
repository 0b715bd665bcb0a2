/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "base/hash_table.h"

#include <string.h>

#include "base/memory.h"

#define FIRST_SLOTS 64

void hash_table_release(struct hash_table *table)
{
	free(table->slots);
	*table = (struct hash_table){ 0 };
}

/* One that was large once is not cleared for each few values: that would be quadratic. */
void hash_table_clear(struct hash_table *table)
{
	if (table->mask > FIRST_SLOTS && table->count < table->mask / 64)
		hash_table_release(table);
	if (table->count)
		memset(table->slots, 0, ((size_t)table->mask + 1) * sizeof(*table->slots));
	table->count = 0;
}

/* All values differ, so the hash in the upper half of a slot is all that is needed. */
void hash_table_grow(struct hash_table *table, size_t extra)
{
	struct hash_table grown = { 0 };
	size_t slots = FIRST_SLOTS;

	while (slots * 2 < (table->count + extra) * 3)
		slots *= 2;
	grown.slots = memory_zeroed(slots, sizeof(*grown.slots));
	grown.mask = (uint32_t)(slots - 1);
	for (size_t i = 0; table->count && i <= table->mask; i++) {
		uint32_t at = (uint32_t)(table->slots[i] >> 32) & grown.mask;

		if (!table->slots[i])
			continue;
		while (grown.slots[at])
			at = (at + 1) & grown.mask;
		grown.slots[at] = table->slots[i];
	}
	grown.count = table->count;
	free(table->slots);
	*table = grown;
}

/* Closes the gap: what a search would not reach any more moves up. */
void hash_table_remove(struct hash_table *table, const uint64_t *slot)
{
	uint64_t *slots = table->slots;
	uint32_t mask = table->mask;
	uint32_t gap = (uint32_t)(slot - slots);

	for (uint32_t next = (gap + 1) & mask; slots[next]; next = (next + 1) & mask) {
		uint32_t home = (uint32_t)(slots[next] >> 32) & mask;

		if (((next - home) & mask) < ((next - gap) & mask))
			continue;
		slots[gap] = slots[next];
		gap = next;
	}
	slots[gap] = 0;
	table->count--;
}
