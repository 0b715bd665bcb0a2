/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Compares where this project says that the parameters of a linked, optimized program are with what
 * the compiler wrote as their locations at the first instruction (read by libdw). Works for
 * machines whose code cannot be run here. What a compiler does not say, it does not say: only
 * contradictions count, and how many parameters were confirmed is printed.
 *
 *	entry PROGRAM
 */
#include "tests/abi/prototypes.h"

#include <dwarf.h>
#include <stdio.h>
#include <string.h>

enum told { UNTOLD, CONFIRMED, CONTRADICTED };

/* A location in words: registers, memory at the stack pointer + offset, or a pointer's target. */
struct where {
	bool known, is_reference, is_memory;
	uint32_t count;
	uint32_t registers[ABI_MAX_REGISTERS];
	int64_t offset;
};

static bool register_of(const Dwarf_Op *op, uint32_t *reg)
{
	if (op->atom >= DW_OP_reg0 && op->atom <= DW_OP_reg31)
		*reg = op->atom - DW_OP_reg0;
	else if (op->atom == DW_OP_regx)
		*reg = (uint32_t)op->number;
	else
		return false;
	return true;
}

/* The offset from the stack pointer at the entry, of DW_OP_fbreg or DW_OP_breg of that register. */
static bool stack_offset_of(const struct abi *abi, Dwarf_Die *function, const Dwarf_Op *op,
			    int64_t *offset)
{
	Dwarf_Attribute attribute;
	Dwarf_Op *base;
	size_t count;

	if (op->atom == DW_OP_breg0 + abi->stack_register) {
		*offset = (int64_t)op->number;
		return true;
	}
	if (op->atom != DW_OP_fbreg || !dwarf_attr(function, DW_AT_frame_base, &attribute) ||
	    dwarf_getlocation(&attribute, &base, &count) != 0 || count != 1 ||
	    base->atom != DW_OP_call_frame_cfa)
		return false;
	*offset = (int64_t)op->number + abi->entry_cfa_offset;
	return true;
}

static void reduce(const struct abi *abi, Dwarf_Die *function, const Dwarf_Op *ops, size_t count,
		   struct where *where)
{
	bool in_pieces = count > 1 && ops[1].atom == DW_OP_piece;

	if (count == 1 && stack_offset_of(abi, function, ops, &where->offset)) {
		where->known = where->is_memory = true;
	} else if (count == 2 && ops[1].atom == DW_OP_deref &&
		   stack_offset_of(abi, function, ops, &where->offset)) {
		where->known = where->is_memory = where->is_reference = true;
	} else if (count == 1 && ops->atom >= DW_OP_breg0 && ops->atom <= DW_OP_breg31 &&
		   ops->number == 0) {
		where->known = where->is_reference = true;
		where->registers[where->count++] = ops->atom - DW_OP_breg0;
	} else if (count == 1) {
		where->known = register_of(ops, &where->registers[where->count++]);
	} else if (in_pieces) {
		where->known = true;
		for (size_t i = 0; i + 1 < count && where->known; i += 2)
			where->known = ops[i + 1].atom == DW_OP_piece &&
				       where->count < ABI_MAX_REGISTERS &&
				       register_of(&ops[i], &where->registers[where->count++]);
	}
}

/*
 * A register that no argument comes in tells where the prologue has moved it, although the range
 * begins at the entry: clang does that for halves of __int128 on riscv64. And for parts of words
 * LLVM gives powerpc's registers numbers from another range (1200 and up).
 */
static bool is_moved(const struct abi *abi, const struct where *where)
{
	for (uint32_t i = 0; i < where->count; i++) {
		bool is_argument = where->registers[i] >= 32 && where->registers[i] < 256;

		for (uint32_t k = 0; k < abi->argument_register_count; k++)
			is_argument |= where->registers[i] == abi->argument_registers[k];
		/* Floats have numbers below 32 on x86-64 and s390x. */
		if (!is_argument && !(where->registers[i] >= 16 && !abi->argument_registers[6]))
			return true;
	}
	return false;
}

static enum told compare(const struct where *where, const struct abi_location *place)
{
	bool is_reference = place->kind == ABI_REFERENCE || place->kind == ABI_REFERENCE_STACK;
	bool is_memory = place->kind == ABI_STACK || place->kind == ABI_REFERENCE_STACK;

	/* A split argument is told as one after the callee has put it together. */
	if (!where->known || place->kind == ABI_NOWHERE || place->kind == ABI_SPLIT)
		return UNTOLD;
	if (where->is_memory) {
		/* A local copy of what came in registers. */
		if (!is_memory && where->offset < 0)
			return UNTOLD;
		return is_memory && where->is_reference == is_reference &&
			where->offset == place->stack_offset ? CONFIRMED : CONTRADICTED;
	}
	if (is_memory || where->is_reference != is_reference)
		return CONTRADICTED;
	/* One register of several: an unused part of the value may have no DW_OP_piece. */
	for (uint32_t i = 0; i < where->count; i++) {
		if (i >= place->register_count || where->registers[i] != place->registers[i])
			return CONTRADICTED;
	}
	return CONFIRMED;
}

static enum told judge(const struct abi *abi, Dwarf_Die *function, Dwarf_Die *parameter,
		       const struct abi_location *place)
{
	struct where where = { 0 };
	Dwarf_Attribute attribute;
	Dwarf_Addr low_pc;
	enum told result;
	Dwarf_Op *ops;
	size_t count;

	if (dwarf_lowpc(function, &low_pc) != 0 ||
	    !dwarf_attr(parameter, DW_AT_location, &attribute) ||
	    dwarf_getlocation_addr(&attribute, low_pc, &ops, &count, 1) != 1)
		return UNTOLD;
	reduce(abi, function, ops, count, &where);
	result = compare(&where, place);
	/* One location for the whole function is where the prologue leaves it. */
	if (result == CONTRADICTED && (dwarf_whatform(&attribute) == DW_FORM_exprloc ||
				       is_moved(abi, &where)))
		return UNTOLD;
	return result;
}

int main(int argc, char **argv)
{
	static struct program program;
	static struct prototype prototype;
	size_t told[3] = { 0 }, functions = 0, refused = 0;

	if (argc != 2) {
		fprintf(stderr, "usage: entry PROGRAM\n");
		return 2;
	}
	program_open(&program, argv[1]);
	for (size_t i = 0; i < program.model.functions.count; i++) {
		int known = program_prototype(&program, i, &prototype);
		uint32_t number = 0;
		Dwarf_Die child;

		refused += known == 0;
		functions += known == 1;
		if (known != 1 || dwarf_child(&prototype.die, &child) != 0)
			continue;
		do {
			enum told result;

			if (dwarf_tag(&child) != DW_TAG_formal_parameter)
				continue;
			result = judge(program.abi, &prototype.die, &child,
				       &prototype.places[number]);
			if (result == CONTRADICTED)
				printf("%s: parameter %u: kind %u register %u offset %d\n",
				       prototype.name, number, prototype.places[number].kind,
				       prototype.places[number].registers[0],
				       prototype.places[number].stack_offset);
			told[result]++;
			number++;
		} while (dwarf_siblingof(&child, &child) == 0);
	}
	printf("%zu functions, %zu refused, %zu parameters confirmed, %zu not told, "
	       "%zu contradicted\n",
	       functions, refused, told[CONFIRMED], told[UNTOLD], told[CONTRADICTED]);
	program_close(&program);
	return told[CONTRADICTED] != 0;
}
