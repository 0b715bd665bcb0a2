/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A C declarator is read from the name outwards: `int (*f[3])(long)` is an array of pointers to a
 * function that returns int. The layers (array, pointer, function) are collected from the outside
 * to the type at the bottom. Then comes the left half, from the bottom up: the type, `(*`; the
 * name; and the right half, downwards again: `[3]`, `)`, `(long)`. Parameters are declarations
 * inside the right half; a stack of open declarators takes the place of recursion.
 */
#include "btf/dedup/c_declaration.h"

#include <string.h>

#include "base/hash.h"
#include "btf/inspect.h"

/* A declarator whose left half and name are printed. */
struct open_declarator {
	const uint32_t *layers[C_DECLARATION_MAX_LAYERS];
	uint32_t layer_count;
	uint32_t next_layer;
	const uint32_t *prototype;	/* whose parameters are being printed, or NULL */
	uint32_t next_parameter;
};

struct declaration {
	struct text *out;
	const struct btf_reader *btf;	/* whose references are ids, names offsets; or NULL */
	const struct node_table *table;
	const struct string_pool *pool;
	struct open_declarator open[C_DECLARATION_MAX_DEPTH];
	uint32_t depth;
	bool after_word;	/* a word that follows needs a blank */
};

/* NULL: there is no such type. */
static const uint32_t *words_of(const struct declaration *d, struct node_ref what)
{
	return d->btf ? btf_reader_type(d->btf, what.word) : node_words(d->table, ref_node(what));
}

static const char *text_of(const struct declaration *d, uint32_t name)
{
	const char *text = d->btf ? btf_reader_string(d->btf, name)
				  : string_pool_word_text(d->pool, name);

	return text ? text : "?";
}

static bool is_tag(const struct declaration *d, struct node_ref what)
{
	return !d->btf && ref_is_tag(what);
}

static void put_name(const struct declaration *d, const char *name)
{
	text_add_clean_bytes(d->out, name, d->btf ? btf_name_length(name)
						  : strnlen(name, C_DECLARATION_MAX_BYTES));
}

static void put_word(struct declaration *d, const char *word)
{
	if (!*word)
		return;
	if (d->after_word)
		text_add_char(d->out, ' ');
	put_name(d, word);
	d->after_word = true;
}

static void put_mark(struct declaration *d, const char *mark)
{
	text_add_string(d->out, mark);
	d->after_word = false;
}

/* ---- the left half ---- */

static void put_modifier(struct declaration *d, const uint32_t *words)
{
	bool is_attribute = btf_info_kind_flag(words[BTF_WORD_INFO]);

	if (btf_record_kind(words) != BTF_TYPE_TAG) {
		put_word(d, btf_keywords[btf_record_kind(words)]);
		return;
	}
	/* The kernel: #define __user BTF_TYPE_TAG(user) */
	put_word(d, is_attribute ? "__attribute__((" : "__");
	put_name(d, text_of(d, words[BTF_WORD_NAME]));
	text_add_string(d->out, is_attribute ? "))" : "");
}

/* The type at the bottom, below all layers. */
static void put_type(struct declaration *d, struct node_ref type)
{
	const struct tag *tag = is_tag(d, type) ? &d->table->tags.data[ref_tag(type)] : NULL;
	const uint32_t *words = tag || ref_is_void(type) ? NULL : words_of(d, type);
	const char *keyword, *name;
	enum btf_kind kind;

	if (!tag && !words) {
		put_word(d, ref_is_void(type) ? "void" : "?");
		return;
	}
	kind = tag ? (enum btf_kind)tag->kind : btf_declared_kind(words);
	keyword = btf_keywords[kind] ? btf_keywords[kind] : "";
	name = text_of(d, tag ? tag->name : words[BTF_WORD_NAME]);
	put_word(d, keyword);
	put_word(d, *name || tag ? name : *keyword ? "{...}" : "?");
}

/*
 * Collects the layers around `type` from the outside and returns the type at the bottom. An array
 * of constants is the same as a constant array, and only the former can be written; a function can
 * be neither constant nor volatile (which is how compilers say noreturn) in C.
 */
static struct node_ref collect_layers(const struct declaration *d, struct open_declarator *open,
				struct node_ref type)
{
	uint32_t modifiers = 0;		/* the last layers, all of them modifiers */

	open->layer_count = 0;
	while (!ref_is_void(type) && !is_tag(d, type) &&
	       open->layer_count < C_DECLARATION_MAX_LAYERS) {
		const uint32_t *words = words_of(d, type);
		enum btf_kind kind = btf_record_kind(words);
		uint32_t at = open->layer_count;

		if (kind == BTF_ARRAY) {
			at -= modifiers;
			memmove(&open->layers[at + 1], &open->layers[at],
				modifiers * sizeof(*open->layers));
			type = ref_of_word(words[BTF_HEAD_WORDS]);
		} else if (kind == BTF_FUNC_PROTO) {
			at = open->layer_count -= modifiers;
			modifiers = 0;
			type = ref_of_word(words[BTF_WORD_TYPE]);
		} else if (kind == BTF_PTR || btf_kind_is_modifier(kind)) {
			modifiers = kind == BTF_PTR ? 0 : modifiers + 1;
			type = ref_of_word(words[BTF_WORD_TYPE]);
		} else {
			break;
		}
		open->layers[at] = words;
		open->layer_count++;
	}
	return type;
}

/* Does the pointer at this layer need parentheses: is what it points to an array or a function? */
static bool is_parenthesized(const struct open_declarator *open, uint32_t layer)
{
	for (layer++; layer < open->layer_count; layer++) {
		enum btf_kind kind = btf_record_kind(open->layers[layer]);

		if (!btf_kind_is_modifier(kind))
			return kind == BTF_ARRAY || kind == BTF_FUNC_PROTO;
	}
	return false;
}

/*
 * Has the next layer, or one of the modifiers after it, the same qualifier? Compilers qualify an
 * array and its elements.
 */
static bool is_repeated(const struct open_declarator *open, uint32_t layer)
{
	enum btf_kind kind = btf_record_kind(open->layers[layer]);

	for (uint32_t i = layer + 1; kind != BTF_TYPE_TAG && i < open->layer_count &&
				     btf_kind_is_modifier(btf_record_kind(open->layers[i])); i++) {
		if (btf_record_kind(open->layers[i]) == kind)
			return true;
	}
	return false;
}

/* Qualifiers of the type at the bottom come before it, its tags after it. */
static void put_left_half(struct declaration *d, struct open_declarator *open, struct node_ref type,
			  const char *name)
{
	uint32_t bottom = open->layer_count;

	while (bottom && btf_kind_is_modifier(btf_record_kind(open->layers[bottom - 1])))
		bottom--;
	for (uint32_t i = bottom; i < open->layer_count; i++) {
		if (btf_record_kind(open->layers[i]) != BTF_TYPE_TAG && !is_repeated(open, i))
			put_modifier(d, open->layers[i]);
	}
	if (open->layer_count == C_DECLARATION_MAX_LAYERS)
		put_word(d, C_DECLARATION_CUT);
	else
		put_type(d, type);
	for (uint32_t i = bottom; i < open->layer_count; i++) {
		if (btf_record_kind(open->layers[i]) == BTF_TYPE_TAG)
			put_modifier(d, open->layers[i]);
	}
	for (uint32_t i = bottom; i-- > 0;) {
		if (btf_record_kind(open->layers[i]) == BTF_PTR) {
			if (d->after_word)
				text_add_char(d->out, ' ');
			put_mark(d, is_parenthesized(open, i) ? "(*" : "*");
		} else if (btf_kind_is_modifier(btf_record_kind(open->layers[i])) &&
			   !is_repeated(open, i)) {
			put_modifier(d, open->layers[i]);
		}
	}
	put_word(d, name);
}

/* ---- the right half ---- */

static void open_declarator(struct declaration *d, struct node_ref type, const char *name)
{
	struct open_declarator *open;
	struct node_ref bottom;

	if (d->depth == C_DECLARATION_MAX_DEPTH) {
		put_word(d, C_DECLARATION_CUT);
		return;
	}
	open = &d->open[d->depth++];
	open->next_layer = 0;
	open->prototype = NULL;
	bottom = collect_layers(d, open, type);
	put_left_half(d, open, bottom, name);
}

/* Goes on with the parameters of a prototype; closes it when there are no more. */
static void put_parameter(struct declaration *d, struct open_declarator *open)
{
	const uint32_t *parameter = open->prototype + BTF_HEAD_WORDS + 2 * open->next_parameter;
	uint32_t count = btf_info_vlen(open->prototype[BTF_WORD_INFO]);

	if (open->next_parameter == count) {
		put_mark(d, count ? ")" : "void)");
		open->prototype = NULL;
		return;
	}
	if (open->next_parameter++)
		put_mark(d, ", ");
	if (open->next_parameter == count && !parameter[0] && !parameter[1])
		put_mark(d, "...");
	else
		open_declarator(d, ref_of_word(parameter[1]), text_of(d, parameter[0]));
}

/* Returns how many bytes it had before it was cut. */
static size_t print_declaration(struct text *out, const struct btf_reader *btf,
			      const struct node_table *table, const struct string_pool *pool,
			      struct node_ref what, const char *name)
{
	size_t start = out->count, limit = start + C_DECLARATION_COMPARED_BYTES, bytes;
	struct declaration declaration, *d = &declaration;

	/* The open declarators are not zeroed: they take longer than a prototype. */
	d->out = out;
	d->btf = btf;
	d->table = table;
	d->pool = pool;
	d->depth = 0;
	d->after_word = false;
	open_declarator(d, what, name);
	while (d->depth && out->count < limit) {
		struct open_declarator *open = &d->open[d->depth - 1];
		uint32_t layer = open->next_layer;
		const uint32_t *words = layer < open->layer_count ? open->layers[layer] : NULL;
		enum btf_kind kind = btf_record_kind(words);

		if (open->prototype) {
			put_parameter(d, open);
			continue;
		}
		open->next_layer++;
		if (!words) {
			d->depth--;
		} else if (kind == BTF_PTR && is_parenthesized(open, layer)) {
			put_mark(d, ")");
		} else if (kind == BTF_ARRAY) {
			put_mark(d, "[");
			if (words[BTF_HEAD_WORDS + 2])
				text_add_number(out, words[BTF_HEAD_WORDS + 2]);
			put_mark(d, "]");
		} else if (kind == BTF_FUNC_PROTO) {
			put_mark(d, "(");
			open->prototype = words;
			open->next_parameter = 0;
		}
	}
	if (d->depth)
		put_word(d, C_DECLARATION_CUT);
	bytes = out->count - start;
	if (bytes > C_DECLARATION_MAX_BYTES) {
		uint32_t hash = hash_bytes(out->data + start, bytes);

		out->count = start + C_DECLARATION_MAX_BYTES;
		text_add_format(out, " " C_DECLARATION_CUT " /* %08x */", hash);
	}
	return bytes;
}

void c_declaration_add(struct text *out, const struct node_table *table,
		       const struct string_pool *pool, struct node_ref what, const char *name)
{
	print_declaration(out, NULL, table, pool, what, name);
}

size_t c_declaration_add_btf(struct text *out, const struct btf_reader *btf, uint32_t what,
			   const char *name)
{
	return print_declaration(out, btf, NULL, NULL, ref_of_word(what), name);
}
