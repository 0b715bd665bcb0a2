/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Places: a base tag as the definitions of a class refer to it (btf/refine.h). Only those are kept
 * where some definition of the class knows nothing but a declaration.
 */
#ifndef BTFENC_BTF_PLACES_H
#define BTFENC_BTF_PLACES_H

#include <stdbool.h>

#include "base/memory.h"

struct place {
	uint32_t class;
	uint32_t tag;		/* base tag */
	uint32_t unknown;	/* members of the class to which the tag is only declared */
	bool is_queued;
};

/* All zero is an empty one. */
struct place_table {
	ARRAY_OF(struct place) all;	/* in the order in which they were added */
	uint32_t *slots;		/* open addressing: place + 1; NULL: there is none */
	uint32_t mask;
};

void place_table_release(struct place_table *places);

/* The place, or NULL when it was never added. */
struct place *place_find(const struct place_table *places, uint32_t class, uint32_t tag);

/* The place, which is added when it is new; adding moves others. */
struct place *place_add(struct place_table *places, uint32_t class, uint32_t tag);

#endif
