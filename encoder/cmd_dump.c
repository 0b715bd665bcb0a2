/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc dump`: BTF as text, as bpftool prints it. */
#include <stdio.h>

#include "btf/printer.h"
#include "encoder/btf_input.h"
#include "encoder/commands.h"

static const char help[] =
	"usage: btfenc dump [-b BASE]... FILE\n"
	"\n"
	"Prints the types in the BTF of FILE (raw BTF, or an ELF file with a .BTF section), line\n"
	"for line as `bpftool btf dump file FILE` does.\n"
	"\n"
	"  -b, --base BASE  FILE is split BTF on top of BASE; repeat it for a base of a base,\n"
	"                   lowest first; only the types of FILE itself are printed\n"
	"  -h, --help       this text\n"
	"\n"
	"Exit status: 0 done, 2 usage, 3 FILE cannot be read or has a broken record.\n";

static int fail(const struct error *err)
{
	fprintf(stderr, "btfenc: %s\n", err->text);
	return EXIT_FAILED;
}

static int print_all(const struct btf_reader *btf)
{
	struct error err;

	btf_print(btf, stdout);
	if (fflush(stdout) || ferror(stdout)) {
		error_set(&err, "standard output: cannot write; is the disk full?");
		return fail(&err);
	}
	if (!btf->complete) {
		error_at(&err, btf->name,
			 "type %u: broken record, cannot go on behind it; run `btfenc check`",
			 btf_reader_end_id(btf));
		return fail(&err);
	}
	return EXIT_DONE;
}

int cmd_dump(int argc, char **argv)
{
	struct btf_input input;
	struct error err;
	int status;

	status = btf_input_parse(&input, argc, argv, help);
	if (status >= 0)
		return status;
	if (btf_input_open(&input, &err))
		status = print_all(&input.btf);
	else
		status = fail(&err);
	btf_input_release(&input);
	return status;
}
