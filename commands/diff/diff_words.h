/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Lines of C as words and signs, and their differences. */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_WORDS_H
#define BTFENC_COMMANDS_DIFF_DIFF_WORDS_H

#include <stddef.h>

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
