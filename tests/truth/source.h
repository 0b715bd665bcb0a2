/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* truth.txt: what the generator knows about the functions of its program. */
#ifndef BTFENC_TESTS_TRUTH_SOURCE_H
#define BTFENC_TESTS_TRUTH_SOURCE_H

#include "prototype.h"

struct source_function {
	uint32_t name;		/* in names */
	struct prototype prototype;
};

struct source {
	struct source_function *functions;	/* by id */
	uint32_t function_count;
	char (*names)[64];
	bool *is_alias;				/* a name without a DIE of its own */
	uint32_t name_count;
};

void source_read(struct source *source, const char *path);
void source_release(struct source *source);

/* The name's index, or -1. */
int source_find(const struct source *source, const char *name, size_t length);

#endif
