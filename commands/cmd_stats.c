/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc stats`: which functions an encoding would promise, and why not the others. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/output_file.h"
#include "base/progress.h"
#include "commands/command_line.h"
#include "commands/stats/stats.h"
#include "kernel/elf_input.h"
#include "kernel/kernel.h"

struct arguments {
	struct encode_options options;
	const char *functions;		/* NULL: not wanted */
	const char *modules;		/* of the kernel FILE; or NULL */
	struct build_files build;	/* a whole one; no file: FILE is all */
	struct base_list bases;	/* of a module */
	bool json;
};

#define AT(field) offsetof(struct arguments, field)

static const struct option_row options[] = {
	{ "base", 'b', "BASE", option_base, AT(bases) },
	{ "jobs", 'j', "N", option_jobs, AT(options.jobs) },
	{ "json", 0, NULL, option_set, AT(json) },
	{ "functions", 0, "OUT.tsv", option_text, AT(functions) },
	{ "modules", 0, "DIR", option_text, AT(modules) },
	{ "features", 0, "LIST", option_features, AT(options.features) },
	HELP_ROW,
};

COMMAND(stats);

struct module_list {
	const struct arguments *arguments;
	struct function_rows *rows;	/* by module */
};

static bool list_module(void *context, size_t i, struct error *err)
{
	const struct module_list *list = context;

	return list_dwarf_module(&list->arguments->options,
				 &list->arguments->build.modules.data[i], NULL, NULL,
				 &list->rows[i], err);
}

static bool print_list(const struct arguments *arguments, const struct program *program,
		       struct text *list, struct error *err)
{
	char *module = arguments->build.vmlinux ? NULL : module_name_of_object(&program->object);
	size_t count = arguments->build.modules.count;
	struct module_list modules = { arguments, memory_zeroed(count, sizeof(*modules.rows)) };
	struct function_rows rows = { 0 };
	bool good = function_rows_add_program(&rows, program, module, err);

	free(module);
	good = good && files_visit("btfenc: reading modules", count, arguments->options.jobs,
				   list_module, &modules, err);
	for (size_t i = 0; i < count; i++)
		function_rows_append(&rows, &modules.rows[i]);
	free(modules.rows);
	if (good)
		function_list_print(&rows, program, list);
	function_rows_release(&rows);
	return good;
}

static bool print_all(const struct arguments *arguments, const struct program *program,
		      const struct encode_report *report, const struct btf_image *image,
		      struct error *err)
{
	struct text list = { 0 };
	struct stats stats;
	struct output_file file;
	bool is_all = arguments->functions && strcmp(arguments->functions, "-") == 0;
	bool good = !arguments->functions || print_list(arguments, program, &list, err);
	bool is_staged = false;

	/* The file counts when all else is printed. */
	if (good && arguments->functions && !is_all)
		good = is_staged = output_file_stage(&file, arguments->functions, list.data,
						     list.count, err);
	if (good && is_all) {
		fwrite(list.data, 1, list.count, stdout);
	} else if (good && (good = stats_gather(&stats, program, report, image, err))) {
		stats_print(&stats, arguments->json, stdout_has_colour());
		btf_reader_release(&stats.btf);
	}
	good = good && stdout_flush(err);
	if (is_staged && good)
		good = output_file_commit(&file, err);
	else if (is_staged)
		output_file_abandon(&file);
	array_release(&list);
	return good;
}

static bool encode_and_print(const struct arguments *arguments, struct error *err)
{
	struct encode_report report;
	struct program program;
	struct btf_image image;
	bool good;

	if (!program_open(&program, &arguments->options, err))
		return false;
	progress_begin("btfenc: reading", "units");
	good = program_encode(&program, &image, &report, err);
	progress_end();
	if (good) {
		selection_sort(&program.selection, &program.pool);
		good = print_all(arguments, &program, &report, &image, err);
		btf_image_release(&image);
	}
	program_close(&program);
	return good;
}

/* Of BTF without DWARF only sizes are known. */
static bool print_alone(const struct arguments *arguments, struct error *err)
{
	const char *path = arguments->options.path;
	const struct kernel_options asked = { .records = { .path = path,
							   .bases = arguments->bases } };
	struct kernel_types types;
	bool good = !arguments->functions ||
		    error_at(err, path, "has no DWARF, of which --functions is made; btfenc list "
			     "-f FILE lists what BTF has");

	if (!good)
		return false;
	good = kernel_types_open(&types, &asked, err);
	if (good)
		stats_print_alone(types.btf, arguments->json, stdout_has_colour());
	kernel_types_close(&types);
	return good && stdout_flush(err);
}

int cmd_stats(int argc, char **argv)
{
	struct arguments arguments = {
		.options.examine_clones = true,
		.options.count_inlined = true, .options.count_sites = true,
		.options.keep_changes = true };
	struct btf_bases bases = { 0 };
	struct btf_base base;
	struct error err;
	int status;
	bool good = true, is_done = false;

	encode_options_default(&arguments.options);
	status = command_line_parse(&command, &arguments, argc, argv);
	if (status < 0)
		status = command_line_file(&command, argc, argv, &arguments.options.path);
	if (status >= 0)
		return status;
	if (arguments.modules && !arguments.functions)
		return usage_error(&command, "--modules needs --functions");
	if (arguments.json && arguments.functions && strcmp(arguments.functions, "-") == 0)
		return usage_error(&command, "--json and --functions - both need standard output");
	for (uint32_t i = 0; arguments.functions && i <= arguments.bases.count; i++) {
		const char *input = i ? arguments.bases.paths[i - 1] : arguments.options.path;

		if (is_same_file(arguments.functions, input))
			return usage_error(&command, "OUT is %s itself (%s), which it would "
					   "replace", i ? "BASE" : "FILE", input);
	}
	if (arguments.modules || is_directory(arguments.options.path)) {
		good = build_files_find(&arguments.build, arguments.options.path,
					arguments.modules, &err);
		arguments.options.path = arguments.build.vmlinux;
		if (good && arguments.functions &&
		    build_files_have(&arguments.build, arguments.functions))
			good = error_at(&err, arguments.functions, "is a file of this build, and "
					"would be replaced; choose another OUT");
	}
	if (good && is_asked_by_btf(arguments.options.path) &&
	    (file_kind_of(arguments.options.path) == FILE_RAW_BTF ||
	     btf_file_has_btf(arguments.options.path, true)))
		is_done = good = print_alone(&arguments, &err);
	if (good && !is_done && arguments.bases.count) {
		good = btf_bases_open_base(&bases, &arguments.bases, &base, &err);
		arguments.options.base = good ? &base : NULL;
	}
	good = good && (is_done || encode_and_print(&arguments, &err));
	if (arguments.options.base)
		btf_base_release(&base);
	btf_bases_release(&bases);
	build_files_release(&arguments.build);
	return good ? EXIT_DONE : command_failed(&err);
}
