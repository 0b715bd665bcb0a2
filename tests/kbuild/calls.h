/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* System calls of ours, and which values they bring to which parameters of which functions. */
#ifndef BTFENC_TESTS_KBUILD_CALLS_H
#define BTFENC_TESTS_KBUILD_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct expectation {
	void (*call)(void);
	const char *function, *parameter;
	uint64_t value;
};

extern const struct expectation expectations[];
extern const size_t expectation_count;

/* The same of what scripts are made for, at last all of module/inlined.c, which has no FUNCs. */
extern const struct expectation script_expectations[];
extern const size_t script_expectation_count;

/* PATH is a file on ext4. False: it cannot be opened. */
bool calls_begin(const char *path);

#endif
