/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* memfd_create */
#include "commands/command_line.h"

#include <assert.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/near_names.h"
#include "base/output_file.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/workers.h"
#include "encoder/encode_options.h"

#define OPTIONS_MAX 48
/* getopt's values of rows begin after those of letters. */
#define FIRST_ROW   256

int usage_error(const struct command *command, const char *format, ...)
{
	struct error err;
	char text[640];
	va_list arguments;

	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	error_set(&err, "%s: %s; see btfenc %s --help", command->name, text, command->name);
	command_failed(&err);
	return EXIT_USAGE;
}

/*
 * getopt_long(), but operands are moved to the end of argv when all options are read. C libraries
 * move them earlier, at different times, and -j looks at the argument after it.
 */
static int next_option(int argc, char **argv, const char *letters, const struct option *names,
		       int *operands)
{
	for (;;) {
		int next = optind ? optind : 1;
		int value = getopt_long(argc, argv, letters, names, NULL);

		if (value != -1)
			return value;
		if (optind == argc || optind != next)	/* the latter after "--" */
			break;
		argv[++*operands] = argv[optind++];
	}
	optind -= *operands;
	memmove(argv + optind, argv + 1, (size_t)*operands * sizeof(*argv));
	return -1;
}

static bool is_in_help(const struct command *command, const char *option)
{
	char *words = text_format(" --%s", option);
	bool is = strstr(command->help, words);

	free(words);
	return is;
}

static int unknown_option(const struct command *command, const char *option)
{
	const char *long_name = command->unknown ? NULL : text_after(option, "--");
	char *name = text_format("%.*s", long_name ? (int)strcspn(long_name, "=") : 0,
				 long_name ? long_name : "");
	struct near_names near;
	struct text text = { 0 };
	int status;

	near_names_init(&near, name);
	for (size_t i = 0; *name && i < command->option_count; i++) {
		if (command->options[i].name && is_in_help(command, command->options[i].name))
			near_names_offer(&near, command->options[i].name, NULL);
	}
	near_names_add_text(&text, &near);
	text_add_char(&text, '\0');
	status = usage_error(command, "%s %s%s", option, command->unknown
			     ? command->unknown : "is not an option", text.data);
	near_names_release(&near);
	array_release(&text);
	free(name);
	return status;
}

int command_line_parse(const struct command *command, void *arguments, int argc, char **argv)
{
	struct option names[OPTIONS_MAX + 1] = { { 0 } }, *name = names;
	char letters[3 * OPTIONS_MAX + 3] = "+:", *letter = letters + 2;
	const struct option_row *rows = command->options;
	int value, operands = 0;

	assert(command->option_count <= OPTIONS_MAX);
	for (size_t i = 0; i < command->option_count; i++) {
		int has_argument = !rows[i].argument	     ? no_argument
				   : *rows[i].argument == '[' ? optional_argument
							     : required_argument;

		if (rows[i].name)
			*name++ = (struct option){ rows[i].name, has_argument, NULL,
						   FIRST_ROW + (int)i };
		if (!rows[i].letter)
			continue;
		*letter++ = rows[i].letter;
		for (int k = 0; k < has_argument; k++)
			*letter++ = ':';
	}
	optind = 0;
	opterr = 0;
	while ((value = next_option(argc, argv, letters, names, &operands)) != -1) {
		const char letter_text[] = { '-', (char)optopt, '\0' };
		const char *text = argv[optind - 1];
		size_t row = (size_t)(value - FIRST_ROW);
		int status;

		if (value == ':' || value == '?') {
			if (optopt && optopt < FIRST_ROW)
				text = letter_text;
			if (value == ':')
				return usage_error(command, "%s needs an argument", text);
			if (optopt >= FIRST_ROW)
				return usage_error(command, "--%s takes no argument",
						   rows[optopt - FIRST_ROW].name);
			return unknown_option(command, text);
		}
		if (value < FIRST_ROW)
			for (row = 0; rows[row].letter != value;)
				row++;
		status = rows[row].take(command, &rows[row],
					(char *)arguments + rows[row].target, optarg);
		if (status >= 0)
			return status;
	}
	/* Until a file is opened. */
	memory_set_task(optind < argc ? argv[argc - 1] : command->name, "beginning");
	for (size_t i = 0; i < command->option_count; i++) {
		unsigned int *jobs = (void *)((char *)arguments + rows[i].target);

		if (rows[i].take == option_jobs && !*jobs)
			*jobs = workers_by_default();
	}
	return -1;
}

/* What a pipe has is copied into memory: an ELF file cannot be read from front to back. */
static bool keep_pipe(int fd, const char *name, struct error *err)
{
	struct stat file;
	char bytes[65536];
	ssize_t got;
	int copy;
	bool good;

	if (fstat(fd, &file) != 0)
		return error_at(err, name, "cannot read: %s", strerror(errno));
	if (S_ISREG(file.st_mode))
		return true;
	copy = memfd_create("pipe", MFD_CLOEXEC);
	if (copy < 0)
		return error_at(err, name, "cannot be kept in memory; give a file");
	do {
		got = read(fd, bytes, sizeof(bytes));
		good = got >= 0 || errno == EINTR;
		if (!good)
			error_at(err, name, "cannot read: %s", strerror(errno));
		if (got > 0)
			good = output_stream_write(copy, "the copy of a pipe", bytes, (size_t)got,
						   err);
	} while (good && got);
	good = good && (dup2(copy, fd) >= 0 ||
			error_at(err, name, "cannot be replaced by its copy"));
	close(copy);
	return good;
}

int command_line_input(const struct command *command, const char **path)
{
	static bool is_taken;
	const char *name = *path, *number = text_after(name, "/dev/fd/");
	bool is_stdin = strcmp(name, "-") == 0;
	uint32_t fd = STDIN_FILENO;
	struct error err;

	if (is_stdin && is_taken)
		return usage_error(command, "standard input (-) is given twice");
	is_taken |= is_stdin;
	if (is_stdin)
		*path = "/dev/stdin";
	else if (strcmp(name, "/dev/stdin") != 0 && !text_parse_number(number, INT32_MAX, &fd))
		return -1;
	return keep_pipe((int)fd, is_stdin ? "standard input" : name, &err) ? -1
									    : command_failed(&err);
}

int command_line_file(const struct command *command, int argc, char **argv, const char **path)
{
	if (optind == argc)
		return usage_error(command, "no FILE is given");
	if (optind + 1 < argc)
		return usage_error(command, "one FILE at a time, not also %s", argv[optind + 1]);
	*path = argv[optind];
	return command_line_input(command, path);
}

/* ---- actions of options ---- */

OPTION_ACTION(option_word)
{
	const char *word = row->argument;

	for (unsigned int number = 0; *word; number++) {
		size_t length = strcspn(word, "|");

		if (length && strlen(value) == length && strncmp(word, value, length) == 0) {
			*(unsigned int *)target = number;
			return -1;
		}
		word += length + (word[length] == '|');
	}
	return usage_error(command, "--%s takes %s, not '%s'", row->name,
			   row->argument + (*row->argument == '|'), value);
}

OPTION_ACTION(option_set)
{
	*(bool *)target = true;
	return -1;
}

OPTION_ACTION(option_clear)
{
	*(bool *)target = false;
	return -1;
}

OPTION_ACTION(option_text)
{
	const char **text = target;

	if (*text)
		return usage_error(command, "--%s is given twice: %s, %s", row->name, *text, value);
	*text = value;
	return -1;
}

OPTION_ACTION(option_base)
{
	struct base_list *bases = target;

	if (bases->count == BTF_INPUT_MAX_BASES)
		return usage_error(command, "there are more than %d bases (%s)",
				   BTF_INPUT_MAX_BASES, value);
	bases->paths[bases->count++] = value;
	return -1;
}

OPTION_ACTION(option_jobs)
{
	return text_parse_number(value, JOBS_MAX, target)
		       ? -1 : usage_error(command, "-j needs a number up to %d, not '%s'", JOBS_MAX,
					  value);
}

OPTION_ACTION(option_features)
{
	struct error err;

	if (features_parse(target, value, &err))
		return -1;
	command_failed(&err);
	return EXIT_USAGE;
}

OPTION_ACTION(option_help)
{
	template_print(command->help, NULL, false, stdout);
	if (command->print_more)
		command->print_more(stdout);
	return EXIT_DONE;
}

/* ---- standard output ---- */

bool stdout_has_colour(void)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

bool stdout_flush(struct error *err)
{
	errno = 0;
	if (!fflush(stdout) && !ferror(stdout) && output_arrived(STDOUT_FILENO))
		return true;
	/* What failed before has left no number. */
	return errno ? error_set(err, "standard output: cannot write: %s; %s", strerror(errno),
				 output_hint(errno))
		     : error_set(err, "standard output: cannot write all of it; is it closed, or "
				 "the disk full?");
}

int command_failed(const struct error *err)
{
	progress_hide();
	fprintf(stderr, "btfenc: %s\n", err->text);
	return EXIT_FAILED;
}
