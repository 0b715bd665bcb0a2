/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The files of the calling conventions share a cursor over registers and stack, and the functions
 * that fill a location. Only they include this.
 */
#ifndef BTFENC_DWARF_ABI_ABI_STATE_H
#define BTFENC_DWARF_ABI_ABI_STATE_H

#include "dwarf/abi/abi.h"

extern const struct abi abi_x86_64, abi_i386, abi_arm64, abi_arm, abi_s390x, abi_ppc64le,
	abi_riscv64, abi_loongarch64;

#define ABI_REGISTER_NAMES(names)                                                                  \
	.register_names = names, .register_name_count = sizeof(names) / sizeof(*(names))

/* The registers and the stack that the arguments so far have taken. */
struct abi_cursor {
	const struct abi *abi;
	uint32_t integers;	/* of abi->argument_registers */
	uint32_t floats;
	uint32_t vectors;	/* ppc64le has registers for these alone, ... */
	uint64_t words;		/* ... and a parameter save area */
	uint64_t stack_bytes;	/* from the first argument on the stack; it is aligned to 16 */
	bool is_int128_whole;	/* see struct abi_prototype */
};

static inline uint64_t abi_align(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) / alignment * alignment;
}

/* How many words something takes. */
static inline uint64_t abi_words(const struct abi *abi, uint64_t bytes)
{
	return (bytes + abi->word_bytes - 1) / abi->word_bytes;
}

static inline uint32_t abi_integers_left(const struct abi_cursor *cursor)
{
	return cursor->abi->argument_register_count - cursor->integers;
}

static inline void abi_add_register(struct abi_location *location, unsigned int reg)
{
	location->registers[location->register_count++] = (uint8_t)reg;
}

/* Registers first, first + 1, ... */
static inline void abi_take_registers(struct abi_location *location, unsigned int first,
				      uint64_t count)
{
	location->kind = ABI_REGISTERS;
	for (uint64_t i = 0; i < count; i++)
		abi_add_register(location, first + (unsigned int)i);
}

static inline void abi_take_floats(struct abi_cursor *cursor, struct abi_location *location,
				   unsigned int first, uint32_t count)
{
	abi_take_registers(location, first + cursor->floats, count);
	cursor->floats += count;
}

/* Adds the next integer registers to the location; the caller knows that there are enough. */
static inline void abi_take_integers(struct abi_cursor *cursor, struct abi_location *location,
				     uint64_t count)
{
	location->kind = ABI_REGISTERS;
	for (uint64_t i = 0; i < count; i++)
		abi_add_register(location, cursor->abi->argument_registers[cursor->integers++]);
}

/* Alignment is a power of two; the size is rounded up to words. False: it cannot be expressed. */
bool abi_take_stack(struct abi_cursor *cursor, struct abi_location *location, uint64_t size_bytes,
		    uint64_t alignment);

/* Integer registers, if there are enough; else the stack, and no register is left for others. */
bool abi_take_words(struct abi_cursor *cursor, struct abi_location *location, uint64_t size_bytes,
		    uint64_t alignment);

/* The integer registers that are left, then the stack. */
bool abi_take_split(struct abi_cursor *cursor, struct abi_location *location, uint64_t size_bytes);

/* The address of a copy, as if it were a pointer. */
bool abi_take_reference(struct abi_cursor *cursor, struct abi_location *location);

/* The hidden argument with the address of the result, before all others. */
void abi_take_result_address(struct abi_cursor *cursor, struct abi_call *call);

/* Whether all leaves are numbers of one class and size without gaps; *count: of them. */
bool abi_is_homogeneous(const struct abi_type *type, enum abi_class class, uint32_t *count);

#endif
