/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/registered.h"

#include <string.h>

#include "base/bytes.h"
#include "kernel/attach/attach.h"

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
	for (size_t i = 0; i < symbols->symbols.count; i++) {
		const struct symbol *symbol = &symbols->symbols.data[i];
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
