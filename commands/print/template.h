/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Pages by templates: a text as it will look, in which facts are filled in between "@{" and "}".
 *
 *	@{PATH}			a value: a.b, a member of a; the innermost scope that has the
 *				first name counts; .: the scope itself
 *	@{PATH FORMAT...}	11: in so many columns, at their right; -20: at their left; ",": as
 *				12,345; %PATH: its share of that; >42: from column 42 on, wrapped;
 *				+es: "es" in its place, unless it is 1
 *	@{?PATH} ... @{/}	where it is there, and is not 0, "", false, or empty; @{!PATH}:
 *				where not
 *	@{*PATH} ... @{/}	for each element of an array, which is the scope
 *	@{=bold} @{=dim} @{=red} @{=green} @{=plain}	on a terminal
 *	@{# ...}		nothing
 *
 * A line with nothing but the beginning or end of such a part is left out.
 */
#ifndef BTFENC_COMMANDS_PRINT_TEMPLATE_H
#define BTFENC_COMMANDS_PRINT_TEMPLATE_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "base/text.h"

/* What is in the facts is cleaned (base/text_clean.h). Takes the facts over. */
void template_add(struct text *out, const char *template, json_t *facts, bool colour);
void template_print(const char *template, json_t *facts, bool colour, FILE *out);

/*
 * A table of sentences: lines "PATH !PATH | TEMPLATE", to be said where those are there, and after
 * "!" are not, as in @{?PATH}. Of the group that *rows points to, up to a blank line, the first
 * line that holds, to be freed; NULL: none does. Then *rows points to the next group. Nothing is
 * cleaned: sentences are facts of pages.
 */
char *template_sentence(const char **rows, json_t *facts);

#endif
