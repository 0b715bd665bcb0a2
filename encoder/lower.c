/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A struct, union or enum with a name is referred to by its tag, all else by its shape, so a shape
 * can be interned as soon as what it refers to has been: depth first, with an explicit stack. The
 * words of a type are written as its references become known; a type that has to wait for one
 * keeps its words on the word stack and goes on where it was.
 *
 * A group normally defines a name once; lower_variants.c is for those that do not.
 */
#include "encoder/lower_state.h"

#include <inttypes.h>
#include <string.h>

void lowering_init(struct lowering *lowering, const struct object *object,
		   const struct features *features, struct name_table *names,
		   struct collector *collector)
{
	*lowering = (struct lowering){
		.object = object,
		.features = features,
		.names = names,
		.collector = collector,
		.int_name = name_table_literal(names, "int"),
	};
}

void lowering_release(struct lowering *lowering)
{
	array_release(&lowering->refs);
	array_release(&lowering->shapes);
	array_release(&lowering->contested);
	array_release(&lowering->words);
	array_release(&lowering->stack);
	array_release(&lowering->annotation_heads);
}

bool lower_fail(struct lowering *lowering, uint32_t offset, const char *what, uint32_t reference)
{
	return error_set(lowering->err,
			 "%.300s: unit 0x%" PRIx64 ", DIE 0x%" PRIx64 ": %s 0x%" PRIx64
			 "; the file is damaged",
			 lowering->object->path, lowering->model->begin,
			 lowering->model->begin + offset, what, lowering->model->begin + reference);
}

/* ---- tags ---- */

static enum btf_kind tag_kind(const struct dwarf_type *type)
{
	return type->kind == DWARF_STRUCT ? BTF_STRUCT :
	       type->kind == DWARF_UNION ? BTF_UNION : BTF_ENUM;
}

static bool is_record(const struct dwarf_type *type)
{
	return type->kind == DWARF_STRUCT || type->kind == DWARF_UNION;
}

/*
 * The tag of a named struct, union or enum, TAG_NONE for a nameless one. DW_AT_name "" happens; it
 * is looked for once per name, because each look is a page of .debug_str.
 */
static uint32_t tag_of(const struct lowering *lowering, const struct dwarf_type *type)
{
	struct shape_table *table = &lowering->collector->table;
	uint32_t tag;

	if (!type->name)
		return TAG_NONE;
	tag = shape_table_find_tag(table, tag_kind(type), type->name, 0);
	if (tag == TAG_NONE && *name_table_text(lowering->names, type->name))
		tag = shape_table_tag(table, tag_kind(type), type->name, 0);
	return tag;
}

static void find_contested(struct lowering *lowering)
{
	const struct dwarf_model *model = lowering->model;

	for (size_t i = 0; i < model->taggable.count; i++) {
		uint32_t index = model->taggable.data[i];
		shape_ref ref = lowering->refs.data[index + 1];

		if (ref != LOWER_PENDING &&
		    lowering->collector->table.tags.data[ref_tag(ref)].in_group > 1)
			array_push(&lowering->contested, index);
	}
}

/* Nothing has been lowered yet. */
static void start_group(struct lowering *lowering)
{
	size_t count = lowering->model->types.count;

	lowering->refs.count = lowering->shapes.count = lowering->contested.count = 0;
	array_reserve(&lowering->refs, count + 1);
	array_reserve(&lowering->shapes, count);
	lowering->refs.data[0] = SHAPE_VOID;
	memset(lowering->refs.data + 1, 0xff, count * sizeof(*lowering->refs.data));
}

/* Gives every named struct, union and enum its tag, and finds the names defined repeatedly. */
static void assign_tags(struct lowering *lowering, uint32_t group)
{
	const struct dwarf_model *model = lowering->model;
	bool repeated = false;

	for (size_t i = 0; i < model->taggable.count; i++) {
		uint32_t index = model->taggable.data[i];
		const struct dwarf_type *type = &model->types.data[index];
		uint32_t id = tag_of(lowering, type);
		struct tag *tag;

		lowering->shapes.data[index] = 0;
		if (id == TAG_NONE)
			continue;
		tag = &lowering->collector->table.tags.data[id];
		/* What the type will soon be compared with: 55 ns from the third-level cache. */
		__builtin_prefetch(lowering->collector->table.words.data + tag->start);
		lowering->refs.data[index + 1] = ref_to_tag(id);
		if (tag->group != group) {
			tag->group = group;
			tag->in_group = 0;
		}
		if (!(type->flags & TYPE_DECLARATION))
			repeated |= ++tag->in_group > 1;
	}
	if (repeated)
		find_contested(lowering);
}

static void count_types(struct lowering *lowering)
{
	const struct dwarf_model *model = lowering->model;

	lowering->counts.types += model->types.count;
	for (size_t i = 0; lowering->count_kinds && i < model->types.count; i++) {
		if (model->types.data[i].flags & TYPE_DECLARATION)
			lowering->counts.declarations++;
		else
			lowering->counts.kinds[model->types.data[i].kind]++;
	}
}

/* ---- references from functions and variables ---- */

bool lower_ref(struct lowering *lowering, uint32_t reference, uint32_t die_offset, shape_ref *ref)
{
	uint32_t index;

	*ref = SHAPE_VOID;
	if (reference == REF_NONE)
		return true;
	index = dwarf_model_find_type(lowering->model, reference);
	if (index == OFFSET_INDEX_NONE)
		return lower_fail(lowering, die_offset, "refers to something that is no type, at",
			    reference);
	*ref = lowering->refs.data[index + 1];
	return true;
}

/* The hint for what a type that is like `known` refers to. */
static uint32_t target_hint(const struct lowering *lowering, const struct dwarf_type *type,
			    uint32_t known)
{
	const uint32_t *words;

	if (!known)
		return 0;
	words = shape_words(&lowering->collector->table, known);
	if (type->kind == DWARF_ARRAY)
		return btf_info_kind(words[BTF_WORD_INFO]) == BTF_ARRAY
			       ? lower_hint(words[BTF_HEAD_WORDS]) : 0;
	return btf_kinds[btf_info_kind(words[BTF_WORD_INFO])].has_size
		       ? 0 : lower_hint(words[BTF_WORD_TYPE]);
}

/*
 * Goes on with the type of a frame. Returns the link of a type that has to be lowered first (its
 * hint is lowering->hint), or 0 when it is done and *result is what a reference to it becomes.
 */
static uint32_t advance(struct lowering *lowering, struct lower_frame *frame, shape_ref *result)
{
	const struct dwarf_type *type = &lowering->model->types.data[frame->type];
	uint32_t link;
	shape_ref target;

	if (is_record(type))
		return lower_record(lowering, frame, type, result);
	if (type->kind == DWARF_SUBROUTINE)
		return lower_subroutine(lowering, frame, type, result);
	switch ((enum dwarf_type_kind)type->kind) {
	case DWARF_BASE:
		*result = lower_base(lowering, type, frame->known);
		return 0;
	case DWARF_ENUM:
		*result = lower_enum(lowering, frame->type, frame->known);
		return 0;
	case DWARF_UNSPECIFIED:		/* decltype(nullptr), an assembler's function */
		*result = SHAPE_VOID;
		return 0;
	default:
		break;
	}
	link = lower_link(lowering, type->type);
	if (link == LINK_INVALID)
		return LINK_INVALID;
	if (lowering->refs.data[link] >= LOWER_ACTIVE) {
		lowering->hint = target_hint(lowering, type, frame->known);
		if (!lower_simple(lowering, link))
			return link;
	}
	target = lowering->refs.data[link];
	if (type->kind == DWARF_ATOMIC)	/* BTF has no _Atomic: the type itself */
		*result = target;
	else if (type->kind == DWARF_ARRAY)
		*result = lower_array(lowering, type, target, frame->known);
	else
		*result = lower_reference(lowering, frame->type, type, target, frame->known);
	return 0;
}

static void finish_type(struct lowering *lowering, uint32_t index, shape_ref result)
{
	shape_ref *ref = &lowering->refs.data[index + 1];

	/* A tagged definition keeps its tag as the reference, and the shape beside it. */
	if (*ref >= LOWER_ACTIVE)
		*ref = result;
	else
		lowering->shapes.data[index] = result;
}

/* What a reference looks like in BTF; other kinds have no such word. */
static const uint32_t reference_info[DWARF_KIND_COUNT] = {
	[DWARF_POINTER] = BTF_PTR << 24,
	[DWARF_CONST] = BTF_CONST << 24,
	[DWARF_VOLATILE] = BTF_VOLATILE << 24,
	[DWARF_RESTRICT] = BTF_RESTRICT << 24,
	[DWARF_TYPEDEF] = BTF_TYPEDEF << 24,
};

/*
 * Is the hint right for a reference to `target`? It is for nine of ten. (A pointer that has tags
 * refers to those in BTF, never to its target itself.)
 */
static inline bool is_reference(const struct lowering *lowering, const struct dwarf_type *type,
				shape_ref target)
{
	const uint32_t *words = shape_words(&lowering->collector->table, lowering->hint);
	uint32_t info = reference_info[type->kind];

	return info && words[BTF_WORD_INFO] == info && words[BTF_WORD_TYPE] == target &&
	       words[BTF_WORD_NAME] == type->name && !lowering->annotation_heads.count;
}

bool lower_simple(struct lowering *lowering, uint32_t link)
{
	const struct dwarf_type *type = &lowering->model->types.data[link - 1];
	uint32_t to = dwarf_model_link_of(lowering->model, type->type);
	shape_ref target;

	if (to == LINK_INVALID)
		return false;
	target = lowering->refs.data[to];
	if (target >= LOWER_ACTIVE)
		return false;
	if (lowering->hint && is_reference(lowering, type, target)) {
		lowering->refs.data[link] = lowering->hint;
		return true;
	}
	switch ((enum dwarf_type_kind)type->kind) {
	case DWARF_POINTER:
	case DWARF_CONST:
	case DWARF_VOLATILE:
	case DWARF_RESTRICT:
	case DWARF_TYPEDEF:
		lowering->refs.data[link] = lower_reference(lowering, link - 1, type, target,
							      lowering->hint);
		return true;
	case DWARF_ARRAY:
		lowering->refs.data[link] = lower_array(lowering, type, target, lowering->hint);
		return true;
	default:
		return false;
	}
}

static bool bad_reference(struct lowering *lowering, uint32_t from, uint32_t to)
{
	if (to == REF_INVALID)
		return lower_fail(lowering, from,
				  "refers to something outside its unit (type units of DWARF 4 are "
				  "not read), which ends at",
				  (uint32_t)(lowering->model->end - lowering->model->begin));
	return lower_fail(lowering, from, "refers to something that is no type, at", to);
}

static bool lower_refused(struct lowering *lowering, const struct lower_frame *frame,
			  uint32_t waits)
{
	uint32_t from = lowering->model->types.data[frame->type].offset;

	if (waits == LINK_INVALID)
		return bad_reference(lowering, from, lowering->bad_reference);
	return lower_fail(lowering, from, "is part of a cycle of types without a name, with",
			  lowering->model->types.data[waits - 1].offset);
}

/*
 * Lowers a type and, before it, everything it refers to that is not a tag; lowering->hint is its
 * hint. A type that is met again
 * while it is still being lowered is a cycle without a name in it, which C cannot express.
 */
static bool lower_type(struct lowering *lowering, uint32_t index)
{
	struct lower_frame frame = { .type = index, .known = lowering->hint };
	shape_ref *refs = lowering->refs.data;

	if (refs[index + 1] == LOWER_PENDING)
		refs[index + 1] = LOWER_ACTIVE;
	lowering->stack.count = lowering->words.count = 0;
	for (;;) {
		shape_ref result = SHAPE_VOID;
		uint32_t waits = advance(lowering, &frame, &result);

		if (waits) {
			if (waits == LINK_INVALID || refs[waits] == LOWER_ACTIVE)
				return lower_refused(lowering, &frame, waits);
			refs[waits] = LOWER_ACTIVE;
			array_push(&lowering->stack, frame);
			frame = (struct lower_frame){ .type = waits - 1, .known = lowering->hint };
			continue;
		}
		finish_type(lowering, frame.type, result);
		if (!lowering->stack.count)
			return true;
		if (frame.started && !frame.known)
			lowering->words.count = frame.words;
		frame = lowering->stack.data[--lowering->stack.count];
	}
}

static bool is_definition(const struct lowering *lowering, uint32_t index)
{
	const struct dwarf_type *type = &lowering->model->types.data[index];

	/* _Atomic struct s and a stand-in for a type unit's type refer to a tag: no definitions. */
	return ref_is_tag(lowering->refs.data[index + 1]) &&
	       (is_record(type) || type->kind == DWARF_ENUM) && !(type->flags & TYPE_DECLARATION);
}

/* Lowers type `i`, unless it has been lowered, or only names something. */
static inline bool lower_pending(struct lowering *lowering, uint32_t i)
{
	shape_ref ref = lowering->refs.data[i + 1];

	if (ref == LOWER_PENDING)
		return lower_simple(lowering, i + 1) || lower_type(lowering, i);
	return !ref_is_tag(ref) || !is_definition(lowering, i) || lower_type(lowering, i);
}

/* Anonymous declarations say nothing; they become empty types, as the DWARF has it. */
bool lower_all(struct lowering *lowering)
{
	lowering->hint = 0;
	for (uint32_t i = 0; i < lowering->model->types.count; i++) {
		if (!lower_pending(lowering, i))
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
	array_reserve(&lowering->annotation_heads, model->types.count);
	lowering->annotation_heads.count = model->types.count;
	memset(lowering->annotation_heads.data, 0, model->types.count * sizeof(uint32_t));
	for (size_t i = model->annotations.count; i-- > 0;) {
		const struct dwarf_annotation *annotation = &model->annotations.data[i];

		if (annotation->is_type_tag && annotation->owner_kind == ANNOTATES_TYPE)
			lowering->annotation_heads.data[annotation->owner] = (uint32_t)i + 1;
	}
}

/*
 * Base types of sizes that no C type has exist only for location expressions (clang's
 * DW_ATE_unsigned_24, GCC's nameless ones): nothing refers to them, so they are no roots.
 */
static bool is_expression_type(const struct lowering *lowering, const struct dwarf_type *type)
{
	return type->kind == DWARF_BASE &&
	       (!type->name ||
		strncmp(name_table_text(lowering->names, type->name), "DW_ATE_", 7) == 0);
}

/* Makes an entry of the group of type `i`. */
static inline void record_type(struct lowering *lowering, uint32_t i)
{
	shape_ref ref = lowering->refs.data[i + 1];

	if (is_definition(lowering, i))
		collector_add(lowering->collector, ref_tag(ref), lowering->shapes.data[i]);
	else if (ref && !ref_is_tag(ref) &&
		 !is_expression_type(lowering, &lowering->model->types.data[i]))
		collector_add(lowering->collector, TAG_NONE, ref);
}

/*
 * One pass over the types of an ordinary group: each is lowered and recorded, and what followed the
 * last one elsewhere is the hint for the next. 3.3 million types of a kernel.
 */
static bool lower_and_record(struct lowering *lowering)
{
	for (uint32_t i = 0; i < lowering->model->types.count; i++) {
		lowering->hint = collector_successor(lowering->collector,
						     lowering->collector->last);
		if (!lower_pending(lowering, i))
			return false;
		record_type(lowering, i);
	}
	return true;
}

/* A group with repeated definitions: what they are is known only when all have been lowered. */
static bool lower_contested(struct lowering *lowering)
{
	if (!lower_all(lowering) || !lower_variants(lowering))
		return false;
	for (uint32_t i = 0; i < lowering->model->types.count; i++)
		record_type(lowering, i);
	return true;
}

bool lower_types(struct lowering *lowering, struct dwarf_model *model, uint32_t group,
		 struct error *err)
{
	lowering->model = model;
	lowering->err = err;
	lowering->birth_base = (uint64_t)group << 32;
	index_annotations(lowering);
	start_group(lowering);
	assign_tags(lowering, group);
	if (lowering->contested.count ? !lower_contested(lowering) : !lower_and_record(lowering))
		return false;
	lower_decl_tags(lowering);
	count_types(lowering);
	return true;
}
