/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Runs a program, natively or emulated, and stops it wherever it is asked to. */
#ifndef BTFENC_TESTS_TRUTH_PROCESS_H
#define BTFENC_TESTS_TRUTH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "machine.h"

#define SECONDS_MAX	120	/* after which a program is killed */
#define STACK_BYTES	512
#define DWARF_REGISTERS 33	/* of x86-64: integer unit, the return address, xmm0 to xmm15 */
#define DWARF_XMM0	17

/* The registers when a function is entered, or when it is back in its caller. */
struct machine_state {
	const struct machine *machine;
	struct process *process;
	uint64_t integer[INTEGER_REGISTERS_MAX];
	unsigned char stack[STACK_BYTES];	/* from the first word of arguments on */
	uint64_t stack_pointer;
	uint64_t return_address;	/* if it has just been entered */
	uint64_t result[RESULT_REGISTERS];	/* of x86-64 */
	uint64_t dwarf[DWARF_REGISTERS][2];	/* of x86-64: all of them, by DWARF's numbers */
};

struct breakpoint {
	uint64_t address;
	unsigned int hits_left;
	unsigned char saved;
};

/* Stops asked for on the way: where calls that have been entered come back to. */
struct return_point {
	uint64_t address;
	unsigned int wanted;	/* 0: free */
	unsigned char saved;
};

#define RETURN_POINTS_MAX 64
#define REGISTERS_MAX	  1024

struct process {
	const struct machine *machine;
	const struct process_kind *kind;
	const char *path;
	int pid;
	int file;	/* /proc/PID/mem, or the connection to the emulator */
	struct breakpoint *breakpoints;
	size_t breakpoint_count;
	struct return_point returns[RETURN_POINTS_MAX];
	unsigned char registers[REGISTERS_MAX];	/* of this stop, as the emulator has them */
};

enum process_run {
	RUN_STOPPED,	/* by a breakpoint */
	RUN_ENDED,	/* with exit status 0 */
	RUN_FAILED,
};

/* A way of running it: process_ptrace.c, process_gdb.c. saved: the byte under a breakpoint. */
struct process_kind {
	bool (*start)(struct process *process);	/* stops before its first instruction */
	bool (*read)(struct process *process, uint64_t address, void *to, size_t size);
	void (*read_state)(struct process *process, struct machine_state *state);
	uint64_t (*floating)(struct process *process, unsigned int index);	/* the low half */
	bool (*insert)(struct process *process, uint64_t address, unsigned char *saved);
	bool (*remove)(struct process *process, uint64_t address, unsigned char saved);
	enum process_run (*run)(struct process *process, uint64_t *address);
	/* Does the one instruction under a breakpoint, which stays. */
	bool (*step_over)(struct process *process, uint64_t address, unsigned char saved);
};

extern const struct process_kind process_ptrace, process_gdb;

enum stop_kind {
	STOP_ENTRY,	/* a breakpoint */
	STOP_RETURN,
	STOP_STEP,	/* before any instruction */
};

typedef void process_stop(void *context, struct process *process, enum stop_kind kind,
			  uint64_t address, const struct machine_state *state);

/* Asks for one stop of kind STOP_RETURN there. */
bool process_stop_at(struct process *process, uint64_t address);

bool process_read(struct process *process, uint64_t address, void *to, size_t size);

/* A floating-point register of arguments, at this stop. */
uint64_t process_floating(struct process *process, unsigned int index);

/*
 * Runs it to its end; `stop` is called at each breakpoint as often as hits_left says. breakpoints:
 * by ascending address. False if it cannot be traced; a program that fails ends the harness.
 */
bool process_trace(const char *path, struct breakpoint *breakpoints, size_t count,
		   process_stop *stop, void *context);

/*
 * Runs it again, one instruction after the other; `stop` is called before each, with STOP_STEP.
 * Only under ptrace.
 */
bool process_step(const char *path, process_stop *stop, void *context);

#endif
