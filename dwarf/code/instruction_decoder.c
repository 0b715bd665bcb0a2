/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/code/instruction_decoder.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/late_library.h"
#include "base/memory.h"
#include "dwarf/code/x86_opcode.h"

#ifdef WITH_CAPSTONE

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <pthread.h>

#define CAPSTONE_FUNCTIONS(X)                                                                      \
	X(cs_open) X(cs_close) X(cs_option) X(cs_malloc) X(cs_free) X(cs_disasm_iter)              \
	X(cs_regs_access)
#define TEXT(macro)   TEXT_OF(macro)
#define TEXT_OF(text) #text

LATE_LIBRARY(capstone, CAPSTONE_FUNCTIONS);

/* Without memory dlerror() may leave out the name. */
static bool load_capstone(void)
{
	static const char file[] = "libcapstone.so." TEXT(CS_API_MAJOR);

	if (LATE_LOAD(capstone, CAPSTONE_FUNCTIONS, file))
		return true;
	print_warning("cannot load %s (%s); x86-64 instructions are not decoded, so functions get "
		      "no FUNC that only their code clears; install that library", file, dlerror());
	return false;
}

struct instruction_decoder {
	struct instruction_memo memo;
	csh handle;
	cs_insn *scratch;
	uint16_t machine;
	int8_t dwarf_number[512];	/* by capstone's number; -1: no general register */
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

static uint8_t number_of(const struct instruction_decoder *decoder, unsigned int number)
{
	if (number >= sizeof(decoder->dwarf_number) || decoder->dwarf_number[number] < 0)
		return NO_REGISTER;
	return (uint8_t)decoder->dwarf_number[number];
}

static uint32_t register_bit(const struct instruction_decoder *decoder, unsigned int number)
{
	uint8_t reg = number_of(decoder, number);

	return reg == NO_REGISTER ? 0 : 1u << reg;
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
		/* What it does to the stack does not matter here. */
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

/* Registers and kind, where the tables of capstone 4.0.2, and of 5.0, are wrong or not enough. */
static void x86_finish(const struct instruction_decoder *decoder, const cs_insn *insn,
		       struct instruction *out)
{
	const cs_x86 *x86 = &insn->detail->x86;
	const cs_x86_op *a = &x86->operands[0], *b = a + 1;

	out->loads_pointer = insn->id == X86_INS_MOV && x86->op_count == 2 &&
			     b->type == X86_OP_MEM && b->size == 8 &&
			     b->mem.index == X86_REG_INVALID;
	if (x86->op_count == 2 && x86_is_constant(insn, a, b))
		out->reads &= ~register_bit(decoder, a->reg);
	/* 5.0: a conditional move only writes its destination, which it may leave as it is. */
	if (insn->id >= X86_INS_CMOVA && insn->id <= X86_INS_CMOVS)
		out->reads |= out->writes;
	switch (insn->id) {
	case X86_INS_CMPXCHG: out->writes |= RAX; break;
	case X86_INS_SYSCALL:
		out->writes |= RCX | R11;
		out->maybe_reads = ~UINT32_C(0);
		break;
	case X86_INS_VMCALL:
	case X86_INS_VMMCALL:
	case X86_INS_INT:
	case X86_INS_ENCLS: out->maybe_reads = ~UINT32_C(0); break;
	case X86_INS_CPUID:
		/* Most leaves of cpuid have no use for ecx. */
		out->maybe_reads |= out->reads & RCX;
		out->reads &= ~(uint32_t)RCX;
		break;
	case X86_INS_TEST: out->writes = 0; break;	/* of an immediate: in the tables a write */
	case X86_INS_NOP:
		out->kind = INSTRUCTION_NOP;
		out->reads = out->writes = 0;
		return;
	case X86_INS_PUSH:
		/* Pushed is the register; pushing memory reads the registers of its address. */
		if (a->type == X86_OP_REG) {
			out->saves = out->maybe_reads = out->reads;
			out->reads = 0;
		}
		return;
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
	bool has_sib = size && bytes[0] < 0xc0 && (bytes[0] & 7) == 4;
	size_t length = has_sib ? 2 : 1;

	if (length > size)
		return 0;
	length += x86_displacement_bytes(bytes[0], bytes[has_sib]);
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

/*
 * 0f 01 with a register operand: system instructions of a fixed length, of which capstone knows the
 * older ones: rdpkru (ee), wrpkru, serialize, pvalidate and their like.
 */
static bool x86_decode_system(const uint8_t *bytes, size_t size, struct instruction *out)
{
	size_t at = size && (bytes[0] == 0xf2 || bytes[0] == 0xf3 || bytes[0] == 0x66) ? 1 : 0;

	if (size < at + 3 || bytes[at] != 0x0f || bytes[at + 1] != 0x01 || bytes[at + 2] < 0xc0)
		return false;
	out->length = (uint8_t)(at + 3);
	out->maybe_reads = ~UINT32_C(0);
	out->writes = bytes[at + 2] == 0xee ? RAX | RDX : RAX;
	return true;
}

/* What capstone must not be asked, then capstone, then what it does not know. */
static void x86_decode_anew(struct instruction_decoder *decoder, const uint8_t *bytes, size_t size,
			    struct instruction *out)
{
	const uint8_t *at = bytes;
	size_t rest = size;
	uint64_t next = out->address;
	uint8_t read_count, write_count;
	cs_regs reads, writes;

	if (x86_decode_ud1(bytes, size, out))
		return;
	if (!capstone.cs_disasm_iter(decoder->handle, &at, &rest, &next, decoder->scratch) ||
	    capstone.cs_regs_access(decoder->handle, decoder->scratch, reads, &read_count, writes,
			   &write_count) != CS_ERR_OK) {
		if (!x86_decode_system(bytes, size, out))
			out->kind = INSTRUCTION_BAD;
		return;
	}
	out->length = (uint8_t)decoder->scratch->size;
	out->reads = register_bits(decoder, reads, read_count);
	out->writes = register_bits(decoder, writes, write_count);
	x86_finish(decoder, decoder->scratch, out);
}

static void x86_decode(struct instruction_decoder *decoder, const uint8_t *bytes, size_t size,
		       struct instruction *out)
{
	struct instruction_lead lead;
	bool may_be_known =
		decoder->memo.slots && instruction_lead_find(bytes, size, &lead);

	if (may_be_known && instruction_memo_find(&decoder->memo, &lead, bytes, size, out))
		return;
	x86_decode_anew(decoder, bytes, size, out);
	if (may_be_known)
		instruction_memo_add(&decoder->memo, &lead, out);
}

/* ---- accesses to memory, x86-64 ---- */

/*
 * What a memory operand is for, by instruction and not by the tables, which err at some of these.
 */
static void x86_note_memory(const struct instruction_decoder *decoder, const cs_insn *insn,
			    const cs_x86_op *operand, struct instruction_access *out)
{
	bool is_first = operand == &insn->detail->x86.operands[0];

	if (operand->mem.segment == X86_REG_FS || operand->mem.segment == X86_REG_GS)
		return;
	out->base = number_of(decoder, operand->mem.base);
	out->index = number_of(decoder, operand->mem.index);
	out->displacement = out->base == NO_REGISTER ? 0 : operand->mem.disp;
	/* Of the large ones, which save states, no size is known. */
	out->size = operand->size ? operand->size : 1024;
	switch (insn->id) {
	case X86_INS_LEA:
	case X86_INS_NOP:
	case X86_INS_PREFETCH:
	case X86_INS_PREFETCHNTA:
	case X86_INS_PREFETCHT0:
	case X86_INS_PREFETCHT1:
	case X86_INS_PREFETCHT2:
	case X86_INS_PREFETCHW: return;
	case X86_INS_CALL:
	case X86_INS_JMP: out->access = ACCESS_READ; return;
	case X86_INS_PUSH:
		out->access = ACCESS_READ;
		out->is_move = true;
		return;
	default: break;
	}
	out->is_move = strncmp(insn->mnemonic, "mov", 3) == 0 ||
		       strncmp(insn->mnemonic, "vmov", 4) == 0;
	if (out->is_move)
		out->access = is_first ? ACCESS_WRITE : ACCESS_READ;
	else if (!(operand->access & (CS_AC_READ | CS_AC_WRITE)))
		out->access = ACCESS_READ | ACCESS_WRITE;
	else
		out->access = (operand->access & CS_AC_READ ? ACCESS_READ : 0) |
			      (operand->access & CS_AC_WRITE ? ACCESS_WRITE : 0);
}

/* The string instructions access memory twice; what they access is not followed. */
static bool x86_is_string(const cs_insn *insn)
{
	switch (insn->id) {
	case X86_INS_MOVSB: case X86_INS_MOVSW: case X86_INS_MOVSQ:
	case X86_INS_LODSB: case X86_INS_LODSW: case X86_INS_LODSD: case X86_INS_LODSQ:
	case X86_INS_OUTSB: case X86_INS_OUTSW: case X86_INS_OUTSD:
	case X86_INS_CMPSB: case X86_INS_CMPSW: case X86_INS_CMPSQ:
	case X86_INS_SCASB: case X86_INS_SCASW: case X86_INS_SCASD: case X86_INS_SCASQ:
	case X86_INS_STOSB: case X86_INS_STOSW: case X86_INS_STOSD: case X86_INS_STOSQ: return true;
	/* The moves of a double share the name. */
	case X86_INS_MOVSD: return insn->detail->x86.opcode[0] == 0xa5;
	default: return false;
	}
}

static void set_sum(struct instruction_access *out, uint8_t target, uint8_t source,
		    int64_t constant)
{
	out->target = target;
	out->source = source;
	out->constant = constant;
}

/* Where the stack pointer moves by a constant, and where another register gets such a sum. */
static void x86_note_sum(const struct instruction_decoder *decoder, const cs_insn *insn,
			 struct instruction_access *out)
{
	const cs_x86_op *a = &insn->detail->x86.operands[0], *b = a + 1;
	uint8_t count = insn->detail->x86.op_count;
	uint8_t target = count && a->type == X86_OP_REG ? number_of(decoder, a->reg) : NO_REGISTER;
	uint8_t source = count == 2 && b->type == X86_OP_REG ? number_of(decoder, b->reg) :
							       NO_REGISTER;
	bool is_wide = target != NO_REGISTER && a->size == 8;

	switch (insn->id) {
	case X86_INS_PUSH:
		if (target != NO_REGISTER) {
			out->base = X86_STACK;
			out->displacement = -8;
			out->size = 8;
			out->access = ACCESS_WRITE;
		}
		set_sum(out, X86_STACK, X86_STACK, -8);
		break;
	case X86_INS_PUSHFQ: set_sum(out, X86_STACK, X86_STACK, -8); break;
	case X86_INS_POP:
	case X86_INS_POPFQ:
		if (target != X86_STACK)
			set_sum(out, X86_STACK, X86_STACK, 8);
		break;
	case X86_INS_LEAVE: set_sum(out, X86_STACK, X86_FRAME, 8); break;
	case X86_INS_MOV:
		if (is_wide && source != NO_REGISTER)
			set_sum(out, target, source, 0);
		break;
	case X86_INS_LEA:
		if (is_wide && out->index == NO_REGISTER)
			set_sum(out, target, out->base, out->displacement);
		break;
	case X86_INS_ADD:
	case X86_INS_SUB:
		if (is_wide && b->type == X86_OP_IMM)
			set_sum(out, target, target, insn->id == X86_INS_ADD ? b->imm : -b->imm);
		break;
	default: break;
	}
}

/* False: it cannot be remembered, because more than leading bytes and displacement counts. */
static bool x86_decode_access_anew(struct instruction_decoder *decoder, const uint8_t *bytes,
				   size_t size, uint64_t address, struct instruction_access *out)
{
	const cs_insn *insn = decoder->scratch;
	const cs_x86 *x86 = &insn->detail->x86;

	if (!capstone.cs_disasm_iter(decoder->handle, &bytes, &size, &address, decoder->scratch))
		return false;
	if (x86_is_string(insn))
		return true;
	for (uint8_t i = 0; i < x86->op_count; i++)
		if (x86->operands[i].type == X86_OP_MEM)
			x86_note_memory(decoder, insn, &x86->operands[i], out);
	x86_note_sum(decoder, insn, out);
	/* Of add and sub the immediate is the constant. */
	return out->target == NO_REGISTER ||
	       (insn->id != X86_INS_ADD && insn->id != X86_INS_SUB);
}

static void x86_decode_access(struct instruction_decoder *decoder, const uint8_t *bytes,
			      size_t size, const struct instruction *plain,
			      struct instruction_access *out)
{
	struct instruction_lead lead;
	bool may_be_known =
		decoder->memo.slots && instruction_lead_find(bytes, size, &lead);

	if (plain->kind == INSTRUCTION_TRAP || plain->kind == INSTRUCTION_BAD ||
	    (may_be_known && instruction_memo_find_access(&decoder->memo, &lead, bytes, out)))
		return;
	if (x86_decode_access_anew(decoder, bytes, size, plain->address, out) && may_be_known)
		instruction_memo_add_access(&decoder->memo, &lead, out,
					    out->target != NO_REGISTER &&
						    decoder->scratch->id == X86_INS_LEA);
}

/*
 * capstone 4 sorts a table of its own at the first instruction that it decodes, without a lock. So
 * one is decoded before there are other threads.
 */
static void x86_warm_up(void)
{
	static const uint8_t nop[] = { 0x90 };
	const uint8_t *at = nop;
	size_t size = sizeof(nop);
	uint64_t address = 0;
	cs_insn *insn;
	csh handle;

	if (!load_capstone() || capstone.cs_open(CS_ARCH_X86, CS_MODE_64, &handle) != CS_ERR_OK)
		return;
	capstone.cs_option(handle, CS_OPT_DETAIL, CS_OPT_ON);
	insn = capstone.cs_malloc(handle);
	if (insn)
		capstone.cs_disasm_iter(handle, &at, &size, &address, insn);
	capstone.cs_free(insn, 1);
	capstone.cs_close(&handle);
}

static bool x86_open(struct instruction_decoder *decoder)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	pthread_once(&once, x86_warm_up);
	if (!capstone.cs_open ||
	    capstone.cs_open(CS_ARCH_X86, CS_MODE_64, &decoder->handle) != CS_ERR_OK)
		return false;
	capstone.cs_option(decoder->handle, CS_OPT_DETAIL, CS_OPT_ON);
	decoder->scratch = capstone.cs_malloc(decoder->handle);
	decoder->memo.slots = memory_zeroed(INSTRUCTION_MEMO_SLOTS, sizeof(*decoder->memo.slots));
	memset(decoder->dwarf_number, -1, sizeof(decoder->dwarf_number));
	for (int8_t i = 0; i < 16; i++)
		for (int j = 0; j < 5; j++)
			decoder->dwarf_number[x86_registers[i].names[j]] = i;
	decoder->dwarf_number[X86_REG_INVALID] = -1;
	return true;
}

#else

struct instruction_decoder {
	uint16_t machine;
};

#endif

struct instruction_decoder *instruction_decoder_new(uint16_t machine)
{
	struct instruction_decoder *decoder;

#ifdef WITH_CAPSTONE
	if (machine != EM_X86_64 && machine != EM_AARCH64)
		return NULL;
#else
	if (machine != EM_AARCH64)
		return NULL;
#endif
	decoder = memory_zeroed(1, sizeof(*decoder));
	decoder->machine = machine;
#ifdef WITH_CAPSTONE
	if (machine == EM_X86_64 && !x86_open(decoder)) {
		free(decoder);
		return NULL;
	}
#endif
	return decoder;
}

void instruction_decoder_free(struct instruction_decoder *decoder)
{
#ifdef WITH_CAPSTONE
	if (decoder && decoder->machine == EM_X86_64) {
		instruction_memo_release(&decoder->memo);
		capstone.cs_free(decoder->scratch, 1);
		capstone.cs_close(&decoder->handle);
	}
#endif
	free(decoder);
}

void instruction_decoder_forget(struct instruction_decoder *decoder)
{
#ifdef WITH_CAPSTONE
	instruction_memo_release(&decoder->memo);
#else
	(void)decoder;
#endif
}

void instruction_decode(struct instruction_decoder *decoder, const uint8_t *bytes, size_t size,
			uint64_t address, struct instruction *out)
{
	*out = (struct instruction){ .address = address, .kind = INSTRUCTION_PLAIN };
	if (decoder->machine == EM_AARCH64)
		instruction_decode_arm64(bytes, size, out);
#ifdef WITH_CAPSTONE
	else
		x86_decode(decoder, bytes, size, out);
#endif
}

void instruction_decode_access(struct instruction_decoder *decoder, const uint8_t *bytes,
			       size_t size, const struct instruction *insn,
			       struct instruction_access *out)
{
	*out = (struct instruction_access){ .base = NO_REGISTER,
					    .index = NO_REGISTER,
					    .target = NO_REGISTER,
					    .source = NO_REGISTER,
					    .writes = insn->writes };
	if (decoder->machine == EM_AARCH64 && size >= 4)
		instruction_access_arm64(bytes, out);
#ifdef WITH_CAPSTONE
	if (decoder->machine == EM_X86_64)
		x86_decode_access(decoder, bytes, size, insn, out);
#endif
}
