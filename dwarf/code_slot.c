/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/code_slot.h"

#include <elf.h>
#include <string.h>

/* Compilers do not separate them by more. */
#define MAX_INSTRUCTIONS 32

/* The DWARF number of %rsp, and the SIB byte that alone says it without an index. */
#define X86_64_STACK_POINTER 7
#define X86_64_SIB_STACK     0x24

/* Spares decoding of nearly all: where there is no such byte, no slot of the stack is touched. */
static bool may_write(const struct code_graph *graph, const uint8_t *bytes, unsigned int base,
		      const struct instruction *insn)
{
	return graph->image->machine != EM_X86_64 || base != X86_64_STACK_POINTER ||
	       memchr(bytes, X86_64_SIB_STACK, insn->length) ||
	       insn->writes >> X86_64_STACK_POINTER & 1 || insn->saves || insn->restores;
}

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
		if (insn.kind == INSTRUCTION_NOP || !may_write(graph, bytes, base, &insn))
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
