/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Lines of C as words and signs: one spelling of each, and the differences of two. */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_WORDS_H
#define BTFENC_COMMANDS_DIFF_DIFF_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/*
 * A copy of a line in one spelling of types that compilers spell differently: GCC's DWARF says
 * `long unsigned int`, clang's `unsigned long`; only clang's has the kernel's annotations of
 * pointers (`__user`).
 */
char *c_spelling(const char *line);

/* Are two lines the same C, however they are written? */
bool c_spelling_is_same(const char *a, const char *b);

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

#endif
