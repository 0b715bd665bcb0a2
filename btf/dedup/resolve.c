/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Two types are equal when nothing that can be reached from them differs. Structs refer to structs
 * by name, so this is decided in steps.
 *
 * 1. Which tags may not mean the same everywhere: these are *tainted* (btf/dedup/taint.c).
 *
 * 2. Each definition of a tainted tag in a group of units is an *instance*. Instances are put into
 *    classes (btf/dedup/refine.c): one class is one type. A declaration says nothing about its tag,
 *    so it never tells two definitions apart.
 *
 * 3. Nearly all tainted tags turn out to have one class. They are *settled*: the name is the
 *    identity. Of the others each class gets a tag. Nodes that refer to such a tag are replaced by
 *    one node per combination that occurs; all others stay as they are.
 *
 * So a declaration is bound
 *	to the only type of that name in the program, wherever it is;
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
 * are numbered by their first instances, in the order of groups and of their DIEs, and new nodes
 * are made in that order, sub-nodes in the order in which they were first seen.
 */
#include "btf/dedup/resolve.h"

#include <string.h>

#include "base/search.h"
#include "base/sort.h"
#include "btf/dedup/refine.h"

/* Marks a reference into the scratch table, which also has references into the real one. */
#define SCRATCH_BIT 0x40000000u

/* Instead of the only class of a tag. */
#define NO_CLASS UINT32_MAX
#define SEVERAL_CLASSES (UINT32_MAX - 1)

struct group_source {
	const struct group_record *record;	/* NULL: the group was skipped */
	uint32_t source;
};

/* Where a tag is met: what it means may depend on that. */
struct context {
	struct group_id group;
	uint32_t class;			/* of the definition around it; NO_CLASS: none */
	uint32_t instance, base;	/* of see_pattern() */
};

/* The reference that a tainted tag becomes. */
typedef struct node_ref (*tag_meaning)(struct resolver *r, const struct context *context,
				       uint32_t tag);

/* group << 32 | tag -> class, sorted. */
struct meanings {
	struct sort_item *data;
	size_t count, capacity;
};

struct resolver {
	struct node_table *table;
	const struct merge_source *sources;
	size_t source_count;
	uint32_t group_count;
	struct resolve_counts counts;

	uint32_t node_count;		/* of the table before resolving */
	uint32_t tag_count;
	struct taint taint;		/* in the end, nodes: those that lead to a split tag */
	struct entry_filter *filters;	/* by source: the entries to look at */
	struct group_source *groups;	/* where each group's record is */

	ARRAY_OF(struct instance) instances;
	ARRAY_OF(uint32_t) targets;
	ARRAY_OF(struct form) forms;
	ARRAY_OF(struct reference) references;
	ARRAY_OF(uint32_t) form_tags;
	uint32_t *form_of;		/* node -> form + 1 */
	uint32_t *own;			/* tag -> its last instance */
	struct refine_input input;	/* these */
	struct classes classes;

	uint32_t *only_class;		/* base tag -> its class, NO_CLASS or SEVERAL_CLASSES */
	uint32_t *class_tags;		/* class -> tag of the resolved table */
	struct meanings defined;	/* of split tags: in groups that define them */
	struct meanings implied;	/* and in others, where their definitions tell */

	/* Scratch of evaluate(): sub-nodes of one definition, children first. */
	struct node_table scratch;	/* skeletons and patterns */
	ARRAY_OF(uint32_t) pending;
	ARRAY_OF(struct sort_item) order;	/* by where they were first seen */
	ARRAY_OF(uint32_t) words;
	uint32_t *visited;		/* node -> stamp of the evaluation that met it */
	uint32_t *value;		/* node -> what it became in that evaluation */
	uint32_t stamp;
};

/* ---- groups ---- */

static bool tag_is_tainted(const struct resolver *r, uint32_t tag)
{
	return r->taint.tags[r->table->tags.data[tag].base];
}

/* The entries to look at: definitions of tainted tags, later roots that lead to a split tag. */
static void filter_entries(struct resolver *r, bool roots)
{
	for (size_t i = 0; i < r->source_count; i++) {
		const struct collector *collector = r->sources[i].collector;
		const struct merge_map *map = &r->sources[i].map;
		bool *marked = memory_zeroed(collector->links.count, sizeof(bool));

		for (size_t s = 0; s < collector->links.count; s++) {
			uint32_t defines = collector->links.data[s].defines;

			if (roots)
				marked[s] = !defines && r->taint.nodes[map->nodes[s]];
			else if (defines && defines != LINK_UNSEEN)
				marked[s] = tag_is_tainted(r, map->tags[defines - 1]);
		}
		entry_filter_release(&r->filters[i]);
		entry_filter_init(&r->filters[i], collector, marked);
		free(marked);
	}
}

/* Starts a walk over these entries of a group; NULL: the group was skipped. */
static const struct merge_source *walk_group(const struct resolver *r, struct group_id group,
					     struct entry_walk *walk)
{
	const struct group_source *found = &r->groups[group.index];

	if (!found->record)
		return NULL;
	entry_walk_start(walk, r->sources[found->source].collector, found->record,
			 &r->filters[found->source]);
	return &r->sources[found->source];
}

/* ---- evaluation: a node with its tainted references replaced ---- */

/*
 * Interns `node` and all tainted nodes below it in `into`, as they are in a context. Returns the
 * id in `into`.
 */
static uint32_t evaluate(struct resolver *r, struct node_table *into, uint32_t node,
			 tag_meaning meaning, const struct context *context, uint64_t first_seen)
{
	uint32_t mark = into == &r->scratch ? SCRATCH_BIT : 0;

	/*
	 * The tainted nodes below it, itself included, as first seen. What a node refers to was
	 * seen before it: in the group where the node was first met, at the latest, and there it
	 * was interned first.
	 */
	r->stamp++;
	r->order.count = r->pending.count = 0;
	array_push(&r->pending, node);
	r->visited[node] = r->stamp;
	while (r->pending.count) {
		uint32_t s = r->pending.data[--r->pending.count];
		const uint32_t *words = node_words(r->table, s);

		array_push(&r->order, ((struct sort_item){
			r->table->nodes.data[s].first_seen, s }));
		btf_each_ref(word, words) {
			struct node_ref ref = ref_of_word(words[word]);
			uint32_t below = ref_is_tag(ref) ? 0 : ref_node(ref);

			if (below && r->taint.nodes[below] && r->visited[below] != r->stamp) {
				r->visited[below] = r->stamp;
				array_push(&r->pending, below);
			}
		}
	}
	sort_by_key(r->order.data, r->order.count);
	for (size_t i = 0; i < r->order.count; i++) {
		uint32_t s = r->order.data[i].value;
		uint32_t count = r->table->nodes.data[s].word_count;
		uint32_t *words;

		array_reserve(&r->words, count);
		words = memcpy(r->words.data, node_words(r->table, s), count * sizeof(uint32_t));
		btf_each_ref(word, words) {
			struct node_ref ref = ref_of_word(words[word]);

			if (!ref_is_tag(ref) && r->taint.nodes[ref_node(ref)])
				words[word] = r->value[ref_node(ref)] | mark;
			else if (ref_is_tag(ref) && tag_is_tainted(r, ref_tag(ref)))
				words[word] = meaning(r, context, ref_tag(ref)).word;
		}
		r->value[s] = node_table_intern(into, words, first_seen);
	}
	return r->value[node];
}

/* ---- instances ---- */

static struct node_ref to_base(struct resolver *r, const struct context *context, uint32_t tag)
{
	(void)context;
	return ref_to_tag(r->table->tags.data[tag].base);
}

/* The number of a node's form: its skeleton, and its tags, once each, by their base tags. */
static uint32_t form_of(struct resolver *r, uint32_t node)
{
	struct form form = { .node = node, .first = (uint32_t)r->references.count,
			     .first_tag = (uint32_t)r->form_tags.count };
	ARRAY_OF(struct sort_item) tags = { 0 };

	if (r->form_of[node])
		return r->form_of[node] - 1;
	form.skeleton = evaluate(r, &r->scratch, node, to_base, NULL, 0);
	for (size_t k = 0; k < r->order.count; k++) {
		const uint32_t *words = node_words(r->table, r->order.data[k].value);

		btf_each_ref(word, words) {
			struct node_ref ref = ref_of_word(words[word]);
			uint32_t tag = ref_tag(ref), base;

			if (!ref_is_tag(ref) || !tag_is_tainted(r, tag))
				continue;
			base = r->table->tags.data[tag].base;
			array_push(&tags, ((struct sort_item){ (uint64_t)base << 32 | tag, tag }));
		}
	}
	sort_by_key(tags.data, tags.count);
	for (size_t i = 0; i < tags.count; i++) {
		uint32_t base = (uint32_t)(tags.data[i].key >> 32);
		bool is_new = !i || base != (uint32_t)(tags.data[i - 1].key >> 32);

		if (i && tags.data[i].key == tags.data[i - 1].key)
			continue;
		array_push(&r->form_tags, tags.data[i].value);
		form.tag_count++;
		form.repeats |= !is_new;
		if (is_new)
			array_push(&r->references, ((struct reference){ .base = base }));
		r->references.data[r->references.count - 1].end = form.tag_count;
	}
	form.count = (uint32_t)r->references.count - form.first;
	array_release(&tags);
	array_push(&r->forms, form);
	r->form_of[node] = (uint32_t)r->forms.count;
	return r->form_of[node] - 1;
}

/* The instance that a group from `first` on has of a tag, or UNKNOWN. */
static uint32_t own_instance(const struct resolver *r, uint32_t first, uint32_t tag)
{
	uint32_t instance = r->own[tag];

	return instance >= first && instance < r->instances.count &&
	       r->instances.data[instance].tag == tag ? instance : UNKNOWN;
}

static void collect_group(struct resolver *r, struct group_id group)
{
	uint32_t first = (uint32_t)r->instances.count;
	struct definition entry;
	struct entry_walk walk;
	const struct merge_source *source = walk_group(r, group, &walk);

	while (source && entry_walk_next(&walk, &entry)) {
		uint32_t tag, own, form;

		if (entry.tag == TAG_NONE || !tag_is_tainted(r, source->map.tags[entry.tag]))
			continue;
		tag = source->map.tags[entry.tag];
		form = form_of(r, source->map.nodes[entry.node]);
		own = own_instance(r, first, tag);
		/* Many units of one group may have the same definition. */
		if (own != UNKNOWN && r->instances.data[own].form == form)
			continue;
		r->own[tag] = (uint32_t)r->instances.count;
		array_push(&r->instances, ((struct instance){
			.group = group, .tag = tag, .base = r->table->tags.data[tag].base,
			.form = form }));
	}
	for (uint32_t i = first; i < r->instances.count; i++) {
		const struct form *form = &r->forms.data[r->instances.data[i].form];

		r->instances.data[i].targets = (uint32_t)r->targets.count;
		for (uint32_t t = 0; t < form->tag_count; t++)
			array_push(&r->targets,
				   own_instance(r, first, r->form_tags.data[form->first_tag + t]));
	}
}

/*
 * The number of what an instance sees where, of one base tag. What is unknown to it stays a
 * declaration.
 */
static struct node_ref to_class(struct resolver *r, const struct context *context, uint32_t tag)
{
	const struct instance *instance = &r->instances.data[context->instance];
	const struct form *form = &r->forms.data[instance->form];
	uint32_t base = r->table->tags.data[tag].base, target = UNKNOWN;

	for (uint32_t t = 0; base == context->base && t < form->tag_count; t++) {
		if (r->form_tags.data[form->first_tag + t] == tag)
			target = r->targets.data[instance->targets + t];
	}
	return ref_to_tag(target == UNKNOWN ? base : r->tag_count + r->classes.of[target]);
}

static uint32_t see_pattern(void *resolver, uint32_t instance, uint32_t base)
{
	struct resolver *r = resolver;
	uint32_t node = r->forms.data[r->instances.data[instance].form].node;

	return evaluate(r, &r->scratch, node, to_class,
			&(struct context){ .instance = instance, .base = base }, 0);
}

/* Puts all instances into classes. */
static void classify(struct resolver *r)
{
	r->groups = memory_zeroed(r->group_count, sizeof(*r->groups));
	for (uint32_t i = 0; i < r->source_count; i++) {
		const struct collector *collector = r->sources[i].collector;

		for (size_t g = 0; g < collector->groups.count; g++) {
			const struct group_record *record = &collector->groups.data[g];

			r->groups[record->group.index] = (struct group_source){ record, i };
		}
	}
	r->filters = memory_zeroed(r->source_count, sizeof(*r->filters));
	filter_entries(r, false);
	r->form_of = memory_zeroed(r->node_count, sizeof(uint32_t));
	r->own = memory_zeroed(r->tag_count, sizeof(uint32_t));
	array_reserve(&r->targets, 1);
	for (uint32_t g = 0; g < r->group_count; g++)
		collect_group(r, (struct group_id){ g });
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
static uint64_t late_first_seen(struct group_id group)
{
	return (uint64_t)group.index << 32 | 0x80000000u;
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
	array_push(meanings, ((struct sort_item){
		(uint64_t)instance->group.index << 32 | tag, class }));
}

static bool is_split(const struct resolver *r, uint32_t base)
{
	return r->only_class[base] == SEVERAL_CLASSES;
}

/*
 * Finds what split tags mean in a group: its definitions, and what these take a tag for that
 * it does not define. Where these disagree, the tag means nothing outside of them.
 */
static void find_meanings(struct resolver *r)
{
	struct meanings *implied = &r->implied;
	size_t kept = 0;

	for (uint32_t i = 0; i < r->instances.count; i++) {
		const struct instance *instance = &r->instances.data[i];
		const struct form *form = &r->forms.data[instance->form];
		const struct fwd_context *contexts =
			array_place(&r->classes.contexts,
				    r->classes.all.data[r->classes.of[i]].first_context);

		if (is_split(r, instance->base))
			add_meaning(&r->defined, instance, instance->tag, r->classes.of[i]);
		for (uint32_t k = 0, t = 0; k < form->count; k++) {
			const struct reference *reference = &r->references.data[form->first + k];

			for (; t < reference->end; t++) {
				if (is_split(r, reference->base) && contexts[k].view < VIEW_OWN &&
				    r->targets.data[instance->targets + t] == UNKNOWN)
					add_meaning(implied, instance,
						    r->form_tags.data[form->first_tag + t],
						    contexts[k].view);
			}
		}
	}
	sort_by_key(r->defined.data, r->defined.count);
	sort_by_key(implied->data, implied->count);
	for (size_t i = 0, end; i < implied->count; i = end) {
		struct sort_item first = implied->data[i];
		bool agree = true;

		for (end = i; end < implied->count && implied->data[end].key == first.key; end++)
			agree &= implied->data[end].value == first.value;
		if (agree)
			implied->data[kept++] = first;
	}
	implied->count = kept;
}

static uint32_t meaning_in(const struct meanings *meanings, struct group_id group, uint32_t tag)
{
	const struct sort_item *items = meanings->data;
	uint64_t key = (uint64_t)group.index << 32 | tag;
	size_t at = lower_bound(i, meanings->count, items[i].key < key);

	return at < meanings->count && items[at].key == key ? items[at].value : NO_CLASS;
}

/* The class of a split tag; NO_CLASS: it stays a declaration. */
static uint32_t split_meaning(const struct resolver *r, const struct context *context, uint32_t tag)
{
	uint32_t own = meaning_in(&r->defined, context->group, tag);
	const struct class *class;
	uint32_t number, view;

	if (context->class == NO_CLASS)
		return own != NO_CLASS ? own : meaning_in(&r->implied, context->group, tag);
	class = &r->classes.all.data[context->class];
	number = class->first_context + find_reference(&r->input, r->classes.members[class->begin],
						       r->table->tags.data[tag].base);
	view = r->classes.contexts.data[number].view;
	return view == VIEW_OWN ? own : view;
}

static struct node_ref to_resolved(struct resolver *r, const struct context *context, uint32_t tag)
{
	uint32_t base = r->table->tags.data[tag].base;
	uint32_t class = r->only_class[base];

	if (class == SEVERAL_CLASSES)
		class = split_meaning(r, context, tag);
	return ref_to_tag(class == NO_CLASS ? base : r->class_tags[class]);
}

/*
 * From here on the only nodes that count as tainted are those that lead to a split tag, or name a
 * variant: what a node refers to has a smaller id. What the tainted tags and nodes were is
 * forgotten.
 */
static void taint_split(struct resolver *r)
{
	for (uint32_t s = 1; s < r->node_count; s++) {
		const uint32_t *words = node_words(r->table, s);
		bool leads = false;

		if (!r->taint.nodes[s] && !r->form_of[s])
			continue;
		btf_each_ref(word, words) {
			struct node_ref ref = ref_of_word(words[word]);
			uint32_t tag = ref_tag(ref);

			leads |= ref_is_tag(ref)
				? r->table->tags.data[tag].base != tag || is_split(r, tag)
				: r->taint.nodes[ref_node(ref)];
		}
		r->taint.nodes[s] = leads;
		r->table->nodes.data[s].is_root &= !leads && !r->form_of[s];
	}
	for (uint32_t t = 0; t < r->tag_count; t++) {
		if (tag_is_tainted(r, t))
			r->table->tags.data[t].definition = 0;
	}
}

/*
 * A settled tag stays, and so do split ones, as forwards; each class of these gets a tag. All have
 * their tags before any is defined. A class is defined by its first instance.
 */
static void define_classes(struct resolver *r)
{
	r->class_tags = memory_alloc(r->classes.all.count * sizeof(uint32_t));
	memset(r->class_tags, 0xff, r->classes.all.count * sizeof(uint32_t));
	for (uint32_t i = 0; i < r->instances.count; i++) {
		uint32_t base = r->instances.data[i].base, class = r->classes.of[i];
		struct tag like = r->table->tags.data[r->instances.data[i].tag];

		if (r->class_tags[class] == TAG_NONE)
			r->class_tags[class] = r->only_class[base] == class
				? base : node_table_new_tag(r->table, &like);
	}
	for (uint32_t i = 0; i < r->instances.count; i++) {
		const struct instance *instance = &r->instances.data[i];
		struct context context = { .group = instance->group, .class = r->classes.of[i] };
		uint32_t tag = r->class_tags[context.class], node;

		if (r->table->tags.data[tag].definition)
			continue;
		node = evaluate(r, r->table, r->forms.data[instance->form].node, to_resolved,
				&context, late_first_seen(instance->group));
		r->table->nodes.data[node].is_root = true;
		r->table->tags.data[tag].definition = node;
	}
}

static void resolve_roots(struct resolver *r)
{
	for (uint32_t g = 0; g < r->group_count; g++) {
		const struct group_id group = { g };
		struct definition entry;
		struct entry_walk walk;
		const struct merge_source *source = walk_group(r, group, &walk);

		while (source && entry_walk_next(&walk, &entry)) {
			struct node_ref root;

			if (entry.tag != TAG_NONE)
				continue;
			root = resolver_ref(r, group, ref_to_node(source->map.nodes[entry.node]));
			r->table->nodes.data[ref_node(root)].is_root = true;
		}
	}
}

struct resolver *resolver_new(struct node_table *table, const struct merge_source *sources,
			      size_t source_count, uint32_t group_count)
{
	struct resolver *r = memory_zeroed(1, sizeof(*r));

	r->table = table;
	r->sources = sources;
	r->source_count = source_count;
	r->group_count = group_count;
	r->node_count = (uint32_t)table->nodes.count;
	r->tag_count = (uint32_t)table->tags.count;
	taint_find(&r->taint, table);
	r->counts.ambiguous_tags = r->taint.ambiguous_tags;
	r->counts.tainted_tags = r->taint.tainted_tags;
	if (!r->counts.tainted_tags)
		return r;
	r->visited = memory_zeroed(r->node_count, sizeof(uint32_t));
	r->value = memory_zeroed(r->node_count, sizeof(uint32_t));
	node_table_init(&r->scratch);
	classify(r);
	find_only_classes(r);
	find_meanings(r);
	taint_split(r);
	define_classes(r);
	classes_release(&r->classes);
	array_release(&r->instances);
	array_release(&r->targets);
	array_release(&r->forms);
	array_release(&r->form_tags);
	array_release(&r->references);
	free(r->form_of);
	free(r->own);
	node_table_release(&r->scratch);
	filter_entries(r, true);
	resolve_roots(r);
	return r;
}

void resolver_free(struct resolver *r)
{
	if (!r)
		return;
	free(r->taint.nodes);
	free(r->taint.tags);
	for (size_t i = 0; r->filters && i < r->source_count; i++)
		entry_filter_release(&r->filters[i]);
	free(r->filters);
	free(r->groups);
	free(r->only_class);
	free(r->class_tags);
	array_release(&r->defined);
	array_release(&r->implied);
	array_release(&r->pending);
	array_release(&r->order);
	array_release(&r->words);
	free(r->visited);
	free(r->value);
	free(r);
}

struct node_ref resolver_ref(struct resolver *r, struct group_id group, struct node_ref ref)
{
	struct context context = { .group = group, .class = NO_CLASS };
	uint32_t node = ref_node(ref);

	if (ref_is_tag(ref))
		return tag_is_tainted(r, ref_tag(ref)) ? to_resolved(r, &context, ref_tag(ref))
						       : to_base(r, NULL, ref_tag(ref));
	if (node >= r->node_count || !r->taint.nodes[node])
		return ref;
	return ref_to_node(evaluate(r, r->table, node, to_resolved, &context,
				    late_first_seen(group)));
}

const struct resolve_counts *resolver_counts(const struct resolver *r)
{
	return &r->counts;
}
