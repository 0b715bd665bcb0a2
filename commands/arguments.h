/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What the command lines of several commands have in common. */
#ifndef BTFENC_COMMANDS_ARGUMENTS_H
#define BTFENC_COMMANDS_ARGUMENTS_H

#include <stdbool.h>

#include "encoder/encode.h"

#define ARGUMENTS_MAX_JOBS 256

/* Options without a letter of their own: getopt's values begin behind this one. */
enum { ARGUMENT_FEATURES = 256, ARGUMENTS_OWN };

/* Prints the line of a usage error; `what` goes into the format's %s. Returns EXIT_USAGE. */
__attribute__((format(printf, 2, 0)))
int arguments_usage_error(const char *command, const char *format, const char *what);

/*
 * An option that is not the command's own: -j, --features, or none at all (getopt's ':' and '?').
 * Returns an exit status, or -1 to go on.
 */
int arguments_common(const char *command, int option, char **argv, struct encode_options *options);

/* A number of threads, 0 to ARGUMENTS_MAX_JOBS; false when the text is none. */
bool arguments_parse_jobs(const char *text, unsigned int *jobs);

/* Do two paths lead to one file that exists? */
bool arguments_same_file(const char *a, const char *b);

#endif
