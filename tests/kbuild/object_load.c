/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: object_load [-t] FOLDER OBJECT... <NAMES
 *
 * Of each OBJECT in FOLDER: what libbpf and the kernel that runs say of its programs, each loaded
 * alone, by a process of its own, then attached as its section says, to the loopback device or to
 * the root of cgroups if it needs one, and detached at once; to none of NAMES, which may hang. With
 * -t only such are attached as can do no harm to a machine where others work. On stdout, by tabs:
 *
 *	open	OBJECT yes|no ERRNO TEXT
 *	program OBJECT NAME SECTION		what follows is about this one
 *	load	OBJECT NAME yes|no ERRNO TEXT	TEXT: what the verifier ends with, or libbpf says
 *	attach	OBJECT NAME yes|no|- ERRNO TEXT	"-": not tried, TEXT says why
 *	killed	OBJECT NAME SIGNAL		14: it took too long
 *	value	OBJECT SECTION INDEX KIND VALUE	a CO-RE relocation, by libbpf's log: a number or
 *						"poisoned"
 *
 * Maps without a size get one, as their users would do; none is pinned, which the next object would
 * find.
 */
#include <bpf/bpf.h>
#include <bpf/btf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS = 60, ENTRIES = 4096, LOOPBACK = 1 };

/* Lines. */
static char denied[1 << 16] = "\n";

/* All that libbpf has written, since it was last read. */
static char *said;
static size_t said_bytes;
static FILE *said_stream;

static int listen_to_libbpf(enum libbpf_print_level level, const char *format, va_list arguments)
{
	/* The level is a letter before each text. */
	fputc("WID"[level], said_stream);
	return vfprintf(said_stream, format, arguments);
}

/* libbpf reads the kernel's BTF for each object again: here each process has its parent's. */
static struct btf *vmlinux;
struct btf *__wrap_btf__load_vmlinux_btf(void);
struct btf *__wrap_btf__load_vmlinux_btf(void)
{
	return vmlinux;
}

static bool begins(const char *text, const char *with)
{
	return strncmp(text, with, strlen(with)) == 0;
}

/* Of a line "prog 'NAME': relo #INDEX: WHAT": WHAT, or NULL. */
static const char *relocation(const char *line, unsigned int *index)
{
	const char *found = begins(line, "Dlibbpf: prog '") ? strstr(line, "': relo #") : NULL;
	int length = 0;

	return found && sscanf(found, "': relo #%u: %n", index, &length) == 1 && length
		       ? found + length
		       : NULL;
}

static void print_values(const char *object, char *text)
{
	char section[128] = "", kind[32] = "";
	unsigned int index, of_kind = 0;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		const char *what = relocation(line, &index), *arrow;

		if (sscanf(line, "Dlibbpf: sec '%127[^']': found %*d CO-RE", section) == 1 || !what)
			continue;
		if (sscanf(what, "<%31[a-z0-9_]>", kind) == 1)
			of_kind = index;
		arrow = strstr(what, " -> ");
		if (index == of_kind && begins(what, "substituting insn"))
			printf("value\t%s\t%s\t%u\t%s\tpoisoned\n", object, section, index, kind);
		else if (index == of_kind && begins(what, "patched insn") && arrow &&
			 !strstr(what, "mem_sz"))
			printf("value\t%s\t%s\t%u\t%s\t%s\n", object, section, index, kind,
			       arrow + 4);
	}
}

/* Lines of the verifier that say nothing of why it refuses a program. */
static bool is_count(const char *line)
{
	static const char *const counts[] = { "processed ", "verification time ", "stack depth ",
					      "insns ",	    "max_states",	  "peak_states",
					      "-- END",	    "mark_precise",	  "[" };

	for (size_t i = 0; i < sizeof(counts) / sizeof(*counts); i++) {
		if (begins(line, counts[i]))
			return true;
	}
	return *line == '\0';
}

/* The last line of the verifier's log, or else the first warning. */
static const char *reason(char *text)
{
	const char *decisive = NULL, *first = NULL;
	bool in_log = false;

	for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
		if (strstr(line, "-- BEGIN PROG LOAD LOG --")) {
			in_log = line[0] == 'W';
			continue;
		}
		if (begins(line, "-- END PROG LOAD LOG --"))
			in_log = false;
		else if (in_log && !is_count(line))
			decisive = line;
		else if (!first && line[0] == 'W' && !strstr(line, "Retrying without BTF"))
			first = line + strlen("Wlibbpf: ");
	}
	return decisive ? decisive : first;
}

static void print_answer(const char *what, const char *object, const char *name, bool yes,
			 int error)
{
	const char *text = "";

	fflush(said_stream);
	if (!yes)
		text = reason(said);
	printf("%s\t%s%s%s\t%s\t%d\t", what, object, name ? "\t" : "", name ? name : "",
	       yes ? "yes" : "no", yes ? 0 : error);
	for (const char *c = text ? text : strerror(error); *c; c++)
		putchar(*c == '\t' ? ' ' : *c);
	putchar('\n');
	fflush(stdout);
	rewind(said_stream);
}

static bool is_harmless(const struct bpf_program *program)
{
	switch (bpf_program__type(program)) {
	case BPF_PROG_TYPE_KPROBE:
	case BPF_PROG_TYPE_TRACEPOINT:
	case BPF_PROG_TYPE_RAW_TRACEPOINT: return true;
	case BPF_PROG_TYPE_TRACING:
		return bpf_program__expected_attach_type(program) != BPF_MODIFY_RETURN;
	default: return false;
	}
}

/* Why it is not tried, or NULL. */
static const char *not_tried(const struct bpf_program *program, bool only_harmless)
{
	const char *target = strrchr(bpf_program__section_name(program), '/');
	char line[128];

	snprintf(line, sizeof(line), "\n%s\n", target ? target + 1 : "/");
	return strstr(denied, line)			? "programs there may hang"
	       : only_harmless && !is_harmless(program) ? "not on a machine in use"
							: NULL;
}

/* NULL with errno, 0: by nothing that is here. */
static struct bpf_link *attach(const struct bpf_program *program)
{
	enum bpf_attach_type type = bpf_program__expected_attach_type(program);

	switch (bpf_program__type(program)) {
	case BPF_PROG_TYPE_XDP:
		/* Others are values of maps. */
		if (type == BPF_XDP)
			return bpf_program__attach_xdp(program, LOOPBACK);
		break;
	case BPF_PROG_TYPE_SCHED_CLS:
		/* "tc/ingress" may be for netlink, too. */
		if (strncmp(bpf_program__section_name(program), "tcx/", 4) == 0)
			return bpf_program__attach_tcx(program, LOOPBACK, NULL);
		break;
	case BPF_PROG_TYPE_CGROUP_SKB:
	case BPF_PROG_TYPE_CGROUP_SOCK:
	case BPF_PROG_TYPE_CGROUP_DEVICE:
	case BPF_PROG_TYPE_CGROUP_SOCK_ADDR:
	case BPF_PROG_TYPE_CGROUP_SYSCTL:
	case BPF_PROG_TYPE_CGROUP_SOCKOPT:
	case BPF_PROG_TYPE_SOCK_OPS:
		return bpf_program__attach_cgroup(program, open("/sys/fs/cgroup", O_RDONLY));
	case BPF_PROG_TYPE_STRUCT_OPS: break;
	default: return bpf_program__attach(program);
	}
	errno = EOPNOTSUPP;
	return NULL;
}

/* Libbpf gives a perf event array as many as there are processors. */
static bool has_entries(enum bpf_map_type type)
{
	switch (type) {
	case BPF_MAP_TYPE_PERF_EVENT_ARRAY:
	case BPF_MAP_TYPE_SK_STORAGE:
	case BPF_MAP_TYPE_INODE_STORAGE:
	case BPF_MAP_TYPE_TASK_STORAGE:
	case BPF_MAP_TYPE_CGRP_STORAGE:
	case BPF_MAP_TYPE_STRUCT_OPS: return false;
	default: return true;
	}
}

static struct bpf_object *open_object(const char *object)
{
	struct bpf_object *opened = bpf_object__open_file(object, NULL);
	struct bpf_map *map;

	if (!opened)
		return NULL;
	bpf_object__for_each_map(map, opened)
	{
		bpf_map__set_pin_path(map, NULL);
		if (bpf_map__type(map) == BPF_MAP_TYPE_STACK_TRACE && bpf_map__value_size(map) == 0)
			bpf_map__set_value_size(map, 8);
		if (bpf_map__type(map) == BPF_MAP_TYPE_CPUMAP)
			bpf_map__set_max_entries(map, (unsigned int)libbpf_num_possible_cpus());
		else if (bpf_map__max_entries(map) == 0 && has_entries(bpf_map__type(map)))
			bpf_map__set_max_entries(map, ENTRIES);
	}
	return opened;
}

/* The process ends with what it has opened. */
static void try_program(const char *object, const char *name, bool only_harmless)
{
	struct bpf_object *opened = open_object(object);
	struct bpf_program *program, *wanted = NULL;
	struct bpf_link *link;
	const char *why;
	char *copy;
	int error;

	bpf_object__for_each_program(program, opened)
	{
		if (strcmp(bpf_program__name(program), name) == 0)
			wanted = program;
		bpf_program__set_autoload(program, program == wanted);
	}
	error = bpf_object__load(opened);
	fflush(said_stream);
	copy = strdup(said);
	print_values(object, copy);
	free(copy);
	print_answer("load", object, name, error == 0, -error);
	if (error != 0)
		return;
	why = not_tried(wanted, only_harmless);
	if (why) {
		printf("attach\t%s\t%s\t-\t0\t%s\n", object, name, why);
		return;
	}
	link = attach(wanted);
	error = errno;
	if (!link && error == EOPNOTSUPP)
		printf("attach\t%s\t%s\t-\t%d\tits section does not say where to\n", object, name,
		       error);
	else
		print_answer("attach", object, name, link != NULL, error);
	if (link)
		bpf_link__destroy(link);
}

/* In a child, which a signal ends if it takes too long. */
static bool in_child(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0) {
		said_stream = open_memstream(&said, &said_bytes);
		alarm(SECONDS);
	}
	return child == 0;
}

static void end_child(void)
{
	fflush(stdout);
	_exit(0);
}

static void wait_child(const char *object, const char *name)
{
	int status;

	if (wait(&status) > 0 && status != 0)
		printf("killed\t%s\t%s\t%d\n", object, name, WTERMSIG(status));
}

static void try_object(const char *object, bool only_harmless)
{
	struct bpf_object *opened = bpf_object__open_file(object, NULL);
	struct bpf_program *program;

	print_answer("open", object, NULL, opened != NULL, errno);
	if (!opened)
		return;
	/* The children have their own. */
	alarm(0);
	bpf_object__for_each_program(program, opened)
	{
		const char *name = bpf_program__name(program);

		printf("program\t%s\t%s\t%s\n", object, name, bpf_program__section_name(program));
		if (in_child()) {
			try_program(object, name, only_harmless);
			end_child();
		}
		wait_child(object, name);
	}
}

int main(int argc, char **argv)
{
	const struct rlimit all = { RLIM_INFINITY, RLIM_INFINITY };
	bool only_harmless = argc > 1 && strcmp(argv[1], "-t") == 0;
	int first = 1 + only_harmless;

	if (argc <= first || chdir(argv[first]) != 0) {
		perror("object_load");
		return EXIT_FAILURE;
	}
	if (fread(denied + 1, 1, sizeof(denied) - 2, stdin) == 0)
		fprintf(stderr, "object_load: no NAMES\n");
	vmlinux = btf__parse("/sys/kernel/btf/vmlinux", NULL);
	setrlimit(RLIMIT_MEMLOCK, &all);
	libbpf_set_print(listen_to_libbpf);
	for (int i = first + 1; i < argc; i++) {
		if (in_child()) {
			try_object(argv[i], only_harmless);
			end_child();
		}
		wait_child(argv[i], "-");
	}
	return EXIT_SUCCESS;
}
