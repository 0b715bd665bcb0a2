/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What an ELF file without DWARF still says: machine, sections, symbols. */
#ifndef BTFENC_COMMANDS_RECORDS_RECORD_ELF_H
#define BTFENC_COMMANDS_RECORDS_RECORD_ELF_H

#include "elf/object.h"
#include "kallsyms/symbol_table.h"

struct record_elf {
	struct object object;
	struct symbol_table symbols;
};

/* Close it in any case. */
bool record_elf_open(struct record_elf *elf, const char *path, struct error *err);
void record_elf_close(struct record_elf *elf);

/* NULL: none of that name. Of several that which is loaded and has that size, if one does. */
const struct section_header *record_elf_find(const struct object *object, const char *name,
					     uint64_t size);

#endif
