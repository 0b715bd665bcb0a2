/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Opens what there is of a file with records, and walks over its sites. */
#include "commands/records/records.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file_kind.h"
#include "btf/verify/verify.h"
#include "commands/records/record_machine.h"
#include "commands/records/record_sections.h"

/* ---- is it a file with records? ---- */

static bool elf_has(const struct object *object, const char *name)
{
	const struct section_header *header = record_elf_find(object, name, 0);

	return header && header->size;
}

static bool has_dwarf(const struct object *object)
{
	return elf_has(object, ".debug_info") || elf_has(object, ".zdebug_info");
}

bool records_are_meant(const char *path)
{
	enum file_kind kind = file_kind_of(path);
	struct object object;
	struct error err;
	bool meant;

	if (kind != FILE_ELF)
		return kind == FILE_RAW_BTF;
	/* What is damaged gets the messages that it always got. */
	if (!object_open_bare(&object, path, &err))
		return false;
	meant = object.header_count > 1 && !has_dwarf(&object);
	object_close(&object);
	return meant;
}

/* ---- opening ---- */

static bool report_nothing(const struct records *records, struct error *err)
{
	static const char what[] = "`btfenc encode --features +func_secinfo` makes them of DWARF; "
				   "or name their file with --extra";

	if (!records->is_elf)
		return error_at(err, records->options->path, "is raw BTF, and has no DWARF; nor "
				"are there records of sites: %s", what);
	return error_at(err, records->options->path, "has no %srecords of sites: %s",
			has_dwarf(&records->elf.object) ? "" : "DWARF, and no ", what);
}

static bool has_locsec(const struct btf_reader *btf)
{
	for (uint32_t i = 0; i < btf->type_count; i++) {
		if (btf_info_kind(btf->words[btf->positions[i] + BTF_WORD_INFO]) == BTF_LOCSEC)
			return true;
	}
	return false;
}

static bool check_complete(const struct btf_reader *btf, const char *part, struct error *err)
{
	return btf->complete ||
	       error_at(err, btf->name, "%stype %u: broken record; run `btfenc check`", part,
			btf_reader_end_id(btf));
}

/* Where the extra part is; NULL: nowhere. `beside` has room for the name of a file. */
static const char *find_extra(const struct records *records, char *beside, size_t size)
{
	const struct records_options *options = records->options;

	if (options->extra)
		return options->extra;
	if (records->is_elf && elf_has(&records->elf.object, ".BTF.extra"))
		return options->path;
	if (snprintf(beside, size, "%s.extra", options->path) >= (int)size ||
	    access(beside, F_OK) != 0)
		return NULL;
	return beside;
}

/* Ids of another BTF lead to types that are not what the records say of them. */
bool records_extra_fits(const struct btf_reader *extra, const struct btf_reader *btf,
			struct error *err)
{
	const struct btf_verify_options options = { .dialect = BTF_DIALECT_EXTRA, .limit = 1,
						    .layout = true, .errors_only = true };
	bool is_beside = strcmp(extra->name, btf->name) != 0;
	struct btf_findings findings;
	char text[256] = "";
	bool fits;

	btf_verify(extra, &options, &findings);
	fits = !findings.errors;
	if (findings.count)
		btf_finding_text(extra, &findings.data[0], text, sizeof(text));
	btf_findings_release(&findings);
	return fits ||
	       error_at(err, extra->name, "%sdoes not fit %.200s (%s): it was made with "
			"another BTF, or is damaged; encode both again",
			is_beside ? "" : ".BTF.extra ",
			is_beside ? btf->name : ".BTF", text);
}

static bool open_btf(struct records *records, struct error *err)
{
	const struct records_options *options = records->options;
	char beside[4096];
	const char *extra = find_extra(records, beside, sizeof(beside));

	if (records->is_elf && !options->extra && !elf_has(&records->elf.object, ".BTF"))
		return report_nothing(records, err);
	records->input.path = options->path;
	records->input.base_count = options->base_count;
	memcpy(records->input.base_paths, options->base_paths, sizeof(options->base_paths));
	if (!btf_input_open(&records->input, err) ||
	    !check_complete(&records->input.btf, "", err))
		return false;
	if (records->input.is_extra)
		return error_at(err, options->path, "is the .BTF.extra of another file: explain "
				"that, with --extra %.300s", options->path);
	records->btf = &records->input.btf;
	records->has_inline = has_locsec(records->btf);
	if (extra) {
		if (!btf_reader_open(&records->extra, extra, ".BTF.extra", records->btf, err))
			return false;
		records->has_extra = true;
		records->btf = &records->extra;
		return check_complete(&records->extra, ".BTF.extra: ", err) &&
		       records_extra_fits(&records->extra, &records->input.btf, err);
	}
	return records->has_inline || report_nothing(records, err);
}

/* ---- symbols ---- */

/* "/lib/modules/x/nf-tables.ko.xz" is nf_tables. */
static char *module_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	char *copy = memory_string(name, strcspn(name, "."));

	for (char *c = copy; *c; c++)
		*c = *c == '-' ? '_' : *c;
	return copy;
}

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

static bool open_symbols(struct records *records, struct error *err)
{
	const struct records_options *options = records->options;

	if (options->module)
		records->module = memory_string(options->module, strlen(options->module));
	else if (records->input.bases.count || (records->is_elf && records->elf.object.relocatable))
		records->module = module_name(options->path);
	if (!options->symbols && records->is_elf) {
		records->symbols = &records->elf.symbols;
		records->symbols_path = options->path;
		return records->symbols->symbols.count ||
		       error_at(err, options->path, "has no symbol table; give its System.map "
				"with --symbols");
	}
	records->symbols = &records->file.symbols;
	records->symbols_path = options->symbols ? options->symbols : KALLSYMS_PATH;
	return read_list(records, &records->file, records->symbols_path, err);
}

bool records_open(struct records *records, const struct records_options *options,
		  struct error *err)
{
	struct record_machine machine;
	*records = (struct records){ .options = options, .elf.object.fd = -1 };
	records->is_elf = file_kind_of(options->path) == FILE_ELF;
	if (records->is_elf && !record_elf_open(&records->elf, options->path, err))
		return false;
	if (!open_btf(records, err) || !open_symbols(records, err))
		return false;
	if (options->running && !read_list(records, &records->running, options->running, err))
		return false;
	machine = record_machine_of(records->is_elf ? &records->elf.object : NULL, records->btf);
	records->abi = machine.abi;
	records->word_bytes = machine.word_bytes;
	return record_sections_place(records, err);
}

void records_release(struct records *records)
{
	array_release(&records->sections);
	kallsyms_file_release(&records->file);
	kallsyms_file_release(&records->running);
	btf_reader_release(&records->extra);
	btf_input_release(&records->input);
	record_elf_close(&records->elf);
	free(records->module);
}

/* ---- walking ---- */

struct site_walk records_walk_extra(const struct records *records)
{
	return (struct site_walk){ .records = records, .kind = BTF_DATASEC,
				   .btf = records->has_extra ? &records->extra : NULL };
}

struct site_walk records_walk_inline(const struct records *records)
{
	return (struct site_walk){ .records = records, .kind = BTF_LOCSEC,
				   .btf = records->has_inline ? &records->input.btf : NULL };
}

static bool has_sites(const struct site_walk *walk, uint32_t info)
{
	return btf_info_kind(info) == walk->kind &&
	       (walk->kind == BTF_LOCSEC || btf_info_kind_flag(info));
}

/* The next record with sites; false: there is none. */
static bool next_section(struct site_walk *walk)
{
	while (walk->btf && walk->next_type < walk->btf->type_count) {
		const uint32_t *words =
			walk->btf->words + walk->btf->positions[walk->next_type++];

		if (!has_sites(walk, words[BTF_WORD_INFO]))
			continue;
		walk->entry = words + BTF_HEAD_WORDS;
		walk->left = btf_info_vlen(words[BTF_WORD_INFO]);
		walk->section = record_sections_find(walk->records,
			records_string(walk->records, words[BTF_WORD_NAME]));
		return true;
	}
	return false;
}

bool site_walk_next(struct site_walk *walk, struct record_site *site)
{
	bool is_inline = walk->kind == BTF_LOCSEC;

	while (!walk->left) {
		if (!next_section(walk))
			return false;
	}
	*site = (struct record_site){
		.function = walk->entry[0], .section = walk->section,
		.offset = walk->entry[is_inline ? 2 : 1],
		.location = walk->entry[is_inline ? 1 : 2] };
	walk->entry += 3;
	walk->left--;
	return true;
}

/* ---- looking things up ---- */

const uint32_t *records_type(const struct records *records, uint32_t id, enum btf_kind kind)
{
	const uint32_t *words = btf_reader_type(records->btf, id);

	return words && btf_info_kind(words[BTF_WORD_INFO]) == kind ? words : NULL;
}

const char *records_string(const struct records *records, uint32_t offset)
{
	const char *text = btf_reader_string(records->btf, offset);

	return text ? text : "";
}

const char *records_function_name(const struct records *records, uint32_t id)
{
	const uint32_t *words = records_type(records, id, BTF_FUNC);

	return words ? records_string(records, words[BTF_WORD_NAME]) : "";
}

bool records_only_symbol(const struct symbol_table *symbols, const char *name, uint64_t *address)
{
	struct symbol_search search = symbol_table_search(symbols, name);
	const struct symbol *symbol;
	bool found = false;

	while ((symbol = symbol_search_next(&search))) {
		if (!symbol_is_function(symbol) && symbol->type != STT_NOTYPE)
			continue;
		if (found && symbol->address != *address)
			return false;
		found = true;
		*address = symbol->address;
	}
	return found;
}
