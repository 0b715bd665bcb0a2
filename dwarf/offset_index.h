/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * From the offset of a DIE to the index of what was read there.
 *
 * A bit per byte of the span says where something stands; its index is the number of bits before
 * it, since things are added in ascending order. 1/8 byte per byte of DWARF, one cache line or two
 * per lookup, and a reset is a memset.
 */
#ifndef BTFENC_DWARF_OFFSET_INDEX_H
#define BTFENC_DWARF_OFFSET_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define OFFSET_INDEX_NONE UINT32_MAX

struct offset_index {
	uint64_t *bits;
	uint32_t *before;	/* bits set before each word; valid after offset_index_finish() */
	size_t word_count;
	size_t word_capacity;
};

/* Empties the index and makes it cover offsets 0 to span - 1. */
void offset_index_reset(struct offset_index *index, uint64_t span);
void offset_index_finish(struct offset_index *index);
void offset_index_release(struct offset_index *index);

/* Offsets must come in ascending order and inside the span. */
static inline void offset_index_add(struct offset_index *index, uint32_t offset)
{
	index->bits[offset >> 6] |= UINT64_C(1) << (offset & 63);
}

/* Without -mpopcnt, which not every x86-64 has, the builtin is a call. */
static inline uint32_t count_bits(uint64_t word)
{
	word -= word >> 1 & 0x5555555555555555u;
	word = (word & 0x3333333333333333u) + (word >> 2 & 0x3333333333333333u);
	word = (word + (word >> 4)) & 0x0f0f0f0f0f0f0f0fu;
	return (uint32_t)(word * 0x0101010101010101u >> 56);
}

static inline uint32_t offset_index_find(const struct offset_index *index, uint32_t offset)
{
	size_t word = offset >> 6;
	uint64_t bit = UINT64_C(1) << (offset & 63);

	if (word >= index->word_count || !(index->bits[word] & bit))
		return OFFSET_INDEX_NONE;
	return index->before[word] + count_bits(index->bits[word] & (bit - 1));
}

#endif
