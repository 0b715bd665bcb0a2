/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc list`: command line, where the functions come from, exit status. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "base/text.h"
#include "commands/command_line.h"
#include "commands/explain/asked.h"
#include "commands/list/list.h"
#include "kernel/build_files.h"
#include "kernel/kernel.h"
#include "kernel/registered.h"
#include "kernel/function_rows.h"

struct arguments {
	struct kernel_options kernel;	/* FILE; no path: the running kernel */
	struct list_query query;
	const char *root;
	const char *modules;		/* where those of the vmlinux are, or NULL */
	const char *module;		/* NULL: any */
	enum list_format format;
	/* By name of the query; `wanted` is NULL of patterns, and of what the kernel has. */
	struct near_names *near;
};

/* ---- the command line ---- */

static OPTION_ACTION(take_parameter)
{
	struct list_query *query = target;
	struct list_parameter wanted = { 0 };
	const char *type = value + strspn(value, "0123456789");
	char *number = memory_string(value, (size_t)(type - value));
	bool good = type == value || (*type++ == ':' &&
				      text_parse_number(number, 255, &wanted.position) &&
				      wanted.position);

	free(number);
	if (!good || !type_pattern_parse(&wanted.type, type))
		return usage_error(command, "--takes needs a type, perhaps with the parameter's "
				   "number ('struct sk_buff *', 2:size_t), not '%s'", value);
	array_push(&query->takes, wanted);
	return -1;
}

static OPTION_ACTION(take_result)
{
	struct list_query *query = target;

	if (query->has_result)
		return usage_error(command, "--returns is given twice: a function has one result");
	query->has_result = true;
	return type_pattern_parse(&query->result, value)
		       ? -1 : usage_error(command, "--returns needs a type ('struct sk_buff *'), "
					  "not '%s'", value);
}

static OPTION_ACTION(refuse_kind)
{
	return usage_error(command, "--tracepoints and --kfuncs are --kind tracepoint and --kind "
			   "kfunc");
}

static OPTION_ACTION(take_verdicts)
{
	for (const char *item = value; *item;) {
		size_t length = strcspn(item, ",");
		size_t i = text_find_word(function_reasons, VERDICT_COUNT, item, length);

		if (i == VERDICT_COUNT)
			return usage_error(command, "unknown verdict '%.*s'; known are"
					   VERDICT_LIST(LIST_WORD),
					   (int)(length < 60 ? length : 60), item);
		*(uint32_t *)target |= 1u << i;
		item += length;
		item += *item == ',';
	}
	return -1;
}

#define AT(field) offsetof(struct arguments, field)

static const struct option_row options[] = {
	{ "file", 'f', "FILE", option_text, AT(kernel.records.path) },
	{ "base", 'b', "BASE", option_base, AT(kernel.records.bases) },
	{ "takes", 0, "TYPE", take_parameter, AT(query) },
	{ "returns", 0, "TYPE", take_result, AT(query) },
	{ "attachable", 0, "|fentry|kprobe", option_word, AT(query.attachable) },
	{ "kind", 0, LIST_KIND_WORDS, option_word, AT(query.kind) },
	{ "tracepoints", 0, NULL, refuse_kind, 0 },
	{ "kfuncs", 0, NULL, refuse_kind, 0 },
	{ "field", 0, "NAME", option_text, AT(query.field) },
	{ "has-sites", 0, NULL, option_set, AT(query.with_sites) },
	{ "verdict", 0, "LIST", take_verdicts, AT(query.verdicts) },
	{ "module", 0, "NAME", option_text, AT(module) },
	{ "format", 0, "text|names|tsv|json|bpftrace|ids", option_word, AT(format) },
	{ "modules", 0, "DIR", option_text, AT(modules) },
	{ "root", 0, "DIR", option_text, AT(root) },
	{ "jobs", 'j', "N", option_jobs, AT(kernel.encode.jobs) },
	HELP_ROW,
};

COMMAND(list);

/* ---- where they come from ---- */

/* A source, and what it borrows. */
struct opened {
	struct list_source source;
	struct kernel kernel;		/* of a file; of the running kernel only its tables */
};

struct opened_list {
	ARRAY_OF(struct opened *) items;
	struct running_kernel running;
	struct kallsyms_file symbols;	/* of the running kernel */
	struct build_files build;	/* of a vmlinux and its modules */
	struct btf_reader base;		/* of a vmlinux with DWARF, for modules without */
	bool has_base;
	struct func_names kernel_funcs;	/* for its modules */
};

static void opened_free(struct opened *opened)
{
	list_source_release(&opened->source);
	kernel_close(&opened->kernel);
	free(opened);
}

static void close_all(struct opened_list *list)
{
	while (list->items.count)
		opened_free(list->items.data[--list->items.count]);
	array_release(&list->items);
	if (list->has_base)
		btf_reader_release(&list->base);
	func_names_release(&list->kernel_funcs);
	running_kernel_release(&list->running);
	kallsyms_file_release(&list->symbols);
	build_files_release(&list->build);
}

/* NULL: it cannot be read. */
static struct opened *open_file(const struct kernel_options *file, enum list_kind kind,
				struct error *err)
{
	struct opened *opened = memory_zeroed(1, sizeof(*opened));
	struct list_source *source = &opened->source;
	const struct kernel *kernel = &opened->kernel;

	if (!kernel_open(&opened->kernel, file, err)) {
		opened_free(opened);
		return NULL;
	}
	source->image = kernel->image;
	source->module = kernel->module;
	source->kind = kind;
	if (kernel->program) {
		list_add_program(source, kernel->program);
		return opened;
	}
	source->types = kernel->types;
	list_add_btf(source, &kernel->records->input.btf, kernel->records->input.parts,
		     kernel->records->input.part_count);
	return opened;
}

/* Where init and noinstr code is. A module's is not between symbols. */
static void read_symbols(struct opened_list *list)
{
	static const char unread[] = "code that is freed when booting is done is not told from "
				     "other code";
	struct running_kernel *running = &list->running;
	char *path = text_format("%s" KALLSYMS_PATH, running->root);
	struct opened *kernel = list->items.data[0];
	struct error err;

	if (file_is_regular(path, "", &err) &&
	    kallsyms_file_read(&list->symbols, path, NULL, &err)) {
		kernel->source.image.symbols = &list->symbols.symbols;
		attach_tables_read(&kernel->kernel.tables, &kernel->source.image);
	} else {
		array_push(&running->unread, text_format("%.*s; %s", (int)strcspn(err.text, ";"),
							 err.text, unread));
	}
	free(path);
}

static bool open_kernel_and_modules(struct opened_list *list, const struct arguments *arguments,
				    struct error *err)
{
	struct running_kernel *running = &list->running;
	const struct kernel_identity identity = running_kernel_identity(running, NULL);
	struct running_btf *btf;

	while ((btf = running_kernel_next_btf(running, arguments->module, err))) {
		struct btf_machine machine = btf_machine_of(NULL, &btf->btf);
		struct opened *opened = memory_zeroed(1, sizeof(*opened));
		struct list_source *source = &opened->source;
		const struct btf_reader *sites = running_kernel_sites(running, btf);
		struct error why;

		array_push(&list->items, opened);
		source->module = source->image.module = btf->module;
		source->image.is_module = btf->module;
		source->image.running = running;
		source->image.version = kernel_version_parse(identity.release);
		source->image.tables = &opened->kernel.tables;
		source->kind = arguments->query.kind;
		if (!btf->module)
			func_names_read(&list->kernel_funcs, &btf->btf, 1);
		else if (list->kernel_funcs.btf)
			source->image.kernel_funcs = &list->kernel_funcs;
		source->types.abi = source->image.abi = machine.abi;
		source->types.word_bytes = machine.word_bytes;
		if (!btf->module && (source->kind == LIST_LSM || arguments->query.attachable ||
				     (source->kind <= LIST_KFUNC &&
				      (arguments->format == LIST_TSV ||
				       arguments->format == LIST_JSON))))
			read_symbols(list);
		if (sites && !records_part_fits(sites, &btf->btf, &why)) {
			array_push(&running->unread, memory_copy(why.text));
			sites = NULL;
		}
		list_add_btf(source, &btf->btf, sites, sites != NULL);
	}
	return list->items.count;
}

/* ---- the answer ---- */

static void offer(const struct listed *listed, const struct arguments *arguments)
{
	for (int i = 0; i < arguments->query.name_count; i++) {
		struct near_names *near = &arguments->near[i];

		if (near->wanted && list_is_of_kind(listed, arguments->query.kind))
			near_names_offer(near, listed->name, NULL);
	}
}

static struct list_answer answer_of(const struct arguments *arguments)
{
	return (struct list_answer){ .query = &arguments->query, .format = arguments->format,
				     .rows = json_array() };
}

static void find(const struct list_source *source, const struct arguments *arguments,
		 struct list_answer *answer)
{
	if (arguments->module &&
	    strcmp(source->module ? source->module : "vmlinux", arguments->module) != 0)
		return;
	answer->last_name = NULL;
	array_each(const struct listed, listed, &source->items) {
		offer(listed, arguments);
		/* No name in a script ends the list of probes. System calls have no other. */
		if ((arguments->format != LIST_BPFTRACE ||
		     (text_is_made_of(listed->name, "_.$") &&
		      (!listed->event.group || listed->event.is == ATTACH_YES))) &&
		    (arguments->format != LIST_IDS || listed->id) &&
		    list_is_wanted(&arguments->query, source, listed))
			list_answer_add(answer, source, listed);
	}
}

struct found_module {
	struct list_answer answer;
	struct error err;
	bool failed;
};

struct module_search {
	const struct arguments *arguments;
	const struct build_files *build;
	struct kernel_options kernel;	/* of a module, by one thread; all but the path */
	struct found_module *modules;
};

/* On any thread. The module is closed at once: a kernel has thousands. */
static bool search_module(void *context, size_t i, struct error *err __attribute__((unused)))
{
	const struct module_search *search = context;
	const struct module_file *module = &search->build->modules.data[i];
	struct found_module *found = &search->modules[i];
	struct kernel_options file = search->kernel;
	struct opened *opened;

	found->answer = answer_of(search->arguments);
	if (search->arguments->module && strcmp(search->arguments->module, module->name) != 0)
		return true;
	file.records.path = module->path;
	opened = open_file(&file, search->arguments->query.kind, &found->err);
	found->failed = !opened;
	if (opened) {
		find(&opened->source, search->arguments, &found->answer);
		opened_free(opened);
	}
	return true;
}

static void find_in_modules(struct opened_list *list, const struct arguments *arguments,
			    struct list_answer *answer)
{
	size_t count = list->build.modules.count;
	const struct opened *kernel = list->items.data[0];
	struct module_search search = { .arguments = arguments, .build = &list->build,
					.kernel = arguments->kernel };
	struct records_options *records = &search.kernel.records;
	const char *first = NULL;
	uint32_t more = 0;
	struct error err;

	if (!count)
		return;
	if (kernel->kernel.program)
		list->has_base =
			btf_reader_open(&list->base, list->build.vmlinux, NULL, NULL, &err);
	records->is_module = true;
	records->below = kernel->kernel.records ? &kernel->kernel.records->input.btf
			 : list->has_base	? &list->base : NULL;
	if (records->below) {
		func_names_read(&list->kernel_funcs, records->below, 1);
		search.kernel.funcs = &list->kernel_funcs;
	}
	search.kernel.encode.jobs = 1;
	search.modules = memory_zeroed(count, sizeof(*search.modules));
	files_visit("btfenc: reading modules", count, arguments->kernel.encode.jobs, search_module,
		    &search, &err);
	for (size_t i = 0; i < count; i++) {
		struct found_module *found = &search.modules[i];
		/* The message without the file that it begins with. */
		const char *reason =
			text_after(found->err.text, list->build.modules.data[i].path);

		reason = reason ? reason : found->err.text;
		if (found->failed && first && strcmp(reason, first) == 0) {
			more++;
		} else if (found->failed) {
			print_warning("%s; its functions are left out", found->err.text);
			first = first ? first : reason;
		}
		list_answer_append(answer, &found->answer);
	}
	if (more)
		print_warning("%u more modules are left out, for the first one's reason", more);
	free(search.modules);
}

static void add_near(struct text *out, const struct near_names *near)
{
	if (near->count && !near->names[0].distance && !near->names[0].what) {
		text_add_clean_in(out, "; ", near->wanted, " is there, but is not what the options "
				  "ask for");
		return;
	}
	near_names_add_text(out, near);
}

static bool offer_module(struct near_names *near, const char *name)
{
	if (*name != '.')
		near_names_offer(near, name, NULL);
	return strcmp(name, near->wanted) == 0;
}

static void add_missing_module(struct text *out, const struct opened_list *opened,
			       const char *wanted)
{
	const struct running_kernel *running = &opened->running;
	struct near_names near;
	bool found = false;

	near_names_init(&near, wanted);
	for (size_t i = 0; i < opened->items.count; i++) {
		const char *module = opened->items.data[i]->source.module;

		found |= offer_module(&near, module ? module : "vmlinux");
	}
	for (size_t i = 0; i < running->modules.count; i++)
		found |= offer_module(&near, running->modules.data[i]);
	for (size_t i = 0; i < opened->build.modules.count; i++)
		found |= offer_module(&near, opened->build.modules.data[i].name);
	if (!found) {
		text_add_clean_in(out, "; no module is called ", wanted, "");
		near_names_add_text(out, &near);
	}
	near_names_release(&near);
}

static void add_missing_type(struct text *out, const struct opened_list *opened,
			     const struct type_pattern *type)
{
	struct near_names near;
	bool found = false;

	near_names_init(&near, type->name);
	for (size_t i = 0; i < opened->items.count && !found; i++) {
		const struct type_source *types = &opened->items.data[i]->source.types;

		found = type_pattern_exists(type, types, i ? types->btf->first_id : 0, &near);
	}
	/* Modules of a vmlinux are closed, and may have it. */
	if (!found)
		text_add_format(out, "; no type %sis called %s",
				opened->build.modules.count ? "of the kernel itself " : "",
				type->name);
	if (!found)
		add_near(out, &near);
	near_names_release(&near);
}

/* Does any name fit, of the modules of a vmlinux aside? */
static bool fits_any(const struct opened_list *opened, const struct list_query *query)
{
	for (size_t i = 0; i < opened->items.count; i++) {
		const struct list_source *source = &opened->items.data[i]->source;

		for (size_t k = 0; k < source->items.count; k++) {
			if (list_is_wanted(query, source, &source->items.data[k]))
				return true;
		}
	}
	return false;
}

/* "; try --takes 'struct sk_buff *'" if there are no such parameters, but pointers to them. */
static void add_pointer(struct text *out, const struct opened_list *opened,
			const struct list_query *asked, const struct list_parameter *wanted)
{
	struct list_parameter pointed = *wanted;
	struct list_query query = { .kind = asked->kind,
				    .takes = { &pointed, 1, 1 } };
	const char *keyword = btf_keywords[wanted->type.kind];
	char *type;

	pointed.position = 0;
	if (wanted->type.pointers || fits_any(opened, &query))
		return;
	pointed.type.pointers++;
	if (!fits_any(opened, &query))
		return;
	type = text_format("%s%s%s *", keyword ? keyword : "", keyword ? " " : "",
			   wanted->type.name);
	text_add_string(out, "; try --takes ");
	text_add_quoted(out, type);
	free(type);
}

/* "; try --attachable fentry 'tcp_*'" for what tracers write as "fentry/tcp_*". */
static void add_hook(struct text *out, const struct list_query *query, const char *pattern)
{
	static const struct {
		const char *options, *prefix;
	} words[] = {
		[ASKED_EVENT] = { "--kind tracepoint ", "" },
		[ASKED_TRACEPOINT] = { "--kind tracepoint ", "" },
		[ASKED_FUNCTION] = { "--attachable fentry ", "" },
		[ASKED_LSM] = { "--kind lsm ", LSM_FUNCTION },
		[ASKED_ITERATOR] = { "--kind iter ", ITERATOR_FUNCTION },
	};
	struct asked asked = { 0 };

	if (query->kind == LIST_FUNCTION && asked_is_hook(pattern) && access(pattern, F_OK) != 0 &&
	    asked_parse(&asked, pattern) && asked.kind != ASKED_SYSTEM_CALL) {
		const char *rest = text_after(asked.name, words[asked.kind].prefix);

		text_add_string(out, "; try ");
		text_add_string(out, asked.needs & ASKED_PROBE ? "--attachable kprobe "
							       : words[asked.kind].options);
		text_add_quoted(out, rest ? rest : asked.name);
		if (asked.folder && asked.kind == ASKED_FUNCTION)
			text_add_clean_in(out, " --module ", asked.folder, "");
	}
	asked_release(&asked);
}

/* Why nothing of that kernel is attachable, or a kfunc. */
static void add_reason(struct text *out, const struct list_source *kernel,
		       const struct list_query *query)
{
	const struct trampoline_view nothing = { 0 };
	const char *no_kprobes = query->attachable == LIST_KPROBE
		? attach_no_kprobes(&kernel->image) : NULL;
	struct trampoline_answer answer = trampoline_answer(&kernel->image, NULL, &nothing);
	size_t kfuncs = 0, groups = 0, colons = 0;

	for (size_t i = 0; i < kernel->items.count; i++) {
		kfuncs += kernel->items.data[i].kind == LIST_KFUNC;
		groups += kernel->items.data[i].event.group != NULL;
	}
	for (int i = 0; i < query->name_count; i++)
		colons += strchr(query->names[i], ':') != NULL;
	if (no_kprobes)
		text_add_format(out, ": %s", no_kprobes);
	else if (query->attachable == LIST_FENTRY && answer.is == ATTACH_NO)
		text_add_format(out, ": not by fentry: %s", answer.why);
	else if (query->kind == LIST_KFUNC && !kfuncs)
		text_add_string(out, ": none is known as a kfunc (BTF has their tags since 6.10)");
	else if (query->kind == LIST_TRACEPOINT && colons && !groups)
		text_add_string(out, ": no group of an event is known (an image and tracefs show "
				"them, BTF does not)");
}

static void warn_of_attachable(const struct opened_list *opened, const struct arguments *arguments)
{
	const struct symbol_table *symbols = opened->items.data[0]->source.image.symbols;
	const struct own_btf *own = &opened->items.data[0]->kernel.tables.own;

	if (arguments->query.attachable == LIST_FENTRY && own->why_unread)
		print_warning("%s: which FUNCs its own .BTF has, by which fentry goes, is not "
			      "known: %s", arguments->kernel.records.path, own->why_unread);
	if (arguments->kernel.records.path && arguments->query.attachable &&
	    (!symbols || !symbols->symbols.count))
		print_warning("%s: has no symbols and no code: functions without a tracer's hook, "
			      "and those that are freed when booting is done, are not told from "
			      "others", arguments->kernel.records.path);
}

static void say_and_free(struct text *what)
{
	char *text = text_finish(what);

	fprintf(stderr, "btfenc: list: nothing fits%s\n", text);
	free(text);
}

static void say_nothing_fits(const struct opened_list *opened, const struct arguments *arguments)
{
	const struct list_query *query = &arguments->query;
	struct text why = { 0 };

	if (opened->items.count)
		add_reason(&why, &opened->items.data[0]->source, query);
	if (!why.count && query->attachable && arguments->format == LIST_BPFTRACE)
		text_add_string(&why, " that bpftrace can attach to");
	if (arguments->module)
		add_missing_module(&why, opened, arguments->module);
	for (int i = 0; i < query->name_count; i++) {
		add_near(&why, &arguments->near[i]);
		add_hook(&why, query, query->names[i]);
	}
	for (size_t i = 0; i < query->takes.count; i++) {
		add_missing_type(&why, opened, &query->takes.data[i].type);
		add_pointer(&why, opened, query, &query->takes.data[i]);
	}
	if (query->has_result)
		add_missing_type(&why, opened, &query->result);
	say_and_free(&why);
}

/* Names, and not patterns, that the kernel does not have: modules may, or have names near them. */
static void begin_near(const struct opened_list *opened, const struct arguments *arguments)
{
	for (int i = 0; i < arguments->query.name_count; i++) {
		const char *name = arguments->query.names[i];

		if (!strpbrk(name, "*?[\\") && !arguments->query.is_found[i])
			near_names_init(&arguments->near[i], name);
	}
	for (size_t i = 0; i < opened->items.count; i++) {
		const struct list_source *source = &opened->items.data[i]->source;

		for (size_t k = 0; k < source->items.count; k++)
			offer(&source->items.data[k], arguments);
	}
}

/* Each pattern that has no part in the answer. */
static void say_what_is_missing(const struct arguments *arguments)
{
	for (int i = 0; i < arguments->query.name_count; i++) {
		const char *name = arguments->query.names[i];
		struct text line = { 0 };

		if (arguments->query.is_found[i])
			continue;
		text_add_clean_in(&line, " '", name, "'");
		add_near(&line, &arguments->near[i]);
		add_hook(&line, &arguments->query, name);
		say_and_free(&line);
	}
}

static int list(const struct arguments *arguments, struct error *err)
{
	struct opened_list opened = { .running.root = file_set_root(arguments->root) };
	struct list_answer answer = answer_of(arguments);
	const char *path = arguments->kernel.records.path;
	bool is_build = path && (arguments->modules || is_directory(path));
	bool good = !is_build || build_files_find(&opened.build, arguments->kernel.records.path,
						  arguments->modules, err);
	struct kernel_options kernel_file = arguments->kernel;
	int status = EXIT_DONE;

	if (is_build)
		kernel_file.records.path = opened.build.vmlinux;
	if (good && kernel_file.records.path) {
		struct opened *kernel = open_file(&kernel_file, arguments->query.kind, err);

		good = kernel;
		if (good)
			array_push(&opened.items, kernel);
	} else if (good) {
		good = open_kernel_and_modules(&opened, arguments, err);
	}
	if (good && arguments->query.with_sites && !opened.items.data[0]->source.has_sites)
		good = error_set(err, "%s: has no records of inline sites, which btfenc encode "
				 "--features +inline adds, and no DWARF is read",
				 path ? path : "the running kernel's BTF");
	if (good) {
		for (size_t i = 0; i < opened.items.count; i++)
			find(&opened.items.data[i]->source, arguments, &answer);
		warn_of_attachable(&opened, arguments);
		begin_near(&opened, arguments);
		find_in_modules(&opened, arguments, &answer);
		status = answer.count ? EXIT_DONE : EXIT_ANSWER_NO;
		if (answer.count || arguments->format == LIST_JSON)
			list_print(&answer);
		good = stdout_flush(err);
		if (answer.count)
			say_what_is_missing(arguments);
		else if (arguments->format != LIST_JSON)
			say_nothing_fits(&opened, arguments);
		running_kernel_warn_unread(&opened.running);
	}
	list_answer_release(&answer);
	close_all(&opened);
	return good ? status : command_failed(err);
}

/* Which options are there for which kinds. */
static int check_kind(const struct list_query *query, enum list_format format)
{
	enum { FUNCTIONS = 1 << LIST_FUNCTION | 1 << LIST_KFUNC, EVENTS = 1 << LIST_TRACEPOINT,
	       HOOKS = 1 << LIST_LSM | 1 << LIST_ITER };
	const struct {
		const char *option;
		bool is_given;
		unsigned int kinds;
	} rows[] = {
		{ "takes", query->takes.count, FUNCTIONS | EVENTS | HOOKS },
		{ "returns", query->has_result, FUNCTIONS | HOOKS },
		{ "attachable", query->attachable, FUNCTIONS },
		{ "has-sites", query->with_sites, FUNCTIONS },
		{ "verdict", query->verdicts, FUNCTIONS },
		{ "field", query->field, EVENTS },
		{ "format bpftrace", format == LIST_BPFTRACE, FUNCTIONS | EVENTS },
		{ "format ids", format == LIST_IDS, FUNCTIONS },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].is_given && !(rows[i].kinds >> query->kind & 1))
			return usage_error(&command, "--%s is not for --kind %s", rows[i].option,
					   list_kinds[query->kind]);
	}
	return -1;
}

static int check_arguments(struct arguments *arguments)
{
	const struct list_query *query = &arguments->query;
	struct records_options *file = &arguments->kernel.records;
	int status;

	for (int i = 0; !file->path && i < query->name_count; i++) {
		/* In a kernel's tree are directories fs and net. */
		if (file_kind_of(query->names[i]) != FILE_OTHER ||
		    (strchr(query->names[i], '/') && is_directory(query->names[i])))
			return usage_error(&command, "%s is a file or directory, and no pattern: "
					   "give it with -f", query->names[i]);
	}
	if (!file->path && (arguments->modules || file->bases.count))
		return usage_error(&command, "--%s needs --file", arguments->modules
				   ? "modules" : "base");
	if (file->path && arguments->root)
		return usage_error(&command, "--root is for the running kernel, and not for a "
				   "--file");
	if (arguments->modules && file->bases.count)
		return usage_error(&command, "--modules are split from --file: there is no --base");
	status = check_kind(query, arguments->format);
	if (status >= 0)
		return status;
	if (arguments->format == LIST_BPFTRACE && query->kind != LIST_TRACEPOINT &&
	    !query->attachable)
		arguments->query.attachable = LIST_FENTRY;
	/* They are those of BTF, and each module's has its own. */
	file->records_only = arguments->format == LIST_IDS;
	if (file->records_only && !arguments->module &&
	    (!file->path || arguments->modules || is_directory(file->path)))
		arguments->module = "vmlinux";
	return file->path ? command_line_input(&command, &file->path) : -1;
}

int cmd_list(int argc, char **argv)
{
	struct arguments arguments = {
		.kernel.records.needs_no_symbols = true,
		.kernel.encode = { .examine_clones = true, .count_inlined = true } };
	struct error err;
	size_t names;
	int status;

	encode_options_default(&arguments.kernel.encode);
	/* Functions without code have a prototype at their sites. */
	arguments.kernel.encode.features.feature_inline = true;
	status = command_line_parse(&command, &arguments, argc, argv);
	arguments.kernel.encode.keep_registrations = arguments.query.kind == LIST_KFUNC;
	arguments.query.names = argv + optind;
	arguments.query.name_count = argc - optind;
	if (status < 0)
		status = check_arguments(&arguments);
	if (status < 0) {
		names = (size_t)arguments.query.name_count;
		arguments.near = memory_zeroed(names, sizeof(*arguments.near));
		arguments.query.is_found = memory_zeroed(names, sizeof(bool));
		status = list(&arguments, &err);
		for (int i = 0; i < arguments.query.name_count; i++)
			near_names_release(&arguments.near[i]);
		free(arguments.near);
		free((void *)arguments.query.is_found);
	}
	array_release(&arguments.query.takes);
	return status;
}
