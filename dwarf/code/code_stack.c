/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Does a function surely read an argument on the stack? It is asked of structs in memory that LLVM
 * may have stopped to pass. Only "yes" is an answer: there is no claim that an argument is not
 * read. docs/functions.md says how rarely it is asked.
 *
 * Constant propagation of stack addresses: which registers hold the stack pointer of the entry plus
 * a constant. A register whose address differs between two paths, or is not a constant, is unknown,
 * and an access through it proves nothing. Doubtful paths (code_graph.c) are not followed.
 */
#include "dwarf/code/machine_code.h"

#include <stdlib.h>

#include "dwarf/code/code_reader.h"

#define MAX_DISTANCE	(1 << 28)
#define PARTS		64

struct stack_state {
	bool is_reached;
	uint32_t known;		/* registers that hold the entry's stack pointer + offset */
	int32_t offset[32];
	uint64_t untouched;	/* parts of the argument that some path has not written */
};

struct stack_use {
	struct code_graph *graph;
	struct stack_state *in;		/* by block */
	struct instruction_access *accesses;	/* by instruction, once its block is decoded */
	bool *is_decoded;		/* by block */
	int64_t begin;			/* of the argument */
	bool may_be_copied;
	int64_t part_bytes;		/* it is divided into parts, bit 0 is the first one */
	bool is_read;
};

/* The distance from the entry's stack pointer; false: it is unknown. */
static bool find_distance(const struct stack_state *state, uint8_t reg, int64_t constant,
			  int64_t *distance)
{
	if (reg == NO_REGISTER || !(state->known >> reg & 1))
		return false;
	*distance = state->offset[reg] + constant;
	return *distance >= -MAX_DISTANCE && *distance <= MAX_DISTANCE;
}

static uint64_t parts_below(int64_t count)
{
	return count <= 0 ? 0 : count >= PARTS ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* The parts that an access at a distance touches. */
static uint64_t parts_of(const struct stack_use *use, int64_t distance, int64_t size)
{
	int64_t first = distance - use->begin, end = first + size + use->part_bytes - 1;

	return parts_below(end < 0 ? 0 : end / use->part_bytes) &
	       ~parts_below(first < 0 ? 0 : first / use->part_bytes);
}

/* A block is looked at several times, and what is asked of the decoder is slow. */
static void decode(struct stack_use *use, uint32_t block)
{
	const struct code_graph *graph = use->graph;

	if (use->is_decoded[block])
		return;
	use->is_decoded[block] = true;
	for (uint32_t i = graph->blocks.data[block].first; i < graph->blocks.data[block].end; i++) {
		const struct instruction *insn = &graph->code.data[i];
		size_t size;
		const uint8_t *bytes = code_image_text(graph->image, insn->address, &size);

		instruction_decode_access(graph->decoder, bytes, size, insn, &use->accesses[i]);
	}
}

/* The state after an instruction. */
static void apply(const struct stack_use *use, const struct instruction *insn,
		  const struct instruction_access *access, struct stack_state *state)
{
	int64_t distance;
	bool known;

	if (access->access & ACCESS_WRITE &&
	    find_distance(state, access->base, access->displacement, &distance))
		state->untouched &= ~parts_of(use, distance, access->size);
	known = find_distance(state, access->source, access->constant, &distance);
	state->known &= ~access->writes;
	if (code_is_call(insn) && !code_is_fentry_call(use->graph, insn))
		state->known &= ~use->graph->convention->caller_saved;
	if (access->target == NO_REGISTER)
		return;
	state->known &= ~(1u << access->target);
	if (known) {
		state->known |= 1u << access->target;
		state->offset[access->target] = (int32_t)distance;
	}
}

/* Joins the state at the begin of a block with that of a path; a change makes it pending. */
static void join(struct stack_use *use, uint32_t block, const struct stack_state *state)
{
	struct stack_state *to = &use->in[block];
	struct stack_state joined = *to;

	if (to->is_reached) {
		joined.known &= state->known;
		joined.untouched |= state->untouched;
		for (unsigned int reg = 0; reg < 32; reg++)
			if (to->offset[reg] != state->offset[reg])
				joined.known &= ~(1u << reg);
		if (joined.known == to->known && joined.untouched == to->untouched)
			return;
		*to = joined;
	} else {
		*to = *state;
	}
	use->graph->blocks.data[block].pending = true;
}

static uint32_t bit_of(uint8_t reg)
{
	return reg == NO_REGISTER ? 0 : 1u << reg;
}

/*
 * One instruction. *loaded: the registers that hold a part of the argument. A word that is stored
 * in the function's own frame, or pushed, is a copy. To do anything else with it is a read, and so
 * is to keep it beyond the next call, or block. What vector registers hold is not followed. An
 * address is taken when it is passed, or stored.
 */
static void note_use(struct stack_use *use, const struct instruction *insn,
		     const struct instruction_access *access, const struct stack_state *state,
		     uint32_t *loaded)
{
	const struct code_convention *convention = use->graph->convention;
	bool calls = code_is_call(insn) && !code_is_fentry_call(use->graph, insn);
	bool stores = access->access == ACCESS_WRITE;
	uint32_t pointers = bit_of(access->base) | bit_of(access->index);
	uint32_t used = (insn->reads | insn->maybe_reads) & *loaded;
	uint32_t moved = used & bit_of(access->source) ? bit_of(access->target) : 0;
	uint32_t taken = 0;
	int64_t distance;
	bool known = find_distance(state, access->base, access->displacement, &distance);
	/* Where the stack has been aligned, any unknown address may be one of the frame. */
	bool is_in_own_frame =
		known ? access->index != NO_REGISTER || distance < convention->stack_arguments :
			access->base != NO_REGISTER &&
				!(state->known >> convention->stack_pointer & 1);

	if (stores && !(used & pointers) && is_in_own_frame)
		*loaded &= ~used;
	else if (used && !moved)
		use->is_read = true;
	if (calls) {
		use->is_read |=
			(*loaded & (convention->arguments | ~convention->caller_saved)) != 0;
		*loaded = 0;
	}
	*loaded = (*loaded & ~access->writes) | moved;
	if (calls || code_graph_jumps_out(use->graph, insn))
		taken = state->known & convention->arguments;
	else if (stores)
		taken = state->known & insn->reads & ~pointers;
	for (; taken; taken &= taken - 1)
		if (parts_of(use, state->offset[__builtin_ctz(taken)], 1) & state->untouched)
			use->is_read = true;
	if (!known || !(parts_of(use, distance, access->size) & state->untouched))
		return;
	if (use->may_be_copied && access->access == ACCESS_READ && access->is_move &&
	    access->index == NO_REGISTER)
		*loaded |= access->target == NO_REGISTER ? insn->writes : 0;
	else if (access->access & ACCESS_READ)
		use->is_read = true;
}

bool machine_code_reads_stack(const struct machine_code *code, uint64_t begin, uint64_t end,
			      int64_t offset, uint64_t size, bool may_be_copied)
{
	struct stack_use use = { .begin = offset, .may_be_copied = may_be_copied };
	struct code_worklist list;
	struct code_graph *graph;

	if (!code->reader)
		return false;
	use.graph = graph = &code->reader->graph;
	if (offset < graph->convention->stack_arguments || offset > MAX_DISTANCE || !size ||
	    size > MAX_DISTANCE || !code_graph_load(graph, begin, end))
		return false;
	use.part_bytes = ((int64_t)size + PARTS - 1) / PARTS;
	use.in = memory_zeroed(graph->blocks.count, sizeof(*use.in));
	use.accesses = memory_alloc(graph->code.count * sizeof(*use.accesses));
	use.is_decoded = memory_zeroed(graph->blocks.count, sizeof(*use.is_decoded));
	use.in[0].is_reached = true;
	use.in[0].known = 1u << graph->convention->stack_pointer;
	use.in[0].untouched =
		parts_below(((int64_t)size + use.part_bytes - 1) / use.part_bytes);
	list = code_graph_start(graph);
	while (code_graph_next_pending(graph, &list)) {
		const struct code_block *block = &graph->blocks.data[list.block];
		struct stack_state state = use.in[list.block];

		decode(&use, list.block);
		for (uint32_t i = block->first; i < block->end; i++)
			apply(&use, &graph->code.data[i], &use.accesses[i], &state);
		for (uint32_t i = 0; i + block->last_is_doubtful < block->successor_count; i++)
			join(&use, graph->successors.data[block->successors + i], &state);
	}
	for (uint32_t i = 0; i < graph->blocks.count && !list.too_long && !use.is_read; i++) {
		const struct code_block *block = &graph->blocks.data[i];
		struct stack_state state = use.in[i];
		uint32_t loaded = 0;

		for (uint32_t j = block->first; j < block->end && state.is_reached; j++) {
			const struct instruction *insn = &graph->code.data[j];

			note_use(&use, insn, &use.accesses[j], &state, &loaded);
			apply(&use, insn, &use.accesses[j], &state);
		}
		use.is_read |= loaded != 0;
	}
	free(use.in);
	free(use.accesses);
	free(use.is_decoded);
	return use.is_read;
}
