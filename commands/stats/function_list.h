/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The list of functions of `btfenc stats --functions`: rows (kernel/function_rows.h) as lines of
 * tab-separated fields, a header line with the names of the columns first. `btfenc diff` reads
 * these lists (commands/diff/function_table.h).
 */
#ifndef BTFENC_COMMANDS_STATS_FUNCTION_LIST_H
#define BTFENC_COMMANDS_STATS_FUNCTION_LIST_H

#include "kernel/function_rows.h"

void function_list_print(const struct function_rows *rows, struct text *out);

#endif
