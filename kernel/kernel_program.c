/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/kernel_program.h"

#include <stdlib.h>

#include "base/search.h"
#include "base/sort.h"
#include "kernel/module_name.h"
#include "kernel/records.h"
#include "kernel/trampoline.h"
#include "kernel/type_source.h"

/* False: its .BTF is not split from that. True, too, where it has none. */
static bool open_own(struct kernel_program *kernel, const struct btf_reader *below,
		     struct error *err)
{
	kernel->own = (struct btf_input){ .path = kernel->options.path, .below = below };
	if (!btf_file_has_btf(kernel->options.path, true)) {
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

bool kernel_program_open(struct kernel_program *kernel, const struct encode_options *options,
			 const struct module_kernel *of, struct error *err)
{
	const struct btf_reader *below = of->btf;
	struct program *program = &kernel->program;
	struct encode_report report;

	*kernel = (struct kernel_program){ .options = *options };
	if (of->given &&
	    !btf_bases_open_for(&kernel->bases, of->given, kernel->options.path, err))
		return false;
	below = kernel->bases.count ? btf_bases_top(&kernel->bases) : below;
	if (below && !open_own(kernel, below, err) && kernel->bases.count)
		return false;
	kernel->is_open = program_open(program, &kernel->options, err);
	if (!kernel->is_open || !program_judge(program, &report, err))
		return false;
	if (object_is_module(&program->object))
		kernel->module = module_name_of(&program->object, kernel->options.path);
	kernel->image.module = kernel->module;
	attach_image_of_file(&kernel->image, &kernel->tables, &program->object, &program->symbols,
			     program_base(program));
	if (of->funcs)
		kernel->image.kernel_funcs = of->funcs;
	else if (below && kernel->image.is_module)
		attach_set_kernel(&kernel->image, &kernel->tables, below);
	return true;
}

void kernel_program_close(struct kernel_program *kernel)
{
	attach_tables_release(&kernel->tables);
	if (kernel->is_open)
		program_close(&kernel->program);
	btf_input_release(&kernel->own);
	btf_bases_release(&kernel->bases);
	free(kernel->module);
}

static uint32_t parameter_count(const struct type_source *types, uint32_t prototype)
{
	const uint32_t *words = prototype ? type_words_of(types, prototype, BTF_FUNC_PROTO) : NULL;

	return words ? btf_info_vlen(words[BTF_WORD_INFO]) : UINT16_MAX;
}

/* Addresses of kernels differ in these bits. */
static uint64_t entry_key(uint64_t address, uint32_t parameters)
{
	return address << 16 | parameters;
}

/* What is promised, by entry_key(); *count of them. To be freed. */
static struct sort_item *promised_entries(const struct program *program, size_t *count)
{
	const struct type_source types =
		type_source_of_dwarf(&program->object, &program->table, &program->pool);
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
