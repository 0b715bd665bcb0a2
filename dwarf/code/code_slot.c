/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/code/code_slot.h"

#include <elf.h>

#include "base/bytes.h"

/* Compilers do not separate them by more. */
#define MAX_INSTRUCTIONS 32

/* ---- x86-64: a look at the bytes spares decoding nearly all ---- */

#define STACK_POINTER 7		/* %rsp, as DWARF numbers it */
#define SIB_STACK     0x24	/* the byte that says %rsp without an index */
#define MODRM_SIB     4		/* such a byte follows */
#define LOOK_AHEAD    160	/* bytes; after so many there has been a branch */

/* The displacement after a SIB byte at bytes[i], by the ModRM byte before it. */
static int64_t displacement(const uint8_t *bytes, size_t i)
{
	switch (bytes[i - 1] >> 6) {
	case 0: return 0;
	case 1: return (int8_t)bytes[i + 1];
	default: return (int32_t)bytes_load_u32(bytes + i + 1, false);
	}
}

/* Does the stack pointer move, by a constant (sub $N, %rsp; add $-128, %rsp)? */
static bool moves_stack(const uint8_t *bytes, size_t i)
{
	return (bytes[i] == 0xec || bytes[i] == 0xc4) &&
	       (bytes[i - 1] == 0x83 || bytes[i - 1] == 0x81);
}

/* By a word: push and pop of a register, push of a constant; or bytes that only look so. */
static bool pushes(uint8_t byte)
{
	return (byte >= 0x50 && byte < 0x60) || byte == 0x68 || byte == 0x6a;
}

/* Opcodes of mov and lea that write a register. */
static bool is_load(uint8_t opcode)
{
	return opcode == 0x8b || opcode == 0x8d;
}

/* movups, movaps, movdqa, movq and their like, to memory: after 0x0f. */
static bool stores_vector(uint8_t opcode)
{
	return opcode == 0x11 || opcode == 0x13 || opcode == 0x17 || opcode == 0x29 ||
	       opcode == 0x2b || opcode == 0x7f || opcode == 0xd6 || opcode == 0xe7;
}

/* VEX and EVEX: what is after them is no ModRM byte. */
static bool begins_vector(uint8_t byte)
{
	return byte == 0xc4 || byte == 0xc5 || byte == 0x62;
}

/* How much an instruction writes at most: a word, unless it may be one for vectors. */
static int64_t widest_write(const uint8_t *bytes, size_t i)
{
	if (i > 2 && bytes[i - 3] == 0x0f && stores_vector(bytes[i - 2]))
		return 16;
	for (size_t k = i < 7 ? 0 : i - 7; k + 2 < i; k++) {
		if (begins_vector(bytes[k]))
			return 64;
	}
	return 8;
}

/* May one of the next instructions write to the slot at %rsp + offset? */
static bool may_fill(const uint8_t *bytes, size_t left, int64_t offset, uint64_t size)
{
	size_t end = left < LOOK_AHEAD + 5 ? left : LOOK_AHEAD + 5;
	int64_t moved = 0;	/* at most so far, either way */

	for (size_t i = 1; i + 5 <= end; i++) {
		int64_t at;

		moved += pushes(bytes[i - 1]) ? 8 : 0;
		if (moves_stack(bytes, i) || (moved && offset < 0))
			return true;
		if (bytes[i] != SIB_STACK || (bytes[i - 1] & 7) != MODRM_SIB ||
		    (i > 1 && is_load(bytes[i - 2])))
			continue;
		at = displacement(bytes, i);
		if (at < offset + (int64_t)size + moved &&
		    offset < at + widest_write(bytes, i) + moved)
			return true;
	}
	return false;
}

/* Is it an opcode without 0x0f that may write to its memory operand? */
static bool is_store(uint8_t opcode)
{
	if (opcode < 0x38)
		return (opcode & 7) < 2;	/* add, or, ..., xor */
	return (opcode >= 0x80 && opcode <= 0x83) || (opcode >= 0x86 && opcode <= 0x89) ||
	       opcode == 0x8f || opcode == 0xc0 || opcode == 0xc1 || opcode >= 0xc4;
}

static bool is_prefix(uint8_t byte)
{
	return (byte >= 0x40 && byte < 0x50) || byte == 0x66 || byte == 0xf2 || byte == 0xf3 ||
	       byte == 0x2e || byte == 0x3e || byte == 0x64 || byte == 0x65 || byte == 0xf0;
}

/* False only of what surely writes no memory. */
static bool may_store(const uint8_t *bytes, const struct instruction *insn)
{
	size_t i = 0;

	while (i + 2 < insn->length && is_prefix(bytes[i]))
		i++;
	if (i + 1 >= insn->length)
		return insn->saves;
	/* With 0x0f: not setcc and cmpxchg only; but movzx and movsx are most of them. */
	if (bytes[i] == 0x0f)
		return bytes[i + 1] != 0xb6 && bytes[i + 1] != 0xb7 && bytes[i + 1] != 0xbe &&
		       bytes[i + 1] != 0xbf && bytes[i + 1] != 0xaf;
	if (begins_vector(bytes[i]))
		return true;
	return is_store(bytes[i]) && bytes[i + 1] < 0xc0;
}

/* ---- any machine ---- */

struct slot {
	unsigned int base;
	int64_t offset;
	uint64_t size;
};

enum slot_use {
	SLOT_PASSED,
	SLOT_FILLED,
	SLOT_LOST,		/* the base register has another value */
};

static bool overlaps(const struct instruction_access *access, const struct slot *slot)
{
	return access->base == slot->base && access->index == NO_REGISTER &&
	       access->displacement < slot->offset + (int64_t)slot->size &&
	       slot->offset < access->displacement + access->size;
}

static enum slot_use use_slot(const struct code_graph *graph, struct slot *slot,
			      const uint8_t *bytes, size_t left,
			      const struct instruction *insn)
{
	struct instruction_access access;

	if (graph->image->machine == EM_X86_64 && !may_store(bytes, insn) &&
	    !(insn->writes >> slot->base & 1) && !insn->restores)
		return SLOT_PASSED;
	instruction_decode_access(graph->decoder, bytes, left, insn, &access);
	if (access.access & ACCESS_WRITE && overlaps(&access, slot))
		return SLOT_FILLED;
	if (access.target == slot->base && access.source == slot->base)
		slot->offset -= access.constant;
	else if (access.writes >> slot->base & 1)
		return SLOT_LOST;
	return SLOT_PASSED;
}

bool code_slot_is_filled(const struct code_graph *graph, uint64_t pc, unsigned int base,
			 int64_t offset, uint64_t size)
{
	struct slot slot = { base, offset, size };
	struct instruction insn;
	size_t left;
	const uint8_t *bytes = code_image_text(graph->image, pc, &left);

	if (size > INT32_MAX || !bytes)
		return false;
	if (graph->image->machine == EM_X86_64 && base == STACK_POINTER &&
	    !may_fill(bytes, left, offset, size))
		return false;
	for (int i = 0; i < MAX_INSTRUCTIONS && left; i++) {
		instruction_decode(graph->decoder, bytes, left, pc, &insn);
		if ((insn.kind != INSTRUCTION_PLAIN && insn.kind != INSTRUCTION_NOP) ||
		    !insn.length)
			return false;
		if (insn.kind == INSTRUCTION_PLAIN) {
			enum slot_use use =
				use_slot(graph, &slot, bytes, left, &insn);

			if (use != SLOT_PASSED)
				return use == SLOT_FILLED;
		}
		pc += insn.length;
		bytes += insn.length;
		left -= insn.length;
	}
	return false;
}
