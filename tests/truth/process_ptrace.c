/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Programs of x86-64 under ptrace. */
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

#include "process.h"

#define TRAP 0xcc

static bool read_memory(struct process *process, uint64_t address, void *to, size_t size)
{
	return pread(process->file, to, size, (off_t)address) == (ssize_t)size;
}

static bool write_byte(struct process *process, uint64_t address, unsigned char byte)
{
	return pwrite(process->file, &byte, 1, (off_t)address) == 1;
}

static bool start(struct process *process)
{
	char memory[32];
	int status;

	process->pid = fork();
	if (process->pid < 0)
		return false;
	if (process->pid == 0) {
		alarm(SECONDS_MAX);
		if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) == 0)
			execl(process->path, process->path, NULL);
		_exit(127);
	}
	if (waitpid(process->pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return false;
	ptrace(PTRACE_SETOPTIONS, process->pid, NULL, PTRACE_O_EXITKILL);
	snprintf(memory, sizeof(memory), "/proc/%d/mem", process->pid);
	process->file = open(memory, O_RDWR | O_CLOEXEC);
	return process->file >= 0;
}

static void read_state(struct process *process, struct machine_state *state)
{
	struct user_fpregs_struct floats;
	struct user_regs_struct regs;

	*state = (struct machine_state){ .machine = process->machine, .process = process };
	if (ptrace(PTRACE_GETREGS, process->pid, NULL, &regs))
		return;
	*state = (struct machine_state){
		.machine = process->machine,
		.process = process,
		.integer = { regs.rdi, regs.rsi, regs.rdx, regs.rcx, regs.r8, regs.r9 },
		.stack_pointer = regs.rsp,
		.result = { regs.rax, regs.rdx },
		.dwarf = { { regs.rax }, { regs.rdx }, { regs.rcx }, { regs.rbx },
			   { regs.rsi }, { regs.rdi }, { regs.rbp }, { regs.rsp },
			   { regs.r8 }, { regs.r9 }, { regs.r10 }, { regs.r11 },
			   { regs.r12 }, { regs.r13 }, { regs.r14 }, { regs.r15 } },
	};
	if (ptrace(PTRACE_GETFPREGS, process->pid, NULL, &floats) == 0) {
		for (unsigned int i = 0; DWARF_XMM0 + i < DWARF_REGISTERS; i++)
			memcpy(state->dwarf[DWARF_XMM0 + i], &floats.xmm_space[4 * i], 16);
	}
	/* Near the top of the stack there may be less; what is not there stays 0. */
	pread(process->file, state->stack, sizeof(state->stack),
	      (off_t)(regs.rsp + process->machine->stack_start));
	read_memory(process, regs.rsp, &state->return_address, 8);
}

static uint64_t floating(struct process *process, unsigned int index)
{
	struct user_fpregs_struct floats;
	uint64_t value = 0;

	if (ptrace(PTRACE_GETFPREGS, process->pid, NULL, &floats) == 0)
		memcpy(&value, &floats.xmm_space[4 * index], sizeof(value));
	return value;
}

static bool insert(struct process *process, uint64_t address, unsigned char *saved)
{
	return read_memory(process, address, saved, 1) && write_byte(process, address, TRAP);
}

static enum process_run run(struct process *process, uint64_t *address)
{
	struct user_regs_struct regs;
	int status;

	if (ptrace(PTRACE_CONT, process->pid, NULL, NULL) || waitpid(process->pid, &status, 0) < 0)
		return RUN_FAILED;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return RUN_ENDED;
	if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP ||
	    ptrace(PTRACE_GETREGS, process->pid, NULL, &regs))
		return RUN_FAILED;
	*address = --regs.rip;
	return ptrace(PTRACE_SETREGS, process->pid, NULL, &regs) ? RUN_FAILED : RUN_STOPPED;
}

static bool step_over(struct process *process, uint64_t address, unsigned char saved)
{
	int status;

	return write_byte(process, address, saved) &&
	       ptrace(PTRACE_SINGLESTEP, process->pid, NULL, NULL) == 0 &&
	       waitpid(process->pid, &status, 0) >= 0 && WIFSTOPPED(status) &&
	       WSTOPSIG(status) == SIGTRAP && write_byte(process, address, TRAP);
}

const struct process_kind process_ptrace = {
	.start = start,
	.read = read_memory,
	.read_state = read_state,
	.floating = floating,
	.insert = insert,
	.remove = write_byte,
	.run = run,
	.step_over = step_over,
};

bool process_step(const char *path, process_stop *stop, void *context)
{
	struct process process = { .machine = machine_of(path), .kind = &process_ptrace,
				   .path = path };
	struct user_regs_struct regs;
	struct machine_state state;
	int status;

	if (process.machine->emulator || !start(&process))
		return false;
	for (;;) {
		if (ptrace(PTRACE_GETREGS, process.pid, NULL, &regs)) {
			fprintf(stderr, "%s: cannot trace: %s\n", path, strerror(errno));
			exit(2);
		}
		read_state(&process, &state);
		stop(context, &process, STOP_STEP, regs.rip, &state);
		if (ptrace(PTRACE_SINGLESTEP, process.pid, NULL, NULL) ||
		    waitpid(process.pid, &status, 0) < 0) {
			fprintf(stderr, "%s: cannot step: %s\n", path, strerror(errno));
			exit(2);
		}
		if (!WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
			break;
	}
	close(process.file);
	return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}
