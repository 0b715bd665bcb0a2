/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc compat`: command line and exit status. */
#include <getopt.h>
#include <string.h>

#include "base/sort.h"
#include "commands/command_line.h"
#include "commands/compat/compat.h"
#include "commands/print/json.h"

enum format { FORMAT_TEXT, FORMAT_JSON, FORMAT_MARKDOWN };

struct arguments {
	struct compat compat;
	enum format format;
	int fail_on;			/* a number of compat_answers; after the last: never */
	bool json, relocations;
};

#define AT(field) offsetof(struct arguments, field)

static const struct option_row options[] = {
	{ "json", 0, NULL, option_set, AT(json) },
	{ "format", 0, "text|json|markdown", option_word, AT(format) },
	{ "fail-on", 0, "|sees-less|not-known|fails|none", option_word, AT(fail_on) },
	{ "relocations", 0, NULL, option_set, AT(relocations) },
	{ "jobs", 'j', "N", option_jobs, AT(compat.jobs) },
	HELP_ROW,
};

EMBED(compat_text, "commands/compat/compat_page.txt");
EMBED(compat_markdown, "commands/compat/compat_markdown.txt");

COMMAND(compat);

/* A directory is a vmlinux and its modules. */
static bool take_kernels(struct compat *compat, char **paths, size_t count, struct error *err)
{
	bool good = true;

	for (size_t i = 0; good && i < count; i++) {
		array_push(&compat->kernels, (struct compat_kernel){ 0 });
		good = build_files_find(&compat->kernels.data[i].build, paths[i], NULL, err);
	}
	return good;
}

static bool ask_kernel(void *context, size_t i, struct error *err)
{
	const struct compat *compat = context;

	return compat_ask(compat, &compat->kernels.data[i], err);
}

static bool ask_kernels(struct compat *compat, struct error *err)
{
	ARRAY_OF(const char *) names = { 0 };
	struct string_set kept;
	size_t count = compat->kernels.count;
	bool good;

	for (size_t i = 0; i < compat->programs.count; i++) {
		if (compat->programs.data[i].asked.name)
			array_push(&names, compat->programs.data[i].asked.name);
	}
	array_sort(&names, compare_strings);
	kept = (struct string_set){ names.data, names.count };
	compat->options.encode.keep_findings = &kept;
	compat->options.encode.jobs = count < compat->jobs ? compat->jobs : 1;
	good = files_visit("btfenc: asking kernels", count, compat->jobs, ask_kernel, compat, err);
	array_release(&names);
	return good;
}

static int compat(struct arguments *arguments, const char *path, char **kernels, size_t count)
{
	struct compat *all = &arguments->compat;
	char *running[] = { (char *)RUNNING_BTF_DIRECTORY };
	int status = EXIT_DONE;
	struct error err;
	json_t *json;

	if (!bpf_files_open(&all->files, path, &err) || !compat_gather(all, &err) ||
	    !take_kernels(all, count ? kernels : running, count ? count : 1, &err) ||
	    !ask_kernels(all, &err))
		return command_failed(&err);
	compat_compare(all);
	for (size_t i = 0; i < all->kernels.count; i++) {
		if (compat_summary(all, &all->kernels.data[i]) >= arguments->fail_on)
			status = EXIT_ANSWER_NO;
	}
	json = compat_json(all, path, arguments->relocations);
	if (arguments->json || arguments->format == FORMAT_JSON)
		json_write(json, JSON_INDENT(2), stdout);
	else
		template_print(arguments->format == FORMAT_TEXT ? compat_text : compat_markdown,
			       compat_page(json), stdout_has_colour(), stdout);
	return stdout_flush(&err) ? status : command_failed(&err);
}

int cmd_compat(int argc, char **argv)
{
	struct arguments arguments = { .fail_on = COMPAT_ANSWERS - 1 };
	int status;

	encode_options_default(&arguments.compat.options.encode);
	status = command_line_parse(&command, &arguments, argc, argv);
	if (status >= 0)
		return status;
	if (optind == argc)
		return usage_error(&command, "no PROGRAM is given");
	for (int i = optind; i < argc && status < 0; i++)
		status = command_line_input(&command, (const char **)&argv[i]);
	if (status >= 0)
		return status;
	status = compat(&arguments, argv[optind], argv + optind + 1, (size_t)(argc - optind - 1));
	compat_release(&arguments.compat);
	return status;
}
