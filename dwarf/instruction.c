/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/instruction.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#ifdef WITH_CAPSTONE

#include <capstone/capstone.h>

struct instruction_decoder {
	csh handle;
	cs_insn *scratch;
	uint16_t machine;
	int8_t dwarf_number[512];	/* by capstone's register number; -1: none of the general ones */
};

/* ---- registers ---- */

static const struct {
	uint16_t names[5];	/* of 64, 32, 16, 8 bits, bits 8-15 */
} x86_registers[16] = {
	{ { X86_REG_RAX, X86_REG_EAX, X86_REG_AX, X86_REG_AL, X86_REG_AH } },
	{ { X86_REG_RDX, X86_REG_EDX, X86_REG_DX, X86_REG_DL, X86_REG_DH } },
	{ { X86_REG_RCX, X86_REG_ECX, X86_REG_CX, X86_REG_CL, X86_REG_CH } },
	{ { X86_REG_RBX, X86_REG_EBX, X86_REG_BX, X86_REG_BL, X86_REG_BH } },
	{ { X86_REG_RSI, X86_REG_ESI, X86_REG_SI, X86_REG_SIL } },
	{ { X86_REG_RDI, X86_REG_EDI, X86_REG_DI, X86_REG_DIL } },
	{ { X86_REG_RBP, X86_REG_EBP, X86_REG_BP, X86_REG_BPL } },
	{ { X86_REG_RSP, X86_REG_ESP, X86_REG_SP, X86_REG_SPL } },
	{ { X86_REG_R8, X86_REG_R8D, X86_REG_R8W, X86_REG_R8B } },
	{ { X86_REG_R9, X86_REG_R9D, X86_REG_R9W, X86_REG_R9B } },
	{ { X86_REG_R10, X86_REG_R10D, X86_REG_R10W, X86_REG_R10B } },
	{ { X86_REG_R11, X86_REG_R11D, X86_REG_R11W, X86_REG_R11B } },
	{ { X86_REG_R12, X86_REG_R12D, X86_REG_R12W, X86_REG_R12B } },
	{ { X86_REG_R13, X86_REG_R13D, X86_REG_R13W, X86_REG_R13B } },
	{ { X86_REG_R14, X86_REG_R14D, X86_REG_R14W, X86_REG_R14B } },
	{ { X86_REG_R15, X86_REG_R15D, X86_REG_R15W, X86_REG_R15B } },
};

static void number_registers(struct instruction_decoder *decoder)
{
	memset(decoder->dwarf_number, -1, sizeof(decoder->dwarf_number));
	if (decoder->machine == EM_X86_64) {
		for (int8_t i = 0; i < 16; i++)
			for (int j = 0; j < 5; j++)
				decoder->dwarf_number[x86_registers[i].names[j]] = i;
		decoder->dwarf_number[X86_REG_INVALID] = -1;
		return;
	}
	for (int i = 0; i <= 30; i++) {
		int wide = i < 29 ? ARM64_REG_X0 + i : i == 29 ? ARM64_REG_FP : ARM64_REG_LR;

		decoder->dwarf_number[wide] = (int8_t)i;
		decoder->dwarf_number[ARM64_REG_W0 + i] = (int8_t)i;
	}
}

static uint32_t register_bit(const struct instruction_decoder *decoder, unsigned int number)
{
	if (number >= sizeof(decoder->dwarf_number) || decoder->dwarf_number[number] < 0)
		return 0;
	return 1u << decoder->dwarf_number[number];
}

static uint32_t register_bits(const struct instruction_decoder *decoder, const uint16_t *numbers,
			      uint8_t count)
{
	uint32_t bits = 0;

	for (uint8_t i = 0; i < count; i++)
		bits |= register_bit(decoder, numbers[i]);
	return bits;
}

static bool in_group(const cs_insn *insn, uint8_t group)
{
	for (uint8_t i = 0; i < insn->detail->groups_count; i++)
		if (insn->detail->groups[i] == group)
			return true;
	return false;
}

/* ---- x86-64 ---- */

enum {
	RAX = 1u << 0,
	RDX = 1u << 1,
	RCX = 1u << 2,
	R11 = 1u << 11,
};

/* A result that does not depend on the register it is made from. */
static bool x86_is_constant(const cs_insn *insn, const cs_x86_op *a, const cs_x86_op *b)
{
	bool same = b->type == X86_OP_REG && a->reg == b->reg;

	if (a->type != X86_OP_REG)
		return false;
	switch (insn->id) {
	case X86_INS_XOR:
	case X86_INS_SUB:
	case X86_INS_SBB: return same;
	case X86_INS_AND: return b->type == X86_OP_IMM && b->imm == 0 && a->size >= 4;
	case X86_INS_OR:
		return b->type == X86_OP_IMM && (int32_t)b->imm == -1 && a->size >= 4;
	default: return false;
	}
}

static void x86_note_operands(const struct instruction_decoder *decoder, const cs_insn *insn,
			      struct instruction *out)
{
	const cs_x86 *x86 = &insn->detail->x86;

	if (x86->op_count == 2 && x86_is_constant(insn, &x86->operands[0], &x86->operands[1]))
		out->reads &= ~register_bit(decoder, x86->operands[0].reg);
}

/* What capstone 4.0.2 leaves out of its tables. */
static void x86_note_implicit(const cs_insn *insn, struct instruction *out)
{
	switch (insn->id) {
	case X86_INS_CMPXCHG: out->writes |= RAX; break;
	case X86_INS_SYSCALL: out->writes |= RCX | R11; break;
	case X86_INS_RDTSC:
	case X86_INS_RDMSR:
	case X86_INS_RDPMC:
	case X86_INS_XGETBV: out->writes |= RAX | RDX; break;
	case X86_INS_RDTSCP: out->writes |= RAX | RDX | RCX; break;
	default: break;
	}
	if (insn->id == X86_INS_RDMSR || insn->id == X86_INS_RDPMC || insn->id == X86_INS_XGETBV)
		out->reads |= RCX;
}

static void x86_note_transfer(const cs_insn *insn, struct instruction *out)
{
	const cs_x86_op *operand = &insn->detail->x86.operands[0];
	bool direct = operand->type == X86_OP_IMM;
	bool fixed = operand->type == X86_OP_MEM && operand->mem.index == X86_REG_INVALID &&
		     (operand->mem.base == X86_REG_INVALID || operand->mem.base == X86_REG_RIP);
	bool table = operand->type == X86_OP_MEM && operand->mem.base == X86_REG_INVALID &&
		     operand->mem.index != X86_REG_INVALID && operand->mem.scale == 8;

	if (direct)
		out->target = (uint64_t)operand->imm;
	if (table)
		out->target = (uint64_t)operand->mem.disp;
	if (in_group(insn, CS_GRP_CALL)) {
		out->kind = direct ? INSTRUCTION_CALL :
			    fixed  ? INSTRUCTION_CALL_FIXED :
				     INSTRUCTION_CALL_POINTER;
		/* What it does to the stack is no matter here. */
		out->writes = 0;
	} else if (insn->id != X86_INS_JMP) {
		out->kind = direct ? INSTRUCTION_BRANCH : INSTRUCTION_BAD;
	} else if (direct) {
		out->kind = INSTRUCTION_JUMP;
	} else {
		out->kind = operand->type == X86_OP_REG ? INSTRUCTION_JUMP_REGISTER :
			    table			? INSTRUCTION_JUMP_TABLE :
							  INSTRUCTION_JUMP_MEMORY;
	}
}

static void x86_finish(const struct instruction_decoder *decoder, const cs_insn *insn,
		       struct instruction *out)
{
	x86_note_operands(decoder, insn, out);
	x86_note_implicit(insn, out);
	switch (insn->id) {
	case X86_INS_NOP:
		out->kind = INSTRUCTION_NOP;
		out->reads = out->writes = 0;
		return;
	case X86_INS_PUSH: out->saves = out->reads; return;
	case X86_INS_POP: out->restores = out->writes; return;
	case X86_INS_UD2: out->kind = INSTRUCTION_TRAP; return;
	case X86_INS_INT3: out->kind = INSTRUCTION_STOP; return;
	case X86_INS_IRET:
	case X86_INS_IRETD:
	case X86_INS_IRETQ:
	case X86_INS_SYSRET:
	case X86_INS_SYSEXIT:
	case X86_INS_RET:
	case X86_INS_RETF:
	case X86_INS_RETFQ: out->kind = INSTRUCTION_RETURN; return;
	default: break;
	}
	if (in_group(insn, CS_GRP_CALL) || in_group(insn, CS_GRP_JUMP) ||
	    insn->id == X86_INS_XBEGIN || insn->id == X86_INS_LOOP)
		x86_note_transfer(insn, out);
}

/* Length of a ModRM byte with all that belongs to it; 0: does not fit. */
static size_t modrm_length(const uint8_t *bytes, size_t size)
{
	size_t length = 1;
	uint8_t mode;

	if (!size)
		return 0;
	mode = bytes[0] >> 6;
	if (mode == 3)
		return 1;
	if ((bytes[0] & 7) == 4) {
		if (size < 2)
			return 0;
		length++;
		if (mode == 0 && (bytes[1] & 7) == 5)
			length += 4;
	} else if (mode == 0 && (bytes[0] & 7) == 5) {
		length += 4;
	}
	length += mode == 1 ? 1 : mode == 2 ? 4 : 0;
	return length <= size ? length : 0;
}

/* UD1 (0f b9): capstone leaves out its operand, which is the reason of the trap. */
static bool x86_decode_ud1(const uint8_t *bytes, size_t size, struct instruction *out)
{
	size_t at = 0, operand;

	while (at < size && (bytes[at] == 0x67 || (bytes[at] & 0xf0) == 0x40))
		at++;
	if (size < at + 3 || bytes[at] != 0x0f || bytes[at + 1] != 0xb9)
		return false;
	operand = modrm_length(bytes + at + 2, size - at - 2);
	if (!operand || at > 4)
		return false;
	out->length = (uint8_t)(at + 2 + operand);
	out->kind = INSTRUCTION_TRAP;
	return true;
}

/* ---- arm64 ---- */

static uint32_t load_le32(const uint8_t *bytes)
{
	return bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 |
	       (uint32_t)bytes[3] << 24;
}

static uint64_t signed_words(uint32_t value, unsigned int bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return (((value & ((UINT64_C(1) << bits) - 1)) ^ sign) - sign) << 2;
}

/* Control flow, which is regular enough to need no table; false: an ordinary instruction. */
static bool arm64_decode_transfer(uint32_t word, struct instruction *out)
{
	uint32_t source = 1u << (word >> 5 & 31) & 0x7fffffff;

	if ((word & 0x7c000000) == 0x14000000) {
		out->kind = word >> 31 ? INSTRUCTION_CALL : INSTRUCTION_JUMP;
		out->target = out->address + signed_words(word, 26);
	} else if ((word & 0xff000000) == 0x54000000) {
		out->kind = INSTRUCTION_BRANCH;
		out->target = out->address + signed_words(word >> 5, 19);
	} else if ((word & 0x7e000000) == 0x34000000) {
		out->kind = INSTRUCTION_BRANCH;
		out->reads = 1u << (word & 31) & 0x7fffffff;
		out->target = out->address + signed_words(word >> 5, 19);
	} else if ((word & 0x7e000000) == 0x36000000) {
		out->kind = INSTRUCTION_BRANCH;
		out->reads = 1u << (word & 31) & 0x7fffffff;
		out->target = out->address + signed_words(word >> 5, 14);
	} else if ((word & 0xfe000000) == 0xd6000000) {
		/* br, blr, ret, eret and their kin with pointer authentication. */
		unsigned int operation = word >> 21 & 7;

		out->kind = operation == 0 ? INSTRUCTION_JUMP_REGISTER :
			    operation == 1 ? INSTRUCTION_CALL_POINTER :
					     INSTRUCTION_RETURN;
		out->reads = operation <= 1 ? source : 0;
		if (operation <= 1 && word >> 24 & 1)
			out->reads |= 1u << (word & 31) & 0x7fffffff;
	} else if ((word & 0xfffff01f) == 0xd503201f) {
		out->kind = INSTRUCTION_NOP;
	} else if ((word & 0xffe0001f) == 0xd4200000) {
		out->kind = INSTRUCTION_TRAP;
	} else if (word >> 16 == 0) {
		out->kind = INSTRUCTION_STOP;
	} else {
		return false;
	}
	return true;
}

/* movk keeps the rest of its register. */
static void arm64_finish(uint32_t word, struct instruction *out)
{
	uint32_t target = 1u << (word & 31) & 0x7fffffff;

	if ((word & 0x7f800000) == 0x72800000) {
		out->reads |= target;
		out->writes |= target;
	}
}

/* ---- both ---- */

struct instruction_decoder *instruction_decoder_new(uint16_t machine)
{
	struct instruction_decoder *decoder;
	bool x86 = machine == EM_X86_64;

	if (!x86 && machine != EM_AARCH64)
		return NULL;
	decoder = memory_zeroed(1, sizeof(*decoder));
	decoder->machine = machine;
	if (cs_open(x86 ? CS_ARCH_X86 : CS_ARCH_ARM64,
		    x86 ? CS_MODE_64 : CS_MODE_LITTLE_ENDIAN, &decoder->handle) != CS_ERR_OK) {
		free(decoder);
		return NULL;
	}
	cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
	decoder->scratch = cs_malloc(decoder->handle);
	number_registers(decoder);
	return decoder;
}

void instruction_decoder_free(struct instruction_decoder *decoder)
{
	if (!decoder)
		return;
	cs_free(decoder->scratch, 1);
	cs_close(&decoder->handle);
	free(decoder);
}

/* What needs no capstone, or must not ask it. */
static bool decode_by_hand(uint16_t machine, const uint8_t *bytes, size_t size,
			   struct instruction *out)
{
	if (machine == EM_X86_64)
		return x86_decode_ud1(bytes, size, out);
	if (size < 4)
		return false;
	out->length = 4;
	return arm64_decode_transfer(load_le32(bytes), out);
}

void instruction_decode(struct instruction_decoder *decoder, const uint8_t *bytes, size_t size,
			uint64_t address, struct instruction *out)
{
	const uint8_t *at = bytes;
	uint64_t next = address;
	uint8_t read_count, write_count;
	cs_regs reads, writes;

	*out = (struct instruction){ .address = address, .kind = INSTRUCTION_PLAIN };
	if (decode_by_hand(decoder->machine, bytes, size, out))
		return;
	if (!cs_disasm_iter(decoder->handle, &at, &size, &next, decoder->scratch) ||
	    cs_regs_access(decoder->handle, decoder->scratch, reads, &read_count, writes,
			   &write_count) != CS_ERR_OK) {
		out->kind = INSTRUCTION_BAD;
		return;
	}
	out->length = (uint8_t)decoder->scratch->size;
	out->reads = register_bits(decoder, reads, read_count);
	out->writes = register_bits(decoder, writes, write_count);
	if (decoder->machine == EM_X86_64)
		x86_finish(decoder, decoder->scratch, out);
	else
		arm64_finish(load_le32(bytes), out);
}

#else

struct instruction_decoder *instruction_decoder_new(uint16_t machine)
{
	(void)machine;
	return NULL;
}

void instruction_decoder_free(struct instruction_decoder *decoder)
{
	(void)decoder;
}

void instruction_decode(struct instruction_decoder *decoder, const uint8_t *bytes, size_t size,
			uint64_t address, struct instruction *out)
{
	(void)decoder, (void)bytes, (void)size;
	*out = (struct instruction){ .address = address, .kind = INSTRUCTION_BAD };
}

#endif
