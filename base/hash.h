/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Hashing of short word sequences and of strings, for in-memory tables only: no output depends on
 * a hash value, so the functions may change and tests may weaken them (hash_mask).
 */
#ifndef BTFENC_BASE_HASH_H
#define BTFENC_BASE_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Tests set it to a small mask so that nearly everything collides; normally all ones. */
extern uint32_t hash_mask;

#define HASH_ODD UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t hash_mix(uint64_t a, uint64_t b)
{
	__uint128_t product = (__uint128_t)(a ^ HASH_ODD) * (b ^ 0xd6e8feb86659fd93u);

	return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint32_t hash_finish(uint64_t h)
{
	return (uint32_t)(h ^ h >> 32) & hash_mask;
}

/* `count` 32-bit words; two multiplications for four words. */
static inline uint32_t hash_words(const uint32_t *words, size_t count)
{
	uint64_t h = count;

	for (; count >= 4; count -= 4, words += 4) {
		uint64_t a, b;

		memcpy(&a, words, 8);
		memcpy(&b, words + 2, 8);
		h = hash_mix(h ^ a, b);
	}
	if (count & 2) {
		uint64_t a;

		memcpy(&a, words, 8);
		h = hash_mix(h, a);
		words += 2;
	}
	if (count & 1)
		h = hash_mix(h, *words);
	return hash_finish(hash_mix(h, 0x2545f4914f6cdd1du));
}

/* Fewer than eight; some are taken twice, which is faster than a loop. */
static inline uint64_t hash_load_short(const char *bytes, size_t length)
{
	uint32_t first, last;

	if (length < 4)
		return length ? (uint64_t)(uint8_t)bytes[0] << 16 |
				(uint64_t)(uint8_t)bytes[length / 2] << 8 |
				(uint8_t)bytes[length - 1] : 0;
	memcpy(&first, bytes, sizeof(first));
	memcpy(&last, bytes + length - sizeof(last), sizeof(last));
	return (uint64_t)first << 32 | last;
}

static inline uint32_t hash_bytes(const char *bytes, size_t length)
{
	uint64_t h = length;
	uint64_t word;

	if (length < sizeof(word))
		return hash_finish(hash_mix(h, hash_load_short(bytes, length)));
	for (; length > sizeof(word); length -= sizeof(word), bytes += sizeof(word)) {
		memcpy(&word, bytes, sizeof(word));
		h = hash_mix(h, word);
	}
	/* Together with bytes before, so that it is a whole word. */
	memcpy(&word, bytes + length - sizeof(word), sizeof(word));
	return hash_finish(hash_mix(h, word));
}

/* One-to-one: equal hashes are equal numbers, and nothing has to be compared. Never masked. */
static inline uint32_t hash_number(uint32_t number)
{
	number *= 0x9e3779b1u;
	return number ^ number >> 16;
}

#endif
