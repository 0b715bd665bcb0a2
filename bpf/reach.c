/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Conditional constant propagation over blocks of instructions (Wegman and Zadeck, 1991), with the
 * bits that are known of each value (kernel/bpf/tnum.c); then a walk over the edges that are left.
 *
 * What is REACH_NO is on no path that a verifier looks at. Where a branch depends on what is not
 * known, it goes both ways, or a loader decides, or the verifier may know more than is followed
 * here, as it looks at paths that meet one by one, has bounds of values, and sees that a copy was
 * compared: what is on one way of these is REACH_MAYBE (tests/unit_reach_verifier.c).
 */
#include "bpf/reach.h"

#include <stdlib.h>

#define REGISTERS    11
#define SLOTS	     64	/* of eight bytes; the stack ends where R10 points */
#define WALKS_MOST   64
#define CHANGES_MOST 16
#define NO_BLOCK     UINT32_MAX
#define NOT_FOLLOWED UINT32_MAX

enum value_kind {
	VALUE_ANY,		/* anything, perhaps a pointer to the stack */
	VALUE_NUMBER,		/* or a pointer, but not to the stack */
	VALUE_STACK,		/* the end of the stack, */
	VALUE_CONTEXT,		/* the program's argument, */
	VALUE_SYMBOL,		/* or a symbol, and so many bytes */
	VALUE_CODE,		/* the address of a function of the file, */
	VALUE_ADDRESS,		/* or a constant of the kernel, which is not 0 */
};

struct value {
	uint64_t bits, unknown;	/* of a NUMBER: those that are known; and a mask of the others, */
	uint32_t symbol;	/* who sets them: 1 on; NOT_FOLLOWED; 0: no verifier knows */
	uint32_t kind : 4;
	uint32_t id : 28;	/* copies of one value have the same one; 0: it has none yet */
};

#define ID_MOST	 0xfffffffu
#define ID_MIXED 1		/* of values from two paths, which may be copies of each other */

/* Registers, then the stack from its lowest byte on. */
struct state {
	struct value values[REGISTERS + SLOTS];
};

struct reach_block {
	uint32_t first, end;	/* instructions */
	uint32_t successors[2];	/* blocks that may come next; NO_BLOCK: none */
	uint32_t function;	/* the block where its function begins */
	uint32_t first_call;	/* of a function: in calls, from 1 on */
	uint32_t decides;	/* which of the two comes, as in a value; 0: both do */
	uint32_t changes;	/* of its state */
	uint8_t certain;	/* the one that comes in any case: 1 or 2; 0: not known */
	bool is_queued, is_counted, returns;
	struct value result;	/* of a function that returns */
	struct state *state;	/* at its begin; NULL: it does not run */
};

/* ---- values ---- */

static struct value tristate(uint64_t bits, uint64_t unknown, uint32_t symbol)
{
	return (struct value){ .bits = bits & ~unknown, .unknown = unknown,
			       .symbol = unknown || symbol == NOT_FOLLOWED ? symbol : 0,
			       .kind = VALUE_NUMBER };
}

static struct value number(uint64_t bits)
{
	return tristate(bits, 0, 0);
}

static struct value unknown(uint32_t symbol)
{
	return tristate(0, UINT64_MAX, symbol);
}

static struct value anything(void)
{
	return (struct value){ .kind = VALUE_ANY };
}

/* No verifier knows anything of so many bits. */
static bool is_open(struct value value, unsigned int bits)
{
	return value.kind == VALUE_NUMBER && value.unknown == UINT64_MAX >> (64 - bits) &&
	       !value.symbol;
}

static bool is_zero(struct value value)
{
	return value.kind == VALUE_NUMBER && !value.bits && !value.unknown && !value.symbol;
}

static bool is_stack(struct value value)
{
	return value.kind == VALUE_STACK || value.kind == VALUE_ANY;
}

/* Does a pointer lead to what verifiers may know? */
static bool has_contents(struct value value)
{
	return is_stack(value) || value.kind == VALUE_SYMBOL;
}

/* Of what depends on both. */
static uint32_t who_decides(struct value a, struct value b)
{
	uint32_t x = a.kind == VALUE_NUMBER ? a.symbol : NOT_FOLLOWED;
	uint32_t y = b.kind == VALUE_NUMBER ? b.symbol : NOT_FOLLOWED;

	return x && (x != NOT_FOLLOWED || !y) ? x : y;
}

/* Of two paths, at which verifiers look one by one. */
static struct value join(struct value a, struct value b)
{
	uint32_t id = a.id == b.id ? a.id : ID_MIXED;

	if (a.bits != b.bits || a.unknown != b.unknown || a.symbol != b.symbol ||
	    a.kind != b.kind) {
		/* Other memory is no verifier's, but that of a symbol may be. */
		if (has_contents(a) || has_contents(b))
			return anything();
		if (a.kind != VALUE_NUMBER || b.kind != VALUE_NUMBER)
			return unknown(NOT_FOLLOWED);
		a = tristate(a.bits, a.unknown | b.unknown | (a.bits ^ b.bits), NOT_FOLLOWED);
	}
	a.id = id & ID_MOST;
	return a;
}

/* Its lowest bits, extended by zeros or by their sign. */
static struct value extended(struct value value, unsigned int bits, bool is_signed)
{
	uint64_t sign = (uint64_t)1 << (bits - 1), high = ~(2 * sign - 1);

	if (bits == 64)
		return value;
	if (value.kind != VALUE_NUMBER)
		value = unknown(NOT_FOLLOWED);
	/* Verifiers go by bounds then, and not by bits. */
	if (is_signed && value.unknown)
		return unknown(NOT_FOLLOWED);
	value = tristate(value.bits & ~high, value.unknown & ~high, value.symbol);
	value.bits |= is_signed && value.bits & sign ? high : 0;
	return value;
}

static struct value compute(uint8_t operation, struct value a, struct value b, unsigned int bits)
{
	uint64_t sum, carries, by = b.bits & (bits - 1), both = a.unknown | b.unknown;
	uint32_t symbol = who_decides(a, b);

	if (a.kind != VALUE_NUMBER || b.kind != VALUE_NUMBER)
		return has_contents(a) || has_contents(b) ? anything() : unknown(NOT_FOLLOWED);
	/* All verifiers know this. */
	if (operation == 0x50 && (is_zero(a) || is_zero(b)))
		return number(0);
	/* Of a sum with bounds they have more than its bits, of the rest some have less. */
	if (both && (operation <= 0x10 ? !is_open(a, bits) && !is_open(b, bits)
				       : operation != 0x50))
		symbol = NOT_FOLLOWED;
	switch (operation) {
	case 0x00:
		sum = a.bits + b.bits;
		carries = (sum + a.unknown + b.unknown) ^ sum;
		return tristate(sum, carries | both, symbol);
	case 0x10:
		sum = a.bits - b.bits;
		carries = (sum + a.unknown) ^ (sum - b.unknown);
		return tristate(sum, carries | both, symbol);
	case 0x20: return both ? unknown(NOT_FOLLOWED) : number(a.bits * b.bits);
	case 0x40: return tristate(a.bits | b.bits, both & ~(a.bits | b.bits), symbol);
	case 0x50:
		return tristate(a.bits & b.bits,
				both & (a.bits | a.unknown) & (b.bits | b.unknown), symbol);
	case 0xa0: return tristate(a.bits ^ b.bits, both, symbol);
	default: break;
	}
	if (b.unknown || (operation != 0x60 && operation != 0x70 && operation != 0xc0))
		return unknown(NOT_FOLLOWED);
	if (operation == 0x60)
		return tristate(a.bits << by, a.unknown << by, symbol);
	if (operation == 0x70)
		return tristate(a.bits >> by, a.unknown >> by, symbol);
	/* The sign of one that is not known is another matter of bounds. */
	a = extended(a, bits, true);
	return a.unknown ? unknown(NOT_FOLLOWED) : number((uint64_t)((int64_t)a.bits >> by));
}

/* Of numbers. -1: either. */
static int is_taken(uint8_t operation, struct value a, struct value b, unsigned int bits)
{
	bool is_signed = operation == 0x60 || operation == 0x70 || operation >= 0xc0;
	bool is_less = operation >= 0xa0, or_equal = operation & 0x10;
	uint64_t flip = is_signed ? (uint64_t)1 << (bits - 1) : 0;
	struct value high = is_less ? b : a, low = is_less ? a : b;
	uint64_t high_min = (high.bits ^ flip) & ~high.unknown;
	uint64_t low_min = (low.bits ^ flip) & ~low.unknown;
	uint64_t high_max = high_min | high.unknown, low_max = low_min | low.unknown;
	uint64_t set = a.bits & b.bits, may_set = (a.bits | a.unknown) & (b.bits | b.unknown);
	bool can_equal = !((a.bits ^ b.bits) & ~(a.unknown | b.unknown));

	switch (operation) {
	case 0x10:
	case 0x50:
		if (can_equal && (a.unknown || b.unknown))
			return -1;
		return can_equal == (operation == 0x10);
	case 0x40: return set ? 1 : may_set ? -1 : 0;
	default:
		if (or_equal ? high_min >= low_max : high_min > low_max)
			return 1;
		return (or_equal ? high_max < low_min : high_max <= low_min) ? 0 : -1;
	}
}

/* ---- memory ---- */

static struct value *slots_of(struct state *state)
{
	return state->values + REGISTERS;
}

/* The slot at a place of the stack, if that is known; NULL: it is not. */
static struct value *slot_at(struct state *state, const struct value *base, int16_t offset)
{
	uint64_t at = base->bits + (uint64_t)(int64_t)offset + sizeof(uint64_t) * SLOTS;

	return base->kind == VALUE_STACK && at < sizeof(uint64_t) * SLOTS
		       ? &slots_of(state)[at / sizeof(uint64_t)] : NULL;
}

static struct value load(struct reach *reach, struct state *state, const struct value *base,
			 int16_t offset, bool is_whole)
{
	const struct value *slot = slot_at(state, base, offset);
	uint64_t at = base->bits + (uint64_t)(int64_t)offset;
	const struct bpf_symbol *symbol;
	struct reach_constant known;

	if (is_stack(*base))
		return !slot || (is_whole && at % 8) ? anything()
		       : is_whole || is_open(*slot, 64) ? *slot : unknown(NOT_FOLLOWED);
	if (base->kind == VALUE_CONTEXT && at < 64 * sizeof(uint64_t))
		reach->context_words |= (uint64_t)1 << at / sizeof(uint64_t);
	if (base->kind != VALUE_SYMBOL)
		return unknown(0);
	symbol = &reach->file->symbols.data[base->symbol - 1];
	known = reach->facts->symbols[base->symbol - 1];
	if (symbol->kind == BPF_SYMBOL_KCONFIG && known.is_known && !at)
		return tristate(known.value, known.unknown, base->symbol);
	return unknown(symbol->kind == BPF_SYMBOL_KCONFIG || symbol->is_loader_set ? base->symbol
										  : 0);
}

/* Something may have been written there. */
static void touch(struct value *slot)
{
	if (is_stack(*slot))
		*slot = anything();
	else if (!is_open(*slot, 64))
		*slot = unknown(NOT_FOLLOWED);
}

static void forget_stack(struct state *state)
{
	for (size_t i = 0; i < SLOTS; i++)
		slots_of(state)[i] = anything();
}

static void store(struct state *state, const struct value *base, int16_t offset, bool is_whole,
		  struct value value)
{
	struct value *slot = slot_at(state, base, offset);

	if (!slot && is_stack(*base))
		forget_stack(state);
	else if (slot && is_whole && !((base->bits + (uint64_t)(int64_t)offset) % 8))
		*slot = value;
	else if (slot && (is_whole || !is_open(value, 64)))
		*slot = is_stack(*slot) || is_stack(value) ? anything() : unknown(NOT_FOLLOWED);
	else if (slot)
		touch(slot);
}

/* What a call gets may be written to; through a function of the file, all that pointers lead to. */
static void forget(struct state *state, bool is_own, struct value result)
{
	for (size_t i = 1; i <= 5; i++)
		is_own |= state->values[i].kind == VALUE_CODE;
	for (size_t i = 1; i <= 5; i++) {
		struct value *slot = slot_at(state, &state->values[i], 0);

		if (is_stack(state->values[i]) && (is_own || !slot))
			forget_stack(state);
		for (; slot && slot < slots_of(state) + SLOTS; slot++)
			touch(slot);
	}
	for (size_t i = 1; i <= 5; i++)
		state->values[i] = unknown(0);
	state->values[0] = result;
}

/* ---- instructions ---- */

static struct value of_symbol(const struct reach *reach, uint32_t symbol)
{
	struct reach_constant address = reach->facts->symbols[symbol - 1];
	uint8_t kind = reach->file->symbols.data[symbol - 1].kind;

	if (kind == BPF_SYMBOL_DATA || kind == BPF_SYMBOL_KCONFIG)
		return (struct value){ .symbol = symbol, .kind = VALUE_SYMBOL };
	if (kind == BPF_SYMBOL_CODE || kind == BPF_SYMBOL_OTHER)
		return (struct value){ .kind = VALUE_CODE };
	if (address.is_known && address.value)
		return (struct value){ .kind = VALUE_ADDRESS };
	return address.is_known ? number(0) : unknown(symbol);
}

/* What a relocation becomes, in so many bits. */
static struct value of_relocation(const struct reach *reach, uint32_t relocation, bool is_wide)
{
	struct reach_constant value = reach->facts->relocations[relocation - 1];

	return value.is_known ? number(is_wide ? value.value : (uint64_t)(int32_t)value.value)
			      : unknown(NOT_FOLLOWED);
}

/* Of an immediate, which may have a relocation, or of the register. */
static struct value operand(const struct reach *reach, const struct state *state,
			    const struct bpf_instruction *at)
{
	if (at->code & BPF_BY_REGISTER)
		return state->values[at->from];
	return at->relocation ? of_relocation(reach, at->relocation, false)
			      : number((uint64_t)(int64_t)at->immediate);
}

static void calculate(const struct reach *reach, struct state *state,
		      const struct bpf_instruction *at)
{
	unsigned int bits = (at->code & 7) == BPF_CLASS_ALU64 ? 64 : 32;
	uint8_t operation = at->code & 0xf0;
	struct value *to = &state->values[at->to], b = operand(reach, state, at);
	bool is_shifted = operation <= 0x10 && !(at->code & BPF_BY_REGISTER);
	uint32_t id = operation == 0xb0 ? b.id : is_shifted ? to->id : 0;

	/* A swap of bytes has another operand. With an offset a move extends the sign. */
	if (operation == 0xd0)
		*to = unknown(NOT_FOLLOWED);
	else if (operation == 0xb0 && (at->offset == 8 || at->offset == 16 || at->offset == 32))
		*to = extended(extended(b, (unsigned int)at->offset, true), bits, false);
	else if (operation == 0xb0)
		*to = extended(b, bits, false);
	else if (bits == 64 && to->kind > VALUE_NUMBER && b.kind == VALUE_NUMBER && !b.unknown &&
		 operation <= 0x10)
		to->bits += operation ? -b.bits : b.bits;
	else
		*to = compute(operation, extended(*to, bits, false), extended(b, bits, false),
			      bits);
	/* Of what they do not follow, verifiers do not know the upper bits either. */
	if (to->unknown != UINT64_MAX || to->symbol != NOT_FOLLOWED)
		*to = extended(*to, bits, false);
	/* What a constant was added to is still compared with the other. */
	to->id = id & ID_MOST;
}

static void step(struct reach *reach, struct state *state, const struct bpf_instruction *at)
{
	static const uint8_t sizes[] = { 32, 16, 8, 64 };
	uint8_t bits = sizes[at->code >> 3 & 3], mode = at->code & 0xe0;
	int16_t offset = at->relocation ? (int16_t)of_relocation(reach, at->relocation, true).bits
					: at->offset;
	struct value *to = &state->values[at->to], *from = &state->values[at->from];
	bool is_whole = bits == 64, is_acquire = at->immediate == 0x100;

	switch (at->code & 7) {
	case BPF_CLASS_ALU:
	case BPF_CLASS_ALU64: calculate(reach, state, at); break;
	case BPF_CLASS_LD:
		if (at->code != BPF_LOAD_64)
			state->values[0] = unknown(0);
		else
			*to = at->symbol       ? of_symbol(reach, at->symbol)
			      : at->relocation ? of_relocation(reach, at->relocation, true)
			      : number((uint32_t)at->immediate |
				       (uint64_t)(uint32_t)at[1].immediate << 32);
		break;
	case BPF_CLASS_LDX:
		*to = extended(load(reach, state, from, offset, is_whole), bits, mode == 0x80);
		break;
	case BPF_CLASS_ST:
		store(state, to, offset, is_whole, number((uint64_t)(int64_t)at->immediate));
		break;
	case BPF_CLASS_STX:
		/* An atomic one may change R0 or the register. */
		if (mode == 0xc0 && is_acquire)
			*to = extended(load(reach, state, from, offset, is_whole), bits, false);
		else
			store(state, to, offset, is_whole,
			      mode == 0xc0 ? anything() : *from);
		if (mode == 0xc0 && !is_acquire)
			state->values[0] = *from = anything();
		break;
	default: break;
	}
}

/* ---- blocks ---- */

static bool is_jump(const struct bpf_instruction *at)
{
	return (at->code & 7) == BPF_CLASS_JMP || (at->code & 7) == BPF_CLASS_JMP32;
}

/* The instruction to which it jumps, or that it calls or has the address of; NO_BLOCK: none. */
static uint32_t target_of(const struct bpf_file *file, uint32_t i)
{
	const struct bpf_instruction *at = &file->code.data[i];
	const struct bpf_symbol *symbol = at->symbol ? &file->symbols.data[at->symbol - 1] : NULL;
	bool is_call = at->code == BPF_CALL, is_far = at->code == BPF_JUMP_FAR;
	int64_t immediate = at->immediate;
	int64_t to = (int64_t)i + 1 + (is_call || is_far ? immediate : at->offset);

	if (symbol)
		to = symbol->kind != BPF_SYMBOL_CODE ? -1
		     : (int64_t)symbol->value + (is_call ? immediate + 1 : immediate / 8);
	else if (at->code == BPF_LOAD_64 || at->code == BPF_EXIT || !is_jump(at) ||
		 (is_call && at->from != BPF_CALL_OWN))
		to = -1;
	return to >= 0 && to < (int64_t)file->code.count ? (uint32_t)to : NO_BLOCK;
}

static void find_blocks(struct reach *reach)
{
	const struct bpf_file *file = reach->file;
	size_t count = file->code.count;
	bool *begins = memory_zeroed(count + 2, sizeof(*begins));

	for (size_t i = 0; i < file->symbols.count; i++) {
		if (file->symbols.data[i].kind == BPF_SYMBOL_CODE &&
		    file->symbols.data[i].value < count)
			begins[file->symbols.data[i].value] = true;
	}
	for (uint32_t i = 0; i < count; i++) {
		const struct bpf_instruction *at = &file->code.data[i];
		uint32_t target = target_of(file, i);

		if (target != NO_BLOCK)
			begins[target] = true;
		begins[i + 1] |= is_jump(at) && (at->code != BPF_CALL || target != NO_BLOCK);
		/* The address of a function is taken at the end of a block, too. */
		begins[i + 2] |= at->code == BPF_LOAD_64 && target != NO_BLOCK;
	}
	reach->block_of = memory_alloc((count + 1) * sizeof(*reach->block_of));
	reach->blocks = memory_zeroed(count + 1, sizeof(*reach->blocks));
	for (uint32_t i = 0; i < count; i++) {
		if (!i || begins[i])
			reach->blocks[reach->block_count++].first = i;
		reach->block_of[i] = (uint32_t)reach->block_count - 1;
		reach->blocks[reach->block_count - 1].end = i + 1;
	}
	free(begins);
}

static void queue(struct reach *reach, uint32_t block)
{
	if (!reach->blocks[block].is_queued)
		array_push(&reach->queue, block);
	reach->blocks[block].is_queued = true;
}

/* Goes on at an instruction, in a state. Returns its block; NO_BLOCK: there is none. */
static uint32_t enter(struct reach *reach, uint32_t instruction, const struct state *state,
		      uint32_t function)
{
	uint32_t index = instruction < reach->file->code.count ? reach->block_of[instruction]
							       : NO_BLOCK;
	struct reach_block *block = &reach->blocks[index == NO_BLOCK ? 0 : index];
	bool has_changed = index != NO_BLOCK && !block->state;

	if (index == NO_BLOCK)
		return NO_BLOCK;
	if (has_changed) {
		array_push(&reach->entered, index);
		block->state = memory_alloc(sizeof(*state));
		*block->state = *state;
		block->function = function == NO_BLOCK ? index : function;
	}
	for (size_t i = 0; i < REGISTERS + SLOTS; i++) {
		struct value *to = &block->state->values[i];
		struct value joined = join(*to, state->values[i]);
		bool differs = memcmp(&joined, to, sizeof(joined)) != 0;

		/* One bit after the other would take long. */
		if (differs && block->changes > CHANGES_MOST)
			joined = anything();
		has_changed |= differs;
		*to = joined;
	}
	block->changes += has_changed;
	if (has_changed)
		queue(reach, index);
	return index;
}

/* Nothing is known, and the arguments are such a value. */
static struct state fresh_state(struct value argument)
{
	struct state state;

	for (size_t i = 0; i < REGISTERS + SLOTS; i++)
		state.values[i] = i >= 1 && i <= 5 ? argument : unknown(0);
	state.values[BPF_STACK_REGISTER] = (struct value){ .kind = VALUE_STACK };
	return state;
}

/* Of what was compared, and its copies, the verifier knows more than is followed. */
static void mark(struct state *state, struct value compared)
{
	for (size_t i = 0; i < REGISTERS + SLOTS; i++) {
		struct value *value = &state->values[i];

		if (value->kind == VALUE_NUMBER && value->unknown && !value->symbol &&
		    (value->id == compared.id || value->id == ID_MIXED || compared.id == ID_MIXED))
			value->symbol = NOT_FOLLOWED;
	}
}

/* A function of the file. A global one is called with anything that its verifier could think of. */
static void call(struct reach *reach, struct reach_block *block, uint32_t target,
		 struct state *state)
{
	const struct bpf_instruction *at = &reach->file->code.data[block->end - 1];
	bool is_global = at->symbol && reach->file->symbols.data[at->symbol - 1].is_global;
	struct state entry = fresh_state(unknown(0));
	struct reach_block *function;

	/* What is in the caller's stack is not followed into it. */
	for (size_t i = 1; i <= 5 && !is_global; i++)
		entry.values[i] = is_stack(state->values[i]) ? anything() : state->values[i];
	if (is_global && !reach->blocks[reach->block_of[target]].state)
		array_push(&reach->globals, target);
	/* What the function compares is a copy. */
	for (size_t i = 1; i <= 5 && !is_global; i++)
		mark(state, state->values[i]);
	block->successors[0] = enter(reach, target, &entry, NO_BLOCK);
	function = &reach->blocks[block->successors[0]];
	if (!block->is_counted) {
		block->is_counted = true;
		array_push(&reach->calls, ((struct reach_call){
			(uint32_t)(block - reach->blocks), function->first_call }));
		function->first_call = (uint32_t)reach->calls.count;
	}
	if (function->returns || is_global) {
		forget(state, true, is_global ? unknown(0) : function->result);
		block->successors[1] = enter(reach, block->end, state, block->function);
	}
}

static void leave(struct reach *reach, const struct reach_block *block, struct value result)
{
	struct reach_block *function = &reach->blocks[block->function];
	struct value joined;

	if (is_stack(result))
		result = unknown(NOT_FOLLOWED);
	joined = function->returns ? join(function->result, result) : result;
	if (function->returns && memcmp(&joined, &function->result, sizeof(joined)) == 0)
		return;
	function->returns = true;
	function->result = joined;
	for (uint32_t i = function->first_call; i; i = reach->calls.data[i - 1].next)
		queue(reach, reach->calls.data[i - 1].block);
}

/* For the verifier, though it may be known here by some bits alone. */
static bool is_constant(struct value value)
{
	return value.unknown ? value.symbol && value.symbol != NOT_FOLLOWED : !value.symbol;
}

/* Does a verifier look at both ways, whatever the other value is? */
static bool has_both(uint8_t operation, struct value a, struct value b)
{
	return a.kind == VALUE_NUMBER && b.kind == VALUE_NUMBER && a.unknown && !a.symbol &&
	       !((b.unknown | (a.bits ^ b.bits)) & ~a.unknown) &&
	       (operation == 0x10 || operation == 0x50);
}

/* One of two ways: `a`, of a register, and `b`, of `other`, have been compared in so many bits. */
static struct state after_branch(const struct state *state, const struct bpf_instruction *at,
				 struct value other, struct value a, struct value b,
				 unsigned int bits, bool is_equal)
{
	struct state next = *state;
	struct value *to = &next.values[at->to], *from = &next.values[at->from], was = *to;
	uint8_t operation = at->code & 0xf0;

	if (operation == BPF_JUMP_MAYBE)
		return next;
	mark(&next, was);
	mark(&next, other);
	if (is_equal && a.kind == VALUE_NUMBER && b.kind == VALUE_NUMBER) {
		if (!b.unknown && (bits == 64 || !((was.bits | was.unknown) >> 32)))
			*to = b;
		if (at->code & BPF_BY_REGISTER && !a.unknown &&
		    (bits == 64 || !((other.bits | other.unknown) >> 32)))
			*from = a;
	}
	return next;
}

static void branch(struct reach *reach, struct reach_block *block, const struct state *state)
{
	const struct bpf_instruction *at = &reach->file->code.data[block->end - 1];
	unsigned int bits = (at->code & 7) == BPF_CLASS_JMP ? 64 : 32;
	uint8_t operation = at->code & 0xf0;
	struct value other = operand(reach, state, at);
	struct value a = extended(state->values[at->to], bits, false);
	struct value b = extended(other, bits, false);
	bool are_numbers = a.kind == VALUE_NUMBER && b.kind == VALUE_NUMBER;
	bool is_maybe = operation == BPF_JUMP_MAYBE, is_sure;
	int taken = are_numbers && !is_maybe ? is_taken(operation, a, b, bits) : -1, any;

	/* What verifiers make of some bits differs by release, not what holds for any value. */
	any = is_taken(operation, extended(unknown(0), bits, false), b, bits);
	is_sure = taken >= 0 && is_constant(b) && (is_constant(a) || any >= 0);
	if (a.kind == VALUE_ADDRESS && is_zero(b) && (operation == 0x10 || operation == 0x50)) {
		taken = operation == 0x50;
		is_sure = true;
	}
	if (is_sure || is_maybe || has_both(operation, a, b) || has_both(operation, b, a))
		block->decides = 0;
	else
		block->decides = taken >= 0 ? NOT_FOLLOWED : who_decides(a, b);
	/* Verifiers know of many pointers that they are not NULL, and of none that it is. */
	if (is_zero(b) && is_open(a, 64) && (operation == 0x10 || operation == 0x50)) {
		block->decides = NOT_FOLLOWED;
		block->certain = operation == 0x10 ? 2 : 1;
	}
	for (int way = 0; way < 2; way++) {
		/* The first is the jump: it has found equality, or the other one has. */
		uint32_t target = way ? block->end : target_of(reach->file, block->end - 1);
		struct state next = after_branch(state, at, other, a, b, bits,
						 operation == (way ? 0x50 : 0x10));

		if (is_sure && taken == way)
			continue;
		/* A loop of one block ends, whatever decides how often it runs. */
		if (target == block->first)
			block->certain = (uint8_t)(2 - way);
		block->successors[way] = enter(reach, target, &next, block->function);
	}
}

/* What a register has for the first time gets a number. */
static void identify(struct state *state, uint8_t index, uint32_t id)
{
	if (state->values[index].kind == VALUE_NUMBER && !state->values[index].id)
		state->values[index].id = id & ID_MOST;
}

/* Of what these helpers return verifiers know more: strings, stacks, processors, the task. */
static bool has_bounds(const struct bpf_instruction *call)
{
	static const uint8_t helpers[] = { 8, 45, 67, 114, 115, 141, 158 };

	return call->from == BPF_CALL_HELPER && !call->symbol && call->immediate > 0 &&
	       call->immediate < 256 &&
	       memchr(helpers, call->immediate, sizeof(helpers)) != NULL;
}

static void run_block(struct reach *reach, struct reach_block *block)
{
	struct state state = *block->state, entry = fresh_state(anything());
	const struct bpf_instruction *at = &reach->file->code.data[block->first];
	uint32_t target = NO_BLOCK;

	for (uint32_t i = block->first; i < block->end; i++) {
		at = &reach->file->code.data[i];
		target = target_of(reach->file, i);
		if (at->to >= REGISTERS || at->from >= REGISTERS)
			return;
		identify(&state, at->to, 4 * i + 2);
		identify(&state, at->from, 4 * i + 3);
		/* Who has its address may call it. */
		if (at->code == BPF_LOAD_64 && target != NO_BLOCK) {
			block->successors[1] = enter(reach, target, &entry, NO_BLOCK);
			block->decides = NOT_FOLLOWED;
			block->certain = 1;
		}
		if (at->code == BPF_CALL && target == NO_BLOCK)
			forget(&state, false, unknown(has_bounds(at) ? NOT_FOLLOWED : 0));
		else if (!is_jump(at))
			step(reach, &state, at);
		identify(&state, at->to, 4 * i + 4);
		identify(&state, 0, 4 * i + 5);
		i += at->code == BPF_LOAD_64;
	}
	if (at->code == BPF_EXIT)
		leave(reach, block, state.values[0]);
	else if (at->code == BPF_CALL && target != NO_BLOCK)
		call(reach, block, target, &state);
	else if (at->code == BPF_JUMP || at->code == BPF_JUMP_FAR)
		block->successors[0] = enter(reach, target, &state, block->function);
	else if (is_jump(at) && at->code != BPF_CALL)
		branch(reach, block, &state);
	else
		block->successors[0] = enter(reach, block->end, &state, block->function);
}

void reach_init(struct reach *reach, const struct bpf_file *file)
{
	*reach = (struct reach){ .file = file };
	find_blocks(reach);
}

static void forget_run(struct reach *reach)
{
	for (size_t i = 0; i < reach->entered.count; i++) {
		struct reach_block *block = &reach->blocks[reach->entered.data[i]];

		free(block->state);
		*block = (struct reach_block){ .first = block->first, .end = block->end };
	}
	reach->entered.count = reach->calls.count = reach->globals.count = 0;
	reach->context_words = 0;
}

void reach_run(struct reach *reach, const struct bpf_program *program,
	       const struct reach_facts *facts)
{
	struct state state = fresh_state(unknown(0));

	forget_run(reach);
	reach->facts = facts;
	for (size_t i = 0; i < facts->global_count; i++)
		enter(reach, facts->globals[i], &state, NO_BLOCK);
	state.values[1] = (struct value){ .kind = VALUE_CONTEXT };
	reach->entry = enter(reach, program->first, &state, NO_BLOCK);
	while (reach->queue.count) {
		struct reach_block *block =
			&reach->blocks[reach->queue.data[--reach->queue.count]];

		block->is_queued = false;
		block->successors[0] = block->successors[1] = NO_BLOCK;
		block->decides = block->certain = 0;
		run_block(reach, block);
	}
}

void reach_release(struct reach *reach)
{
	forget_run(reach);
	free(reach->blocks);
	free(reach->block_of);
	array_release(&reach->entered);
	array_release(&reach->queue);
	array_release(&reach->calls);
	array_release(&reach->globals);
}

void reach_range(const struct reach *reach, uint32_t block, uint32_t *first, uint32_t *end)
{
	*first = reach->blocks[block].first;
	*end = reach->blocks[block].end;
}

enum reach_answer reach_ask(const struct reach *reach, const uint32_t *instructions, size_t count,
			    uint32_t own_symbol, uint32_t *decides)
{
	const struct reach_facts *facts = reach->facts;
	bool *leads = memory_zeroed(reach->block_count + 1, sizeof(*leads)), has_changed = true;
	enum reach_answer answer = REACH_NO;
	bool is_other = false;

	*decides = 0;
	for (size_t i = 0; i < count; i++) {
		uint32_t block = reach->block_of[instructions[i]];

		leads[block] = reach->blocks[block].state;
		answer = leads[block] ? REACH_MAYBE : answer;
	}
	/* What was entered last leads there first. */
	for (int walk = 0; answer && has_changed && walk < WALKS_MOST; walk++) {
		has_changed = false;
		for (size_t i = reach->entered.count; i-- > 0;) {
			const struct reach_block *block = &reach->blocks[reach->entered.data[i]];
			uint32_t a = block->successors[0], b = block->successors[1];
			bool by_a = a != NO_BLOCK && leads[a], by_b = b != NO_BLOCK && leads[b];
			bool *own = &leads[reach->entered.data[i]];

			if (*own || !(by_a || by_b))
				continue;
			*own = !block->decides || (by_a && by_b) ||
			       (block->certain && (block->certain == 1 ? by_a : by_b));
			has_changed |= *own;
			if (*own)
				continue;
			is_other |= block->decides != own_symbol;
			if (block->decides != NOT_FOLLOWED && block->decides != own_symbol)
				*decides = block->decides;
		}
	}
	if (!is_other)
		*decides = own_symbol;
	if (answer && leads[reach->entry])
		answer = REACH_YES;
	for (size_t i = 0; answer && facts->looks_at_globals && i < facts->global_count; i++) {
		if (leads[reach->block_of[facts->globals[i]]])
			answer = REACH_YES;
	}
	free(leads);
	return answer;
}
