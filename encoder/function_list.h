/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The function instances of an encoding as lines of tab-separated fields, a header line first:
 *
 *	name	symbol	address	unit	verdict	reasons	prototype
 *
 * The unit is the one that declares it, its DW_AT_name. The verdict is that of the name, the
 * reasons are the instance's own. "-" is nothing: no symbol, no name of the unit, no reason, a
 * prototype that nobody says. By name, then in the order of the DWARF.
 */
#ifndef BTFENC_ENCODER_FUNCTION_LIST_H
#define BTFENC_ENCODER_FUNCTION_LIST_H

#include <stdio.h>

#include "encoder/program.h"

/* Prints what program_encode() left. Write errors stay in `out`. */
void function_list_print(const struct program *program, FILE *out);

#endif
