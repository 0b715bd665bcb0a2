/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/code/code_callee.h"

#include <elf.h>

#define MAX_CALLEE_WALK	 256
#define LENGTH_OF(array) (sizeof(array) / sizeof((array)[0]))

void code_callees_init(struct code_callees *callees, struct code_graph *graph)
{
	bool is_x86 = graph->image->machine == EM_X86_64;

	*callees = (struct code_callees){ .graph = graph };
	callees->caller_saved = is_x86 ? X86_CALLER_SAVED : ARM64_CALLER_SAVED;
	callees->arguments = is_x86 ? X86_ARGUMENTS : ARM64_ARGUMENTS;
	/* x0 may be passed on as it was returned. rdx and x1 rarely hold a result. */
	callees->result = is_x86 ? 0 : 1;
	callees->second_result = 2;
}

/* A hash set of addresses; 0: free. Walks are bounded, so it never fills. */
struct seen_set {
	uint64_t slots[4 * MAX_CALLEE_WALK];
};

/* False when it has been seen before. */
static bool see(struct seen_set *seen, uint64_t address)
{
	uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	size_t slot = (size_t)hash % LENGTH_OF(seen->slots);

	for (; seen->slots[slot]; slot = (slot + 1) % LENGTH_OF(seen->slots))
		if (seen->slots[slot] == address)
			return false;
	seen->slots[slot] = address;
	return true;
}

/* ---- what a callee does to all registers ---- */

struct callee_walk {
	struct seen_set seen;
	struct walk_start {
		uint64_t address;
		bool nested;		/* called, directly or indirectly, by the callee */
	} pending[MAX_CALLEE_WALK];
	uint32_t pending_count;
	uint32_t steps;
	uint32_t written;		/* by the callee itself */
	uint32_t written_nested;	/* by those it calls */
	uint32_t saved;			/* pushed by the callee itself */
	bool is_traced;			/* calls __fentry__: compiled C */
	bool calls;
	bool calls_anybody;		/* by pointer */
};

static void walk_later(struct callee_walk *walk, uint64_t address, bool nested)
{
	if (walk->pending_count < LENGTH_OF(walk->pending))
		walk->pending[walk->pending_count++] = (struct walk_start){ address, nested };
}

/* One step; false: nothing follows. */
static bool walk_step(const struct code_graph *graph, struct callee_walk *walk,
		      const struct instruction *insn, bool nested)
{
	bool is_thunk = (insn->kind == INSTRUCTION_CALL || code_is_direct_jump(insn)) &&
			code_image_is_thunk(graph->image, insn->target);

	if (nested) {
		walk->written_nested |= insn->writes & ~insn->restores;
	} else {
		walk->written |= insn->writes & ~insn->restores;
		walk->saved |= insn->saves;
	}
	switch (insn->kind) {
	case INSTRUCTION_CALL:
		if (code_is_fentry_call(graph, insn)) {
			walk->is_traced |= !nested;
			return true;
		}
		walk->calls = true;
		walk->calls_anybody |= is_thunk;
		if (!is_thunk && !walk->is_traced)
			walk_later(walk, insn->target, true);
		return true;
	case INSTRUCTION_JUMP:
	case INSTRUCTION_BRANCH:
		walk->calls_anybody |= is_thunk;
		if (!is_thunk)
			walk_later(walk, insn->target, nested);
		return insn->kind == INSTRUCTION_BRANCH;
	case INSTRUCTION_CALL_POINTER:
	case INSTRUCTION_CALL_FIXED: walk->calls_anybody = true; return true;
	case INSTRUCTION_JUMP_REGISTER:
	case INSTRUCTION_JUMP_MEMORY:
	case INSTRUCTION_JUMP_TABLE: walk->calls_anybody = true; return false;
	case INSTRUCTION_PLAIN:
	case INSTRUCTION_NOP: return true;
	default: return false;
	}
}

/*
 * A callee may turn out to preserve the registers that it does not write itself (to restore is not
 * to write), and that it has saved or that none of those it calls writes. Its code is followed
 * without regard to where it ends: a tail call is part of what it does. What calls __fentry__ was
 * compiled with -pg, which rules out -fipa-ra: it preserves what it has saved (preserve_most). In
 * a kernel where nothing is traced that tells nothing; there, when there is more to see than the
 * bound allows, calls are taken to follow the convention.
 *
 * Assembler routines return values where they like (__get_user_8: rdx). A callee that calls nobody
 * may be one, unless it is traced. Where nothing is traced, C cannot be told from assembler: then
 * only the second register of results is taken for one; so it is if all argument registers are
 * written, for these are not all results.
 */
static void walk_callee(const struct code_callees *callees, struct callee *callee)
{
	struct code_graph *graph = callees->graph;
	struct callee_walk walk = { .pending = { { callee->target, false } }, .pending_count = 1 };

	while (walk.pending_count && walk.steps < MAX_CALLEE_WALK) {
		struct walk_start start = walk.pending[--walk.pending_count];

		for (; walk.steps < MAX_CALLEE_WALK && see(&walk.seen, start.address);
		     walk.steps++) {
			struct instruction insn;

			code_graph_decode(graph, start.address, &insn);
			if (!walk_step(graph, &walk, &insn, start.nested))
				break;
			start.address += insn.length;
		}
	}
	if (walk.is_traced || walk.calls_anybody ||
	    (walk.calls && walk.steps == MAX_CALLEE_WALK && !graph->image->hooks.count))
		walk.written_nested = ~UINT32_C(0);
	callee->preserves = ~walk.written & (walk.saved | ~walk.written_nested);
	if (walk.is_traced || walk.calls || walk.calls_anybody)
		return;
	callee->returns = walk.written;
	if (!graph->image->hooks.count || !(callees->arguments & ~walk.written))
		callee->returns &= callees->second_result;
}

static size_t cache_slot(uint64_t target)
{
	return (target ^ target >> 12) >> 2 & (CALLEE_CACHE - 1);
}

struct callee code_callee(struct code_callees *callees, uint64_t target)
{
	struct callee *known = &callees->known[cache_slot(target)];

	if (code_image_is_thunk(callees->graph->image, target))
		return (struct callee){ .target = target };
	if (known->target != target) {
		*known = (struct callee){ .target = target };
		walk_callee(callees, known);
	}
	return *known;
}

/* ---- what the value in one register meets ---- */

struct value_walk {
	struct seen_set seen;
	struct walk_start pending[MAX_CALLEE_WALK];
	uint32_t pending_count;
	uint32_t steps;
	uint32_t bit;
	unsigned int meets;
};

static void value_goes_to(struct value_walk *walk, uint64_t address, bool nested)
{
	if (walk->pending_count < LENGTH_OF(walk->pending))
		walk->pending[walk->pending_count++] = (struct walk_start){ address, nested };
	else
		walk->meets |= CALLEE_UNKNOWN;
}

/*
 * Of a call inside the callee, at whatever depth: the value may be an argument; after it there is
 * something else, or one does not know. A call by pointer may pass on an argument.
 */
static bool value_meets_call(struct code_callees *callees, struct value_walk *walk,
			     const struct instruction *insn)
{
	if (code_is_fentry_call(callees->graph, insn))
		return true;
	if (insn->kind == INSTRUCTION_CALL)
		value_goes_to(walk, insn->target, true);
	if (insn->kind != INSTRUCTION_CALL ||
	    code_image_is_thunk(callees->graph->image, insn->target)) {
		if (walk->bit & callees->arguments)
			walk->meets |= CALLEE_UNKNOWN;
	} else if (code_callee(callees, insn->target).preserves & walk->bit) {
		walk->meets |= CALLEE_UNKNOWN;
	}
	return !(walk->bit & callees->caller_saved);
}

/* One step; false: the value does not go on to the next instruction. */
static bool value_step(struct code_callees *callees, struct value_walk *walk,
		       const struct instruction *insn, bool nested)
{
	if (insn->reads & walk->bit)
		walk->meets |= CALLEE_READS;
	/* Pushed, it is kept or passed. */
	else if (insn->maybe_reads & walk->bit)
		walk->meets |= CALLEE_UNKNOWN;
	if (code_is_call(insn))
		return value_meets_call(callees, walk, insn);
	if (insn->writes & walk->bit || insn->kind == INSTRUCTION_STOP)
		return false;
	if (code_is_direct_jump(insn)) {
		value_goes_to(walk, insn->target, nested);
		return insn->kind == INSTRUCTION_BRANCH;
	}
	if (insn->kind == INSTRUCTION_RETURN) {
		walk->meets |= nested ? 0 : CALLEE_RETURNS_IT;
		return false;
	}
	/* After BUG() another function may begin. */
	if (code_ends_path(insn) || insn->kind == INSTRUCTION_BAD ||
	    insn->kind == INSTRUCTION_TRAP) {
		walk->meets |= CALLEE_UNKNOWN;
		return false;
	}
	return true;
}

/* A value that is read ends the search: no more is asked. */
static unsigned int walk_value(struct code_callees *callees, uint64_t target, unsigned int reg)
{
	struct value_walk walk = { .pending = { { target, false } },
				   .pending_count = 1,
				   .bit = 1u << reg };

	while (walk.pending_count && !(walk.meets & CALLEE_READS)) {
		struct walk_start start = walk.pending[--walk.pending_count];

		/* What a nested return leads to differs from what another does. */
		for (; see(&walk.seen, start.address * 2 + start.nested);) {
			struct instruction insn;

			if (walk.steps++ == MAX_CALLEE_WALK)
				return walk.meets | CALLEE_UNKNOWN;
			code_graph_decode(callees->graph, start.address, &insn);
			if (!value_step(callees, &walk, &insn, start.nested))
				break;
			start.address += insn.length;
		}
	}
	return walk.meets;
}

unsigned int code_callee_meets(struct code_callees *callees, uint64_t target, unsigned int reg)
{
	struct callee_meets *known = &callees->known_meets[cache_slot(target)];

	if (known->target != target || known->reg != reg) {
		unsigned int meets = walk_value(callees, target, reg);

		*known = (struct callee_meets){ target, (uint8_t)reg, (uint8_t)meets };
	}
	return known->meets;
}
