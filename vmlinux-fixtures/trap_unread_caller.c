/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The other unit that calls unread_elsewhere() of trap_unread.c: it passes what the prototype
 * says, unless clang's LTO sees both: then %esi is not set in any of the three calls.
 */
#include "kernel.h"

u32 unread_elsewhere(u32 value, u32 unused, u32 more);

__visible u32 unread_caller_run(u32 a, u32 b, u32 c)
{
	u32 sum = unread_elsewhere(a, b * 3, c);

	barrier();
	sum += unread_elsewhere(c, sum * 5, 4);
	return sum + unread_elsewhere(c, sum * 7, 5);
}
