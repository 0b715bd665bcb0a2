/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Same names, different things, second unit: see samename_a.c for the list.
 */
#include "kernel.h"
#include "samename.h"

struct inner {
	const char *name;
	struct outer *owner;
	u64 stamp;
};

struct two_arrays {
	int a[2];
	unsigned int b[2];
};

struct two_arrays_user {
	struct two_arrays *arrays;
	struct two_arrays_user *next;
};

enum level { LEVEL_LOW = 1, LEVEL_HIGH = 9 };

typedef unsigned long handle_t;
typedef const struct inner *cookie_t;

struct handle_user {
	handle_t handle;
	cookie_t cookie;
	enum level level;
};

static noinline int compute(int value, int scale)
{
	barrier();
	return value + scale * 5;
}

static noinline u64 convert(const char *name, u64 stamp, const struct inner *inner)
{
	barrier();
	return (u64)name[0] + stamp + inner->stamp;
}

static noinline int tally(int left, int right)
{
	barrier();
	return left + 2 * right;
}

__visible struct outer *outer_b;
__visible struct outer_shared *shared_b;

__visible int two_arrays_b(const struct two_arrays_user *user)
{
	return user->arrays->b[1] < 7;
}

__visible int samename_b_run(int value)
{
	struct inner inner = { .name = "b", .stamp = 8 };
	struct handle_user user = { .handle = 4, .cookie = hide_pointer(&inner) };

	return compute(value, value + 2) + (int)convert("b", (u64)value, user.cookie) +
	       tally(value, 3) + compute(3, value) + (int)convert("c", 2, &inner) +
	       tally(4, value) + outer_b->middles[0]->count + (user.level == LEVEL_HIGH);
}
