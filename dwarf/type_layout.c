/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Nearly every parameter is a scalar: those are answered from a constant table of leaves. Records
 * are walked with an explicit stack of frames; an array's element is walked once and its leaves are
 * repeated. DWARF has alignment only where an attribute asks for one: a scalar's is its size, a
 * record's natural one that of its members as they are declared, unless its size or some member's
 * offset contradicts, which means that it is packed.
 */
#include "dwarf/type_layout.h"

#include <dwarf.h>
#include <stdlib.h>
#include <string.h>

/* A type of at most that many bytes may travel in registers, so its leaves have to be known. */
#define MAX_REGISTER_BYTES 128

void type_layout_init(struct type_layout *layout, uint8_t address_bytes)
{
	memset(layout, 0, sizeof(*layout));
	layout->address_bytes = address_bytes;
}

void type_layout_reset(struct type_layout *layout, const struct dwarf_model *model)
{
	layout->model = model;
	layout->block = layout->block_used = 0;
	for (size_t i = 0; i < TYPE_LAYOUT_MEMO; i++)
		layout->memo[i].link = 0;
}

void type_layout_release(struct type_layout *layout)
{
	array_free(&layout->blocks);
}

#define LEAF(class, bytes)                                                                         \
	{                                                                                          \
		{ 0, bytes, class, false }, { bytes, bytes, class, false }                         \
	}
#define LEAVES(class)                                                                              \
	{                                                                                          \
		LEAF(class, 1), LEAF(class, 2), LEAF(class, 4), LEAF(class, 8), LEAF(class, 12),   \
			LEAF(class, 16), LEAF(class, 32), LEAF(class, 64)                          \
	}

/* Two of each, the second one after the first, for complex numbers. */
static const struct abi_leaf scalar_leaves[][8][2] = {
	[ABI_INTEGER] = LEAVES(ABI_INTEGER),
	[ABI_FLOAT] = LEAVES(ABI_FLOAT),
	[ABI_VECTOR] = LEAVES(ABI_VECTOR),
};

/* `count` leaves of that size each. A size that no machine has is refused. */
static bool set_scalar(struct abi_type *type, enum abi_class class, uint64_t bytes, uint32_t count)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 12, 16, 32, 64 };	/* 64: AVX-512 */
	size_t row = 0;

	while (row < sizeof(sizes) && sizes[row] != bytes)
		row++;
	if (row == sizeof(sizes) || (bytes > 16 && class != ABI_VECTOR) ||
	    (bytes == 12 && class != ABI_FLOAT))
		return false;
	type->leaves = scalar_leaves[class][row];
	type->leaf_count = count;
	type->size_bytes = bytes * count;
	type->alignment_bytes = type->natural_bytes = bytes == 12 ? 4 : (uint32_t)bytes;
	return true;
}

static bool is_signed(uint8_t encoding)
{
	return encoding == DW_ATE_signed || encoding == DW_ATE_signed_char;
}

static bool is_walked(const struct dwarf_type *type)
{
	return type->kind == DWARF_STRUCT || type->kind == DWARF_UNION ||
	       (type->kind == DWARF_ARRAY && !(type->flags & TYPE_VECTOR));
}

/* The layout of a type that is neither a record nor an array, after typedefs and qualifiers. */
static inline bool scalar_of(const struct type_layout *layout, const struct dwarf_type *scalar,
			     struct abi_type *type)
{
	uint8_t encoding = scalar->encoding;
	uint64_t bytes = scalar->size_bytes;
	const struct dwarf_type *base;

	*type = (struct abi_type){ 0 };
	switch ((enum dwarf_type_kind)scalar->kind) {
	case DWARF_POINTER:
		return set_scalar(type, ABI_INTEGER, bytes ? bytes : layout->address_bytes, 1);
	case DWARF_ENUM:
		if (scalar->flags & TYPE_DECLARATION)
			return false;
		type->is_signed = scalar->flags & TYPE_NEGATIVE;
		base = dwarf_model_behind(layout->model, scalar->type);
		if (base && base->kind == DWARF_BASE)
			type->is_signed = is_signed(base->encoding);
		if (base && !bytes)
			bytes = base->size_bytes;
		return set_scalar(type, ABI_INTEGER, bytes ? bytes : 4, 1);
	case DWARF_BASE: break;
	default: return false;	/* a function or a type of C++: not a parameter of C */
	}
	/* Other encodings (decimal, fixed point, GNU's) are in no calling convention here. */
	type->is_signed = is_signed(encoding);
	switch (encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char:
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
	case DW_ATE_boolean:
	case DW_ATE_address:
	case DW_ATE_UTF: return set_scalar(type, ABI_INTEGER, bytes, 1);
	case DW_ATE_float: return set_scalar(type, ABI_FLOAT, bytes, 1);
	case DW_ATE_complex_float:
		type->is_complex = true;
		return bytes % 2 == 0 && set_scalar(type, ABI_FLOAT, bytes / 2, 2);
	default: return false;
	}
}

/* The number of elements of all dimensions; 0: none, or not known. Too many fit into no record. */
static uint64_t element_count(const struct dwarf_model *model, const struct dwarf_type *array)
{
	uint64_t count = array->count ? 1 : 0;

	for (uint32_t i = 0; i < array->count; i++) {
		if (__builtin_mul_overflow(count, model->dimensions.data[array->first + i], &count))
			return UINT64_MAX;
	}
	return count;
}

/* A vector of scalars: a member that says so, or an array that is alone. */
static bool vector_of(const struct type_layout *layout, const struct dwarf_type *array,
		      struct abi_type *type)
{
	const struct dwarf_type *scalar = dwarf_model_behind(layout->model, array->type);
	uint64_t bytes = element_count(layout->model, array);
	struct abi_type element;

	if (!scalar || array->count != 1 || !scalar_of(layout, scalar, &element) ||
	    element.leaf_count != 1 ||
	    __builtin_mul_overflow(bytes, element.size_bytes, &bytes))
		return false;
	*type = (struct abi_type){ 0 };
	return set_scalar(type, ABI_VECTOR, bytes, 1);
}

/* A copy of the scratch leaves that stays where it is until the next reset. */
static const struct abi_leaf *keep_leaves(struct type_layout *layout)
{
	const size_t room = sizeof(layout->blocks.data[0]->leaves) / sizeof(struct abi_leaf);
	struct abi_leaf *kept;

	if (layout->block < layout->blocks.count &&
	    room - layout->block_used < layout->scratch_count) {
		layout->block++;
		layout->block_used = 0;
	}
	if (layout->block == layout->blocks.count)
		array_push(&layout->blocks, memory_alloc(sizeof(struct layout_block)));
	kept = layout->blocks.data[layout->block]->leaves + layout->block_used;
	memcpy(kept, layout->scratch, layout->scratch_count * sizeof(*kept));
	layout->block_used += layout->scratch_count;
	return kept;
}

/* By offset; unions are what is out of order. Nearly sorted, so insertion. */
static void sort_leaves(struct abi_leaf *leaves, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		struct abi_leaf leaf = leaves[i];
		size_t k = i;

		for (; k > 0 && leaves[k - 1].offset_bytes > leaf.offset_bytes; k--)
			leaves[k] = leaves[k - 1];
		leaves[k] = leaf;
	}
}

struct walk {
	struct type_layout *layout;
	size_t depth;
	uint32_t steps;
	uint64_t limit_bytes;	/* the size of the whole: nothing may reach beyond it */
	size_t unreal;		/* depth of an array of no length: what is in it takes no room */
	bool too_many;		/* leaves: they are not listed */
	bool is_variable;
	bool has_odd_part;
	/* What has been laid out last: a member's type. */
	uint64_t size_bytes;
	uint32_t alignment_bytes;	/* as declared */
	uint32_t natural_bytes;		/* of a record: without its own attribute */
	bool is_wrapper;
};

static bool add_leaf(struct walk *walk, uint64_t offset, uint64_t bytes, uint8_t class,
		     bool is_bitfield)
{
	struct type_layout *layout = walk->layout;

	if (walk->unreal)
		return true;
	if (offset > walk->limit_bytes || bytes > walk->limit_bytes - offset)
		return false;
	if (layout->scratch_count == TYPE_LAYOUT_MAX_LEAVES) {
		walk->too_many = true;
		return true;
	}
	layout->scratch[layout->scratch_count++] =
		(struct abi_leaf){ (uint32_t)offset, (uint16_t)bytes, class, is_bitfield };
	return true;
}

/* A scalar member, or a bitfield, of the record on top. */
static bool add_scalar(struct walk *walk, const struct dwarf_member *member,
		       const struct dwarf_type *scalar, uint64_t offset)
{
	struct abi_type type;

	if (scalar->kind == DWARF_ARRAY ? !vector_of(walk->layout, scalar, &type)
					: !scalar_of(walk->layout, scalar, &type))
		return false;
	walk->size_bytes = type.size_bytes;
	walk->alignment_bytes = type.natural_bytes;
	walk->is_wrapper = !type.is_complex && !(member && member->size_bits);
	if (member && member->size_bits) {
		int64_t bits =
			dwarf_member_begin(member, type.size_bytes, walk->layout->big_endian);
		uint64_t first, end;

		if (bits < 0)
			return false;
		first = (uint64_t)bits / 8;
		end = ((uint64_t)bits + member->size_bits + 7) / 8;
		return add_leaf(walk, offset + first, end - first, ABI_INTEGER, true);
	}
	for (uint32_t i = 0; i < type.leaf_count; i++) {
		if (!add_leaf(walk, offset + type.leaves[i].offset_bytes, type.leaves[i].size_bytes,
			      type.leaves[i].class, false))
			return false;
	}
	return true;
}

/*
 * Goes into a type: a scalar is done at once, a record or an array becomes the frame on top. The
 * offset is that from the start of the whole.
 */
static bool enter(struct walk *walk, const struct dwarf_member *member, uint32_t link,
		  uint64_t offset)
{
	struct type_layout *layout = walk->layout;
	const struct dwarf_type *type;

	link = dwarf_model_strip(layout->model, link);
	if (!link)
		return false;
	type = &layout->model->types.data[link - 1];
	if (!is_walked(type))
		return add_scalar(walk, member, type, offset);
	if (walk->depth == TYPE_LAYOUT_MAX_DEPTH || type->flags & TYPE_DECLARATION ||
	    (member && member->size_bits))
		return false;
	layout->frames[walk->depth++] = (struct layout_frame){
		.type = link - 1,
		.offset_bytes = offset,
		.first_leaf = layout->scratch_count,
		.alignment_bytes = 1,
	};
	if (type->kind == DWARF_ARRAY && !walk->unreal && !element_count(layout->model, type)) {
		walk->unreal = walk->depth;
		walk->is_variable = true;
	}
	return true;
}

/* One step of the array on top: its element, or its end, which repeats the element's leaves. */
static bool step_array(struct walk *walk, struct layout_frame *frame,
		       const struct dwarf_type *array)
{
	struct type_layout *layout = walk->layout;
	uint64_t count = element_count(layout->model, array);
	size_t end = layout->scratch_count;
	uint64_t bytes;

	if (!frame->next) {
		frame->next = 1;
		return enter(walk, NULL, dwarf_model_known_link(layout->model, array->type),
			     frame->offset_bytes);
	}
	walk->depth--;
	walk->is_wrapper = false;
	if (__builtin_mul_overflow(count, walk->size_bytes, &bytes))
		return false;
	if (walk->unreal) {
		walk->unreal = walk->unreal == walk->depth + 1 ? 0 : walk->unreal;
		walk->size_bytes = bytes;
		return true;
	}
	if (frame->offset_bytes > walk->limit_bytes ||
	    bytes > walk->limit_bytes - frame->offset_bytes)
		return false;
	for (uint64_t i = 1; i < count && end > frame->first_leaf && !walk->too_many; i++) {
		for (size_t k = frame->first_leaf; k < end && !walk->too_many; k++) {
			struct abi_leaf leaf = layout->scratch[k];

			if (!add_leaf(walk, leaf.offset_bytes + i * walk->size_bytes,
				      leaf.size_bytes, leaf.class, leaf.is_bitfield))
				return false;
		}
	}
	walk->size_bytes = bytes;	/* the alignment is the element's */
	return true;
}

/* One step of the record on top: its next member, or its end. */
static bool step_record(struct walk *walk, struct layout_frame *frame,
			const struct dwarf_type *record)
{
	const struct dwarf_model *model = walk->layout->model;
	const struct dwarf_member *member = &model->members.data[record->first + frame->next];

	/* The member that has just been laid out is the one before. */
	if (frame->next) {
		if (walk->alignment_bytes > frame->alignment_bytes)
			frame->alignment_bytes = walk->alignment_bytes;
		if (!member[-1].size_bits &&
		    member[-1].offset_bits / 8 % walk->alignment_bytes)
			frame->is_packed = true;
		frame->is_wrapper = walk->is_wrapper;
	}
	if (frame->next < record->count) {
		frame->next++;
		/* The offset of a bitfield is counted in bits, from the start of the record. */
		return member->offset_bits != UINT32_MAX &&
		       enter(walk, member, dwarf_model_known_link(model, member->type),
			     frame->offset_bytes +
				     (member->size_bits ? 0 : member->offset_bits / 8));
	}
	walk->depth--;
	walk->size_bytes = record->size_bytes;
	walk->natural_bytes = frame->alignment_bytes;
	if (frame->is_packed || record->size_bytes % frame->alignment_bytes)
		walk->natural_bytes = 1;
	walk->alignment_bytes = walk->natural_bytes;
	/* An attribute that asks for less has no effect, but clang writes it all the same. */
	if (1u << record->alignment_log2 > walk->alignment_bytes)
		walk->alignment_bytes = 1u << record->alignment_log2;
	walk->is_wrapper = frame->is_wrapper && record->kind == DWARF_STRUCT && record->count == 1;
	return true;
}

static bool walk_record(struct type_layout *layout, uint32_t link, struct abi_type *type)
{
	const struct dwarf_type *record = &layout->model->types.data[link - 1];
	struct walk walk = { .layout = layout, .limit_bytes = record->size_bytes };

	layout->scratch_count = 0;
	if (!enter(&walk, NULL, link, 0))
		return false;
	while (walk.depth) {
		struct layout_frame *frame = &layout->frames[walk.depth - 1];
		const struct dwarf_type *part = &layout->model->types.data[frame->type];
		size_t depth = walk.depth;

		if (++walk.steps > TYPE_LAYOUT_MAX_STEPS ||
		    !(part->kind == DWARF_ARRAY ? step_array(&walk, frame, part)
						: step_record(&walk, frame, part)))
			return false;
		if (walk.depth && walk.depth < depth &&
		    (walk.size_bytes > 8 || walk.size_bytes & (walk.size_bytes - 1)))
			walk.has_odd_part = true;
	}
	if (walk.too_many && record->size_bytes <= MAX_REGISTER_BYTES)
		return false;
	*type = (struct abi_type){
		.size_bytes = record->size_bytes,
		.alignment_bytes = walk.alignment_bytes,
		.natural_bytes = walk.natural_bytes,
		.is_record = true,
		.is_union = record->kind == DWARF_UNION,
		.is_wrapper = walk.is_wrapper,
		.has_odd_part = walk.has_odd_part,
		.is_variable = walk.is_variable,
	};
	if (!walk.too_many && layout->scratch_count) {
		sort_leaves(layout->scratch, layout->scratch_count);
		type->leaves = keep_leaves(layout);
		type->leaf_count = (uint32_t)layout->scratch_count;
	}
	return true;
}

bool type_layout_of(struct type_layout *layout, uint32_t link, struct abi_type *type)
{
	const struct dwarf_type *found;
	struct layout_memo *memo;

	*type = (struct abi_type){ .alignment_bytes = 1, .natural_bytes = 1 };
	if (!link)
		return true;
	link = dwarf_model_strip(layout->model, link);
	if (!link)
		return true;	/* `const void` */
	found = &layout->model->types.data[link - 1];
	if (found->kind == DWARF_ARRAY)
		return vector_of(layout, found, type);
	if (found->kind == DWARF_UNSPECIFIED)
		return true;	/* what assemblers give their functions as a result: nothing */
	if (!is_walked(found))
		return scalar_of(layout, found, type);
	memo = &layout->memo[link % TYPE_LAYOUT_MEMO];
	if (memo->link != link) {
		memo->link = link;
		memo->known = walk_record(layout, link, &memo->type);
	}
	*type = memo->type;
	return memo->known;
}
