/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * '?' in place of control characters: a name from a file must forge neither a column nor a line,
 * nor send commands to a terminal.
 */
#ifndef BTFENC_BASE_TEXT_CLEAN_H
#define BTFENC_BASE_TEXT_CLEAN_H

#include <stddef.h>

static inline char text_clean_char(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f ? '?' : c;
}

static inline void text_clean(char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = text_clean_char(bytes[i]);
}

#endif
