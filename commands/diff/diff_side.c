/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff_side.h"

#include <gelf.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/bytes.h"
#include "base/file_kind.h"
#include "btf/verify/verify.h"
#include "commands/diff/function_list_btf.h"
#include "encoder/result.h"
#include "commands/records/records.h"
#include "commands/stats/stats.h"

/* ---- DWARF ---- */

static bool read_dwarf(struct side_source *source, struct error *err)
{
	struct encode_report report;
	producer_counts producers = { 0 };
	struct text list = { 0 };
	struct program program;
	GElf_Ehdr header;
	bool good;

	source->options.examine_clones = source->options.count_inlined = true;
	source->options.count_sites = source->options.keep_changes = true;
	if (!program_open(&program, &source->options, err))
		return false;
	if (!program.symbols.symbols.count) {
		program_close(&program);
		return error_at(err, source->options.path, "has no symbols, which tell what can be "
				"traced; give the file as it was linked, not stripped");
	}
	good = source->types ? program_encode(&program, &source->image, &report, err)
			     : program_judge(&program, &report, err);
	if (good) {
		producers_count(&program, &producers);
		for (size_t i = 0; i < producers.count; i++) {
			const struct producer *producer = &producers.data[i].producer;
			struct diff_compiler compiler = {
				memory_string(producer->text ? producer->text : "",
					      producer->name_length),
				producers.data[i].units };

			array_push(&source->side.compilers, compiler);
		}
		array_release(&producers);
		source->side.pointer_bytes = program.object.address_bytes;
		if (gelf_getehdr(program.object.elf, &header)) {
			source->side.machine = header.e_machine;
			source->side.byte_order = header.e_ident[EI_DATA];
		}
		/* The list as it would be saved: a saved list compares equal. */
		selection_sort(&program.selection, &program.pool);
		function_list_print(&program, &list);
		good = function_table_parse(&source->side.table, &list, source->options.path, err);
	}
	program_close(&program);
	if (!good || !source->types)
		return good;
	source->has_reader =
		btf_reader_from_memory(&source->reader, source->image.data, source->image.size,
				       source->options.path, NULL, err);
	source->side.btf = source->has_reader ? &source->reader : NULL;
	return source->has_reader;
}

/* ---- BTF ---- */

static bool read_btf(struct side_source *source, struct error *err)
{
	const struct btf_verify_options verify = {
		.dialect = BTF_DIALECT_INLINE, .layout = true, .errors_only = true, .limit = 1 };
	struct btf_findings findings;
	struct text text = { 0 };
	char line[300] = "";

	source->input.path = source->options.path;
	source->input.base_option = source->base_option;
	if (source->base)
		source->input.given.paths[source->input.given.count++] = source->base;
	if (!btf_input_open(&source->input, err))
		return false;
	if (source->base) {
		/* On another base than its own, split BTF has other types. */
		btf_verify(&source->input.btf, &verify, &findings);
		if (findings.count)
			btf_finding_text(&source->input.btf, &findings.data[0], line, sizeof(line));
		btf_findings_release(&findings);
		if (*line)
			return error_at(err, source->options.path, "is not split from %.200s (%s); "
					"give the BTF of the kernel that it was built for",
					source->base, line);
	}
	if (source->input.is_extra || source->input.part_suffix)
		return error_at(err, source->options.path, "is the .BTF%s of another file; give "
				"that file, the other is found next to it",
				source->input.part_suffix ? source->input.part_suffix : ".extra");
	source->side.btf = &source->input.btf;
	source->side.byte_order = source->input.btf.swapped != HOST_IS_BIG_ENDIAN ? ELFDATA2MSB
										  : ELFDATA2LSB;
	if (!function_list_of_btf(&source->input, &text, err) ||
	    !function_table_parse(&source->side.table, &text, source->options.path, err))
		return false;
	/* A function with neither a FUNC nor a record may exist all the same. */
	source->side.table.knows_all = false;
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

bool side_source_read(struct side_source *source, struct error *err)
{
	static const char *const kinds[] = { "dwarf", "btf", "table" };
	const char *path = source->options.path;

	source->side.path = path;
	source->side.kind = kinds[source->kind];
	if (source->base && (source->kind != SIDE_BTF || !btf_file_is_split(path)))
		return error_at(err, path, "is not split BTF: it needs no base");
	if (source->kind == SIDE_DWARF)
		return read_dwarf(source, err);
	if (source->kind == SIDE_BTF)
		return read_btf(source, err);
	if (source->types)
		return error_at(err, path, "is a list of functions and has no types; "
				"leave --types out, or keep and compare its BTF");
	return function_table_read(&source->side.table, path, err);
}

void side_source_release(struct side_source *source)
{
	for (size_t i = 0; i < source->side.compilers.count; i++)
		free(source->side.compilers.data[i].name);
	array_release(&source->side.compilers);
	function_table_release(&source->side.table);
	if (source->has_reader)
		btf_reader_release(&source->reader);
	btf_image_release(&source->image);
	btf_input_release(&source->input);
}
