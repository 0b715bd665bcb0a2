/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#ifndef TRUTH_MACHINE_H
#define TRUTH_MACHINE_H

#define TRUTH_TRASH() \
	__asm__ volatile("bl truth_trash" ::: \
			 "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", \
			 "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17", \
			 "x30", "memory", "cc", "v0", "v1", "v2", "v3", "v4", "v5", \
			 "v6", "v7", "v16", "v17", "v18", "v19", "v20", "v21", "v22", \
			 "v23", "v24", "v25", "v26", "v27", "v28", "v29", "v30", "v31")

#define TRUTH_POISON_RESULT() \
	__asm__ volatile("movz x0, #0xbad0, lsl #48\n\t" \
			 "movk x0, #0xbad0, lsl #32\n\t" \
			 "movk x0, #0xbad0, lsl #16\n\t" \
			 "movk x0, #0xba00\n\t" \
			 "mov x1, x0\n\t" \
			 "fmov d0, x0\n\t" \
			 "fmov d1, x0\n\t" \
			 "fmov d2, x0\n\t" \
			 "fmov d3, x0" \
			 ::: "x0", "x1", "v0", "v1", "v2", "v3")

#endif
