/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Types with members or parameters: STRUCT, UNION, FUNC_PROTO.
 *
 * Nearly always the type has been met before, in another unit, and a hint says which shape it is
 * likely to be: the definition its tag is known by, or what stood in this place the last time. So it
 * is compared with that shape, element by element, as its references become known; nothing is
 * written, hashed or looked up, and the hint's own references are the hints for what it has to wait
 * for. Only when something differs do its words go onto the word stack, first those that were
 * equal, and in the end into the hash table. A kernel's 0.9 million records and their 6 million
 * members take 0.03 s here; TODO_FIG of 100 find their hint right.
 */
#include <string.h>

#include "encoder/lower_state.h"

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
			storage = size_of(lowering, dwarf_model_known_link(lowering->model, member->type));

		bits += (int64_t)(storage & UINT32_MAX) * 8 - member->msb_offset -
			member->size_bits;
	}
	return bits >= 0 && bits < UINT32_MAX ? (uint32_t)bits : UINT32_MAX;
}

/* Behind typedefs and qualifiers: the link of what is meant, 0 for void. */
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
			link = dwarf_model_known_link(model, type->type);
			break;
		default:
			return link;
		}
	}
	return link;
}

/*
 * The bits to give to a member that is no bitfield. Normally none; but with kind_flag set the
 * kernel takes an enum without bits for one of 32, whatever its size is, and rejects the whole BTF
 * when that reaches behind the struct. With its bits said, a packed enum at the end passes.
 */
static uint32_t enum_bits(const struct lowering *lowering, const struct dwarf_type *record,
			  const struct dwarf_member *member)
{
	const struct dwarf_type *type;
	uint32_t link;

	if (member->offset_bits + 32ull <= record->size_bytes * 8)
		return 0;
	link = strip_link(lowering, dwarf_model_known_link(lowering->model, member->type));
	if (!link)
		return 0;
	type = &lowering->model->types.data[link - 1];
	if (type->kind != DWARF_ENUM || !type->size_bytes || type->size_bytes >= 4)
		return 0;
	return (uint32_t)type->size_bytes * 8;
}

/* ---- elements ---- */

static const uint32_t *known_words(const struct lowering *lowering, const struct lower_frame *frame)
{
	return shape_words(&lowering->collector->table, frame->known);
}

/*
 * Starts a type of up to `count` elements of `stride` words each: either with a shape that begins
 * with these words, or with room on the word stack.
 */
static void start(struct lowering *lowering, struct lower_frame *frame,
		  const uint32_t head[BTF_HEAD_WORDS], uint32_t stride, uint32_t count)
{
	frame->started = true;
	frame->known = lower_known_definition(lowering, frame->type, head, frame->known);
	if (!frame->known)
		lower_reserve_words(lowering, frame, BTF_HEAD_WORDS + stride * count);
}

/* It is not the known one after all: its words begin with those that were equal. */
static __attribute__((noinline)) void leave_known(struct lowering *lowering,
						   struct lower_frame *frame, uint32_t stride,
						   uint32_t count)
{
	lower_reserve_words(lowering, frame, BTF_HEAD_WORDS + stride * count);
	memcpy(lowering->words.data + frame->words, known_words(lowering, frame),
	       (BTF_HEAD_WORDS + stride * frame->kept) * sizeof(uint32_t));
	frame->known = 0;
}

/* The next element of a type of `count`. */
static inline void put(struct lowering *lowering, struct lower_frame *frame,
		       const uint32_t *element, uint32_t stride, uint32_t count)
{
	uint32_t at = BTF_HEAD_WORDS + stride * frame->kept;

	if (frame->known &&
	    memcmp(known_words(lowering, frame) + at, element, stride * sizeof(*element)) != 0)
		leave_known(lowering, frame, stride, count);
	if (!frame->known)
		memcpy(lowering->words.data + frame->words + at, element,
		       stride * sizeof(*element));
	frame->kept++;
}

/* What the element's type will be, if the rest is like the known shape. */
static uint32_t element_hint(const struct lowering *lowering, const struct lower_frame *frame,
			     uint32_t stride)
{
	if (!frame->known)
		return 0;
	return lower_hint(known_words(lowering, frame)[BTF_HEAD_WORDS + stride * frame->kept + 1]);
}

/*
 * The link of an element's reference, whose type has been lowered; otherwise *waits is the link of
 * what has to be lowered first, or LINK_INVALID.
 */
static inline bool resolve(struct lowering *lowering, const struct lower_frame *frame,
			   uint32_t reference, uint32_t stride, shape_ref *ref, uint32_t *waits)
{
	uint32_t link = lower_link(lowering, reference);

	*waits = link;
	if (link == LINK_INVALID)
		return false;
	if (lowering->refs.data[link] >= LOWER_ACTIVE) {
		lowering->hint = element_hint(lowering, frame, stride);
		if (!lower_simple(lowering, link))
			return false;
	}
	*ref = lowering->refs.data[link];
	return true;
}

/* ---- records ---- */

static uint32_t record_info(const struct dwarf_type *type, uint32_t members)
{
	return btf_info(type->kind == DWARF_UNION ? BTF_UNION : BTF_STRUCT, members,
			type->flags & TYPE_BITFIELDS);
}

/* The last bit that BTF can say: with a bitfield in the record, 8 of 32 bits are for sizes. */
static uint32_t offset_limit(const struct dwarf_type *record)
{
	return record->flags & TYPE_BITFIELDS ? BTF_MAX_MEMBER_BITS_KFLAG : UINT32_MAX - 1;
}

/*
 * The number of members from the first on that are surely as in these words; references that are
 * still pending are like none. Whatever else takes thinking (offsets in DWARF 2's counting, or
 * beyond `limit`; the bits of an enum) stops here, too, and may be equal all the same. Six million
 * members of a kernel come by, at 3 ns each.
 */
static uint32_t equal_members(const struct dwarf_model *model, const shape_ref *refs,
			      const struct dwarf_member *member, const uint32_t *words,
			      uint32_t count, uint32_t limit)
{
	uint32_t i;

	for (i = 0; i < count; i++, member++, words += 3) {
		uint32_t link = dwarf_model_link_of(model, member->type);
		uint32_t place = member->offset_bits | (uint32_t)member->size_bits << 24;

		if (link == LINK_INVALID || member->offset_bits > limit || member->has_msb_offset ||
		    (words[0] ^ member->name) | (words[1] ^ refs[link]) | (words[2] ^ place))
			break;
	}
	return i;
}

/* A member as three words; false: BTF has no room for it. */
static bool member_words(const struct lowering *lowering, const struct dwarf_type *record,
			 const struct dwarf_member *member, shape_ref ref, uint32_t words[3])
{
	bool bitfields = record->flags & TYPE_BITFIELDS;
	uint32_t offset = member_offset(lowering, member);
	uint32_t bits = member->size_bits;

	if (offset > offset_limit(record))
		return false;
	if (bitfields && !bits)
		bits = enum_bits(lowering, record, member);
	words[0] = member->name;
	words[1] = ref;
	words[2] = offset | bits << 24;
	return true;
}

/* A member is left out: the shape cannot be one of as many members as the DWARF has. */
static void leave_out(struct lowering *lowering, struct lower_frame *frame, uint32_t count)
{
	if (frame->known)
		leave_known(lowering, frame, 3, count);
	lowering->counts.inexpressible++;
}

static uint32_t finish_record(struct lowering *lowering, const struct lower_frame *frame,
			      const struct dwarf_type *type)
{
	uint32_t *words = lowering->words.data + frame->words;

	lowering->counts.inexpressible += type->count - lower_clamp(type->count);
	if (frame->known)
		return frame->known;
	words[BTF_WORD_NAME] = type->name;
	words[BTF_WORD_INFO] = record_info(type, frame->kept);
	words[BTF_WORD_SIZE] = (uint32_t)type->size_bytes;
	return lower_intern(lowering, words, BTF_HEAD_WORDS + 3 * frame->kept, 0);
}

/* STRUCT and UNION. With a bitfield in it, kind_flag is set and offsets have 24 bits. */
uint32_t lower_record(struct lowering *lowering, struct lower_frame *frame,
		      const struct dwarf_type *type, uint32_t *shape)
{
	const struct dwarf_member *members = lowering->model->members.data + type->first;
	uint32_t count = lower_clamp(type->count);

	if (!frame->started)
		start(lowering, frame,
		      (const uint32_t[]){ type->name, record_info(type, count),
					  (uint32_t)type->size_bytes }, 3, count);
	for (;; frame->next++) {
		uint32_t waits, words[3];
		shape_ref ref;

		if (frame->known) {
			frame->next += equal_members(lowering->model, lowering->refs.data,
						     members + frame->next,
						     known_words(lowering, frame) +
							     BTF_HEAD_WORDS + 3 * frame->next,
						     count - frame->next, offset_limit(type));
			frame->kept = frame->next;
		}
		if (frame->next == count)
			break;
		if (!resolve(lowering, frame, members[frame->next].type, 3, &ref, &waits))
			return waits;
		if (member_words(lowering, type, &members[frame->next], ref, words))
			put(lowering, frame, words, 3, count);
		else
			leave_out(lowering, frame, count);
	}
	*shape = finish_record(lowering, frame, type);
	return 0;
}

/* ---- prototypes ---- */

/* FUNC_PROTO of a subroutine type. A "..." is one more parameter, without name and type. */
uint32_t lower_subroutine(struct lowering *lowering, struct lower_frame *frame,
			  const struct dwarf_type *type, uint32_t *shape)
{
	const struct dwarf_parameter *parameters =
		lowering->model->parameters.data + type->first;
	uint32_t count = lower_clamp(type->count + !!(type->flags & TYPE_VARIADIC));
	uint32_t head[BTF_HEAD_WORDS] = { 0, btf_info(BTF_FUNC_PROTO, count, false), 0 };
	uint32_t result;

	if (frame->known && shape_kind(&lowering->collector->table, frame->known) != BTF_FUNC_PROTO)
		frame->known = 0;
	result = lower_link(lowering, type->type);
	if (result == LINK_INVALID)
		return result;
	if (lowering->refs.data[result] >= LOWER_ACTIVE) {
		lowering->hint = frame->known
			? lower_hint(known_words(lowering, frame)[BTF_WORD_TYPE]) : 0;
		if (!lower_simple(lowering, result))
			return result;
	}
	head[BTF_WORD_TYPE] = lowering->refs.data[result];
	if (!frame->started)
		start(lowering, frame, head, 2, count);
	for (; frame->next < count; frame->next++) {
		uint32_t element[2] = { 0, SHAPE_VOID }, waits;

		if (frame->next < type->count) {
			if (!resolve(lowering, frame, parameters[frame->next].type, 2, &element[1],
				     &waits))
				return waits;
			element[0] = parameters[frame->next].name;
		}
		put(lowering, frame, element, 2, count);
	}
	*shape = frame->known;
	if (!frame->known) {
		memcpy(lowering->words.data + frame->words, head, sizeof(head));
		*shape = lower_intern(lowering, lowering->words.data + frame->words,
				      BTF_HEAD_WORDS + 2 * count, 0);
	}
	return 0;
}

/* A FUNC that returns `const void` or a typedef of void is one the kernel rejects: plain void. */
static bool returns_void(const struct lowering *lowering, uint32_t reference)
{
	uint32_t index = dwarf_model_find_type(lowering->model, reference);
	uint32_t link = index == OFFSET_INDEX_NONE ? 0 : strip_link(lowering, index + 1);

	return link == 0 || lowering->model->types.data[link - 1].kind == DWARF_UNSPECIFIED;
}

bool lower_prototype(struct lowering *lowering, const struct dwarf_function *function,
		     uint32_t *shape, bool *unnamed)
{
	const struct dwarf_parameter *parameters =
		lowering->model->parameters.data + function->first_parameter;
	uint32_t total = lower_clamp(function->parameter_count +
					!!(function->flags & FUNCTION_VARIADIC));
	uint32_t *words;
	shape_ref result;

	*unnamed = false;
	lowering->words.count = 0;
	array_reserve(&lowering->words, BTF_HEAD_WORDS + 2 * total);
	words = lowering->words.data;
	if (!lower_ref(lowering, function->type, function->offset, &result))
		return false;
	if (result && returns_void(lowering, function->type))
		result = SHAPE_VOID;
	words[BTF_WORD_NAME] = 0;
	words[BTF_WORD_INFO] = btf_info(BTF_FUNC_PROTO, total, false);
	words[BTF_WORD_TYPE] = result;
	for (uint32_t i = 0; i < total; i++) {
		uint32_t *element = words + BTF_HEAD_WORDS + 2 * i;

		element[0] = element[1] = 0;
		if (i == function->parameter_count)
			break;
		element[0] = parameters[i].name;
		*unnamed |= !element[0] || !*name_table_text(lowering->names, element[0]);
		if (!lower_ref(lowering, parameters[i].type, function->offset, &element[1]))
			return false;
	}
	*shape = lower_intern(lowering, words, BTF_HEAD_WORDS + 2 * total, 0);
	return true;
}

