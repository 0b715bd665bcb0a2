/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Texts from outside as JSON. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_JSON_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_JSON_H

#include <jansson.h>

#include "commands/explain/explain.h"

/* A string that may be missing (NULL), and that may hold bytes which JSON cannot: then U+FFFD. */
json_t *explain_text_json(const char *text);

/* Takes the reference. False: it cannot be written. */
bool explain_write_json(json_t *root, FILE *out);

#endif
