/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Symbols for definitions without an address: GCC folds functions with equal bodies, and what is
 * left of all but one is a symbol in the code of the same unit. GCC's LTO has names in units that
 * have no code, and their code in others.
 */
#ifndef BTFENC_ENCODER_FOLDED_CODE_H
#define BTFENC_ENCODER_FOLDED_CODE_H

#include "btf/dedup/node_table.h"
#include "encoder/evidence/evidence.h"
#include "encoder/unit_groups.h"

struct folded_code {
	struct evidence *evidence;
	const struct dwarf_model *model;
	const struct unit_groups *groups;
	const struct unit_group *group;
	uint32_t unit;			/* of the model: what follows is for its definitions */
	/* `known`: a symbol + 1, or NO_SYMBOL, by hash_number() of the key of its name */
	struct known_code {
		address_range_array ranges;	/* ascending, disjoint */
		struct hash_table known;
	} own, connected;		/* the unit's; of all units that it is connected with */
	struct known_code *code;	/* its own, if it has any */
};

/* Starts with a group that has been read into the model. */
void folded_code_begin(struct folded_code *folded, const struct dwarf_model *model,
		       const struct unit_groups *groups, struct group_id group);
void folded_code_release(struct folded_code *folded);

/* The lowest function of the definition's name, which is given, in that code; or NO_SYMBOL. */
uint32_t folded_code_symbol(struct folded_code *folded, const struct dwarf_function *definition,
			    const char *name);

#endif
