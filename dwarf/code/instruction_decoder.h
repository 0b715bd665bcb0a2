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

/* From now on each instruction is decoded anew: what the memo must agree with. */
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

/* What it does to memory, where no immediate is part of that. */
struct access_memo_entry {
	uint64_t lead;
	uint16_t size;
	uint8_t access;
	uint8_t base;
	uint8_t index;
	bool is_move;
	uint8_t target;
	uint8_t source;
	int8_t displacement;	/* where the instruction has none, as a push */
	int8_t constant;
	bool adds_displacement;	/* that is the constant */
};

struct instruction_memo {
	struct instruction_memo_entry *slots;	/* by a hash of `lead`; the last one stays. NULL:
						   nothing is remembered */
	struct access_memo_entry *accesses;	/* the same; NULL before the first */
};

struct instruction_lead {
	uint64_t bytes;		/* the first one lowest */
	uint8_t count;
	uint8_t displacement_bytes;	/* after them: 0, 1 or 4 */
};

void instruction_memo_release(struct instruction_memo *memo);

/* False: of these encodings nothing is remembered. */
bool instruction_lead_find(const uint8_t *bytes, size_t size, struct instruction_lead *lead);

/* Fills all of *out but its address, which is given. False: not known, or longer than `size`. */
bool instruction_memo_find(const struct instruction_memo *memo,
			   const struct instruction_lead *lead, const uint8_t *bytes, size_t size,
			   struct instruction *out);

/* Remembers what was found out about the instruction with these leading bytes. */
void instruction_memo_add(struct instruction_memo *memo, const struct instruction_lead *lead,
			  const struct instruction *insn);

/* The same of all but out->writes, for an instruction that is whole. */
bool instruction_memo_find_access(const struct instruction_memo *memo,
				  const struct instruction_lead *lead, const uint8_t *bytes,
				  struct instruction_access *out);
void instruction_memo_add_access(struct instruction_memo *memo,
				 const struct instruction_lead *lead,
				 const struct instruction_access *access, bool adds_displacement);

#endif
