/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/stats/stats.h"

/* The words of a set with commas, "-" if it is empty. */
static void put_words(struct text *out, uint32_t set, const char *const *words)
{
	size_t first = out->count;

	for (uint32_t left = set; left; left &= left - 1)
		text_add_item(out, first, ",", words[__builtin_ctz(left)]);
	text_add_string(out, set ? "" : "-");
}

static void put_parameters(struct text *out, const struct function_row *row)
{
	for (uint32_t i = 0; i < row->parameter_count; i++) {
		text_add_string(out, i ? "," : "");
		text_add_string(out, row->parameters[i].name);
		text_add_char(out, ':');
		text_add_string(out, parameter_state_texts[row->parameters[i].state].code);
	}
	text_add_string(out, row->parameter_count ? "" : "-");
}

static void put_field(struct text *out, const struct function_row *row, enum function_column column)
{
	const char *const texts[COLUMN_COUNT] = {
		[COLUMN_NAME] = row->name, [COLUMN_SYMBOL] = row->symbol,
		[COLUMN_ADDRESS] = row->address, [COLUMN_UNIT] = row->unit,
		[COLUMN_PROTOTYPE] = row->prototype, [COLUMN_MODULE] = row->module,
		[COLUMN_VERDICT] = row->verdict < VERDICT_COUNT ? function_reasons[row->verdict]
								: NULL,
		[COLUMN_HOOK] = row->hook == ATTACH_YES ? "yes" : row->hook == ATTACH_NO ? "no"
											: NULL,
	};

	switch (column) {
	case COLUMN_REASONS: put_words(out, row->reasons, function_reasons); break;
	case COLUMN_PARAMETERS: put_parameters(out, row); break;
	case COLUMN_MARKS: put_words(out, row->marks, function_marks); break;
	case COLUMN_SUFFIXES: put_words(out, row->suffixes, suffix_texts); break;
	case COLUMN_SITES: text_add_number(out, row->sites.count); break;
	case COLUMN_SITE_PARAMETERS: text_add_number(out, row->sites.parameters); break;
	case COLUMN_SITE_PLACES: text_add_number(out, row->sites.locations); break;
	case COLUMN_CALLERS: text_add_number(out, row->callers); break;
	default: text_add_string(out, texts[column] ? texts[column] : "-");
	}
}

/* Lines of a kernel have 129 bytes on average. */
#define LINE_BYTES 128

static void put_origin(struct text *out, const struct program *program)
{
	const struct kernel_identity identity = kernel_identity_of_image(&program->object);
	compiler_counts compilers = { 0 };

	compilers_count(program, &compilers);
	text_add_clean_in(out, "#\t", *identity.release ? identity.release : "-", "\t");
	text_add_string(out, *identity.build_id ? identity.build_id : "-");
	array_each(const struct compiler_count, compiler, &compilers) {
		text_add_clean_in(out, "\t", compiler->name, "\t");
		text_add_number(out, compiler->units);
	}
	text_add_char(out, '\n');
	compilers_release(&compilers);
}

void function_list_print(const struct function_rows *rows, const struct program *program,
			 struct text *out)
{
	array_reserve(out, LINE_BYTES * rows->count);
	for (enum function_column c = 0; c < COLUMN_COUNT; c++) {
		text_add_string(out, function_columns[c]);
		text_add_char(out, c + 1 < COLUMN_COUNT ? '\t' : '\n');
	}
	array_each(const struct function_row, row, rows) {
		for (enum function_column c = 0; c < COLUMN_COUNT; c++) {
			if (row->unknown >> c & 1)
				text_add_char(out, '?');
			else
				put_field(out, row, c);
			text_add_char(out, c + 1 < COLUMN_COUNT ? '\t' : '\n');
		}
	}
	put_origin(out, program);
}
