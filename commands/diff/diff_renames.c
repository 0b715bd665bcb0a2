/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Renames: __kmalloc became __kmalloc_noprof.
 *
 * Two functions are taken for one if NEW has nothing of the old name, not even inlined, which its
 * BTF alone would not tell, and OLD nothing of the new one; if their prototypes are equal but for
 * the name, and their names but for a word at the end (after an underscore) or for underscores at
 * the beginning; and if this is true of no other function with either of them. That the one does
 * what the other did cannot be seen: __foo may have been called by foo before.
 */
#include <string.h>

#include "base/search.h"
#include "base/text.h"
#include "commands/diff/diff.h"
#include "kernel/c_spelling.h"

#define UNDERSCORES 3		/* before a name, at most */

/* The prototype with that name in the place of its own. */
static char *prototype_as(const struct table_function *function, const char *name)
{
	size_t length = strlen(function->name);
	const char *at = function->prototype;

	while ((at = strstr(at, function->name)) && at[length] != '(')
		at++;
	return at ? text_format("%.*s%s%s", (int)(at - function->prototype), function->prototype,
				name, at + length)
		  : memory_copy(function->prototype);
}

struct renames {
	struct diff_change *changes;
	size_t count;
	size_t *partners;	/* by change; NONE, or SEVERAL */
};

enum { NONE = 0, SEVERAL = -1 };	/* else its index and 1 */

/* Is it gone, or new, with a FUNC, and is there no other change of that name? */
static const struct table_function *lone_function(const struct renames *renames, size_t i)
{
	const struct diff_change *change = &renames->changes[i];
	const struct table_function *function = change->old ? change->old : change->new;
	bool is_lone = (change->class == DIFF_GONE ||
			(change->class == DIFF_GAINED && !change->old)) &&
		       function->prototype && function->name[0];

	is_lone = is_lone && (!i || strcmp(change[-1].name, change->name) != 0);
	is_lone = is_lone && (i + 1 == renames->count || strcmp(change[1].name, change->name) != 0);
	return is_lone ? function : NULL;
}

static void add_partner(struct renames *renames, size_t i, size_t partner)
{
	size_t *known = &renames->partners[i];

	*known = *known == NONE || *known == partner + 1 ? partner + 1 : (size_t)SEVERAL;
}

static void try_name(struct renames *renames, size_t i, const char *name)
{
	const struct diff_change *changes = renames->changes;
	size_t at = lower_bound(k, renames->count, strcmp(changes[k].name, name) < 0);
	const struct table_function *other =
		at < renames->count ? lone_function(renames, at) : NULL;
	char *prototype;

	if (!other || strcmp(other->name, name) != 0 || !changes[i].old == !changes[at].old)
		return;
	prototype = prototype_as(lone_function(renames, i), name);
	if (c_spelling_is_same(prototype, other->prototype)) {
		add_partner(renames, i, at);
		add_partner(renames, at, i);
	}
	free(prototype);
}

static void try_names(struct renames *renames, size_t i)
{
	const struct diff_change *change = &renames->changes[i];
	char *name = text_format("%.*s%s", UNDERSCORES, "___", change->name);
	const char *own = name + UNDERSCORES, *stem = own + strspn(own, "_");
	char *last = strrchr(stem, '_');

	/* From the new name these would be the same pairs. */
	for (const char *with = stem - UNDERSCORES; change->old && with <= stem; with++) {
		if (with != own)
			try_name(renames, i, with);
	}
	if (last) {
		*last = '\0';
		try_name(renames, i, own);
	}
	free(name);
}

void diff_join_renames(struct diff_change *changes, size_t count)
{
	struct renames renames = { changes, count, memory_zeroed(count + 1, sizeof(size_t)) };

	for (size_t i = 0; i < count; i++) {
		if (lone_function(&renames, i))
			try_names(&renames, i);
	}
	for (size_t i = 0; i < count; i++) {
		size_t at = renames.partners[i] - 1;

		if (at >= count || renames.partners[at] != i + 1 || !changes[i].old)
			continue;
		changes[i].class = DIFF_NEW_NAME;
		changes[i].new = changes[at].new;
		changes[i].marks |= changes[at].marks;
		changes[i].is_wanted |= changes[at].is_wanted;
		changes[at].class = DIFF_CLASS_COUNT;
	}
	free(renames.partners);
}
