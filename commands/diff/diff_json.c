/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A diff as one JSON object, whose keys man/btfenc.1 documents, and as one HTML file: a page with
 * that object in it, in which the changes are packed.
 */
#include <elf.h>
#include <inttypes.h>
#include <string.h>

#include "commands/diff/diff.h"
#include "commands/print/json.h"
#include "commands/print/template.h"

static json_t *side_json(const struct diff *diff, int number)
{
	static const char *const kinds[] = {
		[SIDE_DWARF] = "dwarf", [SIDE_BTF] = "btf", [SIDE_TABLE] = "table" };
	const struct diff_side *side = number ? diff->new : diff->old;
	const struct kernel_identity *identity = &side->table.identity;
	json_t *compilers = json_array();

	for (size_t i = 0; i < side->table.compilers.count; i++)
		json_array_append_new(compilers, json_pack("{s:o, s:I}",
			"name", json_text(side->table.compilers.data[i].name),
			"units", INTEGER(side->table.compilers.data[i].units)));
	return json_pack("{s:o, s:o, s:o, s:s, s:o, s:I, s:I, s:I, s:o, s:o, s:o}",
		"path", json_text(side->path),
		"release", json_known(identity->release),
		"build_id", json_known(identity->build_id),
		"kind", kinds[side->kind],
		"compilers", compilers,
		"modules", INTEGER(side->table.modules),
		"names", INTEGER(diff->names[number]),
		"funcs", INTEGER(diff->verdicts[number][VERDICT_OK]),
		"sites", json_number(diff->sites_known, diff->sites[number]),
		"site_parameters", json_number(diff->sites_known, diff->site_parameters[number]),
		"site_places", json_number(diff->sites_known, diff->site_locations[number]));
}

static json_t *function_json(const struct function_table *table,
			     const struct table_function *function)
{
	const struct function_row *rows;
	json_t *symbols;

	if (!function)
		return json_null();
	rows = &table->rows.data[function->first_row];
	symbols = json_array();
	for (uint32_t i = 0; i < function->row_count; i++) {
		if (rows[i].symbol)
			json_array_append_new(symbols, json_text(rows[i].symbol));
	}
	return json_pack("{s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:I}",
		"module", json_text(function->module),
		"verdict", function->verdict == VERDICT_UNKNOWN
				   ? json_null()
				   : json_string(verdict_texts[function->verdict].code),
		"reasons", json_words(function->reasons, function_reasons),
		"prototype", json_text(function->prototype),
		"unit", json_text(rows->unit),
		"symbols", symbols,
		"sites", json_number(function->sites_known, function->sites.count),
		"site_parameters", json_number(function->sites_known, function->sites.parameters),
		"site_places", json_number(function->sites_known, function->sites.locations),
		"callers", INTEGER(function->callers));
}

/* Without a text it has a FUNC; types have no such state. */
static json_t *state_json(const struct diff_change *change, const char *text)
{
	return text ? json_text(text) : json_string(change->type ? "" : "ok");
}

static json_t *change_json(const struct diff *diff, const struct diff_change *change)
{
	const struct type_change *type = change->type;
	json_t *details = type ? json_array() : json_null();
	json_t *words = change->class == DIFF_CHANGED ? json_array() : json_null();
	struct word_runs runs = { 0 };

	for (size_t i = 0; type && i < type->details.count; i++)
		json_array_append_new(details, json_text(type->details.data[i]));
	if (change->class == DIFF_CHANGED)
		word_runs_make(&runs, change->old->prototype, change->new->prototype);
	array_each(const struct word_run, run, &runs) {
		char *text = memory_string(run->text, run->length);

		json_array_append_new(words, json_pack("{s:s#, s:o}", "op", &run->op, 1,
						       "text", json_text(text)));
		free(text);
	}
	word_runs_release(&runs);
	return json_pack("{s:s, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:b}",
		"class", diff_classes[change->class].code,
		"name", json_text(change->name),
		"new_name", json_text(change->class == DIFF_NEW_NAME ? change->new->name : NULL),
		"keyword", type ? json_string(type->keyword) : json_null(),
		"marks", json_words(change->marks, function_marks),
		"from", state_json(change, change->from),
		"to", state_json(change, change->to),
		"diff", words,
		"old", function_json(&diff->old->table, change->old),
		"new", function_json(&diff->new->table, change->new),
		"details", details,
		"allowed", json_text(change->allowed ? change->allowed->why : NULL),
		"module", json_text(type ? type->module : NULL),
		"fails", (int)change->fails);
}

/* An array that becomes a member of the root. */
static json_t *add_array(json_t *root, const char *key)
{
	json_t *array = json_array();

	json_set(root, key, array);
	return array;
}

static void add_totals(json_t *root, const struct diff *diff)
{
	json_t *array = add_array(root, "verdicts");

	for (int v = 0; v <= VERDICT_UNKNOWN; v++) {
		bool is_known = v != VERDICT_UNKNOWN;

		if (!diff->verdicts[0][v] && !diff->verdicts[1][v])
			continue;
		json_array_append_new(array, json_pack("{s:s, s:s, s:I, s:I}",
			"code", is_known ? verdict_texts[v].code : "no-func",
			"sentence", is_known ? verdict_texts[v].sentence
					     : "no FUNC; BTF does not say why",
			"old", INTEGER(diff->verdicts[0][v]),
			"new", INTEGER(diff->verdicts[1][v])));
	}
	array = add_array(root, "suffixes");
	for (int i = 0; i < SUFFIX_COUNT; i++) {
		if (diff->suffixes[0][i] || diff->suffixes[1][i])
			json_array_append_new(array, json_pack("{s:s, s:I, s:I}",
				"suffix", suffix_texts[i],
				"old", INTEGER(diff->suffixes[0][i]),
				"new", INTEGER(diff->suffixes[1][i])));
	}
	array = add_array(root, "classes");
	for (int c = 0; c < DIFF_CLASS_COUNT; c++)
		json_array_append_new(array, json_pack("{s:s, s:s, s:I, s:I, s:b}",
			"code", diff_classes[c].code,
			"sentence", diff_classes[c].sentence,
			"count", INTEGER(diff->counts[c]),
			"allowed", INTEGER(diff->allowed[c]),
			"fails", (int)(diff->options->fail_on >> c & 1)));
}

/*
 * Of the page, which would be five times as large with all keys and repeated texts: an object is
 * the array of its values. What is empty or false is 0, and left out at the end. A text that has
 * been there is its number, from 1 on, in the order of first appearances, the keys of *seen.
 */
static json_t *packed(json_t *value, json_t *seen)
{
	json_t *array = json_array(), *known, *member;
	const char *key, *text = json_string_value(value);
	size_t i, last = 0;

	json_array_foreach(value, i, member) {
		json_array_append_new(array, packed(member, seen));
	}
	json_object_foreach(value, key, member) {
		json_array_append_new(array, packed(member, seen));
	}
	json_array_foreach(array, i, member) {
		last = json_is_integer(member) && !json_integer_value(member) ? last : i + 1;
	}
	while (json_array_size(array) > last)
		json_array_remove(array, last);
	if (last)
		return array;
	json_decref(array);
	if (json_is_integer(value))
		return json_incref(value);
	if (!text || !*text)
		return json_integer(json_is_true(value));
	known = json_object_get(seen, text);
	if (known)
		return json_incref(known);
	json_set(seen, text, json_integer(INTEGER(json_object_size(seen) + 1)));
	return json_incref(value);
}

/* Without what follows from the rest: the words of prototypes are in "diff". */
static json_t *packed_change(const struct diff *diff, const struct diff_change *change,
			     json_t *seen)
{
	json_t *object = change_json(diff, change), *row;

	for (int side = 0; side < 2; side++) {
		json_t *function = json_object_get(object, side ? "new" : "old");
		json_t *symbols = json_object_get(function, "symbols");

		json_object_del(function, "callers");
		if (json_array_size(symbols) == 1 &&
		    json_equal(json_array_get(symbols, 0), json_object_get(object, "name")))
			json_array_clear(symbols);
		if (change->class == DIFF_CHANGED)
			json_set(function, "prototype", json_null());
	}
	row = packed(object, seen);
	json_decref(object);
	return row;
}

/* At most so many of a class; 0: all. */
static void add_packed_changes(json_t *root, const struct diff *diff, uint32_t limit)
{
	uint32_t counts[DIFF_CLASS_COUNT] = { 0 };
	json_t *seen = json_object(), *array = add_array(root, "changes");

	array_each(const struct diff_change, change, &diff->changes) {
		if (!limit || counts[change->class]++ < limit)
			json_array_append_new(array, packed_change(diff, change, seen));
	}
	json_decref(seen);
	json_set(root, "limit", json_integer(limit));
}

/* ---- the summary ---- */

EMBED(diff_summary_rows, "commands/diff/diff_summary.txt");

#define NO_FUNC "kfunc without a FUNC, so BPF programs cannot call it: %.200s"

static void add_line(json_t *lines, char *line)
{
	if (line)
		json_array_append_new(lines, json_text(line));
	free(line);
}

/* Changed or not. */
static void add_lost_kfuncs(json_t *lines, const struct diff *diff)
{
	const struct function_table *table = &diff->new->table;

	array_each(const struct table_function, function, &table->functions) {
		const char *module = diff->has_modules ? function->module : NULL;
		char *state;

		if (!(function->marks >> MARK_KFUNC & 1) || function->verdict == VERDICT_OK ||
		    (function->module && function->verdict == VERDICT_INLINED_ONLY &&
		     function_table_find(table, function->name)))
			continue;
		state = diff_state(table, function);
		add_line(lines, text_format(NO_FUNC "%s%.100s%s: %.500s", function->name,
					    module ? " [" : "", module ? module : "",
					    module ? "]" : "", state));
		free(state);
	}
	for (size_t i = 0; i < diff->new->read.absent_kfuncs.count; i++)
		add_line(lines, text_format(NO_FUNC ": DWARF has no code of that name",
					    diff->new->read.absent_kfuncs.data[i]));
}

/* The compiler of most units. */
static json_t *compiler_json(const struct diff_side *side)
{
	for (size_t i = 0; i < side->table.compilers.count; i++) {
		const char *name = side->table.compilers.data[i].name;

		if (*name)
			return json_text_bytes(name, strnlen(name, 200));
	}
	return json_null();
}

json_t *diff_summary(const struct diff *diff, bool has_notes, bool has_figures)
{
	const struct diff_side *old = diff->old, *new = diff->new;
	json_t *lines = json_array(), *was = compiler_json(old), *is = compiler_json(new), *facts;
	const char *rows = diff_summary_rows;
	char more_funcs[32], more_sites[32];
	uint32_t losses = 0;

	for (int c = 0; c < DIFF_CLASS_COUNT; c++)
		losses += DIFF_LOSSES >> c & 1 ? diff->counts[c] : 0;
	snprintf(more_funcs, sizeof(more_funcs), "%+" PRId64,
		 (int64_t)diff->verdicts[1][VERDICT_OK] - diff->verdicts[0][VERDICT_OK]);
	snprintf(more_sites, sizeof(more_sites), "%+" PRId64,
		 (int64_t)(diff->sites[1] - diff->sites[0]));
	facts = json_pack("{s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b, s:b}",
		"notes", has_notes, "figures", has_figures,
		"one_release", new->table.identity.release[0] &&
			strcmp(old->table.identity.release, new->table.identity.release) == 0,
		"one_compiler", json_equal(was, is),
		"two_machines", old->machine && new->machine && old->machine != new->machine,
		"two_orders", old->byte_order && new->byte_order &&
			old->byte_order != new->byte_order,
		"was_big", old->byte_order == ELFDATA2MSB,
		"functions", (diff->options->show & ~DIFF_TYPES) != 0,
		"only", diff->options->only.count != 0,
		"unexplained", losses && !new->table.knows_all,
		"by_dwarf", new->table.knows_all,
		"by_dwarves", old->table.knows_all && new->table.knows_all);
	json_object_update_new(facts, json_pack(
		"{s:o, s:o, s:o, s:o, s:i, s:i, s:I, s:b, s:b, s:s, s:s}",
		"old", side_json(diff, 0), "new", side_json(diff, 1), "was", was, "is", is,
		"old_machine", old->machine, "new_machine", new->machine,
		"types", INTEGER(diff->types.compared), "has_modules", diff->has_modules,
		"sites_known", diff->sites_known,
		"more_funcs", more_funcs, "more_sites", more_sites));
	add_lost_kfuncs(lines, diff);
	while (*rows)
		add_line(lines, template_sentence(&rows, facts));
	json_decref(facts);
	return lines;
}

/* ---- all of it ---- */

static json_t *diff_json(const struct diff *diff, bool is_page)
{
	const struct allow_list *allow = &diff->options->allow;
	json_t *root, *array;

	root = json_pack("{s:i, s:o, s:o}", "version", 1, "old", side_json(diff, 0),
			 "new", side_json(diff, 1));
	add_totals(root, diff);
	array = add_array(root, "changes");
	for (size_t i = 0; !is_page && i < diff->changes.count; i++)
		json_array_append_new(array, change_json(diff, &diff->changes.data[i]));
	array = add_array(root, "important");
	for (size_t i = 0; i < diff->important.count; i++)
		json_array_append_new(array, json_text(diff->important.data[i]->name));
	array = add_array(root, "unused_allows");
	array_each(const struct allow_rule, rule, &allow->rules) {
		if (!rule->used)
			json_array_append_new(array, json_pack("{s:I, s:o, s:o}",
				"line", INTEGER(rule->line),
				"glob", json_text(rule->glob),
				"comment", json_text(rule->why)));
	}
	json_set(root, "fails", json_integer(INTEGER(diff->fails)));
	json_set(root, "summary", diff_summary(diff, true, !is_page));
	return root;
}

void diff_print_json(const struct diff *diff, FILE *out)
{
	json_write(diff_json(diff, false), JSON_INDENT(1), out);
}

/* ---- HTML ---- */

EMBED(diff_page, "commands/diff/diff_page.html");

#define DATA_MARK "@DATA@"

void diff_print_html(const struct diff *diff, uint32_t limit, FILE *out)
{
	const char *mark = strstr(diff_page, DATA_MARK);
	json_t *root = diff_json(diff, true);
	char *text;

	add_packed_changes(root, diff, limit);
	text = json_dumps(root, JSON_COMPACT | JSON_ENSURE_ASCII);
	fwrite(diff_page, 1, (size_t)(mark - diff_page), out);
	/* A reader of the page must see neither "</script>" nor "<!--" of a name. */
	for (const char *c = text; *c; c++) {
		if (*c == '<')
			fputs("\\u003c", out);
		else
			putc_unlocked(*c, out);
	}
	fputc('\n', out);
	fputs(mark + strlen(DATA_MARK), out);
	free(text);
	json_decref(root);
}
