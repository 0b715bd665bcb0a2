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

/* In the order of the file: neighbours there have their names side by side, too. */
static void add_symbol(struct symbol_table *table, const GElf_Sym *symbol, const char *name,
		       uint32_t section, uint64_t base)
{
	size_t length = symbol_parse(name).base_length;

	array_push(&table->symbols, ((struct symbol){
		.name = name,
		.address = symbol->st_value + base,
		.size = symbol->st_size,
		.base_length = (uint32_t)length,
		.base_hash = hash_bytes(name, length),
		.section = section,
		.type = GELF_ST_TYPE(symbol->st_info),
		.binding = GELF_ST_BIND(symbol->st_info),
	}));
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
		if (*name && is_wanted(&symbol, section, section_count, bases))
			add_symbol(table, &symbol, name, section, bases ? bases[section] : 0);
	}
	return true;
}

/*
 * Moves the symbols to where the sorted items have them, along the cycles of that permutation: a
 * second table would cost more in pages (1.5 us each) than in moving.
 */
static void permute_symbols(struct symbol *symbols, struct sort_item *items, size_t count)
{
	for (uint32_t start = 0; start < count; start++) {
		struct symbol first = symbols[start];
		uint32_t to = start;

		while (items[to].value != start) {
			uint32_t from = items[to].value;

			symbols[to] = symbols[from];
			items[to].value = to;
			to = from;
		}
		symbols[to] = first;
		items[to].value = to;
	}
}

static void sort_symbols(struct symbol_table *table)
{
	size_t count = table->symbols.count;
	struct sort_item *items = memory_alloc(count * sizeof(*items));

	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ table->symbols.data[i].address, (uint32_t)i };
	sort_by_key(items, count);
	permute_symbols(table->symbols.data, items, count);
	free(items);
}

/* The slot of a base name: of the symbols that have it, or a free one. */
static uint32_t find_slot(const struct symbol_table *table, const char *name, size_t length,
			  uint32_t hash)
{
	uint32_t at = hash & table->slot_mask;

	for (; table->slots[at]; at = (at + 1) & table->slot_mask) {
		const struct symbol *symbol;

		if (table->slots[at] >> 32 != hash)
			continue;
		symbol = &table->symbols.data[(uint32_t)table->slots[at] - 1];
		if (symbol->base_length == length && memcmp(symbol->name, name, length) == 0)
			break;
	}
	return at;
}

/*
 * Namesakes form rings: thousands of __func__.1234 and __already_done.56 in slots of their own
 * would make one run of occupied slots (13 of 22 ms).
 */
static void index_names(struct symbol_table *table)
{
	uint32_t slots = 64;

	while (slots < table->symbols.count * 2)
		slots *= 2;
	table->slot_mask = slots - 1;
	table->slots = memory_zeroed(slots, sizeof(*table->slots));
	for (uint32_t i = 0; i < table->symbols.count; i++) {
		struct symbol *symbol = &table->symbols.data[i];
		uint32_t at = find_slot(table, symbol->name, symbol->base_length,
					symbol->base_hash);

		symbol->next = i;
		if (table->slots[at]) {
			struct symbol *first =
				&table->symbols.data[(uint32_t)table->slots[at] - 1];

			symbol->next = first->next;
			first->next = i;
			continue;
		}
		table->slots[at] = (uint64_t)symbol->base_hash << 32 | (i + 1);
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
	uint32_t slot = find_slot(table, name, length, hash_bytes(name, length));
	uint32_t first = (uint32_t)table->slots[slot] - 1;

	return (struct base_search){ table, name, first, first };
}

struct base_search symbol_table_namesakes(const struct symbol_table *table, uint32_t symbol)
{
	return (struct base_search){ table, table->symbols.data[symbol].name, symbol, symbol };
}

const struct symbol *base_search_next(struct base_search *search)
{
	const struct symbol *symbol;

	if (search->next == NO_SYMBOL)
		return NULL;
	symbol = &search->table->symbols.data[search->next];
	search->next = symbol->next == search->first ? NO_SYMBOL : symbol->next;
	return symbol;
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
