/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What people call registers and places in the code, for printing BTF: the registers of a machine,
 * and symbol+offset where the ELF file has symbols. Its DWARF is not needed.
 */
#ifndef BTFENC_ENCODER_CODE_NAMES_H
#define BTFENC_ENCODER_CODE_NAMES_H

#include "btf/reader.h"
#include "dwarf/abi.h"
#include "kallsyms/symbol_table.h"

struct code_section {
	const char *name;		/* borrowed from the Elf handle */
	uint64_t address;		/* of a relocatable object: made up */
};

struct code_names {
	const struct abi *abi;		/* NULL: not known */
	int fd;				/* -1: not an ELF file */
	Elf *elf;
	struct symbol_table symbols;
	ARRAY_OF(struct code_section) sections;
};

/* The machine of that name; NULL: there is none. */
const struct abi *code_names_machine(const char *name);

/*
 * Of the file that `btf` was read from. The machine is `abi`, else the ELF file's, else the host's,
 * if byte order and pointers are like its own. Release it in any case.
 */
bool code_names_open(struct code_names *names, const char *path, const struct btf_reader *btf,
		     const struct abi *abi, struct error *err);
void code_names_release(struct code_names *names);

/* For struct btf_print_words; `context` is a struct code_names. */
const char *code_names_register(const void *context, uint32_t dwarf_number);
int code_names_place(const void *context, const char *section, uint32_t offset,
		     const char *function, char *buffer, size_t bytes);

#endif
