/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The places where a declaration may be bound to a definition (btf/resolve.c): a tag as it is seen
 * from a containing definition, or from anywhere.
 */
#ifndef BTFENC_BTF_PLACES_H
#define BTFENC_BTF_PLACES_H

#include <stdbool.h>

#include "base/memory.h"

#define NO_INSTANCE UINT32_MAX
#define NO_CONTAINER 0u

struct place {
	uint32_t container;	/* shape of the definition; NO_CONTAINER: the whole program */
	uint32_t tag;		/* base tag */
	uint32_t seen;		/* first instance seen from here, or NO_INSTANCE */
	bool several;		/* instances of different classes are seen */
	bool has_forward;	/* some group sees only a declaration */
	uint32_t bound;		/* the instance it is bound to, or NO_INSTANCE */
};

/* All zero is an empty one. */
struct place_table {
	ARRAY_OF(struct place) all;	/* in the order in which they were added */
	uint32_t *slots;		/* open addressing: place + 1; NULL: there is none */
	uint32_t mask;
};

void place_table_release(struct place_table *places);

/* The place, or NULL when it was never added. */
struct place *place_find(const struct place_table *places, uint32_t container, uint32_t tag);

/* The place, which is added when it is new; adding moves others. */
struct place *place_add(struct place_table *places, uint32_t container, uint32_t tag);

#endif
