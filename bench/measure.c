/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Runs several commands in turns, so that whatever disturbs the machine disturbs all of them, and
 * prints for each the median and the fastest wall time and the highest peak memory.
 *
 * usage: measure ROUNDS COMMAND...	each COMMAND is one argument, given to sh -c
 * output, a line per command:		median_seconds fastest_seconds peak_kib
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MAX_COMMANDS 16
#define MAX_ROUNDS   101

struct sample {
	double seconds;
	long peak_kib;
};

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
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
	sample.peak_kib = usage.ru_maxrss;
	return sample;
}

static int compare_samples(const void *a, const void *b)
{
	const struct sample *x = a, *y = b;

	return x->seconds < y->seconds ? -1 : x->seconds > y->seconds;
}

int main(int argc, char **argv)
{
	static struct sample samples[MAX_COMMANDS][MAX_ROUNDS];
	int rounds = argc > 1 ? atoi(argv[1]) : 0;
	int commands = argc - 2;

	if (rounds < 1 || rounds > MAX_ROUNDS || commands < 1 || commands > MAX_COMMANDS) {
		fprintf(stderr, "usage: measure ROUNDS COMMAND...\n");
		return 2;
	}
	for (int round = 0; round < rounds; round++) {
		for (int i = 0; i < commands; i++)
			samples[i][round] = run(argv[i + 2]);
	}
	for (int i = 0; i < commands; i++) {
		long peak = 0;

		qsort(samples[i], (size_t)rounds, sizeof(samples[i][0]), compare_samples);
		for (int round = 0; round < rounds; round++)
			peak = samples[i][round].peak_kib > peak ? samples[i][round].peak_kib
								 : peak;
		printf("%.4f %.4f %ld\n", samples[i][rounds / 2].seconds, samples[i][0].seconds,
		       peak);
	}
	return 0;
}
