/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What an explanation comes to: the headline, and lines to paste. */
#ifndef BTFENC_COMMANDS_EXPLAIN_ADVICE_H
#define BTFENC_COMMANDS_EXPLAIN_ADVICE_H

#include "commands/explain/explanation.h"

/* Fills headline and advice. */
void advice_give(struct explanation *explanation);

__attribute__((format(printf, 3, 4)))
void advise(struct explanation *explanation, const char *tool, const char *format, ...);

/* `SEC("SECTION/SYMBOL") int BPF_PROG(on_SYMBOL, struct sk_buff *skb)` */
void advise_program(struct explanation *explanation, const char *section, const char *symbol,
		    uint32_t prototype);

/* All lines of fentry and fexit. */
void advise_fentry(struct explanation *explanation, const char *name,
		   const struct probe_point *point, uint32_t prototype);

#define note(explanation, ...) advise(explanation, "note", __VA_ARGS__)

/* Parameters that programs by fentry cannot read, or perhaps not. */
void note_unreadable(struct explanation *explanation, const struct probe_point *point);

/* Lines of the tracepoint that was asked for, and of the hooks. */
void advise_tracepoint(struct explanation *explanation, const struct tracepoint *tracepoint);
void advise_hooks(struct explanation *explanation);

#endif
