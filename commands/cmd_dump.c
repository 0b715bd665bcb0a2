/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc dump`: BTF as text, as bpftool prints it. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/file_kind.h"
#include "btf/printer.h"
#include "commands/command_line.h"
#include "commands/records/records.h"

struct arguments {
	struct btf_input input;
	const char *machine;
};

static const struct option_row options[] = {
	{ "base", 'b', "BASE", "FILE is split BTF on top of BASE; repeat it for a base of a base, "
	  "lowest first; only the types of FILE itself are printed", option_base,
	  offsetof(struct arguments, input.given) },
	{ "machine", 0, "NAME", "the machine whose register names are used (x86-64, arm64, ...), "
	  "where FILE is raw BTF of another machine", option_text,
	  offsetof(struct arguments, machine) },
	HELP_ROW,
};

static const struct command command = {
	.name = "dump",
	.usage = "usage: btfenc dump [-b BASE]... [--machine NAME] FILE\n"
		 "\n"
		 "Prints the types in the BTF of FILE (raw BTF, an ELF file with a .BTF section,\n"
		 "or -: standard input), line for line as `bpftool btf dump file FILE` does. The\n"
		 "types of sections .BTF.inline and .BTF.extra (features inline and func_secinfo)\n"
		 "follow; raw FILE.inline and FILE.extra can be FILE.\n"
		 "Sites and parameter locations are also described in parentheses.\n",
	.notes = "Exit status: 0 done, 2 usage, 3 FILE cannot be read or has a broken record.\n",
	COMMAND_OPTIONS(options),
};

/* Ids go on from the BTF of the file to its parts. */
static bool print_one(const struct btf_reader *btf, const struct btf_print_words *words,
		      struct error *err)
{
	btf_print(btf, words, stdout);
	if (!stdout_flush(err))
		return false;
	return btf->complete ||
	       error_at(err, btf->name,
			"type %u: broken record, cannot go on; run `btfenc check`",
			btf_reader_end_id(btf));
}

/* ---- words for what BTF does not have ---- */

/* The registers of a machine, and symbol+offset where the ELF file has symbols. */
struct code_names {
	const struct abi *abi;		/* NULL: not known */
	bool is_elf;
	struct record_elf elf;
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
	if (names->is_elf && !record_elf_open(&names->elf, input->path, err))
		return false;
	if (names->is_elf)
		object = &names->elf.object;
	names->abi = abi ? abi : record_machine_of(object, &input->btf).abi;
	return true;
}

static const char *register_name(const void *context, uint32_t dwarf_number)
{
	const struct code_names *names = context;

	return names->abi ? abi_register_name(names->abi, dwarf_number) : NULL;
}

/* Of several symbols at one address the function's own, if it is one of them. */
static bool is_symbol_at(const struct code_names *names, const char *function, uint64_t address)
{
	struct symbol_search search = symbol_table_search(&names->elf.symbols, function);
	const struct symbol *symbol;

	while ((symbol = symbol_search_next(&search))) {
		if (symbol->address == address && symbol_is_function(symbol))
			return true;
	}
	return false;
}

static int site_text(const void *context, const char *section, uint32_t offset,
		     const char *function, char *buffer, size_t bytes)
{
	const struct code_names *names = context;
	const struct section_header *header = record_elf_find(&names->elf.object, section, 0);
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

/* What was printed is of no use then, unless one looks for damage. */
static void warn_of_base(const struct btf_reader *btf)
{
	enum btf_dialect dialect =
		btf_has_kind(btf, BTF_LOCSEC) ? BTF_DIALECT_INLINE : BTF_DIALECT_EXTRA;
	char text[256];

	if (btf->base && btf_first_error(btf, dialect, text, sizeof(text)))
		print_warning("%s: %s: it is damaged, or was split from another base than %s",
			      btf->name, text, btf->base->name);
}

int cmd_dump(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	struct code_names names = { 0 };
	struct btf_input *input = &arguments.input;
	const struct btf_print_words words = {
		.register_name = register_name,
		.site_text = site_text,
		.context = &names,
	};
	const struct abi *machine = NULL;
	char known[512] = "";
	struct error err;
	bool good;
	int status = command_line_parse(&command, &arguments, argc, argv);

	if (status < 0)
		status = command_line_file(&command, argc, argv, &input->path);
	if (status >= 0)
		return status;
	if (arguments.machine && !(machine = record_machine_named(arguments.machine))) {
		for (size_t i = 0; (machine = abi_at(i)); i++)
			snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
				 i ? ", " : "", machine->name);
		return usage_error(&command, "unknown machine '%s'; known are %s",
				   arguments.machine, known);
	}
	good = btf_input_open(input, &err) &&
	       (!input->part_suffix || !input->btf.base ||
		records_part_fits(&input->btf, input->btf.base, &err)) &&
	       (!has_sites(input) || open_names(&names, input, machine, &err)) &&
	       print_one(&input->btf, &words, &err) &&
	       btf_input_open_parts(input, false, NULL, &err);
	for (uint32_t i = 0; good && i < input->part_count; i++)
		good = records_part_fits(&input->parts[i], &input->btf, &err) &&
		       print_one(&input->parts[i], &words, &err);
	/* Of what cannot be printed the error is enough. */
	if (good)
		warn_of_base(&input->btf);
	if (names.is_elf)
		record_elf_close(&names.elf);
	btf_input_release(input);
	return good ? EXIT_DONE : command_failed(&err);
}
