/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The calls that have been entered and are not back yet. A tail call is one more function that was
 * entered with the same stack pointer: all of these are back at once.
 */
#ifndef BTFENC_TESTS_TRUTH_RETURNS_H
#define BTFENC_TESTS_TRUTH_RETURNS_H

#include "process.h"

#define ENTERED_MAX 64

struct entered {
	uint64_t address;	/* where it was entered */
	uint64_t stack_pointer, return_address;
	uint64_t id, nonce;	/* which function's call it is, and which one */
};

struct returns {
	struct entered calls[ENTERED_MAX];
	unsigned int count;
};

/* Lets the process stop where this call comes back to. `entered` lacks what the state knows. */
void returns_enter(struct returns *returns, struct process *process, struct entered entered,
		   const struct machine_state *state);

/* One of those that are back, the last one first; false when there is no more. */
bool returns_leave(struct returns *returns, uint64_t address, const struct machine_state *state,
		   struct entered *entered);

#endif
