/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/records/code_names.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/file_kind.h"
#include "commands/records/record_machine.h"

bool code_names_open(struct code_names *names, const char *path, const struct btf_reader *btf,
		     const struct abi *abi, struct error *err)
{
	*names = (struct code_names){ .abi = abi, .is_elf = file_kind_of(path) == FILE_ELF };
	if (names->is_elf && !record_elf_open(&names->elf, path, err))
		return false;
	if (!abi)
		names->abi = record_machine_of(names->is_elf ? &names->elf.object : NULL, btf).abi;
	return true;
}

void code_names_release(struct code_names *names)
{
	if (names->is_elf)
		record_elf_close(&names->elf);
}

const char *code_names_register(const void *context, uint32_t dwarf_number)
{
	const struct code_names *names = context;

	return names->abi ? abi_register_name(names->abi, dwarf_number) : NULL;
}

/* Of several symbols at one address the function's own, if it is one of them. */
static bool is_symbol_at(const struct code_names *names, const char *function, uint64_t address)
{
	struct symbol_search search = symbol_table_search(&names->elf.symbols, function);
	const struct symbol *symbol;

	while ((symbol = symbol_search_next(&search))) {
		if (symbol->address == address && symbol_is_function(symbol))
			return true;
	}
	return false;
}

int code_names_site(const void *context, const char *section, uint32_t offset,
		     const char *function, char *buffer, size_t bytes)
{
	const struct code_names *names = context;
	const struct section_header *header = record_elf_find(&names->elf.object, section, 0);
	const struct symbol *symbol;
	uint64_t address;

	if (!header || !names->elf.symbols.symbols.count)
		return 0;
	address = header->address + offset;
	if (is_symbol_at(names, function, address))
		return snprintf(buffer, bytes, "%s+0x0", function);
	symbol = symbol_table_enclosing(&names->elf.symbols, address);
	return symbol ? snprintf(buffer, bytes, "%s+0x%" PRIx64, symbol->name,
				 address - symbol->address) : 0;
}
