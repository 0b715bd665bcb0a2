/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A *place* is a base tag as the members of one class refer to it. What a member sees there, its
 * *view*, is the class of its target; a member with an unknown target sees nothing. A view is
 * evidence, an unknown target is none: so the members of a class may be one type as long as those
 * that see something at a place all see the same, and the others take it from them.
 *
 * The partition is defined by two rules, from the coarsest one on, in which instances are
 * together that have one skeleton:
 *
 * 1. A class is split by the views at a place where its members see different classes, if all of
 *    them see one.
 * 2. When rule 1 has nothing left to do, look for places where members see different classes and
 *    some see nothing. At each of them, all at once, those that see nothing become a class of their
 *    own; then rule 1 goes on. At such a place a declaration stays one: nothing says which of the
 *    definitions is meant. What can be told apart by what is seen is so told apart before
 *    anything is by what is not.
 *
 * It ends when neither applies. No choice is left to the order of the work. A split by rule 1 can
 * neither take away another nor its reason: parts of a class in which all see something are such
 * classes, and views that differ keep differing. So all orders lead to the same partition, and
 * rule 2 starts from there. It is exact in this sense: classes that see the same everywhere are one
 * class, because the first split that told them apart would have had no reason.
 *
 * The work is n log n in the references, whatever the names: a class that is split keeps its number
 * for the larger part, so an instance gets a new number at most log n times, and only then are the
 * references to it looked at (Hopcroft's rule: they are told from those which have not moved,
 * without a look at the latter), and its own. All members of a class are looked at where some are
 * unknown at a place that has to be split (rule 2), or no member is unknown any more (rule 1 for
 * what was put off); either happens once for a reference. For rule 2, the references whose targets
 * have moved are noted. They all differ from those which have not, so nobody else need be asked
 * whether views differ.
 *
 * One definition may refer to several variants of a tag (two local types of one name). When it sees
 * them in one class, that is its view; else its view is the pattern of what it sees where. Classes
 * with such members, which take types of one name and different scope in one struct, are looked at
 * as a whole whenever something moved.
 */
#include "btf/refine.h"

#include <string.h>

#include "base/sort.h"
#include "btf/places.h"

#define VIEW_PATTERN 0x80000000u	/* views from here on are patterns; UNKNOWN is none */

/* A reference whose target moved, at a place where some are unknown. */
struct note {
	uint32_t instance;
	uint32_t target;	/* in targets */
};

struct refinement {
	const struct refine_input *in;
	struct classes *classes;
	uint32_t *position;		/* instance -> in members */
	uint32_t *first_user;		/* instance -> in users: the instances that refer to it */
	uint32_t *users;
	bool *is_noted;			/* by target */
	struct place_table places;	/* those where some members are unknown */
	ARRAY_OF(uint32_t) touched;	/* classes that have marked members */
	ARRAY_OF(uint32_t) moved;	/* classes whose number is new: their users see it */
	ARRAY_OF(uint32_t) queued;	/* places where all members are to be looked at */
	ARRAY_OF(struct note) notes;
	ARRAY_OF(struct sort_item) views;	/* scratch: those of a place */
	ARRAY_OF(struct sort_item) unknown;	/* scratch: place -> instance */
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
	uint32_t view = UNKNOWN;

	for (uint32_t m = c->begin; m < c->end && view == UNKNOWN; m++)
		view = common_class(in, classes, targets_of(in, classes->members[m], base));
	return view == VIEW_PATTERN ? UNKNOWN : view;
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

/* ---- rule 1 ---- */

/* What a member sees at a place, as a number. */
static uint32_t view_of(struct refinement *r, uint32_t instance, uint32_t base)
{
	uint32_t view = common_class(r->in, r->classes, targets_of(r->in, instance, base));

	return view == VIEW_PATTERN ? view | r->in->pattern(r->in->context, instance, base) : view;
}

/* Fills r->views with the views of all members that have one, in order. */
static void look_at_all(struct refinement *r, const struct place *place)
{
	const struct class *class = &r->classes->all.data[place->class];

	r->views.count = 0;
	for (uint32_t m = class->begin; m < class->end; m++) {
		uint32_t instance = r->classes->members[m];
		uint32_t view = view_of(r, instance, place->tag);

		if (view != UNKNOWN)
			array_push(&r->views, ((struct sort_item){ view, instance }));
	}
	sort_by_key(r->views.data, r->views.count);
}

/* Splits a class by all that is seen at a place where all see something. */
static void split_by_views(struct refinement *r, struct place *place)
{
	place->is_queued = false;
	look_at_all(r, place);
	for (size_t i = 0, end; i < r->views.count; i = end) {
		for (end = i; end < r->views.count && r->views.data[end].key == r->views.data[i].key;
		     end++)
			mark(r, r->views.data[end].value);
		split_touched(r);
	}
}

static void note(struct refinement *r, uint32_t instance, struct target_range targets)
{
	for (uint32_t t = targets.begin; t < targets.end; t++) {
		if (r->in->targets[t] == UNKNOWN || r->is_noted[t])
			continue;
		r->is_noted[t] = true;
		array_push(&r->notes, ((struct note){ instance, t }));
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
				note(r, user, targets_of(r->in, user, base));
			else if (r->classes->all.data[users_class].repeats)
				queue(r, place_add(&r->places, users_class, base));
			else
				mark(r, user);
		}
	}
	split_touched(r);
}

static void split_by_known(struct refinement *r)
{
	while (r->moved.count || r->queued.count) {
		if (r->moved.count)
			tell_users(r, r->moved.data[--r->moved.count]);
		else
			split_by_views(r, &r->places.all.data[r->queued.data[--r->queued.count]]);
	}
}

/* ---- rule 2 ---- */

/* Are several classes seen at a place from which the notes [first, end) are? */
static bool is_contested(struct refinement *r, const struct place *place,
			 const struct sort_item *first, const struct sort_item *end)
{
	const struct class *class = &r->classes->all.data[place->class];
	const struct note *notes = r->notes.data;

	if (class->repeats) {
		look_at_all(r, place);
		return r->views.count && (r->views.data[0].key & VIEW_PATTERN ||
		       r->views.data[0].key != r->views.data[r->views.count - 1].key);
	}
	if (class->end - class->begin - place->unknown > (size_t)(end - first))
		return true;
	for (const struct sort_item *item = first; item < end; item++) {
		if (r->classes->of[r->in->targets[notes[item->value].target]] !=
		    r->classes->of[r->in->targets[notes[first->value].target]])
			return true;
	}
	return false;
}

/* Each group of notes that are from one place, in turn: sorted by class and base tag. */
static void sort_notes(struct refinement *r, struct sort_item *items)
{
	for (uint32_t i = 0; i < r->notes.count; i++) {
		const struct note *n = &r->notes.data[i];
		uint32_t base = r->in->instances[r->in->targets[n->target]].base;

		items[i] = (struct sort_item){
			(uint64_t)r->classes->of[n->instance] << 32 | base, i };
		r->is_noted[n->target] = false;
	}
	sort_by_key(items, r->notes.count);
}

/* Lists the members of contested places that see nothing there, by place. */
static void list_unknown(struct refinement *r, const struct place *place)
{
	const struct class *class = &r->classes->all.data[place->class];
	uint32_t number = (uint32_t)(place - r->places.all.data);

	for (uint32_t m = class->begin; m < class->end; m++) {
		uint32_t instance = r->classes->members[m];

		if (view_of(r, instance, place->tag) == UNKNOWN)
			array_push(&r->unknown, ((struct sort_item){ number, instance }));
	}
}

/* All places are judged before any is split. Returns false when there is nothing to split. */
static bool split_by_unknown(struct refinement *r)
{
	size_t count = r->notes.count;
	struct sort_item *items = memory_alloc(count * sizeof(*items));

	sort_notes(r, items);
	r->unknown.count = 0;
	for (size_t i = 0, end; i < count; i = end) {
		struct place *place = place_find(&r->places, (uint32_t)(items[i].key >> 32),
						 (uint32_t)items[i].key);

		for (end = i; end < count && items[end].key == items[i].key; end++)
			;
		if (place && place->unknown && is_contested(r, place, items + i, items + end))
			list_unknown(r, place);
	}
	free(items);
	r->notes.count = 0;
	for (size_t i = 0, end; i < r->unknown.count; i = end) {
		for (end = i; end < r->unknown.count &&
			      r->unknown.data[end].key == r->unknown.data[i].key; end++)
			mark(r, r->unknown.data[end].value);
		split_touched(r);
	}
	return r->unknown.count;
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
	r.is_noted = memory_zeroed(in->target_count, sizeof(bool));
	make_classes(&r);
	find_users(&r);
	for (uint32_t i = 0; i < in->instance_count; i++)
		count_unknown(&r, i, classes->of[i], 1);
	split_by_known(&r);
	for (classes->rounds = 1; split_by_unknown(&r); classes->rounds++)
		split_by_known(&r);
	free(r.position);
	free(r.first_user);
	free(r.users);
	free(r.is_noted);
	place_table_release(&r.places);
	array_release(&r.touched);
	array_release(&r.moved);
	array_release(&r.queued);
	array_release(&r.notes);
	array_release(&r.views);
	array_release(&r.unknown);
}

void classes_release(struct classes *classes)
{
	free(classes->of);
	free(classes->members);
	array_release(&classes->all);
}
