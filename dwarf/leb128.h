/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * LEB128 numbers (DWARF 5 section 7.6) with a bound: reading past `end` or more than ten bytes
 * returns NULL; otherwise the position after the number.
 */
#ifndef BTFENC_DWARF_LEB128_H
#define BTFENC_DWARF_LEB128_H

#include <stddef.h>
#include <stdint.h>

static inline const uint8_t *leb128_unsigned(const uint8_t *p, const uint8_t *end, uint64_t *value)
{
	uint64_t result = 0;

	if (__builtin_expect(p < end && !(*p & 0x80), 1)) {
		*value = *p;
		return p + 1;
	}
	for (unsigned int shift = 0; p < end && shift < 70; shift += 7) {
		uint8_t byte = *p++;

		if (shift < 64)
			result |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*value = result;
			return p;
		}
	}
	return NULL;
}

static inline const uint8_t *leb128_signed(const uint8_t *p, const uint8_t *end, int64_t *value)
{
	uint64_t result = 0;

	for (unsigned int shift = 0; p < end && shift < 70; ) {
		uint8_t byte = *p++;

		if (shift < 64)
			result |= (uint64_t)(byte & 0x7f) << shift;
		shift += 7;
		if (!(byte & 0x80)) {
			if (shift < 64 && byte & 0x40)
				result |= UINT64_MAX << shift;
			*value = (int64_t)result;
			return p;
		}
	}
	return NULL;
}

static inline const uint8_t *leb128_skip(const uint8_t *p, const uint8_t *end)
{
	while (p < end) {
		if (!(*p++ & 0x80))
			return p;
	}
	return NULL;
}

#endif
