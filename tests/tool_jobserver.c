/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Prints how many tokens are free in the jobserver that MAKEFLAGS names, without taking any.
 * Exit status 1: there is none.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>

static int open_jobserver(const char *makeflags)
{
	const char *auth = NULL;
	char path[4096];

	for (const char *at = makeflags; (at = strstr(at, "--jobserver-auth=")); at++)
		auth = strchr(at, '=') + 1;
	if (!auth)
		return -1;
	if (sscanf(auth, "fifo:%4095s", path) == 1)
		return open(path, O_RDWR | O_NONBLOCK);
	return (int)strtol(auth, NULL, 10);
}

int main(void)
{
	const char *makeflags = getenv("MAKEFLAGS");
	int fd = makeflags ? open_jobserver(makeflags) : -1;
	int count;

	if (ioctl(fd, FIONREAD, &count) != 0)
		return 1;
	printf("%d\n", count);
	return 0;
}
