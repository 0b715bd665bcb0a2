/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Instructions that kernels have only since a release, as bytes: older compilers lack them. */
#include "traps.h"

/* bswap16 r0, of LLVM's cpu v4: verifiers refuse the code anywhere. */
PROGRAM swaps(void *context)
{
	asm volatile("r0 = 1\n.byte 0xd7, 0, 0, 0, 16, 0, 0, 0" ::: "r0");
	return 0;
}

/* r0 = (s8)r0: a reserved field of MOV before. */
PROGRAM extends(void *context)
{
	asm volatile("r0 = 1\n.byte 0xbf, 0, 8, 0, 0, 0, 0, 0" ::: "r0");
	return 0;
}

/* r1 = atomic_fetch_or(): since 5.12. */
PROGRAM fetches(void *context)
{
	asm volatile("r1 = 2\n*(u64 *)(r10 - 8) = r1\n"
		     ".byte 0xdb, 0x1a, 0xf8, 0xff, 0x41, 0, 0, 0" ::: "r1");
	return 0;
}

/* Where nothing runs a code counts, too, and a field does not. */
PROGRAM swaps_never(void *context)
{
	if (HAS_NOPE)
		asm volatile("r0 = 1\n.byte 0xd7, 0, 0, 0, 16, 0, 0, 0" ::: "r0");
	return 0;
}

PROGRAM extends_never(void *context)
{
	if (HAS_NOPE)
		asm volatile("r0 = 1\n.byte 0xbf, 0, 8, 0, 0, 0, 0, 0" ::: "r0");
	return 0;
}

PROGRAM plain(void *context)
{
	return 0;
}
