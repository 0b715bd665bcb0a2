/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * How the verifier gives a tracepoint's arguments to BPF programs: btf_ctx_access() in
 * kernel/bpf/btf.c.
 *
 * By its type an argument is a number, a pointer to a struct that programs can follow, or refused
 * (6.1 to 7.2; before 6.2 pointers to integers, except char *, are refused, too). Since 6.13 the
 * kernel has a table raw_tp_null_args[] of { const char *tracepoint; u64 mask }, four bits for an
 * argument: 1 it may be NULL, 2 it may be an error. It is a static variable, so an image with all
 * symbols shows its kernel's own. Since 6.12 a name that ends in "__nullable" says the same as 1.
 */
#include <string.h>

#include "commands/explain/explain.h"

enum tracepoint_argument_state tracepoint_argument_by_type(const struct type_source *types,
							   uint32_t ref, const char **why)
{
	struct value_type type = value_type_of(types, ref), target;

	if (type.kind == BTF_INT || type.kind == BTF_ENUM || type.kind == BTF_ENUM64)
		return ARGUMENT_PLAIN;
	if (type.kind != BTF_PTR || !type.words) {
		*why = "it is not a number or a pointer";
		return ARGUMENT_REFUSED;
	}
	target = value_type_of(types, type.words[BTF_WORD_TYPE]);
	if (target.is_void || target.kind == BTF_INT)
		return ARGUMENT_NUMBER;
	if (target.kind == BTF_STRUCT || target.kind == BTF_UNION)
		return ARGUMENT_PLAIN;
	*why = target.kind == BTF_FWD ? "the struct that it points to is not in this BTF"
				      : "it does not point to a struct";
	return ARGUMENT_REFUSED;
}

/* The table's mask for the tracepoint, 0: it has no row there. False: there is no table. */
static bool find_mask(const struct explanation *explanation, const char *name, uint64_t *mask,
		      bool *has_row)
{
	const struct attach_image *image = &explanation->image;
	const struct symbol *table = image->object && !image->is_module
		? symbol_table_find(image->symbols, "raw_tp_null_args") : NULL;
	uint64_t word = image->object ? image->object->address_bytes : 0;
	uint64_t row_bytes = word + 8, text;

	*mask = 0;
	*has_row = false;
	/* Relocations may fill it: then the image's has no names. */
	if (!table || word != 8 || !attach_word(image->object, table->address, &text) || !text)
		return false;
	for (uint64_t at = 0; at + row_bytes <= table->size && !*has_row; at += row_bytes) {
		const char *row = attach_word(image->object, table->address + at, &text)
			? attach_string(image->object, text) : NULL;

		*has_row = row && strcmp(row, name) == 0 &&
			   attach_word(image->object, table->address + at + word, mask);
	}
	return true;
}

void tracepoint_arguments(struct tracepoint *tracepoint, const struct explanation *explanation,
			  uint32_t prototype, uint32_t named)
{
	const struct type_source *types = &explanation->types;
	const uint32_t *words = type_words_of(types, prototype, BTF_FUNC_PROTO);
	const uint32_t *names = named ? type_words_of(types, named, BTF_FUNC_PROTO) : NULL;
	uint32_t count = words ? btf_info_vlen(words[BTF_WORD_INFO]) : 0;
	uint64_t mask;
	bool has_row;

	if (find_mask(explanation, tracepoint->name, &mask, &has_row))
		tracepoint->has_null_table = ATTACH_YES;
	else if (explanation->image.object && !explanation->image.is_module &&
		 !symbol_table_find(explanation->image.symbols, "raw_tp_null_args"))
		tracepoint->has_null_table = ATTACH_NO;
	for (uint32_t i = 1; i < count; i++) {
		uint32_t at = BTF_HEAD_WORDS + 2 * i;
		uint64_t bits = i <= 16 ? mask >> (4 * (i - 1)) & 15 : 0;
		struct tracepoint_argument argument = {
			.name = names ? type_string(types, names[at]) : "",
			.value = explain_fetch_type(types, words[at + 1]) };

		argument.state = (uint8_t)tracepoint_argument_by_type(types, words[at + 1],
								      &argument.why);
		argument.is_pointer = argument.state == ARGUMENT_PLAIN &&
				      value_type_of(types, words[at + 1]).kind == BTF_PTR;
		if (argument.is_pointer) {
			if (bits & 1 || text_ends_with(argument.name, "__nullable"))
				argument.state = ARGUMENT_NULL;
			if (bits & 2)
				argument.state = ARGUMENT_ERROR;
		}
		array_push(&tracepoint->arguments, argument);
	}
}
