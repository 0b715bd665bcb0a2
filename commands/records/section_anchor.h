/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Where a section starts, of which only offsets are known, by symbols that stand in it.
 *
 * Each function that has one offset and whose name one symbol has is an anchor: the section would
 * start at `address of the symbol - offset`. When the symbols are those of this kernel, all anchors
 * say the same but for the odd one (a name that one copy has lost); of another build hardly two do.
 */
#ifndef BTFENC_COMMANDS_RECORDS_SECTION_ANCHOR_H
#define BTFENC_COMMANDS_RECORDS_SECTION_ANCHOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* So many of a hundred anchors must agree. */
#define ANCHORS_AGREEING_PERCENT 90

struct section_anchors {
	uint64_t start;		/* what most say; 0 when there are no anchors */
	uint32_t agreeing;
	uint32_t count;
};

/* `starts`: what each anchor says; it gets sorted. */
struct section_anchors section_anchors_find(uint64_t *starts, size_t count);

/* False, too, when there are none. */
static inline bool section_anchors_agree(const struct section_anchors *anchors)
{
	return anchors->count && (uint64_t)anchors->agreeing * 100 >=
				 (uint64_t)anchors->count * ANCHORS_AGREEING_PERCENT;
}

#endif
