/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A position in bytes of a section, with a bound. A number that is not wholly there poisons the
 * cursor: it and all that follow are 0, so that one test of is_bad after them is enough.
 */
#ifndef BTFENC_DWARF_BYTE_CURSOR_H
#define BTFENC_DWARF_BYTE_CURSOR_H

#include "base/bytes.h"
#include "dwarf/leb128.h"

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
	else
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
