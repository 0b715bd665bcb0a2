/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc dump`: BTF as text, as bpftool prints it. */
#include <stdio.h>

#include "btf/printer.h"
#include "encoder/btf_input.h"
#include "encoder/commands.h"

static const char help[] =
	"usage: btfenc dump FILE [--base FILE]...\n"
	"\n"
	"Prints the types in the BTF of FILE (raw BTF, or an ELF file with a .BTF section), line\n"
	"for line as `bpftool btf dump file FILE` does.\n"
	"\n"
	"  --base FILE  FILE is split BTF on top of this one; repeat it for a base of a base,\n"
	"               lowest first; only the types of FILE itself are printed\n"
	"  --help       this text\n"
	"\n"
	"Exit status: 0 done, 2 usage, 3 FILE cannot be read or has a broken record.\n";

static int fail(const struct error *err, int status)
{
	fprintf(stderr, "btfenc: %s\n", err->text);
	return status;
}

static int print_all(const struct btf_reader *btf)
{
	struct error err;

	btf_print(btf, stdout);
	if (fflush(stdout) || ferror(stdout)) {
		error_set(&err, "standard output: cannot write; is the disk full?");
		return fail(&err, EXIT_FAILED);
	}
	if (!btf->complete) {
		error_at(&err, btf->name,
			 "type %u: broken record, cannot go on behind it; run `btfenc check`",
			 btf_reader_end_id(btf));
		return fail(&err, EXIT_FAILED);
	}
	return EXIT_DONE;
}

int cmd_dump(int argc, char **argv)
{
	struct btf_input input;
	struct error err;
	int status;

	if (!btf_input_parse(&input, argc, argv, &err))
		return fail(&err, EXIT_USAGE);
	if (input.help) {
		fputs(help, stdout);
		return EXIT_DONE;
	}
	if (btf_input_open(&input, &err))
		status = print_all(&input.btf);
	else
		status = fail(&err, EXIT_FAILED);
	btf_input_release(&input);
	return status;
}
