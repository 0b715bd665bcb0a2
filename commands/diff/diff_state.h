/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The state of a function in one build, in a few words: `.isra.0: parameter "a" constant` */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_STATE_H
#define BTFENC_COMMANDS_DIFF_DIFF_STATE_H

#include "commands/diff/function_table.h"

/* `function` NULL: there is none in the table. Owned by the caller. */
char *diff_state(const struct function_table *table, const struct table_function *function);

/* "3 sites, 5 of 6 parameters". */
char *diff_sites_text(const struct function_sites *sites);

/* "param-constant, param-removed". */
char *diff_reasons_text(reason_set reasons);

/* ".isra appeared, .part vanished"; "" for equal sets. */
char *diff_suffixes_text(uint32_t old, uint32_t new);

#endif
