/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Traps of +true_signature: which prototype does a function have once its compiler has changed
 * it? GCC 12 makes copies, clang changes the function under its name. What the code does, GCC
 * first:
 *
 *	true_kept()		nothing to gain: (item, limit), no copy
 *	true_member()		.isra.0: %edi is item->value (`mov (%r10),%edi` at the call). The
 *				type is another one, so it must not be `const struct true_item
 *				*item`. Clang: at -O3 and LTO only
 *	true_only_member()	the same with no other parameter
 *	true_two_members()	the same twice: %edi, %esi, %edx are first->value, between,
 *				second->more
 *	true_middle()		.constprop.0(a, c)
 *	true_trailing()		.constprop.0(a, b): %edi and %esi, no call sets %edx
 *	true_constant()		.constprop.0(a, c): factor is 10 at each call
 *	true_aggregate()	.constprop.0(a, c): a two-register struct is gone, c is in %esi
 *	true_aggregate_big()	.constprop.0(a, c): a struct in memory is gone
 *	true_void()		.isra.0(a, b) returns nothing: `imul; mov; ret`, no multiplication
 *				by 11
 *	true_void_middle()	.constprop.0.isra.0(a, c) returns nothing
 *	true_not_void()		a caller uses the result: no copy
 */
#include "kernel.h"

struct true_item {
	u32 value, more;
	u64 reserved[4];
};

struct true_pair {
	u64 a, b;
};

struct true_big {
	u64 a, b, c, d;
};

__visible u64 true_sink;

/* Nothing to gain. */
static noinline u32 true_kept(const struct true_item *item, u32 limit)
{
	barrier();
	true_sink = limit;
	return item[limit].value + item->more;
}

/* The pointer is replaced by a member: no longer `const struct true_item *item`. */
static noinline u32 true_member(const struct true_item *item, u32 limit)
{
	u32 value = item->value;

	barrier();
	true_sink = value;
	return value * limit;
}

/* The same, and nothing else is passed. */
static noinline u32 true_only_member(const struct true_item *item)
{
	u32 value = item->value;

	barrier();
	true_sink = value;
	return value * 3;
}

/* The middle one is gone. */
static noinline u32 true_middle(u32 a, u32 unused, u32 c)
{
	barrier();
	true_sink = a;
	return a * c;
}

/* The last one is gone: what is left is where it was. */
static noinline u32 true_trailing(u32 a, u32 b, u32 unused)
{
	barrier();
	true_sink = a;
	return a * b * 5;
}

/* A constant: gone, too. */
static noinline u32 true_constant(u32 a, u32 factor, u32 c)
{
	barrier();
	true_sink = a * factor;
	return c + (u32)true_sink + factor;
}

/* An aggregate of two registers, not read. */
static noinline u32 true_aggregate(u32 a, struct true_pair unused, u32 c)
{
	barrier();
	true_sink = a;
	return a * c * 7;
}

/* One in memory, not read. */
static noinline u32 true_aggregate_big(u32 a, struct true_big unused, u32 c)
{
	barrier();
	true_sink = a;
	return a * c * 9;
}

/* Its result is not used. */
static noinline u64 true_void(u64 a, u64 b)
{
	barrier();
	true_sink = a * b;
	return true_sink * 11;
}

/* The same and a parameter less. */
static noinline u64 true_void_middle(u64 a, u64 unused, u64 c)
{
	barrier();
	true_sink = a * c;
	return true_sink * 13;
}

/* Its result is used. */
static noinline u64 true_not_void(u64 a, u64 b)
{
	barrier();
	true_sink = a * b;
	return true_sink * 17;
}

/* Two members of two pointers. */
static noinline u32 true_two_members(const struct true_item *first, u32 between,
				     const struct true_item *second)
{
	u32 value = first->value, more = second->more;

	barrier();
	true_sink = value;
	return value * more + between;
}

__visible u32 true_run(struct true_item *x, struct true_item *y, u32 a, u32 b)
{
	struct true_pair pair = { a * 3, b }, other = { b * 5, a };
	struct true_big big = { a, b, a, b };
	u32 sum = true_kept(x, a) + true_kept(y, b) + true_member(x, a) + true_member(y, b);

	sum += true_only_member(x) + true_only_member(y);
	sum += true_middle(a, b, sum) + true_middle(b, sum, 3);
	sum += true_trailing(a, b, sum) + true_trailing(b, sum, 3);
	sum += true_constant(a, 10, sum) + true_constant(b, 10, a);
	sum += true_aggregate(a, pair, sum) + true_aggregate(b, other, 3);
	sum += true_aggregate_big(a, big, sum) + true_aggregate_big(b, big, 3);
	true_void(a, sum);
	true_void(sum, b);
	true_void_middle(a, b, sum);
	true_void_middle(sum, a, b);
	sum += (u32)true_not_void(a, sum) + (u32)true_not_void(sum, b);
	sum += true_two_members(x, a, y) + true_two_members(y, sum, x);
	return sum;
}
