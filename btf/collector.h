/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What one worker has collected from its groups of units: a shape table with the worker's own name
 * keys, and for each group which shapes stand in it and which of them define tags.
 */
#ifndef BTFENC_BTF_COLLECTOR_H
#define BTFENC_BTF_COLLECTOR_H

#include "btf/shape_table.h"

struct definition {
	uint32_t tag;
	uint32_t shape;
};

struct group_record {
	uint32_t group;			/* ascending within a collector */
	uint32_t first_root, root_count;
	uint32_t first_definition, definition_count;
};

struct collector {
	struct shape_table table;
	ARRAY_OF(uint32_t) roots;		/* shapes of type DIEs, but for definitions */
	ARRAY_OF(struct definition) definitions;
	ARRAY_OF(struct group_record) groups;
};

/* Room for about that many types, so that the long lists need not grow. */
void collector_init(struct collector *collector, size_t types);
void collector_release(struct collector *collector);

/* Between these, roots and definitions belong to the group. */
void collector_begin_group(struct collector *collector, uint32_t group);
void collector_end_group(struct collector *collector);
/* Takes back the roots and definitions of the open group: it turned out to be unusable. */
void collector_drop_group(struct collector *collector);

void collector_add_root(struct collector *collector, uint32_t shape);
void collector_add_definition(struct collector *collector, uint32_t tag, uint32_t shape);

#endif
