/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The functions of a program as lines of tab-separated fields, a header line with the names of the
 * columns first. A line is an instance of a function, or a function without code of its own. By
 * name (strcmp), then in the order of the DWARF. The list of a whole build has the lines of the
 * kernel, then those of each module.
 *
 *	name		the function's
 *	symbol		of the instance
 *	address		where it is entered
 *	unit		that declares it, DW_AT_name
 *	verdict		of the name (encoder/evidence/verdict.h)
 *	reasons		of the instance, with commas
 *	prototype	as C
 *	parameters	that are not passed as declared, NAME:STATE (evidence.h)
 *	marks		of the name: exported, kfunc, global, init (only in .init.text)
 *	suffixes	of all symbols of the name: .isra,.part
 *	sites		where the name was inlined, how often
 *	site_parameters	of all these sites
 *	site_places	how many of those parameters have a location there
 *	callers		direct calls of the name in the same file, if it is `ok`
 *	module		that it is in; "-": the kernel itself, or a file that is neither
 *	hook		does the instance have one, which fentry needs: yes, no, ? if the
 *			image does not say it
 *
 * "-" is nothing. "?" is not known, which only lists of BTF have: there the verdict is `ok`,
 * `inlined-only`, or not known. `btfenc diff` reads these lists (commands/diff/function_table.h).
 */
#ifndef BTFENC_COMMANDS_STATS_FUNCTION_LIST_H
#define BTFENC_COMMANDS_STATS_FUNCTION_LIST_H

#include "base/text.h"
#include "kernel/btf_functions.h"
#include "encoder/result.h"

/* X(identifier, name) */
#define FUNCTION_COLUMN_LIST(X)                                                                    \
	X(NAME, "name")                                                                            \
	X(SYMBOL, "symbol")                                                                        \
	X(ADDRESS, "address")                                                                      \
	X(UNIT, "unit")                                                                            \
	X(VERDICT, "verdict")                                                                      \
	X(REASONS, "reasons")                                                                      \
	X(PROTOTYPE, "prototype")                                                                  \
	X(PARAMETERS, "parameters")                                                                \
	X(MARKS, "marks")                                                                          \
	X(SUFFIXES, "suffixes")                                                                    \
	X(SITES, "sites")                                                                          \
	X(SITE_PARAMETERS, "site_parameters")                                                      \
	X(SITE_PLACES, "site_places")                                                              \
	X(CALLERS, "callers")                                                                      \
	X(MODULE, "module")                                                                        \
	X(HOOK, "hook")

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

/* Codes, by enum function_column, enum function_mark, enum verdict, enum suffix. */
extern const char *const function_columns[COLUMN_COUNT];
extern const char *const function_marks[MARK_COUNT];
extern const char *const function_reasons[VERDICT_COUNT];
extern const char *const function_suffixes[SUFFIX_COUNT];

/*
 * The header line; a field with its tab, in which a control character forges nothing; the fields
 * before the last, with a tab (NULL: not known, or no module).
 */
void function_list_put_head(struct text *out);
void function_list_put_field(struct text *out, const char *text);
void function_list_put_end(struct text *out, const struct function_sites *sites,
			   const uint32_t *callers, const char *module);

/*
 * How long the text may become with the functions of a file of that size, and the error beyond it.
 * Lists of kernels have one and a half times the size of their BTF; but many instances can share
 * one long prototype.
 */
static inline size_t function_list_limit(const struct text *out, uint64_t file_bytes)
{
	return out->count + ((size_t)64 << 20) + (size_t)file_bytes * 64;
}

bool function_list_too_long(const char *path, struct error *err);

/*
 * Prints what program_encode() or program_judge() left, sorted by selection_sort(); what `options`
 * did not ask for (examine_clones, count_inlined, count_sites, keep_changes) is missing. `module`
 * is the name of the module that it is, or NULL.
 */
bool function_list_print(const struct program *program, const char *module, struct text *out,
			 struct error *err);

/* The name of the module that the file is, to be freed; NULL: it is not a module. */
char *function_list_module(const struct program *program);

#endif
