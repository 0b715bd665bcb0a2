/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Applies relocations to the bytes of one section, as the linker would if each section had the
 * address that the caller gives it. The entries are read as they are in the file, in its byte
 * order, because a module has up to a million of them. Sources: the psABI of each machine, gABI
 * chapter "Relocation".
 *
 * Knows no ELF file and no DWARF: elf/relocatable.h finds sections and symbols.
 */
#ifndef BTFENC_ELF_RELOCATE_H
#define BTFENC_ELF_RELOCATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct relocation_rule {
	uint8_t operation;	/* enum relocation_operation of relocate.c; 0: unknown type */
	uint8_t field;		/* bytes, or enum relocation_field */
};

/* The highest type that any machine uses here is R_AARCH64_TLS_DTPREL (1029). */
#define RELOCATION_TYPES 1032

/* Common to all relocations of one object. */
struct relocator {
	bool elf64;
	bool swap;			/* the file's byte order is not the host's */
	struct relocation_rule rules[RELOCATION_TYPES];
};

/* False: relocatable objects of that machine (EM_*) are not known. */
bool relocator_init(struct relocator *relocator, uint16_t machine, bool elf64, bool swap);

/* A run of entries, and the section that they change. */
struct relocation_run {
	const uint8_t *entries;
	size_t size;			/* bytes; what does not fill an entry is left alone */
	bool has_addends;		/* SHT_RELA; SHT_REL has them in the section itself */
	bool is_loaded;			/* SHF_ALLOC: operands of instructions are allowed */
	const uint64_t *values;		/* of the symbols, by index */
	size_t value_count;
	const char *section;		/* name, for errors */
	uint64_t address;		/* of the section */
};

/* Size of an entry in the file. */
size_t relocator_entry_bytes(const struct relocator *relocator, bool has_addends);

/*
 * Changes bytes[0..size). False, with err filled and the bytes half done: a type that is not known,
 * a symbol or a field that does not exist, a target that a branch does not reach.
 */
bool relocate(const struct relocator *relocator, const struct relocation_run *run, uint8_t *bytes,
	      size_t size, const char *path, struct error *err);

#endif
