/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc diff`: what lost its signature between two builds. */
#include <fnmatch.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output_file.h"
#include "base/workers.h"
#include "commands/arguments.h"
#include "commands/commands.h"
#include "commands/diff/diff_side.h"

static const char help[] =
	"usage: btfenc diff [options] OLD NEW\n"
	"\n"
	"What happened to the functions of a kernel or module between two builds: which lost\n"
	"their FUNC and why, which have another prototype, which are inlined now. OLD and NEW\n"
	"are files with DWARF (vmlinux), BTF (with .BTF.extra, or FILE.extra beside it), or\n"
	"lists of functions that `btfenc stats --functions OUT.tsv vmlinux` has made.\n"
	"\n"
	"      --types           compare structs, unions, enums and typedefs, too\n"
	"      --only WHAT       only what is `exported`, a `kfunc`, or has a name like the glob\n"
	"                        WHAT; repeat it, or put commas, for more\n"
	"      --fail-on LIST    what counts as a regression: classes with commas, `lost` (all\n"
	"                        losses), `types`, `all`, `none`; -CLASS takes one away, at\n"
	"                        the beginning from the default\n"
	"                        (lost,changed,type-gone,type-changed)\n"
	"      --show LIST       what is listed, the same way; the rest is only counted (all)\n"
	"      --allow FILE      changes that are known and do not count; lines are\n"
	"                        GLOB [CLASS,...] # why\n"
	"      --format FORMAT   text, json, markdown or html (text)\n"
	"      --limit N         of each class list N at most; 0: all (0; of markdown 100)\n"
	"  -o, --output OUT      write to OUT; -: to standard output, as without\n"
	"      --old-base BTF    OLD is split BTF on top of it\n"
	"      --new-base BTF    NEW is\n"
	"      --features LIST   as for encode, see there\n"
	"  -j, --jobs N          threads\n"
	"  -h, --help            this text\n"
	"\n"
	"Classes, the most important first: lost, ambiguous, inconsistent, inlined, gone (had a\n"
	"FUNC, and why there is none now); changed; type-gone, type-changed; partly-inlined,\n"
	"clones; gained; sites; other; type-new.\n"
	"\n"
	"Exit status: 0 nothing that counts, 1 regressions, 2 usage, 3 a file cannot be read.\n";

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_MARKDOWN,
	FORMAT_HTML,
	FORMAT_COUNT,
};

static const char *const formats[FORMAT_COUNT] = { "text", "json", "markdown", "html" };

/* A forge cuts what is too long off; a job summary has 1 MiB. */
#define MARKDOWN_LIMIT 100

struct arguments {
	struct encode_options options;		/* jobs, features */
	const char *paths[2];
	const char *bases[2];
	const char *allow_path;
	const char *output;			/* NULL: standard output */
	enum format format;
	uint32_t limit;
	bool has_limit;
	bool types;
	uint32_t fail_on;
	uint32_t show;
	bool has_fail_on;
	bool has_show;
	ARRAY_OF(const char *) only;		/* into `only_texts` */
	ARRAY_OF(char *) only_texts;
};

__attribute__((format(printf, 1, 0)))
static int usage_error(const char *format, const char *what)
{
	return arguments_usage_error("diff", format, what);
}

static int fail(const struct error *err)
{
	fprintf(stderr, "btfenc: %s\n", err->text);
	return EXIT_FAILED;
}

/* ---- the command line ---- */

/* Returns an exit status, or -1 to go on. Given again, the option adds to what it said before. */
static int parse_classes(const char *text, uint32_t *classes, bool *given)
{
	uint32_t before = *given && *text != '-' ? *classes : 0;
	const char *bad;
	size_t length;
	char word[64];

	*given = true;
	if (diff_classes_parse(text, classes, &bad, &length)) {
		*classes |= before;
		return -1;
	}
	snprintf(word, sizeof(word), "%.*s", (int)(length < 60 ? length : 60), bad);
	return usage_error("'%s' is no class of changes", word);
}

static int parse_format(const char *text, enum format *format)
{
	for (int i = 0; i < FORMAT_COUNT; i++) {
		if (strcmp(text, formats[i]) == 0) {
			*format = (enum format)i;
			return -1;
		}
	}
	return usage_error("'%s' is no format; there are text, json, markdown and html", text);
}

static int parse_limit(const char *text, struct arguments *arguments)
{
	char *end;
	unsigned long value = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9' || *end || value > UINT32_MAX)
		return usage_error("--limit needs a number, not '%s'", text);
	arguments->limit = (uint32_t)value;
	arguments->has_limit = true;
	return -1;
}

static int add_only(struct arguments *arguments, const char *text)
{
	char *copy = memory_string(text, strlen(text)), *rest = copy, *word;

	array_push(&arguments->only_texts, copy);
	while ((word = strsep(&rest, ",")))
		array_push(&arguments->only, word);
	for (size_t i = 0; i < arguments->only.count; i++) {
		if (!*arguments->only.data[i])
			return usage_error("%s", "--only has a word that is empty");
	}
	return -1;
}

/* Of types nobody knows whether they are exported. */
static int check_types_only(const struct arguments *arguments)
{
	bool has_glob = !arguments->only.count;

	for (size_t i = 0; i < arguments->only.count; i++)
		has_glob |= strcmp(arguments->only.data[i], "exported") != 0 &&
			    strcmp(arguments->only.data[i], "kfunc") != 0;
	if (arguments->types && !has_glob)
		return usage_error("%s", "--types with --only needs a glob: types are neither "
				   "exported nor kfuncs");
	return -1;
}

static int check_files(int argc, char **argv, struct arguments *arguments)
{
	const char *others[] = { arguments->allow_path, arguments->bases[0], arguments->bases[1] };

	if (optind + 2 != argc)
		return usage_error("%s", optind + 2 > argc ? "two files are compared, OLD and NEW"
							    : "more than two files are given");
	for (int i = 0; i < 2; i++) {
		arguments->paths[i] = argv[optind + i];
		if (arguments->output && arguments_same_file(arguments->output, argv[optind + i]))
			return usage_error("OUT is %s itself, which it would replace",
					   argv[optind + i]);
	}
	if (arguments->output && strcmp(arguments->output, "-") == 0)
		arguments->output = NULL;
	for (size_t i = 0; arguments->output && i < sizeof(others) / sizeof(*others); i++) {
		if (others[i] && arguments_same_file(arguments->output, others[i]))
			return usage_error("OUT is %s itself, which it would replace", others[i]);
	}
	if (!arguments->types && arguments->fail_on && !(arguments->fail_on & ~DIFF_TYPES))
		return usage_error("%s", "--fail-on names only types, which need --types");
	return check_types_only(arguments);
}

static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
	enum { OPT_TYPES = ARGUMENTS_OWN, OPT_ONLY, OPT_FAIL_ON, OPT_SHOW, OPT_ALLOW, OPT_FORMAT,
	       OPT_LIMIT, OPT_OLD_BASE, OPT_NEW_BASE };
	static const struct option long_options[] = {
		{ "types", no_argument, NULL, OPT_TYPES },
		{ "only", required_argument, NULL, OPT_ONLY },
		{ "fail-on", required_argument, NULL, OPT_FAIL_ON },
		{ "show", required_argument, NULL, OPT_SHOW },
		{ "allow", required_argument, NULL, OPT_ALLOW },
		{ "format", required_argument, NULL, OPT_FORMAT },
		{ "limit", required_argument, NULL, OPT_LIMIT },
		{ "output", required_argument, NULL, 'o' },
		{ "old-base", required_argument, NULL, OPT_OLD_BASE },
		{ "new-base", required_argument, NULL, OPT_NEW_BASE },
		{ "jobs", required_argument, NULL, 'j' },
		{ "features", required_argument, NULL, ARGUMENT_FEATURES },
		{ "help", no_argument, NULL, 'h' },
		{ 0 },
	};
	int option, status;

	optind = 0;
	opterr = 0;
	while ((option = getopt_long(argc, argv, ":j:o:h", long_options, NULL)) != -1) {
		status = -1;
		switch (option) {
		case OPT_TYPES: arguments->types = true; break;
		case OPT_ONLY: status = add_only(arguments, optarg); break;
		case OPT_FAIL_ON:
			status = parse_classes(optarg, &arguments->fail_on,
					       &arguments->has_fail_on);
			break;
		case OPT_SHOW:
			status = parse_classes(optarg, &arguments->show, &arguments->has_show);
			break;
		case OPT_ALLOW:
			if (arguments->allow_path)
				return usage_error("%s", "--allow is given twice; put all lines "
						   "into one file");
			arguments->allow_path = optarg;
			break;
		case OPT_FORMAT: status = parse_format(optarg, &arguments->format); break;
		case OPT_LIMIT: status = parse_limit(optarg, arguments); break;
		case OPT_OLD_BASE: arguments->bases[0] = optarg; break;
		case OPT_NEW_BASE: arguments->bases[1] = optarg; break;
		case 'o': arguments->output = optarg; break;
		case 'h': fputs(help, stdout); return EXIT_DONE;
		default:
			status = arguments_common("diff", option, argv, &arguments->options);
			break;
		}
		if (status >= 0)
			return status;
	}
	return check_files(argc, argv, arguments);
}

/* ---- both sides at once ---- */

struct sides {
	struct side_source sources[2];
	struct error errors[2];
	bool good[2];
};

static void read_side(void *context, unsigned int side)
{
	struct sides *sides = context;

	sides->good[side] = side_source_read(&sides->sources[side], &sides->errors[side]);
}

/*
 * Two sides with DWARF at once, each with half of the threads: two encodings of one thread are done
 * before two of two, one after the other, because not all passes can be divided. Others take no
 * time.
 */
static bool read_sides(const struct arguments *arguments, struct sides *sides, struct error *err)
{
	unsigned int jobs = arguments->options.jobs ? arguments->options.jobs
						    : workers_by_default();
	bool at_once = jobs > 1 && side_is_dwarf(arguments->paths[0]) &&
		       side_is_dwarf(arguments->paths[1]);

	for (int i = 0; i < 2; i++) {
		sides->sources[i] = (struct side_source){
			.options = arguments->options, .base = arguments->bases[i],
			.base_option = i ? "--new-base" : "--old-base",
			.types = arguments->types };
		sides->sources[i].options.path = arguments->paths[i];
		sides->sources[i].options.jobs = at_once ? jobs / 2 : jobs;
	}
	if (at_once) {
		workers_run(2, read_side, sides);
	} else {
		read_side(sides, 0);
		read_side(sides, 1);
	}
	for (int i = 0; i < 2; i++) {
		if (!sides->good[i]) {
			*err = sides->errors[i];
			return false;
		}
	}
	return true;
}

static bool has_mark(const struct function_table *table, enum function_mark mark)
{
	for (size_t i = 0; i < table->functions.count; i++) {
		if (table->functions.data[i].marks >> mark & 1)
			return true;
	}
	return false;
}

static bool has_name(const struct function_table *table, const char *glob)
{
	for (size_t i = 0; i < table->functions.count; i++) {
		if (fnmatch(glob, table->functions.data[i].name, 0) == 0)
			return true;
	}
	return false;
}

static bool has_type(const struct btf_reader *btf, const char *glob)
{
	for (uint32_t id = 1; id < btf_reader_end_id(btf); id++) {
		const uint32_t *record = btf_reader_type(btf, id);
		const char *name = record ? btf_reader_string(btf, record[BTF_WORD_NAME]) : NULL;

		if (name && *name && fnmatch(glob, name, 0) == 0)
			return true;
	}
	return false;
}

static bool is_there(const struct arguments *arguments, const char *only,
		     const struct diff_side *side)
{
	if (strcmp(only, "exported") == 0)
		return has_mark(&side->table, MARK_EXPORTED);
	if (strcmp(only, "kfunc") == 0)
		return has_mark(&side->table, MARK_KFUNC);
	return has_name(&side->table, only) || (arguments->types && has_type(side->btf, only));
}

/* What no side has, or OLD does not know, would silently be no loss. */
static bool check_sides(const struct arguments *arguments, const struct sides *sides,
		       struct error *err)
{
	const struct diff_side *old = &sides->sources[0].side, *new = &sides->sources[1].side;

	for (size_t i = 0; i < arguments->only.count; i++) {
		const char *only = arguments->only.data[i];

		if (strcmp(only, "exported") == 0 && !old->table.knows_exports)
			return error_at(err, old->path, "does not say what is exported (--only); "
					"give the vmlinux, or a list of "
					"`btfenc stats --functions`");
		if (!is_there(arguments, only, old) && !is_there(arguments, only, new))
			return error_set(err, "--only %.200s: neither %.200s nor %.200s has such a "
					 "name", only, old->path, new->path);
	}
	if (arguments->has_fail_on && arguments->fail_on & DIFF_BIT(PARTLY_INLINED) &&
	    arguments->fail_on != DIFF_ALL && !(old->table.knows_all && new->table.knows_all))
		return error_at(err, old->table.knows_all ? new->path : old->path, "does not say "
				"which calls are inlined (--fail-on partly-inlined); give DWARF, "
				"or a list of `btfenc stats --functions`");
	if (arguments->types && !old->btf->base != !new->btf->base)
		return error_at(err, old->btf->base ? new->path : old->path, "is not split BTF, as "
				"the other is: their types cannot be compared; leave --types out");
	return true;
}

/* ---- output ---- */

static bool is_colourful(const struct arguments *arguments)
{
	const char *no_color = getenv("NO_COLOR");

	return !arguments->output && isatty(STDOUT_FILENO) && !(no_color && *no_color);
}

static void print_report(const struct arguments *arguments, const struct diff *diff, FILE *out)
{
	struct diff_style style = { .colour = is_colourful(arguments), .limit = arguments->limit };

	if (!arguments->has_limit && arguments->format == FORMAT_MARKDOWN)
		style.limit = MARKDOWN_LIMIT;
	switch (arguments->format) {
	case FORMAT_JSON: diff_print_json(diff, false, out); break;
	case FORMAT_MARKDOWN: diff_print_markdown(diff, &style, out); break;
	case FORMAT_HTML: diff_print_html(diff, out); break;
	default: diff_print_text(diff, &style, out); break;
	}
}

/* A file is written as a whole or not at all. */
static bool write_report(const struct arguments *arguments, const struct diff *diff,
			 struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = arguments->output ? open_memstream(&text, &size) : stdout;
	bool good = out != NULL;

	if (out) {
		print_report(arguments, diff, out);
		good = !fflush(out) && !ferror(out);
	}
	if (!arguments->output)
		return good || error_set(err, "standard output: cannot write; is the disk full?");
	if (out)
		good = fclose(out) == 0 && good;
	good = good ? output_file_write(arguments->output, text, size, err)
		    : error_at(err, arguments->output, "cannot write: no memory for the report");
	free(text);
	return good;
}

static int compare(const struct arguments *arguments, const struct sides *sides,
		   struct allow_list *allow)
{
	const struct diff_options options = {
		.fail_on = arguments->fail_on, .show = arguments->show,
		.only = arguments->only.data, .only_count = (uint32_t)arguments->only.count,
		.allow = allow };
	struct error err;
	struct diff diff;
	int status;

	diff_make(&diff, &sides->sources[0].side, &sides->sources[1].side, arguments->types,
		  &options);
	status = diff.fails ? EXIT_ANSWER_NO : EXIT_DONE;
	if (!write_report(arguments, &diff, &err))
		status = fail(&err);
	else if (diff.types.incomplete) {
		error_set(&err, "--types: there are more definitions or members than are compared; "
			  "what the report says of types is not all");
		status = fail(&err);
	}
	diff_release(&diff);
	return status;
}

static int run(const struct arguments *arguments)
{
	struct allow_list allow = { 0 };
	struct sides *sides;
	struct error err;
	int status;

	if (arguments->allow_path && !allow_list_read(&allow, arguments->allow_path, &err))
		return fail(&err);
	sides = memory_zeroed(1, sizeof(*sides));
	if (read_sides(arguments, sides, &err) && check_sides(arguments, sides, &err))
		status = compare(arguments, sides, arguments->allow_path ? &allow : NULL);
	else
		status = fail(&err);
	for (int i = 0; i < 2; i++)
		side_source_release(&sides->sources[i]);
	free(sides);
	allow_list_release(&allow);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	struct arguments arguments = {
		.options.languages = { .rust = true, .cxx = true },
		.fail_on = DIFF_DEFAULT_FAILS, .show = DIFF_ALL };
	int status;

	features_default(&arguments.options.features);
	status = parse_arguments(argc, argv, &arguments);
	if (status < 0)
		status = run(&arguments);
	for (size_t i = 0; i < arguments.only_texts.count; i++)
		free(arguments.only_texts.data[i]);
	array_release(&arguments.only_texts);
	array_release(&arguments.only);
	return status;
}
