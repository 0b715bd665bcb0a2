/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Runs a program under ptrace and stops it wherever it is asked to. */
#ifndef BTFENC_TESTS_TRUTH_PROCESS_H
#define BTFENC_TESTS_TRUTH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prototype.h"

#define DWARF_REGISTERS 33	/* of the integer unit, the return address, xmm0 to xmm15 */
#define DWARF_XMM0	17

/* What a function finds when it is entered, or its caller when it is back. */
struct machine_state {
	uint64_t integer[INTEGER_REGISTERS];
	uint64_t sse[SSE_REGISTERS];	/* the low halves */
	uint64_t stack[STACK_WORDS];	/* above the return address */
	uint64_t stack_pointer;
	uint64_t return_address;	/* what the stack pointer leads to */
	uint64_t result[RESULT_REGISTERS];
	uint64_t dwarf[DWARF_REGISTERS][2];	/* all of them, by DWARF's numbers */
};

/* Stops asked for on the way: where calls that have been entered come back to. */
struct return_point {
	uint64_t address;
	unsigned int wanted;	/* 0: free */
	unsigned char saved;
};

#define RETURN_POINTS_MAX 64

struct process {
	int pid;
	int memory;	/* /proc/PID/mem */
	struct return_point returns[RETURN_POINTS_MAX];
};

struct breakpoint {
	uint64_t address;
	unsigned int hits_left;
	unsigned char saved;
};

enum stop_kind {
	STOP_ENTRY,	/* a breakpoint */
	STOP_RETURN,
	STOP_STEP,	/* before any instruction */
};

typedef void process_stop(void *context, struct process *process, enum stop_kind kind,
			  uint64_t address, const struct machine_state *state);

/* Asks for one stop of kind STOP_RETURN there. */
bool process_stop_at(struct process *process, uint64_t address);

bool process_read(struct process *process, uint64_t address, void *to, size_t size);

/*
 * Runs it to its end; `stop` is called at each breakpoint as often as hits_left says. breakpoints:
 * by ascending address. False if it cannot be traced; a program that fails ends the harness.
 */
bool process_trace(const char *path, struct breakpoint *breakpoints, size_t count,
		   process_stop *stop, void *context);

/* Runs it again, one instruction after the other; `stop` is called before each, with STOP_STEP. */
bool process_step(const char *path, process_stop *stop, void *context);

#endif
