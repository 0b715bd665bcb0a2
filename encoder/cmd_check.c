/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc check`: the kernel's verdict on a BTF, one line per finding, without loading it. */
#include <stdio.h>

#include "btf/verify.h"
#include "encoder/btf_input.h"
#include "encoder/commands.h"

#define MAX_LINES  1000
#define LINE_BYTES 2048

static const char help[] =
	"usage: btfenc check FILE [--base FILE]...\n"
	"\n"
	"Checks the BTF of FILE (raw BTF, or an ELF file with a .BTF section) against the\n"
	"kernel's rules. One line for each finding, and a last line with the result:\n"
	"  FILE: [id] KIND 'name': rule: what (value)\n"
	"Errors are what BPF_BTF_LOAD rejects; warnings are rules of our own.\n"
	"\n"
	"  --base FILE  FILE is split BTF on top of this one; repeat it for a base of a base,\n"
	"               lowest first\n"
	"  --help       this text\n"
	"\n"
	"Exit status: 0 no errors, 1 errors were found, 2 usage, 3 FILE cannot be read.\n";

static int fail(const struct error *err, int status)
{
	fprintf(stderr, "btfenc: %s\n", err->text);
	return status;
}

/* A control character in a name must not forge a line. */
static void print_line(const char *path, char *line)
{
	for (char *c = line; *c; c++) {
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	}
	printf("%s: %s\n", path, line);
}

static int report(const struct btf_reader *btf)
{
	const struct btf_verify_options options = { .limit = MAX_LINES, .layout = true };
	struct btf_findings findings;
	uint64_t total;
	int status;

	btf_verify(btf, &options, &findings);
	total = findings.errors + findings.warnings;
	status = findings.errors ? EXIT_ANSWER_NO : EXIT_DONE;
	for (size_t i = 0; i < findings.count; i++) {
		char line[LINE_BYTES];

		btf_finding_text(btf, &findings.data[i], line, sizeof(line));
		print_line(btf->name, line);
	}
	if (total > findings.count)
		printf("%s: ... and %llu more findings\n", btf->name,
		       (unsigned long long)(total - findings.count));
	if (findings.errors)
		printf("%s: %llu errors, %llu warnings\n", btf->name,
		       (unsigned long long)findings.errors, (unsigned long long)findings.warnings);
	else if (findings.warnings)
		printf("%s: %u types, no errors, %llu warnings\n", btf->name, btf->type_count,
		       (unsigned long long)findings.warnings);
	else
		printf("%s: %u types, no errors\n", btf->name, btf->type_count);
	btf_findings_release(&findings);
	return status;
}

int cmd_check(int argc, char **argv)
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
		status = report(&input.btf);
	else
		status = fail(&err, EXIT_FAILED);
	btf_input_release(&input);
	if (fflush(stdout) || ferror(stdout)) {
		error_set(&err, "standard output: cannot write; is the disk full?");
		return fail(&err, EXIT_FAILED);
	}
	return status;
}
