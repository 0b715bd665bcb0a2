/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What an ELF file without DWARF still says: machine, sections, symbols.
 *
 * The sections of a relocatable file (a module) have no addresses; they get made-up ones, one
 * behind the other, so that symbols and sections can be compared as in a linked image.
 */
#ifndef BTFENC_COMMANDS_RECORDS_RECORD_ELF_H
#define BTFENC_COMMANDS_RECORDS_RECORD_ELF_H

#include "base/error.h"
#include "base/memory.h"
#include "kallsyms/symbol_table.h"

struct record_elf_section {
	const char *name;
	uint64_t address;
	uint64_t size;
	uint64_t flags;		/* SHF_* */
};

struct record_elf {
	int fd;
	Elf *elf;
	bool is_relocatable;
	bool is_big_endian;
	uint8_t address_bytes;
	uint16_t machine;
	ARRAY_OF(struct record_elf_section) sections;	/* by ELF section index */
	struct symbol_table symbols;
};

/* Is it an ELF file at all? What cannot be opened is none. */
bool record_elf_is_one(const char *path);

/* False: err is filled, and there is nothing to close. */
bool record_elf_open(struct record_elf *elf, const char *path, struct error *err);
void record_elf_close(struct record_elf *elf);

/* NULL: none of that name. Of several that which is loaded and has that size, if one does. */
const struct record_elf_section *record_elf_find(const struct record_elf *elf, const char *name,
						 uint64_t size);

#endif
