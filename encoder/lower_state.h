/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What the files of the lowering share: lower.c walks, lower_kinds.c writes the words of each kind,
 * lower_variants.c tells repeated definitions apart. Nobody else includes this.
 */
#ifndef BTFENC_ENCODER_LOWER_STATE_H
#define BTFENC_ENCODER_LOWER_STATE_H

#include <string.h>

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

/*
 * Lowers a type now if it is a reference to, or an array of, something that has been lowered:
 * nearly all that others have to wait for. lowering->hint is its hint. False: it takes the stack.
 */
bool lower_simple(struct lowering *lowering, uint32_t link);

/* ---- hints ----
 *
 * A hint is a shape that a type is likely to be, 0 without one. It is always held against the
 * type's words, so a wrong one costs time and nothing else.
 */

/* A reference as a hint: tags and void are known without one. */
static inline uint32_t lower_hint(shape_ref ref)
{
	return ref_is_tag(ref) ? 0 : ref;
}

/* Equal info words mean equal lengths, so no more is compared than there is. */
static inline bool lower_is_shape(const struct lowering *lowering, uint32_t shape,
				  const uint32_t *words, uint32_t count)
{
	const uint32_t *known = shape_words(&lowering->collector->table, shape);

	return known[BTF_WORD_INFO] == words[BTF_WORD_INFO] &&
	       memcmp(known, words, count * sizeof(*words)) == 0;
}

/* The shape with these words. */
static inline uint32_t lower_intern(struct lowering *lowering, const uint32_t *words,
				    uint32_t count, uint32_t hint)
{
	struct shape_table *table = &lowering->collector->table;

	if (hint && lower_is_shape(lowering, hint, words, count))
		return hint;
	return shape_table_intern(table, words, lowering->birth_base | table->shapes.count);
}

/*
 * The best hint for a struct, union, enum or prototype that begins with these words: the definition
 * that its tag is known by, or `hint`. One that begins otherwise is none.
 */
static inline uint32_t lower_known_definition(const struct lowering *lowering, uint32_t index,
					      const uint32_t head[BTF_HEAD_WORDS], uint32_t hint)
{
	const struct shape_table *table = &lowering->collector->table;
	shape_ref ref = lowering->refs.data[index + 1];

	if (ref_is_tag(ref) && ref < LOWER_ACTIVE) {
		uint32_t known = table->tags.data[ref_tag(ref)].definition;

		if (known && lower_is_shape(lowering, known, head, BTF_HEAD_WORDS))
			return known;
	}
	return hint && lower_is_shape(lowering, hint, head, BTF_HEAD_WORDS) ? hint : 0;
}

/* The link of a reference; LINK_INVALID, and noted for the message, when there is no type. */
static inline uint32_t lower_link(struct lowering *lowering, uint32_t reference)
{
	uint32_t link = dwarf_model_link_of(lowering->model, reference);

	if (__builtin_expect(link == LINK_INVALID, 0))
		lowering->bad_reference = reference;
	return link;
}

/* BTF counts members, parameters and enumerators with 16 bits. */
static inline uint32_t lower_clamp(uint32_t count)
{
	return count < BTF_MAX_VLEN ? count : BTF_MAX_VLEN;
}

/* Makes room for a frame's words on top of the word stack. */
static inline void lower_reserve_words(struct lowering *lowering, struct lower_frame *frame,
				       uint32_t count)
{
	frame->words = (uint32_t)lowering->words.count;
	array_reserve(&lowering->words, count);
	lowering->words.count += count;
}

/* ---- lower_kinds.c ---- */

uint32_t lower_base(struct lowering *lowering, const struct dwarf_type *type, uint32_t hint);
uint32_t lower_enum(struct lowering *lowering, uint32_t index, uint32_t hint);
shape_ref lower_array(struct lowering *lowering, const struct dwarf_type *type, shape_ref element,
		      uint32_t hint);
shape_ref lower_reference(struct lowering *lowering, uint32_t index, const struct dwarf_type *type,
			  shape_ref target, uint32_t hint);

/* The DECL_TAGs of the group's types, as roots of the collector. */
void lower_decl_tags(struct lowering *lowering);

/* ---- lower_compound.c ----
 *
 * Struct, union and prototype: they go on at frame->next, and return the link of a type that has
 * to be lowered first, lowering->hint being its hint, or 0 when the type is done and *shape is set.
 * LINK_INVALID: something is referred to that is no type (bad_reference). frame->known is the hint
 * to begin with.
 */
uint32_t lower_record(struct lowering *lowering, struct lower_frame *frame,
		      const struct dwarf_type *type, uint32_t *shape);
uint32_t lower_subroutine(struct lowering *lowering, struct lower_frame *frame,
			  const struct dwarf_type *type, uint32_t *shape);

/* ---- lower_variants.c ---- */

/* Tells the group's repeated definitions of names apart, lowering again as often as it takes. */
bool lower_variants(struct lowering *lowering);

#endif
