/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Each register holds, wherever an instruction is reached, one of:
 *
 *   ENTRY + k    the stack pointer at the entry, plus k
 *   FRAME + k    the stack pointer where it has been aligned, plus k
 *   LOCAL        some address in the function's own frame: no compiler reaches an argument from
 *                there, for it does not know how far it is
 *   ARGUMENTS k  some address reckoned from ENTRY + k, which is one of the arguments'
 *   OTHER        anything else; what is no address of the stack
 *   LOST         one of several
 *
 * Of these only ENTRY, ARGUMENTS and LOST can lead to an argument. An address of arguments that is
 * stored, passed or compared is taken for one that somebody reads through. GCC keeps the address
 * of the arguments in r10 when it aligns the stack, and pushes it: that one slot is followed.
 *
 * Ways that may not exist (code_graph.c) would join what never meets: they are followed last, and
 * to a block that has been reached only if the stack pointer agrees.
 */
#include "dwarf/code/code_stack.h"

#include <elf.h>
#include <string.h>

#define MAX_ROUNDS	200
/* Nobody asks for more; and nothing in there overflows. */
#define MAX_DISTANCE	(1 << 28)
/* The base of an array may stand before it, for indices that begin above zero. */
#define ARRAY_BIAS	32
#define PARTS		64

enum {
	VALUE_OTHER,
	VALUE_ENTRY,
	VALUE_FRAME,
	VALUE_LOCAL,
	VALUE_ARGUMENTS,
	VALUE_LOST,
};

static const struct stack_value other = { 0, VALUE_OTHER };
static const struct stack_value local = { 0, VALUE_LOCAL };
static const struct stack_value lost = { 0, VALUE_LOST };

void code_stack_init(struct code_stack *stack, struct code_graph *graph)
{
	bool is_x86 = graph->image->machine == EM_X86_64;

	*stack = (struct code_stack){ .graph = graph };
	stack->stack_pointer = instruction_stack_pointer(graph->decoder);
	stack->results = 3;
	stack->kept = is_x86 ? ~UINT32_C(0x80000f37) : ~UINT32_C(0x8003ffff);
	stack->arguments = is_x86 ? 0x0336 : 0x000001ff;
	stack->arguments_begin = is_x86 ? 8 : 0;
}

void code_stack_release(struct code_stack *stack)
{
	array_release(&stack->addresses);
	array_release(&stack->blocks);
}

/* ---- values ---- */

static struct stack_value moved(struct stack_value value, int64_t distance)
{
	if (value.kind != VALUE_ENTRY && value.kind != VALUE_FRAME)
		return value;
	if (distance > MAX_DISTANCE || distance < -MAX_DISTANCE ||
	    value.offset + distance > MAX_DISTANCE || value.offset + distance < -MAX_DISTANCE)
		return lost;
	value.offset += (int32_t)distance;
	return value;
}

static bool is_argument(const struct code_stack *stack, struct stack_value value)
{
	return (value.kind == VALUE_ENTRY && value.offset >= stack->arguments_begin) ||
	       value.kind == VALUE_ARGUMENTS;
}

/* Something unknown has been added. */
static struct stack_value somewhere(const struct code_stack *stack, struct stack_value value)
{
	if (value.kind == VALUE_FRAME)
		return local;
	if (value.kind != VALUE_ENTRY)
		return value;
	if (value.offset >= stack->arguments_begin)
		return (struct stack_value){ value.offset, VALUE_ARGUMENTS };
	return value.offset >= stack->arguments_begin - ARRAY_BIAS ? lost : local;
}

static struct stack_value joined(const struct code_stack *stack, unsigned int reg,
				 struct stack_value a, struct stack_value b)
{
	if (a.kind == b.kind && a.offset == b.offset)
		return a;
	if (a.kind == VALUE_LOST || b.kind == VALUE_LOST || reg == stack->stack_pointer)
		return lost;
	if (is_argument(stack, a) && is_argument(stack, b))
		return (struct stack_value){ a.offset < b.offset ? a.offset : b.offset,
					     VALUE_ARGUMENTS };
	if (is_argument(stack, a))
		return (struct stack_value){ a.offset, VALUE_ARGUMENTS };
	if (is_argument(stack, b))
		return (struct stack_value){ b.offset, VALUE_ARGUMENTS };
	return local;
}

/* ---- one instruction ---- */

static struct stack_value value_of(const struct stack_state *state, uint8_t reg)
{
	return reg == NO_REGISTER ? other : state->registers[reg];
}

/* Where an access begins, or, with an index, whereabouts. */
static struct stack_value address_of(const struct code_stack *stack,
				     const struct stack_state *state,
				     const struct instruction_address *insn)
{
	struct stack_value base = value_of(state, insn->base);
	struct stack_value index = value_of(state, insn->index);

	if (insn->index == NO_REGISTER)
		return moved(base, insn->displacement);
	base = somewhere(stack, moved(base, insn->displacement));
	index = somewhere(stack, moved(index, insn->displacement));
	if (base.kind == VALUE_OTHER)
		return index;
	if (index.kind == VALUE_OTHER)
		return base;
	return base.kind == VALUE_LOCAL && index.kind == VALUE_LOCAL ? local : lost;
}

static bool is_saved(const struct code_stack *stack, struct stack_value address)
{
	return stack->has_saved && address.kind == VALUE_FRAME &&
	       address.offset == stack->saved_at;
}

static struct stack_value new_value(const struct code_stack *stack,
				    const struct stack_state *state,
				    const struct instruction_address *insn)
{
	struct stack_value source = value_of(state, insn->source);
	bool to_stack_pointer = insn->target == stack->stack_pointer;

	if (insn->access & ADDRESS_TAKEN)
		return address_of(stack, state, insn);
	switch ((enum address_step)insn->step) {
	case STEP_ADD: return moved(source, insn->constant);
	case STEP_ALIGN:
		if (to_stack_pointer && source.kind == VALUE_ENTRY)
			return (struct stack_value){ 0, VALUE_FRAME };
		return to_stack_pointer && source.kind != VALUE_OTHER ? local :
									somewhere(stack, source);
	case STEP_LOWER:
		if (to_stack_pointer && source.kind != VALUE_LOST && source.kind != VALUE_OTHER)
			return local;
		/* The stack pointer in another register, on its way to be lowered. */
		if (source.kind == VALUE_ENTRY && source.offset < stack->arguments_begin)
			return local;
		return somewhere(stack, source);
	case STEP_LOAD:
		if (is_saved(stack, address_of(stack, state, insn)))
			return (struct stack_value){ stack->saved_offset, VALUE_ENTRY };
		return other;
	default: return other;
	}
}

/* What a call leaves in other registers than those of results is never read, or what was there. */
static void pass(const struct code_stack *stack, const struct instruction *insn,
		 const struct instruction_address *address, struct stack_state *state)
{
	uint32_t written = address->writes;
	struct stack_value value = new_value(stack, state, address);
	uint8_t pointer = stack->stack_pointer;

	if (code_is_call(insn) && !code_is_fentry_call(stack->graph, insn))
		written |= stack->results;
	for (; written; written &= written - 1)
		state->registers[__builtin_ctz(written)] = other;
	if (address->target != NO_REGISTER)
		state->registers[address->target] = value;
	state->registers[pointer] = moved(state->registers[pointer], address->stack_change);
}

/* ---- the solution ---- */

/* False: that way would join what cannot meet, and it is doubtful. */
static void reach(struct code_stack *stack, uint32_t index, const struct stack_state *state,
		  bool by_doubt)
{
	struct stack_block *block = &stack->blocks.data[index];
	const struct stack_value *pointer = &state->registers[stack->stack_pointer];
	const struct stack_value *known = &block->in.registers[stack->stack_pointer];

	if (!block->is_reached) {
		block->in = *state;
		block->is_reached = block->pending = true;
		block->by_doubt = by_doubt;
		return;
	}
	if (by_doubt && !block->by_doubt &&
	    (pointer->kind != known->kind || pointer->offset != known->offset))
		return;
	for (unsigned int i = 0; i < 32; i++) {
		struct stack_value old = block->in.registers[i];
		struct stack_value *in = &block->in.registers[i];

		*in = joined(stack, i, old, state->registers[i]);
		block->pending |= in->kind != old.kind || in->offset != old.offset;
	}
	block->by_doubt &= by_doubt;
}

/* The first address of arguments that is pushed where the stack has been aligned. */
static bool note_saved(struct code_stack *stack, const struct instruction_address *insn,
		       const struct stack_state *state)
{
	struct stack_value value = value_of(state, insn->source);
	struct stack_value address = address_of(stack, state, insn);

	if (insn->step != STEP_PUSH || stack->has_saved || value.kind != VALUE_ENTRY ||
	    !is_argument(stack, value) || address.kind != VALUE_FRAME)
		return false;
	stack->has_saved = true;
	stack->saved_at = address.offset;
	stack->saved_offset = value.offset;
	return true;
}

/* False: begin again, for an address has been saved. */
static bool pass_block(struct code_stack *stack, uint32_t index, bool doubtful_ways)
{
	const struct code_graph *graph = stack->graph;
	const struct code_block *block = &graph->blocks.data[index];
	struct stack_state state = stack->blocks.data[index].in;
	bool by_doubt = stack->blocks.data[index].by_doubt;

	for (uint32_t i = block->first; i < block->end; i++) {
		if (note_saved(stack, &stack->addresses.data[i], &state))
			return false;
		pass(stack, &graph->code.data[i], &stack->addresses.data[i], &state);
	}
	for (uint32_t i = 0; i < block->successor_count; i++) {
		bool is_doubtful = block->last_is_doubtful && i + 1 == block->successor_count;

		if (!is_doubtful || doubtful_ways)
			reach(stack, graph->successors.data[block->successors + i], &state,
			      is_doubtful || by_doubt);
	}
	if (doubtful_ways && graph->code.data[block->end - 1].kind == INSTRUCTION_JUMP_REGISTER)
		for (uint32_t i = 0; i < stack->blocks.count; i++)
			reach(stack, i, &state, true);
	return true;
}

enum outcome {
	SOLVED,
	SAVED,
	ENDLESS,
};

static enum outcome iterate(struct code_stack *stack, bool doubtful_ways)
{
	bool changed = true;

	for (int round = 0; changed; round++) {
		if (round == MAX_ROUNDS)
			return ENDLESS;
		changed = false;
		for (uint32_t i = 0; i < stack->blocks.count; i++) {
			if (!stack->blocks.data[i].pending)
				continue;
			stack->blocks.data[i].pending = false;
			changed = true;
			if (!pass_block(stack, i, doubtful_ways))
				return SAVED;
		}
	}
	return SOLVED;
}

static enum outcome solve_once(struct code_stack *stack)
{
	struct stack_state entered = { 0 };
	enum outcome outcome;

	entered.registers[stack->stack_pointer] = (struct stack_value){ 0, VALUE_ENTRY };
	stack->blocks.count = 0;
	for (size_t i = 0; i < stack->graph->blocks.count; i++)
		array_push(&stack->blocks, (struct stack_block){ 0 });
	reach(stack, 0, &entered, false);
	outcome = iterate(stack, false);
	if (outcome != SOLVED)
		return outcome;
	for (size_t i = 0; i < stack->blocks.count; i++)
		stack->blocks.data[i].pending = stack->blocks.data[i].is_reached;
	return iterate(stack, true);
}

static void decode_addresses(struct code_stack *stack)
{
	struct code_graph *graph = stack->graph;

	stack->addresses.count = 0;
	for (size_t i = 0; i < graph->code.count; i++) {
		const struct instruction *insn = &graph->code.data[i];
		struct instruction_address address;
		size_t size;
		const uint8_t *bytes = code_image_text(graph->image, insn->address, &size);

		instruction_decode_address(graph->decoder, bytes, size, insn, &address);
		array_push(&stack->addresses, address);
	}
}

static bool solve(struct code_stack *stack, uint64_t begin, uint64_t end)
{
	enum outcome outcome;

	if (!code_graph_load(stack->graph, begin, end))
		return false;
	if (stack->generation == stack->graph->generation)
		return stack->is_good;
	stack->generation = stack->graph->generation;
	decode_addresses(stack);
	stack->has_saved = false;
	outcome = solve_once(stack);
	if (outcome == SAVED)
		outcome = solve_once(stack);
	stack->is_good = outcome == SOLVED;
	return stack->is_good;
}

/* ---- one slot ---- */

/*
 * What is written to before it is read on every way is a place to spill: so the slot is divided
 * into parts, and it is followed which of them may be untouched.
 */
struct slot {
	int64_t offset;
	int64_t end;
	int64_t part_size;
	uint64_t all;		/* parts; bit 0 is the first one */
	bool read;		/* an untouched part */
	bool loaded;		/* so it is, but what is done with it is still to be seen */
	bool copied;		/* into the function's own frame, as arguments of calls are */
	bool taken;		/* so is its address */
	bool passed;		/* untouched at a tail call */
	bool unknown;
};

/* In a block: which parts are untouched, and which registers hold what was loaded from such parts. */
struct slot_state {
	uint64_t untouched;
	uint64_t carried;
	uint64_t stored;	/* of these, in the function's own frame, too */
	bool pushed;		/* a part, from memory to memory */
};

/* A vector register: which one is not known, so a store of one is taken for a store of it. */
#define SOME_VECTOR (UINT64_C(1) << 32)

static uint64_t parts_below(int64_t count)
{
	return count <= 0 ? 0 : count >= PARTS ? ~UINT64_C(0) : (UINT64_C(1) << count) - 1;
}

/* The parts that an access touches, or those that it covers. */
static uint64_t parts_of(const struct slot *slot, int64_t offset, int64_t size, bool covered)
{
	int64_t begin = offset - slot->offset, end = begin + size;
	int64_t round = covered ? 0 : slot->part_size - 1;

	/* The last part may be smaller than the others. */
	if (covered && offset + size >= slot->end)
		end = PARTS * slot->part_size;
	begin = begin < 0 ? 0 : (begin + slot->part_size - 1 - round) / slot->part_size;
	end = end < 0 ? 0 : (end + round) / slot->part_size;
	return parts_below(end) & ~parts_below(begin) & slot->all;
}

/*
 * Somebody may read through an address that is not followed further. One that leads to an argument
 * below is hardly meant to reach this one: it may be the base of an array whose indices begin above
 * zero.
 */
static void take(const struct code_stack *stack, struct slot *slot, struct stack_value value)
{
	if (is_argument(stack, value) && value.offset < slot->end) {
		slot->taken |= value.offset >= slot->offset;
		slot->unknown |= value.offset < slot->offset;
	} else if (value.kind == VALUE_LOST) {
		slot->unknown = true;
	}
}

static void take_registers(const struct code_stack *stack, struct slot *slot,
			   const struct stack_state *state, uint32_t mask)
{
	for (; mask; mask &= mask - 1)
		take(stack, slot, state->registers[__builtin_ctz(mask)]);
}

/*
 * An untouched part is read. A word that is merely loaded, or pushed, may be on its way to the
 * arguments of a call.
 */
static uint64_t read_part(const struct code_stack *stack, struct slot *slot,
			  const struct instruction *plain, const struct instruction_address *insn,
			  struct slot_state *at)
{
	uint64_t loaded = plain->writes & ~(1u << stack->stack_pointer);

	if (plain->kind != INSTRUCTION_PLAIN || insn->access != ADDRESS_READ ||
	    loaded & (loaded - 1) || (insn->step != STEP_LOAD && plain->reads & loaded)) {
		slot->read = true;
		return 0;
	}
	slot->loaded = true;
	if (insn->stack_change < 0)
		at->pushed = true;
	else if (!loaded)
		loaded = SOME_VECTOR;
	return loaded;
}

/* Returns which registers now hold what was in the slot. */
static uint64_t access(const struct code_stack *stack, struct slot *slot,
		       const struct instruction *plain, const struct instruction_address *insn,
		       const struct stack_state *state, struct slot_state *at)
{
	struct stack_value address = address_of(stack, state, insn);
	struct stack_value pointer = state->registers[stack->stack_pointer];
	uint64_t loaded = 0;

	if (insn->base == stack->stack_pointer && pointer.kind == VALUE_OTHER)
		slot->unknown = true;
	if (address.kind == VALUE_ENTRY) {
		if (insn->access & ADDRESS_READ &&
		    parts_of(slot, address.offset, insn->size, false) & at->untouched)
			loaded = read_part(stack, slot, plain, insn, at);
		if (insn->access & ADDRESS_WRITE)
			at->untouched &= ~parts_of(slot, address.offset, insn->size, true);
	} else if (insn->access & ADDRESS_READ) {
		if (address.kind == VALUE_ARGUMENTS && address.offset >= slot->offset &&
		    address.offset < slot->end)
			slot->read = true;
		else if (address.kind == VALUE_ARGUMENTS || address.kind == VALUE_LOST)
			slot->unknown = true;
	}
	return loaded;
}

static bool is_own_frame(const struct code_stack *stack, struct stack_value address)
{
	return (address.kind == VALUE_ENTRY && address.offset < stack->arguments_begin) ||
	       address.kind == VALUE_FRAME || address.kind == VALUE_LOCAL;
}

/*
 * What becomes of a word that was loaded from the slot. Stored in the function's own frame it is a
 * copy; moved it is still that word; else somebody looks at it. A struct that LLVM passes on as it
 * is is copied right before the call: what is kept beyond the next call, or block, was read.
 */
static void follow_copies(const struct code_stack *stack, struct slot *slot,
			      const struct instruction *insn,
			      const struct instruction_address *address,
			      const struct stack_state *state, bool leaves, struct slot_state *at)
{
	uint64_t carried = at->carried;
	uint64_t used = (insn->reads | insn->maybe_reads) & carried;
	bool is_store = address->access == ADDRESS_WRITE && !insn->writes &&
			is_own_frame(stack, address_of(stack, state, address));
	bool calls = code_is_call(insn) && !code_is_fentry_call(stack->graph, insn);

	if (carried & SOME_VECTOR && is_store && address->size >= 8 && !insn->maybe_reads) {
		slot->copied = true;
		carried &= ~SOME_VECTOR;
	}
	slot->copied |= used && (is_store || address->step == STEP_PUSH);
	if (address->base != NO_REGISTER && used >> address->base & 1)
		slot->read = true;
	else if (used && (is_store || address->step == STEP_PUSH))
		at->stored |= used;
	else if (used && address->step == STEP_ADD && !address->constant)
		carried |= UINT64_C(1) << address->target;
	else if (used)
		slot->read = true;
	/* What has been stored for a call is still in the register that it went through. */
	if (((calls || leaves) && carried & ~at->stored & stack->arguments) ||
	    (insn->kind == INSTRUCTION_RETURN && carried & stack->results))
		slot->read = true;
	if (calls && carried & ~at->stored & stack->kept)
		slot->read = true;
	if (calls)
		carried = 0;
	if (!used || address->step != STEP_ADD)
		carried &= ~(uint64_t)insn->writes;
	at->carried = carried;
	at->stored &= carried & ~(uint64_t)insn->writes;
}

static void judge(const struct code_stack *stack, struct slot *slot,
		  const struct instruction *insn, const struct instruction_address *address,
		  const struct stack_state *state, struct slot_state *at)
{
	uint64_t loaded = 0;
	struct stack_value pointer = state->registers[stack->stack_pointer];
	/* Where something is on the stack, a jump by pointer is one by a table. */
	bool leaves = code_graph_jumps_out(stack->graph, insn) &&
		      (pointer.kind != VALUE_ENTRY || pointer.offset == 0 ||
		       insn->kind != INSTRUCTION_JUMP_REGISTER);

	slot->copied |= at->pushed && code_is_call(insn);
	at->pushed &= !code_is_call(insn);
	if (at->carried)
		follow_copies(stack, slot, insn, address, state, leaves, at);
	if (address->access & (ADDRESS_READ | ADDRESS_WRITE))
		loaded = access(stack, slot, insn, address, state, at);
	else if (address->access & ADDRESS_TAKEN && address->target == NO_REGISTER)
		take(stack, slot, address_of(stack, state, address));
	take_registers(stack, slot, state, address->uses);
	if (address->step == STEP_PUSH && !is_saved(stack, address_of(stack, state, address)))
		take(stack, slot, value_of(state, address->source));
	if (leaves || (code_is_call(insn) && !code_is_fentry_call(stack->graph, insn)))
		take_registers(stack, slot, state, stack->arguments);
	if (leaves && at->untouched)
		slot->passed = true;
	if (insn->kind == INSTRUCTION_BAD)
		slot->unknown = true;
	at->carried |= loaded;
}

/* Code that no known way leads to matters if it may be a function's. */
static void judge_unreached(const struct code_stack *stack, struct slot *slot,
			    const struct code_block *block)
{
	for (uint32_t i = block->first; i < block->end; i++)
		if (stack->addresses.data[i].access & ADDRESS_READ &&
		    stack->addresses.data[i].base != NO_REGISTER)
			slot->unknown = true;
}

/* Returns whether a block has come to be entered with more parts untouched. */
static bool leave_untouched(struct code_stack *stack, uint32_t index, uint64_t untouched)
{
	struct stack_block *block = &stack->blocks.data[index];

	if (!block->is_reached || !(untouched & ~block->untouched))
		return false;
	block->untouched |= untouched;
	block->pending = true;
	return true;
}

static bool judge_block(struct code_stack *stack, struct slot *slot, uint32_t index)
{
	const struct code_graph *graph = stack->graph;
	const struct code_block *block = &graph->blocks.data[index];
	struct stack_state state = stack->blocks.data[index].in;
	struct slot_state at = { .untouched = stack->blocks.data[index].untouched };
	bool changed = false;

	for (uint32_t i = block->first; i < block->end; i++) {
		const struct instruction_address *address = &stack->addresses.data[i];

		judge(stack, slot, &graph->code.data[i], address, &state, &at);
		pass(stack, &graph->code.data[i], address, &state);
	}
	if (at.carried & ~at.stored || at.pushed)
		slot->read = true;
	if (block->falls_out && at.untouched)
		slot->passed = true;
	for (uint32_t i = 0; i < block->successor_count; i++)
		changed |= leave_untouched(
			stack, graph->successors.data[block->successors + i], at.untouched);
	if (graph->code.data[block->end - 1].kind == INSTRUCTION_JUMP_REGISTER)
		for (uint32_t i = 0; i < stack->blocks.count; i++)
			changed |= leave_untouched(stack, i, at.untouched);
	return changed;
}

static bool judge_all(struct code_stack *stack, struct slot *slot)
{
	bool changed = true;

	for (size_t i = 0; i < stack->blocks.count; i++) {
		stack->blocks.data[i].untouched = 0;
		stack->blocks.data[i].pending = stack->blocks.data[i].is_reached;
		if (!stack->blocks.data[i].is_reached)
			judge_unreached(stack, slot, &stack->graph->blocks.data[i]);
	}
	stack->blocks.data[0].untouched = slot->all;
	for (int round = 0; changed; round++) {
		if (round == MAX_ROUNDS)
			return false;
		changed = false;
		for (uint32_t i = 0; i < stack->blocks.count; i++) {
			if (!stack->blocks.data[i].pending)
				continue;
			stack->blocks.data[i].pending = false;
			changed |= judge_block(stack, slot, i);
			if (slot->read || slot->taken)
				return true;
		}
	}
	return true;
}

enum code_use code_stack_use(struct code_stack *stack, uint64_t begin, uint64_t end,
			     int64_t offset, uint64_t size)
{
	struct slot slot = { .offset = offset };

	if (offset < stack->arguments_begin || offset > MAX_DISTANCE || !size ||
	    size > MAX_DISTANCE || !solve(stack, begin, end))
		return CODE_UNKNOWN;
	slot.end = offset + (int64_t)size;
	slot.part_size = (slot.end - offset + PARTS - 1) / PARTS;
	slot.all = parts_below((slot.end - offset + slot.part_size - 1) / slot.part_size);
	if (!judge_all(stack, &slot))
		return CODE_UNKNOWN;
	if (slot.read || slot.taken || (slot.loaded && !slot.copied))
		return CODE_READ;
	if (slot.unknown || !stack->graph->complete)
		return CODE_UNKNOWN;
	if (slot.copied)
		return CODE_COPIED;
	return slot.passed ? CODE_PASSED : CODE_DEAD;
}
