/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * usage: tool_elf_store FILE SECTION=DATAFILE...
 *
 * Puts sections into an ELF file; SECTION= removes one. Exit status: 0 done, 1 refused or failed
 * (one line says why), 2 usage or a DATAFILE that cannot be read.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "btf/elf_store.h"
#include "tests/file_bytes.h"

#define MAX_SECTIONS 8

enum { DONE = 0, FAILED = 1, USAGE = 2 };

static bool read_argument(char *argument, struct elf_section_data *section)
{
	char *equals = strchr(argument, '=');

	if (!equals)
		return false;
	*equals = '\0';
	section->name = argument;
	section->data = equals[1] ? file_bytes(equals + 1, &section->size) : NULL;
	return section->data || !equals[1];
}

int main(int argc, char **argv)
{
	struct elf_section_data sections[MAX_SECTIONS] = { 0 };
	size_t count = argc > 2 ? (size_t)argc - 2 : 0;
	struct error err;
	int status = DONE;

	/* As the program does (commands/main.c). */
	signal(SIGXFSZ, SIG_IGN);
	if (count == 0 || count > MAX_SECTIONS) {
		fprintf(stderr, "usage: tool_elf_store FILE SECTION=DATAFILE...\n");
		return USAGE;
	}
	for (size_t i = 0; i < count; i++) {
		if (!read_argument(argv[i + 2], &sections[i])) {
			fprintf(stderr, "tool_elf_store: cannot read %s\n", argv[i + 2]);
			return USAGE;
		}
	}
	if (!elf_store(argv[1], NULL, sections, count, &err)) {
		fprintf(stderr, "%s\n", err.text);
		status = FAILED;
	}
	for (size_t i = 0; i < count; i++)
		free((void *)sections[i].data);
	return status;
}
