/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Traps of vector registers: a float takes none of the integer ones. The Makefile lets this unit
 * use them.
 *
 *	float_between()		accepted: `second` is in %rsi, although it is the third
 *	float_beside_unused()	`unused` is gone: `second` is in %rdi, the floats stay
 *	float_unused()		`unused` is gone: `last` is in %xmm0, the integers stay
 *	float_global_unused()	GCC accepted; clang's calls do not set %xmm0
 */
#include "kernel.h"

__visible double float_sink;

/* The vector registers are counted apart: `second` arrives in the second integer register. */
static noinline u64 float_between(u64 first, double middle, u64 second, float last)
{
	float_sink = middle + last;
	barrier();
	return first * second;
}

/* Without `unused` the others move up, of both kinds apart. */
static noinline u64 float_beside_unused(u64 unused, double middle, u64 second, float last)
{
	float_sink = middle + last;
	barrier();
	return 3 * second;
}

/* A vector register that is not read; no integer register is concerned. */
static noinline u64 float_unused(u64 first, double unused, u64 second, double last)
{
	float_sink = last;
	barrier();
	return first * second * 5;
}

__visible noinline u64 float_global_unused(u64 first, double unused, u64 second, double last)
{
	float_sink = last * 2;
	barrier();
	return first * second * 7;
}

__visible u64 trap_float_run(u64 x, u64 y, double d)
{
	return float_between(x, d, y, 1) + float_between(y, 2, x, (float)d) +
	       float_beside_unused(x, d, y, 1) + float_beside_unused(y, 2, x, (float)d) +
	       float_unused(x, d * 3, y, 1) + float_unused(y, d * 5, x, d) +
	       float_global_unused(x, d * 3, y, 1) + float_global_unused(y, d * 5, x, d);
}
