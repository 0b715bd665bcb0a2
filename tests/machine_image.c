/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE
#include "tests/cmocka_all.h"

#include "tests/machine_image.h"

#include <gelf.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/*
 * The functions that the rows call, by name: `f` and `nonleaf` call a pointer, `leaf` writes
 * rax alone, `saver` pushes rdi around a call, `getter` returns a value in rdx, `traced` begins
 * with a call of fentry, `outside` writes rdi and jumps back to TEXT + 13, `empty` (the return
 * thunk) just returns, `keeper` saves and restores rax, `trapper` traps before it reads rax,
 * `trasher` writes all argument registers.
 */
static const struct {
	uint32_t address;
	const char *bytes;
	size_t size;
} x86_helpers[] = {
	{ 0x10800, BYTES("\xff\xd0\xc3") },				/* nonleaf */
	{ 0x10840, BYTES("\xb8\x01\x00\x00\x00\xc3") },		/* leaf */
	{ 0x10860, BYTES("\x57\xe8\x9a\xff\xff\xff\x5f\xc3") },	/* saver */
	{ 0x10880, BYTES("\x48\x8b\x10\xc3") },			/* getter */
	{ 0x108a0, BYTES("\xc3") },					/* __x86_return_thunk */
	{ 0x108c0, BYTES("\xc3") },					/* __fentry__ */
	{ 0x108e0, BYTES("\xff\xd0\xc3") },			/* __x86_indirect_thunk_rax */
	{ 0x10900, BYTES("\xff\xd0\xc3") },				/* f */
	{ 0x10940, BYTES("\xe8\x7b\xff\xff\xff\xb8\x01\x00\x00\x00\xc3") },	/* traced */
	{ 0x10a00, BYTES("\x89\xd7\xe9\x06\xf6\xff\xff") },		/* outside */
	{ 0x10a20, BYTES("\x50\xe8\x1a\xfe\xff\xff\x58\xc3") },	/* keeper */
	{ 0x10a40, BYTES("\x0f\x0b\x89\xc3\xc3") },			/* trapper */
	/* trasher */
	{ 0x10a60, BYTES("\x31\xff\x31\xf6\x31\xd2\x31\xc9\x45\x31\xc0\x45\x31\xc9\xc3") },
};

/* nonleaf and f: blr x8; ret */
static const uint32_t arm64_helpers[] = { 0x10800, 0x10900 };

static const struct {
	const char *name;
	uint32_t address;
	unsigned char type;
} symbols[] = {
	{ "__x86_return_thunk", 0x108a0, STT_FUNC },
	{ "__fentry__", 0x108c0, STT_FUNC },
	{ "mcount", 0x108c8, STT_FUNC },
	{ "mcount", TABLES + 8, STT_OBJECT },
	{ "__x86_indirect_thunk_rax", 0x108e0, STT_FUNC },
	{ "__start___jump_table", TABLES + 0x40, STT_NOTYPE },
	{ "__stop___jump_table", TABLES + 0x50, STT_NOTYPE },
};

void put_le32(uint8_t *at, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		at[i] = (uint8_t)(value >> 8 * i);
}

void machine_image_init(struct machine_image *image, uint16_t machine)
{
	*image = (struct machine_image){ .machine = machine, .fd = -1 };
	if (machine == EM_AARCH64) {
		for (size_t i = 0; i < LENGTH(arm64_helpers); i++) {
			put_le32(image->text + (arm64_helpers[i] - TEXT), 0xd63f0100);
			put_le32(image->text + (arm64_helpers[i] - TEXT) + 4, 0xd65f03c0);
		}
		return;
	}
	memset(image->text, 0xcc, sizeof(image->text));
	for (size_t i = 0; i < LENGTH(x86_helpers); i++)
		memcpy(image->text + (x86_helpers[i].address - TEXT), x86_helpers[i].bytes,
		       x86_helpers[i].size);
	/* Twice TEXT + 16, then something that is not an address in the function. */
	put_le32(image->tables, TEXT + 16);
	put_le32(image->tables + 8, TEXT + 16);
}

static void add_section(Elf *elf, uint32_t name, uint32_t type, uint64_t flags, uint64_t address,
			void *bytes, size_t size, Elf_Type data_type, uint32_t link)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = elf_newdata(scn);
	GElf_Shdr header;

	data->d_buf = bytes;
	data->d_size = size;
	data->d_type = data_type;
	data->d_align = 1;
	data->d_version = EV_CURRENT;
	assert_non_null(gelf_getshdr(scn, &header));
	header.sh_name = name;
	header.sh_type = type;
	header.sh_flags = flags;
	header.sh_addr = address;
	header.sh_link = link;
	header.sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0;
	assert_true(gelf_update_shdr(scn, &header));
}

/* Offsets of the names below. */
static char section_names[] = "\0.text\0.tables\0.bss.text\0.symtab\0.debug_info\0.debug_abbrev"
			      "\0__ex_table";

static uint32_t name_at(const char *name)
{
	for (size_t i = 1; i < sizeof(section_names); i++)
		if (section_names[i - 1] == '\0' && strcmp(section_names + i, name) == 0)
			return (uint32_t)i;
	fail_msg("%s", name);
	return 0;
}

static void add_symbols(Elf *elf, Elf64_Sym *table, char *names)
{
	size_t length = 1;

	names[0] = '\0';
	table[0] = (Elf64_Sym){ 0 };
	for (size_t i = 0; i < LENGTH(symbols); i++) {
		table[i + 1] = (Elf64_Sym){ .st_name = (Elf64_Word)length,
					    .st_info = ELF64_ST_INFO(STB_GLOBAL, symbols[i].type),
					    .st_shndx = 1,
					    .st_value = symbols[i].address };
		memcpy(names + length, symbols[i].name, strlen(symbols[i].name) + 1);
		length += strlen(symbols[i].name) + 1;
	}
	add_section(elf, name_at(".symtab"), SHT_SYMTAB, 0, 0, table,
		    (LENGTH(symbols) + 1) * sizeof(*table), ELF_T_SYM, 7);
	add_section(elf, name_at(".symtab"), SHT_STRTAB, 0, 0, names, length, ELF_T_BYTE, 0);
}

static void image_write(struct machine_image *image)
{
	static char none[1];
	Elf64_Sym table[LENGTH(symbols) + 1];
	char names[256];
	Elf64_Ehdr *header;
	Elf *elf;

	image->fd = memfd_create("image", 0);
	assert_true(image->fd >= 0);
	elf_version(EV_CURRENT);
	elf = elf_begin(image->fd, ELF_C_WRITE, NULL);
	header = elf64_newehdr(elf);
	header->e_ident[EI_DATA] = ELFDATA2LSB;
	header->e_type = ET_EXEC;
	header->e_machine = image->machine;
	header->e_version = EV_CURRENT;
	header->e_shstrndx = 8;
	add_section(elf, name_at(".text"), SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, TEXT,
		    image->text, sizeof(image->text), ELF_T_BYTE, 0);
	add_section(elf, name_at(".tables"), SHT_PROGBITS, SHF_ALLOC, TABLES, image->tables,
		    sizeof(image->tables), ELF_T_BYTE, 0);
	add_section(elf, name_at(".bss.text"), SHT_NOBITS, SHF_ALLOC | SHF_EXECINSTR, NO_BYTES,
		    NULL, 64, ELF_T_BYTE, 0);
	add_section(elf, name_at(".debug_info"), SHT_PROGBITS, 0, 0, none, 1, ELF_T_BYTE, 0);
	add_section(elf, name_at(".debug_abbrev"), SHT_PROGBITS, 0, 0, none, 1, ELF_T_BYTE, 0);
	add_symbols(elf, table, names);
	add_section(elf, name_at(".symtab"), SHT_STRTAB, 0, 0, section_names,
		    sizeof(section_names), ELF_T_BYTE, 0);
	if (image->has_faults)
		add_section(elf, name_at("__ex_table"), SHT_PROGBITS, SHF_ALLOC, TABLES + 0x100,
			    image->faults, sizeof(image->faults), ELF_T_BYTE, 0);
	assert_true(elf_update(elf, ELF_C_WRITE) > 0);
	elf_end(elf);
}

void machine_image_open(struct machine_image *image)
{
	struct error err = { 0 };

	image_write(image);
	snprintf(image->path, sizeof(image->path), "/proc/self/fd/%d", image->fd);
	assert_true(object_open(&image->object, image->path, &err));
	machine_code_open(&image->code, &image->object);
	assert_int_equal(image->code.machine, image->machine);
}

void machine_image_close(struct machine_image *image)
{
	machine_code_close(&image->code);
	object_close(&image->object);
	close(image->fd);
}

void machine_image_with(struct machine_image *image, uint16_t machine, const char *bytes,
			size_t size)
{
	machine_image_init(image, machine);
	memcpy(image->text, bytes, size);
	machine_image_open(image);
}
