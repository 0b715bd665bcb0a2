/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * C by libbpf: dump --format c. Parts: the base or nothing, names of types, the BTF.
 *
 * flags: bit 0 only the types with these names, one a line.
 *
 * libbpf has no sanitizer and no counters unless one that has them is linked (docs/fuzzing.md).
 */
#include <stdlib.h>
#include <string.h>

#include "commands/command_line.h"
#include "tests/fuzz/fuzz.h"

const uint32_t fuzz_parts = 3;

#define MOST_NAMES 4

void fuzz_one(const struct fuzz_input *input)
{
	char *base = (char *)fuzz_file(0, &input->parts[0]), *names = fuzz_text(&input->parts[1]);
	char *argv[8 + 2 * MOST_NAMES] = { (char *)"dump", (char *)"--format", (char *)"c",
					   (char *)fuzz_file(2, &input->parts[2]) };
	int argc = 4;
	char *rest = NULL;

	if (input->parts[0].bytes) {
		argv[argc++] = (char *)"--base";
		argv[argc++] = base;
	}
	for (char *name = strtok_r(names, "\n", &rest);
	     name && input->flags & 1 && argc < 6 + 2 * MOST_NAMES;
	     name = strtok_r(NULL, "\n", &rest)) {
		argv[argc++] = (char *)"--type";
		argv[argc++] = name;
	}
	fuzz_command(cmd_dump, argv);
	free(names);
}
