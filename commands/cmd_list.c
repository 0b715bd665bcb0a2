/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc list`: command line, where the functions come from, exit status. */
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/workers.h"
#include "commands/command_line.h"
#include "commands/list/list.h"
#include "commands/records/records.h"

struct arguments {
	struct encode_options options;
	struct list_query query;
	struct base_list bases;
	const char *path;		/* NULL: the running kernel */
	const char *root;
	const char *module;		/* NULL: any */
	enum list_format format;
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

	query->has_result = true;
	return type_pattern_parse(&query->result, value)
		       ? -1 : usage_error(command, "--returns needs a type ('struct sk_buff *'), "
					  "not '%s'", value);
}

/* The row of a table of words; `count`: it has none of that name. */
static size_t find_word(const char *const *words, size_t count, const char *word, size_t length)
{
	size_t i = 0;

	while (i < count && (strlen(words[i]) != length || strncmp(words[i], word, length) != 0))
		i++;
	return i;
}

static OPTION_ACTION(take_attachable)
{
	static const char *const words[] = { "fentry", "kprobe" };
	size_t i = find_word(words, 2, value, strlen(value));

	*(uint8_t *)target = (uint8_t)(LIST_FENTRY + i);
	return i < 2 ? -1 : usage_error(command, "--attachable needs fentry or kprobe, not '%s'",
					value);
}

static OPTION_ACTION(take_format)
{
	static const char *const words[] = { "text", "names", "tsv", "json", "bpftrace" };
	size_t count = sizeof(words) / sizeof(*words);
	size_t i = find_word(words, count, value, strlen(value));

	*(enum list_format *)target = (enum list_format)i;
	return i < count ? -1 : usage_error(command, "unknown format '%s'; known are text, names, "
					    "tsv, json and bpftrace", value);
}

static OPTION_ACTION(take_verdicts)
{
	for (const char *item = value; *item;) {
		size_t length = strcspn(item, ","), i = 0;

		while (i < VERDICT_COUNT && (strlen(verdict_texts[i].code) != length ||
					     strncmp(verdict_texts[i].code, item, length) != 0))
			i++;
		if (i == VERDICT_COUNT)
			return usage_error(command, "unknown verdict '%.*s'; btfenc stats prints "
					   "them", (int)length, item);
		*(uint32_t *)target |= 1u << i;
		item += length;
		item += *item == ',';
	}
	return -1;
}

#define AT(field) offsetof(struct arguments, field)

static const struct option_row options[] = {
	{ "file", 'f', "FILE", "list what FILE has, not the running kernel: a vmlinux or module "
	  "with DWARF, an ELF file with BTF, or raw BTF", option_text, AT(path) },
	{ "base", 'b', "BASE", "the BTF that a module's BTF is split from", option_base,
	  AT(bases) },
	{ "takes", 0, "TYPE", "with a parameter of this type: 'struct sock *', or as the "
	  "second one 2:size_t; through typedefs and qualifiers; repeatedly: with all of them",
	  take_parameter, AT(query) },
	{ "returns", 0, "TYPE", "with a result of this type", take_result, AT(query) },
	{ "attachable", 0, "BY", "that fentry, or kprobe, can attach to, as far as that is known",
	  take_attachable, AT(query.attachable) },
	{ "tracepoints", 0, NULL, "tracepoints, and not functions", option_set,
	  AT(query.tracepoints) },
	{ "kfuncs", 0, NULL, "functions that BPF programs can call", option_set,
	  AT(query.kfuncs) },
	{ "has-sites", 0, NULL, "functions that were inlined somewhere, by DWARF or records of "
	  "sites", option_set, AT(query.with_sites) },
	{ "verdict", 0, "LIST", "functions with one of these verdicts: ok,param-removed; BTF "
	  "alone has only functions that are ok", take_verdicts, AT(query.verdicts) },
	{ "module", 0, "NAME", "only of this module; vmlinux: only of the kernel itself",
	  option_text, AT(module) },
	{ "format", 0, "FORMAT", "text, names, tsv, json, or bpftrace, a script that counts the "
	  "calls (text)", take_format, AT(format) },
	{ "root", 0, "DIR", "the files of the running kernel are below DIR: copies from another "
	  "machine", option_text, AT(root) },
	{ "jobs", 'j', "N", JOBS_HELP, option_jobs, AT(options.jobs) },
	HELP_ROW,
};

static const struct command command = {
	.name = "list",
	.usage = "usage: btfenc list [options] [PATTERN...]\n"
		 "\n"
		 "Lists functions, or tracepoints, of the running kernel and its modules, or\n"
		 "of FILE, which fit one of the patterns ('tcp_*'; default: all names) and all\n"
		 "of the options.\n",
	.notes = "Exit status: 0 listed, 1 nothing fits, 2 usage, 3 input failure.\n",
	COMMAND_OPTIONS(options),
};

/* ---- where they come from ---- */

/* A source, and what it borrows. */
struct opened {
	struct list_source source;
	struct btf_input input;		/* of a FILE; */
	struct record_elf elf;
	struct program program;		/* or of its DWARF */
	struct attach_tables tables;	/* of the image */
	bool has_program, has_elf;
	char *module;
};

struct opened_list {
	ARRAY_OF(struct opened *) items;
	struct running_kernel running;
	struct kallsyms_file symbols;	/* of the running kernel */
};

static struct opened *add_opened(struct opened_list *list, char *module)
{
	struct opened *opened = memory_zeroed(1, sizeof(*opened));

	opened->module = module;
	opened->source.module = opened->source.image.module = module;
	opened->source.image.is_module = module;
	array_push(&list->items, opened);
	return opened;
}

static void close_all(struct opened_list *list)
{
	while (list->items.count) {
		struct opened *opened = list->items.data[--list->items.count];

		list_source_release(&opened->source);
		attach_tables_release(&opened->tables);
		if (opened->has_program)
			program_close(&opened->program);
		btf_input_release(&opened->input);
		if (opened->has_elf)
			record_elf_close(&opened->elf);
		free(opened->module);
		free(opened);
	}
	array_release(&list->items);
	running_kernel_release(&list->running);
	kallsyms_file_release(&list->symbols);
}

static void set_machine(struct list_source *source, const struct object *object,
			const struct btf_reader *btf)
{
	struct record_machine machine = record_machine_of(object, btf);

	source->types.abi = source->image.abi = machine.abi;
	source->types.word_bytes = machine.word_bytes;
}

static void set_image(struct opened *opened, const struct object *object,
		      const struct symbol_table *symbols)
{
	struct list_source *source = &opened->source;

	source->image.object = object;
	source->image.symbols = symbols;
	source->image.version = kernel_version_of_image(object, symbols);
	source->image.built_in = (uint8_t)trampoline_built_in(symbols, true);
	attach_tables_read(&opened->tables, &source->image);
	source->image.tables = &opened->tables;
}

static bool open_dwarf(struct opened *opened, const struct arguments *arguments,
		       struct error *err)
{
	struct list_source *source = &opened->source;
	struct program *program = &opened->program;
	struct encode_report report;

	opened->has_program = program_open(program, &arguments->options, err);
	if (!opened->has_program || !program_judge(program, &report, err))
		return false;
	source->types.abi = source->image.abi = abi_of(&program->object);
	source->types.word_bytes = program->object.address_bytes;
	set_image(opened, &program->object, &program->symbols);
	list_add_program(source, program);
	return true;
}

static bool open_btf(struct opened *opened, const struct arguments *arguments, struct error *err)
{
	struct list_source *source = &opened->source;
	struct btf_input *input = &opened->input;

	input->path = arguments->path;
	input->given = arguments->bases;
	opened->has_elf = file_kind_of(input->path) == FILE_ELF;
	if ((opened->has_elf && !record_elf_open(&opened->elf, input->path, err)) ||
	    !btf_input_open(input, err))
		return false;
	if (!input->btf.complete)
		return error_at(err, input->path, "type %u: broken record; run `btfenc check`",
				btf_reader_end_id(&input->btf));
	if (!records_open_parts(input, NULL, err))
		return false;
	set_machine(source, opened->has_elf ? &opened->elf.object : NULL, &input->btf);
	if (opened->has_elf)
		set_image(opened, &opened->elf.object, &opened->elf.symbols);
	list_add_btf(source, &input->btf, input->parts, input->part_count);
	return true;
}

static bool open_file(struct opened_list *list, const struct arguments *arguments,
		      struct error *err)
{
	bool by_btf = arguments->bases.count || records_are_meant(arguments->path);
	struct opened *opened = add_opened(list, NULL);

	if (!(by_btf ? open_btf(opened, arguments, err) : open_dwarf(opened, arguments, err)))
		return false;
	if (opened->input.bases.count ||
	    (opened->source.image.object && opened->source.image.object->relocatable)) {
		opened->module = records_module_name(arguments->path);
		opened->source.module = opened->source.image.module = opened->module;
		opened->source.image.is_module = true;
	}
	return true;
}

/* Where init and noinstr code is. A module's is not between symbols. */
static void read_symbols(struct opened_list *list)
{
	struct running_kernel *running = &list->running;
	char *path = text_format("%s" KALLSYMS_PATH, running->root);
	struct error err;

	if (file_is_regular(path, "", &err) &&
	    kallsyms_file_read(&list->symbols, path, NULL, &err))
		list->items.data[0]->source.image.symbols = &list->symbols.symbols;
	else
		text_add_format(&running->unread, "%.*s; code that is freed when booting is done "
				"is not told from other code\n", (int)strcspn(err.text, ";"),
				err.text);
	free(path);
}

static bool open_kernel_and_modules(struct opened_list *list, const struct arguments *arguments,
				    struct error *err)
{
	struct running_kernel *running = &list->running;
	char *release = running_kernel_release_name(running);
	const struct running_btf *btf;

	while ((btf = running_kernel_next_btf(running, arguments->module, err))) {
		struct opened *opened = add_opened(list, btf->module
			? memory_string(btf->module, strlen(btf->module)) : NULL);
		struct list_source *source = &opened->source;

		source->image.running = running;
		source->image.version = kernel_version_parse(release);
		source->image.tables = &opened->tables;
		set_machine(source, NULL, &btf->btf);
		list_add_btf(source, &btf->btf, NULL, 0);
	}
	free(release);
	if (list->items.count && (arguments->query.attachable != LIST_ANY ||
				  arguments->format == LIST_TSV || arguments->format == LIST_JSON))
		read_symbols(list);
	return list->items.count;
}

/* ---- the answer ---- */

static bool is_of_module(const struct list_source *source, const char *module)
{
	return !module || strcmp(source->module ? source->module : "vmlinux", module) == 0;
}

static void find(const struct opened_list *list, const struct arguments *arguments,
		 struct list_answer *answer)
{
	for (size_t i = 0; i < list->items.count; i++) {
		const struct list_source *source = &list->items.data[i]->source;

		for (size_t k = 0; is_of_module(source, arguments->module) &&
				   k < source->items.count; k++) {
			const struct listed *listed = &source->items.data[k];

			if (list_is_wanted(&arguments->query, source, listed))
				array_push(answer, ((struct list_found){ source, listed }));
		}
	}
}

static int list(const struct arguments *arguments, struct error *err)
{
	struct opened_list opened = { .running.root = arguments->root ? arguments->root : "" };
	struct list_answer answer = { 0 };
	bool good = arguments->path ? open_file(&opened, arguments, err)
				    : open_kernel_and_modules(&opened, arguments, err);
	int status = EXIT_DONE;

	if (good && arguments->query.with_sites && !opened.items.data[0]->source.has_sites)
		good = error_set(err, "%s: has no records of inline sites, which btfenc encode "
				 "--features +inline adds, and no DWARF is read",
				 arguments->path ? arguments->path : "the running kernel's BTF");
	if (good) {
		find(&opened, arguments, &answer);
		status = answer.count ? EXIT_DONE : EXIT_ANSWER_NO;
		if (answer.count || arguments->format == LIST_JSON)
			good = list_print(&answer, arguments->format,
					  arguments->query.attachable == LIST_KPROBE);
		else
			fprintf(stderr, "btfenc: list: nothing fits\n");
		running_kernel_warn_unread(&opened.running);
		good = stdout_flush(err) && good;
	}
	array_release(&answer);
	close_all(&opened);
	return good ? status : command_failed(err);
}

int cmd_list(int argc, char **argv)
{
	struct arguments arguments = {
		.options.languages = { .rust = true, .cxx = true }, .options.examine_clones = true,
		.options.count_inlined = true };
	struct error err;
	int status;

	features_default(&arguments.options.features);
	/* Functions without code have a prototype at their sites. */
	arguments.options.features.feature_inline = true;
	status = command_line_parse(&command, &arguments, argc, argv);
	if (status < 0) {
		arguments.query.names = argv + optind;
		arguments.query.name_count = argc - optind;
		arguments.options.path = arguments.path;
		if (!arguments.options.jobs)
			arguments.options.jobs = workers_by_default();
		status = list(&arguments, &err);
	}
	array_release(&arguments.query.takes);
	return status;
}
