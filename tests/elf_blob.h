/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Small ELF files of either class and byte order, byte by byte, for tests that change them. What is
 * written is independent of elf/elf_table.c; what comes out of a change is read with libelf.
 */
#ifndef BTFENC_TESTS_ELF_BLOB_H
#define BTFENC_TESTS_ELF_BLOB_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct elf_blob_section {
	const char *name;
	uint32_t type;
	uint64_t flags;
	const void *data;	/* bytes of it; may be NULL for SHT_NOBITS */
	size_t bytes;
	uint32_t link, info;
};

struct elf_blob_shape {
	bool is_64;
	bool big_endian;
	uint16_t type;
};

/*
 * In the table: entry 0, `fillers` empty sections without names, the sections, ".shstrtab". With
 * `names_first` the names are section 1 instead. The bytes are the caller's.
 */
uint8_t *elf_blob(struct elf_blob_shape shape, const struct elf_blob_section *sections,
		  size_t count, uint32_t fillers, bool names_first, size_t *bytes);

/* Does this file have exactly one section of this name? Fills *header; *data is to be freed. */
bool elf_blob_find(const char *path, const char *name, GElf_Shdr *header, void **data);

#endif
