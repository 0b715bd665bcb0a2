/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE	/* qsort_r */
#include "commands/diff/function_table.h"

#include <stdlib.h>
#include <string.h>

#include "base/search.h"
#include "base/sort.h"

#define FILE_COLUMNS_MAX 64

struct parsing {
	struct function_table *table;
	const char *path;
	struct error *err;
	size_t line;
	int column_of[FILE_COLUMNS_MAX];	/* of the file -> enum function_column; -1: none */
	size_t file_columns;
	uint32_t missing;			/* a bit for each column that the file has not */
};

static bool is_known(const struct function_row *row, enum function_column column)
{
	return !(row->unknown >> column & 1);
}

/* ---- names ---- */

/* Joins those rows of the name that have the best join. */
static void finish_function(const struct function_table *table, struct table_function *function)
{
	const struct function_row *rows = &table->rows.data[function->first_row];
	const char **addresses = memory_alloc(function->row_count * sizeof(*addresses));
	size_t count = 0;

	for (uint32_t i = 0; i < function->row_count; i++) {
		if (rows[i].join > function->join)
			function->join = rows[i].join;
	}
	for (uint32_t i = 0; i < function->row_count; i++) {
		if (rows[i].join != function->join)
			continue;
		if (rows[i].address)
			addresses[count++] = rows[i].address;
		if (function->verdict != VERDICT_OK)
			function->reasons |= rows[i].reasons;
		if (!function->prototype)
			function->prototype = rows[i].prototype;
	}
	if (function->verdict != VERDICT_OK && function->verdict != VERDICT_UNKNOWN)
		function->reasons |= (reason_set)1 << function->verdict;
	qsort(addresses, count, sizeof(*addresses), compare_strings);
	for (size_t i = 0; i < count; i++)
		function->addresses += !i || strcmp(addresses[i], addresses[i - 1]) != 0;
	free(addresses);
}

static void begin_function(struct function_table *table, const struct function_row *row,
			   size_t index, bool is_other)
{
	struct table_function function = {
		.name = row->name, .verdict = row->verdict, .marks = row->marks,
		.suffixes_known = is_known(row, COLUMN_SUFFIXES), .suffixes = row->suffixes,
		.sites_known = is_known(row, COLUMN_SITES), .sites = row->sites,
		.callers = row->callers, .module = row->module, .is_other = is_other,
		.first_row = (uint32_t)index };

	table->knows_exports &= is_known(row, COLUMN_MARKS);
	table->knows_all &= is_known(row, COLUMN_VERDICT);
	array_push(&table->functions, function);
}

static int compare_modules(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

static const char *unit_of(const struct function_table *table,
			   const struct table_function *function)
{
	const char *unit = table->rows.data[function->first_row].unit;

	return unit ? unit : "";
}

const char *function_table_file(const struct function_table *table,
				const struct table_function *function)
{
	const char *unit = unit_of(table, function), *slash = strrchr(unit, '/');

	return slash ? slash + 1 : unit;
}

int function_table_compare_others(const struct function_table *x, const struct table_function *a,
				  const struct function_table *y, const struct table_function *b)
{
	bool without_code =
		a->verdict == VERDICT_INLINED_ONLY && b->verdict == VERDICT_INLINED_ONLY;
	const char *of_a = function_table_file(x, a), *of_b = function_table_file(y, b);
	int order;

	/* The file of the only function of a name is not in the list if it has no code. */
	if ((!without_code || !*of_a || !*of_b) && (!a->is_other || !b->is_other))
		return a->is_other - b->is_other;
	order = strcmp(of_a, of_b);
	return order || x != y ? order : strcmp(unit_of(x, a), unit_of(y, b));
}

static int compare_functions(const void *a, const void *b, void *table)
{
	const struct table_function *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	order = order ? order : compare_modules(x->module, y->module);
	return order ? order : function_table_compare_others(table, x, table, y);
}

/* The lists of a build's files follow each other: all of their functions in one order. */
static bool sort_functions(struct function_table *table, bool is_unsorted, const char *path,
			   struct error *err)
{
	const struct table_function *functions = table->functions.data;
	size_t count = table->functions.count;
	uint32_t firsts = 0;
	bool has_others = false;

	for (size_t i = 0; i < count; i++) {
		bool is_new = !i || compare_modules(functions[i - 1].module, functions[i].module);

		table->has_kernel |= !functions[i].module;
		table->modules += is_new && functions[i].module;
		has_others |= functions[i].is_other;
	}
	if (!is_unsorted && !has_others && table->modules + table->has_kernel < 2)
		return true;
	qsort_r(table->functions.data, count, sizeof(*functions), compare_functions, table);
	for (size_t i = 0, first = 0; i < count; i++) {
		if (compare_modules(functions[first].module, functions[i].module) ||
		    strcmp(functions[first].name, functions[i].name) != 0) {
			first = i;
			firsts = 0;
		}
		firsts += !functions[i].is_other;
		if (firsts > 1)
			return error_at(err, path, "%.200s of %.100s is there twice: the lines of "
					"a name must be together; make the list again with "
					"`btfenc stats --functions`", functions[i].name,
					functions[i].module ? functions[i].module : "vmlinux");
	}
	return true;
}

/*
 * Is the row about another function than the last row of that name? One without code has one
 * row; the others have verdicts or units of their own. Not so a weak definition that lost: it has
 * no symbol, but the verdict of the name.
 */
static bool is_of_other(const struct function_table *table, const struct table_function *last,
			const struct function_row *row)
{
	const char *unit = row->unit;

	if (!is_known(row, COLUMN_VERDICT))
		return false;
	return (enum verdict)row->verdict != last->verdict ||
	       row->verdict == VERDICT_INLINED_ONLY ||
	       (last->is_other && strcmp(unit ? unit : "", unit_of(table, last)) != 0);
}

bool function_table_make(struct function_table *table, const char *path, struct error *err)
{
	bool is_unsorted = false;

	table->knows_exports = table->knows_all = true;
	/* Of an empty table, too, there is an address. */
	array_reserve(&table->functions, table->rows.count + 1);
	for (size_t i = 0; i < table->rows.count; i++) {
		const struct function_row *row = &table->rows.data[i];
		struct table_function *last =
			i ? &table->functions.data[table->functions.count - 1] : NULL;
		int order = last && !compare_modules(last->module, row->module)
				    ? strcmp(last->name, row->name) : -1;
		bool is_other = !order && is_of_other(table, last, row);

		/* Another program's sort, or characters that were cleaned after it. */
		is_unsorted |= order > 0;
		if (order || is_other)
			begin_function(table, row, i, is_other);
		table->functions.data[table->functions.count - 1].row_count++;
	}
	if (!sort_functions(table, is_unsorted, path, err))
		return false;
	for (size_t i = 0; i < table->functions.count; i++)
		finish_function(table, &table->functions.data[i]);
	return true;
}

bool function_table_find(const struct function_table *table, const char *name)
{
	const struct table_function *functions = table->functions.data;
	size_t at = lower_bound(i, table->functions.count, strcmp(functions[i].name, name) < 0);

	return at < table->functions.count && !functions[at].module &&
	       strcmp(functions[at].name, name) == 0 && functions[at].verdict == VERDICT_OK;
}

void function_table_release(struct function_table *table)
{
	compilers_release(&table->compilers);
	function_rows_release(&table->rows);
	array_release(&table->functions);
}

/* ---- lists ---- */

static bool bad_line(const struct parsing *parsing, const char *what)
{
	return error_at(parsing->err, parsing->path, "line %zu: %s; make the list again with "
			"`btfenc stats --functions`", parsing->line, what);
}

/* A bit for each of the words that is in the field, which has commas between them. */
static uint32_t parse_words(const char *field, const char *const *words, size_t count)
{
	const char *rest = field ? field : "";
	uint32_t set = 0;

	while (*rest) {
		size_t length = strcspn(rest, ",");
		size_t i = text_find_word(words, count, rest, length);

		set |= i < count ? 1u << i : 0;
		rest += length + (rest[length] == ',');
	}
	return set;
}

/* Cuts a line into fields, in place. More than FILE_COLUMNS_MAX: there are too many. */
static size_t cut_fields(char *line, char *fields[FILE_COLUMNS_MAX])
{
	size_t count = 0;

	while (line && count < FILE_COLUMNS_MAX)
		fields[count++] = strsep(&line, "\t");
	return count + (line != NULL);
}

static bool parse_head(struct parsing *parsing, char *line)
{
	/* Columns that lists had from the start. */
	static const enum function_column required[] = { COLUMN_NAME, COLUMN_SYMBOL, COLUMN_VERDICT,
							 COLUMN_REASONS, COLUMN_PROTOTYPE };
	char *fields[FILE_COLUMNS_MAX];
	uint64_t found = 0;

	parsing->file_columns = cut_fields(line, fields);
	if (parsing->file_columns > FILE_COLUMNS_MAX)
		return bad_line(parsing, "has too many columns");
	if (strchr(fields[parsing->file_columns - 1], '\r'))
		return bad_line(parsing, "ends with a carriage return");
	for (size_t i = 0; i < parsing->file_columns; i++) {
		parsing->column_of[i] = -1;
		for (int c = 0; c < COLUMN_COUNT; c++) {
			if (strcmp(fields[i], function_columns[c]) == 0) {
				parsing->column_of[i] = c;
				found |= UINT64_C(1) << c;
			}
		}
	}
	for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++) {
		if (!(found >> required[i] & 1))
			return error_at(parsing->err, parsing->path, "has no column \"%s\": it is "
					"no list of `btfenc stats --functions`",
					function_columns[required[i]]);
	}
	parsing->missing = ~(uint32_t)found;
	return true;
}

/* "a:constant,b:removed", cut into its words. */
static void parse_parameters(struct function_rows *rows, struct function_row *row, char *field)
{
	ARRAY_OF(struct row_parameter) parameters = { 0 };
	char *word;

	while (field && (word = strsep(&field, ","))) {
		char *name = strsep(&word, ":");
		uint8_t state = 0;

		while (word && state < PARAMETER_STATE_COUNT &&
		       strcmp(parameter_state_texts[state].code, word) != 0)
			state++;
		if (word && state < PARAMETER_STATE_COUNT)
			array_push(&parameters, ((struct row_parameter){ name, state }));
	}
	row->parameter_count = (uint32_t)parameters.count;
	row->parameters = function_rows_keep(rows, parameters.data,
					     parameters.count * sizeof(*parameters.data));
	array_release(&parameters);
}

static bool parse_row(struct parsing *parsing, char *line)
{
	char *cut[FILE_COLUMNS_MAX], *fields[COLUMN_COUNT] = { 0 };
	struct function_rows *rows = &parsing->table->rows;
	struct function_row row = { .unknown = parsing->missing };
	const char *verdict;

	if (cut_fields(line, cut) != parsing->file_columns)
		return bad_line(parsing, "has another number of fields than the first line");
	for (size_t i = 0; i < parsing->file_columns; i++) {
		int column = parsing->column_of[i];
		bool is_unknown = strcmp(cut[i], "?") == 0;

		if (column < 0)
			continue;
		row.unknown |= (uint32_t)is_unknown << column;
		if (column == COLUMN_NAME || (!is_unknown && strcmp(cut[i], "-") != 0))
			fields[column] = cut[i];
	}
	verdict = fields[COLUMN_VERDICT];
	row.name = fields[COLUMN_NAME];
	row.symbol = fields[COLUMN_SYMBOL];
	row.address = fields[COLUMN_ADDRESS];
	row.unit = fields[COLUMN_UNIT];
	row.prototype = fields[COLUMN_PROTOTYPE];
	row.module = fields[COLUMN_MODULE];
	row.verdict = (uint8_t)(verdict ? text_find_word(function_reasons, VERDICT_COUNT, verdict,
							 strlen(verdict)) : VERDICT_UNKNOWN);
	row.reasons = parse_words(fields[COLUMN_REASONS], function_reasons, VERDICT_COUNT);
	row.marks = parse_words(fields[COLUMN_MARKS], function_marks, MARK_COUNT);
	row.suffixes = parse_words(fields[COLUMN_SUFFIXES], suffix_texts, SUFFIX_COUNT);
	/* "kfunc,?": others are not known. */
	if (fields[COLUMN_MARKS] && text_ends_with(fields[COLUMN_MARKS], "?"))
		row.unknown |= 1u << COLUMN_MARKS;
	if (row.verdict == VERDICT_UNKNOWN && is_known(&row, COLUMN_VERDICT))
		return bad_line(parsing, "this btfenc does not know the verdict");
	/* All three, or none: a count that is missing is not 0. */
	if (is_known(&row, COLUMN_SITES) &&
	    (!text_parse_number(fields[COLUMN_SITES], UINT32_MAX, &row.sites.count) ||
	     !text_parse_number(fields[COLUMN_SITE_PARAMETERS], UINT32_MAX,
				&row.sites.parameters) ||
	     !text_parse_number(fields[COLUMN_SITE_PLACES], UINT32_MAX, &row.sites.locations)))
		return bad_line(parsing, "sites are not numbers");
	if (is_known(&row, COLUMN_CALLERS) &&
	    !text_parse_number(fields[COLUMN_CALLERS], UINT32_MAX, &row.callers))
		return bad_line(parsing, "callers are not a number");
	if (row.symbol)
		row.join = (uint8_t)join_by_suffix(row.symbol, row.name);
	parse_parameters(rows, &row, fields[COLUMN_PARAMETERS]);
	array_push(rows, row);
	return true;
}

/* The last line of a list (commands/stats/stats.h); of lists together there are several. */
static bool parse_origin(struct parsing *parsing, char *line)
{
	struct function_table *table = parsing->table;
	char *release, *build_id, *name;

	strsep(&line, "\t");
	release = strsep(&line, "\t");
	build_id = strsep(&line, "\t");
	snprintf(table->identity.release, sizeof(table->identity.release), "%s",
		 release && strcmp(release, "-") != 0 ? release : "");
	snprintf(table->identity.build_id, sizeof(table->identity.build_id), "%s",
		 build_id && strcmp(build_id, "-") != 0 ? build_id : "");
	while ((name = strsep(&line, "\t"))) {
		struct compiler_count compiler = { 0 };
		char *units = strsep(&line, "\t");

		if (!units || !text_parse_number(units, UINT32_MAX, &compiler.units))
			return bad_line(parsing, "the units of a compiler are no number");
		compiler.name = memory_copy(name);
		array_push(&table->compilers, compiler);
	}
	return true;
}

/* The rows point into the text. */
static bool parse_lines(struct parsing *parsing, char *text, size_t bytes)
{
	char *end = text + bytes;

	if (memchr(text, '\0', bytes))
		return error_at(parsing->err, parsing->path, "has zero bytes, so it is not a list "
				"of `btfenc stats --functions`");
	if (!bytes || end[-1] != '\n')
		return error_at(parsing->err, parsing->path, "does not end with a line feed: it is "
				"not complete; make the list again");
	/* Of a kernel's list; what has shorter lines gets its room line by line. */
	array_reserve(&parsing->table->rows, bytes / 64);
	for (char *line = text; line < end; parsing->line++) {
		char *feed = strchr(line, '\n');

		*feed = '\0';
		if (!(parsing->line == 1 ? parse_head(parsing, line)
		      : text_after(line, "#\t") ? parse_origin(parsing, line)
						: parse_row(parsing, line)))
			return false;
		line = feed + 1;
	}
	return true;
}

bool function_table_parse(struct function_table *table, struct text *text, const char *path,
			  struct error *err)
{
	struct parsing parsing = { .table = table, .path = path, .err = err, .line = 1 };
	char *block;

	*table = (struct function_table){ 0 };
	text_add_char(text, '\0');
	block = text->data;
	array_push(&table->rows.blocks, block);
	if (!parse_lines(&parsing, block, text->count - 1) ||
	    !function_table_make(table, path, err)) {
		function_table_release(table);
		*text = (struct text){ 0 };
		return false;
	}
	*text = (struct text){ 0 };
	/* Older lists lack the lines of functions that are only inlined. */
	table->knows_all &= !(parsing.missing >> COLUMN_SITES & 1);
	return true;
}

bool function_table_read(struct function_table *table, const char *path, struct error *err)
{
	struct text text = { 0 };

	if (!text_read_file(&text, path, "check the name and the permissions", err) ||
	    !function_table_parse(table, &text, path, err))
		return false;
	if (table->functions.count)
		return true;
	function_table_release(table);
	return error_at(err, path, "has no functions: it is not complete; make the list again with "
			"`btfenc stats --functions`");
}
