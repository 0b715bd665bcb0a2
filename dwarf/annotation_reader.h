/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * btf_decl_tag and btf_type_tag, for unit_reader.c only. clang writes them as children of what they
 * annotate; GCC as DIEs elsewhere in the unit, chained by DW_AT_GNU_annotation.
 */
#ifndef BTFENC_DWARF_ANNOTATION_READER_H
#define BTFENC_DWARF_ANNOTATION_READER_H

#include "dwarf/reader_frames.h"

/* Reads an annotation DIE that is below `frame`, or anywhere when it is one of GCC's. */
void annotation_read(struct unit_reader *reader, struct dwarf_model *model,
		     const struct reader_frame *frame, const struct die *die);

/* Remembers a DW_AT_GNU_annotation of the DIE that `frame` describes. */
void annotation_note_use(struct unit_reader *reader, const struct dwarf_model *model,
			 const struct reader_frame *frame, const struct die *die);

/* At the end of a unit: follows the chains that were noted. */
void annotation_resolve_chains(struct unit_reader *reader, struct dwarf_model *model);

#endif
