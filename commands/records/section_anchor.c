/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/records/section_anchor.h"

#include <stdlib.h>

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct section_anchors section_anchors_find(uint64_t *starts, size_t count)
{
	struct section_anchors anchors = { .count = (uint32_t)count };
	uint32_t run = 0;

	if (count)
		qsort(starts, count, sizeof(*starts), compare);
	for (size_t i = 0; i < count; i++) {
		run = i && starts[i] == starts[i - 1] ? run + 1 : 1;
		if (run > anchors.agreeing) {
			anchors.agreeing = run;
			anchors.start = starts[i];
		}
	}
	return anchors;
}
