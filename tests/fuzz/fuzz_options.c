/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Command lines: the tables of options, lists of features, names of types. One part: the arguments,
 * a line each. flags: which command.
 *
 * The commands are not run: --help ends each line, and nothing stops it from being an option.
 */
#include <stdlib.h>
#include <string.h>

#include "commands/command_line.h"
#include "commands/encode_arguments.h"
#include "commands/explain/asked.h"
#include "commands/list/type_pattern.h"
#include "commands/types/types.h"
#include "tests/fuzz/fuzz.h"

#define ARGUMENTS_MAX 24

const uint32_t fuzz_parts = 1;

static void parse_encode(enum encode_dialect dialect, char **argv, int argc)
{
	struct encode_arguments arguments;

	encode_arguments_parse(&arguments, dialect, argc, argv);
	encode_arguments_release(&arguments);
}

static void parse_words(char **argv, int argc)
{
	struct features features = { 0 };
	struct type_pattern pattern;
	struct type_query query;
	struct asked asked;
	char *name;
	struct error err = { "" };

	for (int i = 1; i < argc; i++) {
		if (!features_parse(&features, argv[i], &err))
			fuzz_expect_line(&err);
		type_pattern_parse(&pattern, argv[i]);
		name = asked_plain(argv[i]);
		asked_parse(&asked, name);
		asked_release(&asked);
		free(name);
		if (type_query_parse(&query, argv[i], argv[i + 1]))
			type_query_release(&query);
	}
}

void fuzz_one(const struct fuzz_input *input)
{
	static int (*const commands[])(int argc, char **argv) = {
		cmd_check, cmd_diff, cmd_dump, cmd_explain, cmd_list, cmd_stats,
	};
	char *text = fuzz_text(&input->parts[0]), *rest = text;
	char *argv[ARGUMENTS_MAX + 3] = { (char *)"btfenc" };
	uint8_t which = input->flags % 9;
	int argc = 1;

	while (rest && argc < ARGUMENTS_MAX) {
		argv[argc] = strsep(&rest, "\n");
		argc += strcmp(argv[argc], "--") != 0;
	}
	argv[argc] = NULL;
	if (which == 8) {
		parse_words(argv, argc);
	} else {
		/* An option may take one of them as its argument. */
		argv[argc++] = (char *)"--help";
		argv[argc++] = (char *)"--help";
		argv[argc] = NULL;
		if (which < 6)
			fuzz_command(commands[which], argv);
		else
			parse_encode((enum encode_dialect)(which - 6), argv, argc);
	}
	free(text);
}
