/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An ELF file opened for reading its DWARF: section bytes, byte order, section headers.
 *
 * The bytes belong to the object (a private file mapping, libelf's copy of a compressed section, or
 * sections that were joined) and stay valid until object_close(). Read-only after unit_list_read(),
 * so threads share it; but for late sections, which are read once, under a lock of the caller.
 */
#ifndef BTFENC_ELF_OBJECT_H
#define BTFENC_ELF_OBJECT_H

#include <gelf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/memory.h"
#include "elf/section_index.h"

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
	/* From here on only object_late_bytes() has the bytes: they cost nothing before. */
	SECTION_FIRST_LATE,
	SECTION_FRAME = SECTION_FIRST_LATE,
	SECTION_EH_FRAME,
	SECTION_LINE,
	SECTION_COUNT,
	SHARED_CODE = SECTION_COUNT,	/* for object_share(): wherever it is */
	SHARED_COUNT,
};

struct section {
	const uint8_t *data;	/* NULL when the file has no such section; of a late one: yet */
	size_t size;
	size_t header;		/* its ELF section index, 0: none */
	uint64_t file_offset;
	bool mapped;		/* data are the file's bytes, unchanged: pages can be given back */
};

/*
 * DWARF of several sections or files is joined: SECTION_INFO has all of their units, piece after
 * piece, and so have the other sections. What a piece's forms say is relative to `starts`.
 */
struct dwarf_piece {
	uint64_t begin;		/* in SECTION_INFO */
	uint64_t end;
	bool has_type_units;	/* it is .debug_types of DWARF 4 */
	bool is_supplement;	/* the file that dwz -m made for several files */
	uint64_t starts[SECTION_FIRST_LATE];
	const struct dwarf_piece *supplement;	/* for DW_FORM_*_alt and DW_FORM_*_sup; or NULL */
};

struct relocatable;

/*
 * Lists, tables and names are shared, but not by thousands: what DIEs have read of a section in
 * long pieces may be OBJECT_SHARED_MIB, the file's size and OBJECT_SHARING times its own; of code,
 * the file's. Debian's kernels come to 1.0 times for abbreviations, their modules to 2.8 for call
 * frames; but after dwz a kernel of 500 MB has 19,000 units, whose tables are 5 times 4 MB, and
 * these are read twice, and again where DIEs are borrowed.
 */
#define OBJECT_SHARED_MIB 16
#define OBJECT_SHARING	  16

struct object {
	const char *path;	/* borrowed from the caller, or own_path */
	int fd;
	char *map;		/* of all bytes; NULL: libelf reads what cannot be mapped */
	size_t map_bytes;	/* of the file, or of what is in it */
	Elf *elf;
	bool swap;		/* the file's byte order is not the host's */
	bool big_endian;
	uint8_t address_bytes;	/* 4 or 8, from the ELF class */
	uint16_t machine;	/* EM_* */
	struct section sections[SECTION_COUNT];
	ARRAY_OF(struct dwarf_piece *) pieces;	/* in the order of SECTION_INFO */
	ARRAY_OF(uint8_t) joined[SECTION_FIRST_LATE];
	ARRAY_OF(uint8_t *) decompressed;	/* what libelf cannot */
	struct section_header *headers;	/* indexed by ELF section index */
	size_t header_count;
	struct section_index index;	/* of the headers */
	struct stat status;	/* when it was opened */
	uint64_t stored_bytes;	/* of the file, without holes */
	uint64_t claimed;	/* by compressed sections that were read */
	_Atomic uint64_t *shared;	/* by section: bytes for object_share() */
	bool no_dwarf;		/* why object_open() failed: that is all that is wrong with it */
	/* Not NULL: this is the debug file of that stripped one. Owned, and so is its path. */
	struct object *image;
	char *own_path;
	char other_debug[264];	/* "; ... PATH", a debug file by its name, but of another build */
	struct relocatable *relocatable;	/* NULL: a linked image */
	/* By section: what to add to its symbols' values. NULL: they are addresses. */
	const uint64_t *section_bases;
};

/*
 * Opens PATH and finds its DWARF sections, decompressed and relocated. If PATH has none, but names
 * a debug file, that is opened, and what it lacks is read from PATH. Fails for what is not ELF, and
 * where there is no .debug_info.
 */
bool object_open(struct object *object, const char *path, struct error *err);

/* The same for what has symbols and sections, with DWARF or without: object->sections is empty. */
bool object_open_bare(struct object *object, const char *path, struct error *err);

/* Has it sections of GCC's intermediate code? Without -ffat-lto-objects it has nothing else. */
bool object_has_gcc_lto(const struct object *object);
void object_close(struct object *object);

/* A bare object becomes its debug file, with itself as the image of that. False: there is none. */
bool object_open_debug_file(struct object *object);

/* Finds the DWARF sections of a bare object; it may have none. */
bool object_load_dwarf(struct object *object, struct error *err);

/*
 * Adds to *claimed what a section claims to be, if it is compressed, in either form. False: that is
 * more than file_limit() grants a file of this size.
 */
bool object_claim(Elf_Scn *scn, const char *name, uint64_t file_bytes, uint64_t *claimed,
		  const char *path, struct error *err);

/*
 * Counts bytes that were read for one of several DIEs that may share them. False: that exceeds the
 * limit, so reading goes no further, and object_check_shared() fails, whatever else was found.
 */
bool object_share(const struct object *object, enum section_id id, uint64_t bytes);
bool object_check_shared(const struct object *object, struct error *err);

/* The bytes of a section as they are in the file; NULL and no bytes: it has none. */
const uint8_t *object_file_bytes(const struct object *object, size_t section, size_t *size);

/* The first section with that name; 0: none. */
size_t object_find_section(const struct object *object, const char *name);

/* The bytes of the first one that has some. */
const uint8_t *object_section_named(const struct object *object, const char *name, size_t *size);

/*
 * The contents of a section that is loaded, as they are in memory before the first write there;
 * NULL when the file has none, or when a relocation among them is not known. They live as long as
 * the object. Calls libelf, which is not for two threads at once.
 */
const uint8_t *object_loaded_bytes(const struct object *object, size_t section, size_t *size);

/*
 * The bytes of a late section, decompressed and relocated; NULL and no bytes when the file has
 * none, or when it cannot be read, which does not refuse the file. They live as long as the
 * object. Calls libelf, which is not for two threads at once.
 */
const uint8_t *object_late_bytes(struct object *object, enum section_id id, size_t *size);

/*
 * The address of a symbol of the symbol table in that section; in a relocatable object undefined
 * symbols have one, too. 0: none.
 */
uint64_t object_symbol_address(const struct object *object, size_t section, size_t index,
			       const GElf_Sym *symbol);

/*
 * Copies bytes of a section without touching the mapping: a page fault there maps 64 KiB. For
 * reading a few bytes here and there. The range must lie inside.
 */
void object_copy(const struct object *object, enum section_id id, uint64_t offset, void *to,
		 size_t bytes);

/* memory_forget() for [begin, end) of a section. */
void object_forget(const struct object *object, enum section_id id, size_t begin, size_t end);

#endif
