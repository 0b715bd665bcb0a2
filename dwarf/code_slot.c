/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/code_slot.h"

#include <elf.h>

#include "base/bytes.h"

/* Compilers do not separate them by more. */
#define MAX_INSTRUCTIONS 32

/* ---- x86-64: a look at the bytes spares decoding nearly all ---- */

#define STACK_POINTER 7		/* %rsp, as DWARF numbers it */
#define SIB_STACK     0x24	/* the byte that says %rsp without an index */
#define MODRM_SIB     4		/* such a byte follows */
#define WIDEST_WRITE  64
#define LOOK_AHEAD    160	/* bytes; behind so many there has been a branch */

/* The displacement behind a SIB byte at bytes[i], by the ModRM byte in front of it. */
static int64_t displacement(const uint8_t *bytes, size_t i)
{
	switch (bytes[i - 1] >> 6) {
	case 0: return 0;
	case 1: return (int8_t)bytes[i + 1];
	default: return (int32_t)bytes_load_u32(bytes + i + 1, false);
	}
}

/* Does the stack pointer move, by a constant (sub $N, %rsp)? */
static bool moves_stack(const uint8_t *bytes, size_t i)
{
	return bytes[i] == 0xec && (bytes[i - 1] == 0x83 || bytes[i - 1] == 0x81);
}

/* May one of the next instructions write to the slot at %rsp + offset? */
static bool may_fill(const uint8_t *bytes, size_t left, int64_t offset, uint64_t size)
{
	size_t end = left < LOOK_AHEAD + 5 ? left : LOOK_AHEAD + 5;

	for (size_t i = 1; i + 5 <= end; i++) {
		int64_t at;

		if (moves_stack(bytes, i))
			return true;
		if (bytes[i] != SIB_STACK || (bytes[i - 1] & 7) != MODRM_SIB)
			continue;
		at = displacement(bytes, i);
		if (at < offset + (int64_t)size && offset < at + WIDEST_WRITE)
			return true;
	}
	return false;
}

/* ---- any machine ---- */

static bool overlaps(const struct instruction_address *access, unsigned int base, int64_t offset,
		     uint64_t size)
{
	return access->access & ADDRESS_WRITE && access->base == base &&
	       access->index == NO_REGISTER &&
	       access->displacement < offset + (int64_t)size &&
	       offset < access->displacement + access->size;
}

bool code_slot_is_filled(const struct code_graph *graph, uint64_t pc, unsigned int base,
			 int64_t offset, uint64_t size)
{
	uint8_t stack_pointer = instruction_stack_pointer(graph->decoder);
	struct instruction_address access;
	struct instruction insn;

	if (size > INT32_MAX)
		return false;
	if (graph->image->machine == EM_X86_64 && base == STACK_POINTER) {
		size_t left;
		const uint8_t *bytes = code_image_text(graph->image, pc, &left);

		if (!bytes || !may_fill(bytes, left, offset, size))
			return false;
	}
	for (int i = 0; i < MAX_INSTRUCTIONS; i++) {
		size_t left;
		const uint8_t *bytes = code_image_text(graph->image, pc, &left);

		if (!bytes)
			return false;
		instruction_decode(graph->decoder, bytes, left, pc, &insn);
		if ((insn.kind != INSTRUCTION_PLAIN && insn.kind != INSTRUCTION_NOP) ||
		    !insn.length)
			return false;
		pc += insn.length;
		if (insn.kind == INSTRUCTION_NOP)
			continue;
		instruction_decode_address(graph->decoder, bytes, left, &insn, &access);
		if (overlaps(&access, base, offset, size))
			return true;
		if (base == stack_pointer)
			offset -= access.stack_change;
		else if (access.writes >> base & 1)
			return false;
	}
	return false;
}
