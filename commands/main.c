/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The program: which subcommand is meant. */
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/near_names.h"
#include "base/output_file.h"
#include "commands/command_line.h"

static int cmd_help(int argc, char **argv);

static const struct subcommand {
	const char *name;
	int (*run)(int argc, char **argv);
} commands[] = {
	{ "encode", cmd_encode }, { "check", cmd_check },     { "dump", cmd_dump },
	{ "stats", cmd_stats },	  { "diff", cmd_diff },	      { "explain", cmd_explain },
	{ "list", cmd_list },	  { "compat", cmd_compat },   { "help", cmd_help },
};

#define COMMAND_COUNT (sizeof(commands) / sizeof(*commands))

EMBED(btfenc_help, "commands/help/btfenc.txt");

static void print_usage(FILE *out)
{
	template_print(btfenc_help, NULL, false, out);
}

static const struct subcommand *find_command(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++) {
		if (strcmp(name, commands[i].name) == 0)
			return &commands[i];
	}
	return NULL;
}

static int unknown_command(const char *name)
{
	struct near_names near;
	struct text text = { 0 };
	struct error err;

	near_names_init(&near, name);
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		near_names_offer(&near, commands[i].name, NULL);
	near_names_add_text(&text, &near);
	text_add_char(&text, '\0');
	error_set(&err, "'%.100s' is not a command%.200s; see btfenc --help", name, text.data);
	command_failed(&err);
	near_names_release(&near);
	array_release(&text);
	return EXIT_USAGE;
}

static int cmd_help(int argc, char **argv)
{
	const struct subcommand *command = argc > 1 ? find_command(argv[1]) : NULL;
	char *words[] = { argc > 1 ? argv[1] : NULL, (char *)"--help", NULL };

	if (argc > 1 && *argv[1] != '-' && !command)
		return unknown_command(argv[1]);
	if (argc > 2) {
		fprintf(stderr, "btfenc: help: one command at a time, not also %s\n", argv[2]);
		return EXIT_USAGE;
	}
	if (command && command->run != cmd_help)
		return command->run(2, words);
	print_usage(stdout);
	return EXIT_DONE;
}

/* Is this `btfenc -J ...`, with options that only pahole's encoder has? */
static bool asks_for_encoder(int argc, char **argv)
{
	for (int i = 1; i < argc && argv[1][0] == '-'; i++) {
		if (strncmp(argv[i], "-J", 2) == 0 || strncmp(argv[i], "--btf_", 6) == 0 ||
		    strcmp(argv[i], "--supported_btf_features") == 0 ||
		    strcmp(argv[i], "--numeric_version") == 0)
			return true;
	}
	return false;
}

static int run(int argc, char **argv)
{
	const char *slash = strrchr(argv[0], '/');
	const struct subcommand *command;

	/* Installed as .../pahole, it behaves like pahole. */
	if (strcmp(slash ? slash + 1 : argv[0], "pahole") == 0)
		return cmd_pahole(argc, argv);
	if (argc < 2) {
		print_usage(stderr);
		return EXIT_USAGE;
	}
	command = find_command(argv[1]);
	if (command)
		return command->run(argc - 1, argv + 1);
	if (strcmp(argv[1], "--stats") == 0)
		return cmd_stats(argc - 1, argv + 1);
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0) {
		print_usage(stdout);
		return EXIT_DONE;
	}
	if (strcmp(argv[1], "--version") == 0) {
		printf("btfenc %s\n", BTFENC_VERSION);
		return EXIT_DONE;
	}
	/* Kernel builds pass pahole's options to whatever program PAHOLE= names. */
	if (asks_for_encoder(argc, argv))
		return cmd_pahole(argc, argv);
	return unknown_command(argv[1]);
}

int main(int argc, char **argv)
{
	struct error err;
	int status;

	output_hold_standard();
	memory_init();
	json_set_alloc_funcs(memory_alloc, free);
	/* A limit on file sizes is an error of write(), like a full disk. */
	signal(SIGXFSZ, SIG_IGN);
	status = run(argc, argv);
	/* Help and versions are output, too. What failed has said so. */
	return status > EXIT_ANSWER_NO || stdout_flush(&err) ? status : command_failed(&err);
}
