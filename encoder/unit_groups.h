/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which units have to be read together: units that refer to each other's DIEs (DW_FORM_ref_addr
 * after LTO or dwz, type units). Without such references each unit is a group of its own: that is
 * assumed (unit_groups_single()) until reading meets an abbreviation with such a form
 * (abbrev_table.crosses_units). So a normal kernel pays nothing; others are read again from the
 * start, and lose little by it.
 */
#ifndef BTFENC_ENCODER_UNIT_GROUPS_H
#define BTFENC_ENCODER_UNIT_GROUPS_H

#include "dwarf/unit_reader.h"

struct unit_group {
	uint32_t first;		/* in members */
	uint32_t count;
	uint64_t begin;		/* section offsets that cover all of its units */
	uint64_t end;
};

/* Groups are in the order of their first units, members in section order. */
struct unit_groups {
	ARRAY_OF(struct unit_group) groups;
	ARRAY_OF(uint32_t) members;	/* unit indices */
	bool are_final;			/* references between units have been looked for */
};

/* Each unit by itself. */
void unit_groups_single(struct unit_groups *groups, const struct unit_list *units);

/* Units that refer to each other are one group. Replaces the groups. */
void unit_groups_find(struct unit_groups *groups, const struct object *object,
		      const struct unit_list *units);
void unit_groups_release(struct unit_groups *groups);

#endif
