/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc encode`: command line, output file, summary. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/output_file.h"
#include "base/workers.h"
#include "encoder/arguments.h"
#include "encoder/commands.h"
#include "encoder/encode.h"

static const char help[] =
	"usage: btfenc encode [options] -o OUT FILE\n"
	"\n"
	"Encodes the DWARF of FILE (a vmlinux or a module) as raw BTF into OUT.\n"
	"\n"
	"  -o, --output OUT         where to write the BTF; replaced as a whole, or left alone;\n"
	"                           - is standard output\n"
	"  -j, --jobs N             threads; 0 or no -j: as many as there are processors\n"
	"      --features LIST      comma-separated; names replace the default, +NAME and -NAME\n"
	"                           change it; default and all are sets (see below)\n"
	"      --lang-exclude LIST  languages to leave out: c, c++, rust, asm (default c++,rust)\n"
	"      --strict             a unit that cannot be used is an error, not a warning\n"
	"      --timings            print the seconds of each pass on stderr\n"
	"  -v, --verbose            print a summary on stderr\n"
	"  -h, --help               this text\n"
	"\n"
	"features:\n";

__attribute__((format(printf, 1, 0)))
static int usage_error(const char *format, const char *what)
{
	return arguments_usage_error("encode", format, what);
}

static bool parse_languages(const char *list, struct language_set *set)
{
	*set = (struct language_set){ 0 };
	for (const char *item = list; *item;) {
		size_t length = strcspn(item, ",");

		if (length == 4 && memcmp(item, "rust", 4) == 0)
			set->exclude_rust = true;
		else if (length == 3 && memcmp(item, "c++", 3) == 0)
			set->exclude_cxx = true;
		else if (length == 3 && memcmp(item, "asm", 3) == 0)
			set->exclude_assembler = true;
		else if (length == 1 && *item == 'c')
			set->exclude_c = true;
		else if (length)
			return false;
		item += length;
		item += *item == ',';
	}
	return true;
}

struct arguments {
	struct encode_options options;
	const char *output;
	bool verbose;
};

/* Returns an exit status, or -1 to go on. */
static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
	enum { OPT_LANG = ARGUMENTS_OWN, OPT_STRICT, OPT_TIMINGS, OPT_HELP };
	static const struct option long_options[] = {
		{ "output", required_argument, NULL, 'o' },
		{ "jobs", required_argument, NULL, 'j' },
		{ "features", required_argument, NULL, ARGUMENT_FEATURES },
		{ "lang-exclude", required_argument, NULL, OPT_LANG },
		{ "strict", no_argument, NULL, OPT_STRICT },
		{ "timings", no_argument, NULL, OPT_TIMINGS },
		{ "verbose", no_argument, NULL, 'v' },
		{ "help", no_argument, NULL, OPT_HELP },
		{ 0 },
	};
	int option, status;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":o:j:vh", long_options, NULL)) != -1) {
		switch (option) {
		case 'o': arguments->output = optarg; break;
		case 'v': arguments->verbose = true; break;
		case OPT_STRICT: arguments->options.strict = true; break;
		case OPT_TIMINGS: arguments->options.timings = true; break;
		case OPT_LANG:
			if (!parse_languages(optarg, &arguments->options.languages))
				return usage_error("--lang-exclude knows c, c++, rust and asm, not "
						   "all of '%s'", optarg);
			break;
		case 'h':
		case OPT_HELP:
			fputs(help, stdout);
			features_print(stdout);
			return EXIT_DONE;
		default:
			status = arguments_common("encode", option, argv, &arguments->options);
			if (status >= 0)
				return status;
			break;
		}
	}
	if (optind + 1 != argc)
		return usage_error("%s", optind == argc ? "no FILE is given"
							: "more than one FILE is given");
	if (!arguments->output)
		return usage_error("%s", "no -o OUT is given");
	arguments->options.path = argv[optind];
	if (strcmp(arguments->output, "-") == 0)
		arguments->output = "/dev/stdout";
	if (arguments_same_file(arguments->output, arguments->options.path))
		return usage_error("OUT is FILE itself (%s), which it would replace",
				   arguments->options.path);
	return -1;
}

static void print_summary(const struct arguments *arguments, const struct btf_image *image,
			  const struct encode_report *report)
{
	fprintf(stderr,
		"%s: %u units (%u of excluded languages, %u unusable), %llu types in DWARF\n",
		arguments->options.path, report->units.units, report->units.excluded,
		report->units.unusable, (unsigned long long)report->dwarf_types);
	fprintf(stderr, "%s: %u types, %u bytes of types, %u bytes of strings\n",
		arguments->output, image->type_count, image->type_bytes, image->string_bytes);
	for (int kind = 1; kind < BTF_KIND_COUNT; kind++) {
		if (image->kind_counts[kind])
			fprintf(stderr, "  %-12s %8u\n", btf_kinds[kind].name,
				image->kind_counts[kind]);
	}
	fprintf(stderr, "functions:\n");
	for (int i = 0; i < VERDICT_COUNT; i++) {
		if (report->verdicts[i])
			fprintf(stderr, "  %-20s %8u  %s\n", verdict_code((enum verdict)i),
				report->verdicts[i], verdict_sentence((enum verdict)i));
	}
	fprintf(stderr, "names with several meanings: %u; types that lead to one: %u; "
		"definitions looked at: %u, distinct: %u, in %u rounds; forwards bound by "
		"context: %u\n", report->resolve.ambiguous_tags, report->resolve.tainted_tags,
		report->resolve.instances, report->resolve.classes, report->resolve.rounds,
		report->resolve.bound_forwards);
}

int cmd_encode(int argc, char **argv)
{
	struct arguments arguments = {
		.options.languages = { .exclude_rust = true, .exclude_cxx = true } };
	struct encode_report report;
	struct btf_image image;
	struct error err;
	int status;
	bool good;

	features_default(&arguments.options.features);
	status = parse_arguments(argc, argv, &arguments);
	if (status >= 0)
		return status;
	if (!arguments.options.jobs)
		arguments.options.jobs = workers_available();
	arguments.options.examine_copies = arguments.verbose;
	good = encode_file(&arguments.options, &image, &report, &err);
	if (good) {
		good = output_file_write(arguments.output, image.data, image.size, &err);
		if (good && arguments.verbose)
			print_summary(&arguments, &image, &report);
		btf_image_release(&image);
	}
	if (!good) {
		fprintf(stderr, "btfenc: %s\n", err.text);
		return EXIT_FAILED;
	}
	if (report.inexpressible)
		fprintf(stderr,
			"btfenc: warning: %s: %llu members, elements or lengths are beyond what "
			"BTF can express and are missing\n",
			arguments.options.path, (unsigned long long)report.inexpressible);
	if (report.units.unusable)
		fprintf(stderr,
			"btfenc: warning: %s: %u of %u units could not be used; their types "
			"are missing\n",
			arguments.options.path, report.units.unusable,
			report.units.unusable + report.units.units);
	return EXIT_DONE;
}
