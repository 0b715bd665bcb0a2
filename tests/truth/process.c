/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "process.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void die(const char *path, const char *what)
{
	fprintf(stderr, "%s: %s: %s\n", path, what, strerror(errno));
	exit(2);
}

bool process_read(struct process *process, uint64_t address, void *to, size_t size)
{
	return process->kind->read(process, address, to, size);
}

uint64_t process_floating(struct process *process, unsigned int index)
{
	return process->kind->floating(process, index);
}

static struct breakpoint *find(struct process *process, uint64_t address)
{
	size_t low = 0, high = process->breakpoint_count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		struct breakpoint *breakpoint = &process->breakpoints[middle];

		if (breakpoint->address == address)
			return breakpoint->hits_left ? breakpoint : NULL;
		if (breakpoint->address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

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

	if (point) {
		point->wanted++;
		return true;
	}
	/* An entry that has a breakpoint cannot be returned to. */
	if (find(process, address))
		return false;
	for (unsigned int i = 0; i < RETURN_POINTS_MAX; i++) {
		point = &process->returns[i];
		if (point->wanted)
			continue;
		*point = (struct return_point){ .address = address, .wanted = 1 };
		return process->kind->insert(process, address, &point->saved);
	}
	return false;
}

/* Goes on where a breakpoint was hit. */
static bool leave(struct process *process, uint64_t address, unsigned char saved, bool stays)
{
	return stays ? process->kind->step_over(process, address, saved) :
		       process->kind->remove(process, address, saved);
}

/* False: no breakpoint is there. */
static bool handle(struct process *process, uint64_t address, process_stop *stop, void *context)
{
	struct return_point *point = find_return(process, address);
	struct breakpoint *breakpoint = find(process, address);
	struct machine_state state;
	bool went;

	if (!point && !breakpoint)
		return false;
	process->kind->read_state(process, &state);
	if (point) {
		stop(context, process, STOP_RETURN, address, &state);
		point->wanted--;
		went = leave(process, address, point->saved, point->wanted > 0);
	} else {
		stop(context, process, STOP_ENTRY, address, &state);
		breakpoint->hits_left--;
		went = leave(process, address, breakpoint->saved, breakpoint->hits_left > 0);
	}
	if (!went)
		die(process->path, "cannot step");
	return true;
}

bool process_trace(const char *path, struct breakpoint *breakpoints, size_t count,
		   process_stop *stop, void *context)
{
	struct process process = { .machine = machine_of(path), .path = path,
				   .breakpoints = breakpoints, .breakpoint_count = count };
	enum process_run run;
	uint64_t address;

	process.kind = process.machine->emulator ? &process_gdb : &process_ptrace;
	if (!process.kind->start(&process))
		return false;
	for (size_t i = 0; i < count; i++) {
		if (!process.kind->insert(&process, breakpoints[i].address, &breakpoints[i].saved))
			die(path, "cannot set a breakpoint");
	}
	do {
		run = process.kind->run(&process, &address);
	} while (run == RUN_STOPPED && handle(&process, address, stop, context));
	close(process.file);
	if (run != RUN_ENDED) {
		fprintf(stderr, "%s: it does not run to its end\n", path);
		exit(2);
	}
	return true;
}
