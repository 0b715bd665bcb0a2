/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/kernel.h"

#include <stdlib.h>

#include "base/file_kind.h"
#include "base/search.h"
#include "base/sort.h"
#include "kernel/attach/trampoline.h"

/* ---- by DWARF ---- */

/* False: its .BTF is not split from that. True, too, where it has none. */
static bool open_own(struct kernel *kernel, const struct btf_reader *below, struct error *err)
{
	kernel->own = (struct btf_input){ .path = kernel->path, .below = below };
	if (!btf_file_has_btf(kernel->path, true)) {
		btf_base_init(&kernel->base, below);
	} else {
		if (!btf_input_open(&kernel->own, err) ||
		    !records_are_split_right(&kernel->own.btf, NULL, err))
			return false;
		btf_base_init(&kernel->base, kernel->own.btf.base);
	}
	kernel->options.base = &kernel->base;
	return true;
}

static bool open_dwarf(struct kernel *kernel, const struct kernel_options *options,
		       struct error *err)
{
	const struct records_options *records = &options->records;
	struct program *program = &kernel->opened;
	const struct btf_reader *below;
	struct encode_report report;

	kernel->options = options->encode;
	kernel->options.path = kernel->path;
	if (!btf_bases_open_for(&kernel->bases, &records->bases, kernel->path, err))
		return false;
	below = kernel->bases.count ? btf_bases_top(&kernel->bases) : records->below;
	/* Of a base that nobody named it need not be split. */
	if (below && !open_own(kernel, below, err) && kernel->bases.count)
		return false;
	if (!program_open(program, &kernel->options, err))
		return false;
	kernel->program = program;
	if (!program_judge(program, &report, err))
		return false;
	kernel->program_module = records->is_module
					 ? module_name_of(&program->object, kernel->path)
					 : module_name_of_object(&program->object);
	kernel->types = type_source_of_program(program);
	attach_image_of_file(&kernel->image, &kernel->tables, &program->object, &program->symbols,
			     program_base(program));
	kernel->module = kernel->image.module = kernel->program_module;
	if (options->funcs)
		kernel->image.kernel_funcs = options->funcs;
	else if (below && kernel->image.is_module)
		attach_set_kernel(&kernel->image, &kernel->tables, below);
	return true;
}

/* ---- by BTF ---- */

static bool open_btf(struct kernel *kernel, const struct kernel_options *options,
		     struct error *err)
{
	struct records *records = &kernel->opened_records;
	const struct btf_reader *base;
	bool has_binding;

	kernel->records = records;
	if (!records_open(records, &options->records, err))
		return false;
	has_binding = records->symbols == &records->elf.symbols;
	kernel->module = records->module;
	kernel->types = (struct type_source){ .btf = records->btf, .abi = records->abi,
					      .word_bytes = records->word_bytes };
	kernel->image = (struct attach_image){
		.object = has_binding ? &records->elf.object : NULL,
		.symbols = records->symbols, .abi = records->abi,
		.is_module = records->module, .module = records->module,
		.running = records->is_running ? &records->running_kernel : NULL,
		.built_in = (uint8_t)trampoline_built_in(records->symbols, has_binding),
		.tables = &kernel->tables, .kernel_funcs = options->funcs };
	if (records->is_elf)
		kernel->image.identity = kernel_identity_of_image(&records->elf.object);
	else if (records->is_running)
		kernel->image.identity =
			running_kernel_identity(&records->running_kernel, records->module);
	kernel->image.version = kernel_version_parse(kernel->image.identity.release);
	attach_tables_read(&kernel->tables, &kernel->image);
	base = records->input.btf.base;
	/* A distilled base has no FUNCs. */
	if (!options->funcs && records->module && base && !records->input.btf.has_base_section)
		attach_set_kernel(&kernel->image, &kernel->tables, base);
	return true;
}

/* ---- of either ---- */

bool kernel_open(struct kernel *kernel, const struct kernel_options *options, struct error *err)
{
	const char *path = options->records.path;

	*kernel = (struct kernel){ .path = path };
	return options->records.records_only || is_asked_by_btf(path)
		       ? open_btf(kernel, options, err) : open_dwarf(kernel, options, err);
}

void kernel_close(struct kernel *kernel)
{
	attach_tables_release(&kernel->tables);
	if (kernel->program)
		program_close(&kernel->opened);
	if (kernel->records)
		records_release(&kernel->opened_records);
	btf_input_release(&kernel->own);
	btf_bases_release(&kernel->bases);
	free(kernel->program_module);
}

/* ---- types ---- */

bool kernel_types_read_image(struct kernel_types *types, const char *path,
			     const struct btf_reader *below, struct error *err)
{
	types->btf = &types->reader;
	return btf_reader_from_memory(&types->reader, types->image.data, types->image.size, path,
				      below, err);
}

static bool encode_types(struct kernel_types *types, const struct kernel_options *options,
			 struct error *err)
{
	struct encode_options encode = options->encode;
	struct encode_report report;

	encode.path = options->records.path;
	return encode_file(&encode, &types->image, &report, err) &&
	       kernel_types_read_image(types, encode.path, NULL, err);
}

bool kernel_types_open(struct kernel_types *types, const struct kernel_options *options,
		       struct error *err)
{
	const struct records_options *records = &options->records;
	const char *path = records->path;
	bool is_elf = file_kind_of(path) == FILE_ELF, good;
	struct elf_input elf;

	*types = (struct kernel_types){ .btf = &types->input.btf };
	if (!records->bases.count && is_elf && !btf_file_has_btf(path, records->below) &&
	    !is_asked_by_btf(path))
		return encode_types(types, options, err);
	types->input = (struct btf_input){ .path = path, .given = records->bases,
					   .below = records->below };
	if (!btf_input_open(&types->input, err) || !btf_reader_check_complete(types->btf, err))
		return false;
	is_elf = is_elf && types->btf->base;
	good = (!is_elf || elf_input_open(&elf, path, err)) &&
	       records_are_split_right(types->btf, is_elf ? &elf : NULL, err);
	if (is_elf)
		elf_input_close(&elf);
	return good;
}

void kernel_types_close(struct kernel_types *types)
{
	btf_reader_release(&types->reader);
	btf_image_release(&types->image);
	btf_input_release(&types->input);
}

/* ---- other names of functions ---- */

static uint32_t parameter_count(const struct type_source *types, uint32_t prototype)
{
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);

	return words ? btf_element_count(words) : UINT16_MAX;
}

/* Addresses of kernels differ in these bits. */
static uint64_t entry_key(uint64_t address, uint32_t parameters)
{
	return address << 16 | parameters;
}

/* What is promised, by entry_key(); *count of them. To be freed. */
static struct sort_item *promised_entries(const struct program *program, size_t *count)
{
	const struct type_source types = type_source_of_program(program);
	size_t functions = program->selection.functions.count;
	struct sort_item *entries = memory_alloc(functions * sizeof(*entries));

	*count = 0;
	for (uint32_t i = 0; i < functions; i++) {
		const struct judged_function *judged = &program->selection.functions.data[i];
		const struct function_instance *at;

		if (judged->verdict != VERDICT_OK)
			continue;
		at = &program->instances.functions.data[judged->instance];
		entries[(*count)++] = (struct sort_item){ entry_key(at->address,
			parameter_count(&types, at->prototype.word)), i };
	}
	sort_by_key(entries, *count);
	return entries;
}

void program_visit_aliases(const struct program *program, const struct attach_tables *tables,
			   visit_alias *visit, void *context)
{
	const struct btf_reader *own = tables && tables->own.is_known ? &tables->own.btf : NULL;
	const struct type_source own_types = { .btf = own };
	size_t count = 0;
	struct sort_item *entries = own ? promised_entries(program, &count) : NULL;

	for (uint32_t id = own ? own->first_id : 0; own && id < btf_reader_end_id(own); id++) {
		const uint32_t *words = btf_reader_type(own, id);
		const char *name = btf_type_name(own, words);
		const struct symbol *symbol = NULL;
		uint64_t key;
		size_t at;

		if (btf_record_kind(words) == BTF_FUNC &&
		    !selection_find(&program->selection, &program->pool, name))
			symbol = records_find_symbol(&program->symbols, name, RECORDS_ANYWHERE);
		if (!symbol)
			continue;
		key = entry_key(symbol->address, parameter_count(&own_types, words[BTF_WORD_TYPE]));
		at = lower_bound(i, count, entries[i].key < key);
		if (at < count && entries[at].key == key)
			visit(context, name, &program->selection.functions.data[entries[at].value]);
	}
	free(entries);
}
