/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff.h"

#include <gelf.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/file_kind.h"
#include "commands/records/records.h"
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

static bool read_program(struct diff_side *side, struct error *err)
{
	struct encode_report report;
	producer_counts producers = { 0 };
	struct text list = { 0 };
	struct program program;
	GElf_Ehdr header;
	bool good;

	if (!program_open(&program, &side->options, err))
		return false;
	if (!program.symbols.symbols.count) {
		program_close(&program);
		return error_at(err, side->path, "has no symbols, which tell what can be "
				"traced; give the file as it was linked, not stripped");
	}
	if (side->base && !program.object.relocatable) {
		program_close(&program);
		return error_at(err, side->path, "is no module: it needs no base");
	}
	/* A damaged .BTF_ids costs what is made of it: encode reports it. */
	if (!side->types)
		kfuncs_read(&program.kfuncs, &program.object, &program.symbols, err);
	good = side->types ? program_encode(&program, &side->image, &report, err)
			     : program_judge(&program, &report, err);
	if (good) {
		producers_count(&program, &producers);
		for (size_t i = 0; i < producers.count; i++) {
			const struct producer *producer = &producers.data[i].producer;
			struct diff_compiler compiler = {
				memory_string(producer->text ? producer->text : "",
					      producer->name_length),
				producers.data[i].units };

			array_push(&side->compilers, compiler);
		}
		array_release(&producers);
		side->pointer_bytes = program.object.address_bytes;
		if (gelf_getehdr(program.object.elf, &header)) {
			side->machine = header.e_machine;
			side->byte_order = header.e_ident[EI_DATA];
		}
		/* The list as it would be saved: a saved list compares equal. */
		keep_absent_kfuncs(side, &program);
		selection_sort(&program.selection, &program.pool);
		function_list_print(&program, &list);
		good = function_table_parse(&side->table, &list, side->path, err);
	}
	program_close(&program);
	if (!good || !side->types)
		return good;
	side->has_reader =
		btf_reader_from_memory(&side->reader, side->image.data, side->image.size,
				       side->path, btf_bases_top(&side->input.bases), err);
	side->btf = side->has_reader ? &side->reader : NULL;
	return side->has_reader;
}

/* A module's base says which kfuncs of the module's sets the kernel has. */
static bool read_dwarf(struct diff_side *side, struct error *err)
{
	const struct base_list bases = { { side->base }, side->base ? 1 : 0 };
	struct btf_base base;
	bool good;

	side->options.path = side->path;
	side->options.examine_clones = side->options.count_inlined = true;
	side->options.count_sites = side->options.keep_changes = true;
	if (!btf_bases_open(&side->input.bases, &bases, true, err))
		return false;
	if (!side->base)
		return read_program(side, err);
	btf_base_init(&base, btf_bases_top(&side->input.bases));
	side->options.base = &base;
	good = read_program(side, err);
	side->options.base = NULL;
	btf_base_release(&base);
	return good;
}

/* ---- BTF ---- */

static bool read_btf(struct diff_side *side, struct error *err)
{
	struct text text = { 0 };
	char line[300];

	side->input.path = side->path;
	side->input.base_option = side->base_option;
	if (side->base)
		side->input.given.paths[side->input.given.count++] = side->base;
	if (!btf_input_open(&side->input, err))
		return false;
	/* On another base than its own, split BTF has other types. */
	if (side->base &&
	    btf_first_error(&side->input.btf, BTF_DIALECT_INLINE, line, sizeof(line)))
		return error_at(err, side->path, "is not split from %.200s (%s); give the BTF of "
				"the kernel that it was built for", side->base, line);
	if (side->input.is_extra || side->input.part_suffix)
		return error_at(err, side->path, "is the .BTF%s of another file; give "
				"that file, the other is found next to it",
				side->input.part_suffix ? side->input.part_suffix : ".extra");
	side->btf = &side->input.btf;
	side->byte_order = side->input.btf.swapped != HOST_IS_BIG_ENDIAN ? ELFDATA2MSB
										  : ELFDATA2LSB;
	if (!function_list_of_btf(&side->input, &text, err) ||
	    !function_table_parse(&side->table, &text, side->path, err))
		return false;
	/* A function with neither a FUNC nor a record may exist all the same. */
	side->table.knows_all = false;
	return true;
}

/* ---- all ---- */

enum side_kind side_kind_of(const char *path)
{
	struct stat file;

	/* A pipe can be read only once: it can only be a list. */
	if ((stat(path, &file) == 0 && S_ISFIFO(file.st_mode)) ||
	    file_kind_of(path) == FILE_FUNCTION_LIST)
		return SIDE_TABLE;
	return records_are_meant(path) ? SIDE_BTF : SIDE_DWARF;
}

static bool read_side(struct diff_side *side, struct error *err)
{
	if (side->base && side->kind != SIDE_DWARF &&
	    (side->kind != SIDE_BTF || !btf_file_is_split(side->path)))
		return error_at(err, side->path, "is not split BTF: it needs no base");
	if (side->kind == SIDE_DWARF)
		return read_dwarf(side, err);
	if (side->kind == SIDE_BTF)
		return read_btf(side, err);
	if (side->types)
		return error_at(err, side->path, "is a list of functions and has no types; "
				"leave --types out, or keep and compare its BTF");
	return function_table_read(&side->table, side->path, err);
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
	function_table_release(&side->table);
	if (side->has_reader)
		btf_reader_release(&side->reader);
	btf_image_release(&side->image);
	btf_input_release(&side->input);
}
