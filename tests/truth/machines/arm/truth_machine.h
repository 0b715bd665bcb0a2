/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#ifndef TRUTH_MACHINE_H
#define TRUTH_MACHINE_H

/*
 * In the programs a long has 64 bits on every machine: what they pass is of the same sizes, but for
 * pointers, and takes pairs of registers here.
 */
#define long long long

#define TRUTH_TRASH() \
	__asm__ volatile("bl truth_trash" ::: \
			 "r0", "r1", "r2", "r3", "r12", "lr", "memory", "cc")

#define TRUTH_POISON_RESULT() \
	__asm__ volatile("movw r0, #0xba00\n\t" \
			 "movt r0, #0xbad0\n\t" \
			 "mov r1, r0" \
			 ::: "r0", "r1")

#endif
