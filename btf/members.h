/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The members of a STRUCT or UNION one after another, and after each those of the struct or union
 * that the caller enters there. Records may be nodes of a table, which have the same words.
 *
 * Nothing bounds the steps: a damaged union may contain itself.
 */
#ifndef BTFENC_BTF_MEMBERS_H
#define BTFENC_BTF_MEMBERS_H

#include "btf/inspect.h"

#define BTF_MEMBERS_DEPTH 32	/* of bodies in each other */

/* Zeroed, and the first body entered. */
struct btf_members {
	struct btf_body {
		const uint32_t *record;
		uint32_t next;		/* of its members */
		uint64_t begin_bits;	/* offsets count from where the first body begins */
	} bodies[BTF_MEMBERS_DEPTH];
	uint32_t depth;		/* so many are open */
	bool has_ended;		/* bodies[depth] has; the rest is of the member that it was entered
				   at, and is as it was for the first body */
	const uint32_t *words;	/* the three of the member */
	uint32_t info;		/* of the struct or union that it is in */
	uint64_t offset_bits;
};

struct btf_member_layout {
	uint32_t type;
	uint64_t offset_bits;
	uint64_t size_bits;	/* UINT64_MAX: too many */
	bool is_bitfield;
};

/* Its members come next. False: there are too many bodies in each other. */
bool btf_members_enter(struct btf_members *walk, const uint32_t *record, uint64_t begin_bits);

/* To the next member, or the end of a body. False: the first has ended. */
bool btf_members_next(struct btf_members *walk);

/* Of the member. */
struct btf_member_layout btf_members_layout(const struct btf_members *walk,
					    const struct btf_reader *btf, uint32_t pointer_bytes);

#endif
