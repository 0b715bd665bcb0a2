/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* usage: generate SEED DIRECTORY [32]: writes a program there; the same one for the same seed. 32:
 * for a machine of 32 bits. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"

int main(int argc, char **argv)
{
	struct program program = { 0 };

	if (argc != 3 && argc != 4) {
		fprintf(stderr, "usage: generate SEED DIRECTORY [32]\n");
		return 2;
	}
	if (chdir(argv[2])) {
		fprintf(stderr, "%s: %s\n", argv[2], strerror(errno));
		return 1;
	}
	if (argc == 4)
		types_for_32_bits();
	program.seed = program.random = strtoull(argv[1], NULL, 0);
	program_plan(&program);
	program_write(&program);
	free(program.functions);
	return 0;
}
