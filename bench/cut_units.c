/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Writes a copy of a linked image that has only every Nth unit of its .debug_info: the same
 * program, given in part. Every Nth and not the first ones, because what a linker puts first
 * (arch/, init/) is not like the rest. The units are copied as they are, one after the other:
 * their references are relative to themselves or lead into other sections.
 *
 * All other sections that the encoder reads are whole, symbols and code, too, so what they cost is
 * the same in every copy. Those that it does not read (relocations of the finished link, line
 * tables, unwind tables) are empty. No section gets another number.
 *
 * An image whose units refer to each other (LTO) cannot be cut; exit status 1 then.
 *
 * usage: cut_units N IN OUT		prints how many units OUT has, and its .debug_info's bytes
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "dwarf/unit.h"
#include "encoder/unit_groups.h"

struct cut {
	struct object object;
	struct unit_list units;
	uint8_t *info;
	uint64_t info_bytes;
	size_t unit_count;
};

static bool units_stand_alone(const struct cut *cut)
{
	const struct language_set nothing = { 0 };
	struct unit_groups groups = { 0 };
	bool alone;

	unit_groups_find(&groups, &cut->object, &cut->units, &nothing, 1);
	alone = groups.groups.count == cut->units.count;
	unit_groups_release(&groups);
	return alone;
}

/* Chooses the middle one of each N units; if there are fewer than N units, one. */
static void choose_units(struct cut *cut, size_t n)
{
	size_t step = n < cut->units.count ? n : cut->units.count;

	cut->info = memory_zeroed(cut->object.sections[SECTION_INFO].size, 1);
	for (size_t i = step / 2; i < cut->units.count; i += step) {
		const struct unit *unit = &cut->units.data[i];
		uint64_t bytes = unit->end - unit->offset;

		memcpy(cut->info + cut->info_bytes,
		       cut->object.sections[SECTION_INFO].data + unit->offset, bytes);
		cut->info_bytes += bytes;
		cut->unit_count++;
	}
}

static bool is_read(const struct object *object, size_t index)
{
	const struct section_header *header = &object->headers[index];

	for (int id = 0; id < SECTION_COUNT; id++) {
		if (object->sections[id].data && object->sections[id].header == index)
			return true;
	}
	return header->type != SHT_RELA && header->type != SHT_REL &&
	       strncmp(header->name, ".debug_", 7) != 0 && strncmp(header->name, ".orc_", 5) != 0;
}

static bool copy_section(const struct cut *cut, Elf_Scn *from, Elf *out)
{
	size_t index = elf_ndxscn(from);
	Elf_Scn *to = elf_newscn(out);
	Elf_Data *source = elf_rawdata(from, NULL);
	Elf_Data *data;
	GElf_Shdr header;

	if (!to || !gelf_getshdr(from, &header))
		return false;
	if (!is_read(&cut->object, index)) {
		header.sh_size = 0;
		return gelf_update_shdr(to, &header) != 0;
	}
	data = elf_newdata(to);
	if (!data || !source || !gelf_update_shdr(to, &header))
		return false;
	data->d_type = ELF_T_BYTE;
	data->d_align = 1;
	data->d_buf = source->d_buf;
	data->d_size = header.sh_size;
	if (index == cut->object.sections[SECTION_INFO].header) {
		data->d_buf = cut->info;
		data->d_size = cut->info_bytes;
	}
	return true;
}

/* Program headers are left out: nothing is loaded. */
static bool copy_elf(const struct cut *cut, Elf *out)
{
	GElf_Ehdr header;
	Elf_Scn *section = NULL;
	size_t names;

	if (!gelf_getehdr(cut->object.elf, &header) ||
	    elf_getshdrstrndx(cut->object.elf, &names) < 0 || names >= SHN_LORESERVE ||
	    !gelf_newehdr(out, header.e_ident[EI_CLASS]))
		return false;
	header.e_phnum = 0;
	header.e_phoff = 0;
	header.e_shstrndx = (GElf_Half)names;
	if (!gelf_update_ehdr(out, &header))
		return false;
	while ((section = elf_nextscn(cut->object.elf, section))) {
		if (!copy_section(cut, section, out))
			return false;
	}
	return elf_update(out, ELF_C_WRITE) >= 0;
}

static bool write_copy(const struct cut *cut, const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	Elf *out = fd < 0 ? NULL : elf_begin(fd, ELF_C_WRITE, NULL);
	bool good = out && copy_elf(cut, out);

	if (!good && fd < 0)
		perror(path);
	else if (!good)
		fprintf(stderr, "cut_units: %s: %s\n", path, elf_errmsg(-1));
	if (out)
		elf_end(out);
	if (fd >= 0)
		close(fd);
	return good;
}

int main(int argc, char **argv)
{
	struct cut cut = { 0 };
	struct error err;
	int status = EXIT_FAILED;
	int n = argc == 4 ? atoi(argv[1]) : 0;

	if (n < 1) {
		fprintf(stderr, "usage: cut_units N IN OUT\n");
		return EXIT_USAGE;
	}
	if (!object_open(&cut.object, argv[2], &err) ||
	    !unit_list_read(&cut.units, &cut.object, &err)) {
		fprintf(stderr, "cut_units: %s\n", err.text);
		return EXIT_FAILED;
	}
	if (cut.object.relocatable || !units_stand_alone(&cut)) {
		fprintf(stderr, "cut_units: %s: its units refer to each other\n", argv[2]);
		return 1;
	}
	choose_units(&cut, (size_t)n);
	if (write_copy(&cut, argv[3])) {
		printf("%zu %" PRIu64 "\n", cut.unit_count, cut.info_bytes);
		status = 0;
	}
	free(cut.info);
	unit_list_release(&cut.units);
	object_close(&cut.object);
	return status;
}
