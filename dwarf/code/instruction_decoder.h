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
 * From now on each instruction is decoded anew: what dwarf/code/instruction_memo.h must agree with.
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

#endif
