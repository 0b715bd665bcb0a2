/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/c_spelling.h"

#include <ctype.h>
#include <string.h>

#include "base/text.h"

/* The words of which the names of integers are made, in the order in which they are written. */
enum {
	WORD_CONST, WORD_VOLATILE, WORD_RESTRICT, WORD_QUALIFIERS,
	WORD_SIGNED = WORD_QUALIFIERS, WORD_UNSIGNED, WORD_SHORT, WORD_LONG, WORD_CHAR, WORD_INT128,
	WORD_INT, WORD_COUNT
};

/* And qualifiers, which stand in front of them, or behind a star, in any order. */
static const char *const words[WORD_COUNT] = { "const", "volatile", "restrict", "signed",
					       "unsigned", "short", "long", "char", "__int128",
					       "int" };

/* What BTF_KIND_TYPE_TAG has, in kernels. */
static const char *const annotations[] = { "__user",   "__percpu", "__rcu",
					   "__kptr",   "__uptr",   "__arena",
					   "__kptr_untrusted", "__percpu_kptr" };

struct spelling {
	struct text text;
	unsigned int run[WORD_COUNT];	/* words of an integer's name that have not been written */
	bool in_run;
	bool blank;			/* there was one behind the last of them */
};

/* `int` goes without saying behind the others, `signed` before all but `char`. */
static void end_run(struct spelling *spelling)
{
	unsigned int *run = spelling->run;
	bool any = false, is_integer = false;

	if (!spelling->in_run)
		return;
	for (int i = WORD_QUALIFIERS; i < WORD_COUNT; i++)
		is_integer |= run[i] > 0;
	if (run[WORD_SHORT] || run[WORD_LONG] || run[WORD_INT128])
		run[WORD_INT] = 0;
	else if (is_integer && !run[WORD_CHAR])
		run[WORD_INT] = 1;
	if (!run[WORD_CHAR])
		run[WORD_SIGNED] = 0;
	for (int i = 0; i < WORD_COUNT; i++) {
		for (unsigned int k = 0; k < run[i]; k++) {
			text_add(&spelling->text, " ", any);
			text_add_string(&spelling->text, words[i]);
			any = true;
		}
		run[i] = 0;
	}
	text_add(&spelling->text, " ", spelling->blank);
	spelling->in_run = false;
}

static bool take_integer_word(struct spelling *spelling, const char *word, size_t length)
{
	for (int i = 0; i < WORD_COUNT; i++) {
		if (strncmp(word, words[i], length) != 0 || words[i][length])
			continue;
		spelling->run[i]++;
		spelling->in_run = true;
		return true;
	}
	return false;
}

static bool is_annotation(const char *word, size_t length)
{
	for (size_t i = 0; i < sizeof(annotations) / sizeof(*annotations); i++) {
		if (strncmp(word, annotations[i], length) == 0 && !annotations[i][length])
			return true;
	}
	return false;
}

static size_t word_length(const char *text)
{
	size_t length = 0;

	while (isalnum((unsigned char)text[length]) || text[length] == '_' ||
	       (unsigned char)text[length] >= 0x80)
		length++;
	return length;
}

char *c_spelling(const char *line)
{
	struct spelling spelling = { .text = { 0 } };
	const char *at = line;

	while (*at) {
		size_t length = word_length(at), blanks;

		blanks = strspn(at + length, " ");
		if (length && take_integer_word(&spelling, at, length)) {
			spelling.blank = blanks > 0;
		} else if (length && is_annotation(at, length)) {
			/* Written in front of the star, where no name can stand. */
		} else {
			end_run(&spelling);
			length += !length && !blanks;
			text_add(&spelling.text, at, length + blanks);
		}
		at += length + blanks;
	}
	end_run(&spelling);
	return text_finish(&spelling.text);
}

bool c_spelling_is_same(const char *a, const char *b)
{
	char *x, *y;
	bool same;

	if (strcmp(a, b) == 0)
		return true;
	x = c_spelling(a);
	y = c_spelling(b);
	same = strcmp(x, y) == 0;
	free(x);
	free(y);
	return same;
}
