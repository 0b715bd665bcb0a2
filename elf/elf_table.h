/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The section header table of an ELF file, to be changed and written elsewhere: both classes, both
 * byte orders, any number of sections (SysV gABI 4: from SHN_LORESERVE sections on, entry 0 holds
 * the count and the index of the names that the ELF header has no room for).
 *
 * Elf64_Shdr in host order represents an entry of either class.
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
#include "base/text.h"
#include "elf/held_file.h"

struct elf_table {
	bool is_64;
	bool big_endian;
	uint16_t file_type;	/* ET_REL, ET_EXEC, ET_DYN */
	uint32_t names_index;	/* of the section that holds the sections' names */
	uint8_t header[sizeof(Elf64_Ehdr)]; /* the ELF header, in the file's form */
	ARRAY_OF(Elf64_Shdr) entries;	/* with entry 0; fewer than 2^32 */
	struct text names;	/* they end, the last as well */
};

/* False: err is filled; the table need not be released. */
bool elf_table_read(struct elf_table *table, const struct held_file *file, struct error *err);
void elf_table_release(struct elf_table *table);

/* Never NULL: a name outside the table is "". */
const char *elf_table_name(const struct elf_table *table, const Elf64_Shdr *entry);

/* The entries in the file's form, for the caller to free. Every field must fit the class. */
uint8_t *elf_table_encode(struct elf_table *table, size_t *bytes);

/*
 * Sets the offset and count of the table in the ELF header. Returns the bytes of `header` that this
 * may change, with their offset in the file in *offset.
 */
const uint8_t *elf_table_locate(struct elf_table *table, uint64_t table_offset, uint64_t *offset,
				size_t *bytes);

#endif
