/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/trampoline.h"

#include "btf/format.h"

#define MAX_ARGUMENTS	  12	/* MAX_BPF_FUNC_ARGS */
#define MAX_STRUCT_BYTES 16	/* btf_type_is_struct() arguments */

/* Behind typedefs and qualifiers; 0 for void and what has no definition. */
static shape_ref plain(const struct program *program, shape_ref ref)
{
	for (size_t steps = 0; ref && steps <= program->table.shapes.count; steps++) {
		const uint32_t *words;

		if (ref_is_tag(ref))
			ref = program->table.tags.data[ref_tag(ref)].definition;
		if (!ref)
			return 0;
		words = shape_words(&program->table, ref);
		switch (btf_info_kind(words[BTF_WORD_INFO])) {
		case BTF_TYPEDEF:
		case BTF_CONST:
		case BTF_VOLATILE:
		case BTF_RESTRICT:
		case BTF_TYPE_TAG: ref = words[BTF_WORD_TYPE]; break;
		default: return ref;
		}
	}
	return 0;
}

static bool is_record(const struct program *program, shape_ref ref, uint32_t *bytes)
{
	const uint32_t *words;
	uint32_t kind;

	ref = plain(program, ref);
	if (!ref)
		return false;
	words = shape_words(&program->table, ref);
	kind = btf_info_kind(words[BTF_WORD_INFO]);
	*bytes = words[BTF_WORD_SIZE];
	return kind == BTF_STRUCT || kind == BTF_UNION;
}

struct trampoline_view trampoline_view(const struct program *program, shape_ref prototype)
{
	const uint32_t *words = shape_words(&program->table, prototype);
	uint32_t count = btf_info_vlen(words[BTF_WORD_INFO]);
	struct trampoline_view view = { 0 };
	uint32_t bytes;

	if (is_record(program, words[BTF_WORD_TYPE], &bytes)) {
		view.returns_struct = true;
		view.refusal = "it returns a struct";
	}
	if (count > MAX_ARGUMENTS)
		view.refusal = "it has more than 12 parameters";
	for (uint32_t i = 0; i < count; i++) {
		shape_ref type = words[BTF_HEAD_WORDS + 2 * i + 1];

		if (!type && i + 1 == count) {
			view.refusal = "it is variadic";
		} else if (is_record(program, type, &bytes)) {
			view.has_struct_argument = true;
			view.argument_words += (bytes + 7) / 8;
			if (bytes > MAX_STRUCT_BYTES)
				view.refusal = "it takes a struct of more than 16 bytes";
		} else {
			view.argument_words++;
		}
	}
	return view;
}
