/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Arguments that several commands take. */
#ifndef BTFENC_ENCODER_ARGUMENTS_H
#define BTFENC_ENCODER_ARGUMENTS_H

#include <stdbool.h>

#define ARGUMENTS_MAX_JOBS 256

/* A number of threads, 0 to ARGUMENTS_MAX_JOBS; false when the text is none. */
bool arguments_parse_jobs(const char *text, unsigned int *jobs);

/* Do two paths lead to one file that exists? */
bool arguments_same_file(const char *a, const char *b);

#endif
