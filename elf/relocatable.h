/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A relocatable object (ET_REL: a module, an object file) as a loader would see it: where its
 * sections are, what its symbols mean, and the bytes of a section with its relocations applied.
 *
 * Such a file has no addresses. All loaded sections get some, one after the other with gaps between
 * them, so that one number tells .text+0 from .init.text+0. In code, symbols of other
 * objects get addresses, too, below all sections: calls of two of them differ, and none goes to
 * this object. In DWARF they are 0. All this is the same whenever the file is opened; what a kernel
 * loads it at is not known.
 *
 * Internal to elf/object.c: others ask the object.
 */
#ifndef BTFENC_ELF_RELOCATABLE_H
#define BTFENC_ELF_RELOCATABLE_H

#include <libelf.h>

#include "elf/relocate.h"
#include "elf/section_header.h"

struct relocatable {
	const char *path;
	Elf *elf;
	bool is_mapped;			/* the bytes are pages of the file, and can be given back */
	struct section_header *headers;	/* borrowed */
	size_t header_count;
	struct relocator relocator;
	size_t symbol_section;		/* of the symbol table, 0: none */
	size_t value_count;		/* of its symbols, at least 1: number 0 is none */
	uint64_t *values;		/* what they are in DWARF */
	uint64_t *code_values;		/* what they are in code and data */
	/* By section: */
	uint64_t *bases;		/* its address, 0: it is not loaded */
	uint32_t *relocated_by;		/* its relocation section, 0: none */
	uint8_t **copies;		/* relocated bytes; NULL: not asked for yet */
};

/*
 * Gives headers[].address of all loaded sections their values and reads the symbols. `swap`: the
 * file's byte order is not the host's. Close it in any case.
 */
bool relocatable_open(struct relocatable *file, bool swap, struct error *err);
void relocatable_close(struct relocatable *file);

/*
 * The bytes of a section, relocated: `bytes` themselves when nothing has to be changed, else a copy
 * that lives as long as the object, or, if they are writable, what is made of them. NULL: err says
 * why. Not for two threads at once.
 */
const uint8_t *relocatable_bytes(struct relocatable *file, size_t section, const uint8_t *bytes,
				 size_t size, bool writable, struct error *err);

#endif
