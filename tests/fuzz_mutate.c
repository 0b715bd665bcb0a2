/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: fuzz_mutate [-c CUTS] [-f FLIPS] [-b BTF_FLIPS] [-d BASE_FLIPS] [-p SPLIT_FLIPS]
 *		      [-e EXTRA_FLIPS] [-s SEED] [-n CASE] FILE...
 *
 * Robustness against damage: each file is cut at CUTS places and encoded; then encoded FLIPS times
 * with random bytes changed; then its BTF is checked and printed BTF_FLIPS times with random bytes
 * changed; then the file is encoded BASE_FLIPS times on a base with random bytes changed, every
 * other time distilled, and the result checked and printed on it; then the BTF that is split from
 * the good base SPLIT_FLIPS times with random bytes changed; and EXTRA_FLIPS times what is
 * .BTF.extra. The features inline and func_secinfo are on in half of the encodings of damaged
 * files. Required each time: success, or failure with one line that says why. A crash, a
 * sanitizer's finding, a leak or CASE_SECONDS without an answer is a failure, and the line printed
 * for it tells how to repeat that one case (-n). Worth most when built with sanitizers.
 *
 * The cases run in child processes, BATCH of them in each, which goes on after a case that killed
 * its child. Exit status: 0 all well, 1 some case failed.
 */
#define _GNU_SOURCE	/* memfd_create, RTLD_NEXT */
#include <assert.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "commands/command_line.h"
#include "encoder/result.h"
#include "tests/exact_sections.h"
#include "tests/mutate.h"

#define BATCH	     100
#define CASE_SECONDS 20

/* Only there in a build with a leak detector. */
__attribute__((weak)) int __lsan_do_recoverable_leak_check(void);

enum outcome { CASE_GOOD, CASE_REFUSED, CASE_FAILED };

struct settings {
	uint32_t cuts, flips, btf_flips, base_flips, split_flips, extra_flips;
	uint64_t seed;
	int64_t only;		/* one case, or -1 */
};

struct blob {
	uint8_t *data;
	size_t bytes;
	struct mutate_map map;
};

struct subject {
	const char *path;
	struct blob file;
	struct blob btf;	/* what the undamaged file is encoded to */
	struct blob base;	/* the same with fewer features */
	struct blob split;	/* and what the base does not have */
	struct blob extra;	/* of `btf` */
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

/* The options of an encoding, apart from the path. */
struct manner {
	bool strict;
	bool few_features;
	bool sites;			/* inline sites, and an extra image */
	const struct btf_base *base;
	bool distill;
};

static bool encode_path(const char *path, struct manner manner, struct btf_image *image,
			struct error *err)
{
	struct encode_options options = { .path = path, .jobs = 2, .strict = manner.strict,
					  .base = manner.base };
	struct encode_report report;

	features_default(&options.features);
	options.features.feature_distilled_base = manner.distill;
	if (manner.few_features)
		options.features.feature_float = options.features.feature_enum64 = false;
	/* All evidence is looked at, and everything is written. */
	options.features.feature_true_signature = options.count_inlined = true;
	options.features.feature_global_var = options.features.feature_attributes = true;
	options.features.feature_inline = options.features.feature_func_secinfo = manner.sites;
	options.features.func_secinfo_inline = manner.sites;
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

static enum outcome encode_bytes(const uint8_t *data, size_t bytes, struct manner manner)
{
	struct btf_image image;
	enum outcome outcome = CASE_GOOD;
	struct error err;
	char path[64];
	int fd = memory_file(data, bytes, path, sizeof(path));

	if (encode_path(path, manner, &image, &err))
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
		return true;		/* not in a batch: a person is looking at it */
	return n > 1 && n < (ssize_t)sizeof(text) && memchr(text, '\n', (size_t)n) == text + n - 1;
}

/* `btfenc check` and `btfenc dump`, on a base unless it is NULL; stdout is /dev/null in a child. */
static enum outcome read_btf(const uint8_t *data, size_t bytes, const uint8_t *base,
			     size_t base_bytes)
{
	static int (*const commands[])(int argc, char **argv) = { cmd_check, cmd_dump };
	enum outcome outcome = CASE_GOOD;
	char path[64], base_path[64];
	int fd = memory_file(data, bytes, path, sizeof(path));
	int base_fd = base ? memory_file(base, base_bytes, base_path, sizeof(base_path)) : -1;

	for (size_t i = 0; i < 2 && outcome != CASE_FAILED; i++) {
		char *argv[] = { (char *)(i ? "dump" : "check"), path, (char *)"--base", base_path,
				 NULL };
		off_t before = lseek(STDERR_FILENO, 0, SEEK_END);
		int status = commands[i](base ? 4 : 2, argv);

		if (status == EXIT_FAILED && !printed_one_line(before))
			outcome = CASE_FAILED;
		else if (status == EXIT_USAGE)
			outcome = CASE_FAILED;
		else if (status != EXIT_DONE)
			outcome = CASE_REFUSED;
	}
	close(fd);
	if (base_fd >= 0)
		close(base_fd);
	return outcome;
}

/* Encodes the good file on a damaged base. */
static enum outcome encode_on(const char *path, const uint8_t *data, size_t bytes, bool distill)
{
	struct manner manner = { .distill = distill };
	struct btf_reader reader;
	struct btf_image image;
	struct btf_base base;
	enum outcome outcome;
	struct error err = { "" };

	if (!btf_reader_from_memory(&reader, data, bytes, "base", NULL, &err))
		return refused(&err);
	btf_base_init(&base, &reader);
	if (bytes % 2)
		btf_base_index_all(&base);
	manner.base = &base;
	if (encode_path(path, manner, &image, &err)) {
		outcome = read_btf(image.data, image.size, distill ? image.base_data : data,
				   distill ? image.base_size : bytes);
		btf_image_release(&image);
	} else {
		outcome = refused(&err);
	}
	btf_base_release(&base);
	btf_reader_release(&reader);
	return outcome;
}

enum damage { DAMAGE_CUT, DAMAGE_FLIP, DAMAGE_BTF, DAMAGE_BASE, DAMAGE_SPLIT,
	      DAMAGE_EXTRA };

static enum damage damage_of(const struct settings *settings, uint32_t number)
{
	const uint32_t counts[] = { settings->cuts, settings->flips, settings->btf_flips,
				    settings->base_flips, settings->split_flips };
	uint32_t damage = 0;

	while (damage < DAMAGE_EXTRA && number >= counts[damage])
		number -= counts[damage++];
	return (enum damage)damage;
}

static uint32_t case_count(const struct settings *settings)
{
	return settings->cuts + settings->flips + settings->btf_flips + settings->base_flips +
	       settings->split_flips + settings->extra_flips;
}

static enum outcome run_case(const struct subject *subject, const struct settings *settings,
			     uint32_t number)
{
	const struct blob *const blobs[] = { &subject->file, &subject->file, &subject->btf,
					     &subject->base, &subject->split, &subject->extra };
	/* Each case has its own, so that one case can be repeated. */
	struct random random = { settings->seed * 0x100000000u + number };
	enum damage damage = damage_of(settings, number);
	const struct manner manner = { .strict = damage == DAMAGE_FLIP && number % 2,
				       .sites = number / 2 % 2 };
	const struct blob *from = blobs[damage];
	size_t bytes = from->bytes;
	uint8_t *copy = memory_alloc(bytes);
	enum outcome outcome = CASE_FAILED;

	memcpy(copy, from->data, bytes);
	if (damage == DAMAGE_CUT)
		bytes = mutate_cut(&from->map, &random, number, settings->cuts);
	else
		mutate_flip(&from->map, &random, copy);
	switch (damage) {
	case DAMAGE_CUT:
	case DAMAGE_FLIP: outcome = encode_bytes(copy, bytes, manner); break;
	case DAMAGE_BTF: outcome = read_btf(copy, bytes, NULL, 0); break;
	case DAMAGE_BASE: outcome = encode_on(subject->path, copy, bytes, number % 2); break;
	case DAMAGE_SPLIT:
		outcome = read_btf(copy, bytes, subject->base.data, subject->base.bytes);
		break;
	case DAMAGE_EXTRA:
		outcome = read_btf(copy, bytes, subject->btf.data, subject->btf.bytes);
		break;
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

		/* The output of an earlier case would only hide that of this one. */
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
	printf("FAILED: fuzz_mutate -c %u -f %u -b %u -d %u -p %u -e %u -s %llu -n %u %s: ",
	       settings->cuts, settings->flips, settings->btf_flips, settings->base_flips,
	       settings->split_flips, settings->extra_flips, (unsigned long long)settings->seed,
	       number, subject->path);
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
	uint32_t end = case_count(settings);
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

static bool load_file(struct blob *file, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		return false;
	file->bytes = (size_t)st.st_size;
	file->data = memory_alloc(file->bytes);
	if (read(fd, file->data, file->bytes) != st.st_size)
		return false;
	close(fd);
	mutate_map_elf(&file->map, file->data, file->bytes);
	return true;
}

static void take(struct blob *btf, uint8_t *data, size_t bytes)
{
	assert(btf);
	btf->data = data;
	btf->bytes = bytes;
	mutate_map_elf(&btf->map, data, bytes);
}

/* `extra` is filled if the manner makes one. */
static bool load_btf(struct blob *btf, struct blob *extra, const char *path, struct manner manner)
{
	struct btf_image image;
	struct error err;

	if (!encode_path(path, manner, &image, &err)) {
		fprintf(stderr, "%s\n", err.text);
		return false;
	}
	take(btf, image.data, image.size);
	if (image.parts[BTF_PART_EXTRA].data)
		take(extra, image.parts[BTF_PART_EXTRA].data, image.parts[BTF_PART_EXTRA].size);
	free(image.nodes);
	exact_sections_release();
	return true;
}

static bool load_split(struct subject *subject)
{
	struct btf_reader reader;
	struct btf_base base;
	struct error err;
	bool good;

	if (!btf_reader_from_memory(&reader, subject->base.data, subject->base.bytes, "base", NULL,
				    &err))
		return false;
	btf_base_init(&base, &reader);
	good = load_btf(&subject->split, NULL, subject->path, (struct manner){ .base = &base });
	btf_base_release(&base);
	btf_reader_release(&reader);
	return good;
}

static bool load(struct subject *subject, const char *path)
{
	*subject = (struct subject){ .path = path };
	return load_file(&subject->file, path) &&
	       load_btf(&subject->btf, &subject->extra, path,
			(struct manner){ .strict = true, .sites = true }) &&
	       load_btf(&subject->base, NULL, path, (struct manner){ .few_features = true }) &&
	       load_split(subject);
}

static void unload(struct subject *subject)
{
	free(subject->file.data);
	free(subject->btf.data);
	free(subject->base.data);
	free(subject->split.data);
	free(subject->extra.data);
}

int main(int argc, char **argv)
{
	struct settings settings = { .cuts = 200, .flips = 2000, .btf_flips = 500,
				     .base_flips = 500, .split_flips = 300, .extra_flips = 300,
				     .seed = 1, .only = -1 };
	uint32_t failures = 0;
	int option;

	while ((option = getopt(argc, argv, "c:f:b:d:p:e:s:n:")) != -1) {
		switch (option) {
		case 'c': settings.cuts = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'f': settings.flips = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'b': settings.btf_flips = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'd': settings.base_flips = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'p': settings.split_flips = (uint32_t)strtoul(optarg, NULL, 0); break;
		case 'e': settings.extra_flips = (uint32_t)strtoul(optarg, NULL, 0); break;
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
