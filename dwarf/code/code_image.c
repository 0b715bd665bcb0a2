/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "dwarf/code/code_image.h"

#include <gelf.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "base/sort.h"

/*
 * Begin and end of the table of static branches, which has a section of its own only in a module.
 */
#define BRANCH_BYTES 16

struct branch_table {
	uint64_t begin;
	uint64_t end;
};

/* Sections by address and size, edges by both ends: each begins with two of these. */
static int compare_pairs(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;
	int order = order_of(a[0], b[0]);

	return order ? order : order_of(a[1], b[1]);
}

static const uint8_t *find_bytes(const struct code_section *sections, size_t count,
				 uint64_t address, size_t *size)
{
	size_t end = lower_bound(i, count, sections[i].address <= address);
	const struct code_section *section = end ? &sections[end - 1] : NULL;

	*size = 0;
	if (!section || address - section->address >= section->size)
		return NULL;
	*size = (size_t)(section->size - (address - section->address));
	return section->bytes + (address - section->address);
}

const uint8_t *code_image_text(const struct code_image *image, uint64_t address, size_t *size)
{
	return find_bytes(image->text.data, image->text.count, address, size);
}

const uint8_t *code_image_data(const struct code_image *image, uint64_t address, size_t *size)
{
	return find_bytes(image->data.data, image->data.count, address, size);
}

static void add_sections(struct code_image *image, const struct object *object)
{
	for (size_t i = 1; i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];
		struct code_section section = { header->address, header->size, NULL };
		size_t available;

		if (header->type != SHT_PROGBITS || !(header->flags & SHF_ALLOC) || !header->size)
			continue;
		section.bytes = object_loaded_bytes(object, i, &available);
		if (!section.bytes || available < header->size ||
		    header->address + header->size < header->address)
			continue;
		if (header->flags & SHF_EXECINSTR)
			array_push(&image->text, section);
		else
			array_push(&image->data, section);
	}
	array_sort(&image->text, compare_pairs);
	array_sort(&image->data, compare_pairs);
}

/*
 * Several hooks may be there, one name for -mfentry and one without. A variable may be named like
 * one (`mcount` of powerpc's xmon.c).
 */
static void note_symbol(struct code_image *image, struct branch_table *branches, const char *name,
			uint64_t value, unsigned char type)
{
	/* All names of interest begin so; few others of a kernel do. */
	if (name[0] == '_' ? name[1] == '_' && name[2] != 'f' && name[2] != 's' && name[2] != 'x'
			   : name[0] != 'm')
		return;
	if (strcmp(name, "__fentry__") == 0 || strcmp(name, "_mcount") == 0 ||
	    strcmp(name, "mcount") == 0) {
		if (type == STT_FUNC || type == STT_NOTYPE)
			array_push(&image->hooks, value);
	} else if (strcmp(name, "__x86_return_thunk") == 0) {
		image->return_thunk = value;
	} else if (strncmp(name, "__x86_indirect_", 15) == 0) {
		array_push(&image->thunks, value);
	} else if (strcmp(name, "__start___jump_table") == 0) {
		branches->begin = value;
	} else if (strcmp(name, "__stop___jump_table") == 0) {
		branches->end = value;
	}
}

static void add_symbols(struct code_image *image, const struct object *object,
			struct branch_table *branches)
{
	for (size_t i = 1; i < object->header_count; i++) {
		Elf_Scn *scn = elf_getscn(object->elf, i);
		Elf_Data *data, *names;
		const char *text;
		GElf_Shdr header;
		GElf_Sym symbol;

		if (object->headers[i].type != SHT_SYMTAB || !scn || !gelf_getshdr(scn, &header))
			continue;
		data = elf_getdata(scn, NULL);
		scn = elf_getscn(object->elf, header.sh_link);
		names = scn ? elf_getdata(scn, NULL) : NULL;
		text = names ? names->d_buf : NULL;
		if (!text || !names->d_size || text[names->d_size - 1])
			continue;
		for (int at = 1; data && gelf_getsym(data, at, &symbol); at++) {
			uint64_t address = object_symbol_address(object, i, (size_t)at, &symbol);

			if (symbol.st_name < names->d_size && address)
				note_symbol(image, branches, text + symbol.st_name, address,
					    GELF_ST_TYPE(symbol.st_info));
		}
	}
	array_sort(&image->thunks, compare_u64);
	array_sort(&image->hooks, compare_u64);
}

/*
 * Both tables begin their entries with two 32-bit distances, each from where it is: the
 * instruction and where it may continue. What an entry has after that differs.
 */
static void add_edges(struct code_image *image, uint64_t address, uint64_t size,
		      size_t entry_bytes)
{
	size_t available, rest;
	const uint8_t *bytes = code_image_data(image, address, &available);

	if (!bytes || size > available || size % entry_bytes != 0)
		return;
	for (size_t at = 0; at < size; at += entry_bytes) {
		uint32_t from = bytes_load_u32(bytes + at, image->swap);
		uint32_t to = bytes_load_u32(bytes + at + 4, image->swap);
		struct code_edge edge = {
			.from = address + at + (uint64_t)(int64_t)(int32_t)from,
			.to = address + at + 4 + (uint64_t)(int64_t)(int32_t)to,
		};

		if (code_image_text(image, edge.from, &rest) &&
		    code_image_text(image, edge.to, &rest))
			array_push(&image->edges, edge);
	}
}

void code_image_open(struct code_image *image, const struct object *object)
{
	struct branch_table branches = { 0, 0 };

	*image = (struct code_image){ .object = object, .swap = object->swap };
	if (object->address_bytes != 8 ||
	    (object->machine != EM_X86_64 && object->machine != EM_AARCH64))
		return;
	image->machine = object->machine;
	add_sections(image, object);
	add_symbols(image, object, &branches);
	if (branches.begin < branches.end)
		add_edges(image, branches.begin, branches.end - branches.begin, BRANCH_BYTES);
	for (size_t i = 1; i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];
		size_t before = image->edges.count;

		if (strcmp(header->name, "__jump_table") == 0)
			add_edges(image, header->address, header->size, BRANCH_BYTES);
		if (strcmp(header->name, "__ex_table") != 0)
			continue;
		/*
		 * Faults: entries of 12 bytes, or of 8 (arm64 before 5.17). Of the wrong size most
		 * entries lead nowhere.
		 */
		add_edges(image, header->address, header->size, 12);
		if ((image->edges.count - before) * 12 * 2 < header->size) {
			image->edges.count = before;
			add_edges(image, header->address, header->size, 8);
		}
	}
	array_sort(&image->edges, compare_pairs);
}

void code_image_close(struct code_image *image)
{
	array_release(&image->text);
	array_release(&image->data);
	array_release(&image->edges);
	array_release(&image->thunks);
	array_release(&image->hooks);
	*image = (struct code_image){ 0 };
}

static bool is_one_of(const uint64_t *addresses, size_t count, uint64_t address)
{
	size_t at = lower_bound(i, count, addresses[i] < address);

	return at < count && addresses[at] == address;
}

bool code_image_is_thunk(const struct code_image *image, uint64_t address)
{
	return is_one_of(image->thunks.data, image->thunks.count, address);
}

bool code_image_is_hook(const struct code_image *image, uint64_t address)
{
	return is_one_of(image->hooks.data, image->hooks.count, address);
}

size_t code_image_first_edge(const struct code_image *image, uint64_t address)
{
	return lower_bound(i, image->edges.count, image->edges.data[i].from < address);
}
