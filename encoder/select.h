/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Judges functions: gives each name one verdict, and so decides which FUNCs to emit. A name is
 * promised when a tracer finds one address under it, with one prototype, and no instance there has
 * a reason of its own against it (encoder/evidence/evidence.h). docs/functions.md has the rules in
 * words.
 */
#ifndef BTFENC_ENCODER_SELECT_H
#define BTFENC_ENCODER_SELECT_H

#include "btf/string_pool.h"
#include "encoder/encode_options.h"
#include "encoder/evidence/instance.h"
#include "encoder/evidence/verdict.h"
#include "kallsyms/symbol_table.h"

#define NO_INSTANCE UINT32_MAX	/* of a function without code: INLINED_ONLY */

/* One function name. */
struct judged_function {
	struct pool_id name;
	enum verdict verdict;		/* the first of the reasons */
	reason_set reasons;
	uint32_t instance;		/* the first of those that decided; its prototype counts */
	uint64_t address;		/* of its symbol, when OK */
};

/*
 * Each name once, in the order of the instances, which does not depend on threads; names without
 * an instance follow in no order. Strings that the pool gets later are not functions.
 */
struct selection {
	ARRAY_OF(struct judged_function) functions;
	uint32_t *of_name;		/* pool id -> index in functions + 1; 0: no function */
	uint32_t name_count;
	uint32_t counts[VERDICT_COUNT];
};

void select_functions(struct selection *selection, const struct instances *instances,
		      const struct string_pool *pool, const struct symbol_table *symbols,
		      const struct features *features);

/* Adds the verdict INLINED_ONLY for those of the names, which may repeat, that have no instance. */
void selection_add_inlined(struct selection *selection, const struct pool_id *names, size_t count,
			   const struct string_pool *pool);

/* Sorts the functions by name (strcmp), for printing. */
void selection_sort(struct selection *selection, const struct string_pool *pool);
void selection_release(struct selection *selection);

/* The judged function of a name in the pool, or NULL. */
static inline const struct judged_function *selection_of(const struct selection *selection,
							 struct pool_id name)
{
	return name.index < selection->name_count && selection->of_name[name.index]
		       ? &selection->functions.data[selection->of_name[name.index] - 1] : NULL;
}

/* The judged function of a name, or NULL. */
const struct judged_function *selection_find(const struct selection *selection,
					     const struct string_pool *pool, const char *name);

#endif
