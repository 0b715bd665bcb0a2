/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Two types are equal when nothing that can be reached from them differs. Structs refer to structs
 * by name, so this is decided in steps.
 *
 * 1. Which tags may not mean the same everywhere: these are *tainted* (btf/dedup/taint.h).
 *
 * 2. Each definition of a tainted tag in a group of units is an *instance*. Instances are put into
 *    classes (btf/dedup/refine.c): one class is one type. A declaration says nothing about its tag, so it
 *    never tells two definitions apart.
 *
 * 3. Nearly all tainted tags turn out to have one class. They are *settled*: the name is the
 *    identity. Of the others each class gets a tag. Shapes that refer to such a tag are replaced by
 *    one shape per combination that occurs; all others stay as they are.
 *
 * So a declaration is bound
 *	to the only type of that name in the program, wherever it stands;
 *	inside of a definition, to what all definitions of the same class that know the tag take
 *	it for;
 *	elsewhere, to what the definitions of its group that do not know the tag, either, take it
 *	for: a name is one type in a unit.
 * If there is no such type, or they disagree, it stays a FWD.
 *
 * Instances, 28 in Debian's 6.1 kernel for x86-64 and 262,000 in that for arm64, and their
 * references take memory for as long as they are put into classes: 50 bytes each.
 *
 * Nothing depends on which worker had which group: the classes do not depend on any order, they
 * are numbered by their first instances, in the order of groups and of their DIEs, and new shapes
 * are made in that order, sub-shapes in the order of their births.
 */
#include "btf/dedup/resolve.h"

#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "btf/dedup/refine.h"
#include "btf/dedup/taint.h"

/* Marks a reference into the scratch table, beside which references into the real one stand. */
#define SCRATCH_BIT 0x40000000u

/* Instead of the only class of a tag. */
#define NO_CLASS UINT32_MAX
#define SEVERAL_CLASSES (UINT32_MAX - 1)

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

/* Where a tag is met: what it means may depend on that. */
struct context {
	uint32_t group;
	uint32_t class;			/* of the definition around it; NO_CLASS: none */
	uint32_t instance, base;	/* of see_pattern() */
};

/* The reference that a tainted tag becomes. */
typedef shape_ref (*tag_meaning)(struct resolver *r, const struct context *context, uint32_t tag);

/* group << 32 | tag -> class, sorted. */
struct meanings {
	ARRAY_OF(struct sort_item) all;
};

struct resolver {
	struct shape_table *table;
	const struct merge_source *sources;
	size_t source_count;
	uint32_t group_count;
	struct resolve_counts counts;

	uint32_t shape_count;		/* of the table before resolving */
	uint32_t tag_count;
	struct taint taint;		/* in the end, shapes: those that lead to a split tag */
	struct source_taint *local;	/* by source */
	struct group_place *groups;	/* where each group's record is */

	ARRAY_OF(struct instance) instances;
	ARRAY_OF(uint32_t) targets;
	ARRAY_OF(struct form) forms;
	ARRAY_OF(struct reference) references;
	ARRAY_OF(uint32_t) form_tags;
	uint32_t *form_of;		/* shape -> form + 1 */
	uint32_t *own;			/* tag -> its last instance */
	struct refine_input input;	/* these */
	struct classes classes;

	uint32_t *only_class;		/* base tag -> its class, NO_CLASS or SEVERAL_CLASSES */
	uint32_t *class_tags;		/* class -> tag of the resolved table */
	struct meanings defined;	/* of split tags: in groups that define them */
	struct meanings implied;	/* and in others, where their definitions tell */

	/* Scratch of evaluate(): sub-shapes of one definition, children first. */
	struct shape_table scratch;	/* skeletons and patterns */
	ARRAY_OF(uint32_t) pending;
	ARRAY_OF(struct ordered_shape) order;
	ARRAY_OF(uint32_t) words;
	uint32_t *visited;		/* shape -> stamp of the evaluation that met it */
	uint32_t *value;		/* shape -> what it became in that evaluation */
	uint32_t stamp;
};

/* ---- groups ---- */

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

/* The roots that lead to a split tag. */
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
 * Interns `shape` and all tainted shapes below it in `into`, as they are in a context. Returns the
 * id in `into`.
 */
static uint32_t evaluate(struct resolver *r, struct shape_table *into, uint32_t shape,
			 tag_meaning meaning, const struct context *context, uint64_t birth)
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

			if (*ref && ref_is_tag(*ref) && tag_is_tainted(r, *ref))
				*ref = meaning(r, context, ref_tag(*ref));
			else if (*ref && !ref_is_tag(*ref) && r->taint.shapes[*ref])
				*ref = r->value[*ref] | mark;
		}
		r->value[s] = shape_table_intern(into, r->words.data, birth);
	}
	return r->value[shape];
}

/* ---- instances ---- */

static shape_ref to_base(struct resolver *r, const struct context *context, uint32_t tag)
{
	(void)context;
	return ref_to_tag(r->table->tags.data[tag].base);
}

/* The form's tags, once each, in ascending order of their base tags. */
static void add_form_tags(struct resolver *r, struct form *form)
{
	ARRAY_OF(struct sort_item) tags = { 0 };

	order_sub_shapes(r, form->shape);
	for (size_t k = 0; k < r->order.count; k++) {
		const uint32_t *words = shape_words(r->table, r->order.data[k].shape);
		uint32_t info = words[BTF_WORD_INFO];
		const struct btf_kind_info *kind = btf_kind_of(info);

		for (uint32_t j = 0, n = btf_ref_count(info); j < n; j++) {
			shape_ref ref = words[btf_ref_word(kind, j)];
			uint32_t tag = ref_tag(ref), base;

			if (!ref_is_tag(ref) || !tag_is_tainted(r, ref))
				continue;
			base = r->table->tags.data[tag].base;
			array_push(&tags, ((struct sort_item){ (uint64_t)base << 32 | tag, tag }));
		}
	}
	sort_by_key(tags.data, tags.count);
	form->first = (uint32_t)r->references.count;
	form->first_tag = (uint32_t)r->form_tags.count;
	for (size_t i = 0; i < tags.count; i++) {
		uint32_t base = (uint32_t)(tags.data[i].key >> 32);
		bool is_new = !i || base != (uint32_t)(tags.data[i - 1].key >> 32);

		if (i && tags.data[i].key == tags.data[i - 1].key)
			continue;
		array_push(&r->form_tags, tags.data[i].value);
		form->repeats |= !is_new;
		if (is_new)
			array_push(&r->references, ((struct reference){ .base = base }));
		r->references.data[r->references.count - 1].end =
			(uint32_t)r->form_tags.count - form->first_tag;
	}
	form->count = (uint32_t)r->references.count - form->first;
	array_release(&tags);
}

/* The form's tags: as many targets has an instance. */
static uint32_t tag_count(const struct resolver *r, const struct form *form)
{
	return form->count ? r->references.data[form->first + form->count - 1].end : 0;
}

static uint32_t form_of(struct resolver *r, uint32_t shape)
{
	struct form form = { .shape = shape };

	if (!r->form_of[shape]) {
		form.skeleton = evaluate(r, &r->scratch, shape, to_base, NULL, 0);
		add_form_tags(r, &form);
		array_push(&r->forms, form);
		r->form_of[shape] = (uint32_t)r->forms.count;
	}
	return r->form_of[shape] - 1;
}

/* The instance that a group from `first` on has of a tag, or UNKNOWN. */
static uint32_t own_instance(const struct resolver *r, uint32_t first, uint32_t tag)
{
	uint32_t instance = r->own[tag];

	return instance >= first && instance < r->instances.count &&
	       r->instances.data[instance].tag == tag ? instance : UNKNOWN;
}

static void add_instance(struct resolver *r, struct instance instance, uint32_t first)
{
	uint32_t own = own_instance(r, first, instance.tag);

	/* Many units of one group may have the same definition. */
	if (own != UNKNOWN && r->instances.data[own].form == instance.form)
		return;
	r->own[instance.tag] = (uint32_t)r->instances.count;
	array_push(&r->instances, instance);
}

static void collect_group(struct resolver *r, uint32_t group)
{
	const struct group_record *record = r->groups[group].record;
	const struct merge_source *source = &r->sources[r->groups[group].source];
	const struct source_taint *local = &r->local[r->groups[group].source];
	uint32_t first = (uint32_t)r->instances.count;
	struct definition entry;
	struct entry_walk walk;

	if (!record)
		return;
	entry_walk_start(&walk, source->collector, record, &local->filter);
	while (entry_walk_next(&walk, &entry)) {
		uint32_t tag;

		if (entry.tag == TAG_NONE || !local->tags[entry.tag])
			continue;
		tag = source->map.tags[entry.tag];
		add_instance(r, (struct instance){
			.group = group, .tag = tag, .base = r->table->tags.data[tag].base,
			.form = form_of(r, source->map.shapes[entry.shape]) }, first);
	}
	for (uint32_t i = first; i < r->instances.count; i++) {
		const struct form *form = &r->forms.data[r->instances.data[i].form];

		r->instances.data[i].targets = (uint32_t)r->targets.count;
		for (uint32_t t = 0; t < tag_count(r, form); t++)
			array_push(&r->targets,
				   own_instance(r, first, r->form_tags.data[form->first_tag + t]));
	}
}

/*
 * The number of what an instance sees where, of one base tag. What is unknown to it stays a
 * declaration.
 */
static shape_ref to_class(struct resolver *r, const struct context *context, uint32_t tag)
{
	const struct instance *instance = &r->instances.data[context->instance];
	const struct form *form = &r->forms.data[instance->form];
	uint32_t base = r->table->tags.data[tag].base, target = UNKNOWN;

	for (uint32_t t = 0; base == context->base && t < tag_count(r, form); t++) {
		if (r->form_tags.data[form->first_tag + t] == tag)
			target = r->targets.data[instance->targets + t];
	}
	return ref_to_tag(target == UNKNOWN ? base : r->tag_count + r->classes.of[target]);
}

static uint32_t see_pattern(void *resolver, uint32_t instance, uint32_t base)
{
	struct resolver *r = resolver;
	uint32_t shape = r->forms.data[r->instances.data[instance].form].shape;

	return evaluate(r, &r->scratch, shape, to_class,
			&(struct context){ .instance = instance, .base = base }, 0);
}

static void classify(struct resolver *r)
{
	find_groups(r);
	translate_tags(r);
	filter_definitions(r);
	r->form_of = memory_zeroed(r->shape_count, sizeof(uint32_t));
	r->own = memory_zeroed(r->tag_count, sizeof(uint32_t));
	for (uint32_t g = 0; g < r->group_count; g++)
		collect_group(r, g);
	r->input = (struct refine_input){
		.instances = r->instances.data, .instance_count = (uint32_t)r->instances.count,
		.forms = r->forms.data, .references = r->references.data,
		.targets = r->targets.data, .pattern = see_pattern, .context = r };
	refine(&r->classes, &r->input);
	r->counts.instances = (uint32_t)r->instances.count;
	r->counts.classes = (uint32_t)r->classes.all.count;
}

/* ---- the resolved table ---- */

/* After everything that was read from the group; ties fall to the order of creation. */
static uint64_t late_birth(uint32_t group)
{
	return (uint64_t)group << 32 | 0x80000000u;
}

static void find_only_classes(struct resolver *r)
{
	r->only_class = memory_alloc(r->tag_count * sizeof(uint32_t));
	memset(r->only_class, 0xff, r->tag_count * sizeof(uint32_t));
	for (uint32_t c = 0; c < r->classes.all.count; c++) {
		uint32_t member = r->classes.members[r->classes.all.data[c].begin];
		uint32_t *only = &r->only_class[r->instances.data[member].base];

		r->counts.split_tags += *only < SEVERAL_CLASSES;
		*only = *only == NO_CLASS ? c : SEVERAL_CLASSES;
	}
}

static void add_meaning(struct meanings *meanings, const struct instance *instance, uint32_t tag,
			uint32_t class)
{
	array_push(&meanings->all, ((struct sort_item){
		(uint64_t)instance->group << 32 | tag, class }));
}

/* Definitions of one group may disagree on a tag: then it means nothing outside of them. */
static void drop_disagreements(struct meanings *meanings)
{
	struct sort_item *items = meanings->all.data;
	size_t count = meanings->all.count, kept = 0;

	sort_by_key(items, count);
	for (size_t i = 0, end; i < count; i = end) {
		bool agree = true;

		for (end = i; end < count && items[end].key == items[i].key; end++)
			agree &= items[end].value == items[i].value;
		if (agree)
			items[kept++] = items[i];
	}
	meanings->all.count = kept;
}

static bool is_split(const struct resolver *r, uint32_t base)
{
	return r->only_class[base] == SEVERAL_CLASSES;
}

/* Adds what an instance takes a tag for that its group does not know. */
static void add_implied(struct resolver *r, const struct instance *instance,
			const struct place *places)
{
	const struct form *form = &r->forms.data[instance->form];

	for (uint32_t k = 0, t = 0; k < form->count; k++) {
		const struct reference *reference = &r->references.data[form->first + k];

		for (; t < reference->end; t++) {
			if (is_split(r, reference->base) && places[k].view < VIEW_OWN &&
			    r->targets.data[instance->targets + t] == UNKNOWN)
				add_meaning(&r->implied, instance,
					    r->form_tags.data[form->first_tag + t], places[k].view);
		}
	}
}

static void find_meanings(struct resolver *r)
{
	for (uint32_t i = 0; i < r->instances.count; i++) {
		const struct instance *instance = &r->instances.data[i];
		const struct class *class = &r->classes.all.data[r->classes.of[i]];

		if (is_split(r, instance->base))
			add_meaning(&r->defined, instance, instance->tag, r->classes.of[i]);
		add_implied(r, instance, r->classes.places.data + class->first_place);
	}
	sort_by_key(r->defined.all.data, r->defined.all.count);
	drop_disagreements(&r->implied);
}

static uint32_t meaning_in(const struct meanings *meanings, uint32_t group, uint32_t tag)
{
	const struct sort_item *items = meanings->all.data;
	uint64_t key = (uint64_t)group << 32 | tag;
	size_t at = lower_bound(i, meanings->all.count, items[i].key < key);

	return at < meanings->all.count && items[at].key == key ? items[at].value : NO_CLASS;
}

/* What a base tag means inside of the definition that is a class. */
static uint32_t view_from(const struct resolver *r, uint32_t number, uint32_t base)
{
	const struct class *class = &r->classes.all.data[number];
	uint32_t member = r->classes.members[class->begin];

	return r->classes.places.data[class->first_place +
				      find_reference(&r->input, member, base)].view;
}

/* The class of a split tag; NO_CLASS: it stays a declaration. */
static uint32_t split_meaning(const struct resolver *r, const struct context *context, uint32_t tag)
{
	uint32_t own = meaning_in(&r->defined, context->group, tag), view;

	if (context->class == NO_CLASS)
		return own != NO_CLASS ? own : meaning_in(&r->implied, context->group, tag);
	view = view_from(r, context->class, r->table->tags.data[tag].base);
	return view == VIEW_OWN ? own : view;
}

static shape_ref to_resolved(struct resolver *r, const struct context *context, uint32_t tag)
{
	uint32_t base = r->table->tags.data[tag].base;
	uint32_t class = r->only_class[base];

	if (class == SEVERAL_CLASSES)
		class = split_meaning(r, context, tag);
	return ref_to_tag(class == NO_CLASS ? base : r->class_tags[class]);
}

/*
 * From here on the only shapes that count as tainted are those that lead to a split tag, or name a
 * variant: what a shape refers to has a smaller id.
 */
static void taint_split(struct resolver *r)
{
	for (uint32_t s = 1; s < r->shape_count; s++) {
		const uint32_t *words = shape_words(r->table, s);
		uint32_t info = words[BTF_WORD_INFO];
		const struct btf_kind_info *kind = btf_kind_of(info);
		bool was_tainted = r->taint.shapes[s];

		r->taint.shapes[s] = false;
		for (uint32_t i = 0, n = was_tainted ? btf_ref_count(info) : 0; i < n; i++) {
			shape_ref ref = words[btf_ref_word(kind, i)];
			uint32_t tag = ref_tag(ref);

			r->taint.shapes[s] |= ref_is_tag(ref)
				? r->table->tags.data[tag].base != tag ||
				  r->only_class[tag] == SEVERAL_CLASSES
				: r->taint.shapes[ref];
		}
	}
}

/* What the tainted tags and shapes were is forgotten. */
static void clear_definitions(struct resolver *r)
{
	for (uint32_t t = 0; t < r->tag_count; t++) {
		if (r->taint.tags[r->table->tags.data[t].base])
			r->table->tags.data[t].definition = 0;
	}
	for (uint32_t s = 1; s < r->shape_count; s++)
		r->table->shapes.data[s].is_root &= !r->taint.shapes[s] && !r->form_of[s];
}

/*
 * A settled tag stays, and so do split ones, as forwards; each class of these gets a tag. All have
 * their tags before any is defined. A class is defined by its first instance.
 */
static void define_classes(struct resolver *r)
{
	ARRAY_OF(uint32_t) firsts = { 0 };

	r->class_tags = memory_alloc(r->classes.all.count * sizeof(uint32_t));
	memset(r->class_tags, 0xff, r->classes.all.count * sizeof(uint32_t));
	for (uint32_t i = 0; i < r->instances.count; i++) {
		uint32_t base = r->instances.data[i].base, class = r->classes.of[i];
		struct tag like = r->table->tags.data[r->instances.data[i].tag];

		if (r->class_tags[class] != TAG_NONE)
			continue;
		r->class_tags[class] = r->only_class[base] == class
			? base : shape_table_new_tag(r->table, &like);
		array_push(&firsts, i);
	}
	for (size_t i = 0; i < firsts.count; i++) {
		const struct instance *instance = &r->instances.data[firsts.data[i]];
		struct context context = { .group = instance->group,
					   .class = r->classes.of[firsts.data[i]] };
		uint32_t shape = evaluate(r, r->table, r->forms.data[instance->form].shape,
					  to_resolved, &context, late_birth(instance->group));

		r->table->shapes.data[shape].is_root = true;
		r->table->tags.data[r->class_tags[context.class]].definition = shape;
	}
	array_release(&firsts);
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

/* What is only needed to put instances into classes. */
static void release_instances(struct resolver *r)
{
	classes_release(&r->classes);
	array_release(&r->instances);
	array_release(&r->targets);
	array_release(&r->forms);
	array_release(&r->form_tags);
	array_release(&r->references);
	free(r->form_of);
	free(r->own);
	shape_table_release(&r->scratch);
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
	classify(r);
	find_only_classes(r);
	find_meanings(r);
	taint_split(r);
	clear_definitions(r);
	define_classes(r);
	release_instances(r);
	filter_roots(r);
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
	free(r->groups);
	free(r->only_class);
	free(r->class_tags);
	array_release(&r->defined.all);
	array_release(&r->implied.all);
	array_release(&r->pending);
	array_release(&r->order);
	array_release(&r->words);
	free(r->visited);
	free(r->value);
	free(r);
}

shape_ref resolver_ref(struct resolver *r, uint32_t group, shape_ref ref)
{
	struct context context = { .group = group, .class = NO_CLASS };

	if (!ref)
		return ref;
	if (ref_is_tag(ref))
		return tag_is_tainted(r, ref) ? to_resolved(r, &context, ref_tag(ref))
					      : to_base(r, NULL, ref_tag(ref));
	if (ref >= r->shape_count || !r->taint.shapes[ref])
		return ref;
	return evaluate(r, r->table, ref, to_resolved, &context, late_birth(group));
}

const struct resolve_counts *resolver_counts(const struct resolver *r)
{
	return &r->counts;
}
