/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The machines that the programs run on: registers, calling convention, how a program is run. */
#ifndef BTFENC_TESTS_TRUTH_MACHINE_H
#define BTFENC_TESTS_TRUTH_MACHINE_H

#include "prototype.h"

#define INTEGER_REGISTERS_MAX 8
#define FLOAT_REGISTERS_MAX   13

/* The registers and stack words that earlier arguments have taken. */
struct cursor {
	const struct machine *machine;
	unsigned int integer, floating;	/* registers */
	unsigned int stack;		/* words */
};

/* Registers in GDB's remote protocol: byte offsets in the reply to "g", numbers for "p". */
struct remote_registers {
	unsigned int integer, stack_pointer, program_counter, return_address;
	unsigned int floating, floating_step;
};

struct machine {
	const char *name;
	unsigned int elf_machine;
	bool big_endian, has_thumb;
	const char *emulator;		/* NULL: runs natively, under ptrace */
	unsigned int word_bytes;
	unsigned int integer_count, floating_count;
	const char *integer_names[INTEGER_REGISTERS_MAX];
	const char *floating_name;	/* a format for the number */
	unsigned int floating_first, floating_name_step;
	bool widens_floats;		/* a register has a float as a double */
	const char *stack_name;
	unsigned int stack_start;	/* of the first word of arguments, from the stack pointer */
	unsigned int return_bytes;	/* what a return takes off the stack */
	/* The address of a result in memory is the first argument, or has its own register. */
	bool result_address_apart;
	bool (*returned_in_memory)(const struct value *value);
	void (*place)(struct cursor *next, const struct value *value, struct placement *placement);
	struct remote_registers remote;
};

/* Finds a program's machine. Ends the harness if it is none of these. */
const struct machine *machine_of(const char *path);

/* The number in these bytes of the machine's memory; up to 8. */
uint64_t machine_number(const struct machine *machine, const void *bytes, size_t size);

/* The other way round. */
void machine_bytes(const struct machine *machine, uint64_t number, void *bytes, size_t size);

/* conventions.c */
bool in_memory_x86_64(const struct value *value);
bool in_memory_arm64(const struct value *value);
bool in_memory_arm(const struct value *value);
bool in_memory_riscv64(const struct value *value);
bool in_memory_s390x(const struct value *value);
bool in_memory_ppc64le(const struct value *value);
void place_x86_64(struct cursor *next, const struct value *value, struct placement *placement);
void place_arm64(struct cursor *next, const struct value *value, struct placement *placement);
void place_arm(struct cursor *next, const struct value *value, struct placement *placement);
void place_riscv64(struct cursor *next, const struct value *value, struct placement *placement);
void place_s390x(struct cursor *next, const struct value *value, struct placement *placement);
void place_ppc64le(struct cursor *next, const struct value *value, struct placement *placement);

#endif
