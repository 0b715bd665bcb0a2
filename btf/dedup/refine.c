/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A *FWD context* is a base tag as the members of one class refer to it. What a member sees there,
 * its *view*, is the class of its target; a member with an unknown target sees nothing. At first
 * all instances of one skeleton are one class, and there is one rule:
 *
 *	A class is split by the views in a context where all its members see something, but not all
 *	the same.
 *
 * Views that differ are evidence against one type; a declaration proves nothing. So where
 * the tag is unknown to some members, nothing is split. When it is all over, either the others
 * agree: then that is what the tag means to all of them. Or they do not: then it is *opaque* in
 * this type, a FWD. That is what C programs mean by a pointer to an incomplete struct in a header,
 * which several files complete, each in private: one containing type, whose users see no further.
 * To split it would make a copy of everything that leads there, for each of these files.
 *
 * The result is the coarsest partition to which the rule does not apply, whatever the order of
 * splits: a split cannot take away another, because the parts of a class in which all see something
 * are such classes, and views that differ keep differing. It is exact: no two classes are the same
 * type, because the first split that told two such apart would have had no reason.
 *
 * The work is n log n in the references, whatever the names. When a class is split, its larger part
 * keeps the number. So an instance gets a new number at most log n times, and only then are its own
 * references and those to it looked at (Hopcroft's rule: its users are told from the others of
 * their class, which need not be looked at). A context whose class is rid of the last unknown
 * member has all its members looked at, because splits have been left out there; it can only happen
 * once to a reference.
 *
 * One definition may refer to several variants of a tag (a local type and another one of the same
 * name). If it sees them all in one class, that is its view; else its view is the pattern of what
 * it sees where. Where a class has such members, all are looked at whenever something moved: that
 * is the one part that is not n log n. It takes one group with variants of hundreds of names that
 * refer to each other (0.24 s for 8,000 made-up ones).
 */
#include "btf/dedup/refine.h"


#include "base/search.h"
#include "base/sort.h"

#define VIEW_PATTERN 0x80000000u	/* views from here on are patterns; UNKNOWN is none */

struct refinement {
	const struct refine_input *in;
	struct classes *classes;
	uint32_t *position;		/* instance -> in members */
	uint32_t *first_user;		/* instance -> in users: the instances that refer to it */
	uint32_t *users;
	ARRAY_OF(uint32_t) touched;	/* classes that have marked members */
	ARRAY_OF(uint32_t) moved;	/* classes whose number is new: their users see it */
	ARRAY_OF(uint32_t) queued;	/* contexts where all members are to be looked at */
	ARRAY_OF(uint32_t) told;	/* scratch: users of a class */
	ARRAY_OF(struct sort_item) views;	/* scratch: those of a context */
};

/* ---- what an instance sees ---- */

static const struct form *form_of(const struct refine_input *in, uint32_t instance)
{
	return &in->forms[in->instances[instance].form];
}

uint32_t find_reference(const struct refine_input *in, uint32_t instance, uint32_t base)
{
	const struct form *form = form_of(in, instance);
	size_t next = lower_bound(i, form->count, in->references[form->first + i].base <= base);

	return next ? (uint32_t)next - 1 : 0;
}

/* The class that an instance sees by a reference; UNKNOWN: none; VIEW_PATTERN: several. */
static uint32_t look(const struct refinement *r, uint32_t instance, uint32_t number)
{
	const struct reference *ends = r->in->references + form_of(r->in, instance)->first;
	const uint32_t *targets = r->in->targets + r->in->instances[instance].targets;
	uint32_t view = UNKNOWN;

	for (uint32_t t = number ? ends[number - 1].end : 0; t < ends[number].end; t++) {
		uint32_t class = targets[t] == UNKNOWN ? UNKNOWN : r->classes->of[targets[t]];

		if (view == UNKNOWN)
			view = class;
		else if (class != UNKNOWN && class != view)
			return VIEW_PATTERN;
	}
	return view;
}

/* ---- splitting ---- */

static void mark(struct refinement *r, uint32_t instance)
{
	uint32_t number = r->classes->of[instance];
	struct class *class = &r->classes->all.data[number];
	uint32_t *members = r->classes->members;
	uint32_t at = r->position[instance], front = class->begin + class->marked, other;

	if (at < front)
		return;
	if (!class->marked)
		array_push(&r->touched, number);
	class->marked++;
	other = members[front];
	members[front] = instance;
	members[at] = other;
	r->position[instance] = front;
	r->position[other] = at;
}

static void queue(struct refinement *r, uint32_t number)
{
	struct fwd_context *context = &r->classes->contexts.data[number];

	if (!context->is_queued)
		array_push(&r->queued, number);
	context->is_queued = true;
}

static void add_contexts(struct classes *classes, uint32_t number, uint32_t count)
{
	classes->all.data[number].first_context = (uint32_t)classes->contexts.count;
	while (count--)
		array_push(&classes->contexts,
			   ((struct fwd_context){ .class = number, .view = UNKNOWN }));
}

/* Counts an instance in the contexts of its class where it sees nothing. */
static void count_unknown(struct refinement *r, uint32_t instance, uint32_t class, uint32_t one)
{
	struct fwd_context *contexts =
		array_place(&r->classes->contexts, r->classes->all.data[class].first_context);

	for (uint32_t k = 0; k < form_of(r->in, instance)->count; k++) {
		if (look(r, instance, k) == UNKNOWN)
			contexts[k].unknown += one;
	}
}

/* The marked members of a class and the others become two; the smaller one gets a new number. */
static void split(struct refinement *r, uint32_t number)
{
	struct class *class = &r->classes->all.data[number];
	uint32_t marked = class->marked, part = (uint32_t)r->classes->all.count;
	uint32_t old = class->first_context, references;
	struct class new = *class;

	class->marked = new.marked = 0;
	if (marked == class->end - class->begin)
		return;
	if (marked <= (class->end - class->begin) / 2)
		class->begin = new.end = class->begin + marked;
	else
		class->end = new.begin = class->begin + marked;
	array_push(&r->classes->all, new);
	references = form_of(r->in, r->classes->members[new.begin])->count;
	add_contexts(r->classes, part, references);
	for (uint32_t m = new.begin; m < new.end; m++) {
		uint32_t instance = r->classes->members[m];

		r->classes->of[instance] = part;
		count_unknown(r, instance, number, UINT32_MAX);
		count_unknown(r, instance, part, 1);
	}
	/* A context that is rid of its unknown members: all have to be looked at, as put off. */
	for (uint32_t k = 0; k < references; k++) {
		uint32_t now = r->classes->all.data[part].first_context + k;
		const struct fwd_context *contexts = r->classes->contexts.data;
		bool was_queued = contexts[old + k].is_queued;

		if (contexts[now].unknown && !contexts[old + k].unknown)
			queue(r, old + k);
		if (was_queued || (contexts[old + k].unknown && !contexts[now].unknown))
			queue(r, now);
	}
	array_push(&r->moved, part);
}

/* Each class that has marked members falls into these and the others. */
static void split_touched(struct refinement *r)
{
	for (size_t i = 0; i < r->touched.count; i++)
		split(r, r->touched.data[i]);
	r->touched.count = 0;
}

/* ---- evidence ---- */

/* Splits a class by all that is seen in a context where all see something. */
static void split_by_views(struct refinement *r, uint32_t number)
{
	struct fwd_context *context = &r->classes->contexts.data[number];
	struct class class = r->classes->all.data[context->class];
	uint32_t reference = number - class.first_context;
	struct sort_item *views;
	size_t count;

	context->is_queued = false;
	r->views.count = 0;
	for (uint32_t m = class.begin; m < class.end; m++) {
		uint32_t instance = r->classes->members[m];
		uint32_t view = look(r, instance, reference);
		uint32_t base = r->in->references[form_of(r->in, instance)->first + reference].base;

		if (view == VIEW_PATTERN)
			view |= r->in->pattern(r->in->context, instance, base);
		array_push(&r->views, ((struct sort_item){ view, instance }));
	}
	views = r->views.data;
	count = r->views.count;
	sort_by_key(views, count);
	for (size_t i = 0, end; i < count; i = end) {
		for (end = i; end < count && views[end].key == views[i].key; end++)
			mark(r, views[end].value);
		split_touched(r);
	}
}

/*
 * The users of a class that is new see something else than those with whom they were together.
 * They may be in that class themselves, where to mark one moves others: so all are found first.
 */
static void tell_users(struct refinement *r, uint32_t number)
{
	struct class class = r->classes->all.data[number];
	uint32_t base = r->in->instances[r->classes->members[class.begin]].base;

	r->told.count = 0;
	for (uint32_t m = class.begin; m < class.end; m++) {
		uint32_t target = r->classes->members[m];

		for (uint32_t u = r->first_user[target]; u < r->first_user[target + 1]; u++)
			array_push(&r->told, r->users[u]);
	}
	for (size_t i = 0; i < r->told.count; i++) {
		uint32_t user = r->told.data[i];
		const struct class *users = &r->classes->all.data[r->classes->of[user]];
		uint32_t context = users->first_context + find_reference(r->in, user, base);

		if (r->classes->contexts.data[context].unknown)
			continue;
		if (users->repeats)
			queue(r, context);
		else
			mark(r, user);
	}
	split_touched(r);
}

/* ---- the whole ---- */

/* One class for each skeleton. Of those of one tag all but the first count as having moved. */
static void make_classes(struct refinement *r)
{
	const struct refine_input *in = r->in;
	struct sort_item *items = memory_alloc(in->instance_count * sizeof(*items));

	for (uint32_t i = 0; i < in->instance_count; i++)
		items[i] = (struct sort_item){ (uint64_t)in->instances[i].base << 32 |
					       in->forms[in->instances[i].form].skeleton, i };
	sort_by_key(items, in->instance_count);
	for (uint32_t i = 0; i < in->instance_count; i++) {
		uint32_t instance = items[i].value, number = (uint32_t)r->classes->all.count;
		struct class *class;

		if (i && items[i].key == items[i - 1].key) {
			number--;
		} else {
			array_push(&r->classes->all, ((struct class){ .begin = i }));
			add_contexts(r->classes, number, form_of(in, instance)->count);
			if (i && items[i].key >> 32 == items[i - 1].key >> 32)
				array_push(&r->moved, number);
		}
		class = &r->classes->all.data[number];
		class->end = i + 1;
		class->repeats |= form_of(in, instance)->repeats;
		r->classes->of[instance] = number;
		r->classes->members[i] = instance;
		r->position[instance] = i;
	}
	free(items);
}

/* Calls for each target that an instance `i` knows; `target` is declared here. */
#define each_target(in, i, target)                                                                 \
	for (const uint32_t *target = (in)->targets + (in)->instances[i].targets,                  \
			    *target##_end = target + form_of(in, i)->tag_count;                    \
	     target < target##_end; target++)                                                      \
		if (*target != UNKNOWN)

static void find_users(struct refinement *r)
{
	const struct refine_input *in = r->in;
	uint32_t total = 0;

	r->first_user = memory_zeroed((size_t)in->instance_count + 1, sizeof(uint32_t));
	for (uint32_t i = 0; i < in->instance_count; i++) {
		each_target(in, i, target) {
			r->first_user[*target]++;
			total++;
		}
	}
	/* From counts to ends; filling turns ends into beginnings. */
	for (uint32_t i = 0, sum = 0; i <= in->instance_count; i++)
		sum = r->first_user[i] += sum;
	r->users = memory_alloc(total * sizeof(uint32_t));
	for (uint32_t i = 0; i < in->instance_count; i++) {
		each_target(in, i, target)
			r->users[--r->first_user[*target]] = i;
	}
}

/* Finds the meaning of the tag in each context, when the classes are final. */
static void find_views(struct refinement *r)
{
	for (uint32_t i = 0; i < r->in->instance_count; i++) {
		uint32_t first = r->classes->all.data[r->classes->of[i]].first_context;

		for (uint32_t k = 0; k < form_of(r->in, i)->count; k++) {
			struct fwd_context *context = &r->classes->contexts.data[first + k];
			uint32_t view = look(r, i, k);

			if (context->view == UNKNOWN && view != VIEW_PATTERN)
				context->view = view;
			else if (view != UNKNOWN && view != context->view)
				context->view = VIEW_OWN;
		}
	}
	for (size_t c = 0; c < r->classes->contexts.count; c++) {
		struct fwd_context *context = &r->classes->contexts.data[c];

		if (context->view == VIEW_OWN && context->unknown)
			context->view = UNKNOWN;
	}
}

void refine(struct classes *classes, const struct refine_input *in)
{
	struct refinement r = { .in = in, .classes = classes };

	classes->of = memory_alloc(in->instance_count * sizeof(uint32_t));
	classes->members = memory_alloc(in->instance_count * sizeof(uint32_t));
	r.position = memory_alloc(in->instance_count * sizeof(uint32_t));
	make_classes(&r);
	find_users(&r);
	for (uint32_t i = 0; i < in->instance_count; i++)
		count_unknown(&r, i, classes->of[i], 1);
	while (r.moved.count || r.queued.count) {
		if (r.moved.count)
			tell_users(&r, r.moved.data[--r.moved.count]);
		else
			split_by_views(&r, r.queued.data[--r.queued.count]);
	}
	find_views(&r);
	free(r.position);
	free(r.first_user);
	free(r.users);
	array_release(&r.touched);
	array_release(&r.moved);
	array_release(&r.queued);
	array_release(&r.told);
	array_release(&r.views);
}

void classes_release(struct classes *classes)
{
	free(classes->of);
	free(classes->members);
	array_release(&classes->all);
	array_release(&classes->contexts);
}
