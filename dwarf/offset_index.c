/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/offset_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

void offset_index_reset(struct offset_index *index, uint64_t span)
{
	size_t words = (size_t)(span / 64 + 1);

	if (words > index->word_capacity) {
		free(index->bits);
		free(index->before);
		index->word_capacity = words + words / 2;
		index->bits = memory_alloc(index->word_capacity * sizeof(*index->bits));
		index->before = memory_alloc(index->word_capacity * sizeof(*index->before));
	}
	memset(index->bits, 0, words * sizeof(*index->bits));
	index->word_count = words;
}

void offset_index_finish(struct offset_index *index)
{
	uint32_t count = 0;

	for (size_t i = 0; i < index->word_count; i++) {
		index->before[i] = count;
		count += count_bits(index->bits[i]);
	}
}

void offset_index_release(struct offset_index *index)
{
	free(index->bits);
	free(index->before);
	*index = (struct offset_index){ 0 };
}
