/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * '?' in place of control characters: a name from a file must forge neither a column nor a line,
 * nor send commands to a terminal, nor turn the text around it. Those of C1 have two bytes in
 * UTF-8, from c2 80 to c2 9f; marks of direction, and two that end lines, two or three (U+061C,
 * U+200E, U+200F, U+2028 to U+202E, U+2066 to U+2069). The last byte is replaced.
 */
#ifndef BTFENC_BASE_TEXT_CLEAN_H
#define BTFENC_BASE_TEXT_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* What is shown for a byte, by those before it. */
static inline char text_clean_at(const char *bytes, size_t i)
{
	unsigned char byte = (unsigned char)bytes[i];
	unsigned char before = i > 0 ? (unsigned char)bytes[i - 1] : 0;
	unsigned char first = i > 1 ? (unsigned char)bytes[i - 2] : 0;
	bool is_bad = byte == 0x7f;

	if (byte >= 0x20 && byte < 0x7f)
		return bytes[i];
	if (before == 0xc2)
		is_bad |= byte >= 0x80 && byte < 0xa0;
	else if (before == 0xd8)
		is_bad |= byte == 0x9c;
	else if (first == 0xe2 && before == 0x80)
		is_bad |= byte == 0x8e || byte == 0x8f || (byte >= 0xa8 && byte <= 0xae);
	else if (first == 0xe2 && before == 0x81)
		is_bad |= byte >= 0xa6 && byte <= 0xa9;
	return byte < 0x20 || is_bad ? '?' : bytes[i];
}

static inline void text_clean(char *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++)
		bytes[i] = text_clean_at(bytes, i);
}

#endif
