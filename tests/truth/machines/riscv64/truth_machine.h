/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#ifndef TRUTH_MACHINE_H
#define TRUTH_MACHINE_H

#define TRUTH_TRASH() \
	__asm__ volatile("call truth_trash" ::: \
			 "ra", "t0", "t1", "t2", "t3", "t4", "t5", "t6", "a0", "a1", \
			 "a2", "a3", "a4", "a5", "a6", "a7", "memory")

#define TRUTH_POISON_RESULT() \
	__asm__ volatile("li a0, 0xbad0bad0bad0ba00\n\t" \
			 "mv a1, a0" \
			 ::: "a0", "a1")

#endif
