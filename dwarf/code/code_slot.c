/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Is a slot in memory about to be filled? Compilers say of a variable in memory that it is in its
 * slot from the start of its scope on, though the first instructions there are those that put it
 * there.
 */
#include "dwarf/code/machine_code.h"

#include <elf.h>

#include "base/bytes.h"
#include "dwarf/code/code_reader.h"
#include "dwarf/code/x86_opcode.h"

/* Compilers do not separate them by more. */
#define MAX_INSTRUCTIONS 32

/* ---- x86-64: a look at the bytes spares decoding nearly all ---- */

#define SIB_STACK  0x24	/* the byte that says %rsp without an index */
#define MODRM_SIB  4	/* such a byte follows */
#define LOOK_AHEAD 160	/* bytes; after so many there has been a branch */

/*
 * Maps of opcodes. Stores without 0x0f are those that may write to their memory operand: add, or,
 * ..., xor and what follows mov. With 0x0f they are all but movzx, movsx and imul, which are most
 * of the others: setcc and cmpxchg only.
 */
static const uint16_t stores[16] = { 0x0303, 0x0303, 0x0303, 0x0003, 0, 0, 0, 0,
				     0x83cf, 0, 0, 0, 0xfff3, 0xffff, 0xffff, 0xffff };
static const uint16_t no_stores_0f[16] = { [0xa] = 0x8000, [0xb] = 0xc0c0 };
/* movups, movaps, movdqa, movq and their like, to memory: after 0x0f. */
static const uint16_t vector_stores_0f[16] = { [0x1] = 0x008a, [0x2] = 0x0a00, [0x7] = 0x8000,
					       [0xd] = 0x0040, [0xe] = 0x0080 };

/* VEX and EVEX: what is after them is no ModRM byte. */
static bool begins_vector(uint8_t byte)
{
	return byte == 0xc4 || byte == 0xc5 || byte == 0x62;
}

/* May one of the next instructions write to the slot at %rsp + offset? */
static bool may_fill(const uint8_t *bytes, size_t left, int64_t offset, uint64_t size)
{
	size_t end = left < LOOK_AHEAD + 5 ? left : LOOK_AHEAD + 5;
	int64_t moved = 0;	/* the stack pointer at most so far, either way */

	for (size_t i = 1; i + 5 <= end; i++) {
		uint8_t before = bytes[i - 1];
		int64_t at = 0, width = 8;

		/* By a word: push and pop of a register, push of a constant; or what looks so. */
		if ((before >= 0x50 && before < 0x60) || before == 0x68 || before == 0x6a)
			moved += 8;
		/* By a constant: sub $N, %rsp; add $-128, %rsp. */
		if ((bytes[i] == 0xec || bytes[i] == 0xc4) && (before == 0x83 || before == 0x81))
			return true;
		if (moved && offset < 0)
			return true;
		/* An operand on the stack that no mov and no lea loads. */
		if (bytes[i] != SIB_STACK || (before & 7) != MODRM_SIB ||
		    (i > 1 && (bytes[i - 2] == 0x8b || bytes[i - 2] == 0x8d)))
			continue;
		if (before >> 6 == 1)
			at = (int)(int8_t)bytes[i + 1];
		else if (before >> 6)
			at = (int32_t)bytes_load_u32(bytes + i + 1, false);
		/* It writes a word at most, unless it may be one for vectors. */
		for (size_t k = i < 7 ? 0 : i - 7; k + 2 < i; k++)
			if (begins_vector(bytes[k]))
				width = 64;
		if (i > 2 && bytes[i - 3] == 0x0f && x86_opcode_in(vector_stores_0f, bytes[i - 2]))
			width = 16;
		if (at < offset + (int64_t)size + moved && offset < at + width + moved)
			return true;
	}
	return false;
}

/* False only of what surely writes no memory. */
static bool may_store(const uint8_t *bytes, const struct instruction *insn)
{
	size_t i = 0;

	while (i + 2 < insn->length && x86_opcode_in(x86_prefixes, bytes[i]))
		i++;
	if (i + 1 >= insn->length)
		return insn->saves;
	if (bytes[i] == 0x0f)
		return !x86_opcode_in(no_stores_0f, bytes[i + 1]);
	return begins_vector(bytes[i]) ||
	       (x86_opcode_in(stores, bytes[i]) && bytes[i + 1] < 0xc0);
}

/* ---- any machine ---- */

/*
 * Does an instruction from `pc` on, up to the first that does not just go on to the next, write
 * some of the `size` bytes at register `base` + offset? Later ones are not examined.
 */
static bool is_filled(const struct code_graph *graph, uint64_t pc, unsigned int base,
		      int64_t offset, uint64_t size)
{
	bool is_x86 = graph->image->machine == EM_X86_64;
	struct instruction insn;
	size_t left;
	const uint8_t *bytes = code_image_text(graph->image, pc, &left);

	if (size > INT32_MAX || !bytes ||
	    (is_x86 && base == X86_STACK && !may_fill(bytes, left, offset, size)))
		return false;
	for (int i = 0; i < MAX_INSTRUCTIONS && left; i++) {
		struct instruction_access access;

		instruction_decode(graph->decoder, bytes, left, pc, &insn);
		if ((insn.kind != INSTRUCTION_PLAIN && insn.kind != INSTRUCTION_NOP) ||
		    !insn.length)
			return false;
		if (insn.kind == INSTRUCTION_PLAIN &&
		    (!is_x86 || may_store(bytes, &insn) || insn.writes >> base & 1 ||
		     insn.restores)) {
			instruction_decode_access(graph->decoder, bytes, left, &insn, &access);
			if (access.access & ACCESS_WRITE && access.base == base &&
			    access.index == NO_REGISTER &&
			    access.displacement < offset + (int64_t)size &&
			    offset < access.displacement + access.size)
				return true;
			if (access.target == base && access.source == base)
				offset -= access.constant;
			else if (access.writes >> base & 1)
				return false;	/* the base register has another value */
		}
		pc += insn.length;
		bytes += insn.length;
		left -= insn.length;
	}
	return false;
}

bool machine_code_fills_slot(const struct machine_code *code, uint64_t pc, unsigned int base,
			     int64_t offset, uint64_t size, bool *fills)
{
	if (!code->reader ||
	    (base >= 31 && base != code->reader->graph.convention->stack_pointer))
		return false;
	*fills = is_filled(&code->reader->graph, pc, base, offset, size);
	return true;
}
