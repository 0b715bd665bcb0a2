/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A set of names by their keys, in the order they were added. */
#ifndef BTFENC_ENCODER_EVIDENCE_NAME_SET_H
#define BTFENC_ENCODER_EVIDENCE_NAME_SET_H

#include "base/memory.h"
#include "base/name_key.h"

struct name_set {		/* all zero: empty */
	ARRAY_OF(struct name_key) names;
	uint32_t *slots;	/* open addressing: index into names + 1, 0 free */
	uint32_t slot_count;	/* a power of two, or 0 */
};

void name_set_release(struct name_set *set);
void name_set_add(struct name_set *set, struct name_key name);

#endif
