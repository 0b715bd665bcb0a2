/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What an explanation comes to: the headline, and lines to paste. */
#ifndef BTFENC_COMMANDS_EXPLAIN_ADVICE_H
#define BTFENC_COMMANDS_EXPLAIN_ADVICE_H

#include "commands/explain/explanation.h"

/* Fills headline and advice. */
void advice_give(struct explanation *explanation);

#endif
