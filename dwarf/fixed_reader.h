/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The fast half of the unit reader, for unit_reader.c, inline_site.c and call_site.c. It reads the
 * types of a unit as long as their layout is fixed (enum fixed_action), and skips
 * DIEs that are not used. 9 of 10 DIEs of a kernel end here.
 */
#ifndef BTFENC_DWARF_FIXED_READER_H
#define BTFENC_DWARF_FIXED_READER_H

#include "dwarf/reader_frames.h"

/*
 * Reads types into the model from the cursor on, and leaves the cursor at the first DIE that is
 * something else, or is not as it should be: the general path reads that, and knows how to
 * complain. If that DIE is inside a type, the type's frame is open. Call it where the unit's
 * own frame is the innermost.
 */
void fixed_reader_read(struct unit_reader *reader, struct dwarf_model *model);

/* The same inside a record, whose frame is the innermost: LLVM nests those without a name. */
void fixed_reader_members(struct unit_reader *reader, struct dwarf_model *model);

/*
 * Skips what is not used in a function: variables, calls, blocks with nothing else in them.
 * Call it where the innermost frame is a function's or one of no interest (ROLE_OTHER); it opens
 * and closes frames of the latter kind, and leaves the cursor at the first other DIE.
 */
void fixed_reader_skip(struct unit_reader *reader);

/* What a function with inlined calls has besides variables, labels and calls. */
enum local_kind {
	LOCAL_OTHER,		/* none of these, or not of a fixed layout: the cursor is at it */
	LOCAL_NULL,		/* the end of a sibling list */
	LOCAL_BLOCK,
	LOCAL_ARGUMENT,
	LOCAL_SITE,
};

struct local_die {
	uint32_t offset;		/* relative to the group */
	bool has_children;
	uint32_t origin;		/* reference in the group */
	struct dwarf_argument argument;	/* of LOCAL_ARGUMENT; its `parameter` is not set */
	struct inline_site site;	/* of LOCAL_SITE; what DIEs around it say is not set */
};

/*
 * Reads the next of them; unless `in_site`, parameters are skipped, too. The general path for the
 * same DIEs is in inline_site.c.
 */
enum local_kind fixed_reader_local(struct unit_reader *reader, const struct dwarf_model *model,
				   bool in_site, struct local_die *local);

/*
 * Skips all but calls, into scopes and out of them: *depth counts how many are open, and at 0 the
 * function is done. Leaves the cursor at a call, or at a DIE without a fixed layout.
 */
void fixed_reader_skip_to_call(struct unit_reader *reader, uint64_t *depth);

/* Reads the parameters of a function without code, whose frame is the innermost. */
void fixed_reader_parameters(struct unit_reader *reader, struct dwarf_model *model);

#endif
