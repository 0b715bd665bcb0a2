/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/arguments.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

bool arguments_parse_jobs(const char *text, unsigned int *jobs)
{
	char *end;
	unsigned long value;

	/* strtoul() would take " 3", "+3" and "-3", too. */
	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	value = strtoul(text, &end, 10);
	if (errno || *end || value > ARGUMENTS_MAX_JOBS)
		return false;
	*jobs = (unsigned int)value;
	return true;
}

bool arguments_same_file(const char *a, const char *b)
{
	struct stat x, y;

	return stat(a, &x) == 0 && stat(b, &y) == 0 && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

int arguments_usage_error(const char *command, const char *format, const char *what)
{
	struct error err;
	char text[400];

	snprintf(text, sizeof(text), format, what);
	error_set(&err, "%s: %s; see btfenc %s --help", command, text, command);
	fprintf(stderr, "btfenc: %s\n", err.text);
	return EXIT_USAGE;
}

int arguments_common(const char *command, int option, char **argv, struct encode_options *options)
{
	struct error err;

	switch (option) {
	case 'j':
		if (arguments_parse_jobs(optarg, &options->jobs))
			return -1;
		return arguments_usage_error(command, "-j needs a number up to 256, not '%s'",
					     optarg);
	case ARGUMENT_FEATURES:
		if (features_parse(&options->features, optarg, &err))
			return -1;
		fprintf(stderr, "btfenc: %s\n", err.text);
		return EXIT_USAGE;
	case ':':
		return arguments_usage_error(command, "%s needs an argument", argv[optind - 1]);
	default: return arguments_usage_error(command, "%s is not an option", argv[optind - 1]);
	}
}
