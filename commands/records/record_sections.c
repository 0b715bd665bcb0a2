/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The section headers of an ELF file say where its sections are, as long as its own symbols are
 * used. Symbols from elsewhere may have been moved (KASLR; a module is loaded anywhere), so that
 * with them each section is found by anchors. Sections without anchors:
 *	of a linked ELF file	moved as far as the section with the most anchors
 *	else, of a kernel	start at the symbol that its linker script puts there
 *	else			stay unknown (.init.text of a module that has been loaded)
 *
 * That the symbols are of this kernel is seen by the anchors. Without an extra part there are none:
 * then nearly all functions that the BTF promises must have a symbol.
 */
#include "commands/records/record_sections.h"

#include <stdio.h>
#include <string.h>

/* So many of a hundred promised functions must have a symbol. */
#define PROMISED_PERCENT	98
#define PROMISED_PERCENT_MODULE 50

uint32_t record_sections_find(const struct records *records, const char *name)
{
	uint32_t i = 0;

	while (i < records->sections.count && strcmp(records->sections.data[i].name, name) != 0)
		i++;
	return i;
}

static void add_sections(struct records *records, const struct btf_reader *btf, enum btf_kind kind)
{
	for (uint32_t i = 0; i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];
		const char *name = records_string(records, words[BTF_WORD_NAME]);
		bool has_size = kind == BTF_DATASEC;

		if (btf_info_kind(words[BTF_WORD_INFO]) == kind &&
		    (!has_size || btf_info_kind_flag(words[BTF_WORD_INFO])) &&
		    record_sections_find(records, name) == records->sections.count)
			array_push(&records->sections, ((struct record_section){
				.name = name, .size = has_size ? words[BTF_WORD_SIZE] : 0 }));
	}
}

/* ---- anchors ---- */

struct anchor_list {
	ARRAY_OF(uint64_t) starts;
};

/* How many entries each FUNC has; 2: several. To be freed. */
static uint8_t *count_entries(const struct records *records)
{
	uint32_t end = btf_reader_end_id(records->btf);
	uint8_t *counts = memory_zeroed(end, 1);
	struct site_walk walk = records_walk_extra(records);
	struct record_site site;

	while (site_walk_next(&walk, &site)) {
		if (site.function < end && counts[site.function] < 2)
			counts[site.function]++;
	}
	return counts;
}

static void collect_anchors(const struct records *records, const struct symbol_table *symbols,
			    struct anchor_list *lists)
{
	uint8_t *counts = count_entries(records);
	struct site_walk walk = records_walk_extra(records);
	struct record_site site;
	uint64_t address;

	while (site_walk_next(&walk, &site)) {
		const char *name = records_function_name(records, site.function);

		if (*name && counts[site.function] == 1 &&
		    records_only_symbol(symbols, name, &address))
			array_push(&lists[site.section].starts, address - site.offset);
	}
	free(counts);
}

static bool is_found(const struct symbol_table *symbols, const char *name)
{
	struct base_search search = symbol_table_search_base(symbols, name);
	const struct symbol *symbol;

	while ((symbol = base_search_next(&search))) {
		if (symbol_is_found_as(symbol, name))
			return true;
	}
	return false;
}

/* How many FUNCs of the BTF are promised, as no LOCSEC needs them, and how many have a symbol. */
static struct section_anchors count_promised(const struct records *records,
					     const struct symbol_table *symbols)
{
	const struct btf_reader *btf = &records->input.btf;
	bool *are_inlined = memory_zeroed(btf_reader_end_id(btf), sizeof(*are_inlined));
	struct site_walk walk = records_walk_inline(records);
	struct section_anchors promised = { 0 };
	struct record_site site;

	while (site_walk_next(&walk, &site)) {
		if (site.function < btf_reader_end_id(btf))
			are_inlined[site.function] = true;
	}
	for (uint32_t id = btf->first_id; id < btf_reader_end_id(btf); id++) {
		const char *name = records_function_name(records, id);

		if (!*name || are_inlined[id])
			continue;
		promised.count++;
		promised.agreeing += is_found(symbols, name);
	}
	free(are_inlined);
	return promised;
}

/* Of a module that has been loaded the symbols of .init.text are gone. */
static bool are_promised(const struct records *records, const struct section_anchors *promised)
{
	uint32_t percent = records->module ? PROMISED_PERCENT_MODULE : PROMISED_PERCENT;

	return (uint64_t)promised->agreeing * 100 >= (uint64_t)promised->count * percent;
}

/* `compared`: "of 5 functions ... no more than 1 ..."; NULL: none could be. */
static bool report_other(const struct records *records, const struct symbol_table *symbols,
			 const char *path, const char *compared, struct error *err)
{
	bool runs = symbols == &records->running.symbols;
	const char *option = runs ? "--running" : "--symbols";
	const char *remedy =
		records->module ? "/proc/kallsyms of a kernel that has loaded FILE" :
		runs ? "/proc/kallsyms of the kernel that FILE is of, while it runs" :
		       "System.map of the kernel that FILE is of";

	if (!compared)
		return error_at(err, path, "no function in the records could be compared with "
				"these symbols, as none has one place and one symbol; give %s the "
				"%s", option, remedy);
	return error_at(err, path, "these symbols belong to another %s: %s; give %s the %s",
			records->module ? "module, or to another build of it" : "kernel", compared,
			option, remedy);
}

/* Are the symbols of this kernel? By the records' places, else by what the BTF promises. */
static bool check_symbols(const struct records *records, const struct symbol_table *symbols,
			  const char *path, const struct section_anchors *all, struct error *err)
{
	struct section_anchors promised;
	char counts[160];

	if (records->has_extra && section_anchors_agree(all))
		return true;
	if (records->has_extra && all->count) {
		snprintf(counts, sizeof(counts), "of %u functions in the records no more than %u "
			 "are where these symbols are", all->count, all->agreeing);
		return report_other(records, symbols, path, counts, err);
	}
	if (records->has_extra)
		return report_other(records, symbols, path, NULL, err);
	promised = count_promised(records, symbols);
	if (are_promised(records, &promised))
		return true;
	snprintf(counts, sizeof(counts), "of %u functions that BTF promises no more than %u have "
		 "a symbol", promised.count, promised.agreeing);
	return report_other(records, symbols, path, counts, err);
}

/* One for each section. False: the symbols are of another kernel. */
static bool find_anchors(const struct records *records, const struct symbol_table *symbols,
			 const char *path, struct section_anchors *anchors, struct error *err)
{
	struct anchor_list *lists = memory_zeroed(records->sections.count + 1, sizeof(*lists));
	struct section_anchors all = { 0 };

	collect_anchors(records, symbols, lists);
	for (size_t i = 0; i < records->sections.count; i++) {
		anchors[i] = section_anchors_find(lists[i].starts.data, lists[i].starts.count);
		all.agreeing += anchors[i].agreeing;
		all.count += anchors[i].count;
		array_release(&lists[i].starts);
	}
	free(lists);
	return check_symbols(records, symbols, path, &all, err);
}

static uint32_t best_section(const struct records *records, const struct section_anchors *anchors)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < records->sections.count; i++) {
		if (anchors[i].agreeing > anchors[best].agreeing)
			best = i;
	}
	return best;
}

/* ---- without anchors ---- */

static const struct section_header *header_of(const struct records *records, uint32_t section)
{
	const struct record_section *wanted = &records->sections.data[section];

	return record_elf_find(&records->elf.object, wanted->name, wanted->size);
}

static bool by_shift(const struct records *records, const struct section_anchors *anchors,
		     uint32_t section, uint64_t *start)
{
	uint32_t best = best_section(records, anchors);
	const struct section_header *header = header_of(records, section);
	const struct section_header *known = header_of(records, best);

	if (!header || !known || records->elf.object.relocatable || !anchors[best].agreeing)
		return false;
	*start = header->address + (anchors[best].start - known->address);
	return true;
}

static bool by_linker_symbol(const struct records *records, const struct symbol_table *symbols,
			     uint32_t section, uint64_t *start)
{
	static const char *const symbols_at_start[][2] = {
		{ ".text", "_stext" }, { ".init.text", "_sinittext" },
		{ ".noinstr.text", "__noinstr_text_start" },
	};
	const char *name = records->sections.data[section].name;

	for (size_t i = 0; i < sizeof(symbols_at_start) / sizeof(*symbols_at_start); i++) {
		if (!records->module && strcmp(name, symbols_at_start[i][0]) == 0)
			return records_only_symbol(symbols, symbols_at_start[i][1], start);
	}
	return false;
}

static bool start_of(const struct records *records, const struct symbol_table *symbols,
		     const struct section_anchors *anchors, uint32_t section, uint64_t *start)
{
	if (section_anchors_agree(&anchors[section])) {
		*start = anchors[section].start;
		return true;
	}
	return by_shift(records, anchors, section, start) ||
	       by_linker_symbol(records, symbols, section, start);
}

/* ---- the image and the running kernel ---- */

static void place_by_headers(struct records *records)
{
	for (uint32_t i = 0; i < records->sections.count; i++) {
		struct record_section *section = &records->sections.data[i];
		const struct section_header *header = header_of(records, i);

		section->is_known = header && header->address;
		section->address = section->is_known ? header->address : 0;
	}
}

static bool place_by_symbols(struct records *records, struct error *err)
{
	struct section_anchors *anchors =
		memory_zeroed(records->sections.count + 1, sizeof(*anchors));
	bool good = find_anchors(records, records->symbols, records->symbols_path, anchors, err);

	for (uint32_t i = 0; good && i < records->sections.count; i++) {
		struct record_section *section = &records->sections.data[i];

		section->anchors = anchors[i];
		section->is_known =
			start_of(records, records->symbols, anchors, i, &section->address);
	}
	free(anchors);
	return good;
}

/* How far the kernel's text was moved (KASLR). */
static bool kernel_shift(const struct records *records, uint64_t *shift)
{
	static const char *const marks[] = { "_stext", "_text" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		uint64_t image, running;

		if (records_only_symbol(records->symbols, marks[i], &image) &&
		    records_only_symbol(&records->running.symbols, marks[i], &running)) {
			*shift = running - image;
			return true;
		}
	}
	return false;
}

static bool place_running(struct records *records, struct error *err)
{
	struct section_anchors *anchors =
		memory_zeroed(records->sections.count + 1, sizeof(*anchors));
	bool good = find_anchors(records, &records->running.symbols, records->options->running,
				 anchors, err);
	uint64_t shift;
	bool is_shifted = !records->module && kernel_shift(records, &shift);

	for (uint32_t i = 0; good && i < records->sections.count; i++) {
		struct record_section *section = &records->sections.data[i];

		section->runs = start_of(records, &records->running.symbols, anchors, i,
					 &section->running);
		if (is_shifted && section->is_known) {
			section->runs = true;
			section->running = section->address + shift;
		}
	}
	free(anchors);
	return good;
}

bool record_sections_place(struct records *records, struct error *err)
{
	if (records->has_extra)
		add_sections(records, &records->extra, BTF_DATASEC);
	if (records->has_inline)
		add_sections(records, &records->input.btf, BTF_LOCSEC);
	if (records->symbols == &records->elf.symbols)
		place_by_headers(records);
	else if (!place_by_symbols(records, err))
		return false;
	return !records->options->running || place_running(records, err);
}
