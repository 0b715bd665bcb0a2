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
	};
	if (ptrace(PTRACE_GETFPREGS, process->pid, NULL, &floats) == 0) {
		for (unsigned int i = 0; i < SSE_REGISTERS; i++)
			memcpy(&state->sse[i], &floats.xmm_space[4 * i], 8);
	}
	/* Near the top of the stack there may be less; what is not there stays 0. */
	pread(process->memory, state->stack, sizeof(state->stack), (off_t)regs->rsp + 8);
}

/* The instruction under the breakpoint is done; then the breakpoint is back. */
static bool step_over(struct process *process, struct breakpoint *breakpoint,
		      struct user_regs_struct *regs)
{
	int status;

	regs->rip = breakpoint->address;
	if (ptrace(PTRACE_SETREGS, process->pid, NULL, regs) ||
	    !write_byte(process, breakpoint->address, breakpoint->saved))
		return false;
	if (!breakpoint->hits_left)
		return true;
	return ptrace(PTRACE_SINGLESTEP, process->pid, NULL, NULL) == 0 &&
	       waitpid(process->pid, &status, 0) >= 0 && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == SIGTRAP && write_byte(process, breakpoint->address, 0xcc);
}

bool process_trace(const char *path, struct breakpoint *breakpoints, size_t count,
		   process_stop *stop, void *context)
{
	struct process process = { 0 };
	struct user_regs_struct regs;
	struct machine_state state;
	int status;

	if (!start(&process, path))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!process_read(&process, breakpoints[i].address, &breakpoints[i].saved, 1) ||
		    !write_byte(&process, breakpoints[i].address, 0xcc))
			die(path, "cannot set a breakpoint");
	}
	for (;;) {
		struct breakpoint *breakpoint;

		if (ptrace(PTRACE_CONT, process.pid, NULL, NULL) ||
		    waitpid(process.pid, &status, 0) < 0)
			die(path, "cannot trace");
		if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
			break;
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP ||
		    ptrace(PTRACE_GETREGS, process.pid, NULL, &regs))
			break;
		breakpoint = find(breakpoints, count, regs.rip - 1);
		if (!breakpoint)
			break;
		breakpoint->hits_left--;
		read_state(&process, &regs, &state);
		stop(context, &process, breakpoint->address, &state);
		if (!step_over(&process, breakpoint, &regs))
			die(path, "cannot step");
	}
	close(process.memory);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "%s: it does not run to its end (status 0x%x)\n", path,
			(unsigned int)status);
		exit(2);
	}
	return true;
}
