/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * References lead to the named type of a struct, union or enum with a name, and to the node of all
 * other types. So a node can be interned as soon as the nodes that it refers to have been: depth
 * first, with an explicit stack. The words of a type are written as its references become known; a
 * type that has to wait for one keeps its words on the word stack and goes on where it was.
 *
 * A group normally defines a name once; lower_variants.c is for those that do not.
 */
#include "encoder/lower/lower_state.h"

#include <string.h>

bool lower_never_guess;

void lowering_init(struct lowering *lowering, const struct object *object,
		   struct lower_options options, struct name_table *names,
		   struct collector *collector)
{
	*lowering = (struct lowering){
		.object = object,
		.options = options,
		.names = names,
		.collector = collector,
		.memos = memory_zeroed(REFERENCE_MEMOS, sizeof(*lowering->memos)),
	};
}

void lowering_release(struct lowering *lowering)
{
	free(lowering->memos);
	lowering->memos = NULL;
	array_release(&lowering->refs);
	array_release(&lowering->nodes);
	array_release(&lowering->contested);
	array_release(&lowering->words);
	array_release(&lowering->stack);
	array_release(&lowering->annotation_heads);
	array_release(&lowering->moved);
	array_release(&lowering->positions);
	array_release(&lowering->assumed);
}

/*
 * Nothing has been lowered yet: gives every named struct, union and enum its named type, and finds
 * the names that are defined repeatedly.
 */
static void start_group(struct lowering *lowering, struct group_id group)
{
	const struct dwarf_model *model = lowering->model;
	struct node_table *table = &lowering->collector->table;
	size_t count = model->types.count;
	bool repeated = false;

	lowering->refs.count = lowering->nodes.count = lowering->contested.count = 0;
	lowering->moved.count = lowering->positions.count = 0;
	array_reserve(&lowering->refs, count + 1);
	array_reserve(&lowering->nodes, count);
	lowering->refs.data[0] = REF_VOID;
	memset(lowering->refs.data + 1, 0xff, count * sizeof(*lowering->refs.data));
	array_zero(&lowering->assumed, count);
	for (size_t i = 0; i < model->taggable.count; i++) {
		uint32_t index = model->taggable.data[i], id = TAG_NONE;
		const struct dwarf_type *type = &model->types.data[index];
		enum btf_kind kind = type->kind == DWARF_STRUCT ? BTF_STRUCT :
				     type->kind == DWARF_UNION ? BTF_UNION : BTF_ENUM;
		struct tag *tag;

		lowering->nodes.data[index] = 0;
		/* DW_AT_name "" happens; the text is a page of .debug_str, so it is read once. */
		if (type->name)
			id = node_table_find_tag(table, kind, type->name, 0);
		if (id == TAG_NONE && type->name && *name_table_text(lowering->names, type->name))
			id = node_table_tag(table, kind, type->name, 0);
		if (id == TAG_NONE)
			continue;
		tag = &table->tags.data[id];
		/* What the type will soon be compared with: 55 ns from the third-level cache. */
		__builtin_prefetch(table->words.data + tag->start);
		lowering->refs.data[index + 1] = ref_to_tag(id);
		if (tag->group.index != group.index) {
			tag->group = group;
			tag->in_group = 0;
		}
		if (!(type->flags & TYPE_DECLARATION))
			repeated |= ++tag->in_group > 1;
		else
			lowering->counts.inexpressible += type->size_bytes > UINT32_MAX;
	}
	for (size_t i = 0; repeated && i < model->taggable.count; i++) {
		uint32_t index = model->taggable.data[i];
		struct node_ref ref = lowering->refs.data[index + 1];

		if (!lower_is_pending(ref) && table->tags.data[ref_tag(ref)].in_group > 1)
			array_push(&lowering->contested, index);
	}
}

/* ---- references from functions and variables ---- */

bool lower_ref(struct lowering *lowering, uint32_t reference, uint32_t die_offset,
	       struct node_ref *ref)
{
	uint32_t link = lower_link(lowering, reference);

	if (link == LINK_INVALID)
		return lower_not_a_type(lowering, die_offset);
	*ref = lowering->refs.data[link];
	return true;
}

/*
 * Goes on with the type of a frame. Returns the link of a type that has to be lowered first, or 0
 * when it is done and *result is what a reference to it becomes.
 */
static uint32_t advance(struct lowering *lowering, struct lower_frame *frame,
			struct node_ref *result)
{
	const struct dwarf_type *type = &lowering->model->types.data[frame->type];
	uint32_t link;

	switch ((enum dwarf_type_kind)type->kind) {
	case DWARF_BASE:
		*result = ref_to_node(lower_base(lowering, type));
		return 0;
	case DWARF_ENUM:
		*result = ref_to_node(lower_enum(lowering, type));
		return 0;
	case DWARF_BYTES:
		*result = lower_bytes(lowering, type);
		return 0;
	case DWARF_UNSPECIFIED:		/* decltype(nullptr), an assembler's function */
		*result = REF_VOID;
		return 0;
	case DWARF_STRUCT:
	case DWARF_UNION:
		if (type->size_bytes <= UINT32_MAX)
			return lower_record(lowering, frame, type, result);
		lowering->counts.inexpressible++;
		*result = REF_VOID;
		return 0;
	case DWARF_SUBROUTINE:
		return lower_subroutine(lowering, frame, type, result);
	default:
		break;
	}
	link = lower_link(lowering, type->type);
	if (!lower_is_ready(lowering, link))
		return link;
	*result = lower_with_target(lowering, frame->type, type, lowering->refs.data[link]);
	return 0;
}

static bool lower_refused(struct lowering *lowering, const struct lower_frame *frame,
			  uint32_t waits)
{
	uint32_t from = lowering->model->types.data[frame->type].offset;

	if (waits == LINK_INVALID && lowering->bad_reference == REF_INVALID)
		return lower_fail(lowering, from,
			    "refers to something outside its unit (type units of DWARF 4 are not "
			    "read), which ends at",
			    (uint32_t)(lowering->model->end - lowering->model->begin));
	if (waits == LINK_INVALID)
		return lower_not_a_type(lowering, from);
	return lower_fail(lowering, from, "is part of a cycle of types without a name, with",
		    lowering->model->types.data[waits - 1].offset);
}

#define CYCLE_MAX_FRAMES 64

/*
 * A type has been met again while it is being lowered: a cycle of frames, the last of which is
 * *frame, without a struct, union or enum with a name. C cannot express that, but Go can: type F
 * func(F). With a typedef in it, its last pointer or prototype becomes void, and what comes after
 * that has to wait again. False: the file is damaged. The limit keeps the time linear.
 */
static bool cut_cycle(struct lowering *lowering, struct lower_frame *frame, uint32_t waits,
		      struct node_ref *result)
{
	const struct dwarf_type *types = lowering->model->types.data, *type;
	const struct lower_frame *next = frame;
	size_t depth = lowering->stack.count;

	while (types[next->type].kind != DWARF_TYPEDEF) {
		if (next->type == waits - 1 ||
		    lowering->stack.count - depth == CYCLE_MAX_FRAMES)
			return false;
		next = &lowering->stack.data[--depth];
	}
	for (int i = 0; type = &types[frame->type], type->kind != DWARF_POINTER &&
						    type->kind != DWARF_SUBROUTINE; i++) {
		if (frame->type == waits - 1 || i == CYCLE_MAX_FRAMES ||
		    type->kind == DWARF_STRUCT || type->kind == DWARF_UNION)
			return false;
		lowering->refs.data[frame->type + 1] = ref_of_word(LOWER_PENDING);
		*frame = lowering->stack.data[--lowering->stack.count];
	}
	lowering->counts.inexpressible++;
	*result = type->kind == DWARF_SUBROUTINE
			  ? REF_VOID : lower_with_target(lowering, frame->type, type, REF_VOID);
	return true;
}

/* Lowers a type and, before it, everything it refers to that is not a tag. */
static bool lower_type(struct lowering *lowering, uint32_t index)
{
	struct lower_frame frame = { .type = index };
	struct node_ref *refs = lowering->refs.data;

	if (lower_is_pending(refs[index + 1]))
		refs[index + 1] = ref_of_word(LOWER_ACTIVE);
	lowering->stack.count = lowering->words.count = 0;
	for (;;) {
		struct node_ref result = REF_VOID;
		uint32_t waits = advance(lowering, &frame, &result);

		if (waits == LINK_INVALID ||
		    (waits && refs[waits].word == LOWER_ACTIVE &&
		     !cut_cycle(lowering, &frame, waits, &result)))
			return lower_refused(lowering, &frame, waits);
		if (waits && refs[waits].word == LOWER_PENDING) {
			refs[waits] = ref_of_word(LOWER_ACTIVE);
			array_push(&lowering->stack, frame);
			frame = (struct lower_frame){ .type = waits - 1 };
			continue;
		}
		/* A definition of a named type keeps that as its reference. */
		if (!lower_is_done(refs[frame.type + 1]))
			refs[frame.type + 1] = result;
		else
			lowering->nodes.data[frame.type] = ref_node(result);
		if (!lowering->stack.count)
			return true;
		if (frame.started)
			lowering->words.count = frame.words;
		frame = lowering->stack.data[--lowering->stack.count];
	}
}

static bool is_definition(const struct lowering *lowering, uint32_t index)
{
	const struct dwarf_type *type = &lowering->model->types.data[index];

	/* A transparent type may have the named type of its target, which it does not define. */
	return ref_is_tag(lowering->refs.data[index + 1]) &&
	       (type->kind == DWARF_STRUCT || type->kind == DWARF_UNION ||
		type->kind == DWARF_ENUM) && !(type->flags & TYPE_DECLARATION);
}

/*
 * Everything whose reference is pending, and all definitions of named types. Anonymous declarations
 * become empty types, as DWARF has them.
 */
static bool lower_all(struct lowering *lowering)
{
	for (uint32_t i = 0; i < lowering->model->types.count; i++) {
		struct node_ref ref = lowering->refs.data[i + 1];

		if (lower_is_pending(ref) && lower_simple(lowering, i + 1))
			continue;
		if ((lower_is_pending(ref) || is_definition(lowering, i)) &&
		    !lower_type(lowering, i))
			return false;
	}
	return true;
}

/* ---- the group ---- */

static void index_annotations(struct lowering *lowering)
{
	const struct dwarf_model *model = lowering->model;

	lowering->annotation_heads.count = 0;
	if (!model->annotations.count)
		return;
	array_zero(&lowering->annotation_heads, model->types.count);
	for (size_t i = model->annotations.count; i-- > 0;) {
		const struct dwarf_annotation *annotation = &model->annotations.data[i];

		if (annotation->is_type_tag && annotation->owner_kind == ANNOTATES_TYPE)
			lowering->annotation_heads.data[annotation->owner] = (uint32_t)i + 1;
	}
}

/*
 * Makes an entry of the group of type `i`. Base types of sizes that no C type has exist only for
 * location expressions (clang's DW_ATE_unsigned_24, GCC's nameless ones): nothing refers to them,
 * so they are not roots.
 */
static inline void record_type(struct lowering *lowering, uint32_t i)
{
	const struct dwarf_type *type = &lowering->model->types.data[i];
	struct node_ref ref = lowering->refs.data[i + 1];

	if (type->flags & TYPE_LEFT_OUT)
		return;
	if (is_definition(lowering, i))
		collector_add(lowering->collector, ref_tag(ref), lowering->nodes.data[i]);
	else if (!ref_is_void(ref) && !ref_is_tag(ref) &&
		 !(type->kind == DWARF_BASE &&
		   (!type->name || strncmp(name_table_text(lowering->names, type->name),
					   "DW_ATE_", 7) == 0)))
		collector_add(lowering->collector, TAG_NONE, ref_node(ref));
}

/*
 * Lowers a type of an ordinary group whose turn it is. False: an assumption is wrong, or as
 * lower_type(), with *broken to tell them apart.
 *
 * What is pending may be assumed to be as a likely node has it, if the name is right, or the number
 * of parameters is: 7 groups of a kernel's 2,172 are lowered again. (With pointers, 255.)
 */
static inline bool take_turn(struct lowering *lowering, uint32_t i, bool may_assume, bool *broken)
{
	const struct dwarf_type *type = &lowering->model->types.data[i];
	struct node_ref ref = lowering->refs.data[i + 1];
	uint32_t likely;

	if (lower_is_pending(ref)) {
		may_assume = may_assume && (type->name || type->kind == DWARF_SUBROUTINE);
		likely = collector_successor(lowering->collector, lowering->collector->last);
		if (likely && lower_is_known(lowering, i, likely, may_assume)) {
			lowering->refs.data[i + 1] = ref_to_node(likely);
			return true;
		}
		return lower_simple(lowering, i + 1) || lower_type(lowering, i);
	}
	if (is_definition(lowering, i)) {
		likely = lowering->collector->table.tags.data[ref_tag(ref)].definition;
		if (likely && lower_is_known(lowering, i, likely, may_assume)) {
			lowering->nodes.data[i] = likely;
			return true;
		}
		return lower_type(lowering, i);
	}
	*broken = lowering->assumed.data[i] && !lower_is_known(lowering, i, ref_node(ref), true);
	return !*broken;
}

/*
 * One pass over the types of an ordinary group: each is lowered and recorded, and what followed the
 * last one elsewhere is what the next is likely to be. 3.3 million types of a kernel.
 */
static bool lower_in_order(struct lowering *lowering, bool may_assume, bool *broken)
{
	for (uint32_t i = 0; i < lowering->model->types.count; i++) {
		if (!take_turn(lowering, i, may_assume, broken))
			return false;
		record_type(lowering, i);
	}
	return true;
}

void lower_take_back(struct lowering *lowering, uint32_t nodes)
{
	collector_restart_group(lowering->collector, nodes);
	memset(lowering->memos, 0, REFERENCE_MEMOS * sizeof(*lowering->memos));
	if (lowering->index_type >= nodes)
		lowering->index_type = 0;
	lowering->index_group = 0;
}

/*
 * With a wrong assumption, nodes have been made of what is not true, and in an order that depends
 * on what this worker has read before: they must go, and all is as if nothing had been lowered;
 * named types stay. The same holds of a group that cannot be used: what it leaves, and the message,
 * must not depend on guesses.
 */
static bool lower_and_record(struct lowering *lowering)
{
	uint32_t nodes = (uint32_t)lowering->collector->table.nodes.count;
	uint64_t inexpressible = lowering->counts.inexpressible;
	bool broken = false;

	if (lower_in_order(lowering, true, &broken))
		return true;
	lowering->counts.broken += broken;
	lower_take_back(lowering, nodes);
	lowering->counts.inexpressible = inexpressible;
	for (size_t i = 0; i < lowering->model->types.count; i++) {
		struct node_ref *ref = &lowering->refs.data[i + 1];

		if (!ref_is_tag(*ref) || !lower_is_done(*ref) ||
		    lower_is_transparent(&lowering->model->types.data[i]))
			*ref = ref_of_word(LOWER_PENDING);
	}
	array_zero(&lowering->assumed, lowering->model->types.count);
	return lower_in_order(lowering, false, &broken);
}

bool lower_types(struct lowering *lowering, struct dwarf_model *model, struct group_id group,
		 struct error *err)
{
	lowering->model = model;
	lowering->err = err;
	lowering->first_seen_base = (uint64_t)group.index << 32;
	index_annotations(lowering);
	start_group(lowering, group);
	if (!lowering->contested.count) {
		if (!lower_and_record(lowering))
			return false;
	} else {
		/* Repeated definitions can be told apart only when all have been lowered. */
		if (!lower_all(lowering) || (lower_variants(lowering) && !lower_all(lowering)))
			return false;
		for (uint32_t i = 0; i < model->types.count; i++)
			record_type(lowering, i);
	}
	lower_decl_tags(lowering);
	for (size_t i = 0; i < model->units.count; i++) {
		size_t begin = model->units.data[i].first_type;
		size_t end = i + 1 < model->units.count ? model->units.data[i + 1].first_type
							: model->types.count;

		if (model->units.data[i].is_borrowed || model->units.data[i].is_left_out)
			continue;
		lowering->counts.types += end - begin;
		for (size_t k = begin; lowering->count_kinds && k < end; k++) {
			const struct dwarf_type *type = &model->types.data[k];

			if (type->flags & TYPE_DECLARATION || type->kind == DWARF_ALIAS)
				lowering->counts.declarations++;
			else
				lowering->counts.kinds[type->kind]++;
		}
	}
	return true;
}
