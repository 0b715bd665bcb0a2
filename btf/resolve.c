/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Two types are equal when nothing that can be reached from them differs. Structs refer to structs
 * by name, so this is decided in two steps.
 *
 * 1. Which tags do not mean the same everywhere: these are *tainted* (btf/taint.h).
 *
 * 2. For tainted tags each definition in each group of units is an *instance*. Instances are put
 *    into classes by partition refinement: at first by name, then again and again by their words
 *    with every tainted reference replaced by the class of the instance that it means in that
 *    group, until the number of classes stays. That is the coarsest partition in which equal
 *    instances have equal words and equal neighbours, hence exact, cycles included. It ends because
 *    the number of classes only grows and is bounded by the instances; each round is linear in
 *    their words, and there are as many as the longest chain between two that differ (2 in Debian's
 *    6.1 kernel).
 *
 * A declaration (FWD) says nothing about its tag. It is *bound* to a definition when that is
 * unambiguous: the tag has one class in the whole program, or all groups that can see further from
 * the same place (the same reference of the same containing definition) see the same class. Binding
 * can only merge classes, so binding and refining again ends as well. What is not bound stays a FWD
 * of its own: containers that differ only in that are then different types, and truthfully so.
 *
 * Nothing depends on which worker had which group: instances are taken in the order of groups and
 * of their DIEs, sub-shapes in the order of their births, and new shapes are made in that order.
 */
#define _GNU_SOURCE	/* qsort_r */
#include "btf/resolve.h"

#include <string.h>

#include "btf/places.h"
#include "btf/taint.h"

/* Marks a reference into the scratch table, beside which references into the real one stand. */
#define SCRATCH_BIT 0x40000000u

struct instance {
	uint32_t group;
	uint32_t tag;
	uint32_t shape;
	uint32_t class;
};

struct group_place {
	const struct group_record *record;	/* NULL: the group was skipped */
	uint32_t source;
};

/* What is tainted of a source, by its own ids: nearly all that is looked at is not. */
struct source_taint {
	bool *tags;
	struct entry_filter filter;	/* the entries to look at */
};

struct ordered_shape {
	uint64_t birth;
	uint32_t shape;
};

struct resolver {
	struct shape_table *table;
	const struct merge_source *sources;
	size_t source_count;
	uint32_t group_count;
	struct resolve_counts counts;

	uint32_t shape_count;		/* of the table before resolving */
	uint32_t tag_count;
	struct taint taint;		/* instances' shapes count as tainted, too */
	struct source_taint *local;	/* by source */

	ARRAY_OF(struct instance) instances;
	uint32_t *group_first;		/* group -> first instance; group_count + 1 entries */
	uint32_t *by_tag;		/* within each group: its instances, sorted by tag */
	struct group_place *groups;	/* where each group's record is */
	struct place_table places;

	struct shape_table scratch;	/* of one refinement round */
	ARRAY_OF(uint32_t) class_tags;	/* class -> tag of the resolved table */

	/* Scratch of evaluate(): sub-shapes of one definition, children first. */
	ARRAY_OF(uint32_t) pending;
	ARRAY_OF(struct ordered_shape) order;
	ARRAY_OF(uint32_t) words;
	uint32_t *visited;		/* shape -> stamp of the evaluation that met it */
	uint32_t *value;		/* shape -> what it became in that evaluation */
	uint32_t stamp;
};

/* ---- instances ---- */

static void find_groups(struct resolver *r)
{
	r->groups = memory_zeroed(r->group_count, sizeof(*r->groups));
	for (uint32_t i = 0; i < r->source_count; i++) {
		const struct collector *collector = r->sources[i].collector;

		for (size_t g = 0; g < collector->groups.count; g++) {
			const struct group_record *record = &collector->groups.data[g];

			r->groups[record->group] = (struct group_place){ record, i };
		}
	}
}

static void translate_tags(struct resolver *r)
{
	r->local = memory_zeroed(r->source_count, sizeof(*r->local));
	for (size_t i = 0; i < r->source_count; i++) {
		const struct merge_map *map = &r->sources[i].map;
		bool *tags = memory_alloc(map->tag_count * sizeof(bool));

		for (size_t t = 0; t < map->tag_count; t++)
			tags[t] = r->taint.tags[r->table->tags.data[map->tags[t]].base];
		r->local[i].tags = tags;
	}
}

/* The definitions of tainted tags. */
static void filter_definitions(struct resolver *r)
{
	for (size_t i = 0; i < r->source_count; i++) {
		const struct collector *collector = r->sources[i].collector;
		bool *marked = memory_zeroed(collector->links.count, sizeof(bool));

		for (size_t s = 0; s < collector->links.count; s++) {
			uint32_t defines = collector->links.data[s].defines;

			marked[s] = defines && defines != LINK_UNSEEN &&
				    r->local[i].tags[defines - 1];
		}
		entry_filter_init(&r->local[i].filter, collector, marked);
		free(marked);
	}
}

/* The roots that are tainted. */
static void filter_roots(struct resolver *r)
{
	for (size_t i = 0; i < r->source_count; i++) {
		const struct collector *collector = r->sources[i].collector;
		bool *marked = memory_zeroed(collector->links.count, sizeof(bool));

		for (size_t s = 0; s < collector->links.count; s++)
			marked[s] = !collector->links.data[s].defines &&
				    r->taint.shapes[r->sources[i].map.shapes[s]];
		entry_filter_release(&r->local[i].filter);
		entry_filter_init(&r->local[i].filter, collector, marked);
		free(marked);
	}
}

/* An instance's shape is tainted by being one of several of its tag, whatever it contains. */
static void collect_group(struct resolver *r, uint32_t group)
{
	const struct group_record *record = r->groups[group].record;
	const struct merge_source *source = &r->sources[r->groups[group].source];
	const struct source_taint *local = &r->local[r->groups[group].source];
	struct definition entry;
	struct entry_walk walk;

	if (!record)
		return;
	entry_walk_start(&walk, source->collector, record, &local->filter);
	while (entry_walk_next(&walk, &entry)) {
		uint32_t shape = source->map.shapes[entry.shape];

		if (entry.tag == TAG_NONE || !local->tags[entry.tag])
			continue;
		r->taint.shapes[shape] = true;
		array_push(&r->instances, ((struct instance){
			.group = group, .tag = source->map.tags[entry.tag], .shape = shape }));
	}
}

static int compare_by_tag(const void *a, const void *b, void *instances)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	uint32_t tag_x = ((const struct instance *)instances)[x].tag;
	uint32_t tag_y = ((const struct instance *)instances)[y].tag;

	if (tag_x != tag_y)
		return tag_x < tag_y ? -1 : 1;
	return x < y ? -1 : x > y;
}

static void collect_instances(struct resolver *r)
{
	find_groups(r);
	translate_tags(r);
	filter_definitions(r);
	r->group_first = memory_zeroed((size_t)r->group_count + 1, sizeof(uint32_t));
	for (uint32_t g = 0; g < r->group_count; g++) {
		collect_group(r, g);
		r->group_first[g + 1] = (uint32_t)r->instances.count;
	}
	r->by_tag = memory_alloc(r->instances.count * sizeof(uint32_t));
	for (uint32_t i = 0; i < r->instances.count; i++)
		r->by_tag[i] = i;
	for (uint32_t g = 0; g < r->group_count; g++)
		qsort_r(r->by_tag + r->group_first[g], r->group_first[g + 1] - r->group_first[g],
			sizeof(uint32_t), compare_by_tag, r->instances.data);
}

static uint32_t find_instance(const struct resolver *r, uint32_t group, uint32_t tag)
{
	uint32_t low = r->group_first[group], high = r->group_first[group + 1];
	uint32_t end = high;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (r->instances.data[r->by_tag[middle]].tag < tag)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == end || r->instances.data[r->by_tag[low]].tag != tag)
		return NO_INSTANCE;
	return r->by_tag[low];
}

/* The instance that a tag means to a definition in a group, or NO_INSTANCE: only declared. */
static uint32_t meaning(const struct resolver *r, uint32_t group, uint32_t container, uint32_t tag)
{
	uint32_t base = r->table->tags.data[tag].base;
	uint32_t instance = find_instance(r, group, tag);
	const struct place *place;

	if (instance != NO_INSTANCE)
		return instance;
	place = place_find(&r->places, container, base);
	if (place && place->bound != NO_INSTANCE)
		return place->bound;
	place = container ? place_find(&r->places, NO_CONTAINER, base) : NULL;
	return place ? place->bound : NO_INSTANCE;
}

/* ---- evaluation: a shape with its tainted references replaced ---- */

static int compare_births(const void *a, const void *b)
{
	const struct ordered_shape *x = a, *y = b;

	return x->birth < y->birth ? -1 : x->birth > y->birth;
}

/*
 * Fills r->order with the tainted shapes below `shape`, itself included, by birth. What a shape
 * refers to was born before it: in the group where the shape was first met, at the latest, and
 * there it was interned first.
 */
static void order_sub_shapes(struct resolver *r, uint32_t shape)
{
	r->stamp++;
	r->order.count = r->pending.count = 0;
	array_push(&r->pending, shape);
	r->visited[shape] = r->stamp;
	while (r->pending.count) {
		uint32_t s = r->pending.data[--r->pending.count];
		const uint32_t *words = shape_words(r->table, s);
		uint32_t info = words[BTF_WORD_INFO];
		const struct btf_kind_info *kind = btf_kind_of(info);

		array_push(&r->order, ((struct ordered_shape){
			r->table->shapes.data[s].birth, s }));
		for (uint32_t i = 0, n = btf_ref_count(info); i < n; i++) {
			shape_ref ref = words[btf_ref_word(kind, i)];

			if (ref && !ref_is_tag(ref) && r->taint.shapes[ref] &&
			    r->visited[ref] != r->stamp) {
				r->visited[ref] = r->stamp;
				array_push(&r->pending, ref);
			}
		}
	}
	qsort(r->order.data, r->order.count, sizeof(*r->order.data), compare_births);
}

static bool tag_is_tainted(const struct resolver *r, shape_ref ref)
{
	return r->taint.tags[r->table->tags.data[ref_tag(ref)].base];
}

/*
 * Interns `shape` and all tainted shapes below it in `into`, as they are in a group and, for the
 * binding of declarations, inside a container. A tainted tag becomes tag_base + the class of its
 * meaning, or its base tag where it is only declared. Returns the id in `into`.
 */
static uint32_t evaluate(struct resolver *r, struct shape_table *into, uint32_t shape,
			 uint32_t group, uint32_t container, uint32_t tag_base, uint64_t birth)
{
	uint32_t mark = into == &r->scratch ? SCRATCH_BIT : 0;

	order_sub_shapes(r, shape);
	for (size_t i = 0; i < r->order.count; i++) {
		uint32_t s = r->order.data[i].shape;
		uint32_t count = r->table->shapes.data[s].word_count;
		const struct btf_kind_info *kind;
		uint32_t info;

		r->words.count = 0;
		array_reserve(&r->words, count);
		memcpy(r->words.data, shape_words(r->table, s), count * sizeof(uint32_t));
		info = r->words.data[BTF_WORD_INFO];
		kind = btf_kind_of(info);
		for (uint32_t j = 0, n = btf_ref_count(info); j < n; j++) {
			uint32_t *ref = &r->words.data[btf_ref_word(kind, j)];

			if (*ref && ref_is_tag(*ref) && tag_is_tainted(r, *ref)) {
				uint32_t instance = meaning(r, group, container, ref_tag(*ref));
				uint32_t base = r->table->tags.data[ref_tag(*ref)].base;

				*ref = ref_to_tag(instance == NO_INSTANCE ? base
						  : tag_base + r->instances.data[instance].class);
			} else if (*ref && !ref_is_tag(*ref) && r->taint.shapes[*ref]) {
				*ref = r->value[*ref] | mark;
			}
		}
		r->value[s] = shape_table_intern(into, r->words.data, birth);
	}
	return r->value[shape];
}

/* ---- refinement ---- */

/* Classes at the start: one per tainted tag. Returns their number. */
static uint32_t coarse_classes(struct resolver *r)
{
	uint32_t *class_of = memory_alloc((size_t)r->tag_count * sizeof(uint32_t));
	uint32_t classes = 0;

	memset(class_of, 0xff, (size_t)r->tag_count * sizeof(uint32_t));
	for (size_t i = 0; i < r->instances.count; i++) {
		uint32_t base = r->table->tags.data[r->instances.data[i].tag].base;

		if (class_of[base] == UINT32_MAX)
			class_of[base] = classes++;
		r->instances.data[i].class = class_of[base];
	}
	free(class_of);
	return classes;
}

/* One round: new classes from the words under the old ones. Returns their number. */
static uint32_t refine_once(struct resolver *r, uint32_t *next)
{
	ARRAY_OF(uint32_t) class_of = { 0 };	/* scratch shape -> class + 1 */
	uint32_t classes = 0;

	shape_table_clear(&r->scratch);
	for (size_t i = 0; i < r->instances.count; i++) {
		const struct instance *instance = &r->instances.data[i];
		uint32_t shape = evaluate(r, &r->scratch, instance->shape, instance->group,
					  instance->shape, r->tag_count, 0);

		while (class_of.count < r->scratch.shapes.count)
			array_push(&class_of, 0);
		if (!class_of.data[shape])
			class_of.data[shape] = ++classes;
		next[i] = class_of.data[shape] - 1;
	}
	for (size_t i = 0; i < r->instances.count; i++)
		r->instances.data[i].class = next[i];
	array_release(&class_of);
	r->counts.rounds++;
	return classes;
}

static void refine(struct resolver *r)
{
	uint32_t *next = memory_alloc(r->instances.count * sizeof(uint32_t));
	uint32_t classes = coarse_classes(r);
	uint32_t before;

	do {
		before = classes;
		classes = refine_once(r, next);
	} while (classes != before);
	r->counts.classes = classes;
	free(next);
}

static void see(struct resolver *r, struct place *place, uint32_t instance)
{
	if (instance == NO_INSTANCE)
		place->has_forward = true;
	else if (place->seen == NO_INSTANCE)
		place->seen = instance;
	else if (r->instances.data[place->seen].class != r->instances.data[instance].class)
		place->several = true;
}

/* Records what each containing definition sees through each of its tainted references. */
static void look_from_containers(struct resolver *r)
{
	for (uint32_t i = 0; i < r->instances.count; i++) {
		struct instance instance = r->instances.data[i];

		see(r, place_add(&r->places, NO_CONTAINER,
				 r->table->tags.data[instance.tag].base), i);
		order_sub_shapes(r, instance.shape);
		for (size_t k = 0; k < r->order.count; k++) {
			const uint32_t *words = shape_words(r->table, r->order.data[k].shape);
			uint32_t info = words[BTF_WORD_INFO];
			const struct btf_kind_info *kind = btf_kind_of(info);

			for (uint32_t j = 0, n = btf_ref_count(info); j < n; j++) {
				shape_ref ref = words[btf_ref_word(kind, j)];

				if (!ref || !ref_is_tag(ref) || !tag_is_tainted(r, ref))
					continue;
				see(r, place_add(&r->places, instance.shape,
						 r->table->tags.data[ref_tag(ref)].base),
				    meaning(r, instance.group, instance.shape, ref_tag(ref)));
			}
		}
	}
}

/* Binds the declarations that have become unambiguous; false when there are no more. */
static bool bind_forwards(struct resolver *r)
{
	bool bound = false;

	for (size_t i = 0; i < r->places.all.count; i++) {
		struct place *place = &r->places.all.data[i];

		place->seen = NO_INSTANCE;
		place->several = place->has_forward = false;
	}
	look_from_containers(r);
	for (size_t i = 0; i < r->places.all.count; i++) {
		struct place *place = &r->places.all.data[i];

		if (place->bound != NO_INSTANCE || place->several || place->seen == NO_INSTANCE)
			continue;
		if (place->container != NO_CONTAINER && !place->has_forward)
			continue;
		place->bound = place->seen;
		bound |= place->container != NO_CONTAINER || place->has_forward;
		r->counts.bound_forwards += place->container != NO_CONTAINER;
	}
	return bound;
}

/* ---- the resolved table ---- */

/* After everything that was read from the group; ties fall to the order of creation. */
static uint64_t late_birth(uint32_t group)
{
	return (uint64_t)group << 32 | 0x80000000u;
}

/* One tag per class, defined by its first instance; the tainted base tags become forwards. */
static void define_classes(struct resolver *r)
{
	uint32_t tag_base = (uint32_t)r->table->tags.count;

	array_reserve(&r->class_tags, r->counts.classes);
	for (uint32_t c = 0; c < r->counts.classes; c++)
		r->class_tags.data[c] = TAG_NONE;
	for (uint32_t i = 0, next = 0; i < r->instances.count; i++) {
		struct tag like = r->table->tags.data[r->instances.data[i].tag];

		/* Classes were numbered in instance order, so this keeps class == tag - base. */
		if (r->instances.data[i].class == next) {
			r->class_tags.data[next] = shape_table_new_tag(r->table, &like);
			next++;
		}
	}
	for (uint32_t t = 0; t < r->tag_count; t++) {
		if (r->taint.tags[r->table->tags.data[t].base])
			r->table->tags.data[t].definition = 0;
	}
	for (uint32_t s = 1; s < r->shape_count; s++)
		r->table->shapes.data[s].is_root &= !r->taint.shapes[s];
	for (uint32_t i = 0, next = 0; i < r->instances.count; i++) {
		struct instance instance = r->instances.data[i];
		uint32_t shape;

		if (instance.class != next)
			continue;
		shape = evaluate(r, r->table, instance.shape, instance.group, instance.shape,
				 tag_base, late_birth(instance.group));
		r->table->shapes.data[shape].is_root = true;
		r->table->tags.data[tag_base + next].definition = shape;
		next++;
	}
}

static void resolve_roots(struct resolver *r)
{
	for (uint32_t g = 0; g < r->group_count; g++) {
		const struct group_record *record = r->groups[g].record;
		const struct merge_source *source = &r->sources[r->groups[g].source];
		struct definition entry;
		struct entry_walk walk;

		if (!record)
			continue;
		entry_walk_start(&walk, source->collector, record,
				 &r->local[r->groups[g].source].filter);
		while (entry_walk_next(&walk, &entry)) {
			shape_ref shape;

			if (entry.tag != TAG_NONE)
				continue;
			shape = resolver_ref(r, g, source->map.shapes[entry.shape]);
			r->table->shapes.data[shape].is_root = true;
		}
	}
}

struct resolver *resolver_new(struct shape_table *table, const struct merge_source *sources,
			      size_t source_count, uint32_t group_count)
{
	struct resolver *r = memory_zeroed(1, sizeof(*r));

	r->table = table;
	r->sources = sources;
	r->source_count = source_count;
	r->group_count = group_count;
	r->shape_count = (uint32_t)table->shapes.count;
	r->tag_count = (uint32_t)table->tags.count;
	taint_find(&r->taint, table);
	r->counts.ambiguous_tags = r->taint.ambiguous_tags;
	r->counts.tainted_tags = r->taint.tainted_tags;
	if (!r->counts.tainted_tags)
		return r;
	r->visited = memory_zeroed(r->shape_count, sizeof(uint32_t));
	r->value = memory_zeroed(r->shape_count, sizeof(uint32_t));
	shape_table_init(&r->scratch);
	collect_instances(r);
	filter_roots(r);
	r->counts.instances = (uint32_t)r->instances.count;
	do
		refine(r);
	while (bind_forwards(r));
	define_classes(r);
	resolve_roots(r);
	return r;
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	taint_release(&r->taint);
	for (size_t i = 0; r->local && i < r->source_count; i++) {
		entry_filter_release(&r->local[i].filter);
		free(r->local[i].tags);
	}
	free(r->local);
	array_release(&r->instances);
	free(r->group_first);
	free(r->by_tag);
	free(r->groups);
	place_table_release(&r->places);
	if (r->visited)
		shape_table_release(&r->scratch);
	array_release(&r->class_tags);
	array_release(&r->pending);
	array_release(&r->order);
	array_release(&r->words);
	free(r->visited);
	free(r->value);
	free(r);
}

shape_ref resolver_ref(struct resolver *r, uint32_t group, shape_ref ref)
{
	if (!ref)
		return ref;
	if (ref_is_tag(ref)) {
		uint32_t instance;

		if (!tag_is_tainted(r, ref))
			return ref_to_tag(r->table->tags.data[ref_tag(ref)].base);
		instance = meaning(r, group, NO_CONTAINER, ref_tag(ref));
		if (instance == NO_INSTANCE)
			return ref_to_tag(r->table->tags.data[ref_tag(ref)].base);
		return ref_to_tag(r->tag_count + r->instances.data[instance].class);
	}
	if (ref >= r->shape_count || !r->taint.shapes[ref])
		return ref;
	return evaluate(r, r->table, ref, group, NO_CONTAINER, r->tag_count,
			late_birth(group));
}

const struct resolve_counts *resolver_counts(const struct resolver *r)
{
	return &r->counts;
}
