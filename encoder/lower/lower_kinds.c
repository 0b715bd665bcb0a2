/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * How the kinds of DWARF types that have no members or parameters look in BTF; those that have are
 * in lower_compound.c. The rules are above the functions.
 */
#include <dwarf.h>
#include <inttypes.h>
#include <string.h>

#include "base/hash.h"
#include "encoder/lower/lower_state.h"

/* ---- errors ---- */

bool lower_fail(struct lowering *lowering, uint32_t offset, const char *what, uint32_t reference)
{
	return error_set(lowering->err,
			 "%.300s: unit 0x%" PRIx64 ", DIE 0x%" PRIx64 ": %s 0x%" PRIx64
			 "; the file is damaged",
			 lowering->object->path, lowering->model->begin,
			 lowering->model->begin + offset, what, lowering->model->begin + reference);
}

bool lower_not_a_type(struct lowering *lowering, uint32_t offset)
{
	return lower_fail(lowering, offset, "refers to something that is not a type, at",
		    lowering->bad_reference);
}

/* ---- words ---- */

static bool is_float_size(uint64_t bytes)
{
	return bytes == 2 || bytes == 4 || bytes == 8 || bytes == 12 || bytes == 16;
}

static uint32_t intern_int(struct lowering *lowering, uint32_t name, uint32_t size_bytes,
			   uint32_t encoding)
{
	const uint32_t words[BTF_HEAD_WORDS + 1] = {
		name, btf_info(BTF_INT, 0, false), size_bytes, encoding << 24 | size_bytes * 8 };

	return lower_intern(lowering, words);
}

static uint32_t intern_float(struct lowering *lowering, uint32_t name, uint32_t size_bytes)
{
	const uint32_t words[BTF_HEAD_WORDS] = { name, btf_info(BTF_FLOAT, 0, false), size_bytes };

	return lower_intern(lowering, words);
}

/*
 * The key of "int" as the group's DIEs have it. A key of our own would be a second one for the same
 * name where that is in .debug_str (clang), and a table with such aliases is not renamed in place:
 * btf/dedup/merge.c.
 */
static uint32_t int_name(struct lowering *lowering)
{
	const struct dwarf_model *model = lowering->model;

	array_each(const struct dwarf_type, type, &model->types) {
		if (type->kind == DWARF_BASE && type->name &&
		    strcmp(name_table_text(lowering->names, type->name), "int") == 0)
			return type->name;
	}
	return name_table_literal(lowering->names, "int");
}

/* DWARF's arrays need not have one. */
uint32_t lower_index_type(struct lowering *lowering)
{
	uint32_t group = (uint32_t)(lowering->first_seen_base >> 32);

	if (!lowering->index_type)
		lowering->index_type =
			intern_int(lowering, int_name(lowering), 4, BTF_INT_SIGNED);
	if (lowering->index_group != group + 1)
		collector_add(lowering->collector, TAG_NONE, lowering->index_type);
	lowering->index_group = group + 1;
	return lowering->index_type;
}

static uint32_t array_of(struct lowering *lowering, struct node_ref element, uint32_t count)
{
	const uint32_t words[BTF_HEAD_WORDS + 3] = {
		0, btf_info(BTF_ARRAY, 0, false), 0, element.word, lower_index_type(lowering),
		count };

	return lower_intern(lowering, words);
}

static struct node_ref array_of_bytes(struct lowering *lowering, uint32_t count)
{
	uint32_t name = name_table_literal(lowering->names, "unsigned char");
	uint32_t byte = intern_int(lowering, name, 1, 0);

	collector_add(lowering->collector, TAG_NONE, byte);
	return ref_to_node(array_of(lowering, ref_to_node(byte), count));
}

/* Vendors' encodings (GNU: complex integers) are not plain integers. */
bool lower_int_words(const struct dwarf_type *type, uint32_t words[BTF_HEAD_WORDS + 1])
{
	uint32_t encoding = 0;

	switch (type->encoding) {
	case DW_ATE_signed:
	case DW_ATE_signed_char: encoding = BTF_INT_SIGNED; break;
	case DW_ATE_boolean: encoding = BTF_INT_BOOL; break;
	default: break;
	}
	/* Powers of two up to 16. */
	if (!type->size_bytes || type->size_bytes > 16 ||
	    type->size_bytes & (type->size_bytes - 1) || type->encoding >= DW_ATE_lo_user)
		return false;
	words[BTF_WORD_NAME] = type->name;
	words[BTF_WORD_INFO] = btf_info(BTF_INT, 0, false);
	words[BTF_WORD_SIZE] = (uint32_t)type->size_bytes;
	words[BTF_HEAD_WORDS] = encoding << 24 | (uint32_t)type->size_bytes * 8;
	return true;
}

/*
 * INT for what fits, FLOAT for floating point, an array of two FLOATs for complex numbers. What BTF
 * has no name for (a 24-bit DW_ATE_unsigned_24 that only location expressions use, _BitInt(200),
 * decimal floats of odd sizes) becomes bytes, which is at least true.
 */
uint32_t lower_base(struct lowering *lowering, const struct dwarf_type *type)
{
	uint32_t size = type->size_bytes < UINT32_MAX / 8 ? (uint32_t)type->size_bytes : 0;
	uint32_t words[BTF_HEAD_WORDS + 1], part = size / 2;

	if (lowering->options.floats && type->encoding == DW_ATE_float &&
	    is_float_size(size))
		return intern_float(lowering, type->name, size);
	if (lowering->options.floats && type->encoding == DW_ATE_complex_float &&
	    is_float_size(part)) {
		/* The name of the real type is that of C's type of its size. */
		const char *name = part == 4 ? "float" : part == 8 ? "double" : "long double";

		part = intern_float(lowering, name_table_literal(lowering->names, name), part);
		collector_add(lowering->collector, TAG_NONE, part);
		return array_of(lowering, ref_to_node(part), 2);
	}
	if (lower_int_words(type, words))
		return lower_intern(lowering, words);
	return ref_node(array_of_bytes(lowering, size));
}

/*
 * What C does not have is as many bytes, or void. The only one with a type is a pointer to a
 * member, for which DWARF has no size: that to a function is a pair of words in the Itanium C++
 * ABI, which all machines here have.
 */
struct node_ref lower_bytes(struct lowering *lowering, const struct dwarf_type *type)
{
	const struct dwarf_type *target = dwarf_model_behind(lowering->model, type->type);
	uint64_t size = type->size_bytes;

	if (target && target->kind == DWARF_SUBROUTINE)
		size *= 2;
	if (size && size <= UINT32_MAX)
		return array_of_bytes(lowering, (uint32_t)size);
	lowering->counts.inexpressible++;
	return REF_VOID;
}

/*
 * ENUM up to 32 bits, ENUM64 above. kind_flag: signed. It came with ENUM64, in Linux 6.0: kernels
 * before refuse an ENUM that has it.
 */
uint32_t *lower_enum_words(struct lowering *lowering, const struct dwarf_type *type)
{
	const struct dwarf_enumerator *values = lowering->model->enumerators.data + type->first;
	uint32_t size = type->size_bytes ? (uint32_t)type->size_bytes : 4;
	bool wide = size > 4 && lowering->options.enum64;
	uint32_t count = lower_clamp(type->count);
	uint32_t stride = wide ? 3 : 2;
	uint32_t *words, *element;

	array_reserve(&lowering->words, BTF_HEAD_WORDS + stride * count);
	words = lowering->words.data + lowering->words.count;
	words[BTF_WORD_NAME] = type->name;
	words[BTF_WORD_INFO] = btf_info(wide ? BTF_ENUM64 : BTF_ENUM, count,
					lowering->options.enum64 && type->flags & TYPE_NEGATIVE);
	words[BTF_WORD_SIZE] = size;
	element = words + BTF_HEAD_WORDS;
	for (uint32_t i = 0; i < count; i++, element += stride) {
		element[0] = values[i].name;
		element[1] = (uint32_t)values[i].value;
		if (wide)
			element[2] = (uint32_t)(values[i].value >> 32);
	}
	return words;
}

uint32_t lower_enum(struct lowering *lowering, const struct dwarf_type *type)
{
	lowering->counts.inexpressible += type->count - lower_clamp(type->count);
	return lower_intern(lowering, lower_enum_words(lowering, type));
}

/*
 * a[2][3] is an array of 2 whose elements are arrays of 3: CO-RE finds a[1][2] only in that form.
 * One with more elements than BTF can count is void: with fewer, its size would be wrong.
 */
static struct node_ref make_array(struct lowering *lowering, const struct dwarf_type *type,
				  struct node_ref element)
{
	const uint32_t *dimensions = lowering->model->dimensions.data + type->first;
	uint64_t elements = 1;
	uint32_t node = 0, i;

	for (i = 0; i < type->count; i++) {
		elements *= dimensions[i];
		if (elements > UINT32_MAX || dimensions[i] == DIMENSION_HUGE) {
			lowering->counts.inexpressible++;
			return REF_VOID;
		}
	}
	do {
		node = array_of(lowering, element, i ? dimensions[i - 1] : 0);
		if (i > 1)
			collector_add(lowering->collector, TAG_NONE, node);
		element = ref_to_node(node);
	} while (i-- > 1);
	return element;
}

/* ---- references and tags ---- */

const uint32_t lower_reference_info[DWARF_KIND_COUNT] = {
	[DWARF_POINTER] = BTF_INFO(BTF_PTR),
	[DWARF_CONST] = BTF_INFO(BTF_CONST),
	[DWARF_VOLATILE] = BTF_INFO(BTF_VOLATILE),
	[DWARF_RESTRICT] = BTF_INFO(BTF_RESTRICT),
	[DWARF_TYPEDEF] = BTF_INFO(BTF_TYPEDEF),
};

size_t lower_end_of_tags(const struct lowering *lowering, uint32_t type)
{
	const struct dwarf_model *model = lowering->model;
	size_t end = lowering->annotation_heads.data[type] - 1;

	while (end < model->annotations.count &&
	       model->annotations.data[end].owner_kind == ANNOTATES_TYPE &&
	       model->annotations.data[end].owner == type)
		end++;
	return end;
}

/*
 * `struct s __tag1 __tag2 *p` is PTR -> TYPE_TAG tag2 -> TYPE_TAG tag1 -> struct s: the tag nearest
 * to the star wraps first. The model has them outermost first.
 */
static struct node_ref lower_type_tags(struct lowering *lowering, uint32_t type,
				       struct node_ref target)
{
	const struct dwarf_model *model = lowering->model;
	size_t first = lowering->annotation_heads.data[type] - 1;
	size_t last = lower_end_of_tags(lowering, type);

	while (last-- > first) {
		const uint32_t words[BTF_HEAD_WORDS] = { model->annotations.data[last].value,
							 btf_info(BTF_TYPE_TAG, 0, false),
							 target.word };
		uint32_t tag = lower_intern(lowering, words);

		collector_add(lowering->collector, TAG_NONE, tag);
		target = ref_to_node(tag);
	}
	return target;
}

static struct node_ref make_reference(struct lowering *lowering, uint32_t index,
				      const struct dwarf_type *type, struct node_ref target)
{
	uint32_t words[BTF_HEAD_WORDS] = { type->kind == DWARF_TYPEDEF ? type->name : 0,
					   lower_reference_info[type->kind], target.word };
	struct reference_memo *memo;

	if (lower_has_tags(lowering, index))
		words[BTF_WORD_TYPE] = lower_type_tags(lowering, index, target).word;
	/* One cache line instead of two or three in a table larger than the second cache. */
	memo = &lowering->memos[hash_words(words, BTF_HEAD_WORDS) & (REFERENCE_MEMOS - 1)];
	if (!memo->node || memcmp(memo->words, words, sizeof(memo->words)) != 0) {
		memcpy(memo->words, words, sizeof(memo->words));
		memo->node = lower_intern(lowering, words);
	}
	return ref_to_node(memo->node);
}

struct node_ref lower_with_target(struct lowering *lowering, uint32_t index,
				  const struct dwarf_type *type, struct node_ref target)
{
	if (lower_is_transparent(type))
		return target;
	return type->kind == DWARF_ARRAY ? make_array(lowering, type, target)
					 : make_reference(lowering, index, type, target);
}

bool lower_simple(struct lowering *lowering, uint32_t link)
{
	const struct dwarf_type *type = &lowering->model->types.data[link - 1];
	uint32_t to = dwarf_model_link_of(lowering->model, type->type);

	if (to == LINK_INVALID || !lower_is_done(lowering->refs.data[to]) ||
	    (!lower_reference_info[type->kind] && type->kind != DWARF_ARRAY))
		return false;
	lowering->refs.data[link] =
		lower_with_target(lowering, link - 1, type, lowering->refs.data[to]);
	return true;
}

/* DECL_TAGs of types; they point to what they annotate, and join whatever that is merged with. */
void lower_decl_tags(struct lowering *lowering)
{
	const struct dwarf_model *model = lowering->model;

	array_each(const struct dwarf_annotation, annotation, &model->annotations) {
		uint32_t words[BTF_HEAD_WORDS + 1], component = (uint32_t)annotation->component;
		uint32_t moved;

		if (annotation->is_type_tag || annotation->owner_kind != ANNOTATES_TYPE ||
		    !lowering->options.decl_tags)
			continue;
		moved = lowering->moved.count ? lowering->moved.data[annotation->owner] : 0;
		if (annotation->component >= 0 && moved) {
			component = lowering->positions.data[moved - 1 + component];
			if (component == LOWER_NO_POSITION)
				continue;
		}
		words[BTF_WORD_NAME] = annotation->value;
		words[BTF_WORD_INFO] = btf_info(BTF_DECL_TAG, 0, false);
		words[BTF_WORD_TYPE] = lowering->refs.data[annotation->owner + 1].word;
		words[BTF_HEAD_WORDS] = component;
		collector_add(lowering->collector, TAG_NONE,
				   lower_intern(lowering, words));
	}
}
