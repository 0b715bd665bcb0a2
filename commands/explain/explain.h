/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* All that is known of a name, and what follows from it. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_H

#include "commands/explain/asked.h"
#include "commands/explain/explanation.h"

/* As explanation_begin(). False: nothing has that name. Release the explanation in any case. */
bool explanation_make(struct explanation *explanation, const struct kernel *kernel,
		      const char *name, const struct asked *asked);
void explanation_release(struct explanation *explanation);

#endif
