/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: probe_load FILE
 *
 * Writes each line of FILE to tracefs' dynamic_events, as a shell would by echo, and takes it away
 * again. On stdout, separated by a tab, of each that the kernel refuses:
 *
 *	refused NUMBER		of the line, from 1
 *	loaded COUNT		at the end: of the others
 *
 * Exit status: 0 when all lines were tried.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Events in tracefs take memory, and are taken away together. */
enum { BATCH = 500 };

static const char path[] = "/sys/kernel/tracing/dynamic_events";

static int open_events(int flags)
{
	int events = open(path, O_WRONLY | flags);

	if (events < 0) {
		perror(path);
		exit(EXIT_FAILURE);
	}
	return events;
}

int main(int argc, char **argv)
{
	FILE *lines = argc > 1 ? fopen(argv[1], "r") : NULL;
	unsigned int number = 0, loaded = 0;
	char *line = NULL;
	size_t room = 0;
	ssize_t length;
	int events;

	if (!lines)
		return EXIT_FAILURE;
	events = open_events(O_TRUNC);
	while ((length = getline(&line, &room, lines)) > 0) {
		number++;
		if (write(events, line, (size_t)length) == length)
			loaded++;
		else
			printf("refused\t%u\n", number);
		if (number % BATCH == 0) {
			close(events);
			events = open_events(O_TRUNC);
		}
	}
	close(events);
	close(open_events(O_TRUNC));
	printf("loaded\t%u\n", loaded);
	return EXIT_SUCCESS;
}
