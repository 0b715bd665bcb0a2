/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * '?' in place of each byte of control characters and of what is no UTF-8: a name from a file
 * must forge neither a column nor a line, nor send commands to a terminal, nor turn the text around
 * it. A terminal may take a byte from 80 to 9f that is in no character for a control character.
 */
#ifndef BTFENC_BASE_TEXT_CLEAN_H
#define BTFENC_BASE_TEXT_CLEAN_H

#include <stddef.h>
#include <stdint.h>

/* How many bytes the first character has; 0: it is not to be shown. */
static inline size_t text_clean_length(const char *bytes, size_t count)
{
	static const uint32_t least[5] = { 0, 0, 0x80, 0x800, 0x10000 };
	unsigned char lead = (unsigned char)*bytes;
	size_t length = lead < 0xc0 ? 0 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : lead < 0xf8 ? 4 : 0;
	uint32_t code = lead & (0x7fu >> length);

	if (lead < 0x80)
		return lead >= 0x20 && lead != 0x7f;
	if (!length || length > count)
		return 0;
	for (size_t i = 1; i < length; i++) {
		if (((unsigned char)bytes[i] & 0xc0) != 0x80)
			return 0;
		code = code << 6 | ((unsigned char)bytes[i] & 0x3f);
	}
	/* C1; halves of characters; marks of direction, and two that end lines. */
	return code < least[length] || code < 0xa0 || code > 0x10ffff || code >> 11 == 0x1b ||
			       code == 0x61c || code == 0x200e || code == 0x200f ||
			       (code >= 0x2028 && code <= 0x202e) ||
			       (code >= 0x2066 && code <= 0x2069)
		       ? 0 : length;
}

/* What is shown for byte i, asked in turn; *end, 0 at first: of the character that it is in. */
static inline char text_clean_at(const char *bytes, size_t count, size_t i, size_t *end)
{
	if (i >= *end)
		*end = i + text_clean_length(bytes + i, count - i);
	return i < *end ? bytes[i] : '?';
}

static inline void text_clean(char *bytes, size_t count)
{
	size_t end = 0;

	for (size_t i = 0; i < count; i++)
		bytes[i] = text_clean_at(bytes, count, i, &end);
}

#endif
