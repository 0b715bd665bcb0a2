/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* An explanation as text, JSON, or a program that sees the calls. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_PRINT_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_PRINT_H

#include <jansson.h>

#include "commands/explain/explanation.h"

/* How many of a function's inline sites are shown, where not all are asked for. */
#define EXPLAIN_SITES_SHOWN 20

void explain_print_text(const struct explanation *explanation);
/* What both print, without its namesakes; `most`: inline sites, and addresses without a place. */
json_t *explanation_json(const struct explanation *explanation, size_t most);

void explain_print_json(const struct explanation *explanation);

enum script_kind {
	SCRIPT_NONE,
	SCRIPT_BPFTRACE,
	SCRIPT_TRACEFS,
	SCRIPT_LIBBPF,
};

/* A program that sees the calls of the function, or the tracepoint if there is no function. */
void explain_print_script(const struct explanation *explanation, enum script_kind script);

/*
 * A line for bpftrace that prints a call's parameters by their registers. False: bpftrace has no
 * name for the probe, and nothing is added.
 */
bool explain_add_bpftrace(struct text *out, const struct explanation *explanation,
			  const struct probe_point *point);

#endif
