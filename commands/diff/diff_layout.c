/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff_layout.h"

#include <string.h>

#include "btf/members.h"
#include "kernel/c_spelling.h"

#define MEMBERS_MAX	(1u << 16)	/* of one definition, with those of its containers */
#define TYPE_STEPS_MAX	256		/* of comparing two types, prototypes included */
#define PAIRS_MAX	64		/* of types that are still to be compared */

#define QUALIFIERS	(BTF_MODIFIERS & ~(1u << BTF_TYPEDEF))

bool layout_spend(uint64_t *budget, uint64_t cost)
{
	if (*budget < cost) {
		*budget = 0;
		return false;
	}
	*budget -= cost;
	return true;
}

int layout_name_order(const char *a, const char *b)
{
	return a == b ? 0 : strncmp(a, b, BTF_NAME_BYTES_MAX - 1);
}

enum rank layout_rank(const uint32_t *record)
{
	switch (btf_record_kind(record)) {
	case BTF_ENUM:
	case BTF_ENUM64: return RANK_ENUM;
	case BTF_STRUCT: return RANK_STRUCT;
	case BTF_TYPEDEF: return RANK_TYPEDEF;
	case BTF_UNION: return RANK_UNION;
	default: return RANK_COUNT;
	}
}

/* ---- flattening ---- */

/*
 * The struct or union whose members are taken instead of the member: any if the member has no name,
 * else only a struct or union without a name. A typedef is a name. For an array of structs without
 * a name, the members of the first element are taken in addition to the array.
 */
static const uint32_t *container_of_member(const struct btf_reader *btf, uint32_t type,
					   const char *name, bool *in_array)
{
	uint32_t kinds = *name ? QUALIFIERS | 1u << BTF_ARRAY : BTF_MODIFIERS, passed = 0;
	const uint32_t *record = btf_under(btf, &type, kinds, &passed);

	*in_array = passed >> BTF_ARRAY & 1;
	if (!btf_kind_is_aggregate(btf_record_kind(record)) ||
	    !btf_element_count(record) || (*name && *btf_type_name(btf, record)))
		return NULL;
	return record;
}

static uint32_t add_prefix(struct layout *layout, uint32_t outer, const char *name, bool in_array)
{
	const char *dot = in_array ? "[]." : ".";
	size_t at = layout->prefixes.count, outer_bytes = strlen(layout->prefixes.data + outer);
	size_t name_bytes = strnlen(name, BTF_NAME_BYTES_MAX);

	if (outer_bytes + name_bytes + strlen(dot) >= PATH_BYTES_MAX)
		return outer;
	array_reserve(&layout->prefixes, PATH_BYTES_MAX);
	text_add(&layout->prefixes, layout->prefixes.data + outer, outer_bytes);
	text_add(&layout->prefixes, name, name_bytes);
	text_add(&layout->prefixes, dot, strlen(dot) + 1);
	return (uint32_t)at;
}

static void add_member(struct layout *layout, const struct btf_members *walk, uint32_t prefix)
{
	struct btf_member_layout member =
		btf_members_layout(walk, layout->btf, layout->pointer_bytes);

	array_push(&layout->members, ((struct member){
		.name = btf_text(layout->btf, walk->words[0]), .prefix = prefix,
		.type = member.type, .size_bits = member.size_bits,
		.offset_bits = member.offset_bits, .is_bitfield = member.is_bitfield,
		.match = NO_MEMBER }));
}

static void flatten_members(struct layout *layout, uint64_t *budget)
{
	uint32_t prefixes[BTF_MEMBERS_DEPTH] = { 0 };	/* of the open bodies */
	struct btf_members walk = { 0 };

	btf_members_enter(&walk, layout->record, 0);
	while (btf_members_next(&walk)) {
		const uint32_t *inner;
		const char *name;
		uint32_t prefix;
		bool in_array;

		if (walk.has_ended)
			continue;
		if (layout->visited++ == MEMBERS_MAX || !layout_spend(budget, 1)) {
			layout->is_cut = true;
			return;
		}
		name = btf_text(layout->btf, walk.words[0]);
		prefix = prefixes[walk.depth - 1];
		inner = container_of_member(layout->btf, walk.words[1], name, &in_array);
		layout->is_deep |= inner && walk.depth == BTF_MEMBERS_DEPTH;
		if (!inner || in_array || walk.depth == BTF_MEMBERS_DEPTH)
			add_member(layout, &walk, prefix);
		if (inner && btf_members_enter(&walk, inner, walk.offset_bits))
			prefixes[walk.depth - 1] =
				*name ? add_prefix(layout, prefix, name, in_array) : prefix;
	}
}

static void flatten_enumerators(struct layout *layout, uint64_t *budget)
{
	const uint32_t *record = layout->record;

	for (uint32_t i = 0; i < btf_element_count(record); i++) {
		const uint32_t *words = btf_element(record, i);

		if (layout->visited++ == MEMBERS_MAX || !layout_spend(budget, 1)) {
			layout->is_cut = true;
			return;
		}
		array_push(&layout->members, ((struct member){
			.name = btf_text(layout->btf, words[0]), .match = NO_MEMBER,
			.offset_bits = btf_enumerator_value(record, words) }));
	}
}

/*
 * The definition that is compared under the name of a type: the type; of a typedef its target, if
 * that is a definition without a name. Else NULL, and *id is the target of the typedef.
 */
static const uint32_t *definition_of(const struct btf_reader *btf, uint32_t *id)
{
	const uint32_t *record = btf_reader_type(btf, *id), *target;
	enum btf_kind kind;
	uint32_t under;

	if (btf_record_kind(record) != BTF_TYPEDEF)
		return record;
	*id = under = record[BTF_WORD_TYPE];
	target = btf_under(btf, &under, QUALIFIERS, &(uint32_t){ 0 });
	kind = btf_record_kind(target);
	return (btf_kind_is_aggregate(kind) || btf_kind_is_enum(kind)) &&
			       !*btf_type_name(btf, target)
		       ? target : NULL;
}

bool layout_is_enum(const struct layout *layout)
{
	return btf_kind_is_enum(btf_record_kind(layout->record));
}

void layout_flatten(struct layout *layout, const struct btf_reader *btf, uint32_t pointer_bytes,
		    uint32_t id, uint64_t *budget)
{
	const uint32_t *ignored = NULL;

	layout->btf = btf;
	layout->pointer_bytes = pointer_bytes;
	layout->record = definition_of(btf, &id);
	layout->bytes = layout->record ? layout->record[BTF_WORD_SIZE]
				       : btf_type_bits(btf, id, pointer_bytes, &ignored) / 8;
	layout->id = id;
	layout->members.count = 0;
	layout->prefixes.count = 0;
	array_push(&layout->prefixes, '\0');
	layout->visited = 0;
	layout->is_cut = layout->is_deep = false;
	if (layout_is_enum(layout))
		flatten_enumerators(layout, budget);
	else if (layout->record)
		flatten_members(layout, budget);
}

void layout_release(struct layout *layout)
{
	array_release(&layout->members);
	array_release(&layout->prefixes);
}

/* ---- types ---- */

/* A type of either side, with the qualifiers of the array that it is an element of. */
struct type_pair {
	uint32_t ids[2];
	uint32_t qualifiers[2];		/* a bit for each kind */
};

struct type_pairs {
	struct type_pair pairs[PAIRS_MAX];
	uint32_t count;
};

/* False: one too many. */
static bool push_pair(struct type_pairs *pairs, uint32_t a, uint32_t b)
{
	if (pairs->count == PAIRS_MAX)
		return false;
	pairs->pairs[pairs->count++] = (struct type_pair){ .ids = { a, b } };
	return true;
}

/*
 * Are two records of one comparable kind the same but for the types that they refer to? Those are
 * pushed.
 */
static bool same_record(struct type_pairs *pairs, const struct type_pair *pair, const uint32_t *a,
			const char *a_name, const uint32_t *b, const char *b_name)
{
	uint32_t count = btf_element_count(a);

	switch (btf_record_kind(a)) {
	case BTF_ARRAY:
		if (a[BTF_HEAD_WORDS + 2] != b[BTF_HEAD_WORDS + 2] ||
		    !push_pair(pairs, a[BTF_HEAD_WORDS], b[BTF_HEAD_WORDS]))
			return false;
		memcpy(pairs->pairs[pairs->count - 1].qualifiers, pair->qualifiers,
		       sizeof(pair->qualifiers));
		return true;
	case BTF_PTR: return push_pair(pairs, a[BTF_WORD_TYPE], b[BTF_WORD_TYPE]);
	case BTF_FUNC_PROTO:
		if (!push_pair(pairs, a[BTF_WORD_TYPE], b[BTF_WORD_TYPE]) ||
		    count != btf_element_count(b))
			return false;
		for (uint32_t i = 0; i < count; i++) {
			if (!push_pair(pairs, btf_element(a, i)[1], btf_element(b, i)[1]))
				return false;
		}
		return true;
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
	uint32_t steps = 0;

	pairs.count = 0;
	push_pair(&pairs, old_type, new_type);
	while (pairs.count) {
		struct type_pair pair = pairs.pairs[--pairs.count];
		const uint32_t *records[2], *a, *b;
		bool are_arrays;

		if (steps++ >= TYPE_STEPS_MAX)
			return false;
		/*
		 * A set of qualifiers will do: a constant array of constants, of which compilers
		 * write one `const` or both, has it once. Tags (`__user`) are not layout, and only
		 * clang knows them.
		 */
		for (int i = 0; i < 2; i++) {
			records[i] = btf_reader_type(layouts[i]->btf, pair.ids[i]);
			while (btf_kind_is_modifier(btf_record_kind(records[i]))) {
				if (steps++ == TYPE_STEPS_MAX)
					return false;
				if (btf_record_kind(records[i]) != BTF_TYPE_TAG)
					pair.qualifiers[i] |= 1u << btf_record_kind(records[i]);
				pair.ids[i] = records[i][BTF_WORD_TYPE];
				records[i] = btf_reader_type(layouts[i]->btf, pair.ids[i]);
			}
		}
		a = records[0];
		b = records[1];
		are_arrays = btf_record_kind(a) == BTF_ARRAY && btf_record_kind(b) == BTF_ARRAY;
		if (!are_arrays && pair.qualifiers[0] != pair.qualifiers[1])
			return false;
		if (!pair.ids[0] && !pair.ids[1])
			continue;
		/* Which of declaration and definition a reader has is chance. */
		if (!a || !b || btf_declared_kind(a) != btf_declared_kind(b) ||
		    !same_record(&pairs, &pair, a, btf_type_name(old->btf, a), b,
				 btf_type_name(new->btf, b)))
			return false;
	}
	return true;
}
