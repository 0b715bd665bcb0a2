/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/kfuncs.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

#define SECTION_NAME  ".BTF_ids"
#define SET_PREFIX    "__BTF_ID__set8__"
#define FUNC_PREFIX   "__BTF_ID__func__"
#define SET_HEAD_BYTES 8
#define PAIR_BYTES     8
#define SET_KFUNCS     1u	/* BTF_SET8_KFUNCS */

struct set_range {
	uint64_t begin;
	uint64_t end;
	bool is_tagged;
};

bool kfuncs_read(struct kfunc_list *list, const struct object *object,
		 const struct symbol_table *symbols, struct error *err)
{
	ARRAY_OF(struct set_range) sets = { 0 };
	const uint8_t *data = NULL;
	uint64_t address = 0;
	uint32_t section = 0;
	size_t size = 0, end;

	*list = (struct kfunc_list){ 0 };
	for (uint32_t i = 1; i < object->header_count; i++) {
		if (strcmp(object->headers[i].name, SECTION_NAME) != 0 ||
		    object->headers[i].type == SHT_NOBITS || !object->headers[i].size)
			continue;
		data = object_loaded_bytes(object, i, &size);
		if (!data)
			return error_at(err, object->path, "cannot read section " SECTION_NAME
					"; the file is damaged");
		section = i;
		address = object->headers[i].address;
	}
	/* Count words are written when ids are resolved, so a set ends where its symbol does. */
	end = size ? symbol_table_at(symbols, address + size) : 0;
	for (size_t i = size ? symbol_table_at(symbols, address) : 0; i < end; i++) {
		const struct symbol *symbol = &symbols->symbols.data[i];
		uint64_t offset = symbol->address - address;
		bool is_set = strncmp(symbol->name, SET_PREFIX, strlen(SET_PREFIX)) == 0;
		uint32_t flags;

		if (symbol->section != section || !is_set || size < SET_HEAD_BYTES ||
		    offset > size - SET_HEAD_BYTES)
			continue;
		flags = bytes_load_u32(data + offset + 4, object->swap);
		if (!flags || flags & SET_KFUNCS)
			array_push(&sets, ((struct set_range){
				symbol->address + SET_HEAD_BYTES, symbol->address + symbol->size,
				flags & SET_KFUNCS }));
	}
	for (size_t i = sets.count ? symbol_table_at(symbols, address) : end; i < end; i++) {
		const struct symbol *symbol = &symbols->symbols.data[i];
		const char *name, *last;
		uint64_t offset = symbol->address - address;
		size_t set = 0;

		if (symbol->section != section || size < PAIR_BYTES ||
		    offset > size - PAIR_BYTES ||
		    strncmp(symbol->name, FUNC_PREFIX, strlen(FUNC_PREFIX)) != 0)
			continue;
		while (set < sets.count && (symbol->address < sets.data[set].begin ||
					    symbol->address + PAIR_BYTES > sets.data[set].end))
			set++;
		if (set == sets.count)
			continue;
		/* "__BTF_ID__func__vfs_close__1" -> "vfs_close" */
		name = symbol->name + strlen(FUNC_PREFIX);
		last = name + strlen(name);
		while (last > name + 1 && !(last[-1] == '_' && last[-2] == '_'))
			last--;
		if (last >= name + 3)
			array_push(&list->kfuncs, ((struct kfunc){
				.name = memory_string(name, (size_t)(last - 2 - name)),
				.flags = bytes_load_u32(data + offset + 4, object->swap),
				.is_tagged = sets.data[set].is_tagged }));
	}
	array_release(&sets);
	return true;
}

void kfuncs_release(struct kfunc_list *list)
{
	for (size_t i = 0; i < list->kfuncs.count; i++)
		free(list->kfuncs.data[i].name);
	array_release(&list->kfuncs);
}
