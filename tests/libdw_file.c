/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/libdw_file.h"

#include <fcntl.h>
#include <gelf.h>
#include <string.h>
#include <unistd.h>

/* Callbacks get what they need from the module, whose userdata is the object. */
static const struct object *object_of(void **userdata)
{
	return *userdata;
}

/* libdwfl takes what headers say for addresses; those of a relocatable object mean nothing. */
static int find_elf(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
		    char **file_name, Elf **elf)
{
	const char *path = object_of(userdata)->path;
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	Elf_Scn *scn = NULL;
	GElf_Shdr header;

	(void)module, (void)name, (void)base;
	*file_name = strdup(path);
	*elf = elf_begin(fd, ELF_C_READ_MMAP_PRIVATE, NULL);
	while (*elf && (scn = elf_nextscn(*elf, scn)) && gelf_getshdr(scn, &header)) {
		header.sh_addr = 0;
		gelf_update_shdr(scn, &header);
	}
	return fd;
}

static int find_no_debuginfo(Dwfl_Module *module, void **userdata, const char *name,
			     Dwarf_Addr base, const char *file, const char *link,
			     GElf_Word checksum, char **found)
{
	(void)module, (void)userdata, (void)name, (void)base, (void)file, (void)link;
	(void)checksum, (void)found;
	return -1;
}

static int section_address(Dwfl_Module *module, void **userdata, const char *name, Dwarf_Addr base,
			   const char *section, GElf_Word index, const GElf_Shdr *header,
			   Dwarf_Addr *address)
{
	(void)module, (void)name, (void)base, (void)section, (void)header;
	*address = object_of(userdata)->headers[index].address;
	return 0;
}

static void open_relocated(struct libdw_file *file, const struct object *object)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_elf,
		.find_debuginfo = find_no_debuginfo,
		.section_address = section_address,
	};
	Dwfl_Module *module;
	Dwarf_Addr bias;
	void **userdata;

	file->dwfl = dwfl_begin(&callbacks);
	/* Wider than all sections. */
	module = dwfl_report_module(file->dwfl, "object", 0, INT64_MAX);
	dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = (void *)(uintptr_t)object;
	dwfl_report_end(file->dwfl, NULL, NULL);
	file->dwarf = dwfl_module_getdwarf(module, &bias);
}

void libdw_file_open(struct libdw_file *file, const struct object *object)
{
	*file = (struct libdw_file){ .fd = -1 };
	if (object->relocatable) {
		open_relocated(file, object);
		return;
	}
	file->fd = open(object->path, O_RDONLY | O_CLOEXEC);
	file->dwarf = dwarf_begin(file->fd, DWARF_C_READ);
}

void libdw_file_close(struct libdw_file *file)
{
	if (file->dwfl)
		dwfl_end(file->dwfl);
	else
		dwarf_end(file->dwarf);
	if (file->fd >= 0)
		close(file->fd);
	*file = (struct libdw_file){ .fd = -1 };
}
