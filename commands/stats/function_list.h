/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The list of functions of `btfenc stats --functions`: rows (kernel/function_rows.h) as lines of
 * tab-separated fields, a header line with the names of the columns first. The last line has what
 * they are of: "#", release and build id of the kernel ("-": not known), and for each compiler its
 * name and how many units it has made, most first. `btfenc diff` reads these lists
 * (commands/diff/function_table.h).
 */
#ifndef BTFENC_COMMANDS_STATS_FUNCTION_LIST_H
#define BTFENC_COMMANDS_STATS_FUNCTION_LIST_H

#include "commands/stats/stats.h"
#include "kernel/function_rows.h"

/* Of rows of a program, and others; what they are of is the program's. */
void function_list_print(const struct function_rows *rows, const struct program *program,
			 struct text *out);

#endif
