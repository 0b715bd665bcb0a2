/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The fast half of the lowering: is a type what it is likely to be?
 *
 * All but the first units of a kernel have hardly a type that is new, and what a type is likely to
 * be is known beforehand: the definition of its named type, or what followed the type before it in
 * another unit. So it is compared with that node, word by word. No node is made, nothing is hashed,
 * and no type waits for another.
 *
 * The target of a reference may not have been lowered yet. If the node is trusted (it is the
 * definition of a named type, or an assumption itself), the reference is taken to be right: that
 * the target is what the node refers to is an *assumption*, which is checked when the target has
 * its turn. If one is wrong, all is taken back, and the group is lowered without assumptions
 * (lower.c): 7 of a kernel's 2,172.
 *
 * When all assumptions have held, all types are what they were taken for: a node refers to nodes
 * with smaller ids only, so this follows by induction over the ids, even though the types have not
 * been read in that order.
 */
#include <dwarf.h>

#include "encoder/lower/lower_state.h"

/* Of one pointer; with more it is made anew. */
#define MAX_TAGS 4

/* Is, or will be, the target of a reference this node, named type or void? */
static inline bool expect(struct lowering *lowering, uint32_t link, struct node_ref expected,
			  bool may_assume)
{
	struct node_ref *ref = &lowering->refs.data[link];

	if (__builtin_expect(ref_equal(*ref, expected), 1))
		return true;
	if (!lower_is_pending(*ref) || !may_assume || ref_is_void(expected) ||
	    ref_is_tag(expected))
		return false;
	*ref = expected;
	lowering->assumed.data[link - 1] = true;
	return true;
}

/* `expected` is a word of the node. */
static inline bool expect_reference(struct lowering *lowering, uint32_t reference,
				    uint32_t expected, bool may_assume)
{
	uint32_t link = dwarf_model_link_of(lowering->model, reference);

	return link != LINK_INVALID &&
	       expect(lowering, link, ref_of_word(expected), may_assume);
}

/*
 * Members whose place takes thinking, in DWARF 2's counting (which clang 14 has in DWARF 5, too) or
 * at the end of a struct with bitfields, must be recognized like others: one anonymous struct that
 * is not, when its turn comes, makes all assumptions about its group void. Half of the groups of a
 * kernel by clang were lowered twice. Six million members of a kernel, 3 ns each.
 */
static bool is_known_record(struct lowering *lowering, const struct dwarf_type *type,
		      const uint32_t *words, bool may_assume)
{
	const struct dwarf_member *member = lowering->model->members.data + type->first;
	const struct dwarf_member *end = member + type->count;
	uint32_t limit = lower_offset_limit(lowering, type);

	/* One that loses its bitfields is rare, and is put together each time. */
	if (type->count > BTF_VLEN_MAX ||
	    (type->flags & TYPE_BITFIELDS && limit != BTF_MAX_MEMBER_BITS_KFLAG) ||
	    words[BTF_WORD_INFO] != lower_record_info(lowering, type, type->count) ||
	    words[BTF_WORD_NAME] != type->name || words[BTF_WORD_SIZE] != type->size_bytes)
		return false;
	for (words += BTF_HEAD_WORDS; member < end; member++, words += 3) {
		uint32_t place = member->offset_bits | (uint32_t)member->size_bits << 24;

		if ((member->offset_bits > limit || member->has_msb_offset ||
		     lower_may_need_bits(type, member)) &&
		    !lower_member_place(lowering, type, member, &place))
			return false;
		if ((words[0] ^ member->name) | (words[2] ^ place) ||
		    !expect_reference(lowering, member->type, words[1], may_assume))
			return false;
	}
	return true;
}

static bool is_prototype(struct lowering *lowering, const struct dwarf_type *type,
			 const uint32_t *words, bool may_assume)
{
	const struct dwarf_parameter *parameter =
		lowering->model->parameters.data + type->first;
	const struct dwarf_parameter *end = parameter + type->count;
	bool dots = type->flags & TYPE_VARIADIC;

	if (type->count >= BTF_VLEN_MAX ||
	    words[BTF_WORD_INFO] != btf_info(BTF_FUNC_PROTO, type->count + dots, false) ||
	    !expect_reference(lowering, type->type, words[BTF_WORD_TYPE], may_assume))
		return false;
	for (words += BTF_HEAD_WORDS; parameter < end; parameter++, words += 2) {
		if (words[0] != parameter->name ||
		    !expect_reference(lowering, parameter->type, words[1], may_assume))
			return false;
	}
	return !dots || !(words[0] | words[1]);
}

/*
 * A pointer with type tags, as lower_type_tags() makes it. Clang's kernels have them at every
 * `__user *`, most of these in anonymous unions that a group's assumptions depend on.
 */
static bool is_tagged(struct lowering *lowering, uint32_t index, const struct dwarf_type *type,
		      uint32_t target, bool may_assume)
{
	const struct dwarf_annotation *annotations = lowering->model->annotations.data;
	size_t first = lowering->annotation_heads.data[index] - 1;
	size_t end = lower_end_of_tags(lowering, index);
	uint32_t tags[MAX_TAGS];

	if (end - first > MAX_TAGS)
		return false;
	for (size_t i = first; i < end; i++) {
		struct node_ref tag = ref_of_word(target);
		const uint32_t *words;

		if (ref_is_void(tag) || ref_is_tag(tag))
			return false;
		words = node_words(&lowering->collector->table, ref_node(tag));
		if (words[BTF_WORD_INFO] != BTF_INFO(BTF_TYPE_TAG) ||
		    words[BTF_WORD_NAME] != annotations[i].value)
			return false;
		tags[i - first] = ref_node(tag);
		target = words[BTF_WORD_TYPE];
	}
	if (!expect_reference(lowering, type->type, target, may_assume))
		return false;
	while (end-- > first)
		collector_add(lowering->collector, TAG_NONE, tags[end - first]);
	return true;
}

/* From the outermost dimension to the innermost, whose element is the reference. */
static bool is_array(struct lowering *lowering, const struct dwarf_type *type,
		     const uint32_t *words, bool may_assume)
{
	const uint32_t none = 0;
	const uint32_t *dimension = type->count
		? lowering->model->dimensions.data + type->first : &none;
	const uint32_t *last = dimension + (type->count ? type->count - 1 : 0);

	/* A node of an array exists, so its index type does: this makes no node. */
	for (;; dimension++) {
		struct node_ref element;

		if (words[BTF_WORD_INFO] != BTF_INFO(BTF_ARRAY) ||
		    words[BTF_HEAD_WORDS + 1] != lower_index_type(lowering) ||
		    words[BTF_HEAD_WORDS + 2] != *dimension)
			return false;
		element = ref_of_word(words[BTF_HEAD_WORDS]);
		if (dimension == last)
			return expect_reference(lowering, type->type, element.word, may_assume);
		if (ref_is_void(element) || ref_is_tag(element))
			return false;
		words = node_words(&lowering->collector->table, ref_node(element));
	}
}

bool lower_is_known(struct lowering *lowering, uint32_t index, uint32_t node, bool may_assume)
{
	const struct dwarf_type *type = &lowering->model->types.data[index];
	const uint32_t *words = node_words(&lowering->collector->table, node);
	uint32_t info = lower_reference_info[type->kind];
	uint32_t base[BTF_HEAD_WORDS + 1];

	if (__builtin_expect(lower_never_guess, 0))
		return false;
	if (info)
		return words[BTF_WORD_INFO] == info && words[BTF_WORD_NAME] == type->name &&
		       (lower_has_tags(lowering, index)
				? is_tagged(lowering, index, type, words[BTF_WORD_TYPE], may_assume)
				: expect_reference(lowering, type->type, words[BTF_WORD_TYPE],
						   may_assume));
	switch ((enum dwarf_type_kind)type->kind) {
	case DWARF_STRUCT:
	case DWARF_UNION:
		return is_known_record(lowering, type, words, may_assume);
	case DWARF_SUBROUTINE:
		return is_prototype(lowering, type, words, may_assume);
	case DWARF_ARRAY:
		return is_array(lowering, type, words, may_assume);
	case DWARF_ENUM:
		return type->count <= BTF_VLEN_MAX &&
		       node_table_equal(&lowering->collector->table, node,
					lower_enum_words(lowering, type));
	case DWARF_BASE:
		return type->encoding != DW_ATE_float && type->encoding != DW_ATE_complex_float &&
		       lower_int_words(type, base) &&
		       node_table_equal(&lowering->collector->table, node, base);
	default:
		return false;
	}
}
