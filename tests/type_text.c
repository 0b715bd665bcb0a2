/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/type_text.h"

#include <stdlib.h>
#include <string.h>

#define MAX_ELEMENTS 16

struct text_reader {
	struct type_text *types;
	const char *at;
};

static uint32_t name(struct text_reader *r, const char *text)
{
	return string_pool_add(&r->types->pool, text).index;
}

static uint32_t letter_name(struct text_reader *r, char letter)
{
	static const char letters[26][2] = { "a", "b", "c", "d", "e", "f", "g", "h", "i",
					     "j", "k", "l", "m", "n", "o", "p", "q", "r",
					     "s", "t", "u", "v", "w", "x", "y", "z" };

	return name(r, letters[letter - 'a']);
}

static uint32_t add(struct text_reader *r, const uint32_t *words)
{
	struct node_table *table = &r->types->table;

	return node_table_intern(table, words, table->nodes.count);
}

/* A record of head words, of which the last is a reference or a size. */
static uint32_t add_head(struct text_reader *r, enum btf_kind kind, const char *text, uint32_t word)
{
	return add(r, (uint32_t[]){ name(r, text), btf_info(kind, 0, false), word });
}

/* ---- types ---- */

static enum btf_kind tag_kind(char letter)
{
	switch (letter) {
	case 's': return BTF_STRUCT;
	case 'n': return BTF_UNION;
	case 'm': return BTF_ENUM;
	default: return BTF_VOID;
	}
}

static uint32_t read_tag(struct text_reader *r)
{
	enum btf_kind kind = tag_kind(*r->at);
	uint32_t key = letter_name(r, r->at[1]);
	uint32_t variant = 0;

	r->at += 2;
	if (*r->at == '?' || (*r->at >= '0' && *r->at <= '9')) {
		variant = *r->at == '?' ? TAG_VARIANT_UNKNOWN : (uint32_t)(*r->at - '0');
		r->at++;
	}
	return node_table_tag(&r->types->table, kind, key, variant);
}

static uint32_t read_scalar(struct text_reader *r, char letter)
{
	static const struct {
		char letter;
		const char *name;
		uint32_t size, encoding;
	} rows[] = {
		{ 'i', "int", 4, BTF_INT_SIGNED }, { 'j', "int", 4, 0 }, { 'u', "unsigned", 4, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (rows[i].letter == letter)
			return add(r, (uint32_t[]){ name(r, rows[i].name),
						    btf_info(BTF_INT, 0, false), rows[i].size,
						    rows[i].encoding << 24 | rows[i].size * 8 });
	}
	switch (letter) {
	case 'v': return 0;
	case 'd': return add_head(r, BTF_FLOAT, "double", 8);
	case 'e':
		return add(r, (uint32_t[]){ 0, btf_info(BTF_ENUM, 1, false), 4, name(r, "E"), 7 });
	default: abort();
	}
}

static uint32_t read_chain(struct text_reader *r)
{
	char letter = *r->at;
	uint32_t target;
	uint32_t integer;

	if (tag_kind(letter) != BTF_VOID)
		return ref_to_tag(read_tag(r)).word;
	r->at++;
	if (!strchr("PCVATFXU", letter))
		return read_scalar(r, letter);
	target = read_chain(r);
	integer = letter == 'A' || letter == 'F' ? read_scalar(r, 'i') : 0;
	switch (letter) {
	case 'P': return add_head(r, BTF_PTR, "", target);
	case 'C': return add_head(r, BTF_CONST, "", target);
	case 'V': return add_head(r, BTF_VOLATILE, "", target);
	case 'T': return add_head(r, BTF_TYPEDEF, "t", target);
	case 'A':
		return add(r, (uint32_t[]){ 0, btf_info(BTF_ARRAY, 0, false), 0, target, integer,
					    2 });
	case 'F':
		return add(r, (uint32_t[]){ 0, btf_info(BTF_FUNC_PROTO, 1, false), target,
					    name(r, "p"), integer });
	case 'X':
		return add(r, (uint32_t[]){ 0, btf_info(BTF_STRUCT, 1, false), 8, name(r, "m"),
					    target, 0 });
	default:
		return add(r, (uint32_t[]){ 0, btf_info(BTF_UNION, 1, false), 8, name(r, "m"),
					    target, 0 });
	}
}

/* ---- words ---- */

static uint32_t read_number(struct text_reader *r)
{
	char *end;
	uint32_t number = (uint32_t)strtoul(r->at, &end, 10);

	r->at = end;
	return number;
}

static uint32_t read_enumerators(struct text_reader *r, uint32_t *words)
{
	uint32_t count = read_number(r);
	bool is_64 = *r->at == 'L';
	uint32_t stride = is_64 ? 3 : 2;

	r->at += is_64;
	for (uint32_t i = 0; i < count; i++) {
		words[BTF_HEAD_WORDS + i * stride] = letter_name(r, (char)('x' + i % 3));
		words[BTF_HEAD_WORDS + i * stride + 1] = i;
	}
	words[BTF_WORD_INFO] = btf_info(is_64 ? BTF_ENUM64 : BTF_ENUM, count, false);
	return is_64 ? 8 : 4;
}

static uint32_t read_members(struct text_reader *r, enum btf_kind kind, uint32_t *words)
{
	uint32_t count = 0;

	while (*r->at && *r->at != ' ') {
		uint32_t *member = &words[BTF_HEAD_WORDS + 3 * count];

		if (*r->at == ',')
			r->at++;
		if (r->at[1] == '.') {
			member[0] = *r->at == '_' ? 0 : letter_name(r, *r->at);
			r->at += 2;
		} else {
			member[0] = name(r, "m");
		}
		member[1] = read_chain(r);
		member[2] = kind == BTF_STRUCT ? 64 * count : 0;
		if (++count > MAX_ELEMENTS)
			abort();
	}
	words[BTF_WORD_INFO] = btf_info(kind, count, false);
	return 8 * count;
}

/* Reads what follows the tag: "!#16:i,Psb". */
static uint32_t read_definition(struct text_reader *r, uint32_t tag)
{
	struct node_table *table = &r->types->table;
	enum btf_kind kind = table->tags.data[tag].kind;
	uint32_t words[BTF_HEAD_WORDS + 3 * MAX_ELEMENTS] = { table->tags.data[tag].name };
	bool kind_flag = *r->at == '!';
	uint32_t given = 0, size;

	r->at += kind_flag;
	if (*r->at == '#') {
		r->at++;
		given = read_number(r);
	}
	r->at++;
	size = kind == BTF_ENUM ? read_enumerators(r, words) : read_members(r, kind, words);
	words[BTF_WORD_SIZE] = given ? given : size;
	words[BTF_WORD_INFO] |= btf_info(BTF_VOID, 0, kind_flag);
	table->tags.data[tag].definition = node_table_append(table, words, table->nodes.count);
	return table->tags.data[tag].definition;
}

/* Reads what follows the "=": types of code, data and notes. */
static uint32_t read_special(struct text_reader *r)
{
	char letter = *r->at++;
	uint32_t target = read_chain(r);
	uint32_t var;

	switch (letter) {
	case 'f':
		return add(r, (uint32_t[]){ name(r, "f"), btf_info(BTF_FUNC, 1, false), target });
	case 'g':
	case 'h':
		return add(r, (uint32_t[]){ name(r, "g"), btf_info(BTF_DECL_TAG, 0, false), target,
					    letter == 'g' ? UINT32_MAX : 0 });
	default:
		var = add(r, (uint32_t[]){ name(r, "v"), btf_info(BTF_VAR, 0, false), target,
					   BTF_LINKAGE_GLOBAL });
		if (letter == 'v')
			return var;
		return add(r, (uint32_t[]){ name(r, ".data"), btf_info(BTF_DATASEC, 1, false), 8,
					    var, 0, 8 });
	}
}

/* Appends what has just been read once more. */
static uint32_t append_again(struct text_reader *r, uint32_t node)
{
	struct node_table *table = &r->types->table;
	uint32_t words[BTF_HEAD_WORDS + 3 * MAX_ELEMENTS];

	memcpy(words, node_words(table, node),
	       table->nodes.data[node].word_count * sizeof(*words));
	return node_table_append(table, words, table->nodes.count);
}

static uint32_t read_word(struct text_reader *r)
{
	uint32_t tag;

	if (*r->at == '+') {
		r->at++;
		return append_again(r, read_chain(r));
	}
	if (*r->at == '=') {
		r->at++;
		return read_special(r);
	}
	if (tag_kind(*r->at) == BTF_VOID)
		return read_chain(r);
	tag = read_tag(r);
	if (!strchr("!#:", *r->at))
		abort();	/* a tag by itself is not a type */
	return read_definition(r, tag);
}

void type_text_read(struct type_text *types, const char *text)
{
	struct text_reader r = { .at = text };

	node_table_init(&types->table);
	string_pool_init(&types->pool);
	r.types = types;
	while (*r.at) {
		uint32_t node = read_word(&r);

		types->table.nodes.data[node].is_root = node != 0;
		if (*r.at && *r.at++ != ' ')
			abort();
	}
}

void type_text_release(struct type_text *types)
{
	node_table_release(&types->table);
	string_pool_release(&types->pool);
}

uint32_t type_text_tag(struct type_text *types, const char *tag)
{
	struct text_reader r = { types, tag };

	return read_tag(&r);
}

/* ---- as BTF ---- */

struct btf_writer {
	const struct type_text *types;
	ARRAY_OF(uint32_t) words;
	ARRAY_OF(char) strings;
	uint32_t *name_offsets;
	uint32_t *tag_ids;	/* of forwards; 0: none yet */
	uint32_t next_id;	/* of a forward: nodes have their own number */
};

static void copy_string(struct btf_writer *w, uint32_t id)
{
	const struct pool_string *string = &w->types->pool.strings.data[id];

	w->name_offsets[id] = (uint32_t)w->strings.count;
	for (uint32_t i = 0; i <= string->length; i++)
		array_push(&w->strings, string->text[i]);
}

static uint32_t reference_id(struct btf_writer *w, uint32_t ref)
{
	const struct tag *tag;

	if (!ref_is_tag(ref_of_word(ref)))
		return ref;
	tag = &w->types->table.tags.data[ref_tag(ref_of_word(ref))];
	if (tag->definition)
		return tag->definition;
	if (!w->tag_ids[ref_tag(ref_of_word(ref))])
		w->tag_ids[ref_tag(ref_of_word(ref))] = w->next_id++;
	return w->tag_ids[ref_tag(ref_of_word(ref))];
}

static void write_record(struct btf_writer *w, uint32_t node)
{
	const uint32_t *words = node_words(&w->types->table, node);
	size_t start = w->words.count;

	for (uint32_t i = 0; i < btf_record_words(words[BTF_WORD_INFO]); i++)
		array_push(&w->words, words[i]);
	btf_each_name(word, words)
		w->words.data[start + word] = w->name_offsets[words[word]];
	btf_each_ref(word, words)
		w->words.data[start + word] = reference_id(w, words[word]);
}

static void write_forward(struct btf_writer *w, uint32_t id)
{
	uint32_t t = 0;

	while (w->tag_ids[t] != id)
		t++;
	const struct tag *tag = &w->types->table.tags.data[t];
	bool is_enum = tag->kind == BTF_ENUM;

	array_push(&w->words, w->name_offsets[tag->name]);
	array_push(&w->words, btf_info(is_enum ? BTF_ENUM : BTF_FWD, 0, tag->kind == BTF_UNION));
	array_push(&w->words, is_enum ? 4u : 0u);
}

struct btf_blob type_text_btf(const struct type_text *types)
{
	uint32_t nodes = (uint32_t)types->table.nodes.count;
	struct btf_writer w = {
		.types = types, .next_id = nodes,
		.name_offsets = memory_zeroed(types->pool.strings.count, sizeof(uint32_t)),
		.tag_ids = memory_zeroed(types->table.tags.count + 1, sizeof(uint32_t)),
	};
	struct btf_blob blob;

	for (uint32_t id = 0; id < types->pool.strings.count; id++)
		copy_string(&w, id);
	for (uint32_t s = 1; s < nodes; s++)
		write_record(&w, s);
	for (uint32_t id = nodes; id < w.next_id; id++)
		write_forward(&w, id);
	blob = btf_blob_make(w.words.data, w.words.count, w.strings.data, w.strings.count);
	array_release(&w.words);
	array_release(&w.strings);
	free(w.name_offsets);
	free(w.tag_ids);
	return blob;
}
