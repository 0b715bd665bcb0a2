/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A diff as one JSON object. man/btfenc.1 documents its keys; the HTML report carries the same. */
#include <string.h>

#include "commands/diff/diff.h"
#include "commands/diff/diff_words.h"
#include "commands/explain/explain_print.h"

/* There is one out-of-memory path (base/memory.h), so nothing here returns NULL. */
static json_t *integer(uint64_t value)
{
	return json_integer((json_int_t)value);
}

static void set(json_t *object, const char *key, json_t *value)
{
	json_object_set_new(object, key, value);
}

/* ---- both sides ---- */

static json_t *side_json(const struct diff *diff, int number)
{
	const struct diff_side *side = number ? diff->new : diff->old;
	json_t *object = json_object(), *compilers = json_array();

	for (size_t i = 0; i < side->compilers.count; i++) {
		json_t *compiler = json_object();

		set(compiler, "name", explain_text_json(side->compilers.data[i].name));
		set(compiler, "units", integer(side->compilers.data[i].units));
		json_array_append_new(compilers, compiler);
	}
	set(object, "path", explain_text_json(side->path));
	set(object, "kind", json_string(side->kind));
	set(object, "compilers", compilers);
	set(object, "names", integer(side->table.functions.count));
	set(object, "funcs", integer(diff->verdicts[number][VERDICT_OK]));
	set(object, "sites", diff->sites_known ? integer(diff->sites[number]) : json_null());
	return object;
}

static json_t *verdicts_json(const struct diff *diff)
{
	json_t *array = json_array();

	for (int v = 0; v <= VERDICT_UNKNOWN; v++) {
		json_t *row;

		if (!diff->verdicts[0][v] && !diff->verdicts[1][v])
			continue;
		row = json_object();
		set(row, "code", json_string(v == VERDICT_UNKNOWN ? "no-func"
							  : verdict_code((enum verdict)v)));
		set(row, "sentence", json_string(v == VERDICT_UNKNOWN
			? "no FUNC; BTF does not say why" : verdict_sentence((enum verdict)v)));
		set(row, "old", integer(diff->verdicts[0][v]));
		set(row, "new", integer(diff->verdicts[1][v]));
		json_array_append_new(array, row);
	}
	return array;
}

static json_t *suffixes_json(const struct diff *diff)
{
	json_t *array = json_array();

	for (int i = 0; i < SUFFIX_COUNT; i++) {
		json_t *row;

		if (!diff->suffixes[0][i] && !diff->suffixes[1][i])
			continue;
		row = json_object();
		set(row, "suffix", json_string(suffix_text((enum suffix)i)));
		set(row, "old", integer(diff->suffixes[0][i]));
		set(row, "new", integer(diff->suffixes[1][i]));
		json_array_append_new(array, row);
	}
	return array;
}

static json_t *classes_json(const struct diff *diff)
{
	json_t *array = json_array();

	for (int c = 0; c < DIFF_CLASS_COUNT; c++) {
		json_t *row = json_object();

		set(row, "code", json_string(diff_class_code((enum diff_class)c)));
		set(row, "sentence", json_string(diff_class_sentence((enum diff_class)c)));
		set(row, "count", integer(diff->counts[c]));
		set(row, "allowed", integer(diff->allowed[c]));
		set(row, "fails", json_boolean(diff->options->fail_on >> c & 1));
		json_array_append_new(array, row);
	}
	return array;
}

/* ---- changes ---- */

static json_t *codes_json(reason_set reasons)
{
	json_t *array = json_array();

	for (reason_set left = reasons; left; left &= left - 1)
		json_array_append_new(
			array, json_string(verdict_code((enum verdict)__builtin_ctz(left))));
	return array;
}

static json_t *field_json(const struct function_row *row, enum function_column column)
{
	const char *field = row->fields[column];

	return field && strcmp(field, "-") != 0 && strcmp(field, "?") != 0
		       ? explain_text_json(field) : json_null();
}

static json_t *symbols_json(const struct function_table *table,
			    const struct table_function *function)
{
	json_t *array = json_array();

	for (uint32_t i = 0; i < function->row_count; i++) {
		json_t *symbol = field_json(&table->rows.data[function->first_row + i],
					    COLUMN_SYMBOL);

		if (json_is_null(symbol))
			json_decref(symbol);
		else
			json_array_append_new(array, symbol);
	}
	return array;
}

static json_t *function_json(const struct function_table *table,
			     const struct table_function *function)
{
	json_t *object;

	if (!function)
		return json_null();
	object = json_object();
	set(object, "verdict", function->verdict == VERDICT_UNKNOWN
		? json_null() : json_string(verdict_code(function->verdict)));
	set(object, "reasons", codes_json(function->reasons));
	set(object, "prototype", explain_text_json(function->prototype));
	set(object, "unit", field_json(&table->rows.data[function->first_row], COLUMN_UNIT));
	set(object, "symbols", symbols_json(table, function));
	set(object, "sites", function->sites.is_known ? integer(function->sites.count)
						      : json_null());
	set(object, "site_parameters", function->sites.is_known
		? integer(function->sites.parameters) : json_null());
	set(object, "site_places", function->sites.is_known ? integer(function->sites.places)
							    : json_null());
	return object;
}

static json_t *marked_json(const struct diff_change *change)
{
	json_t *array;
	struct marked_lines marked;

	if (change->class != DIFF_CHANGED)
		return json_null();
	array = json_array();
	marked_lines_make(&marked, change->old->prototype, change->new->prototype);
	for (size_t i = 0; i < marked.runs.count; i++) {
		char *text = memory_string(marked.runs.data[i].text, marked.runs.data[i].length);
		json_t *run = json_object();

		set(run, "op", json_stringn(&marked.runs.data[i].op, 1));
		set(run, "text", explain_text_json(text));
		json_array_append_new(array, run);
		free(text);
	}
	marked_lines_release(&marked);
	return array;
}

static json_t *details_json(const struct type_change *type)
{
	json_t *array;

	if (!type)
		return json_null();
	array = json_array();
	for (size_t i = 0; i < type->details.count; i++)
		json_array_append_new(array, explain_text_json(type->details.data[i]));
	return array;
}

static json_t *marks_json(uint32_t marks)
{
	json_t *array = json_array();

	for (uint32_t left = marks; left; left &= left - 1)
		json_array_append_new(array, json_string(function_mark_code(
						     (enum function_mark)__builtin_ctz(left))));
	return array;
}

/* What is not said is that it has a FUNC; types have no such state. */
static json_t *state_json(const struct diff_change *change, const char *text)
{
	return text ? explain_text_json(text) : json_string(change->type ? "" : "ok");
}

static json_t *change_json(const struct diff *diff, const struct diff_change *change)
{
	json_t *object = json_object();

	set(object, "class", json_string(diff_class_code(change->class)));
	set(object, "name", explain_text_json(change->name));
	set(object, "keyword", change->type ? json_string(change->type->keyword) : json_null());
	set(object, "marks", marks_json(change->marks));
	set(object, "from", state_json(change, change->from));
	set(object, "to", state_json(change, change->to));
	set(object, "diff", marked_json(change));
	set(object, "old", function_json(&diff->old->table, change->old));
	set(object, "new", function_json(&diff->new->table, change->new));
	set(object, "details", details_json(change->type));
	set(object, "allowed", change->allowed ? explain_text_json(change->allowed->why)
					       : json_null());
	set(object, "fails", json_boolean(change->fails));
	return object;
}

static json_t *unused_json(const struct allow_list *allow)
{
	json_t *array = json_array();

	for (size_t i = 0; allow && i < allow->rules.count; i++) {
		const struct allow_rule *rule = &allow->rules.data[i];
		json_t *row;

		if (rule->used)
			continue;
		row = json_object();
		set(row, "line", integer(rule->line));
		set(row, "glob", explain_text_json(rule->glob));
		set(row, "comment", explain_text_json(rule->why));
		json_array_append_new(array, row);
	}
	return array;
}

static void add_line(void *context, const char *line)
{
	json_array_append_new(context, explain_text_json(line));
}

/* Neither "</script>" nor "<!--", which a name may hold, may be seen by who reads the page. */
static void put_for_page(const json_t *root, FILE *out)
{
	char *text = json_dumps(root, JSON_COMPACT);

	for (const char *c = text; c && *c; c++) {
		if (*c == '<')
			fputs("\\u003c", out);
		else
			putc_unlocked(*c, out);
	}
	free(text);
}

void diff_print_json(const struct diff *diff, bool for_page, FILE *out)
{
	json_t *root, *changes, *important, *summary;

	json_set_alloc_funcs(memory_alloc, free);
	root = json_object();
	changes = json_array();
	important = json_array();
	summary = json_array();
	for (size_t i = 0; i < diff->changes.count; i++)
		json_array_append_new(changes, change_json(diff, &diff->changes.data[i]));
	for (size_t i = 0; i < diff->important.count; i++)
		json_array_append_new(important,
			explain_text_json(diff->changes.data[diff->important.data[i]].name));
	diff_summarize(diff, add_line, summary);
	set(root, "old", side_json(diff, 0));
	set(root, "new", side_json(diff, 1));
	set(root, "verdicts", verdicts_json(diff));
	set(root, "suffixes", suffixes_json(diff));
	set(root, "classes", classes_json(diff));
	set(root, "changes", changes);
	set(root, "important", important);
	set(root, "unused_allows", unused_json(diff->options->allow));
	set(root, "fails", integer(diff->fails));
	set(root, "summary", summary);
	if (for_page)
		put_for_page(root, out);
	else
		json_dumpf(root, out, JSON_INDENT(1));
	fputc('\n', out);
	json_decref(root);
}
