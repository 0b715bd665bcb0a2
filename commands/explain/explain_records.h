/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* An explanation by BTF, with records of sites where there are some (kernel/records.h). */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_RECORDS_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_RECORDS_H

#include "commands/explain/explanation.h"

/* Fills what the records tell of the name, with its namesakes; or appends one site. */
void explain_records_fill(struct explanation *explanation);
void explain_records_site(struct explanation *explanation, const struct record_site *site,
			  bool is_inline);

#endif
