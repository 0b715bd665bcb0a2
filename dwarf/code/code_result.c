/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Is the value that a call left in a register read after it? The value is followed along all paths
 * until each has overwritten it.
 *
 * A value is followed surely or doubtfully. After a trap that may not go on it is doubtful, and
 * after a call that may have preserved the register, the call in question included. Code that reads
 * a doubtful value may read another one: then nothing is known.
 *
 * The value is followed out of the function, too: a jump out may lead to another part of the caller
 * (a symbol .cold), and a callee in assembler may take its argument where results are
 * (__put_user_4: eax). Where a jump goes to a function of its own, that overwrites or returns the
 * value.
 */
#include "dwarf/code/machine_code.h"

#include <stdlib.h>

#include "dwarf/code/code_reader.h"

enum {
	GONE,
	SURE = 1,
	DOUBTFUL = 2,
};

struct value {
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

static void note_read(struct value *value, unsigned int state)
{
	if (state == SURE)
		value->read = true;
	else
		value->unknown = true;
}

static bool is_preserved(const struct value *value, uint64_t callee)
{
	return code_callee(value->callees, callee, value->bit).preserves & value->bit;
}

/* The state after a call. */
static unsigned int follow_call(struct value *value, const struct instruction *insn,
				unsigned int state)
{
	const struct code_convention *convention = value->graph->convention;
	/* The value may be meant for a callee about which nothing is known. */
	bool may_be_argument = value->bit & convention->arguments;
	bool by_pointer = insn->kind != INSTRUCTION_CALL;
	unsigned int meets = 0;

	if (code_is_fentry_call(value->graph, insn))
		return state;
	if (!by_pointer) {
		meets = code_callee_meets(value->callees, insn->target, value->reg);
		if (meets & CALLEE_READS) {
			note_read(value, state);
			return GONE;
		}
		by_pointer = code_image_is_thunk(value->graph->image, insn->target);
	}
	if (by_pointer || meets & CALLEE_UNKNOWN)
		value->unknown |= may_be_argument;
	/* Mostly a paravirt operation, which returns in the first register, if at all. */
	if (insn->kind == INSTRUCTION_CALL_FIXED && value->reg != 0)
		return DOUBTFUL;
	if (!(value->bit & convention->caller_saved))
		return state;
	/* A callee that just returns may be patched to do more: the trampoline of a static call. */
	return !by_pointer && (meets & CALLEE_RETURNS_IT || is_preserved(value, insn->target)) ?
		       DOUBTFUL :
		       GONE;
}

/* The state after an instruction. */
static unsigned int follow(struct value *value, const struct instruction *insn, unsigned int state)
{
	const struct code_graph *graph = value->graph;

	if (insn->kind == INSTRUCTION_BAD) {
		value->unknown = true;
		return GONE;
	}
	if (insn->reads & value->bit) {
		note_read(value, state);
		return GONE;
	}
	/* A push: to move the stack, or of an argument. */
	if (insn->maybe_reads & value->bit)
		value->unknown = true;
	if (code_is_call(insn))
		return follow_call(value, insn, state);
	if (insn->kind == INSTRUCTION_JUMP_REGISTER) {
		value->unknown = true;	/* a jump table, or a tail call */
	} else if (insn->kind == INSTRUCTION_JUMP_MEMORY || insn->kind == INSTRUCTION_RETURN) {
		value->passed = true;
	} else if (code_graph_jumps_out(graph, insn)) {
		unsigned int meets = code_callee_meets(value->callees, insn->target, value->reg);

		if (meets & CALLEE_READS)
			note_read(value, state);
		else if (code_image_is_thunk(graph->image, insn->target))
			value->passed = true;
		else if (meets & CALLEE_UNKNOWN)
			value->unknown = true;
		else if (meets & CALLEE_RETURNS_IT || is_preserved(value, insn->target))
			value->passed = true;
	}
	/* The code after BUG() is reached from elsewhere, in a symbol .cold above all. */
	if (insn->kind == INSTRUCTION_TRAP)
		return DOUBTFUL;
	return insn->writes & value->bit ? GONE : state;
}

/* From an instruction to the end of its block, and on. */
static void follow_block(struct value *value, uint32_t index, uint32_t first, unsigned int state)
{
	const struct code_graph *graph = value->graph;
	const struct code_block *block = &graph->blocks.data[index];

	for (uint32_t i = first; i < block->end && state && !value->read; i++)
		state = follow(value, &graph->code.data[i], state);
	if (!state || value->read)
		return;
	if (block->falls_out) {
		/* A call or trap at the function's end does not return; other code goes on. */
		const struct instruction *last = code_graph_last(graph, block);

		value->passed |= !last ||
				 (!code_is_call(last) && last->kind != INSTRUCTION_TRAP);
	}
	for (uint32_t i = 0; i < block->successor_count; i++) {
		uint32_t next = graph->successors.data[block->successors + i];

		/* A sure value subsumes a doubtful one. */
		if (value->seen[next] & (state | SURE))
			continue;
		value->seen[next] |= (uint8_t)state;
		array_push(&value->pending, next * 2 + (state == DOUBTFUL));
	}
}

enum register_use machine_code_use_after(const struct machine_code *code, uint64_t begin,
					 uint64_t end, uint64_t return_pc, unsigned int reg)
{
	struct value value = { .reg = reg };
	const struct instruction *call;
	struct code_graph *graph;
	bool may_be_kept;
	uint32_t at = 0;

	if (!code->reader || reg >= 31 || !code_graph_load(&code->reader->graph, begin, end))
		return USE_UNKNOWN;
	value.callees = &code->reader->callees;
	value.graph = graph = &code->reader->graph;
	value.bit = 1u << reg;
	for (call = graph->code.data; at < graph->code.count; at++, call++)
		if (call->address + call->length == return_pc)
			break;
	if (at == graph->code.count)
		return USE_UNKNOWN;
	if (!code_is_call(call))
		return code_graph_jumps_out(graph, call) ? USE_PASSED : USE_UNKNOWN;
	/*
	 * A value that is read after a call that leaves the register alone is the one that the
	 * caller had there before: with -fipa-ra GCC knows of such callees.
	 */
	may_be_kept = call->kind == INSTRUCTION_CALL && is_preserved(&value, call->target);
	value.seen = memory_zeroed(graph->blocks.count, 1);
	follow_block(&value, code_graph_block(graph, at), at + 1, may_be_kept ? DOUBTFUL : SURE);
	while (value.pending.count && !value.read) {
		uint32_t next = value.pending.data[--value.pending.count];

		follow_block(&value, next / 2, graph->blocks.data[next / 2].first,
			     next % 2 ? DOUBTFUL : SURE);
	}
	free(value.seen);
	array_release(&value.pending);
	if (value.read)
		return USE_READ;
	if (value.unknown || !graph->complete)
		return USE_UNKNOWN;
	return value.passed ? USE_PASSED : USE_DEAD;
}
