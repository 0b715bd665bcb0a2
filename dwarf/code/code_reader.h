/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A decoder and the dataflow of one thread: the state that the questions of machine_code.h are
 * answered from. code_flow.c, code_result.c, code_slot.c and code_stack.c have the answers.
 */
#ifndef BTFENC_DWARF_CODE_CODE_READER_H
#define BTFENC_DWARF_CODE_CODE_READER_H

#include "dwarf/code/code_graph.h"

/*
 * The effect of a call on registers: the calling convention, and the callee's code, which may break
 * it. Callees are decoded a little way, without knowing where they end; results are kept. Register
 * masks have bit N for DWARF register N.
 */

#define CALLEE_CACHE 4096	/* a power of two */

/* Both are masks of what may be so. */
struct callee {
	uint64_t target;
	uint32_t wanted;	/* all, or the registers that only `preserves` is about */
	uint32_t preserves;
	uint32_t returns;	/* leaves a value for the caller */
};

/* What a value meets until it is overwritten, on any path. */
enum {
	CALLEE_READS = 1,
	CALLEE_RETURNS_IT = 2,	/* it is still there at a return, not saved and restored */
	CALLEE_UNKNOWN = 4,	/* there is more than was looked at */
};

struct callee_meets {
	uint64_t target;
	uint8_t reg;
	uint8_t meets;
};

struct code_callees {
	struct code_graph *graph;	/* for its decoder and image */
	struct callee known[CALLEE_CACHE];
	struct callee_meets known_meets[CALLEE_CACHE];
};

/* Most are asked about one register, which they overwrite soon. */
struct callee code_callee(struct code_callees *callees, uint64_t target, uint32_t wanted);

/* CALLEE_*, of the value in `reg` when control goes to `target`, those it calls included. */
unsigned int code_callee_meets(struct code_callees *callees, uint64_t target, unsigned int reg);

/* How far to believe in the calling convention. */
enum flow_level {
	FLOW_CONVENTION,	/* a call loses what the convention does not preserve */
	FLOW_SCRUTINY,		/* unless the callee, decoded, may turn out to preserve it */
	FLOW_VECTORS,		/* v0 to v31 of arm64, by the convention */
	FLOW_LEVELS,
};

/* The possible contents of registers: the union over all paths. One bit per register in each. */
struct flow_state {
	uint32_t entry;		/* what the function was entered with */
	uint32_t value;		/* something written since */
	uint32_t clobbered;	/* a call has left something there */
	uint32_t unsure;	/* unknown: a call may preserve it, a path may not exist */
	uint32_t maybe_entry;	/* the same, of what the function was entered with */
};

/*
 * A solution for all registers of the function that the graph has, if the generations agree. So
 * further questions about one function cost next to nothing.
 */
struct flow_solution {
	uint64_t generation;
	bool is_good;
	struct flow_state anywhere;	/* spread to all blocks by a jump to anywhere */
	uint32_t asked;		/* the instruction of the last question; CODE_NOWHERE: none yet */
	struct flow_state before_asked;
	ARRAY_OF(struct flow_state) in;		/* by block */
	ARRAY_OF(struct instruction) vectors;	/* of FLOW_VECTORS: the graph's code, with the use
						   of vector registers */
	/* What the function does with the registers it is entered with. */
	uint32_t read;
	uint32_t maybe_read;
	uint32_t passed;	/* untouched at a call or where the function may be left */
};

struct code_reader {
	struct code_graph graph;
	struct code_callees callees;
	struct flow_solution levels[FLOW_LEVELS];
};

#endif
