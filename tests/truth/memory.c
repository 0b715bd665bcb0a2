/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Functions that compilers call on their own. Built without debug information and without LTO. */
typedef __SIZE_TYPE__ size_t;

void *memmove(void *to, const void *from, size_t size)
{
	char *target = to;
	const char *source = from;

	if (target <= source) {
		for (size_t i = 0; i < size; i++)
			target[i] = source[i];
	} else {
		while (size--)
			target[size] = source[size];
	}
	return to;
}

void *memcpy(void *to, const void *from, size_t size)
{
	return memmove(to, from, size);
}

void *memset(void *to, int byte, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = (char)byte;
	return to;
}

int memcmp(const void *one, const void *other, size_t size)
{
	const unsigned char *left = one, *right = other;

	for (size_t i = 0; i < size; i++) {
		if (left[i] != right[i])
			return left[i] < right[i] ? -1 : 1;
	}
	return 0;
}
