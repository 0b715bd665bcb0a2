/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc dump`: BTF as text, as bpftool prints it. */
#include <stdio.h>
#include <string.h>

#include "btf/printer.h"
#include "commands/command_line.h"
#include "commands/commands.h"
#include "commands/records/code_names.h"

struct arguments {
	struct base_list bases;
	const char *machine;
};

static const struct option_row options[] = {
	{ "base", 'b', "BASE", "FILE is split BTF on top of BASE; repeat it for a base of a base, "
	  "lowest first; only the types of FILE itself are printed", option_base,
	  offsetof(struct arguments, bases) },
	{ "machine", 0, "NAME", "the machine whose register names are used (x86-64, arm64, ...), "
	  "where FILE is raw BTF of another machine", option_text,
	  offsetof(struct arguments, machine) },
	HELP_ROW,
};

static const struct command command = {
	.name = "dump",
	.usage = "usage: btfenc dump [-b BASE]... [--machine NAME] FILE\n"
		 "\n"
		 "Prints the types in the BTF of FILE (raw BTF, or an ELF file with a .BTF\n"
		 "section), line for line as `bpftool btf dump file FILE` does. The types of\n"
		 "sections .BTF.inline and .BTF.extra (features inline and func_secinfo) follow;\n"
		 "raw FILE.inline and FILE.extra can be FILE.\n"
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

/* Most BTF has no sites: then symbols are not asked for. */
static bool has_sites(const struct btf_input *input)
{
	for (uint32_t i = 0; i < input->btf.type_count; i++) {
		uint32_t info = input->btf.words[input->btf.positions[i] + BTF_WORD_INFO];

		if (btf_info_kind(info) >= BTF_CLASSIC_KIND_COUNT)
			return true;
	}
	return input->btf.has_part_section[BTF_PART_INLINE] ||
	       input->btf.has_part_section[BTF_PART_EXTRA] || input->is_extra;
}

int cmd_dump(int argc, char **argv)
{
	struct arguments arguments = { 0 };
	struct code_names names = { 0 };
	struct btf_input input = { 0 };
	const struct btf_print_words words = {
		.register_name = code_names_register,
		.site_text = code_names_site,
		.context = &names,
	};
	const struct abi *machine = NULL;
	char known[512] = "";
	struct error err;
	bool good;
	int status = command_line_parse(&command, &arguments, argc, argv);

	if (status < 0)
		status = command_line_file(&command, argc, argv, &input.path);
	if (status >= 0)
		return status;
	if (arguments.machine && !(machine = record_machine_named(arguments.machine))) {
		for (size_t i = 0; (machine = abi_at(i)); i++)
			snprintf(known + strlen(known), sizeof(known) - strlen(known), "%s%s",
				 i ? ", " : "", machine->name);
		return usage_error(&command, "unknown machine '%s'; known are %s",
				   arguments.machine, known);
	}
	memcpy(input.base_paths, arguments.bases.paths, sizeof(input.base_paths));
	input.base_count = arguments.bases.count;
	good = btf_input_open(&input, &err) &&
	       (!has_sites(&input) ||
		code_names_open(&names, input.path, &input.btf, machine, &err)) &&
	       print_one(&input.btf, &words, &err) &&
	       btf_input_open_parts(&input, false, NULL, &err);
	for (uint32_t i = 0; good && i < input.part_count; i++)
		good = print_one(&input.parts[i], &words, &err);
	code_names_release(&names);
	btf_input_release(&input);
	return good ? EXIT_DONE : command_failed(&err);
}
