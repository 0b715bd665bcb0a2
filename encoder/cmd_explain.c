/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc explain`: command line and exit status. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "encoder/arguments.h"
#include "encoder/commands.h"
#include "encoder/explain.h"

static const char help[] =
	"usage: btfenc explain [options] NAME FILE\n"
	"\n"
	"Says what became of a kernel's function or tracepoint, whether tracers can attach to it,\n"
	"and how. FILE is a vmlinux or a module with DWARF.\n"
	"\n"
	"      --json               for programs; all inline sites, not only the first\n"
	"  -j, --jobs N             threads; 0 or no -j: as many as there are processors;\n"
	"                           under make -j as many as it has jobs to spare\n"
	"      --features LIST      as of btfenc encode, because they decide what FUNCs there are\n"
	"  -h, --help               this text\n"
	"\n"
	"Exit status: 0 explained, 1 nothing has that name, 2 usage, 3 input failure.\n";

struct arguments {
	struct encode_options options;
	const char *name;
	bool json;
};

__attribute__((format(printf, 1, 0)))
static int usage_error(const char *format, const char *what)
{
	return arguments_usage_error("explain", format, what);
}

/* Returns an exit status, or -1 to go on. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
	enum { OPT_JSON = ARGUMENTS_OWN };
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, OPT_JSON },
		{ "jobs", required_argument, NULL, 'j' },
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
		case 'h': fputs(help, stdout); return EXIT_DONE;
		default:
			status = arguments_common("explain", option, argv, &arguments->options);
			if (status >= 0)
				return status;
			break;
		}
	}
	if (optind + 2 != argc)
		return usage_error("%s", optind == argc	      ? "no NAME is given"
					 : optind + 1 == argc ? "no FILE is given"
							      : "too many arguments are given");
	arguments->name = argv[optind];
	arguments->options.path = argv[optind + 1];
	if (!*arguments->name)
		return usage_error("%s", "NAME is empty");
	return -1;
}

/* "foo" of "foo.isra.0": all that is known of a function stands under its own name. */
static char *base_name(const char *name)
{
	return memory_string(name, symbol_parse(name).base_length);
}

static bool print_near_names(const struct program *program, const struct arguments *arguments)
{
	struct near_names near;
	bool good = true;

	near_names_find(&near, program, arguments->name);
	if (arguments->json) {
		good = near_names_print_json(&near, arguments->name, stdout);
	} else {
		printf("%s: no function or tracepoint of that name is in %s%s\n", arguments->name,
		       program->options->path,
		       near.count && near.names[0].distance == 0 ? ", only a variable" : "");
		for (uint32_t i = 0; i < near.count; i++)
			printf("%s  %s%s%s\n", i ? "" : "\n  near it are:\n", near.names[i].name,
			       strcmp(near.names[i].what, "function") == 0 ? "" : ", a ",
			       strcmp(near.names[i].what, "function") == 0 ? ""
									   : near.names[i].what);
	}
	near_names_release(&near);
	return good;
}

static bool print_explanation(struct explanation *explanation, const struct arguments *arguments)
{
	explain_locate_sites(explanation, arguments->json ? explanation->sites.count
							  : EXPLAIN_SITES_SHOWN);
	if (arguments->json)
		return explain_print_json(explanation, stdout);
	explain_print_text(explanation, stdout);
	return true;
}

static int explain_name(struct program *program, const struct arguments *arguments,
			const char *name)
{
	struct explanation explanation;
	bool known = explain(&explanation, program, name, arguments->name);
	bool good = known ? print_explanation(&explanation, arguments)
			  : print_near_names(program, arguments);

	explanation_release(&explanation);
	if (!good || fflush(stdout) != 0) {
		fprintf(stderr, "btfenc: cannot write the explanation: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	return known ? EXIT_DONE : EXIT_ANSWER_NO;
}

static int explain_in_file(const struct arguments *arguments, const char *name)
{
	struct encode_report report;
	struct program program;
	struct error err;
	int status = EXIT_FAILED;
	bool judged;

	if (!program_open(&program, &arguments->options, &err)) {
		fprintf(stderr, "btfenc: %s\n", err.text);
		return EXIT_FAILED;
	}
	judged = program_judge(&program, &report, &err);
	if (judged)
		status = explain_name(&program, arguments, name);
	else
		fprintf(stderr, "btfenc: %s\n", err.text);
	program_close(&program);
	return status;
}

int cmd_explain(int argc, char **argv)
{
	struct arguments arguments = {
		.options.languages = { .rust = true, .cxx = true } };
	char *name;
	int status;

	features_default(&arguments.options.features);
	status = parse_arguments(argc, argv, &arguments);
	if (status >= 0)
		return status;
	if (!arguments.options.jobs)
		arguments.options.jobs = workers_by_default();
	/* tracefs and bpftrace write sched:sched_switch. */
	if (strrchr(arguments.name, ':') && strrchr(arguments.name, ':')[1])
		arguments.name = strrchr(arguments.name, ':') + 1;
	name = base_name(arguments.name);
	arguments.options.keep_findings = name;
	/* What copies are is what is asked for, whether or not they would become FUNCs. */
	arguments.options.examine_copies = arguments.options.features.feature_true_signature = true;
	status = explain_in_file(&arguments, name);
	free(name);
	return status;
}
