/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/function_table.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Columns that lists had from the start; without them nothing can be said. */
static const enum function_column required[] = { COLUMN_NAME, COLUMN_SYMBOL, COLUMN_VERDICT,
						 COLUMN_REASONS, COLUMN_PROTOTYPE };

/* ---- fields ---- */

#define FILE_COLUMNS_MAX 64

struct parsing {
	struct function_table *table;
	const char *path;
	struct error *err;
	size_t line;
	int column_of[FILE_COLUMNS_MAX];	/* of the file -> enum function_column; -1: none */
	size_t file_columns;
};

static bool is_nothing(const char *field)
{
	return !field || (field[0] == '-' && !field[1]);
}

static bool is_unknown(const char *field)
{
	return !field || (field[0] == '?' && !field[1]);
}

static bool bad_line(const struct parsing *parsing, const char *what)
{
	return error_at(parsing->err, parsing->path, "line %zu: %s; make the list again with "
			"`btfenc stats --functions`", parsing->line, what);
}

static enum verdict verdict_of_code(const char *code)
{
	for (enum verdict v = VERDICT_OK; v < VERDICT_COUNT; v++) {
		if (strcmp(code, verdict_code(v)) == 0)
			return v;
	}
	return VERDICT_UNKNOWN;
}

/* The next of the words between commas, cut off in place; NULL: no more. */
static bool next_word(const char **rest, const char **word, size_t *length)
{
	if (!**rest)
		return false;
	*word = *rest;
	*length = strcspn(*rest, ",");
	*rest += *length + ((*rest)[*length] == ',');
	return true;
}

static bool is_word(const char *word, size_t length, const char *text)
{
	return strncmp(word, text, length) == 0 && !text[length];
}

static reason_set parse_reasons(const char *field)
{
	const char *rest = is_nothing(field) ? "" : field, *word;
	reason_set reasons = 0;
	size_t length;

	while (next_word(&rest, &word, &length)) {
		for (int v = VERDICT_OK + 1; v < VERDICT_COUNT; v++) {
			if (is_word(word, length, verdict_code((enum verdict)v)))
				reasons |= (reason_set)1 << v;
		}
	}
	return reasons;
}

static uint32_t parse_marks(const char *field, bool *exports_unknown)
{
	const char *rest = is_nothing(field) ? "" : field, *word;
	uint32_t marks = 0;
	size_t length;

	while (next_word(&rest, &word, &length)) {
		*exports_unknown |= is_word(word, length, "?");
		for (int m = 0; m < MARK_COUNT; m++) {
			if (is_word(word, length, function_mark_code((enum function_mark)m)))
				marks |= 1u << m;
		}
	}
	return marks;
}

static uint32_t parse_suffixes(const char *field)
{
	const char *rest = is_nothing(field) ? "" : field, *word;
	uint32_t set = 0;
	size_t length;

	while (next_word(&rest, &word, &length)) {
		for (int i = 0; i < SUFFIX_COUNT; i++) {
			if (is_word(word, length, suffix_text((enum suffix)i)))
				set |= 1u << i;
		}
	}
	return set;
}

static bool parse_number(const char *field, uint32_t *number)
{
	char *end;
	unsigned long value;

	if (*field < '0' || *field > '9')
		return false;
	errno = 0;
	value = strtoul(field, &end, 10);
	*number = (uint32_t)value;
	return !*end && !errno && value <= UINT32_MAX;
}

static bool parse_sites(const struct parsing *parsing, const struct function_row *row,
			struct function_sites *sites)
{
	*sites = (struct function_sites){ 0 };
	if (is_unknown(row->fields[COLUMN_SITES]))
		return true;
	sites->is_known = true;
	if (!row->fields[COLUMN_SITE_PARAMETERS] || !row->fields[COLUMN_SITE_PLACES] ||
	    !parse_number(row->fields[COLUMN_SITES], &sites->count) ||
	    !parse_number(row->fields[COLUMN_SITE_PARAMETERS], &sites->parameters) ||
	    !parse_number(row->fields[COLUMN_SITE_PLACES], &sites->places))
		return bad_line(parsing, "sites are no numbers");
	return true;
}

/* As encoder/unit_worker.c joins them, by the symbol's name alone. */
static enum join_class join_of(const char *name, const char *symbol)
{
	struct symbol_base base;

	if (is_nothing(symbol) || is_unknown(symbol))
		return JOIN_NONE;
	if (strcmp(name, symbol) == 0)
		return JOIN_SAME;
	base = symbol_parse(symbol);
	if (base.suffixes & 1u << SUFFIX_COLD)
		return JOIN_COLD;
	if (base.suffixes & 1u << SUFFIX_PART)
		return JOIN_FRAGMENT;
	return base.class == SUFFIX_CHANGES ? JOIN_CLONE : JOIN_SAME;
}

/* ---- names ---- */

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_address(const struct function_row *row)
{
	return !is_nothing(row->fields[COLUMN_ADDRESS]) &&
	       !is_unknown(row->fields[COLUMN_ADDRESS]);
}

static uint32_t count_addresses(const struct function_table *table,
				const struct table_function *function)
{
	const char **addresses = memory_alloc(function->row_count * sizeof(*addresses));
	uint32_t count = 0, different = 0;

	for (uint32_t i = 0; i < function->row_count; i++) {
		const struct function_row *row = &table->rows.data[function->first_row + i];

		if (row->join == function->join && has_address(row))
			addresses[count++] = row->fields[COLUMN_ADDRESS];
	}
	qsort(addresses, count, sizeof(*addresses), compare_texts);
	for (uint32_t i = 0; i < count; i++)
		different += !i || strcmp(addresses[i], addresses[i - 1]) != 0;
	free(addresses);
	return different;
}

/* What its rows say together. */
static void finish_function(const struct function_table *table, struct table_function *function)
{
	for (uint32_t i = 0; i < function->row_count; i++) {
		const struct function_row *row = &table->rows.data[function->first_row + i];

		if (row->join > function->join)
			function->join = row->join;
	}
	for (uint32_t i = 0; i < function->row_count; i++) {
		const struct function_row *row = &table->rows.data[function->first_row + i];
		const char *prototype = row->fields[COLUMN_PROTOTYPE];

		if (row->join != function->join)
			continue;
		if (function->verdict != VERDICT_OK)
			function->reasons |= parse_reasons(row->fields[COLUMN_REASONS]);
		if (!function->prototype && !is_nothing(prototype) && !is_unknown(prototype))
			function->prototype = prototype;
	}
	if (function->verdict != VERDICT_OK && function->verdict != VERDICT_UNKNOWN)
		function->reasons |= (reason_set)1 << function->verdict;
	function->addresses = function->row_count > 1
				      ? count_addresses(table, function)
				      : has_address(&table->rows.data[function->first_row]);
}

static bool begin_function(const struct parsing *parsing, const struct function_row *row,
			   struct table_function *function)
{
	struct function_table *table = parsing->table;
	const char *verdict = row->fields[COLUMN_VERDICT];
	bool exports_unknown = !row->fields[COLUMN_MARKS];

	*function = (struct table_function){
		.name = row->fields[COLUMN_NAME],
		.verdict = verdict_of_code(verdict),
		.marks = parse_marks(row->fields[COLUMN_MARKS], &exports_unknown),
		.suffixes_known = !is_unknown(row->fields[COLUMN_SUFFIXES]),
		.first_row = (uint32_t)table->rows.count,
	};
	if (function->verdict == VERDICT_UNKNOWN && !is_unknown(verdict))
		return bad_line(parsing, "no verdict that this btfenc knows");
	table->knows_exports &= !exports_unknown;
	table->knows_all &= !is_unknown(verdict);
	function->suffixes = function->suffixes_known
				     ? parse_suffixes(row->fields[COLUMN_SUFFIXES]) : 0;
	return parse_sites(parsing, row, &function->sites);
}

static bool add_row(const struct parsing *parsing, struct function_row *row)
{
	struct function_table *table = parsing->table;
	struct table_function *last =
		table->functions.count ? &table->functions.data[table->functions.count - 1] : NULL;
	int order = last ? strcmp(last->name, row->fields[COLUMN_NAME]) : -1;
	struct table_function function;

	if (order > 0)
		return bad_line(parsing, "is not sorted by name (LC_ALL=C)");
	row->join = join_of(row->fields[COLUMN_NAME], row->fields[COLUMN_SYMBOL]);
	if (order < 0) {
		if (!begin_function(parsing, row, &function))
			return false;
		array_push(&table->functions, function);
	}
	if (!order && verdict_of_code(row->fields[COLUMN_VERDICT]) != last->verdict &&
	    !is_unknown(row->fields[COLUMN_VERDICT]))
		return bad_line(parsing, "has another verdict for the name than the line before");
	table->functions.data[table->functions.count - 1].row_count++;
	array_push(&table->rows, *row);
	return true;
}

/* ---- lines ---- */

/* Cuts a line into fields, in place. */
static size_t cut_fields(char *line, char *fields[FILE_COLUMNS_MAX])
{
	size_t count = 0;

	while (line && count < FILE_COLUMNS_MAX) {
		fields[count++] = line;
		line = strchr(line, '\t');
		if (line)
			*line++ = '\0';
	}
	return line ? FILE_COLUMNS_MAX + 1 : count;
}

static bool parse_head(struct parsing *parsing, char *line)
{
	char *fields[FILE_COLUMNS_MAX];
	uint64_t found = 0;

	parsing->file_columns = cut_fields(line, fields);
	for (size_t i = 0; i < parsing->file_columns && i < FILE_COLUMNS_MAX; i++) {
		parsing->column_of[i] = -1;
		for (int c = 0; c < COLUMN_COUNT; c++) {
			if (strcmp(fields[i], function_column_name((enum function_column)c)) != 0)
				continue;
			parsing->column_of[i] = c;
			found |= UINT64_C(1) << c;
		}
	}
	if (parsing->file_columns && parsing->file_columns <= FILE_COLUMNS_MAX &&
	    strchr(fields[parsing->file_columns - 1], '\r'))
		return bad_line(parsing, "ends with a carriage return");
	if (parsing->file_columns > FILE_COLUMNS_MAX)
		return bad_line(parsing, "has too many columns");
	for (size_t i = 0; i < sizeof(required) / sizeof(*required); i++) {
		if (!(found >> required[i] & 1))
			return error_at(parsing->err, parsing->path, "has no column \"%s\": it is "
					"no list of `btfenc stats --functions`",
					function_column_name(required[i]));
	}
	/* Older lists lack the lines of what is only inlined. */
	parsing->table->knows_all = found >> COLUMN_SITES & 1;
	return true;
}

static bool parse_row(struct parsing *parsing, char *line)
{
	char *fields[FILE_COLUMNS_MAX];
	size_t count = cut_fields(line, fields);
	struct function_row row = { 0 };

	if (count != parsing->file_columns)
		return bad_line(parsing, "has another number of fields than the first line");
	for (size_t i = 0; i < count; i++) {
		if (parsing->column_of[i] >= 0)
			row.fields[parsing->column_of[i]] = fields[i];
	}
	return add_row(parsing, &row);
}

static size_t count_lines(const char *text, size_t bytes)
{
	const char *end = text + bytes;
	size_t count = 0;

	while ((text = memchr(text, '\n', (size_t)(end - text)))) {
		text++;
		count++;
	}
	return count;
}

static bool parse_lines(struct parsing *parsing, char *text, size_t bytes)
{
	char *end = text + bytes;
	size_t lines;

	if (memchr(text, '\0', bytes))
		return error_at(parsing->err, parsing->path, "has zero bytes: it is no list of "
				"`btfenc stats --functions`");
	if (!bytes || end[-1] != '\n')
		return error_at(parsing->err, parsing->path, "does not end with a line feed: it is "
				"not complete; make the list again");
	lines = count_lines(text, bytes);
	array_reserve(&parsing->table->rows, lines);
	array_reserve(&parsing->table->functions, lines);
	for (char *line = text; line < end; parsing->line++) {
		char *feed = strchr(line, '\n');

		*feed = '\0';
		if (!(parsing->line == 1 ? parse_head(parsing, line) : parse_row(parsing, line)))
			return false;
		line = feed + 1;
	}
	return true;
}

bool function_table_parse(struct function_table *table, struct text *text, const char *path,
			  struct error *err)
{
	struct parsing parsing = { .table = table, .path = path, .err = err, .line = 1 };

	*table = (struct function_table){ .text = *text, .knows_exports = true,
					  .knows_all = true };
	*text = (struct text){ 0 };
	text_add_char(&table->text, '\0');
	if (!parse_lines(&parsing, table->text.data, table->text.count - 1)) {
		function_table_release(table);
		return false;
	}
	for (size_t i = 0; i < table->functions.count; i++)
		finish_function(table, &table->functions.data[i]);
	return true;
}

void function_table_release(struct function_table *table)
{
	array_release(&table->rows);
	array_release(&table->functions);
	array_release(&table->text);
}

/* ---- files ---- */

bool function_table_is_meant(const char *path)
{
	static const char begin[] = "name\t";
	char bytes[sizeof(begin) - 1];
	struct stat file;
	ssize_t got;
	int fd;

	/* A pipe can be read once, and by nobody else. */
	if (stat(path, &file) == 0 && S_ISFIFO(file.st_mode))
		return true;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	got = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
	if (fd >= 0)
		close(fd);
	return got == (ssize_t)sizeof(bytes) && memcmp(bytes, begin, sizeof(bytes)) == 0;
}

bool function_table_read(struct function_table *table, const char *path, struct error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct text text = { 0 };
	ssize_t got = fd < 0 ? -1 : 1;

	while (got > 0) {
		array_reserve(&text, 1 << 20);
		got = read(fd, text.data + text.count, text.capacity - text.count);
		text.count += got > 0 ? (size_t)got : 0;
	}
	if (got < 0) {
		int reason = errno;

		if (fd >= 0)
			close(fd);
		array_release(&text);
		return error_at(err, path, "cannot read: %s", strerror(reason));
	}
	close(fd);
	if (!function_table_parse(table, &text, path, err))
		return false;
	if (!table->functions.count) {
		function_table_release(table);
		return error_at(err, path, "has no functions: it is not complete; make the list "
				"again with `btfenc stats --functions`");
	}
	return true;
}
