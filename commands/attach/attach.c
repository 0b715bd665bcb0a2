/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/attach/attach.h"

#include <elf.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/bytes.h"

/* ---- bytes of the image ---- */

static size_t section_index_at(const struct object *object, uint64_t address)
{
	for (size_t i = 1; object && i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];

		if (header->flags & SHF_ALLOC && address - header->address < header->size)
			return i;
	}
	return 0;
}

const struct section_header *attach_section_at(const struct object *object, uint64_t address)
{
	size_t index = section_index_at(object, address);

	return index ? &object->headers[index] : NULL;
}

/* The bytes from an address to the end of its section. */
static const uint8_t *bytes_at(const struct object *object, uint64_t address, size_t *size)
{
	size_t index = section_index_at(object, address);
	const uint8_t *bytes = index ? object_loaded_bytes(object, index, size) : NULL;
	uint64_t offset;

	if (!bytes)
		return NULL;
	offset = address - object->headers[index].address;
	if (offset >= *size)
		return NULL;
	*size -= offset;
	return bytes + offset;
}

static uint64_t load_word(const struct object *object, const uint8_t *p)
{
	return object->address_bytes == 8 ? bytes_load_u64(p, object->swap)
					  : bytes_load_u32(p, object->swap);
}

bool attach_word(const struct object *object, uint64_t address, uint64_t *word)
{
	size_t size;
	const uint8_t *p = bytes_at(object, address, &size);

	if (!p || size < object->address_bytes)
		return false;
	*word = load_word(object, p);
	return true;
}

const char *attach_string(const struct object *object, uint64_t address)
{
	size_t size;
	const uint8_t *p = bytes_at(object, address, &size);

	return p && memchr(p, 0, size) ? (const char *)p : NULL;
}

/* ---- symbols ---- */

const struct symbol *attach_only_symbol(const struct attach_image *image, const char *name)
{
	struct symbol_search search = symbol_table_search(image->symbols, name);
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

/* Aliases share an address: the strongest name, as kallsyms would show it, is not worth a rule. */
const struct symbol *attach_symbol_at(const struct attach_image *image, uint64_t address)
{
	const struct symbol_table *symbols = image->symbols;
	size_t i = symbol_table_at(symbols, address + 1);

	for (int step = 0; i-- > 0 && step < 16; step++) {
		const struct symbol *symbol = &symbols->symbols.data[i];

		/* Assembler functions may have no size. */
		if (symbol_is_function(symbol) && (symbol->address == address ||
						   address - symbol->address < symbol->size))
			return symbol;
	}
	return NULL;
}

static bool address_of(const struct attach_image *image, const char *name, uint64_t *address)
{
	struct symbol_search search = symbol_table_search(image->symbols, name);
	const struct symbol *symbol = symbol_search_next(&search);

	if (symbol)
		*address = symbol->address;
	return symbol;
}

void attach_address(const struct object *object, uint64_t address, char *text, size_t size)
{
	const struct section_header *section =
		object->relocatable ? attach_section_at(object, address) : NULL;

	if (section)
		snprintf(text, size, "%s+0x%" PRIx64, section->name, address - section->address);
	else
		snprintf(text, size, "0x%" PRIx64, address);
}

/*
 * A name of its own is best; an offset from the start of the kernel's text is what perf probe uses
 * for namesakes; the address itself holds only where the kernel is not moved (nokaslr). By a name
 * the kernel finds ppc64le's local entry itself; an offset has to lead there, because direct calls
 * never come by the global entry.
 */
void attach_place(const struct attach_image *image, uint64_t address, char *text, size_t size)
{
	const struct symbol *symbol = attach_symbol_at(image, address);
	const char *start = "_stext";
	uint64_t begin, local = 0;

	if (!address_of(image, start, &begin) && !address_of(image, start = "_text", &begin))
		begin = UINT64_MAX;
	if (symbol && symbol->address == address)
		local = symbol->local_entry_bytes;
	if (symbol && attach_only_symbol(image, symbol->name)) {
		if (symbol->address == address)
			snprintf(text, size, "%s", symbol->name);
		else
			snprintf(text, size, "%s+0x%" PRIx64, symbol->name,
				 address - symbol->address);
	} else if (begin <= address) {
		snprintf(text, size, "%s+0x%" PRIx64, start, address + local - begin);
	} else {
		attach_address(image->object, address + local, text, size);
	}
}

/* ---- what may be attached ---- */

struct table {
	const uint8_t *words;
	size_t count;
};

/* What lies between two symbols of a kernel is a section of its own in a module. */
struct extent {
	const char *begin, *end;
	const char *section;
};

static bool find_extent(const struct attach_image *image, const struct extent *extent,
			uint64_t *first, uint64_t *last)
{
	const struct object *object = image->object;

	if (address_of(image, extent->begin, first) && address_of(image, extent->end, last))
		return true;
	for (size_t i = 1; object && object->relocatable && i < object->header_count; i++) {
		if (strcmp(object->headers[i].name, extent->section) != 0)
			continue;
		*first = object->headers[i].address;
		*last = *first + object->headers[i].size;
		return true;
	}
	return false;
}

static bool find_table(const struct attach_image *image, const struct extent *extent,
		       struct table *table)
{
	uint64_t first, last;
	size_t size;

	if (!image->object || !find_extent(image, extent, &first, &last) || last <= first)
		return false;
	table->words = bytes_at(image->object, first, &size);
	table->count = (last - first) / image->object->address_bytes;
	return table->words && last - first <= size;
}

static bool table_has(const struct attach_image *image, const struct table *table, uint64_t begin,
		      uint64_t end, bool *any)
{
	uint8_t wide = image->object->address_bytes;

	for (size_t i = 0; i < table->count; i++) {
		uint64_t word = load_word(image->object, table->words + i * wide);

		*any |= word != 0;
		if (word >= begin && word < end)
			return true;
	}
	return false;
}

static enum attach_answer ftrace_at(const struct attach_image *image, uint64_t address)
{
	const struct object *object = image->object;
	static const struct extent hooks = { "__start_mcount_loc", "__stop_mcount_loc",
					     "__mcount_loc" };
	static const struct extent patch_areas = { "", "", "__patchable_function_entries" };
	const struct extent *extent = &hooks;
	const struct symbol *symbol = attach_symbol_at(image, address);
	struct hook_table hook_table;
	struct table found;
	uint64_t first, last;

	if (!find_extent(image, extent, &first, &last))
		extent = &patch_areas;
	if (!find_extent(image, extent, &first, &last) || !find_table(image, extent, &found))
		return ATTACH_UNKNOWN;
	hook_table = (struct hook_table){
		.elf = object->relocatable ? NULL : object->elf, .address = first,
		.words = found.words, .size = last - first,
		.word_bytes = object->address_bytes, .swap = object->swap };
	return hook_table_ask(&hook_table, image->abi, address,
			      symbol && symbol->address == address ? symbol->size : 0);
}

static bool is_within(const struct attach_image *image, const struct extent *extent,
		      uint64_t address)
{
	uint64_t first, last;

	return find_extent(image, extent, &first, &last) && address >= first && address < last;
}

/* Code that kprobes are kept away from: between two symbols of a kernel, a section of a module. */
struct forbidden_text {
	const char *abi;	/* NULL: on every machine */
	const char *begin, *end;
	const char *section;
	const char *why;
};

/*
 * What register_kprobe() refuses: kernel/kprobes.c and each machine's
 * arch_populate_kprobe_blacklist() or arch_within_kprobe_blacklist(), the same from 6.1 to 7.2.
 */
static const struct forbidden_text forbidden_texts[] = {
	{ NULL, "__noinstr_text_start", "__noinstr_text_end", ".noinstr.text",
	  "it must not be instrumented (noinstr)" },
	{ NULL, "__entry_text_start", "__entry_text_end", ".entry.text",
	  "it is entry code, where no tracer may run (.entry.text)" },
	{ NULL, "__kprobes_text_start", "__kprobes_text_end", ".kprobes.text",
	  "kprobes themselves run it (.kprobes.text)" },
	{ "arm64", "__irqentry_text_start", "__irqentry_text_end", ".irqentry.text",
	  "interrupts enter there (.irqentry.text)" },
	{ "arm", "__irqentry_text_start", "__irqentry_text_end", ".irqentry.text",
	  "interrupts enter there (.irqentry.text)" },
	{ "riscv64", "__irqentry_text_start", "__irqentry_text_end", ".irqentry.text",
	  "interrupts enter there (.irqentry.text)" },
	{ "arm64", "__idmap_text_start", "__idmap_text_end", ".idmap.text",
	  "it runs without the kernel's page tables (.idmap.text)" },
	{ "arm", "__idmap_text_start", "__idmap_text_end", ".idmap.text",
	  "it runs without the kernel's page tables (.idmap.text)" },
	{ "arm64", "__hyp_text_start", "__hyp_text_end", ".hyp.text",
	  "it belongs to the hypervisor (.hyp.text)" },
};

const char *attach_kprobe_forbidden(const struct attach_image *image, uint64_t address,
				    const char *section)
{
	static const struct extent blacklist = { "__start_kprobe_blacklist",
						 "__stop_kprobe_blacklist", "_kprobe_blacklist" };
	const struct symbol *symbol = attach_symbol_at(image, address);
	uint64_t entry = symbol ? symbol->address : address;
	const struct abi *abi = image->abi;
	struct table table;
	bool any = false;

	for (size_t i = 0; i < sizeof(forbidden_texts) / sizeof(*forbidden_texts); i++) {
		const struct forbidden_text *text = &forbidden_texts[i];
		const struct extent extent = { text->begin, text->end, text->section };

		if ((!text->abi || (abi && strcmp(abi->name, text->abi) == 0)) &&
		    (strcmp(section, text->section) == 0 || is_within(image, &extent, address)))
			return text->why;
	}
	if (find_table(image, &blacklist, &table) &&
	    table_has(image, &table, entry, entry + 1, &any))
		return "the kernel keeps kprobes away from it (NOKPROBE_SYMBOL)";
	return NULL;
}

struct attach_state attach_state_at(const struct attach_image *image, uint64_t address,
				    const char *section, bool is_entry)
{
	struct attach_state state = {
		.ftrace = is_entry ? (uint8_t)ftrace_at(image, address) : ATTACH_UNKNOWN,
		.forbidden = attach_kprobe_forbidden(image, address, section),
		.init = strncmp(section, ".init.text", 10) == 0,
		.exit = !image->is_module && strncmp(section, ".exit.text", 10) == 0,
	};

	state.kprobe = state.forbidden ? ATTACH_NO : ATTACH_YES;
	return state;
}
