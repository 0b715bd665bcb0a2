/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * btfenc diff of lists of functions, or of BTFs. Parts: the file of --allow, the old, the new.
 *
 * flags: bits 0 and 1 the format, 2 --allow, 3 --types, 4 a limit.
 */
#include "commands/command_line.h"
#include "tests/fuzz/fuzz.h"

const uint32_t fuzz_parts = 3;

void fuzz_one(const struct fuzz_input *input)
{
	static char *const formats[] = { (char *)"text", (char *)"json", (char *)"markdown",
					 (char *)"html" };
	char *allow = (char *)fuzz_file(0, &input->parts[0]);
	char *old = (char *)fuzz_file(1, &input->parts[1]);
	char *new = (char *)fuzz_file(2, &input->parts[2]);
	char *argv[14] = { (char *)"diff", (char *)"-j1", (char *)"--format",
			   formats[input->flags & 3], old, new };
	int argc = 6;

	if (input->flags & 4) {
		argv[argc++] = (char *)"--allow";
		argv[argc++] = allow;
	}
	if (input->flags & 8)
		argv[argc++] = (char *)"--types";
	if (input->flags & 16)
		argv[argc++] = (char *)"--limit=1";
	fuzz_command(cmd_diff, argv);
}
