/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The symbols of an ELF file that have an address, sorted by address and found by name. Names are
 * borrowed from the Elf handle.
 */
#ifndef BTFENC_KALLSYMS_SYMBOL_TABLE_H
#define BTFENC_KALLSYMS_SYMBOL_TABLE_H

#include <libelf.h>

#include "base/error.h"
#include "base/memory.h"
#include "kallsyms/suffix.h"

struct symbol {
	const char *name;
	uint64_t address;
	uint64_t size;
	uint32_t section;	/* ELF section index */
	uint8_t type;		/* STT_* */
	uint8_t binding;	/* STB_* */
};

struct symbol_table {
	ARRAY_OF(struct symbol) symbols;	/* by address; equal ones as in the file */
	uint32_t *slots;			/* open addressing by name: index + 1 */
	uint32_t slot_mask;
};

/* A file without a symbol table gives an empty one. False: it is there but cannot be read. */
bool symbol_table_read(struct symbol_table *table, Elf *elf, const char *path,
		       struct error *err);
void symbol_table_release(struct symbol_table *table);

/* First symbol at the address or above it; table->symbols.count when there is none. */
size_t symbol_table_at(const struct symbol_table *table, uint64_t address);

/* Walks over the symbols of one name, in no useful order. */
struct symbol_search {
	const struct symbol_table *table;
	const char *name;
	uint32_t slot;
};

struct symbol_search symbol_table_search(const struct symbol_table *table, const char *name);
const struct symbol *symbol_search_next(struct symbol_search *search);	/* NULL: no more */

#endif
