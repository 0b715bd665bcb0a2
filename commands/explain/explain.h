/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* All that is known of a name, and what follows from it. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_H

#include "commands/explain/asked.h"
#include "commands/explain/explanation.h"

/*
 * By `kernel`, which has been judged with options->keep_findings = name, or by `records`; the other
 * is NULL. `asked` has the name, or that of a symbol of it. False: nothing has that name. Release
 * the explanation in any case.
 */
bool explanation_make(struct explanation *explanation, const struct kernel_program *kernel,
		  struct records *records, const char *name, const struct asked *asked);
void explanation_release(struct explanation *explanation);

#endif
