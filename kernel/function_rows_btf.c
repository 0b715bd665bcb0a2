/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/function_rows.h"

#include <string.h>

#include "btf/dedup/c_declaration.h"
#include "kernel/records.h"

/* A FUNC by the name of its function. */
struct listed {
	const struct btf_function *function;
	uint32_t base_length;		/* of the symbol: the function's name */
	bool has_others;		/* there are FUNCs f.part.0 or the like, too */
};

struct btf_list {
	struct function_rows *rows;
	struct btf_functions functions;
	const char *module;		/* of the rows; NULL: not that of a module */
	bool has_extra;
};

/* What BTF says nothing of. */
#define NOT_IN_BTF (1u << COLUMN_ADDRESS | 1u << COLUMN_UNIT | 1u << COLUMN_PARAMETERS |           \
		    1u << COLUMN_MARKS | 1u << COLUMN_SUFFIXES | 1u << COLUMN_CALLERS |            \
		    1u << COLUMN_HOOK)

static void add_row(const struct btf_list *list, const struct listed *listed)
{
	const struct btf_function *function = listed->function;
	/* In .BTF.extra alone the instance is known if it is the only entry without a LOC. */
	bool by_entries = list->functions.has_inline_entries && function->prototype &&
			  function->entries && function->located.count + 1 == function->entries;
	const struct function_sites *counts = list->functions.has_sites ? &function->sites
					      : by_entries ? &function->located : NULL;
	char *name = memory_string(function->symbol, listed->base_length);
	struct function_row row = {
		.name = function_rows_keep_text(list->rows, name),
		.symbol = function_rows_keep_text(list->rows, function->symbol),
		.marks = (uint32_t)function->is_global << MARK_GLOBAL |
			 (uint32_t)function->is_kfunc << MARK_KFUNC,
		.module = list->module, .unknown = NOT_IN_BTF, .verdict = VERDICT_OK };
	struct text prototype = { 0 };

	row.join = (uint8_t)join_by_suffix(row.symbol, row.name);
	/*
	 * Feature inline adds FUNCs for functions that have no code of their name, in .BTF.inline
	 * if there is one. .BTF.extra has no entry of these; what is left of one may have another
	 * FUNC there, f.part.0.
	 */
	if (!function->prototype || function->symbol[listed->base_length])
		row.verdict = VERDICT_UNKNOWN;
	else if (function->is_part ||
		 (list->has_extra && function->sites.count && !function->entries))
		row.verdict = !list->has_extra || listed->has_others ? VERDICT_UNKNOWN
								     : VERDICT_INLINED_ONLY;
	row.unknown |= (uint32_t)(row.verdict == VERDICT_UNKNOWN) << COLUMN_VERDICT;
	if (counts)
		row.sites = *counts;
	else
		row.unknown |= 1u << COLUMN_SITES;
	if (function->prototype) {
		c_declaration_add_btf(&prototype, list->functions.btf, function->prototype, name);
		text_add_char(&prototype, '\0');
		row.prototype = function_rows_keep(list->rows, prototype.data, prototype.count);
	}
	array_push(list->rows, row);
	array_release(&prototype);
	free(name);
}

static int compare_listed(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	size_t length = x->base_length < y->base_length ? x->base_length : y->base_length;
	int order = memcmp(x->function->symbol, y->function->symbol, length);

	order = order ? order : order_of(x->base_length, y->base_length);
	/* Promised ones first: the first line has the verdict of the name. */
	order = order ? order : order_of(!x->function->prototype, !y->function->prototype);
	return order ? order : strcmp(x->function->symbol, y->function->symbol);
}

static bool add_functions(const struct btf_list *list, uint64_t file_bytes, const char *path,
			  struct error *err)
{
	const struct btf_function *functions = list->functions.items.data;
	size_t count = list->functions.items.count;
	struct listed *items = memory_alloc(count * sizeof(*items));
	bool good = true;

	for (size_t i = 0; i < count; i++)
		items[i] = (struct listed){
			&functions[i], (uint32_t)symbol_parse(functions[i].symbol).base_length,
			false };
	qsort(items, count, sizeof(*items), compare_listed);
	/* FUNCs of the function's own name come before those of the others. */
	for (size_t i = count; i-- > 1;) {
		const char *a = items[i - 1].function->symbol, *b = items[i].function->symbol;

		items[i - 1].has_others =
			items[i - 1].base_length == items[i].base_length &&
			memcmp(a, b, items[i].base_length) == 0 &&
			(items[i].has_others || strcmp(a, b) != 0);
	}
	for (size_t i = 0; i < count && good; i++) {
		add_row(list, &items[i]);
		good = !function_rows_are_too_long(list->rows, file_bytes, path, err);
	}
	free(items);
	return good;
}

bool function_rows_add_btf(struct function_rows *rows, struct btf_input *input, const char *module,
			   struct error *err)
{
	struct btf_list list = {
		.rows = rows, .module = module ? function_rows_keep_text(rows, module) : NULL };
	bool good, in_btf;
	uint64_t bytes;

	if (!records_open_parts(input, NULL, NULL, err))
		return false;
	btf_functions_read(&list.functions, &input->btf, input->parts, input->part_count);
	in_btf = btf_has_kind(&input->btf, BTF_LOCSEC);
	for (uint32_t i = 0; i < input->part_count; i++)
		list.has_extra |= !btf_has_kind(&input->parts[i], BTF_LOCSEC);
	/* Feature inline adds FUNCs for functions without code; only .BTF.extra tells which. */
	good = !in_btf || list.has_extra ||
	       error_at(err, input->path, "was made with feature inline: only .BTF.extra would "
			"tell which of its FUNCs have code; encode with func_secinfo, too, or "
			"give the DWARF");
	bytes = input->btf.data_bytes;
	for (uint32_t i = 0; i < input->part_count; i++)
		bytes += input->parts[i].data_bytes;
	good = good && add_functions(&list, bytes, input->path, err);
	array_release(&list.functions.items);
	return good;
}
