/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A diff as text, Markdown, JSON or HTML. */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_REPORT_H
#define BTFENC_COMMANDS_DIFF_DIFF_REPORT_H

#include <stdio.h>

#include "commands/diff/diff.h"

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
