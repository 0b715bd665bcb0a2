/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * BTF: reader, verifier, printer, and the commands check and dump. Parts: the base or nothing, the
 * BTF.
 *
 * flags: bits 0 and 1 the dialect, 2 by the commands, 3 the size of pointers, 4 layout, 5 as BTF of
 * a module, 6 by a kernel without ENUM64, 7 the base is a distilled one of what both have.
 */
#include <stdio.h>

#include "btf/printer.h"
#include "btf/verify/verify.h"
#include "commands/command_line.h"
#include "tests/fuzz/fuzz.h"

const uint32_t fuzz_parts = 2;

static void read_one(const struct btf_reader *reader, uint8_t flags)
{
	struct btf_verify_options options = { .dialect = (enum btf_dialect)((flags & 3) % 3),
					      .pointer_bytes = flags & 8 ? 8 : 0,
					      .layout = flags & 16,
					      .as_module = flags & 32,
					      .end_kind = flags & 64 ? BTF_ENUM64 : 0 };
	struct btf_findings findings;
	char line[2048];
	struct error err = { "" };

	btf_verify(reader, &options, &findings);
	for (size_t i = 0; i < findings.count; i++)
		btf_finding_text(reader, &findings.data[i], line, sizeof(line));
	btf_findings_release(&findings);
	if (!btf_reader_is_base(reader, &err))
		fuzz_expect_line(&err);
	btf_reader_lacks_base(reader);
	btf_print(reader, NULL, NULL, stdout);
}

static bool is_taken(const struct btf_reader *reader)
{
	const struct btf_verify_options options = { .as_module = true };
	struct btf_findings findings;
	bool is;

	btf_verify(reader, &options, &findings);
	is = !findings.errors;
	btf_findings_release(&findings);
	return is;
}

static void relocate(const struct btf_reader *reader)
{
	struct btf_findings findings;
	char line[2048];

	if (!is_taken(reader->base) || !is_taken(reader))
		return;
	btf_verify_base(reader, reader, &findings);
	for (size_t i = 0; i < findings.count; i++)
		btf_finding_text(reader->base, &findings.data[i], line, sizeof(line));
	btf_findings_release(&findings);
}

static void read_all(const struct fuzz_input *input)
{
	const struct fuzz_part *parts = input->parts;
	struct btf_reader base, reader;
	struct error err = { "" };

	if (parts[0].bytes &&
	    !btf_reader_from_memory(&base, parts[0].data, parts[0].bytes, "base", NULL, &err)) {
		fuzz_expect_line(&err);
		return;
	}
	if (btf_reader_from_memory(&reader, parts[1].data, parts[1].bytes, "btf",
				   parts[0].bytes ? &base : NULL, &err)) {
		read_one(&reader, input->flags);
		if (parts[0].bytes && input->flags & 128)
			relocate(&reader);
		btf_reader_release(&reader);
	} else {
		fuzz_expect_line(&err);
	}
	if (parts[0].bytes)
		btf_reader_release(&base);
}

void fuzz_one(const struct fuzz_input *input)
{
	static int (*const commands[])(int argc, char **argv) = { cmd_check, cmd_dump };
	char *path, *base;

	if (!(input->flags & 4)) {
		read_all(input);
		return;
	}
	path = (char *)fuzz_file(1, &input->parts[1]);
	base = (char *)fuzz_file(0, &input->parts[0]);
	for (size_t i = 0; i < 2; i++)
		fuzz_command(commands[i],
			     (char *[]){ (char *)"btf", path,
					 input->parts[0].bytes ? (char *)"--base" : NULL, base,
					 NULL });
}
