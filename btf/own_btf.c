/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "btf/own_btf.h"

#include <stdio.h>
#include <string.h>

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

void func_names_read(struct func_names *names, const struct btf_reader *btf, uint32_t first_id)
{
	*names = (struct func_names){ .btf = btf };
	for (uint32_t id = first_id; id < btf_reader_end_id(btf); id++) {
		const uint32_t *words = btf_reader_type(btf, id);

		if (btf_record_kind(words) == BTF_FUNC)
			hash_table_add(&names->ids, pool_string(btf_type_name(btf, words)).hash,
				       id);
	}
}

void func_names_release(struct func_names *names)
{
	hash_table_release(&names->ids);
}

uint32_t func_names_find(const struct func_names *names, const char *name)
{
	const struct btf_reader *btf = names->btf;

	return hash_table_find(id, &names->ids, pool_string(name).hash,
			       strcmp(btf_type_name(btf, btf_reader_type(btf, id)), name) == 0);
}

void own_btf_read(struct own_btf *own, const struct object *object, const struct btf_reader *base)
{
	static const char unreadable[] = "it cannot be read, and btfenc check tells why";
	struct btf_reader *btf = &own->btf;
	size_t size;

	*own = (struct own_btf){ 0 };
	if (!object->relocatable)
		base = NULL;
	else if (read_section(&own->distilled, object, ".BTF.base", NULL))
		base = &own->distilled;
	if (!read_section(btf, object, ".BTF", base)) {
		object_section_named(object->image ? object->image : object, ".BTF", &size);
		own->why_unread = size ? unreadable : NULL;
		return;
	}
	own->is_known = btf->complete && !btf_reader_lacks_base(btf);
	for (uint32_t i = 0; own->is_known && i < btf->type_count; i++) {
		const uint32_t *words = btf->words + btf->positions[i];

		own->is_known = btf_record_kind(words) != BTF_FUNC ||
				btf_record_kind(btf_reader_type(btf, words[BTF_WORD_TYPE])) ==
					BTF_FUNC_PROTO;
	}
	if (!own->is_known)
		own->why_unread = btf_reader_lacks_base(btf) ? "give the kernel's BTF with -b"
							     : unreadable;
	else
		func_names_read(&own->funcs, btf, btf->first_id);
	own->is_known &= own->funcs.ids.count > 0;
}

void own_btf_release(struct own_btf *own)
{
	btf_reader_release(&own->btf);
	btf_reader_release(&own->distilled);
	func_names_release(&own->funcs);
}

bool own_btf_lacks_parameters(const struct own_btf *own, const char *name, uint32_t parameters)
{
	uint32_t func = func_names_find(&own->funcs, name);
	const uint32_t *words = func ? btf_reader_type(&own->btf, func) : NULL;
	char whole[512];

	words = words ? btf_reader_type(&own->btf, words[BTF_WORD_TYPE]) : NULL;
	if (!words || btf_info_vlen(words[BTF_WORD_INFO]) >= parameters)
		return false;
	snprintf(whole, sizeof(whole), "%s_impl", name);
	return !func_names_find(&own->funcs, whole);
}
