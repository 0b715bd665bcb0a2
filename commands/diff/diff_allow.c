/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff_allow.h"
#include "commands/diff/diff_class.h"

#include <fnmatch.h>
#include <string.h>

static const char blanks[] = " \t\r";

/* The next word of a line, up to its comment; its length is 0 at the end. */
static char *take_word(char **rest, size_t *length)
{
	char *word = *rest + strspn(*rest, blanks);

	*length = *word == '#' ? 0 : strcspn(word, " \t\r\n");
	*rest = word + *length;
	return word;
}

#define LINE_FORM "a line is: GLOB [CLASS,...] # why"

static bool parse_line(struct allow_list *list, char *line, uint32_t number, const char *path,
		       struct error *err)
{
	struct allow_rule rule = { .line = number, .classes = UINT32_MAX };
	size_t glob_length, length;
	char *rest = line, *glob = take_word(&rest, &glob_length), *word;

	if (!glob_length)
		return true;
	word = take_word(&rest, &length);
	if (length) {
		char *text = memory_string(word, length);
		bool good = !diff_classes_parse(text, &rule.classes) && rule.classes;

		free(text);
		if (!good)
			return error_at(err, path, "line %u: unknown change class '%.*s'; "
					LINE_FORM, number, (int)(length < 60 ? length : 60), word);
		word = take_word(&rest, &length);
	}
	if (length)
		return error_at(err, path, "line %u: has more than a glob and classes; " LINE_FORM,
				number);
	word += *word == '#';
	word += strspn(word, blanks);
	length = strlen(word);
	while (length && strchr(" \t\r\n", word[length - 1]))
		length--;
	if (!length)
		return error_at(err, path, "line %u: does not say why; " LINE_FORM, number);
	glob[glob_length] = word[length] = '\0';
	rule.glob = glob;
	rule.why = word;
	array_push(&list->rules, rule);
	return true;
}

bool allow_list_read(struct allow_list *list, const char *path, struct error *err)
{
	struct text *text = &list->text;
	bool good;
	char *rest;

	*list = (struct allow_list){ 0 };
	if (!text_read_file(text, path, "check the name and the permissions", err))
		return false;
	good = !memchr(text->data, '\0', text->count) ||
	       error_at(err, path, "has zero bytes, so it is not a list; " LINE_FORM);
	rest = text->data;
	for (uint32_t number = 1; good && rest; number++)
		good = parse_line(list, strsep(&rest, "\n"), number, path, err);
	if (!good)
		allow_list_release(list);
	return good;
}

void allow_list_release(struct allow_list *list)
{
	array_release(&list->rules);
	array_release(&list->text);
}

const struct allow_rule *allow_list_find(const struct allow_list *list, const char *name,
					 uint32_t class_bit)
{
	array_each(struct allow_rule, rule, &list->rules) {
		if (!(rule->classes & class_bit) || fnmatch(rule->glob, name, 0) != 0)
			continue;
		rule->used++;
		return rule;
	}
	return NULL;
}
