/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc stats`: what an encoding would promise, and why not more. Writes no BTF. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output_file.h"
#include "base/workers.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/stats/function_list.h"
#include "commands/stats/stats.h"

static const char help[] =
	"usage: btfenc stats [options] FILE\n"
	"       btfenc --stats [options] FILE\n"
	"\n"
	"Reads the DWARF of FILE (a vmlinux or a module) as encode does, and prints what came\n"
	"out: functions by verdict, the reasons against the others, suffixes, parameters,\n"
	"types, sizes.\n"
	"\n"
	"  -j, --jobs N             threads; 0 or no -j: as many as there are processors;\n"
	"                           under make -j as many as it has jobs to spare\n"
	"      --json               the same as one JSON object\n"
	"      --functions OUT.tsv  also write a line for each instance of a function, which\n"
	"                           btfenc diff can read: name, symbol, address, verdict,\n"
	"                           reasons, ...; - is standard output, and then nothing else\n"
	"                           is printed\n"
	"      --features LIST      as for encode, see there\n"
	"  -h, --help               this text\n";

__attribute__((format(printf, 1, 0)))
static int usage_error(const char *format, const char *what)
{
	return arguments_usage_error("stats", format, what);
}

static int fail(const struct error *err)
{
	fprintf(stderr, "btfenc: %s\n", err->text);
	return EXIT_FAILED;
}

struct arguments {
	struct encode_options options;
	const char *functions;		/* NULL: not wanted */
	bool json;
};

static bool only_functions(const struct arguments *arguments)
{
	return arguments->functions && strcmp(arguments->functions, "-") == 0;
}

/* Returns an exit status, or -1 to go on. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
	enum { OPT_JSON = ARGUMENTS_OWN, OPT_FUNCTIONS };
	static const struct option long_options[] = {
		{ "jobs", required_argument, NULL, 'j' },
		{ "json", no_argument, NULL, OPT_JSON },
		{ "functions", required_argument, NULL, OPT_FUNCTIONS },
		{ "features", required_argument, NULL, ARGUMENT_FEATURES },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":j:h", long_options, NULL)) != -1) {
		switch (option) {
		case OPT_JSON: arguments->json = true; break;
		case OPT_FUNCTIONS: arguments->functions = optarg; break;
		case 'h': fputs(help, stdout); return EXIT_DONE;
		default:
			status = arguments_common("stats", option, argv, &arguments->options);
			if (status >= 0)
				return status;
			break;
		}
	}
	if (optind + 1 != argc)
		return usage_error("%s", optind == argc ? "no FILE is given"
							: "more than one FILE is given");
	arguments->options.path = argv[optind];
	if (arguments->json && only_functions(arguments))
		return usage_error("%s", "--json and --functions - both want standard output");
	if (arguments->functions && arguments_same_file(arguments->functions, argv[optind]))
		return usage_error("OUT is FILE itself (%s), which it would replace", argv[optind]);
	return -1;
}

/* A list is written as a whole or not at all. */
static bool write_functions(const struct program *program, const char *path, struct error *err)
{
	struct text text = { 0 };
	bool good;

	function_list_print(program, &text);
	good = output_file_write(path, text.data, text.count, err);
	array_release(&text);
	return good;
}

static void print_functions(const struct program *program)
{
	struct text text = { 0 };

	function_list_print(program, &text);
	fwrite(text.data, 1, text.count, stdout);
	array_release(&text);
}

static bool is_colourful(void)
{
	const char *no_color = getenv("NO_COLOR");

	return isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

static bool print_all(const struct arguments *arguments, const struct program *program,
		      const struct encode_report *report, const struct btf_image *image,
		      struct error *err)
{
	struct stats stats;

	if (only_functions(arguments)) {
		print_functions(program);
	} else {
		if (arguments->functions &&
		    !write_functions(program, arguments->functions, err))
			return false;
		stats_gather(&stats, program, report, image);
		if (arguments->json)
			stats_print_json(&stats, stdout);
		else
			stats_print_page(&stats, is_colourful(), stdout);
		stats_release(&stats);
	}
	if (fflush(stdout) || ferror(stdout))
		return error_set(err, "standard output: cannot write; is the disk full?");
	return true;
}

int cmd_stats(int argc, char **argv)
{
	struct arguments arguments = {
		.options.languages = { .rust = true, .cxx = true },
		.options.examine_clones = true,
		.options.count_inlined = true, .options.count_sites = true,
		.options.keep_changes = true };
	struct encode_report report;
	struct program program;
	struct btf_image image;
	struct error err;
	int status;
	bool good;

	features_default(&arguments.options.features);
	status = parse_arguments(argc, argv, &arguments);
	if (status >= 0)
		return status;
	if (!arguments.options.jobs)
		arguments.options.jobs = workers_by_default();
	if (!program_open(&program, &arguments.options, &err))
		return fail(&err);
	good = program_encode(&program, &image, &report, &err);
	if (good) {
		selection_sort(&program.selection, &program.pool);
		good = print_all(&arguments, &program, &report, &image, &err);
		btf_image_release(&image);
	}
	program_close(&program);
	return good ? EXIT_DONE : fail(&err);
}
