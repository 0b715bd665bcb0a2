/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "traps.h"

/* A function, and no kfunc: programs that call it fail, the others do not. */
extern void schedule(void) KSYM;

PROGRAM caller(void *context)
{
	schedule();
	return 0;
}

PROGRAM other(void *context)
{
	return 0;
}
