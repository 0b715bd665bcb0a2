/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc explain`: command line and exit status. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/explain/explain.h"

static const char help[] =
	"usage: btfenc explain [options] NAME FILE\n"
	"\n"
	"Says what became of a kernel's function or tracepoint, whether tracers can attach to it,\n"
	"and how. FILE is a vmlinux or a module with DWARF; or, without DWARF, raw BTF or an ELF\n"
	"file with records of sites: btfenc encode --features +func_secinfo or +inline.\n"
	"\n"
	"      --json               for programs; all inline sites, not only the first\n"
	"  -j, --jobs N             threads; 0 or no -j: as many as there are processors;\n"
	"                           under make -j as many as it has jobs to spare\n"
	"      --features LIST      as of btfenc encode, because they decide what FUNCs there are\n"
	"  -h, --help               this text\n"
	"\n"
	"For records of sites (all these imply --records):\n"
	"\n"
	"      --records            FILE's records answer, not its DWARF\n"
	"      --extra FILE         the records; else FILE's .BTF.extra, or FILE.extra beside it\n"
	"      --symbols FILE       a System.map or /proc/kallsyms; else the ELF file's symbols,\n"
	"                           of raw BTF /proc/kallsyms\n"
	"      --running[=FILE]     addresses of the running kernel, by /proc/kallsyms or FILE\n"
	"  -b, --base BASE          the BTF that a module's is split from\n"
	"      --module NAME        the module's name, where it is not that of FILE\n"
	"\n"
	"Exit status: 0 explained, 1 nothing has that name, 2 usage, 3 input failure.\n";

struct arguments {
	struct encode_options options;
	struct records_options records;
	const char *name;
	bool json;
};

__attribute__((format(printf, 1, 0)))
static int usage_error(const char *format, const char *what)
{
	return arguments_usage_error("explain", format, what);
}

enum { OPT_JSON = ARGUMENTS_OWN, OPT_RECORDS, OPT_EXTRA, OPT_SYMBOLS, OPT_RUNNING, OPT_MODULE };

static int add_base(struct records_options *records, const char *path)
{
	if (records->base_count == BTF_INPUT_MAX_BASES)
		return usage_error("more bases than can be stacked: %s", path);
	records->base_paths[records->base_count++] = path;
	return -1;
}

/* An option about records, if it is one. Returns an exit status, or -1 to go on. */
static int parse_records_option(int option, char **argv, struct arguments *arguments)
{
	struct records_options *records = &arguments->records;

	switch (option) {
	case OPT_RECORDS: break;
	case OPT_EXTRA: records->extra = optarg; break;
	case OPT_SYMBOLS: records->symbols = optarg; break;
	case OPT_RUNNING: records->running = optarg ? optarg : KALLSYMS_PATH; break;
	case OPT_MODULE: records->module = optarg; break;
	case 'b': records->records_only = true; return add_base(records, optarg);
	default: return arguments_common("explain", option, argv, &arguments->options);
	}
	records->records_only = true;
	return -1;
}

/* Returns an exit status, or -1 to go on. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
	static const struct option long_options[] = {
		{ "json", no_argument, NULL, OPT_JSON },
		{ "records", no_argument, NULL, OPT_RECORDS },
		{ "extra", required_argument, NULL, OPT_EXTRA },
		{ "symbols", required_argument, NULL, OPT_SYMBOLS },
		{ "running", optional_argument, NULL, OPT_RUNNING },
		{ "base", required_argument, NULL, 'b' },
		{ "module", required_argument, NULL, OPT_MODULE },
		{ "jobs", required_argument, NULL, 'j' },
		{ "features", required_argument, NULL, ARGUMENT_FEATURES },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":b:j:h", long_options, NULL)) != -1) {
		switch (option) {
		case OPT_JSON: arguments->json = true; break;
		case 'h': fputs(help, stdout); return EXIT_DONE;
		default:
			status = parse_records_option(option, argv, arguments);
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
	arguments->records.path = arguments->options.path = argv[optind + 1];
	if (!*arguments->name)
		return usage_error("%s", "NAME is empty");
	return -1;
}

/* "foo" of "foo.isra.0": all that is known of a function stands under its own name. */
static char *base_name(const char *name)
{
	return memory_string(name, symbol_parse(name).base_length);
}

/* Prints the explanation, or else the names that are near. Returns the exit status. */
static int print_answer(struct explanation *explanation, bool known, const struct near_names *near,
			const struct arguments *arguments)
{
	bool good = true;

	if (known)
		explain_locate_sites(explanation, arguments->json
						  ? explanation->sites.places.count
						  : EXPLAIN_SITES_SHOWN);
	if (known && arguments->json)
		good = explain_print_json(explanation, stdout);
	else if (known)
		explain_print_text(explanation, stdout);
	else if (arguments->json)
		good = near_names_print_json(near, arguments->name, stdout);
	else
		near_names_print_text(near, arguments->name, arguments->options.path,
				      explanation->program);
	if (!good || fflush(stdout) != 0) {
		fprintf(stderr, "btfenc: cannot write the explanation: %s\n", strerror(errno));
		return EXIT_FAILED;
	}
	return known ? EXIT_DONE : EXIT_ANSWER_NO;
}

static int explain_by(const struct program *program, const struct records *records,
		      const struct arguments *arguments, const char *name)
{
	struct explanation explanation;
	struct near_names near = { 0 };
	bool known = program ? explain_by_dwarf(&explanation, program, name, arguments->name)
			     : explain_by_records(&explanation, records, name, arguments->name);
	int status;

	if (!known && program)
		near_names_by_dwarf(&near, program, arguments->name);
	else if (!known)
		near_names_by_records(&near, records, arguments->name);
	status = print_answer(&explanation, known, &near, arguments);
	near_names_release(&near);
	explanation_release(&explanation);
	return status;
}

static int explain_dwarf(const struct arguments *arguments, const char *name)
{
	struct encode_report report;
	struct program program;
	struct error err;
	int status = EXIT_FAILED;

	if (!program_open(&program, &arguments->options, &err)) {
		fprintf(stderr, "btfenc: %s\n", err.text);
		return EXIT_FAILED;
	}
	if (program_judge(&program, &report, &err))
		status = explain_by(&program, NULL, arguments, name);
	else
		fprintf(stderr, "btfenc: %s\n", err.text);
	program_close(&program);
	return status;
}

static int explain_records(const struct arguments *arguments, const char *name)
{
	struct records records;
	struct error err;
	int status = EXIT_FAILED;

	if (records_open(&records, &arguments->records, &err))
		status = explain_by(NULL, &records, arguments, name);
	else
		fprintf(stderr, "btfenc: %s\n", err.text);
	records_release(&records);
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
	if (arguments.records.records_only || records_are_meant(arguments.options.path)) {
		status = explain_records(&arguments, name);
		free(name);
		return status;
	}
	arguments.options.keep_findings = name;
	/* What copies are is what is asked for, whether or not they would become FUNCs. */
	arguments.options.examine_copies = arguments.options.features.feature_true_signature = true;
	status = explain_dwarf(&arguments, name);
	free(name);
	return status;
}
