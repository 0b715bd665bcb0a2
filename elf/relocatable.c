/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "elf/relocatable.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "elf/libelf_error.h"

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

/* ---- addresses ---- */

static uint64_t align_up(uint64_t value, uint64_t alignment)
{
	return (value + alignment - 1) / alignment * alignment;
}

static bool lay_out(struct relocatable *file, size_t outside, struct error *err)
{
	uint64_t limit = gelf_getclass(file->elf) == ELFCLASS64 ? INT64_MAX : UINT32_MAX;
	uint64_t next = align_up((outside + 1) * (uint64_t)OUTSIDE_BYTES, FIRST_SECTION);

	file->bases = memory_zeroed(file->header_count, sizeof(*file->bases));
	for (size_t i = 1; i < file->header_count; i++) {
		struct section_header *header = &file->headers[i];
		uint64_t alignment = header->alignment ? header->alignment : 1;

		/* The address in the header means nothing; some linker scripts leave numbers. */
		header->address = 0;
		if (!(header->flags & SHF_ALLOC))
			continue;
		if (alignment > MAX_ALIGNMENT || header->size > limit / 2 || next > limit / 2)
			return error_at(err, file->path,
					"section %s has 0x%llx bytes, aligned to 0x%llx: too much "
					"for this machine's memory; the file is damaged",
					header->name, (unsigned long long)header->size,
					(unsigned long long)header->alignment);
		header->address = align_up(next, alignment);
		file->bases[i] = header->address;
		next = header->address + header->size + SECTION_GAP;
	}
	return true;
}

/*
 * Symbols of other objects are numbered from the first global one on: strip removes local ones, and
 * a stripped module has to agree with its debug file.
 */
static bool read_values(struct relocatable *file, size_t count, size_t first_global,
			struct error *err)
{
	Elf_Scn *scn = elf_getscn(file->elf, file->symbol_section);
	int extended = elf_scnshndx(scn);
	Elf_Data *data = elf_getdata(scn, NULL);
	Elf_Data *indices =
		extended > 0 ? elf_getdata(elf_getscn(file->elf, (size_t)extended), NULL) : NULL;

	for (size_t i = 1; i < count; i++) {
		GElf_Sym symbol;
		Elf32_Word extended_index = 0;
		size_t section;

		if (!gelf_getsymshndx(data, indices, (int)i, &symbol, &extended_index))
			return libelf_error(err, file->path, "the symbols");
		/* 0: it is another object's, or the linker chooses its address. */
		section = symbol.st_shndx == SHN_XINDEX ? extended_index
			  : symbol.st_shndx < SHN_LORESERVE ? symbol.st_shndx : 0;
		if (section >= file->header_count)
			return error_at(err, file->path,
					"symbol %zu is in section %zu of %zu; the file is damaged",
					i, section, file->header_count);
		if (section || symbol.st_shndx == SHN_ABS)
			file->values[i] = file->headers[section].address + symbol.st_value;
		file->code_values[i] = file->values[i];
		if (!section && symbol.st_shndx != SHN_ABS && i >= first_global)
			file->code_values[i] = (i - first_global + 1) * (uint64_t)OUTSIDE_BYTES;
	}
	return true;
}

/* ---- relocations ---- */

/*
 * Relocations that cannot be applied only make the bytes of the section that they change
 * unavailable. Relocations of live patches are applied by the kernel to the code that it patches.
 */
static void note_relocations(struct relocatable *file)
{
	for (size_t i = 1; i < file->header_count; i++) {
		const struct section_header *header = &file->headers[i];
		uint32_t *by;

		if ((header->type != SHT_RELA && header->type != SHT_REL &&
		     header->type != SHT_CREL) ||
		    !header->size || header->flags & SHF_RELA_LIVEPATCH || !header->info ||
		    header->info >= file->header_count)
			continue;
		by = &file->relocated_by[header->info];
		*by = (uint32_t)i |
		      (*by || header->type == SHT_CREL || header->link != file->symbol_section
			       ? RELOCATED_BADLY : 0);
	}
}

/* Why the relocations of a section cannot be applied. */
static bool refuse_relocations(const struct relocatable *file, uint32_t by, struct error *err)
{
	const struct section_header *header = &file->headers[by & ~RELOCATED_BADLY];

	if (header->type == SHT_CREL)
		return error_at(err, file->path,
				"section %s has relocations in LLVM's compact form (SHT_CREL); "
				"assemble without --crel", header->name);
	if (header->link != file->symbol_section)
		return error_at(err, file->path,
				"section %s changes section %u by symbols of section %u; the file "
				"is damaged", header->name, header->info, header->link);
	return error_at(err, file->path,
			"section %s is the second with relocations of one section, only one is "
			"known; link the object by ld -r", header->name);
}

bool relocatable_open(struct relocatable *file, bool swap, struct error *err)
{
	size_t count = 0, locals = 0, entry = gelf_fsize(file->elf, ELF_T_SYM, 1, EV_CURRENT);
	GElf_Ehdr header;

	file->relocated_by = memory_zeroed(file->header_count, sizeof(*file->relocated_by));
	file->copies = memory_zeroed(file->header_count, sizeof(*file->copies));
	if (gelf_getehdr(file->elf, &header) && header.e_machine == EM_BPF)
		return error_at(err, file->path,
				"is a BPF program, whose BTF is its compiler's: dump and check "
				"read it; give a kernel or a module");
	if (!gelf_getehdr(file->elf, &header) ||
	    !relocator_init(&file->relocator, header.e_machine,
			    gelf_getclass(file->elf) == ELFCLASS64, swap))
		return error_at(err, file->path,
				"is a relocatable object of machine %u, whose relocations are not "
				"known; give a linked image", header.e_machine);
	for (size_t i = file->header_count; i-- > 1;)
		if (file->headers[i].type == SHT_SYMTAB)
			file->symbol_section = i;
	if (file->symbol_section) {
		Elf_Data *data = elf_getdata(elf_getscn(file->elf, file->symbol_section), NULL);

		if (!data || !entry)
			return libelf_error(err, file->path, "the symbols");
		/* A damaged header may promise more than there is. */
		count = data->d_buf ? data->d_size / entry : 0;
		locals = file->headers[file->symbol_section].info;
		locals = locals < count ? locals : count;
	}
	file->value_count = count ? count : 1;
	file->values = memory_zeroed(file->value_count, sizeof(uint64_t));
	file->code_values = memory_zeroed(file->value_count, sizeof(uint64_t));
	note_relocations(file);
	return lay_out(file, count - locals, err) &&
	       (!count || read_values(file, count, locals, err));
}

void relocatable_close(struct relocatable *file)
{
	for (size_t i = 0; file->copies && i < file->header_count; i++)
		free(file->copies[i]);
	free(file->copies);
	free(file->relocated_by);
	free(file->values);
	free(file->code_values);
	free(file->bases);
}

/* ---- bytes ---- */

/* Relocations are read once: their pages, more than the section's own, go back on the way. */
#define RUN_ENTRIES 65536u

static bool apply_all(const struct relocatable *file, size_t section, uint8_t *bytes, size_t size,
		      struct error *err)
{
	const struct section_header *changed = &file->headers[section];
	size_t index = file->relocated_by[section];
	Elf_Data *data = elf_rawdata(elf_getscn(file->elf, index), NULL);
	struct relocation_run run = {
		.has_addends = file->headers[index].type == SHT_RELA,
		.is_loaded = changed->flags & SHF_ALLOC,
		.values = changed->flags & SHF_ALLOC ? file->code_values : file->values,
		.value_count = file->value_count,
		.section = changed->name,
		.address = changed->address,
	};
	size_t step = RUN_ENTRIES * relocator_entry_bytes(&file->relocator, run.has_addends);

	if (!data || (!data->d_buf && data->d_size))
		return libelf_error(err, file->path, "section %s", file->headers[index].name);
	for (size_t at = 0; at < data->d_size; at += step) {
		run.entries = (const uint8_t *)data->d_buf + at;
		run.size = data->d_size - at < step ? data->d_size - at : step;
		if (!relocate(&file->relocator, &run, bytes, size, file->path, err))
			return false;
		if (file->is_mapped)
			memory_forget(run.entries, run.entries + run.size);
	}
	return true;
}

const uint8_t *relocatable_bytes(struct relocatable *file, size_t section, const uint8_t *bytes,
				 size_t size, bool writable, struct error *err)
{
	uint8_t *copy;

	if (!file->relocated_by[section] || !size)
		return bytes;
	if (file->relocated_by[section] & RELOCATED_BADLY) {
		refuse_relocations(file, file->relocated_by[section], err);
		return NULL;
	}
	if (file->copies[section])
		return file->copies[section];
	if (writable)
		return apply_all(file, section, (uint8_t *)bytes, size, err) ? bytes : NULL;
	copy = memory_alloc(size);
	memcpy(copy, bytes, size);
	if (file->is_mapped)
		memory_forget(bytes, bytes + size);
	if (!apply_all(file, section, copy, size, err)) {
		free(copy);
		return NULL;
	}
	file->copies[section] = copy;
	return copy;
}
