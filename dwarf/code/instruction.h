/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * One machine instruction as the dataflow sees it: how long, which general registers it reads and
 * writes, where control goes. instruction.c alone knows capstone, which decodes x86-64; where its
 * tables are wrong (version 4.0.2 was examined) it corrects them. arm64 needs no help.
 *
 * Register masks have bit N for DWARF register N: rax..r15 (0-15), x0..x30 (0-30).
 */
#ifndef BTFENC_DWARF_CODE_INSTRUCTION_H
#define BTFENC_DWARF_CODE_INSTRUCTION_H

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

/* What tracking addresses takes to know of an instruction, of the stack above all. */
enum {
	NO_REGISTER = 0xff,
	ADDRESS_READ = 1,	/* access: the memory at the address */
	ADDRESS_WRITE = 2,
	ADDRESS_TAKEN = 4,	/* no access: it is the new value of `target` */
};

enum address_step {
	STEP_NONE,		/* `target`, if there is one, becomes no address */
	STEP_ADD,		/* target = source + constant */
	STEP_ALIGN,		/* target = source, rounded down */
	STEP_LOWER,		/* target = source - something: what alloca does */
	STEP_LOAD,		/* target = the word at the address */
	STEP_PUSH,		/* the word at the address = source */
};

struct instruction_address {
	/* One access: base + index + displacement, `size` bytes. No base: no stack. */
	int64_t displacement;
	uint16_t size;
	uint8_t access;		/* ADDRESS_*; 0: none */
	uint8_t base;
	uint8_t index;
	/* One register's new value; all other that are written become no address. */
	uint8_t step;		/* enum address_step */
	uint8_t target;
	uint8_t source;
	int64_t constant;
	int64_t stack_change;	/* of the stack pointer, besides; the access comes before */
	uint32_t uses;		/* registers whose values are used otherwise: stored, compared */
	uint32_t writes;	/* registers; the stack pointer counts */
};

struct instruction_decoder;

/* NULL for a machine that is neither EM_X86_64 nor EM_AARCH64; for x86-64 without capstone, too. */
struct instruction_decoder *instruction_decoder_new(uint16_t machine);
void instruction_decoder_free(struct instruction_decoder *decoder);

/* From now on each instruction is decoded anew: what dwarf/code/instruction_memo.h must agree with. */
void instruction_decoder_forget(struct instruction_decoder *decoder);

/*
 * Decodes the instruction at bytes[0..size). Of what cannot be decoded the kind is BAD and the
 * length what can be skipped: 4 (arm64), or 0, for then nobody knows where the next one begins.
 */
void instruction_decode(struct instruction_decoder *decoder, const uint8_t *bytes, size_t size,
			uint64_t address, struct instruction *out);

/* A DWARF number, and a bit of masks. */
uint8_t instruction_stack_pointer(const struct instruction_decoder *decoder);

/* The same instruction once more, for this. */
void instruction_decode_address(struct instruction_decoder *decoder, const uint8_t *bytes,
				size_t size, const struct instruction *insn,
				struct instruction_address *out);

/* For instruction.c: all of *out but its address, which is given; all of what is not empty. */
void instruction_decode_arm64(const uint8_t *bytes, size_t size, struct instruction *out);
void instruction_address_arm64(const uint8_t *bytes, const struct instruction *insn,
			       struct instruction_address *out);

#endif
