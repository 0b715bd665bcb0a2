/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The longest common subsequence of words, by the table of Wagner and Fischer: lines have some tens
 * of words. What goes beyond WORDS_MAX is replaced as a whole.
 */
#include "commands/diff/diff_words.h"

#include <ctype.h>
#include <string.h>

#include "commands/diff/c_spelling.h"

#define WORDS_MAX 400

struct words {
	const char *line;
	uint32_t begin[WORDS_MAX + 1];	/* of word i; that of the one behind the last is the end */
	uint32_t count;
	int too_many;
};

/* What is not ASCII is one, so that no character is cut. */
static int is_letter(char c)
{
	return isalnum((unsigned char)c) || c == '_' || (unsigned char)c >= 0x80;
}

/* A word is a name or number, or one other character; blanks go with what is before them. */
static void cut(struct words *words, const char *line)
{
	const char *at = line;

	words->line = line;
	words->count = 0;
	words->too_many = 0;
	while (*at && words->count < WORDS_MAX) {
		words->begin[words->count++] = (uint32_t)(at - line);
		if (is_letter(*at)) {
			while (is_letter(*at))
				at++;
		} else {
			at++;
		}
		while (*at == ' ')
			at++;
	}
	words->too_many = *at != '\0';
	words->begin[words->count] = (uint32_t)(at - line);
}

/* Without the blanks behind it. */
static uint32_t word_length(const struct words *words, uint32_t i)
{
	uint32_t end = words->begin[i + 1];

	while (end > words->begin[i] + 1 && words->line[end - 1] == ' ')
		end--;
	return end - words->begin[i];
}

static int same(const struct words *a, uint32_t i, const struct words *b, uint32_t k)
{
	uint32_t length = word_length(a, i);

	return length == word_length(b, k) &&
	       memcmp(a->line + a->begin[i], b->line + b->begin[k], length) == 0;
}

static void add_run(word_runs *runs, char op, const char *text, size_t length)
{
	struct word_run *last = runs->count ? &runs->data[runs->count - 1] : NULL;

	if (!length)
		return;
	if (last && last->op == op && last->text + last->length == text)
		last->length += length;
	else
		array_push(runs, ((struct word_run){ op, text, length }));
}

/* Whether to take or leave words: lengths of the common rest, from the ends. */
static uint16_t *common_rests(const struct words *a, const struct words *b)
{
	size_t row = b->count + 1;
	uint16_t *rests = memory_zeroed((a->count + 1) * row, sizeof(*rests));

	for (uint32_t i = a->count; i-- > 0;) {
		for (uint32_t k = b->count; k-- > 0;) {
			uint16_t down = rests[(i + 1) * row + k], right = rests[i * row + k + 1];

			if (same(a, i, b, k))
				rests[i * row + k] =
					(uint16_t)(rests[(i + 1) * row + k + 1] + 1);
			else
				rests[i * row + k] = down > right ? down : right;
		}
	}
	return rests;
}

static void add_word(word_runs *runs, char op, const struct words *words, uint32_t i)
{
	add_run(runs, op, words->line + words->begin[i], words->begin[i + 1] - words->begin[i]);
}

/* Between two common words all that is gone comes first, then all that is new. */
static void walk(word_runs *runs, const struct words *a, const struct words *b,
		 const uint16_t *rests)
{
	size_t row = b->count + 1;
	uint32_t i = 0, k = 0;

	while (i < a->count || k < b->count) {
		uint32_t first_new = k;

		while (i < a->count || k < b->count) {
			if (i < a->count && k < b->count && same(a, i, b, k))
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
}

void diff_words(word_runs *runs, const char *old, const char *new)
{
	struct words *a = memory_alloc(sizeof(*a)), *b = memory_alloc(sizeof(*b));
	uint16_t *rests;

	cut(a, old);
	cut(b, new);
	if (a->too_many || b->too_many) {
		add_run(runs, '-', old, strlen(old));
		add_run(runs, '+', new, strlen(new));
	} else {
		rests = common_rests(a, b);
		walk(runs, a, b, rests);
		free(rests);
	}
	free(a);
	free(b);
}

void marked_lines_make(struct marked_lines *marked, const char *old, const char *new)
{
	*marked = (struct marked_lines){ .old = c_spelling(old), .new = c_spelling(new) };
	diff_words(&marked->runs, marked->old, marked->new);
}

void marked_lines_release(struct marked_lines *marked)
{
	array_release(&marked->runs);
	free(marked->old);
	free(marked->new);
}
