/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/elf_blob.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"

#define SECTION_ADDRESS 0x1000

struct blob {
	struct elf_blob_shape shape;
	ARRAY_OF(uint8_t) bytes;
};

static void put(struct blob *blob, uint64_t value, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++) {
		size_t shift = 8 * (blob->shape.big_endian ? bytes - 1 - i : i);

		array_push(&blob->bytes, (uint8_t)(value >> shift));
	}
}

static void put_wide(struct blob *blob, uint64_t value)
{
	put(blob, value, blob->shape.is_64 ? 8 : 4);
}

static void put_data(struct blob *blob, const void *data, size_t bytes)
{
	const uint8_t *from = data;

	for (size_t i = 0; i < bytes; i++)
		array_push(&blob->bytes, from[i]);
}

static void put_header(struct blob *blob, uint64_t table_offset, uint32_t count, uint32_t names)
{
	bool is_64 = blob->shape.is_64;
	uint8_t ident[EI_NIDENT] = { 0x7f, 'E', 'L', 'F' };

	ident[EI_CLASS] = is_64 ? ELFCLASS64 : ELFCLASS32;
	ident[EI_DATA] = blob->shape.big_endian ? ELFDATA2MSB : ELFDATA2LSB;
	ident[EI_VERSION] = EV_CURRENT;
	put_data(blob, ident, sizeof(ident));
	put(blob, blob->shape.type, 2);
	put(blob, is_64 ? EM_PPC64 : EM_PPC, 2);
	put(blob, EV_CURRENT, 4);
	put_wide(blob, 0);			/* e_entry */
	put_wide(blob, 0);			/* e_phoff */
	put_wide(blob, table_offset);
	put(blob, 0x12345678, 4);		/* e_flags */
	put(blob, is_64 ? 64 : 52, 2);		/* e_ehsize */
	put(blob, is_64 ? 56 : 32, 2);		/* e_phentsize */
	put(blob, 0, 2);			/* e_phnum */
	put(blob, is_64 ? 64 : 40, 2);		/* e_shentsize */
	put(blob, count < SHN_LORESERVE ? count : 0, 2);
	put(blob, names < SHN_LORESERVE ? names : SHN_XINDEX, 2);
}

static void put_entry(struct blob *blob, const struct elf_blob_section *section, uint32_t name,
		      uint64_t offset)
{
	put(blob, name, 4);
	put(blob, section->type, 4);
	put_wide(blob, section->flags);
	put_wide(blob, section->flags & SHF_ALLOC ? SECTION_ADDRESS : 0);
	put_wide(blob, offset);
	put_wide(blob, section->bytes);
	put(blob, section->link, 4);
	put(blob, section->info, 4);
	put_wide(blob, section->type == SHT_NULL ? 0 : 1); /* sh_addralign */
	put_wide(blob, 0);			/* sh_entsize */
}

static void put_first_entry(struct blob *blob, uint32_t count, uint32_t names)
{
	struct elf_blob_section first = { 0 };

	first.bytes = count < SHN_LORESERVE ? 0 : count;
	first.link = names < SHN_LORESERVE ? 0 : names;
	put_entry(blob, &first, 0, 0);
}

uint8_t *elf_blob(struct elf_blob_shape shape, const struct elf_blob_section *sections,
		  size_t count, uint32_t fillers, bool names_first, size_t *bytes)
{
	static const struct elf_blob_section filler = { .type = SHT_PROGBITS };
	struct elf_blob_section names = { .type = SHT_STRTAB };
	uint32_t total = 1 + fillers + (uint32_t)count + 1;
	uint32_t names_index = names_first ? 1 : total - 1;
	uint64_t offset = shape.is_64 ? 64 : 52, table_offset;
	struct blob blob = { .shape = shape };
	struct blob text = { .shape = shape };
	uint32_t name = 1;

	put(&text, 0, 1);
	for (size_t i = 0; i < count; i++)
		put_data(&text, sections[i].name, strlen(sections[i].name) + 1);
	names.bytes = text.bytes.count + sizeof(".shstrtab");
	put_data(&text, ".shstrtab", sizeof(".shstrtab"));
	table_offset = offset + names.bytes;
	for (size_t i = 0; i < count; i++)
		table_offset += sections[i].type == SHT_NOBITS ? 0 : sections[i].bytes;
	table_offset = (table_offset + 7) / 8 * 8;

	put_header(&blob, table_offset, total, names_index);
	put_data(&blob, text.bytes.data, names.bytes);
	for (size_t i = 0; i < count; i++) {
		if (sections[i].type != SHT_NOBITS)
			put_data(&blob, sections[i].data, sections[i].bytes);
	}
	put(&blob, 0, table_offset - blob.bytes.count);
	put_first_entry(&blob, total, names_index);
	if (names_first)
		put_entry(&blob, &names, (uint32_t)(names.bytes - sizeof(".shstrtab")), offset);
	for (uint32_t i = 0; i < fillers; i++)
		put_entry(&blob, &filler, 0, offset);
	for (uint64_t i = 0, at = offset + names.bytes; i < count; i++) {
		put_entry(&blob, &sections[i], name, at);
		name += (uint32_t)strlen(sections[i].name) + 1;
		at += sections[i].type == SHT_NOBITS ? 0 : sections[i].bytes;
	}
	if (!names_first)
		put_entry(&blob, &names, (uint32_t)(names.bytes - sizeof(".shstrtab")), offset);
	array_release(&text.bytes);
	*bytes = blob.bytes.count;
	return blob.bytes.data;
}

/* The next section of this name; NULL: there is none. */
static Elf_Scn *next_named(Elf *elf, Elf_Scn *section, size_t names, const char *name,
			   GElf_Shdr *header)
{
	while ((section = elf_nextscn(elf, section))) {
		const char *text;

		gelf_getshdr(section, header);
		text = elf_strptr(elf, names, header->sh_name);
		if (header->sh_type != SHT_NULL && text && strcmp(text, name) == 0)
			break;
	}
	return section;
}

bool elf_blob_find(const char *path, const char *name, GElf_Shdr *header, void **data)
{
	int fd = open(path, O_RDONLY);
	Elf_Scn *section = NULL;
	GElf_Shdr second;
	size_t names;
	bool once;
	Elf *elf;

	elf_version(EV_CURRENT);
	*data = NULL;
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf && elf_getshdrstrndx(elf, &names) == 0)
		section = next_named(elf, NULL, names, name, header);
	once = section && !next_named(elf, section, names, name, &second);
	if (once) {
		const Elf_Data *raw = elf_rawdata(section, NULL);

		*data = memory_zeroed(header->sh_size + 1, 1);
		if (raw && raw->d_buf)
			memcpy(*data, raw->d_buf, raw->d_size);
	}
	elf_end(elf);
	close(fd);
	return once;
}
