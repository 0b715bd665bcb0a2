/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What several kernels say of one function or tracepoint, as a table. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_COMPARE_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_COMPARE_H

#include <jansson.h>

#include "commands/explain/explanation.h"

/* One of them, an object for the array of all; `known`: the kernel has the name. */
json_t *explain_kernel_json(const struct explanation *explanation, bool known);

/* Takes the array over. What is not the same in all of them is marked. */
void explain_compare_print(const char *name, json_t *kernels, bool as_json);

#endif
