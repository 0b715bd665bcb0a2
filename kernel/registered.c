/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/registered.h"

#include <string.h>

#include "base/bytes.h"
#include "kernel/attach/known_functions.h"

#define ITERATOR_SLEEPS 1u	/* BPF_ITER_RESCHED */

/*
 * The address of that which is called `name`, by the pointer in its member `label`; 0: there is
 * none. A relocatable file has no pointers.
 */
static uint64_t find_registered(const struct attach_image *image, const struct type_source *types,
				const uint32_t *record, const char *label, const char *name)
{
	const struct symbol_table *symbols = image->symbols;
	uint32_t at;

	if (!image->object || !type_member_byte(types, record, label, &at))
		return 0;
	array_each(const struct symbol, symbol, &symbols->symbols) {
		const char *text;
		uint64_t word;

		if (symbol->type != STT_OBJECT || symbol->size != record[BTF_WORD_SIZE] ||
		    !attach_word(image->object, symbol->address + at, &word))
			continue;
		text = attach_string(image->object, word);
		if (text && strcmp(text, name) == 0)
			return symbol->address;
	}
	return 0;
}

/*
 * Each hook is a member of union security_list_options, by which bpf_lsm_verify_prog() is none; in
 * Debian's 6.1 and 7.2 those that also have a function bpf_lsm_NAME() are exactly bpf_lsm_hooks and
 * bpf_lsm_disabled_hooks together.
 */
static bool is_member(const struct type_source *types, const char *hook)
{
	const uint32_t *words = type_named(types, BTF_UNION, "", "security_list_options");
	uint32_t byte;

	return !words || type_member_byte(types, words, hook, &byte);
}

/* bpf_lsm_disabled_hooks is there since 6.12, and in stable releases from 6.1 on. */
struct answer registered_lsm_hook(const struct attach_image *image,
				  const struct type_source *types, const char *function,
				  uint32_t prototype)
{
	struct trampoline_view view = type_trampoline_view(types, prototype);
	struct trampoline_answer answer = trampoline_answer(image, function, &view);
	enum attach_answer is_hook =
		btf_ids_have(image->symbols, BTF_ID_SET "bpf_lsm_hooks", function);
	struct kernel_version version = image->version;

	if (btf_ids_have(image->symbols, BTF_ID_SET "bpf_lsm_disabled_hooks", function) ==
	    ATTACH_YES)
		return ANSWER_NO(memory_copy("bpf_lsm_disabled_hooks has it, so the kernel takes "
					     "no programs there"));
	if (is_hook == ATTACH_NO)
		return ANSWER_NO(memory_copy("it is not in bpf_lsm_hooks, so it is no hook"));
	if (is_hook == ATTACH_UNKNOWN && !is_member(types, text_after(function, LSM_FUNCTION)))
		return ANSWER_NO(memory_copy("it is not in union security_list_options, so it is "
					     "no hook"));
	if (answer.is == ATTACH_NO)
		return ANSWER_NO(text_format("LSM programs need BPF trampolines: %s", answer.why));
	if (is_hook == ATTACH_UNKNOWN &&
	    (!version.major || kernel_version_is_from(version, 6, 1)))
		return ANSWER_MAYBE(memory_copy(
			", unless bpf_lsm_disabled_hooks has it or bpf_lsm_hooks does not, which "
			"nothing here shows (an image's symbols do)"));
	return ANSWER_YES;
}

const char *registered_ops_of(const struct type_source *types, const uint32_t *words)
{
	const char *name = btf_record_kind(words) == BTF_STRUCT
		? text_after(type_string(types, words[BTF_WORD_NAME]), "bpf_struct_ops_") : NULL;
	const uint32_t *data = name ? type_member(types, words, "data") : NULL;
	const uint32_t *type = data ? type_words_of(types, data[1], BTF_STRUCT) : NULL;

	return type && strcmp(type_string(types, type[BTF_WORD_NAME]), name) == 0 ? name : NULL;
}

enum attach_answer registered_iterator_sleeps(const struct attach_image *image,
					      const struct type_source *types, const char *name)
{
	const uint32_t *record = type_named(types, BTF_STRUCT, "", "bpf_iter_reg");
	uint64_t address = find_registered(image, types, record, "target", name);
	const uint8_t *p;
	uint32_t at;
	size_t size;

	if (!address || !type_member_byte(types, record, "feature", &at))
		return ATTACH_UNKNOWN;
	p = attach_bytes(image->object, address + at, &size);
	if (!p || size < sizeof(uint32_t))
		return ATTACH_UNKNOWN;
	return bytes_load_u32(p, image->object->swap) & ITERATOR_SLEEPS ? ATTACH_YES : ATTACH_NO;
}

enum attach_answer registered_ops_take(const struct attach_image *image,
				       const struct type_source *types, const char *name,
				       const char *member)
{
	const uint32_t *record = type_named(types, BTF_STRUCT, "", "bpf_struct_ops");
	const uint32_t *ops = type_named(types, BTF_STRUCT, "", name);
	uint64_t address = find_registered(image, types, record, "name", name), stubs, function;
	uint32_t at;

	if (!address || !symbol_table_find(image->symbols, "bpf_struct_ops_supported") ||
	    !type_member_byte(types, record, "cfi_stubs", &at) ||
	    !attach_word(image->object, address + at, &stubs) || !stubs ||
	    !type_member_byte(types, ops, member, &at) ||
	    !attach_word(image->object, stubs + at, &function))
		return ATTACH_UNKNOWN;
	return function ? ATTACH_YES : ATTACH_NO;
}
