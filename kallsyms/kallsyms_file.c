/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The text is read in one piece and cut into names in place: 200,000 lines take a few
 * hundredths of a second, most of them in the kernel that writes them.
 */
#include "kallsyms/symbol_table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "base/text.h"

/* The last symbol of all ends somewhere; functions are not longer. */
#define LAST_SYMBOL_BYTES 4096

struct line {
	uint64_t address;
	const char *name;
	const char *module;	/* "" when there are no brackets */
	char type;
};

struct parser {
	const char *path;
	size_t number;		/* of the line, from 1 */
	bool any_address;	/* one that is not 0 */
	ARRAY_OF(struct symbol) symbols;	/* as in the file */
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

/* The word at *text, whose end becomes a NUL; *text is moved past it. */
static char *take_word(char **text)
{
	char *word = *text, *end;

	while (is_blank(*word))
		word++;
	for (end = word; *end && !is_blank(*end);)
		end++;
	*text = end + (*end != '\0');
	*end = '\0';
	return word;
}

static bool parse_line(struct line *line, char *text)
{
	size_t digits = strspn(text, "0123456789abcdefABCDEF"), length;
	char *word;

	if (!digits || digits > 16 || !is_blank(text[digits]))
		return false;
	line->address = strtoull(text, NULL, 16);
	text += digits;
	word = take_word(&text);
	line->type = word[0];
	if (!word[0] || word[1])
		return false;
	line->name = take_word(&text);
	word = take_word(&text);
	line->module = word;
	length = strlen(word);
	/* "[xfs]" loses its brackets. */
	if (length) {
		if (length < 3 || word[0] != '[' || word[length - 1] != ']')
			return false;
		word[length - 1] = '\0';
		line->module = word + 1;
	}
	return *line->name && !*take_word(&text);
}

static bool take_line(struct parser *parser, char *text, const char *module, struct error *err)
{
	const char *word = text + strspn(text, " \t");
	struct line line;

	/* nm prints undefined symbols as " U name". */
	if (!*text ||
	    (word > text && (!*word || (strchr("Uwv", *word) && is_blank(word[1])))))
		return true;
	if (!parse_line(&line, text))
		return error_at(err, parser->path, "line %zu does not belong to a list of symbols "
				"(`ffffffff81000000 T _stext`): it is damaged or cut off, or not a "
				"System.map or /proc/kallsyms", parser->number);
	parser->any_address |= line.address != 0;
	/* 'a': a number, of per-CPU symbols an offset. */
	if (line.type == 'a' || line.type == 'A' || strcmp(line.module, module ? module : "") != 0)
		return true;
	/* Text, and weak symbols, which are functions nearly always (weak objects are 'v'). */
	array_push(&parser->symbols, ((struct symbol){
		.name = line.name, .address = line.address,
		.type = strchr("tTwWi", line.type) ? STT_FUNC : STT_OBJECT }));
	return true;
}

static bool take_lines(struct parser *parser, char *text, size_t bytes, const char *module,
		       struct error *err)
{
	char *end = text + bytes;

	while (text < end) {
		char *newline = memchr(text, '\n', (size_t)(end - text));
		char *line_end = newline ? newline : end;
		char *next = newline ? newline + 1 : end;

		parser->number++;
		if (line_end > text && line_end[-1] == '\r')
			line_end--;
		*line_end = '\0';
		if (strlen(text) != (size_t)(line_end - text))
			return error_at(err, parser->path, "line %zu has a NUL, so this is not a "
					"list of symbols", parser->number);
		if (!take_line(parser, text, module, err))
			return false;
		text = next;
	}
	if (!parser->number)
		return error_at(err, parser->path, "is empty; give a System.map with --symbols");
	if (!parser->any_address)
		return error_at(err, parser->path, "all addresses are 0, because the kernel hides "
				"them: run as root, set sysctl kernel.kptr_restrict to 0 or 1, or "
				"give --symbols System.map");
	return true;
}

/* By address; a symbol ends where the next address begins. */
static void make_table(struct symbol_table *table, const struct parser *parser)
{
	size_t count = parser->symbols.count;
	struct sort_item *items = memory_alloc((count + 1) * sizeof(*items));
	uint64_t end = 0;

	for (size_t i = 0; i < count; i++)
		items[i] = (struct sort_item){ parser->symbols.data[i].address, (uint32_t)i };
	sort_by_key(items, count);
	array_reserve(&table->symbols, count);
	for (size_t i = 0; i < count; i++)
		array_push(&table->symbols, parser->symbols.data[items[i].value]);
	free(items);
	for (size_t i = count; i-- > 0;) {
		struct symbol *symbol = &table->symbols.data[i];

		if (i + 1 == count)
			end = symbol->address + LAST_SYMBOL_BYTES;
		else if (symbol[1].address != symbol->address)
			end = symbol[1].address;
		symbol->size = end - symbol->address;
	}
	symbol_table_index(table);
}

bool kallsyms_file_read(struct kallsyms_file *file, const char *path, const char *module,
			struct error *err)
{
	struct parser parser = { .path = path };
	struct text text = { 0 };
	bool good = text_read_file(&text, path, "give the symbols with --symbols", err);

	*file = (struct kallsyms_file){ .text = text.data };
	good = good && take_lines(&parser, text.data, text.count, module, err);
	if (good)
		make_table(&file->symbols, &parser);
	else
		kallsyms_file_release(file);
	array_release(&parser.symbols);
	return good;
}

void kallsyms_file_release(struct kallsyms_file *file)
{
	symbol_table_release(&file->symbols);
	free(file->text);
	file->text = NULL;
}
