/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "elf/relocatable.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

/* Between sections, so that the end of one is not the start of another. */
#define SECTION_GAP   64u
#define FIRST_SECTION 0x10000u
#define OUTSIDE_BYTES 16u	/* for each symbol of another object */
#define MAX_ALIGNMENT (UINT64_C(1) << 30)
#define RELOCATED_BADLY	   0x80000000u	/* in relocated_by: these cannot be applied */

#ifndef SHF_RELA_LIVEPATCH
#define SHF_RELA_LIVEPATCH 0x00100000	/* include/uapi/linux/elf.h of the kernel */
#endif

#ifndef SHT_CREL
#define SHT_CREL 0x40000014	/* LLVM's compact relocations, not in elf.h of 2022 */
#endif

static bool damaged_symbols(const struct object *object, struct error *err)
{
	return error_at(err, object->path, "cannot read the symbol table: %s; the file is damaged",
			elf_errmsg(-1));
}

/* ---- addresses of sections ---- */

/* By what can be read: a damaged header may promise anything. False: nothing can. */
static bool count_symbols(const struct object *object, size_t section, size_t *count,
			  struct error *err)
{
	size_t entry = gelf_fsize(object->elf, ELF_T_SYM, 1, EV_CURRENT);
	Elf_Data *data;

	*count = 0;
	if (!section)
		return true;
	data = elf_getdata(elf_getscn(object->elf, section), NULL);
	if (!data || !entry)
		return damaged_symbols(object, err);
	*count = data->d_buf ? data->d_size / entry : 0;
	return true;
}

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) / alignment * alignment;
}

static bool lay_out(struct object *object, size_t symbol_count, struct error *err)
{
	uint64_t limit = object->address_bytes == 8 ? INT64_MAX : UINT32_MAX;
	uint64_t next = align_up((symbol_count + 1) * (uint64_t)OUTSIDE_BYTES, FIRST_SECTION);

	object->section_bases =
		memory_zeroed(object->header_count, sizeof(*object->section_bases));
	for (size_t i = 1; i < object->header_count; i++) {
		struct section_header *header = &object->headers[i];
		uint64_t alignment = header->alignment ? header->alignment : 1;

		/* What a header says here means nothing; some linker scripts leave numbers. */
		header->address = 0;
		if (!(header->flags & SHF_ALLOC))
			continue;
		if (alignment > MAX_ALIGNMENT || header->size > limit / 2 || next > limit / 2)
			return error_at(err, object->path,
					"section %s has 0x%llx bytes, aligned to 0x%llx: too much "
					"for this machine's memory; the file is damaged",
					header->name, (unsigned long long)header->size,
					(unsigned long long)header->alignment);
		header->address = align_up(next, alignment);
		object->section_bases[i] = header->address;
		next = header->address + header->size + SECTION_GAP;
	}
	return true;
}

/* ---- values of symbols ---- */

/* The section of a symbol; 0: it is another object's, or the linker's to place. */
static size_t section_of(const GElf_Sym *symbol, Elf32_Word extended_index)
{
	if (symbol->st_shndx == SHN_XINDEX)
		return extended_index;
	return symbol->st_shndx < SHN_LORESERVE ? symbol->st_shndx : 0;
}

static bool read_values(struct object *object, size_t count, struct error *err)
{
	struct relocatable *relocatable = object->relocatable;
	Elf_Scn *scn = elf_getscn(object->elf, relocatable->symbol_section);
	int extended = elf_scnshndx(scn);
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Data *indices =
		extended > 0 ? elf_getdata(elf_getscn(object->elf, (size_t)extended), NULL) : NULL;

	for (size_t i = 1; i < count; i++) {
		GElf_Sym symbol;
		Elf32_Word extended_index = 0;
		size_t section;

		if (!gelf_getsymshndx(data, indices, (int)i, &symbol, &extended_index))
			return damaged_symbols(object, err);
		section = section_of(&symbol, extended_index);
		if (section >= object->header_count)
			return error_at(err, object->path,
					"symbol %zu is in section %zu of %zu; the file is damaged",
					i, section, object->header_count);
		if (section || symbol.st_shndx == SHN_ABS)
			relocatable->values[i] = object->headers[section].address + symbol.st_value;
		relocatable->code_values[i] = section || symbol.st_shndx == SHN_ABS
						      ? relocatable->values[i]
						      : i * (uint64_t)OUTSIDE_BYTES;
	}
	return true;
}

/* ---- which section changes which ---- */

/*
 * What cannot be applied is only a reason against the section that it changes: nobody may ask for
 * its bytes. Relocations of live patches are for the kernel, which applies them to what it patches.
 */
static void note_relocations(struct object *object)
{
	struct relocatable *relocatable = object->relocatable;

	for (size_t i = 1; i < object->header_count; i++) {
		const struct section_header *header = &object->headers[i];
		uint32_t *by;

		if ((header->type != SHT_RELA && header->type != SHT_REL &&
		     header->type != SHT_CREL) ||
		    !header->size || header->flags & SHF_RELA_LIVEPATCH || !header->info ||
		    header->info >= object->header_count)
			continue;
		by = &relocatable->relocated_by[header->info];
		if (*by || header->type == SHT_CREL || header->link != relocatable->symbol_section)
			*by = (uint32_t)i | RELOCATED_BADLY;
		else
			*by = (uint32_t)i;
	}
}

/* Why the relocations of a section cannot be applied. */
static bool refuse_relocations(const struct object *object, uint32_t by, struct error *err)
{
	const struct section_header *header = &object->headers[by & ~RELOCATED_BADLY];

	if (header->type == SHT_CREL)
		return error_at(err, object->path,
				"section %s has relocations in LLVM's compact form (SHT_CREL); "
				"assemble without --crel", header->name);
	if (header->link != object->relocatable->symbol_section)
		return error_at(err, object->path,
				"section %s changes section %u by symbols of section %u; the file "
				"is damaged", header->name, header->info, header->link);
	return error_at(err, object->path,
			"section %s is the second with relocations of one section, only one is "
			"known; link the object by ld -r", header->name);
}

bool relocatable_open(struct object *object, struct error *err)
{
	struct relocatable *relocatable = memory_zeroed(1, sizeof(*relocatable));
	GElf_Ehdr header;
	size_t count;

	object->relocatable = relocatable;
	relocatable->relocated_by =
		memory_zeroed(object->header_count, sizeof(*relocatable->relocated_by));
	relocatable->copies = memory_zeroed(object->header_count, sizeof(*relocatable->copies));
	if (!gelf_getehdr(object->elf, &header) ||
	    !relocator_init(&relocatable->relocator, header.e_machine, object->address_bytes == 8,
			    object->swap))
		return error_at(err, object->path,
				"is a relocatable object of machine %u, whose relocations are not "
				"known; give a linked image", header.e_machine);
	for (size_t i = object->header_count; i-- > 1;)
		if (object->headers[i].type == SHT_SYMTAB)
			relocatable->symbol_section = i;
	if (!count_symbols(object, relocatable->symbol_section, &count, err))
		return false;
	relocatable->value_count = count ? count : 1;
	relocatable->values = memory_zeroed(relocatable->value_count, sizeof(uint64_t));
	relocatable->code_values = memory_zeroed(relocatable->value_count, sizeof(uint64_t));
	note_relocations(object);
	return lay_out(object, count, err) && (!count || read_values(object, count, err));
}

void relocatable_close(struct object *object)
{
	struct relocatable *relocatable = object->relocatable;

	if (!relocatable)
		return;
	for (size_t i = 0; relocatable->copies && i < object->header_count; i++)
		free(relocatable->copies[i]);
	free(relocatable->copies);
	free(relocatable->relocated_by);
	free(relocatable->values);
	free(relocatable->code_values);
	free(relocatable);
	object->relocatable = NULL;
}

/* ---- bytes ---- */

/* Relocations are read once: their pages, more than the section's own, go back on the way. */
#define RUN_ENTRIES 65536u

static void forget(const uint8_t *begin, size_t size)
{
	uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
	uintptr_t first = ((uintptr_t)begin + page - 1) & ~(page - 1);
	uintptr_t last = ((uintptr_t)begin + size) & ~(page - 1);

	if (first < last)
		madvise((void *)first, last - first, MADV_DONTNEED);
}

static bool apply_all(const struct object *object, size_t section, uint8_t *bytes, size_t size,
		      struct error *err)
{
	const struct relocatable *relocatable = object->relocatable;
	const struct section_header *changed = &object->headers[section];
	size_t index = relocatable->relocated_by[section];
	Elf_Data *data = elf_rawdata(elf_getscn(object->elf, index), NULL);
	struct relocation_run run = {
		.has_addends = object->headers[index].type == SHT_RELA,
		.is_loaded = changed->flags & SHF_ALLOC,
		.values = changed->flags & SHF_ALLOC ? relocatable->code_values
						     : relocatable->values,
		.value_count = relocatable->value_count,
		.section = changed->name,
		.address = changed->address,
	};
	size_t step = RUN_ENTRIES * relocator_entry_bytes(&relocatable->relocator, run.has_addends);

	if (!data || (!data->d_buf && data->d_size))
		return error_at(err, object->path, "cannot read section %s: %s; "
				"the file may be truncated", object->headers[index].name,
				elf_errmsg(-1));
	for (size_t at = 0; at < data->d_size; at += step) {
		run.entries = (const uint8_t *)data->d_buf + at;
		run.size = data->d_size - at < step ? data->d_size - at : step;
		if (!relocate(&relocatable->relocator, &run, bytes, size, object->path, err))
			return false;
		forget(run.entries, run.size);
	}
	return true;
}

const uint8_t *relocatable_bytes(const struct object *object, size_t section, const uint8_t *bytes,
				 size_t size, bool writable, struct error *err)
{
	struct relocatable *relocatable = object->relocatable;
	uint8_t *copy;

	if (!relocatable->relocated_by[section] || !size)
		return bytes;
	if (relocatable->relocated_by[section] & RELOCATED_BADLY) {
		refuse_relocations(object, relocatable->relocated_by[section], err);
		return NULL;
	}
	if (relocatable->copies[section])
		return relocatable->copies[section];
	if (writable)
		return apply_all(object, section, (uint8_t *)bytes, size, err) ? bytes : NULL;
	copy = memory_alloc(size);
	memcpy(copy, bytes, size);
	if (!apply_all(object, section, copy, size, err)) {
		free(copy);
		return NULL;
	}
	relocatable->copies[section] = copy;
	return copy;
}
