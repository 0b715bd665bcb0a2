/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/function_table.h"

#include <string.h>

#include "btf/dedup/c_declaration.h"
#include "btf/inspect.h"
#include "kernel/records.h"
#include "kallsyms/suffix.h"

/* A FUNC by the name of its function. */
struct listed {
	const struct btf_function *function;
	uint32_t base_length;		/* of the symbol: the function's name */
	bool has_others;		/* there are FUNCs f.part.0 or the like, too */
};

struct btf_list {
	struct btf_functions functions;
	const char *module;		/* NULL: not that of a module */
	bool has_extra;
};

/* ---- lines ---- */

static void add_line(const struct btf_list *list, const struct listed *listed, struct text *out)
{
	const struct btf_function *function = listed->function;
	uint32_t marks = (uint32_t)function->is_global << MARK_GLOBAL |
			 (uint32_t)function->is_kfunc << MARK_KFUNC;
	/* In .BTF.extra alone the instance is known if it is the only entry without a LOC. */
	bool by_entries = list->functions.has_inline_entries && function->prototype &&
			  function->entries && function->located.count + 1 == function->entries;
	const struct function_sites *counts = list->functions.has_sites ? &function->sites
					      : by_entries ? &function->located : NULL;
	const char *verdict = verdict_texts[VERDICT_OK].code;
	char *name = memory_string(function->symbol, listed->base_length);

	/*
	 * Feature inline adds FUNCs for functions that have no code of their name, in .BTF.inline
	 * if there is one. .BTF.extra has no entry of these; what is left of one may have another
	 * FUNC there, f.part.0.
	 */
	if (!function->prototype || function->symbol[listed->base_length])
		verdict = "?";
	else if (function->is_part ||
		 (list->has_extra && function->sites.count && !function->entries))
		verdict = !list->has_extra || listed->has_others
				  ? "?" : verdict_texts[VERDICT_INLINED_ONLY].code;
	function_list_put_field(out, name);
	function_list_put_field(out, function->symbol);
	text_add_string(out, "?\t?\t");
	text_add_string(out, verdict);
	text_add_string(out, "\t-\t");
	if (function->prototype)
		c_declaration_add_btf(out, list->functions.btf, function->prototype, name);
	else
		text_add_char(out, '?');
	text_add_string(out, "\t?\t");
	for (uint32_t left = marks; left; left &= left - 1) {
		text_add_string(out, function_marks[__builtin_ctz(left)]);
		text_add_char(out, ',');
	}
	text_add_string(out, "?\t?\t");
	function_list_put_end(out, counts, NULL, list->module);
	text_add_string(out, "?\n");
	free(name);
}

static int compare_listed(const void *a, const void *b)
{
	const struct listed *x = a, *y = b;
	size_t length = x->base_length < y->base_length ? x->base_length : y->base_length;
	int order = memcmp(x->function->symbol, y->function->symbol, length);

	if (order || x->base_length != y->base_length)
		return order ? order : x->base_length < y->base_length ? -1 : 1;
	/* Promised ones first: the first line has the verdict of the name. */
	if (!x->function->prototype != !y->function->prototype)
		return x->function->prototype ? -1 : 1;
	return strcmp(x->function->symbol, y->function->symbol);
}

/* False: it would be longer than that. */
static bool print_functions(const struct btf_list *list, size_t limit, struct text *out)
{
	const struct btf_function *functions = list->functions.items.data;
	size_t count = list->functions.items.count, printed = 0;
	struct listed *items = memory_alloc(count * sizeof(*items));

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
	function_list_put_head(out);
	while (printed < count && out->count < limit)
		add_line(list, &items[printed++], out);
	free(items);
	return printed == count;
}

/* ---- all ---- */

bool function_list_of_btf(struct btf_input *input, const char *module, struct text *out,
			  struct error *err)
{
	struct btf_list list = { .module = module };
	bool good, in_btf;
	size_t bytes, limit;

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
	limit = function_list_limit(out, bytes);
	good = good && (print_functions(&list, limit, out) ||
			function_list_too_long(input->path, err));
	btf_functions_release(&list.functions);
	return good;
}
