/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Where a C calling convention puts arguments and the return value: a prototype in, argument
 * locations out.
 *
 * Types come as abi_type: size, alignment and the scalars inside (dwarf/type_layout.h makes them
 * from DWARF). Locations hold at the first instruction of the callee. Nothing here reads a file.
 * One row of abi_table per architecture, one file abi_<convention>.c, each with its source.
 */
#ifndef BTFENC_DWARF_ABI_ABI_H
#define BTFENC_DWARF_ABI_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "elf/object.h"

enum abi_class {
	ABI_INTEGER,		/* integers, pointers, bool, enumerations; bitfields' storage */
	ABI_FLOAT,		/* binary16, 32, 64; above 8 bytes: the machine's long double */
	ABI_VECTOR,		/* GNU vectors, as a whole */
};

/* One scalar inside a type. */
struct abi_leaf {
	uint32_t offset_bytes;
	uint16_t size_bytes;
	uint8_t class;		/* enum abi_class */
	bool is_bitfield;	/* the bytes that its bits touch */
};

struct abi_type {
	uint64_t size_bytes;		/* 0: void, an empty struct */
	uint32_t alignment_bytes;	/* as the type is declared: attributes counted */
	uint32_t natural_bytes;		/* its largest member's, without the type's own attribute */
	bool is_record;			/* struct, union or array; else a scalar, its one leaf */
	bool is_union;
	bool is_complex;		/* _Complex: two leaves */
	bool is_wrapper;		/* a struct of one member, which is a scalar or a wrapper */
	bool is_signed;			/* of an integer scalar: how it is extended */
	bool has_odd_part;		/* a record or array inside is not of 0, 1, 2, 4, 8 bytes */
	bool is_variable;		/* has an array of no length: compilers disagree on these */
	const struct abi_leaf *leaves;	/* by offset; borrowed. NULL: more than
					   TYPE_LAYOUT_MAX_LEAVES, and more than 128 bytes */
	uint32_t leaf_count;
};

struct abi_prototype {
	const struct abi_type *result;		/* size 0: void */
	const struct abi_type *parameters;
	uint32_t parameter_count;
	bool is_variadic;
	bool is_int128_whole;	/* its compiler is known to put an __int128 into two registers or
				   all of it on the stack, and the next argument after that as
				   the ABI says: producer_keeps_int128_whole() */
};

enum abi_location_kind {
	ABI_NOWHERE,		/* void, an empty struct where that is ignored */
	ABI_REGISTERS,		/* all in registers, in the order of its bytes in memory; padding
				   at its end may have none */
	ABI_STACK,		/* all in memory, at stack_offset */
	ABI_SPLIT,		/* the first bytes in registers, the rest at stack_offset */
	ABI_REFERENCE,		/* the register holds the address of a copy */
	ABI_REFERENCE_STACK,	/* so does the word at stack_offset */
};

#define ABI_MAX_REGISTERS 8

struct abi_location {
	uint8_t kind;		/* enum abi_location_kind */
	uint8_t register_count;
	uint8_t registers[ABI_MAX_REGISTERS];	/* DWARF numbers */
	int32_t stack_offset;	/* from the stack pointer at the first instruction */
};

struct abi_call {
	struct abi_location result;	/* where it is on return. ABI_REFERENCE: in memory; the
					   register, if there is one, holds its address again */
	bool has_result_address;	/* the caller passes where the result goes ... */
	struct abi_location result_address;	/* ... here: a hidden first argument, or a register
						   of its own (arm64: x8) */
};

struct abi_cursor;	/* dwarf/abi/abi_state.h */

/* Tables of what machines have are indexed by it. */
enum abi_machine {
	ABI_X86_64,
	ABI_I386,
	ABI_ARM64,
	ABI_ARM,
	ABI_S390X,
	ABI_PPC64LE,
	ABI_RISCV64,
	ABI_LOONGARCH64,
	ABI_MACHINES,
};

struct abi {
	const char *name;			/* "x86-64" */
	uint8_t machine;			/* enum abi_machine */
	uint8_t word_bytes;
	bool big_endian;
	uint8_t argument_registers[8];		/* integer ones in their order, DWARF numbers */
	uint8_t argument_register_count;
	uint8_t stack_register;			/* DWARF number */
	bool has_zero_register;
	uint8_t zero_register;			/* DWARF number; LLVM describes a zero by it */
	uint8_t extended_bytes;			/* an integer of fewer bytes may be extended to
						   this, or more, by the caller */
	int32_t entry_cfa_offset;		/* CFA at the first instruction - stack pointer */
	int32_t entry_stack_offset;		/* first argument on the stack - stack pointer */
	uint8_t hook_bytes_before;		/* NOPs for ftrace before a symbol, at most */
	/* Bit N: floats, vectors of N bytes have a known location. Others are refused. */
	uint32_t float_bytes;
	uint32_t vector_bytes;
	bool empty_counts;			/* empty structs are put before these rules, too */
	bool variadic_on_stack;			/* a variadic function has no argument registers */
	/* Sets call->result; for a result in memory also the address that the caller passes. */
	bool (*result)(struct abi_cursor *cursor, const struct abi_type *type,
		       struct abi_call *call);
	bool (*parameter)(struct abi_cursor *cursor, const struct abi_type *type,
			  struct abi_location *location);
	const char *const *register_names;	/* by DWARF number, in tracefs' kprobe syntax
						   without the %: "di"; NULL where it has none */
	uint8_t register_name_count;
};

/* The kernel's convention for this file's machine, class and byte order; NULL: not known here. */
const struct abi *abi_of(const struct object *object);
const struct abi *abi_find(uint16_t number, uint8_t address_bytes, bool big_endian);
/* By enum abi_machine; NULL after the last. */
const struct abi *abi_at(size_t machine);

/* Is it that machine's? NULL is none's. */
static inline bool abi_is(const struct abi *abi, enum abi_machine machine)
{
	return abi && abi->machine == machine;
}

/*
 * Fills *call and parameters[0..parameter_count). False when the convention for a type of this
 * prototype is not known, when GCC and clang are known to disagree about it, or when a parameter is
 * void (then nothing may be said about any parameter).
 */
bool abi_assign(const struct abi *abi, const struct abi_prototype *prototype,
		struct abi_call *call, struct abi_location *parameters);

/* Is it one of the integer argument registers? */
bool abi_passes_integers(const struct abi *abi, unsigned int dwarf_number);

/* The place of such a register among them, from 0; -1: it is none. */
int abi_argument_order(const struct abi *abi, unsigned int dwarf_number);

/* The tracefs name of a register, NULL when it has none. */
const char *abi_register_name(const struct abi *abi, unsigned int dwarf_number);
/* The same as a btf_register_name; `abi`, a struct abi, may be NULL. */
const char *abi_register_of(const void *abi, uint32_t dwarf_number);

#endif
