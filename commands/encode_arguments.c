/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/encode_arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/memory.h"
#include "base/workers.h"
#include "commands/arguments.h"
#include "commands/commands.h"

static const char help[] =
	"usage: btfenc encode [options] FILE...\n"
	"\n"
	"Encodes the DWARF of each FILE (a vmlinux, a module) as BTF and puts it into FILE as its\n"
	".BTF section, or into OUT.\n"
	"\n"
	"  -o, --output OUT         write raw BTF to OUT instead; OUT is replaced as a whole, or\n"
	"                           left alone; - is standard output\n"
	"  -b, --base BASE          split BTF: only what BASE (raw BTF, or an ELF file with .BTF)\n"
	"                           does not have; repeat it for a base of a base, lowest first\n"
	"  -j, --jobs [N]           threads; 0, no N or no -j: as many as there are processors;\n"
	"                           under make -j as many as it has jobs to spare\n"
	"      --features LIST      comma-separated; names replace the default, +NAME and -NAME\n"
	"                           change it; default and all are sets (see below)\n"
	"      --lang LIST          only units in these languages: c, c++, rust, asm\n"
	"      --lang-exclude LIST  languages to leave out (default c++,rust)\n"
	"      --strict             a unit that cannot be used is an error, not a warning\n"
	"      --timings            print the seconds of each pass on stderr\n"
	"  -v, --verbose            print a summary on stderr\n"
	"  -h, --help               this text\n"
	"\n"
	"Several FILEs are encoded in parallel; each failure is reported, the others go on.\n"
	"Exit status: 0 done, 1 any of several FILEs failed, 2 usage, 3 the only one failed.\n"
	"pahole's names for these options are understood, too (btfenc(1), KERNEL BUILDS).\n"
	"\n"
	"features:\n";

/* What pahole calls itself where it is replaced; scripts/pahole-version.sh parses it. */
#define PAHOLE_VERSION	       "v1.31"
#define PAHOLE_NUMERIC_VERSION "131"

enum {
	OPT_LANG = ARGUMENTS_OWN,
	OPT_LANG_EXCLUDE,
	OPT_STRICT,
	OPT_TIMINGS,
	OPT_HELP,
	OPT_FEATURES_PAHOLE,
	OPT_FEATURES_PAHOLE_STRICT,
	OPT_SUPPORTED_FEATURES,
	OPT_VERSION,
	OPT_NUMERIC_VERSION,
	OPT_NOTHING,		/* always so */
	OPT_NO_VAR,
	OPT_NO_DECL_TAG,
	OPT_NO_TYPE_TAG,
	OPT_NO_ENUM64,
	OPT_FLOAT,
	OPT_OPTIMIZED,
	OPT_CONSISTENT,
	OPT_ATTRIBUTES,
	OPT_ALL,
};

static const char short_options[] = ":o:b:j::F:vVJh";

static const struct option long_options[] = {
	{ "output", required_argument, NULL, 'o' },
	{ "btf_encode_detached", required_argument, NULL, 'o' },
	{ "base", required_argument, NULL, 'b' },
	{ "btf_base", required_argument, NULL, 'b' },
	{ "jobs", optional_argument, NULL, 'j' },
	{ "features", required_argument, NULL, ARGUMENT_FEATURES },
	{ "btf_features", required_argument, NULL, OPT_FEATURES_PAHOLE },
	{ "btf_features_strict", required_argument, NULL, OPT_FEATURES_PAHOLE_STRICT },
	{ "supported_btf_features", no_argument, NULL, OPT_SUPPORTED_FEATURES },
	{ "lang", required_argument, NULL, OPT_LANG },
	{ "lang-exclude", required_argument, NULL, OPT_LANG_EXCLUDE },
	{ "lang_exclude", required_argument, NULL, OPT_LANG_EXCLUDE },
	{ "strict", no_argument, NULL, OPT_STRICT },
	{ "timings", no_argument, NULL, OPT_TIMINGS },
	{ "verbose", no_argument, NULL, 'v' },
	{ "help", no_argument, NULL, OPT_HELP },
	{ "version", no_argument, NULL, OPT_VERSION },
	{ "numeric_version", no_argument, NULL, OPT_NUMERIC_VERSION },
	{ "btf_encode", no_argument, NULL, 'J' },
	{ "btf_encode_force", no_argument, NULL, OPT_NOTHING },
	{ "reproducible_build", no_argument, NULL, OPT_NOTHING },
	{ "skip_encoding_btf_vars", no_argument, NULL, OPT_NO_VAR },
	{ "skip_encoding_btf_decl_tag", no_argument, NULL, OPT_NO_DECL_TAG },
	{ "skip_encoding_btf_type_tag", no_argument, NULL, OPT_NO_TYPE_TAG },
	{ "skip_encoding_btf_enum64", no_argument, NULL, OPT_NO_ENUM64 },
	{ "skip_encoding_btf_inconsistent_proto", no_argument, NULL, OPT_CONSISTENT },
	{ "btf_gen_floats", no_argument, NULL, OPT_FLOAT },
	{ "btf_gen_optimized", no_argument, NULL, OPT_OPTIMIZED },
	{ "btf_gen_all", no_argument, NULL, OPT_ALL },
	{ "btf_attributes", no_argument, NULL, OPT_ATTRIBUTES },
	{ "format_path", required_argument, NULL, 'F' },
	{ 0 },
};

/* ---- languages ---- */

/* The set of one language; false: not known. Dialects of C and C++ (c99, c++14) are these. */
static bool language(const char *name, size_t length, struct language_set *set)
{
	if (length >= 3 && memcmp(name, "c++", 3) == 0)
		set->cxx = true;
	else if (length == 4 && memcmp(name, "rust", 4) == 0)
		set->rust = true;
	else if (length == 3 && memcmp(name, "asm", 3) == 0)
		set->assembler = true;
	else if (length >= 1 && *name == 'c' && strspn(name + 1, "0123456789") == length - 1)
		set->c = true;
	else
		return false;
	return true;
}

static bool parse_languages(const char *list, struct language_set *set)
{
	*set = (struct language_set){ 0 };
	for (const char *item = list; *item;) {
		size_t length = strcspn(item, ",");

		if (length && !language(item, length, set))
			return false;
		item += length;
		item += *item == ',';
	}
	return true;
}

static bool exclude_languages(const char *list, struct language_set *excluded)
{
	return parse_languages(list, excluded);
}

static bool exclude_all_but(const char *list, struct language_set *excluded)
{
	struct language_set wanted;

	if (!parse_languages(list, &wanted))
		return false;
	*excluded = (struct language_set){ .c = !wanted.c, .cxx = !wanted.cxx,
					   .rust = !wanted.rust,
					   .assembler = !wanted.assembler, .other = true };
	return true;
}

/* ---- options ---- */

struct parsing {
	struct encode_arguments *arguments;
	int argc;
	char **argv;
	bool is_asked;		/* to encode, and not to print types */
	bool feature_list;	/* a --btf_features was there: the next ones add to it */
};

__attribute__((format(printf, 1, 0)))
static int usage_error(const char *format, const char *what)
{
	return arguments_usage_error("encode", format, what);
}

static int version(const struct parsing *parsing, const char *pahole)
{
	printf("%s\n", parsing->arguments->dialect == DIALECT_PAHOLE ? pahole
								      : "btfenc " BTFENC_VERSION);
	return EXIT_DONE;
}

/*
 * -j has an argument only where it is written together; "-j N" is understood, too, unless there is
 * a file of that name: kernel builds pass a bare -j in front of the file.
 */
static int parse_jobs(const struct parsing *parsing)
{
	const char *next = optind < parsing->argc ? parsing->argv[optind] : NULL;
	const char *text = optarg;

	if (!text && next && *next && next[strspn(next, "0123456789")] == '\0' &&
	    access(next, F_OK) != 0) {
		text = next;
		optind++;
	}
	if (!text || !*text || arguments_parse_jobs(text, &parsing->arguments->options.jobs))
		return -1;
	return usage_error("-j needs a number up to 256, not '%s'", text);
}

static int add_base(struct encode_arguments *arguments, const char *path)
{
	if (arguments->base_count == BTF_INPUT_MAX_BASES)
		return usage_error("more bases than can be stacked: %s", path);
	arguments->bases[arguments->base_count++] = path;
	return -1;
}

static int parse_language_option(struct encode_arguments *arguments, const char *list,
				 bool (*parse)(const char *list, struct language_set *excluded))
{
	if (parse(list, &arguments->options.languages))
		return -1;
	return usage_error("the languages are c, c++, rust and asm, not all of '%s'", list);
}

static int add_features(struct parsing *parsing, bool strict)
{
	struct features *features = &parsing->arguments->options.features;
	struct error err;

	if (!parsing->feature_list)
		*features = (struct features){ 0 };
	parsing->feature_list = true;
	if (features_add(features, optarg, strict, &err))
		return -1;
	fprintf(stderr, "btfenc: %s\n", err.text);
	return EXIT_USAGE;
}

/* The options that stand for one feature, from before --btf_features. */
static bool feature_option(struct features *features, int option)
{
	switch (option) {
	case OPT_NO_VAR: features->feature_var = false; break;
	case OPT_NO_DECL_TAG: features->feature_decl_tag = false; break;
	case OPT_NO_TYPE_TAG: features->feature_type_tag = false; break;
	case OPT_NO_ENUM64: features->feature_enum64 = false; break;
	case OPT_FLOAT: features->feature_float = true; break;
	case OPT_OPTIMIZED: features->feature_optimized_func = true; break;
	case OPT_CONSISTENT: features->feature_consistent_func = true; break;
	case OPT_ATTRIBUTES: features->feature_attributes = true; break;
	case OPT_ALL: features_default(features); break;
	case OPT_NOTHING: break;
	default: return false;
	}
	return true;
}

static int unknown_option(const struct parsing *parsing, int option)
{
	const char *text = parsing->argv[optind - 1];
	char letter[3] = { '-', (char)optopt, '\0' };

	if (optopt && optopt < ARGUMENT_FEATURES)
		text = letter;
	if (option == ':')
		return usage_error("%s needs an argument", text);
	if (parsing->arguments->dialect == DIALECT_PAHOLE)
		return usage_error("%s is not an option of pahole's BTF encoder, and this is "
				   "btfenc in its place; take pahole itself to look at types",
				   text);
	return usage_error("%s is not an option", text);
}

/* Returns an exit status, or -1 to go on. */
static int take_option(struct parsing *parsing, int option)
{
	struct encode_arguments *arguments = parsing->arguments;

	switch (option) {
	case 'o':
		arguments->output = optarg;
		parsing->is_asked = true;
		return -1;
	case 'b': return add_base(arguments, optarg);
	case 'j': return parse_jobs(parsing);
	case 'J': parsing->is_asked = true; return -1;
	case 'v':
	case 'V': arguments->verbose = true; return -1;
	case OPT_STRICT: arguments->options.strict = true; return -1;
	case OPT_TIMINGS: arguments->options.timings = true; return -1;
	case OPT_LANG: return parse_language_option(arguments, optarg, exclude_all_but);
	case OPT_LANG_EXCLUDE:
		return parse_language_option(arguments, optarg, exclude_languages);
	case OPT_FEATURES_PAHOLE: return add_features(parsing, false);
	case OPT_FEATURES_PAHOLE_STRICT: return add_features(parsing, true);
	case OPT_SUPPORTED_FEATURES: features_print_names(stdout); return EXIT_DONE;
	case OPT_VERSION: return version(parsing, PAHOLE_VERSION);
	case OPT_NUMERIC_VERSION: return version(parsing, PAHOLE_NUMERIC_VERSION);
	case 'F':
		return strstr(optarg, "dwarf") ? -1 : usage_error("only DWARF is read, not %s",
								  optarg);
	case ARGUMENT_FEATURES:
		return arguments_common("encode", option, parsing->argv, &arguments->options);
	case 'h':
	case OPT_HELP:
		fputs(help, stdout);
		features_print(stdout);
		return EXIT_DONE;
	default:
		return feature_option(&arguments->options.features, option)
			       ? -1 : unknown_option(parsing, option);
	}
}

/* ---- what must fit together ---- */

/* A name of the output must not be that of an input. */
static int check_output(const struct encode_arguments *arguments, const char *output)
{
	for (uint32_t i = 0; i < arguments->path_count; i++) {
		if (arguments_same_file(output, arguments->paths[i]))
			return usage_error("OUT is FILE itself (%s), which it would replace",
					   output);
	}
	for (uint32_t i = 0; i < arguments->base_count; i++) {
		if (arguments_same_file(output, arguments->bases[i]))
			return usage_error("OUT is BASE itself (%s), which it would replace",
					   output);
	}
	return -1;
}

static int check_outputs(const struct encode_arguments *arguments)
{
	int status;

	if (arguments->path_count > 1)
		return usage_error("%s cannot take the BTF of more than one FILE",
				   arguments->output);
	status = check_output(arguments, arguments->output);
	if (status >= 0)
		return status;
	if (arguments->to_stdout && arguments->options.features.feature_distilled_base)
		return usage_error("%s is no place for a distilled base; give an OUT that is a "
				   "file", arguments->output);
	if (arguments->to_stdout && arguments->options.features.feature_func_secinfo)
		return usage_error("%s is no place for func_secinfo, which goes into OUT.extra; "
				   "give an OUT that is a file", arguments->output);
	status = arguments->base_output ? check_output(arguments, arguments->base_output) : -1;
	if (status >= 0)
		return status;
	return arguments->extra_output && arguments->options.features.feature_func_secinfo
		       ? check_output(arguments, arguments->extra_output) : -1;
}

static int check_inputs(const struct encode_arguments *arguments)
{
	if (!arguments->path_count)
		return usage_error("%s", "no FILE is given");
	if (arguments->path_count > 1 && arguments->options.timings)
		return usage_error("%s", "--timings are those of one FILE");
	if (arguments->base_count > 1 && arguments->options.features.feature_distilled_base)
		return usage_error("%s", "distilled_base takes one BASE: it is fitted to the "
				   "kernel's BTF alone");
	for (uint32_t i = 0; !arguments->output && i < arguments->path_count; i++) {
		for (uint32_t k = 0; k < arguments->base_count; k++) {
			if (arguments_same_file(arguments->bases[k], arguments->paths[i]))
				return usage_error("BASE is FILE itself (%s)", arguments->paths[i]);
		}
	}
	return -1;
}

/* /dev/null and the like have nothing beside them. */
static bool has_neighbours(const char *output)
{
	struct stat st;

	return output && (stat(output, &st) != 0 || S_ISREG(st.st_mode));
}

static char *beside(const char *output, const char *suffix)
{
	size_t bytes = strlen(output) + strlen(suffix) + 1;
	char *path = memory_alloc(bytes);

	snprintf(path, bytes, "%s%s", output, suffix);
	return path;
}

/* What follows from the options together. */
static void settle(struct encode_arguments *arguments)
{
	struct features *features = &arguments->options.features;

	arguments->to_stdout = arguments->output && strcmp(arguments->output, "-") == 0;
	arguments->options.examine_clones = arguments->verbose;
	if (!arguments->options.jobs)
		arguments->options.jobs = workers_by_default();
	/* pahole never distills what it writes detached: resolve_btfids does, from all of it. */
	if (!arguments->base_count ||
	    (arguments->dialect == DIALECT_PAHOLE && arguments->output))
		features->feature_distilled_base = false;
	if (!has_neighbours(arguments->output))
		return;
	if (features->feature_distilled_base)
		arguments->base_output = beside(arguments->output, ".base");
	arguments->extra_output = beside(arguments->output, ".extra");
}

/* What pahole 1.31 encodes when no option says otherwise; signatures are always consistent. */
static void pahole_features(struct features *features)
{
	*features = (struct features){ .feature_var = true, .feature_decl_tag = true,
				       .feature_type_tag = true, .feature_enum64 = true,
				       .feature_consistent_func = true };
}

/* Options on the command line come later, and win. */
static int take_environment(struct encode_arguments *arguments)
{
	const char *list = getenv("PAHOLE_LANG_EXCLUDE");

	if (arguments->dialect != DIALECT_PAHOLE || !list || !*list)
		return -1;
	return parse_language_option(arguments, list, exclude_languages);
}

int encode_arguments_parse(struct encode_arguments *arguments, enum encode_dialect dialect,
			   int argc, char **argv)
{
	struct parsing parsing = { .arguments = arguments, .argc = argc, .argv = argv };
	int option, status;

	*arguments = (struct encode_arguments){
		.dialect = dialect, .options.languages = { .rust = true, .cxx = true } };
	if (dialect == DIALECT_PAHOLE)
		pahole_features(&arguments->options.features);
	else
		features_default(&arguments->options.features);
	status = take_environment(arguments);
	if (status >= 0)
		return status;
	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, short_options, long_options, NULL)) != -1) {
		status = take_option(&parsing, option);
		if (status >= 0)
			return status;
	}
	if (dialect == DIALECT_PAHOLE && !parsing.is_asked)
		return usage_error("%s", "without -J or --btf_encode_detached pahole prints types, "
				   "and this is btfenc in its place; take pahole itself for that");
	arguments->paths = argv + optind;
	arguments->path_count = (uint32_t)(argc - optind);
	settle(arguments);
	status = check_inputs(arguments);
	return status < 0 && arguments->output ? check_outputs(arguments) : status;
}

void encode_arguments_release(struct encode_arguments *arguments)
{
	free(arguments->base_output);
	free(arguments->extra_output);
	*arguments = (struct encode_arguments){ 0 };
}
