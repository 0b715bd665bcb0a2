/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/offset_index.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

bool offset_index_has_popcnt;

__attribute__((constructor)) static void ask_processor(void)
{
#if defined(__x86_64__)
	__builtin_cpu_init();
	offset_index_has_popcnt = __builtin_cpu_supports("popcnt");
#endif
}

void offset_index_cover(struct offset_index *index, uint64_t span)
{
	size_t cells = (size_t)(span / 32 + 1);

	if (cells > index->capacity) {
		free(index->cells);
		index->capacity = cells + cells / 2;
		index->cells = memory_zeroed(index->capacity, sizeof(*index->cells));
	}
	index->cell_count = cells;
}

void offset_index_clear(struct offset_index *index, uint32_t begin, uint32_t end)
{
	memset(index->cells + begin / 32, 0, (end / 32 - begin / 32 + 1) * sizeof(*index->cells));
}

void offset_index_release(struct offset_index *index)
{
	free(index->cells);
	*index = (struct offset_index){ 0 };
}
