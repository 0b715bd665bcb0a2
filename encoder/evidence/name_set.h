/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A set of names by their keys, in the order they were added. */
#ifndef BTFENC_ENCODER_EVIDENCE_NAME_SET_H
#define BTFENC_ENCODER_EVIDENCE_NAME_SET_H

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/memory.h"
#include "base/name_key.h"

struct name_set {		/* all zero: empty */
	ARRAY_OF(struct name_key) names;
	struct hash_table numbers;	/* index into names + 1, by hash_number() */
};

static inline void name_set_release(struct name_set *set)
{
	array_release(&set->names);
	hash_table_release(&set->numbers);
}

static inline void name_set_add(struct name_set *set, struct name_key name)
{
	if (*hash_table_first(&set->numbers, hash_number(name.value)))
		return;
	array_push(&set->names, name);
	hash_table_add(&set->numbers, hash_number(name.value), (uint32_t)set->names.count);
}

#endif
