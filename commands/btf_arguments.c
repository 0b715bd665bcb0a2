/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/btf_arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "commands/arguments.h"

static int add_base(struct btf_input *input, const char *command, const char *path)
{
	if (input->base_count == BTF_INPUT_MAX_BASES)
		return arguments_usage_error(command, "more bases than can be stacked: %s", path);
	input->base_paths[input->base_count++] = path;
	return -1;
}

int btf_input_parse(struct btf_input *input, int argc, char **argv, const char *help)
{
	static const struct option long_options[] = {
		{ "base", required_argument, NULL, 'b' },
		{ "help", no_argument, NULL, 'h' },
		{ "machine", required_argument, NULL, 'm' },
		{ 0 },
	};
	bool has_machine = strstr(help, "--machine");
	const char *command = argv[0];
	int option, status;

	*input = (struct btf_input){ 0 };
	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":b:h", long_options, NULL)) != -1) {
		switch (option) {
		case 'b':
			status = add_base(input, command, optarg);
			if (status >= 0)
				return status;
			break;
		case 'h': fputs(help, stdout); return EXIT_DONE;
		case ':':
			return arguments_usage_error(command, optopt == 'm' ? "%s needs a name"
									    : "%s needs a file",
						     argv[optind - 1]);
		case 'm':
			input->machine = optarg;
			if (has_machine)
				break;
			return arguments_usage_error(command, "%s is not an option", "--machine");
		default:
			return arguments_usage_error(command, "%s is not an option",
						     argv[optind - 1]);
		}
	}
	if (optind == argc)
		return arguments_usage_error(command, "%s", "no FILE is given");
	if (optind + 1 != argc)
		return arguments_usage_error(command, "one FILE at a time, not also %s",
					     argv[optind + 1]);
	input->path = argv[optind];
	return -1;
}
