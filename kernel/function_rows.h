/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The functions of a kernel or module as rows: a row is an instance of a function, or a function
 * without code of its own. By name (strcmp), then in the order of the DWARF; those of a whole build
 * are the rows of the kernel, then those of each module. `stats --functions` prints them with these
 * columns, `diff` compares them.
 *
 * "-" is nothing. "?" is not known, as most of what BTF does not have: there the verdict is `ok`,
 * `inlined-only`, or not known.
 */
#ifndef BTFENC_KERNEL_FUNCTION_ROWS_H
#define BTFENC_KERNEL_FUNCTION_ROWS_H

#include "base/text.h"
#include "encoder/result.h"
#include "kernel/btf_functions.h"
#include "kernel/btf_input.h"

/* X(identifier, name) */
#define FUNCTION_COLUMN_LIST(X)                                                                    \
	X(NAME, "name")         /* the function's */                                               \
	X(SYMBOL, "symbol")     /* of the instance */                                              \
	X(ADDRESS, "address")   /* where it is entered */                                          \
	X(UNIT, "unit")         /* that declares it, DW_AT_name */                                 \
	X(VERDICT, "verdict")   /* of the name (encoder/evidence/verdict.h) */                     \
	X(REASONS, "reasons")   /* of the instance, with commas */                                 \
	X(PROTOTYPE, "prototype") /* as C */                                                       \
	X(PARAMETERS, "parameters") /* NAME:STATE of those not passed as declared (evidence.h) */  \
	X(MARKS, "marks")       /* of the name: exported, kfunc, global, init (only .init.text) */ \
	X(SUFFIXES, "suffixes") /* of all symbols of the name: .isra,.part */                      \
	X(SITES, "sites")       /* where the name was inlined, how often */                        \
	X(SITE_PARAMETERS, "site_parameters") /* of all these sites */                             \
	X(SITE_PLACES, "site_places") /* how many of those have a location there */                \
	X(CALLERS, "callers")   /* direct calls of the name in the same file, if it is `ok` */     \
	X(MODULE, "module")     /* that it is in; "-": the kernel, or a file that is neither */    \
	X(HOOK, "hook")         /* has the instance one, for fentry: yes, no, ? if not known */

enum function_column {
#define X(id, name) COLUMN_##id,
	FUNCTION_COLUMN_LIST(X)
#undef X
	COLUMN_COUNT,
};

/* X(identifier, code), bits of a set */
#define FUNCTION_MARK_LIST(X)                                                                      \
	X(KFUNC, "kfunc")                                                                          \
	X(EXPORTED, "exported")                                                                    \
	X(GLOBAL, "global")                                                                        \
	X(INIT, "init")

enum function_mark {
#define X(id, code) MARK_##id,
	FUNCTION_MARK_LIST(X)
#undef X
	MARK_COUNT,
};

/* Codes, by enum function_column, enum function_mark, enum verdict. */
extern const char *const function_columns[COLUMN_COUNT];
extern const char *const function_marks[MARK_COUNT];
extern const char *const function_reasons[VERDICT_COUNT];

#define VERDICT_UNKNOWN VERDICT_COUNT	/* no FUNC, and BTF does not say why */

struct row_parameter {
	const char *name;
	uint8_t state;			/* enum parameter_state */
};

struct function_row {
	const char *name;
	const char *symbol, *address, *unit, *prototype, *module;	/* NULL: none, or unknown */
	const struct row_parameter *parameters;
	uint32_t parameter_count;
	uint32_t unknown;		/* a bit for each column with "?"; of marks some */
	reason_set reasons;
	uint32_t marks;			/* a bit per enum function_mark */
	uint32_t suffixes;		/* a bit per enum suffix */
	struct function_sites sites;
	uint32_t callers;
	uint8_t verdict;
	uint8_t hook;			/* enum attach_answer; 0: no instance */
	uint8_t join;			/* enum join_class, by the symbol */
};

struct function_rows {
	struct function_row *data;
	size_t count, capacity;
	ARRAY_OF(char *) blocks;	/* what the rows point to */
	char *free;			/* in the last of them, */
	size_t room;			/* with so many bytes */
	uint64_t bytes;			/* that rows point to */
};

/*
 * Copies that the rows own, NULL of nothing; of a text one in which no control character forges
 * anything.
 */
void *function_rows_keep(struct function_rows *rows, const void *bytes, size_t count);
char *function_rows_keep_text(struct function_rows *rows, const char *text);

/* Moves all of `from` to the end. */
void function_rows_append(struct function_rows *rows, struct function_rows *from);
void function_rows_release(struct function_rows *rows);

/*
 * Adds what program_encode() or program_judge() left, sorted by selection_sort(); what `options`
 * did not ask for (examine_clones, count_inlined, count_sites, keep_changes) is missing. `module`
 * is the name of the module that it is, or NULL. False: many instances share so long a prototype
 * that the rows are out of all proportion to the file.
 */
bool function_rows_add_program(struct function_rows *rows, const struct program *program,
			       const char *module, struct error *err);

/*
 * Adds those of a BTF and its .BTF.extra, or the file INPUT.extra, which it opens: names with a
 * FUNC and their prototypes, clones, counts of inline sites. BTF does not tell why other functions
 * have no FUNC.
 */
bool function_rows_add_btf(struct function_rows *rows, struct btf_input *input, const char *module,
			   struct error *err);

/* Have they more bytes than rows of a file of that size? Fills err then. */
bool function_rows_are_too_long(const struct function_rows *rows, uint64_t file_bytes,
				const char *path, struct error *err);

#endif
