/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Lines of the tracepoint that was asked for, and of the hooks. */
#ifndef BTFENC_COMMANDS_EXPLAIN_ADVICE_HOOKS_H
#define BTFENC_COMMANDS_EXPLAIN_ADVICE_HOOKS_H

#include "commands/explain/advice_program.h"

void advise_tracepoint(struct explanation *explanation, const struct tracepoint *tracepoint);
void advise_hooks(struct explanation *explanation);

/* Parameters that programs by fentry cannot read, or perhaps not. */
void note_unreadable(struct explanation *explanation, const struct probe_point *point);

#endif
