/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Types with members or parameters: STRUCT, UNION, FUNC_PROTO. Their words are written onto the
 * word stack as their references become known; a type that waits for one goes on where it was.
 */
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

/*
 * Offset of a member in BTF's counting, from the first bit of the struct in memory order. DWARF 4
 * and 5 count the same way. DWARF 2 and 3 count a bitfield from the most significant bit of its
 * storage unit: that is the same direction on big-endian machines, the opposite on others.
 */
static uint32_t member_offset(const struct lowering *lowering, const struct dwarf_member *member)
{
	int64_t bits = member->offset_bits;

	if (!member->has_msb_offset || member->offset_bits == UINT32_MAX)
		return member->offset_bits;
	if (lowering->object->big_endian) {
		bits += member->msb_offset;
	} else {
		uint64_t storage = member->storage_bytes;

		if (!storage)
			storage = size_of(lowering, dwarf_model_known_link(lowering->model,
									   member->type));

		bits += (int64_t)(storage & UINT32_MAX) * 8 - member->msb_offset -
			member->size_bits;
	}
	return bits >= 0 && bits < UINT32_MAX ? (uint32_t)bits : UINT32_MAX;
}

/* The link without typedefs and qualifiers, 0 for void. */
static uint32_t strip_link(const struct lowering *lowering, uint32_t link)
{
	const struct dwarf_model *model = lowering->model;

	for (size_t steps = 0; link && steps <= model->types.count; steps++) {
		const struct dwarf_type *type = &model->types.data[link - 1];

		switch ((enum dwarf_type_kind)type->kind) {
		case DWARF_TYPEDEF:
		case DWARF_CONST:
		case DWARF_VOLATILE:
		case DWARF_RESTRICT:
		case DWARF_ATOMIC:
		case DWARF_ALIAS:
			link = dwarf_model_known_link(model, type->type);
			break;
		default:
			return link;
		}
	}
	return link;
}

/* ---- records ---- */

/*
 * A member as three words; false: BTF has no room for it.
 *
 * Normally only bitfields have bits. But with kind_flag set the kernel takes an enum without bits
 * for one of 32, whatever its size is, and rejects the whole BTF when that extends past the end of
 * the struct. With its bits, a packed enum at the end passes.
 */
static bool member_words(const struct lowering *lowering, const struct dwarf_type *record,
			 const struct dwarf_member *member, struct node_ref ref, uint32_t words[3])
{
	const struct dwarf_model *model = lowering->model;
	uint32_t offset = member_offset(lowering, member);
	uint32_t bits = member->size_bits;

	if (offset > lower_offset_limit(record))
		return false;
	if (!bits && lower_may_need_bits(record, member)) {
		uint32_t link = strip_link(lowering, dwarf_model_known_link(model, member->type));
		const struct dwarf_type *type = link ? &model->types.data[link - 1] : NULL;

		if (type && type->kind == DWARF_ENUM && type->size_bytes < 4)
			bits = (uint32_t)type->size_bytes * 8;
	}
	words[0] = member->name;
	words[1] = ref.word;
	words[2] = offset | bits << 24;
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

/* STRUCT and UNION. With a bitfield in it, kind_flag is set and offsets have 24 bits. */
uint32_t lower_record(struct lowering *lowering, struct lower_frame *frame,
		      const struct dwarf_type *type, struct node_ref *result)
{
	const struct dwarf_member *members = lowering->model->members.data + type->first;
	uint32_t count = lower_clamp(type->count);
	uint32_t *words;

	if (!frame->started)
		reserve_words(lowering, frame, BTF_HEAD_WORDS + 3 * count);
	for (; frame->next < count; frame->next++) {
		uint32_t link = lower_link(lowering, members[frame->next].type);

		if (!lower_is_ready(lowering, link))
			return link;
		if (member_words(lowering, type, &members[frame->next], lowering->refs.data[link],
				 next_element(lowering, frame, 3)))
			frame->kept++;
		else
			lowering->counts.inexpressible++;
	}
	lowering->counts.inexpressible += type->count - count;
	words = lowering->words.data + frame->words;
	words[BTF_WORD_NAME] = type->name;
	words[BTF_WORD_INFO] = lower_record_info(type, frame->kept);
	words[BTF_WORD_SIZE] = (uint32_t)type->size_bytes;
	*result = ref_to_node(lower_intern(lowering, words));
	return 0;
}

/* ---- prototypes ---- */

/* The kernel rejects a prototype that returns `const void` or a typedef of void: it is void. */
static void write_prototype_head(const struct lowering *lowering, uint32_t *words, uint32_t link,
				 uint32_t parameters)
{
	uint32_t end = strip_link(lowering, link);

	words[BTF_WORD_NAME] = 0;
	words[BTF_WORD_INFO] = btf_info(BTF_FUNC_PROTO, parameters, false);
	words[BTF_WORD_TYPE] =
		end && lowering->model->types.data[end - 1].kind != DWARF_UNSPECIFIED
			? lowering->refs.data[link].word : 0;
}

/* FUNC_PROTO of a subroutine type. A "..." is one more parameter, without name and type. */
uint32_t lower_subroutine(struct lowering *lowering, struct lower_frame *frame,
			  const struct dwarf_type *type, struct node_ref *result)
{
	const struct dwarf_parameter *parameters =
		lowering->model->parameters.data + type->first;
	uint32_t count = lower_clamp(type->count + !!(type->flags & TYPE_VARIADIC));
	uint32_t returned = lower_link(lowering, type->type);

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
	write_prototype_head(lowering, lowering->words.data + frame->words, returned, count);
	*result = ref_to_node(lower_intern(lowering, lowering->words.data + frame->words));
	return 0;
}

const uint32_t *lower_prototype_words(struct lowering *lowering,
				      const struct dwarf_function *function, bool *unnamed)
{
	const struct dwarf_parameter *parameters =
		lowering->model->parameters.data + function->first_parameter;
	uint32_t total = lower_clamp(function->parameter_count +
					!!(function->flags & FUNCTION_VARIADIC));
	struct node_ref result;
	uint32_t *words;

	*unnamed = false;
	lowering->words.count = 0;
	array_reserve(&lowering->words, BTF_HEAD_WORDS + 2 * total);
	words = lowering->words.data;
	if (!lower_ref(lowering, function->type, function->offset, &result))
		return NULL;
	write_prototype_head(lowering, words,
			     dwarf_model_known_link(lowering->model, function->type), total);
	for (uint32_t i = 0; i < total; i++) {
		uint32_t *element = words + BTF_HEAD_WORDS + 2 * i;
		struct node_ref type;

		element[0] = element[1] = 0;
		if (i == function->parameter_count)
			break;
		element[0] = parameters[i].name;
		*unnamed |= !element[0] ||
			    !btf_is_identifier(name_table_text(lowering->names, element[0]));
		if (!lower_ref(lowering, parameters[i].type, function->offset, &type))
			return NULL;
		element[1] = type.word;
	}
	return words;
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
