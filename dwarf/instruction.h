/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * One machine instruction as the dataflow sees it: how long, which general registers it reads and
 * writes, where control goes. instruction.c alone knows capstone, which decodes x86-64; where its
 * tables are wrong (version 4.0.2 was examined) it corrects them. arm64 needs no help.
 *
 * Register masks have bit N for DWARF register N: rax..r15 (0-15), x0..x30 (0-30).
 */
#ifndef BTFENC_DWARF_INSTRUCTION_H
#define BTFENC_DWARF_INSTRUCTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum instruction_kind {
	INSTRUCTION_PLAIN,
	INSTRUCTION_NOP,
	INSTRUCTION_CALL,		/* to `target` */
	INSTRUCTION_CALL_POINTER,	/* through a register, or memory that one points to */
	INSTRUCTION_CALL_FIXED,		/* through memory at a constant address */
	INSTRUCTION_JUMP,		/* to `target` */
	INSTRUCTION_BRANCH,		/* to `target`, or on */
	INSTRUCTION_JUMP_REGISTER,	/* a jump table or a tail call */
	INSTRUCTION_JUMP_MEMORY,	/* a tail call */
	INSTRUCTION_JUMP_TABLE,		/* to one of the addresses at `target` */
	INSTRUCTION_RETURN,
	INSTRUCTION_TRAP,		/* BUG() and WARN(): whether it goes on, nobody knows */
	INSTRUCTION_STOP,		/* padding: nothing goes on */
	INSTRUCTION_BAD,		/* not decodable */
};

struct instruction {
	uint64_t address;
	uint64_t target;
	uint32_t reads;
	uint32_t writes;	/* as a value; a mere part of the register counts */
	uint32_t maybe_reads;	/* what a hypercall takes is for the program to know; and a push
				   may be there for the stack's sake: GCC takes any register */
	uint32_t saves;		/* pushed */
	uint32_t restores;	/* popped */
	uint8_t kind;		/* enum instruction_kind */
	uint8_t length;
	bool loads_pointer;	/* a word from an address that no index is part of */
	uint8_t flags;		/* for the owner */
};

struct instruction_decoder;

/* NULL for a machine that is neither EM_X86_64 nor EM_AARCH64; for x86-64 without capstone, too. */
struct instruction_decoder *instruction_decoder_new(uint16_t machine);
void instruction_decoder_free(struct instruction_decoder *decoder);

/*
 * Decodes the instruction at bytes[0..size). Of what cannot be decoded the kind is BAD and the
 * length what can be skipped: 4 (arm64), or 0, for then nobody knows where the next one begins.
 */
void instruction_decode(struct instruction_decoder *decoder, const uint8_t *bytes, size_t size,
			uint64_t address, struct instruction *out);

/* For instruction.c: all of *out but its address, which is given. */
void instruction_decode_arm64(const uint8_t *bytes, size_t size, struct instruction *out);

#endif
