/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* LEB128 numbers: values, lengths, and the bound that none may read past. */
#include "tests/cmocka_all.h"

#include <stdlib.h>
#include <string.h>

#include "dwarf/byte_cursor.h"
#include "tests/dwarf_blob.h"

static const struct {
	const char *bytes;
	size_t count;
	uint64_t as_unsigned;
	int64_t as_signed;
} rows[] = {
	{ "\x00", 1, 0, 0 },
	{ "\x01", 1, 1, 1 },
	{ "\x3f", 1, 63, 63 },
	{ "\x40", 1, 64, -64 },
	{ "\x7f", 1, 127, -1 },
	{ "\x80\x01", 2, 128, 128 },
	{ "\xff\x00", 2, 127, 127 },
	{ "\x80\x00", 2, 0, 0 },		/* padded */
	{ "\x80\x7f", 2, 16256, -128 },
	{ "\xe5\x8e\x26", 3, 624485, 624485 },
	{ "\xff\xff\xff\xff\x0f", 5, UINT32_MAX, UINT32_MAX },
	{ "\x80\x80\x80\x80\x78", 5, UINT64_C(0x780000000), -INT64_C(0x80000000) },
	{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10, UINT64_MAX, -1 },
	{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x7f", 10, UINT64_MAX, -1 },
	{ "\x80\x80\x80\x80\x80\x80\x80\x80\x80\x7f", 10, UINT64_C(1) << 63, INT64_MIN },
};

TEST(test_values)
{
	for (size_t i = 0; i < LENGTH(rows); i++) {
		const uint8_t *p = (const uint8_t *)rows[i].bytes;
		uint64_t u = 0;
		int64_t s = 0;

		assert_ptr_equal(leb128_unsigned(p, p + rows[i].count, &u), p + rows[i].count);
		assert_true(u == rows[i].as_unsigned);
		assert_ptr_equal(leb128_signed(p, p + rows[i].count, &s), p + rows[i].count);
		assert_true(s == rows[i].as_signed);
		assert_ptr_equal(leb128_skip(p, p + rows[i].count), p + rows[i].count);
	}
}

TEST(test_truncated)
{
	for (size_t i = 0; i < LENGTH(rows); i++) {
		for (size_t cut = 0; cut < rows[i].count; cut++) {
			/* On the heap, where a sanitizer sees a read past its end. */
			uint8_t *p = memory_alloc(cut);
			uint64_t u;
			int64_t s;

			memcpy(p, rows[i].bytes, cut);
			assert_null(leb128_unsigned(p, p + cut, &u));
			assert_null(leb128_signed(p, p + cut, &s));
			assert_null(leb128_skip(p, p + cut));
			free(p);
		}
	}
}

TEST(test_too_long)
{
	uint8_t p[16];
	uint64_t u;
	int64_t s;

	memset(p, 0x80, sizeof(p));
	p[15] = 0;
	assert_null(leb128_unsigned(p, p + sizeof(p), &u));
	assert_null(leb128_signed(p, p + sizeof(p), &s));
	/* Skipping needs no value: any length will do. */
	assert_ptr_equal(leb128_skip(p, p + sizeof(p)), p + sizeof(p));
}

TEST(test_round_trip)
{
	for (unsigned int shift = 0; shift < 64; shift++) {
		for (int delta = -1; delta <= 1; delta++) {
			uint64_t value = (UINT64_C(1) << shift) + (uint64_t)(int64_t)delta;
			blob_bytes bytes = { 0 };
			uint64_t u;
			int64_t s;

			blob_put_uleb(&bytes, value);
			assert_ptr_equal(leb128_unsigned(bytes.data, bytes.data + bytes.count, &u),
					 bytes.data + bytes.count);
			assert_true(u == value);
			bytes.count = 0;
			blob_put_sleb(&bytes, (int64_t)value);
			assert_ptr_equal(leb128_signed(bytes.data, bytes.data + bytes.count, &s),
					 bytes.data + bytes.count);
			assert_true(s == (int64_t)value);
			array_release(&bytes);
		}
	}
}
