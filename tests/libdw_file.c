/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/libdw_file.h"

#include <dwarf.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
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

/* The file as the only module of a session, wider than all sections. */
static Dwfl_Module *report_module(Dwfl **dwfl, const struct object *object)
{
	static const Dwfl_Callbacks callbacks = {
		.find_elf = find_elf,
		.find_debuginfo = find_no_debuginfo,
		.section_address = section_address,
	};
	Dwfl_Module *module;
	void **userdata;

	*dwfl = dwfl_begin(&callbacks);
	module = dwfl_report_module(*dwfl, "object", 0, INT64_MAX);
	dwfl_module_info(module, &userdata, NULL, NULL, NULL, NULL, NULL, NULL);
	*userdata = (void *)(uintptr_t)object;
	dwfl_report_end(*dwfl, NULL, NULL);
	return module;
}

static int count_register(void *count, int number, const char *set, const char *prefix,
			  const char *name, int bits, int type)
{
	(void)number, (void)set, (void)prefix, (void)name, (void)bits, (void)type;
	++*(unsigned int *)count;
	return 0;
}

static bool has_backend(Dwfl_Module *module)
{
	unsigned int count = 0;

	return dwfl_module_register_names(module, count_register, &count) == 0 && count;
}

void libdw_file_open(struct libdw_file *file, const struct object *object)
{
	Dwfl_Module *module;
	Dwarf_Addr bias;

	*file = (struct libdw_file){ .fd = -1 };
	module = report_module(&file->dwfl, object);
	file->has_backend = has_backend(module);
	if (object->relocatable) {
		file->dwarf = dwfl_module_getdwarf(module, &bias);
		return;
	}
	dwfl_end(file->dwfl);
	file->dwfl = NULL;
	file->fd = open(object->path, O_RDONLY | O_CLOEXEC);
	file->dwarf = dwarf_begin(file->fd, DWARF_C_READ);
}

void libdw_file_print_no_backend(const struct object *object)
{
	GElf_Ehdr header;

	printf("not judged: libdw %s has no backend for machine %u", dwfl_version(NULL),
	       gelf_getehdr(object->elf, &header) ? header.e_machine : EM_NONE);
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

Elf_Scn *libdw_file_symbols(const struct object *object)
{
	for (size_t i = 1; i < object->header_count; i++)
		if (object->headers[i].type == SHT_SYMTAB)
			return elf_getscn(object->elf, i);
	return NULL;
}

int libdw_parameters(Dwarf_Die *function, Dwarf_Die *parameters, int limit, bool *is_variadic)
{
	Dwarf_Die child;
	int count = 0;

	*is_variadic = false;
	if (dwarf_child(function, &child) != 0)
		return 0;
	do {
		if (dwarf_tag(&child) == DW_TAG_unspecified_parameters)
			*is_variadic = true;
		if (dwarf_tag(&child) != DW_TAG_formal_parameter)
			continue;
		if (count == limit)
			return -1;
		parameters[count++] = child;
	} while (dwarf_siblingof(&child, &child) == 0);
	return count;
}
