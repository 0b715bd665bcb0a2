/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A *place* is a base tag as the members of one class refer to it. What a member sees there, its
 * *view*, is the class of its target; a member with an unknown target sees nothing. At first all
 * instances of one skeleton are one class, and there is one rule:
 *
 *	A class is split by the views at a place where all its members see something, but not all
 *	the same.
 *
 * Views that differ are evidence against one type; a declaration is no evidence at all. So where
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
 * their class, which need not be looked at). A place whose class is rid of the last unknown member
 * has all its members looked at, because splits have been left out there; it can only happen once
 * to a reference.
 *
 * One definition may refer to several variants of a tag (a local type and another one of the same
 * name). If it sees them all in one class, that is its view; else its view is the pattern of what
 * it sees where. Where a class has such members, all of them are looked at whenever something moved.
 */
#include "btf/refine.h"

#include <string.h>

#include "base/sort.h"
#include "btf/places.h"

#define VIEW_PATTERN 0x80000000u	/* views from here on are patterns; UNKNOWN is none */

struct refinement {
	const struct refine_input *in;
	struct classes *classes;
	uint32_t *position;		/* instance -> in members */
	uint32_t *first_user;		/* instance -> in users: the instances that refer to it */
	uint32_t *users;
	struct place_table places;	/* those where some members are unknown */
	ARRAY_OF(uint32_t) touched;	/* classes that have marked members */
	ARRAY_OF(uint32_t) moved;	/* classes whose number is new: their users see it */
	ARRAY_OF(uint32_t) queued;	/* places where all members are to be looked at */
	ARRAY_OF(struct sort_item) views;	/* scratch: those of a place */
};

/* ---- what an instance sees ---- */

struct target_range targets_of(const struct refine_input *in, uint32_t instance, uint32_t base)
{
	const struct instance *source = &in->instances[instance];
	const struct form *form = &in->forms[source->form];
	const uint32_t *bases = in->bases + form->first;
	uint32_t low = 0, high = form->count, end;

	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (bases[middle] < base)
			low = middle + 1;
		else
			high = middle;
	}
	for (end = low; end < form->count && bases[end] == base; end++)
		;
	return (struct target_range){ source->targets + low, source->targets + end };
}

/* The class that they are in; UNKNOWN: of none; VIEW_PATTERN: several. */
static uint32_t common_class(const struct refine_input *in, const struct classes *classes,
			     struct target_range targets)
{
	uint32_t view = UNKNOWN;

	for (uint32_t t = targets.begin; t < targets.end; t++) {
		uint32_t class = in->targets[t] == UNKNOWN ? UNKNOWN : classes->of[in->targets[t]];

		if (view == UNKNOWN)
			view = class;
		else if (class != UNKNOWN && class != view)
			return VIEW_PATTERN;
	}
	return view;
}

uint32_t class_view(const struct classes *classes, const struct refine_input *in, uint32_t class,
		    uint32_t base)
{
	const struct class *c = &classes->all.data[class];
	uint32_t common = UNKNOWN;
	bool several = false, unknown = false;

	for (uint32_t m = c->begin; m < c->end; m++) {
		uint32_t view = common_class(in, classes, targets_of(in, classes->members[m], base));

		unknown |= view == UNKNOWN;
		several |= view == VIEW_PATTERN;
		if (common == UNKNOWN)
			common = view;
		else if (view != UNKNOWN)
			several |= view != common;
	}
	if (!several)
		return common;
	return unknown ? UNKNOWN : VIEW_OWN;
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

static void queue(struct refinement *r, struct place *place)
{
	if (place->is_queued)
		return;
	place->is_queued = true;
	array_push(&r->queued, (uint32_t)(place - r->places.all.data));
}

/* The distinct base tags of a form, one after the other: the first reference of the next one. */
static uint32_t next_base(const struct refine_input *in, const struct form *form, uint32_t reference)
{
	const uint32_t *bases = in->bases + form->first;
	uint32_t next = reference + 1;

	while (next < form->count && bases[next] == bases[reference])
		next++;
	return next;
}

static bool is_unknown(const struct refine_input *in, const struct instance *instance,
		       uint32_t begin, uint32_t end)
{
	for (uint32_t t = begin; t < end; t++) {
		if (in->targets[instance->targets + t] != UNKNOWN)
			return false;
	}
	return true;
}

/* Counts an instance at the places of its class where it is unknown. */
static void count_unknown(struct refinement *r, uint32_t instance, uint32_t class, uint32_t one)
{
	const struct instance *source = &r->in->instances[instance];
	const struct form *form = &r->in->forms[source->form];

	for (uint32_t i = 0, next; i < form->count; i = next) {
		next = next_base(r->in, form, i);
		if (is_unknown(r->in, source, i, next))
			place_add(&r->places, class, r->in->bases[form->first + i])->unknown += one;
	}
}

/* Where no member is unknown any more, all of them have to be looked at: that had been put off. */
static void queue_known(struct refinement *r, uint32_t class, uint32_t part)
{
	uint32_t member = r->classes->members[r->classes->all.data[part].begin];
	const struct form *form = &r->in->forms[r->in->instances[member].form];

	for (uint32_t i = 0; i < form->count; i = next_base(r->in, form, i)) {
		uint32_t base = r->in->bases[form->first + i];
		struct place *of_part, *of_rest = place_find(&r->places, class, base);

		if (!of_rest)
			continue;
		of_part = place_add(&r->places, part, base);
		of_rest = place_find(&r->places, class, base);
		if (of_rest->is_queued || (of_rest->unknown && !of_part->unknown))
			queue(r, of_part);
		if (of_part->unknown && !of_rest->unknown)
			queue(r, of_rest);
	}
}

static void split(struct refinement *r, uint32_t number)
{
	struct class *class = &r->classes->all.data[number];
	uint32_t marked = class->marked, part = (uint32_t)r->classes->all.count;
	struct class new = *class;

	class->marked = new.marked = 0;
	if (marked == class->end - class->begin)
		return;
	if (marked <= (class->end - class->begin) / 2)
		class->begin = new.end = class->begin + marked;
	else
		class->end = new.begin = class->begin + marked;
	array_push(&r->classes->all, new);
	for (uint32_t m = new.begin; m < new.end; m++) {
		uint32_t instance = r->classes->members[m];

		r->classes->of[instance] = part;
		count_unknown(r, instance, number, UINT32_MAX);
		count_unknown(r, instance, part, 1);
	}
	queue_known(r, number, part);
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

/* What a member sees at a place, as a number. */
static uint32_t view_of(struct refinement *r, uint32_t instance, uint32_t base)
{
	uint32_t view = common_class(r->in, r->classes, targets_of(r->in, instance, base));

	return view == VIEW_PATTERN ? view | r->in->pattern(r->in->context, instance, base) : view;
}

/* Splits a class by all that is seen at a place where all see something. */
static void split_by_views(struct refinement *r, struct place *place)
{
	const struct class *class = &r->classes->all.data[place->class];

	place->is_queued = false;
	r->views.count = 0;
	for (uint32_t m = class->begin; m < class->end; m++) {
		uint32_t instance = r->classes->members[m];

		array_push(&r->views, ((struct sort_item){
			view_of(r, instance, place->tag), instance }));
	}
	sort_by_key(r->views.data, r->views.count);
	for (size_t i = 0, end; i < r->views.count; i = end) {
		for (end = i; end < r->views.count && r->views.data[end].key == r->views.data[i].key;
		     end++)
			mark(r, r->views.data[end].value);
		split_touched(r);
	}
}

/* The users of a class that is new see something else than those with whom they were together. */
static void tell_users(struct refinement *r, uint32_t number)
{
	const struct class *class = &r->classes->all.data[number];
	uint32_t base = r->in->instances[r->classes->members[class->begin]].base;

	for (uint32_t m = class->begin; m < class->end; m++) {
		uint32_t target = r->classes->members[m];

		for (uint32_t u = r->first_user[target]; u < r->first_user[target + 1]; u++) {
			uint32_t user = r->users[u], users_class = r->classes->of[user];
			struct place *place = place_find(&r->places, users_class, base);

			if (place && place->unknown)
				continue;
			if (r->classes->all.data[users_class].repeats)
				queue(r, place_add(&r->places, users_class, base));
			else
				mark(r, user);
		}
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
			if (i && items[i].key >> 32 == items[i - 1].key >> 32)
				array_push(&r->moved, number);
		}
		class = &r->classes->all.data[number];
		class->end = i + 1;
		class->repeats |= in->forms[in->instances[instance].form].repeats;
		r->classes->of[instance] = number;
		r->classes->members[i] = instance;
		r->position[instance] = i;
	}
	free(items);
}

static void find_users(struct refinement *r)
{
	const struct refine_input *in = r->in;
	uint32_t total = 0;

	r->first_user = memory_zeroed((size_t)in->instance_count + 1, sizeof(uint32_t));
	for (uint32_t t = 0; t < in->target_count; t++) {
		if (in->targets[t] != UNKNOWN)
			r->first_user[in->targets[t]]++, total++;
	}
	/* From counts to ends; filling turns ends into beginnings. */
	for (uint32_t i = 0, sum = 0; i <= in->instance_count; i++)
		sum = r->first_user[i] += sum;
	r->users = memory_alloc(total * sizeof(uint32_t));
	for (uint32_t i = 0; i < in->instance_count; i++) {
		const struct instance *source = &in->instances[i];

		for (uint32_t t = source->targets, n = in->forms[source->form].count; n--; t++) {
			if (in->targets[t] != UNKNOWN)
				r->users[--r->first_user[in->targets[t]]] = i;
		}
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
			split_by_views(&r, &r.places.all.data[r.queued.data[--r.queued.count]]);
	}
	free(r.position);
	free(r.first_user);
	free(r.users);
	place_table_release(&r.places);
	array_release(&r.touched);
	array_release(&r.moved);
	array_release(&r.queued);
	array_release(&r.views);
}

void classes_release(struct classes *classes)
{
	free(classes->of);
	free(classes->members);
	array_release(&classes->all);
}
