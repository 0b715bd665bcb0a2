/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Bitfields: signed, unsigned, bool, enum and 64-bit ones, ones that end exactly at and ones that
 * cross a storage unit (only possible when packed), zero-width separators, nameless padding,
 * bitfields in unions and in nested anonymous structs. DWARF 2 to 4 describe them by
 * DW_AT_bit_offset, counted from the most significant bit of a storage unit, DWARF 5 by
 * DW_AT_data_bit_offset; but GCC 12 keeps the old way in DWARF 5 for the members of unions.
 */
#include "kernel.h"

enum color { RED, GREEN, BLUE };

struct bits_plain {
	unsigned int a : 1;
	unsigned int b : 31;
	int c : 7;
	int d : 25;
	unsigned int : 5;
	unsigned int e : 3;
	unsigned int : 0;
	unsigned int f : 4;
	bool flag : 1;
	enum color color : 2;
	u8 byte : 3;
	s16 half : 9;
	char letter : 7;
};

struct bits_wide {
	u64 low : 33;
	u64 high : 31;
	s64 sign : 40;
	unsigned long rest : 24;
	u64 whole : 64;
};

struct bits_packed {
	u8 lead;
	u32 cross : 30;
	u16 straddle : 11;
	u64 far : 50;
	u8 tail;
} __packed;

struct bits_mixed {
	u8 first;
	u32 second : 4;
	u16 third;
	u32 fourth : 20;
	struct {
		u8 x : 2, y : 6;
		union {
			u16 low : 12;
			u16 full;
		};
	};
};

/*
 * A packed enum after bitfields, at the very end: with kind_flag set the kernel takes an enum
 * without bits for one of 32 and says that it ends past the struct.
 */
enum bits_level { LEVEL_LOW, LEVEL_HIGH } __packed;

struct bits_then_enum {
	u32 flags : 3;
	u32 more : 5;
	enum bits_level level;
	enum bits_level last;
};

union bits_union {
	u32 word;
	u32 nibble : 4;
	s32 sign : 5;
	struct {
		u32 lo : 16;
		u32 hi : 16;
	};
};

typedef u32 flag_word;

struct bits_typedef {
	flag_word one : 1;
	const flag_word two : 2;
	volatile gfp_t three : 13;
};

__visible struct bits_plain bits_plain_global;
__visible struct bits_wide bits_wide_global;

__visible int bits_sum(const struct bits_plain *p, const struct bits_packed *q, union bits_union u)
{
	return p->a + p->c + p->color + (int)q->cross + (int)q->straddle + u.sign;
}

__visible noinline void bits_set_level(struct bits_then_enum *p, enum bits_level level)
{
	p->last = level;
}

__visible u64 bits_wide_get(struct bits_wide *w, struct bits_mixed *m, struct bits_typedef *t)
{
	t->three = m->fourth;
	return w->low + w->high + m->low;
}
