/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The other unit that calls unread_elsewhere() of trap_unread.c: it passes what the prototype
 * says, unless clang's LTO sees both: then %esi is not set in any of the three calls.
 *
 * It has seen another prototype of unread_distant(), as if a compiler had changed this caller
 * together with a function of another unit.
 */
#include "kernel.h"

u32 unread_elsewhere(u32 value, u32 unused, u32 more);
u32 unread_distant(u32 value);
u32 unread_none(u32 value, u32 used, u32 more);

__visible u32 unread_caller_run(u32 a, u32 b, u32 c)
{
	u32 sum = unread_elsewhere(a, b * 3, c);

	barrier();
	sum += unread_elsewhere(c, sum * 5, 4);
	sum += unread_distant(hide_pointer(&unread_none)(c, a, b));
	return sum + unread_elsewhere(c, sum * 7, 5);
}
