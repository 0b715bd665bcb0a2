/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Runs several commands in turns, so that whatever disturbs the machine disturbs all of them, and
 * prints for each the median and the fastest wall time, the highest peak memory, and the least
 * processor time.
 *
 * usage: measure ROUNDS { [--before COMMAND] NAME COMMAND }...
 *	each COMMAND is one argument, given to sh -c; the one after --before makes ready what NAME's
 *	needs, each time, and is not measured
 * output, a line per NAME: NAME median_seconds fastest_seconds peak_kib processor_seconds
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_COMMANDS 16
#define MAX_ROUNDS   101

struct sample {
	double seconds;
	double processor_seconds;
	long peak_kib;
};

struct subject {
	const char *name;
	const char *before;	/* NULL: nothing to make ready */
	const char *command;
	struct sample samples[MAX_ROUNDS];
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double seconds_of(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static struct sample run(const char *command)
{
	struct sample sample = { .seconds = now() };
	struct rusage usage;
	int status;
	pid_t child = fork();

	if (child == 0) {
		execl("/bin/sh", "sh", "-c", command, (char *)NULL);
		_exit(127);
	}
	if (child < 0 || wait4(child, &status, 0, &usage) < 0) {
		perror("measure");
		exit(3);
	}
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
		fprintf(stderr, "measure: failed: %s\n", command);
		exit(3);
	}
	sample.seconds = now() - sample.seconds;
	sample.processor_seconds = seconds_of(usage.ru_utime) + seconds_of(usage.ru_stime);
	sample.peak_kib = usage.ru_maxrss;
	return sample;
}

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

/* Returns their number; 0: the arguments are wrong. */
static int read_subjects(struct subject *subjects, char **arguments)
{
	int count = 0;

	while (*arguments) {
		struct subject *subject = &subjects[count++];

		if (count > MAX_COMMANDS)
			return 0;
		if (strcmp(*arguments, "--before") == 0) {
			if (!arguments[1] || !arguments[2])
				return 0;
			subject->before = arguments[1];
			arguments += 2;
		}
		if (!arguments[1])
			return 0;
		subject->name = arguments[0];
		subject->command = arguments[1];
		arguments += 2;
	}
	return count;
}

static void print_result(struct subject *subject, int rounds)
{
	struct sample *samples = subject->samples;
	double least = samples[0].processor_seconds;
	long peak = 0;

	qsort(samples, (size_t)rounds, sizeof(*samples), compare_samples);
	for (int round = 0; round < rounds; round++) {
		peak = samples[round].peak_kib > peak ? samples[round].peak_kib : peak;
		if (samples[round].processor_seconds < least)
			least = samples[round].processor_seconds;
	}
	printf("%s %.4f %.4f %ld %.4f\n", subject->name, samples[rounds / 2].seconds,
	       samples[0].seconds, peak, least);
}

int main(int argc, char **argv)
{
	static struct subject subjects[MAX_COMMANDS];
	int rounds = argc > 1 ? atoi(argv[1]) : 0;
	int count = argc > 1 ? read_subjects(subjects, argv + 2) : 0;

	if (rounds < 1 || rounds > MAX_ROUNDS || count < 1) {
		fprintf(stderr, "usage: measure ROUNDS { [--before COMMAND] NAME COMMAND }...\n");
		return 2;
	}
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < count; i++) {
			if (subjects[i].before)
				run(subjects[i].before);
			subjects[i].samples[round] = run(subjects[i].command);
		}
	}
	for (int i = 0; i < count; i++)
		print_result(&subjects[i], rounds);
	return 0;
}
