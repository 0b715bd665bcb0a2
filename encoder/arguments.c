/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/arguments.h"

#include <errno.h>
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
