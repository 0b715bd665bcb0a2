/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * '?' in place of control characters: a name from a file must forge neither a column nor a line,
 * nor send commands to a terminal. Those of C1 have two bytes in UTF-8, from c2 80 to c2 9f; the
 * second is replaced.
 */
#ifndef BTFENC_BASE_TEXT_CLEAN_H
#define BTFENC_BASE_TEXT_CLEAN_H

#include <stddef.h>

/* `before` is the byte before it, NUL at the beginning. */
static inline char text_clean_char(char before, char c)
{
	unsigned char byte = (unsigned char)c;

	return byte < 0x20 || byte == 0x7f ||
	       ((unsigned char)before == 0xc2 && byte >= 0x80 && byte < 0xa0) ? '?' : c;
}

static inline void text_clean(char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = text_clean_char(i ? bytes[i - 1] : '\0', bytes[i]);
}

#endif
