/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Records of sites without DWARF: explain and list. Parts: the name (of a function or a type, or
 * the type that list looks for), a System.map, .BTF.extra or .BTF.inline, the BTF.
 *
 * flags: bits 0 and 1 what is done, 2 JSON, 3 a module, 4 addresses of a running kernel.
 */
#include <stdio.h>
#include <stdlib.h>

#include "commands/command_line.h"
#include "tests/fuzz/fuzz.h"

const uint32_t fuzz_parts = 4;

void fuzz_one(const struct fuzz_input *input)
{
	char *symbols = (char *)fuzz_file(0, &input->parts[1]);
	char *extra = (char *)fuzz_file(1, &input->parts[2]);
	char *path = (char *)fuzz_file(2, &input->parts[3]);
	char *name = fuzz_text(&input->parts[0]);
	bool json = input->flags & 4;
	char running[64];
	/* Nothing is asked of the kernel that the fuzzer runs on. */
	char *explain[] = { (char *)"explain", (char *)"-j1", (char *)"--root=/nonexistent",
			    (char *)"--symbols", symbols, (char *)"--extra", extra,
			    (char *)(json ? "--json" : "-j1"),
			    (char *)(input->flags & 8 ? "--module=m" : "-j1"),
			    input->flags & 16 ? running : (char *)"-j1",
			    (char *)"--", name, path, NULL };
	char *list[] = { (char *)"list", (char *)"-j1", (char *)"--root=/nonexistent",
			 (char *)"-f", path, (char *)(json ? "--format=json" : "-j1"),
			 (char *)(input->flags & 8 ? "--takes" : "--returns"), name, NULL };
	char *types[] = { (char *)"explain", (char *)(json ? "--json" : "-j1"), (char *)"--", name,
			  path, extra, NULL };

	snprintf(running, sizeof(running), "--running=%s", symbols);
	switch (input->flags & 3) {
	case 2: fuzz_command(cmd_list, list); break;
	case 3: fuzz_command(cmd_explain, types); break;
	default: fuzz_command(cmd_explain, explain);
	}
	free(name);
}
