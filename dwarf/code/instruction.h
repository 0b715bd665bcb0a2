/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * One machine instruction as the dataflow sees it: how long, which general registers it reads and
 * writes, where control goes.
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
	INSTRUCTION_TRAP,		/* BUG() and WARN(): it may go on or not */
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

enum {
	NO_REGISTER = 0xff,
	X86_FRAME = 6,			/* rbp */
	X86_STACK = 7,			/* rsp */
	ARM64_STACK = 31,
};

enum {
	ACCESS_READ = 1,
	ACCESS_WRITE = 2,
};

/*
 * What an instruction does to memory, and to registers that may point to it. A register that is
 * written and is not `target` gets a value that is not followed.
 */
struct instruction_access {
	/* base + index + displacement, before registers change. No base: nothing is known of it. */
	int64_t displacement;
	uint16_t size;		/* bytes */
	uint8_t access;		/* ACCESS_*; 0: none */
	uint8_t base;
	uint8_t index;
	bool is_move;		/* it only copies, without a computation */
	/* target = source + constant */
	uint8_t target;
	uint8_t source;
	int64_t constant;
	uint32_t writes;	/* registers; the stack pointer counts, unless it is `target` */
};

#endif
