/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A chain of .llvm.HASH, .lto_priv.N, .localalias and .N: renamed, and nothing else. */
static bool is_mere_name(const char *suffix)
{
	static const char *const words[] = { ".llvm", ".lto_priv", ".localalias", "" };

	while (*suffix) {
		const char *rest = NULL;

		for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
			size_t length = strlen(words[i]);

			if (strncmp(suffix, words[i], length) == 0) {
				rest = suffix + length;
				break;
			}
		}
		if (*rest == '.' && strspn(rest + 1, "0123456789"))
			rest += 1 + strspn(rest + 1, "0123456789");
		if (rest == suffix || (*rest && *rest != '.'))
			return false;
		suffix = rest;
	}
	return true;
}

static bool is_changed_copy(const char *suffix)
{
	return (strstr(suffix, ".isra") || strstr(suffix, ".constprop")) &&
	       !strstr(suffix, ".part") && !strstr(suffix, ".cold");
}

/*
 * The address at which calls arrive. Bit 0 of Thumb functions does not belong to the address; on
 * ppc64le calls through a pointer pass the local entry, too.
 */
static uint64_t entry_address(unsigned int machine, const GElf_Sym *sym)
{
	if (GELF_ST_TYPE(sym->st_info) != STT_FUNC)
		return sym->st_value;
	if (machine == EM_ARM)
		return sym->st_value & ~1ULL;
	if (machine == EM_PPC64)
		return sym->st_value + (GElf_Addr)PPC64_LOCAL_ENTRY_OFFSET(sym->st_other);
	return sym->st_value;
}

static void add_symbol(struct symbols *symbols, unsigned int machine, const char *name,
		       const GElf_Sym *sym)
{
	struct symbol *symbol;

	symbols->data = realloc(symbols->data, (symbols->count + 1) * sizeof(*symbols->data));
	if (!symbols->data)
		abort();
	symbol = &symbols->data[symbols->count++];
	*symbol = (struct symbol){
		.name = strdup(name),
		.address = entry_address(machine, sym),
		.size = sym->st_size,
		.base_length = strcspn(name, "."),
		.is_function = GELF_ST_TYPE(sym->st_info) == STT_FUNC,
	};
	symbol->is_entry = symbol->is_function && !symbol->name[symbol->base_length];
	symbol->is_copy = symbol->is_function && !symbol->is_entry &&
			  (is_mere_name(symbol->name + symbol->base_length) ||
			   is_changed_copy(symbol->name + symbol->base_length));
}

void symbols_read(struct symbols *symbols, const char *path)
{
	int file = open(path, O_RDONLY);
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Ehdr file_header;
	unsigned int machine;
	Elf *elf;

	*symbols = (struct symbols){ 0 };
	elf_version(EV_CURRENT);
	elf = file < 0 ? NULL : elf_begin(file, ELF_C_READ, NULL);
	if (!elf || !gelf_getehdr(elf, &file_header)) {
		fprintf(stderr, "%s: %s\n", path, file < 0 ? strerror(errno) : elf_errmsg(-1));
		exit(2);
	}
	machine = file_header.e_machine;
	while ((section = elf_nextscn(elf, section))) {
		Elf_Data *data = elf_getdata(section, NULL);
		GElf_Sym sym;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_SYMTAB)
			continue;
		for (int i = 1; gelf_getsym(data, i, &sym); i++) {
			if (sym.st_shndx != SHN_UNDEF)
				add_symbol(symbols, machine,
					   elf_strptr(elf, header.sh_link, sym.st_name), &sym);
		}
	}
	elf_end(elf);
	close(file);
}

void symbols_release(struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		free(symbols->data[i].name);
	free(symbols->data);
}

const struct symbol *symbols_object(const struct symbols *symbols, const char *name)
{
	for (size_t i = 0; i < symbols->count; i++) {
		if (strcmp(symbols->data[i].name, name) == 0)
			return &symbols->data[i];
	}
	return NULL;
}
