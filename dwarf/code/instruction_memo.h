/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What x86-64 instructions do, remembered by their leading bytes: prefixes, opcode, ModRM and SIB.
 * Displacements and immediates that follow change nothing of it but the target of a direct branch,
 * so capstone (0.4 us, most of it for text that is not needed) is asked once for each combination:
 * a kernel has 15,000 of them in what stats looks at, among 500,000 instructions.
 *
 * One memo per decoder. Knows encodings, not what they mean.
 */
#ifndef BTFENC_DWARF_CODE_INSTRUCTION_MEMO_H
#define BTFENC_DWARF_CODE_INSTRUCTION_MEMO_H

#include "dwarf/code/instruction.h"

#define INSTRUCTION_MEMO_SLOTS 32768

struct instruction_memo_entry {
	uint64_t lead;		/* the leading bytes, first one lowest; 0: free */
	struct instruction insn;	/* where it was met first */
	uint8_t branch_bytes;	/* of the distance at the end; 0: no direct branch */
};

struct instruction_memo {
	struct instruction_memo_entry *slots;	/* by a hash of `lead`; the last one stays */
};

void instruction_memo_init(struct instruction_memo *memo);
void instruction_memo_release(struct instruction_memo *memo);

/* The leading bytes; 0: of these encodings nothing is remembered. */
uint64_t instruction_memo_lead(const uint8_t *bytes, size_t size, uint8_t *count);

/* Fills all of *out but its address, which is given. False: not known, or longer than `size`. */
bool instruction_memo_find(const struct instruction_memo *memo, uint64_t lead, const uint8_t *bytes,
			   size_t size, struct instruction *out);

/* Remembers what was found out about the instruction with these leading bytes. */
void instruction_memo_add(struct instruction_memo *memo, uint64_t lead, uint8_t lead_count,
			  const struct instruction *insn);

#endif
