/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A value is followed surely or doubtfully. After a trap that may not go on it is doubtful, and
 * after a call that may have preserved the register, the call in question included. Code that reads
 * a doubtful value may read another one: then nothing is known.
 *
 * Out of the function, too: a jump out may lead to another part of the caller (a symbol .cold), and
 * a callee in assembler may take its argument where results are (__put_user_4: eax). Where a jump
 * goes to a function of its own, that overwrites or returns the value.
 */
#include "dwarf/code/code_behind.h"

#include <stdlib.h>

#include "base/search.h"

enum {
	SURE = 1,
	DOUBTFUL = 2,
};

struct behind {
	struct code_callees *callees;
	const struct code_graph *graph;
	unsigned int reg;
	uint32_t bit;
	bool read;
	bool passed;
	bool unknown;
	uint8_t *seen;			/* per block: SURE, DOUBTFUL */
	ARRAY_OF(uint32_t) pending;	/* block * 2 + is doubtful */
};

/* Whether a value in the register may be meant for a callee that nothing is known of. */
static bool may_be_argument(const struct behind *behind)
{
	return behind->bit & behind->callees->arguments;
}

static void note_read(struct behind *behind, unsigned int state)
{
	if (state == SURE)
		behind->read = true;
	else
		behind->unknown = true;
}

/* The state after a call; 0: the value is gone. */
static unsigned int follow_call(struct behind *behind, const struct instruction *insn,
				unsigned int state)
{
	struct code_callees *callees = behind->callees;
	bool by_pointer = insn->kind != INSTRUCTION_CALL;
	unsigned int meets;

	if (code_is_fentry_call(behind->graph, insn))
		return state;
	if (!by_pointer) {
		meets = code_callee_meets(callees, insn->target, behind->reg);
		if (meets & CALLEE_READS) {
			note_read(behind, state);
			return 0;
		}
		by_pointer = code_image_is_thunk(behind->graph->image, insn->target);
	}
	if (by_pointer) {
		behind->unknown |= may_be_argument(behind);
		/* Mostly a paravirt operation, which returns in the first register, if at all. */
		if (insn->kind == INSTRUCTION_CALL_FIXED && behind->reg != 0)
			return DOUBTFUL;
		return behind->bit & callees->caller_saved ? 0 : state;
	}
	if (meets & CALLEE_UNKNOWN)
		behind->unknown |= may_be_argument(behind);
	if (!(behind->bit & callees->caller_saved))
		return state;
	/* What just returns may be patched to do more: the trampoline of a static call. */
	return meets & CALLEE_RETURNS_IT ||
			       code_callee(callees, insn->target).preserves & behind->bit ?
		       DOUBTFUL :
		       0;
}

static void follow_jump_out(struct behind *behind, const struct instruction *insn,
			    unsigned int state)
{
	unsigned int meets;

	if (insn->kind == INSTRUCTION_JUMP_REGISTER) {
		behind->unknown = true;	/* a jump table, or a tail call */
		return;
	}
	if (!code_is_direct_jump(insn)) {
		behind->passed = true;
		return;
	}
	meets = code_callee_meets(behind->callees, insn->target, behind->reg);
	if (meets & CALLEE_READS)
		note_read(behind, state);
	else if (code_image_is_thunk(behind->graph->image, insn->target))
		behind->passed = true;
	else if (meets & CALLEE_UNKNOWN)
		behind->unknown = true;
	else if (meets & CALLEE_RETURNS_IT ||
		 code_callee(behind->callees, insn->target).preserves & behind->bit)
		behind->passed = true;
}

/* The state after an instruction; 0: the value is gone. */
static unsigned int follow(struct behind *behind, const struct instruction *insn,
			   unsigned int state)
{
	if (insn->kind == INSTRUCTION_BAD) {
		behind->unknown = true;
		return 0;
	}
	if (insn->reads & behind->bit) {
		note_read(behind, state);
		return 0;
	}
	/* A push: for the stack's sake, or an argument. */
	if (insn->maybe_reads & behind->bit)
		behind->unknown = true;
	if (code_is_call(insn))
		return follow_call(behind, insn, state);
	if (code_graph_jumps_out(behind->graph, insn))
		follow_jump_out(behind, insn, state);
	if (insn->kind == INSTRUCTION_RETURN)
		behind->passed = true;
	/* After BUG() is what is reached from elsewhere, in a symbol .cold above all. */
	if (insn->kind == INSTRUCTION_TRAP)
		return DOUBTFUL;
	return insn->writes & behind->bit ? 0 : state;
}

static void reach(struct behind *behind, uint32_t block, unsigned int state)
{
	/* What is sure says all that a doubtful value could. */
	if (behind->seen[block] & (state | SURE))
		return;
	behind->seen[block] |= (uint8_t)state;
	array_push(&behind->pending, block * 2 + (state == DOUBTFUL));
}

/* A call or trap at the function's end goes nowhere; anything else there goes into what follows. */
static bool ends_with_call(const struct code_graph *graph, const struct code_block *block)
{
	for (uint32_t i = block->end; i > block->first; i--) {
		const struct instruction *insn = &graph->code.data[i - 1];

		if (insn->kind != INSTRUCTION_NOP)
			return code_is_call(insn) || insn->kind == INSTRUCTION_TRAP;
	}
	return false;
}

/* From an instruction to the end of its block, and on. */
static void follow_block(struct behind *behind, uint32_t index, uint32_t first, unsigned int state)
{
	const struct code_graph *graph = behind->graph;
	const struct code_block *block = &graph->blocks.data[index];

	for (uint32_t i = first; i < block->end && state && !behind->read; i++)
		state = follow(behind, &graph->code.data[i], state);
	if (!state || behind->read)
		return;
	if (block->falls_out && !ends_with_call(graph, block))
		behind->passed = true;
	for (uint32_t i = 0; i < block->successor_count; i++)
		reach(behind, graph->successors.data[block->successors + i], state);
}

/* The instruction that ends at an address; CODE_NOWHERE when there is none. */
static uint32_t index_before(const struct code_graph *graph, uint64_t end)
{
	for (uint32_t i = 0; i < graph->piece_count; i++) {
		const struct code_piece *piece = &graph->pieces[i];
		const struct instruction *code = graph->code.data + piece->first;
		size_t at = lower_bound(k, piece->count, code[k].address < end);

		if (at && code[at - 1].address + code[at - 1].length == end)
			return piece->first + (uint32_t)at - 1;
	}
	return CODE_NOWHERE;
}

/*
 * What is read after a call that leaves the register alone is what the caller had there before:
 * with -fipa-ra GCC knows of such callees.
 */
static bool may_be_kept(struct code_callees *callees, const struct instruction *call, uint32_t bit)
{
	return call->kind == INSTRUCTION_CALL &&
	       code_callee(callees, call->target).preserves & bit;
}

enum code_use code_use_behind(struct code_callees *callees, uint64_t begin, uint64_t end,
			      uint64_t return_pc, unsigned int reg)
{
	struct code_graph *graph = callees->graph;
	struct behind behind = { callees, graph, reg, .bit = 1u << reg };
	uint32_t call;

	if (!code_graph_load(graph, begin, end))
		return CODE_UNKNOWN;
	call = index_before(graph, return_pc);
	if (call == CODE_NOWHERE)
		return CODE_UNKNOWN;
	if (!code_is_call(&graph->code.data[call]))
		return code_graph_jumps_out(graph, &graph->code.data[call]) ? CODE_PASSED :
									      CODE_UNKNOWN;
	behind.seen = memory_zeroed(graph->blocks.count, 1);
	follow_block(&behind, code_graph_block(graph, call), call + 1,
		     may_be_kept(callees, &graph->code.data[call], behind.bit) ? DOUBTFUL : SURE);
	while (behind.pending.count && !behind.read) {
		uint32_t next = behind.pending.data[--behind.pending.count];

		follow_block(&behind, next / 2, graph->blocks.data[next / 2].first,
			     next % 2 ? DOUBTFUL : SURE);
	}
	free(behind.seen);
	array_release(&behind.pending);
	if (behind.read)
		return CODE_READ;
	if (behind.unknown || !graph->complete)
		return CODE_UNKNOWN;
	return behind.passed ? CODE_PASSED : CODE_DEAD;
}
