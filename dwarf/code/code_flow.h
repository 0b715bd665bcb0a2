/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Dataflow through one function at a time: what each general register holds when an instruction is
 * reached, and which registers of its caller the function reads.
 *
 * Out: sets of possibilities per register, the union over all paths that lead there. The function
 * that was asked for last is kept, solved for all registers at once, so that further questions
 * about it cost next to nothing. Not shared between threads.
 */
#ifndef BTFENC_DWARF_CODE_CODE_FLOW_H
#define BTFENC_DWARF_CODE_CODE_FLOW_H

#include "dwarf/code/code_callee.h"
#include "dwarf/code/code_graph.h"

/* What a register may hold. */
enum {
	HOLDS_ENTRY = 1,	/* what the function was entered with */
	HOLDS_VALUE = 2,	/* something written since */
	HOLDS_CLOBBERED = 4,		/* a call has left something there */
	HOLDS_UNSURE = 8,	/* nobody knows: a call may keep it, a way may not exist */
	HOLDS_MAYBE_ENTRY = 16,	/* the same, of what the function was entered with */
};

enum flow_answer {
	FLOW_UNKNOWN,		/* not decodable, too large */
	FLOW_NO_CALL,		/* no call or jump begins there */
	FLOW_KNOWN,
};

/* How far to believe in the calling convention. */
enum flow_level {
	FLOW_CONVENTION,	/* a call loses what the convention does not preserve */
	FLOW_SCRUTINY,		/* unless the callee, decoded, may turn out to preserve it */
	FLOW_LEVELS,
};

/* What a function does with the registers it is entered with; masks of DWARF numbers. */
struct flow_entry_use {
	uint32_t read;
	uint32_t maybe_read;
	uint32_t passed;	/* untouched at a call or where the function may be left */
};

/* One bit per register in each. */
struct flow_state {
	uint32_t entry;
	uint32_t value;
	uint32_t clobbered;
	uint32_t unsure;
	uint32_t maybe_entry;
};

/* Of the function that the graph holds, if the generations agree. */
struct flow_solution {
	uint64_t generation;
	bool is_good;
	struct flow_state anywhere;	/* spread to all blocks by a jump to anywhere */
	struct flow_entry_use use;
	ARRAY_OF(struct flow_state) in;		/* by block */
};

struct code_flow {
	struct code_graph *graph;
	struct code_callees *callees;
	struct flow_solution levels[FLOW_LEVELS];
};

void code_flow_init(struct code_flow *flow, struct code_graph *graph, struct code_callees *callees);
void code_flow_release(struct code_flow *flow);

/* *holds: HOLDS_* of `reg` when the call or jump at `call` in [begin, end) is reached. */
enum flow_answer code_flow_at_call(struct code_flow *flow, enum flow_level level, uint64_t begin,
				   uint64_t end, uint64_t call, unsigned int reg,
				   unsigned int *holds);

/*
 * Does a register surely hold, right before the instruction at `pc` in [begin, end), what the
 * function was entered with, whatever way led there?
 */
bool code_flow_keeps_entry(struct code_flow *flow, uint64_t begin, uint64_t end, uint64_t pc,
			   unsigned int reg);

/* False when parts of the function are not decodable; then what is found in *use is still true. */
bool code_flow_entry_use(struct code_flow *flow, enum flow_level level, uint64_t begin,
			 uint64_t end, struct flow_entry_use *use);

#endif
