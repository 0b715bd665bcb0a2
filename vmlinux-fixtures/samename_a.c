/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Same names, different things, first unit; samename_b.c is the second. These collide:
 *
 *	struct inner		different members, inside identical struct outer and struct middle
 *	struct two_arrays	int b[2] here, unsigned int b[2] there: same size, same offsets
 *	enum level		different values
 *	handle_t, cookie_t	typedefs of different types
 *	compute()		static functions with the same prototype
 *	convert()		static functions with different prototypes
 *	tally()			static functions with the same types but different parameter names
 */
#include "kernel.h"
#include "samename.h"

struct inner {
	int id;
	struct outer *owner;
};

struct two_arrays {
	int a[2];
	int b[2];
};

struct two_arrays_user {
	struct two_arrays *arrays;
	struct two_arrays_user *next;
};

enum level { LEVEL_LOW, LEVEL_HIGH };

typedef int handle_t;
typedef struct inner *cookie_t;

struct handle_user {
	handle_t handle;
	cookie_t cookie;
	enum level level;
};

static noinline int compute(int value, int scale)
{
	barrier();
	return value * scale + 1;
}

static noinline int convert(struct inner *inner, int base)
{
	barrier();
	return inner->id * base;
}

static noinline int tally(int first, int second)
{
	barrier();
	return first - second;
}

__visible struct outer *outer_a;
__visible struct outer_shared *shared_a;

__visible int two_arrays_a(const struct two_arrays_user *user)
{
	return user->arrays->b[1] < -1;
}

__visible int samename_a_run(int value)
{
	struct inner inner = { .id = value };
	struct handle_user user = { .handle = value, .cookie = hide_pointer(&inner) };

	return compute(value, value + 2) + convert(user.cookie, value) + tally(value, 3) +
	       compute(3, value) + convert(&inner, 7) + tally(4, value) +
	       outer_a->middles[0]->count;
}
