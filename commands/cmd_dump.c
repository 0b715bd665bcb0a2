/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc dump`: BTF as text, as bpftool prints it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file_kind.h"
#include "btf/printer.h"
#include "commands/command_line.h"
#include "kernel/records.h"
#include "commands/types/types.h"

struct arguments {
	struct btf_input input;
	const char *machine;
	ARRAY_OF(const char *) types;	/* that are wanted; none: all */
};

static OPTION_ACTION(option_format)
{
	(void)target;
	if (strcmp(value, "c") == 0)
		return usage_error(command, "format 'c' is bpftool's: bpftool btf dump file FILE "
				   "format c");
	return strcmp(value, "raw") == 0
		       ? -1 : usage_error(command, "unknown format '%s'; known is raw", value);
}

static OPTION_ACTION(option_type)
{
	struct arguments *arguments = target;

	array_push(&arguments->types, value);
	return -1;
}

static const struct option_row options[] = {
	{ "base", 'b', "BASE", option_base, offsetof(struct arguments, input.given) },
	{ "format", 0, "FORMAT", option_format, 0 },
	{ "machine", 0, "NAME", option_text, offsetof(struct arguments, machine) },
	{ "type", 't', "TYPE", option_type, 0 },
	HELP_ROW,
};

COMMAND(dump);

/* Ids go on from the BTF of the file to its parts. */
static bool print_one(const char *path, const struct btf_reader *btf, const bool *wanted,
		      const struct btf_print_words *words, struct error *err)
{
	if (!btf_print(btf, wanted, words, stdout))
		print_warning("%s: what its sites repeat is out of all proportion to its size; "
			      "the rest is printed as '...'", path);
	if (!stdout_flush(err))
		return false;
	return btf_reader_check_complete(btf, err);
}

/* ---- only some types ---- */

/* 0: there is none, and `near` gets what is near it. */
static uint32_t find_type(const struct btf_reader *btf, const char *text, struct text *near)
{
	struct near_names names;
	struct type_query query = { 0 };
	struct type_found found;
	uint32_t id;

	if (!type_query_parse(&query, text, NULL))
		query = (struct type_query){ .name = memory_copy(text), .path = memory_copy("") };
	type_find(&found, btf, &query);
	id = *query.path || found.enumerator ? 0 : found.id;
	for (uint32_t i = 1; !id && i < btf_reader_end_id(btf); i++) {
		const uint32_t *words = btf_reader_type(btf, i);
		enum btf_kind kind = btf_record_kind(words);

		if ((kind == BTF_INT || kind == BTF_FLOAT) &&
		    strcmp(btf_type_name(btf, words), text) == 0)
			id = i;
	}
	near_names_init(&names, query.name);
	if (!id && !*query.path)
		type_find_near(&names, &found, &query);
	near_names_add_text(near, &names);
	near_names_release(&names);
	type_found_release(&found);
	type_query_release(&query);
	return id;
}

/*
 * Marks a type, and what its size depends on: where a pointer leads to a struct or union that has a
 * name, that is not followed.
 */
static void want(const struct btf_reader *btf, uint32_t id, bool *wanted)
{
	ARRAY_OF(uint32_t) left = { 0 };

	array_push(&left, id);
	while (left.count) {
		const uint32_t *words;
		enum btf_kind kind;

		id = left.data[--left.count];
		words = btf_reader_type(btf, id);
		if (!id || !words || wanted[id])
			continue;
		wanted[id] = true;
		kind = btf_info_kind(words[BTF_WORD_INFO]);
		btf_each_ref(word, words) {
			const uint32_t *target = btf_skip_modifiers(btf, words[word]);

			if (kind == BTF_PTR && target && target[BTF_WORD_NAME] &&
			    (1u << BTF_STRUCT | 1u << BTF_UNION) >>
				    btf_info_kind(target[BTF_WORD_INFO]) & 1)
				continue;
			array_push(&left, words[word]);
		}
	}
	array_release(&left);
}

/* Returns the exit status. */
static int dump_types(const struct arguments *arguments, struct error *err)
{
	const struct btf_input *input = &arguments->input;
	bool *wanted = memory_zeroed(btf_reader_end_id(&input->btf), sizeof(*wanted));
	int status = EXIT_DONE;
	bool good = true;

	for (size_t i = 0; i < arguments->types.count; i++) {
		struct text near = { 0 };
		uint32_t id = find_type(&input->btf, arguments->types.data[i], &near);
		char *text = text_finish(&near);

		if (id) {
			want(&input->btf, id, wanted);
		} else {
			print_warning("%s: it has no type '%s'%s", input->path,
				      arguments->types.data[i], text);
			status = EXIT_ANSWER_NO;
		}
		free(text);
	}
	for (uint32_t i = 0; good && i < input->bases.count; i++)
		good = print_one(input->path, &input->bases.readers[i], wanted, NULL, err);
	if (good)
		good = print_one(input->path, &input->btf, wanted, NULL, err);
	free(wanted);
	return good ? status : command_failed(err);
}

/* ---- words for what BTF does not have ---- */

/* The registers of a machine, and symbol+offset where the ELF file has symbols. */
struct code_names {
	const struct abi *abi;		/* NULL: not known */
	bool is_elf;
	struct elf_input elf;
};

/* Most BTF has no sites: then symbols are not asked for. */
static bool has_sites(const struct btf_input *input)
{
	bool has = input->btf.has_part_section[BTF_PART_INLINE] ||
		   input->btf.has_part_section[BTF_PART_EXTRA] || input->is_extra;

	for (enum btf_kind kind = BTF_CLASSIC_KIND_COUNT; !has && kind < BTF_KIND_COUNT; kind++)
		has = btf_has_kind(&input->btf, kind);
	return has;
}

/* Of the machine `abi`, unless it is NULL. */
static bool open_names(struct code_names *names, const struct btf_input *input,
		       const struct abi *abi, struct error *err)
{
	const struct object *object = NULL;

	names->is_elf = file_kind_of(input->path) == FILE_ELF;
	if (names->is_elf && !elf_input_open(&names->elf, input->path, err))
		return false;
	if (names->is_elf)
		object = &names->elf.object;
	names->abi = abi ? abi : btf_machine_of(object, &input->btf).abi;
	return true;
}

static const char *register_name(const void *context, uint32_t dwarf_number)
{
	const struct code_names *names = context;

	return abi_register_of(names->abi, dwarf_number);
}

/*
 * Of several symbols at one address the function's own, if it is one of them. Those of the name and
 * those at the address are looked at in turn, because either may be many.
 */
static bool is_symbol_at(const struct code_names *names, const char *function, uint64_t address)
{
	const struct symbol_table *symbols = &names->elf.symbols;
	struct symbol_search search = symbol_table_search(symbols, function);
	const struct symbol *named, *there;

	for (size_t i = symbol_table_at(symbols, address); (named = symbol_search_next(&search)) &&
	     i < symbols->symbols.count; i++) {
		there = &symbols->symbols.data[i];
		if (there->address != address)
			return false;
		if ((named->address == address && symbol_is_function(named)) ||
		    (symbol_is_function(there) && strcmp(there->name, function) == 0))
			return true;
	}
	return false;
}

static int site_text(const void *context, const char *section, uint32_t offset,
		     const char *function, char *buffer, size_t bytes)
{
	const struct code_names *names = context;
	const struct section_header *header =
		section_index_named(&names->elf.object.index, section, 0);
	const struct symbol *symbol;
	uint64_t address;

	if (!header || !names->elf.symbols.symbols.count)
		return 0;
	address = header->address + offset;
	if (is_symbol_at(names, function, address))
		return snprintf(buffer, bytes, "%s+0x0", function);
	symbol = symbol_table_enclosing(&names->elf.symbols, address);
	return symbol ? snprintf(buffer, bytes, "%s+0x%" PRIx64, symbol->name,
				 address - symbol->address) : 0;
}

/* The BTF and its parts, line by line. */
static bool dump_all(struct btf_input *input, const struct abi *machine, struct error *err)
{
	struct code_names names = { 0 };
	const struct btf_print_words words = {
		.register_name = register_name,
		.site_text = site_text,
		.context = &names,
	};
	bool good = (!input->part_suffix || !input->btf.base ||
		     records_part_fits(&input->btf, input->btf.base, err)) &&
		    (!has_sites(input) || open_names(&names, input, machine, err)) &&
		    print_one(input->path, &input->btf, NULL, &words, err) &&
		    btf_input_open_parts(input, false, NULL, err);

	for (uint32_t i = 0; good && i < input->part_count; i++)
		good = records_part_fits(&input->parts[i], &input->btf, err) &&
		       print_one(input->path, &input->parts[i], NULL, &words, err);
	if (names.is_elf)
		elf_input_close(&names.elf);
	return good;
}

/* Returns the exit status. */
static int dump(struct arguments *arguments, const struct abi *machine)
{
	struct btf_input *input = &arguments->input;
	int status = EXIT_DONE;
	struct error err;
	bool good = btf_input_open(input, &err);

	if (good && arguments->types.count)
		status = dump_types(arguments, &err);
	else if (good)
		good = dump_all(input, machine, &err);
	/* Of use to those who look for damage. Of what cannot be printed the error is enough. */
	if (good && status != EXIT_FAILED &&
	    !records_are_split_right(&input->btf, NULL, &err))
		print_warning("%s", err.text);
	return good ? status : command_failed(&err);
}

int cmd_dump(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	const struct abi *machine = NULL;
	char known[512] = "";
	int status = command_line_parse(&command, &arguments, argc, argv);

	if (status < 0)
		status = command_line_file(&command, argc, argv, &arguments.input.path);
	if (status < 0 && arguments.machine &&
	    !(machine = btf_machine_named(arguments.machine))) {
		const struct abi *abi;

		for (size_t i = 0; (abi = abi_at(i)); i++)
			snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
				 i ? ", " : "", abi->name);
		status = usage_error(&command, "unknown machine '%s'; known are %s",
				     arguments.machine, known);
	}
	if (status < 0)
		status = dump(&arguments, machine);
	btf_input_release(&arguments.input);
	array_release(&arguments.types);
	return status;
}
