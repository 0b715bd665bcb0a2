/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The symbols of an ELF file that have an address, sorted by address and found by name. Names are
 * borrowed from the Elf handle.
 */
#ifndef BTFENC_KALLSYMS_SYMBOL_TABLE_H
#define BTFENC_KALLSYMS_SYMBOL_TABLE_H

#include <libelf.h>

#include "base/error.h"
#include "base/hash_table.h"
#include "base/memory.h"
#include "kallsyms/suffix.h"

struct symbol {
	const char *name;
	uint64_t address;	/* of code: without the Thumb bit */
	uint64_t size;
	uint32_t base_length;	/* of the name without suffixes */
	uint32_t base_hash;	/* hash_bytes() of that */
	uint32_t base;		/* index of its base name among all */
	uint32_t section;	/* ELF section index */
	uint8_t type;		/* STT_* */
	uint8_t binding;	/* STB_* */
	uint8_t kin;		/* enum symbol_kin */
	bool is_thumb;
	uint8_t local_entry_bytes;	/* ppc64le: from the address, where calls through a pointer
					   enter, to where direct calls do; elsewhere 0 */
};

/* What a symbol is to its base name. Only functions are of a kind that says something of code. */
enum symbol_kin {
	KIN_FUNCTION,		/* has exactly the base name */
	KIN_OBJECT,		/* the same, but it is not a function */
	KIN_LLVM,		/* .llvm.HASH; all of these are functions with suffixes: */
	KIN_RENAMED,		/* others that say SUFFIX_SAME */
	KIN_CLONE,
	KIN_FRAGMENT,		/* .part, not .cold */
	KIN_COLD,
	KIN_SUFFIXED_OBJECT,
};

#define SYMBOLS_PER_STEP 16

/* Symbols of one base name. */
struct symbol_bases {
	uint32_t symbol;	/* index of one of them */
	uint32_t first;		/* in symbol_table.by_base */
};

struct symbol_table {
	ARRAY_OF(struct symbol) symbols;	/* by address; equal ones as in the file */
	ARRAY_OF(uint64_t) steps;	/* address of each SYMBOLS_PER_STEP'th, for the search */
	struct hash_table base_names;	/* index + 1 in `bases` */
	ARRAY_OF(struct symbol_bases) bases;	/* and the end of the last one's symbols */
	uint32_t *by_base;		/* indices of symbols: by base, kin and address */
	uint32_t *by_name;		/* NULL, or the same of bases with many symbols: by base and
					   hash of the whole name, then by kin and address */
	uint32_t suffixes;		/* bit per enum suffix: a function has it */
	bool has_slim_lto;		/* __gnu_lto_slim: GCC has compiled a part of the file to
					   intermediate code only, and the linker has not yet */
	bool strips_llvm;		/* a kernel that looks names up here strips .llvm.HASH;
					   5.16 to 6.4 strip the other suffixes, too */
};

/*
 * A file without a symbol table gives an empty one. False: it is there but cannot be read.
 * Values of a relocatable object are offsets: `bases`, one for each section, has what to add, 0
 * for sections that are not loaded, whose symbols are left out. NULL: values are addresses.
 */
bool symbol_table_read(struct symbol_table *table, Elf *elf, const uint64_t *bases,
		       const char *path, struct error *err);
void symbol_table_release(struct symbol_table *table);

/*
 * Prepares the searches in symbols that the caller has put in, in the order of addresses, with
 * name, address, size and type.
 */
void symbol_table_index(struct symbol_table *table);

/* First symbol at the address or above it; table->symbols.count when there is none. */
size_t symbol_table_at(const struct symbol_table *table, uint64_t address);

#define NO_SYMBOL UINT32_MAX

/* A walk over symbols of a base name, by kin, then by address. */
struct symbol_search {
	const struct symbol_table *table;
	const char *name;	/* NULL: all of them */
	const uint32_t *indices;	/* table->by_base or by_name */
	uint32_t next, end;	/* in these */
};

/* The symbols called exactly that. */
struct symbol_search symbol_table_search(const struct symbol_table *table, const char *name);
/* Those of one base name (kallsyms/suffix.h): "f" finds "f", "f.lto_priv.0" and "f.cold". */
struct symbol_search symbol_table_search_base(const struct symbol_table *table, const char *name);
/* The same for the base name of a symbol that has been found already. */
struct symbol_search symbol_table_namesakes(const struct symbol_table *table, uint32_t symbol);
const struct symbol *symbol_search_next(struct symbol_search *search);	/* NULL: no more */

/*
 * Moves a walk over a base name to the first symbol of a kin from an address on, in log n. Returns
 * its index, NO_SYMBOL when there is none of that kin.
 */
uint32_t symbol_search_from(struct symbol_search *search, enum symbol_kin kin, uint64_t address);

bool symbol_is_function(const struct symbol *symbol);

/* The first symbol called exactly that; NULL: there is none. */
const struct symbol *symbol_table_find(const struct symbol_table *table, const char *name);

/* Among functions and symbols without a type; NULL, too, if they have several addresses. */
const struct symbol *symbol_table_only_code(const struct symbol_table *table, const char *name);

/*
 * Does a kernel that looks up the first bytes of the symbol's name find this symbol? All compare
 * exactly, except that some strip .llvm.HASH from the symbols first (symbol_table.strips_llvm).
 */
bool symbol_is_found(const struct symbol *symbol, size_t name_length, bool strips_llvm);

/* The function symbol whose extent holds the address, NULL: none. */
const struct symbol *symbol_table_enclosing(const struct symbol_table *table, uint64_t address);

/* ---- kallsyms_file.c ---- */

/*
 * Symbols as text, one a line: System.map and /proc/kallsyms.
 *
 *	ffffffff81000000 T _stext
 *	ffffffffc0a01000 t xfs_open	[xfs]
 *
 * Both have no sizes: a symbol ends where the next address begins, as the kernel takes it. A user
 * who may not see addresses gets a /proc/kallsyms full of zeros, which is an error here.
 */

#define KALLSYMS_PATH "/proc/kallsyms"

struct kallsyms_file {
	char *text;			/* has the names */
	struct symbol_table symbols;	/* STT_FUNC: in code; STT_OBJECT: anything else */
};

/*
 * `module`: only what has that name in brackets; NULL: only what has none, the kernel's own. That
 * a module has no symbols is not an error. False: err is filled, and there is nothing to release.
 */
bool kallsyms_file_read(struct kallsyms_file *file, const char *path, const char *module,
			struct error *err);
void kallsyms_file_release(struct kallsyms_file *file);

#endif
