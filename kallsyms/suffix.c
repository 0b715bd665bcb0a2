/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kallsyms/suffix.h"

#include <ctype.h>
#include <string.h>

struct suffix_row {
	const char *text;	/* with its dot */
	enum suffix_class class;
};

static const struct suffix_row rows[SUFFIX_COUNT] = {
#define X(id, text, class) [SUFFIX_##id] = { "." text, class },
	SUFFIX_LIST(X)
#undef X
};

const char *suffix_text(enum suffix suffix)
{
	return rows[suffix].text;
}

static bool all_digits(const char *text, size_t length)
{
	for (size_t i = 0; i < length; i++) {
		if (!isdigit((unsigned char)text[i]))
			return false;
	}
	return length > 0;
}

/* The suffix with this text, or SUFFIX_COUNT. */
static enum suffix find_suffix(const char *text, size_t length)
{
	for (int i = 0; i < SUFFIX_NUMBER; i++) {
		if (strlen(rows[i].text + 1) == length &&
		    memcmp(rows[i].text + 1, text, length) == 0)
			return (enum suffix)i;
	}
	return all_digits(text, length) ? SUFFIX_NUMBER : SUFFIX_COUNT;
}

struct symbol_base symbol_parse(const char *name)
{
	const char *dot = strchr(name, '.');
	struct symbol_base base = { strlen(name), 0, SUFFIX_SAME };
	struct symbol_base parsed = base;
	bool after_word = false;

	if (!dot || dot == name)
		return base;
	parsed.base_length = (size_t)(dot - name);
	while (*dot) {
		const char *word = dot + 1;
		size_t length = strcspn(word, ".");
		enum suffix suffix = find_suffix(word, length);

		/* .isra.0, .llvm.123, .__uniq.123: the number belongs to the word before it. */
		if (!(after_word && suffix == SUFFIX_NUMBER)) {
			if (suffix == SUFFIX_COUNT)
				return base;
			parsed.suffixes |= 1u << suffix;
			if (rows[suffix].class > parsed.class)
				parsed.class = rows[suffix].class;
		}
		after_word = suffix != SUFFIX_NUMBER;
		dot = word + length;
	}
	return parsed;
}
