/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Code between truth_trash() and a call that may leave something in the registers of arguments that
 * is not an argument. Only with -DTRUTH_FILL; the generator gives each call a kind.
 */
#ifndef BTFENC_TESTS_TRUTH_FILL_H
#define BTFENC_TESTS_TRUTH_FILL_H

#include "truth.h"

/* Poison, in runtime.S: so the tracer tells what it finds from the values of the program. */
extern volatile truth_word truth_poison[8];

#ifndef TRUTH_FILL
#define TRUTH_BEFORE_CALL(kind) do { } while (0)
#else

#if defined(__x86_64__)
#define TRUTH_ARGUMENT_REGISTERS "rdi", "rsi", "rdx", "rcx", "r8", "r9"

/* Inline assembler that needs the registers for itself. */
#define TRUTH_FILL_CONSTANTS()                                                                     \
	__asm__ volatile("movabsq $0xbad0bad0bad0ba07, %%rdi\n\t"                                  \
			 "movabsq $0xbad0bad0bad0ba06, %%rsi\n\t"                                  \
			 "movabsq $0xbad0bad0bad0ba02, %%rdx\n\t"                                  \
			 "movabsq $0xbad0bad0bad0ba01, %%rcx\n\t"                                  \
			 "movabsq $0xbad0bad0bad0ba08, %%r8\n\t"                                   \
			 "movabsq $0xbad0bad0bad0ba09, %%r9" ::: TRUTH_ARGUMENT_REGISTERS)
#define TRUTH_FILL_LOADS()                                                                         \
	__asm__ volatile("movq truth_poison, %%rdi\n\t"                                            \
			 "movq truth_poison+8, %%rsi\n\t"                                          \
			 "movq truth_poison+16, %%rdx\n\t"                                         \
			 "movq truth_poison+24, %%rcx\n\t"                                         \
			 "leaq 1(%%rcx), %%r8\n\t"                                                 \
			 "movq %%rdx, %%r9" ::: TRUTH_ARGUMENT_REGISTERS)

/* Its results, or its arguments, are the values: the compiler itself loads the registers. */
#define TRUTH_FILL_FIXED(a, b, c, d, e, f)                                                         \
	register truth_word a __asm__("rdi");                                                      \
	register truth_word b __asm__("rsi");                                                      \
	register truth_word c __asm__("rdx");                                                      \
	register truth_word d __asm__("rcx");                                                      \
	register truth_word e __asm__("r8");                                                       \
	register truth_word f __asm__("r9")
#define TRUTH_FILL_RETURNS							\
	"movq truth_poison, %0\n\tmovq %0, %1\n\tmovq %0, %2\n\tmovq %0, %3\n\t" \
	"movq %0, %4\n\tmovq %0, %5"
#elif defined(__aarch64__)
#define TRUTH_ARGUMENT_REGISTERS "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8"
#define TRUTH_FILL_CONSTANTS()                                                                     \
	__asm__ volatile("ldr x0, =0xbad0bad0bad0ba00\n\t"                                         \
			 "mov x1, #0xba01\n\tmovk x1, #0xbad0, lsl #16\n\t"                        \
			 "movk x1, #0xbad0, lsl #32\n\tmovk x1, #0xbad0, lsl #48\n\t"              \
			 "add x2, x1, #1\n\tadd x3, x1, #2\n\tadd x4, x1, #3\n\t"                  \
			 "add x5, x1, #4\n\tadd x6, x1, #5\n\tadd x7, x1, #6\n\t"                  \
			 "mov x8, x7" ::: TRUTH_ARGUMENT_REGISTERS)
#define TRUTH_FILL_LOADS()                                                                         \
	__asm__ volatile("adrp x0, truth_poison\n\tadd x0, x0, :lo12:truth_poison\n\t"             \
			 "ldp x1, x2, [x0]\n\tldp x3, x4, [x0, #16]\n\t"                           \
			 "ldp x5, x6, [x0, #32]\n\tldr x7, [x0, #48]\n\t"                          \
			 "mov x8, x1\n\tmov x0, x2" ::: TRUTH_ARGUMENT_REGISTERS)
#define TRUTH_FILL_FIXED(a, b, c, d, e, f)                                                         \
	register truth_word a __asm__("x0");                                                       \
	register truth_word b __asm__("x1");                                                       \
	register truth_word c __asm__("x2");                                                       \
	register truth_word d __asm__("x3");                                                       \
	register truth_word e __asm__("x4");                                                       \
	register truth_word f __asm__("x5")
#define TRUTH_FILL_RETURNS                                                                         \
	"adrp %0, truth_poison\n\tldr %0, [%0, :lo12:truth_poison]\n\tmov %1, %0\n\t"              \
	"mov %2, %0\n\tmov %3, %0\n\tmov %4, %0\n\tmov %5, %0"
#endif

#define TRUTH_FILL_OUTPUTS()                                                                       \
	do {                                                                                       \
		TRUTH_FILL_FIXED(a, b, c, d, e, f);                                                \
		__asm__ volatile(TRUTH_FILL_RETURNS                                                \
				 : "=&r"(a), "=&r"(b), "=&r"(c), "=&r"(d), "=&r"(e), "=&r"(f));    \
		truth_sink = a ^ b ^ c ^ d ^ e ^ f;                                                \
	} while (0)

/* The second half is what a compiler knows how to describe: constants, copies. */
#define TRUTH_FILL_INPUTS()                                                                        \
	do {                                                                                       \
		truth_word t = truth_poison[1];                                                    \
		TRUTH_FILL_FIXED(a, b, c, d, e, f);                                                \
		a = truth_poison[0];                                                               \
		b = truth_poison[t & 3];                                                           \
		c = t;                                                                             \
		d = t + 1;                                                                         \
		e = 0xbad0bad0bad0ba11UL;                                                          \
		f = 0xbad0bad0bad0ba12UL;                                                          \
		__asm__ volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f));             \
	} while (0)

/* No assembler: an unrelated computation, in whatever registers it is done. */
#define TRUTH_FILL_COMPUTATION()                                                                   \
	do {                                                                                       \
		truth_word a = truth_poison[0], b = truth_poison[1], c = truth_poison[2];          \
		truth_word d = truth_poison[3], e = truth_poison[4], f = truth_poison[5];          \
		truth_word g = truth_poison[6];                                                    \
		truth_sink = a ^ b;                                                                \
		truth_sink = (b & c) | (d & 0xff);                                                 \
		truth_sink = c | (e & 0xff);                                                       \
		truth_sink = d | (f & 0xff);                                                       \
		truth_sink = e;                                                                    \
		truth_sink = f;                                                                    \
		truth_sink = g;                                                                    \
	} while (0)

/* The computed value is used on another path only. */
#define TRUTH_FILL_OTHER_WAY()                                                                     \
	do {                                                                                       \
		truth_word a = truth_poison[0], b = truth_poison[1], c = truth_poison[2];          \
		truth_word d = truth_poison[3], e = truth_poison[4], f = truth_poison[5];          \
		if (__builtin_expect(truth_never, 0)) {                                            \
			truth_sink = a + b * 3 + c * 5 + d * 7 + e * 9 + f * 11;                   \
			truth_cold(a ^ f);                                                         \
		}                                                                                  \
	} while (0)

#define TRUTH_BEFORE_CALL(kind)                                                                    \
	do {                                                                                       \
		if ((kind) == 0)                                                                   \
			TRUTH_FILL_CONSTANTS();                                                    \
		else if ((kind) == 1)                                                              \
			TRUTH_FILL_LOADS();                                                        \
		else if ((kind) == 2)                                                              \
			TRUTH_FILL_OUTPUTS();                                                      \
		else if ((kind) == 3)                                                              \
			TRUTH_FILL_INPUTS();                                                       \
		else if ((kind) == 4)                                                              \
			TRUTH_FILL_COMPUTATION();                                                  \
		else if ((kind) == 5)                                                              \
			TRUTH_FILL_OTHER_WAY();                                                    \
	} while (0)
#endif

#endif
