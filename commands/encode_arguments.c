/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/encode_arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/memory.h"
#include "base/text.h"
#include "base/workers.h"

/* With make PAHOLE_VERSION=133 another: kernels' Kconfig and scripts choose options by it. */
#ifndef PAHOLE_VERSION
#define PAHOLE_VERSION 132
#endif

struct parsing {
	struct encode_arguments arguments;
	int argc;
	char **argv;
	bool is_asked;		/* to encode, and not to print types */
	bool has_features;	/* a --btf_features was given: the next ones add to it */
};

/* ---- languages ---- */

/* Dialects of C and C++ (c99, c++14) are these languages. */
static OPTION_ACTION(exclude_languages)
{
	struct language_set set = { 0 };

	for (const char *item = value; *item;) {
		size_t length = strcspn(item, ",");

		if (length >= 3 && strncasecmp(item, "c++", 3) == 0)
			set.cxx = true;
		else if (length == 4 && strncasecmp(item, "rust", 4) == 0)
			set.rust = true;
		else if (length == 3 && strncasecmp(item, "asm", 3) == 0)
			set.assembler = true;
		else if (length && (*item == 'c' || *item == 'C') &&
			 strspn(item + 1, "0123456789") == length - 1)
			set.c = true;
		else if (length)
			return usage_error(command, "unknown language in '%s'; known are c, c++, "
					   "rust and asm", value);
		item += length;
		item += *item == ',';
	}
	*(struct language_set *)target = set;
	return -1;
}

static OPTION_ACTION(exclude_all_but)
{
	struct language_set set;
	int status = exclude_languages(command, row, &set, value);

	if (status < 0)
		*(struct language_set *)target = (struct language_set){
			.c = !set.c, .cxx = !set.cxx, .rust = !set.rust,
			.assembler = !set.assembler, .other = true };
	return status;
}

/* ---- options ---- */

static OPTION_ACTION(take_output)
{
	struct parsing *parsing = target;

	parsing->arguments.output = value;
	parsing->is_asked = true;
	return -1;
}

/*
 * -j has an argument only where it is written together; "-j N" is understood, too, unless there is
 * a file of that name: kernel builds pass a bare -j before the file.
 */
static OPTION_ACTION(take_jobs)
{
	struct parsing *parsing = target;
	const char *next = optind < parsing->argc ? parsing->argv[optind] : NULL;
	unsigned int *jobs = &parsing->arguments.options.jobs;
	uint32_t number;

	if (!value && next && *next && *next != '-' && access(next, F_OK) != 0) {
		value = next;
		optind++;
	}
	if (!value || !*value)
		return -1;
	/* make's own -jN: kernel builds hand it on. */
	if (parsing->arguments.dialect == DIALECT_PAHOLE &&
	    text_parse_number(value, UINT32_MAX, &number) && number > JOBS_MAX) {
		*jobs = JOBS_MAX;
		return -1;
	}
	return option_jobs(command, row, jobs, value);
}

static int add_features(struct parsing *parsing, const char *list, bool strict)
{
	struct features *features = &parsing->arguments.options.features;
	struct error err;

	if (!parsing->has_features)
		*features = (struct features){ 0 };
	parsing->has_features = true;
	if (features_add(features, list, strict, &err))
		return -1;
	command_failed(&err);
	return EXIT_USAGE;
}

static OPTION_ACTION(take_features)
{
	return add_features(target, value ? value : "all", strcmp(row->name, "btf_features") != 0);
}

/* Under pahole's name it is another name of --btf_features. */
static OPTION_ACTION(take_own_features)
{
	struct parsing *parsing = target;

	if (parsing->arguments.dialect == DIALECT_PAHOLE)
		return add_features(parsing, value, false);
	return option_features(command, row, &parsing->arguments.options.features, value);
}

/* Each name begins with nothing, and would be nothing. */
static OPTION_ACTION(take_kabi_prefix)
{
	if (!*value)
		return usage_error(command, "--kabi_prefix is empty");
	*(const char **)target = value;
	return -1;
}

static OPTION_ACTION(print_features)
{
	features_print_names(stdout);
	return EXIT_DONE;
}

/*
 * In pahole's dialect it is pahole's, which scripts/pahole-version.sh parses; its devel_version
 * names the revision that it was built from.
 */
static OPTION_ACTION(print_version)
{
	const struct parsing *parsing = target;

	if (parsing->arguments.dialect != DIALECT_PAHOLE)
		puts("btfenc " BTFENC_VERSION);
	else
		printf(strcmp(row->name, "numeric_version") == 0 ? "%d%02d%s\n" : "v%d.%02d%s\n",
		       PAHOLE_VERSION / 100, PAHOLE_VERSION % 100,
		       strcmp(row->name, "devel_version") == 0 ? "-btfenc-" BTFENC_VERSION : "");
	return EXIT_DONE;
}

static OPTION_ACTION(take_format)
{
	return strstr(value, "dwarf") ? -1 : usage_error(command, "only DWARF is read, not %s",
							 value);
}

/* These options ask for what is always done, or is not about BTF. */
static OPTION_ACTION(take_nothing)
{
	return -1;
}

#define AT(field)   offsetof(struct parsing, field)
#define ARGUMENT(x) AT(arguments.x)
#define OPTION(x)   AT(arguments.options.x)
#define FEATURE(x)  AT(arguments.options.features.feature_##x)

/* btfenc's options and pahole's, in both dialects. */
static const struct option_row options[] = {
	{ "output", 'o', "OUT", take_output, 0 },
	{ "base", 'b', "BASE", option_base, ARGUMENT(bases) },
	{ "force", 0, NULL, option_set, OPTION(any_base) },
	{ "jobs", 'j', "[N]", take_jobs, 0 },
	{ "features", 0, "LIST", take_own_features, 0 },
	{ "lang", 0, "LIST", exclude_all_but, OPTION(languages) },
	{ "lang-exclude", 0, "LIST", exclude_languages, OPTION(languages) },
	{ "strict", 0, NULL, option_set, OPTION(strict) },
	{ "timings", 0, NULL, option_set, OPTION(timings) },
	{ "verbose", 'v', NULL, option_set, ARGUMENT(verbose) },
	HELP_ROW,

	{ "btf_encode", 'J', NULL, option_set, AT(is_asked) },
	{ "btf_encode_detached", 0, "OUT", take_output, 0 },
	{ "btf_base", 0, "BASE", option_base, ARGUMENT(bases) },
	{ "btf_features", 0, "LIST", take_features, 0 },
	{ "btf_features_strict", 0, "LIST", take_features, 0 },
	{ "supported_btf_features", 0, NULL, print_features, 0 },
	{ "lang_exclude", 0, "LIST", exclude_languages, OPTION(languages) },
	{ "version", 0, NULL, print_version, 0 },
	{ "numeric_version", 0, NULL, print_version, 0 },
	{ "devel_version", 0, NULL, print_version, 0 },
	{ "btf_encode_force", 0, NULL, take_nothing, 0 },
	{ "reproducible_build", 0, NULL, take_nothing, 0 },
	{ "skip_emitting_atomic_typedefs", 0, NULL, take_nothing, 0 },
	{ "hashbits", 0, "BITS", take_nothing, 0 },
	{ "kabi_prefix", 0, "STRING", take_kabi_prefix, OPTION(kabi_prefix) },
	{ "skip_encoding_btf_vars", 0, NULL, option_clear, FEATURE(var) },
	{ "skip_encoding_btf_decl_tag", 0, NULL, option_clear, FEATURE(decl_tag) },
	{ "skip_encoding_btf_type_tag", 0, NULL, option_clear, FEATURE(type_tag) },
	{ "skip_encoding_btf_enum64", 0, NULL, option_clear, FEATURE(enum64) },
	{ "skip_encoding_btf_inconsistent_proto", 0, NULL, option_set, FEATURE(consistent_func) },
	{ "btf_gen_floats", 0, NULL, option_set, FEATURE(float) },
	{ "btf_gen_optimized", 0, NULL, option_set, FEATURE(optimized_func) },
	{ "btf_gen_all", 0, NULL, take_features, 0 },
	{ "btf_attributes", 0, NULL, option_set, FEATURE(attributes) },
	{ "format_path", 'F', "FORMAT", take_format, 0 },
	{ NULL, 'V', NULL, option_set, ARGUMENT(verbose) },
};

EMBED(encode_help, "commands/help/encode.txt");

static const struct command encode_command = {
	.name = "encode",
	.help = encode_help,
	.print_more = features_print,
	COMMAND_OPTIONS(options),
};

/* ---- options that exclude each other ---- */

/* Standard output, a FIFO, a terminal: no file is next to it. Nothing is lost in /dev/null. */
static bool is_stream(const struct encode_arguments *arguments)
{
	struct stat st;

	return arguments->to_stdout ||
	       (stat(arguments->output, &st) == 0 && !S_ISREG(st.st_mode) &&
		!S_ISDIR(st.st_mode) && !is_same_file(arguments->output, "/dev/null"));
}

static bool is_part_wanted(const struct encode_arguments *arguments, enum btf_part part)
{
	const struct features *features = &arguments->options.features;

	return part == BTF_PART_INLINE
		       ? features->feature_inline && arguments->options.split_inline
		       : features->feature_func_secinfo;
}

static int check_outputs(const struct command *command,
			 const struct encode_arguments *arguments)
{
	const struct features *features = &arguments->options.features;
	static const char *const part_features[] = { "inline", "func_secinfo" };
	const char *outputs[2 + BTF_PART_COUNT] = {
		arguments->output,
		features->feature_distilled_base ? arguments->base_output : NULL,
	};

	if (arguments->path_count > 1)
		return usage_error(command, "%s cannot take the BTF of more than one FILE",
				   arguments->output);
	for (enum btf_part p = 0; p < BTF_PART_COUNT; p++)
		outputs[2 + p] = is_part_wanted(arguments, p) ? arguments->part_outputs[p] : NULL;
	for (int o = 0; o < 2 + BTF_PART_COUNT; o++) {
		/* The one FILE, then the bases. */
		for (uint32_t i = 0; outputs[o] && i <= arguments->bases.count; i++) {
			const char *input = i ? arguments->bases.paths[i - 1] : *arguments->paths;

			if (is_same_file(outputs[o], input))
				return usage_error(command, "OUT is %s itself (%s), which it would "
						   "replace", i ? "BASE" : "FILE", outputs[o]);
		}
	}
	if (!is_stream(arguments))
		return -1;
	if (features->feature_distilled_base)
		return usage_error(command, "%s cannot take a distilled base; give an OUT that is "
				   "a file", arguments->output);
	for (enum btf_part p = 0; p < BTF_PART_COUNT; p++) {
		if (is_part_wanted(arguments, p))
			return usage_error(command, "%s cannot take %s, which goes into OUT%s; "
					   "give an OUT that is a file", arguments->output,
					   part_features[p], btf_part_suffix(p));
	}
	return -1;
}

static int check_inputs(const struct command *command,
			const struct encode_arguments *arguments)
{
	if (!arguments->path_count)
		return usage_error(command, "no FILE is given");
	if (arguments->path_count > 1 && arguments->options.timings)
		return usage_error(command, "--timings are those of one FILE");
	if (arguments->bases.count > 1 && arguments->options.features.feature_distilled_base)
		return usage_error(command, "distilled_base takes one BASE: it is fitted to the "
				   "kernel's BTF alone");
	for (uint32_t i = 0; i < arguments->path_count; i++) {
		for (uint32_t k = 0; k < arguments->bases.count; k++) {
			if (is_same_file(arguments->bases.paths[k], arguments->paths[i]))
				return usage_error(command, "BASE is FILE itself (%s)",
						   arguments->paths[i]);
		}
	}
	return -1;
}

/* Also a file, by /dev/stdout or /proc/self/fd/1: nothing next to that name would be its own. */
static bool is_standard_output(const char *output)
{
	struct stat named, standard;

	return strcmp(output, "-") == 0 ||
	       ((text_after(output, "/dev/") || text_after(output, "/proc/")) &&
		stat(output, &named) == 0 && S_ISREG(named.st_mode) &&
		fstat(STDOUT_FILENO, &standard) == 0 && named.st_dev == standard.st_dev &&
		named.st_ino == standard.st_ino);
}

/* The name of a file next to OUT, from which one of an earlier run is removed; but no base. */
static char *name_of_side_file(const struct encode_arguments *arguments, const char *suffix,
			       bool is_wanted)
{
	char *path = text_format("%s%s", arguments->output, suffix);

	/* If it is wanted, check_outputs() refuses it. */
	for (uint32_t i = 0; path && !is_wanted && i < arguments->bases.count; i++) {
		if (is_same_file(path, arguments->bases.paths[i])) {
			free(path);
			path = NULL;
		}
	}
	return path;
}

/* Settings that follow from several options. */
static void settle(struct encode_arguments *arguments)
{
	struct features *features = &arguments->options.features;
	struct stat st;

	arguments->to_stdout = arguments->output && is_standard_output(arguments->output);
	arguments->options.examine_clones = arguments->verbose;
	/* From pahole the kernel's build takes both together, and splits them itself. */
	arguments->options.split_inline = arguments->dialect == DIALECT_BTFENC;
	/* The kernel's gen-btf.sh fails if nothing is made of a module, as in Rust alone. */
	arguments->options.may_be_empty = arguments->dialect == DIALECT_PAHOLE &&
					  arguments->output && arguments->bases.count;
	if (!arguments->options.jobs)
		arguments->options.jobs = workers_by_default();
	/* pahole distills no detached output: resolve_btfids does, from all of it. */
	if (!arguments->bases.count ||
	    (arguments->dialect == DIALECT_PAHOLE && arguments->output))
		features->feature_distilled_base = false;
	/* /dev/null and the like have no file next to them. */
	if (!arguments->output || arguments->to_stdout ||
	    (stat(arguments->output, &st) == 0 && !S_ISREG(st.st_mode)))
		return;
	if (arguments->dialect == DIALECT_BTFENC)
		arguments->base_output = name_of_side_file(arguments, ".base",
							   features->feature_distilled_base);
	for (enum btf_part p = 0; p < BTF_PART_COUNT; p++)
		arguments->part_outputs[p] = name_of_side_file(arguments, btf_part_suffix(p),
							       is_part_wanted(arguments, p));
}

int encode_arguments_parse(struct encode_arguments *arguments, enum encode_dialect dialect,
			   int argc, char **argv)
{
	struct command with_dialect = encode_command;
	const struct command *command = &with_dialect;
	const char *excluded = getenv("PAHOLE_LANG_EXCLUDE");
	struct parsing parsing = {
		.arguments = { .dialect = dialect }, .argc = argc, .argv = argv };
	int status = -1;

	encode_options_default(&parsing.arguments.options);
	if (dialect == DIALECT_PAHOLE) {
		with_dialect.unknown = "is not supported in pahole's place; the page "
				       "kernel-build.md says why; run pahole itself to look at "
				       "types";
		/* Builds out of the tree often have only the running kernel's BTF. */
		parsing.arguments.options.any_base = true;
		/* The defaults of pahole 1.32; signatures are always consistent. */
		parsing.arguments.options.features = (struct features){
			.feature_var = true, .feature_decl_tag = true, .feature_type_tag = true,
			.feature_enum64 = true, .feature_consistent_func = true };
		/* Options on the command line come later, and win. */
		if (excluded && *excluded)
			status = exclude_languages(
				command, NULL, &parsing.arguments.options.languages, excluded);
	}
	if (status < 0)
		status = command_line_parse(command, &parsing, argc, argv);
	*arguments = parsing.arguments;
	if (status >= 0)
		return status;
	if (dialect == DIALECT_PAHOLE && !parsing.is_asked)
		return usage_error(command, "without -J or --btf_encode_detached pahole prints "
				   "types, which btfenc does not; run pahole itself for that");
	arguments->paths = argv + optind;
	arguments->path_count = (uint32_t)(argc - optind);
	settle(arguments);
	status = check_inputs(command, arguments);
	return status < 0 && arguments->output ? check_outputs(command, arguments) : status;
}

void encode_arguments_release(struct encode_arguments *arguments)
{
	free(arguments->base_output);
	for (int p = 0; p < BTF_PART_COUNT; p++)
		free(arguments->part_outputs[p]);
	*arguments = (struct encode_arguments){ 0 };
}
