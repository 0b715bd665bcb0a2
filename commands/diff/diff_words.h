/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The differences of two lines of C, in words and signs. */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_WORDS_H
#define BTFENC_COMMANDS_DIFF_DIFF_WORDS_H

#include <stddef.h>

#include "base/memory.h"

struct word_run {
	char op;		/* '=', '-' only in the old line, '+' only in the new one */
	const char *text;	/* in the one or the other */
	size_t length;
};

typedef ARRAY_OF(struct word_run) word_runs;

/*
 * Runs that make up both lines, but for blanks; '-' comes before '+'. They point into the lines,
 * runs of both lines into the new one.
 */
void diff_words(word_runs *runs, const char *old, const char *new);

/* The same of two declarations, each in one spelling (c_spelling.h), which it owns. */
struct marked_lines {
	char *old;
	char *new;
	word_runs runs;
};

void marked_lines_make(struct marked_lines *marked, const char *old, const char *new);
void marked_lines_release(struct marked_lines *marked);

#endif
