/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Fills an explanation by records (kernel/records.h): what the BTF promises, its sites,
 * and symbols, from which it also follows how tracefs names an address.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "commands/explain/explain_dwarf.h"
#include "commands/explain/explain_argument.h"
#include "commands/explain/tracepoint.h"

/* Symbols that linker scripts put at a section's start, where a function may begin, too. */
static bool is_mark(const char *name)
{
	static const char *const ends[] = { "_text", "_text_start", "_text_end", "inittext",
					    "_stext" };

	for (size_t i = 0; i < sizeof(ends) / sizeof(*ends); i++) {
		if (text_ends_with(name, ends[i]) || strcmp(name, ends[i]) == 0)
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

/* A list has the addresses of a module only while it is loaded. */
static void set_attach(struct probe_point *point, const struct explanation *explanation,
			    const struct record_section *section, bool is_entry)
{
	const struct records *records = explanation->records;
	bool is_made_up = records->symbols == &records->elf.symbols &&
			  records->elf.object.relocatable;
	bool is_live = !records->module || records->symbols == &records->file.symbols;
	uint64_t running = section->runs ? section->running + point->section_offset
			   : is_live	 ? point->address : ATTACH_NOWHERE;

	point->attach =
		attach_state_at(&explanation->image, point->address, section->name, is_entry);
	attach_probe(&explanation->image, point->symbol, point->address, running, point->probe);
	if (section->runs || !is_made_up)
		snprintf(point->where, sizeof(point->where), "0x%" PRIx64,
			 section->runs ? running : point->address);
}

/* ---- prototypes ---- */

static uint32_t prototype_of(const struct type_source *types, uint32_t function)
{
	const uint32_t *words = type_words_of(types, function, BTF_FUNC);

	return words && type_words_of(types, words[BTF_WORD_TYPE], BTF_FUNC_PROTO)
		       ? words[BTF_WORD_TYPE]
		       : 0;
}

/* By the location of a site, or else by its FUNC. */
static void put_arguments(struct probe_point *point, const struct explanation *explanation,
			  uint32_t function, uint32_t location)
{
	const struct type_source *types = &explanation->types;
	const struct argument_source source = {
		.room = explanation->room,
		.by_convention = location && type_words_of(types, location, BTF_FUNC_PROTO),
		.loc = type_words_of(types, location, BTF_LOC),
		.loc_proto = type_words_of(types, location, BTF_LOC_PROTO) };

	if (source.by_convention)
		point->prototype = location;
	else if (source.loc &&
		 type_words_of(types, source.loc[BTF_WORD_TYPE], BTF_FUNC_PROTO))
		point->prototype = source.loc[BTF_WORD_TYPE];
	else
		point->prototype = prototype_of(types, function);
	explain_arguments(point, types, &source);
}

/* ---- sites ---- */

/* By id: is it a FUNC whose name without suffixes this is? To be freed. */
static bool *find_functions(const struct records *records, const char *base)
{
	uint32_t end = btf_reader_end_id(records->btf);
	bool *wanted = memory_zeroed(end, sizeof(*wanted));
	size_t length = strlen(base);

	for (uint32_t id = 1; id < end; id++) {
		const char *name = records_function_name(records, id);

		wanted[id] = strncmp(name, base, length) == 0 &&
			     (!name[length] ||
			      (name[length] == '.' && symbol_parse(name).base_length == length));
	}
	return wanted;
}

void explain_records_site(struct explanation *explanation, const struct record_site *site,
			  bool is_inline)
{
	const struct records *records = explanation->records;
	const struct record_section *section = &records->sections.data[site->section];
	const struct probe_point *last = NULL;
	size_t count = explanation->instances.count;
	struct probe_point point = {
		.address = section->address + site->offset, .section = section->name,
		.section_offset = site->offset,
		.function = records_function_name(records, site->function) };

	if (!*explanation->room)
		return;
	point.join = (uint8_t)join_by_suffix(point.function, explanation->name);
	/* The promise is about f.llvm.HASH if there is no f. */
	if (point.join == JOIN_RENAMED && explanation->func == FUNC_PROMISED &&
	    !symbol_table_find(records->symbols, explanation->name))
		point.join = JOIN_SAME;
	point.result_in_doubt = point.join == JOIN_CLONE;
	put_arguments(&point, explanation, site->function, site->location);
	if (!section->is_known) {
		array_push(&explanation->unplaced, point);
		return;
	}
	/*
	 * An instance has a symbol of its FUNC's name at its address. A second entry of the FUNC
	 * there is a site inside the function itself, and so are all of a LOCSEC.
	 */
	if (count)
		last = &explanation->instances.data[count - 1];
	if (!is_inline && (!last || last->address != point.address ||
			   strcmp(last->function, point.function) != 0))
		point.symbol =
			records_find_symbol(records->symbols, point.function, point.address);
	if (point.symbol) {
		set_attach(&point, explanation, section, true);
		array_push(&explanation->instances, point);
	} else {
		point.symbol = symbol_at(records, point.address);
		point.in_itself = point.symbol &&
				  strncmp(point.symbol->name, explanation->name,
					  point.symbol->base_length) == 0 &&
				  !explanation->name[point.symbol->base_length];
		set_attach(&point, explanation, section, false);
		array_push(&explanation->sites, point);
	}
}

/*
 * Entries under another FUNC than that which promises the name, but of the same name, are of
 * functions of other files.
 */
static void add_sites(struct explanation *explanation, const struct record_sites *sites,
		      const bool *wanted, uint32_t promise, bool are_inline)
{
	uint32_t end = btf_reader_end_id(explanation->records->btf);

	for (size_t i = 0; i < sites->count; i++) {
		uint32_t function = sites->data[i].function;
		bool is_other;

		if (function >= end || !wanted[function])
			continue;
		is_other = promise && function != promise &&
			   strcmp(records_function_name(explanation->records, function),
				  explanation->name) == 0;
		if (is_other && !explanation->namesake_count)
			explanation_add_namesakes(explanation, 1);
		explain_records_site(is_other ? explanation->namesakes : explanation,
				     &sites->data[i], are_inline);
	}
}

/* ---- the name as a whole ---- */

/* The FUNC with exactly this name in the BTF of the file itself, not of its base; 0: none. */
static uint32_t find_promise(struct explanation *explanation, bool has_symbol)
{
	const struct records *records = explanation->records;
	const struct btf_reader *btf = &records->input.btf;

	for (uint32_t id = btf->first_id; id < btf_reader_end_id(btf); id++) {
		if (strcmp(records_function_name(records, id), explanation->name) != 0)
			continue;
		explanation->prototype_id = prototype_of(&explanation->types, id);
		explanation->func = FUNC_WITHOUT_PROTOTYPE;
		if (!explanation->prototype_id)
			continue;
		explanation->prototype_id = explain_whole_prototype(
			explanation, explanation->prototype_id, &explanation->implicit);
		explanation->func = has_symbol || records->without_symbols ? FUNC_PROMISED
									   : FUNC_WITHOUT_SYMBOL;
		return id;
	}
	return 0;
}

/* Without symbols the name is all that is known of where a promised function begins. */
static void find_named_entry(struct explanation *explanation)
{
	struct probe_point *entry = &explanation->entry;

	explanation->has_entry = true;
	*entry = (struct probe_point){ .address = ATTACH_NOWHERE, .section = "",
				       .function = explanation->name, .join = JOIN_SAME,
				       .attach.kprobe = ANSWER_YES };
	if (explanation->image.running)
		entry->attach = attach_state_of_name(&explanation->image,
						     explanation->name, false);
	put_arguments(entry, explanation, 0, explanation->prototype_id);
	/* As attach_probe() does: the text goes into scripts and lines for shells. */
	if (text_is_made_of(explanation->name, "_.$"))
		snprintf(entry->probe, sizeof(entry->probe), "%.63s%s%.511s",
			 explanation->image.module ? explanation->image.module : "",
			 explanation->image.module ? ":" : "", explanation->name);
}

/* BTF and records of inline sites do not tell of entries: the symbol and the promise do. */
static void find_entry(struct explanation *explanation, const struct symbol *symbol)
{
	struct probe_point *entry = &explanation->entry;

	explanation->has_entry = true;
	*entry = (struct probe_point){ .address = symbol->address, .section = "",
				       .function = symbol->name, .symbol = symbol,
				       .join = (uint8_t)join_by_suffix(symbol->name,
								 explanation->name) };
	if (explanation->image.object || symbol->address)
		attach_address(explanation->image.object, symbol->address, entry->where);
	if (explanation->func == FUNC_PROMISED)
		put_arguments(entry, explanation, 0, explanation->prototype_id);
	entry->attach = attach_state_at(&explanation->image, symbol->address, "", true);
	entry->section = entry->attach.init ? ".init.text"
			 : entry->attach.exit ? ".exit.text" : "";
	if (symbol_table_only_code(explanation->image.symbols, symbol->name))
		attach_probe(&explanation->image, symbol, symbol->address, ATTACH_NOWHERE,
			     entry->probe);
}

/* The first that is made of the function, where none has its own name: foo.isra.0 of foo. */
static const struct symbol *find_clone(const struct explanation *explanation)
{
	const struct symbol_table *symbols = explanation->image.symbols;
	struct symbol_search search = symbol_table_search_base(symbols, explanation->name);
	const struct symbol *symbol;

	while ((symbol = symbol_search_next(&search))) {
		if (symbol->type == STT_FUNC)
			return symbol;
	}
	return NULL;
}

/* Has the file's own BTF another FUNC of the name? pahole 1.24 has two of init_once() in 6.1. */
static bool has_twin(const struct explanation *explanation)
{
	const struct records *records = explanation->records;
	const struct btf_reader *btf = &records->input.btf;
	uint32_t found = 0;

	for (uint32_t id = btf->first_id; id < btf_reader_end_id(btf); id++)
		found += strcmp(records_function_name(records, id), explanation->name) == 0;
	return found > 1 && !btf_has_kind(btf, BTF_LOCSEC);
}

/*
 * The reasons that DWARF would give, as far as the locations show them. A FUNC without a record of
 * where it is may be any function of its name: pahole 1.24 has such.
 */
static reason_set reasons_of(const struct explanation *explanation, const struct symbol *symbol,
			     const struct symbol *clone)
{
	enum join_class best = clone ? join_by_suffix(clone->name, explanation->name) : JOIN_NONE;

	if (explanation->func == FUNC_PROMISED && explanation->instances.count)
		return 0;
	if (symbol && symbol_is_function(symbol) &&
	    !symbol_table_only_code(explanation->image.symbols, symbol->name))
		return REASON(AMBIGUOUS_ADDRESS);
	if (explanation->func == FUNC_PROMISED)
		return has_twin(explanation) ? REASON(AMBIGUOUS_ADDRESS) : 0;
	for (size_t i = 0; i < explanation->instances.count; i++) {
		enum join_class join = explanation->instances.data[i].join;

		best = join > best ? join : best;
	}
	switch (best) {
	case JOIN_COLD: return REASON(COLD);
	case JOIN_FRAGMENT: return REASON(PARTIAL);
	case JOIN_CLONE: return REASON(CLONE);
	case JOIN_RENAMED: return REASON(RENAMED);
	case JOIN_SAME: return 0;
	case JOIN_NONE: break;
	}
	return !symbol && explanation->sites.count ? REASON(INLINED_ONLY) : 0;
}

/* Do the records tell of inline sites? Each entry of code that begins elsewhere is one. */
static bool has_sites(const struct records *records)
{
	if (records->inline_sites.count)
		return true;
	array_each(const struct record_site, site, &records->entries) {
		const struct record_section *section = &records->sections.data[site->section];
		uint64_t address = section->address + site->offset;
		const struct symbol *symbol =
			section->is_known ? symbol_table_enclosing(records->symbols, address)
					  : NULL;

		if (symbol && symbol->address != address)
			return true;
	}
	return false;
}

void explain_records_fill(struct explanation *explanation)
{
	const struct records *records = explanation->records;
	const char *name = explanation->name;
	const struct symbol *symbol = records_find_symbol(records->symbols, name, RECORDS_ANYWHERE);
	bool *wanted = find_functions(records, name);
	uint32_t promise = find_promise(explanation, symbol);
	const struct symbol *clone = NULL;

	add_sites(explanation, &records->entries, wanted, promise, false);
	/* The same sites, where the extra part has some. */
	if (!explanation->sites.count)
		add_sites(explanation, &records->inline_sites, wanted, promise, true);
	free(wanted);
	explanation->sites_unknown = !explanation->sites.count && !has_sites(records);
	if (!symbol && !explanation->func && !explanation->instances.count)
		clone = find_clone(explanation);
	explanation->reasons = reasons_of(explanation, symbol, clone);
	symbol = clone ? clone : symbol;
	if (explanation->func == FUNC_PROMISED && explanation->reasons)
		explanation->func = FUNC_OF_NAMESAKES;
	if (symbol && symbol_is_function(symbol) && !explanation->instances.count)
		find_entry(explanation, symbol);
	else if (records->without_symbols && explanation->func == FUNC_PROMISED &&
		 !explanation->instances.count)
		find_named_entry(explanation);
	explanation->is_described = explanation->func || explanation->instances.count ||
				    explanation->sites.count ||
				    explanation->unplaced.count;
	explanation->has_function =
		explanation->is_described || (symbol && symbol->type != STT_OBJECT);
	for (size_t i = 0; i < explanation->namesake_count; i++) {
		struct explanation *namesake = &explanation->namesakes[i];

		namesake->is_described = namesake->has_function = true;
		namesake->reasons = reasons_of(namesake, NULL, NULL);
	}
}
