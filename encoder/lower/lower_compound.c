/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Types with members or parameters: STRUCT, UNION, FUNC_PROTO. Their words are written onto the
 * word stack as their references become known; a type that waits for one goes on where it was.
 */
#include <string.h>

#include "base/sort.h"
#include "encoder/lower/lower_state.h"

/* ---- where members are ---- */

/* Size of a type in bytes, 0 when it has none: only for old bitfields, so it may be slow. */
static uint64_t size_of(const struct lowering *lowering, uint32_t link)
{
	const struct dwarf_model *model = lowering->model;

	for (size_t steps = 0; link && steps <= model->types.count; steps++) {
		const struct dwarf_type *type = &model->types.data[link - 1];

		if (type->size_bytes || type->kind == DWARF_BASE || type->kind == DWARF_ENUM)
			return type->size_bytes ? type->size_bytes : 4;
		link = dwarf_model_known_link(model, type->type);
	}
	return 0;
}

static uint32_t member_offset(const struct lowering *lowering, const struct dwarf_member *member)
{
	uint64_t type_bytes = 0;
	int64_t bits;

	if (!member->has_msb_offset || member->offset_bits == UINT32_MAX)
		return member->offset_bits;
	if (!member->storage_bytes)
		type_bytes = size_of(lowering, dwarf_model_known_link(lowering->model,
								      member->type));
	bits = dwarf_member_begin(member, type_bytes & UINT32_MAX, lowering->object->big_endian);
	return bits >= 0 && bits < UINT32_MAX ? (uint32_t)bits : UINT32_MAX;
}

/* ---- records ---- */

/*
 * Normally only bitfields have bits. But with kind_flag set the kernel takes an enum without bits
 * for one of 32, whatever its size is, and rejects the whole BTF when that extends past the end of
 * the struct. With its bits, a packed enum at the end passes.
 */
bool lower_member_place(const struct lowering *lowering, const struct dwarf_type *record,
			const struct dwarf_member *member, uint32_t *place)
{
	uint32_t offset = member_offset(lowering, member);
	uint32_t bits = member->size_bits;

	if (offset > lower_offset_limit(lowering, record) ||
	    (bits && !lower_has_sizes(lowering, record)))
		return false;
	if (!bits && lower_may_need_bits(record, member) && lower_has_sizes(lowering, record)) {
		const struct dwarf_type *type = dwarf_model_behind(lowering->model, member->type);

		if (type && type->kind == DWARF_ENUM && type->size_bytes < 4)
			bits = (uint32_t)type->size_bytes * 8;
	}
	*place = offset | bits << 24;
	return true;
}

/* Makes room for a frame's words on top of the word stack. */
static void reserve_words(struct lowering *lowering, struct lower_frame *frame, uint32_t count)
{
	frame->started = true;
	frame->words = (uint32_t)lowering->words.count;
	array_reserve(&lowering->words, count);
	lowering->words.count += count;
}

/* The words of the element that comes next. */
static uint32_t *next_element(const struct lowering *lowering, const struct lower_frame *frame,
			      uint32_t stride)
{
	return lowering->words.data + frame->words + BTF_HEAD_WORDS + stride * frame->kept;
}

/* The bits of a member's third word that are its offset. */
static uint32_t offset_mask(const struct lowering *lowering, const struct dwarf_type *record)
{
	return lower_has_sizes(lowering, record) ? BTF_MAX_MEMBER_BITS_KFLAG : UINT32_MAX;
}

/*
 * The members of a record that is not as DWARF has it get positions, which DECL_TAGs take;
 * NO_POSITION: BTF has no room for it.
 *
 * The kernel wants members in the order of their offsets. C has them so, but Rust moves them, and
 * C++ has a base class before the pointer to the table of its virtual functions. Those of one
 * offset stay as declared.
 */
static void order_members(struct lowering *lowering, const struct lower_frame *frame,
			  const struct dwarf_type *type, uint32_t count)
{
	const struct dwarf_member *members = lowering->model->members.data + type->first;
	uint32_t position = 0, bytes = frame->kept * 3 * (uint32_t)sizeof(uint32_t), ignored;
	uint32_t *words, *copy, *positions;
	struct sort_item *items;

	array_reserve(&lowering->words, 3 * frame->kept);
	copy = lowering->words.data + lowering->words.count;
	words = lowering->words.data + frame->words + BTF_HEAD_WORDS;
	memcpy(copy, words, bytes);
	items = memory_alloc(frame->kept * sizeof(*items));
	for (uint32_t i = 0; i < frame->kept; i++)
		items[i] = (struct sort_item){ copy[3 * i + 2] & offset_mask(lowering, type), i };
	if (type->kind == DWARF_STRUCT)
		sort_by_key(items, frame->kept);
	for (uint32_t i = 0; i < frame->kept; i++)
		memcpy(words + 3 * i, copy + 3 * items[i].value, 3 * sizeof(*words));
	for (uint32_t i = 0; i < frame->kept; i++)
		copy[items[i].value] = i;
	free(items);

	if (!lowering->moved.count)
		array_zero(&lowering->moved, lowering->model->types.count);
	lowering->moved.data[frame->type] = (uint32_t)lowering->positions.count + 1;
	array_reserve(&lowering->positions, type->count);
	positions = lowering->positions.data + lowering->positions.count;
	lowering->positions.count += type->count;
	for (uint32_t i = 0; i < type->count; i++)
		positions[i] = i < count && lower_member_place(lowering, type, &members[i],
							       &ignored)
				       ? copy[position++] : LOWER_NO_POSITION;
}

/* STRUCT and UNION. With sizes of bitfields kind_flag is set. */
uint32_t lower_record(struct lowering *lowering, struct lower_frame *frame,
		      const struct dwarf_type *type, struct node_ref *result)
{
	const struct dwarf_member *members = lowering->model->members.data + type->first;
	uint32_t count = lower_clamp(type->count);
	uint32_t *words, last = 0;
	bool in_order = true;

	if (!frame->started)
		reserve_words(lowering, frame, BTF_HEAD_WORDS + 3 * count);
	for (; frame->next < count; frame->next++) {
		uint32_t link = lower_link(lowering, members[frame->next].type);

		if (!lower_is_ready(lowering, link))
			return link;
		words = next_element(lowering, frame, 3);
		if (!lower_member_place(lowering, type, &members[frame->next], &words[2])) {
			lowering->counts.inexpressible++;
			continue;
		}
		words[0] = members[frame->next].name;
		words[1] = lowering->refs.data[link].word;
		frame->kept++;
	}
	lowering->counts.inexpressible += type->count - count;
	words = lowering->words.data + frame->words;
	for (uint32_t i = 0; i < frame->kept && type->kind == DWARF_STRUCT; i++) {
		uint32_t offset = words[BTF_HEAD_WORDS + 3 * i + 2] & offset_mask(lowering, type);

		in_order &= offset >= last;
		last = offset;
	}
	if (!in_order || frame->kept < type->count) {
		order_members(lowering, frame, type, count);
		words = lowering->words.data + frame->words;
	}
	words[BTF_WORD_NAME] = type->name;
	words[BTF_WORD_INFO] = lower_record_info(lowering, type, frame->kept);
	words[BTF_WORD_SIZE] = (uint32_t)type->size_bytes;
	*result = ref_to_node(lower_intern(lowering, words));
	return 0;
}

/* ---- prototypes ---- */

/*
 * Writes a FUNC_PROTO. A "..." is one more parameter, without name and type. The kernel rejects a
 * prototype that returns `const void` or a typedef of void: it is void.
 */
static uint32_t write_prototype(struct lowering *lowering, struct lower_frame *frame,
				const struct dwarf_type *type)
{
	const struct dwarf_model *model = lowering->model;
	const struct dwarf_parameter *parameters = model->parameters.data + type->first;
	uint32_t count = lower_clamp(type->count + !!(type->flags & TYPE_VARIADIC));
	uint32_t returned = lower_link(lowering, type->type), end;
	uint32_t *words;

	if (!lower_is_ready(lowering, returned))
		return returned;
	if (!frame->started)
		reserve_words(lowering, frame, BTF_HEAD_WORDS + 2 * count);
	for (; frame->next < count; frame->next++, frame->kept++) {
		bool dots = frame->next == type->count;
		uint32_t link =
			lower_link(lowering, dots ? REF_NONE : parameters[frame->next].type);
		uint32_t *element;

		if (!lower_is_ready(lowering, link))
			return link;
		element = next_element(lowering, frame, 2);
		element[0] = dots ? 0 : parameters[frame->next].name;
		element[1] = lowering->refs.data[link].word;
	}
	end = dwarf_model_strip(model, returned);
	words = lowering->words.data + frame->words;
	words[BTF_WORD_NAME] = 0;
	words[BTF_WORD_INFO] = btf_info(BTF_FUNC_PROTO, count, false);
	words[BTF_WORD_TYPE] = end && model->types.data[end - 1].kind != DWARF_UNSPECIFIED
				       ? lowering->refs.data[returned].word : 0;
	return 0;
}

uint32_t lower_subroutine(struct lowering *lowering, struct lower_frame *frame,
			  const struct dwarf_type *type, struct node_ref *result)
{
	uint32_t waits = write_prototype(lowering, frame, type);

	if (!waits)
		*result = ref_to_node(
			lower_intern(lowering, lowering->words.data + frame->words));
	return waits;
}

const uint32_t *lower_prototype_words(struct lowering *lowering,
				      const struct dwarf_function *function, bool *unnamed)
{
	const struct dwarf_type type = {
		.type = function->type, .first = function->first_parameter,
		.count = function->parameter_count,
		.flags = function->flags & FUNCTION_VARIADIC ? TYPE_VARIADIC : 0 };
	struct lower_frame frame = { 0 };

	*unnamed = false;
	for (uint32_t i = 0; i < lower_clamp(type.count); i++) {
		uint32_t name = lowering->model->parameters.data[type.first + i].name;

		*unnamed |= !name || !btf_is_identifier(name_table_text(lowering->names, name));
	}
	lowering->words.count = 0;
	/* All types have been lowered: it waits only for what is not one. */
	if (!write_prototype(lowering, &frame, &type))
		return lowering->words.data + frame.words;
	lower_not_a_type(lowering, function->offset);
	return NULL;
}

bool lower_prototype(struct lowering *lowering, const struct dwarf_function *function,
		     struct node_ref *prototype, bool *unnamed)
{
	const uint32_t *words = lower_prototype_words(lowering, function, unnamed);

	if (!words)
		return false;
	*prototype = ref_to_node(lower_intern(lowering, words));
	return true;
}
