/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* qsort_r */
#include "kallsyms/symbol_table.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

static int compare_symbols(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return strcmp(x->name, y->name);
}

static int compare_names(const void *a, const void *b, void *symbols)
{
	const struct symbol *x = (const struct symbol *)symbols + *(const uint32_t *)a;
	const struct symbol *y = (const struct symbol *)symbols + *(const uint32_t *)b;
	int order = strcmp(x->name, y->name);

	if (order)
		return order;
	return x < y ? -1 : x > y;
}

static bool is_wanted(const GElf_Sym *symbol)
{
	unsigned char type = GELF_ST_TYPE(symbol->st_info);

	/* NOTYPE: the BTF_ID symbols of assembler statements. */
	return symbol->st_shndx != SHN_UNDEF &&
	       (symbol->st_shndx < SHN_LORESERVE || symbol->st_shndx == SHN_XINDEX) &&
	       (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE ||
		type == STT_GNU_IFUNC);
}

static bool read_section(struct symbol_table *table, Elf *elf, Elf_Scn *scn,
			 const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;

	if (!data)
		return false;
	array_reserve(&table->symbols, count);
	for (size_t i = 0; i < count; i++) {
		GElf_Sym symbol;
		const char *name;

		if (!gelf_getsym(data, (int)i, &symbol))
			return false;
		if (!is_wanted(&symbol))
			continue;
		name = elf_strptr(elf, header->sh_link, symbol.st_name);
		if (!name || !*name)
			continue;
		array_push(&table->symbols, ((struct symbol){
			.name = name,
			.address = symbol.st_value,
			.size = symbol.st_size,
			.section = symbol.st_shndx,
			.type = GELF_ST_TYPE(symbol.st_info),
			.binding = GELF_ST_BIND(symbol.st_info),
		}));
	}
	return true;
}

bool symbol_table_read(struct symbol_table *table, Elf *elf, const char *path, struct error *err)
{
	Elf_Scn *scn = NULL;

	*table = (struct symbol_table){ 0 };
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		if (!read_section(table, elf, scn, &header)) {
			symbol_table_release(table);
			return error_at(err, path, "cannot read the symbol table: %s; "
					"the file is damaged", elf_errmsg(-1));
		}
	}
	if (table->symbols.count)
		qsort(table->symbols.data, table->symbols.count, sizeof(*table->symbols.data),
		      compare_symbols);
	table->by_name = memory_alloc(table->symbols.count * sizeof(uint32_t));
	for (uint32_t i = 0; i < table->symbols.count; i++)
		table->by_name[i] = i;
	if (table->symbols.count)
		qsort_r(table->by_name, table->symbols.count, sizeof(uint32_t), compare_names,
			table->symbols.data);
	return true;
}

void symbol_table_release(struct symbol_table *table)
{
	array_release(&table->symbols);
	free(table->by_name);
	table->by_name = NULL;
}

size_t symbol_table_at(const struct symbol_table *table, uint64_t address)
{
	size_t low = 0, high = table->symbols.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (table->symbols.data[middle].address < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t symbol_table_named(const struct symbol_table *table, const char *name)
{
	size_t low = 0, high = table->symbols.count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(table->symbols.data[table->by_name[middle]].name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == table->symbols.count ||
	    strcmp(table->symbols.data[table->by_name[low]].name, name) != 0)
		return table->symbols.count;
	return low;
}
