/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * btfenc compat. Parts: the object (or a program or skeleton with some inside), a kernel's BTF.
 *
 * flags: bits 0 and 1 the format, 2 each relocation.
 */
#include "commands/command_line.h"
#include "tests/fuzz/fuzz.h"

const uint32_t fuzz_parts = 2;

void fuzz_one(const struct fuzz_input *input)
{
	static char *const formats[] = { (char *)"text", (char *)"json", (char *)"markdown",
					 (char *)"json" };
	char *object = (char *)fuzz_file(0, &input->parts[0]);
	char *kernel = (char *)fuzz_file(1, &input->parts[1]);
	char *argv[] = { (char *)"compat", (char *)"-j1", (char *)"--format",
			 formats[input->flags & 3], object, kernel,
			 input->flags & 4 ? (char *)"--relocations" : NULL, NULL };

	fuzz_command(cmd_compat, argv);
}
