/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* An explanation as text, JSON, or a program that sees the calls. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_PRINT_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_PRINT_H

#include <jansson.h>

#include "commands/explain/explanation.h"

/* How many of a function's inline sites are shown, where not all are asked for. */
#define EXPLAIN_SITES_SHOWN 20

void explain_print_text(const struct explanation *explanation);
void explain_print_json(const struct explanation *explanation);

/* Do programs attach where the function is entered, of several places the best? */
enum attach_answer explain_function_answer(const struct explanation *explanation, bool by_fentry);

/* One of several kernels, an object for the array of all; `known`: the kernel has the name. */
json_t *explain_kernel_json(const struct explanation *explanation, bool known);

/* As a table. Takes the array over. What is not the same in all of them is marked. */
void explain_compare_print(const char *name, json_t *kernels, bool as_json);

enum script_kind {
	SCRIPT_NONE,
	SCRIPT_BPFTRACE,
	SCRIPT_TRACEFS,
	SCRIPT_LIBBPF,
};

/* A program that sees the calls of the function, or the tracepoint if there is no function. */
void explain_print_script(const struct explanation *explanation, enum script_kind script);

/*
 * A line for bpftrace that prints a call's parameters: by fentry on that name, or by their
 * registers if it is NULL. False: bpftrace has no name for the probe, and nothing is added.
 */
bool explain_add_bpftrace(struct text *out, const struct explanation *explanation,
			  const struct probe_point *point, const char *by_fentry);

#endif
