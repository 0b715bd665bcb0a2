/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/diff/diff.h"
#include "kernel/c_spelling.h"

#include <string.h>

#include "base/text.h"

/*
 * The longest common subsequence of words, by the table of Wagner and Fischer: lines have some tens
 * of words. Longer lines than WORDS_MAX are replaced as a whole.
 */
#define WORDS_MAX 400

struct words {
	const char *line;
	uint32_t begin[WORDS_MAX + 1];	/* of word i; begin[count] is the end of the line */
	uint32_t count;
};

/*
 * A word is a name or number, or one other character (of UTF-8), with the blanks after it. False:
 * there are too many.
 */
static bool cut(struct words *words, const char *line)
{
	const char *at = line;

	words->line = line;
	words->count = 0;
	while (*at && words->count < WORDS_MAX) {
		words->begin[words->count++] = (uint32_t)(at - line);
		if (c_is_letter(*at++))
			while (c_is_letter(*at))
				at++;
		else
			while (((unsigned char)*at & 0xc0) == 0x80)
				at++;
		at += strspn(at, " ");
	}
	words->begin[words->count] = (uint32_t)(at - line);
	return !*at;
}

/* Without the blanks after it. */
static uint32_t word_length(const struct words *words, uint32_t i)
{
	uint32_t end = words->begin[i + 1];

	while (end > words->begin[i] + 1 && words->line[end - 1] == ' ')
		end--;
	return end - words->begin[i];
}

static bool is_same(const struct words *a, uint32_t i, const struct words *b, uint32_t k)
{
	uint32_t length = word_length(a, i);

	return length == word_length(b, k) &&
	       memcmp(a->line + a->begin[i], b->line + b->begin[k], length) == 0;
}

static void add_run(struct word_runs *runs, char op, const char *text, size_t length)
{
	struct word_run *last = runs->count ? &runs->data[runs->count - 1] : NULL;

	if (length && last && last->op == op && last->text + last->length == text)
		last->length += length;
	else if (length)
		array_push(runs, ((struct word_run){ op, text, length }));
}

static void add_word(struct word_runs *runs, char op, const struct words *words, uint32_t i)
{
	add_run(runs, op, words->line + words->begin[i], words->begin[i + 1] - words->begin[i]);
}

/* Between two common words all old words come first, then all new ones. */
static void add_words(struct word_runs *runs, const struct words *a, const struct words *b)
{
	size_t row = b->count + 1;
	/* rests[i * row + k]: how many words the ends from words i and k on have in common. */
	uint16_t *rests = memory_zeroed((a->count + 1) * row, sizeof(*rests));
	uint32_t i, k;

	for (i = a->count; i-- > 0;) {
		for (k = b->count; k-- > 0;) {
			uint16_t down = rests[(i + 1) * row + k], right = rests[i * row + k + 1];

			if (is_same(a, i, b, k))
				rests[i * row + k] = (uint16_t)(rests[(i + 1) * row + k + 1] + 1);
			else
				rests[i * row + k] = down > right ? down : right;
		}
	}
	for (i = k = 0; i < a->count || k < b->count;) {
		uint32_t first_new = k;

		while (i < a->count || k < b->count) {
			if (i < a->count && k < b->count && is_same(a, i, b, k))
				break;
			if (k == b->count ||
			    (i < a->count && rests[(i + 1) * row + k] >= rests[i * row + k + 1]))
				add_word(runs, '-', a, i++);
			else
				k++;
		}
		for (; first_new < k; first_new++)
			add_word(runs, '+', b, first_new);
		if (i < a->count && k < b->count) {
			add_word(runs, '=', b, k++);
			i++;
		}
	}
	free(rests);
}

void word_runs_make(struct word_runs *runs, const char *old, const char *new)
{
	struct words *a = memory_alloc(sizeof(*a)), *b = memory_alloc(sizeof(*b));
	bool fits;

	*runs = (struct word_runs){ .old = c_spelling(old), .new = c_spelling(new) };
	fits = cut(a, runs->old);
	if (cut(b, runs->new) && fits) {
		add_words(runs, a, b);
	} else {
		add_run(runs, '-', runs->old, strlen(runs->old));
		add_run(runs, '+', runs->new, strlen(runs->new));
	}
	free(a);
	free(b);
}

void word_runs_release(struct word_runs *runs)
{
	array_release(runs);
	free(runs->old);
	free(runs->new);
}
