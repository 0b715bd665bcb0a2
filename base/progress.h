/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A line on standard error, if it is a terminal, for whoever waits for more than a second: what is
 * being done, and how much of it is done. It is removed when it ends, and before any other line is
 * printed there.
 */
#ifndef BTFENC_BASE_PROGRESS_H
#define BTFENC_BASE_PROGRESS_H

#include <stdint.h>

/*
 * Between the two nothing is to be printed on standard output, which may be the same terminal.
 * `what` is done ("reading"), and it is counted in `noun`s ("units"); both are borrowed.
 */
void progress_begin(const char *what, const char *noun);
void progress_end(void);

/* So many more are to be done, or have been done. Other nouns than progress_begin()'s do not count. */
void progress_expect(const char *noun, uint32_t count);
void progress_done(const char *noun, uint32_t count);

/* Removes the line; it comes again if the work goes on. */
void progress_hide(void);

#endif
