/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The effect of a call on registers: the calling convention, and the callee's code, which may break
 * it. Callees are decoded a little way, without knowing where they end; results are kept. Register
 * masks have bit N for DWARF register N.
 */
#ifndef BTFENC_DWARF_CODE_CODE_CALLEE_H
#define BTFENC_DWARF_CODE_CODE_CALLEE_H

#include "dwarf/code/code_graph.h"

#define CALLEE_CACHE 4096	/* a power of two */

/* Both are masks of what may be so. */
struct callee {
	uint64_t target;	/* 0: nothing is known */
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

struct callee code_callee(struct code_callees *callees, uint64_t target);

/* CALLEE_*, of the value in `reg` when control goes to `target`, those it calls included. */
unsigned int code_callee_meets(struct code_callees *callees, uint64_t target, unsigned int reg);

#endif
