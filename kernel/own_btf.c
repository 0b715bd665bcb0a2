/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/own_btf.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"
#include "btf/inspect.h"
#include "btf/string_pool.h"

static bool read_section(struct btf_reader *btf, const struct object *object, const char *section,
			 const struct btf_reader *base)
{
	struct error ignored;
	size_t size;
	const uint8_t *bytes =
		object_section_named(object->image ? object->image : object, section, &size);

	return bytes && btf_reader_from_memory(btf, bytes, size, object->path, base, &ignored);
}

static bool has_name(const struct hash_table *names, uint32_t name)
{
	const uint64_t *slot = hash_table_first(names, hash_number(name));

	while (*slot && hash_table_value(slot) != name)
		slot = hash_table_next(names, slot);
	return *slot;
}

/* BTF has no string that its base has: equal names are equal numbers. */
static void find_shared(struct own_btf *own)
{
	const struct btf_reader *btf = &own->btf, *base = btf->base;
	struct hash_table names = { 0 };

	for (uint32_t i = 0; i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];

		if (btf_record_kind(words) == BTF_FUNC && words[BTF_WORD_NAME] &&
		    words[BTF_WORD_NAME] < btf->first_string)
			hash_table_add(&names, hash_number(words[BTF_WORD_NAME]),
				       words[BTF_WORD_NAME]);
	}
	for (; names.count && base; base = base->base) {
		for (uint32_t i = 0; i < base->type_count; i++) {
			const uint32_t *words = base->words + base->positions[i];

			if (btf_record_kind(words) == BTF_FUNC &&
			    has_name(&names, words[BTF_WORD_NAME]))
				hash_table_add(&own->shared, hash_number(words[BTF_WORD_NAME]),
					       words[BTF_WORD_NAME]);
		}
	}
	hash_table_release(&names);
}

void own_btf_read(struct own_btf *own, const struct object *object, const struct btf_reader *base)
{
	struct btf_reader *btf = &own->btf;

	*own = (struct own_btf){ 0 };
	if (!object->relocatable)
		base = NULL;
	else if (read_section(&own->distilled, object, ".BTF.base", NULL))
		base = &own->distilled;
	if (!read_section(btf, object, ".BTF", base))
		return;
	own->needs_base = btf_reader_lacks_base(btf);
	own->is_known = btf->complete && !own->needs_base;
	for (uint32_t i = 0; own->is_known && i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];

		if (btf_record_kind(words) != BTF_FUNC)
			continue;
		own->is_known = btf_record_kind(btf_reader_type(btf, words[BTF_WORD_TYPE])) ==
				BTF_FUNC_PROTO;
		if (!own_btf_func(own, btf_type_name(btf, words)))
			hash_table_add(&own->funcs, pool_string(btf_type_name(btf, words)).hash,
				       btf->first_id + i);
	}
	own->is_known &= own->funcs.count > 0;
	if (own->is_known)
		find_shared(own);
}

void own_btf_release(struct own_btf *own)
{
	btf_reader_release(&own->btf);
	btf_reader_release(&own->distilled);
	hash_table_release(&own->funcs);
	hash_table_release(&own->shared);
}

uint32_t own_btf_func(const struct own_btf *own, const char *name)
{
	uint32_t hash = pool_string(name).hash;
	const uint64_t *slot;

	for (slot = hash_table_first(&own->funcs, hash); *slot;
	     slot = hash_table_next(&own->funcs, slot)) {
		uint32_t id = hash_table_value(slot);

		if (strcmp(btf_type_name(&own->btf, btf_reader_type(&own->btf, id)), name) == 0)
			return id;
	}
	return 0;
}

bool own_btf_is_shared(const struct own_btf *own, const char *name)
{
	uint32_t func = own_btf_func(own, name);

	return func && has_name(&own->shared, btf_reader_type(&own->btf, func)[BTF_WORD_NAME]);
}

bool own_btf_lacks_parameters(const struct own_btf *own, const char *name, uint32_t parameters)
{
	uint32_t func = own_btf_func(own, name);
	const uint32_t *words = func ? btf_reader_type(&own->btf, func) : NULL;
	char whole[512];

	words = words ? btf_reader_type(&own->btf, words[BTF_WORD_TYPE]) : NULL;
	if (!words || btf_info_vlen(words[BTF_WORD_INFO]) >= parameters)
		return false;
	snprintf(whole, sizeof(whole), "%s_impl", name);
	return !own_btf_func(own, whole);
}
