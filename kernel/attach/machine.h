/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What differs between the machines of kernels that are traced, a row for each. Calling conventions
 * are in dwarf/abi, instructions that kprobes refuse in kprobe_instruction.c.
 */
#ifndef BTFENC_KERNEL_ATTACH_MACHINE_H
#define BTFENC_KERNEL_ATTACH_MACHINE_H

#include "dwarf/abi/abi.h"
#include "kallsyms/kernel_version.h"

struct trampoline_rules {
	struct kernel_version attach;	/* major 0: never so far (7.2) */
	struct kernel_version modules;	/* to functions of modules */
	struct kernel_version structs;	/* by value, of up to 16 bytes */
	uint8_t registers;		/* slots that are taken before `stack`; 0: all are */
	struct kernel_version stack;	/* more than these */
	struct kernel_version struct_on_stack;
	const char *stack_words;	/* "more than 6 arguments" */
	bool counts_slots;		/* 12 slots at most, not only 12 parameters */
	bool even_pairs;		/* a record aligned to 16 bytes begins at an even one */
};

struct machine {
	struct trampoline_rules trampolines;
	/* Of system calls, whose results programs may change (asm/syscall_wrapper.h). */
	const char *call_prefix;	/* NULL: not known */
	/* Events are those of sys_call_table: of others functions may have other names. */
	bool has_call_table;
	/* How registers are called in programs; x86's in struct pt_regs are as by tracefs. */
	const char *bpf_target;		/* libbpf's __TARGET_ARCH_ */
	const char *register_prefix;	/* of tracefs' names with a number; NULL: no names */
	const char *bpftrace_prefix;	/* instead of it (src/arch in bpftrace's sources) */
	const char *register_array;	/* the member of pt_regs; NULL: each has its own */
};

/* NULL: not known. */
const struct machine *machine_of(const struct abi *abi);

/* The member of pt_regs for a register by its tracefs name; *number: which of an array, or NULL. */
const char *machine_register(const struct machine *machine, const char *reg, const char **number);

#endif
