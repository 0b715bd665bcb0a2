/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which definitions are one type, when of some tags that they refer to only a declaration is known.
 *
 * An *instance* is a definition in one group of units. What it refers to, tag by tag, is another
 * instance, its *target*, or UNKNOWN, where the group only declares the tag. Instances are put into
 * *classes*: a class is a type.
 */
#ifndef BTFENC_BTF_REFINE_H
#define BTFENC_BTF_REFINE_H

#include <stdbool.h>

#include "base/memory.h"

#define UNKNOWN UINT32_MAX

struct instance {
	uint32_t group;
	uint32_t tag;		/* that it defines */
	uint32_t base;		/* of the tag */
	uint32_t form;
	uint32_t targets;	/* the first of its targets: one for each tag of its form */
};

/* What instances of one shape have in common. */
struct form {
	uint32_t shape;
	uint32_t skeleton;	/* a number of the shape without what its tags mean */
	uint32_t first, count;	/* the tags that it refers to */
	bool repeats;		/* several variants of one tag are among them */
};

struct refine_input {
	const struct instance *instances;
	uint32_t instance_count;
	const struct form *forms;
	const uint32_t *bases;		/* of the forms' tags: base tags, ascending in each form */
	const uint32_t *targets;
	uint32_t target_count;
	/*
	 * For an instance that sees several classes through the variants of a base tag: a number
	 * of where it sees which, under the classes as they are.
	 */
	uint32_t (*pattern)(void *context, uint32_t instance, uint32_t base);
	void *context;
};

struct class {
	uint32_t begin, end;	/* in members */
	uint32_t marked;	/* while refining: so many from `begin` on */
	bool repeats;		/* its forms do */
};

struct classes {
	uint32_t *of;		/* instance -> class */
	uint32_t *members;	/* instances, class by class */
	ARRAY_OF(struct class) all;
};

void refine(struct classes *classes, const struct refine_input *input);
void classes_release(struct classes *classes);

/* The targets of an instance for the variants of one base tag: [begin, end). */
struct target_range {
	uint32_t begin, end;
};

struct target_range targets_of(const struct refine_input *input, uint32_t instance, uint32_t base);

/*
 * What a base tag means in the definition that is a class: another class; VIEW_OWN: what each
 * member sees by itself, all of them the same, several classes through variants; UNKNOWN: no member
 * knows, or some do not and the others disagree.
 */
#define VIEW_OWN (UINT32_MAX - 1)
uint32_t class_view(const struct classes *classes, const struct refine_input *input, uint32_t class,
		    uint32_t base);

#endif
