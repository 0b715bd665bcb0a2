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

/* Skips variables, labels and calls up to the next DIE that is something else. */
void fixed_reader_skip_locals(struct unit_reader *reader);

/*
 * Skips all but calls, into scopes and out of them: *depth counts how many are open, and at 0 the
 * function is done. Leaves the cursor at a call, or at a DIE without a fixed layout.
 */
void fixed_reader_skip_to_call(struct unit_reader *reader, uint64_t *depth);

/* Reads the parameters of a function without code, whose frame is the innermost. */
void fixed_reader_parameters(struct unit_reader *reader, struct dwarf_model *model);

#endif
