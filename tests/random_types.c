/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/random_types.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define WORD_BYTES 64
#define MAX_WORDS  16

struct words {
	char text[MAX_WORDS][WORD_BYTES];
	uint32_t count;
};

static char letter_of(struct random *random, const char *letters)
{
	return letters[random_below(random, strlen(letters))];
}

static size_t add_tag(struct random *random, char *out)
{
	size_t n = 0;

	out[n++] = letter_of(random, "ssssssnm");
	out[n++] = letter_of(random, "aabbc");
	if (!random_below(random, 10))
		out[n++] = letter_of(random, "1?");
	return n;
}

static size_t add_chain(struct random *random, char *out)
{
	size_t n = 0;

	while (n < 4 && random_below(random, 5) > (n ? 2u : 1u))
		out[n++] = letter_of(random, "PPPPPCVATFXU");
	if (random_below(random, 4))
		return n + add_tag(random, out + n);
	out[n++] = letter_of(random, "iijudve");
	return n;
}

/* "sa", "sa1", ... up to where the definition goes on. */
static size_t tag_length(const char *word)
{
	return strcspn(word, ":#");
}

static bool is_definition(const char *word)
{
	return strchr("snm", *word) && word[tag_length(word)];
}

static bool defines(const struct words *words, const char *tag, size_t length)
{
	for (uint32_t i = 0; i < words->count; i++) {
		if (is_definition(words->text[i]) && tag_length(words->text[i]) == length &&
		    memcmp(words->text[i], tag, length) == 0)
			return true;
	}
	return false;
}

/* Writes the part of a definition that follows the tag. */
static void random_body(struct random *random, char kind, char *out)
{
	uint32_t members = (uint32_t)random_below(random, 4);
	size_t n;

	if (kind == 'm') {
		sprintf(out, ":%u%s", 1 + (unsigned int)random_below(random, 2),
			random_below(random, 3) ? "" : "L");
		return;
	}
	n = (size_t)sprintf(out, "%s:", random_below(random, 5) ? "" : "#40");
	for (uint32_t m = 0; m < members; m++) {
		if (m)
			out[n++] = ',';
		if (!random_below(random, 8))
			n += (size_t)sprintf(out + n, "%c.", letter_of(random, "qq_"));
		n += add_chain(random, out + n);
	}
	out[n] = '\0';
}

static void random_word(struct random *random, const struct words *words, char *out)
{
	size_t n;

	switch (random_below(random, 8)) {
	case 0:
		n = random_below(random, 5) ? 0 : (size_t)sprintf(out, "+");
		n += (size_t)sprintf(out + n, "%c", letter_of(random, "PPCTAFX"));
		n += add_chain(random, out + n);
		break;
	case 1:
		n = (size_t)sprintf(out, "=fF");
		n += add_chain(random, out + n);
		break;
	case 2:
		n = (size_t)sprintf(out, "=%c", letter_of(random, "vs"));
		n += add_tag(random, out + n);
		break;
	case 3:
		n = (size_t)sprintf(out, "=g");
		n += add_tag(random, out + n);
		break;
	default:
		n = (size_t)sprintf(out, "%c%c", letter_of(random, "ssssssnm"),
				    letter_of(random, "abc"));
		/* A second definition of a name is a variant. */
		if (defines(words, out, n))
			out[n++] = '1';
		if (defines(words, out, n))
			n = (size_t)sprintf(out, "PX") + add_tag(random, out + 2);
		else
			random_body(random, *out, out + n), n += strlen(out + n);
	}
	out[n] = '\0';
}

static void add_words(struct random *random, struct words *words, uint32_t count)
{
	while (count-- && words->count < MAX_WORDS) {
		random_word(random, words, words->text[words->count]);
		words->count++;
	}
}

/* A variant that is never defined, or a "?" without a definition, becomes a plain tag. */
static void drop_false_variants(struct words *words)
{
	for (uint32_t i = 0; i < words->count; i++) {
		for (char *c = words->text[i]; *c; c++) {
			bool is_variant = (*c == '1' || *c == '?') && c > words->text[i] + 1 &&
					  strchr("snm", c[-2]) && strchr("abc", c[-1]);

			if (!is_variant || defines(words, c - 2, *c == '?' ? 2 : 3))
				continue;
			memmove(c, c + 1, strlen(c));
			c--;
		}
	}
}

static void join(const struct words *words, char text[RANDOM_TEXT_BYTES])
{
	size_t n = 0;

	text[0] = '\0';
	for (uint32_t i = 0; i < words->count; i++)
		n += (size_t)snprintf(text + n, RANDOM_TEXT_BYTES - n, "%s%s", i ? " " : "",
				      words->text[i]);
}

static void split(const char *text, struct words *words)
{
	words->count = 0;
	while (*text) {
		size_t length = strcspn(text, " ");

		snprintf(words->text[words->count++], WORD_BYTES, "%.*s", (int)length, text);
		text += length;
		text += *text == ' ';
	}
}

void random_types(struct random *random, char text[RANDOM_TEXT_BYTES])
{
	struct words words = { .count = 0 };

	add_words(random, &words, 2 + (uint32_t)random_below(random, 9));
	drop_false_variants(&words);
	join(&words, text);
}

void random_module(struct random *random, const char *base, char text[RANDOM_TEXT_BYTES])
{
	struct words from, words = { .count = 0 };

	split(base, &from);
	for (uint32_t i = 0; i < from.count; i++) {
		char *word = words.text[words.count];

		if (!random_below(random, 4))
			continue;
		words.count++;
		memcpy(word, from.text[i], WORD_BYTES);
		if (is_definition(word) && !random_below(random, 6))
			random_body(random, *word, word + tag_length(word));
	}
	if (random_below(random, 2))
		add_words(random, &words, 1 + (uint32_t)random_below(random, 3));
	drop_false_variants(&words);
	join(&words, text);
}

void random_order(struct random *random, const char *from, char text[RANDOM_TEXT_BYTES])
{
	struct words words;

	split(from, &words);
	for (uint32_t i = words.count; i > 1; i--) {
		uint32_t k = (uint32_t)random_below(random, i);
		char word[WORD_BYTES];

		memcpy(word, words.text[i - 1], WORD_BYTES);
		memcpy(words.text[i - 1], words.text[k], WORD_BYTES);
		memcpy(words.text[k], word, WORD_BYTES);
	}
	join(&words, text);
}
