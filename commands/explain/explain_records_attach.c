/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* How tracefs names a place, and whether a kprobe may go there: by symbols alone. */
#include <inttypes.h>
#include <string.h>

#include "commands/explain/explain_records.h"

/* What linker scripts put at a section's start, where a function stands, too. */
static bool is_mark(const char *name)
{
	static const char *const ends[] = { "_text", "_text_start", "_text_end", "inittext",
					    "_stext" };
	size_t length = strlen(name);

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		size_t end = strlen(ends[i]);

		if (length >= end && strcmp(name + length - end, ends[i]) == 0)
			return true;
	}
	return false;
}

/* A list of symbols does not tell functions from marks: of one address the last that is none. */
static const struct symbol *symbol_at(const struct records *records, uint64_t address)
{
	const struct symbol_table *symbols = records->symbols;
	const struct symbol *found = symbol_table_enclosing(symbols, address);
	const struct symbol *symbol = found;

	while (symbol && is_mark(symbol->name) && symbol > symbols->symbols.data &&
	       symbol[-1].address == found->address && symbol_is_function(&symbol[-1]))
		symbol--;
	return symbol && is_mark(symbol->name) ? found : symbol;
}

static bool is_between(const struct records *records, const char *begin, const char *end,
		       uint64_t address)
{
	uint64_t first, last;

	return records_only_symbol(records->symbols, begin, &first) &&
	       records_only_symbol(records->symbols, end, &last) && address >= first &&
	       address < last;
}

/* As attach_kprobe_forbidden(), without the list of NOKPROBE_SYMBOL, which only an image has. */
static const char *forbidden_at(const struct records *records, const char *section,
				uint64_t address)
{
	for (size_t i = 0; i < FORBIDDEN_TEXTS; i++) {
		const struct forbidden_text *text = &forbidden_texts[i];

		if ((!text->abi || (records->abi && strcmp(records->abi->name, text->abi) == 0)) &&
		    (strcmp(section, text->section) == 0 ||
		     is_between(records, text->begin, text->end, address)))
			return text->why;
	}
	return NULL;
}

/*
 * Direct calls of ppc64le enter at the local entry, and only the symbols of an ELF file say where
 * that is. By a name the kernel finds it itself. False: it is needed here, and not known.
 */
static bool local_entry(const struct records *records, const struct symbol *symbol,
			uint64_t offset, uint64_t *bytes)
{
	bool has_any = records->abi && strcmp(records->abi->name, "ppc64le") == 0;

	*bytes = symbol && !offset ? symbol->local_entry_bytes : 0;
	return !has_any || offset || records->symbols == &records->elf.symbols;
}

/*
 * MOD:name is looked for in that module only. Of several symbols with one name the kernel takes
 * any, or none (since 6.6): of a kernel they are told by their distance from _stext, which moves
 * with them; in a module only by the address, where that is known.
 */
static void put_place(struct record_place *place, const struct records *records)
{
	const struct record_section *section = &records->sections.data[place->site.section];
	const struct symbol *symbol = place->symbol;
	const char *colon = records->module ? ":" : "", *start = "_stext";
	const char *module = records->module ? records->module : "";
	/* A list has the addresses of a module only while it is loaded. */
	bool is_live = section->runs || records->symbols == &records->file.symbols;
	uint64_t offset = symbol ? place->address - symbol->address : 0, begin, local;

	if (symbol && records_only_symbol(records->symbols, symbol->name, &begin))
		snprintf(place->place, sizeof(place->place),
			 offset ? "%s%s%.256s+0x%" PRIx64 : "%s%s%.256s", module, colon,
			 symbol->name, offset);
	else if (!local_entry(records, symbol, offset, &local))
		place->place[0] = '\0';
	else if (!records->module &&
		 (records_only_symbol(records->symbols, start, &begin) ||
		  records_only_symbol(records->symbols, start = "_text", &begin)) &&
		 begin <= place->address)
		snprintf(place->place, sizeof(place->place), "%s+0x%" PRIx64, start,
			 place->address + local - begin);
	else if (is_live || !records->module)
		snprintf(place->place, sizeof(place->place), "0x%" PRIx64, section->runs ?
			 section->running + place->site.offset + local :
			 place->address + local);
}

void record_place_attach(struct record_place *place, const struct records *records,
			 const struct symbol *own)
{
	const struct record_section *section = &records->sections.data[place->site.section];

	place->symbol = own ? own : symbol_at(records, place->address);
	place->forbidden = forbidden_at(records, section->name, place->address);
	put_place(place, records);
}

void record_entry_attach(struct record_place *entry, const struct records *records,
			 const struct symbol *symbol)
{
	uint64_t only;

	entry->symbol = symbol;
	entry->is_known = true;
	entry->address = symbol->address;
	entry->forbidden = forbidden_at(records, "", symbol->address);
	if (records_only_symbol(records->symbols, symbol->name, &only))
		snprintf(entry->place, sizeof(entry->place), "%s%s%.256s",
			 records->module ? records->module : "", records->module ? ":" : "",
			 symbol->name);
}

void record_address(const struct records *records, const struct record_place *place, char *text,
		    size_t size)
{
	const struct record_section *section = &records->sections.data[place->site.section];
	bool is_made_up = records->symbols == &records->elf.symbols &&
			  records->elf.object.relocatable;

	if (section->runs)
		snprintf(text, size, "0x%" PRIx64, section->running + place->site.offset);
	else if (place->is_known && !is_made_up)
		snprintf(text, size, "0x%" PRIx64, place->address);
	else
		snprintf(text, size, "%.256s+0x%" PRIx32, section->name, place->site.offset);
}
