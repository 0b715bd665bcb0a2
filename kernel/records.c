/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Opens what there is of a file with records, collects its sites, and finds where the sections are
 * that they count from.
 */
#include "kernel/records.h"

#include <stdio.h>
#include <string.h>

#include "base/file_kind.h"
#include "base/hash.h"
#include "base/sort.h"
#include "btf/inspect.h"

/* ---- opening ---- */

static bool report_no_btf(struct records *records, struct error *err)
{
	struct object *object = &records->elf.object;
	bool has_dwarf = elf_has_dwarf(object) || object_open_debug_file(object);

	return error_at(err, records->options->path, "has no %sBTF%s%s", has_dwarf
			? "" : "DWARF, and no ", object->other_debug, has_dwarf
			? ": `btfenc encode` makes it of DWARF" : "; " DEBUG_PACKAGES);
}

/* Its first error by the rules of a dialect, as text; false: it has none. */
static bool btf_first_error(const struct btf_reader *btf, enum btf_dialect dialect, char *text,
			    size_t bytes)
{
	const struct btf_verify_options options = {
		.dialect = dialect, .limit = 1, .layout = true, .errors_only = true };
	struct btf_findings findings;
	bool found;

	btf_verify(btf, &options, &findings);
	found = findings.count;
	if (found)
		btf_finding_text(btf, &findings.data[0], text, bytes);
	btf_findings_release(&findings);
	return found;
}

static enum btf_dialect dialect_of(const struct btf_reader *btf)
{
	bool is_extra = btf_has_kind(btf, BTF_LOC) || btf_has_kind(btf, BTF_DATASEC);

	return is_extra && !btf_has_kind(btf, BTF_LOCSEC) ? BTF_DIALECT_EXTRA : BTF_DIALECT_INLINE;
}

/* A name may be the end of another one, but few are. In the strings of another base most are. */
static bool begins_string(const struct btf_reader *btf, uint32_t name)
{
	while (btf->base && name < btf->first_string)
		btf = btf->base;
	return name == btf->first_string || !btf->strings[name - btf->first_string - 1];
}

/* Stripped of them (strip --strip-unneeded), a file has none of most functions. */
static bool has_local_functions(const struct symbol_table *symbols)
{
	array_each(const struct symbol, symbol, &symbols->symbols) {
		if (symbol->type == STT_FUNC && symbol->binding == STB_LOCAL)
			return true;
	}
	return false;
}

/* FUNCs that are promised, as no LOCSEC needs them. */
struct promised {
	uint32_t count, known;	/* those that have a symbol */
	const char *lost;	/* one that has none */
	uint32_t last_site;	/* the greatest offset in a LOCSEC */
};

static struct promised count_promised(const struct btf_reader *btf,
				      const struct symbol_table *symbols)
{
	uint32_t end = btf_reader_end_id(btf);
	bool *are_inlined = memory_zeroed(end, sizeof(*are_inlined));
	struct promised promised = { 0 };

	for (uint32_t i = 0; i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];
		uint32_t sites =
			btf_record_kind(words) == BTF_LOCSEC ? btf_element_count(words) : 0;

		for (uint32_t k = 0; k < sites; k++) {
			const uint32_t *site = btf_element(words, k);

			are_inlined[site[0] < end ? site[0] : 0] = true;
			if (site[2] > promised.last_site)
				promised.last_site = site[2];
		}
	}
	for (uint32_t id = btf->first_id; id < end; id++) {
		const uint32_t *words = btf_reader_type(btf, id);
		const char *name = btf_type_name(btf, words);
		struct symbol_search search;

		/* Damaged BTF has long names that overlap. */
		if (btf_record_kind(words) != BTF_FUNC || are_inlined[id] || !*name ||
		    name[btf_name_length(name)])
			continue;
		promised.count++;
		/* pahole has FUNC foo for foo.isra.0, too. */
		search = symbol_table_search_base(symbols, name);
		if (symbol_search_next(&search))
			promised.known++;
		else if (!promised.lost)
			promised.lost = name;
	}
	free(are_inlined);
	return promised;
}

bool records_are_split_right(const struct btf_reader *btf, const struct elf_input *elf,
			     struct error *err)
{
	struct promised promised = { 0 };
	uint32_t names = 0, begun = 0;
	char line[300] = "";
	bool good = !btf->base || !btf_first_error(btf, dialect_of(btf), line, sizeof(line));

	for (uint32_t i = 0; good && btf->base && i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];
		bool has_name = *btf_type_name(btf, words);

		names += has_name;
		begun += has_name && begins_string(btf, words[BTF_WORD_NAME]);
	}
	if (good && btf->base && elf && has_local_functions(&elf->symbols))
		promised = count_promised(btf, &elf->symbols);
	if (2 * begun < names)
		snprintf(line, sizeof(line), "most of its names begin within other names");
	else if (2 * promised.known < promised.count)
		snprintf(line, sizeof(line), "no symbol of its function '%.100s'", promised.lost);
	return !*line || error_at(err, btf->name, "is not split from %.200s (%.200s), or is "
				  "damaged; give the BTF of the kernel that it was built for",
				  btf->base->name, line);
}

bool records_are_of_another(const char *path, struct error *err)
{
	static const char *const sections[] = { ".BTF", ".BTF.inline", ".BTF.extra" };
	const char *what = NULL;
	uint64_t code = 0;	/* bytes of the longest section that has some */
	struct btf_reader btf;
	struct elf_input elf;
	bool is_module = elf_input_open(&elf, path, err) && elf.object.relocatable;

	for (size_t i = 0; is_module && i < elf.object.header_count; i++) {
		const struct section_header *header = &elf.object.headers[i];

		if (header->flags & SHF_EXECINSTR && header->size > code)
			code = header->size;
	}
	for (size_t i = 0; is_module && !what && i < sizeof(sections) / sizeof(*sections); i++) {
		struct promised promised;

		if (!btf_reader_open(&btf, path, sections[i], NULL, err))
			continue;
		promised = count_promised(&btf, &elf.symbols);
		if (btf.word_count - btf.indexed_words >= BTF_HEAD_WORDS &&
		    !btf_kind_exists(btf.words[btf.indexed_words + BTF_WORD_INFO]))
			what = "types of a kind that is not known here";
		else if (promised.last_site > code)
			what = "inline sites of other code";
		/* Names of split BTF are known with its base, which may be gone. */
		else if (btf.string_bytes && !*btf.strings && 2 * promised.known < promised.count)
			what = "functions of other code";
		if (what)
			error_at(err, path, "its %s has %s, and was left as it is; use -o OUT, or "
				 "--force to replace it", sections[i], what);
		btf_reader_release(&btf);
	}
	elf_input_close(&elf);
	return what;
}

bool records_part_fits(const struct btf_reader *part, const struct btf_reader *btf,
		       struct error *err)
{
	size_t length = strlen(btf->name);
	bool is_section = strncmp(part->name, btf->name, length) == 0 && part->name[length] == ':';
	char text[256];

	return !btf_first_error(part, dialect_of(part), text, sizeof(text)) ||
	       error_at(err, part->name, "does not fit %.200s (%s): it was made with another BTF, "
			"or is damaged; encode both again", is_section ? ".BTF" : btf->name, text);
}

bool records_open_parts(struct btf_input *input, const struct elf_input *elf, const char *extra,
			struct error *err)
{
	bool good = btf_reader_check_complete(&input->btf, err);

	if (good && (input->is_extra || input->part_suffix))
		return error_at(err, input->path, "is the .BTF%s of another file; give that file%s",
				input->part_suffix ? input->part_suffix : ".extra",
				input->part_suffix ? ", this one is found next to it"
				: ", and explain takes this one with --extra");
	good = good && records_are_split_right(&input->btf, elf, err) &&
	       btf_input_open_parts(input, true, extra, err);

	for (uint32_t i = 0; good && i < input->part_count; i++)
		good = btf_reader_check_complete(&input->parts[i], err) &&
		       records_part_fits(&input->parts[i], &input->btf, err);
	return good;
}

/* The BTF, then its parts; NULL after them. */
static const struct btf_reader *layer_of(const struct records *records, uint32_t layer)
{
	return !layer ? &records->input.btf
	       : layer <= records->input.part_count ? &records->input.parts[layer - 1] : NULL;
}

static bool open_btf(struct records *records, struct error *err)
{
	const struct records_options *options = records->options;
	const struct object *object = &records->elf.object;

	if (records->is_elf && !options->extra &&
	    !elf_has_section(object->image ? object->image : object, ".BTF"))
		return report_no_btf(records, err);
	records->input.path = options->path;
	records->input.given = options->bases;
	records->input.below = options->below;
	if (!btf_input_open(&records->input, err) ||
	    !records_open_parts(&records->input, records->is_elf ? &records->elf : NULL,
				options->extra, err))
		return false;
	records->btf = btf_input_top(&records->input);
	for (uint32_t i = 1; layer_of(records, i); i++)
		records->has_extra |= !btf_has_kind(layer_of(records, i), BTF_LOCSEC);
	return true;
}

/* ---- symbols ---- */

static bool read_list(struct records *records, struct kallsyms_file *file, const char *path,
		      struct error *err)
{
	if (!kallsyms_file_read(file, path, records->module, err))
		return false;
	if (file->symbols.symbols.count)
		return true;
	if (records->module)
		return error_at(err, path, "has no symbols of module %s: load it, or give its "
				"name with --module", records->module);
	return error_at(err, path, "has no symbols of a kernel; give a System.map");
}

/* Those of the running kernel were only tried. */
static bool do_without_symbols(struct records *records, const struct error *err)
{
	if (!records->is_running)
		return false;
	records->is_running = false;
	records->without_symbols = memory_copy(err->text);
	kallsyms_file_release(&records->file);
	records->file = (struct kallsyms_file){ 0 };
	return true;
}

static bool open_symbols(struct records *records, struct error *err)
{
	const struct records_options *options = records->options;

	if (options->module)
		records->module = memory_copy(options->module);
	else if (options->is_module || records->input.btf.base ||
		 (records->is_elf && records->elf.object.relocatable))
		records->module = module_name_of(records->is_elf ? &records->elf.object : NULL,
						    options->path);
	if (!options->symbols && records->elf.symbols.symbols.count) {
		records->symbols = &records->elf.symbols;
		records->symbols_path = memory_copy(options->path);
		return true;
	}
	records->symbols = &records->file.symbols;
	/* vmlinuz has none; its BTF says what raw BTF says. */
	if (!options->symbols && records->is_elf) {
		records->without_symbols = text_format("%s: has no symbol table; give its "
						       "System.map with --symbols", options->path);
		return true;
	}
	if (options->needs_no_symbols) {
		records->without_symbols = memory_copy("they are not needed");
		return true;
	}
	records->is_running = !options->symbols;
	records->symbols_path = options->symbols
		? memory_copy(options->symbols)
		: text_format("%s" KALLSYMS_PATH, records->running_kernel.root);
	return ((options->symbols || file_is_regular(records->symbols_path,
						    "give the symbols with --symbols", err)) &&
		read_list(records, &records->file, records->symbols_path, err)) ||
	       do_without_symbols(records, err);
}

/* ---- looking things up ---- */

const char *records_function_name(const struct records *records, uint32_t id)
{
	const uint32_t *words = btf_reader_type(records->btf, id);

	return btf_record_kind(words) == BTF_FUNC ? btf_type_name(records->btf, words) : "";
}

const struct symbol *records_find_symbol(const struct symbol_table *symbols, const char *name,
					 uint64_t address)
{
	struct symbol_search search = symbol_table_search_base(symbols, name);
	size_t length = strlen(name);
	const struct symbol *symbol;

	while ((symbol = symbol_search_next(&search))) {
		/* Whether the kernel strips .llvm.HASH is not known; a FUNC says that it does. */
		if (strncmp(symbol->name, name, length) == 0 &&
		    symbol_is_found(symbol, length, true) &&
		    (address == RECORDS_ANYWHERE || symbol->address == address))
			return symbol;
	}
	return NULL;
}

/* Adds it if it is new. */
static uint32_t section_of(struct records *records, const char *name, uint32_t size)
{
	uint32_t hash = hash_bytes(name, strlen(name));
	uint32_t known = hash_table_find(i, &records->by_section, hash,
					 strcmp(records->sections.data[i - 1].name, name) == 0);

	if (known)
		return known - 1;
	array_push(&records->sections, ((struct record_section){ .name = name, .size = size }));
	hash_table_add(&records->by_section, hash, (uint32_t)records->sections.count);
	return (uint32_t)records->sections.count - 1;
}

/* The entries of DATASECs of functions, or of LOCSECs, and the sections that they are in. */
static void add_sites(struct records *records, const struct btf_reader *btf, enum btf_kind kind)
{
	bool are_inline = kind == BTF_LOCSEC;
	struct record_sites *sites = are_inline ? &records->inline_sites : &records->entries;

	for (uint32_t i = 0; btf && i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];
		uint32_t info = words[BTF_WORD_INFO], count = btf_element_count(words), section;

		if (btf_info_kind(info) != kind || !(are_inline || btf_info_kind_flag(info)))
			continue;
		section = section_of(records, btf_site_section(btf_type_name(records->btf, words)),
				     are_inline ? 0 : words[BTF_WORD_SIZE]);
		array_reserve(sites, count);
		for (const uint32_t *entry = words + BTF_HEAD_WORDS; count > 0; count--, entry += 3)
			sites->data[sites->count++] = (struct record_site){
				.function = entry[0], .section = section,
				.offset = entry[are_inline ? 2 : 1],
				.location = entry[are_inline ? 1 : 2] };
	}
}

/* ---- where sections are ---- */

/*
 * The section headers of an ELF file say where its sections are, as long as its own symbols are
 * used. Symbols from elsewhere may have been moved (KASLR; a module is loaded anywhere), so that
 * with them each section is found by anchors. Sections without anchors:
 *	of a linked ELF file	moved as far as the section with the most anchors
 *	else, of a kernel	start at the symbol that its linker script puts there
 *	of a running module	are where the kernel says
 *	else			stay unknown (.init.text of a module that has been loaded)
 *
 * That the symbols are of this kernel is seen by the anchors. Without an extra part there are none:
 * then nearly all functions that the BTF promises must have a symbol.
 */

/* So many of a hundred promised functions must have a symbol. */
#define PROMISED_PERCENT	98
/* After a module has been loaded the symbols of its .init.text are gone. */
#define PROMISED_PERCENT_MODULE 50

/* So many of a hundred anchors must agree. */
#define ANCHORS_AGREEING_PERCENT 90

/* `starts`: what each anchor says; it gets sorted. */
static struct section_anchors join_anchors(uint64_t *starts, size_t count)
{
	struct section_anchors anchors = { .count = (uint32_t)count };
	uint32_t run = 0;

	if (count)
		qsort(starts, count, sizeof(*starts), compare_u64);
	for (size_t i = 0; i < count; i++) {
		run = i && starts[i] == starts[i - 1] ? run + 1 : 1;
		if (run > anchors.agreeing) {
			anchors.agreeing = run;
			anchors.start = starts[i];
		}
	}
	return anchors;
}

/* Nearly all of them? False, too, when there are none. */
static bool anchors_agree(const struct section_anchors *anchors)
{
	return anchors->count && (uint64_t)anchors->agreeing * 100 >=
				 (uint64_t)anchors->count * ANCHORS_AGREEING_PERCENT;
}

/* One for each section, by the FUNCs that have one entry and one symbol. To be freed. */
static struct section_anchors *find_anchors(const struct records *records,
					    const struct symbol_table *symbols)
{
	size_t count = records->sections.count;
	struct section_anchors *anchors = memory_zeroed(count + 1, sizeof(*anchors));
	ARRAY_OF(uint64_t) *starts = memory_zeroed(count + 1, sizeof(*starts));
	uint32_t end = btf_reader_end_id(records->btf);
	uint8_t *entries = memory_zeroed(end, 1);	/* of a FUNC; 2: several */

	for (size_t i = 0; i < records->entries.count; i++) {
		uint32_t function = records->entries.data[i].function;

		if (function < end && entries[function] < 2)
			entries[function]++;
	}
	array_each(const struct record_site, site, &records->entries) {
		const char *name = records_function_name(records, site->function);
		const struct symbol *symbol =
			*name && entries[site->function] == 1
				? symbol_table_only_code(symbols, name) : NULL;

		if (symbol)
			array_push(&starts[site->section], symbol->address - site->offset);
	}
	for (size_t i = 0; i < count; i++) {
		anchors[i] = join_anchors(starts[i].data, starts[i].count);
		array_release(&starts[i]);
	}
	free(starts);
	free(entries);
	return anchors;
}

/* Are the symbols of this kernel? By the records' addresses, else by what the BTF promises. */
static bool check_symbols(const struct records *records, const struct symbol_table *symbols,
			  const char *path, const struct section_anchors *anchors,
			  struct error *err)
{
	bool runs = symbols == &records->running.symbols;
	const char *option = runs ? "--running" : "--symbols";
	const char *remedy =
		records->module ? "/proc/kallsyms of a kernel that has loaded FILE" :
		runs ? "/proc/kallsyms of the kernel that FILE is of, while it runs" :
		       "System.map of the kernel that FILE is of";
	uint32_t percent = records->module ? PROMISED_PERCENT_MODULE : PROMISED_PERCENT;
	struct section_anchors all = { 0 };
	char compared[160];

	for (size_t i = 0; i < records->sections.count; i++) {
		all.agreeing += anchors[i].agreeing;
		all.count += anchors[i].count;
	}
	if (!records->has_extra) {
		const struct promised promised = count_promised(&records->input.btf, symbols);

		all = (struct section_anchors){ .agreeing = promised.known,
						.count = promised.count };
		if ((uint64_t)all.agreeing * 100 >= (uint64_t)all.count * percent)
			return true;
		snprintf(compared, sizeof(compared), "of %u functions that BTF promises no more "
			 "than %u have a symbol", all.count, all.agreeing);
	} else if (anchors_agree(&all)) {
		return true;
	} else if (!all.count) {
		return error_at(err, path, "no function in the records could be compared with "
				"these symbols: no function has one address and one symbol; "
				"give %s the %s", option, remedy);
	} else {
		snprintf(compared, sizeof(compared), "of %u functions in the records no more than "
			 "%u are where these symbols are", all.count, all.agreeing);
	}
	return error_at(err, path, "these symbols belong to another %s: %s; give %s the %s",
			records->module ? "module, or to another build of it" : "kernel", compared,
			option, remedy);
}

static const struct section_header *header_of(const struct records *records, uint32_t section)
{
	const struct record_section *wanted = &records->sections.data[section];

	return section_index_named(&records->elf.object.index, wanted->name, wanted->size);
}

/* False: not known. */
static bool start_of(const struct records *records, const struct symbol_table *symbols,
		     const struct section_anchors *anchors, uint32_t section, uint64_t *start)
{
	static const char *const symbols_at_start[][2] = {
		{ ".text", "_stext" }, { ".init.text", "_sinittext" },
		{ ".noinstr.text", "__noinstr_text_start" },
	};
	const struct section_header *header = header_of(records, section), *known;
	const struct symbol *symbol = NULL;
	uint32_t best = 0;

	if (anchors_agree(&anchors[section])) {
		*start = anchors[section].start;
		return true;
	}
	for (uint32_t i = 1; i < records->sections.count; i++) {
		if (anchors[i].agreeing > anchors[best].agreeing)
			best = i;
	}
	known = header_of(records, best);
	if (header && known && !records->elf.object.relocatable && anchors[best].agreeing) {
		*start = header->address + (anchors[best].start - known->address);
		return true;
	}
	for (size_t i = 0; i < sizeof(symbols_at_start) / sizeof(*symbols_at_start); i++) {
		if (!records->module && strcmp(records->sections.data[section].name,
					       symbols_at_start[i][0]) == 0)
			symbol = symbol_table_only_code(symbols, symbols_at_start[i][1]);
	}
	if (symbol)
		*start = symbol->address;
	return symbol;
}

static bool locate_in_image(struct records *records, struct error *err)
{
	bool by_headers = records->symbols == &records->elf.symbols;
	struct section_anchors *anchors =
		by_headers ? NULL : find_anchors(records, records->symbols);
	bool good = by_headers || records->without_symbols ||
		    check_symbols(records, records->symbols, records->symbols_path, anchors, err) ||
		    do_without_symbols(records, err);

	if (!by_headers && records->without_symbols)
		memset(anchors, 0, records->sections.count * sizeof(*anchors));

	for (uint32_t i = 0; good && i < records->sections.count; i++) {
		struct record_section *section = &records->sections.data[i];
		const struct section_header *header = by_headers ? header_of(records, i) : NULL;

		if (by_headers) {
			section->is_known = header && header->address;
			section->address = section->is_known ? header->address : 0;
			continue;
		}
		section->anchors = anchors[i];
		section->is_known =
			start_of(records, records->symbols, anchors, i, &section->address);
		if (section->is_known || !records->is_running || !records->module)
			continue;
		section->is_known = section->is_told =
			running_kernel_find_section(&records->running_kernel, records->module,
						    section->name, &section->address);
	}
	free(anchors);
	return good;
}

/* A kernel's sections are moved as far as its text (KASLR), if both lists have that. */
static bool locate_running(struct records *records, struct error *err)
{
	static const char *const marks[] = { "_stext", "_text" };
	const struct symbol_table *symbols = &records->running.symbols;
	struct section_anchors *anchors = find_anchors(records, symbols);
	bool good = check_symbols(records, symbols, records->options->running, anchors, err);
	const struct symbol *image = NULL, *running = NULL;

	for (size_t i = 0; !records->module && i < 2 && !(image && running); i++) {
		image = symbol_table_only_code(records->symbols, marks[i]);
		running = symbol_table_only_code(symbols, marks[i]);
	}
	for (uint32_t i = 0; good && i < records->sections.count; i++) {
		struct record_section *section = &records->sections.data[i];

		section->runs = start_of(records, symbols, anchors, i, &section->running);
		if (image && running && section->is_known) {
			section->runs = true;
			section->running = section->address + (running->address - image->address);
		}
	}
	free(anchors);
	return good;
}

/* ---- all of it ---- */

bool records_open(struct records *records, const struct records_options *options,
		  struct error *err)
{
	struct btf_machine machine;

	*records = (struct records){ .options = options, .elf.object.fd = -1,
				     .running_kernel.root = file_set_root(options->root) };
	records->is_elf = file_kind_of(options->path) == FILE_ELF;
	if (records->is_elf && !elf_input_open(&records->elf, options->path, err))
		return false;
	if (!open_btf(records, err) || !open_symbols(records, err))
		return false;
	if (options->running && !read_list(records, &records->running, options->running, err))
		return false;
	machine = btf_machine_of(records->is_elf ? &records->elf.object : NULL, records->btf);
	records->abi = machine.abi;
	records->word_bytes = machine.word_bytes;
	/* Those of DATASECs have sizes. */
	for (uint32_t i = 0; i <= BTF_PART_COUNT; i++)
		add_sites(records, layer_of(records, i), BTF_DATASEC);
	for (uint32_t i = 0; i <= BTF_PART_COUNT; i++)
		add_sites(records, layer_of(records, i), BTF_LOCSEC);
	return locate_in_image(records, err) &&
	       (!options->running || locate_running(records, err));
}

void records_release(struct records *records)
{
	array_release(&records->sections);
	hash_table_release(&records->by_section);
	array_release(&records->entries);
	array_release(&records->inline_sites);
	kallsyms_file_release(&records->file);
	kallsyms_file_release(&records->running);
	btf_input_release(&records->input);
	elf_input_close(&records->elf);
	running_kernel_release(&records->running_kernel);
	free(records->symbols_path);
	free(records->without_symbols);
	free(records->module);
}
