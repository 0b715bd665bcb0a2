/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Judges functions: gives each name one verdict, and so decides which FUNCs to emit. A name is
 * promised when a tracer finds one address under it, with one prototype, and no instance there has
 * a reason of its own against it (encoder/evidence/evidence.h). docs/functions.md has the rules in
 * words.
 */
#ifndef BTFENC_ENCODER_SELECT_H
#define BTFENC_ENCODER_SELECT_H

#include "base/hash_table.h"
#include "btf/string_pool.h"
#include "encoder/encode_options.h"
#include "encoder/evidence/instance.h"
#include "encoder/evidence/verdict.h"
#include "kallsyms/symbol_table.h"

#define NO_INSTANCE UINT32_MAX	/* of a function without code: INLINED_ONLY */

/*
 * One function name; or, of the functions of that name (function_number()), one that is not the
 * function found by it: only inlined, or only in clones, while another one has the symbol.
 */
struct judged_function {
	struct pool_id name;
	uint32_t number;		/* of those that decided, the first */
	uint32_t next;			/* index + 1 of another function of that name; 0: none */
	uint32_t last;			/* the first of a name: index + 1 of the last, if several */
	enum verdict verdict;		/* the first of the reasons */
	reason_set reasons;
	uint32_t instance;		/* the first of those that decided; its prototype counts */
};

/*
 * The names in the order of the instances, which does not depend on threads; those without an
 * instance follow in the order of sites. Strings that the pool gets later are not functions.
 */
struct selection {
	ARRAY_OF(struct judged_function) functions;
	uint32_t *of_name;		/* pool id -> index in functions + 1; 0: no function;
					   the first of those of the name */
	uint32_t name_count;
	struct hash_table others;	/* indices by name and number, but of the first */
	uint32_t counts[VERDICT_COUNT];	/* of names, by their first function */
};

void select_functions(struct selection *selection, const struct instances *instances,
		      const struct string_pool *pool, const struct symbol_table *symbols,
		      const struct features *features);

struct inlined_function {
	struct pool_id name;
	uint32_t number;
};

/* Adds the verdict INLINED_ONLY for those of `inlined`, which may repeat, that have no instance. */
void selection_add_inlined(struct selection *selection, const struct inlined_function *inlined,
			   size_t count, const struct instances *instances,
			   const struct string_pool *pool);

/* Sorts the functions by name (strcmp), for printing; those of one name stay in their order. */
void selection_sort(struct selection *selection, const struct string_pool *pool);
void selection_release(struct selection *selection);

/* The judged function of a name in the pool, the first; or NULL. */
static inline const struct judged_function *selection_of(const struct selection *selection,
							 struct pool_id name)
{
	return name.index < selection->name_count && selection->of_name[name.index]
		       ? &selection->functions.data[selection->of_name[name.index] - 1] : NULL;
}

/* Is it the one that counts for its name? */
static inline bool selection_is_first(const struct selection *selection,
				      const struct judged_function *judged)
{
	return selection_of(selection, judged->name) == judged;
}

/* The judged function that an instance or a site is of, by name and number; or NULL. */
const struct judged_function *selection_of_function(const struct selection *selection,
						    struct pool_id name, uint32_t number);

/* The judged function of a name, the first; or NULL. */
const struct judged_function *selection_find(const struct selection *selection,
					     const struct string_pool *pool, const char *name);

#endif
