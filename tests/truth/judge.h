/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Are the arguments at the entry of a function where a prototype says, given what was passed? */
#ifndef BTFENC_TESTS_TRUTH_JUDGE_H
#define BTFENC_TESTS_TRUTH_JUDGE_H

#include "process.h"
#include "source.h"

#define EXPECTED_WORDS 48	/* TRUTH_WORDS of truth.h */
#define RESULT_BYTES   16	/* truth_left */

enum outcome {
	OUTCOME_CORRECT,
	OUTCOME_RESULT,		/* what it returns is not delivered */
	OUTCOME_UNSET,		/* nothing was put there for this call */
	OUTCOME_MISPLACED,	/* something else is there */
	OUTCOME_PROTOTYPE,	/* it is another function's prototype */
};

/* The worst of all calls, and the first of that kind. */
struct finding {
	enum outcome outcome;
	unsigned int calls, bad_calls;
	unsigned int results;	/* how many were seen */
	char parameter[32];
	char detail[160];
};

struct call {
	const struct source_function *function;
	const struct placement *placements;	/* of the function's own prototype */
	unsigned char expected[EXPECTED_WORDS][8];	/* as in the program's memory */
	const struct machine_state *state;
	struct process *process;
	uint64_t objects, objects_end;	/* what pointer arguments point to */
};

/*
 * Adds this call to the finding. by_name: the prototype is one that the compiler has changed, whose
 * parameters are those of the source that are left.
 */
void judge_call(const struct call *call, const struct prototype *prototype,
		const struct placement *placements, bool by_name, struct finding *finding);

/* The result in its registers, padding as zero; false: none, or it is in memory. */
bool judge_read_result(const struct machine_state *state, const struct prototype *prototype,
		       unsigned char value[RESULT_BYTES]);

/*
 * The same for a call that is back. value: what was returned, as it is in memory.
 * Nothing is said of a result in memory.
 */
void judge_result(const struct machine_state *state, const struct prototype *truth,
		  const struct prototype *prototype, const unsigned char value[RESULT_BYTES],
		  struct finding *finding);

#endif
