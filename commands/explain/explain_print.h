/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What both kinds of explanation, by DWARF and by records, print in the same way. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_PRINT_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_PRINT_H

#include <jansson.h>

#include "commands/explain/explain.h"

/* A text from outside: a control character in a name must not forge a line. */
void explain_put(FILE *out, const char *text);

/* With at least two blanks behind it, up to a column. */
void explain_put_padded(FILE *out, const char *text, size_t width);

/* Only the notes, or only the others. */
void explain_put_advice(FILE *out, const struct advice *advice, size_t count, bool notes);

/* A string that may be missing (NULL), and that may hold bytes which JSON cannot: then null. */
json_t *explain_text_json(const char *text);

json_t *explain_advice_json(const struct advice *advice, size_t count);

/* Takes the reference. False: it cannot be written. */
bool explain_write_json(json_t *root, FILE *out);

#endif
