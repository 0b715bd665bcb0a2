/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Struct layout: packed, aligned (whole types and single members), both together, empty structs
 * as members, unions that hold structs by value, a struct of more than 300 members, one of more
 * than 64 KiB, and one whose last members lie past 2^16 bits.
 */
#include "kernel.h"

struct packed {
	u8 a;
	u32 b;
	u64 c;
	u16 d;
} __packed;

struct aligned {
	u8 a;
	u32 b __aligned(16);
	struct packed inner;
} __aligned(64);

struct packed_aligned {
	u8 a;
	u32 b;
} __packed __aligned(2);

struct with_empty {
	struct lock_class_key before;
	int value;
	struct lock_class_key keys[3];
	struct {
	} after;
};

union by_value {
	struct packed packed;
	struct {
		u64 one;
		union {
			u32 two;
			float two_float;
		} both;
	} parts;
	void (*call)(union by_value *self);
	u8 bytes[24];
};

/* 8 * 8 * 8 = 512 members with names reg_000 to reg_777. */
#define REG1(n)	 u32 reg_##n;
#define REG4(n)	 REG1(n##0) REG1(n##1) REG1(n##2) REG1(n##3)
#define REG8(n)	 REG4(n) REG1(n##4) REG1(n##5) REG1(n##6) REG1(n##7)
#define REG32(n) REG8(n##0) REG8(n##1) REG8(n##2) REG8(n##3)
#define REG64(n) REG32(n) REG8(n##4) REG8(n##5) REG8(n##6) REG8(n##7)

struct many_members {
	REG64(0) REG64(1) REG64(2) REG64(3) REG64(4) REG64(5) REG64(6) REG64(7)
};

struct large {
	u8 pages[20][4096];
	u32 after_pages : 9;
	u32 tail;
};

__visible struct aligned aligned_global;
__visible union by_value by_value_global;

__visible u32 layout_sum(struct packed *p, struct packed_aligned *pa, struct with_empty *e,
			 struct large *l)
{
	return p->b + pa->b + (u32)e->value + l->tail + l->after_pages;
}

__visible u32 layout_last(const struct many_members *m)
{
	return m->reg_000 + m->reg_777;
}
