/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A set of names by their 32-bit keys (dwarf/name_table.h), in the order they were added. */
#ifndef BTFENC_ENCODER_EVIDENCE_NAME_SET_H
#define BTFENC_ENCODER_EVIDENCE_NAME_SET_H

#include "base/hash.h"
#include "base/hash_table.h"
#include "base/memory.h"

struct name_set {		/* all zero: empty */
	ARRAY_OF(uint32_t) names;
	struct hash_table numbers;	/* index into names + 1, by hash_number() */
};

static inline void name_set_release(struct name_set *set)
{
	array_release(&set->names);
	hash_table_release(&set->numbers);
}

static inline void name_set_add(struct name_set *set, uint32_t name)
{
	if (*hash_table_first(&set->numbers, hash_number(name)))
		return;
	array_push(&set->names, name);
	hash_table_add(&set->numbers, hash_number(name), (uint32_t)set->names.count);
}

#endif
