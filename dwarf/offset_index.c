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

void offset_index_reset(struct offset_index *index, uint64_t span)
{
	size_t cells = (size_t)(span / 32 + 1);

	if (cells > index->capacity) {
		free(index->cells);
		index->capacity = cells + cells / 2;
		index->cells = memory_alloc(index->capacity * sizeof(*index->cells));
	}
	memset(index->cells, 0, cells * sizeof(*index->cells));
	index->cell_count = cells;
}

void offset_index_release(struct offset_index *index)
{
	free(index->cells);
	*index = (struct offset_index){ 0 };
}
