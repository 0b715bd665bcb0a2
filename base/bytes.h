/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Unaligned loads and stores of integers in the file's byte order.
 *
 * `swap` is true when the file's byte order is not the host's. It is loop-invariant everywhere it
 * is used, so the branch costs nothing measurable.
 */
#ifndef BTFENC_BASE_BYTES_H
#define BTFENC_BASE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define HOST_IS_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

static inline uint16_t bytes_load_u16(const uint8_t *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t bytes_load_u32(const uint8_t *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t bytes_load_u64(const uint8_t *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* Numbers of up to 8 bytes, in either byte order. */
static inline uint64_t bytes_load_number(const uint8_t *p, size_t bytes, bool big_endian)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value = value << 8 | p[big_endian ? i : bytes - 1 - i];
	return value;
}

static inline void bytes_store_number(uint8_t *p, size_t bytes, bool big_endian, uint64_t value)
{
	for (size_t i = 0; i < bytes; i++, value >>= 8)
		p[big_endian ? bytes - 1 - i : i] = (uint8_t)value;
}

static inline uint32_t bytes_order_u32(uint32_t v, bool swap)
{
	return swap ? __builtin_bswap32(v) : v;
}

#endif
