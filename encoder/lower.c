/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A struct, union or enum with a name is referred to by its tag, all else by its shape, so a shape
 * can be interned as soon as what it refers to has been: depth first, with an explicit stack.
 *
 * A group normally defines a name once. Where it defines one repeatedly (types of the same name in
 * two functions; units of one LTO link), all definitions start as the same tag; if their shapes
 * then turn out different, each distinct shape gets a variant number of its own and everything is
 * lowered again, until no more differences show. By coinduction that is exact: definitions that
 * share a variant have the same words under the assumption that they are the same.
 */
#include "encoder/lower.h"

#include <inttypes.h>
#include <string.h>

#define LOWER_PENDING UINT32_MAX
#define LOWER_ACTIVE  (UINT32_MAX - 1)

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

static bool fail(struct lowering *lowering, uint32_t offset, const char *what, uint32_t reference)
{
	return error_set(lowering->err, "%.300s: unit 0x%" PRIx64 ", DIE 0x%" PRIx64 ": %s 0x%" PRIx64
			 "; the file is damaged", lowering->object->path, lowering->model->begin,
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

/* DW_AT_name "" happens; only looked at for kinds that a name turns into a tag. */
static bool is_tagged(const struct lowering *lowering, const struct dwarf_type *type)
{
	return (is_record(type) || type->kind == DWARF_ENUM) && type->name &&
	       *name_table_text(lowering->names, type->name);
}

/* Gives every named struct, union and enum its tag, and finds the names defined repeatedly. */
static void assign_tags(struct lowering *lowering, uint32_t group)
{
	struct shape_table *table = &lowering->collector->table;
	const struct dwarf_model *model = lowering->model;
	bool repeated = false;

	lowering->refs.count = lowering->shapes.count = lowering->contested.count = 0;
	array_reserve(&lowering->refs, model->types.count);
	array_reserve(&lowering->shapes, model->types.count);
	for (size_t i = 0; i < model->types.count; i++) {
		const struct dwarf_type *type = &model->types.data[i];
		uint32_t id;
		struct tag *tag;

		lowering->refs.data[i] = LOWER_PENDING;
		lowering->shapes.data[i] = 0;
		if (!is_tagged(lowering, type))
			continue;
		id = shape_table_tag(table, tag_kind(type), type->name, 0);
		tag = &table->tags.data[id];
		lowering->refs.data[i] = ref_to_tag(id);
		if (tag->group != group) {
			tag->group = group;
			tag->in_group = 0;
		}
		if (!(type->flags & TYPE_DECLARATION))
			repeated |= ++tag->in_group > 1;
	}
	for (size_t i = 0; repeated && i < model->types.count; i++) {
		if (ref_is_tag(lowering->refs.data[i]) && lowering->refs.data[i] < LOWER_ACTIVE &&
		    table->tags.data[ref_tag(lowering->refs.data[i])].in_group > 1)
			array_push(&lowering->contested, (uint32_t)i);
	}
}

/* ---- references ---- */

static bool find_type(struct lowering *lowering, uint32_t reference, uint32_t die_offset,
		      uint32_t *index)
{
	*index = dwarf_model_find_type(lowering->model, reference);
	if (__builtin_expect(*index != OFFSET_INDEX_NONE, 1))
		return true;
	if (reference == REF_INVALID)
		return fail(lowering, die_offset, "refers outside its unit; group ends at",
			    (uint32_t)(lowering->model->end - lowering->model->begin));
	return fail(lowering, die_offset, "refers to something that is no type, at", reference);
}

/* The reference of a type that has been lowered. */
static bool known_ref(struct lowering *lowering, uint32_t reference, uint32_t die_offset,
		      shape_ref *ref)
{
	uint32_t index;

	*ref = SHAPE_VOID;
	if (reference == REF_NONE)
		return true;
	if (!find_type(lowering, reference, die_offset, &index))
		return false;
	*ref = lowering->refs.data[index];
	return true;
}

bool lower_ref(struct lowering *lowering, uint32_t reference, uint32_t die_offset, shape_ref *ref)
{
	return known_ref(lowering, reference, die_offset, ref);
}

/* How many references a type has, and which the i-th is: what must be lowered before it. */
static uint32_t reference_count(const struct dwarf_type *type)
{
	switch ((enum dwarf_type_kind)type->kind) {
	case DWARF_STRUCT:
	case DWARF_UNION: return type->count;
	case DWARF_SUBROUTINE: return type->count + 1;
	case DWARF_BASE:
	case DWARF_ENUM:
	case DWARF_UNSPECIFIED: return 0;
	default: return 1;
	}
}

static uint32_t reference_at(const struct dwarf_model *model, const struct dwarf_type *type,
			     uint32_t i)
{
	if (is_record(type))
		return model->members.data[type->first + i].type;
	if (type->kind == DWARF_SUBROUTINE && i > 0)
		return model->parameters.data[type->first + i - 1].type;
	return type->type;
}

/* ---- words ---- */

static uint32_t *start_words(struct lowering *lowering, uint32_t count)
{
	lowering->words.count = 0;
	array_reserve(&lowering->words, count);
	lowering->words.count = count;
	return lowering->words.data;
}

static uint32_t intern(struct lowering *lowering)
{
	struct shape_table *table = &lowering->collector->table;

	return shape_table_intern(table, lowering->words.data,
				  lowering->birth_base | table->shapes.count);
}

static uint32_t intern_reference(struct lowering *lowering, enum btf_kind kind, uint32_t name,
				 shape_ref target)
{
	uint32_t *words = start_words(lowering, BTF_HEAD_WORDS);

	words[BTF_WORD_NAME] = name;
	words[BTF_WORD_INFO] = btf_info(kind, 0, false);
	words[BTF_WORD_TYPE] = target;
	return intern(lowering);
}

static uint32_t intern_int(struct lowering *lowering, uint32_t name, uint32_t size_bytes,
			   uint32_t encoding)
{
	uint32_t *words = start_words(lowering, BTF_HEAD_WORDS + 1);

	words[BTF_WORD_NAME] = name;
	words[BTF_WORD_INFO] = btf_info(BTF_INT, 0, false);
	words[BTF_WORD_SIZE] = size_bytes;
	words[BTF_HEAD_WORDS] = encoding << 24 | size_bytes * 8;
	return intern(lowering);
}

static uint32_t intern_array(struct lowering *lowering, shape_ref element, uint32_t count)
{
	uint32_t index = intern_int(lowering, lowering->int_name, 4, BTF_INT_SIGNED);
	uint32_t *words = start_words(lowering, BTF_HEAD_WORDS + 3);

	collector_add_root(lowering->collector, index);
	words[BTF_WORD_NAME] = 0;
	words[BTF_WORD_INFO] = btf_info(BTF_ARRAY, 0, false);
	words[BTF_WORD_SIZE] = 0;
	words[BTF_HEAD_WORDS] = element;
	words[BTF_HEAD_WORDS + 1] = index;
	words[BTF_HEAD_WORDS + 2] = count;
	return intern(lowering);
}

static bool is_int_size(uint64_t bytes)
{
	return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 || bytes == 16;
}

static bool is_float_size(uint64_t bytes)
{
	return bytes == 2 || bytes == 4 || bytes == 8 || bytes == 12 || bytes == 16;
}

static uint32_t intern_float(struct lowering *lowering, uint32_t name, uint32_t size_bytes)
{
	uint32_t *words = start_words(lowering, BTF_HEAD_WORDS);

	words[BTF_WORD_NAME] = name;
	words[BTF_WORD_INFO] = btf_info(BTF_FLOAT, 0, false);
	words[BTF_WORD_SIZE] = size_bytes;
	return intern(lowering);
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
static uint32_t lower_base(struct lowering *lowering, const struct dwarf_type *type)
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
	if (is_int_size(size))
		return intern_int(lowering, type->name, size, encoding);
	return intern_array(lowering, intern_int(lowering,
						 name_table_literal(lowering->names,
								    "unsigned char"), 1, 0), size);
}

/* ---- records ---- */

/* Size of a type in bytes, 0 when it has none: only for old bitfields, so it may be slow. */
static uint64_t size_of(const struct lowering *lowering, uint32_t reference)
{
	const struct dwarf_model *model = lowering->model;

	for (size_t steps = 0; steps <= model->types.count; steps++) {
		uint32_t index = dwarf_model_find_type(model, reference);
		const struct dwarf_type *type;

		if (index == OFFSET_INDEX_NONE)
			return 0;
		type = &model->types.data[index];
		if (type->size_bytes || type->kind == DWARF_BASE || type->kind == DWARF_ENUM)
			return type->size_bytes ? type->size_bytes : 4;
		reference = type->type;
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
	uint64_t storage;

	if (!member->has_msb_offset || member->offset_bits == UINT32_MAX)
		return member->offset_bits;
	if (lowering->object->big_endian)
		return member->offset_bits + member->msb_offset;
	storage = member->storage_bytes ? member->storage_bytes : size_of(lowering, member->type);
	return member->offset_bits +
	       (uint32_t)(storage * 8 - member->msb_offset - member->size_bits);
}

static uint32_t clamp_elements(struct lowering *lowering, uint32_t count)
{
	if (count <= BTF_MAX_VLEN)
		return count;
	lowering->counts.inexpressible += count - BTF_MAX_VLEN;
	return BTF_MAX_VLEN;
}

/* STRUCT and UNION. With a bitfield in it, kind_flag is set and offsets have 24 bits. */
static bool lower_record(struct lowering *lowering, const struct dwarf_type *type, uint32_t *shape)
{
	const struct dwarf_member *members = lowering->model->members.data + type->first;
	bool bitfields = type->flags & TYPE_BITFIELDS;
	uint32_t count = clamp_elements(lowering, type->count);
	uint32_t *words = start_words(lowering, BTF_HEAD_WORDS + 3 * count);
	uint32_t limit = bitfields ? BTF_MAX_MEMBER_BITS_KFLAG : UINT32_MAX - 1;
	uint32_t *element = words + BTF_HEAD_WORDS;
	uint32_t kept = 0;

	for (uint32_t i = 0; i < count; i++) {
		uint32_t offset = member_offset(lowering, &members[i]);

		if (offset > limit) {
			lowering->counts.inexpressible++;
			continue;
		}
		element[0] = members[i].name;
		if (!known_ref(lowering, members[i].type, type->offset, &element[1]))
			return false;
		element[2] = bitfields ? (uint32_t)members[i].size_bits << 24 | offset : offset;
		element += 3;
		kept++;
	}
	words[BTF_WORD_NAME] = type->name;
	words[BTF_WORD_INFO] = btf_info(type->kind == DWARF_UNION ? BTF_UNION : BTF_STRUCT, kept,
					bitfields);
	words[BTF_WORD_SIZE] = (uint32_t)type->size_bytes;
	if (type->size_bytes > UINT32_MAX)
		return fail(lowering, type->offset, "is a type of more than 4 GiB, size - group:",
			    UINT32_MAX);
	*shape = intern(lowering);
	return true;
}

/* ENUM up to 32 bits, ENUM64 above. kind_flag: signed. */
static void lower_enum(struct lowering *lowering, const struct dwarf_type *type, uint32_t *shape)
{
	const struct dwarf_enumerator *values = lowering->model->enumerators.data + type->first;
	uint32_t size = type->size_bytes ? (uint32_t)type->size_bytes : 4;
	bool wide = size > 4 && lowering->features->feature_enum64;
	uint32_t count = clamp_elements(lowering, type->count);
	uint32_t stride = wide ? 3 : 2;
	uint32_t *words = start_words(lowering, BTF_HEAD_WORDS + stride * count);

	words[BTF_WORD_NAME] = type->name;
	words[BTF_WORD_INFO] = btf_info(wide ? BTF_ENUM64 : BTF_ENUM, count,
					type->flags & TYPE_NEGATIVE);
	words[BTF_WORD_SIZE] = size;
	for (uint32_t i = 0; i < count; i++) {
		uint32_t *element = words + BTF_HEAD_WORDS + stride * i;

		element[0] = values[i].name;
		element[1] = (uint32_t)values[i].value;
		if (wide)
			element[2] = (uint32_t)(values[i].value >> 32);
	}
	*shape = intern(lowering);
}

/* All dimensions become one: BTF of a[2][3] is an array of 6, as pahole writes it. */
static uint32_t lower_array(struct lowering *lowering, const struct dwarf_type *type,
			    shape_ref element)
{
	uint32_t count = 1;

	for (uint32_t i = 0; i < type->count; i++)
		count *= lowering->model->dimensions.data[type->first + i];
	return intern_array(lowering, element, type->count ? count : 0);
}

static bool lower_parameters(struct lowering *lowering, shape_ref result, uint32_t first,
			     uint32_t count, bool variadic, bool named, uint32_t offset,
			     uint32_t *shape)
{
	const struct dwarf_parameter *parameters = lowering->model->parameters.data + first;
	uint32_t total = clamp_elements(lowering, count + variadic);
	uint32_t *words = start_words(lowering, BTF_HEAD_WORDS + 2 * total);

	words[BTF_WORD_NAME] = 0;
	words[BTF_WORD_INFO] = btf_info(BTF_FUNC_PROTO, total, false);
	words[BTF_WORD_TYPE] = result;
	for (uint32_t i = 0; i < total; i++) {
		uint32_t *element = words + BTF_HEAD_WORDS + 2 * i;

		element[0] = element[1] = 0;
		if (i == count)
			break;		/* the ... */
		if (named)
			element[0] = parameters[i].name;
		if (!known_ref(lowering, parameters[i].type, offset, &element[1]))
			return false;
	}
	*shape = intern(lowering);
	return true;
}

bool lower_prototype(struct lowering *lowering, const struct dwarf_function *function,
		     uint32_t *shape, bool *unnamed)
{
	shape_ref result;

	*unnamed = false;
	for (uint32_t i = 0; i < function->parameter_count; i++) {
		uint32_t name =
			lowering->model->parameters.data[function->first_parameter + i].name;

		*unnamed |= !name || !*name_table_text(lowering->names, name);
	}
	return known_ref(lowering, function->type, function->offset, &result) &&
	       lower_parameters(lowering, result, function->first_parameter,
				function->parameter_count, function->flags & FUNCTION_VARIADIC, true,
				function->offset, shape);
}

/* ---- pointers and their type tags ---- */

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
		uint32_t tag = intern_reference(lowering, BTF_TYPE_TAG,
						model->annotations.data[last].value, target);

		collector_add_root(lowering->collector, tag);
		target = tag;
	}
	return target;
}

/* ---- one type ---- */

static bool intern_type(struct lowering *lowering, uint32_t index)
{
	const struct dwarf_type *type = &lowering->model->types.data[index];
	shape_ref *out = &lowering->refs.data[index];
	uint32_t shape = 0;
	shape_ref target = SHAPE_VOID;

	if (reference_count(type) == 1 && !is_record(type) &&
	    !known_ref(lowering, type->type, type->offset, &target))
		return false;
	switch ((enum dwarf_type_kind)type->kind) {
	case DWARF_BASE:
		shape = lower_base(lowering, type);
		break;
	case DWARF_POINTER:
		target = lower_type_tags(lowering, index, target);
		shape = intern_reference(lowering, BTF_PTR, 0, target);
		break;
	case DWARF_CONST:
		shape = intern_reference(lowering, BTF_CONST, 0, target);
		break;
	case DWARF_VOLATILE:
		shape = intern_reference(lowering, BTF_VOLATILE, 0, target);
		break;
	case DWARF_RESTRICT:
		shape = intern_reference(lowering, BTF_RESTRICT, 0, target);
		break;
	case DWARF_TYPEDEF:
		shape = intern_reference(lowering, BTF_TYPEDEF, type->name, target);
		break;
	case DWARF_ATOMIC:		/* BTF has no _Atomic: the type itself */
		*out = target;
		return true;
	case DWARF_UNSPECIFIED:		/* decltype(nullptr), an assembler's function */
		*out = SHAPE_VOID;
		return true;
	case DWARF_ARRAY:
		shape = lower_array(lowering, type, target);
		break;
	case DWARF_ENUM:
		lower_enum(lowering, type, &shape);
		break;
	case DWARF_STRUCT:
	case DWARF_UNION:
		if (!lower_record(lowering, type, &shape))
			return false;
		break;
	case DWARF_SUBROUTINE:
		if (!known_ref(lowering, type->type, type->offset, &target) ||
		    !lower_parameters(lowering, target, type->first, type->count,
				      type->flags & TYPE_VARIADIC, true, type->offset, &shape))
			return false;
		break;
	}
	/* A tagged definition keeps its tag as the reference. */
	if (*out == LOWER_ACTIVE)
		*out = shape;
	lowering->shapes.data[index] = shape;
	return true;
}

/*
 * Lowers a type and, before it, everything it refers to that is not a tag. A type that is met again
 * while it is still being lowered is a cycle without a name in it, which C cannot express.
 */
static bool lower_type(struct lowering *lowering, uint32_t index)
{
	const struct dwarf_model *model = lowering->model;
	shape_ref *refs = lowering->refs.data;

	if (refs[index] == LOWER_PENDING)
		refs[index] = LOWER_ACTIVE;
	lowering->stack.count = 0;
	array_push(&lowering->stack, ((struct lower_frame){ index, 0 }));
	while (lowering->stack.count) {
		struct lower_frame *frame = &lowering->stack.data[lowering->stack.count - 1];
		const struct dwarf_type *type = &model->types.data[frame->type];
		uint32_t count = reference_count(type);
		bool descended = false;

		while (frame->next < count && !descended) {
			uint32_t reference = reference_at(model, type, frame->next++);
			uint32_t target;

			if (reference == REF_NONE)
				continue;
			if (!find_type(lowering, reference, type->offset, &target))
				return false;
			if (refs[target] == LOWER_ACTIVE)
				return fail(lowering, type->offset,
					    "is part of a cycle of types without a name, with",
					    reference);
			if (refs[target] == LOWER_PENDING) {
				refs[target] = LOWER_ACTIVE;
				array_push(&lowering->stack, ((struct lower_frame){ target, 0 }));
				descended = true;
			}
		}
		if (descended)
			continue;
		if (!intern_type(lowering, frame->type))
			return false;
		lowering->stack.count--;
	}
	return true;
}

static bool is_definition(const struct lowering *lowering, uint32_t index)
{
	const struct dwarf_type *type = &lowering->model->types.data[index];

	return ref_is_tag(lowering->refs.data[index]) && !(type->flags & TYPE_DECLARATION);
}

/* Anonymous declarations say nothing; they become empty types, as the DWARF has it. */
static bool lower_all(struct lowering *lowering)
{
	const struct dwarf_model *model = lowering->model;

	for (uint32_t i = 0; i < model->types.count; i++) {
		shape_ref ref = lowering->refs.data[i];

		if (ref == LOWER_PENDING || (ref_is_tag(ref) && is_definition(lowering, i))) {
			if (!lower_type(lowering, i))
				return false;
		}
	}
	return true;
}

/* ---- repeated definitions ---- */

/* The variant of a tag whose definition has this shape: found among the contested, or new. */
static uint32_t variant_of(const struct lowering *lowering, size_t count, shape_ref base,
			   uint32_t shape, const shape_ref *bases, const uint32_t *variants)
{
	uint32_t next = 0;

	for (size_t i = 0; i < count; i++) {
		uint32_t type = lowering->contested.data[i];

		if (bases[i] != base || !lowering->shapes.data[type])
			continue;
		if (lowering->shapes.data[type] == shape)
			return variants[i];
		if (variants[i] >= next)
			next = variants[i] + 1;
	}
	return next;
}

/*
 * Splits the contested tags by the shapes of their definitions and starts over if that changed
 * anything. Shapes only ever become more different, so this ends. Quadratic in the number of
 * definitions of contested names in one group, which is a handful.
 */
static bool split_contested(struct lowering *lowering, shape_ref *bases, uint32_t *variants,
			    bool *changed)
{
	struct shape_table *table = &lowering->collector->table;
	size_t count = lowering->contested.count;

	*changed = false;
	for (size_t i = 0; i < count; i++) {
		uint32_t type = lowering->contested.data[i];
		uint32_t variant;

		if (!lowering->shapes.data[type])
			continue;	/* a declaration */
		variant = variant_of(lowering, i, bases[i], lowering->shapes.data[type], bases,
				     variants);
		*changed |= variant != variants[i];
		variants[i] = variant;
		if (variant)
			table->tags.data[ref_tag(bases[i])].in_group = UINT32_MAX;
	}
	return true;
}

static void apply_variants(struct lowering *lowering, const shape_ref *bases,
			   const uint32_t *variants)
{
	struct shape_table *table = &lowering->collector->table;
	const struct dwarf_model *model = lowering->model;

	for (size_t i = 0; i < model->types.count; i++) {
		if (!ref_is_tag(lowering->refs.data[i]))
			lowering->refs.data[i] = LOWER_PENDING;
	}
	for (size_t i = 0; i < lowering->contested.count; i++) {
		uint32_t type = lowering->contested.data[i];
		struct tag base = table->tags.data[ref_tag(bases[i])];
		uint32_t variant = variants[i];

		if (model->types.data[type].flags & TYPE_DECLARATION && base.in_group == UINT32_MAX)
			variant = TAG_VARIANT_UNKNOWN;
		lowering->refs.data[type] = ref_to_tag(
			shape_table_tag(table, (enum btf_kind)base.kind, base.name, variant));
	}
}

static bool settle_contested(struct lowering *lowering)
{
	size_t count = lowering->contested.count;
	shape_ref *bases = memory_alloc(count * sizeof(*bases));
	uint32_t *variants = memory_zeroed(count, sizeof(*variants));
	bool changed, good = true;

	for (size_t i = 0; i < count; i++)
		bases[i] = lowering->refs.data[lowering->contested.data[i]];
	do {
		split_contested(lowering, bases, variants, &changed);
		if (changed) {
			apply_variants(lowering, bases, variants);
			good = lower_all(lowering);
		}
	} while (changed && good);
	free(bases);
	free(variants);
	return good;
}

/* ---- the group ---- */

/* DECL_TAGs of types; they point to what they annotate, and join whatever that is merged with. */
static void lower_decl_tags(struct lowering *lowering)
{
	const struct dwarf_model *model = lowering->model;

	for (size_t i = 0; i < model->annotations.count; i++) {
		const struct dwarf_annotation *annotation = &model->annotations.data[i];
		uint32_t *words;

		if (annotation->is_type_tag || annotation->owner_kind != ANNOTATES_TYPE ||
		    !lowering->features->feature_decl_tag)
			continue;
		words = start_words(lowering, BTF_HEAD_WORDS + 1);
		words[BTF_WORD_NAME] = annotation->value;
		words[BTF_WORD_INFO] = btf_info(BTF_DECL_TAG, 0, false);
		words[BTF_WORD_TYPE] = lowering->refs.data[annotation->owner];
		words[BTF_HEAD_WORDS] = (uint32_t)annotation->component;
		collector_add_root(lowering->collector, intern(lowering));
	}
}

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
	       (!type->name || strncmp(name_table_text(lowering->names, type->name), "DW_ATE_", 7) == 0);
}

static void record_group(struct lowering *lowering)
{
	const struct dwarf_model *model = lowering->model;

	for (uint32_t i = 0; i < model->types.count; i++) {
		shape_ref ref = lowering->refs.data[i];

		if (is_definition(lowering, i))
			collector_add_definition(lowering->collector, ref_tag(ref),
						 lowering->shapes.data[i]);
		else if (ref && !ref_is_tag(ref) &&
			 !is_expression_type(lowering, &model->types.data[i]))
			collector_add_root(lowering->collector, ref);
	}
}

bool lower_types(struct lowering *lowering, const struct dwarf_model *model, uint32_t group,
		 struct error *err)
{
	lowering->model = model;
	lowering->err = err;
	lowering->birth_base = (uint64_t)group << 32;
	lowering->counts.types += model->types.count;
	index_annotations(lowering);
	assign_tags(lowering, group);
	if (!lower_all(lowering))
		return false;
	if (lowering->contested.count && !settle_contested(lowering))
		return false;
	lower_decl_tags(lowering);
	record_group(lowering);
	return true;
}
