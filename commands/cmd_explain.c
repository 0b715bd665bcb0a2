/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc explain`: command line and exit status. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "commands/command_line.h"
#include "commands/explain_modules.h"
#include "commands/explain_types.h"
#include "commands/explain/explain.h"
#include "commands/explain/explain_dwarf.h"
#include "commands/explain/explain_near.h"
#include "commands/explain/explain_print.h"
#include "commands/explain/hooks.h"
#include "kernel/build_files.h"
#include "commands/print/json.h"
#include "commands/types/types.h"

struct arguments {
	struct kernel_options kernel;	/* FILE */
	const char *name;
	struct asked asked;		/* the same, in its parts */
	const char *list;		/* a file of names, instead; or NULL */
	struct string_set kept;		/* the functions of which findings are kept */
	/* For all names of a list: FILE, or the running kernel; NULL: it is opened. */
	const struct kernel *opened;
	struct running_kernel *running;
	const char *modules;		/* where to look for what FILE has not, or NULL */
	struct build_files build;	/* of the one FILE that is a directory, */
	ARRAY_OF(struct build_files) builds;	/* or of several */
	char *list_options;		/* " -f FILE --modules DIR": the same for btfenc list */
	char *searched;			/* ", nor in the modules below DIR (3)"; or NULL */
	size_t searched_count;		/* of modules */
	struct near_names near;		/* in these */
	bool json;
	enum script_kind script;
};

static OPTION_ACTION(take_running)
{
	return option_text(command, row, target, value ? value : KALLSYMS_PATH);
}

static OPTION_ACTION(take_module)
{
	if (!*value || !text_is_made_of(value, "_-"))
		return usage_error(command, "--module takes the name of a module, not '%s'", value);
	return option_text(command, row, target, value);
}

#define AT(field) offsetof(struct arguments, field)

static const struct option_row options[] = {
	{ "json", 0, NULL, option_set, AT(json) },
	{ "script", 0, "|bpftrace|tracefs|libbpf", option_word, AT(script) },
	{ "names", 0, "LIST", option_text, AT(list) },
	{ "modules", 0, "DIR", option_text, AT(modules) },
	{ "jobs", 'j', "N", option_jobs, AT(kernel.encode.jobs) },
	{ "features", 0, "LIST", option_features, AT(kernel.encode.features) },
	HELP_ROW,
	{ "base", 'b', "BASE", option_base, AT(kernel.records.bases) },
	{ "records", 0, NULL, option_set, AT(kernel.records.records_only) },
	{ "extra", 0, "FILE", option_text, AT(kernel.records.extra) },
	{ "symbols", 0, "FILE", option_text, AT(kernel.records.symbols) },
	{ "running", 0, "[=FILE]", take_running, AT(kernel.records.running) },
	{ "root", 0, "DIR", option_text, AT(kernel.records.root) },
	{ "module", 0, "NAME", take_module, AT(kernel.records.module) },
};

COMMAND(explain);

/* ---- types ---- */

/* It may be in one of the modules. */
#define NOT_HERE (-1)

static int explain_types(const struct arguments *arguments, const struct type_query *query,
			 char **files, size_t count)
{
	const struct types_question question = {
		.kernel = &arguments->kernel, .query = query, .searched = arguments->searched,
		.has_modules = arguments->modules, .json = arguments->json };

	return types_ask(&question, files, count);
}

/* Explains a type of that name, if there is one. -1: there is none. */
static int explain_as_type(const struct arguments *arguments,
			   const struct explanation *explanation)
{
	struct type_query query = { .kind = BTF_VOID, .name = (char *)arguments->name,
				    .path = (char *)"" };
	char *path = (char *)arguments->kernel.records.path;

	if (!type_exists(&explanation->types, 1, arguments->name))
		return -1;
	if (arguments->script != SCRIPT_NONE)
		return usage_error(&command, "--script is for functions and tracepoints, and %s is "
				   "neither; leave --script out", arguments->name);
	return explain_types(arguments, &query, &path, 1);
}

/* ---- functions ---- */

static bool is_asked(const struct explanation *explanation, const struct asked *asked)
{
	return !explain_is_elsewhere(explanation) && !explanation_is_of_padding(explanation) &&
	       (asked->kind != ASKED_ITERATOR || hooks_are_own(explanation));
}

/* No function, tracepoint or type: prints the names that are near. */
static void print_near(struct explanation *explanation, const struct arguments *arguments)
{
	struct near_names near = { 0 };

	explain_find_near(&near, explanation);
	for (uint32_t i = 0; i < arguments->near.count; i++)
		near_names_add(&near, arguments->near.names[i].name, arguments->near.names[i].what,
			       arguments->near.names[i].distance);
	if (arguments->json)
		explain_print_near_json(&near, explanation, arguments->searched_count);
	else
		explain_print_near(arguments->script != SCRIPT_NONE ? stderr : stdout, &near,
				   explanation, arguments->searched ? arguments->searched : "",
				   arguments->list_options);
	if (explanation->image.running && !explanation_is_of_padding(explanation))
		running_kernel_warn_unread(explanation->image.running);
	near_names_release(&near);
}

static void print_known(struct explanation *explanation, const struct arguments *arguments)
{
	explain_locate_sites(explanation, arguments->json ? explanation->sites.count
							  : EXPLAIN_SITES_SHOWN);
	if (arguments->json)
		explain_print_json(explanation);
	else if (arguments->script != SCRIPT_NONE)
		explain_print_script(explanation, arguments->script);
	else
		explain_print_text(explanation);
	if (!*explanation->room)
		print_warning("%s: what it says of %s is out of all proportion to its size; the "
			      "rest of its sites and parameters is left out", explanation->path,
			      explanation->name);
}

/*
 * Prints the explanation, or else the names that are near, or fills *meant, if that is not NULL.
 * Returns the exit status, or NOT_HERE if there are modules to be asked, or *meant is to be.
 */
static int explain(const struct kernel *kernel, const struct arguments *arguments,
		   const char *name, char **meant)
{
	struct explanation explanation;
	const struct asked *asked = &arguments->asked;
	bool known = explanation_make(&explanation, kernel, name, asked);
	json_t *variables = NULL;
	const char *what;
	struct error err;
	int status;

	known = known && is_asked(&explanation, asked);
	status = known || asked->kind != ASKED_ANY ? -1 : explain_as_type(arguments, &explanation);
	if (status >= 0)
		goto done;
	if (!known && asked->kind == ASKED_ANY && arguments->script == SCRIPT_NONE)
		variables = variables_find(&explanation);
	if (variables) {
		variables_print(&explanation, variables, arguments->json);
		known = true;
	} else if (known) {
		print_known(&explanation, arguments);
	} else {
		if (asked->kind <= ASKED_FUNCTION && meant)
			*meant = explain_meant(&explanation, &what);
		if (meant && *meant)
			print_warning("%s %s: the answer is about %s", name, what, *meant);
		if ((meant && *meant) || arguments->modules)
			goto done;
		print_near(&explanation, arguments);
	}
	status = !stdout_flush(&err) ? command_failed(&err) : known ? EXIT_DONE : EXIT_ANSWER_NO;
done:
	explanation_release(&explanation);
	return status;
}

/* Of the name, or of what it stands for, in the same file. */
static int explain_file(struct arguments *arguments, const char *name)
{
	const struct kernel *kernel = arguments->opened;
	char *meant = NULL;
	struct kernel own;
	struct error err;
	int status;

	if (kernel && strcmp(kernel->path, arguments->kernel.records.path) != 0)
		kernel = NULL;
	for (bool is_first = true;; is_first = false) {
		if (!kernel && !kernel_open(&own, &arguments->kernel, &err)) {
			kernel_close(&own);
			return command_failed(&err);
		}
		kernel = kernel ? kernel : &own;
		status = explain(kernel, arguments, name, is_first ? &meant : NULL);
		if (!is_first || !meant)
			break;
		asked_release(&arguments->asked);
		asked_parse(&arguments->asked, meant);
		free(meant);
		name = arguments->asked.name;
		/* Findings of the function at an address are not in what is open. */
		if (!kernel->program || string_set_has(kernel->program->options->keep_findings,
							name))
			continue;
		*arguments->kept.strings = name;
		arguments->kept.count = 1;
		if (kernel == &own)
			kernel_close(&own);
		kernel = NULL;
	}
	if (kernel == &own)
		kernel_close(&own);
	return status;
}

/* Of one of several FILEs; NULL: it cannot be read. Sets *known if it has the name. */
static json_t *kernel_json(const struct kernel_options *file, const char *name,
			   const struct asked *asked, bool *known, struct error *err)
{
	struct explanation explanation;
	struct asked other = { 0 };
	char *meant = NULL;
	const char *what;
	struct kernel kernel;
	json_t *json = NULL, *variables;

	if (kernel_open(&kernel, file, err)) {
		*known = explanation_make(&explanation, &kernel, name, asked) &&
			 is_asked(&explanation, asked);
		if (!*known && asked->kind <= ASKED_FUNCTION && !text_after(name, "0x"))
			meant = explain_meant(&explanation, &what);
		if (meant) {
			explanation_release(&explanation);
			asked_parse(&other, meant);
			*known = explanation_make(&explanation, &kernel, other.name, &other);
		}
		json = explain_kernel_json(&explanation, *known);
		variables = *known || asked->kind != ASKED_ANY ? NULL
							       : variables_find(&explanation);
		if (variables) {
			*known = true;
			json_set(json, "known", json_true());
			json_object_set(json, "name", json_object_get(
				json_array_get(variables, 0), "symbol"));
			json_object_set(json, "prototype", json_object_get(
				json_array_get(variables, 0), "declaration"));
		}
		json_decref(variables);
		explanation_release(&explanation);
		asked_release(&other);
		free(meant);
	}
	kernel_close(&kernel);
	return json;
}

/*
 * The same of the first module that has it, if FILE was a directory; NULL: there is none, and err
 * is empty, or it cannot be read.
 */
static json_t *module_json(struct arguments *arguments, const char *name, const char *vmlinux,
			   bool *known, struct error *err)
{
	struct kernel_options file = arguments->kernel;
	struct module_question question = { .kernel = &arguments->kernel, .name = name,
					    .asked = &arguments->asked, .near = &arguments->near };
	json_t *json = NULL;

	for (size_t i = 0; i < arguments->builds.count; i++) {
		if (arguments->builds.data[i].vmlinux == vmlinux)
			question.build = &arguments->builds.data[i];
	}
	error_set(err, "%s", "");
	if (!question.build)
		return NULL;
	file.records.path = modules_ask(&question);
	file.records.below = question.below;
	if (file.records.path)
		json = kernel_json(&file, name, &arguments->asked, known, err);
	btf_reader_release(&question.vmlinux);
	return json;
}

/*
 * A function or tracepoint of several FILEs: each is read, and closed, before the next one is.
 * NOT_HERE: none of them has it.
 */
static int explain_kernels(struct arguments *arguments, const char *name, char **files, int count)
{
	json_t *kernels, *kernel, *module;
	struct kernel_options of_path = arguments->kernel;
	bool all = true, any = false, known;
	struct error err;

	kernels = json_array();
	for (int i = 0; i < count; i++) {
		of_path.records.path = files[i];
		kernel = kernel_json(&of_path, name, &arguments->asked, &known, &err);
		module = known || !kernel
			? NULL : module_json(arguments, name, files[i], &known, &err);
		if (!kernel || (!known && *err.text)) {
			json_decref(kernel);
			json_decref(kernels);
			return command_failed(&err);
		}
		json_array_append_new(kernels, module ? module : kernel);
		if (module)
			json_decref(kernel);
		all &= known;
		any |= known;
	}
	if (!any) {
		json_decref(kernels);
		return NOT_HERE;
	}
	explain_compare_print(arguments->name, kernels, arguments->json);
	return !stdout_flush(&err) ? command_failed(&err) : all ? EXIT_DONE : EXIT_ANSWER_NO;
}

/* ---- modules of a vmlinux ---- */

/*
 * The kernel does not have the function of that name, if it is not NULL, or type, if it is not:
 * asks the first module that has, or else the kernel again, for names near it.
 */
static int explain_modules(struct arguments *arguments, char *kernel, const char *name,
			   const struct type_query *type)
{
	struct build_files *build = &arguments->build;
	struct module_question question = { .build = build, .kernel = &arguments->kernel,
					    .asked = &arguments->asked, .name = name, .type = type,
					    .near = &arguments->near };
	struct error err;
	const char *path;
	int status;

	if (!build->vmlinux && !build_files_find(build, kernel, arguments->modules, &err))
		return command_failed(&err);
	path = modules_ask(&question);
	if (path) {
		arguments->kernel.records.below = question.below;
	} else {
		arguments->searched = text_format(", nor in the modules below %s (%zu)",
						  arguments->modules, question.read);
		arguments->searched_count = question.read;
	}
	arguments->modules = NULL;
	path = path ? path : kernel;
	arguments->kernel.records.path = path;
	status = question.is_type ? explain_types(arguments, type, (char **)&path, 1)
				  : explain_file(arguments, name);
	btf_reader_release(&question.vmlinux);
	return status;
}

/* ---- the running kernel ---- */

/*
 * A function or tracepoint, if the name is not NULL, or else the type: by the file that has it, or
 * the kernel's own.
 */
static int explain_running(struct arguments *arguments, const char *name,
			   const struct type_query *type)
{
	struct records_options *records = &arguments->kernel.records;
	struct running_kernel own = { .root = file_set_root(records->root) };
	struct running_kernel *kernel = arguments->running ? arguments->running : &own;
	struct module_question question = { .asked = &arguments->asked, .name = name, .type = type,
					    .near = &arguments->near };
	struct error err;
	const char *path = modules_ask_running(&question, kernel, &err);
	char *vmlinux = text_format("%s" RUNNING_BTF_DIRECTORY "/vmlinux", kernel->root);
	char *found = memory_copy(path ? path : vmlinux);
	int status;

	running_kernel_release(&own);
	arguments->searched_count = question.read;
	if (question.read)
		arguments->searched = text_format(", nor in its modules (%zu)", question.read);
	records->path = found;
	if (strcmp(found, vmlinux) != 0 && !records->bases.count)
		records->bases.paths[records->bases.count++] = vmlinux;
	status = *err.text ? usage_error(&command, "no FILE is given, and the running kernel's BTF "
					 "cannot be read: %s", err.text)
		 : name	   ? explain_file(arguments, name)
			   : explain_types(arguments, type, &found, 1);
	free(found);
	free(vmlinux);
	return status;
}

static int explain_type(struct arguments *arguments, const struct type_query *query, char **files,
			int count)
{
	int status = -1;

	for (int i = 0; i < count && status < 0; i++)
		status = command_line_input(&command, (const char **)&files[i]);
	if (status >= 0)
		return status;
	if (!count)
		return explain_running(arguments, NULL, query);
	status = explain_types(arguments, query, files, (size_t)count);
	return status == NOT_HERE ? explain_modules(arguments, files[0], NULL, query) : status;
}

static char *list_options(const struct arguments *arguments)
{
	const struct records_options *records = &arguments->kernel.records;
	const struct base_list *bases = &records->bases;
	const struct { const char *option, *value; } options_of_list[] = {
		{ " -f ", records->path }, { " --modules ", arguments->modules },
		{ " --root ", records->path ? NULL : records->root },
	};
	struct text text = { 0 };

	/* Standard input, and what a shell makes of <(command), cannot be read again. */
	if (records->path && text_after(records->path, "/dev/"))
		return NULL;
	for (size_t i = 0; i < sizeof(options_of_list) / sizeof(*options_of_list); i++) {
		if (!options_of_list[i].value)
			continue;
		text_add_string(&text, options_of_list[i].option);
		text_add_quoted(&text, options_of_list[i].value);
	}
	for (uint32_t i = 0; !arguments->modules && i < bases->count; i++) {
		text_add_string(&text, " -b ");
		text_add_quoted(&text, bases->paths[i]);
	}
	return text_finish(&text);
}

/* Clones are what is asked for, whether or not they would become FUNCs. */
static void keep_findings(struct arguments *arguments, const char **names, size_t count)
{
	struct encode_options *dwarf = &arguments->kernel.encode;

	arguments->kept = (struct string_set){ names, count };
	dwarf->keep_findings = &arguments->kept;
	dwarf->count_inlined = true;
	dwarf->examine_clones = dwarf->features.feature_true_signature = true;
	dwarf->features.feature_global_var = dwarf->keep_registrations = true;
}

/* Is the name one that can be asked for? Returns -1, and it is parsed, or the exit status. */
static int parse_name(struct arguments *arguments)
{
	struct asked *asked = &arguments->asked;

	if (!*arguments->name || strpbrk(arguments->name, "*?,"))
		return usage_error(&command, "NAME is %s", !*arguments->name ? "empty"
				   : strchr(arguments->name, ',')
				   ? "one name, not several; --names takes a list"
				   : "one name; btfenc list lists those that fit a pattern");
	/* Of a line that is not taken apart no word is the one that is meant. */
	if (strpbrk(arguments->name, " \t\n[](){}<>=%@\"'"))
		return usage_error(&command, "%s is no name: give the one that is in it",
				   arguments->name);
	if (!asked_parse(asked, arguments->name))
		return usage_error(&command, "%s is not about functions of the kernel",
				   asked->word);
	if (asked->folder && strchr(asked->folder, '.') && text_is_made_of(asked->name, "") &&
	    !asked->name[strspn(asked->name, "0123456789")])
		return usage_error(&command, "%s is a line of source code: give the function that "
				   "is there, which gdb -batch -ex 'info line %s' vmlinux names",
				   arguments->name, arguments->name);
	if (strchr("/:", *arguments->name) || (asked->folder && !*asked->folder) ||
	    strchr("/:", arguments->name[strlen(arguments->name) - 1]))
		return usage_error(&command, "%s is not the name of a function",
				   arguments->name);
	if (strchr(arguments->name, '+') && !strchr(asked->name, '+'))
		print_warning("%s: the answer is about the function %s, not about the offset%s",
			      arguments->name, asked->name,
			      asked->kind != ASKED_FUNCTION ? ", which only kprobes take" : "");
	return -1;
}

static int explain_name(struct arguments *arguments, char **files, int count)
{
	struct records_options *records = &arguments->kernel.records;
	struct asked *asked = &arguments->asked;
	struct type_query query = { .kind = BTF_VOID, .path = (char *)"" };
	const struct type_query *type = NULL;
	int status = parse_name(arguments);
	char *profiled;

	records->path = count ? files[0] : NULL;
	if (status < 0 && count)
		status = command_line_input(&command, &records->path);
	if (status >= 0)
		return status;
	if (arguments->modules && !records->path)
		return usage_error(&command, "--modules needs FILE, their vmlinux");
	if (count > 1 && (arguments->script != SCRIPT_NONE || arguments->modules))
		return usage_error(&command, "--%s is for one FILE",
				   arguments->modules ? "modules" : "script");
	if (count > 1 && (records->extra || records->symbols || records->running ||
			  records->module))
		return usage_error(&command, "--extra, --symbols, --running and --module are for "
				   "one FILE");
	/* FOLDER/NAME may be a file's name. */
	if (asked->word || !strchr(arguments->name, '/'))
		arguments->list_options = list_options(arguments);
	arguments->name = asked->name;
	/* "foo" of "foo.isra.0": all that is known of a function is under its own name. */
	query.name = memory_string(asked->name, symbol_parse(asked->name).base_length);
	profiled = text_format("%s_noprof", query.name);
	keep_findings(arguments, (const char *[]){ query.name, profiled }, 2);
	near_names_init(&arguments->near, query.name);
	if (asked->kind == ASKED_ANY && arguments->script == SCRIPT_NONE)
		type = &query;
	status = count > 1 ? explain_kernels(arguments, query.name, files, count)
		 : count   ? explain_file(arguments, query.name)
			   : explain_running(arguments, query.name, type);
	if (status == NOT_HERE)
		status = count > 1 ? explain_type(arguments, &query, files, count)
				   : explain_modules(arguments, files[0], query.name, type);
	free(query.name);
	free(profiled);
	return status;
}

static void release_name(struct arguments *arguments)
{
	asked_release(&arguments->asked);
	near_names_release(&arguments->near);
	free(arguments->searched);
	free(arguments->list_options);
}

/* Of each name in a line of the list; FILE is opened once. */
static int explain_list(struct arguments *arguments, char **files, int count)
{
	ARRAY_OF(char *) names = { 0 };
	ARRAY_OF(char *) sorted = { 0 };
	int worst = count > 1 ? usage_error(&command, "--names is for one FILE")
		    : arguments->script != SCRIPT_NONE
		      ? usage_error(&command, "--script is for one name")
		      : command_line_input(&command, &arguments->list);
	struct text list = { 0 };
	struct kernel kernel = { 0 };
	struct running_kernel running = { 0 };
	char *running_path = NULL;
	struct error err;

	if (worst >= 0)
		return worst;
	if (!text_read_file(&list, arguments->list, "check the path", &err))
		return command_failed(&err);
	for (char *rest = list.data, *line; (line = strsep(&rest, "\n"));) {
		struct asked asked = { 0 };
		size_t length;

		line += strspn(line, " \t");
		for (length = strlen(line); length && strchr(" \t\r", line[length - 1]);)
			line[--length] = '\0';
		if (!*line || *line == '#')
			continue;
		array_push(&names, asked_plain(line));
		if (asked_parse(&asked, names.data[names.count - 1]))
			array_push(&sorted, memory_string(asked.name,
							  symbol_parse(asked.name).base_length));
		asked_release(&asked);
	}
	array_sort(&sorted, compare_strings);
	keep_findings(arguments, (const char **)sorted.data, sorted.count);
	if (!count) {
		running.root = file_set_root(arguments->kernel.records.root);
		running_path = text_format("%s" RUNNING_BTF_DIRECTORY "/vmlinux", running.root);
	}
	arguments->kernel.records.path = count ? files[0] : running_path;
	if ((arguments->modules && count && !arguments->build.vmlinux &&
	     !build_files_find(&arguments->build, files[0], arguments->modules, &err)) ||
	    !kernel_open(&kernel, &arguments->kernel, &err))
		worst = command_failed(&err);
	for (size_t i = 0; i < names.count && worst < EXIT_FAILED; i++) {
		struct arguments one = *arguments;
		struct type_query query;
		int status;

		if (i && !arguments->json)
			printf("\n");
		one.name = names.data[i];
		one.opened = &kernel;
		one.running = count ? NULL : &running;
		if (!asked_is_hook(one.name) && type_query_parse(&query, one.name, NULL)) {
			status = explain_type(&one, &query, files, count);
			type_query_release(&query);
		} else {
			status = explain_name(&one, files, count);
		}
		worst = status > worst ? status : worst;
		release_name(&one);
	}
	if (kernel.path)
		kernel_close(&kernel);
	running_kernel_release(&running);
	free(running_path);
	array_free(&sorted);
	array_free(&names);
	array_release(&list);
	return worst < 0 ? EXIT_DONE : worst;
}

/* A directory is a vmlinux and its modules, of several FILEs its vmlinux. -1, or an exit status. */
static int take_builds(struct arguments *arguments, char **files, int count)
{
	struct error err;

	for (int i = 0; i < count; i++) {
		struct build_files *build = &arguments->build;

		if (!is_directory(files[i]))
			continue;
		if (count > 1) {
			array_push(&arguments->builds, (struct build_files){ 0 });
			build = &arguments->builds.data[arguments->builds.count - 1];
		} else if (!arguments->modules) {
			arguments->modules = files[i];
		}
		if (!build_files_find(build, files[i], count > 1 ? NULL : arguments->modules, &err))
			return command_failed(&err);
		files[i] = build->vmlinux;
	}
	return -1;
}

int cmd_explain(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	struct records_options *records = &arguments.kernel.records;
	struct type_query query;
	char *name;
	int status, words, taken;

	encode_options_default(&arguments.kernel.encode);
	status = command_line_parse(&command, &arguments, argc, argv);
	if (status >= 0)
		return status;
	records->records_only |= records->extra || records->symbols || records->running ||
				 records->module;
	if (arguments.script != SCRIPT_NONE && arguments.json)
		return usage_error(&command, "--script and --json exclude each other");
	if (optind == argc && !arguments.list)
		return usage_error(&command, "no NAME is given");
	arguments.name = name = arguments.list ? NULL : asked_plain(argv[optind]);
	words = !name || asked_is_hook(name)
			? 0 : type_query_parse(&query, name, argv[optind + 1]);
	taken = !name ? 0 : words ? words : 1;
	status = take_builds(&arguments, argv + optind + taken, argc - optind - taken);
	if (status >= 0)
		goto done;
	if (!name)
		status = explain_list(&arguments, argv + optind, argc - optind);
	else if (!words)
		status = explain_name(&arguments, argv + optind + 1, argc - optind - 1);
	else if (arguments.script != SCRIPT_NONE)
		status = usage_error(&command, "--script is for functions and tracepoints, "
				     "not for types");
	else if (!*query.name)
		status = usage_error(&command, "%s: the name of the type is missing",
				     argv[optind + words - 1]);
	else
		status = explain_type(&arguments, &query, argv + optind + words,
				      argc - optind - words);
done:
	if (words)
		type_query_release(&query);
	for (size_t i = 0; i < arguments.builds.count; i++)
		build_files_release(&arguments.builds.data[i]);
	array_release(&arguments.builds);
	build_files_release(&arguments.build);
	release_name(&arguments);
	free(name);
	return status;
}
