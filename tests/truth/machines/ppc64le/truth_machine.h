/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#ifndef TRUTH_MACHINE_H
#define TRUTH_MACHINE_H

#define TRUTH_TRASH() \
	__asm__ volatile("bl truth_trash" ::: \
			 "r0", "r3", "r4", "r5", "r6", "r7", "r8", "r9", "r10", "r11", \
			 "r12", "lr", "ctr", "xer", "cr0", "cr1", "cr5", "cr6", "cr7", \
			 "memory", "fr0", "fr1", "fr2", "fr3", "fr4", "fr5", "fr6", \
			 "fr7", "fr8", "fr9", "fr10", "fr11", "fr12", "fr13")

#define TRUTH_POISON_RESULT() \
	__asm__ volatile("lis 3, 0xbad0\n\t" \
			 "ori 3, 3, 0xbad0\n\t" \
			 "sldi 3, 3, 32\n\t" \
			 "oris 3, 3, 0xbad0\n\t" \
			 "ori 3, 3, 0xba00\n\t" \
			 "mr 4, 3\n\t" \
			 "mtvsrd 1, 3\n\t" \
			 "mtvsrd 2, 3\n\t" \
			 "mtvsrd 3, 3\n\t" \
			 "mtvsrd 4, 3\n\t" \
			 "mtvsrd 5, 3\n\t" \
			 "mtvsrd 6, 3\n\t" \
			 "mtvsrd 7, 3\n\t" \
			 "mtvsrd 8, 3" \
			 ::: "r3", "r4", "fr1", "fr2", "fr3", "fr4", "fr5", "fr6", "fr7", "fr8")

#endif
