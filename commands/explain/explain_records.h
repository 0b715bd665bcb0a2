/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* An explanation by BTF, with records of sites where there are some (kernel/records.h). */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_RECORDS_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_RECORDS_H

#include "commands/explain/explanation.h"

/*
 * Begins it, of a name, and fills what the records tell of that, with its namesakes. Callers that
 * look at more than one name begin with one and append sites.
 */
void explain_records_begin(struct explanation *explanation, struct records *records,
			   const char *name, const char *asked);
void explain_records_fill(struct explanation *explanation);
void explain_records_site(struct explanation *explanation, const struct record_site *site,
			  bool is_inline);

#endif
