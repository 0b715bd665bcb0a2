/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc check`: the kernel's verdict on a BTF, one line per finding, without loading it. */
#include <stdio.h>

#include "btf/verify.h"
#include "encoder/btf_input.h"
#include "encoder/commands.h"

#define MAX_LINES  1000
#define LINE_BYTES 2048

static const char help[] =
	"usage: btfenc check [-b BASE]... FILE\n"
	"\n"
	"Checks the BTF of FILE (raw BTF, or an ELF file with a .BTF section) against the\n"
	"kernel's rules. One line for each finding, and a last line with the result:\n"
	"  FILE: [id] KIND 'name': rule: what (value)\n"
	"Errors are what BPF_BTF_LOAD rejects. Warnings are rules of our own and have\n"
	"\"warning: \" in front of the rule; they do not change the exit status.\n"
	"\n"
	"  -b, --base BASE  FILE is split BTF on top of BASE; repeat it for a base of a base,\n"
	"                   lowest first\n"
	"  -h, --help       this text\n"
	"\n"
	"Exit status: 0 no errors, 1 errors were found, 2 usage, 3 FILE cannot be read.\n";

static int fail(const struct error *err)
{
	fprintf(stderr, "btfenc: %s\n", err->text);
	return EXIT_FAILED;
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

static void print_count(const char *what, uint64_t count)
{
	printf("%llu %s%s", (unsigned long long)count, what, count == 1 ? "" : "s");
}

static void print_summary(const struct btf_input *input, const struct btf_findings *findings)
{
	printf("%s: ", input->path);
	if (findings->errors) {
		print_count("error", findings->errors);
	} else {
		print_count("type", input->btf.type_count);
		printf(", no errors");
	}
	if (findings->errors || findings->warnings) {
		printf(", ");
		print_count("warning", findings->warnings);
	}
	if (findings->errors && input->base_count)
		printf("; was it split from another base than %s?",
		       input->base_paths[input->base_count - 1]);
	printf("\n");
}

static int report(const struct btf_input *input)
{
	const struct btf_reader *btf = &input->btf;
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
	print_summary(input, &findings);
	btf_findings_release(&findings);
	return status;
}

int cmd_check(int argc, char **argv)
{
	struct btf_input input;
	struct error err;
	int status;

	status = btf_input_parse(&input, argc, argv, help);
	if (status >= 0)
		return status;
	if (btf_input_open(&input, &err))
		status = report(&input);
	else
		status = fail(&err);
	btf_input_release(&input);
	if (fflush(stdout) || ferror(stdout)) {
		error_set(&err, "standard output: cannot write; is the disk full?");
		return fail(&err);
	}
	return status;
}
