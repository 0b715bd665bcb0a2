/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Strings that are printed into. What text_end() and text_of() return is the caller's to free. */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_BUFFER_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_BUFFER_H

#include <stdio.h>

#include "base/memory.h"

struct text_buffer {
	FILE *stream;
	char *data;
	size_t size;
};

FILE *text_begin(struct text_buffer *buffer);
char *text_end(struct text_buffer *buffer);
__attribute__((format(printf, 1, 2)))
char *text_of(const char *format, ...);

#endif
