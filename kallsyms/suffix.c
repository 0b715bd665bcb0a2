/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kallsyms/suffix.h"

#include <string.h>

#define X(id, text, class) "." text,
const char *const suffix_texts[SUFFIX_COUNT] = { SUFFIX_LIST(X) };
#undef X
#define X(id, text, class) class,
const enum suffix_class suffix_classes[SUFFIX_COUNT] = { SUFFIX_LIST(X) };
#undef X

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
		int suffix = 0;

		while (suffix < SUFFIX_NUMBER &&
		       (strncmp(suffix_texts[suffix] + 1, word, length) != 0 ||
			suffix_texts[suffix][1 + length]))
			suffix++;
		if (suffix == SUFFIX_NUMBER && (!length || strspn(word, "0123456789") < length))
			return base;
		/* .isra.0, .llvm.123, .__uniq.123: the number belongs to the word before it. */
		if (!(after_word && suffix == SUFFIX_NUMBER)) {
			parsed.suffixes |= 1u << suffix;
			if (suffix_classes[suffix] > parsed.class)
				parsed.class = suffix_classes[suffix];
		}
		after_word = suffix != SUFFIX_NUMBER;
		dot = word + length;
	}
	return parsed;
}
