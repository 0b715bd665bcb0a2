/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Functions that compilers call on their own, even in freestanding code.
 */
#include "kernel.h"

__visible void *memcpy(void *to, const void *from, size_t count)
{
	u8 *t = to;
	const u8 *f = from;

	while (count--)
		*t++ = *f++;
	return to;
}

__visible void *memset(void *to, int value, size_t count)
{
	u8 *t = to;

	while (count--)
		*t++ = (u8)value;
	return to;
}

__visible int memcmp(const void *a, const void *b, size_t count)
{
	const u8 *x = a, *y = b;

	for (; count; count--, x++, y++)
		if (*x != *y)
			return *x - *y;
	return 0;
}
