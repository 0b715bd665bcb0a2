/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An ELF file opened for reading its DWARF: section bytes, byte order, section headers.
 *
 * The bytes belong to the object (a private file mapping, or libelf's copy of a compressed
 * section) and stay valid until object_close(). Read-only after object_open(), so threads share it.
 */
#ifndef BTFENC_DWARF_OBJECT_H
#define BTFENC_DWARF_OBJECT_H

#include <libelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum section_id {
	SECTION_INFO,
	SECTION_ABBREV,
	SECTION_STR,
	SECTION_LINE_STR,
	SECTION_STR_OFFSETS,
	SECTION_ADDR,
	SECTION_RANGES,
	SECTION_RNGLISTS,
	SECTION_LOC,
	SECTION_LOCLISTS,
	SECTION_COUNT,
};

struct section {
	const uint8_t *data;	/* NULL when the file has no such section */
	size_t size;
	bool mapped;		/* data points into the file mapping: pages can be given back */
};

struct section_header {
	const char *name;
	uint64_t address;
	uint64_t size;
	uint32_t type;		/* SHT_* */
	uint64_t flags;		/* SHF_* */
};

struct object {
	const char *path;	/* borrowed from the caller */
	int fd;
	Elf *elf;
	bool swap;		/* the file's byte order is not the host's */
	bool big_endian;
	uint8_t address_bytes;	/* 4 or 8, from the ELF class */
	struct section sections[SECTION_COUNT];
	struct section_header *headers;	/* indexed by ELF section index */
	size_t header_count;
	bool no_dwarf;		/* why object_open() failed: that is all that is wrong with it */
};

/*
 * Opens PATH and finds its DWARF sections (decompressed). Fails for what is not ELF, for a file
 * that needs relocation first (ET_REL), and for one without .debug_info.
 */
bool object_open(struct object *object, const char *path, struct error *err);
void object_close(struct object *object);

/* Gives the pages that lie wholly inside [begin, end) of a section back to the kernel. */
void object_forget(const struct object *object, enum section_id id, size_t begin, size_t end);

#endif
