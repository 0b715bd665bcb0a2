/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/c_spelling.h"

#include <string.h>

#include "base/text.h"

/* The words in the names of integer types, in the order in which they are written. */
enum {
	WORD_CONST, WORD_VOLATILE, WORD_RESTRICT, WORD_QUALIFIERS,
	WORD_SIGNED = WORD_QUALIFIERS, WORD_UNSIGNED, WORD_SHORT, WORD_LONG, WORD_CHAR, WORD_INT128,
	WORD_INT, WORD_COUNT
};

/* Qualifiers come first: before an integer type or after a star they can be in any order. */
static const char *const integer_words[WORD_COUNT] = {
	"const", "volatile", "restrict", "signed", "unsigned", "short", "long", "char", "__int128",
	"int" };

/* Values of BTF_KIND_TYPE_TAG in kernels. */
static const char *const annotations[] = { "__user",   "__percpu", "__rcu",
					   "__kptr",   "__uptr",   "__arena",
					   "__kptr_untrusted", "__percpu_kptr" };

struct spelling {
	struct text text;
	unsigned int run[WORD_COUNT];	/* words of an integer's name that have not been written */
	bool in_run;
	bool blank;			/* there was one after the last of them */
};

/* `int` is implied after other words, `signed` before all but `char`. */
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
			text_add_string(&spelling->text, integer_words[i]);
			any = true;
		}
		run[i] = 0;
	}
	text_add(&spelling->text, " ", spelling->blank);
	spelling->in_run = false;
}

char *c_spelling(const char *line)
{
	const size_t annotation_count = sizeof(annotations) / sizeof(*annotations);
	struct spelling spelling = { .text = { 0 } };
	const char *at = line;

	while (*at) {
		size_t length = 0, blanks, word = WORD_COUNT;

		while (c_is_letter(at[length]))
			length++;
		blanks = strspn(at + length, " ");
		if (length)
			word = text_find_word(integer_words, WORD_COUNT, at, length);
		if (word < WORD_COUNT) {
			spelling.run[word]++;
			spelling.in_run = true;
			spelling.blank = blanks > 0;
		} else if (!length || text_find_word(annotations, annotation_count, at, length) ==
					      annotation_count) {
			end_run(&spelling);
			length += !length && !blanks;
			text_add(&spelling.text, at, length + blanks);
		}
		/* Annotations are left out: a name cannot be there, before the star. */
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
