/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

const volatile int chosen = 0;

PROGRAM absent_enumerator(void *context)
{
	get_time();
	return enumerator_exists(enum bpf_func_id, BPF_FUNC_nope) ? read_nope() : 0;
}

/* R0 has nothing to do with it. */
PROGRAM present_enumerator(void *context)
{
	asm volatile("r0 = 0" ::: "r0");
	return enumerator_exists(enum bpf_func_id, BPF_FUNC_trace_printk) ? read_nope() : 0;
}

static NOINLINE int mode(void)
{
	return chosen ? 1 : 2;
}

PROGRAM loader_chooses(void *context)
{
	return mode() == 1 ? read_nope() : 0;
}

PROGRAM anything_and_zero(void *context)
{
	u64 have = HAS_NOPE, value = get_random();

	asm volatile("%0 &= %1" : "+r"(value) : "r"(have));
	return value ? read_nope() : 0;
}

PROGRAM anything_and_chosen(void *context)
{
	u64 value = get_random();

	HIDE(value);
	value &= chosen;
	return value ? read_nope() : 0;
}

PROGRAM anything_and_one(void *context)
{
	u64 value = get_random();

	HIDE(value);
	value &= 1;
	return value ? read_nope() : 0;
}

PROGRAM out_of_range(void *context)
{
	u64 value = get_random() & 7;

	HIDE(value);
	return value > 8 ? read_nope() : 0;
}

PROGRAM compared_before(void *context)
{
	u64 value = get_random();

	HIDE(value);
	if (value < 100)
		return 0;
	HIDE(value);
	return value == 3 ? read_nope() : 0;
}

static NOINLINE int read_if(u64 which)
{
	return which == 1 ? read_nope() : (int)get_time();
}

PROGRAM by_argument(void *context)
{
	return HAS_NOPE ? read_if(1) : read_if(0) + read_if(2);
}

static NOINLINE u64 same(u64 value)
{
	return value;
}

PROGRAM called_twice(void *context)
{
	get_time();
	return same(0) ? read_nope() : (int)same(1);
}

PROGRAM after_a_loop(void *context)
{
	u64 sum = 0;

	for (int i = 0; i < 5; i++) {
		sum += get_random();
		HIDE(sum);
	}
	return sum ? read_nope() : 0;
}

PROGRAM in_a_loop(void *context)
{
	for (int i = 0; i < 5; i++) {
		u64 k = (u64)i + (get_random() & 1);

		HIDE(k);
		if (k == 9)
			return read_nope();
	}
	return 0;
}

PROGRAM either_way(void *context)
{
	u64 value = 0;

	if (get_random() > 5)
		value = 1;
	HIDE(value);
	return value ? read_nope() : 0;
}
