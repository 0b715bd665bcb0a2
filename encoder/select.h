/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Judges functions: joins the instances with the symbols by address, gives each name one verdict,
 * and says which FUNCs to emit. The rule for now is the simple one: a name is promised when its
 * instances have one prototype and its symbols one address, and the symbol's suffixes, if any,
 * leave the signature alone. Evidence about single parameters is not looked at yet.
 */
#ifndef BTFENC_ENCODER_SELECT_H
#define BTFENC_ENCODER_SELECT_H

#include "btf/string_pool.h"
#include "encoder/features.h"
#include "encoder/instance.h"
#include "encoder/verdict.h"
#include "kallsyms/symbol_table.h"

/* One function name. */
struct judged_function {
	uint32_t name;			/* pool id */
	enum verdict verdict;
	uint32_t instance;		/* the one whose prototype counts, when verdict is OK */
	uint64_t address;		/* of its symbol, when OK */
};

struct selection {
	ARRAY_OF(struct judged_function) functions;	/* sorted by name (strcmp) */
	uint32_t counts[VERDICT_COUNT];
};

/* The instances' names are pool ids, their prototypes resolved shapes. */
void select_functions(struct selection *selection, const struct instances *instances,
		      const struct string_pool *pool, const struct symbol_table *symbols,
		      const struct features *features);
void selection_release(struct selection *selection);

/* The judged function of a name, or NULL. */
const struct judged_function *selection_find(const struct selection *selection,
					     const struct string_pool *pool, const char *name);

/* May a name stand in BTF as an identifier? (kernel: letters, digits, '_' and '.') */
bool is_btf_identifier(const char *name);

#endif
