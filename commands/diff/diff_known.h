/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Functions that are known by their names. */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_KNOWN_H
#define BTFENC_COMMANDS_DIFF_DIFF_KNOWN_H

#include <stdbool.h>
#include <stdint.h>

/* By a tool that many use. */
bool diff_is_traced(const char *name);

/* `file` is the base name of its source, or NULL. */
bool diff_is_test(const char *name, const char *file);

#endif
