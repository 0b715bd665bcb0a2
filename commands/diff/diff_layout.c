/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff_layout.h"

#include <string.h>

#include "commands/diff/c_spelling.h"

#define DEPTH_MAX	32		/* of containers without a name in each other */
#define MEMBERS_MAX	(1u << 16)	/* of one definition, with those of its containers */
#define LAYERS_MAX	64		/* typedefs, qualifiers and arrays around a type */
#define TYPE_STEPS_MAX	256		/* of comparing two types, prototypes included */
#define PAIRS_MAX	64		/* of types that are still to be compared */

bool layout_spend(uint64_t *budget, uint64_t cost)
{
	if (*budget < cost) {
		*budget = 0;
		return false;
	}
	*budget -= cost;
	return true;
}

/* ---- records ---- */

static enum btf_kind kind_of(const uint32_t *record)
{
	return record ? btf_info_kind(record[BTF_WORD_INFO]) : BTF_VOID;
}

const char *layout_string(const struct btf_reader *btf, uint32_t offset)
{
	const char *string = btf_reader_string(btf, offset);

	return string ? string : "";
}

int layout_name_order(const char *a, const char *b)
{
	return a == b ? 0 : strncmp(a, b, BTF_NAME_BYTES_MAX - 1);
}

static bool is_record_of_members(enum btf_kind kind)
{
	return kind == BTF_STRUCT || kind == BTF_UNION;
}

static bool is_enum(enum btf_kind kind)
{
	return kind == BTF_ENUM || kind == BTF_ENUM64;
}

static bool is_modifier(enum btf_kind kind)
{
	return kind == BTF_CONST || kind == BTF_VOLATILE || kind == BTF_RESTRICT ||
	       kind == BTF_TYPE_TAG;
}

enum rank layout_rank(const uint32_t *record)
{
	switch (kind_of(record)) {
	case BTF_ENUM:
	case BTF_ENUM64: return RANK_ENUM;
	case BTF_STRUCT: return RANK_STRUCT;
	case BTF_TYPEDEF: return RANK_TYPEDEF;
	case BTF_UNION: return RANK_UNION;
	default: return RANK_COUNT;
	}
}

uint32_t layout_guess_pointer_bytes(const struct btf_reader *btf)
{
	for (uint32_t id = 1; id < btf_reader_end_id(btf); id++) {
		const uint32_t *record = btf_reader_type(btf, id);
		const char *name;

		if (kind_of(record) != BTF_INT)
			continue;
		name = layout_string(btf, record[BTF_WORD_NAME]);
		if (strcmp(name, "long unsigned int") == 0 || strcmp(name, "unsigned long") == 0 ||
		    strcmp(name, "long int") == 0 || strcmp(name, "long") == 0)
			return record[BTF_WORD_SIZE] == 4 ? 4 : 8;
	}
	return 0;
}

/* ---- flattening ---- */

/* A container whose members are being taken. */
struct container {
	const uint32_t *record;
	uint32_t next;
	uint32_t prefix;
	uint64_t offset_bits;
};

/*
 * The struct or union whose members are to be taken instead of the member: of a member without a
 * name any, else one without a name itself. A typedef is a name. Of an array of them the members
 * of the first are taken beside the array.
 */
static const uint32_t *container_of_member(const struct btf_reader *btf, uint32_t type,
					   const char *name, bool *in_array)
{
	const uint32_t *record = btf_reader_type(btf, type);

	*in_array = false;
	for (uint32_t i = 0; i < LAYERS_MAX; i++) {
		if (kind_of(record) == BTF_ARRAY && *name) {
			*in_array = true;
			record = btf_reader_type(btf, record[BTF_HEAD_WORDS]);
			continue;
		}
		if (!is_modifier(kind_of(record)) && (*name || kind_of(record) != BTF_TYPEDEF))
			break;
		record = btf_reader_type(btf, record[BTF_WORD_TYPE]);
	}
	if (!is_record_of_members(kind_of(record)) || !btf_info_vlen(record[BTF_WORD_INFO]) ||
	    (*name && *layout_string(btf, record[BTF_WORD_NAME])))
		return NULL;
	return record;
}

/*
 * The size of a type, 0 if it has none. An INT may be a bit field by itself, as compilers wrote
 * them before members could: then `bit_int` is its record.
 */
static uint64_t type_bits(const struct layout *layout, uint32_t type, const uint32_t **bit_int)
{
	const uint32_t *record = btf_reader_type(layout->btf, type);
	uint64_t elements = 1, bits = 0;
	bool is_array = false;

	for (uint32_t i = 0; i < LAYERS_MAX; i++) {
		if (kind_of(record) == BTF_ARRAY) {
			if (__builtin_mul_overflow(elements, record[BTF_HEAD_WORDS + 2], &elements))
				return UINT64_MAX;
			is_array = true;
			record = btf_reader_type(layout->btf, record[BTF_HEAD_WORDS]);
		} else if (is_modifier(kind_of(record)) || kind_of(record) == BTF_TYPEDEF) {
			record = btf_reader_type(layout->btf, record[BTF_WORD_TYPE]);
		} else {
			break;
		}
	}
	if (kind_of(record) == BTF_PTR)
		bits = 8 * (uint64_t)layout->pointer_bytes;
	else if (record && btf_kind_of(record[BTF_WORD_INFO])->has_size)
		bits = 8 * (uint64_t)record[BTF_WORD_SIZE];
	if (kind_of(record) == BTF_INT && !is_array && record[BTF_HEAD_WORDS] & 0xff &&
	    (record[BTF_HEAD_WORDS] & 0xff) < bits)
		*bit_int = record;
	return __builtin_mul_overflow(elements, bits, &bits) ? UINT64_MAX : bits;
}

static uint32_t add_prefix(struct layout *layout, uint32_t outer, const char *name, bool in_array)
{
	const char *dot = in_array ? "[]." : ".";
	size_t at = layout->prefixes.count;
	size_t outer_bytes = strlen(layout->prefixes.data + outer);
	size_t name_bytes = strnlen(name, BTF_NAME_BYTES_MAX);
	size_t dot_bytes = strlen(dot) + 1;

	if (outer_bytes + name_bytes + dot_bytes > PATH_BYTES_MAX)
		return outer;
	array_reserve(&layout->prefixes, outer_bytes + name_bytes + dot_bytes);
	memcpy(layout->prefixes.data + at, layout->prefixes.data + outer, outer_bytes);
	memcpy(layout->prefixes.data + at + outer_bytes, name, name_bytes);
	memcpy(layout->prefixes.data + at + outer_bytes + name_bytes, dot, dot_bytes);
	layout->prefixes.count += outer_bytes + name_bytes + dot_bytes;
	return (uint32_t)at;
}

static uint32_t member_offset(const uint32_t *record, const uint32_t *words)
{
	return btf_info_kind_flag(record[BTF_WORD_INFO]) ? words[2] & BTF_MAX_MEMBER_BITS_KFLAG
							 : words[2];
}

static void add_member(struct layout *layout, const struct container *container,
		       const uint32_t *words)
{
	bool kind_flag = btf_info_kind_flag(container->record[BTF_WORD_INFO]);
	const uint32_t *bit_int = NULL;
	struct member member = {
		.name = layout_string(layout->btf, words[0]), .prefix = container->prefix,
		.type = words[1],
		.offset_bits = container->offset_bits + member_offset(container->record, words),
		.size_bits = type_bits(layout, words[1], &bit_int), .match = NO_MEMBER,
	};

	if (kind_flag && words[2] >> 24) {
		member.size_bits = words[2] >> 24;
		member.is_bitfield = true;
	} else if (!kind_flag && bit_int) {
		member.size_bits = bit_int[BTF_HEAD_WORDS] & 0xff;
		member.offset_bits += bit_int[BTF_HEAD_WORDS] >> 16 & 0xff;
		member.is_bitfield = true;
	}
	array_push(&layout->members, member);
}

static void flatten_members(struct layout *layout, uint64_t *budget)
{
	struct container stack[DEPTH_MAX] = { { .record = layout->record } };
	uint32_t depth = 1;

	while (depth) {
		struct container *top = &stack[depth - 1];
		const uint32_t *words, *inner;
		const char *name;
		bool in_array;

		if (top->next == btf_info_vlen(top->record[BTF_WORD_INFO])) {
			depth--;
			continue;
		}
		if (layout->visited++ == MEMBERS_MAX || !layout_spend(budget, 1)) {
			layout->is_cut = true;
			return;
		}
		words = top->record + BTF_HEAD_WORDS + 3 * (size_t)top->next++;
		name = layout_string(layout->btf, words[0]);
		inner = container_of_member(layout->btf, words[1], name, &in_array);
		if (!inner || in_array || depth == DEPTH_MAX)
			add_member(layout, top, words);
		layout->is_deep |= inner && depth == DEPTH_MAX;
		if (!inner || depth == DEPTH_MAX)
			continue;
		stack[depth++] = (struct container){
			.record = inner,
			.prefix = *name ? add_prefix(layout, top->prefix, name, in_array)
					: top->prefix,
			.offset_bits = top->offset_bits + member_offset(top->record, words),
		};
	}
}

static void flatten_enumerators(struct layout *layout, uint64_t *budget)
{
	uint32_t info = layout->record[BTF_WORD_INFO];
	bool wide = btf_info_kind(info) == BTF_ENUM64;

	for (uint32_t i = 0; i < btf_info_vlen(info); i++) {
		const uint32_t *words = layout->record + BTF_HEAD_WORDS +
					(wide ? 3 : 2) * (size_t)i;
		struct member member = { .name = layout_string(layout->btf, words[0]),
					 .match = NO_MEMBER };

		if (layout->visited++ == MEMBERS_MAX || !layout_spend(budget, 1)) {
			layout->is_cut = true;
			return;
		}
		member.offset_bits = words[1];
		if (wide)
			member.offset_bits |= (uint64_t)words[2] << 32;
		else if (btf_info_kind_flag(info))
			member.offset_bits = (uint64_t)(int32_t)words[1];
		array_push(&layout->members, member);
	}
}

/*
 * What is compared under the name of a type: itself; of a typedef what it is of, if that is a
 * definition without a name. Else NULL: *id is what the typedef is of, whatever that is.
 */
static const uint32_t *definition_of(const struct btf_reader *btf, uint32_t *id)
{
	const uint32_t *record = btf_reader_type(btf, *id), *target;

	if (kind_of(record) != BTF_TYPEDEF)
		return record;
	*id = record[BTF_WORD_TYPE];
	target = btf_reader_type(btf, *id);
	for (uint32_t i = 0; i < LAYERS_MAX && is_modifier(kind_of(target)); i++)
		target = btf_reader_type(btf, target[BTF_WORD_TYPE]);
	return (is_record_of_members(kind_of(target)) || is_enum(kind_of(target))) &&
			       !*layout_string(btf, target[BTF_WORD_NAME])
		       ? target : NULL;
}

uint64_t layout_definition_bytes(const struct btf_reader *btf, uint32_t pointer_bytes, uint32_t id)
{
	const struct layout layout = { .btf = btf, .pointer_bytes = pointer_bytes };
	const uint32_t *record = definition_of(btf, &id), *ignored = NULL;

	return record ? record[BTF_WORD_SIZE] : type_bits(&layout, id, &ignored) / 8;
}

bool layout_is_enum(const struct layout *layout)
{
	return is_enum(kind_of(layout->record));
}

void layout_flatten(struct layout *layout, const struct btf_reader *btf, uint32_t pointer_bytes,
		    uint32_t id, uint64_t *budget)
{
	layout->btf = btf;
	layout->pointer_bytes = pointer_bytes;
	layout->bytes = layout_definition_bytes(btf, pointer_bytes, id);
	layout->record = definition_of(btf, &id);
	layout->id = id;
	layout->is_alias = !layout->record;
	layout->members.count = 0;
	layout->prefixes.count = 0;
	array_push(&layout->prefixes, '\0');
	layout->visited = 0;
	layout->is_cut = layout->is_deep = false;
	if (layout_is_enum(layout))
		flatten_enumerators(layout, budget);
	else if (!layout->is_alias)
		flatten_members(layout, budget);
}

void layout_release(struct layout *layout)
{
	array_release(&layout->members);
	array_release(&layout->prefixes);
}

/* ---- types ---- */

/* A declared type is the defined one: which of them a reader has is chance. */
static enum btf_kind comparable_kind(const uint32_t *record)
{
	enum btf_kind kind = kind_of(record);

	if (kind == BTF_FWD)
		return btf_info_kind_flag(record[BTF_WORD_INFO]) ? BTF_UNION : BTF_STRUCT;
	return kind == BTF_ENUM64 ? BTF_ENUM : kind;
}

/* A type of either side, with the qualifiers of the array that it is an element of. */
struct type_pair {
	uint32_t ids[2];
	uint32_t qualifiers[2];		/* a bit for each kind */
};

struct type_pairs {
	struct type_pair pairs[PAIRS_MAX];
	uint32_t count;
	uint32_t steps;
};

/* False: one too many. */
static bool push_pair(struct type_pairs *pairs, uint32_t a, uint32_t b)
{
	if (pairs->count == PAIRS_MAX)
		return false;
	pairs->pairs[pairs->count++] = (struct type_pair){ .ids = { a, b } };
	return true;
}

static bool push_parameters(struct type_pairs *pairs, const uint32_t *a, const uint32_t *b)
{
	uint32_t count = btf_info_vlen(a[BTF_WORD_INFO]);

	if (count != btf_info_vlen(b[BTF_WORD_INFO]))
		return false;
	for (uint32_t i = 0; i < count; i++) {
		if (!push_pair(pairs, a[BTF_HEAD_WORDS + 2 * (size_t)i + 1],
			       b[BTF_HEAD_WORDS + 2 * (size_t)i + 1]))
			return false;
	}
	return true;
}

/*
 * Takes the qualifiers off both types of a pair. False: there are too many. A set will do: a
 * constant array of constants, of which compilers write one `const` or both, has it once. Tags
 * (`__user`) are no layout, and only clang knows them.
 */
static bool take_qualifiers(struct type_pairs *pairs, struct type_pair *pair,
			    const struct layout *const layouts[2])
{
	for (int i = 0; i < 2; i++) {
		const uint32_t *record = btf_reader_type(layouts[i]->btf, pair->ids[i]);

		while (is_modifier(kind_of(record))) {
			if (pairs->steps++ == TYPE_STEPS_MAX)
				return false;
			if (kind_of(record) != BTF_TYPE_TAG)
				pair->qualifiers[i] |= 1u << kind_of(record);
			pair->ids[i] = record[BTF_WORD_TYPE];
			record = btf_reader_type(layouts[i]->btf, pair->ids[i]);
		}
	}
	return true;
}

static bool same_array(struct type_pairs *pairs, const struct type_pair *pair, const uint32_t *a,
		       const uint32_t *b)
{
	if (a[BTF_HEAD_WORDS + 2] != b[BTF_HEAD_WORDS + 2] ||
	    !push_pair(pairs, a[BTF_HEAD_WORDS], b[BTF_HEAD_WORDS]))
		return false;
	memcpy(pairs->pairs[pairs->count - 1].qualifiers, pair->qualifiers,
	       sizeof(pair->qualifiers));
	return true;
}

/* Two records of one comparable kind that is no array: the same but for what is pushed? */
static bool same_record(struct type_pairs *pairs, const uint32_t *a, const char *a_name,
			const uint32_t *b, const char *b_name)
{
	switch (kind_of(a)) {
	case BTF_PTR: return push_pair(pairs, a[BTF_WORD_TYPE], b[BTF_WORD_TYPE]);
	case BTF_FUNC_PROTO:
		return push_pair(pairs, a[BTF_WORD_TYPE], b[BTF_WORD_TYPE]) &&
		       push_parameters(pairs, a, b);
	case BTF_INT:
		return layout_name_order(a_name, b_name) == 0 || c_spelling_is_same(a_name, b_name);
	default: return layout_name_order(a_name, b_name) == 0;
	}
}

bool layout_same_type(const struct layout *old, uint32_t old_type, const struct layout *new,
		      uint32_t new_type)
{
	const struct layout *const layouts[2] = { old, new };
	struct type_pairs pairs;

	pairs.count = pairs.steps = 0;
	push_pair(&pairs, old_type, new_type);
	while (pairs.count) {
		struct type_pair pair = pairs.pairs[--pairs.count];
		const uint32_t *a, *b;

		if (pairs.steps++ >= TYPE_STEPS_MAX || !take_qualifiers(&pairs, &pair, layouts))
			return false;
		a = btf_reader_type(old->btf, pair.ids[0]);
		b = btf_reader_type(new->btf, pair.ids[1]);
		if (kind_of(a) == BTF_ARRAY && kind_of(b) == BTF_ARRAY) {
			if (!same_array(&pairs, &pair, a, b))
				return false;
			continue;
		}
		if (pair.qualifiers[0] != pair.qualifiers[1])
			return false;
		if (!pair.ids[0] && !pair.ids[1])
			continue;
		if (!a || !b || comparable_kind(a) != comparable_kind(b) ||
		    !same_record(&pairs, a, layout_string(old->btf, a[BTF_WORD_NAME]), b,
				 layout_string(new->btf, b[BTF_WORD_NAME])))
			return false;
	}
	return true;
}
