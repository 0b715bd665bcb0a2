/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What an explanation comes to: the headline, and lines to paste. */
#ifndef BTFENC_COMMANDS_EXPLAIN_ADVICE_H
#define BTFENC_COMMANDS_EXPLAIN_ADVICE_H

#include <jansson.h>

#include "commands/explain/explanation.h"

/* Fills headline and advice. */
void advice_give(struct explanation *explanation);

/* ---- any line, and those of programs: advice_program.c ---- */

__attribute__((format(printf, 3, 4)))
void advise(struct explanation *explanation, const char *tool, const char *format, ...);
void advise_text(struct explanation *explanation, const char *tool, struct text *text);

/* By the next group of a table (commands/print/template.h), whose texts begin with the tool. */
void advise_row(struct explanation *explanation, const char **rows, json_t *facts);

/* By all of its groups; takes the facts over. */
void advise_rows(struct explanation *explanation, const char *rows, json_t *facts);

#define note(explanation, ...) advise(explanation, "note", __VA_ARGS__)

/* `SEC("SECTION/SYMBOL") int BPF_PROG(on_SYMBOL, struct sk_buff *skb)` */
void advise_program(struct explanation *explanation, const char *section, const char *symbol,
		    uint32_t prototype);

/* What bpftrace runs, if it can. */
void advise_bpftrace(struct explanation *explanation, const struct probe_point *point,
		     const char *by_fentry);

/* All lines of fentry and fexit. */
void advise_fentry(struct explanation *explanation, const char *name,
		   const struct probe_point *point, uint32_t prototype);

/* ---- the tracepoint that was asked for, and the hooks: advice_hooks.c ---- */

void advise_tracepoint(struct explanation *explanation, const struct tracepoint *tracepoint);
void advise_hooks(struct explanation *explanation);

/* Parameters that programs by fentry cannot read, or perhaps not. */
void note_unreadable(struct explanation *explanation, const struct probe_point *point);

#endif
