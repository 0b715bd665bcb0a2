/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * `btfenc diff`: the changes of functions, and of types, between two builds.
 *
 * In: two function tables, two BTFs if types are asked for. Out: at most one change for each name,
 * of the first class in the order of DIFF_CLASS_LIST that holds; a name and a new one for it have
 * one change. Addresses, units, paths and the numbers of suffixes are not compared; so neither
 * order nor directory of the build matters.
 */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_H
#define BTFENC_COMMANDS_DIFF_DIFF_H

#include <jansson.h>
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
	const struct table_function *new;	/* of DIFF_NEW_NAME by its new name */
	const struct type_change *type;	/* NULL: a function */
	const struct allow_rule *allowed;	/* NULL: by none */
	bool is_wanted;			/* --only */
	bool fails;			/* counts as a regression */
	int weight;			/* the less, the more important */
	bool is_important;		/* in the list of these */
};

/* Functions that are `exported` or a `kfunc`, or names that match a glob. */
struct diff_only {
	const char *word;
	uint32_t mark;			/* as a bit; 0: a glob */
	bool fits;			/* a function, or a type that differs: diff_make() */
};

struct diff_options {
	uint32_t fail_on;		/* mask of classes */
	uint32_t show;			/* other classes are only counted */
	ARRAY_OF(struct diff_only) only;	/* any of them; none: all */
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
	uint32_t names[2];
	uint32_t verdicts[2][VERDICT_COUNT + 1];	/* names, old and new; the last: unknown */
	uint32_t suffixes[2][SUFFIX_COUNT];		/* names with such symbols */
	uint64_t sites[2];
	uint64_t site_parameters[2];
	uint64_t site_locations[2];
	bool sites_known;			/* on both sides, and comparable */
	bool knows_kfuncs;			/* NEW has some */
	ARRAY_OF(struct diff_change *) important;	/* of the losses */
	uint32_t fails;
};

#define DIFF_IMPORTANT 10

/* Of changes by name: a new name and the old one become one change: diff_renames.c. */
void diff_join_renames(struct diff_change *changes, size_t count);

/* The name of the module, or "vmlinux" for NULL. */
const char *diff_module(const char *module);
const char *diff_change_module(const struct diff_change *change);
/* The kernel's release if the other side has another one, or the path. */
const char *diff_side_name(const struct diff *diff, int side);

/* Is it in another module than before? False: it was or is nowhere, too. */
bool diff_has_moved(const struct diff *diff, const struct diff_change *change);

/* Borrows everything; `types` says whether they are compared, for which both sides need a BTF. */
void diff_make(struct diff *diff, const struct diff_side *old, const struct diff_side *new,
	       bool types, const struct diff_options *options);
void diff_release(struct diff *diff);

/* ---- lines of C as words and signs, and their differences: diff_words.c ---- */

struct word_run {
	char op;		/* '=', '-' only in the old line, '+' only in the new one */
	const char *text;	/* in the one or the other */
	size_t length;
};

/* Runs that make up both lines, but for blanks; '-' comes before '+'. */
struct word_runs {
	char *old, *new;	/* the lines, each in one spelling, into which the runs point */
	struct word_run *data;	/* those of both lines into the new one */
	size_t count, capacity;
};

void word_runs_make(struct word_runs *runs, const char *old, const char *new);
void word_runs_release(struct word_runs *runs);

/* ---- as text, Markdown, JSON or HTML: diff_report.c, diff_json.c ---- */

struct diff_style {
	bool colour;
	bool is_markdown;
	uint32_t limit;			/* changes of a class that are listed; 0: all */
};

/*
 * Sentences for the head of a report: what is said where nothing has changed, too, and notes, and
 * figures, which the page has in its table.
 */
json_t *diff_summary(const struct diff *diff, bool has_notes, bool has_figures);

/* Text for people, or Markdown. */
void diff_print_report(const struct diff *diff, const struct diff_style *style, FILE *out);
void diff_print_json(const struct diff *diff, FILE *out);
/* At most so many changes of a class; 0: all. */
void diff_print_html(const struct diff *diff, uint32_t limit, FILE *out);

#endif
