/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* As ftrace_at() of explain_attach.c, of an ELF file that need not have DWARF. */
#include "commands/records/record_hooks.h"

static bool find_mark(const struct records *records, const char *name, uint64_t *address)
{
	struct symbol_search search = symbol_table_search(&records->elf.symbols, name);
	const struct symbol *symbol = symbol_search_next(&search);

	if (symbol)
		*address = symbol->address;
	return symbol;
}

/* A module's table is written by relocations, and says nothing before. */
static bool find_table(const struct records *records, struct hook_table *table)
{
	const struct object *object = &records->elf.object;
	uint64_t first, last;

	if (!records->is_elf || object->relocatable ||
	    !find_mark(records, "__start_mcount_loc", &first) ||
	    !find_mark(records, "__stop_mcount_loc", &last) || last <= first)
		return false;
	for (size_t i = 1; i < object->header_count; i++) {
		const struct section_header *section = &object->headers[i];
		Elf_Data *data;

		if (!(section->flags & SHF_ALLOC) || first - section->address >= section->size)
			continue;
		data = elf_rawdata(elf_getscn(object->elf, i), NULL);
		if (!data || !data->d_buf || last - section->address > data->d_size)
			return false;
		*table = (struct hook_table){
			.elf = object->elf, .address = first, .size = last - first,
			.words = (const uint8_t *)data->d_buf + (first - section->address),
			.word_bytes = object->address_bytes,
			.swap = object->swap,
		};
		return true;
	}
	return false;
}

enum attach_answer record_hook_at(const struct records *records, uint64_t address)
{
	const struct symbol *symbol = symbol_table_enclosing(&records->elf.symbols, address);
	struct hook_table table;

	if (!find_table(records, &table))
		return ATTACH_UNKNOWN;
	return hook_table_ask(&table, records->abi, address,
			      symbol && symbol->address == address ? symbol->size : 0);
}
