/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Enums: unsigned, signed, with values that need 64 bits (ENUM64, signed and unsigned), packed
 * into one and two bytes, of only one value, with duplicate values, and as a member, a parameter
 * and an array.
 */
#include "kernel.h"

enum plain { PLAIN_A, PLAIN_B = 10, PLAIN_C, PLAIN_ALIAS = 10 };
enum minus { MINUS_ONE = -1, MINUS_BIG = -2147483647 - 1, MINUS_MAX = 2147483647 };
enum full_unsigned { FULL_ZERO, FULL_TOP = 0xffffffffu };
enum wide_unsigned { WIDE_ONE = 1, WIDE_BIT40 = 1ull << 40, WIDE_TOP = 0xffffffffffffffffull };
enum wide_signed {
	WIDE_MINUS = -1,
	WIDE_MIN = -0x7fffffffffffffffll - 1,
	WIDE_MAX = 0x7fffffffffffffffll
};
enum single { SINGLE };
enum tiny { TINY_A, TINY_B = 255 } __packed;
enum tiny_signed { TINY_MINUS = -128, TINY_PLUS = 127 } __packed;
enum small { SMALL_A, SMALL_B = 256 } __packed;

typedef enum tiny tiny_t;

struct enums {
	enum plain plain;
	enum minus minus;
	enum wide_unsigned wide;
	enum tiny tiny;
	tiny_t tinies[3];
	enum small small;
	const enum single *single;
};

__visible struct enums enums_global;

__visible enum minus enum_pick(enum plain plain, enum full_unsigned full, enum tiny tiny)
{
	if (plain == PLAIN_C || full == FULL_TOP)
		return MINUS_BIG;
	return tiny == TINY_B ? MINUS_MAX : MINUS_ONE;
}

__visible enum wide_unsigned enum_wide(enum wide_signed value, enum tiny_signed *small)
{
	*small = TINY_MINUS;
	return value == WIDE_MIN ? WIDE_TOP : WIDE_BIT40;
}
