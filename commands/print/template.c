/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Debian 12 has no library for C that fills in templates. */
#include "commands/print/template.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

#define PAGE_COLUMNS 100

struct scope {
	json_t *value;
	const struct scope *outer;
};

struct printing {
	const char *template;
	struct text *out;
	bool colour, is_clean;	/* clean: strings are added as they are */
};

/* ---- values ---- */

/* A member of the value; what follows its name in *path. */
static json_t *member(json_t *value, const char **path)
{
	size_t length = strcspn(*path, ".} ");
	char name[64];

	snprintf(name, sizeof(name), "%.*s", (int)length, *path);
	*path += length;
	return json_object_get(value, name);
}

static json_t *find(const struct scope *scope, const char *path, size_t length)
{
	const char *end = path + length, *at = path;
	json_t *value = NULL;

	if (length == 1 && *path == '.')
		return scope->value;
	for (const struct scope *s = scope; s && !value; s = s->outer) {
		at = path;
		value = member(s->value, &at);
	}
	while (value && at < end) {
		at++;
		value = member(value, &at);
	}
	return value;
}

static bool is_true(const json_t *value)
{
	return json_is_true(value) || json_string_length(value) || json_integer_value(value) ||
	       json_array_size(value) || json_object_size(value);
}

/* 3325431 -> 3,325,431 */
static void add_grouped(struct text *text, uint64_t value)
{
	char digits[24];
	int count = snprintf(digits, sizeof(digits), "%" PRIu64, value);

	for (int i = 0; i < count; i++) {
		if (i && (count - i) % 3 == 0)
			text_add_char(text, ',');
		text_add_char(text, digits[i]);
	}
}

/* "97.1 %", or "<0.1 %". */
static void add_share(struct text *text, uint64_t part, uint64_t whole)
{
	uint64_t tenths = whole ? (part * 1000 + whole / 2) / whole : 0;

	if (part && !tenths)
		text_add_string(text, "<0.1 %");
	else
		text_add_format(text, "%" PRIu64 ".%" PRIu64 " %%", tenths / 10, tenths % 10);
}

/* '?' as in all texts (base/text_clean.h): in JSON a byte that is no UTF-8 is U+FFFD. */
static void add_string(struct text *text, const json_t *value, bool is_clean)
{
	const char *from = json_string_value(value), *end = from + json_string_length(value), *mark;

	for (; !is_clean && (mark = strstr(from, "\xef\xbf\xbd")); from = mark + 3) {
		text_add_clean_bytes(text, from, (size_t)(mark - from));
		text_add_char(text, '?');
	}
	(is_clean ? text_add : text_add_clean_bytes)(text, from, (size_t)(end - from));
}

static void print_value(const struct printing *printing, const struct scope *scope,
			const char *tag, const char *end)
{
	size_t length = strcspn(tag, " }");
	const json_t *value = find(scope, tag, length);
	const char *ending = NULL;
	bool is_grouped = false, is_share = false;
	json_t *whole = NULL;
	int width = 0, column = 0, padding;
	struct text text = { 0 };

	for (const char *format = tag + length; format < end; format += strcspn(format, " }")) {
		format++;
		is_grouped |= format[strcspn(format, " ,}")] == ',';
		if (*format == '>') {
			column = atoi(format + 1);
		} else if (*format == '+') {
			ending = format + 1;
		} else if (*format == '%') {
			is_share = true;
			whole = find(scope, format + 1, strcspn(format + 1, " }"));
		} else {
			width = atoi(format);
		}
	}
	if (json_is_string(value))
		add_string(&text, value, printing->is_clean);
	else if (ending)
		text_add(&text, ending, json_integer_value(value) == 1 ? 0 : strcspn(ending, " }"));
	else if (is_share)
		add_share(&text, (uint64_t)json_integer_value(value),
			  (uint64_t)json_integer_value(whole));
	else if (json_is_integer(value) && is_grouped)
		add_grouped(&text, (uint64_t)json_integer_value(value));
	else if (json_is_integer(value))
		text_add_format(&text, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
	padding = abs(width) - (int)text.count;
	padding = padding > 0 ? padding : 0;
	text_add_char(&text, '\0');
	text_add_format(printing->out, "%*s", width > 0 ? padding : 0, "");
	if (column)
		text_add_wrapped(printing->out, text.data, (size_t)column, PAGE_COLUMNS);
	else
		text_add(printing->out, text.data, text.count - 1);
	text_add_format(printing->out, "%*s", width < 0 ? padding : 0, "");
	array_release(&text);
}

static void print_style(const struct printing *printing, const char *tag)
{
	if (printing->colour)
		text_add_string(printing->out, *tag == 'b' ? "\033[1m"
					       : *tag == 'd' ? "\033[2m"
					       : *tag == 'r' ? "\033[31m"
					       : *tag == 'g' ? "\033[32m" : "\033[0m");
}

/* ---- templates ---- */

static const char *render(const struct printing *printing, const char *at,
			  const struct scope *scope);

/* The part from `at` on, for each element. Returns what follows it. */
static const char *render_each(const struct printing *printing, const char *at,
			       const struct scope *scope, json_t *list)
{
	struct scope inner = { .outer = scope };
	const char *end = render(printing, at, NULL);

	for (size_t i = 0; i < json_array_size(list); i++) {
		inner.value = json_array_get(list, i);
		render(printing, at, &inner);
	}
	return end;
}

/*
 * Prints to the end of the part, and returns what follows it; `scope` NULL: prints nothing. Parts
 * are in each other as the template says, whatever the facts are.
 */
static const char *render(const struct printing *printing, const char *at,
			  const struct scope *scope)
{
	const char *tag, *end;

	while ((tag = strstr(at, "@{"))) {
		bool begins_line = tag == printing->template || tag[-1] == '\n';
		json_t *value = NULL;

		if (scope)
			text_add(printing->out, at, (size_t)(tag - at));
		tag += 2;
		end = strchr(tag, '}');
		assert(end);
		at = end + 1;
		if (strchr("?!*/#", *tag) && begins_line && *at == '\n')
			at++;
		if (scope && strchr("?!*", *tag))
			value = find(scope, tag + 1, (size_t)(end - tag - 1));
		if (*tag == '/')
			return at;
		if (*tag == '*')
			at = render_each(printing, at, scope, value);
		else if (*tag == '?' || *tag == '!')
			at = render(printing, at, is_true(value) == (*tag == '?') ? scope : NULL);
		else if (scope && *tag == '=')
			print_style(printing, tag + 1);
		else if (scope && *tag != '#')
			print_value(printing, scope, tag, end);
	}
	if (scope)
		text_add_string(printing->out, at);
	return at + strlen(at);
}

void template_add(struct text *out, const char *template, json_t *facts, bool colour)
{
	const struct printing printing = { .template = template, .out = out, .colour = colour };
	const struct scope scope = { .value = facts };

	render(&printing, template, &scope);
	json_decref(facts);
}

void template_print(const char *template, json_t *facts, bool colour, FILE *out)
{
	struct text text = { 0 };

	template_add(&text, template, facts, colour);
	text_print(&text, out);
}

/* ---- tables of sentences ---- */

static bool holds(const struct scope *scope, const char *at, const char *end)
{
	for (size_t length; at < end; at += length + 1) {
		bool is_not = *at == '!';

		length = strcspn(at, " ");
		if (is_true(find(scope, at + is_not, length - is_not)) == is_not)
			return false;
	}
	return true;
}

char *template_sentence(const char **rows, json_t *facts)
{
	struct text text = { 0 };
	const struct scope scope = { .value = facts };
	const char *line = *rows, *end;
	char *row = NULL;

	for (; *line && *line != '\n'; line = end + 1) {
		const char *bar = strchr(line, '|');

		end = strchr(line, '\n');
		if (!row && bar && bar < end && holds(&scope, line, bar))
			row = memory_string(bar + 2, (size_t)(end - bar - 2));
	}
	*rows = line + (*line == '\n');
	if (!row)
		return NULL;
	render(&(struct printing){ row, &text, false, true }, row, &scope);
	free(row);
	return text_finish(&text);
}
