/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * One function at a time, decoded into a CFG: its instructions, cut into blocks, and the successors
 * of each block.
 *
 * In: addresses in a code_image. The function that was asked for last is kept; results that others
 * derive from it are valid as long as `generation` does not change. Not shared between threads.
 * Knows instructions, but not what they compute.
 */
#ifndef BTFENC_DWARF_CODE_CODE_GRAPH_H
#define BTFENC_DWARF_CODE_CODE_GRAPH_H

#include "base/sort.h"
#include "dwarf/code/code_image.h"
#include "dwarf/code/instruction_decoder.h"

#define CODE_MAX_FUNCTION_BYTES (64 * 1024)	/* larger ones are not decoded */
#define CODE_MAX_PIECES		16
#define CODE_NOWHERE		UINT32_MAX	/* no instruction of the function */

/* instruction.flags */
enum {
	CODE_BLOCK_BEGINS = 1,
	CODE_JUMPED_TO = 2,
	CODE_NEXT_DOUBTFUL = 4,	/* of a call or trap: code_graph.c says why */
	CODE_HAS_EDGE = 8,		/* `from` of an edge of the image, or of a jump table */
};

/* The calling convention of a machine; masks of registers. */
struct code_convention {
	uint16_t machine;
	uint8_t stack_pointer;		/* DWARF number */
	uint8_t stack_arguments;	/* the first one: bytes above the entry's stack pointer */
	uint32_t caller_saved;
	uint32_t caller_saved_vectors;
	uint32_t arguments;
	uint32_t result;		/* returns a value and is an argument, too: x0 */
	uint32_t second_result;		/* the second half of large ones */
};

struct code_block {
	uint32_t first;			/* instructions [first, end) */
	uint32_t end;
	uint32_t successors;		/* index of the first one */
	uint32_t successor_count;
	bool last_is_doubtful;		/* the last successor is reached by a doubtful edge */
	bool falls_out;			/* the way on leads out of the function */
	bool pending;			/* for code_graph_next_pending() */
};

/* A run of instructions without gaps. */
struct code_piece {
	uint64_t begin;
	uint64_t end;
	uint32_t first;
	uint32_t count;
};

struct code_graph {
	const struct code_image *image;
	struct instruction_decoder *decoder;
	const struct code_convention *convention;
	uint64_t generation;		/* counts the functions that were decoded into a CFG */

	/* The function at hand; begin == end: none. */
	uint64_t begin;
	uint64_t end;
	bool complete;			/* all of it has been decoded */
	bool jumps_anywhere;		/* has an INSTRUCTION_JUMP_REGISTER: to any block, or out */
	struct code_piece pieces[CODE_MAX_PIECES];
	uint32_t piece_count;
	ARRAY_OF(struct instruction) code;
	ARRAY_OF(struct code_block) blocks;
	ARRAY_OF(uint32_t) successors;		/* blocks */
	ARRAY_OF(struct sort_item) edges;	/* instructions: from (the key), to */
};

/* False: no decoder for this machine. */
bool code_graph_init(struct code_graph *graph, const struct code_image *image);
void code_graph_release(struct code_graph *graph);

/* False when [begin, end) is not code, or too large. */
bool code_graph_load(struct code_graph *graph, uint64_t begin, uint64_t end);

/* Any address, of this function or not. */
void code_graph_decode(struct code_graph *graph, uint64_t address, struct instruction *out);

/* The instruction at an address; CODE_NOWHERE when none of the function begins there. */
uint32_t code_graph_index(const struct code_graph *graph, uint64_t address);
/* The next instruction, which may belong to another piece. */
uint32_t code_graph_next(const struct code_graph *graph, uint32_t index);
uint32_t code_graph_block(const struct code_graph *graph, uint32_t index);
/* The last instruction of a block, padding left out; NULL: it is all padding. */
const struct instruction *code_graph_last(const struct code_graph *graph,
					  const struct code_block *block);

/*
 * Dataflow by iteration: each pending block, at first the entry's one alone, until none is left.
 * The caller marks the successors as pending whose states change.
 *
 *	struct code_worklist list = code_graph_start(graph);
 *
 *	while (code_graph_next_pending(graph, &list)) ... list.block ...
 */
struct code_worklist {
	uint32_t block;
	uint32_t next;
	uint32_t round;
	bool changed;
	bool too_long;		/* given up: it takes too many rounds */
};

struct code_worklist code_graph_start(struct code_graph *graph);
bool code_graph_next_pending(struct code_graph *graph, struct code_worklist *list);

/* Whether the instruction is a jump that leaves the function (or, by pointer, may leave it). */
bool code_graph_jumps_out(const struct code_graph *graph, const struct instruction *insn);

static inline bool code_is_call(const struct instruction *insn)
{
	return insn->kind == INSTRUCTION_CALL || insn->kind == INSTRUCTION_CALL_POINTER ||
	       insn->kind == INSTRUCTION_CALL_FIXED;
}

static inline bool code_is_direct_jump(const struct instruction *insn)
{
	return insn->kind == INSTRUCTION_JUMP || insn->kind == INSTRUCTION_BRANCH;
}

static inline bool code_is_fentry_call(const struct code_graph *graph,
				       const struct instruction *insn)
{
	return insn->kind == INSTRUCTION_CALL && code_image_is_hook(graph->image, insn->target);
}

/* Whether the next instruction never follows (but for static branches). */
bool code_ends_path(const struct instruction *insn);

#endif
