/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Names that were meant perhaps. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_NEAR_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_NEAR_H

#include "commands/explain/explanation.h"

/* Is there only a symbol of that name, of what objtool or clang put before a function? */
bool explanation_is_of_padding(const struct explanation *explanation);

/* What a macro of that name calls where allocations are profiled; NULL: none. To be freed. */
char *explain_profiled(const struct explanation *explanation);

/*
 * After an explanation of nothing: what else the name stands for, and *what the name is: of a
 * system call its event, of an address its function, of such a macro what it calls. NULL: nothing.
 * To be freed.
 */
char *explain_meant(struct explanation *explanation, const char **what);

/*
 * After an explanation of nothing: functions, symbols, variables, tracepoints and system calls, and
 * explanation->is_system_call. Release them.
 */
void explain_find_near(struct near_names *near, struct explanation *explanation);

/* Before that, of a module, as MODULE:NAME: its functions that have a symbol, or a FUNC. */
void explain_offer_symbols(struct near_names *near, const struct symbol_table *symbols,
			   const char *module);

void explain_offer_functions(struct near_names *near, const struct btf_reader *btf,
			     const char *module);

/*
 * `searched`: ", nor in its modules (3)". `list_options`: " -f FILE", by which btfenc list lists
 * the same.
 */
void explain_print_near(FILE *out, const struct near_names *near,
			const struct explanation *explanation, const char *searched,
			const char *list_options);

/* `modules`: how many of them have no such name either. */
void explain_print_near_json(const struct near_names *near, const struct explanation *explanation,
			     size_t modules);

#endif
