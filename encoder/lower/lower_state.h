/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Shared by the files of the lowering, and only by them: lower.c walks, lower_known.c recognizes
 * known types, lower_kinds.c and lower_compound.c write the words of new ones, lower_variants.c
 * tells repeated definitions apart.
 */
#ifndef BTFENC_ENCODER_LOWER_LOWER_STATE_H
#define BTFENC_ENCODER_LOWER_LOWER_STATE_H

#include "encoder/lower/lower.h"

/* In lowering.refs: not lowered yet, and being lowered. */
#define LOWER_PENDING UINT32_MAX
#define LOWER_ACTIVE  (UINT32_MAX - 1)

static inline bool lower_is_pending(struct node_ref ref)
{
	return ref.word == LOWER_PENDING;
}

static inline bool lower_is_done(struct node_ref ref)
{
	return ref.word < LOWER_ACTIVE;
}

/* In positions: the member is not in BTF. */
#define LOWER_NO_POSITION UINT32_MAX

/* In tag.in_group: the group's definitions of the named type differ. */
#define TAG_SPLIT UINT32_MAX

/* BTF does not have it, as a typedef without a name: a reference to it is one to its target. */
static inline bool lower_is_transparent(const struct dwarf_type *type)
{
	return type->kind == DWARF_ATOMIC || type->kind == DWARF_ALIAS ||
	       (type->kind == DWARF_TYPEDEF && !type->name);
}

/* The node with these words. */
static inline uint32_t lower_intern(struct lowering *lowering, const uint32_t *words)
{
	struct node_table *table = &lowering->collector->table;

	return node_table_intern(table, words, lowering->first_seen_base | table->nodes.count);
}

/* The link of a reference; LINK_INVALID, and noted for the message, when there is no type. */
static inline uint32_t lower_link(struct lowering *lowering, uint32_t reference)
{
	uint32_t link = dwarf_model_link_of(lowering->model, reference);

	if (__builtin_expect(link == LINK_INVALID, 0))
		lowering->bad_reference = reference;
	return link;
}

/* Is it a pointer that type tags are made of? */
static inline bool lower_has_tags(const struct lowering *lowering, uint32_t type)
{
	return lowering->annotation_heads.count && lowering->annotation_heads.data[type] &&
	       lowering->options.type_tags &&
	       lowering->model->types.data[type].kind == DWARF_POINTER;
}

/* BTF counts members, parameters and enumerators with 16 bits. */
static inline uint32_t lower_clamp(uint32_t count)
{
	return count < BTF_VLEN_MAX ? count : BTF_VLEN_MAX;
}

/*
 * With bitfields 8 bits of the 32 of an offset are for sizes, and what begins after 2 MiB has no
 * place. In a record that goes on there the bitfields have none, and all others do.
 */
static inline bool lower_has_sizes(const struct lowering *lowering, const struct dwarf_type *record)
{
	return record->flags & TYPE_BITFIELDS &&
	       lowering->model->members.data[record->first + record->count - 1].offset_bits <=
		       BTF_MAX_MEMBER_BITS_KFLAG;
}

static inline uint32_t lower_record_info(const struct lowering *lowering,
					 const struct dwarf_type *type, uint32_t members)
{
	return btf_info(type->kind == DWARF_UNION ? BTF_UNION : BTF_STRUCT, members,
			lower_has_sizes(lowering, type));
}

/* The last bit that BTF can say. */
static inline uint32_t lower_offset_limit(const struct lowering *lowering,
					  const struct dwarf_type *record)
{
	return lower_has_sizes(lowering, record) ? BTF_MAX_MEMBER_BITS_KFLAG : UINT32_MAX - 1;
}

/* Can this be an enum that needs its bits? See lower_member_place(). */
static inline bool lower_may_need_bits(const struct dwarf_type *record,
				       const struct dwarf_member *member)
{
	return record->flags & TYPE_BITFIELDS && !member->size_bits &&
	       member->offset_bits + 32ull > record->size_bytes * 8;
}

/* ---- lower_known.c ---- */

/*
 * Is a type this node? Makes no node; false also when it cannot tell. With may_assume, pending
 * types are assumed to be what the node has instead.
 */
bool lower_is_known(struct lowering *lowering, uint32_t index, uint32_t node, bool may_assume);

/* ---- lower_kinds.c ---- */

/* Fills the error with the DIE at `offset` of the group, what is wrong, and another offset. */
bool lower_fail(struct lowering *lowering, uint32_t offset, const char *what, uint32_t reference);

/* The error that the DIE at `offset` of the group has lowering->bad_reference. Returns false. */
bool lower_not_a_type(struct lowering *lowering, uint32_t offset);

/* The info word of a reference, by enum dwarf_type_kind; 0 for other kinds. */
extern const uint32_t lower_reference_info[DWARF_KIND_COUNT];

struct node_ref lower_bytes(struct lowering *lowering, const struct dwarf_type *type);
uint32_t lower_base(struct lowering *lowering, const struct dwarf_type *type);
uint32_t lower_enum(struct lowering *lowering, const struct dwarf_type *type);

/* What a type becomes that is a reference to, or an array of, something that has been lowered. */
struct node_ref lower_with_target(struct lowering *lowering, uint32_t index,
				  const struct dwarf_type *type, struct node_ref target);

/*
 * Lowers a type now if it is a reference to, or an array of, something that has been lowered:
 * nearly all that others have to wait for. False: it takes the stack.
 */
bool lower_simple(struct lowering *lowering, uint32_t link);

/* Is the type of a link lowered by now? A simple one is lowered at once. */
static inline bool lower_is_ready(struct lowering *lowering, uint32_t link)
{
	return link != LINK_INVALID && (lower_is_done(lowering->refs.data[link]) ||
					lower_simple(lowering, link));
}

/* After the last annotation of a type that has some. */
size_t lower_end_of_tags(const struct lowering *lowering, uint32_t type);

/* The words of an ENUM or ENUM64, on top of the word stack, until something else is put there. */
uint32_t *lower_enum_words(struct lowering *lowering, const struct dwarf_type *type);

/* The words of an INT; false: the type becomes something else. */
bool lower_int_words(const struct dwarf_type *type, uint32_t words[BTF_HEAD_WORDS + 1]);

/* The index type of arrays, which BTF wants: a root of each group that has an array. */
uint32_t lower_index_type(struct lowering *lowering);

/* The DECL_TAGs of the group's types, as roots of the collector. */
void lower_decl_tags(struct lowering *lowering);

/* ---- lower_compound.c ---- */

/*
 * *place is the third word of a member: its offset from the first bit of the struct in memory
 * order, and its bits. False: BTF has no room for it.
 */
bool lower_member_place(const struct lowering *lowering, const struct dwarf_type *record,
			const struct dwarf_member *member, uint32_t *place);

/*
 * Struct, union and prototype: they go on at frame->next, and return the link of a type that has
 * to be lowered first, or 0 when the type is done and *result is set. LINK_INVALID: something is
 * referred to that is not a type (bad_reference).
 */
uint32_t lower_record(struct lowering *lowering, struct lower_frame *frame,
		      const struct dwarf_type *type, struct node_ref *result);
uint32_t lower_subroutine(struct lowering *lowering, struct lower_frame *frame,
			  const struct dwarf_type *type, struct node_ref *result);

/* ---- lower_variants.c ---- */

/* Tells the group's repeated definitions of names apart. True: some differ, lower again. */
bool lower_variants(struct lowering *lowering);

#endif
