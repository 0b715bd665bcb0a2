/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The section header table of an ELF file, to be changed and written elsewhere: both classes, both
 * byte orders, any number of sections (SysV gABI 4: from SHN_LORESERVE sections on, entry 0 holds
 * the count and the index of the names that the ELF header has no room for).
 *
 * Elf64_Shdr in host order represents an entry of either class. The entries themselves stay in the
 * file's form, so what is not set is written as it was found.
 *
 * Reading checks what a writer has to rely on, on any input: both tables and all sections inside
 * the file, names that end. It does not look at the contents of any section but the names.
 */
#ifndef BTFENC_ELF_ELF_TABLE_H
#define BTFENC_ELF_ELF_TABLE_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "elf/held_file.h"

#define ELF_TABLE_HEADER_BYTES sizeof(Elf64_Ehdr)

struct elf_table {
	bool is_64;
	bool big_endian;
	uint16_t file_type;	/* ET_REL, ET_EXEC, ET_DYN */
	uint32_t count;		/* with entry 0 */
	uint32_t names_index;	/* of the section that holds the sections' names */
	uint8_t header[ELF_TABLE_HEADER_BYTES]; /* the ELF header, in the file's form */

	size_t entry_bytes;
	uint8_t *entries;	/* count of entry_bytes, in the file's form; owned */
	char *names;		/* names_bytes, the last is NUL; owned */
	size_t names_bytes;
};

/* False: err is filled; the table need not be released. */
bool elf_table_read(struct elf_table *table, const struct held_file *file, struct error *err);
void elf_table_release(struct elf_table *table);

void elf_table_get(const struct elf_table *table, uint32_t index, Elf64_Shdr *entry);

/* Every field must fit the class. */
void elf_table_set(struct elf_table *table, uint32_t index, const Elf64_Shdr *entry);

/* The new last entry is all zero. */
void elf_table_grow(struct elf_table *table);
void elf_table_drop_last(struct elf_table *table);

/* Never NULL: a name outside the table is "". */
const char *elf_table_name(const struct elf_table *table, const Elf64_Shdr *entry);

/* The offset in `names` of a name that is added to it. */
uint32_t elf_table_add_name(struct elf_table *table, const char *name);

/*
 * Sets the offset and count of the table in the ELF header and entry 0. Returns the bytes of
 * `header` that this may change, with their offset in the file in *offset.
 */
const uint8_t *elf_table_locate(struct elf_table *table, uint64_t table_offset, uint64_t *offset,
				size_t *bytes);

#endif
