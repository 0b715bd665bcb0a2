/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Names that one group defines repeatedly: types of the same name in two functions, units of one
 * LTO link, leftovers of dwz. All definitions start as one named type. If their nodes then differ,
 * definitions get variant numbers, and everything is lowered again.
 *
 * Which get the same number is found by partition refinement. At first, definitions of a name are
 * together if their nodes are equal, and so are types without a name. Two of a class are told apart
 * if, at the same place, they refer to types of different classes; a declaration counts as one
 * only if the definitions of its name differ. What is left are the largest classes of which this
 * is not so: definitions that share a number have the same words under the assumption that they
 * are the same, by coinduction.
 *
 * n log n in the references (Hopcroft): of a class that is split the larger part keeps its number,
 * and only references to the other one are looked at. A group of thousands of units (LTO, dwz) may
 * contest every name.
 */
#include <string.h>

#include "base/sort.h"
#include "encoder/lower/lower_state.h"

#define NO_CLASS UINT32_MAX

struct variant_class {
	uint32_t begin, end;	/* in members */
	uint32_t marked;	/* so many members from `begin` on */
	uint32_t base;		/* tag + 1; 0: types without a name */
	uint32_t declarations;	/* the class of the tag's declarations + 1 */
};

struct user {
	uint32_t type;
	uint32_t place;		/* of the reference among those of the type */
};

struct partition {
	struct lowering *lowering;
	uint32_t *of;		/* type -> class; NO_CLASS: refers to nothing that may be split */
	uint32_t *position;	/* type -> in members */
	ARRAY_OF(uint32_t) members;
	ARRAY_OF(struct variant_class) classes;
	uint32_t *first_user;	/* type -> in users */
	struct user *users;
	ARRAY_OF(uint32_t) touched;	/* classes that have marked members */
	ARRAY_OF(uint32_t) moved;	/* classes whose users may have to be told apart */
	ARRAY_OF(struct sort_item) told;	/* scratch: users of a class by place */
};

/* ---- references ---- */

static uint32_t reference_count(const struct dwarf_type *type)
{
	switch ((enum dwarf_type_kind)type->kind) {
	case DWARF_STRUCT:
	case DWARF_UNION: return type->size_bytes <= UINT32_MAX ? lower_clamp(type->count) : 0;
	case DWARF_SUBROUTINE: return lower_clamp(type->count) + 1;
	case DWARF_BASE:
	case DWARF_ENUM:
	case DWARF_BYTES:
	case DWARF_UNSPECIFIED: return 0;
	default: return 1;
	}
}

/* The type that is referred to at a place; UINT32_MAX: it has no class. */
static uint32_t reference_at(const struct partition *p, const struct dwarf_type *type,
			     uint32_t place)
{
	const struct dwarf_model *model = p->lowering->model;
	uint32_t reference = type->type, link;

	if (type->kind == DWARF_STRUCT || type->kind == DWARF_UNION)
		reference = model->members.data[type->first + place].type;
	else if (type->kind == DWARF_SUBROUTINE && place)
		reference = model->parameters.data[type->first + place - 1].type;
	link = dwarf_model_known_link(model, reference);
	while (link && lower_is_transparent(&model->types.data[link - 1]))
		link = dwarf_model_known_link(model, model->types.data[link - 1].type);
	return link && p->of[link - 1] != NO_CLASS ? link - 1 : UINT32_MAX;
}

static void find_users(struct partition *p)
{
	const struct dwarf_model *model = p->lowering->model;
	uint32_t total = 0;

	p->first_user = memory_zeroed(model->types.count + 1, sizeof(*p->first_user));
	for (int fill = 0; fill < 2; fill++) {
		for (uint32_t i = 0; i < model->types.count; i++) {
			const struct dwarf_type *type = &model->types.data[i];
			uint32_t count = p->of[i] == NO_CLASS ? 0 : reference_count(type);

			for (uint32_t place = 0; place < count; place++) {
				uint32_t target = reference_at(p, type, place);

				if (target == UINT32_MAX)
					continue;
				if (fill)
					p->users[--p->first_user[target]] =
						(struct user){ i, place };
				else
					p->first_user[target]++;
			}
		}
		/* From counts to ends; filling turns ends into beginnings. */
		for (size_t i = 0; !fill && i <= model->types.count; i++)
			total = p->first_user[i] += total;
		if (!fill)
			p->users = memory_alloc(total * sizeof(*p->users));
	}
}

/* ---- splitting ---- */

/* The definitions of a tag differ: so does what declares it. */
static void note_split(struct partition *p, const struct variant_class *class)
{
	struct tag *tag = &p->lowering->collector->table.tags.data[class->base - 1];

	if (tag->in_group != TAG_SPLIT && class->declarations)
		array_push(&p->moved, class->declarations - 1);
	tag->in_group = TAG_SPLIT;
}

static void mark(struct partition *p, uint32_t type)
{
	uint32_t number = p->of[type], at = p->position[type], other;
	struct variant_class *class = &p->classes.data[number];
	uint32_t front = class->begin + class->marked;

	if (!class->marked++)
		array_push(&p->touched, number);
	other = p->members.data[front];
	p->members.data[front] = type;
	p->members.data[at] = other;
	p->position[type] = front;
	p->position[other] = at;
}

/* The marked members and the others become two classes, the smaller one with a new number. */
static void split(struct partition *p, uint32_t number)
{
	struct variant_class *class = &p->classes.data[number], new = *class;
	uint32_t middle = class->begin + class->marked, part = (uint32_t)p->classes.count;

	class->marked = new.marked = 0;
	if (middle == class->end)
		return;
	if (middle - class->begin <= class->end - middle)
		class->begin = new.end = middle;
	else
		class->end = new.begin = middle;
	for (uint32_t m = new.begin; m < new.end; m++)
		p->of[p->members.data[m]] = part;
	array_push(&p->classes, new);
	array_push(&p->moved, part);
	if (new.base)
		note_split(p, &new);
}

/* Types of one class that refer, at the same place, to this class and to another, are split. */
static void tell_users(struct partition *p, uint32_t number)
{
	struct variant_class class = p->classes.data[number];

	p->told.count = 0;
	for (uint32_t m = class.begin; m < class.end; m++) {
		uint32_t target = p->members.data[m];

		for (uint32_t u = p->first_user[target]; u < p->first_user[target + 1]; u++)
			array_push(&p->told, ((struct sort_item){ p->users[u].place,
								  p->users[u].type }));
	}
	sort_by_key(p->told.data, p->told.count);
	for (size_t i = 0, end; i < p->told.count; i = end) {
		for (end = i; end < p->told.count && p->told.data[end].key == p->told.data[i].key;
		     end++)
			mark(p, p->told.data[end].value);
		for (size_t t = 0; t < p->touched.count; t++)
			split(p, p->touched.data[t]);
		p->touched.count = 0;
	}
}

/* ---- the first classes ---- */

/*
 * Makes classes of types by `key`: tag + 1 and node. Of the classes of a tag the first may be that
 * of its declarations, which have no node. Returns whether definitions of a tag differ.
 */
static bool make_classes(struct partition *p, struct sort_item *items, size_t count)
{
	bool differ = false;

	sort_by_key(items, count);
	for (size_t i = 0; i < count; i++) {
		struct variant_class class = { .begin = (uint32_t)p->members.count,
					       .base = (uint32_t)(items[i].key >> 32) };
		uint32_t number = (uint32_t)p->classes.count;

		if (i && items[i].key == items[i - 1].key) {
			number--;
		} else if (i && class.base && class.base == items[i - 1].key >> 32) {
			class.declarations = (uint32_t)items[i - 1].key
				? p->classes.data[number - 1].declarations : number;
			array_push(&p->classes, class);
			if ((uint32_t)items[i - 1].key) {
				array_push(&p->moved, number);
				note_split(p, &class);
				differ = true;
			}
		} else {
			array_push(&p->classes, class);
		}
		p->of[items[i].value] = number;
		p->position[items[i].value] = (uint32_t)p->members.count;
		array_push(&p->members, items[i].value);
		p->classes.data[number].end = (uint32_t)p->members.count;
	}
	return differ;
}

/* False: all definitions of a tag are equal, as nearly always. */
static bool make_partition(struct partition *p)
{
	const struct lowering *lowering = p->lowering;
	size_t count = lowering->model->types.count;
	ARRAY_OF(struct sort_item) items = { 0 };
	bool differ;

	p->of = memory_alloc(count * sizeof(*p->of));
	p->position = memory_alloc(count * sizeof(*p->position));
	memset(p->of, 0xff, count * sizeof(*p->of));
	for (size_t i = 0; i < lowering->contested.count; i++) {
		uint32_t type = lowering->contested.data[i];
		uint32_t tag = ref_tag(lowering->refs.data[type + 1]);

		array_push(&items, ((struct sort_item){
			((uint64_t)tag + 1) << 32 | lowering->nodes.data[type], type }));
	}
	differ = make_classes(p, items.data, items.count);
	items.count = 0;
	for (uint32_t i = 0; differ && i < count; i++) {
		const struct dwarf_type *type = &lowering->model->types.data[i];
		struct node_ref ref = lowering->refs.data[i + 1];

		if (!ref_is_tag(ref) && !ref_is_void(ref) && !lower_is_transparent(type) &&
		    reference_count(type))
			array_push(&items, ((struct sort_item){ ref_node(ref), i }));
	}
	make_classes(p, items.data, items.count);
	array_release(&items);
	return differ;
}

/* ---- variants ---- */

/*
 * Numbers the classes of each tag in the order in which they are met, and gives all types their
 * named types; others wait to be lowered again.
 */
static void apply_variants(const struct partition *p)
{
	struct lowering *lowering = p->lowering;
	struct node_table *table = &lowering->collector->table;
	const struct dwarf_model *model = lowering->model;
	uint32_t *met = memory_zeroed(table->tags.count, sizeof(*met));
	uint32_t *of_class = memory_zeroed(p->classes.count, sizeof(*of_class));

	for (size_t i = 0; i < model->types.count; i++) {
		/* The named type of a target may change. */
		if (!ref_is_tag(lowering->refs.data[i + 1]) ||
		    lower_is_transparent(&model->types.data[i]))
			lowering->refs.data[i + 1] = ref_of_word(LOWER_PENDING);
	}
	for (size_t i = 0; i < lowering->contested.count; i++) {
		uint32_t type = lowering->contested.data[i];
		uint32_t id = ref_tag(lowering->refs.data[type + 1]);
		uint32_t *number = &of_class[p->of[type]], variant = 0;
		struct tag base = table->tags.data[id];

		if (lowering->nodes.data[type]) {
			if (!*number)
				*number = ++met[id];
			variant = *number - 1;
		}
		if (model->types.data[type].flags & TYPE_DECLARATION && base.in_group == TAG_SPLIT)
			variant = TAG_VARIANT_UNKNOWN;
		lowering->refs.data[type + 1] = ref_to_tag(
			node_table_tag(table, (enum btf_kind)base.kind, base.name, variant));
	}
	free(of_class);
	free(met);
}

bool lower_variants(struct lowering *lowering)
{
	struct partition p = { .lowering = lowering };
	bool differ = make_partition(&p);

	if (differ) {
		find_users(&p);
		while (p.moved.count)
			tell_users(&p, p.moved.data[--p.moved.count]);
		apply_variants(&p);
	}
	free(p.of);
	free(p.position);
	free(p.first_user);
	free(p.users);
	array_release(&p.members);
	array_release(&p.classes);
	array_release(&p.touched);
	array_release(&p.moved);
	array_release(&p.told);
	return differ;
}
