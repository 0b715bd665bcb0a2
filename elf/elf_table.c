/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "elf/elf_table.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"

/* So that the offset of a name that is added fits sh_name. */
#define MAX_NAMES_BYTES (UINT32_MAX - 4096)

/* ---- numbers in the file's form ---- */

struct field {
	uint8_t offset;
	uint8_t bytes;
};

#define FIELD(type, member)  { offsetof(type, member), sizeof(((type *)0)->member) }
#define OF_ENTRY(member)     { FIELD(Elf32_Shdr, member), FIELD(Elf64_Shdr, member) }
#define OF_HEADER(member)    { FIELD(Elf32_Ehdr, member), FIELD(Elf64_Ehdr, member) }

/* By class: elf_table.is_64. */
static const struct field entry_fields[][2] = {
	OF_ENTRY(sh_name),   OF_ENTRY(sh_type), OF_ENTRY(sh_flags), OF_ENTRY(sh_addr),
	OF_ENTRY(sh_offset), OF_ENTRY(sh_size), OF_ENTRY(sh_link),  OF_ENTRY(sh_info),
	OF_ENTRY(sh_addralign), OF_ENTRY(sh_entsize),
};

static const struct field type_field[2] = OF_HEADER(e_type);
static const struct field table_offset_field[2] = OF_HEADER(e_shoff);
static const struct field entry_bytes_field[2] = OF_HEADER(e_shentsize);
static const struct field count_field[2] = OF_HEADER(e_shnum);
static const struct field names_index_field[2] = OF_HEADER(e_shstrndx);

#define ENTRY_FIELD_COUNT (sizeof(entry_fields) / sizeof(*entry_fields))

static uint64_t load(const struct elf_table *table, const uint8_t *from,
		     const struct field fields[2])
{
	const struct field *field = &fields[table->is_64];

	return bytes_load_number(from + field->offset, field->bytes, table->big_endian);
}

static void store(const struct elf_table *table, uint8_t *to, const struct field fields[2],
		  uint64_t value)
{
	const struct field *field = &fields[table->is_64];

	assert(field->bytes == sizeof(value) || value >> (8 * field->bytes) == 0);
	bytes_store_number(to + field->offset, field->bytes, table->big_endian, value);
}

static Elf64_Shdr load_entry(const struct elf_table *table, const uint8_t *from)
{
	Elf64_Shdr entry = { 0 };

	for (size_t i = 0; i < ENTRY_FIELD_COUNT; i++)
		bytes_store_number((uint8_t *)&entry + entry_fields[i][1].offset,
				   entry_fields[i][1].bytes, HOST_IS_BIG_ENDIAN,
				   load(table, from, entry_fields[i]));
	return entry;
}

/* ---- reading ---- */

static size_t header_bytes(const struct elf_table *table)
{
	return table->is_64 ? sizeof(Elf64_Ehdr) : sizeof(Elf32_Ehdr);
}

static size_t entry_bytes(const struct elf_table *table)
{
	return table->is_64 ? sizeof(Elf64_Shdr) : sizeof(Elf32_Shdr);
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
	bool is_long = file->bytes >= sizeof(Elf32_Ehdr);

	if (is_long && !held_file_read(file, header, 0, sizeof(Elf32_Ehdr)))
		return cannot_read(file, err);
	if (!is_long || memcmp(header, ELFMAG, SELFMAG) != 0)
		return error_at(err, file->path, "is not an ELF file; give a kernel or a module");
	if ((header[EI_CLASS] != ELFCLASS32 && header[EI_CLASS] != ELFCLASS64) ||
	    (header[EI_DATA] != ELFDATA2LSB && header[EI_DATA] != ELFDATA2MSB) ||
	    header[EI_VERSION] != EV_CURRENT)
		return error_at(err, file->path,
				"ELF class %u, byte order %u, version %u is unknown; it is damaged",
				header[EI_CLASS], header[EI_DATA], header[EI_VERSION]);
	table->is_64 = header[EI_CLASS] == ELFCLASS64;
	table->big_endian = header[EI_DATA] == ELFDATA2MSB;
	if (file->bytes < header_bytes(table))
		return damaged(file, "the ELF header", header_bytes(table), err);
	if (!held_file_read(file, header, 0, header_bytes(table)))
		return cannot_read(file, err);
	table->file_type = (uint16_t)load(table, header, type_field);
	if (table->file_type != ET_REL && table->file_type != ET_EXEC &&
	    table->file_type != ET_DYN)
		return error_at(err, file->path,
				"is not an object, program or library (ELF type %u); give a kernel "
				"or a module",
				table->file_type);
	return true;
}

static bool read_entries(struct elf_table *table, const struct held_file *file, struct error *err)
{
	uint64_t offset = load(table, table->header, table_offset_field);
	uint64_t step = load(table, table->header, entry_bytes_field);
	uint64_t count = load(table, table->header, count_field);
	uint64_t names_index = load(table, table->header, names_index_field);
	uint8_t first[sizeof(Elf64_Shdr)], *bytes;
	bool good;

	if (offset == 0)
		return error_at(err, file->path,
				"has no section headers (stripped by sstrip?); take the file as "
				"the linker wrote it");
	if (step != entry_bytes(table))
		return damaged(file, "the size of a section header", step, err);
	if (offset > file->bytes || file->bytes - offset < step)
		return damaged(file, "the section headers' offset", offset, err);
	/* Entry 0 has the count and the index that the ELF header has no room for. */
	if (!held_file_read(file, first, offset, step))
		return cannot_read(file, err);
	if (count == 0)
		count = load_entry(table, first).sh_size;
	if (names_index == SHN_XINDEX)
		names_index = load_entry(table, first).sh_link;
	if (count == 0 || count > (file->bytes - offset) / step || count >= UINT32_MAX)
		return damaged(file, "the number of section headers", count, err);
	if (names_index == SHN_UNDEF)
		return error_at(err, file->path,
				"its sections have no names; take the file as the linker wrote it");
	if (names_index >= count)
		return damaged(file, "the index of the section names", names_index, err);
	table->names_index = (uint32_t)names_index;
	bytes = memory_alloc(count * step);
	good = held_file_read(file, bytes, offset, count * step) || cannot_read(file, err);
	array_reserve(&table->entries, count);
	for (size_t i = 0; good && i < count; i++)
		array_push(&table->entries, load_entry(table, bytes + i * step));
	free(bytes);
	return good;
}

static bool check_ranges(const struct elf_table *table, const struct held_file *file,
			 struct error *err)
{
	for (size_t i = 1; i < table->entries.count; i++) {
		const Elf64_Shdr *entry = &table->entries.data[i];

		if (entry->sh_type != SHT_NULL && entry->sh_type != SHT_NOBITS && entry->sh_size &&
		    (entry->sh_offset > file->bytes ||
		     entry->sh_size > file->bytes - entry->sh_offset))
			return error_at(err, file->path,
					"section %zu (offset %llu, %llu bytes) extends past the "
					"end of the file (%llu bytes); it is damaged or cut off, "
					"and was left as it is; copy or build it again",
					i, (unsigned long long)entry->sh_offset,
					(unsigned long long)entry->sh_size,
					(unsigned long long)file->bytes);
	}
	return true;
}

static bool read_names(struct elf_table *table, const struct held_file *file, struct error *err)
{
	const Elf64_Shdr *entry = &table->entries.data[table->names_index];
	struct text *names = &table->names;

	if (entry->sh_type != SHT_STRTAB || entry->sh_flags & SHF_COMPRESSED)
		return damaged(file, "the type of the section names", entry->sh_type, err);
	if (entry->sh_size == 0 || entry->sh_size > MAX_NAMES_BYTES)
		return damaged(file, "the size of the section names", entry->sh_size, err);
	array_reserve(names, (size_t)entry->sh_size);
	names->count = (size_t)entry->sh_size;
	if (!held_file_read(file, names->data, entry->sh_offset, names->count))
		return cannot_read(file, err);
	if (names->data[names->count - 1])
		return error_at(err, file->path,
				"the section names do not end; it is damaged, and was left as it "
				"is; copy or build it again");
	/* One beyond the end would be another name as soon as names are added. */
	for (size_t i = 1; i < table->entries.count; i++) {
		uint32_t name = table->entries.data[i].sh_name;

		if (name >= names->count)
			return damaged(file, "the name of a section", name, err);
	}
	return true;
}

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
	array_release(&table->entries);
	array_release(&table->names);
}

const char *elf_table_name(const struct elf_table *table, const Elf64_Shdr *entry)
{
	return entry->sh_name < table->names.count ? table->names.data + entry->sh_name : "";
}

/* ---- writing ---- */

uint8_t *elf_table_encode(struct elf_table *table, size_t *bytes)
{
	size_t count = table->entries.count;
	uint8_t *encoded = memory_alloc(count * entry_bytes(table));

	table->entries.data[0].sh_size = count < SHN_LORESERVE ? 0 : count;
	for (size_t i = 0; i < count; i++) {
		const uint8_t *entry = (const uint8_t *)&table->entries.data[i];

		for (size_t k = 0; k < ENTRY_FIELD_COUNT; k++)
			store(table, encoded + i * entry_bytes(table), entry_fields[k],
			      bytes_load_number(entry + entry_fields[k][1].offset,
						entry_fields[k][1].bytes, HOST_IS_BIG_ENDIAN));
	}
	*bytes = count * entry_bytes(table);
	return encoded;
}

const uint8_t *elf_table_locate(struct elf_table *table, uint64_t table_offset, uint64_t *offset,
				size_t *bytes)
{
	size_t count = table->entries.count;

	store(table, table->header, count_field, count < SHN_LORESERVE ? count : 0);
	store(table, table->header, table_offset_field, table_offset);
	*offset = table_offset_field[table->is_64].offset;
	*bytes = header_bytes(table) - *offset;
	return table->header + *offset;
}
