/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/records/record_elf.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* Where the made-up addresses begin, and what they are multiples of: 0 is no address. */
#define FIRST_ADDRESS 0x10000u

bool record_elf_is_one(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	char magic[SELFMAG];
	bool is_elf = fd >= 0 && pread(fd, magic, SELFMAG, 0) == SELFMAG &&
		      memcmp(magic, ELFMAG, SELFMAG) == 0;

	if (fd >= 0)
		close(fd);
	return is_elf;
}

static bool report(const char *path, struct error *err)
{
	return error_at(err, path, "cannot read as ELF: %s; is the file intact?", elf_errmsg(-1));
}

static bool read_header(struct record_elf *elf, const char *path, struct error *err)
{
	GElf_Ehdr header;

	if (!elf->elf || elf_kind(elf->elf) != ELF_K_ELF || !gelf_getehdr(elf->elf, &header))
		return report(path, err);
	elf->is_relocatable = header.e_type == ET_REL;
	elf->is_big_endian = header.e_ident[EI_DATA] == ELFDATA2MSB;
	elf->address_bytes = header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4;
	elf->machine = header.e_machine;
	return true;
}

static bool read_sections(struct record_elf *elf, const char *path, struct error *err)
{
	uint64_t next = FIRST_ADDRESS;
	Elf_Scn *scn = NULL;
	size_t names;

	if (elf_getshdrstrndx(elf->elf, &names) != 0)
		return report(path, err);
	array_push(&elf->sections, ((struct record_elf_section){ .name = "" }));
	while ((scn = elf_nextscn(elf->elf, scn))) {
		struct record_elf_section section = { 0 };
		GElf_Shdr header;

		if (!gelf_getshdr(scn, &header))
			return report(path, err);
		section.name = elf_strptr(elf->elf, names, header.sh_name);
		if (!section.name)
			return report(path, err);
		section.size = header.sh_size;
		section.flags = header.sh_flags;
		section.address = elf->is_relocatable ? 0 : header.sh_addr;
		if (elf->is_relocatable && header.sh_flags & SHF_ALLOC) {
			section.address = next;
			next += header.sh_size / FIRST_ADDRESS * FIRST_ADDRESS + 2 * FIRST_ADDRESS;
		}
		array_push(&elf->sections, section);
	}
	return true;
}

static bool read_symbols(struct record_elf *elf, const char *path, struct error *err)
{
	uint64_t *bases = memory_alloc((elf->sections.count + 1) * sizeof(*bases));
	bool good;

	for (size_t i = 0; i < elf->sections.count; i++)
		bases[i] = elf->sections.data[i].address;
	good = symbol_table_read(&elf->symbols, elf->elf, elf->is_relocatable ? bases : NULL, path,
				 err);
	free(bases);
	return good;
}

bool record_elf_open(struct record_elf *elf, const char *path, struct error *err)
{
	*elf = (struct record_elf){ .fd = open(path, O_RDONLY | O_CLOEXEC) };
	if (elf->fd < 0)
		return error_at(err, path, "cannot open: %s; check the name and the permissions",
				strerror(errno));
	elf_version(EV_CURRENT);
	elf->elf = elf_begin(elf->fd, ELF_C_READ_MMAP, NULL);
	if (read_header(elf, path, err) && read_sections(elf, path, err) &&
	    read_symbols(elf, path, err))
		return true;
	record_elf_close(elf);
	return false;
}

void record_elf_close(struct record_elf *elf)
{
	symbol_table_release(&elf->symbols);
	array_release(&elf->sections);
	if (elf->elf)
		elf_end(elf->elf);
	if (elf->fd >= 0)
		close(elf->fd);
	*elf = (struct record_elf){ .fd = -1 };
}

const struct record_elf_section *record_elf_find(const struct record_elf *elf, const char *name,
						 uint64_t size)
{
	const struct record_elf_section *found = NULL;

	for (size_t i = 1; i < elf->sections.count; i++) {
		const struct record_elf_section *section = &elf->sections.data[i];

		if (strcmp(section->name, name) != 0)
			continue;
		if (section->flags & SHF_ALLOC && section->size == size)
			return section;
		if (!found)
			found = section;
	}
	return found;
}
