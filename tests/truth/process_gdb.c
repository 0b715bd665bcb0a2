/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Programs of other machines under qemu-user, whose gdbstub is asked in GDB's remote protocol
 * ("GDB Remote Serial Protocol" in GDB's manual): packets are $TEXT#CHECKSUM, each is answered
 * with + and, apart from that, by one packet.
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "process.h"

#define PACKET_MAX 4096	/* the stub's own limit */

struct packet {
	char text[PACKET_MAX + 1];
	size_t length;
};

/* ---- packets ---- */

static bool send_all(struct process *process, const char *data, size_t length)
{
	return send(process->file, data, length, MSG_NOSIGNAL) == (ssize_t)length;
}

/* One at a time: the stub says nothing that was not asked for, and waits for each +. */
static bool receive(struct process *process, struct packet *packet)
{
	char data[PACKET_MAX + 8], *start, *end;
	size_t length = 0;
	ssize_t got;

	do {
		got = recv(process->file, data + length, sizeof(data) - 1 - length, 0);
		if (got <= 0)
			return false;
		length += (size_t)got;
		data[length] = 0;
		start = strchr(data, '$');
		end = start ? strchr(start, '#') : NULL;
	} while (!end || end + 3 > data + length);
	packet->length = (size_t)(end - start) - 1;
	memcpy(packet->text, start + 1, packet->length);
	packet->text[packet->length] = 0;
	return send_all(process, "+", 1);
}

static bool ask(struct process *process, const char *command, struct packet *reply)
{
	char text[128];
	unsigned char sum = 0;
	int length;

	for (const char *c = command; *c; c++)
		sum = (unsigned char)(sum + (unsigned char)*c);
	length = snprintf(text, sizeof(text), "$%s#%02x", command, sum);
	return send_all(process, text, (size_t)length) && receive(process, reply);
}

static unsigned int digit(char c)
{
	return (unsigned int)(c <= '9' ? c - '0' : c - 'a' + 10) & 15;
}

/* The first bytes of what is written in hexadecimal. */
static bool decode(const struct packet *packet, unsigned char *bytes, size_t size)
{
	if (packet->length < 2 * size)
		return false;
	for (size_t i = 0; i < size; i++)
		bytes[i] = (unsigned char)(digit(packet->text[2 * i]) << 4 |
					   digit(packet->text[2 * i + 1]));
	return true;
}

/* ---- memory and registers ---- */

static bool read_memory(struct process *process, uint64_t address, void *to, size_t size)
{
	struct packet reply;
	char command[64];

	snprintf(command, sizeof(command), "m%llx,%zx", (unsigned long long)address, size);
	return ask(process, command, &reply) && *reply.text != 'E' && decode(&reply, to, size);
}

static uint64_t register_at(const struct process *process, unsigned int offset)
{
	return machine_number(process->machine, process->registers + offset,
			      process->machine->word_bytes);
}

static bool read_registers(struct process *process)
{
	struct packet reply;

	memset(process->registers, 0, sizeof(process->registers));
	return ask(process, "g", &reply) && reply.length / 2 <= sizeof(process->registers) &&
	       decode(&reply, process->registers, reply.length / 2);
}

static uint64_t floating(struct process *process, unsigned int index)
{
	const struct remote_registers *remote = &process->machine->remote;
	unsigned char bytes[8] = { 0 };
	struct packet reply;
	char command[32];

	snprintf(command, sizeof(command), "p%x", remote->floating + index * remote->floating_step);
	if (!ask(process, command, &reply) || !decode(&reply, bytes, sizeof(bytes)))
		return 0;
	return machine_number(process->machine, bytes, sizeof(bytes));
}

static void read_state(struct process *process, struct machine_state *state)
{
	const struct machine *machine = process->machine;
	const struct remote_registers *remote = &machine->remote;
	size_t size = sizeof(state->stack);

	*state = (struct machine_state){
		.machine = machine,
		.process = process,
		.stack_pointer = register_at(process, remote->stack_pointer),
		.return_address = register_at(process, remote->return_address),
	};
	for (unsigned int i = 0; i < machine->integer_count; i++)
		state->integer[i] = register_at(process, remote->integer + i * machine->word_bytes);
	/* Bit 0 says that the caller is Thumb code. */
	if (machine->has_thumb)
		state->return_address &= ~1ULL;
	/* Near the top of the stack there may be less; what is not there stays 0. */
	while (size && !read_memory(process, state->stack_pointer + machine->stack_start,
				    state->stack, size))
		size /= 2;
}

/* ---- running ---- */

static bool connect_to(struct process *process, const char *path)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	struct packet reply;
	int status;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	process->file = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	/* It listens as soon as it has read the program. */
	while (connect(process->file, (struct sockaddr *)&address, sizeof(address))) {
		if ((errno != ENOENT && errno != ECONNREFUSED) ||
		    waitpid(process->pid, &status, WNOHANG) != 0)
			return false;
		usleep(1000);
	}
	/* Without having given its description away, the stub does not know "p". */
	return ask(process, "qXfer:features:read:target.xml:0,fff", &reply) && *reply.text == 'l';
}

static bool start(struct process *process)
{
	/* The emulator takes signals for the program's: what is too slow ends the tracer. */
	char folder[] = "/tmp/truth-XXXXXX", path[sizeof(folder) + 8];
	bool connected;

	alarm(SECONDS_MAX);
	if (!mkdtemp(folder))
		return false;
	snprintf(path, sizeof(path), "%s/gdb", folder);
	process->pid = fork();
	if (process->pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execlp(process->machine->emulator, process->machine->emulator, "-g", path,
		       process->path, NULL);
		_exit(127);
	}
	connected = process->pid > 0 && connect_to(process, path);
	unlink(path);
	rmdir(folder);
	return connected;
}

static bool breakpoint(struct process *process, char action, uint64_t address)
{
	struct packet reply;
	char command[64];

	snprintf(command, sizeof(command), "%c0,%llx,%u", action, (unsigned long long)address, 4);
	return ask(process, command, &reply) && strcmp(reply.text, "OK") == 0;
}

static bool insert(struct process *process, uint64_t address, unsigned char *saved)
{
	*saved = 0;
	return breakpoint(process, 'Z', address);
}

static bool remove_breakpoint(struct process *process, uint64_t address, unsigned char saved)
{
	(void)saved;
	return breakpoint(process, 'z', address);
}

static enum process_run run(struct process *process, uint64_t *address)
{
	struct packet reply;

	if (!ask(process, "c", &reply))
		return RUN_FAILED;
	if (strncmp(reply.text, "T05", 3) == 0) {
		if (!read_registers(process))
			return RUN_FAILED;
		*address = register_at(process, process->machine->remote.program_counter);
		return RUN_STOPPED;
	}
	/* A signal of the program's stops it, too. */
	if (strncmp(reply.text, "W00", 3) != 0)
		return RUN_FAILED;
	waitpid(process->pid, NULL, 0);
	return RUN_ENDED;
}

/* A step takes no notice of breakpoints. */
static bool step_over(struct process *process, uint64_t address, unsigned char saved)
{
	struct packet reply;

	(void)address;
	(void)saved;
	return ask(process, "s", &reply) && strncmp(reply.text, "T05", 3) == 0;
}

const struct process_kind process_gdb = {
	.start = start,
	.read = read_memory,
	.read_state = read_state,
	.floating = floating,
	.insert = insert,
	.remove = remove_breakpoint,
	.run = run,
	.step_over = step_over,
};
