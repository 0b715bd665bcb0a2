/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A64 is regular enough to be decoded by its encoding groups, with no disassembler: Arm
 * Architecture Reference Manual for A-profile (DDI 0487), chapter C4. Only the use of registers and
 * the flow of control are of interest: that of vector registers, which hold floats, too, is asked
 * for by itself. (capstone 4.0.2 has "mov w0, #3" as a read of w0, too.)
 */
#include "base/bytes.h"
#include "dwarf/code/instruction_decoder.h"

#define EVERY_REGISTER 0x7fffffffu

/* Register 31 is the stack pointer or zero: neither is of interest. */
static uint32_t field(uint32_t word, unsigned int shift)
{
	return 1u << (word >> shift & 31) & EVERY_REGISTER;
}

enum {
	RD = 0,		/* shifts of fields */
	RT = 0,
	RN = 5,
	RT2 = 10,
	RA = 10,
	RM = 16,
	RS = 16,
};

static uint64_t signed_words(uint32_t value, unsigned int bits)
{
	uint64_t sign = UINT64_C(1) << (bits - 1);

	return (((value & ((UINT64_C(1) << bits) - 1)) ^ sign) - sign) * 4;
}

/* ---- branches, exceptions, system ---- */

/* br, blr, ret, eret and their kin with pointer authentication. */
static void decode_indirect(uint32_t word, struct instruction *out)
{
	unsigned int operation = word >> 21 & 7;

	out->kind = operation == 0 ? INSTRUCTION_JUMP_REGISTER :
		    operation == 1 ? INSTRUCTION_CALL_POINTER :
				     INSTRUCTION_RETURN;
	if (operation <= 1)
		out->reads = field(word, RN) | (word >> 24 & 1 ? field(word, RT) : 0);
}

static void decode_system(uint32_t word, struct instruction *out)
{
	if ((word & 0xfffff01f) == 0xd503201f) {
		out->kind = INSTRUCTION_NOP;
	} else if ((word & 0xffe0001f) == 0xd4200000) {
		out->kind = INSTRUCTION_TRAP;	/* brk */
	} else if (word >> 24 == 0xd4) {
		/* hvc and smc return results in x0 to x3: SMC calling convention, section 2.5. */
		out->maybe_reads = EVERY_REGISTER;
		out->writes = 0xf;
	} else if (word >> 21 & 1) {
		out->writes = field(word, RT);	/* mrs */
	} else {
		out->reads = field(word, RT);	/* msr, dc, tlbi */
	}
}

static void decode_branch(uint32_t word, struct instruction *out)
{
	if ((word & 0x7c000000) == 0x14000000) {
		out->kind = word >> 31 ? INSTRUCTION_CALL : INSTRUCTION_JUMP;
		out->target = out->address + signed_words(word, 26);
	} else if ((word & 0xff000000) == 0x54000000) {
		out->kind = INSTRUCTION_BRANCH;
		out->target = out->address + signed_words(word >> 5, 19);
	} else if ((word & 0x7c000000) == 0x34000000) {
		/* cbz and cbnz; tbz and tbnz reach less far. */
		out->kind = INSTRUCTION_BRANCH;
		out->reads = field(word, RT);
		out->target = out->address + signed_words(word >> 5, word >> 25 & 1 ? 14 : 19);
	} else if ((word & 0xfe000000) == 0xd6000000) {
		decode_indirect(word, out);
	} else if ((word & 0xfe000000) == 0xd4000000) {
		decode_system(word, out);
	} else {
		out->kind = INSTRUCTION_BAD;
	}
}

/* ---- data processing ---- */

static void decode_immediate(uint32_t word, struct instruction *out)
{
	unsigned int group = word >> 23 & 7;
	unsigned int operation = word >> 29 & 3;

	out->writes = field(word, RD);
	if (group >= 2)
		out->reads = field(word, RN);
	if (group == 5)		/* movn, movz; movk keeps the rest */
		out->reads = operation == 3 ? field(word, RD) : 0;
	else if (group == 6 && operation == 1)	/* bfm keeps the rest */
		out->reads |= field(word, RD);
	else if (group == 7)	/* extr */
		out->reads |= field(word, RM);
}

static void decode_register(uint32_t word, struct instruction *out)
{
	unsigned int group = word >> 24 & 0x1f;
	unsigned int kind = word >> 21 & 7;

	out->writes = field(word, RD);
	out->reads = field(word, RN) | field(word, RM);
	if (group == 0x1b) {
		out->reads |= field(word, RA);
	} else if (group == 0x1a && kind == 2) {
		/* ccmp; with an immediate operand there is no Rm. */
		out->writes = 0;
		if (word >> 11 & 1)
			out->reads = field(word, RN);
	} else if (group == 0x1a && kind == 6 && word >> 30 & 1) {
		/* One source; that of pointer authentication changes its target. */
		out->reads = field(word, RN);
		if (word >> 16 & 1)
			out->reads |= field(word, RD);
	} else if (group == 0x1a && kind == 0 && word >> 10 & 0x3f) {
		out->writes = 0;	/* rmif, setf: flags */
		out->reads = field(word, RN);
	} else if ((group & 0x1e) == 0x0a && (word & 0x7fe0fc00) == 0x4a000000 &&
		   field(word, RN) == field(word, RM)) {
		out->reads = 0;		/* eor of a register with itself */
	}
}

/* Moves between general and vector registers; all else here has vector registers only. */
static void decode_vector(uint32_t word, struct instruction *out)
{
	unsigned int operation = word >> 16 & 7;

	if ((word & 0x7f20fc00) == 0x1e200000) {
		if (operation == 2 || operation == 3 || operation == 7)
			out->reads = field(word, RN);
		else
			out->writes = field(word, RD);
	} else if ((word & 0x7f200000) == 0x1e000000) {
		if (operation == 2 || operation == 3)
			out->reads = field(word, RN);
		else
			out->writes = field(word, RD);
	} else if ((word & 0xbfe0fc00) == 0x0e000c00 || (word & 0xffe0fc00) == 0x4e001c00) {
		out->reads = field(word, RN);	/* dup, ins */
	} else if ((word & 0xbfe0ec00) == 0x0e002c00) {
		out->writes = field(word, RD);	/* smov, umov */
	}
}

/* ---- loads and stores ---- */

/* Exclusive, ordered, compare and swap. */
static void decode_exclusive(uint32_t word, struct instruction *out)
{
	bool ordered = word >> 23 & 1, load = word >> 22 & 1, other = word >> 21 & 1;

	out->reads = field(word, RN);
	if (other && (ordered || !(word >> 31))) {
		/* cas; casp of two pairs of neighbours */
		uint32_t pair = ordered ? 0 : (field(word, RS) << 1) & EVERY_REGISTER;

		out->writes = field(word, RS) | pair;
		out->reads |= out->writes | field(word, RT);
		if (!ordered)
			out->reads |= (field(word, RT) << 1) & EVERY_REGISTER;
		return;
	}
	if (load)
		out->writes = field(word, RT) | (other ? field(word, RT2) : 0);
	else
		out->reads |= field(word, RT) | (other ? field(word, RT2) : 0);
	if (!load && !ordered)
		out->writes = field(word, RS);	/* whether it was stored */
}

static void decode_pair(uint32_t word, struct instruction *out)
{
	uint32_t both = word >> 26 & 1 ? 0 : field(word, RT) | field(word, RT2);

	out->reads = field(word, RN);
	if (word >> 22 & 1)
		out->writes = both;
	else
		out->reads |= both;
	if (word >> 23 & 1)	/* before or after: the address is written back */
		out->writes |= field(word, RN);
}

static void decode_single(uint32_t word, struct instruction *out)
{
	bool vector = word >> 26 & 1, scaled = word >> 24 & 1, by_register = word >> 21 & 1;
	unsigned int mode = word >> 10 & 3, operation = word >> 22 & 3;
	bool prefetch = !vector && word >> 30 == 3 && operation == 2;
	uint32_t data = vector || prefetch ? 0 : field(word, RT);

	out->reads = field(word, RN);
	if (!scaled && by_register && mode != 2) {
		/* Atomic read and write; loads with pointer authentication. */
		out->writes = field(word, RT);
		if (mode == 0)
			out->reads |= field(word, RS);
		else if (mode == 3)
			out->writes |= field(word, RN);
		return;
	}
	if (!scaled && by_register)
		out->reads |= field(word, RM);
	else
		out->loads_pointer = !vector && word >> 30 == 3 && operation == 1;
	if (operation)
		out->writes = data;
	else
		out->reads |= data;
	if (!scaled && !by_register && mode & 1)
		out->writes |= field(word, RN);
}

static void decode_memory(uint32_t word, struct instruction *out)
{
	unsigned int group = word >> 24 & 0x3f;

	if (group == 0x08) {
		decode_exclusive(word, out);
	} else if ((group & 0x3b) == 0x18) {	/* relative to the instruction */
		out->writes = group & 4 || word >> 30 == 3 ? 0 : field(word, RT);
	} else if ((group & 0x3a) == 0x28) {
		decode_pair(word, out);
	} else if ((group & 0x3a) == 0x38) {
		decode_single(word, out);
	} else if ((group & 0x3e) == 0x0c) {	/* structures of vectors */
		out->reads = field(word, RN) | (word >> 23 & 1 ? field(word, RM) : 0);
		out->writes = word >> 23 & 1 ? field(word, RN) : 0;
	} else if (group == 0x19 && !(word >> 21 & 1) && !(word >> 10 & 3)) {
		out->reads = field(word, RN);	/* ldapur, stlur */
		if (word >> 22 & 3)
			out->writes = field(word, RT);
		else
			out->reads |= field(word, RT);
	} else {
		out->kind = INSTRUCTION_BAD;
	}
}

void instruction_decode_arm64(const uint8_t *bytes, size_t size, struct instruction *out)
{
	uint32_t word;

	out->length = 4;
	if (size < 4) {
		out->length = 0;
		out->kind = INSTRUCTION_BAD;
		return;
	}
	word = bytes_load_u32(bytes, HOST_IS_BIG_ENDIAN);
	switch (word >> 25 & 0xf) {
	case 0x8:
	case 0x9: decode_immediate(word, out); break;
	case 0xa:
	case 0xb: decode_branch(word, out); break;
	case 0x4:
	case 0x6:
	case 0xc:
	case 0xe: decode_memory(word, out); break;
	case 0x5:
	case 0xd: decode_register(word, out); break;
	case 0x7:
	case 0xf: decode_vector(word, out); break;
	default:
		/* udf; vectors of variable length and what is not assigned yet */
		out->kind = word >> 16 == 0 ? INSTRUCTION_STOP : INSTRUCTION_BAD;
		break;
	}
}

/* ---- vector registers ---- */

/* 31 is a register like the others. */
static uint32_t vector(uint32_t word, unsigned int shift)
{
	return 1u << (word >> shift & 31);
}

/* Groups of instructions on vector registers that surely read some: (word & mask) == value. */
struct vector_group {
	uint32_t mask;
	uint32_t value;
	bool reads_rn;
	bool reads_rm;
	bool reads_ra;
	bool writes_rd;
};

static const struct vector_group vector_groups[] = {
	/* Scalars: fmadd; fcvtzs, fmov and the like to a general register, and from one. */
	{ 0xff000000, 0x1f000000, true, true, true, true },
	{ 0x7f260000, 0x1e000000, true, false, false, false },
	{ 0x7f200000, 0x1e000000, false, false, false, true },
	{ 0x7f26fc00, 0x1e240000, true, false, false, false },
	{ 0x7f26fc00, 0x1e200000, true, false, false, false },
	{ 0x7f27fc00, 0x1e260000, true, false, false, false },
	{ 0x7f20fc00, 0x1e200000, false, false, false, true },
	/* One source, fcmp with zero, fcmp, fmov of an immediate, fccmp, two sources, fcsel */
	{ 0xff207c00, 0x1e204000, true, false, false, true },
	{ 0xff203c08, 0x1e202008, true, false, false, false },
	{ 0xff203c08, 0x1e202000, true, true, false, false },
	{ 0xff201c00, 0x1e201000, false, false, false, true },
	{ 0xff200c00, 0x1e200400, true, true, false, false },
	{ 0xff200c00, 0x1e200800, true, true, false, true },
	{ 0xff200c00, 0x1e200c00, true, true, false, true },
	/*
	 * Vectors, and what has a scalar twin: dup, smov, umov, ins of an element; three registers
	 * of the same size; two registers, across lanes; an immediate, which has no Rn, and shifts
	 * by one; three of different sizes; by an element.
	 */
	{ 0xbfe0fc00, 0x0e000400, true, false, false, true },
	{ 0xffe0fc00, 0x5e000400, true, false, false, true },
	{ 0xbfe0ec00, 0x0e002c00, true, false, false, false },
	{ 0xffe08400, 0x6e000400, true, false, false, true },
	{ 0x9f200400, 0x0e200400, true, true, false, true },
	{ 0xdf200400, 0x5e200400, true, true, false, true },
	{ 0x9f2e0c00, 0x0e200800, true, false, false, true },
	{ 0xdf2e0c00, 0x5e200800, true, false, false, true },
	{ 0x9ff80400, 0x0f000400, false, false, false, true },
	{ 0x9f800400, 0x0f000400, true, false, false, true },
	{ 0xdf800400, 0x5f000400, true, false, false, true },
	{ 0x9f200c00, 0x0e200000, true, true, false, true },
	{ 0x9f000400, 0x0f000000, true, false, false, true },
	{ 0xdf000400, 0x5f000000, true, false, false, true },
};

/* A difference, a comparison of a vector register with itself may be there to make a constant. */
static bool is_constant(uint32_t word)
{
	return ((word & 0x9f200400) == 0x0e200400 || (word & 0xdf200400) == 0x5e200400) &&
	       vector(word, RN) == vector(word, RM) &&
	       (word & 0xbfe0fc00) != 0x0ea01c00;	/* mov */
}

static void vectors_of_memory(uint32_t word, uint32_t *reads, uint32_t *writes)
{
	unsigned int group = word >> 24 & 0x3f;
	bool load = word >> 22 & 1;
	uint32_t data = vector(word, RT);

	if (!(word >> 26 & 1))
		return;
	if ((group & 0x3b) == 0x18) {	/* relative to the instruction */
		load = true;
	} else if ((group & 0x3a) == 0x28) {	/* a pair */
		data |= vector(word, RT2);
	} else if ((group & 0x3a) != 0x38 ||
		   (!(group & 1) && word >> 21 & 1 && (word >> 10 & 3) != 2)) {
		*writes = ~UINT32_C(0);	/* structures, atomics: not followed */
		return;
	}
	*(load ? writes : reads) = data;
}

/*
 * Reads are those that are sure: what is not understood reads nothing, and what an instruction
 * keeps of the register that it writes is not read. Writes are all that may be.
 */
void instruction_vectors_arm64(const uint8_t *bytes, uint32_t *reads, uint32_t *writes)
{
	uint32_t word = bytes_load_u32(bytes, HOST_IS_BIG_ENDIAN);

	*reads = *writes = 0;
	if ((word >> 25 & 5) == 4)
		vectors_of_memory(word, reads, writes);
	if ((word >> 25 & 7) != 7)
		return;
	*writes = vector(word, RD);
	for (size_t i = 0; i < sizeof(vector_groups) / sizeof(*vector_groups); i++) {
		const struct vector_group *group = &vector_groups[i];

		if ((word & group->mask) != group->value)
			continue;
		if (is_constant(word))
			return;
		*reads = (group->reads_rn ? vector(word, RN) : 0) |
			 (group->reads_rm ? vector(word, RM) : 0) |
			 (group->reads_ra ? vector(word, RA) : 0);
		*writes &= group->writes_rd ? ~UINT32_C(0) : 0;
		return;
	}
}

/* ---- accesses to memory ---- */

/* Here 31 is the stack pointer. */
static uint8_t number(uint32_t word, unsigned int shift)
{
	return word >> shift & 31;
}

static int64_t signed_field(uint32_t word, unsigned int shift, unsigned int bits)
{
	return (int64_t)signed_words(word >> shift, bits) / 4;
}

/* rd = rn + constant */
static void set_sum(struct instruction_access *out, uint32_t word, unsigned int target,
		    unsigned int source, int64_t constant)
{
	out->target = number(word, target);
	out->source = number(word, source);
	out->constant = constant;
}

/* Those that may write the stack pointer, or move another register by a constant. */
static void access_arithmetic(uint32_t word, struct instruction_access *out)
{
	int64_t constant = (int64_t)(word >> 10 & 0xfff) << (word >> 22 & 1 ? 12 : 0);

	bool is_sum = (word & 0xbf800000) == 0x91000000;	/* add, sub of an immediate */

	if (is_sum)
		set_sum(out, word, RD, RN, word >> 30 & 1 ? -constant : constant);
	else if ((word & 0xffe0ffe0) == 0xaa0003e0)		/* mov, where 31 is zero */
		set_sum(out, word, RD, RM, 0);
	if (is_sum || (word & 0xff800000) == 0x92000000 ||	/* and of an immediate */
	    (word & 0xbf200000) == 0x8b200000)	/* add, sub of an extended register */
		out->writes |= 1u << number(word, RD);
}

/* Before the access or after it, the base moves. */
static void write_back(uint32_t word, struct instruction_access *out, bool is_after)
{
	set_sum(out, word, RN, RN, out->displacement);
	if (is_after)
		out->displacement = 0;
}

static void access_pair(uint32_t word, struct instruction_access *out)
{
	unsigned int width = word >> 26 & 1 ? 4u << (word >> 30) : word >> 31 ? 8 : 4;
	unsigned int mode = word >> 23 & 3;

	out->is_move = true;
	out->size = (uint16_t)(2 * width);
	out->displacement = signed_field(word, 15, 7) * width;
	out->access = word >> 22 & 1 ? ACCESS_READ : ACCESS_WRITE;
	if (mode & 1)
		write_back(word, out, mode == 1);
}

static void access_single(uint32_t word, struct instruction_access *out)
{
	bool vector = word >> 26 & 1, scaled = word >> 24 & 1, by_register = word >> 21 & 1;
	unsigned int mode = word >> 10 & 3, operation = word >> 22 & 3;
	unsigned int scale = word >> 30 | (vector && operation & 2 ? 4 : 0);

	out->is_move = scaled || !by_register || mode == 2;
	out->size = (uint16_t)(1u << scale);
	out->access = (vector ? operation & 1 : operation) ? ACCESS_READ : ACCESS_WRITE;
	if (!vector && word >> 30 == 3 && operation == 2)
		out->access = 0;	/* prefetch */
	if (scaled) {
		out->displacement = (int64_t)(word >> 10 & 0xfff) << scale;
	} else if (by_register && mode != 2) {
		/* Atomic; or with pointer authentication, which takes no address of the stack. */
		out->access = ACCESS_READ | (mode == 0 ? ACCESS_WRITE : 0);
	} else if (by_register) {
		out->index = number(word, RM) == 31 ? NO_REGISTER : number(word, RM);
	} else {
		out->displacement = signed_field(word, 12, 9);
		if (mode & 1)
			write_back(word, out, mode == 1);
	}
}

static void access_memory(uint32_t word, struct instruction_access *out)
{
	unsigned int group = word >> 24 & 0x3f;

	if ((group & 0x3b) == 0x18)	/* relative to the instruction */
		return;
	out->base = number(word, RN);
	if ((group & 0x3a) == 0x28) {
		access_pair(word, out);
	} else if ((group & 0x3a) == 0x38) {
		access_single(word, out);
	} else if ((group & 0x3e) == 0x0c) {	/* structures of vectors */
		out->size = 64;
		out->access = word >> 22 & 1 ? ACCESS_READ : ACCESS_WRITE;
		if (word >> 23 & 1)
			out->writes |= 1u << out->base;
	} else {
		/* Exclusive, ordered; of these some compare and swap. */
		out->size = 16;
		out->access = ACCESS_READ | ACCESS_WRITE;
		out->displacement = group == 0x19 ? signed_field(word, 12, 9) : 0;
	}
}

void instruction_access_arm64(const uint8_t *bytes, struct instruction_access *out)
{
	uint32_t word = bytes_load_u32(bytes, HOST_IS_BIG_ENDIAN);

	switch (word >> 25 & 0xf) {
	case 0x4:
	case 0x6:
	case 0xc:
	case 0xe: access_memory(word, out); break;
	case 0x5:
	case 0x8:
	case 0x9:
	case 0xd: access_arithmetic(word, out); break;
	default: break;
	}
}
