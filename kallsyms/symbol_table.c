/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kallsyms/symbol_table.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/search.h"
#include "base/sort.h"
#include "elf/libelf_error.h"

/* ---- what is in the file ---- */

/* A section of symbols as libelf gives it, in the byte order of the host. */
struct raw_symbols {
	/* Bits that a machine adds to the fields of a symbol: */
	bool has_thumb_bit;		/* bit 0 of a function's value says that it is Thumb code */
	bool has_local_entry;		/* st_other has the distance to the local entry */
	const uint8_t *entries;		/* GElf_Sym, which is what ELFCLASS64 has */
	size_t count;
	GElf_Sym *converted;		/* the same if ELFCLASS32; owned */
	const Elf32_Word *indices;	/* sections that do not fit into a symbol; NULL: all do */
	size_t index_count;
	const char *names;
	size_t name_bytes;
	size_t parsed_bytes;		/* of the names, as often as they are used */
};

#define MOST_PARSED_BYTES ((size_t)64 << 20)

/*
 * Equal names are there once (the static constants of a header in each unit), and one may be the
 * end of another. In a damaged file each can be as long as the section: what counts is their mean.
 */
static bool is_excessive(const struct raw_symbols *raw)
{
	return raw->parsed_bytes > MOST_PARSED_BYTES &&
	       raw->parsed_bytes / 16 > raw->name_bytes + 64 * raw->count;
}

static GElf_Sym raw_symbol(const struct raw_symbols *raw, size_t i)
{
	GElf_Sym symbol;

	memcpy(&symbol, raw->entries + i * sizeof(symbol), sizeof(symbol));
	return symbol;
}

/* The ELF section of a symbol; 0: none, it is undefined or a mere number. */
static uint32_t section_of(const struct raw_symbols *raw, const GElf_Sym *symbol, size_t i)
{
	if (symbol->st_shndx == SHN_XINDEX)
		return i < raw->index_count ? raw->indices[i] : 0;
	return symbol->st_shndx < SHN_LORESERVE ? symbol->st_shndx : 0;
}

/* False: there are no names, the last has no NUL, or the entries cannot be read. */
static bool read_raw(struct raw_symbols *raw, Elf *elf, Elf_Scn *scn, const GElf_Shdr *header)
{
	Elf_Scn *names_scn = elf_getscn(elf, header->sh_link);
	Elf_Data *names = names_scn ? elf_getdata(names_scn, NULL) : NULL;
	Elf_Data *data = elf_getdata(scn, NULL), *indices;
	int index = elf_scnshndx(scn);

	if (!names || !names->d_buf || !names->d_size || !data)
		return false;
	raw->names = names->d_buf;
	raw->name_bytes = names->d_size;
	if (raw->names[raw->name_bytes - 1] != '\0')
		return false;
	indices = index > 0 ? elf_getdata(elf_getscn(elf, (size_t)index), NULL) : NULL;
	if (indices && indices->d_buf) {
		raw->indices = indices->d_buf;
		raw->index_count = indices->d_size / sizeof(Elf32_Word);
	}
	raw->count = header->sh_entsize ? header->sh_size / header->sh_entsize : 0;
	if (raw->count > data->d_size / gelf_fsize(elf, ELF_T_SYM, 1, EV_CURRENT))
		return false;
	if (gelf_getclass(elf) == ELFCLASS64) {
		raw->entries = data->d_buf;
		return true;
	}
	raw->converted = memory_alloc(raw->count * sizeof(GElf_Sym));
	raw->entries = (const uint8_t *)raw->converted;
	for (size_t i = 0; i < raw->count; i++) {
		if (!gelf_getsym(data, (int)i, &raw->converted[i]))
			return false;
	}
	return true;
}

static uint64_t address_of(const struct raw_symbols *raw, const GElf_Sym *symbol)
{
	bool is_code = GELF_ST_TYPE(symbol->st_info) == STT_FUNC ||
		       GELF_ST_TYPE(symbol->st_info) == STT_GNU_IFUNC;

	return raw->has_thumb_bit && is_code ? symbol->st_value & ~UINT64_C(1)
						    : symbol->st_value;
}

/* ---- which are taken ---- */

/*
 * What kallsyms leaves out: mapping symbols of arm, arm64 and riscv ($a, $d, $x), which may be in
 * the middle of a function, and local labels (.L), which riscv keeps.
 */
static bool is_mark(const char *name)
{
	return *name == '$' || (name[0] == '.' && name[1] == 'L');
}

/* Those that are wanted, by address. Returns how many; SIZE_MAX: the file is damaged. */
static size_t sort_wanted(const struct raw_symbols *raw, struct sort_item *items,
			  size_t section_count, const uint64_t *bases, bool *has_slim_lto)
{
	size_t wanted = 0;

	for (size_t i = 0; i < raw->count; i++) {
		GElf_Sym symbol = raw_symbol(raw, i);
		uint32_t section = section_of(raw, &symbol, i);
		unsigned char type;

		if (symbol.st_name >= raw->name_bytes)
			return SIZE_MAX;
		if (symbol.st_shndx == SHN_COMMON &&
		    strcmp(raw->names + symbol.st_name, "__gnu_lto_slim") == 0)
			*has_slim_lto = true;
		type = GELF_ST_TYPE(symbol.st_info);
		/* NOTYPE: the BTF_ID symbols of assembler statements. */
		if (!symbol.st_name || !section || section >= section_count ||
		    (bases && !bases[section]) ||
		    (type != STT_FUNC && type != STT_OBJECT && type != STT_NOTYPE &&
		     type != STT_GNU_IFUNC) ||
		    (type == STT_NOTYPE && is_mark(raw->names + symbol.st_name)))
			continue;
		items[wanted++] = (struct sort_item){
			address_of(raw, &symbol) + (bases ? bases[section] : 0), (uint32_t)i };
	}
	sort_by_key(items, wanted);
	return wanted;
}

static struct symbol make_symbol(struct symbol_table *table, const struct raw_symbols *raw,
				 const struct sort_item *item)
{
	GElf_Sym symbol = raw_symbol(raw, item->value);
	const char *name = raw->names + symbol.st_name;
	struct symbol_base base = symbol_parse(name);
	/* 0 and 1 mean that there is one entry; 7 is reserved. */
	unsigned int local = !raw->has_local_entry ? 0
			     : (symbol.st_other & STO_PPC64_LOCAL_MASK) >> STO_PPC64_LOCAL_BIT;

	if (GELF_ST_TYPE(symbol.st_info) == STT_FUNC)
		table->suffixes |= base.suffixes;
	return (struct symbol){
		.name = name,
		.address = item->key,
		.size = symbol.st_size,
		.base_length = (uint32_t)base.base_length,
		.base_hash = hash_bytes(name, base.base_length),
		.section = section_of(raw, &symbol, item->value),
		.type = GELF_ST_TYPE(symbol.st_info),
		.binding = GELF_ST_BIND(symbol.st_info),
		.is_thumb = address_of(raw, &symbol) != symbol.st_value,
		.local_entry_bytes = local > 1 && local < 7 ? (uint8_t)(1u << local) : 0,
	};
}

/* Symbols in the order of addresses are anywhere in the file: they are prefetched. */
#define AHEAD 8

/*
 * Entries are sorted first and looked at then, so that nothing is moved and no page is needed but
 * those of the table (a new page costs as much as making ten symbols).
 */
static bool take_symbols(struct symbol_table *table, struct raw_symbols *raw, Elf *elf,
			 const uint64_t *bases)
{
	struct sort_item *items;
	size_t section_count, count;

	if (elf_getshdrnum(elf, &section_count) < 0)
		return false;
	items = memory_alloc(raw->count * sizeof(*items));
	count = sort_wanted(raw, items, section_count, bases, &table->has_slim_lto);
	if (count != SIZE_MAX)
		array_reserve(&table->symbols, count);
	for (size_t i = 0; count != SIZE_MAX && i < count && !is_excessive(raw); i++) {
		struct symbol symbol = make_symbol(table, raw, &items[i]);

		if (i + 2 * AHEAD < count) {
			__builtin_prefetch(raw->entries +
					   items[i + 2 * AHEAD].value * sizeof(GElf_Sym));
			__builtin_prefetch(raw->names +
					   raw_symbol(raw, items[i + AHEAD].value).st_name);
		}
		raw->parsed_bytes += symbol.base_length +
				     strlen(symbol.name + symbol.base_length);
		if (*symbol.name)
			array_push(&table->symbols, symbol);
	}
	free(items);
	return count != SIZE_MAX && !is_excessive(raw);
}

/* ---- by name ---- */

static enum symbol_kin kin_of(const struct symbol *symbol)
{
	const char *suffix = symbol->name + symbol->base_length;
	struct symbol_base base;

	if (!*suffix)
		return symbol_is_function(symbol) ? KIN_FUNCTION : KIN_OBJECT;
	if (!symbol_is_function(symbol))
		return KIN_SUFFIXED_OBJECT;
	base = symbol_parse(symbol->name);
	if (base.suffixes & 1u << SUFFIX_COLD)
		return KIN_COLD;
	if (base.suffixes & 1u << SUFFIX_PART)
		return KIN_FRAGMENT;
	if (base.class == SUFFIX_CHANGES)
		return KIN_CLONE;
	return strncmp(suffix, ".llvm.", 6) == 0 ? KIN_LLVM : KIN_RENAMED;
}

/* Index of a base name; NO_SYMBOL: there is none. */
static uint32_t find_base(const struct symbol_table *table, const char *name, size_t length,
			  uint32_t hash)
{
	const struct hash_table *names = &table->base_names;

	for (const uint64_t *slot = hash_table_first(names, hash); *slot;
	     slot = hash_table_next(names, slot)) {
		uint32_t base = hash_table_value(slot) - 1;
		const struct symbol *symbol =
			&table->symbols.data[table->bases.data[base].symbol];

		if (symbol->base_length == length && memcmp(symbol->name, name, length) == 0)
			return base;
	}
	return NO_SYMBOL;
}

/* Symbols of one base name, which are in the order of addresses, are put in that of their kin. */
static void sort_kin(const struct symbol_table *table, uint32_t *symbols, size_t count)
{
	struct sort_item *items;
	bool sorted = true;

	for (size_t i = 1; i < count; i++)
		sorted &= table->symbols.data[symbols[i - 1]].kin <=
			  table->symbols.data[symbols[i]].kin;
	if (sorted)
		return;
	items = memory_alloc(count * sizeof(*items));
	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ table->symbols.data[symbols[i]].kin, symbols[i] };
	sort_by_key(items, count);
	for (size_t i = 0; i < count; i++)
		symbols[i] = items[i].value;
	free(items);
}

/*
 * So many symbols of one base name are also found by their whole names: 20,000 functions f.isra.N
 * would be looked for in as many symbols each.
 */
#define MANY_SYMBOLS 64

static uint32_t name_hash(const struct symbol_table *table, uint32_t symbol)
{
	const char *name = table->symbols.data[symbol].name;

	return hash_bytes(name, strlen(name));
}

static void sort_names(struct symbol_table *table, uint32_t first, uint32_t end)
{
	struct sort_item *items = memory_alloc((end - first) * sizeof(*items));

	if (!table->by_name)
		table->by_name = memory_alloc(table->symbols.count * sizeof(*table->by_name));
	for (uint32_t i = first; i < end; i++)
		items[i - first] = (struct sort_item){ name_hash(table, table->by_base[i]),
						       table->by_base[i] };
	sort_by_key(items, end - first);
	for (uint32_t i = first; i < end; i++)
		table->by_name[i] = items[i - first].value;
	free(items);
}

/*
 * One entry of the hash table for each base name: thousands of __func__.1234 and __already_done.56
 * in slots of their own would make one run of occupied slots (13 of 22 ms).
 */
static void make_indices(struct symbol_table *table)
{
	struct symbol *symbols = table->symbols.data;
	uint32_t count = (uint32_t)table->symbols.count;

	hash_table_reserve(&table->base_names, count);
	for (uint32_t i = 0; i < count; i++) {
		struct symbol *symbol = &symbols[i];

		if (i + AHEAD < count)
			hash_table_prefetch(&table->base_names, symbol[AHEAD].base_hash);
		symbol->kin = (uint8_t)kin_of(symbol);
		symbol->base = find_base(table, symbol->name, symbol->base_length,
					 symbol->base_hash);
		if (symbol->base == NO_SYMBOL) {
			symbol->base = (uint32_t)table->bases.count;
			array_push(&table->bases, ((struct symbol_bases){ .symbol = i }));
			hash_table_add(&table->base_names, symbol->base_hash, symbol->base + 1);
		}
		table->bases.data[symbol->base].first++;
	}
	/* From counts to ends; filling from the back turns ends into beginnings. */
	for (size_t b = 0, sum = 0; b < table->bases.count; b++)
		sum = table->bases.data[b].first += (uint32_t)sum;
	array_push(&table->bases, ((struct symbol_bases){ .first = count }));
	table->by_base = memory_alloc(count * sizeof(*table->by_base));
	for (uint32_t i = count; i-- > 0;)
		table->by_base[--table->bases.data[symbols[i].base].first] = i;
	for (size_t b = 0; b + 1 < table->bases.count; b++) {
		const struct symbol_bases *base = &table->bases.data[b];

		if (base[1].first - base->first > 1)
			sort_kin(table, table->by_base + base->first, base[1].first - base->first);
		if (base[1].first - base->first > MANY_SYMBOLS)
			sort_names(table, base->first, base[1].first);
	}
	/* A search in all symbols would touch a cold cache line at each of 17 steps. */
	array_reserve(&table->steps, table->symbols.count / SYMBOLS_PER_STEP + 1);
	for (size_t i = 0; i < table->symbols.count; i += SYMBOLS_PER_STEP)
		array_push(&table->steps, table->symbols.data[i].address);
}

bool symbol_table_read(struct symbol_table *table, Elf *elf, const uint64_t *bases,
		       const char *path, struct error *err)
{
	GElf_Ehdr elf_header = { 0 };
	Elf_Scn *scn = NULL;

	*table = (struct symbol_table){ 0 };
	gelf_getehdr(elf, &elf_header);
	/* There is one at most (gABI, "Sections"). */
	while (!table->symbols.count && (scn = elf_nextscn(elf, scn))) {
		/* AAELF32 5.5.3; 64-Bit ELF V2 ABI for Power, 3.4.1 (EF_PPC64_ABI is 2). */
		struct raw_symbols raw = {
			.has_thumb_bit = elf_header.e_machine == EM_ARM,
			.has_local_entry = elf_header.e_machine == EM_PPC64 &&
					   (elf_header.e_flags & EF_PPC64_ABI) == 2,
		};
		GElf_Shdr header;
		bool good;

		if (!gelf_getshdr(scn, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		good = read_raw(&raw, elf, scn, &header) && take_symbols(table, &raw, elf, bases);
		free(raw.converted);
		if (!good) {
			symbol_table_release(table);
			return is_excessive(&raw)
				? error_at(err, path, "its symbols read the section of their names "
					   "16 times over; is the file intact?")
				: libelf_error(err, path, "the symbol table");
		}
	}
	make_indices(table);
	return true;
}

void symbol_table_index(struct symbol_table *table)
{
	for (size_t i = 0; i < table->symbols.count; i++) {
		struct symbol *symbol = &table->symbols.data[i];
		size_t length = symbol_parse(symbol->name).base_length;

		symbol->base_length = (uint32_t)length;
		symbol->base_hash = hash_bytes(symbol->name, length);
	}
	make_indices(table);
}

void symbol_table_release(struct symbol_table *table)
{
	array_release(&table->symbols);
	array_release(&table->steps);
	hash_table_release(&table->base_names);
	array_release(&table->bases);
	free(table->by_base);
	free(table->by_name);
	table->by_base = table->by_name = NULL;
}

static struct symbol_search search_of(const struct symbol_table *table, uint32_t base)
{
	struct symbol_search search = { .table = table, .indices = table->by_base };

	if (base != NO_SYMBOL) {
		search.next = table->bases.data[base].first;
		search.end = table->bases.data[base + 1].first;
	}
	return search;
}

struct symbol_search symbol_table_search_base(const struct symbol_table *table, const char *name)
{
	size_t length = symbol_parse(name).base_length;

	return search_of(table, find_base(table, name, length, hash_bytes(name, length)));
}

struct symbol_search symbol_table_search(const struct symbol_table *table, const char *name)
{
	struct symbol_search search = symbol_table_search_base(table, name);
	size_t length = strlen(name);
	uint32_t hash = hash_bytes(name, length), first = search.next;

	search.name = name;
	/* Those that have just the base name are first as it is. */
	if (search.end - first <= MANY_SYMBOLS || symbol_parse(name).base_length == length)
		return search;
	search.indices = table->by_name;
	search.next += (uint32_t)lower_bound(i, search.end - first,
					     name_hash(table, search.indices[first + i]) < hash);
	return search;
}

struct symbol_search symbol_table_namesakes(const struct symbol_table *table, uint32_t symbol)
{
	return search_of(table, table->symbols.data[symbol].base);
}

const struct symbol *symbol_search_next(struct symbol_search *search)
{
	while (search->next < search->end) {
		const struct symbol *symbol =
			&search->table->symbols.data[search->indices[search->next++]];

		if (!search->name || strcmp(symbol->name, search->name) == 0)
			return symbol;
		/* Those that have just the base name are first, or those with the hash. */
		if (search->indices == search->table->by_base
			    ? symbol->kin > KIN_OBJECT && !search->name[symbol->base_length]
			    : name_hash(search->table, search->indices[search->next - 1]) !=
				      hash_bytes(search->name, strlen(search->name)))
			break;
	}
	return NULL;
}

uint32_t symbol_search_from(struct symbol_search *search, enum symbol_kin kin, uint64_t address)
{
	const struct symbol *symbols = search->table->symbols.data;
	const uint32_t *indices = search->indices;
	uint32_t first = search->next;

	search->next += (uint32_t)lower_bound(i, search->end - first,
		symbols[indices[first + i]].kin < kin ||
		(symbols[indices[first + i]].kin == kin &&
		 symbols[indices[first + i]].address < address));
	return search->next < search->end && symbols[indices[search->next]].kin == kin
		       ? indices[search->next] : NO_SYMBOL;
}

bool symbol_is_function(const struct symbol *symbol)
{
	return symbol->type == STT_FUNC || symbol->type == STT_GNU_IFUNC;
}

const struct symbol *symbol_table_find(const struct symbol_table *table, const char *name)
{
	struct symbol_search search = symbol_table_search(table, name);

	return symbol_search_next(&search);
}

const struct symbol *symbol_table_only_code(const struct symbol_table *table, const char *name)
{
	struct symbol_search search = symbol_table_search(table, name);
	const struct symbol *found = NULL, *symbol;

	while ((symbol = symbol_search_next(&search))) {
		if (!symbol_is_function(symbol) && symbol->type != STT_NOTYPE)
			continue;
		if (found && found->address != symbol->address)
			return NULL;
		found = symbol;
	}
	return found;
}

size_t symbol_table_at(const struct symbol_table *table, uint64_t address)
{
	size_t step = lower_bound(i, table->steps.count, table->steps.data[i] < address);
	size_t at = step ? (step - 1) * SYMBOLS_PER_STEP : 0;

	/* The step before is the last one below the address. */
	while (at < table->symbols.count && table->symbols.data[at].address < address)
		at++;
	return at;
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

bool symbol_is_found(const struct symbol *symbol, size_t name_length, bool strips_llvm)
{
	const char *suffix = symbol->name + name_length;

	return !*suffix || (strips_llvm && strncmp(suffix, ".llvm.", 6) == 0);
}
