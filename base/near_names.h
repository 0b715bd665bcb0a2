/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The names that are most like one that was asked for in vain. */
#ifndef BTFENC_BASE_NEAR_NAMES_H
#define BTFENC_BASE_NEAR_NAMES_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/text.h"

#define NEAR_NAMES 5
/* Longer names are not near any. */
#define NEAR_LENGTH_MAX 128
#define NEAR_LETTERS	32

struct near_name {
	char *name;
	const char *what;	/* "function", "variable" */
	uint32_t distance;	/* the smaller the nearer */
	bool in_folder;		/* FOLDER:NAME */
};

struct near_names {
	const char *wanted;
	size_t wanted_length;
	int16_t letters[NEAR_LETTERS];	/* of it, counted */
	pthread_mutex_t lock;	/* of the names, in which few end up */
	struct near_name names[NEAR_NAMES];
	uint32_t count;
};

/* `wanted` is borrowed. */
void near_names_init(struct near_names *near, const char *wanted);

/*
 * Keeps the name if it is one of the nearest: names that differ by little, begin with the wanted
 * one, or contain it; by distance, then by name. Any thread may offer names, and none changes what
 * is kept in the end.
 */
void near_names_offer(struct near_names *near, const char *name, const char *what);

/* The same, and what is kept is FOLDER:NAME, if the folder is not NULL, of the first of several. */
void near_names_offer_in(struct near_names *near, const char *folder, const char *name,
			 const char *what);

/* "; near task_strct are struct task_struct, struct task_group", or nothing. */
void near_names_add_text(struct text *out, const struct near_names *near);

/* Keeps a name as near as said. */
void near_names_add(struct near_names *near, const char *name, const char *what,
		    uint32_t distance);
void near_names_release(struct near_names *near);

#endif
