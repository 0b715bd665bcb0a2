/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* memfd_create, RTLD_NEXT */
#include "tests/fuzz/fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/exact_sections.h"
#include "tests/file_bytes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/* An absurd size in a damaged file is refused, not a finding. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:detect_stack_use_after_return=1";
}

/* ---- inputs ---- */

const char *fuzz_file(uint32_t slot, const struct fuzz_part *part)
{
	static struct memory_file {
		int fd;
		char path[40];
	} files[FUZZ_PARTS_MAX];
	struct memory_file *file = &files[slot];

	if (!file->path[0]) {
		file->fd = memfd_create("fuzz", MFD_CLOEXEC);
		snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
	}
	if (ftruncate(file->fd, 0) < 0 ||
	    pwrite(file->fd, part->data, part->bytes, 0) != (ssize_t)part->bytes)
		abort();
	return file->path;
}

char *fuzz_text(const struct fuzz_part *part)
{
	return memory_string(part->bytes ? (const char *)part->data : "", part->bytes);
}

/* ---- outputs ---- */

/* Sanitizers and fuzzers do not print by these. */
static char printed[1 << 16];

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	memory_init();
	stdout = fopen("/dev/null", "w");
	stderr = fmemopen(printed, sizeof(printed), "w");
	if (!stdout || !stderr)
		abort();
	setvbuf(stderr, NULL, _IONBF, 0);
	return 0;
}

static void complain(const char *what, const char *text)
{
	dprintf(STDERR_FILENO, "%s: '%s'\n", what, text);
	abort();
}

static bool is_line(const char *text, size_t newlines)
{
	size_t found = 0;

	for (const char *rest = text; (rest = strchr(rest, '\n')); rest++)
		found++;
	return text[0] && text[0] != '\n' && found == newlines;
}

void fuzz_expect_line(const struct error *err)
{
	if (!is_line(err->text, 0))
		complain("refused without one line", err->text);
}

void fuzz_command(int (*command)(int argc, char **argv), char **argv)
{
	int argc = 0, status;

	while (argv[argc])
		argc++;
	rewind(stderr);
	status = command(argc, argv);
	if (ftell(stderr) >= 0 && ftell(stderr) < (long)sizeof(printed))
		printed[ftell(stderr)] = '\0';
	if ((status == EXIT_FAILED || status == EXIT_USAGE) && !is_line(printed, 1) &&
	    !strstr(printed, "warning: "))
		complain("failed without one line", printed);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
	struct fuzz_input input = fuzz_split(data, bytes);

	clearerr(stdout);
	fuzz_one(&input);
	exact_sections_release();
	return 0;
}

/* ---- without a fuzzer ---- */

#ifndef WITH_FUZZER
static uint32_t run_path(const char *path)
{
	DIR *folder = opendir(path);
	struct dirent *entry;
	uint32_t count = 0;
	char inner[4096];
	uint8_t *data;
	size_t bytes;

	if (folder) {
		while ((entry = readdir(folder))) {
			snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
			if (entry->d_name[0] != '.')
				count += run_path(inner);
		}
		closedir(folder);
		return count;
	}
	data = file_bytes(path, &bytes);
	if (!data)
		complain("cannot read", path);
	/* For whoever looks at the log of a crash. */
	dprintf(STDERR_FILENO, "%s\n", path);
	LLVMFuzzerTestOneInput(data, bytes);
	free(data);
	return 1;
}

int main(int argc, char **argv)
{
	uint32_t count = 0;

	LLVMFuzzerInitialize(&argc, &argv);
	for (int i = 1; i < argc; i++)
		count += run_path(argv[i]);
	dprintf(STDOUT_FILENO, "%u inputs\n", count);
	return count ? 0 : 1;
}
#endif
