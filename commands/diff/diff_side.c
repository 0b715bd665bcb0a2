/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A side is not opened by kernel_open(), which prepares what attaches: of a kernel's BTF that takes
 * 0.2 s, and all else of the side 0.27; of its DWARF 20 ms. There nothing is encoded, and a module
 * is judged on the base of its own .BTF; here it is on the one that is given.
 */
#include "commands/diff/diff_side.h"

#include <elf.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/file_kind.h"
#include "kernel/elf_input.h"

/* ---- DWARF ---- */

static void describe_program(struct diff_side *side, const struct program *program)
{
	compilers_count(program, &side->table.compilers);
	side->table.identity = kernel_identity_of_image(&program->object);
	side->pointer_bytes = program->object.address_bytes;
	side->machine = program->object.machine;
	side->byte_order = program->object.big_endian ? ELFDATA2MSB : ELFDATA2LSB;
}

static bool read_program(struct diff_side *side, struct error *err)
{
	struct program program;
	bool good;

	if (!program_open(&program, &side->options, err))
		return false;
	if (!program.symbols.symbols.count)
		good = error_at(err, side->file, "has no symbols, which tell what can be "
				"traced; give the file as it was linked, not stripped");
	else if (side->base && !program.object.relocatable)
		good = error_at(err, side->file, "is no module: it needs no base");
	else
		good = judge_program(&program, side->types ? &side->read.types.image : NULL, err);
	if (good) {
		char *module = side->is_build ? NULL : module_name_of_object(&program.object);

		describe_program(side, &program);
		/* The rows as they would be saved: a saved list compares equal. */
		if (!side->types)
			program_find_absent_kfuncs(&program);
		keep_absent_kfuncs(&program, false, &side->read.absent_kfuncs);
		selection_sort(&program.selection, &program.pool);
		good = function_rows_add_program(&side->table.rows, &program, module, err);
		free(module);
	}
	program_close(&program);
	return good && (!side->types ||
			kernel_types_read_image(&side->read.types, side->file,
						btf_bases_top(&side->read.types.input.bases), err));
}

/* A module's base says which kfuncs of the module's sets the kernel has. */
static bool read_dwarf(struct diff_side *side, struct error *err)
{
	const struct base_list bases = { { side->base }, 1 };
	struct btf_base base;
	bool good;

	side->options.path = side->file;
	side->options.examine_clones = side->options.count_inlined = true;
	side->options.count_sites = side->options.keep_changes = true;
	if (!side->base)
		return read_program(side, err);
	if (!btf_bases_open_base(&side->read.types.input.bases, &bases, &base, err))
		return false;
	side->options.base = &base;
	good = read_program(side, err);
	side->options.base = NULL;
	btf_base_release(&base);
	return good;
}

/* ---- BTF ---- */

static bool read_btf(struct diff_side *side, struct error *err)
{
	struct btf_input *input = &side->read.types.input;
	char *module;
	bool good;

	input->path = side->file;
	input->base_option = side->base_option;
	if (side->base)
		input->given.paths[input->given.count++] = side->base;
	if (!btf_input_open(input, err))
		return false;
	side->read.types.btf = &input->btf;
	side->byte_order = input->btf.swapped != HOST_IS_BIG_ENDIAN ? ELFDATA2MSB : ELFDATA2LSB;
	module = input->btf.base ? module_name_of_path(side->file) : NULL;
	good = function_rows_add_btf(&side->table.rows, input, module, err);
	free(module);
	return good;
}

/* ---- modules ---- */

static bool list_one_module(void *context, size_t i, struct error *err)
{
	const struct diff_side *side = context;
	const struct module_file *module = &side->build.modules.data[i];
	struct side_file *read = &side->modules_read[i];
	struct kernel_types *types = &read->types;

	if (!is_asked_by_btf(module->path)) {
		bool wants_types = side->types && side->kind == SIDE_DWARF;

		return list_dwarf_module(&side->options, module, wants_types ? &types->image : NULL,
					 &read->absent_kfuncs, &read->rows, err) &&
		       (!types->image.data ||
			kernel_types_read_image(types, module->path, side->read.types.btf, err));
	}
	if (side->kind != SIDE_BTF)
		return error_at(err, module->path, "has no DWARF, but its vmlinux has; give the "
				"modules with debug information");
	types->input = (struct btf_input){ .path = module->path, .below = side->read.types.btf };
	if (!btf_input_open(&types->input, err) ||
	    !function_rows_add_btf(&read->rows, &types->input, module->name, err))
		return false;
	if (side->types)
		types->btf = &types->input.btf;
	else
		btf_input_release(&types->input);
	return true;
}

/* The types of modules are split from those of the vmlinux. */
static bool list_modules(struct diff_side *side, struct error *err)
{
	size_t count = side->build.modules.count;
	bool is_base = side->types && side->kind == SIDE_DWARF && count;
	struct btf_base base;
	bool good;

	side->modules_read = memory_zeroed(count, sizeof(*side->modules_read));
	if (is_base) {
		btf_base_init(&base, side->read.types.btf);
		side->options.base = &base;
	}
	good = files_visit(NULL, count, side->options.jobs, list_one_module, side, err);
	for (size_t i = 0; i < count; i++)
		function_rows_append(&side->table.rows, &side->modules_read[i].rows);
	side->options.base = NULL;
	if (is_base)
		btf_base_release(&base);
	return good;
}

/* A module's set may name functions of the kernel, which has FUNCs for them. */
static void join_absent_kfuncs(struct diff_side *side)
{
	for (size_t i = 0; i < side->build.modules.count; i++) {
		const kfunc_names *names = &side->modules_read[i].absent_kfuncs;

		for (size_t k = 0; k < names->count; k++) {
			if (!function_table_find(&side->table, names->data[k]))
				array_push(&side->read.absent_kfuncs,
					   text_format("%s [%s]", names->data[k],
						       side->build.modules.data[i].name));
		}
	}
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
	return is_asked_by_btf(path) ? SIDE_BTF : SIDE_DWARF;
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

bool diff_side_read(struct diff_side *side, struct error *err)
{
	if (side->base && side->kind != SIDE_DWARF &&
	    (side->kind != SIDE_BTF || !btf_file_is_split(side->file)))
		return error_at(err, side->file, "is not split BTF: it needs no base");
	if (side->kind == SIDE_TABLE && side->types)
		return error_at(err, side->file, "is a list of functions and has no types; "
				"leave --types out, or keep and compare its BTF");
	if (side->kind == SIDE_TABLE)
		return function_table_read(&side->table, side->file, err);
	if (!(side->kind == SIDE_DWARF ? read_dwarf(side, err) : read_btf(side, err)) ||
	    !list_modules(side, err) || !function_table_make(&side->table, side->file, err))
		return false;
	/* A function with neither a FUNC nor a record may exist all the same. */
	side->table.knows_all &= side->kind != SIDE_BTF;
	join_absent_kfuncs(side);
	return true;
}

static void release_file(struct side_file *file)
{
	array_free(&file->absent_kfuncs);
	kernel_types_close(&file->types);
}

void diff_side_release(struct diff_side *side)
{
	for (size_t i = 0; side->modules_read && i < side->build.modules.count; i++)
		release_file(&side->modules_read[i]);
	free(side->modules_read);
	build_files_release(&side->build);
	function_table_release(&side->table);
	release_file(&side->read);
}
