/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
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
	rule.glob = memory_string(glob, glob_length);
	rule.why = memory_string(word, length);
	array_push(&list->rules, rule);
	return true;
}

bool allow_list_read(struct allow_list *list, const char *path, struct error *err)
{
	FILE *in = fopen(path, "re");
	char *line = NULL;
	size_t room = 0;
	bool good = true;

	*list = (struct allow_list){ 0 };
	if (!in)
		return error_at(err, path, "cannot open: %s", strerror(errno));
	errno = 0;
	for (uint32_t number = 1; good && getline(&line, &room, in) >= 0; number++)
		good = parse_line(list, line, number, path, err);
	if (good && ferror(in))
		good = error_at(err, path, "cannot read: %s", strerror(errno));
	free(line);
	fclose(in);
	if (!good)
		allow_list_release(list);
	return good;
}

void allow_list_release(struct allow_list *list)
{
	for (size_t i = 0; i < list->rules.count; i++) {
		free(list->rules.data[i].glob);
		free(list->rules.data[i].why);
	}
	array_release(&list->rules);
}

const struct allow_rule *allow_list_find(const struct allow_list *list, const char *name,
					 uint32_t class_bit)
{
	for (size_t i = 0; i < list->rules.count; i++) {
		struct allow_rule *rule = &list->rules.data[i];

		if (!(rule->classes & class_bit) || fnmatch(rule->glob, name, 0) != 0)
			continue;
		rule->used++;
		return rule;
	}
	return NULL;
}
