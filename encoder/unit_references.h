/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which units refer to DIEs of which others: DW_FORM_ref_addr after LTO or dwz, type units. All
 * DIEs of units that can do so are walked over, by all workers.
 */
#ifndef BTFENC_ENCODER_UNIT_REFERENCES_H
#define BTFENC_ENCODER_UNIT_REFERENCES_H

#include "dwarf/address_list.h"
#include "encoder/encode_options.h"

struct unit_code {
	uint32_t unit;
	struct address_range range;
};

struct unit_references {
	uint32_t *first;		/* by unit, and the end: its first in targets */
	ARRAY_OF(uint32_t) targets;	/* other units, ascending for each unit */
	bool *is_used;			/* by unit: not of a supplementary file without users */
	bool *is_compiled;		/* by unit: its DIE is a DW_TAG_compile_unit */
	bool *is_wanted;		/* by unit: of no excluded language; dwz's: as its users */
	/*
	 * GCC's LTO has a function's name in one unit and its code in another: section offsets of
	 * the functions that those of other units refer to, ascending, and the code of all units.
	 */
	ARRAY_OF(uint64_t) coded;
	ARRAY_OF(struct unit_code) code;
};

/* Are units of that DW_AT_language left out? */
bool language_is_in(const struct language_set *excluded, uint64_t language);

void unit_references_find(struct unit_references *references, const struct object *object,
			  const struct unit_list *units, const struct language_set *excluded,
			  unsigned int jobs);
void unit_references_release(struct unit_references *references);

#endif
