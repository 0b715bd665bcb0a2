/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What the files of the lowering share: lower.c walks, lower_kinds.c writes the words of each kind,
 * lower_variants.c tells repeated definitions apart. Nobody else includes this.
 */
#ifndef BTFENC_ENCODER_LOWER_STATE_H
#define BTFENC_ENCODER_LOWER_STATE_H

#include "encoder/lower.h"

/* In lowering.refs: not lowered yet, and being lowered. */
#define LOWER_PENDING UINT32_MAX
#define LOWER_ACTIVE  (UINT32_MAX - 1)

/* In tag.in_group: the group's definitions of the tag have turned out to differ. */
#define TAG_SPLIT UINT32_MAX

/* ---- lower.c ---- */

/* Fills the error with the DIE at `offset` of the group, what is wrong, and another offset. */
bool lower_fail(struct lowering *lowering, uint32_t offset, const char *what, uint32_t reference);

/* Lowers everything whose reference is pending, and all definitions of tags. */
bool lower_all(struct lowering *lowering);

/* ---- lower_kinds.c ---- */

uint32_t lower_base(struct lowering *lowering, const struct dwarf_type *type);
uint32_t lower_enum(struct lowering *lowering, uint32_t index);
uint32_t lower_array(struct lowering *lowering, const struct dwarf_type *type, shape_ref element);
uint32_t lower_reference(struct lowering *lowering, uint32_t index, const struct dwarf_type *type,
			 shape_ref target);

/*
 * Struct, union and prototype: they go on at frame->next, and return the link of a type that has
 * to be lowered first, or 0 when the type is done and *shape is set.
 */
uint32_t lower_record(struct lowering *lowering, struct lower_frame *frame,
		      const struct dwarf_type *type, uint32_t *shape);
uint32_t lower_subroutine(struct lowering *lowering, struct lower_frame *frame,
			  const struct dwarf_type *type, uint32_t *shape);

/* The DECL_TAGs of the group's types, as roots of the collector. */
void lower_decl_tags(struct lowering *lowering);

/* ---- lower_variants.c ---- */

/* Tells the group's repeated definitions of names apart, lowering again as often as it takes. */
bool lower_variants(struct lowering *lowering);

#endif
