/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/list/type_pattern.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/c_spelling.h"

/* A damaged file may have typedefs in a circle. */
#define STEPS_MAX 256

static bool parse(struct type_pattern *pattern, const char *text)
{
	static const char *const ignored[] = { "const", "volatile", "restrict", "__iomem" };
	size_t length = 0;

	*pattern = (struct type_pattern){ .kind = BTF_VOID };
	while (*(text += strspn(text, " \t"))) {
		size_t word = 0;

		if (*text == '*') {
			pattern->pointers++;
			text++;
			continue;
		}
		while (isalnum((unsigned char)text[word]) || text[word] == '_')
			word++;
		if (text_find_word(ignored, 4, text, word) < 4) {
			text += word;
			continue;
		}
		if (!length && pattern->kind == BTF_VOID &&
		    (pattern->kind = btf_keyword_kind(text, word)) != BTF_VOID) {
			text += word;
			continue;
		}
		if (!word || pattern->pointers || length + word + 2 > TYPE_PATTERN_BYTES)
			return false;
		if (length)
			pattern->name[length++] = ' ';
		memcpy(pattern->name + length, text, word);
		length += word;
		text += word;
	}
	return length;
}

bool type_pattern_parse(struct type_pattern *pattern, const char *text)
{
	char *spelling = c_spelling(text);
	bool good = parse(pattern, spelling);

	free(spelling);
	return good;
}

static bool has_name(const struct type_pattern *pattern, const char *name, bool is_integer)
{
	return is_integer ? c_spelling_is_same(pattern->name, name)
			  : strcmp(pattern->name, name) == 0;
}

bool type_pattern_matches(const struct type_pattern *pattern, const struct type_source *types,
			  uint32_t ref)
{
	uint32_t pointers = pattern->pointers;

	for (int i = 0; i < STEPS_MAX; i++) {
		const uint32_t *words = type_words(types, ref);
		enum btf_kind kind = BTF_VOID;
		const char *name;

		if (!words) {
			name = ref ? type_declared_name(types, ref, &kind) : "void";
			return !pointers && kind == pattern->kind && has_name(pattern, name, false);
		}
		kind = btf_declared_kind(words);
		name = type_string(types, words[BTF_WORD_NAME]);
		switch (kind) {
		case BTF_CONST:
		case BTF_VOLATILE:
		case BTF_RESTRICT:
		case BTF_TYPE_TAG: ref = words[BTF_WORD_TYPE]; continue;
		case BTF_PTR:
			if (!pointers--)
				return false;
			ref = words[BTF_WORD_TYPE];
			continue;
		case BTF_TYPEDEF:
			if (!pointers && pattern->kind == BTF_VOID &&
			    has_name(pattern, name, false))
				return true;
			ref = words[BTF_WORD_TYPE];
			continue;
		case BTF_INT:
		case BTF_FLOAT: kind = BTF_VOID; break;
		default: break;
		}
		return !pointers && kind == pattern->kind &&
		       has_name(pattern, name, kind == BTF_VOID);
	}
	return false;
}

/* Types that are found by a word and a name, or by a name alone. */
static void offer(struct near_names *near, const struct type_source *types, uint32_t ref)
{
	const uint32_t *words = type_words(types, ref);
	enum btf_kind kind = btf_declared_kind(words);
	const char *name = words ? type_string(types, words[BTF_WORD_NAME])
				 : type_declared_name(types, ref, &kind);

	if (btf_kind_is_aggregate(kind) || kind == BTF_ENUM || kind == BTF_TYPEDEF)
		near_names_offer(near, name, btf_keywords[kind] ? btf_keywords[kind] : "");
}

bool type_pattern_exists(const struct type_pattern *pattern, const struct type_source *types,
			 uint32_t first, struct near_names *near)
{
	uint32_t end = types->btf ? btf_reader_end_id(types->btf)
				  : (uint32_t)types->table->nodes.count;
	uint32_t tags = types->btf ? 0 : (uint32_t)types->table->tags.count;
	struct type_pattern plain = *pattern;

	plain.pointers = 0;
	/* Nodes of a table, then its tags. */
	for (uint32_t i = first; i < end + tags; i++) {
		uint32_t ref = i < end ? i : ref_to_tag(i - end).word;

		if (type_pattern_matches(&plain, types, ref))
			return true;
		offer(near, types, ref);
	}
	return false;
}
