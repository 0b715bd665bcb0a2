/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc dump`: BTF as text, as bpftool prints it. */
#include <stdio.h>
#include <string.h>

#include "btf/printer.h"
#include "commands/arguments.h"
#include "commands/btf_arguments.h"
#include "commands/records/code_names.h"
#include "commands/commands.h"

static const char help[] =
	"usage: btfenc dump [-b BASE]... [--machine NAME] FILE\n"
	"\n"
	"Prints the types in the BTF of FILE (raw BTF, or an ELF file with a .BTF section), line\n"
	"for line as `bpftool btf dump file FILE` does. Those of a section .BTF.extra (feature\n"
	"func_secinfo) follow them; raw FILE.extra is printed when it is given, on top of FILE.\n"
	"Sites and places of parameters are also said in words, in parentheses.\n"
	"\n"
	"  -b, --base BASE  FILE is split BTF on top of BASE; repeat it for a base of a base,\n"
	"                   lowest first; only the types of FILE itself are printed\n"
	"  --machine NAME   whose names the registers have (x86-64, arm64, ...), where FILE is\n"
	"                   raw BTF of another machine\n"
	"  -h, --help       this text\n"
	"\n"
	"Exit status: 0 done, 2 usage, 3 FILE cannot be read or has a broken record.\n";

static int fail(const struct error *err)
{
	fprintf(stderr, "btfenc: %s\n", err->text);
	return EXIT_FAILED;
}

static bool flush_output(struct error *err)
{
	if (!fflush(stdout) && !ferror(stdout))
		return true;
	return error_set(err, "standard output: cannot write; is the disk full?");
}

static bool print_one(const struct btf_reader *btf, const char *section,
		      const struct btf_print_words *words, struct error *err)
{
	btf_print_with(btf, words, stdout);
	if (!flush_output(err))
		return false;
	return btf->complete ||
	       error_at(err, btf->name,
			"%stype %u: broken record, cannot go on behind it; run `btfenc check`",
			section, btf_reader_end_id(btf));
}

/* The file's BTF, and behind it that of its section .BTF.extra: ids go on. */
static bool print_all(struct btf_input *input, const struct code_names *names, struct error *err)
{
	const struct btf_print_words words = {
		.register_name = code_names_register,
		.place = code_names_place,
		.context = names,
	};

	return print_one(&input->btf, "", &words, err) && btf_input_open_extra(input, err) &&
	       (!input->has_extra ||
		print_one(&input->extra, BTF_EXTRA_SECTION ": ", &words, err));
}

/* Most BTF has no sites: then symbols are not asked for. */
static bool has_sites(const struct btf_input *input)
{
	for (uint32_t i = 0; i < input->btf.type_count; i++) {
		uint32_t info = input->btf.words[input->btf.positions[i] + BTF_WORD_INFO];

		if (btf_info_kind(info) >= BTF_CLASSIC_KIND_COUNT)
			return true;
	}
	return input->btf.has_extra_section || input->is_extra;
}

static int dump(struct btf_input *input, const struct abi *machine)
{
	struct code_names names = { 0 };
	struct error err;
	bool ok;

	if (!btf_input_open(input, &err))
		return fail(&err);
	ok = (!has_sites(input) ||
	      code_names_open(&names, input->path, &input->btf, machine, &err)) &&
	     print_all(input, &names, &err);
	code_names_release(&names);
	return ok ? EXIT_DONE : fail(&err);
}

static int machine_usage(const char *command, const char *name)
{
	char known[512] = "";
	const struct abi *abi;
	size_t used;

	for (size_t i = 0; (abi = abi_at(i)); i++) {
		used = strlen(known);
		snprintf(known + used, sizeof(known) - used, "%s, ", abi->name);
	}
	used = strlen(known);
	snprintf(known + used, sizeof(known) - used, "not %s", name);
	return arguments_usage_error(command, "--machine is one of %s", known);
}

int cmd_dump(int argc, char **argv)
{
	const struct abi *machine = NULL;
	struct btf_input input;
	int status;

	status = btf_input_parse(&input, argc, argv, help);
	if (status >= 0)
		return status;
	if (input.machine && !(machine = record_machine_named(input.machine)))
		return machine_usage(argv[0], input.machine);
	status = dump(&input, machine);
	btf_input_release(&input);
	return status;
}
