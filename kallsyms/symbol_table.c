/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kallsyms/symbol_table.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/sort.h"

static bool is_wanted(const GElf_Sym *symbol, uint32_t section, size_t section_count,
		      const uint64_t *bases)
{
	unsigned char type = GELF_ST_TYPE(symbol->st_info);

	/* NOTYPE: the BTF_ID symbols of assembler statements. */
	return section && section < section_count && (!bases || bases[section]) &&
	       (type == STT_FUNC || type == STT_OBJECT || type == STT_NOTYPE ||
		type == STT_GNU_IFUNC);
}

/* The ELF section of a symbol; 0: none, it is undefined or a mere number. */
static uint32_t section_of(const GElf_Sym *symbol, Elf32_Word extended_index)
{
	if (symbol->st_shndx == SHN_XINDEX)
		return extended_index;
	return symbol->st_shndx < SHN_LORESERVE ? symbol->st_shndx : 0;
}

/* Section indices that do not fit into a symbol (SHN_XINDEX); NULL: all do. */
static Elf_Data *extended_indices(Elf *elf, Elf_Scn *scn)
{
	int index = elf_scnshndx(scn);

	return index > 0 ? elf_getdata(elf_getscn(elf, (size_t)index), NULL) : NULL;
}

/* The string table of a symbol table; NULL when it is missing or does not end with a NUL. */
static Elf_Data *string_data(Elf *elf, const GElf_Shdr *header)
{
	Elf_Scn *scn = elf_getscn(elf, header->sh_link);
	Elf_Data *data = scn ? elf_getdata(scn, NULL) : NULL;

	if (!data || !data->d_buf || !data->d_size ||
	    ((const char *)data->d_buf)[data->d_size - 1] != '\0')
		return NULL;
	return data;
}

static bool read_section(struct symbol_table *table, Elf *elf, Elf_Scn *scn,
			 const GElf_Shdr *header, const uint64_t *bases)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Data *indices = extended_indices(elf, scn);
	Elf_Data *strings = string_data(elf, header);
	size_t count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	size_t section_count;

	if (!data || !strings || elf_getshdrnum(elf, &section_count) < 0)
		return false;
	array_reserve(&table->symbols, count);
	for (size_t i = 0; i < count; i++) {
		Elf32_Word extended_index = 0;
		GElf_Sym symbol;
		const char *name;
		uint32_t section;

		if (!gelf_getsymshndx(data, indices, (int)i, &symbol, &extended_index) ||
		    symbol.st_name >= strings->d_size)
			return false;
		name = (const char *)strings->d_buf + symbol.st_name;
		section = section_of(&symbol, extended_index);
		if (!*name || !is_wanted(&symbol, section, section_count, bases))
			continue;
		array_push(&table->symbols, ((struct symbol){
			.name = name,
			.address = symbol.st_value + (bases ? bases[section] : 0),
			.size = symbol.st_size,
			.base_length = (uint32_t)symbol_parse(name).base_length,
			.section = section,
			.type = GELF_ST_TYPE(symbol.st_info),
			.binding = GELF_ST_BIND(symbol.st_info),
		}));
	}
	return true;
}

static void sort_symbols(struct symbol_table *table)
{
	size_t count = table->symbols.count;
	struct sort_item *items = memory_alloc(count * sizeof(*items));
	struct symbol *sorted = memory_alloc(count * sizeof(*sorted));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ table->symbols.data[i].address, (uint32_t)i };
	sort_by_key(items, count);
	for (size_t i = 0; i < count; i++)
		sorted[i] = table->symbols.data[items[i].value];
	free(items);
	free(table->symbols.data);
	table->symbols.data = sorted;
	table->symbols.capacity = count;
}

static uint32_t name_hash(const char *name, size_t length)
{
	return hash_bytes(name, length);
}

/* A slot is hash << 32 | index + 1, so that a look-up touches only symbols that it finds. */
static void index_names(struct symbol_table *table)
{
	uint32_t slots = 64;

	while (slots < table->symbols.count * 2)
		slots *= 2;
	table->slot_mask = slots - 1;
	table->slots = memory_zeroed(slots, sizeof(*table->slots));
	for (size_t i = 0; i < table->symbols.count; i++) {
		const struct symbol *symbol = &table->symbols.data[i];
		uint32_t hash = name_hash(symbol->name, symbol->base_length);
		uint32_t at = hash & table->slot_mask;

		while (table->slots[at])
			at = (at + 1) & table->slot_mask;
		table->slots[at] = (uint64_t)hash << 32 | (i + 1);
	}
}

bool symbol_table_read(struct symbol_table *table, Elf *elf, const uint64_t *bases,
		       const char *path, struct error *err)
{
	Elf_Scn *scn = NULL;

	*table = (struct symbol_table){ 0 };
	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		if (!read_section(table, elf, scn, &header, bases)) {
			symbol_table_release(table);
			return error_at(err, path, "cannot read the symbol table: %s; "
					"the file is damaged", elf_errmsg(-1));
		}
	}
	if (table->symbols.count)
		sort_symbols(table);
	index_names(table);
	return true;
}

void symbol_table_release(struct symbol_table *table)
{
	array_release(&table->symbols);
	free(table->slots);
	table->slots = NULL;
}

struct base_search symbol_table_search_base(const struct symbol_table *table, const char *name)
{
	size_t length = symbol_parse(name).base_length;
	uint32_t hash = name_hash(name, length);

	return (struct base_search){ table, name, length, hash, hash & table->slot_mask };
}

const struct symbol *base_search_next(struct base_search *search)
{
	const struct symbol_table *table = search->table;
	uint64_t slot;

	while ((slot = table->slots[search->slot])) {
		const struct symbol *symbol = &table->symbols.data[(uint32_t)slot - 1];

		search->slot = (search->slot + 1) & table->slot_mask;
		if (slot >> 32 == search->hash && symbol->base_length == search->length &&
		    memcmp(symbol->name, search->name, search->length) == 0)
			return symbol;
	}
	return NULL;
}

struct symbol_search symbol_table_search(const struct symbol_table *table, const char *name)
{
	return (struct symbol_search){ symbol_table_search_base(table, name) };
}

const struct symbol *symbol_search_next(struct symbol_search *search)
{
	const struct symbol *symbol;

	while ((symbol = base_search_next(&search->base))) {
		if (strcmp(symbol->name, search->base.name) == 0)
			return symbol;
	}
	return NULL;
}

bool symbol_is_function(const struct symbol *symbol)
{
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
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

const struct symbol *symbol_table_enclosing(const struct symbol_table *table, uint64_t address)
{
	size_t i = address == UINT64_MAX ? table->symbols.count
					 : symbol_table_at(table, address + 1);

	/*
	 * Aliases and labels share an extent; a few steps back are enough to find one with a
	 * size.
	 */
	for (int step = 0; i-- > 0 && step < 16; step++) {
		const struct symbol *symbol = &table->symbols.data[i];

		if (symbol_is_function(symbol) && address - symbol->address < symbol->size)
			return symbol;
	}
	return NULL;
}

bool symbol_is_found_as(const struct symbol *symbol, const char *name)
{
	size_t length = strlen(name);

	return strncmp(symbol->name, name, length) == 0 &&
	       (!symbol->name[length] || strncmp(symbol->name + length, ".llvm.", 6) == 0);
}
