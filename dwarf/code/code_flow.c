/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The function at hand is solved by iteration, for all registers at once.
 *
 * After a call that may not return (code_graph.c), what the call left is unsure.
 *
 * Calls that break the convention. Inline assembler calls thunks that preserve all registers;
 * preserve_most functions do; GCC's -fipa-ra (off with -pg, so on in lib/) knows which registers a
 * callee leaves alone. At the level of scrutiny the callee is looked at: see code_callee.c.
 */
#include "dwarf/code/code_flow.h"

#include <string.h>

void code_flow_init(struct code_flow *flow, struct code_graph *graph, struct code_callees *callees)
{
	*flow = (struct code_flow){ .graph = graph, .callees = callees };
}

void code_flow_release(struct code_flow *flow)
{
	for (int level = 0; level < FLOW_LEVELS; level++)
		array_release(&flow->levels[level].in);
}

/* ---- what an instruction does to the registers ---- */

static void pass_call(struct code_flow *flow, enum flow_level level, const struct instruction *insn,
		      struct flow_state *state)
{
	struct callee callee = { .returns = flow->callees->result };
	uint32_t kept, clobbered;

	if (code_is_fentry_call(flow->graph, insn))
		return;
	if (level == FLOW_SCRUTINY && insn->kind == INSTRUCTION_CALL)
		callee = code_callee(flow->callees, insn->target);
	/* A call through memory at a constant address is mostly a paravirt operation. */
	if (level == FLOW_SCRUTINY && insn->kind == INSTRUCTION_CALL_FIXED)
		callee.preserves = ~UINT32_C(0);
	callee.returns |= flow->callees->result;
	kept = callee.preserves & flow->callees->caller_saved;
	clobbered = flow->callees->caller_saved & ~kept;

	state->maybe_entry = (state->maybe_entry & ~clobbered) | (state->entry & kept);
	state->unsure = (state->unsure & ~clobbered) | ((state->entry | state->value) & kept) |
			(callee.returns & clobbered);
	state->entry &= ~flow->callees->caller_saved;
	state->value &= ~clobbered;
	state->clobbered = (state->clobbered | clobbered) & ~(callee.returns & clobbered);
	if (insn->flags & CODE_NEXT_DOUBTFUL || flow->graph->jumps_anywhere) {
		state->unsure |= state->clobbered & flow->callees->caller_saved;
		state->clobbered = 0;
	}
}

/* A trap changes nothing, but that anything follows may be wrong. */
static void pass_trap(const struct instruction *insn, struct flow_state *state)
{
	state->unsure |= state->clobbered;
	state->clobbered = 0;
	if (insn->flags & CODE_NEXT_DOUBTFUL) {
		state->maybe_entry |= state->entry;
		state->entry = 0;
	}
}

static void pass(struct code_flow *flow, enum flow_level level, const struct instruction *insn,
		 struct flow_state *state)
{
	if (code_is_call(insn)) {
		pass_call(flow, level, insn, state);
	} else if (insn->kind == INSTRUCTION_TRAP) {
		pass_trap(insn, state);
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

/* ---- the solution ---- */

struct flow_pass {
	struct code_flow *flow;
	enum flow_level level;
};

/* What reaches a block: joined to what is there; a change makes it pending. */
static void reach(struct code_flow *flow, struct flow_solution *solution, uint32_t block,
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
		flow->graph->blocks.data[block].pending = true;
}

/*
 * What holds after a block holds wherever control goes from there. A faulting instruction has not
 * written, but the compiler takes the results of inline assembler for written on all paths out.
 */
static void pass_block(void *context, uint32_t index)
{
	const struct flow_pass *at = context;
	const struct code_graph *graph = at->flow->graph;
	const struct code_block *block = &graph->blocks.data[index];
	struct flow_solution *solution = &at->flow->levels[at->level];
	struct flow_state *anywhere = &solution->anywhere;
	struct flow_state state = solution->in.data[index];
	uint32_t entry;

	for (uint32_t i = block->first; i < block->end; i++)
		pass(at->flow, at->level, &graph->code.data[i], &state);
	for (uint32_t i = 0; i < block->successor_count; i++)
		reach(at->flow, solution, graph->successors.data[block->successors + i], &state);
	if (graph->code.data[block->end - 1].kind != INSTRUCTION_JUMP_REGISTER)
		return;
	/* A jump that may go anywhere. What has been spread once need not be again. */
	entry = state.entry | state.maybe_entry;
	if (anywhere->unsure && !(entry & ~anywhere->maybe_entry))
		return;
	anywhere->unsure = ~UINT32_C(0);
	anywhere->maybe_entry |= entry;
	for (uint32_t i = 0; i < solution->in.count; i++)
		reach(at->flow, solution, i, anywhere);
}

/* Whether control may leave the function at the instruction with registers as they are. */
static bool passes_on(const struct code_graph *graph, uint32_t index)
{
	const struct instruction *insn = &graph->code.data[index];

	if (code_is_call(insn))
		return !code_is_fentry_call(graph, insn);
	return code_graph_jumps_out(graph, insn) ||
	       (!code_ends_path(insn) && code_graph_behind(graph, index) == CODE_NOWHERE);
}

static void collect_use(struct code_flow *flow, enum flow_level level)
{
	const struct code_graph *graph = flow->graph;
	struct flow_entry_use *use = &flow->levels[level].use;

	*use = (struct flow_entry_use){ 0 };
	for (size_t i = 0; i < graph->blocks.count; i++) {
		const struct code_block *block = &graph->blocks.data[i];
		struct flow_state state = flow->levels[level].in.data[i];

		for (uint32_t j = block->first; j < block->end; j++) {
			const struct instruction *insn = &graph->code.data[j];

			use->read |= insn->reads & state.entry;
			use->maybe_read |= insn->reads & state.maybe_entry;
			use->maybe_read |= insn->maybe_reads & (state.entry | state.maybe_entry);
			if (insn->kind == INSTRUCTION_BAD ||
			    insn->kind == INSTRUCTION_JUMP_REGISTER)
				use->maybe_read |= state.entry | state.maybe_entry;
			if (passes_on(graph, j))
				use->passed |= state.entry | state.maybe_entry;
			pass(flow, level, insn, &state);
		}
	}
}

/* False when the function cannot be decoded into a CFG, or takes too long. */
static bool solve(struct code_flow *flow, enum flow_level level, uint64_t begin, uint64_t end)
{
	struct flow_solution *solution = &flow->levels[level];
	struct flow_pass context = { flow, level };

	if (!code_graph_load(flow->graph, begin, end))
		return false;
	if (solution->generation == flow->graph->generation)
		return solution->is_good;
	solution->generation = flow->graph->generation;
	solution->anywhere = (struct flow_state){ 0 };
	solution->in.count = 0;
	for (size_t i = 0; i < flow->graph->blocks.count; i++)
		array_push(&solution->in, (struct flow_state){ .entry = i ? 0 : ~UINT32_C(0) });
	/* A state only ever grows, by five bits per register, so this ends. */
	solution->is_good = code_graph_solve(flow->graph, pass_block, &context);
	if (solution->is_good)
		collect_use(flow, level);
	return solution->is_good;
}

/* ---- questions ---- */

/* What `reg` may hold when an instruction of the function at hand is reached: HOLDS_*. */
static unsigned int holds_before(struct code_flow *flow, enum flow_level level,
				 uint32_t index, unsigned int reg)
{
	const struct code_graph *graph = flow->graph;
	uint32_t block = code_graph_block(graph, index);
	struct flow_state state = flow->levels[level].in.data[block];
	bool is_reached =
		state.entry | state.value | state.clobbered | state.unsure | state.maybe_entry;

	for (uint32_t i = graph->blocks.data[block].first; i < index; i++)
		pass(flow, level, &graph->code.data[i], &state);
	/*
	 * Where no known way leads (a further entry of a .cold part), only what the block has
	 * written counts: there may be such an entry after any call in it.
	 */
	if (!is_reached)
		state.unsure = ~state.value;
	return (state.entry >> reg & 1 ? HOLDS_ENTRY : 0) |
	       (state.value >> reg & 1 ? HOLDS_VALUE : 0) |
	       (state.clobbered >> reg & 1 ? HOLDS_CLOBBERED : 0) |
	       (state.unsure >> reg & 1 ? HOLDS_UNSURE : 0) |
	       (state.maybe_entry >> reg & 1 ? HOLDS_MAYBE_ENTRY : 0);
}

/*
 * Does it jump to code that the graph does not have? A tail call does not come back, but a .cold
 * part may, and which pieces are found is a matter of limits (code_graph.c).
 */
static bool has_unknown_edges(const struct code_graph *graph)
{
	for (size_t i = 0; i < graph->code.count; i++) {
		const struct instruction *insn = &graph->code.data[i];

		if (code_is_direct_jump(insn) &&
		    code_graph_index(graph, insn->target) == CODE_NOWHERE)
			return true;
	}
	return false;
}

/*
 * Most have been written a few instructions after the entry; then the function need not be solved.
 * It may be that another way writes them, and not the one that leads to the pc, but that is rare.
 */
static bool is_soon_written(struct code_graph *graph, uint64_t begin, uint64_t pc,
			    unsigned int reg)
{
	struct instruction insn;

	for (; begin < pc; begin += insn.length) {
		code_graph_decode(graph, begin, &insn);
		if (insn.kind == INSTRUCTION_BAD || !insn.length || insn.writes >> reg & 1 ||
		    (code_is_call(&insn) && !code_is_fentry_call(graph, &insn)))
			return true;
	}
	return false;
}

bool code_flow_keeps_entry(struct code_flow *flow, uint64_t begin, uint64_t end, uint64_t pc,
			   unsigned int reg)
{
	uint32_t index;

	if (reg >= 31 || pc < begin || pc >= end ||
	    is_soon_written(flow->graph, begin, pc, reg) ||
	    !solve(flow, FLOW_CONVENTION, begin, end) ||
	    !flow->graph->complete)
		return false;
	index = code_graph_index(flow->graph, pc);
	return index != CODE_NOWHERE &&
	       holds_before(flow, FLOW_CONVENTION, index, reg) == HOLDS_ENTRY &&
	       !has_unknown_edges(flow->graph);
}

enum flow_answer code_flow_at_call(struct code_flow *flow, enum flow_level level, uint64_t begin,
				   uint64_t end, uint64_t call, unsigned int reg,
				   unsigned int *holds)
{
	const struct code_graph *graph = flow->graph;
	const struct instruction *insn;
	uint32_t index;

	*holds = 0;
	if (reg >= 31 || !solve(flow, level, begin, end))
		return FLOW_UNKNOWN;
	index = call >= begin && call < end ? code_graph_index(graph, call) : CODE_NOWHERE;
	if (index == CODE_NOWHERE)
		return graph->complete || call < begin || call >= end ? FLOW_NO_CALL :
									FLOW_UNKNOWN;
	insn = &graph->code.data[index];
	if (!code_is_call(insn) && !code_is_direct_jump(insn) &&
	    insn->kind != INSTRUCTION_JUMP_REGISTER && insn->kind != INSTRUCTION_JUMP_MEMORY)
		return insn->kind == INSTRUCTION_BAD ? FLOW_UNKNOWN : FLOW_NO_CALL;
	if (!graph->complete)
		return FLOW_UNKNOWN;
	*holds = holds_before(flow, level, index, reg);
	return FLOW_KNOWN;
}

bool code_flow_entry_use(struct code_flow *flow, enum flow_level level, uint64_t begin,
			 uint64_t end, struct flow_entry_use *use)
{
	*use = (struct flow_entry_use){ 0 };
	if (!solve(flow, level, begin, end))
		return false;
	*use = flow->levels[level].use;
	return flow->graph->complete;
}
