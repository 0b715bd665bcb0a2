/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The host's tables and the target's runner agree on the layout of struct call, which the
 * assembler of runner.c knows by numbers, and of the checks.
 */
#ifndef BTFENC_TESTS_ABI_MACHINE_H
#define BTFENC_TESTS_ABI_MACHINE_H

#define SLOT_BYTES	128	/* of seen[], for each parameter */
#define BUFFER_BYTES	16384	/* of seen[], given[] and the result in memory */
#define FLOATS		16
#define OUT_FLOATS	8
#define INTEGERS	12	/* the argument registers; [8]: arm64's x8 */

/* The location of a byte after the call is one of these plus its offset. */
enum {
	IN_SEEN = 0,
	IN_OUT = 0x4000,	/* out_integers, then out_floats */
	IN_RESULT = 0x8000,
};

#define RESULT_ITEM 255		/* instead of a parameter's number */

#ifdef ABI_RUNNER
typedef unsigned long word;

struct call {
	void (*function)(void);
	word stack_words;
	const word *stack;
	word x87;		/* registers of the x87 stack that the result takes */
	word integers[INTEGERS];
	unsigned char floats[FLOATS][16];
	word out_integers[4];
	unsigned char out_floats[OUT_FLOATS][16];
	/* Down to here the assembler counts. */
	const char *name;
	const unsigned char *given;
	word given_bytes;
	const unsigned int *checks;	/* where << 16 | item << 8 | value */
	word check_count;
	word parameter_count;
};

extern unsigned char result_memory[BUFFER_BYTES];
extern struct call calls[];
extern const word call_count;
#endif

#endif
