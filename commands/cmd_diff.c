/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc diff`: what lost its signature between two builds. */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/output_file.h"
#include "base/progress.h"
#include "base/text.h"
#include "base/workers.h"
#include "commands/command_line.h"
#include "commands/diff/diff.h"

enum format {
	FORMAT_TEXT,
	FORMAT_JSON,
	FORMAT_MARKDOWN,
	FORMAT_HTML,
	FORMAT_COUNT,
};

/*
 * Changes of a class that are listed: two releases of a kernel differ in 56,000 names. A forge cuts
 * off what is too long; a job summary has 1 MiB. A page of 5 MB opens at once.
 */
static const uint32_t limits[FORMAT_COUNT] = {
	[FORMAT_TEXT] = 40, [FORMAT_MARKDOWN] = 100, [FORMAT_HTML] = 4000 };

struct class_option {
	uint32_t mask;
	bool is_given;
};

struct arguments {
	struct encode_options options;		/* jobs, features */
	struct diff_side sides[2];
	const char *allow_path;
	const char *output;			/* NULL: standard output */
	enum format format;
	uint32_t limit;
	bool has_limit;
	bool types;
	struct class_option fail_on, show;
	ARRAY_OF(char *) only_texts;		/* with the words of wanted.only */
	struct diff_options wanted;
};

/* ---- the command line ---- */

/* Given again, the option adds to what it said before. */
static OPTION_ACTION(take_classes)
{
	struct class_option *option = target;
	uint32_t before = option->is_given && *value != '-' ? option->mask : 0;
	const char *bad = diff_classes_parse(value, &option->mask);
	size_t length = bad ? strcspn(bad, ",") : 0;

	option->is_given = true;
	if (bad)
		return usage_error(command, "unknown change class '%.*s'; known are"
				   DIFF_CLASS_LIST(LIST_WORD) " types all none",
				   (int)(length < 60 ? length : 60), bad);
	option->mask |= before;
	return -1;
}

static OPTION_ACTION(take_limit)
{
	struct arguments *arguments = target;

	arguments->has_limit = true;
	return text_parse_number(value, UINT32_MAX, &arguments->limit)
		       ? -1 : usage_error(command, "--limit needs a number, not '%s'", value);
}

static OPTION_ACTION(take_only)
{
	struct arguments *arguments = target;
	char *rest = memory_copy(value), *word;

	array_push(&arguments->only_texts, rest);
	while ((word = strsep(&rest, ","))) {
		if (!*word)
			return usage_error(command, "--only has an empty word");
		array_push(&arguments->wanted.only, ((struct diff_only){
			.word = word, .mark = strcmp(word, "exported") == 0 ? 1u << MARK_EXPORTED
				: strcmp(word, "kfunc") == 0 ? 1u << MARK_KFUNC : 0 }));
	}
	return -1;
}

#define AT(field) offsetof(struct arguments, field)

static const struct option_row options[] = {
	{ "types", 0, NULL, option_set, AT(types) },
	{ "only", 0, "WHAT", take_only, 0 },
	{ "fail-on", 0, "LIST", take_classes, AT(fail_on) },
	{ "show", 0, "LIST", take_classes, AT(show) },
	{ "allow", 0, "FILE", option_text, AT(allow_path) },
	{ "format", 0, "text|json|markdown|html", option_word, AT(format) },
	{ "limit", 0, "N", take_limit, 0 },
	{ "output", 'o', "OUT", option_text, AT(output) },
	{ "old-base", 0, "BTF", option_text, AT(sides[0].base) },
	{ "new-base", 0, "BTF", option_text, AT(sides[1].base) },
	{ "old-modules", 0, "DIR", option_text, AT(sides[0].modules) },
	{ "new-modules", 0, "DIR", option_text, AT(sides[1].modules) },
	{ "features", 0, "LIST", option_features, AT(options.features) },
	{ "jobs", 'j', "N", option_jobs, AT(options.jobs) },
	HELP_ROW,
};

COMMAND(diff);

static int parse_arguments(int argc, char **argv, struct arguments *arguments)
{
	struct diff_side *old = &arguments->sides[0], *new = &arguments->sides[1];
	bool has_glob = false;
	int status = command_line_parse(&command, arguments, argc, argv);

	if (status >= 0)
		return status;
	if (optind + 2 != argc)
		return usage_error(&command, optind + 2 > argc
				   ? "two files are compared, OLD and NEW"
				   : "more than two files are given");
	old->path = argv[optind];
	new->path = argv[optind + 1];
	for (int i = 0; i < 2 && status < 0; i++)
		status = command_line_input(&command, &arguments->sides[i].path);
	if (status >= 0)
		return status;
	if (arguments->output && strcmp(arguments->output, "-") == 0)
		arguments->output = NULL;
	for (int i = 0; arguments->output && i < 5; i++) {
		const char *const inputs[] = { old->path, new->path, old->base, new->base,
					       arguments->allow_path };

		if (inputs[i] && is_or_belongs_to(arguments->output, inputs[i]))
			return usage_error(&command, "OUT is %s, or belongs to it, and would "
					   "replace it", inputs[i]);
	}
	if (!arguments->types && arguments->fail_on.mask &&
	    !(arguments->fail_on.mask & ~DIFF_TYPES))
		return usage_error(&command, "--fail-on names only types, which need --types");
	for (size_t i = 0; i < arguments->wanted.only.count; i++)
		has_glob |= !arguments->wanted.only.data[i].mark;
	if (arguments->types && arguments->wanted.only.count && !has_glob)
		return usage_error(&command, "--types with --only needs a glob: types are neither "
				   "exported nor kfuncs");
	return -1;
}

/* ---- both sides at once ---- */

static void read_side(void *sides, unsigned int number)
{
	struct diff_side *side = (struct diff_side *)sides + number;

	side->is_read = diff_side_read(side, &side->err);
}

/* Before the other side is read, which may take a while. */
static bool is_readable(const char *path, struct error *err)
{
	return !path || access(path, R_OK) == 0 ||
	       error_at(err, path, "cannot open: %s; check the name and the permissions",
			strerror(errno));
}

/*
 * Two sides with DWARF are read at once, each by half of the threads: two encodings by one thread
 * each end earlier than two by two threads, one after the other, because not all passes can be
 * divided. Other sides take no time.
 */
static bool read_sides(struct arguments *arguments, struct error *err)
{
	struct diff_side *sides = arguments->sides;
	bool at_once;

	for (int i = 0; i < 2; i++) {
		if (!is_readable(sides[i].path, err) || !is_readable(sides[i].base, err) ||
		    !is_readable(sides[i].modules, err))
			return false;
	}
	for (int i = 0; i < 2; i++) {
		if (!diff_side_find(&sides[i], err))
			return false;
		if (arguments->output && build_files_have(&sides[i].build, arguments->output))
			return error_at(err, arguments->output, "is a file of %s, and would be "
					"replaced; choose another OUT", i ? "NEW" : "OLD");
		sides[i].base_option = i ? "--new-base" : "--old-base";
		sides[i].types = arguments->types;
	}
	at_once = arguments->options.jobs > 1 && sides[0].kind == SIDE_DWARF &&
		  sides[1].kind == SIDE_DWARF;
	if (at_once)
		arguments->options.jobs /= 2;
	sides[0].options = sides[1].options = arguments->options;
	progress_begin("btfenc: reading",
		       sides[0].is_build || sides[1].is_build ? "files" : "units");
	if (at_once) {
		workers_run(2, read_side, sides);
	} else {
		read_side(sides, 0);
		read_side(sides, 1);
	}
	progress_end();
	for (int i = 0; i < 2; i++) {
		if (!sides[i].is_read) {
			*err = sides[i].err;
			return false;
		}
	}
	return true;
}

/* What OLD knows nothing of would silently be no loss. */
static bool check_sides(const struct arguments *arguments, struct error *err)
{
	const struct diff_side *old = &arguments->sides[0], *new = &arguments->sides[1];

	for (size_t i = 0; i < arguments->wanted.only.count; i++) {
		if (arguments->wanted.only.data[i].mark == 1u << MARK_EXPORTED &&
		    !old->table.knows_exports)
			return error_at(err, old->path, "does not say what is exported (--only); "
					"give the vmlinux, or a list of "
					"`btfenc stats --functions`");
	}
	if (arguments->fail_on.mask & DIFF_BIT(PARTLY_INLINED) &&
	    arguments->fail_on.mask != DIFF_ALL && !(old->table.knows_all && new->table.knows_all))
		return error_at(err, old->table.knows_all ? new->path : old->path, "does not say "
				"which calls are inlined (--fail-on partly-inlined); give DWARF, "
				"or a list of `btfenc stats --functions`");
	if (arguments->types && !old->read.types.btf->base != !new->read.types.btf->base)
		return error_at(err, old->read.types.btf->base ? new->path : old->path, "is not "
				"split BTF, as the other is: their types cannot be compared; leave "
				"--types out");
	return true;
}

/* ---- output ---- */

static void print_report(const struct arguments *arguments, const struct diff *diff, FILE *out)
{
	struct diff_style style = { .colour = !arguments->output && stdout_has_colour(),
				    .limit = arguments->has_limit ? arguments->limit
								  : limits[arguments->format],
				    .is_markdown = arguments->format == FORMAT_MARKDOWN };

	if (arguments->format == FORMAT_JSON)
		diff_print_json(diff, out);
	else if (arguments->format == FORMAT_HTML)
		diff_print_html(diff, style.limit, out);
	else
		diff_print_report(diff, &style, out);
}

/* A file is written as a whole or not at all. */
static bool write_report(const struct arguments *arguments, const struct diff *diff,
			 struct error *err)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out = arguments->output ? open_memstream(&text, &size) : stdout;
	bool good;

	if (out)
		print_report(arguments, diff, out);
	if (!arguments->output)
		return stdout_flush(err);
	good = out && !ferror(out);
	good = out && fclose(out) == 0 && good;
	good = good ? output_file_write(arguments->output, text, size, err)
		    : error_at(err, arguments->output, "cannot write: no memory for the report");
	free(text);
	return good;
}

static int compare(struct arguments *arguments)
{
	const struct diff_side *sides = arguments->sides;
	size_t in_old = sides[0].table.functions.count, in_new = sides[1].table.functions.count;
	struct error err;
	struct diff diff;
	int status;

	memory_set_task(sides[1].path, "comparing it");
	arguments->wanted.fail_on = arguments->fail_on.mask;
	arguments->wanted.show = arguments->show.mask;
	diff_make(&diff, &sides[0], &sides[1], arguments->types, &arguments->wanted);
	/* A kernel and a module of it share a few names of static functions. */
	if (diff.in_both < in_old / 8 && diff.in_both < in_new / 8)
		print_warning("%s and %s have %u functions in common, of %zu and %zu: these are "
			      "not two builds of one thing", sides[0].path, sides[1].path,
			      diff.in_both, in_old, in_new);
	array_each(const struct diff_only, only, &arguments->wanted.only) {
		if (!only->fits)
			print_warning("--only %.200s: neither %.200s nor %.200s has such a "
				      "function%s", only->word, sides[0].path, sides[1].path,
				      arguments->types ? ", and no type of that name differs" : "");
	}
	status = diff.fails ? EXIT_ANSWER_NO : EXIT_DONE;
	if (!write_report(arguments, &diff, &err) ||
	    (diff.types.incomplete &&
	     !error_set(&err, "--types: some types have more definitions or members than btfenc "
			      "compares; the report on types is incomplete")))
		status = command_failed(&err);
	diff_release(&diff);
	return status;
}

int cmd_diff(int argc, char **argv)
{
	struct arguments arguments = {
		.fail_on.mask = DIFF_DEFAULT_FAILS, .show.mask = DIFF_ALL };
	struct error err;
	int status;

	encode_options_default(&arguments.options);
	status = parse_arguments(argc, argv, &arguments);
	if (status < 0) {
		bool good = !arguments.allow_path ||
			    allow_list_read(&arguments.wanted.allow, arguments.allow_path, &err);

		good = good && read_sides(&arguments, &err) && check_sides(&arguments, &err);
		status = good ? compare(&arguments) : command_failed(&err);
	}
	for (int i = 0; i < 2; i++)
		diff_side_release(&arguments.sides[i]);
	allow_list_release(&arguments.wanted.allow);
	array_free(&arguments.only_texts);
	array_release(&arguments.wanted.only);
	return status;
}
