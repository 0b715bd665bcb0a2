/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What people call registers and addresses in the code, for printing BTF: the registers of a
 * machine, and symbol+offset where the ELF file has symbols. Its DWARF is not needed.
 */
#ifndef BTFENC_COMMANDS_RECORDS_CODE_NAMES_H
#define BTFENC_COMMANDS_RECORDS_CODE_NAMES_H

#include "commands/records/record_elf.h"
#include "commands/records/record_machine.h"

struct code_names {
	const struct abi *abi;		/* NULL: not known */
	bool is_elf;
	struct record_elf elf;
};

/* Of the file that `btf` was read from; of the machine `abi`, unless it is NULL. */
bool code_names_open(struct code_names *names, const char *path, const struct btf_reader *btf,
		     const struct abi *abi, struct error *err);
void code_names_release(struct code_names *names);

/* For struct btf_print_words; `context` is a struct code_names. */
const char *code_names_register(const void *context, uint32_t dwarf_number);
int code_names_site(const void *context, const char *section, uint32_t offset,
		     const char *function, char *buffer, size_t bytes);

#endif
