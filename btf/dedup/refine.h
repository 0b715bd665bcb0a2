/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which definitions are one type, when of some tags that they refer to only a declaration is known.
 *
 * An *instance* is a definition in one group of units. What it refers to, tag by tag, is another
 * instance, its *target*, or UNKNOWN, where the group only declares the tag. Instances are put into
 * *classes*: a class is a type.
 */
#ifndef BTFENC_BTF_DEDUP_REFINE_H
#define BTFENC_BTF_DEDUP_REFINE_H

#include <stdbool.h>

#include "base/memory.h"
#include "btf/dedup/node_table.h"

#define UNKNOWN UINT32_MAX

struct instance {
	struct group_id group;
	uint32_t tag;		/* that it defines */
	uint32_t base;		/* of the tag */
	uint32_t form;
	uint32_t targets;	/* the first of its targets */
};

/* Shared by all instances of one node. */
struct form {
	uint32_t node;
	uint32_t skeleton;	/* a number of the node without what its tags mean */
	uint32_t first, count;	/* of its references: one for each base tag */
	uint32_t first_tag, tag_count;	/* as many targets has an instance */
	bool repeats;		/* several variants of one base tag are among its tags */
};

struct reference {
	uint32_t base;		/* ascending within a form */
	uint32_t end;		/* of its tags among those of the form, and their targets */
};

struct refine_input {
	const struct instance *instances;
	uint32_t instance_count;
	const struct form *forms;
	const struct reference *references;
	const uint32_t *targets;	/* of each instance as many as its form has tags */
	/*
	 * For an instance that sees several classes through the variants of a base tag: a number
	 * of where it sees which, under the classes as they are.
	 */
	uint32_t (*pattern)(void *context, uint32_t instance, uint32_t base);
	void *context;
};

/* A FWD context: a reference as the members of a class have it. */
struct fwd_context {
	uint32_t class;
	uint32_t unknown;	/* members that see no class there */
	uint32_t view;		/* what the tag means: a class, VIEW_OWN or UNKNOWN */
	bool is_queued;
};

/*
 * Each member means what it sees by itself: all see the same, several classes through variants. The
 * view is UNKNOWN where no member sees a class, or some do not and the others disagree.
 */
#define VIEW_OWN (UINT32_MAX - 1)

struct class {
	uint32_t begin, end;	/* in members */
	uint32_t first_context;	/* as many as references in its forms */
	uint32_t marked;	/* while refining: so many members from `begin` on */
	bool repeats;		/* a form does */
};

struct classes {
	uint32_t *of;		/* instance -> class */
	uint32_t *members;	/* instances, class by class */
	ARRAY_OF(struct class) all;
	ARRAY_OF(struct fwd_context) contexts;
};

/* The number of the reference to a base tag, which the instance has. */
uint32_t find_reference(const struct refine_input *input, uint32_t instance, uint32_t base);

void refine(struct classes *classes, const struct refine_input *input);
void classes_release(struct classes *classes);

#endif
