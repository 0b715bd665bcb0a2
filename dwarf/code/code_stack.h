/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Which registers hold addresses of the stack, as distances from the stack pointer that the
 * function was entered with; and whether it reads a part of its caller's frame: an argument on the
 * stack.
 *
 * The function that was asked for last is kept, so that further questions about it cost one pass
 * over its instructions. Not shared between threads.
 */
#ifndef BTFENC_DWARF_CODE_CODE_STACK_H
#define BTFENC_DWARF_CODE_CODE_STACK_H

#include "dwarf/code/code_graph.h"

struct stack_value {
	int32_t offset;
	uint8_t kind;
};

struct stack_state {
	struct stack_value registers[32];
};

struct stack_block {
	bool is_reached;
	bool pending;
	bool by_doubt;		/* all ways that lead there are doubtful */
	uint64_t untouched;	/* parts of the slot that is asked for: see code_stack.c */
	struct stack_state in;
};

struct code_stack {
	struct code_graph *graph;
	uint8_t stack_pointer;
	uint32_t results;		/* what a call leaves values in */
	uint32_t arguments;
	uint32_t kept;			/* by a call */
	int32_t arguments_begin;	/* the offset of the first one on the stack */

	/* Of the function that the graph holds, if the generations agree. */
	uint64_t generation;
	bool is_good;
	bool has_saved;			/* an address of arguments has been pushed, */
	int32_t saved_at;		/* there, from the aligned stack pointer, */
	int32_t saved_offset;		/* of what is there, from the entry's one */
	ARRAY_OF(struct instruction_address) addresses;
	ARRAY_OF(struct stack_block) blocks;
};

void code_stack_init(struct code_stack *stack, struct code_graph *graph);
void code_stack_release(struct code_stack *stack);

/*
 * Of the bytes [offset, offset + size) above the stack pointer that the function begins with.
 * CODE_COPIED: all that is done with them is to store them in the function's own frame.
 */
enum code_use code_stack_use(struct code_stack *stack, uint64_t begin, uint64_t end,
			     int64_t offset, uint64_t size);

#endif
