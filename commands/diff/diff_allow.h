/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Changes that are accepted: a file with a line for each.
 *
 *	GLOB [CLASS[,CLASS]...] # why
 *
 * GLOB matches names, by fnmatch(); the classes are those of --fail-on, all if there is none. The
 * reason is required: it is all that a reader of the file has a year later. Empty lines and lines
 * that begin with # are ignored.
 */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_ALLOW_H
#define BTFENC_COMMANDS_DIFF_DIFF_ALLOW_H

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"

struct allow_rule {
	const char *glob;
	const char *why;
	uint32_t classes;
	uint32_t line;
	uint32_t used;		/* how many changes it has allowed */
};

struct allow_list {
	struct text text;	/* of the file, cut into words */
	ARRAY_OF(struct allow_rule) rules;
};

bool allow_list_read(struct allow_list *list, const char *path, struct error *err);
void allow_list_release(struct allow_list *list);

/* The first rule for a change of that class, which is used then; NULL: none. */
const struct allow_rule *allow_list_find(const struct allow_list *list, const char *name,
					 uint32_t class_bit);

#endif
