/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: program_load <FILE
 *
 * Of each line TYPE/NAME, a section of libbpf: loads a BPF program of that type and attaches
 * it to what has the name. The program reads the function's result if the type has one, as do those
 * that explain prints. Of "struct_ops/STRUCT.MEMBER" it is only loaded. On stdout, by tabs:
 *
 *	program accepted TYPE/NAME
 *	program refused TYPE/NAME load|attach ERROR TEXT	what the verifier wrote first
 *	program unknown TYPE/NAME		the kernel's BTF has no such function
 *	program tried COUNT			at the end
 *
 * No installed header has all of it: types and layouts are those of 7.2's include/uapi/linux/bpf.h.
 */
#include <bpf/btf.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { SLEEPABLE = 1 << 4, RETURN = 1 << 0, LOG_BYTES = 1 << 16 };

/* How a program is attached. */
enum way { BY_ID, BY_PERF, BY_SYMBOL, BY_IDS, BY_CGROUP, BY_MEMBER };

static const struct type {
	const char *section;
	uint32_t program_type, attach_type;
	enum way way;
	const char *prefix;	/* of the function's name */
	bool has_result;
	bool is_return;		/* of a probe */
} types[] = {
	{ "fentry", 26, 24, BY_ID, "", false, false },
	{ "fexit", 26, 25, BY_ID, "", true, false },
	{ "fmod_ret", 26, 26, BY_ID, "", true, false },
	{ "fsession", 26, 58, BY_ID, "", true, false },
	{ "lsm", 29, 27, BY_ID, "bpf_lsm_", true, false },
	{ "lsm_cgroup", 29, 43, BY_CGROUP, "bpf_lsm_", false, false },
	{ "iter", 26, 28, BY_ID, "bpf_iter_", false, false },
	{ "kprobe", 2, 0, BY_PERF, "", false, false },
	{ "kretprobe", 2, 0, BY_PERF, "", false, true },
	{ "kprobe.multi", 2, 42, BY_SYMBOL, "", false, false },
	{ "kretprobe.multi", 2, 42, BY_SYMBOL, "", false, true },
	{ "kprobe.session", 2, 56, BY_SYMBOL, "", false, false },
	{ "fentry.multi", 26, 59, BY_IDS, "", false, false },
	{ "fexit.multi", 26, 60, BY_IDS, "", false, false },
	{ "fsession.multi", 26, 61, BY_IDS, "", false, false },
	{ "struct_ops", 27, 0, BY_MEMBER, "", false, false },
};

/* union bpf_attr, as far as it is needed here. */
struct load_attr {
	uint32_t program_type, instruction_count;
	uint64_t instructions, license;
	uint32_t log_level, log_size;
	uint64_t log;
	uint32_t kernel_version, flags;
	char name[16];
	uint32_t interface, expected_attach_type;
	uint32_t btf_fd, func_info_size;
	uint64_t func_info;
	uint32_t func_info_count, line_info_size;
	uint64_t line_info;
	uint32_t line_info_count, attach_btf_id;
	uint32_t attach_btf_fd;
} __attribute__((aligned(8)));

struct link_attr {
	uint32_t program, target, attach_type, flags;
	union {
		struct {
			uint32_t flags, count;
			uint64_t symbols, addresses, cookies;
		} probe;
		struct {
			uint64_t ids, cookies;
			uint32_t count, unused;
		} ids;
		uint64_t space[6];
	};
};

enum { COMMAND_LOAD = 5, COMMAND_LINK = 28 };

static int bpf(int command, void *attr, size_t bytes)
{
	return (int)syscall(SYS_bpf, command, attr, bytes);
}

static const char *skip_modifiers(const struct btf *btf, const struct btf_type **type, uint32_t id)
{
	*type = btf__type_by_id(btf, id);
	while (btf_is_mod(*type) || btf_is_typedef(*type))
		*type = btf__type_by_id(btf, (*type)->type);
	return btf__name_by_offset(btf, (*type)->name_off);
}

/* In words of the context where arguments are: structs by value have two at most. */
static size_t result_offset(const struct btf *btf, uint32_t function)
{
	const struct btf_type *proto =
		btf__type_by_id(btf, btf__type_by_id(btf, function)->type), *type;
	size_t words = 0;

	for (uint32_t i = 0; i < btf_vlen(proto); i++) {
		skip_modifiers(btf, &type, btf_params(proto)[i].type);
		words += btf_is_composite(type) && type->size > 8 ? 2 : 1;
	}
	return proto->type ? 8 * words : SIZE_MAX;
}

static int load(const struct type *type, const struct btf *btf, uint32_t function, uint32_t member,
		bool sleeps, char *log)
{
	/* r0 = 1, for lsm_cgroup, or 0; r0 = *(u64 *)(r1 + offset), and exit */
	uint64_t code[3] = { 0xb7 | (type->way == BY_CGROUP ? UINT64_C(1) << 32 : 0) };
	size_t count = 1, offset = type->has_result ? result_offset(btf, function) : SIZE_MAX;
	struct load_attr attr = {
		.program_type = type->program_type, .license = (uintptr_t) "GPL",
		.log_level = 1, .log_size = LOG_BYTES, .log = (uintptr_t)log,
		.instructions = (uintptr_t)code, .expected_attach_type = type->attach_type + member,
		.flags = sleeps ? SLEEPABLE : 0,
		.attach_btf_id = type->way == BY_ID || type->way == BY_CGROUP ||
				 type->way == BY_MEMBER ? function : 0 };

	/* Of those that change it the program's own result is that; others have to be 0. */
	if (offset != SIZE_MAX) {
		bool is_own = type->attach_type == 26 || type->attach_type == 27;

		code[count++] = 0x79 | (is_own ? 0 : 2) << 8 | 1 << 12 | (uint64_t)offset << 16;
	}
	code[count++] = 0x95;
	attr.instruction_count = (uint32_t)count;
	*log = '\0';
	return bpf(COMMAND_LOAD, &attr, sizeof(attr));
}

static int attach_by_perf(int program, const char *name, bool is_return)
{
	FILE *file = fopen("/sys/bus/event_source/devices/kprobe/type", "r");
	struct perf_event_attr attr = { .size = sizeof(attr), .config1 = (uintptr_t)name,
					.config = is_return };
	int event, error;

	if (!file || fscanf(file, "%u", &attr.type) != 1)
		exit(EXIT_FAILURE);
	fclose(file);
	event = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0);
	if (event >= 0 && ioctl(event, PERF_EVENT_IOC_SET_BPF, program) != 0) {
		error = errno;
		close(event);
		errno = error;
		return -1;
	}
	return event;
}

static int attach(const struct type *type, int program, const char *name, uint32_t function,
		  int cgroup)
{
	struct link_attr attr = { .program = (uint32_t)program, .attach_type = type->attach_type };

	switch (type->way) {
	case BY_PERF: return attach_by_perf(program, name, type->is_return);
	case BY_SYMBOL:
		attr.probe.flags = type->is_return ? RETURN : 0;
		attr.probe.count = 1;
		attr.probe.symbols = (uintptr_t)&name;
		break;
	case BY_IDS:
		attr.ids.ids = (uintptr_t)&function;
		attr.ids.count = 1;
		break;
	case BY_CGROUP: attr.target = (uint32_t)cgroup; break;
	case BY_MEMBER: return dup(program);
	case BY_ID: break;
	}
	return bpf(COMMAND_LINK, &attr, sizeof(attr));
}

static const struct type *find_type(const char *section, size_t length)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		if (strlen(types[i].section) == length &&
		    strncmp(types[i].section, section, length) == 0)
			return &types[i];
	}
	fprintf(stderr, "program_load: %.*s\n", (int)length, section);
	exit(EXIT_FAILURE);
}

/* The number of STRUCT.MEMBER, and the struct's id; both -1: there is none. */
static int find_member(const struct btf *btf, char *name, int *id)
{
	char *dot = strchr(name, '.');
	const struct btf_type *type;

	*dot = '\0';
	*id = btf__find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	type = *id < 0 ? NULL : btf__type_by_id(btf, (uint32_t)*id);
	for (uint32_t i = 0; type && i < btf_vlen(type); i++) {
		const char *own = btf__name_by_offset(btf, btf_members(type)[i].name_off);

		if (strcmp(own, dot + 1) == 0)
			return (int)i;
	}
	*id = -1;
	return -1;
}

static void try_line(const struct btf *btf, const char *line, int cgroup)
{
	static char log[LOG_BYTES];
	size_t length = strcspn(line, "/");
	bool sleeps = length > 2 && strncmp(line + length - 2, ".s", 2) == 0;
	const struct type *type = find_type(line, length - (sleeps ? 2 : 0));
	int program, link = -1, error, function, member = 0;
	char name[600];

	snprintf(name, sizeof(name), "%s%s", type->prefix, line + length + 1);
	if (type->way == BY_MEMBER)
		member = find_member(btf, name, &function);
	else
		function = btf__find_by_name_kind(btf, name, BTF_KIND_FUNC);
	if (function < 0 && type->way != BY_PERF && type->way != BY_SYMBOL) {
		printf("program\tunknown\t%s\n", line);
		return;
	}
	program = load(type, btf, (uint32_t)function, (uint32_t)member, sleeps, log);
	if (program >= 0)
		link = attach(type, program, name, (uint32_t)function, cgroup);
	error = errno;
	log[strcspn(log, "\n")] = '\0';
	if (link >= 0)
		printf("program\taccepted\t%s\n", line);
	else
		printf("program\trefused\t%s\t%s\t%s\t%s\n", line, program < 0 ? "load" : "attach",
		       strerror(error), program < 0 ? log : "");
	close(link);
	close(program);
}

int main(void)
{
	struct btf *btf = btf__load_vmlinux_btf();
	int cgroup = open("/sys/fs/cgroup", O_RDONLY | O_DIRECTORY);
	char *line = NULL;
	size_t room = 0, count = 0;

	/* The kernel may stop at a line. */
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!btf || cgroup < 0) {
		perror(btf ? "/sys/fs/cgroup" : "BTF of vmlinux");
		return EXIT_FAILURE;
	}
	for (; getline(&line, &room, stdin) > 0; count++) {
		line[strcspn(line, "\n")] = '\0';
		try_line(btf, line, cgroup);
	}
	printf("program\ttried\t%zu\n", count);
	return EXIT_SUCCESS;
}
