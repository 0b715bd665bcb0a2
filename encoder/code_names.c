/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "encoder/code_names.h"

#include <fcntl.h>
#include <gelf.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"

#define FIRST_ADDRESS	0x1000	/* 0 stands for a section that is not loaded */
#define HOST_WORD_BYTES ((uint8_t)sizeof(void *))

#if defined(__x86_64__)
#define HOST_MACHINE EM_X86_64
#elif defined(__i386__)
#define HOST_MACHINE EM_386
#elif defined(__aarch64__)
#define HOST_MACHINE EM_AARCH64
#elif defined(__arm__)
#define HOST_MACHINE EM_ARM
#elif defined(__s390x__)
#define HOST_MACHINE EM_S390
#elif defined(__powerpc64__)
#define HOST_MACHINE EM_PPC64
#elif defined(__riscv)
#define HOST_MACHINE EM_RISCV
#elif defined(__loongarch__)
#define HOST_MACHINE 258 /* EM_LOONGARCH */
#else
#define HOST_MACHINE EM_NONE
#endif

/* ---- the machine ---- */

const struct abi *code_names_machine(const char *name)
{
	const struct abi *abi;

	for (size_t i = 0; (abi = abi_at(i)); i++) {
		if (strcmp(abi->name, name) == 0)
			return abi;
	}
	return NULL;
}

/* C's long has the size of a pointer wherever Linux runs. 0: there is none. */
static uint32_t long_bytes(const struct btf_reader *btf)
{
	for (uint32_t id = 1; id < btf_reader_end_id(btf); id++) {
		const uint32_t *record = btf_reader_type(btf, id);
		const char *name;

		if (btf_info_kind(record[BTF_WORD_INFO]) != BTF_INT)
			continue;
		name = btf_reader_string(btf, record[BTF_WORD_NAME]);
		if (name && (strcmp(name, "long unsigned int") == 0 ||
			     strcmp(name, "unsigned long") == 0 || strcmp(name, "long int") == 0 ||
			     strcmp(name, "long") == 0))
			return record[BTF_WORD_SIZE];
	}
	return 0;
}

static const struct abi *host_abi(const struct btf_reader *btf)
{
	uint32_t bytes = btf->swapped ? 0 : long_bytes(btf);

	return bytes == HOST_WORD_BYTES
		       ? abi_find(HOST_MACHINE, HOST_WORD_BYTES, HOST_IS_BIG_ENDIAN) : NULL;
}

static const struct abi *elf_abi(Elf *elf)
{
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header))
		return NULL;
	return abi_find(header.e_machine, header.e_ident[EI_CLASS] == ELFCLASS64 ? 8 : 4,
			header.e_ident[EI_DATA] == ELFDATA2MSB);
}

/* ---- sections and symbols ---- */

/*
 * The sections that are loaded. Those of a relocatable object are at 0, all of them: for the search
 * in the symbols they get addresses one behind the other, `bases`.
 */
static void read_sections(struct code_names *names, bool relocatable, size_t names_index,
			  uint64_t *bases)
{
	uint64_t end = FIRST_ADDRESS;
	Elf_Scn *section = NULL;

	while ((section = elf_nextscn(names->elf, section))) {
		struct code_section known = { 0 };
		GElf_Shdr header;

		if (!gelf_getshdr(section, &header) || !(header.sh_flags & SHF_ALLOC))
			continue;
		known.name = elf_strptr(names->elf, names_index, header.sh_name);
		known.address = header.sh_addr;
		if (relocatable) {
			known.address = bases[elf_ndxscn(section)] = end;
			/* One byte more: what ends one section does not begin the next. */
			end += header.sh_size + 1;
		}
		if (known.name)
			array_push(&names->sections, known);
	}
}

static bool read_elf(struct code_names *names, const char *path, struct error *err)
{
	size_t names_index, count;
	GElf_Ehdr header;
	uint64_t *bases;
	bool relocatable, ok;

	if (!gelf_getehdr(names->elf, &header) || elf_getshdrnum(names->elf, &count) ||
	    elf_getshdrstrndx(names->elf, &names_index))
		return error_at(err, path, "cannot read as ELF: %s; is the file intact?",
				elf_errmsg(-1));
	relocatable = header.e_type == ET_REL;
	bases = memory_zeroed(count, sizeof(*bases));
	read_sections(names, relocatable, names_index, bases);
	ok = symbol_table_read(&names->symbols, names->elf, relocatable ? bases : NULL, path, err);
	free(bases);
	return ok;
}

bool code_names_open(struct code_names *names, const char *path, const struct btf_reader *btf,
		     const struct abi *abi, struct error *err)
{
	*names = (struct code_names){ .abi = abi, .fd = open(path, O_RDONLY | O_CLOEXEC) };
	elf_version(EV_CURRENT);
	if (names->fd >= 0)
		names->elf = elf_begin(names->fd, ELF_C_READ_MMAP, NULL);
	if (!names->elf || elf_kind(names->elf) != ELF_K_ELF) {
		if (!abi)
			names->abi = host_abi(btf);
		return true;
	}
	if (!abi)
		names->abi = elf_abi(names->elf);
	return read_elf(names, path, err);
}

void code_names_release(struct code_names *names)
{
	symbol_table_release(&names->symbols);
	array_release(&names->sections);
	elf_end(names->elf);
	if (names->fd >= 0)
		close(names->fd);
}

/* ---- answers ---- */

const char *code_names_register(const void *context, uint32_t dwarf_number)
{
	const struct code_names *names = context;

	return names->abi ? abi_register_name(names->abi, dwarf_number) : NULL;
}

static bool address_of(const struct code_names *names, const char *section, uint32_t offset,
		       uint64_t *address)
{
	for (size_t i = 0; i < names->sections.count; i++) {
		if (strcmp(names->sections.data[i].name, section) == 0) {
			*address = names->sections.data[i].address + offset;
			return true;
		}
	}
	return false;
}

/* Of several symbols at one address the function's own, if it is one of them. */
static bool is_symbol_at(const struct code_names *names, const char *function, uint64_t address)
{
	struct symbol_search search = symbol_table_search(&names->symbols, function);
	const struct symbol *symbol;

	while ((symbol = symbol_search_next(&search))) {
		if (symbol->address == address && symbol_is_function(symbol))
			return true;
	}
	return false;
}

int code_names_place(const void *context, const char *section, uint32_t offset,
		     const char *function, char *buffer, size_t bytes)
{
	const struct code_names *names = context;
	const struct symbol *symbol;
	uint64_t address;

	if (!names->symbols.symbols.count || !address_of(names, section, offset, &address))
		return 0;
	if (is_symbol_at(names, function, address))
		return snprintf(buffer, bytes, "%s+0x0", function);
	symbol = symbol_table_enclosing(&names->symbols, address);
	return symbol ? snprintf(buffer, bytes, "%s+0x%" PRIx64, symbol->name,
				 address - symbol->address) : 0;
}
