/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Runs a program under ptrace and stops it wherever it is asked to. */
#ifndef BTFENC_TESTS_TRUTH_PROCESS_H
#define BTFENC_TESTS_TRUTH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "prototype.h"

/* What a function finds when it is entered. */
struct machine_state {
	uint64_t integer[INTEGER_REGISTERS];
	uint64_t sse[SSE_REGISTERS];	/* the low halves */
	uint64_t stack[STACK_WORDS];	/* above the return address */
	uint64_t stack_pointer;
};

struct process {
	int pid;
	int memory;	/* /proc/PID/mem */
};

struct breakpoint {
	uint64_t address;
	unsigned int hits_left;
	unsigned char saved;
};

typedef void process_stop(void *context, struct process *process, uint64_t address,
			  const struct machine_state *state);

bool process_read(struct process *process, uint64_t address, void *to, size_t size);

/*
 * Runs it to its end; `stop` is called at each breakpoint as often as hits_left says. breakpoints:
 * by ascending address. False if it cannot be traced; a program that fails ends the harness.
 */
bool process_trace(const char *path, struct breakpoint *breakpoints, size_t count,
		   process_stop *stop, void *context);

#endif
