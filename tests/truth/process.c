/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "process.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#define SECONDS_MAX 120

static void die(const char *path, const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", path, what, strerror(errno));
	exit(2);
}

bool process_read(struct process *process, uint64_t address, void *to, size_t size)
{
	return pread(process->memory, to, size, (off_t)address) == (ssize_t)size;
}

static bool write_byte(struct process *process, uint64_t address, unsigned char byte)
{
	return pwrite(process->memory, &byte, 1, (off_t)address) == 1;
}

static struct breakpoint *find(struct breakpoint *breakpoints, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (breakpoints[middle].address == address)
			return &breakpoints[middle];
		if (breakpoints[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static bool start(struct process *process, const char *path)
{
	char memory[32];
	int status;

	process->pid = fork();
	if (process->pid < 0)
		return false;
	if (process->pid == 0) {
		alarm(SECONDS_MAX);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
			execl(path, path, NULL);
		_exit(127);
	}
	if (waitpid(process->pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return false;
	ptrace(PTRACE_SETOPTIONS, process->pid, NULL, PTRACE_O_EXITKILL);
	snprintf(memory, sizeof(memory), "/proc/%d/mem", process->pid);
	process->memory = open(memory, O_RDWR | O_CLOEXEC);
	return process->memory >= 0;
}

static void read_state(struct process *process, const struct user_regs_struct *regs,
		       struct machine_state *state)
{
	struct user_fpregs_struct floats;

	*state = (struct machine_state){
		.integer = { regs->rdi, regs->rsi, regs->rdx, regs->rcx, regs->r8, regs->r9 },
		.stack_pointer = regs->rsp,
		.result = { regs->rax, regs->rdx },
		.dwarf = { { regs->rax }, { regs->rdx }, { regs->rcx }, { regs->rbx },
			   { regs->rsi }, { regs->rdi }, { regs->rbp }, { regs->rsp },
			   { regs->r8 }, { regs->r9 }, { regs->r10 }, { regs->r11 },
			   { regs->r12 }, { regs->r13 }, { regs->r14 }, { regs->r15 } },
	};
	if (ptrace(PTRACE_GETFPREGS, process->pid, NULL, &floats) == 0) {
		for (unsigned int i = 0; i < SSE_REGISTERS; i++)
			memcpy(&state->sse[i], &floats.xmm_space[4 * i], 8);
		for (unsigned int i = 0; DWARF_XMM0 + i < DWARF_REGISTERS; i++)
			memcpy(state->dwarf[DWARF_XMM0 + i], &floats.xmm_space[4 * i], 16);
	}
	/* Near the top of the stack there may be less; what is not there stays 0. */
	pread(process->memory, state->stack, sizeof(state->stack), (off_t)regs->rsp + 8);
	process_read(process, regs->rsp, &state->return_address, 8);
}

/* Goes on where a breakpoint was hit. If it shall stay, the instruction under it is done first. */
static bool go_on(struct process *process, uint64_t address, unsigned char saved, bool stays,
		  struct user_regs_struct *regs)
{
	int status;

	regs->rip = address;
	if (ptrace(PTRACE_SETREGS, process->pid, NULL, regs) ||
	    !write_byte(process, address, saved))
		return false;
	if (!stays)
		return true;
	return ptrace(PTRACE_SINGLESTEP, process->pid, NULL, NULL) == 0 &&
	       waitpid(process->pid, &status, 0) >= 0 && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == SIGTRAP && write_byte(process, address, 0xcc);
}

/* ---- returns ---- */

static struct return_point *find_return(struct process *process, uint64_t address)
{
	for (unsigned int i = 0; i < RETURN_POINTS_MAX; i++) {
		if (process->returns[i].wanted && process->returns[i].address == address)
			return &process->returns[i];
	}
	return NULL;
}

bool process_stop_at(struct process *process, uint64_t address)
{
	struct return_point *point = find_return(process, address);
	unsigned char byte;

	if (point) {
		point->wanted++;
		return true;
	}
	/* An entry that has a breakpoint is no place to return to. */
	if (!process_read(process, address, &byte, 1) || byte == 0xcc)
		return false;
	for (unsigned int i = 0; i < RETURN_POINTS_MAX; i++) {
		if (process->returns[i].wanted)
			continue;
		process->returns[i] = (struct return_point){ address, 1, byte };
		return write_byte(process, address, 0xcc);
	}
	return false;
}

/* False: no breakpoint is there. */
static bool handle(const char *path, struct process *process, struct breakpoint *breakpoint,
		   struct user_regs_struct *regs, process_stop *stop, void *context)
{
	uint64_t address = regs->rip - 1;
	struct return_point *point = find_return(process, address);
	struct machine_state state;
	bool went;

	if (!point && !breakpoint)
		return false;
	read_state(process, regs, &state);
	if (point) {
		stop(context, process, STOP_RETURN, address, &state);
		point->wanted--;
		went = go_on(process, address, point->saved, point->wanted > 0, regs);
	} else {
		breakpoint->hits_left--;
		stop(context, process, STOP_ENTRY, address, &state);
		went = go_on(process, address, breakpoint->saved, breakpoint->hits_left > 0, regs);
	}
	if (!went)
		die(path, "cannot step");
	return true;
}

bool process_trace(const char *path, struct breakpoint *breakpoints, size_t count,
		   process_stop *stop, void *context)
{
	struct process process = { 0 };
	struct user_regs_struct regs;
	int status;

	if (!start(&process, path))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!process_read(&process, breakpoints[i].address, &breakpoints[i].saved, 1) ||
		    !write_byte(&process, breakpoints[i].address, 0xcc))
			die(path, "cannot set a breakpoint");
	}
	for (;;) {
		if (ptrace(PTRACE_CONT, process.pid, NULL, NULL) ||
		    waitpid(process.pid, &status, 0) < 0)
			die(path, "cannot trace");
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			break;
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP ||
		    ptrace(PTRACE_GETREGS, process.pid, NULL, &regs))
			break;
		if (!handle(path, &process, find(breakpoints, count, regs.rip - 1), &regs, stop,
			    context))
			break;
	}
	close(process.memory);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "%s: it does not run to its end (status 0x%x)\n", path,
			(unsigned int)status);
		exit(2);
	}
	return true;
}

bool process_step(const char *path, process_stop *stop, void *context)
{
	struct process process = { 0 };
	struct user_regs_struct regs;
	struct machine_state state;
	int status;

	if (!start(&process, path))
		return false;
	for (;;) {
		if (ptrace(PTRACE_GETREGS, process.pid, NULL, &regs))
			die(path, "cannot trace");
		read_state(&process, &regs, &state);
		stop(context, &process, STOP_STEP, regs.rip, &state);
		if (ptrace(PTRACE_SINGLESTEP, process.pid, NULL, NULL) ||
		    waitpid(process.pid, &status, 0) < 0)
			die(path, "cannot step");
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
			break;
	}
	close(process.memory);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
