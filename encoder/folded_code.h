/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Symbols for definitions without an address: GCC folds functions with equal bodies, and what is
 * left of all but one is a symbol in the code of the same units.
 */
#ifndef BTFENC_ENCODER_FOLDED_CODE_H
#define BTFENC_ENCODER_FOLDED_CODE_H

#include "btf/dedup/node_table.h"
#include "encoder/evidence/evidence.h"
#include "encoder/unit_groups.h"

struct folded_code {
	struct evidence *evidence;
	address_range_array code;	/* where such symbols may be: ascending, disjoint */
	struct hash_table known;	/* a symbol + 1, or NO_SYMBOL, by hash_number() of the
					   key of its name */
};

/* Starts with a group; `own` is the code of the units that are read for it. */
void folded_code_begin(struct folded_code *folded, const address_range_array *own,
		       const struct unit_groups *groups, struct group_id group);
void folded_code_release(struct folded_code *folded);

/* The lowest function of a name in that code, by the key of the name, too; or NO_SYMBOL. */
uint32_t folded_code_symbol(struct folded_code *folded, uint32_t key, const char *name);

#endif
