/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "elf/elf_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

/* So that the offset of a name that is added fits sh_name. */
#define MAX_NAMES_BYTES (UINT32_MAX - 4096)

/* ---- numbers in the file's form ---- */

static uint64_t load(const struct elf_table *table, const uint8_t *from, size_t bytes)
{
	uint64_t value = 0;

	for (size_t i = 0; i < bytes; i++)
		value |= (uint64_t)from[table->big_endian ? bytes - 1 - i : i] << (8 * i);
	return value;
}

static void store(const struct elf_table *table, uint8_t *to, size_t bytes, uint64_t value)
{
	assert(bytes == sizeof(value) || value >> (8 * bytes) == 0);
	for (size_t i = 0; i < bytes; i++)
		to[table->big_endian ? bytes - 1 - i : i] = (uint8_t)(value >> (8 * i));
}

/* Entries of both classes have the same fields in the same order; some are as wide as the class. */
static size_t wide(const struct elf_table *table)
{
	return table->is_64 ? sizeof(uint64_t) : sizeof(uint32_t);
}

void elf_table_get(const struct elf_table *table, uint32_t index, Elf64_Shdr *entry)
{
	const uint8_t *at = table->entries + (size_t)index * table->entry_bytes;
	size_t word = sizeof(uint32_t), xword = wide(table);

	assert(index < table->count);
	entry->sh_name = (uint32_t)load(table, at, word);
	entry->sh_type = (uint32_t)load(table, at += word, word);
	entry->sh_flags = load(table, at += word, xword);
	entry->sh_addr = load(table, at += xword, xword);
	entry->sh_offset = load(table, at += xword, xword);
	entry->sh_size = load(table, at += xword, xword);
	entry->sh_link = (uint32_t)load(table, at += xword, word);
	entry->sh_info = (uint32_t)load(table, at += word, word);
	entry->sh_addralign = load(table, at += word, xword);
	entry->sh_entsize = load(table, at + xword, xword);
}

void elf_table_set(struct elf_table *table, uint32_t index, const Elf64_Shdr *entry)
{
	uint8_t *at = table->entries + (size_t)index * table->entry_bytes;
	size_t word = sizeof(uint32_t), xword = wide(table);

	assert(index < table->count);
	store(table, at, word, entry->sh_name);
	store(table, at += word, word, entry->sh_type);
	store(table, at += word, xword, entry->sh_flags);
	store(table, at += xword, xword, entry->sh_addr);
	store(table, at += xword, xword, entry->sh_offset);
	store(table, at += xword, xword, entry->sh_size);
	store(table, at += xword, word, entry->sh_link);
	store(table, at += word, word, entry->sh_info);
	store(table, at += word, xword, entry->sh_addralign);
	store(table, at + xword, xword, entry->sh_entsize);
}

/* ---- the ELF header ---- */

struct header_layout {
	size_t table_offset, table_offset_bytes;	/* e_shoff */
	size_t entry_bytes;				/* e_shentsize, 2 bytes like the next two */
	size_t count;					/* e_shnum */
	size_t names_index;				/* e_shstrndx, the last field */
};

#define LAYOUT(header)                                                                             \
	{                                                                                          \
		.table_offset = offsetof(header, e_shoff),                                         \
		.table_offset_bytes = sizeof(((header *)0)->e_shoff),                              \
		.entry_bytes = offsetof(header, e_shentsize),                                      \
		.count = offsetof(header, e_shnum),                                                \
		.names_index = offsetof(header, e_shstrndx),                                       \
	}

static const struct header_layout *layout(const struct elf_table *table)
{
	static const struct header_layout layout_32 = LAYOUT(Elf32_Ehdr);
	static const struct header_layout layout_64 = LAYOUT(Elf64_Ehdr);

	return table->is_64 ? &layout_64 : &layout_32;
}

static size_t header_bytes(const struct elf_table *table)
{
	return table->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

static bool damaged(const struct held_file *file, const char *what, uint64_t value,
		    struct error *err)
{
	return error_at(err, file->path,
			"%s (%llu) does not fit the file of %llu bytes; it is damaged or cut off, "
			"and was left as it is; copy or build it again",
			what, (unsigned long long)value, (unsigned long long)file->bytes);
}

static bool cannot_read(const struct held_file *file, struct error *err)
{
	return error_at(err, file->path, "cannot read: %s; it was left as it is; check the disk",
			errno ? strerror(errno) : "it has become shorter");
}

static bool read_header(struct elf_table *table, const struct held_file *file, struct error *err)
{
	uint8_t *header = table->header;

	if (file->bytes < sizeof(Elf32_Ehdr))
		return error_at(err, file->path, "is not an ELF file; give a kernel or a module");
	if (!held_file_read(file, header, 0, sizeof(Elf32_Ehdr)))
		return cannot_read(file, err);
	if (memcmp(header, ELFMAG, SELFMAG) != 0)
		return error_at(err, file->path, "is not an ELF file; give a kernel or a module");
	if ((header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64) ||
	    (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB) ||
	    header[EI_VERSION] != EV_CURRENT)
		return error_at(err, file->path,
				"ELF class %u, byte order %u, version %u is unknown; it is damaged",
				header[EI_CLASS], header[EI_DATA], header[EI_VERSION]);
	table->is_64 = header[EI_CLASS] == ELFCLASS64;
	table->big_endian = header[EI_DATA] == ELFDATA2MSB;
	table->entry_bytes = table->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
	if (file->bytes < header_bytes(table))
		return damaged(file, "the ELF header", header_bytes(table), err);
	if (!held_file_read(file, header, 0, header_bytes(table)))
		return cannot_read(file, err);
	table->file_type = (uint16_t)load(table, header + offsetof(Elf64_Ehdr, e_type), 2);
	if (table->file_type != ET_REL && table->file_type != ET_EXEC &&
	    table->file_type != ET_DYN)
		return error_at(err, file->path,
				"is not an object, program or library (ELF type %u); give a kernel or "
				"a module",
				table->file_type);
	return true;
}

/* ---- the entries ---- */

/* Entry 0 alone, for the count and the index that the ELF header has no room for. */
static bool read_first(struct elf_table *table, const struct held_file *file, uint64_t offset,
		       Elf64_Shdr *first, struct error *err)
{
	if (offset > file->bytes || file->bytes - offset < table->entry_bytes)
		return damaged(file, "the section headers' offset", offset, err);
	table->count = 1;
	table->entries = memory_alloc(table->entry_bytes);
	if (!held_file_read(file, table->entries, offset, table->entry_bytes))
		return cannot_read(file, err);
	elf_table_get(table, 0, first);
	return true;
}

static bool read_entries(struct elf_table *table, const struct held_file *file, struct error *err)
{
	const struct header_layout *at = layout(table);
	uint64_t offset = load(table, table->header + at->table_offset, at->table_offset_bytes);
	uint64_t entry_bytes = load(table, table->header + at->entry_bytes, 2);
	uint64_t count = load(table, table->header + at->count, 2);
	uint64_t names_index = load(table, table->header + at->names_index, 2);
	Elf64_Shdr first = { 0 };

	if (offset == 0)
		return error_at(err, file->path,
				"has no section headers (stripped by sstrip?); take the file as "
				"the linker wrote it");
	if (entry_bytes != table->entry_bytes)
		return damaged(file, "the size of a section header", entry_bytes, err);
	if (!read_first(table, file, offset, &first, err))
		return false;
	if (count == 0)
		count = first.sh_size;
	if (names_index == SHN_XINDEX)
		names_index = first.sh_link;
	if (count == 0 || count > (file->bytes - offset) / entry_bytes || count >= UINT32_MAX)
		return damaged(file, "the number of section headers", count, err);
	if (names_index == SHN_UNDEF)
		return error_at(err, file->path,
				"its sections have no names; take the file as the linker wrote it");
	if (names_index >= count)
		return damaged(file, "the index of the section names", names_index, err);
	table->count = (uint32_t)count;
	table->names_index = (uint32_t)names_index;
	table->entries = memory_resize(table->entries, count, table->entry_bytes);
	if (!held_file_read(file, table->entries, offset, count * table->entry_bytes))
		return cannot_read(file, err);
	return true;
}

static bool check_ranges(const struct elf_table *table, const struct held_file *file,
			 struct error *err)
{
	for (uint32_t i = 1; i < table->count; i++) {
		Elf64_Shdr entry;

		elf_table_get(table, i, &entry);
		if (entry.sh_type == SHT_NULL || entry.sh_type == SHT_NOBITS || !entry.sh_size)
			continue;
		if (entry.sh_offset > file->bytes || entry.sh_size > file->bytes - entry.sh_offset)
			return error_at(err, file->path,
					"section %u (offset %llu, %llu bytes) extends past the end "
					"of the file (%llu bytes); it is damaged or cut off, and "
					"was left as it is; copy or build it again",
					i, (unsigned long long)entry.sh_offset,
					(unsigned long long)entry.sh_size,
					(unsigned long long)file->bytes);
	}
	return true;
}

/* ---- the names ---- */

static bool read_names(struct elf_table *table, const struct held_file *file, struct error *err)
{
	Elf64_Shdr entry;

	elf_table_get(table, table->names_index, &entry);
	if (entry.sh_type != SHT_STRTAB || entry.sh_flags & SHF_COMPRESSED)
		return damaged(file, "the type of the section names", entry.sh_type, err);
	if (entry.sh_size == 0 || entry.sh_size > MAX_NAMES_BYTES)
		return damaged(file, "the size of the section names", entry.sh_size, err);
	table->names_bytes = (size_t)entry.sh_size;
	table->names = memory_alloc(table->names_bytes);
	if (!held_file_read(file, table->names, entry.sh_offset, table->names_bytes))
		return cannot_read(file, err);
	if (table->names[table->names_bytes - 1])
		return error_at(err, file->path,
				"the section names do not end; it is damaged, and was left as it "
				"is; copy or build it again");
	return true;
}

const char *elf_table_name(const struct elf_table *table, const Elf64_Shdr *entry)
{
	return entry->sh_name < table->names_bytes ? table->names + entry->sh_name : "";
}

uint32_t elf_table_add_name(struct elf_table *table, const char *name)
{
	size_t at = table->names_bytes, bytes = strlen(name) + 1;

	table->names = memory_resize(table->names, at + bytes, 1);
	memcpy(table->names + at, name, bytes);
	table->names_bytes += bytes;
	return (uint32_t)at;
}

/* ---- the whole ---- */

bool elf_table_read(struct elf_table *table, const struct held_file *file, struct error *err)
{
	*table = (struct elf_table){ 0 };
	if (read_header(table, file, err) && read_entries(table, file, err) &&
	    check_ranges(table, file, err) && read_names(table, file, err))
		return true;
	elf_table_release(table);
	return false;
}

void elf_table_release(struct elf_table *table)
{
	free(table->entries);
	free(table->names);
	*table = (struct elf_table){ 0 };
}

void elf_table_grow(struct elf_table *table)
{
	table->entries = memory_resize(table->entries, table->count + (size_t)1,
				       table->entry_bytes);
	memset(table->entries + table->count * table->entry_bytes, 0, table->entry_bytes);
	table->count++;
}

void elf_table_drop_last(struct elf_table *table)
{
	assert(table->count > 1);
	table->count--;
}

const uint8_t *elf_table_place(struct elf_table *table, uint64_t table_offset, uint64_t *offset,
			       size_t *bytes)
{
	const struct header_layout *at = layout(table);
	bool in_header = table->count < SHN_LORESERVE;
	Elf64_Shdr first;

	elf_table_get(table, 0, &first);
	first.sh_size = in_header ? 0 : table->count;
	elf_table_set(table, 0, &first);
	store(table, table->header + at->count, 2, in_header ? table->count : 0);
	store(table, table->header + at->table_offset, at->table_offset_bytes, table_offset);
	*offset = at->table_offset;
	*bytes = header_bytes(table) - at->table_offset;
	return table->header + at->table_offset;
}
