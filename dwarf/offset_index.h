/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * From the offset of a DIE to the index of what was read there.
 *
 * A bit per byte of the span says where something is; its index is the number of bits before
 * it, since things are added in ascending order. Each 32 bits share a word with the index of the
 * first of them, so a lookup is one load: 1/4 byte per byte of DWARF, which for a unit of a kernel
 * (75 KB) stays in the first cache, and to clear it is a memset.
 */
#ifndef BTFENC_DWARF_OFFSET_INDEX_H
#define BTFENC_DWARF_OFFSET_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OFFSET_INDEX_NONE UINT32_MAX

struct offset_index {
	uint64_t *cells;	/* index of the first << 32 | bits; by 32 offsets */
	size_t cell_count;
	size_t capacity;
};

extern bool offset_index_has_popcnt;

/* Makes an index that is empty cover offsets 0 to span - 1. */
void offset_index_cover(struct offset_index *index, uint64_t span);
/* Takes out what is at the offsets from begin to end - 1, and up to 31 more at either side. */
void offset_index_clear(struct offset_index *index, uint32_t begin, uint32_t end);
void offset_index_release(struct offset_index *index);

/* The `number`th thing, from 0. Offsets must come in ascending order and inside the span. */
static inline void offset_index_add(struct offset_index *index, uint32_t offset, uint32_t number)
{
	uint64_t *cell = &index->cells[offset >> 5];
	uint64_t first = (uint64_t)number << 32;

	/* Whether the cell has one already is a coin toss: no branch. */
	*cell = (*cell ? *cell : first) | UINT64_C(1) << (offset & 31);
}

/*
 * Not every x86-64 has the instruction, so compilers do not use it; nearly all have, and it saves
 * ten others at each of 16 million lookups.
 */
static inline uint32_t count_bits(uint32_t word)
{
#if defined(__x86_64__)
	if (__builtin_expect(offset_index_has_popcnt, 1)) {
		__asm__("popcnt %0, %0" : "+r"(word));
		return word;
	}
#endif
	word -= word >> 1 & 0x55555555u;
	word = (word & 0x33333333u) + (word >> 2 & 0x33333333u);
	word = (word + (word >> 4)) & 0x0f0f0f0fu;
	return word * 0x01010101u >> 24;
}

static inline uint32_t offset_index_find(const struct offset_index *index, uint32_t offset)
{
	uint32_t bit = UINT32_C(1) << (offset & 31);
	uint64_t cell;

	if (offset >> 5 >= index->cell_count)
		return OFFSET_INDEX_NONE;
	cell = index->cells[offset >> 5];
	if (!(cell & bit))
		return OFFSET_INDEX_NONE;
	return (uint32_t)(cell >> 32) + count_bits((uint32_t)cell & (bit - 1));
}

#endif
