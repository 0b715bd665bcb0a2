/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The files of a running kernel: explain and list of a --root. Parts: the name that is asked
 * about, the files of the table, the names of a module's BTF and of a folder of events, in two
 * lines, and that BTF. An empty part is a file that is not there.
 *
 * flags: bits 0-2 what is done, 3 tracefs has its README, 4 and kprobe_events.
 *
 * The folder is made once, below TMPDIR, whose owner removes it.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/text_clean.h"
#include "commands/command_line.h"
#include "tests/fuzz/fuzz.h"

const uint32_t fuzz_parts = 9;

#define TRACING "/sys/kernel/tracing"

static const char *const folders[] = {
	"/proc", "/proc/sys", "/proc/sys/kernel", "/sys", "/sys/kernel", "/sys/kernel/btf",
	"/sys/kernel/debug", "/sys/kernel/debug/kprobes", "/sys/kernel/debug/error_injection",
	TRACING, TRACING "/events", "/events", "/events/begun", "/events/sys_exit_thing",
};

static const char *const files[] = {
	"/proc/kallsyms", "/proc/sys/kernel/osrelease", TRACING "/available_filter_functions",
	"/sys/kernel/debug/kprobes/blacklist", "/sys/kernel/debug/error_injection/list",
	"/sys/kernel/btf/vmlinux",
};

static char root[256];

static void make_root(void)
{
	const char *below = getenv("TMPDIR");
	char path[512];

	snprintf(root, sizeof(root), "%s/btfenc-fuzz-XXXXXX", below ? below : "/dev/shm");
	if (!mkdtemp(root))
		abort();
	for (size_t i = 0; i < sizeof(folders) / sizeof(*folders); i++) {
		snprintf(path, sizeof(path), "%s%s", root, folders[i]);
		if (mkdir(path, 0700) < 0)
			abort();
	}
}

static void put(const char *name, const struct fuzz_part *part)
{
	char path[1024];
	int fd;

	snprintf(path, sizeof(path), "%s%s", root, name);
	if (!part->bytes) {
		unlink(path);
		return;
	}
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, part->data, part->bytes) != (ssize_t)part->bytes)
		abort();
	close(fd);
}

/* Takes a line of the names; false: no file can have it. */
static bool take_name(char path[512], const char *folder, char **rest)
{
	char *name = strsep(rest, "\n");
	int at = snprintf(path, 512, "%s/%.255s", folder, name ? name : "");

	for (char *p = path + strlen(folder) + 1; *p; p++)
		*p = *p == '/' ? '_' : *p;
	return at > 0 && name && *name && strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static void put_named(const struct fuzz_part *names, const struct fuzz_part *module)
{
	static const struct fuzz_part none;
	static char btf[512], now[1024];
	char *text = fuzz_text(names), *rest = text, unnamed[512], events[512];

	put(btf, &none);
	snprintf(unnamed, sizeof(unnamed), "%s/events", root);
	if (*now && rename(now, unnamed) < 0)
		abort();
	*now = '\0';
	if (take_name(btf, "/sys/kernel/btf", &rest) && strcmp(btf, "/sys/kernel/btf/vmlinux") != 0)
		put(btf, module);
	if (take_name(events, TRACING "/events", &rest)) {
		snprintf(now, sizeof(now), "%s%s", root, events);
		if (rename(unnamed, now) < 0)
			abort();
	}
	free(text);
}

/* What people paste: a script without its comments, and lines of text after these words. */
static bool is_pasted(const char *line, char kind, bool was)
{
	if (kind == 's')
		return line[0] != '/' && line[0] != '#' && strncmp(line, " *", 2) != 0;
	if (strncmp(line, "  ", 2) != 0)
		return false;
	return strncmp(line + 2, "          ", 10) == 0 ? was :
	       strncmp(line + 2, "bpf       ", 10) == 0 ||
	       strncmp(line + 2, "bpftrace  ", 10) == 0 ||
	       strncmp(line + 2, "bpfsnoop  ", 10) == 0 ||
	       strncmp(line + 2, "retsnoop  ", 10) == 0 ||
	       strncmp(line + 2, "tracefs   ", 10) == 0;
}

/*
 * No control characters; and a byte that names of the input may have, and no name of a kernel, is
 * in no line to paste. `kind`: (s)cript, (t)ext or (d)ata.
 */
static void expect_clean(const char *text, size_t bytes, char kind)
{
	bool pasted = false;
	size_t end = 0;

	for (size_t i = 0; i < bytes; i++) {
		if (kind != 'd' && (!i || text[i - 1] == '\n'))
			pasted = is_pasted(text + i, kind, pasted);
		if ((text[i] != '\n' && text[i] != '\t' &&
		     text_clean_at(text, bytes, i, &end) != text[i]) ||
		    (pasted && text[i] == '`'))
			fuzz_complain("what is printed has such a byte", text + i);
	}
}

void fuzz_one(const struct fuzz_input *input)
{
	static char *const options[8][3] = {
		{ (char *)"-j1" }, { (char *)"--json" }, { (char *)"--script=bpftrace" },
		{ (char *)"--script=tracefs" }, { (char *)"--script=libbpf" },
		{ (char *)"--format=json" }, { (char *)"--format=tsv" },
		{ (char *)"--format=bpftrace", (char *)"--attachable=kprobe" },
	};
	static const struct fuzz_part yes = { (const uint8_t *)"x", 1 }, no;
	unsigned int mode = input->flags & 7;
	char *const *option = options[mode];
	bool is_list = mode > 4;
	char *name = fuzz_text(&input->parts[0]), *printed = NULL, below[300];
	FILE *before = stdout;
	size_t bytes;

	if (!*root)
		make_root();
	/* First: the module of the input before this may have been called vmlinux. */
	put_named(&input->parts[7], &input->parts[8]);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		put(files[i], &input->parts[1 + i]);
	put(TRACING "/README", input->flags & 8 ? &yes : &no);
	put(TRACING "/kprobe_events", input->flags & 16 ? &yes : &no);

	snprintf(below, sizeof(below), "--root=%s", root);
	stdout = open_memstream(&printed, &bytes);
	fuzz_command(is_list ? cmd_list : cmd_explain,
		     (char *[]){ (char *)(is_list ? "list" : "explain"), (char *)"-j1", below,
				 option[0], (char *)(option[1] ? option[1] : "-j1"), (char *)"--",
				 name, NULL });
	fclose(stdout);
	stdout = before;
	expect_clean(printed, bytes, "tdsssdds"[mode]);
	free(printed);
	free(name);
}
