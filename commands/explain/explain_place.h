/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Places of parameters in words and in tracefs' syntax for fetch arguments (Documentation/trace/
 * kprobetrace.rst): `%di`, `+8(%sp)`, `\10`.
 */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_PLACE_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_PLACE_H

#include <stdio.h>

#include "encoder/evidence/evidence.h"
#include "commands/explain/explain_scan.h"

void place_print_expected(FILE *out, const struct abi *abi, const struct abi_place *place);

/* At a function's first instruction, where the CFA is known, or anywhere else. */
void place_print_found(FILE *out, const struct abi *abi, const struct location *location,
		       bool at_entry);

/*
 * Prints "NAME=WHERE:TYPE", one per word of the value; false, and nothing printed, when tracefs
 * cannot fetch it from there. `number` stands for the name of a parameter that has none.
 */
bool place_print_fetch_expected(FILE *out, const struct abi *abi, const struct abi_place *place,
				const struct scanned_parameter *parameter, uint32_t number);
bool place_print_fetch_found(FILE *out, const struct abi *abi, const struct location *location,
			     bool at_entry, const struct scanned_parameter *parameter,
			     uint32_t number);

/*
 * "NAME=", of a parameter that has none or none that tracefs takes "argN=", N = number + 1. `part`:
 * of a value of several words, from 1; 0: the whole.
 */
void place_print_name(FILE *out, const struct scanned_parameter *parameter, uint32_t number,
		      uint32_t part);

/* ":u32" */
void place_print_type(FILE *out, struct fetch_type type);

#endif
