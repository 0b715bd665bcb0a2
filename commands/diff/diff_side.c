/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff_side.h"

#include <gelf.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "btf/verify/verify.h"
#include "commands/diff/function_list_btf.h"
#include "encoder/result.h"
#include "commands/records/records.h"
#include "commands/stats/stats.h"

/* ---- DWARF ---- */

static void take_compilers(struct side_source *source, const struct program *program)
{
	producer_counts counts = { 0 };

	producers_count(program, &counts);
	for (size_t i = 0; i < counts.count; i++) {
		const struct producer_count *count = &counts.data[i];
		struct diff_compiler compiler = {
			memory_string(count->producer.text ? count->producer.text : "",
				      count->producer.name_length),
			count->units };

		array_push(&source->side.compilers, compiler);
	}
	array_release(&counts);
}

/* The list as it would be saved, so that what was saved and what is read now compare equal. */
static bool list_program(struct side_source *source, struct program *program, struct error *err)
{
	struct text text = { 0 };

	selection_sort(&program->selection, &program->pool);
	function_list_print(program, &text);
	return function_table_parse(&source->side.table, &text, source->options.path, err);
}

static bool open_image(struct side_source *source, struct error *err)
{
	if (!source->types)
		return true;
	source->has_reader =
		btf_reader_from_memory(&source->reader, source->image.data, source->image.size,
				       source->options.path, NULL, err);
	source->side.btf = source->has_reader ? &source->reader : NULL;
	return source->has_reader;
}

static bool read_dwarf(struct side_source *source, struct error *err)
{
	struct encode_report report;
	struct program program;
	GElf_Ehdr header;
	bool good;

	source->side.kind = "dwarf";
	source->options.examine_clones = source->options.count_inlined = true;
	source->options.count_sites = source->options.keep_changes = true;
	if (!program_open(&program, &source->options, err))
		return false;
	if (!program.symbols.symbols.count) {
		program_close(&program);
		return error_at(err, source->options.path, "has no symbols: what can be traced is "
				"not known; give the file as it was linked, not stripped");
	}
	good = source->types ? program_encode(&program, &source->image, &report, err)
			     : program_judge(&program, &report, err);
	if (good) {
		take_compilers(source, &program);
		source->side.pointer_bytes = program.object.address_bytes;
		if (gelf_getehdr(program.object.elf, &header)) {
			source->side.machine = header.e_machine;
			source->side.byte_order = header.e_ident[EI_DATA];
		}
		good = list_program(source, &program, err) && open_image(source, err);
	}
	program_close(&program);
	return good;
}

/* ---- BTF ---- */

/* Of another base than its own, split BTF reads as if its types were others. */
static bool fits_base(const struct side_source *source, struct error *err)
{
	const struct btf_verify_options options = {
		.dialect = BTF_DIALECT_INLINE, .layout = true, .errors_only = true, .limit = 1 };
	struct btf_findings findings;
	char line[300] = "";

	btf_verify(&source->input.btf, &options, &findings);
	if (findings.count)
		btf_finding_text(&source->input.btf, &findings.data[0], line, sizeof(line));
	btf_findings_release(&findings);
	return !*line || error_at(err, source->options.path, "is not split from %.200s (%s); "
				  "give the BTF of the kernel that it was built for",
				  source->base, line);
}

static bool read_btf(struct side_source *source, struct error *err)
{
	struct text text = { 0 };

	source->side.kind = "btf";
	source->input.path = source->options.path;
	source->input.base_option = source->base_option;
	if (source->base)
		source->input.base_paths[source->input.base_count++] = source->base;
	if (!btf_input_open(&source->input, err))
		return false;
	if (source->base && !fits_base(source, err))
		return false;
	if (source->input.is_extra)
		return error_at(err, source->options.path, "is the .BTF.extra of another file; "
				"give that, it is found beside it");
	source->side.btf = &source->input.btf;
	source->side.byte_order = source->input.btf.swapped != HOST_IS_BIG_ENDIAN ? ELFDATA2MSB
										  : ELFDATA2LSB;
	if (!function_list_of_btf(&source->input, &text, err) ||
	    !function_table_parse(&source->side.table, &text, source->options.path, err))
		return false;
	/* What has neither a FUNC nor a record may be there all the same. */
	source->side.table.knows_all = false;
	return true;
}

/* ---- all ---- */

bool side_is_dwarf(const char *path)
{
	return !function_table_is_meant(path) && !records_are_meant(path);
}

bool side_source_read(struct side_source *source, struct error *err)
{
	const char *path = source->options.path;

	source->side.path = path;
	if (source->base && (function_table_is_meant(path) || side_is_dwarf(path) ||
			     !btf_file_is_split(path)))
		return error_at(err, path, "is no split BTF: it needs no base");
	if (function_table_is_meant(path)) {
		source->side.kind = "table";
		if (source->types)
			return error_at(err, path, "is a list of functions and has no types; "
					"leave --types out, or keep and compare its BTF");
		return function_table_read(&source->side.table, path, err);
	}
	return records_are_meant(path) ? read_btf(source, err) : read_dwarf(source, err);
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
