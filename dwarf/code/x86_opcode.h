/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Maps of x86-64 opcodes, as in the Intel SDM, volume 2, appendix A: a row for each high half of a
 * byte, in it a bit for each low half.
 */
#ifndef BTFENC_DWARF_CODE_X86_OPCODE_H
#define BTFENC_DWARF_CODE_X86_OPCODE_H

#include <stdbool.h>
#include <stdint.h>

static inline bool x86_opcode_in(const uint16_t map[16], uint8_t opcode)
{
	return map[opcode >> 4] >> (opcode & 15) & 1;
}

/* Legacy prefixes and REX. */
static const uint16_t x86_prefixes[16] = { [0x2] = 0x4040, [0x3] = 0x4040, [0x4] = 0xffff,
					   [0x6] = 0x0070, [0xf] = 0x000d };

#endif
