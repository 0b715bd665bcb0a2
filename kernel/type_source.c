/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/type_source.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/sort.h"
#include "btf/members.h"
#include "encoder/result.h"
#include "kernel/attach/machine.h"

#define MAX_CHAIN 64	/* typedefs and qualifiers in front of a type */
#define MAX_STEPS 256	/* members of one value, with all that is nested */

struct type_source type_source_of_program(const struct program *program)
{
	return (struct type_source){ .table = &program->table, .pool = &program->pool,
				     .abi = abi_of(&program->object),
				     .word_bytes = program->object.address_bytes };
}

/* ---- words ---- */

const uint32_t *type_words(const struct type_source *types, uint32_t ref)
{
	if (types->btf)
		return btf_reader_type(types->btf, ref);
	if (ref_is_tag(ref_of_word(ref)))
		ref = types->table->tags.data[ref_tag(ref_of_word(ref))].definition;
	return ref ? node_words(types->table, ref) : NULL;
}

const uint32_t *type_words_of(const struct type_source *types, uint32_t ref, enum btf_kind kind)
{
	const uint32_t *words = type_words(types, ref);

	return words && btf_info_kind(words[BTF_WORD_INFO]) == kind ? words : NULL;
}

const char *type_string(const struct type_source *types, uint32_t name)
{
	const char *text = types->btf ? btf_reader_string(types->btf, name)
				      : string_pool_word_text(types->pool, name);

	return text ? text : "";
}

const uint32_t *type_nth(const struct type_source *types, uint32_t i)
{
	return types->btf ? btf_reader_type(types->btf, i)
	       : i < types->table->nodes.count ? node_words(types->table, i) : NULL;
}

const uint32_t *type_named_from(const struct type_source *types, uint32_t first,
				enum btf_kind kind, const char *prefix, const char *name)
{
	size_t length = strlen(prefix);
	const uint32_t *words;

	for (uint32_t i = first; (words = type_nth(types, i)); i++) {
		const char *own;

		if (btf_info_kind(words[BTF_WORD_INFO]) != kind)
			continue;
		own = type_string(types, words[BTF_WORD_NAME]);
		if (strncmp(own, prefix, length) == 0 && strcmp(own + length, name) == 0)
			return words;
	}
	return NULL;
}

const uint32_t *type_enumerator(const struct type_source *types, const uint32_t *words,
				const char *name)
{
	uint32_t left = btf_kind_is_enum(btf_record_kind(words)) ? btf_element_count(words) : 0;

	while (left && strcmp(type_string(types, *btf_element(words, left - 1)), name) != 0)
		left--;
	return left ? btf_element(words, left - 1) : NULL;
}

bool type_exists(const struct type_source *types, uint32_t first, const char *name)
{
	const uint32_t *words;
	bool has = false;

	for (uint32_t i = first; !has && (words = type_nth(types, i)); i++) {
		enum btf_kind kind = btf_record_kind(words);

		has = ((btf_kind_is_aggregate(kind) || btf_kind_is_enum(kind) ||
			kind == BTF_TYPEDEF) &&
		       strcmp(type_string(types, words[BTF_WORD_NAME]), name) == 0) ||
		      type_enumerator(types, words, name);
	}
	return has;
}

const uint32_t *type_member(const struct type_source *types, const uint32_t *words,
			    const char *name)
{
	struct btf_members walk = { 0 };

	if (words)
		btf_members_enter(&walk, words, 0);
	while (btf_members_next(&walk) && !walk.has_ended) {
		if (strcmp(type_string(types, walk.words[0]), name) == 0)
			return walk.words;
	}
	return NULL;
}

bool type_member_byte(const struct type_source *types, const uint32_t *words, const char *name,
		      uint32_t *byte)
{
	const uint32_t *member = type_member(types, words, name);

	if (member)
		*byte = btf_member_offset(words[BTF_WORD_INFO], member) / 8;
	return member;
}

const char *type_declared_name(const struct type_source *types, uint32_t ref, enum btf_kind *kind)
{
	const struct tag *tag;

	if (types->btf || !ref_is_tag(ref_of_word(ref)))
		return "";
	tag = &types->table->tags.data[ref_tag(ref_of_word(ref))];
	*kind = (enum btf_kind)tag->kind;
	return type_string(types, tag->name);
}

void type_add(struct text *out, const struct type_source *types, uint32_t ref, const char *name)
{
	if (types->btf)
		c_declaration_add_btf(out, types->btf, ref, name);
	else
		c_declaration_add(out, types->table, types->pool, ref_of_word(ref), name);
}

bool type_is_plain_name(const char *name)
{
	return *name && !isdigit((unsigned char)*name) && text_is_made_of(name, "_");
}

bool type_is_code(const char *text, size_t count)
{
	size_t open = 0;

	for (size_t i = 0; i < count; i++) {
		if (!isalnum((unsigned char)text[i]) && (!text[i] || !strchr("_ *,()[]", text[i])))
			return false;
		if (text[i] == ')' && !open--)
			return false;
		open += text[i] == '(';
	}
	return !open;
}

const char *type_parameter_name(const char *name, uint32_t number, char buffer[TYPE_NAME_BYTES])
{
	if (!type_is_plain_name(name))
		snprintf(buffer, TYPE_NAME_BYTES, "arg%u", number + 1);
	else if (strcmp(name, "ctx") != 0)
		return name;
	else
		snprintf(buffer, TYPE_NAME_BYTES, "ctx_");
	return buffer;
}

void type_add_parameters(struct text *out, const struct type_source *types, uint32_t prototype,
			 uint32_t named, uint32_t first, uint32_t left_out)
{
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);
	const uint32_t *names = type_words_of(types, named, BTF_FUNC_PROTO);
	uint32_t count = btf_element_count(words);
	size_t limit = out->count + C_DECLARATION_MAX_BYTES;

	for (uint32_t i = first; i + left_out < count; i++) {
		char name[TYPE_NAME_BYTES];

		text_add_string(out, i > first ? ", " : "");
		if (out->count >= limit) {
			text_add_string(out, C_DECLARATION_CUT);
			return;
		}
		type_add(out, types, btf_element(words, i)[1],
			 type_parameter_name(names ? type_string(types, *btf_element(names, i))
						   : "", i - first, name));
	}
	text_add_string(out, first && count == first ? "void" : "");
}

/* ---- values ---- */

struct value_type value_type_of(const struct type_source *types, uint32_t ref)
{
	for (int i = 0; ref && i < MAX_CHAIN; i++) {
		const uint32_t *words = type_words(types, ref);
		uint32_t info = words ? words[BTF_WORD_INFO] : 0;
		struct value_type type = { .kind = btf_info_kind(info), .words = words };

		if (!words)
			return (struct value_type){ .kind = types->btf ? BTF_VOID : BTF_FWD };
		if (BTF_MODIFIERS >> type.kind & 1) {
			ref = words[BTF_WORD_TYPE];
			continue;
		}
		switch (type.kind) {
		case BTF_PTR: type.size_bytes = types->word_bytes; return type;
		case BTF_INT:
			type.is_signed = words[BTF_HEAD_WORDS] >> 24 & BTF_INT_SIGNED;
			break;
		case BTF_ENUM:
		case BTF_ENUM64: type.is_signed = btf_info_kind_flag(info); break;
		case BTF_ARRAY: return type;
		case BTF_STRUCT:
		case BTF_UNION:
		case BTF_FLOAT: break;
		case BTF_FWD: return (struct value_type){ .kind = BTF_FWD };
		default: return (struct value_type){ 0 };
		}
		type.size_bytes = words[BTF_WORD_SIZE];
		return type;
	}
	return (struct value_type){ .is_void = !ref };
}

bool type_is_string(const struct type_source *types, uint32_t ref)
{
	struct value_type type = value_type_of(types, ref);

	if (type.kind != BTF_ARRAY)
		return false;
	type = value_type_of(types, type.words[BTF_HEAD_WORDS]);
	return type.kind == BTF_INT &&
	       strcmp(type_string(types, type.words[BTF_WORD_NAME]), "char") == 0;
}

char type_points_to_string(const struct type_source *types, uint32_t ref)
{
	struct value_type pointer = value_type_of(types, ref);
	const uint32_t *words = pointer.kind == BTF_PTR ? pointer.words : NULL;
	bool is_const = false, is_user = false;

	for (uint32_t i = 0; words && i < BTF_LAYERS_MAX; i++) {
		const char *name;

		words = type_words(types, words[BTF_WORD_TYPE]);
		name = words ? type_string(types, words[BTF_WORD_NAME]) : "";
		switch (btf_record_kind(words)) {
		case BTF_CONST: is_const = true; break;
		case BTF_TYPE_TAG: is_user |= strcmp(name, "user") == 0; break;
		case BTF_TYPEDEF: case BTF_VOLATILE: case BTF_RESTRICT: break;
		case BTF_INT:
			return !is_const || strcmp(name, "char") ? '\0' : is_user ? 'u' : 's';
		default: return '\0';
		}
	}
	return '\0';
}

static bool is_scalar(struct value_type type)
{
	return type.kind == BTF_INT || type.kind == BTF_PTR || type.kind == BTF_ENUM ||
	       type.kind == BTF_ENUM64 || type.kind == BTF_FLOAT;
}

/* ---- what is inside a struct ---- */

struct flattening {
	struct btf_members walk;
	uint32_t steps;
	uint32_t limit_bytes;	/* the size of the whole: no leaf may reach beyond it */
	struct abi_leaf *leaves;
	uint32_t leaf_count;
	uint32_t largest_bytes;
};

/* The bytes of a scalar of that size, or those that a bitfield's bits touch. */
static bool add_leaf(struct flattening *flat, struct abi_leaf leaf, uint32_t scalar_bytes)
{
	uint32_t at;

	if (flat->leaf_count == VALUE_MAX_LEAVES || !leaf.size_bytes ||
	    leaf.offset_bytes > flat->limit_bytes ||
	    leaf.size_bytes > flat->limit_bytes - leaf.offset_bytes)
		return false;
	/* Members of a union begin anew; leaves ascend. */
	for (at = flat->leaf_count++; at && flat->leaves[at - 1].offset_bytes > leaf.offset_bytes;
	     at--)
		flat->leaves[at] = flat->leaves[at - 1];
	flat->leaves[at] = leaf;
	if (scalar_bytes > flat->largest_bytes)
		flat->largest_bytes = scalar_bytes;
	return true;
}

/* A scalar, an aggregate, of which the members come next, or an array of one of these. */
static bool add_value(const struct type_source *types, struct flattening *flat, uint32_t ref,
		      uint64_t offset_bits)
{
	struct value_type type = value_type_of(types, ref);
	uint32_t count = type.kind == BTF_ARRAY ? type.words[BTF_HEAD_WORDS + 2] : 1;

	if (type.kind == BTF_ARRAY) {
		type = value_type_of(types, type.words[BTF_HEAD_WORDS]);
		/* An array of arrays has no size here; it is in nothing that is passed by value. */
		count = type.size_bytes ? count : 0;
	}
	if (!count || offset_bits % 8)
		return false;
	for (uint32_t i = count; i-- > 0;) {
		uint32_t at = (uint32_t)(offset_bits / 8) + i * type.size_bytes;
		struct abi_leaf leaf = {
			.offset_bytes = at, .size_bytes = (uint16_t)type.size_bytes,
			.class = type.kind == BTF_FLOAT ? ABI_FLOAT : ABI_INTEGER };

		if (++flat->steps > MAX_STEPS)
			return false;
		if (btf_kind_is_aggregate(type.kind)
			    ? !btf_members_enter(&flat->walk, type.words, 8 * (uint64_t)at)
			    : !is_scalar(type) || !type.size_bytes || at % type.size_bytes ||
				      !add_leaf(flat, leaf, type.size_bytes))
			return false;
	}
	return true;
}

static bool flatten(const struct type_source *types, struct flattening *flat, uint32_t ref)
{
	const struct btf_members *walk = &flat->walk;
	bool good = add_value(types, flat, ref, 0);

	while (good && btf_members_next(&flat->walk)) {
		uint32_t bits = walk->has_ended ? 0 : btf_member_bits(walk->info, walk->words);
		struct abi_leaf bitfield = {
			.offset_bytes = (uint32_t)(walk->offset_bits / 8), .class = ABI_INTEGER,
			.size_bytes = (uint16_t)((walk->offset_bits % 8 + bits + 7) / 8),
			.is_bitfield = true };

		if (bits)
			good = add_leaf(flat, bitfield,
					value_type_of(types, walk->words[1]).size_bytes);
		else if (!walk->has_ended)
			good = add_value(types, flat, walk->words[1], walk->offset_bits);
	}
	return good && flat->leaf_count > 0;
}

/* A struct of one member, which is a scalar or such a struct. */
static bool is_wrapper(const struct type_source *types, struct value_type type)
{
	for (int i = 0; i < MAX_CHAIN && type.kind == BTF_STRUCT; i++) {
		const uint32_t *member = btf_element(type.words, 0);

		if (btf_element_count(type.words) != 1 ||
		    btf_member_bits(type.words[BTF_WORD_INFO], member))
			return false;
		type = value_type_of(types, member[1]);
	}
	return is_scalar(type);
}

bool value_abi_type(const struct type_source *types, uint32_t ref, bool is_result,
		    struct abi_type *out, struct abi_leaf *leaves)
{
	struct value_type type = value_type_of(types, ref);
	bool is_x86_64 = types->abi->machine == ABI_X86_64;
	struct flattening flat = { .leaves = leaves, .limit_bytes = type.size_bytes };
	bool is_record = btf_kind_is_aggregate(type.kind);

	*out = (struct abi_type){ .leaves = leaves };
	if (type.is_void)
		return true;
	if (is_record && type.size_bytes > types->word_bytes * (is_x86_64 ? 2u : 1u)) {
		/* In memory, except for a vector of 32 or 64 bytes, which is an array in BTF. */
		out->size_bytes = type.size_bytes;
		out->is_record = true;
		return is_x86_64 && is_result && type.size_bytes != 32 && type.size_bytes != 64;
	}
	if ((!is_record && !is_scalar(type)) || !flatten(types, &flat, ref))
		return false;
	out->size_bytes = type.size_bytes;
	out->alignment_bytes = out->natural_bytes = flat.largest_bytes;
	out->is_record = is_record;
	out->is_union = type.kind == BTF_UNION;
	out->is_wrapper = is_record && is_wrapper(types, type);
	out->is_signed = type.is_signed;
	out->leaf_count = flat.leaf_count;
	return true;
}

/* Of a record that fits two words; larger ones no trampoline takes. See trampoline.h. */
static bool is_irregular(const struct type_source *types, uint32_t ref, struct value_type value)
{
	struct abi_leaf leaves[VALUE_MAX_LEAVES];
	struct flattening flat = { .leaves = leaves, .limit_bytes = value.size_bytes };
	uint32_t words = 0;

	if (!btf_kind_is_aggregate(value.kind) || !value.size_bytes || value.size_bytes > 16)
		return false;
	if (!flatten(types, &flat, ref))
		return true;
	for (uint32_t i = 0; i < flat.leaf_count; i++) {
		if (leaves[i].class != ABI_INTEGER || leaves[i].size_bytes > 8)
			return true;
		words |= 1u << leaves[i].offset_bytes / 8;
	}
	return words != (value.size_bytes > 8 ? 3 : 1);
}

/* A record as another one shows it: at 8 bytes after a multiple of 16. */
static void see_members(struct type_alignments *known, const struct type_source *types,
			const uint32_t *words)
{
	uint32_t info = words[BTF_WORD_INFO], size = words[BTF_WORD_SIZE];

	for (uint32_t k = btf_element_count(words); k-- > 0;) {
		const uint32_t *member = btf_element(words, k);
		uint32_t at = btf_member_offset(info, member) / 8;
		struct value_type value;

		if (at % 8 || size % 8 || (!(at % 16) && !(size % 16)))
			continue;
		value = value_type_of(types, member[1]);
		if (btf_kind_is_aggregate(value.kind) && value.size_bytes == 16 && value.words)
			array_push(&known->records, (uintptr_t)value.words);
	}
}

static void read_alignments(struct type_alignments *known, const struct type_source *types)
{
	const uint32_t *words;

	known->is_read = true;
	for (uint32_t i = 1; (words = type_nth(types, i)); i++) {
		if (btf_kind_is_aggregate(btf_record_kind(words)))
			see_members(known, types, words);
	}
	array_sort(&known->records, compare_u64);
}

static bool may_be_aligned(const struct type_source *types, struct value_type value)
{
	struct type_alignments own = { 0 };
	struct type_alignments *all = types->alignments ? types->alignments : &own;
	uint64_t address = (uintptr_t)value.words;
	bool is_known;

	if (!btf_kind_is_aggregate(value.kind) || value.size_bytes != 16 || !value.words)
		return false;
	if (!all->is_read)
		read_alignments(all, types);
	is_known = array_find(&all->records, &address, compare_u64);
	array_release(&own.records);
	return !is_known;
}

struct trampoline_view type_trampoline_view(const struct type_source *types, uint32_t prototype)
{
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);
	uint32_t count = btf_element_count(words);
	struct trampoline_view view = { 0 };

	for (uint32_t i = 0; words && i <= count; i++) {
		uint32_t ref = i ? btf_element(words, i - 1)[1] : words[BTF_WORD_TYPE];
		struct value_type value = value_type_of(types, ref);
		/* The first word is at an even place on each machine. */
		struct trampoline_type type = { value.kind, value.size_bytes,
						is_irregular(types, ref, value),
						view.slots && may_be_aligned(types, value) };

		if (i)
			trampoline_see_parameter(&view, type);
		else
			trampoline_see_result(&view, type);
	}
	return view;
}

int type_argument_word(const struct type_source *types, unsigned int n)
{
	const struct abi *abi = types->abi;
	const uint32_t *words = type_named(types, BTF_STRUCT, "", "user_pt_regs");
	bool is_passed = abi && n < abi->argument_register_count;
	const char *number = NULL, *member = "";
	uint32_t byte;

	if (is_passed)
		member = machine_register(machine_of(abi), abi_register_name(
						  abi, abi->argument_registers[n]), &number);

	if (!words)
		words = type_named(types, BTF_STRUCT, "", "pt_regs");
	return is_passed && type_member_byte(types, words, member, &byte)
		       ? (int)(byte / abi->word_bytes) + (number ? atoi(number) : 0) : -1;
}
