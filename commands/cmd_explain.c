/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc explain`: command line and exit status. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/workers.h"
#include "commands/command_line.h"
#include "commands/explain/explain.h"

struct arguments {
	struct encode_options options;
	struct records_options records;
	const char *name;
	bool json;
};

static OPTION_ACTION(take_running)
{
	return option_text(command, target, value ? value : KALLSYMS_PATH);
}

#define AT(field) offsetof(struct arguments, field)

static const struct option_row options[] = {
	{ "json", 0, NULL, "print JSON, with all inline sites, not only the first ones", option_set,
	  AT(json) },
	{ "jobs", 'j', "N", JOBS_HELP, option_jobs, AT(options.jobs) },
	{ "features", 0, "LIST", "as for btfenc encode: they decide which FUNCs there are",
	  option_features, AT(options.features) },
	HELP_ROW,
	{ .help = "For records of sites (each of these implies --records):" },
	{ "records", 0, NULL, "answer from FILE's records, not from its DWARF", option_set,
	  AT(records.records_only) },
	{ "extra", 0, "FILE", "the records; default: FILE's .BTF.extra, or FILE.extra next to it",
	  option_text, AT(records.extra) },
	{ "symbols", 0, "FILE", "a System.map or /proc/kallsyms; default: the ELF file's symbols, "
	  "for raw BTF /proc/kallsyms", option_text, AT(records.symbols) },
	{ "running", 0, "[=FILE]", "addresses of the running kernel, by /proc/kallsyms or FILE",
	  take_running, AT(records.running) },
	{ "base", 'b', "BASE", "the BTF that a module's BTF is split from", option_base,
	  AT(records.bases) },
	{ "module", 0, "NAME", "the module's name, where FILE is called differently", option_text,
	  AT(records.module) },
};

static const struct command command = {
	.name = "explain",
	.usage = "usage: btfenc explain [options] NAME FILE\n"
		 "\n"
		 "Explains what became of a kernel's function or tracepoint, whether tracers can\n"
		 "attach to it, and how. FILE is a vmlinux or a module with DWARF; or, without\n"
		 "DWARF, raw BTF or an ELF file with records of sites: btfenc encode --features\n"
		 "+func_secinfo or +inline.\n",
	.notes = "Exit status: 0 explained, 1 nothing has that name, 2 usage, 3 input failure.\n",
	COMMAND_OPTIONS(options),
};

/* Prints the explanation, or else the names that are near. Returns the exit status. */
static int explain(const struct program *program, const struct records *records,
		   const struct arguments *arguments, const char *name)
{
	struct explanation explanation;
	struct near_names near = { 0 };
	bool known = program ? explain_by_dwarf(&explanation, program, name, arguments->name)
			     : explain_by_records(&explanation, records, name, arguments->name);
	bool good = true;

	if (known) {
		explain_locate_sites(&explanation, arguments->json
							   ? explanation.sites.count
							   : EXPLAIN_SITES_SHOWN);
		if (arguments->json)
			good = explain_print_json(&explanation);
		else
			explain_print_text(&explanation);
	} else {
		if (program)
			near_names_by_dwarf(&near, program, arguments->name);
		else
			near_names_by_records(&near, records, arguments->name);
		if (arguments->json)
			good = near_names_print_json(&near, arguments->name);
		else
			near_names_print_text(&near, arguments->name, arguments->options.path,
					      explanation.program);
	}
	good = good && fflush(stdout) == 0;
	if (!good)
		fprintf(stderr, "btfenc: cannot write the explanation: %s\n", strerror(errno));
	near_names_release(&near);
	explanation_release(&explanation);
	return !good ? EXIT_FAILED : known ? EXIT_DONE : EXIT_ANSWER_NO;
}

static int explain_dwarf(const struct arguments *arguments, const char *name)
{
	struct encode_report report;
	struct program program;
	struct error err;
	int status;

	if (!program_open(&program, &arguments->options, &err))
		return command_failed(&err);
	status = program_judge(&program, &report, &err)
			 ? explain(&program, NULL, arguments, name) : command_failed(&err);
	program_close(&program);
	return status;
}

int cmd_explain(int argc, char **argv)
{
	struct arguments arguments = { .options.languages = { .rust = true, .cxx = true } };
	struct records_options *records = &arguments.records;
	struct records opened;
	const char *colon;
	struct error err;
	char *name;
	int status;

	features_default(&arguments.options.features);
	status = command_line_parse(&command, &arguments, argc, argv);
	if (status >= 0)
		return status;
	records->records_only |= records->extra || records->symbols || records->running ||
				 records->module || records->bases.count;
	if (optind + 2 != argc)
		return usage_error(&command, "%s",
				   optind == argc ? "no NAME is given"
				   : optind + 1 == argc ? "no FILE is given"
				   : "too many arguments are given");
	arguments.name = argv[optind];
	records->path = arguments.options.path = argv[optind + 1];
	if (!*arguments.name)
		return usage_error(&command, "NAME is empty");
	if (!arguments.options.jobs)
		arguments.options.jobs = workers_by_default();
	/* tracefs and bpftrace write sched:sched_switch. */
	colon = strrchr(arguments.name, ':');
	if (colon && colon[1])
		arguments.name = colon + 1;
	/* "foo" of "foo.isra.0": all that is known of a function is under its own name. */
	name = memory_string(arguments.name, symbol_parse(arguments.name).base_length);
	arguments.options.keep_findings = name;
	/* Clones are what is asked for, whether or not they would become FUNCs. */
	arguments.options.examine_clones = arguments.options.features.feature_true_signature = true;
	if (records->records_only || records_are_meant(records->path)) {
		status = records_open(&opened, records, &err)
				 ? explain(NULL, &opened, &arguments, name) : command_failed(&err);
		records_release(&opened);
	} else {
		status = explain_dwarf(&arguments, name);
	}
	free(name);
	return status;
}
