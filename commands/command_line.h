/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The subcommands and their command lines. Each command has one table of options, and a text that
 * --help prints and the completions read: options that are not in it are aliases.
 */
#ifndef BTFENC_COMMANDS_COMMAND_LINE_H
#define BTFENC_COMMANDS_COMMAND_LINE_H

#include <stddef.h>
#include <stdio.h>

#include "base/error.h"
#include "commands/print/template.h"
#include "kernel/btf_input.h"

/* The Makefile says which; linters do not ask it. */
#ifndef BTFENC_VERSION
#define BTFENC_VERSION "unknown"
#endif

/*
 * argv[0] is the subcommand's name; the return value is the program's exit status (enum
 * exit_status). Each prints its own one line on stderr when it fails.
 */
int cmd_check(int argc, char **argv);
int cmd_compat(int argc, char **argv);
int cmd_diff(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_encode(int argc, char **argv);
int cmd_pahole(int argc, char **argv);	/* encode, as pahole would be called for it */
int cmd_explain(int argc, char **argv);
int cmd_list(int argc, char **argv);
int cmd_stats(int argc, char **argv);

struct command;
struct option_row;

/* Returns an exit status, or -1 to go on. `value` is the argument of the row's option, or NULL. */
#define OPTION_ACTION(name)                                                                        \
	int name(const struct command *command __attribute__((unused)),                            \
		 const struct option_row *row __attribute__((unused)),                         \
		 void *target __attribute__((unused)),                                             \
		 const char *value __attribute__((unused)))

struct option_row {
	const char *name;	/* "jobs"; NULL: only a letter */
	char letter;		/* 'j'; 0: none */
	const char *argument;	/* "N", "[N]" if it may be missing, "text|json" of option_word();
				   NULL: none */
	OPTION_ACTION((*take));
	size_t target;		/* offset in the command's arguments */
};

struct command {
	const char *name;
	const char *help;			/* a template, without facts */
	void (*print_more)(FILE *out);		/* of --help, after it; or NULL */
	const char *unknown;			/* of an unknown option; NULL: "is not an option" */
	const struct option_row *options;
	size_t option_count;
};

#define COMMAND_OPTIONS(table) .options = table, .option_count = sizeof(table) / sizeof(*(table))

/* Of most: `command`, with the table `options`, and commands/help/WORD.txt. */
#define COMMAND(word)                                                                              \
	EMBED(word##_help, "commands/help/" #word ".txt");                                         \
	static const struct command command = { .name = #word, .help = word##_help,                \
						COMMAND_OPTIONS(options) }

/*
 * Parses with getopt_long(): optind is then the first argument that is not an option. Returns an
 * exit status (--help was answered, or one line with the error was printed), or -1 to go on.
 */
int command_line_parse(const struct command *command, void *arguments, int argc, char **argv);

/* Prints "btfenc: COMMAND: TEXT; see btfenc COMMAND --help". Returns EXIT_USAGE. */
__attribute__((format(printf, 2, 3)))
int usage_error(const struct command *command, const char *format, ...);

/*
 * Actions of rows. Their targets, one after the other: an enum, bool, bool, const char *, struct
 * base_list, unsigned int, struct features, none. Of the words of an argument "|a|b" a is number 1.
 * Given again, an option of one text is an error, one of several adds, and of others the last
 * decides.
 */
OPTION_ACTION(option_word);
OPTION_ACTION(option_set);
OPTION_ACTION(option_clear);
OPTION_ACTION(option_text);
OPTION_ACTION(option_base);
/* More threads are never started. Of 0, and without the option, it is workers_by_default(). */
#define JOBS_MAX 256

OPTION_ACTION(option_jobs);
OPTION_ACTION(option_features);
OPTION_ACTION(option_help);

#define HELP_ROW { "help", 'h', NULL, option_help, 0 }

/*
 * Where to open FILE: "-" is standard input. What comes from there, or from a pipe that is open
 * (/dev/fd/N of a shell's <(...)), is kept. As command_line_parse().
 */
int command_line_input(const struct command *command, const char **path);

/* The one FILE of a command, when the options have been parsed. As command_line_parse(). */
int command_line_file(const struct command *command, int argc, char **argv, const char **path);

/* Standard output is a terminal, and NO_COLOR is not set. */
bool stdout_has_colour(void);

/* False, and err is filled: some of the output could not be written. */
bool stdout_flush(struct error *err);

/* Prints the line of an error. Returns EXIT_FAILED. */
int command_failed(const struct error *err);

#endif
