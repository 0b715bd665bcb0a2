/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Traps of structs by value, in parameters and results, and of recursion.
 *
 *	record_both()			accepted: both halves of a two-register struct are read
 *	record_half()			pair.b is gone: `last` is in %rdx instead of %rcx
 *	record_half_last()		pair.b, the last word of all, is gone
 *	record_other_half()		pair.a is gone: pair.b is in %rsi
 *	record_global_both()		accepted
 *	record_global_half()		GCC accepted; clang's calls do not set %rdx, pair.b
 *	record_recursive()		`unused` is only counted up. GCC: .isra.0; clang goes on
 *					passing it (`lea 0x1(%r12),%rsi`): accepted
 *	record_recursive_unread()	handed on as it is: gone everywhere
 *	record_recursive_kept()		accepted
 *	record_recursive_pointer()	GCC, clang -O2: accepted. Clang -O3 and LTO pass *limit
 *					instead (`cmp %rsi,%rdi`), without DW_CC_nocall
 *	record_returned()		a parameter after the hidden pointer to the result is
 *					gone
 *	record_returned_kept()		accepted: %rdi is the hidden pointer, `seed` is in %rsi
 *	record_returned_unread()	the result is not read. GCC: .isra.0 without the hidden
 *					pointer, `seed` is in %rdi; clang keeps it: accepted
 *	record_returned_never()		the result is not written. Clang drops the hidden pointer
 *					(`imul %rsi,%rdi`), at -O3 without DW_CC_nocall; GCC
 *					writes zeros: accepted
 *	record_beside_big()		a struct in memory does not hide that `unused` is gone
 *	record_beside_big_kept()	accepted
 *	record_big_unread()		the struct itself is gone, the registers stay as they
 *					were; clang -O3 does it without DW_CC_nocall
 *	record_big_member()		GCC, clang -O3 and LTO pass big.b in %rsi instead, `value`
 *					moves to %rdx; clang -O2: accepted
 *	record_passed_on()		GCC accepted; clang's code copies the struct from its own
 *					arguments to those of the call, but its callers do not
 *					fill it
 *	record_passed_on_kept()		accepted: a member is read
 */
#include "kernel.h"

#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"

struct record_pair {
	u64 a, b;
};

struct record_big {
	u64 a, b, c, d, e;
};

struct record_node {
	u64 value;
	struct record_node *left, *right;
};

__visible u64 record_sink;

/* Both halves are read. */
static noinline u64 record_both(u64 first, struct record_pair pair, u64 last)
{
	record_sink = first;
	barrier();
	return pair.a * pair.b + last;
}

/* The second half is not: the parameter after it moves up. */
static noinline u64 record_half(u64 first, struct record_pair pair, u64 last)
{
	record_sink = first;
	barrier();
	return pair.a * 3 + last;
}

/* The half at the end is not read: nothing moves. */
static noinline u64 record_half_last(u64 first, struct record_pair pair)
{
	record_sink = first;
	barrier();
	return pair.a * 5;
}

/* The first half is not read. */
static noinline u64 record_other_half(u64 first, struct record_pair pair)
{
	record_sink = first;
	barrier();
	return pair.b * 7;
}

/* Global: half of it is still passed by callers elsewhere. */
__visible noinline u64 record_global_half(u64 first, struct record_pair pair, u64 last)
{
	record_sink = first;
	barrier();
	return pair.a * 11 + last;
}

__visible noinline u64 record_global_both(u64 first, struct record_pair pair, u64 last)
{
	record_sink = first;
	barrier();
	return pair.a * pair.b * 13 + last;
}

/* A recursive static function: a parameter that it only counts up. */
static noinline u64 record_recursive(const struct record_node *node, u64 unused, u64 depth)
{
	u64 sum = depth;

	barrier();
	if (node->left)
		sum += record_recursive(node->left, unused + 1, depth + 1) * 3;
	if (node->right)
		sum += record_recursive(node->right, unused + 2, depth + 2) * 5;
	return sum + node->value;
}

/* One that it only hands to itself. */
static noinline u64 record_recursive_unread(const struct record_node *node, u64 unused, u64 depth)
{
	u64 sum = depth * 3;

	barrier();
	if (node->left)
		sum += record_recursive_unread(node->left, unused, depth + 1) * 3;
	if (node->right)
		sum += record_recursive_unread(node->right, unused, depth + 2) * 5;
	return sum + node->value;
}

static noinline u64 record_recursive_kept(const struct record_node *node, u64 used, u64 depth)
{
	u64 sum = depth ^ used;

	barrier();
	if (node->left)
		sum += record_recursive_kept(node->left, used + 1, depth + 1) * 3;
	if (node->right)
		sum += record_recursive_kept(node->right, used + 2, depth + 2) * 5;
	return sum + node->value;
}

/* The pointer is only there to be read from once, by each level. */
static noinline u64 record_recursive_pointer(const u64 *limit, u64 depth)
{
	u64 most = *limit;

	if (depth >= most)
		return depth;
	return record_recursive_pointer(limit, depth + 1) * 3 +
	       record_recursive_pointer(limit, depth + 2);
}

/* The hidden pointer of a struct that is returned. */
static noinline struct record_big record_returned(u64 seed, u64 unused)
{
	struct record_big big = { seed, seed + 1, seed + 2, seed + 3, seed + 4 };

	barrier();
	return big;
}

static noinline struct record_big record_returned_kept(u64 seed, u64 used)
{
	struct record_big big = { seed, seed + 1, seed + used, seed + 3, seed + 4 };

	barrier();
	return big;
}

/* The result is not read: the pointer goes, and the parameters after it move up. */
static noinline struct record_big record_returned_unread(u64 seed, u64 more)
{
	struct record_big big = { seed, more, 3, 4, 5 };

	barrier();
	record_sink = seed * more;
	return big;
}

/* It is not written: its address is not passed. */
static noinline struct record_big record_returned_never(u64 seed, u64 more)
{
	struct record_big big;

	barrier();
	record_sink = seed * more;
	return big;
}

/* A big struct goes by the stack and must not hide what happens to the registers. */
static noinline u64 record_beside_big(u64 unused, struct record_big big, u64 value)
{
	struct record_big *all = hide_pointer(&big);

	barrier();
	record_sink = all->c + all->e;
	return value * 17;
}

static noinline u64 record_beside_big_kept(u64 used, struct record_big big, u64 value)
{
	struct record_big *all = hide_pointer(&big);

	barrier();
	record_sink = all->c + all->e;
	return value * 19 + used;
}

/* The big struct itself is not read. */
static noinline u64 record_big_unread(u64 first, struct record_big big, u64 value)
{
	barrier();
	record_sink = first;
	return value * 23;
}

/* Only one member is. */
static noinline u64 record_big_member(u64 first, struct record_big big, u64 value)
{
	barrier();
	record_sink = first;
	return value * 29 + big.b;
}

/* The struct is not looked at: it is handed to the function itself, on and on. */
__visible noinline u64 record_passed_on(u64 depth, struct record_big big)
{
	u64 sum = depth * 3;

	barrier();
	if (depth)
		sum = record_passed_on(depth - 1, big);
	barrier();
	return sum;
}

__visible noinline u64 record_passed_on_kept(u64 depth, struct record_big big)
{
	u64 sum = big.c;

	barrier();
	if (depth)
		sum += record_passed_on_kept(depth - 1, big);
	barrier();
	return sum;
}

__visible u64 record_run(u64 x, struct record_node *node, struct record_big *big)
{
	struct record_pair pair = { x * 3, big->a }, other = { big->b, x };
	struct record_big returned, filled = { x, big->b, 3, 4, big->e };
	u64 sum = 0;

	sum += record_both(x, pair, sum) + record_both(3, other, x);
	sum += record_half(x, pair, sum) + record_half(3, other, x);
	sum += record_half_last(x, pair) + record_half_last(sum, other);
	sum += record_other_half(x, pair) + record_other_half(sum, other);
	sum += record_global_half(x, pair, sum) + record_global_half(3, other, x);
	sum += record_global_both(x, pair, sum) + record_global_both(3, other, x);
	sum += record_recursive(node, x, sum) + record_recursive(node->left, sum, 3);
	sum += record_recursive_kept(node, x, sum) + record_recursive_kept(node->left, sum, 3);
	sum += record_recursive_pointer(&node->value, x) + record_recursive_pointer(&big->a, sum);
	returned = record_returned(sum, x);
	barrier();
	sum += returned.c + returned.e;
	returned = record_returned(x, sum);
	sum += returned.c + returned.e;
	returned = record_returned_kept(sum, x);
	barrier();
	sum += returned.c + returned.e;
	returned = record_returned_kept(x, sum);
	sum += returned.c + returned.e;
	sum += record_recursive_unread(node, x, sum) + record_recursive_unread(node->left, sum, 3);
	returned = record_returned_never(sum, x);
	hide_pointer(&returned);
	returned = record_returned_never(x, sum);
	hide_pointer(&returned);
	record_returned_unread(sum, x);
	record_returned_unread(x, sum);
	sum += record_beside_big(x, *big, sum) + record_beside_big(sum, big[1], x);
	sum += record_beside_big_kept(x, *big, sum) + record_beside_big_kept(sum, big[1], x);
	sum += record_big_unread(x, *big, sum) + record_big_unread(sum, big[1], x);
	sum += record_big_member(x, *big, sum) + record_big_member(sum, big[1], x);
	sum += record_passed_on(x, filled) + record_passed_on_kept(x, filled);
	return sum;
}
