/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Dataflow through one function at a time: the contents of each general register before each
 * instruction, and the registers of its caller that the function reads. It is solved by iteration,
 * for all registers at once, and for the vector registers of arm64 when one is asked for.
 *
 * After a call that may not return (code_graph.c), what the call left is unsure.
 *
 * Calls that break the convention. Inline assembler calls thunks that preserve all registers;
 * preserve_most functions do; GCC's -fipa-ra (off with -pg, so on in lib/) knows which registers a
 * callee leaves alone. At the level of scrutiny the callee is looked at: see code_callee.c.
 */
#include "dwarf/code/machine_code.h"

#include <elf.h>
#include <string.h>

#include "dwarf/code/code_reader.h"

/* The registers after an instruction. */
static void apply(struct code_reader *reader, enum flow_level level,
		  const struct instruction *insn, struct flow_state *state)
{
	const struct code_convention *convention = reader->graph.convention;
	bool is_doubtful = insn->flags & CODE_NEXT_DOUBTFUL;

	if (code_is_fentry_call(&reader->graph, insn))
		return;
	if (code_is_call(insn)) {
		struct callee callee = { .returns = 0 };
		uint32_t caller_saved = level == FLOW_VECTORS ? convention->caller_saved_vectors
							      : convention->caller_saved;
		uint32_t kept, clobbered, returned;

		if (level == FLOW_SCRUTINY && insn->kind == INSTRUCTION_CALL)
			callee = code_callee(&reader->callees, insn->target, ~UINT32_C(0));
		/* A call through memory at a constant address is mostly a paravirt operation. */
		if (level == FLOW_SCRUTINY && insn->kind == INSTRUCTION_CALL_FIXED)
			callee.preserves = ~UINT32_C(0);
		kept = callee.preserves & caller_saved;
		clobbered = caller_saved & ~kept;
		returned = (callee.returns | convention->result) & clobbered;

		state->maybe_entry = (state->maybe_entry & ~clobbered) | (state->entry & kept);
		state->unsure = (state->unsure & ~clobbered) |
				((state->entry | state->value) & kept) | returned;
		state->entry &= ~caller_saved;
		state->value &= ~clobbered;
		state->clobbered = (state->clobbered | clobbered) & ~returned;
		if (is_doubtful || reader->graph.jumps_anywhere) {
			state->unsure |= state->clobbered & caller_saved;
			state->clobbered = 0;
		}
	} else if (insn->kind == INSTRUCTION_TRAP) {
		/* A trap changes nothing, but that anything follows may be wrong. */
		state->unsure |= state->clobbered;
		state->clobbered = 0;
		state->maybe_entry |= is_doubtful ? state->entry : 0;
		state->entry &= is_doubtful ? 0 : ~UINT32_C(0);
	} else if (insn->kind == INSTRUCTION_BAD) {
		state->maybe_entry |= state->entry;
		state->unsure = ~UINT32_C(0);
		state->entry = state->value = state->clobbered = 0;
	} else {
		state->entry &= ~insn->writes;
		state->maybe_entry &= ~insn->writes;
		state->clobbered &= ~insn->writes;
		state->unsure &= ~insn->writes;
		state->value |= insn->writes;
	}
}

/* Joins the state at the begin of a block with that of a path; a change makes it pending. */
static void join(struct code_reader *reader, struct flow_solution *solution, uint32_t block,
		 const struct flow_state *state)
{
	struct flow_state *in = &solution->in.data[block];
	struct flow_state old = *in;

	in->entry |= state->entry;
	in->value |= state->value;
	in->clobbered |= state->clobbered;
	in->unsure |= state->unsure;
	in->maybe_entry |= state->maybe_entry;
	if (memcmp(&old, in, sizeof(old)) != 0)
		reader->graph.blocks.data[block].pending = true;
}

/* Whether control may leave the function at the instruction with registers as they are. */
static bool passes_on(const struct code_graph *graph, uint32_t index)
{
	const struct instruction *insn = &graph->code.data[index];

	if (code_is_call(insn))
		return !code_is_fentry_call(graph, insn);
	return code_graph_jumps_out(graph, insn) ||
	       (!code_ends_path(insn) && code_graph_next(graph, index) == CODE_NOWHERE);
}

/* The instructions of the function at hand, with the registers of a level. */
static const struct instruction *code_of(struct code_reader *reader, enum flow_level level)
{
	const struct code_graph *graph = &reader->graph;
	struct flow_solution *solution = &reader->levels[level];

	if (level != FLOW_VECTORS)
		return graph->code.data;
	solution->vectors.count = 0;
	for (size_t i = 0; i < graph->code.count; i++) {
		struct instruction insn = graph->code.data[i];
		size_t size;
		const uint8_t *bytes = code_image_text(graph->image, insn.address, &size);

		insn.reads = insn.writes = insn.maybe_reads = 0;
		if (insn.kind != INSTRUCTION_BAD)
			instruction_vectors_arm64(bytes, &insn.reads, &insn.writes);
		array_push(&solution->vectors, insn);
	}
	return solution->vectors.data;
}

/* False when the function cannot be decoded into a CFG, or takes too long. */
static bool solve(struct code_reader *reader, enum flow_level level, uint64_t begin, uint64_t end)
{
	struct code_graph *graph = &reader->graph;
	struct flow_solution *solution = &reader->levels[level];
	struct flow_state *anywhere = &solution->anywhere;
	const struct instruction *code;
	struct code_worklist list;

	if (!code_graph_load(graph, begin, end))
		return false;
	if (solution->generation == graph->generation)
		return solution->is_good;
	solution->generation = graph->generation;
	solution->asked = CODE_NOWHERE;
	code = code_of(reader, level);
	solution->read = solution->maybe_read = solution->passed = 0;
	*anywhere = (struct flow_state){ 0 };
	solution->in.count = 0;
	for (size_t i = 0; i < graph->blocks.count; i++)
		array_push(&solution->in, (struct flow_state){ .entry = i ? 0 : ~UINT32_C(0) });
	/*
	 * A state only ever grows, by five bits per register, so this ends. What holds after a
	 * block holds wherever control goes from there. A faulting instruction has not written, but
	 * the compiler takes the results of inline assembler for written on all paths out.
	 */
	list = code_graph_start(graph);
	while (code_graph_next_pending(graph, &list)) {
		const struct code_block *block = &graph->blocks.data[list.block];
		struct flow_state state = solution->in.data[list.block];
		uint32_t entry;

		for (uint32_t i = block->first; i < block->end; i++)
			apply(reader, level, &code[i], &state);
		for (uint32_t i = 0; i < block->successor_count; i++)
			join(reader, solution, graph->successors.data[block->successors + i],
			     &state);
		if (code[block->end - 1].kind != INSTRUCTION_JUMP_REGISTER)
			continue;
		/* A jump that may go anywhere. What has been spread once need not be again. */
		entry = state.entry | state.maybe_entry;
		if (anywhere->unsure && !(entry & ~anywhere->maybe_entry))
			continue;
		anywhere->unsure = ~UINT32_C(0);
		anywhere->maybe_entry |= entry;
		for (uint32_t i = 0; i < solution->in.count; i++)
			join(reader, solution, i, anywhere);
	}
	solution->is_good = !list.too_long;
	for (size_t i = 0; i < graph->blocks.count && solution->is_good; i++) {
		const struct code_block *block = &graph->blocks.data[i];
		struct flow_state state = solution->in.data[i];

		for (uint32_t j = block->first; j < block->end; j++) {
			const struct instruction *insn = &code[j];
			uint32_t entry = state.entry | state.maybe_entry;

			solution->read |= insn->reads & state.entry;
			solution->maybe_read |= (insn->reads & state.maybe_entry) |
						(insn->maybe_reads & entry);
			if (insn->kind == INSTRUCTION_BAD ||
			    insn->kind == INSTRUCTION_JUMP_REGISTER)
				solution->maybe_read |= entry;
			if (passes_on(graph, j))
				solution->passed |= entry;
			apply(reader, level, insn, &state);
		}
	}
	return solution->is_good;
}

/*
 * The contents of registers before an instruction of the function at hand. Questions about the
 * calls of one block ascend: each goes on from the one before, or a block of many would be walked
 * for each of them.
 */
static struct flow_state state_before(struct code_reader *reader, enum flow_level level,
				      uint32_t index)
{
	const struct code_graph *graph = &reader->graph;
	struct flow_solution *solution = &reader->levels[level];
	uint32_t block = code_graph_block(graph, index), at = graph->blocks.data[block].first;
	struct flow_state state = solution->in.data[block];
	bool is_reached =
		state.entry | state.value | state.clobbered | state.unsure | state.maybe_entry;

	if (solution->asked <= index && solution->asked > at) {
		at = solution->asked;
		state = solution->before_asked;
	}
	while (at < index)
		apply(reader, level, &graph->code.data[at++], &state);
	solution->asked = index;
	solution->before_asked = state;
	/*
	 * Where no known path leads (a further entry of a .cold part), only what the block has
	 * written counts: there may be such an entry after any call in it.
	 */
	if (!is_reached)
		state.unsure = ~state.value;
	return state;
}

/* ---- questions ---- */

bool machine_code_keeps_entry(const struct machine_code *code, uint64_t begin, uint64_t end,
			      uint64_t pc, unsigned int reg)
{
	struct code_reader *reader = code->reader;
	const struct code_graph *graph;
	struct instruction insn;
	struct flow_state state;
	uint32_t index, other;

	if (!reader || reg >= 31 || pc < begin || pc >= end ||
	    end - begin > CODE_MAX_FUNCTION_BYTES)
		return false;
	graph = &reader->graph;
	/*
	 * Most have been written a few instructions after the entry; then the function need not be
	 * solved. Another path may write them, not the one that leads to the pc, but that is rare.
	 */
	for (uint64_t address = begin; address < pc; address += insn.length) {
		code_graph_decode(&reader->graph, address, &insn);
		if (insn.kind == INSTRUCTION_BAD || !insn.length || insn.writes >> reg & 1 ||
		    (code_is_call(&insn) && !code_is_fentry_call(graph, &insn)))
			return false;
	}
	if (!solve(reader, FLOW_CONVENTION, begin, end) || !graph->complete)
		return false;
	index = code_graph_index(graph, pc);
	if (index == CODE_NOWHERE)
		return false;
	state = state_before(reader, FLOW_CONVENTION, index);
	other = state.value | state.clobbered | state.unsure | state.maybe_entry;
	if (!((state.entry & ~other) >> reg & 1))
		return false;
	/*
	 * A jump to code that the graph does not have: a tail call does not come back, but a .cold
	 * part may, and which pieces are found is a matter of limits (code_graph.c).
	 */
	for (size_t i = 0; i < graph->code.count; i++)
		if (code_is_direct_jump(&graph->code.data[i]) &&
		    code_graph_index(graph, graph->code.data[i].target) == CODE_NOWHERE)
			return false;
	return true;
}

enum reaching_definition machine_code_reaching_at_call(const struct machine_code *code,
						       uint64_t begin, uint64_t end,
						       uint64_t call, unsigned int reg)
{
	struct code_reader *reader = code->reader;
	bool is_inside = call >= begin && call < end;

	for (unsigned int level = FLOW_CONVENTION; level <= FLOW_SCRUTINY; level++) {
		const struct instruction *insn;
		struct flow_state state;
		uint32_t index, lost;

		if (!reader || reg >= 31 || !solve(reader, (enum flow_level)level, begin, end))
			return REACHING_UNKNOWN;
		index = is_inside ? code_graph_index(&reader->graph, call) : CODE_NOWHERE;
		if (index == CODE_NOWHERE)
			return reader->graph.complete || !is_inside ? REACHING_NO_CALL
								    : REACHING_UNKNOWN;
		insn = &reader->graph.code.data[index];
		if (!code_is_call(insn) && !code_is_direct_jump(insn) &&
		    insn->kind != INSTRUCTION_JUMP_REGISTER &&
		    insn->kind != INSTRUCTION_JUMP_MEMORY)
			return insn->kind == INSTRUCTION_BAD ? REACHING_UNKNOWN : REACHING_NO_CALL;
		if (!reader->graph.complete)
			return REACHING_UNKNOWN;
		state = state_before(reader, (enum flow_level)level, index);
		lost = state.clobbered | state.unsure;
		if ((state.value & ~(state.entry | state.maybe_entry | lost)) >> reg & 1)
			return REACHING_SET;
		if ((state.entry & ~lost) >> reg & 1)
			return REACHING_ENTRY;
		/* Only a claim that it is not set is worth a look at the callees before. */
		if (!((state.clobbered & ~(state.value | state.unsure)) >> reg & 1))
			return REACHING_UNKNOWN;
	}
	return REACHING_UNSET;
}

enum register_use machine_code_entry_use(const struct machine_code *code, uint64_t begin,
					 uint64_t end, unsigned int reg)
{
	struct code_reader *reader = code->reader;
	const struct flow_solution *solution;

	if (reader && code->machine == EM_AARCH64 && reg - ARM64_VECTORS < 32u) {
		solution = &reader->levels[FLOW_VECTORS];
		reg -= ARM64_VECTORS;
		return solve(reader, FLOW_VECTORS, begin, end) && solution->read >> reg & 1
			       ? USE_READ
			       : USE_UNKNOWN;
	}
	if (!reader || reg >= (code->machine == EM_X86_64 ? 16 : 31))
		return USE_UNKNOWN;
	if (solve(reader, FLOW_CONVENTION, begin, end) &&
	    reader->levels[FLOW_CONVENTION].read >> reg & 1)
		return USE_READ;
	solution = &reader->levels[FLOW_SCRUTINY];
	/* Where parts are not decodable, only what is read is known. */
	if (!solve(reader, FLOW_SCRUTINY, begin, end) || !reader->graph.complete ||
	    solution->maybe_read >> reg & 1)
		return USE_UNKNOWN;
	return solution->passed >> reg & 1 ? USE_PASSED : USE_DEAD;
}

bool machine_code_callees_ignore(const struct machine_code *code, uint64_t begin, uint64_t end,
				 unsigned int reg)
{
	struct code_reader *reader = code->reader;

	if (!reader || reg >= 31 || !solve(reader, FLOW_SCRUTINY, begin, end))
		return false;
	for (uint32_t i = 0; i < reader->graph.code.count; i++) {
		const struct instruction *insn = &reader->graph.code.data[i];
		struct flow_state state;

		if (!passes_on(&reader->graph, i))
			continue;
		state = state_before(reader, FLOW_SCRUTINY, i);
		if (!((state.entry | state.maybe_entry) >> reg & 1))
			continue;
		if ((insn->kind != INSTRUCTION_CALL && !code_is_direct_jump(insn)) ||
		    code_image_is_thunk(reader->graph.image, insn->target) ||
		    code_callee_meets(&reader->callees, insn->target, reg) &
			    (CALLEE_READS | CALLEE_UNKNOWN))
			return false;
	}
	return true;
}
