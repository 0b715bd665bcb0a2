/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A position in bytes of a section, with a bound. A number that is not wholly there poisons the
 * cursor: it and all that follow are 0, so that one test of is_bad after them is enough.
 */
#ifndef BTFENC_DWARF_BYTE_CURSOR_H
#define BTFENC_DWARF_BYTE_CURSOR_H

#include "base/bytes.h"

/*
 * LEB128 numbers (DWARF 5 section 7.6): reading past `end` or more than ten bytes returns NULL;
 * otherwise the position after the number.
 */
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

struct byte_cursor {
	const uint8_t *p;
	const uint8_t *end;
	bool swap;
	bool is_bad;
};

struct byte_range {
	const uint8_t *begin;
	const uint8_t *end;
};

static inline void cursor_poison(struct byte_cursor *cursor)
{
	cursor->p = cursor->end;
	cursor->is_bad = true;
}

static inline void cursor_skip(struct byte_cursor *cursor, uint64_t bytes)
{
	if (bytes > (uint64_t)(cursor->end - cursor->p))
		cursor_poison(cursor);
	else if (bytes)		/* a section that is not there begins at NULL */
		cursor->p += bytes;
}

/* Of 1, 2, 4 or 8 bytes. */
static inline uint64_t cursor_number(struct byte_cursor *cursor, uint8_t bytes)
{
	const uint8_t *p = cursor->p;

	cursor_skip(cursor, bytes);
	if (cursor->is_bad)
		return 0;
	switch (bytes) {
	case 1: return *p;
	case 2: return bytes_load_u16(p, cursor->swap);
	case 4: return bytes_load_u32(p, cursor->swap);
	default: return bytes_load_u64(p, cursor->swap);
	}
}

/* The initial length of a unit, line table, CIE or FDE; *offset_bytes is 4, or 8 (64-bit DWARF). */
static inline uint64_t cursor_initial_length(struct byte_cursor *cursor, uint8_t *offset_bytes)
{
	uint64_t length = cursor_number(cursor, 4);

	*offset_bytes = length == UINT32_MAX ? 8 : 4;
	return *offset_bytes == 8 ? cursor_number(cursor, 8) : length;
}

static inline uint64_t cursor_uleb(struct byte_cursor *cursor)
{
	uint64_t value = 0;
	const uint8_t *next = leb128_unsigned(cursor->p, cursor->end, &value);

	if (next)
		cursor->p = next;
	else
		cursor_poison(cursor);
	return value;
}

static inline int64_t cursor_sleb(struct byte_cursor *cursor)
{
	int64_t value = 0;
	const uint8_t *next = leb128_signed(cursor->p, cursor->end, &value);

	if (next)
		cursor->p = next;
	else
		cursor_poison(cursor);
	return value;
}

/* The bytes after a length field of `length_bytes` bytes, 0: LEB128. */
static inline struct byte_range cursor_block(struct byte_cursor *cursor, uint8_t length_bytes)
{
	uint64_t length = length_bytes ? cursor_number(cursor, length_bytes) : cursor_uleb(cursor);
	const uint8_t *begin = cursor->p;

	cursor_skip(cursor, length);
	return (struct byte_range){ begin, cursor->p };
}

#endif
