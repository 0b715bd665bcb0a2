/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/kfuncs.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/sort.h"
#include "base/text.h"
#include "btf/inspect.h"
#include "btf/string_pool.h"

#define SECTION_NAME  ".BTF_ids"
#define SET_PREFIX    "__BTF_ID__set8__"
#define FUNC_PREFIX   "__BTF_ID__func__"
#define ENTRY_BYTES   8		/* of a set's head, and of a pair; flags are the second half */
#define SET_KFUNCS    1u	/* BTF_SET8_KFUNCS */

/* "__BTF_ID__func__vfs_close__1" -> "vfs_close", as a copy; NULL: there is no such name. */
static char *kfunc_name(const char *symbol)
{
	const char *name = symbol + strlen(FUNC_PREFIX), *last = name + strlen(name);

	while (last > name + 1 && !(last[-1] == '_' && last[-2] == '_'))
		last--;
	return last >= name + 3 ? memory_string(name, (size_t)(last - 2 - name)) : NULL;
}

bool kfuncs_are_for_fmod_ret(const char *set)
{
	return strstr(set, "fmodret") || strstr(set, "modify_return");
}

/* Where a set has the flag, those without it hold none. */
static void finish(struct kfunc_list *list)
{
	struct string_pool names;
	bool has_tagged = false;

	for (size_t i = 0; i < list->kfuncs.count; i++)
		has_tagged |= list->kfuncs.data[i].is_tagged;
	for (size_t i = 0; i < list->kfuncs.count; i++)
		list->kfuncs.data[i].is_callable &= !has_tagged || list->kfuncs.data[i].is_tagged;
	string_pool_init(&names);
	for (size_t i = 0; i < list->kfuncs.count; i++) {
		size_t before = names.strings.count;

		string_pool_add(&names, list->kfuncs.data[i].name);
		list->kfuncs.data[i].is_repeated = names.strings.count == before;
	}
	string_pool_release(&names);
}

bool kfuncs_read(struct kfunc_list *list, const struct object *object,
		 const struct symbol_table *symbols, struct error *err)
{
	const uint8_t *data = NULL;
	uint64_t address = 0, set_end = 0;	/* of the set of kfuncs that has begun */
	const struct symbol *set = NULL;
	uint32_t section = 0;
	bool is_tagged = false, is_callable = false, has_symbols = false;
	size_t size = 0, end;

	*list = (struct kfunc_list){ 0 };
	for (uint32_t i = 1; i < object->header_count; i++) {
		if (strcmp(object->headers[i].name, SECTION_NAME) != 0 ||
		    object->headers[i].type == SHT_NOBITS || !object->headers[i].size)
			continue;
		data = object_loaded_bytes(object, i, &size);
		list->may_have_ids = !data;
		if (!data)
			return error_at(err, (object->image ? object->image : object)->path,
					"cannot read section " SECTION_NAME "; the file is "
					"damaged");
		section = i;
		address = object->headers[i].address;
	}
	if (!data)
		return true;
	/* Count words are written when ids are resolved, so a set ends where its symbol does. */
	end = symbol_table_at(symbols, address + size);
	for (size_t i = symbol_table_at(symbols, address); i < end; i++) {
		const struct symbol *symbol = &symbols->symbols.data[i];
		uint64_t offset = symbol->address - address;
		const char *id = text_after(symbol->name, "__BTF_ID__");
		uint32_t flags;
		char *name;

		if (symbol->section != section)
			continue;
		if (id && !text_after(id, "set") && offset + sizeof(uint32_t) <= size) {
			has_symbols = true;
			list->may_have_ids |= bytes_load_u32(data + offset, object->swap) != 0;
		}
		if (offset + ENTRY_BYTES > size)
			continue;
		flags = bytes_load_u32(data + offset + 4, object->swap);
		if (strncmp(symbol->name, SET_PREFIX, strlen(SET_PREFIX)) == 0) {
			is_tagged = flags & SET_KFUNCS;
			is_callable = !kfuncs_are_for_fmod_ret(symbol->name);
			set = symbol;
			set_end = !flags || is_tagged ? symbol->address + symbol->size : 0;
		} else if (strncmp(symbol->name, FUNC_PREFIX, strlen(FUNC_PREFIX)) == 0 &&
			   symbol->address + ENTRY_BYTES <= set_end &&
			   (name = kfunc_name(symbol->name)) != NULL) {
			array_push(&list->kfuncs, ((struct kfunc){
				.name = name, .flags = flags,
				.id = bytes_load_u32(data + offset, object->swap),
				.set = set->name + strlen(SET_PREFIX),
				.set_address = set->address, .is_tagged = is_tagged,
				.is_callable = is_callable }));
		}
	}
	/* Without symbols nothing tells ids from flags and counts. */
	for (size_t i = 0; i < size && !has_symbols; i++)
		list->may_have_ids |= data[i] != 0;
	finish(list);
	return true;
}

struct named_flags {
	const char *name;	/* by which compare_strings() sorts */
	uint32_t flags;
	struct kfunc *kfunc;
};

/* Of one set. */
static void find_flags(struct kfunc *kfuncs, size_t count, const struct btf_reader *btf)
{
	struct named_flags *by_symbol = memory_alloc(count * sizeof(*by_symbol));
	struct named_flags *by_id = memory_alloc(count * sizeof(*by_id));
	bool is_same = true;

	for (size_t i = 0; i < count; i++) {
		const uint32_t *words =
			kfuncs[i].id && btf ? btf_reader_type(btf, kfuncs[i].id) : NULL;

		by_symbol[i] = (struct named_flags){ kfuncs[i].name, 0, &kfuncs[i] };
		by_id[i] = (struct named_flags){
			!kfuncs[i].id ? kfuncs[i].name
			: btf_record_kind(words) == BTF_FUNC ? btf_type_name(btf, words) : "",
			kfuncs[i].flags, NULL };
	}
	qsort(by_symbol, count, sizeof(*by_symbol), compare_strings);
	qsort(by_id, count, sizeof(*by_id), compare_strings);
	for (size_t i = 0; i < count; i++)
		is_same &= strcmp(by_symbol[i].name, by_id[i].name) == 0;
	for (size_t i = 0; i < count; i++) {
		by_symbol[i].kfunc->flags = is_same ? by_id[i].flags : 0;
		by_symbol[i].kfunc->has_flags = is_same;
	}
	free(by_symbol);
	free(by_id);
}

void kfuncs_find_flags(struct kfunc_list *list, const struct btf_reader *btf)
{
	struct kfunc *kfuncs = list->kfuncs.data;

	for (size_t begin = 0, end; begin < list->kfuncs.count; begin = end) {
		for (end = begin; end < list->kfuncs.count &&
				  kfuncs[end].set_address == kfuncs[begin].set_address;)
			end++;
		find_flags(kfuncs + begin, end - begin, btf);
	}
}

void kfuncs_release(struct kfunc_list *list)
{
	for (size_t i = 0; i < list->kfuncs.count; i++)
		free(list->kfuncs.data[i].name);
	array_release(&list->kfuncs);
}
