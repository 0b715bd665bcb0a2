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
#include "tests/mutate.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);
int LLVMFuzzerInitialize(int *argc, char ***argv);

/*
 * An absurd size in a damaged file is refused, not a finding. An execution frees little: with a
 * quarantine of 256 MiB, the default, each has fresh memory, and long stacks cost as much again.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "allocator_may_return_null=1:detect_stack_use_after_return=1:"
	       "quarantine_size_mb=8:malloc_context_size=8";
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
		int made = memfd_create("fuzz", MFD_CLOEXEC);

		/* Inputs name each other's files. */
		file->fd = dup2(made, FUZZ_FIRST_FILE + (int)slot);
		close(made);
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

void fuzz_complain(const char *what, const char *text)
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
		fuzz_complain("refused without one line", err->text);
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
		fuzz_complain("failed without one line", printed);
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
/* What follows each input, so that a mutation may make it longer. */
#define ROOM 4096

struct loaded {
	uint8_t *data;
	size_t bytes;
};

static ARRAY_OF(struct loaded) inputs;

static void load(const char *path)
{
	DIR *folder = opendir(path);
	struct loaded input;
	struct dirent *entry;
	char inner[4096];

	if (folder) {
		while ((entry = readdir(folder))) {
			snprintf(inner, sizeof(inner), "%s/%s", path, entry->d_name);
			if (entry->d_name[0] != '.')
				load(inner);
		}
		closedir(folder);
		return;
	}
	input.data = file_bytes(path, &input.bytes);
	if (!input.data)
		fuzz_complain("cannot read", path);
	array_push(&inputs, input);
}

/* One of them, changed a few times. Nothing guides it to new code as a fuzzer would. */
static void run_mutated(struct random *random)
{
	const struct loaded *from = &inputs.data[random_below(random, inputs.count)];
	uint8_t *data = memory_alloc(from->bytes + ROOM);
	size_t bytes = from->bytes;

	memcpy(data, from->data, bytes);
	for (uint64_t i = 1 + random_below(random, 2); i; i--)
		bytes = LLVMFuzzerCustomMutator(data, bytes, from->bytes + ROOM,
						(unsigned int)random_next(random));
	LLVMFuzzerTestOneInput(data, bytes);
	free(data);
}

/* [-N [-SEED]] FILE...: each file or folder, and N mutations of these. */
int main(int argc, char **argv)
{
	struct random random = { 1 };
	uint64_t mutations = 0;
	int first = 1;

	LLVMFuzzerInitialize(&argc, &argv);
	if (first < argc && argv[first][0] == '-')
		mutations = strtoull(argv[first++] + 1, NULL, 10);
	if (first < argc && argv[first][0] == '-')
		random.state = strtoull(argv[first++] + 1, NULL, 10);
	for (int i = first; i < argc; i++)
		load(argv[i]);
	for (size_t i = 0; i < inputs.count; i++)
		LLVMFuzzerTestOneInput(inputs.data[i].data, inputs.data[i].bytes);
	for (uint64_t i = 0; i < mutations && inputs.count; i++)
		run_mutated(&random);
	dprintf(STDOUT_FILENO, "%zu inputs, %llu mutations\n", inputs.count,
		(unsigned long long)mutations);
	for (size_t i = 0; i < inputs.count; i++)
		free(inputs.data[i].data);
	array_release(&inputs);
	return 0;
}
#endif
