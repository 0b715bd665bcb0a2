/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A function and a variable of names that kernel.c has, too. */
#define KEEP __attribute__((noinline, noclone, used))

static volatile int shadowed;

KEEP static int twin(int value)
{
	return value - shadowed++;
}

KEEP int other_twin(int value)
{
	return twin(value) + 5;
}
