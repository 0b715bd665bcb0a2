/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/list/type_pattern.h"

#include <ctype.h>

/* A damaged file may have typedefs in a circle. */
#define STEPS_MAX 256

/* Is it the word at *text? Then goes on after it. */
static bool take_word(const char **text, const char *word)
{
	size_t length = strlen(word);

	if (strncmp(*text, word, length) != 0 || isalnum((unsigned char)(*text)[length]) ||
	    (*text)[length] == '_')
		return false;
	*text += length;
	return true;
}

static bool take_one_of(const char **text, const char *const *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		if (take_word(text, words[i]))
			return true;
	}
	return false;
}

/*
 * One spelling of an integer type: compilers write "long unsigned int", people "unsigned long".
 * False: the words are not those of an integer.
 */
static bool spell_integer(const char *text, char out[TYPE_PATTERN_BYTES])
{
	static const char *const words[] = { "unsigned", "signed", "long", "short", "char", "int",
					     "__int128" };
	enum { UNSIGNED, SIGNED, LONG, SHORT, CHAR, INT, INT128, COUNT };
	uint32_t counts[COUNT] = { 0 };
	bool is_char;

	for (; *text; text += strspn(text, " ")) {
		int i = 0;

		while (i < COUNT && !take_word(&text, words[i]))
			i++;
		if (i == COUNT)
			return false;
		counts[i]++;
	}
	is_char = counts[CHAR];
	snprintf(out, TYPE_PATTERN_BYTES, "%s%s",
		 counts[UNSIGNED] ? "unsigned " : is_char && counts[SIGNED] ? "signed " : "",
		 is_char ? "char" : counts[SHORT] ? "short" : counts[LONG] > 1 ? "long long"
		 : counts[LONG] ? "long" : counts[INT128] ? "__int128" : "int");
	return true;
}

bool type_pattern_parse(struct type_pattern *pattern, const char *text)
{
	static const char *const ignored[] = { "const", "volatile", "restrict", "__user", "__rcu",
					       "__percpu", "__iomem" };
	char spelling[TYPE_PATTERN_BYTES];
	size_t length = 0;

	*pattern = (struct type_pattern){ .kind = BTF_VOID };
	while (*(text += strspn(text, " \t"))) {
		size_t word = 0;

		if (*text == '*') {
			pattern->pointers++;
			text++;
			continue;
		}
		if (take_one_of(&text, ignored, sizeof(ignored) / sizeof(*ignored)))
			continue;
		while (isalnum((unsigned char)text[word]) || text[word] == '_')
			word++;
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
	if (pattern->kind == BTF_VOID && spell_integer(pattern->name, spelling))
		memcpy(pattern->name, spelling, sizeof(spelling));
	return length;
}

static bool has_name(const struct type_pattern *pattern, const char *name, bool is_integer)
{
	char spelling[TYPE_PATTERN_BYTES];

	return strcmp(pattern->name, is_integer && spell_integer(name, spelling) ? spelling
										  : name) == 0;
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
		kind = btf_info_kind(words[BTF_WORD_INFO]);
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
		case BTF_FWD:
			kind = btf_info_kind_flag(words[BTF_WORD_INFO]) ? BTF_UNION : BTF_STRUCT;
			break;
		case BTF_ENUM64: kind = BTF_ENUM; break;
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
	enum btf_kind kind = words ? btf_info_kind(words[BTF_WORD_INFO]) : BTF_VOID;
	const char *name = words ? type_string(types, words[BTF_WORD_NAME])
				 : type_declared_name(types, ref, &kind);

	if (words && kind == BTF_FWD)
		kind = btf_info_kind_flag(words[BTF_WORD_INFO]) ? BTF_UNION : BTF_STRUCT;
	if (kind == BTF_STRUCT)
		near_names_offer(near, name, "struct");
	else if (kind == BTF_UNION)
		near_names_offer(near, name, "union");
	else if (btf_kind_is_enum(kind))
		near_names_offer(near, name, "enum");
	else if (kind == BTF_TYPEDEF)
		near_names_offer(near, name, "");
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
