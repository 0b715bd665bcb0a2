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

struct id_section {
	uint32_t index;
	uint64_t address;
	const uint8_t *data;
	size_t size;
	bool swap;
};

static bool find_section(const struct object *object, struct id_section *section,
			 struct error *err)
{
	section->swap = object->swap;
	for (uint32_t i = 1; i < object->header_count; i++) {
		if (strcmp(object->headers[i].name, SECTION_NAME) != 0 ||
		    object->headers[i].type == SHT_NOBITS || !object->headers[i].size)
			continue;
		section->data = object_loaded_bytes(object, i, &section->size);
		if (!section->data)
			return error_at(err, object->path, "cannot read section " SECTION_NAME
					"; the file is damaged");
		section->index = i;
		section->address = object->headers[i].address;
	}
	return true;
}

/* The two words at an address of the section; false when they are not wholly inside. */
static bool words_at(const struct id_section *section, uint64_t address, uint32_t words[2])
{
	uint64_t offset = address - section->address;

	if (section->size < 8 || offset > section->size - 8)
		return false;
	words[0] = bytes_load_u32(section->data + offset, section->swap);
	words[1] = bytes_load_u32(section->data + offset + 4, section->swap);
	return true;
}

/* "__BTF_ID__func__vfs_close__1" -> "vfs_close" */
static char *function_name(const char *symbol)
{
	const char *begin = symbol + strlen(FUNC_PREFIX);
	const char *end = begin + strlen(begin);

	while (end > begin + 1 && !(end[-1] == '_' && end[-2] == '_'))
		end--;
	if (end < begin + 3)
		return NULL;
	return memory_string(begin, (size_t)(end - 2 - begin));
}

struct set_range {
	uint64_t begin;
	uint64_t end;
};

typedef ARRAY_OF(struct set_range) set_ranges;

/* Where the section's symbols are among all: *end is the index behind the last. */
static size_t find_symbols(const struct id_section *section, const struct symbol_table *symbols,
			   size_t *end)
{
	*end = symbol_table_at(symbols, section->address + section->size);
	return symbol_table_at(symbols, section->address);
}

/* The sets of kfuncs. Their count words are written when ids are resolved; symbols have sizes. */
static void find_sets(const struct id_section *section, const struct symbol_table *symbols,
		      bool unsaid, set_ranges *sets)
{
	size_t end;

	for (size_t i = find_symbols(section, symbols, &end); i < end; i++) {
		const struct symbol *symbol = &symbols->symbols.data[i];
		uint32_t head[2];

		if (symbol->section == section->index &&
		    strncmp(symbol->name, SET_PREFIX, strlen(SET_PREFIX)) == 0 &&
		    words_at(section, symbol->address, head) &&
		    (head[1] & SET_KFUNCS || (unsaid && !head[1])))
			array_push(sets, ((struct set_range){ symbol->address + SET_HEAD_BYTES,
							      symbol->address + symbol->size }));
	}
}

static bool in_set(const set_ranges *sets, uint64_t address)
{
	for (size_t i = 0; i < sets->count; i++) {
		if (address >= sets->data[i].begin && address + PAIR_BYTES <= sets->data[i].end)
			return true;
	}
	return false;
}

bool kfuncs_read(struct kfunc_list *list, const struct object *object,
		 const struct symbol_table *symbols, bool unsaid, struct error *err)
{
	struct id_section section = { 0 };
	set_ranges sets = { 0 };
	size_t end;

	*list = (struct kfunc_list){ 0 };
	if (!find_section(object, &section, err))
		return false;
	if (!section.size)
		return true;
	find_sets(&section, symbols, unsaid, &sets);
	for (size_t i = find_symbols(&section, symbols, &end); sets.count && i < end; i++) {
		const struct symbol *symbol = &symbols->symbols.data[i];
		uint32_t pair[2];
		char *name;

		if (symbol->section != section.index ||
		    strncmp(symbol->name, FUNC_PREFIX, strlen(FUNC_PREFIX)) != 0 ||
		    !in_set(&sets, symbol->address) ||
		    !words_at(&section, symbol->address, pair))
			continue;
		name = function_name(symbol->name);
		if (name)
			array_push(&list->kfuncs, ((struct kfunc){ name, pair[1] }));
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
