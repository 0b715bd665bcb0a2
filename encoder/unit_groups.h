/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which units are read together. Without references between units (DW_FORM_ref_addr after LTO or
 * dwz, type units) each is a group of its own: that is assumed (unit_groups_single()) until reading
 * meets an abbreviation with such a form (abbrev_table.crosses_units). So a normal kernel pays
 * nothing; others are read again from the start, and lose little by it.
 *
 * Units that are connected by references are one group, or, if they are many, several groups for
 * several workers. Then each unit belongs to one group, which has its functions and variables; and
 * a group *borrows* what its units refer to of others: a borrowed unit is read for its types and
 * names only. How units are divided depends on nothing but the file.
 */
#ifndef BTFENC_ENCODER_UNIT_GROUPS_H
#define BTFENC_ENCODER_UNIT_GROUPS_H

#include "dwarf/unit_reader.h"
#include "encoder/encode_options.h"

/*
 * Tests set it: all connected units are divided, whatever it costs. That may change the order of
 * types. And what a group only declares is bound within the group (btf/dedup/resolve.c): divided,
 * there may be a declaration more that no definition leads to, as without type units.
 */
extern bool unit_groups_always_divide;

struct unit_group {
	uint32_t first;		/* in members */
	uint32_t count;
	uint32_t own_count;	/* of these; the others are borrowed */
	uint64_t begin;		/* section offsets that cover all of its units */
	uint64_t end;
	uint64_t bytes;		/* of all of its units */
	bool is_part;		/* of units that are connected, but were divided */
	bool is_wanted;		/* are_final, and it has a unit that is */
	uint32_t first_code;	/* then: the code of all of these, in unit_groups.code */
	uint32_t code_count;
};

struct group_member {
	uint32_t unit;		/* index */
	bool is_borrowed;
	bool is_wanted;			/* are_final, and its language is not excluded */
};

/* Members are in section order. */
struct unit_groups {
	ARRAY_OF(struct unit_group) groups;
	ARRAY_OF(struct group_member) members;
	bool are_final;			/* references between units have been looked for */
	/*
	 * What a part cannot know of the others: section offsets, ascending, of functions whose
	 * code may be in another unit, and the code of the connected units.
	 */
	ARRAY_OF(uint64_t) coded;
	address_range_array code;
};

/* Each unit by itself. */
void unit_groups_single(struct unit_groups *groups, const struct unit_list *units);

/* Looks for references, with so many threads. Replaces the groups. */
void unit_groups_find(struct unit_groups *groups, const struct object *object,
		      const struct unit_list *units, const struct language_set *excluded,
		      unsigned int jobs);
void unit_groups_release(struct unit_groups *groups);

#endif
