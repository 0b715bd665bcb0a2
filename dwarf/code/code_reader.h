/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A decoder and the dataflow of one thread: the state that the questions of machine_code.h are
 * answered from. code_flow.c, code_result.c, code_slot.c and code_stack.c have the answers.
 */
#ifndef BTFENC_DWARF_CODE_CODE_READER_H
#define BTFENC_DWARF_CODE_CODE_READER_H

#include "dwarf/code/code_callee.h"
#include "dwarf/code/code_graph.h"

/* How far to believe in the calling convention. */
enum flow_level {
	FLOW_CONVENTION,	/* a call loses what the convention does not preserve */
	FLOW_SCRUTINY,		/* unless the callee, decoded, may turn out to preserve it */
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
	ARRAY_OF(struct flow_state) in;		/* by block */
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
