/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

/* Until 6.7 verifiers look at it, called or not. */
NOINLINE int global_read(u32 unused)
{
	return read_nope();
}

PROGRAM caller(void *context)
{
	return HAS_NOPE ? global_read(1) : 0;
}
