/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

struct pair {
	u64 first, second;
};

/* What is before that to which the pointer points. */
static NOINLINE int set_first(u64 *second)
{
	((struct pair *)((char *)second - sizeof(u64)))->first = get_random();
	return 0;
}

PROGRAM container(void *context)
{
	volatile struct pair pair = { 0, 1 };

	set_first((u64 *)&pair.second);
	return pair.first ? read_nope() : 0;
}

struct given {
	u64 *found;
};

static int find(u32 i, struct given *given)
{
	*given->found = 1;
	return 0;
}

PROGRAM callback(void *context)
{
	volatile u64 found = 0;
	struct given given;

	given.found = (u64 *)&found;
	asm volatile("" : : "r"(&given) : "memory");
	loop(3, find, &given, 0);
	return found ? read_nope() : 0;
}

PROGRAM by_index(void *context)
{
	volatile u64 array[4] = { 0 };

	array[get_random() & 3] = 1;
	return array[1] ? read_nope() : 0;
}

PROGRAM one_of_two(void *context)
{
	volatile u64 a = 0, b = 0, *chosen = get_random() & 1 ? &a : &b;

	HIDE(chosen);
	*chosen = 1;
	return a ? read_nope() : 0;
}

PROGRAM spilled(void *context)
{
	volatile u64 value = 0;

	get_random();
	return value ? read_nope() : 0;
}

PROGRAM half_a_slot(void *context)
{
	volatile struct { u32 low, high; } both = { 0, 0 };

	both.high = get_random();
	return both.low ? read_nope() : 0;
}
