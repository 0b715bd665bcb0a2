/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: fuzz_mutate [-c CUTS] [-f FLIPS] [-b BTF_FLIPS] [-s SEED] [-n CASE] FILE...
 *
 * Robustness against damage: each file is cut at CUTS places and encoded; then encoded FLIPS times
 * with random bytes changed; then its BTF is checked and printed BTF_FLIPS times with random bytes
 * changed. Required each time: success, or failure with one line that says why. A crash, a
 * sanitizer's finding, a leak or CASE_SECONDS without an answer is a failure, and the line printed
 * for it tells how to repeat that one case (-n). Worth most when built with sanitizers.
 *
 * The cases run in child processes, BATCH of them in each, which goes on behind a case that killed
 * its child. Exit status: 0 all well, 1 some case failed.
 */
#define _GNU_SOURCE	/* memfd_create, RTLD_NEXT */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "encoder/commands.h"
#include "encoder/encode.h"
#include "tests/exact_sections.h"
#include "tests/mutate.h"

#define BATCH	     100
#define CASE_SECONDS 20

/* Only there in a build with a leak detector. */
__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);

enum outcome { CASE_GOOD, CASE_REFUSED, CASE_FAILED };

struct settings {
	uint32_t cuts, flips, btf_flips;
	uint64_t seed;
	int64_t only;		/* one case, or -1 */
};

struct subject {
	const char *path;
	uint8_t *data;
	size_t bytes;
	struct mutate_map map;
	uint8_t *btf;		/* what the undamaged file is encoded to */
	size_t btf_bytes;
	struct mutate_map btf_map;
};

/* Shared with the children. */
struct progress {
	uint32_t next;		/* the case that is running */
	uint32_t good, refused;
};

static bool one_line(const struct error *err)
{
	return err->text[0] && !strchr(err->text, '\n') && strlen(err->text) < ERROR_TEXT_BYTES;
}

static enum outcome refused(const struct error *err)
{
	if (one_line(err))
		return CASE_REFUSED;
	fprintf(stderr, "refused without one line: '%s'\n", err->text);
	return CASE_FAILED;
}

static bool encode_path(const char *path, bool strict, struct btf_image *image,
			struct error *err)
{
	struct encode_options options = { .path = path, .jobs = 2, .strict = strict };
	struct encode_report report;

	features_default(&options.features);
	/* All evidence is looked at, and everything is written. */
	options.features.feature_true_signature = options.count_inlined = true;
	options.features.feature_global_var = options.features.feature_attributes = true;
	options.languages = (struct language_set){ .rust = true, .cxx = true };
	err->text[0] = '\0';
	return encode_file(&options, image, &report, err);
}

/* A file in memory with a name that the encoder can open. */
static int memory_file(const uint8_t *data, size_t bytes, char *path, size_t path_bytes)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);

	for (size_t done = 0; fd >= 0 && done < bytes;) {
		ssize_t n = write(fd, data + done, bytes - done);

		if (n <= 0)
			abort();
		done += (size_t)n;
	}
	snprintf(path, path_bytes, "/proc/self/fd/%d", fd);
	return fd;
}

static enum outcome encode_bytes(const uint8_t *data, size_t bytes, bool strict)
{
	struct btf_image image;
	enum outcome outcome = CASE_GOOD;
	struct error err;
	char path[64];
	int fd = memory_file(data, bytes, path, sizeof(path));

	if (encode_path(path, strict, &image, &err))
		btf_image_release(&image);
	else
		outcome = refused(&err);
	close(fd);
	return outcome;
}

/* One line has been printed on stderr, and nothing else. */
static bool printed_one_line(off_t before)
{
	char text[4096];
	ssize_t n = pread(STDERR_FILENO, text, sizeof(text), before);

	if (before < 0)
		return true;		/* not in a batch: somebody is looking at it */
	return n > 1 && n < (ssize_t)sizeof(text) && memchr(text, '\n', (size_t)n) == text + n - 1;
}

/* `btfenc check` and `btfenc dump`; standard output is /dev/null in a child. */
static enum outcome read_btf(const uint8_t *data, size_t bytes)
{
	static int (*const commands[])(int argc, char **argv) = { cmd_check, cmd_dump };
	enum outcome outcome = CASE_GOOD;
	char path[64];
	int fd = memory_file(data, bytes, path, sizeof(path));

	for (size_t i = 0; i < 2 && outcome != CASE_FAILED; i++) {
		char *argv[] = { (char *)(i ? "dump" : "check"), path, NULL };
		off_t before = lseek(STDERR_FILENO, 0, SEEK_END);
		int status = commands[i](2, argv);

		if (status == EXIT_FAILED && !printed_one_line(before))
			outcome = CASE_FAILED;
		else if (status == EXIT_USAGE)
			outcome = CASE_FAILED;
		else if (status != EXIT_DONE)
			outcome = CASE_REFUSED;
	}
	close(fd);
	return outcome;
}

static enum outcome run_case(const struct subject *subject, const struct settings *settings,
			     uint32_t number)
{
	/* Of its own for each case, so that one case can be repeated. */
	struct random random = { settings->seed * 0x100000000u + number };
	bool is_btf = number >= settings->cuts + settings->flips;
	const uint8_t *from = is_btf ? subject->btf : subject->data;
	size_t bytes = is_btf ? subject->btf_bytes : subject->bytes;
	uint8_t *copy = memory_alloc(bytes);
	enum outcome outcome;

	memcpy(copy, from, bytes);
	if (is_btf) {
		mutate_flip(&subject->btf_map, &random, copy);
		outcome = read_btf(copy, bytes);
	} else if (number < settings->cuts) {
		outcome = encode_bytes(copy, mutate_cut(&subject->map, &random, number,
							settings->cuts), false);
	} else {
		mutate_flip(&subject->map, &random, copy);
		outcome = encode_bytes(copy, bytes, number % 2);
	}
	exact_sections_release();
	free(copy);
	return outcome;
}

/* In a child. Returns its exit status. */
static int run_batch(const struct subject *subject, const struct settings *settings,
		     struct progress *progress, uint32_t end)
{
	for (uint32_t i = progress->next; i < end; i++) {
		enum outcome outcome;

		/* What an earlier case printed would only hide what this one prints. */
		if (settings->only < 0 && (ftruncate(STDERR_FILENO, 0) < 0 ||
					   lseek(STDERR_FILENO, 0, SEEK_SET) < 0))
			return 1;
		progress->next = i;
		alarm(CASE_SECONDS);
		outcome = run_case(subject, settings, i);
		alarm(0);
		if (outcome == CASE_FAILED)
			return 1;
		progress->good += outcome == CASE_GOOD;
		progress->refused += outcome == CASE_REFUSED;
	}
	if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check()) {
		fprintf(stderr, "the leak is from this case or one of the %d before it\n", BATCH);
		return 1;
	}
	progress->next = end;
	return 0;
}

static void silence_stdout(void)
{
	if (!freopen("/dev/null", "w", stdout))
		abort();
}

static void print_log(int log)
{
	char buffer[4096];
	ssize_t n;

	lseek(log, 0, SEEK_SET);
	while ((n = read(log, buffer, sizeof(buffer))) > 0)
		fwrite(buffer, 1, (size_t)n, stdout);
}

static void report_failure(const struct subject *subject, const struct settings *settings,
			   uint32_t number, int status, int log)
{
	printf("FAILED: fuzz_mutate -c %u -f %u -b %u -s %llu -n %u %s: ", settings->cuts,
	       settings->flips, settings->btf_flips, (unsigned long long)settings->seed, number,
	       subject->path);
	if (WIFSIGNALED(status))
		printf("signal %d%s\n", WTERMSIG(status),
		       WTERMSIG(status) == SIGALRM ? " (too slow)" : "");
	else
		printf("exit status %d\n", WEXITSTATUS(status));
	print_log(log);
	fflush(stdout);
}

/* Runs all cases of a file. Returns how many failed. */
static uint32_t run_subject(const struct subject *subject, const struct settings *settings)
{
	struct progress *progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
					 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	uint32_t end = settings->cuts + settings->flips + settings->btf_flips;
	int log = memfd_create("log", MFD_CLOEXEC);
	uint32_t failures = 0;

	*progress = (struct progress){ 0 };
	while (progress->next < end) {
		uint32_t batch_end = progress->next + BATCH < end ? progress->next + BATCH : end;
		int status;
		pid_t pid = fork();

		if (pid < 0)
			abort();
		if (pid == 0) {
			dup2(log, STDERR_FILENO);
			silence_stdout();
			_exit(run_batch(subject, settings, progress, batch_end));
		}
		waitpid(pid, &status, 0);
		if (status == 0)
			continue;
		failures++;
		report_failure(subject, settings, progress->next, status, log);
		progress->next++;
	}
	printf("%s: %u cases: %u encoded or printed, %u refused, %u failed\n", subject->path, end,
	       progress->good, progress->refused, failures);
	fflush(stdout);
	munmap(progress, sizeof(*progress));
	close(log);
	return failures;
}

static bool load(struct subject *subject, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct btf_image image;
	struct error err;
	struct stat st;

	*subject = (struct subject){ .path = path };
	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	subject->bytes = (size_t)st.st_size;
	subject->data = memory_alloc(subject->bytes);
	if (read(fd, subject->data, subject->bytes) != st.st_size)
		return false;
	close(fd);
	mutate_map_elf(&subject->map, subject->data, subject->bytes);
	if (!encode_path(path, true, &image, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return false;
	}
	subject->btf = image.data;
	subject->btf_bytes = image.size;
	free(image.shapes);
	exact_sections_release();
	mutate_map_elf(&subject->btf_map, image.data, image.size);
	return true;
}

static void unload(struct subject *subject)
{
	free(subject->data);
	free(subject->btf);
}

int main(int argc, char **argv)
{
	struct settings settings = { .cuts = 200, .flips = 2000, .btf_flips = 500, .seed = 1,
				     .only = -1 };
	uint32_t failures = 0;
	int option;

	while ((option = getopt(argc, argv, "c:f:b:s:n:")) != -1) {
		switch (option) {
		case 'c': settings.cuts = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'f': settings.flips = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'b': settings.btf_flips = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 's': settings.seed = strtoull(optarg, NULL, 0); break;
		case 'n': settings.only = strtoll(optarg, NULL, 0); break;
		default: return EXIT_USAGE;
		}
	}
	for (; optind < argc; optind++) {
		struct subject subject;

		if (!load(&subject, argv[optind])) {
			printf("FAILED: %s cannot be read\n", argv[optind]);
			failures++;
		} else if (settings.only >= 0) {
			struct progress progress = { .next = (uint32_t)settings.only };

			failures += (uint32_t)run_batch(&subject, &settings, &progress,
							progress.next + 1);
			printf("%s: case %lld: %u failed\n", subject.path,
			       (long long)settings.only, failures);
		} else {
			failures += run_subject(&subject, &settings);
		}
		unload(&subject);
	}
	return failures != 0;
}
