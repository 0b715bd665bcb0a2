/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#ifndef TRUTH_MACHINE_H
#define TRUTH_MACHINE_H

/* %r6 is for the callee to keep, though it is passed in. */
#define TRUTH_TRASH() \
	__asm__ volatile("brasl %%r14, truth_trash" ::: \
			 "r0", "r1", "r2", "r3", "r4", "r5", "r6", "r14", "memory", \
			 "cc", "f0", "f1", "f2", "f3", "f4", "f5", "f6", "f7")

#define TRUTH_POISON_RESULT() \
	__asm__ volatile("llihf %%r2, 0xbad0bad0\n\t" \
			 "iilf %%r2, 0xbad0ba00\n\t" \
			 "ldgr %%f0, %%r2" \
			 ::: "r2", "f0")

#endif
