/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What is known of each name in one build, by the rows of its functions (kernel/function_rows.h).
 * `btfenc diff` sees only this: it does not matter whether the rows were kept as a file or made
 * just now.
 */
#ifndef BTFENC_COMMANDS_DIFF_FUNCTION_TABLE_H
#define BTFENC_COMMANDS_DIFF_FUNCTION_TABLE_H

#include "commands/stats/stats.h"
#include "kernel/function_rows.h"

/*
 * One name in one module; or of several functions of that name, one that is not found by it. Its
 * reasons, addresses and prototype are those of the rows with the best join.
 */
struct table_function {
	const char *name;
	enum verdict verdict;
	reason_set reasons;
	uint32_t marks;			/* bit per enum function_mark */
	uint32_t suffixes;		/* bit per enum suffix */
	bool suffixes_known;
	enum join_class join;
	uint32_t addresses;		/* different ones */
	const char *prototype;		/* NULL: not known */
	bool sites_known;
	struct function_sites sites;
	uint32_t callers;		/* 0: not known, too */
	const char *module;		/* NULL: the kernel itself, or not known */
	bool is_other;			/* not the first of its name in the module */
	uint32_t first_row;
	uint32_t row_count;
};

struct function_table {
	struct function_rows rows;	/* have all strings */
	struct kernel_identity identity;	/* of the kernel, or the module; "": not known */
	compiler_counts compilers;	/* none: not known */
	ARRAY_OF(struct table_function) functions;	/* by name, then module, strcmp; of one name
							   in one module the first, then units */
	uint32_t modules;		/* that have functions */
	bool has_kernel;		/* there are functions of no module */
	bool knows_exports;
	bool knows_all;			/* a name that is not there does not exist; else it is a
					   list of BTF, whose sites count those in the
					   function's own code, too, and lack some others */
};

/* Makes it of its rows, which are of `path`. */
bool function_table_make(struct function_table *table, const char *path, struct error *err);

/* Of a list (commands/stats/stats.h): of a text, which it takes over, and of a file. */
bool function_table_parse(struct function_table *table, struct text *text, const char *path,
			  struct error *err);
bool function_table_read(struct function_table *table, const char *path, struct error *err);
/* Does the kernel itself have a FUNC of that name? */
bool function_table_find(const struct function_table *table, const char *name);
/* The name of its unit, without folders; "": not known. */
const char *function_table_file(const struct function_table *table,
				const struct table_function *function);

/*
 * The order of two functions of one name and module, of the same table or not: those that are found
 * by the name first, then by their units. 0: they are to be compared.
 */
int function_table_compare_others(const struct function_table *x, const struct table_function *a,
				  const struct function_table *y, const struct table_function *b);
void function_table_release(struct function_table *table);

/* ---- the state of a function in a few words: diff_state.c ---- */

/* `.isra.0: parameter "a" constant`. NULL: there is none in the table. Owned by the caller. */
char *diff_state(const struct function_table *table, const struct table_function *function);

/* "3 sites, 5 of 6 parameters". */
char *diff_sites_text(const struct function_sites *sites);

/* "param-constant, param-removed". */
char *diff_reasons_text(reason_set reasons);

/* ".isra appeared, .part vanished"; "" for equal sets. */
char *diff_suffixes_text(uint32_t old, uint32_t new);

#endif
