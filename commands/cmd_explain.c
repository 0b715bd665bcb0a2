/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc explain`: command line and exit status. */
#include <getopt.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/progress.h"
#include "base/workers.h"
#include "commands/command_line.h"
#include "commands/diff/diff_types.h"
#include "commands/explain/explain.h"
#include "commands/explain/explain_compare.h"
#include "commands/explain/explain_dwarf.h"
#include "commands/explain/explain_near.h"
#include "commands/explain/explain_print.h"
#include "commands/explain/hooks.h"
#include "commands/explain/tracepoint.h"
#include "kernel/build_files.h"
#include "kernel/module_name.h"
#include "commands/print/json.h"
#include "commands/types/types.h"

struct arguments {
	struct kernel_options kernel;	/* FILE */
	const char *name;
	struct asked asked;		/* the same, in its parts */
	const char *list;		/* a file of names, instead; or NULL */
	struct string_set kept;		/* the functions of which findings are kept */
	const struct kernel *opened;	/* FILE, for all names of a list; NULL: it is opened */
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
	return option_text(command, target, value ? value : KALLSYMS_PATH);
}

static OPTION_ACTION(take_script)
{
	static const char *const words[] = { "bpftrace", "tracefs", "libbpf" };
	size_t i = text_find_word(words, 3, value, strlen(value));

	*(enum script_kind *)target = (enum script_kind)(SCRIPT_BPFTRACE + i);
	return i < 3 ? -1 : usage_error(command, "--script takes bpftrace, tracefs or libbpf, not "
					"'%s'", value);
}

static OPTION_ACTION(take_module)
{
	if (!*value || !text_is_made_of(value, "_-"))
		return usage_error(command, "--module takes the name of a module, not '%s'", value);
	return option_text(command, target, value);
}

#define AT(field) offsetof(struct arguments, field)

static const struct option_row options[] = {
	{ "json", 0, NULL, "print JSON, with all inline sites, not only the first ones", option_set,
	  AT(json) },
	{ "script", 0, "FOR", "print a program for bpftrace, tracefs or libbpf that sees all calls",
	  take_script, AT(script) },
	{ "names", 0, "LIST", "instead of NAME: a file with a name in each line; - is standard "
	  "input", option_text, AT(list) },
	{ "modules", 0, "DIR", "FILE is a vmlinux; what it has not is looked for in the modules "
	  "below DIR", option_text, AT(modules) },
	{ "jobs", 'j', "N", JOBS_HELP, option_jobs, AT(kernel.encode.jobs) },
	{ "features", 0, "LIST", "as for btfenc encode: they decide which FUNCs there are",
	  option_features, AT(kernel.encode.features) },
	HELP_ROW,
	{ "base", 'b', "BASE", "the BTF that a module's BTF is split from", option_base,
	  AT(kernel.records.bases) },
	{ .help = "For records of sites (each of these implies --records):" },
	{ "records", 0, NULL, "answer from FILE's records, not from its DWARF", option_set,
	  AT(kernel.records.records_only) },
	{ "extra", 0, "FILE", "the records; default: FILE's .BTF.extra, or FILE.extra next to it",
	  option_text, AT(kernel.records.extra) },
	{ "symbols", 0, "FILE", "a System.map or /proc/kallsyms; default: the ELF file's symbols, "
	  "for raw BTF /proc/kallsyms", option_text, AT(kernel.records.symbols) },
	{ "running", 0, "[=FILE]", "addresses of the running kernel, by /proc/kallsyms or FILE",
	  take_running, AT(kernel.records.running) },
	{ "root", 0, "DIR", "the files of the running kernel, /sys and /proc, are below DIR: "
	  "copies from another machine", option_text, AT(kernel.records.root) },
	{ "module", 0, "NAME", "the module's name, where FILE is called differently", take_module,
	  AT(kernel.records.module) },
};

static const struct command command = {
	.name = "explain",
	.usage = "usage: btfenc explain [options] NAME [FILE...]\n"
		 "       btfenc explain [options] --names LIST [FILE]\n"
		 "       btfenc explain [options] TYPE[.MEMBER] [FILE...]\n"
		 "\n"
		 "Explains what became of a kernel's function or tracepoint, whether tracers can\n"
		 "attach to it, and how. FILE is a vmlinux or a module with DWARF; or, without\n"
		 "DWARF, raw BTF or an ELF file with BTF; or the directory of a vmlinux and its\n"
		 "modules. More is known of BTF with records of sites: btfenc encode --features\n"
		 "+func_secinfo or +inline. Without FILE the\n"
		 "running kernel and its modules are asked, by " RUNNING_BTF_DIRECTORY ".\n"
		 "NAME may be as tracers write it: fentry/vfs_read, sched:sched_switch.\n"
		 "\n"
		 "TYPE is a struct, union or enum with that word ('struct sock'), also without\n"
		 "it in front of a member: task_struct.se.vruntime, or an enumerator.\n"
		 "\n"
		 "Of several FILEs a table says which have the name, and what differs.\n",
	.notes = "Exit status: 0 explained, 1 nothing has that name (of several FILEs: in one of\n"
		 "them), 2 usage, 3 input failure.\n",
	COMMAND_OPTIONS(options),
};

/* ---- types ---- */

/* It may be in one of the modules. */
#define NOT_HERE (-1)

static int print_types(const struct arguments *arguments, const struct type_query *query,
		       const struct type_answer *rows, size_t count)
{
	bool all = true;
	struct error err;

	for (size_t i = 0; i < count; i++)
		all &= type_is_found(&rows[i].found);
	if (!all && count == 1 && arguments->modules)
		return NOT_HERE;
	if (arguments->json)
		json_write(type_json(query, rows, count), JSON_INDENT(2), stdout);
	else
		type_print(query, rows, count);
	if (!stdout_flush(&err))
		return command_failed(&err);
	return all ? EXIT_DONE : EXIT_ANSWER_NO;
}

/* Of a type that a file does not have: whether units of its DWARF have it that are left out. */
static char *find_excluded(const struct arguments *arguments, const struct type_query *query,
			   const char *path)
{
	struct encode_options of_path = arguments->kernel.encode;
	const struct excluded_query wanted = { .name = query->name, .types = true,
					       .kind = query->kind };
	struct program program;
	struct error ignored;
	char *found;

	of_path.path = path;
	if (file_kind_of(path) != FILE_ELF || !program_open(&program, &of_path, &ignored))
		return NULL;
	found = program_find_excluded(&program, &wanted);
	program_close(&program);
	return found;
}

/* Whether a type of the name differs between two files, and how. */
static json_t *type_differences(const struct type_query *query, const struct type_found *old,
				const struct type_found *new)
{
	struct type_diff diff = { 0 };
	json_t *lines = json_array();

	type_diff_add(&diff, NULL, old->btf, old->types.word_bytes, new->btf,
		      new->types.word_bytes);
	for (size_t i = 0; i < diff.changes.count; i++) {
		const struct type_change *change = &diff.changes.data[i];

		for (size_t k = 0; k < change->details.count; k++) {
			if (strcmp(change->name, query->name) == 0 &&
			    (!query->kind ||
			     strcmp(change->keyword, btf_keywords[query->kind]) == 0))
				json_array_append_new(lines, json_text(change->details.data[k]));
		}
	}
	type_diff_release(&diff);
	return lines;
}

/* `files` are all read before anything is printed. Returns the exit status, or NOT_HERE. */
static int explain_types(const struct arguments *arguments, const struct type_query *query,
			 char **files, size_t count)
{
	struct kernel_types *inputs = memory_zeroed(count, sizeof(*inputs));
	struct kernel_options of_path = arguments->kernel;
	struct type_answer *rows = memory_zeroed(count, sizeof(*rows));
	size_t opened = 0;
	bool good = true;
	struct error err;
	int status;

	while (good && opened < count) {
		of_path.records.path = files[opened];
		good = kernel_types_open(&inputs[opened], &of_path, &err);
		rows[opened].path = files[opened];
		rows[opened].searched = arguments->searched ? arguments->searched : "";
		if (good) {
			type_find(&rows[opened].found, inputs[opened].btf, query);
			type_find_operation(&rows[opened], query);
			if (!rows[opened].found.id && !query->is_ops)
				rows[opened].excluded =
					find_excluded(arguments, query, files[opened]);
		}
		if (good && opened && !*query->path && type_is_found(&rows[opened].found) &&
		    !rows[opened].found.enumerator && type_is_found(&rows[opened - 1].found))
			rows[opened].differs = type_differences(query, &rows[opened - 1].found,
								&rows[opened].found);
		opened++;
	}
	status = good ? print_types(arguments, query, rows, count) : command_failed(&err);
	while (opened--) {
		type_found_release(&rows[opened].found);
		free(rows[opened].excluded);
		json_decref(rows[opened].differs);
		kernel_types_close(&inputs[opened]);
	}
	free(inputs);
	free(rows);
	return status;
}

/* Explains a type of that name, if there is one. -1: there is none. */
static int explain_as_type(const struct arguments *arguments,
			   const struct explanation *explanation)
{
	struct type_query query = { .kind = BTF_VOID, .name = (char *)arguments->name,
				    .path = (char *)"" };
	char *path = (char *)arguments->kernel.records.path;

	if (!explain_has_type(explanation, arguments->name))
		return -1;
	if (arguments->script != SCRIPT_NONE)
		return usage_error(&command, "--script is for functions and tracepoints, and %s is "
				   "neither; leave --script out", arguments->name);
	return explain_types(arguments, &query, &path, 1);
}

/* ---- functions ---- */

/* Is it to be in another module or folder of events than it is in? */
static bool is_elsewhere(const struct explanation *explanation)
{
	const struct attach_image *image = &explanation->image;
	const struct tracepoint *tracepoint = explanation->tracepoint;
	const char *folder = explanation->folder;
	bool is_other;
	char *module;

	if (folder && explanation_is_of_tracepoint(explanation))
		return tracepoint && tracepoint->system && strcmp(folder, tracepoint->system) != 0;
	if (!folder || !image->is_module)
		return folder && strcmp(folder, "vmlinux") != 0;
	module = image->module ? NULL : module_name_of_path(explanation->path);
	is_other = strcmp(folder, module ? module : image->module) != 0;
	free(module);
	return is_other;
}

static bool is_asked(const struct explanation *explanation, const struct asked *asked)
{
	return !is_elsewhere(explanation) && !explanation_is_of_padding(explanation) &&
	       (asked->kind != ASKED_ITERATOR || hooks_are_own(explanation));
}

/*
 * Prints the explanation, or else the names that are near, or fills *meant, if that is not NULL.
 * Returns the exit status, or NOT_HERE if there are modules to be asked, or *meant is to be.
 */
static int explain(const struct kernel *kernel, const struct arguments *arguments,
		   const char *name, char **meant)
{
	struct explanation explanation;
	struct near_names near = { 0 };
	const struct asked *asked = &arguments->asked;
	bool known = explanation_make(&explanation, kernel, name, asked);
	struct error err;
	int status;

	known = known && is_asked(&explanation, asked);
	status = known || asked->kind != ASKED_ANY ? -1 : explain_as_type(arguments, &explanation);

	if (status < 0 && !known && asked->kind <= ASKED_FUNCTION && meant)
		*meant = explain_meant(&explanation);
	if (status >= 0 || (meant && *meant) || (!known && arguments->modules)) {
		explanation_release(&explanation);
		return status;
	}
	if (known) {
		explain_locate_sites(&explanation, arguments->json
							   ? explanation.sites.count
							   : EXPLAIN_SITES_SHOWN);
		if (arguments->json)
			explain_print_json(&explanation);
		else if (arguments->script != SCRIPT_NONE)
			explain_print_script(&explanation, arguments->script);
		else
			explain_print_text(&explanation);
		if (!*explanation.room)
			print_warning("%s: what it says of %s is out of all proportion to its "
				      "size; the rest of its sites and parameters is left out",
				      kernel->path, name);
	} else {
		explain_find_near(&near, &explanation);
		for (uint32_t i = 0; i < arguments->near.count; i++)
			near_names_add(&near, arguments->near.names[i].name,
				       arguments->near.names[i].what,
				       arguments->near.names[i].distance);
		if (arguments->json)
			explain_print_near_json(&near, &explanation, kernel->path,
						arguments->searched_count);
		else
			explain_print_near(arguments->script != SCRIPT_NONE ? stderr : stdout,
					   &near, &explanation, kernel->path,
					   arguments->searched ? arguments->searched : "",
					   arguments->list_options);
		if (explanation.image.running && !explanation_is_of_padding(&explanation))
			running_kernel_warn_unread(explanation.image.running);
	}
	near_names_release(&near);
	explanation_release(&explanation);
	return !stdout_flush(&err) ? command_failed(&err) : known ? EXIT_DONE : EXIT_ANSWER_NO;
}

static int explain_file(struct arguments *arguments, const char *name, char **meant)
{
	struct kernel kernel;
	struct error err;
	int status;

	if (arguments->opened)
		return explain(arguments->opened, arguments, name, meant);
	status = kernel_open(&kernel, &arguments->kernel, &err)
			 ? explain(&kernel, arguments, name, meant) : command_failed(&err);
	kernel_close(&kernel);
	return status;
}

/* Or of what the name stands for. */
static int explain_file_or_meant(struct arguments *arguments, const char *name)
{
	char *meant = NULL;
	int status = explain_file(arguments, name, &meant);

	if (!meant)
		return status;
	asked_release(&arguments->asked);
	asked_parse(&arguments->asked, meant);
	/* Findings of that name are not in what is open. */
	*arguments->kept.strings = arguments->asked.name;
	arguments->opened = NULL;
	free(meant);
	return explain_file(arguments, arguments->asked.name, NULL);
}

/*
 * A function or tracepoint of several FILEs: each is read, and closed, before the next one is.
 * NOT_HERE: none of them has it.
 */
static int explain_kernels(const struct arguments *arguments, const char *name, char **files,
			   int count)
{
	json_t *kernels;
	struct kernel_options of_path = arguments->kernel;
	bool all = true, any = false;
	struct error err;

	json_set_alloc_funcs(memory_alloc, free);
	kernels = json_array();
	for (int i = 0; i < count; i++) {
		struct explanation explanation;
		struct kernel kernel;
		bool known;

		of_path.records.path = files[i];
		if (!kernel_open(&kernel, &of_path, &err)) {
			kernel_close(&kernel);
			json_decref(kernels);
			return command_failed(&err);
		}
		known = explanation_make(&explanation, &kernel, name, &arguments->asked) &&
			is_asked(&explanation, &arguments->asked);
		json_array_append_new(kernels, explain_kernel_json(&explanation, known));
		all &= known;
		any |= known;
		explanation_release(&explanation);
		kernel_close(&kernel);
	}
	if (!any) {
		json_decref(kernels);
		return NOT_HERE;
	}
	explain_compare_print(arguments->name, kernels, arguments->json);
	return !stdout_flush(&err) ? command_failed(&err) : all ? EXIT_DONE : EXIT_ANSWER_NO;
}

/* Has the BTF what is wanted, from that id on? */
typedef bool (*has_function)(const struct btf_reader *btf, uint32_t first_id, const void *wanted);

/* A function or a tracepoint of that name. */
static bool has_name(const struct btf_reader *btf, uint32_t first_id, const void *wanted)
{
	const char *name = wanted;
	char *tracepoint = text_format("btf_trace_%s", name);
	bool found = false;

	for (uint32_t id = first_id; id < btf_reader_end_id(btf) && !found; id++) {
		const uint32_t *words = btf_reader_type(btf, id);
		enum btf_kind kind = btf_record_kind(words);

		found = (kind == BTF_FUNC || kind == BTF_TYPEDEF) &&
			strcmp(btf_type_name(btf, words),
			       kind == BTF_FUNC ? name : tracepoint) == 0;
	}
	free(tracepoint);
	return found;
}

/* The type, and the member if one is asked for, or an enumerator. */
static bool has_type(const struct btf_reader *btf, uint32_t first_id, const void *wanted)
{
	const struct type_source types = { .btf = btf };
	const struct type_query *query = wanted;
	struct type_found found;
	bool has = false;

	for (uint32_t id = first_id; id < btf_reader_end_id(btf) && !has; id++) {
		const uint32_t *record = btf_reader_type(btf, id);

		has = strcmp(btf_type_name(btf, record), query->name) == 0 ||
		      type_enumerator(&types, record, query->name);
	}
	if (!has)
		return false;
	type_find(&found, btf, wanted);
	has = type_is_found(&found);
	type_found_release(&found);
	return has;
}

/* ---- modules of a vmlinux ---- */

struct asked_module {
	bool has, unread;
	struct error err;		/* why it is unread */
};

struct module_search {
	struct arguments *arguments;
	const struct build_files *build;
	struct kernel_options kernel;	/* of a module, by one thread; all but the path */
	const char *name;		/* of a function or tracepoint; NULL: the type is wanted */
	const struct type_query *type;
	bool with_dwarf;		/* types are looked for in modules without BTF, too */
	struct asked_module *modules;
	_Atomic size_t first;		/* that has it; those after it need not be asked */
};

/* Also false: it is a module of another kernel. */
static bool open_module(const struct module_search *search, const char *path,
			struct kernel_types *types, struct error *err)
{
	struct kernel_options module = search->kernel;

	module.records.path = path;
	return kernel_types_open(types, &module, err);
}

/* False: it cannot be read. Has the module a function or tracepoint of that name? */
static bool ask_symbols(const struct module_search *search, const struct module_file *module,
			bool *has, struct error *err)
{
	char *tracepoint = text_format("__tracepoint_%s", search->name);
	const struct symbol *symbol;
	struct kernel_types types;
	struct elf_input elf;
	bool good = elf_input_open(&elf, module->path, err);

	/* The sections' headers are at the end. */
	if (good && elf.object.header_count <= 1)
		good = error_at(err, module->path,
				"has no sections; the file is cut off or damaged");
	if (good) {
		symbol = records_find_symbol(&elf.symbols, search->name, RECORDS_ANYWHERE);
		*has = (symbol && symbol->type != STT_OBJECT) ||
		       symbol_table_find(&elf.symbols, tracepoint);
		explain_offer_symbols(&search->arguments->near, &elf.symbols, module->name);
	}
	elf_input_close(&elf);
	free(tracepoint);
	if (*has && search->kernel.records.below && is_asked_by_btf(module->path)) {
		*has = good = open_module(search, module->path, &types, err);
		kernel_types_close(&types);
	}
	return good;
}

/* Or the type? */
static bool ask_types(const struct module_search *search, const struct module_file *module,
		      bool *has, struct error *err)
{
	struct kernel_types types;
	bool good;

	if (!search->with_dwarf && !btf_file_has_btf(module->path, search->kernel.records.below))
		return true;
	good = open_module(search, module->path, &types, err);
	*has = good && has_type(types.btf, types.btf->first_id, search->type);
	kernel_types_close(&types);
	return good;
}

/* On any thread. */
static bool ask_module(void *context, const struct module_file *module)
{
	struct module_search *search = context;
	const struct asked *asked = &search->arguments->asked;
	size_t i = (size_t)(module - search->build->modules.data), first;
	struct asked_module *answer = &search->modules[i];

	/* All that have a function of that name are said. */
	if (answer->unread || (!search->name && i > atomic_load(&search->first)) ||
	    (asked->kind == ASKED_FUNCTION && asked->folder &&
	     strcmp(asked->folder, module->name) != 0))
		return true;
	answer->unread =
		!(search->name ? ask_symbols(search, module, &answer->has, &answer->err)
			       : ask_types(search, module, &answer->has, &answer->err));
	first = atomic_load(&search->first);
	while (answer->has && i < first &&
	       !atomic_compare_exchange_weak(&search->first, &first, i))
		;
	return true;
}

/* The first module that has the function or tracepoint, or else the type; NULL: none has it. */
static const char *find_module(struct module_search *search)
{
	atomic_store(&search->first, SIZE_MAX);
	progress_begin("btfenc: searching modules", "files");
	build_files_visit(search->build, search->arguments->kernel.encode.jobs, ask_module, search);
	progress_end();
	return search->first != SIZE_MAX ? search->build->modules.data[search->first].path : NULL;
}

/* ", nor in the modules below DIR (3)": those that could be read, and a warning of the others. */
static void say_searched(struct arguments *arguments, const struct module_search *search)
{
	size_t count = search->build->modules.count, unread = 0;
	const struct error *first = NULL;

	for (size_t i = 0; i < count; i++) {
		unread += search->modules[i].unread;
		if (search->modules[i].unread && !first)
			first = &search->modules[i].err;
	}
	if (unread == 1)
		print_warning("%s; it is left out", first->text);
	else if (unread)
		print_warning("%s; it is left out, and %zu more %s", first->text, unread - 1,
			      unread == 2 ? "is" : "are");
	arguments->searched = text_format(", nor in the modules below %s (%zu)",
					  arguments->modules, count - unread);
	arguments->searched_count = count - unread;
}

#define OTHERS_SHOWN 4

/* The answer is about one of several. */
static void warn_of_others(const struct module_search *search)
{
	struct text others = { 0 };
	size_t count = 0;

	for (size_t i = search->first + 1; i < search->build->modules.count; i++) {
		if (search->modules[i].has && count++ < OTHERS_SHOWN)
			text_add_format(&others, "%s%s", count > 1 ? ", " : "",
					search->build->modules.data[i].name);
	}
	if (count)
		print_warning("the answer is of the module %s; ask for fentry/MODULE:%s: %.*s%s "
			      "%s that name, too", search->build->modules.data[search->first].name,
			      search->name, (int)others.count, others.data,
			      count > OTHERS_SHOWN ? " and others" : "",
			      count > 1 ? "have" : "has");
	array_release(&others);
}

/*
 * The kernel does not have the function of that name, if it is not NULL, or type, if it is not:
 * asks the first module that has, or else the kernel again, for names near it. DWARF of modules
 * is read only for what can be nothing but a type: all of it takes minutes.
 */
static int explain_modules(struct arguments *arguments, char *kernel, const char *name,
			   const struct type_query *type)
{
	struct build_files *build = &arguments->build;
	struct module_search search = { .arguments = arguments, .build = build,
					.kernel = arguments->kernel, .name = name, .type = type,
					.with_dwarf = !name };
	const char *path = NULL;
	struct btf_reader below;
	struct error err;
	bool is_type, has_below;
	int status;

	if (!build->vmlinux && !build_files_find(build, kernel, arguments->modules, &err))
		return command_failed(&err);
	has_below = btf_reader_open(&below, kernel, NULL, NULL, &err);
	search.kernel.records.below = has_below ? &below : NULL;
	search.kernel.records.bases.count = 0;
	search.kernel.encode.jobs = 1;
	search.modules = memory_zeroed(build->modules.count + 1, sizeof(*search.modules));
	path = find_module(&search);
	if (!path && name && type) {
		search.name = NULL;
		path = find_module(&search);
	}
	/* Which modules were asked then depends on the threads. */
	if (path)
		near_names_release(&arguments->near);
	if (path && search.name)
		warn_of_others(&search);
	if (!path)
		say_searched(arguments, &search);
	free(search.modules);
	arguments->modules = NULL;
	arguments->kernel.records.below = path ? search.kernel.records.below : NULL;
	if (path)
		arguments->opened = NULL;
	is_type = !name || (path && !search.name);
	path = path ? path : kernel;
	arguments->kernel.records.path = path;
	status = is_type ? explain_types(arguments, type, (char **)&path, 1)
				 : explain_file_or_meant(arguments, name);
	if (has_below)
		btf_reader_release(&below);
	return status;
}

/* ---- the running kernel ---- */

/* The first BTF that has it, of the kernel and its modules or of `only`; NULL: none, or err. */
static const char *find_running(struct running_kernel *kernel, const char *only, has_function has,
				const void *wanted, struct error *err)
{
	error_set(err, "%s", "");
	for (size_t i = 0; i < kernel->btfs.count || running_kernel_next_btf(kernel, NULL, err);
	     i++) {
		const struct running_btf *btf = kernel->btfs.data[i];

		if ((!only || strcmp(only, btf->module ? btf->module : "vmlinux") == 0) &&
		    has(&btf->btf, btf->btf.first_id, wanted))
			return btf->path;
	}
	return NULL;
}

/*
 * Makes the running kernel's file that has what is wanted, or else the type, the one that is asked,
 * the kernel's own if none has it. `paths` keeps the strings. False: there is no BTF, and a line
 * says so.
 */
static bool choose_running(struct arguments *arguments, const char *name,
			   const struct type_query *type, char *paths[2])
{
	struct records_options *records = &arguments->kernel.records;
	struct running_kernel kernel = { .root = file_set_root(records->root) };
	bool is_event = arguments->asked.kind == ASKED_EVENT;
	const char *only = is_event || arguments->asked.kind == ASKED_FUNCTION
				   ? arguments->asked.folder : NULL;
	const char *path = NULL;
	struct error err;

	if (name)
		path = find_running(&kernel, only, has_name, name, &err);
	/* A folder of events is not a module. */
	if (!path && only && is_event)
		path = find_running(&kernel, NULL, has_name, name, &err);
	if (!path && type)
		path = find_running(&kernel, NULL, has_type, type, &err);
	if (!path) {
		running_kernel_warn_unread(&kernel);
		arguments->searched_count = kernel.btfs.count ? kernel.btfs.count - 1 : 0;
		for (size_t i = 1; name && i < kernel.btfs.count; i++)
			explain_offer_functions(&arguments->near, &kernel.btfs.data[i]->btf,
						kernel.btfs.data[i]->module);
		if (arguments->searched_count)
			arguments->searched = text_format(", nor in its modules (%zu)",
							  arguments->searched_count);
	}
	paths[0] = text_format("%s" RUNNING_BTF_DIRECTORY "/vmlinux", kernel.root);
	paths[1] = path ? memory_copy(path) : NULL;
	running_kernel_release(&kernel);
	if (*err.text) {
		usage_error(&command, "no FILE is given, and the running kernel's BTF cannot be "
			    "read: %s", err.text);
		return false;
	}
	records->path = paths[paths[1] != NULL];
	if (paths[1] && strcmp(paths[1], paths[0]) != 0 && !records->bases.count)
		records->bases.paths[records->bases.count++] = paths[0];
	return true;
}

/* A function or tracepoint, if the name is not NULL, or else the type. */
static int explain_running(struct arguments *arguments, const char *name,
			   const struct type_query *type)
{
	char *paths[2];
	int status = EXIT_USAGE;

	if (choose_running(arguments, name, type, paths))
		status = name ? explain_file_or_meant(arguments, name)
			      : explain_types(arguments, type, &paths[paths[1] != NULL], 1);
	free(paths[0]);
	free(paths[1]);
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
	keep_findings(arguments, (const char *[]){ query.name }, 1);
	near_names_init(&arguments->near, query.name);
	if (count > 1) {
		status = explain_kernels(arguments, query.name, files, count);
		if (status == NOT_HERE)
			status = explain_type(arguments, &query, files, count);
		free(query.name);
		return status;
	}
	if (asked->kind == ASKED_ANY && arguments->script == SCRIPT_NONE)
		type = &query;
	status = count ? explain_file_or_meant(arguments, query.name)
		       : explain_running(arguments, query.name, type);
	if (status == NOT_HERE)
		status = explain_modules(arguments, files[0], query.name, type);
	free(query.name);
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
	ARRAY_OF(const char *) sorted = { 0 };
	int worst = count > 1 ? usage_error(&command, "--names is for one FILE")
		    : arguments->script != SCRIPT_NONE
		      ? usage_error(&command, "--script is for one name")
		      : command_line_input(&command, &arguments->list);
	struct text list = { 0 };
	struct kernel kernel = { 0 };
	struct error err;

	if (worst >= 0)
		return worst;
	if (!text_read(&list, text_open(arguments->list), arguments->list, "check the path", NULL,
		       &err))
		return command_failed(&err);
	text_add_char(&list, '\0');
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
	keep_findings(arguments, sorted.data, sorted.count);
	arguments->kernel.records.path = count ? files[0] : NULL;
	if ((arguments->modules && count && !arguments->build.vmlinux &&
	     !build_files_find(&arguments->build, files[0], arguments->modules, &err)) ||
	    (count && !kernel_open(&kernel, &arguments->kernel, &err)))
		worst = command_failed(&err);
	for (size_t i = 0; i < names.count && worst < EXIT_FAILED; i++) {
		struct arguments one = *arguments;
		struct type_query query;
		int status;

		if (i && !arguments->json)
			printf("\n");
		one.name = names.data[i];
		one.opened = count ? &kernel : NULL;
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
	for (size_t i = 0; i < sorted.count; i++)
		free((char *)sorted.data[i]);
	array_release(&sorted);
	array_free_from(&names, 0);
	array_release(&names);
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
	struct arguments arguments = { .kernel.encode.languages = { .rust = true, .cxx = true } };
	struct records_options *records = &arguments.kernel.records;
	struct type_query query;
	char *name;
	int status, words, taken;

	features_default(&arguments.kernel.encode.features);
	status = command_line_parse(&command, &arguments, argc, argv);
	if (status >= 0)
		return status;
	records->records_only |= records->extra || records->symbols || records->running ||
				 records->module;
	if (arguments.script != SCRIPT_NONE && arguments.json)
		return usage_error(&command, "--script and --json exclude each other");
	if (optind == argc && !arguments.list)
		return usage_error(&command, "no NAME is given");
	if (!arguments.kernel.encode.jobs)
		arguments.kernel.encode.jobs = workers_by_default();
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
