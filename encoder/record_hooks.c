/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * As ftrace_at() of explain_attach.c, of an ELF file that need not have DWARF. A module's table is
 * written by relocations, and says nothing before.
 */
#include "encoder/record_hooks.h"

#include <gelf.h>
#include <string.h>

#include "base/bytes.h"

struct hook_table {
	const uint8_t *words;
	uint64_t size;		/* in bytes */
};

static bool find_mark(const struct records *records, const char *name, uint64_t *address)
{
	struct symbol_search search = symbol_table_search(&records->elf.symbols, name);
	const struct symbol *symbol = symbol_search_next(&search);

	if (symbol)
		*address = symbol->address;
	return symbol;
}

static bool find_table(const struct records *records, struct hook_table *table)
{
	const struct record_elf *elf = &records->elf;
	uint64_t first, last;

	if (!records->is_elf || elf->is_relocatable ||
	    !find_mark(records, "__start_mcount_loc", &first) ||
	    !find_mark(records, "__stop_mcount_loc", &last) || last <= first)
		return false;
	for (size_t i = 1; i < elf->sections.count; i++) {
		const struct record_elf_section *section = &elf->sections.data[i];
		Elf_Data *data;

		if (!(section->flags & SHF_ALLOC) || first - section->address >= section->size)
			continue;
		data = elf_rawdata(elf_getscn(elf->elf, i), NULL);
		if (!data || !data->d_buf || last - section->address > data->d_size)
			return false;
		table->words = (const uint8_t *)data->d_buf + (first - section->address);
		table->size = last - first;
		return true;
	}
	return false;
}

/* At the entry, or behind an endbr64; on arm64 up to two words in front of it. */
enum attach_answer record_hook_at(const struct records *records, uint64_t address)
{
	bool is_arm64 = records->abi && strcmp(records->abi->name, "arm64") == 0;
	bool swap = records->elf.is_big_endian != HOST_IS_BIG_ENDIAN;
	uint8_t wide = records->elf.address_bytes;
	uint64_t begin = address - (is_arm64 ? 8 : 0), end = address + 16;
	struct hook_table table;
	bool any = false;

	if (!find_table(records, &table))
		return ATTACH_UNKNOWN;
	for (uint64_t i = 0; i + wide <= table.size; i += wide) {
		uint64_t word = wide == 8 ? bytes_load_u64(table.words + i, swap)
					  : bytes_load_u32(table.words + i, swap);

		any |= word != 0;
		if (word >= begin && word < end)
			return ATTACH_YES;
	}
	return any ? ATTACH_NO : ATTACH_UNKNOWN;
}
