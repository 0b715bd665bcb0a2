/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The namesakes of trap_names.c, see there.
 */
#include "kernel.h"

__visible u32 names_other_sink;

static noinline u32 names_twice(u32 a, u32 b)
{
	barrier();
	return a * 3 - b;
}

static __always_inline u32 names_once(u32 a, u32 b)
{
	names_other_sink += a;
	return a * 5 - b;
}

static noinline u32 names_beside_copy(u32 a, u32 b)
{
	barrier();
	names_other_sink -= a;
	return a * 7;
}

__visible u32 names_weak_strong(u32 a)
{
	barrier();
	return a * 31;
}

__visible u32 names_other_run(u32 a, u32 b)
{
	return names_twice(a, b) + names_twice(b, 3) + names_once(a, b) + names_once(b, 3) +
	       names_beside_copy(a, b) + names_beside_copy(b, 3);
}
