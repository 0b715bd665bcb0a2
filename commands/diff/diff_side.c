/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff.h"

#include <gelf.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/file_kind.h"
#include "commands/records/records.h"
#include "commands/stats/build_list.h"
#include "commands/stats/stats.h"

/* ---- DWARF ---- */

/* Those that the list of functions has not, because they have no code here. */
static void keep_absent_kfuncs(struct diff_side *side, struct program *program)
{
	if (!side->types)
		program_find_absent_kfuncs(program);
	for (size_t i = 0; i < program->kfuncs.kfuncs.count; i++) {
		const struct kfunc *kfunc = &program->kfuncs.kfuncs.data[i];
		struct text name = { 0 };

		if (!kfunc->is_lost ||
		    selection_find(&program->selection, &program->pool, kfunc->name))
			continue;
		text_add_clean(&name, kfunc->name);
		array_push(&side->absent_kfuncs, text_finish(&name));
	}
}

static void describe_program(struct diff_side *side, const struct program *program)
{
	producer_counts producers = { 0 };
	GElf_Ehdr header;

	producers_count(program, &producers);
	for (size_t i = 0; i < producers.count; i++) {
		const struct producer *producer = &producers.data[i].producer;
		struct diff_compiler compiler = {
			memory_string(producer->text ? producer->text : "", producer->name_length),
			producers.data[i].units };

		array_push(&side->compilers, compiler);
	}
	array_release(&producers);
	side->pointer_bytes = program->object.address_bytes;
	if (gelf_getehdr(program->object.elf, &header)) {
		side->machine = header.e_machine;
		side->byte_order = header.e_ident[EI_DATA];
	}
}

static bool read_program(struct diff_side *side, struct text *list, struct error *err)
{
	struct encode_report report;
	struct program program;
	bool good;

	if (!program_open(&program, &side->options, err))
		return false;
	if (!program.symbols.symbols.count) {
		program_close(&program);
		return error_at(err, side->file, "has no symbols, which tell what can be "
				"traced; give the file as it was linked, not stripped");
	}
	if (side->base && !program.object.relocatable) {
		program_close(&program);
		return error_at(err, side->file, "is no module: it needs no base");
	}
	/* A damaged .BTF_ids costs what is made of it: encode reports it. */
	if (!side->types)
		kfuncs_read(&program.kfuncs, &program.object, &program.symbols, err);
	good = side->types ? program_encode(&program, &side->image, &report, err)
			     : program_judge(&program, &report, err);
	if (good) {
		char *module = side->is_build ? NULL : function_list_module(&program);

		describe_program(side, &program);
		/* The list as it would be saved: a saved list compares equal. */
		keep_absent_kfuncs(side, &program);
		selection_sort(&program.selection, &program.pool);
		function_list_print(&program, module, list);
		free(module);
	}
	program_close(&program);
	if (!good || !side->types)
		return good;
	side->has_reader =
		btf_reader_from_memory(&side->reader, side->image.data, side->image.size,
				       side->file, btf_bases_top(&side->input.bases), err);
	side->btf = side->has_reader ? &side->reader : NULL;
	return side->has_reader;
}

/* A module's base says which kfuncs of the module's sets the kernel has. */
static bool read_dwarf(struct diff_side *side, struct text *list, struct error *err)
{
	const struct base_list bases = { { side->base }, side->base ? 1 : 0 };
	struct btf_base base;
	bool good;

	side->options.path = side->file;
	side->options.examine_clones = side->options.count_inlined = true;
	side->options.count_sites = side->options.keep_changes = true;
	if (!btf_bases_open(&side->input.bases, &bases, true, err))
		return false;
	if (!side->base)
		return read_program(side, list, err);
	btf_base_init(&base, btf_bases_top(&side->input.bases));
	side->options.base = &base;
	good = read_program(side, list, err);
	side->options.base = NULL;
	btf_base_release(&base);
	return good;
}

/* ---- BTF ---- */

static bool read_btf(struct diff_side *side, struct text *list, struct error *err)
{
	char line[300];
	char *module;
	bool good;

	side->input.path = side->file;
	side->input.base_option = side->base_option;
	if (side->base)
		side->input.given.paths[side->input.given.count++] = side->base;
	if (!btf_input_open(&side->input, err))
		return false;
	/* On another base than its own, split BTF has other types. */
	if (side->base &&
	    btf_first_error(&side->input.btf, BTF_DIALECT_INLINE, line, sizeof(line)))
		return error_at(err, side->file, "is not split from %.200s (%s); give the BTF of "
				"the kernel that it was built for", side->base, line);
	if (side->input.is_extra || side->input.part_suffix)
		return error_at(err, side->file, "is the .BTF%s of another file; give "
				"that file, the other is found next to it",
				side->input.part_suffix ? side->input.part_suffix : ".extra");
	side->btf = &side->input.btf;
	side->byte_order = side->input.btf.swapped != HOST_IS_BIG_ENDIAN ? ELFDATA2MSB
										  : ELFDATA2LSB;
	module = side->input.btf.base ? records_module_name(side->file) : NULL;
	good = function_list_of_btf(&side->input, module, list, err);
	free(module);
	return good;
}

/* ---- modules ---- */

static bool list_one_module(const void *context, const struct module_file *module,
			    struct text *out, struct error *err)
{
	const struct diff_side *side = context;
	struct btf_input input = { .path = module->path, .below = &side->input.btf };
	bool good;

	if (!records_are_meant(module->path))
		return list_dwarf_module(&side->options, module, out, err);
	if (side->kind != SIDE_BTF)
		return error_at(err, module->path, "has no DWARF, but its vmlinux has; give the "
				"modules with debug information");
	good = btf_input_open(&input, err) && function_list_of_btf(&input, module->name, out, err);
	btf_input_release(&input);
	return good;
}

/* ---- all ---- */

/* By the contents; a file that is neither a list nor BTF is read as DWARF. */
static enum side_kind side_kind_of(const char *path)
{
	struct stat file;

	/* A pipe can be read only once: it can only be a list. */
	if ((stat(path, &file) == 0 && S_ISFIFO(file.st_mode)) ||
	    file_kind_of(path) == FILE_FUNCTION_LIST)
		return SIDE_TABLE;
	return records_are_meant(path) ? SIDE_BTF : SIDE_DWARF;
}

bool diff_side_find(struct diff_side *side, struct error *err)
{
	side->is_build = side->modules || is_directory(side->path);
	if (side->is_build && !build_files_find(&side->build, side->path, side->modules, err))
		return false;
	side->file = side->is_build ? side->build.vmlinux : side->path;
	side->kind = side_kind_of(side->file);
	return !side->is_build || side->kind != SIDE_TABLE ||
	       error_at(err, side->file, "is a list of functions, which has modules of its own");
}

static bool read_side(struct diff_side *side, struct error *err)
{
	struct text list = { 0 };

	if (side->base && side->kind != SIDE_DWARF &&
	    (side->kind != SIDE_BTF || !btf_file_is_split(side->file)))
		return error_at(err, side->file, "is not split BTF: it needs no base");
	if (side->kind == SIDE_TABLE && side->types)
		return error_at(err, side->file, "is a list of functions and has no types; "
				"leave --types out, or keep and compare its BTF");
	if (side->kind == SIDE_TABLE)
		return function_table_read(&side->table, side->file, err);
	if (!(side->kind == SIDE_DWARF ? read_dwarf(side, &list, err)
				       : read_btf(side, &list, err)) ||
	    !build_list_modules(&side->build, side->options.jobs, list_one_module, side, &list,
				err)) {
		array_release(&list);
		return false;
	}
	if (!function_table_parse(&side->table, &list, side->file, err))
		return false;
	/* A function with neither a FUNC nor a record may exist all the same. */
	side->table.knows_all &= side->kind != SIDE_BTF;
	return true;
}

void diff_side_read(struct diff_side *side)
{
	side->is_read = read_side(side, &side->err);
}

void diff_side_release(struct diff_side *side)
{
	for (size_t i = 0; i < side->compilers.count; i++)
		free(side->compilers.data[i].name);
	array_release(&side->compilers);
	for (size_t i = 0; i < side->absent_kfuncs.count; i++)
		free(side->absent_kfuncs.data[i]);
	array_release(&side->absent_kfuncs);
	build_files_release(&side->build);
	function_table_release(&side->table);
	if (side->has_reader)
		btf_reader_release(&side->reader);
	btf_image_release(&side->image);
	btf_input_release(&side->input);
}
