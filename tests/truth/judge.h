/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Is what stands at the entry of a function what a prototype says, given what was passed? */
#ifndef BTFENC_TESTS_TRUTH_JUDGE_H
#define BTFENC_TESTS_TRUTH_JUDGE_H

#include "process.h"
#include "source.h"

#define EXPECTED_WORDS 48	/* TRUTH_WORDS of truth.h */

enum outcome {
	OUTCOME_CORRECT,
	OUTCOME_UNSET,		/* nobody has put anything there for this call */
	OUTCOME_MISPLACED,	/* something else stands there */
	OUTCOME_PROTOTYPE,	/* it is another function's prototype */
};

/* The worst of all calls, and the first of that kind. */
struct finding {
	enum outcome outcome;
	unsigned int calls, bad_calls;
	char parameter[32];
	char detail[160];
};

struct call {
	const struct source_function *function;
	const struct placement *placements;	/* of the function's own prototype */
	uint64_t expected[EXPECTED_WORDS];
	const struct machine_state *state;
	struct process *process;
	uint64_t objects, objects_end;	/* what pointer arguments point to */
};

/* Adds this call to the finding. */
void judge_call(const struct call *call, const struct prototype *prototype,
		const struct placement *placements, struct finding *finding);

#endif
