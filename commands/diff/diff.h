/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc diff`: the changes of functions, and of types, between two builds.
 *
 * In: two function tables, two BTFs if types are asked for. Out: at most one change for each name,
 * of the first class in the order of DIFF_CLASS_LIST that holds. Addresses, units, paths and the
 * numbers of suffixes are not compared; so neither order nor directory of the build matters.
 */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_H
#define BTFENC_COMMANDS_DIFF_DIFF_H

#include <stdio.h>

#include "commands/diff/diff_allow.h"
#include "commands/diff/diff_class.h"
#include "commands/diff/diff_side.h"
#include "commands/diff/diff_types.h"

struct diff_change {
	enum diff_class class;
	const char *name;
	uint32_t marks;			/* of either side */
	char *from;			/* its old and new state, in words; NULL: none */
	char *to;
	const struct table_function *old;	/* NULL: not there, or a type */
	const struct table_function *new;
	const struct type_change *type;	/* NULL: a function */
	const struct allow_rule *allowed;	/* NULL: by none */
	bool fails;			/* counts as a regression */
	int weight;			/* the less, the more important */
};

/* A sentence for the head of a report: what is compared, totals, balance. */
struct diff_line {
	char *text;
	bool is_always_said;		/* where nothing has changed, too */
};

struct diff_options {
	uint32_t fail_on;		/* mask of classes */
	uint32_t show;			/* other classes are only counted */
	ARRAY_OF(const char *) only;	/* "exported", "kfunc", globs of names; any of them */
	struct allow_list allow;
};

struct diff {
	const struct diff_options *options;
	const struct diff_side *old;
	const struct diff_side *new;
	bool has_modules;		/* a side is more than one file */
	struct type_diff types;
	ARRAY_OF(struct diff_change) changes;	/* by class, the most important first */
	uint32_t counts[DIFF_CLASS_COUNT];
	uint32_t allowed[DIFF_CLASS_COUNT];	/* of these */
	uint32_t in_both;			/* names of functions */
	uint32_t verdicts[2][VERDICT_COUNT + 1];	/* names, old and new; the last: unknown */
	uint32_t suffixes[2][SUFFIX_COUNT];		/* names with such symbols */
	uint64_t sites[2];
	uint64_t site_parameters[2];
	uint64_t site_locations[2];
	bool sites_known;			/* on both sides, and comparable */
	bool knows_kfuncs;			/* NEW has some */
	ARRAY_OF(const struct diff_change *) important;	/* of the losses */
	ARRAY_OF(struct diff_line) summary;
	uint32_t fails;
};

#define DIFF_IMPORTANT 10

/* The name of its module, or "vmlinux". */
const char *diff_module(const struct table_function *function);
const char *diff_change_module(const struct diff_change *change);

/* Is it in another module than before? False: it was or is nowhere, too. */
bool diff_has_moved(const struct diff *diff, const struct diff_change *change);

/* Borrows everything; `types` says whether they are compared, for which both sides need a BTF. */
void diff_make(struct diff *diff, const struct diff_side *old, const struct diff_side *new,
	       bool types, const struct diff_options *options);
void diff_release(struct diff *diff);

/* The mark that an --only word means, as a bit; 0: the word is a glob of names. */
uint32_t diff_only_mark(const char *only);

/* ---- as text, Markdown, JSON or HTML: diff_report.c, diff_json.c ---- */

struct diff_style {
	bool colour;
	bool is_markdown;
	uint32_t limit;			/* changes of a class that are listed; 0: all */
};

/* Text for people, or Markdown. */
void diff_print_report(const struct diff *diff, const struct diff_style *style, FILE *out);
void diff_print_json(const struct diff *diff, FILE *out);
void diff_print_html(const struct diff *diff, FILE *out);

#endif
