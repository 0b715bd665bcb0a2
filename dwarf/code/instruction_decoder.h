/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * From bytes to instructions. instruction_decoder.c alone knows capstone, which decodes x86-64;
 * where its tables are wrong (version 4.0.2 was examined) it corrects them. arm64 needs no help.
 */
#ifndef BTFENC_DWARF_CODE_INSTRUCTION_DECODER_H
#define BTFENC_DWARF_CODE_INSTRUCTION_DECODER_H

#include "dwarf/code/instruction.h"

struct instruction_decoder;

/* NULL for a machine that is neither EM_X86_64 nor EM_AARCH64; for x86-64 without capstone, too. */
struct instruction_decoder *instruction_decoder_new(uint16_t machine);
void instruction_decoder_free(struct instruction_decoder *decoder);

/*
 * From now on each instruction is decoded anew: what the memo must agree with.
 */
void instruction_decoder_forget(struct instruction_decoder *decoder);

/*
 * Decodes the instruction at bytes[0..size). If it cannot be decoded, the kind is BAD and the
 * length is what can be skipped: 4 (arm64), or 0, because it is not known where the next begins.
 */
void instruction_decode(struct instruction_decoder *decoder, const uint8_t *bytes, size_t size,
			uint64_t address, struct instruction *out);

/* What the same instruction, which has been decoded, does to memory. */
void instruction_decode_access(struct instruction_decoder *decoder, const uint8_t *bytes,
			       size_t size, const struct instruction *insn,
			       struct instruction_access *out);

/* For instruction_decoder.c: all of *out but its address, which is given; all that is not empty. */
void instruction_decode_arm64(const uint8_t *bytes, size_t size, struct instruction *out);
void instruction_access_arm64(const uint8_t *bytes, struct instruction_access *out);

/* For code_flow.c: the use of v0 to v31 by an instruction of arm64. */
void instruction_vectors_arm64(const uint8_t *bytes, uint32_t *reads, uint32_t *writes);

/* ---- instruction_memo.c ---- */

/*
 * What x86-64 instructions do, remembered by their leading bytes: prefixes, opcode, ModRM and SIB.
 * Displacements and immediates that follow change nothing of it but the target of a direct branch,
 * so capstone (0.4 us, most of it for text that is not needed) is asked once for each combination:
 * a kernel has 15,000 of them in what stats looks at, among 500,000 instructions.
 *
 * One memo per decoder. Knows encodings, not what they mean.
 */

#define INSTRUCTION_MEMO_SLOTS 32768

/* As struct instruction; small, so that those that are met often stay in the second cache. */
struct instruction_memo_entry {
	uint64_t lead;		/* the leading bytes, first one lowest; 0: free */
	uint16_t reads, writes, maybe_reads, saves, restores;
	uint8_t kind;
	uint8_t length;
	bool loads_pointer;
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
