/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What `btfenc explain` says of a type, in one file or in several. */
#ifndef BTFENC_COMMANDS_EXPLAIN_TYPES_H
#define BTFENC_COMMANDS_EXPLAIN_TYPES_H

#include "commands/types/types.h"
#include "kernel/kernel.h"

struct types_question {
	const struct kernel_options *kernel;	/* how files are read */
	const struct type_query *query;
	const char *searched;		/* what else lacks it (struct type_answer); or NULL */
	bool has_modules;		/* one of them is asked, where the only file lacks it */
	bool json;
};

/*
 * Reads all files, then prints. The exit status; -1: nothing is printed, the modules may have it.
 */
int types_ask(const struct types_question *question, char **files, size_t count);

#endif
