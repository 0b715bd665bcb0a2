/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The function is decoded from its begin to its end and cut into blocks. Three things are not in
 * textbooks:
 *
 * Pieces. Code outside of [begin, end) that is jumped to and jumps back (.cold parts, .fixup,
 * .altinstr_aux) belongs to the function; a jump to anywhere else leaves it.
 *
 * Hidden edges. Static branches and faults come from tables of the image. Where an indirect jump
 * goes is unknown unless its table can be read; then any instruction may be its target.
 *
 * Calls that do not return. After such a call there is padding, or another block. If the
 * next instruction is the target of a jump, the way from the call to it may not exist: it is
 * doubtful. If it is not, then it is reached through the call or never.
 *
 * All work is bounded: bytes of a function, pieces, edges.
 */
#include "dwarf/code/code_graph.h"

#include <elf.h>

#include "base/bytes.h"
#include "base/search.h"

#define MAX_PIECE_BYTES	   1024
#define MAX_FAILED_PIECES  64
#define MAX_TABLE_ENTRIES  1024
#define MAX_EDGES	   16384
#define MAX_ROUNDS	   200

/* System V ABI of x86-64, figure 3.4; AAPCS64, section 6.1.1. */
static const struct code_convention conventions[] = {
	{ EM_X86_64, X86_STACK, 8, 0x0f37, 0, 0x0336, .result = 0, .second_result = 1u << 1 },
	{ EM_AARCH64, ARM64_STACK, 0, 0x3ffff, 0xffff00ff, 0xff, .result = 1u << 0,
	  .second_result = 1u << 1 },
};

bool code_graph_init(struct code_graph *graph, const struct code_image *image)
{
	*graph = (struct code_graph){ .image = image };
	for (size_t i = 0; i < sizeof(conventions) / sizeof(*conventions); i++)
		if (conventions[i].machine == image->machine)
			graph->convention = &conventions[i];
	graph->decoder = instruction_decoder_new(image->machine);
	return graph->decoder != NULL;
}

void code_graph_release(struct code_graph *graph)
{
	instruction_decoder_free(graph->decoder);
	array_release(&graph->code);
	array_release(&graph->blocks);
	array_release(&graph->successors);
	array_release(&graph->edges);
}

void code_graph_decode(struct code_graph *graph, uint64_t address, struct instruction *out)
{
	size_t size;
	const uint8_t *bytes = code_image_text(graph->image, address, &size);

	if (bytes)
		instruction_decode(graph->decoder, bytes, size, address, out);
	else
		*out = (struct instruction){ .address = address, .kind = INSTRUCTION_BAD };
	if (out->kind == INSTRUCTION_JUMP && graph->image->return_thunk &&
	    out->target == graph->image->return_thunk)
		out->kind = INSTRUCTION_RETURN;
}

bool code_ends_path(const struct instruction *insn)
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

/* ---- the CFG ---- */

static const struct code_piece *find_piece(const struct code_graph *graph, uint64_t address)
{
	for (uint32_t i = 0; i < graph->piece_count; i++)
		if (address >= graph->pieces[i].begin && address < graph->pieces[i].end)
			return &graph->pieces[i];
	return NULL;
}

uint32_t code_graph_index(const struct code_graph *graph, uint64_t address)
{
	const struct code_piece *piece = find_piece(graph, address);
	const struct instruction *code;
	uint32_t at;

	if (!piece)
		return CODE_NOWHERE;
	code = graph->code.data + piece->first;
	at = (uint32_t)lower_bound(i, piece->count, code[i].address < address);
	return at < piece->count && code[at].address == address ? piece->first + at : CODE_NOWHERE;
}

uint32_t code_graph_next(const struct code_graph *graph, uint32_t index)
{
	const struct instruction *insn = &graph->code.data[index];
	uint64_t address = insn->address + insn->length;

	if (index + 1 < graph->code.count && insn[1].address == address)
		return index + 1;
	return code_graph_index(graph, address);
}

/*
 * Code elsewhere that begins at `address` and ends with the first jump: a piece of the function if
 * it jumps back into it (not to its entry: that is a call).
 */
static bool decode_piece(struct code_graph *graph, uint64_t address)
{
	struct code_piece *piece = &graph->pieces[graph->piece_count];
	struct instruction insn;
	bool returns = false, good = true;

	*piece = (struct code_piece){ address, address, (uint32_t)graph->code.count, 0 };
	do {
		code_graph_decode(graph, piece->end, &insn);
		good &= insn.kind != INSTRUCTION_BAD;
		array_push(&graph->code, insn);
		piece->end += insn.length ? insn.length : 1;
		returns |= code_is_direct_jump(&insn) && insn.target > graph->begin &&
			   insn.target < graph->end;
	} while (!code_ends_path(&insn) && insn.length && piece->end - address < MAX_PIECE_BYTES &&
		 !find_piece(graph, piece->end));
	if (!returns) {
		graph->code.count = piece->first;
		return false;
	}
	piece->count = (uint32_t)graph->code.count - piece->first;
	graph->piece_count++;
	graph->complete &= good;
	return true;
}

/* Pieces may jump to further ones. */
static void decode_pieces(struct code_graph *graph)
{
	const struct code_image *image = graph->image;
	size_t edge = code_image_first_edge(image, graph->begin), at = 0;
	unsigned int failed = 0;

	while (graph->piece_count < CODE_MAX_PIECES && failed < MAX_FAILED_PIECES) {
		uint64_t address;

		if (edge < image->edges.count && image->edges.data[edge].from < graph->end) {
			address = image->edges.data[edge++].to;
		} else if (at < graph->code.count) {
			const struct instruction *insn = &graph->code.data[at++];

			if (!code_is_direct_jump(insn))
				continue;
			address = insn->target;
		} else {
			break;
		}
		if (!find_piece(graph, address) && !decode_piece(graph, address))
			failed++;
	}
}

static void add_edge(struct code_graph *graph, uint32_t from, uint32_t to)
{
	graph->code.data[from].flags |= CODE_HAS_EDGE;
	graph->code.data[to].flags |= CODE_JUMPED_TO;
	array_push(&graph->edges, ((struct sort_item){ from, to }));
}

/*
 * The table of an indirect jump: addresses, up to the first that is not in the function. False when
 * it has none: then the jump is a tail call through an array of functions.
 */
static bool add_table_edges(struct code_graph *graph, uint32_t from)
{
	uint64_t table = graph->code.data[from].target;
	size_t size;
	const uint8_t *bytes = code_image_data(graph->image, table, &size);
	size_t count = 0;

	if (graph->edges.count > MAX_EDGES)
		graph->complete = false;
	for (; bytes && size >= 8 && count < MAX_TABLE_ENTRIES && graph->edges.count <= MAX_EDGES;
	     size -= 8, bytes += 8, count++) {
		uint32_t to = code_graph_index(graph, bytes_load_u64(bytes, graph->image->swap));

		if (to == CODE_NOWHERE)
			break;
		add_edge(graph, from, to);
	}
	return count != 0;
}

/* Static branches and faults, jumps and their tables. */
static void add_edges(struct code_graph *graph)
{
	const struct code_image *image = graph->image;

	for (uint32_t i = 0; i < graph->piece_count; i++) {
		for (size_t at = code_image_first_edge(image, graph->pieces[i].begin);
		     at < image->edges.count && image->edges.data[at].from < graph->pieces[i].end;
		     at++) {
			uint32_t from = code_graph_index(graph, image->edges.data[at].from);
			uint32_t to = code_graph_index(graph, image->edges.data[at].to);

			if (from != CODE_NOWHERE && to != CODE_NOWHERE)
				add_edge(graph, from, to);
		}
	}
	for (uint32_t i = 0; i < graph->code.count; i++) {
		struct instruction *insn = &graph->code.data[i];
		uint32_t to = code_is_direct_jump(insn) || insn->kind == INSTRUCTION_CALL ?
				      code_graph_index(graph, insn->target) :
				      CODE_NOWHERE;

		if (to != CODE_NOWHERE)
			graph->code.data[to].flags |= CODE_JUMPED_TO;
		/* A subroutine inside, as assembler has them: no state is kept for its callers. */
		if (to != CODE_NOWHERE && insn->kind == INSTRUCTION_CALL &&
		    insn->target != graph->begin)
			graph->complete = false;
		if (insn->kind == INSTRUCTION_JUMP_TABLE && !add_table_edges(graph, i))
			insn->kind = INSTRUCTION_JUMP_MEMORY;
	}
	sort_by_key(graph->edges.data, graph->edges.count);
}

/*
 * A jump to an address that was loaded as it is, with no index, is a tail call: the address in a
 * jump table takes an index to find, or a sum to compute.
 */
static void judge_indirect_jumps(struct code_graph *graph)
{
	for (uint32_t i = 0; i < graph->code.count; i++) {
		struct instruction *jump = &graph->code.data[i], *insn = jump;
		const struct instruction *first;
		bool is_loaded = false;

		if (jump->kind != INSTRUCTION_JUMP_REGISTER)
			continue;
		/* Back to the instruction that writes the register, on the only path. */
		first = &graph->code.data[find_piece(graph, jump->address)->first];
		for (; insn > first && !(insn->flags & CODE_JUMPED_TO) && !code_ends_path(insn - 1);
		     insn--) {
			if (insn[-1].writes & jump->reads) {
				is_loaded = insn[-1].loads_pointer;
				break;
			}
		}
		if (is_loaded)
			jump->kind = INSTRUCTION_JUMP_MEMORY;
		else
			graph->jumps_anywhere = true;
	}
}

/* Whether the code after a call or trap, padding left out, has other predecessors, too. */
static bool is_next_doubtful(const struct code_graph *graph, uint32_t index)
{
	uint32_t next = code_graph_next(graph, index);

	for (; next != CODE_NOWHERE; next = code_graph_next(graph, next)) {
		const struct instruction *insn = &graph->code.data[next];

		if (insn->flags & CODE_JUMPED_TO)
			return true;
		if (insn->kind != INSTRUCTION_NOP || insn->flags & CODE_HAS_EDGE)
			return false;
	}
	return true;
}

static void cut_into_blocks(struct code_graph *graph)
{
	bool begins = true;

	for (uint32_t i = 0; i < graph->code.count; i++) {
		struct instruction *insn = &graph->code.data[i];

		if (code_is_call(insn) || insn->kind == INSTRUCTION_TRAP)
			insn->flags |= is_next_doubtful(graph, i) ? CODE_NEXT_DOUBTFUL : 0;
		/* Where pieces meet, a block begins. */
		if (i && insn->address != insn[-1].address + insn[-1].length)
			begins = true;
		if (begins || insn->flags & (CODE_JUMPED_TO | CODE_HAS_EDGE))
			insn->flags |= CODE_BLOCK_BEGINS;
		begins = code_ends_path(insn) || code_is_direct_jump(insn) ||
			 insn->flags & CODE_HAS_EDGE || code_graph_next(graph, i) != i + 1;
	}
	for (uint32_t i = 0; i < graph->code.count; i++) {
		struct code_block block = { .first = i };

		while (i + 1 < graph->code.count &&
		       !(graph->code.data[i + 1].flags & CODE_BLOCK_BEGINS))
			i++;
		block.end = i + 1;
		array_push(&graph->blocks, block);
	}
}

uint32_t code_graph_block(const struct code_graph *graph, uint32_t index)
{
	return (uint32_t)lower_bound(i, graph->blocks.count,
				     graph->blocks.data[i].first <= index) - 1;
}

const struct instruction *code_graph_last(const struct code_graph *graph,
					  const struct code_block *block)
{
	for (uint32_t i = block->end; i > block->first; i--)
		if (graph->code.data[i - 1].kind != INSTRUCTION_NOP)
			return &graph->code.data[i - 1];
	return NULL;
}

static void add_successor(struct code_graph *graph, struct code_block *block, uint32_t index)
{
	if (index == CODE_NOWHERE)
		return;
	array_push(&graph->successors, code_graph_block(graph, index));
	block->successor_count++;
}

/* The edges from the last instruction of a block; the one to the next instruction comes last. */
static void add_successors(struct code_graph *graph, struct code_block *block)
{
	uint32_t last = block->end - 1, next = code_graph_next(graph, last);
	const struct instruction *insn = &graph->code.data[last], *end;
	size_t edge = graph->edges.count;

	block->successors = (uint32_t)graph->successors.count;
	if (code_is_direct_jump(insn))
		add_successor(graph, block, code_graph_index(graph, insn->target));
	if (insn->flags & CODE_HAS_EDGE)
		edge = lower_bound(i, graph->edges.count, graph->edges.data[i].key < last);
	for (; edge < graph->edges.count && graph->edges.data[edge].key == last; edge++)
		add_successor(graph, block, graph->edges.data[edge].value);
	/* A jump that is a static branch may be a NOP; one with a table has edges, too. */
	if (code_ends_path(insn) &&
	    !(insn->flags & CODE_HAS_EDGE && insn->kind == INSTRUCTION_JUMP))
		return;
	/* Doubtful edges lead on from a call or trap, also over padding. */
	end = code_graph_last(graph, block);
	block->falls_out = next == CODE_NOWHERE;
	block->last_is_doubtful = !block->falls_out && end && end->flags & CODE_NEXT_DOUBTFUL;
	add_successor(graph, block, next);
}

bool code_graph_jumps_out(const struct code_graph *graph, const struct instruction *insn)
{
	if (code_is_direct_jump(insn))
		return code_graph_index(graph, insn->target) == CODE_NOWHERE;
	return insn->kind == INSTRUCTION_JUMP_MEMORY || insn->kind == INSTRUCTION_JUMP_REGISTER;
}

bool code_graph_load(struct code_graph *graph, uint64_t begin, uint64_t end)
{
	struct code_piece *piece = &graph->pieces[0];
	struct instruction insn;
	size_t size;

	if (begin == graph->begin && end == graph->end)
		return graph->code.count != 0;
	graph->begin = begin;
	graph->end = end;
	graph->generation++;
	graph->code.count = graph->blocks.count = graph->edges.count = 0;
	graph->successors.count = 0;
	graph->piece_count = 0;
	graph->jumps_anywhere = false;
	if (begin >= end || end - begin > CODE_MAX_FUNCTION_BYTES ||
	    !code_image_text(graph->image, begin, &size) || size < end - begin ||
	    !object_share(graph->image->object, SHARED_CODE, end - begin))
		return false;
	graph->complete = true;
	for (uint64_t address = begin; address < end; address += insn.length) {
		code_graph_decode(graph, address, &insn);
		graph->complete &= insn.kind != INSTRUCTION_BAD;
		array_push(&graph->code, insn);
		if (!insn.length)
			break;
	}
	*piece = (struct code_piece){ begin, end, 0, (uint32_t)graph->code.count };
	graph->piece_count = 1;
	decode_pieces(graph);
	add_edges(graph);
	judge_indirect_jumps(graph);
	cut_into_blocks(graph);
	for (size_t i = 0; i < graph->blocks.count; i++)
		add_successors(graph, &graph->blocks.data[i]);
	return true;
}

struct code_worklist code_graph_start(struct code_graph *graph)
{
	for (size_t i = 0; i < graph->blocks.count; i++)
		graph->blocks.data[i].pending = i == 0;
	return (struct code_worklist){ 0 };
}

bool code_graph_next_pending(struct code_graph *graph, struct code_worklist *list)
{
	for (; list->round < MAX_ROUNDS; list->round++) {
		while (list->next < graph->blocks.count) {
			struct code_block *block = &graph->blocks.data[list->block = list->next++];

			if (!block->pending)
				continue;
			block->pending = false;
			return list->changed = true;
		}
		if (!list->changed)
			return false;
		list->next = 0;
		list->changed = false;
	}
	list->too_long = true;
	return false;
}
