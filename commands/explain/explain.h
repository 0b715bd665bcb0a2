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

/* Is it to be in another module or folder of events than it is in? */
bool explain_is_elsewhere(const struct explanation *explanation);

/* ---- variables: variable.c ---- */

/*
 * The variables of the explanation's name, by DWARF, VARs and symbols: an array of facts, the
 * caller's; NULL: there are none.
 */
json_t *variables_find(const struct explanation *explanation);

/* As a page or as JSON; takes them over. */
void variables_print(const struct explanation *explanation, json_t *variables, bool as_json);

#endif
