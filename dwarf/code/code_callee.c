/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/code/code_reader.h"

#define MAX_CALLEE_WALK 256
#define SEEN_SLOTS	(4 * MAX_CALLEE_WALK)

/* ---- all paths from an address, without regard to where a function ends ---- */

struct code_walk {
	struct code_graph *graph;
	struct walk_path {
		uint64_t address;
		bool nested;		/* in code that is called, directly or indirectly */
	} pending[MAX_CALLEE_WALK], path;
	uint32_t pending_count;
	uint32_t steps;			/* the caller counts them */
	uint32_t seen_count;
	uint64_t seen[SEEN_SLOTS];	/* a hash set; 0: free */
};

/* False: there is no room for it. */
static bool walk_later(struct code_walk *walk, uint64_t address, bool nested)
{
	if (walk->pending_count == MAX_CALLEE_WALK)
		return false;
	walk->pending[walk->pending_count++] = (struct walk_path){ address, nested };
	return true;
}

/* False when it has been seen before, or when the set is full: then the walk is at its end. */
static bool see(struct code_walk *walk, uint64_t key)
{
	uint64_t hash = key * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	size_t slot = (size_t)hash % SEEN_SLOTS;

	for (; walk->seen[slot]; slot = (slot + 1) % SEEN_SLOTS)
		if (walk->seen[slot] == key)
			return false;
	if (walk->seen_count == SEEN_SLOTS / 2) {
		walk->steps = MAX_CALLEE_WALK;
		return false;
	}
	walk->seen[slot] = key;
	walk->seen_count++;
	return true;
}

/*
 * The instruction after *insn if the path goes on, else the first one of another path; false when
 * no path is left. With by_nesting the same address in nested and other code is not the same.
 */
static bool walk_next(struct code_walk *walk, bool goes_on, bool by_nesting,
		      struct instruction *insn)
{
	for (;; goes_on = false) {
		if (goes_on)
			walk->path.address += insn->length;
		else if (walk->pending_count)
			walk->path = walk->pending[--walk->pending_count];
		else
			return false;
		if (see(walk, walk->path.address * 2 + (by_nesting && walk->path.nested)))
			break;
	}
	code_graph_decode(walk->graph, walk->path.address, insn);
	return true;
}

/* ---- all registers ---- */

/*
 * A callee may turn out to preserve the registers that it does not write itself (to restore is not
 * to write), and that it has saved or that none of those it calls writes. A tail call is part of
 * the callee. A callee that calls __fentry__ was compiled with -pg, which rules out -fipa-ra: it
 * preserves what it has saved (preserve_most). In a kernel where nothing is traced that tells
 * nothing; there, when there is more to see than the bound allows, calls are taken to follow the
 * convention.
 *
 * Assembler routines return values where they like (__get_user_8: rdx). A callee that calls nothing
 * may be one, unless it is traced. Where nothing is traced, C cannot be told from assembler: then
 * only the second register of results is taken for one; so it is if all argument registers are
 * written, for these are not all results.
 */
static void walk_callee(struct code_callees *callees, struct callee *callee)
{
	const struct code_image *image = callees->graph->image;
	const struct code_convention *convention = callees->graph->convention;
	struct code_walk walk = { .graph = callees->graph };
	uint32_t written = 0, saved = 0;	/* by the callee itself */
	uint32_t written_nested = 0;		/* by those it calls */
	bool is_traced = false, calls = false, calls_pointer = false, goes_on = false;
	struct instruction insn;

	walk_later(&walk, callee->target, false);
	while (callee->wanted & ~written && walk.steps < MAX_CALLEE_WALK &&
	       walk_next(&walk, goes_on, false, &insn)) {
		bool nested = walk.path.nested;
		bool is_thunk = (insn.kind == INSTRUCTION_CALL || code_is_direct_jump(&insn)) &&
				code_image_is_thunk(image, insn.target);

		if (nested) {
			written_nested |= insn.writes & ~insn.restores;
		} else {
			written |= insn.writes & ~insn.restores;
			saved |= insn.saves;
		}
		goes_on = insn.kind == INSTRUCTION_PLAIN || insn.kind == INSTRUCTION_NOP ||
			  insn.kind == INSTRUCTION_BRANCH || code_is_call(&insn);
		if (code_is_fentry_call(callees->graph, &insn)) {
			is_traced |= !nested;
		} else if (insn.kind == INSTRUCTION_CALL) {
			calls = true;
			calls_pointer |= is_thunk;
			if (!is_thunk && !is_traced)
				walk_later(&walk, insn.target, true);
		} else if (code_is_direct_jump(&insn)) {
			calls_pointer |= is_thunk;
			if (!is_thunk)
				walk_later(&walk, insn.target, nested);
		} else if (code_is_call(&insn) || insn.kind == INSTRUCTION_JUMP_REGISTER ||
			   insn.kind == INSTRUCTION_JUMP_MEMORY ||
			   insn.kind == INSTRUCTION_JUMP_TABLE) {
			calls_pointer = true;
		}
		walk.steps += goes_on;
	}
	if (is_traced || calls_pointer ||
	    (calls && walk.steps == MAX_CALLEE_WALK && !image->hooks.count))
		written_nested = ~UINT32_C(0);
	callee->preserves = ~written & (saved | ~written_nested);
	if (is_traced || calls || calls_pointer)
		return;
	callee->returns = written;
	if (!image->hooks.count || !(convention->arguments & ~written))
		callee->returns &= convention->second_result;
}

static size_t cache_slot(uint64_t target)
{
	return (target ^ target >> 12) >> 2 & (CALLEE_CACHE - 1);
}

struct callee code_callee(struct code_callees *callees, uint64_t target, uint32_t wanted)
{
	struct callee *known = &callees->known[cache_slot(target)];

	if (code_image_is_thunk(callees->graph->image, target))
		return (struct callee){ .target = target };
	if (known->target != target || wanted & ~known->wanted) {
		wanted |= known->target == target ? known->wanted : 0;
		*known = (struct callee){ .target = target, .wanted = wanted };
		walk_callee(callees, known);
	}
	return *known;
}

/* ---- the value in one register ---- */

/* A value that is read ends the search: no more is asked. */
static unsigned int walk_value(struct code_callees *callees, uint64_t target, uint32_t bit)
{
	const struct code_convention *convention = callees->graph->convention;
	struct code_walk walk = { .graph = callees->graph };
	bool goes_on = false;
	unsigned int meets = 0;
	struct instruction insn;

	walk_later(&walk, target, false);
	while (!(meets & CALLEE_READS) && walk_next(&walk, goes_on, true, &insn)) {
		if (walk.steps++ == MAX_CALLEE_WALK)
			return meets | CALLEE_UNKNOWN;
		if (insn.reads & bit)
			meets |= CALLEE_READS;
		/* Pushed, it is kept or passed. */
		else if (insn.maybe_reads & bit)
			meets |= CALLEE_UNKNOWN;
		if (code_is_fentry_call(callees->graph, &insn)) {
			goes_on = true;
		} else if (code_is_call(&insn)) {
			/*
			 * The value may be an argument, also of a call by pointer; after the call
			 * there is something else, or one does not know.
			 */
			if (insn.kind == INSTRUCTION_CALL && !walk_later(&walk, insn.target, true))
				meets |= CALLEE_UNKNOWN;
			if (insn.kind != INSTRUCTION_CALL ||
			    code_image_is_thunk(callees->graph->image, insn.target))
				meets |= bit & convention->arguments ? CALLEE_UNKNOWN : 0;
			else if (code_callee(callees, insn.target, bit).preserves & bit)
				meets |= CALLEE_UNKNOWN;
			goes_on = !(bit & convention->caller_saved);
		} else if (insn.writes & bit || insn.kind == INSTRUCTION_STOP) {
			goes_on = false;
		} else if (code_is_direct_jump(&insn)) {
			if (!walk_later(&walk, insn.target, walk.path.nested))
				meets |= CALLEE_UNKNOWN;
			goes_on = insn.kind == INSTRUCTION_BRANCH;
		} else if (insn.kind == INSTRUCTION_RETURN) {
			meets |= walk.path.nested ? 0 : CALLEE_RETURNS_IT;
			goes_on = false;
		} else {
			/* After BUG() another function may begin. */
			goes_on = insn.kind == INSTRUCTION_PLAIN || insn.kind == INSTRUCTION_NOP;
			meets |= goes_on ? 0 : CALLEE_UNKNOWN;
		}
	}
	return meets;
}

unsigned int code_callee_meets(struct code_callees *callees, uint64_t target, unsigned int reg)
{
	struct callee_meets *known = &callees->known_meets[cache_slot(target)];

	if (known->target != target || known->reg != reg) {
		unsigned int meets = walk_value(callees, target, 1u << reg);

		*known = (struct callee_meets){ target, (uint8_t)reg, (uint8_t)meets };
	}
	return known->meets;
}
