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

/* Bytes of the displacement after ModRM and SIB: Intel SDM, volume 2, tables 2-2 and 2-3. */
static inline uint8_t x86_displacement_bytes(uint8_t modrm, uint8_t sib)
{
	bool has_sib = (modrm & 7) == 4;

	switch (modrm >> 6) {
	case 0: return ((has_sib ? sib : modrm) & 7) == 5 ? 4 : 0;
	case 1: return 1;
	case 2: return 4;
	default: return 0;
	}
}

/* Legacy prefixes and REX. */
static const uint16_t x86_prefixes[16] = { [0x2] = 0x4040, [0x3] = 0x4040, [0x4] = 0xffff,
					   [0x6] = 0x0070, [0xf] = 0x000d };

#endif
