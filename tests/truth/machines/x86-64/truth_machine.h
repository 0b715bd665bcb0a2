/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#ifndef TRUTH_MACHINE_H
#define TRUTH_MACHINE_H

#define TRUTH_TRASH() \
	__asm__ volatile("call truth_trash" ::: \
			 "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", \
			 "memory", "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", \
			 "xmm6", "xmm7", "xmm8", "xmm9", "xmm10", "xmm11", "xmm12", \
			 "xmm13", "xmm14", "xmm15")

#define TRUTH_POISON_RESULT() \
	__asm__ volatile("movabsq $0xbad0bad0bad0ba00, %%rax\n\t" \
			 "movq %%rax, %%rdx\n\t" \
			 "movq %%rax, %%xmm0\n\t" \
			 "movq %%rax, %%xmm1" \
			 ::: "rax", "rdx", "xmm0", "xmm1")

#endif
