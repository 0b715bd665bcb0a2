/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The function is decoded from its begin to its end, cut into blocks, and solved by iteration.
 * What makes it more than a textbook:
 *
 * Pieces. Code outside of [begin, end) that is jumped to and jumps back (.cold parts, .fixup,
 * .altinstr_aux) belongs to the function; a jump to anywhere else leaves it.
 *
 * Hidden ways. Static branches and faults come from tables of the image. Where an indirect jump
 * goes is unknown unless its table can be read; then any instruction may be its target.
 *
 * Calls that do not return. Behind such a call stands padding or a block of somebody else. If the
 * next instruction is the target of a jump, the way from the call to it may not exist, and what
 * the call left behind is unsure. If it is not, then it is reached through the call or never.
 *
 * Calls that break the convention. Inline assembler calls thunks that preserve all registers;
 * preserve_most functions do; GCC's -fipa-ra (off with -pg, so on in lib/) knows which registers a
 * callee leaves alone. At the level of scrutiny the callee is looked at: see walk_callee().
 *
 * All work is bounded: bytes of a function, pieces, edges, rounds, instructions of a callee.
 */
#include "dwarf/code_flow.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "dwarf/instruction.h"

#define MAX_FUNCTION_BYTES  (64 * 1024)
#define MAX_PIECES	    16
#define MAX_PIECE_BYTES	    1024
#define MAX_FAILED_PIECES   64
#define MAX_TABLE_ENTRIES   1024
#define MAX_EDGES	    16384
#define MAX_ROUNDS	    200
#define MAX_CALLEE_WALK	    256
#define CALLEE_CACHE	    4096	/* a power of two */
#define NO_INDEX	    UINT32_MAX
#define LENGTH_OF(array)    (sizeof(array) / sizeof((array)[0]))

/* instruction.flags */
enum {
	BLOCK_BEGINS = 1,
	JUMPED_TO = 2,
	WAY_BEYOND_DOUBTFUL = 4,	/* of a call or trap: see above */
	HAS_EDGE = 8,			/* `from` of a code_edge */
};

/* One bit per register in each. */
struct flow_state {
	uint32_t entry;
	uint32_t value;
	uint32_t junk;
	uint32_t unsure;
	uint32_t maybe_entry;
};

struct flow_block {
	uint32_t first;
	uint32_t end;
	bool pending;
	struct flow_state in[FLOW_LEVELS];
};

/* A run of instructions without gaps. */
struct flow_piece {
	uint64_t begin;
	uint64_t end;
	uint32_t first;
	uint32_t count;
};

struct flow_edge {
	uint32_t from;
	uint32_t to;
};

/* What is known of a callee; `target` 0: nothing. Both are masks of what may be so. */
struct callee {
	uint64_t target;
	uint32_t preserves;
	uint32_t returns;	/* leaves a value for the caller */
};

struct code_flow {
	const struct code_image *image;
	struct instruction_decoder *decoder;
	uint64_t decoded;
	uint32_t lost_by_call;
	/* Of these, what returns a value and is an argument, too; the second half of large ones. */
	uint32_t result;
	uint32_t second_result;

	/* The function at hand; begin == end: none. */
	uint64_t begin;
	uint64_t end;
	bool complete;		/* all of it has been decoded */
	bool jumps_anywhere;
	bool solved[FLOW_LEVELS];
	struct flow_state anywhere[FLOW_LEVELS];	/* spread to all blocks by such a jump */
	struct flow_entry_use use[FLOW_LEVELS];
	struct flow_piece pieces[MAX_PIECES];
	uint32_t piece_count;
	ARRAY_OF(struct instruction) code;
	ARRAY_OF(struct flow_block) blocks;
	ARRAY_OF(struct flow_edge) edges;

	struct callee callees[CALLEE_CACHE];
};

struct code_flow *code_flow_new(const struct code_image *image)
{
	struct instruction_decoder *decoder = instruction_decoder_new(image->machine);
	struct code_flow *flow;

	if (!decoder)
		return NULL;
	flow = memory_zeroed(1, sizeof(*flow));
	flow->image = image;
	flow->decoder = decoder;
	/* System V ABI of x86-64, figure 3.4; AAPCS64, section 6.1.1. */
	flow->lost_by_call = image->machine == EM_X86_64 ? 0x0f37 : 0x0003ffff;
	/* x0 may be passed on as it was returned. rdx and x1 rarely hold a result. */
	flow->result = image->machine == EM_X86_64 ? 0 : 1;
	flow->second_result = 2;
	return flow;
}

void code_flow_free(struct code_flow *flow)
{
	if (!flow)
		return;
	instruction_decoder_free(flow->decoder);
	array_release(&flow->code);
	array_release(&flow->blocks);
	array_release(&flow->edges);
	free(flow);
}

uint64_t code_flow_decoded(const struct code_flow *flow)
{
	return flow->decoded;
}

static void decode_at(struct code_flow *flow, uint64_t address, struct instruction *out)
{
	size_t size;
	const uint8_t *bytes = code_image_text(flow->image, address, &size);

	flow->decoded++;
	if (bytes)
		instruction_decode(flow->decoder, bytes, size, address, out);
	else
		*out = (struct instruction){ .address = address, .kind = INSTRUCTION_BAD };
	if (out->kind == INSTRUCTION_JUMP && flow->image->return_thunk &&
	    out->target == flow->image->return_thunk)
		out->kind = INSTRUCTION_RETURN;
}

static bool is_call(const struct instruction *insn)
{
	return insn->kind == INSTRUCTION_CALL || insn->kind == INSTRUCTION_CALL_POINTER ||
	       insn->kind == INSTRUCTION_CALL_FIXED;
}

static bool is_direct_jump(const struct instruction *insn)
{
	return insn->kind == INSTRUCTION_JUMP || insn->kind == INSTRUCTION_BRANCH;
}

/* Whether the next instruction never follows (but for static branches). */
static bool ends_way(const struct instruction *insn)
{
	switch (insn->kind) {
	case INSTRUCTION_JUMP:
	case INSTRUCTION_JUMP_REGISTER:
	case INSTRUCTION_JUMP_MEMORY:
	case INSTRUCTION_JUMP_TABLE:
	case INSTRUCTION_RETURN:
	case INSTRUCTION_STOP: return true;
	default: return false;
	}
}

static bool is_fentry_call(const struct code_flow *flow, const struct instruction *insn)
{
	return insn->kind == INSTRUCTION_CALL && flow->image->fentry &&
	       insn->target == flow->image->fentry;
}

/* ---- callees ---- */

struct callee_walk {
	uint64_t seen[4 * MAX_CALLEE_WALK];	/* a hash set; 0: free */
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

/* False when it has been seen before. */
static bool see(struct callee_walk *walk, uint64_t address)
{
	uint64_t hash = address * UINT64_C(0x9e3779b97f4a7c15) >> 40;
	size_t slot = (size_t)hash % LENGTH_OF(walk->seen);

	for (; walk->seen[slot]; slot = (slot + 1) % LENGTH_OF(walk->seen))
		if (walk->seen[slot] == address)
			return false;
	walk->seen[slot] = address;
	return true;
}

static void walk_later(struct callee_walk *walk, uint64_t address, bool nested)
{
	if (walk->pending_count < LENGTH_OF(walk->pending))
		walk->pending[walk->pending_count++] = (struct walk_start){ address, nested };
}

/* One step; false: nothing follows. */
static bool walk_step(struct code_flow *flow, struct callee_walk *walk,
		      const struct instruction *insn, bool nested)
{
	bool is_thunk = (insn->kind == INSTRUCTION_CALL || is_direct_jump(insn)) &&
			code_image_is_thunk(flow->image, insn->target);

	if (nested) {
		walk->written_nested |= insn->writes & ~insn->restores;
	} else {
		walk->written |= insn->writes & ~insn->restores;
		walk->saved |= insn->saves;
	}
	switch (insn->kind) {
	case INSTRUCTION_CALL:
		if (is_fentry_call(flow, insn)) {
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
 * only the second register of results is taken for one.
 */
static void walk_callee(struct code_flow *flow, struct callee *callee)
{
	struct callee_walk walk = { .pending = { { callee->target, false } }, .pending_count = 1 };

	while (walk.pending_count && walk.steps < MAX_CALLEE_WALK) {
		struct walk_start start = walk.pending[--walk.pending_count];

		for (; walk.steps < MAX_CALLEE_WALK && see(&walk, start.address); walk.steps++) {
			struct instruction insn;

			decode_at(flow, start.address, &insn);
			if (!walk_step(flow, &walk, &insn, start.nested))
				break;
			start.address += insn.length;
		}
	}
	if (walk.is_traced || walk.calls_anybody ||
	    (walk.calls && walk.steps == MAX_CALLEE_WALK && !flow->image->fentry))
		walk.written_nested = ~UINT32_C(0);
	callee->preserves = ~walk.written & (walk.saved | ~walk.written_nested);
	if (!walk.is_traced && !walk.calls && !walk.calls_anybody)
		callee->returns = flow->image->fentry ? walk.written
						      : walk.written & flow->second_result;
}

static struct callee callee_at(struct code_flow *flow, uint64_t target)
{
	struct callee *known = &flow->callees[(target ^ target >> 12) >> 2 & (CALLEE_CACHE - 1)];

	if (code_image_is_thunk(flow->image, target))
		return (struct callee){ .target = target };
	if (known->target != target) {
		*known = (struct callee){ .target = target };
		walk_callee(flow, known);
	}
	return *known;
}

/* ---- taking a function apart ---- */

static const struct flow_piece *find_piece(const struct code_flow *flow, uint64_t address)
{
	for (uint32_t i = 0; i < flow->piece_count; i++)
		if (address >= flow->pieces[i].begin && address < flow->pieces[i].end)
			return &flow->pieces[i];
	return NULL;
}

/* NO_INDEX when no instruction of the function begins there. */
static uint32_t index_of(const struct code_flow *flow, uint64_t address)
{
	const struct flow_piece *piece = find_piece(flow, address);
	uint32_t low, high;

	if (!piece)
		return NO_INDEX;
	low = piece->first;
	high = piece->first + piece->count;
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (flow->code.data[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == piece->first + piece->count || flow->code.data[low].address != address)
		return NO_INDEX;
	return low;
}

/* The instruction behind, which may belong to another piece. */
static uint32_t index_behind(const struct code_flow *flow, uint32_t index)
{
	const struct instruction *insn = &flow->code.data[index];
	uint64_t address = insn->address + insn->length;

	if (index + 1 < flow->code.count && insn[1].address == address)
		return index + 1;
	return index_of(flow, address);
}

/* Appends what stands in [begin, end); false when a part could not be decoded. */
static bool decode_range(struct code_flow *flow, uint64_t begin, uint64_t end)
{
	struct flow_piece *piece = &flow->pieces[flow->piece_count++];
	struct instruction insn;
	bool good = true;

	*piece = (struct flow_piece){ begin, end, (uint32_t)flow->code.count, 0 };
	for (uint64_t address = begin; address < end; address += insn.length) {
		decode_at(flow, address, &insn);
		if (insn.kind == INSTRUCTION_BAD)
			good = false;
		array_push(&flow->code, insn);
		if (!insn.length)
			break;
	}
	piece->count = (uint32_t)flow->code.count - piece->first;
	return good;
}

/*
 * Code elsewhere that begins at `address` and ends with the first jump: a piece of the function if
 * it jumps back into it (not to its entry: that is a call).
 */
static bool decode_piece(struct code_flow *flow, uint64_t address)
{
	struct flow_piece *piece = &flow->pieces[flow->piece_count];
	struct instruction insn = { .address = address };
	bool returns = false, good = true;

	*piece = (struct flow_piece){ address, address, (uint32_t)flow->code.count, 0 };
	do {
		decode_at(flow, piece->end, &insn);
		good &= insn.kind != INSTRUCTION_BAD;
		array_push(&flow->code, insn);
		piece->end += insn.length ? insn.length : 1;
		returns |= is_direct_jump(&insn) && insn.target > flow->begin &&
			   insn.target < flow->end;
	} while (!ends_way(&insn) && insn.length && piece->end - address < MAX_PIECE_BYTES &&
		 !find_piece(flow, piece->end));
	if (!returns) {
		flow->code.count = piece->first;
		return false;
	}
	piece->count = (uint32_t)flow->code.count - piece->first;
	flow->piece_count++;
	flow->complete &= good;
	return true;
}

static void try_piece(struct code_flow *flow, uint64_t address, unsigned int *failed)
{
	if (flow->piece_count < MAX_PIECES && *failed < MAX_FAILED_PIECES &&
	    !find_piece(flow, address) && !decode_piece(flow, address))
		++*failed;
}

/* The array grows while it is gone through: pieces may jump to further ones. */
static void decode_pieces(struct code_flow *flow)
{
	const struct code_image *image = flow->image;
	unsigned int failed = 0;

	for (size_t i = code_image_first_edge(image, flow->begin);
	     i < image->edges.count && image->edges.data[i].from < flow->end; i++)
		try_piece(flow, image->edges.data[i].to, &failed);
	for (size_t i = 0; i < flow->code.count; i++)
		if (is_direct_jump(&flow->code.data[i]))
			try_piece(flow, flow->code.data[i].target, &failed);
}

static void add_edge(struct code_flow *flow, uint32_t from, uint32_t to)
{
	struct flow_edge edge = { from, to };

	flow->code.data[from].flags |= HAS_EDGE;
	flow->code.data[to].flags |= JUMPED_TO;
	array_push(&flow->edges, edge);
}

/* Static branches and faults. */
static void add_image_edges(struct code_flow *flow, const struct flow_piece *piece)
{
	const struct code_image *image = flow->image;

	for (size_t i = code_image_first_edge(image, piece->begin);
	     i < image->edges.count && image->edges.data[i].from < piece->end; i++) {
		uint32_t from = index_of(flow, image->edges.data[i].from);
		uint32_t to = index_of(flow, image->edges.data[i].to);

		if (from != NO_INDEX && to != NO_INDEX)
			add_edge(flow, from, to);
	}
}

/*
 * The table of an indirect jump: addresses, up to the first that is not in the function. False when
 * it has none: then the jump is a tail call through an array of functions.
 */
static bool add_table_edges(struct code_flow *flow, uint32_t from)
{
	uint64_t table = flow->code.data[from].target;
	size_t size;
	const uint8_t *bytes = code_image_data(flow->image, table, &size);
	size_t count = 0;

	if (flow->edges.count > MAX_EDGES)
		flow->complete = false;
	for (; bytes && size >= 8 && count < MAX_TABLE_ENTRIES && flow->edges.count <= MAX_EDGES;
	     size -= 8, bytes += 8, count++) {
		uint32_t to = index_of(flow, bytes_load_u64(bytes, flow->image->swap));

		if (to == NO_INDEX)
			break;
		add_edge(flow, from, to);
	}
	return count != 0;
}

static void add_edges(struct code_flow *flow)
{
	for (uint32_t i = 0; i < flow->piece_count; i++)
		add_image_edges(flow, &flow->pieces[i]);
	for (uint32_t i = 0; i < flow->code.count; i++) {
		struct instruction *insn = &flow->code.data[i];
		uint32_t to = is_direct_jump(insn) || insn->kind == INSTRUCTION_CALL ?
				      index_of(flow, insn->target) :
				      NO_INDEX;

		if (to != NO_INDEX)
			flow->code.data[to].flags |= JUMPED_TO;
		/* A subroutine inside, as assembler has them: no state is kept for its callers. */
		if (to != NO_INDEX && insn->kind == INSTRUCTION_CALL && insn->target != flow->begin)
			flow->complete = false;
		if (insn->kind == INSTRUCTION_JUMP_TABLE && !add_table_edges(flow, i))
			insn->kind = INSTRUCTION_JUMP_MEMORY;
	}
}

/*
 * A jump to an address that was loaded as it is, with no index, is a tail call: the address in a
 * jump table takes an index to find, or a sum to compute.
 */
static bool jumps_to_loaded(const struct flow_piece *piece, const struct instruction *code,
			    uint32_t jump)
{
	for (uint32_t i = jump; i > piece->first; i--) {
		const struct instruction *before = &code[i - 1];

		if (code[i].flags & JUMPED_TO || ends_way(before))
			return false;
		if (before->writes & code[jump].reads)
			return before->loads_pointer;
	}
	return false;
}

static void judge_indirect_jumps(struct code_flow *flow)
{
	for (uint32_t i = 0; i < flow->code.count; i++) {
		struct instruction *insn = &flow->code.data[i];

		if (insn->kind != INSTRUCTION_JUMP_REGISTER)
			continue;
		if (jumps_to_loaded(find_piece(flow, insn->address), flow->code.data, i))
			insn->kind = INSTRUCTION_JUMP_MEMORY;
		else
			flow->jumps_anywhere = true;
	}
}

/* Whether what follows a call or trap, padding left out, is reached by others, too. */
static bool way_beyond_doubtful(const struct code_flow *flow, uint32_t index)
{
	uint32_t next = index_behind(flow, index);

	for (; next != NO_INDEX; next = index_behind(flow, next)) {
		const struct instruction *insn = &flow->code.data[next];

		if (insn->flags & JUMPED_TO)
			return true;
		if (insn->kind != INSTRUCTION_NOP || insn->flags & HAS_EDGE)
			return false;
	}
	return true;
}

static void cut_into_blocks(struct code_flow *flow)
{
	bool begins = true;

	for (uint32_t i = 0; i < flow->code.count; i++) {
		struct instruction *insn = &flow->code.data[i];

		if (is_call(insn) || insn->kind == INSTRUCTION_TRAP)
			insn->flags |= way_beyond_doubtful(flow, i) ? WAY_BEYOND_DOUBTFUL : 0;
		/* Where pieces meet, a block begins. */
		if (i && insn->address != insn[-1].address + insn[-1].length)
			begins = true;
		if (begins || insn->flags & (JUMPED_TO | HAS_EDGE))
			insn->flags |= BLOCK_BEGINS;
		begins = ends_way(insn) || is_direct_jump(insn) || insn->flags & HAS_EDGE ||
			 index_behind(flow, i) != i + 1;
	}
	for (uint32_t i = 0; i < flow->code.count; i++) {
		struct flow_block block = { .first = i };

		while (i + 1 < flow->code.count && !(flow->code.data[i + 1].flags & BLOCK_BEGINS))
			i++;
		block.end = i + 1;
		array_push(&flow->blocks, block);
	}
}

static uint32_t block_of(const struct code_flow *flow, uint32_t index)
{
	size_t low = 0, high = flow->blocks.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (flow->blocks.data[middle].first <= index)
			low = middle + 1;
		else
			high = middle;
	}
	return (uint32_t)low - 1;
}

static int compare_flow_edges(const void *left, const void *right)
{
	const struct flow_edge *a = left, *b = right;

	return (a->from > b->from) - (a->from < b->from);
}

/* False when the function is none, or too large. */
static bool load(struct code_flow *flow, uint64_t begin, uint64_t end)
{
	size_t size;

	if (begin == flow->begin && end == flow->end)
		return flow->code.count != 0;
	flow->begin = begin;
	flow->end = end;
	flow->code.count = flow->blocks.count = flow->edges.count = 0;
	flow->piece_count = 0;
	flow->jumps_anywhere = false;
	memset(flow->solved, 0, sizeof(flow->solved));
	if (begin >= end || end - begin > MAX_FUNCTION_BYTES ||
	    !code_image_text(flow->image, begin, &size) || size < end - begin)
		return false;
	flow->complete = decode_range(flow, begin, end);
	decode_pieces(flow);
	add_edges(flow);
	judge_indirect_jumps(flow);
	if (flow->edges.count)
		qsort(flow->edges.data, flow->edges.count, sizeof(*flow->edges.data),
		      compare_flow_edges);
	cut_into_blocks(flow);
	return true;
}

/* ---- what an instruction does to the registers ---- */

static void pass_call(struct code_flow *flow, enum flow_level level, const struct instruction *insn,
		      struct flow_state *state)
{
	struct callee callee = { .returns = flow->result };
	uint32_t kept, lost;

	if (is_fentry_call(flow, insn))
		return;
	if (level == FLOW_SCRUTINY && insn->kind == INSTRUCTION_CALL)
		callee = callee_at(flow, insn->target);
	/* A call through memory at a constant address is mostly a paravirt operation. */
	if (level == FLOW_SCRUTINY && insn->kind == INSTRUCTION_CALL_FIXED)
		callee.preserves = ~UINT32_C(0);
	callee.returns |= flow->result;
	kept = callee.preserves & flow->lost_by_call;
	lost = flow->lost_by_call & ~kept;

	state->maybe_entry = (state->maybe_entry & ~lost) | (state->entry & kept);
	state->unsure = (state->unsure & ~lost) | ((state->entry | state->value) & kept) |
			(callee.returns & lost);
	state->entry &= ~flow->lost_by_call;
	state->value &= ~lost;
	state->junk = (state->junk | lost) & ~(callee.returns & lost);
	if (insn->flags & WAY_BEYOND_DOUBTFUL || flow->jumps_anywhere) {
		state->unsure |= state->junk & flow->lost_by_call;
		state->junk = 0;
	}
}

/* A trap changes nothing, but that anything follows may be wrong. */
static void pass_trap(const struct instruction *insn, struct flow_state *state)
{
	state->unsure |= state->junk;
	state->junk = 0;
	if (insn->flags & WAY_BEYOND_DOUBTFUL) {
		state->maybe_entry |= state->entry;
		state->entry = 0;
	}
}

static void pass(struct code_flow *flow, enum flow_level level, const struct instruction *insn,
		 struct flow_state *state)
{
	if (is_call(insn)) {
		pass_call(flow, level, insn, state);
	} else if (insn->kind == INSTRUCTION_TRAP) {
		pass_trap(insn, state);
	} else if (insn->kind == INSTRUCTION_BAD) {
		state->maybe_entry |= state->entry;
		state->unsure = ~UINT32_C(0);
		state->entry = state->value = state->junk = 0;
	} else {
		state->entry &= ~insn->writes;
		state->maybe_entry &= ~insn->writes;
		state->junk &= ~insn->writes;
		state->unsure &= ~insn->writes;
		state->value |= insn->writes;
	}
}

/* ---- the solution ---- */

/* What reaches a block: joined to what is there; a change makes it pending. */
static void reach(struct code_flow *flow, enum flow_level level, uint32_t index,
		  const struct flow_state *state)
{
	struct flow_block *block;
	struct flow_state *in, old;

	if (index == NO_INDEX)
		return;
	block = &flow->blocks.data[block_of(flow, index)];
	in = &block->in[level];
	old = *in;
	in->entry |= state->entry;
	in->value |= state->value;
	in->junk |= state->junk;
	in->unsure |= state->unsure;
	in->maybe_entry |= state->maybe_entry;
	if (memcmp(&old, in, sizeof(old)) != 0)
		block->pending = true;
}

/* A jump that may go anywhere. What has been spread once need not be again. */
static void reach_all(struct code_flow *flow, enum flow_level level, const struct flow_state *state)
{
	struct flow_state *anywhere = &flow->anywhere[level];
	uint32_t entry = state->entry | state->maybe_entry;

	if (anywhere->unsure && !(entry & ~anywhere->maybe_entry))
		return;
	anywhere->unsure = ~UINT32_C(0);
	anywhere->maybe_entry |= entry;
	for (size_t i = 0; i < flow->blocks.count; i++)
		reach(flow, level, flow->blocks.data[i].first, anywhere);
}

/*
 * The state behind the last instruction of a block goes where it goes. A faulting instruction has
 * not written, but the compiler takes the results of inline assembler for written on all ways out.
 */
static void leave(struct code_flow *flow, enum flow_level level, uint32_t last,
		  const struct flow_state *after)
{
	const struct instruction *insn = &flow->code.data[last];
	size_t low = 0, high = flow->edges.count;

	if (is_direct_jump(insn))
		reach(flow, level, index_of(flow, insn->target), after);
	if (insn->kind == INSTRUCTION_JUMP_REGISTER)
		reach_all(flow, level, after);
	/* A jump that is a static branch may be a NOP; one with a table has edges, too. */
	if (!ends_way(insn) || (insn->flags & HAS_EDGE && insn->kind == INSTRUCTION_JUMP))
		reach(flow, level, index_behind(flow, last), after);
	if (!(insn->flags & HAS_EDGE))
		return;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (flow->edges.data[middle].from < last)
			low = middle + 1;
		else
			high = middle;
	}
	for (; low < flow->edges.count && flow->edges.data[low].from == last; low++)
		reach(flow, level, flow->edges.data[low].to, after);
}

static void pass_block(struct code_flow *flow, enum flow_level level, uint32_t index)
{
	const struct flow_block *block = &flow->blocks.data[index];
	struct flow_state state = block->in[level];

	for (uint32_t i = block->first; i < block->end; i++)
		pass(flow, level, &flow->code.data[i], &state);
	leave(flow, level, block->end - 1, &state);
}

/* Whether control may leave the function at the instruction with registers as they are. */
static bool passes_on(const struct code_flow *flow, uint32_t index)
{
	const struct instruction *insn = &flow->code.data[index];

	if (is_call(insn))
		return !is_fentry_call(flow, insn);
	if (is_direct_jump(insn) && index_of(flow, insn->target) == NO_INDEX)
		return true;
	if (insn->kind == INSTRUCTION_JUMP_MEMORY || insn->kind == INSTRUCTION_JUMP_REGISTER)
		return true;
	return !ends_way(insn) && index_behind(flow, index) == NO_INDEX;
}

static void collect_use(struct code_flow *flow, enum flow_level level)
{
	struct flow_entry_use *use = &flow->use[level];

	*use = (struct flow_entry_use){ 0 };
	for (size_t i = 0; i < flow->blocks.count; i++) {
		const struct flow_block *block = &flow->blocks.data[i];
		struct flow_state state = block->in[level];

		for (uint32_t j = block->first; j < block->end; j++) {
			const struct instruction *insn = &flow->code.data[j];

			use->read |= insn->reads & state.entry;
			use->maybe_read |= insn->reads & state.maybe_entry;
			use->maybe_read |= insn->maybe_reads & (state.entry | state.maybe_entry);
			if (insn->kind == INSTRUCTION_BAD ||
			    insn->kind == INSTRUCTION_JUMP_REGISTER)
				use->maybe_read |= state.entry | state.maybe_entry;
			if (passes_on(flow, j))
				use->passed |= state.entry | state.maybe_entry;
			pass(flow, level, insn, &state);
		}
	}
}

/* A state only ever grows, by five bits per register, so it ends; the bound is for the time. */
static bool solve(struct code_flow *flow, enum flow_level level)
{
	struct flow_state entered = { .entry = ~UINT32_C(0) };
	bool changed = true;

	if (flow->solved[level])
		return true;
	for (size_t i = 0; i < flow->blocks.count; i++) {
		flow->blocks.data[i].in[level] = (struct flow_state){ 0 };
		flow->blocks.data[i].pending = false;
	}
	flow->anywhere[level] = (struct flow_state){ 0 };
	reach(flow, level, 0, &entered);
	for (int round = 0; changed; round++) {
		if (round == MAX_ROUNDS) {
			flow->code.count = 0;	/* not to be tried again: see load() */
			return false;
		}
		changed = false;
		for (uint32_t i = 0; i < flow->blocks.count; i++) {
			if (!flow->blocks.data[i].pending)
				continue;
			flow->blocks.data[i].pending = false;
			changed = true;
			pass_block(flow, level, i);
		}
	}
	collect_use(flow, level);
	flow->solved[level] = true;
	return true;
}

/* ---- questions ---- */

enum flow_answer code_flow_at_call(struct code_flow *flow, enum flow_level level, uint64_t begin,
				   uint64_t end, uint64_t call, unsigned int reg,
				   unsigned int *holds)
{
	const struct instruction *insn;
	const struct flow_block *block;
	struct flow_state state;
	bool is_reached;
	uint32_t index;

	*holds = 0;
	if (reg >= 31 || !load(flow, begin, end) || !solve(flow, level))
		return FLOW_UNKNOWN;
	index = call >= begin && call < end ? index_of(flow, call) : NO_INDEX;
	if (index == NO_INDEX)
		return flow->complete || call < begin || call >= end ? FLOW_NO_CALL : FLOW_UNKNOWN;
	insn = &flow->code.data[index];
	if (!is_call(insn) && !is_direct_jump(insn) && insn->kind != INSTRUCTION_JUMP_REGISTER &&
	    insn->kind != INSTRUCTION_JUMP_MEMORY)
		return insn->kind == INSTRUCTION_BAD ? FLOW_UNKNOWN : FLOW_NO_CALL;
	if (!flow->complete)
		return FLOW_UNKNOWN;
	block = &flow->blocks.data[block_of(flow, index)];
	state = block->in[level];
	is_reached = state.entry | state.value | state.junk | state.unsure | state.maybe_entry;
	for (uint32_t i = block->first; i < index; i++)
		pass(flow, level, &flow->code.data[i], &state);
	/*
	 * Where no known way leads (a further entry of a .cold part), only what the block has
	 * written counts: there may be such an entry behind any call in it.
	 */
	if (!is_reached)
		state.unsure = ~state.value;
	*holds = (state.entry >> reg & 1 ? HOLDS_ENTRY : 0) |
		 (state.value >> reg & 1 ? HOLDS_VALUE : 0) |
		 (state.junk >> reg & 1 ? HOLDS_JUNK : 0) |
		 (state.unsure >> reg & 1 ? HOLDS_UNSURE : 0) |
		 (state.maybe_entry >> reg & 1 ? HOLDS_MAYBE_ENTRY : 0);
	return FLOW_KNOWN;
}

bool code_flow_entry_use(struct code_flow *flow, enum flow_level level, uint64_t begin,
			 uint64_t end, struct flow_entry_use *use)
{
	*use = (struct flow_entry_use){ 0 };
	if (!load(flow, begin, end) || !solve(flow, level))
		return false;
	*use = flow->use[level];
	return flow->complete;
}
