/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: probe_args PROBES FILE
 *        probe_args -b OBJECT FILE
 *        probe_args -r OUTPUT FILE
 *
 * Do probes show under a parameter's name what the caller has passed? PROBES has lines for tracefs'
 * kprobe_events, with "EVENT PLACE ARGUMENTS" only: events are FUNCTION, FUNCTION_2 or
 * FUNCTION_inline_2. Sets those of functions in the tables of calls.c, makes the calls, and looks
 * at each event of this process during a call. With -b it is OBJECT's BPF programs that are loaded,
 * attached and make the lines; with -r another process, which writes them to OUTPUT.
 *
 * On stdout, separated by tabs:
 *
 *	set COUNT			events, or programs
 *	value EVENT PARAMETER SEEN	what no row of the call says of the function's parameter
 *	seen FUNCTION PARAMETER VALUE	a row whose value was seen
 *	right COUNT			values that a row says
 *	error TEXT
 *
 * Exit status: 0 when all was tried.
 */
#include <ctype.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/kbuild/calls.h"
#include "tests/kbuild/fentry.h"

#define TRACING "/sys/kernel/tracing/"
#define GROUP	"probe_args"

static const char *output;	/* of another process */
static uint64_t right;

static int write_file(const char *path, int flags, const char *text)
{
	int file = open(path, O_WRONLY | flags);
	int status = file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;

	if (file >= 0)
		close(file);
	return status;
}

/* The length of FUNCTION in an event's name. */
static size_t function_length(const char *event, size_t length)
{
	size_t at = length;
	char name[128];

	while (at && isdigit((unsigned char)event[at - 1]))
		at--;
	snprintf(name, sizeof(name), "%.*s", (int)(at ? at - 1 : 0), event);
	if (at == length || !at || event[at - 1] != '_')
		return length;
	at--;
	return at > 7 && strcmp(name + at - 7, "_inline") == 0 ? at - 7 : at;
}

static bool is_of(const struct expectation *row, const char *event, size_t length)
{
	size_t function = strlen(row->function);

	/* vfs_2 is a function or the second vfs. */
	return (function == length && strncmp(row->function, event, length) == 0) ||
	       (function == function_length(event, length) &&
		strncmp(row->function, event, function) == 0);
}

static bool is_wanted(const char *event, size_t length)
{
	for (size_t i = 0; i < expectation_count; i++) {
		if (is_of(&expectations[i], event, length))
			return true;
	}
	for (size_t i = 0; i < script_expectation_count; i++) {
		if (is_of(&script_expectations[i], event, length))
			return true;
	}
	return false;
}

static unsigned int set_probes(FILE *probes)
{
	unsigned int count = 0;
	char *line = NULL;
	size_t room = 0;

	while (getline(&line, &room, probes) > 0) {
		char *probe;

		if (!is_wanted(line, strcspn(line, " ")))
			continue;
		if (asprintf(&probe, "p:" GROUP "/%s", line) < 0)
			exit(EXIT_FAILURE);
		if (write_file(TRACING "kprobe_events", O_APPEND, probe) != 0)
			printf("error\trefused: %s", probe);
		else
			count++;
		free(probe);
	}
	free(line);
	return count;
}

/* A value of the types that tracefs has, without the bits that its digits do not have. */
static bool is_value(uint64_t seen, bool is_hexadecimal, uint64_t wanted)
{
	for (unsigned int bits = 8; bits <= 64; bits *= 2) {
		uint64_t mask = bits == 64 ? ~0ull : (1ull << bits) - 1;
		int64_t as_signed = (int64_t)(wanted << (64 - bits)) >> (64 - bits);

		if (seen == (wanted & mask) && (bits == 64 || wanted == seen ||
						(int64_t)wanted == as_signed))
			return true;
		if (!is_hexadecimal && (int64_t)seen == as_signed && (int64_t)wanted == as_signed)
			return true;
	}
	return false;
}

/* `seen` has a mark for each row. */
static void compare(const struct expectation *rows, size_t count, const char *event,
		    size_t length, char *field, bool *seen)
{
	char *value = strchr(field, '=');
	bool has_row = false, is_right = false;
	uint64_t number;

	if (!value)
		return;
	*value++ = '\0';
	number = *value == '-' ? (uint64_t)strtoll(value, NULL, 0) : strtoull(value, NULL, 0);
	for (size_t i = 0; i < count; i++) {
		if (!is_of(&rows[i], event, length) || strcmp(rows[i].parameter, field) != 0)
			continue;
		has_row = true;
		if (is_value(number, strncmp(value, "0x", 2) == 0, rows[i].value))
			is_right = seen[i] = true;
	}
	right += is_right;
	if (has_row && !is_right)
		printf("value\t%.*s\t%s\t%s\n", (int)length, event, field, value);
}

/*
 * "  probe_args-71 [000] d.... 12.5: vfs_read: (vfs_read+0x0/0x1d0) file=0x1 count=2", and without
 * the parentheses by BPF programs.
 */
static void compare_line(const struct expectation *rows, size_t count, char *line, bool *seen)
{
	char *end = strstr(line, ": ("), *event, *field, *next;

	if (!end)
		for (next = line; (next = strstr(next, ": ")); next++)
			end = next;
	if (!end)
		return;
	*end = '\0';
	event = strrchr(line, ' ');
	event = event ? event + 1 : line;
	for (field = strtok(end + 1, " \n"); field; field = strtok(NULL, " \n"))
		compare(rows, count, event, (size_t)(end - event), field, seen);
}

/* Rows of the same call are next to each other: all of them at once. */
static void try_rows(const struct expectation *rows, size_t count, int on)
{
	bool *seen = calloc(count, sizeof(*seen));
	FILE *trace;
	char *line = NULL;
	size_t room = 0;

	if (!seen || write_file(TRACING "trace", O_TRUNC, " ") != 0 || write(on, "1", 1) != 1) {
		printf("error\ttracing cannot be turned on\n");
		return;
	}
	rows[0].call();
	if (write(on, "0", 1) != 1)
		printf("error\ttracing cannot be turned off\n");
	if (output)
		sleep(5);
	trace = fopen(output ? output : TRACING "trace", "r");
	while (trace && getline(&line, &room, trace) > 0)
		compare_line(rows, count, line, seen);
	if (trace)
		fclose(trace);
	for (size_t i = 0; i < count; i++) {
		if (seen[i])
			printf("seen\t%s\t%s\t%#" PRIx64 "\n", rows[i].function, rows[i].parameter,
			       rows[i].value);
	}
	free(line);
	free(seen);
}

static void try_table(const struct expectation *rows, size_t count, int on)
{
	for (size_t first = 0, last; first < count; first = last) {
		for (last = first; last < count && rows[last].call == rows[first].call; last++)
			;
		try_rows(rows + first, last - first, on);
	}
}

static void set_events(const char *path)
{
	FILE *probes = fopen(path, "r");
	char pid[16];

	if (!probes) {
		printf("error\tcannot open %s\n", path);
		return;
	}
	printf("set\t%u\n", set_probes(probes));
	fclose(probes);
	snprintf(pid, sizeof(pid), "%d", (int)getpid());
	if (write_file(TRACING "set_event_pid", O_TRUNC, pid) != 0 ||
	    write_file(TRACING "events/" GROUP "/enable", 0, "1") != 0)
		printf("error\tevents cannot be enabled\n");
}

int main(int argc, char **argv)
{
	const char *option = argc == 4 ? argv[1] : "";
	int on = open(TRACING "tracing_on", O_WRONLY);

	if (argc < 3 || on < 0 || !calls_begin(argv[argc - 1]) || write(on, "0", 1) != 1) {
		fprintf(stderr, "usage: probe_args [-b|-r] PROBES FILE\n");
		return EXIT_FAILURE;
	}
	if (strcmp(option, "-b") == 0)
		printf("set\t%u\n", programs_attach(argv[2]));
	else if (strcmp(option, "-r") == 0)
		output = argv[2];
	else
		set_events(argv[1]);
	if (!output)
		try_table(expectations, expectation_count, on);
	try_table(script_expectations, script_expectation_count, on);
	if (!*option) {
		write_file(TRACING "events/" GROUP "/enable", 0, "0");
		write_file(TRACING "set_event_pid", O_TRUNC, " ");
		write_file(TRACING "kprobe_events", O_TRUNC, " ");
	}
	write_file(TRACING "tracing_on", 0, "1");
	printf("right\t%" PRIu64 "\n", right);
	return EXIT_SUCCESS;
}
