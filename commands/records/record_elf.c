/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/records/record_elf.h"

#include <string.h>

bool record_elf_open(struct record_elf *elf, const char *path, struct error *err)
{
	*elf = (struct record_elf){ 0 };
	return object_open_bare(&elf->object, path, err) &&
	       symbol_table_read(&elf->symbols, elf->object.elf, elf->object.section_bases, path,
				 err);
}

void record_elf_close(struct record_elf *elf)
{
	symbol_table_release(&elf->symbols);
	object_close(&elf->object);
}

const struct section_header *record_elf_find(const struct object *object, const char *name,
					     uint64_t size)
{
	const struct section_header *found = NULL;

	for (size_t i = 1; i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];

		if (strcmp(header->name, name) != 0)
			continue;
		if (header->flags & SHF_ALLOC && header->size == size)
			return header;
		if (!found)
			found = header;
	}
	return found;
}
