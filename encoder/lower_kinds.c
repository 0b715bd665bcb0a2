/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * How each kind of DWARF type looks in BTF. The rules stand above the functions.
 */
#include <dwarf.h>
#include <string.h>

#include "encoder/lower_state.h"

/* ---- words ---- */

static uint64_t birth(const struct lowering *lowering)
{
	return lowering->birth_base | lowering->collector->table.shapes.count;
}

static uint32_t intern(struct lowering *lowering, const uint32_t *words)
{
	return shape_table_intern(&lowering->collector->table, words, birth(lowering));
}

static uint32_t intern_int(struct lowering *lowering, uint32_t name, uint32_t size_bytes,
			   uint32_t encoding)
{
	uint32_t words[BTF_HEAD_WORDS + 1] = {
		name, btf_info(BTF_INT, 0, false), size_bytes, encoding << 24 | size_bytes * 8 };

	return intern(lowering, words);
}

static uint32_t intern_float(struct lowering *lowering, uint32_t name, uint32_t size_bytes)
{
	uint32_t words[BTF_HEAD_WORDS] = { name, btf_info(BTF_FLOAT, 0, false), size_bytes };

	return intern(lowering, words);
}

static uint32_t intern_array(struct lowering *lowering, shape_ref element, uint32_t count)
{
	uint32_t index = intern_int(lowering, lowering->int_name, 4, BTF_INT_SIGNED);
	uint32_t words[BTF_HEAD_WORDS + 3] = {
		0, btf_info(BTF_ARRAY, 0, false), 0, element, index, count };

	collector_add_root(lowering->collector, index);
	return intern(lowering, words);
}

static bool is_int_size(uint64_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

static bool is_float_size(uint64_t bytes)
{
	return bytes == 2 || bytes == 4 || bytes == 8 || bytes == 12 || bytes == 16;
}

/* The real type of a complex one, by the size of its half. */
static uint32_t intern_complex(struct lowering *lowering, uint32_t half_bytes)
{
	const char *name = half_bytes == 4 ? "float" : half_bytes == 8 ? "double" : "long double";
	uint32_t half = intern_float(lowering, name_table_literal(lowering->names, name),
				     half_bytes);

	collector_add_root(lowering->collector, half);
	return intern_array(lowering, half, 2);
}

/*
 * INT for what fits, FLOAT for floating point, an array of two FLOATs for complex numbers. What BTF
 * has no name for (a 24-bit DW_ATE_unsigned_24 that only location expressions use, _BitInt(200),
 * decimal floats of odd sizes) becomes bytes, which is at least true.
 */
uint32_t lower_base(struct lowering *lowering, const struct dwarf_type *type)
{
	uint32_t size = type->size_bytes < UINT32_MAX / 8 ? (uint32_t)type->size_bytes : 0;
	uint32_t encoding = 0;

	switch (type->encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char: encoding = BTF_INT_SIGNED; break;
	case DW_ATE_boolean: encoding = BTF_INT_BOOL; break;
	case DW_ATE_float:
		if (lowering->features->feature_float && is_float_size(size))
			return intern_float(lowering, type->name, size);
		break;
	case DW_ATE_complex_float:
		if (lowering->features->feature_float && is_float_size(size / 2))
			return intern_complex(lowering, size / 2);
		break;
	default: break;
	}
	/* Vendors' encodings (GNU: complex integers) are no plain integers. */
	if (is_int_size(size) && type->encoding < DW_ATE_lo_user)
		return intern_int(lowering, type->name, size, encoding);
	return intern_array(lowering, intern_int(lowering,
						 name_table_literal(lowering->names,
								    "unsigned char"), 1, 0), size);
}

/* ---- records ---- */

/* Size of a type in bytes, 0 when it has none: only for old bitfields, so it may be slow. */
static uint64_t size_of(const struct lowering *lowering, uint32_t link)
{
	const struct dwarf_model *model = lowering->model;

	for (size_t steps = 0; link && steps <= model->types.count; steps++) {
		const struct dwarf_type *type = &model->types.data[link - 1];

		if (type->size_bytes || type->kind == DWARF_BASE || type->kind == DWARF_ENUM)
			return type->size_bytes ? type->size_bytes : 4;
		link = type->type;
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
		uint64_t storage = member->storage_bytes ? member->storage_bytes
							 : size_of(lowering, member->type);

		bits += (int64_t)(storage & UINT32_MAX) * 8 - member->msb_offset -
			member->size_bits;
	}
	return bits >= 0 && bits < UINT32_MAX ? (uint32_t)bits : UINT32_MAX;
}

static uint32_t clamp_elements(uint32_t count)
{
	return count < BTF_MAX_VLEN ? count : BTF_MAX_VLEN;
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
			link = type->type;
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
	uint32_t link = strip_link(lowering, member->type);
	const struct dwarf_type *type;

	if (!link)
		return 0;
	type = &lowering->model->types.data[link - 1];
	if (type->kind != DWARF_ENUM || !type->size_bytes || type->size_bytes >= 4 ||
	    member->offset_bits + 32ull <= record->size_bytes * 8)
		return 0;
	return (uint32_t)type->size_bytes * 8;
}

/* Makes room for a frame's words on top of the word stack. */
static void reserve_words(struct lowering *lowering, struct lower_frame *frame, uint32_t count)
{
	frame->words = (uint32_t)lowering->words.count;
	array_reserve(&lowering->words, count);
	lowering->words.count += count;
}

/*
 * STRUCT and UNION. With a bitfield in it, kind_flag is set and offsets have 24 bits. Writes the
 * words of the members from frame->next on; returns the link of a type that has to be lowered
 * first, 0 when all are written.
 */
static uint32_t write_members(struct lowering *lowering, struct lower_frame *frame,
			      const struct dwarf_type *type)
{
	const struct dwarf_member *member = lowering->model->members.data + type->first;
	const struct dwarf_member *end = member + clamp_elements(type->count);
	const shape_ref *refs = lowering->refs.data;
	bool bitfields = type->flags & TYPE_BITFIELDS;
	uint32_t limit = bitfields ? BTF_MAX_MEMBER_BITS_KFLAG : UINT32_MAX - 1;
	uint32_t *element;

	if (!frame->started) {
		reserve_words(lowering, frame, BTF_HEAD_WORDS + 3 * clamp_elements(type->count));
		frame->started = true;
	}
	element = lowering->words.data + frame->words + BTF_HEAD_WORDS + 3 * frame->kept;
	for (member += frame->next; member < end; member++, frame->next++) {
		shape_ref ref = refs[member->type];
		uint32_t offset = member_offset(lowering, member);

		if (__builtin_expect(ref >= LOWER_ACTIVE, 0))
			return member->type;
		if (__builtin_expect(offset > limit, 0)) {
			lowering->counts.inexpressible++;
			continue;
		}
		element[0] = member->name;
		element[1] = ref;
		element[2] = offset;
		if (bitfields)
			element[2] |= (member->size_bits ? member->size_bits
							 : enum_bits(lowering, type, member)) << 24;
		element += 3;
		frame->kept++;
	}
	return 0;
}

/*
 * Nearly always a definition has been met before, in another unit, and the tag knows it: then one
 * comparison replaces hashing and looking up.
 */
static uint32_t intern_definition(struct lowering *lowering, uint32_t index, const uint32_t *words)
{
	const struct shape_table *table = &lowering->collector->table;
	shape_ref ref = lowering->refs.data[index + 1];

	if (ref_is_tag(ref) && ref < LOWER_ACTIVE) {
		uint32_t known = table->tags.data[ref_tag(ref)].definition;

		if (known && shape_table_equal(table, known, words))
			return known;
	}
	return intern(lowering, words);
}

static uint32_t finish_record(struct lowering *lowering, struct lower_frame *frame,
			      const struct dwarf_type *type)
{
	uint32_t *words = lowering->words.data + frame->words;

	words[BTF_WORD_NAME] = type->name;
	words[BTF_WORD_INFO] = btf_info(type->kind == DWARF_UNION ? BTF_UNION : BTF_STRUCT,
					frame->kept, type->flags & TYPE_BITFIELDS);
	words[BTF_WORD_SIZE] = (uint32_t)type->size_bytes;
	lowering->counts.inexpressible += type->count - clamp_elements(type->count);
	return intern_definition(lowering, frame->type, words);
}

uint32_t lower_record(struct lowering *lowering, struct lower_frame *frame,
		      const struct dwarf_type *type, uint32_t *shape)
{
	uint32_t waits = write_members(lowering, frame, type);

	if (!waits)
		*shape = finish_record(lowering, frame, type);
	return waits;
}

/* ENUM up to 32 bits, ENUM64 above. kind_flag: signed. */
uint32_t lower_enum(struct lowering *lowering, uint32_t index)
{
	const struct dwarf_type *type = &lowering->model->types.data[index];
	const struct dwarf_enumerator *values = lowering->model->enumerators.data + type->first;
	uint32_t size = type->size_bytes ? (uint32_t)type->size_bytes : 4;
	bool wide = size > 4 && lowering->features->feature_enum64;
	uint32_t count = clamp_elements(type->count);
	uint32_t stride = wide ? 3 : 2;
	struct lower_frame frame = { .type = index };
	uint32_t *words, *element;
	uint32_t shape;

	reserve_words(lowering, &frame, BTF_HEAD_WORDS + stride * count);
	words = lowering->words.data + frame.words;
	words[BTF_WORD_NAME] = type->name;
	words[BTF_WORD_INFO] = btf_info(wide ? BTF_ENUM64 : BTF_ENUM, count,
					type->flags & TYPE_NEGATIVE);
	words[BTF_WORD_SIZE] = size;
	element = words + BTF_HEAD_WORDS;
	for (uint32_t i = 0; i < count; i++, element += stride) {
		element[0] = values[i].name;
		element[1] = (uint32_t)values[i].value;
		if (wide)
			element[2] = (uint32_t)(values[i].value >> 32);
	}
	lowering->counts.inexpressible += type->count - count;
	shape = intern_definition(lowering, index, words);
	lowering->words.count = frame.words;
	return shape;
}

/* All dimensions become one: BTF of a[2][3] is an array of 6, as pahole writes it. */
uint32_t lower_array(struct lowering *lowering, const struct dwarf_type *type, shape_ref element)
{
	uint64_t count = type->count ? 1 : 0;

	for (uint32_t i = 0; i < type->count; i++) {
		count *= lowering->model->dimensions.data[type->first + i];
		if (count > UINT32_MAX) {
			lowering->counts.inexpressible++;
			count = 0;	/* like a length that is not known */
		}
	}
	return intern_array(lowering, element, (uint32_t)count);
}

/* ---- prototypes ---- */

static void write_prototype_head(uint32_t *words, shape_ref result, uint32_t parameters)
{
	words[BTF_WORD_NAME] = 0;
	words[BTF_WORD_INFO] = btf_info(BTF_FUNC_PROTO, parameters, false);
	words[BTF_WORD_TYPE] = result;
}

/* FUNC_PROTO of a subroutine type. A "..." is one more parameter, without name and type. */
static uint32_t write_parameters(struct lowering *lowering, struct lower_frame *frame,
				 const struct dwarf_type *type)
{
	const struct dwarf_parameter *parameters =
		lowering->model->parameters.data + type->first;
	uint32_t total = clamp_elements(type->count + !!(type->flags & TYPE_VARIADIC));
	uint32_t *element;

	if (lowering->refs.data[type->type] >= LOWER_ACTIVE)
		return type->type;
	if (!frame->started) {
		reserve_words(lowering, frame, BTF_HEAD_WORDS + 2 * total);
		frame->started = true;
	}
	element = lowering->words.data + frame->words + BTF_HEAD_WORDS + 2 * frame->next;
	for (; frame->next < total; frame->next++, element += 2) {
		bool dots = frame->next == type->count;
		uint32_t link = dots ? 0 : parameters[frame->next].type;

		if (lowering->refs.data[link] >= LOWER_ACTIVE)
			return link;
		element[0] = dots ? 0 : parameters[frame->next].name;
		element[1] = lowering->refs.data[link];
	}
	write_prototype_head(lowering->words.data + frame->words,
			     lowering->refs.data[type->type], total);
	return 0;
}

uint32_t lower_subroutine(struct lowering *lowering, struct lower_frame *frame,
			  const struct dwarf_type *type, uint32_t *shape)
{
	uint32_t waits = write_parameters(lowering, frame, type);

	if (!waits)
		*shape = intern(lowering, lowering->words.data + frame->words);
	return waits;
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
	uint32_t total = clamp_elements(function->parameter_count +
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
	write_prototype_head(words, result, total);
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
	*shape = intern(lowering, words);
	return true;
}

/* ---- pointers, modifiers, tags ---- */

static bool has_annotation(const struct lowering *lowering, uint32_t type)
{
	return lowering->annotation_heads.count && lowering->annotation_heads.data[type];
}

/*
 * `struct s __tag1 __tag2 *p` is PTR -> TYPE_TAG tag2 -> TYPE_TAG tag1 -> struct s: the tag nearest
 * to the star wraps first. The model has them outermost first.
 */
static shape_ref lower_type_tags(struct lowering *lowering, uint32_t type, shape_ref target)
{
	const struct dwarf_model *model = lowering->model;
	size_t first, last;

	if (!has_annotation(lowering, type) || !lowering->features->feature_type_tag)
		return target;
	first = last = lowering->annotation_heads.data[type] - 1;
	while (last < model->annotations.count &&
	       model->annotations.data[last].owner_kind == ANNOTATES_TYPE &&
	       model->annotations.data[last].owner == type)
		last++;
	while (last-- > first) {
		uint32_t tag = shape_table_reference(&lowering->collector->table, BTF_TYPE_TAG,
						     model->annotations.data[last].value, target,
						     birth(lowering));

		collector_add_root(lowering->collector, tag);
		target = tag;
	}
	return target;
}

uint32_t lower_reference(struct lowering *lowering, uint32_t index, const struct dwarf_type *type,
			 shape_ref target)
{
	struct shape_table *table = &lowering->collector->table;
	enum btf_kind kind = type->kind == DWARF_CONST ? BTF_CONST :
			     type->kind == DWARF_VOLATILE ? BTF_VOLATILE :
			     type->kind == DWARF_RESTRICT ? BTF_RESTRICT :
			     type->kind == DWARF_TYPEDEF ? BTF_TYPEDEF : BTF_PTR;

	if (kind == BTF_PTR)
		target = lower_type_tags(lowering, index, target);
	return shape_table_reference(table, kind, kind == BTF_TYPEDEF ? type->name : 0, target,
				     birth(lowering));
}

/* DECL_TAGs of types; they point to what they annotate, and join whatever that is merged with. */
void lower_decl_tags(struct lowering *lowering)
{
	const struct dwarf_model *model = lowering->model;

	for (size_t i = 0; i < model->annotations.count; i++) {
		const struct dwarf_annotation *annotation = &model->annotations.data[i];
		uint32_t words[BTF_HEAD_WORDS + 1];

		if (annotation->is_type_tag || annotation->owner_kind != ANNOTATES_TYPE ||
		    !lowering->features->feature_decl_tag)
			continue;
		words[BTF_WORD_NAME] = annotation->value;
		words[BTF_WORD_INFO] = btf_info(BTF_DECL_TAG, 0, false);
		words[BTF_WORD_TYPE] = lowering->refs.data[annotation->owner + 1];
		words[BTF_HEAD_WORDS] = (uint32_t)annotation->component;
		collector_add_root(lowering->collector, intern(lowering, words));
	}
}
