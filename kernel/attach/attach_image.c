/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "kernel/attach/attach_image.h"

#include <elf.h>
#include <gelf.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "elf/section_header.h"

const struct section_header *attach_section_at(const struct object *object, uint64_t address)
{
	return object ? section_index_at(&object->index, address) : NULL;
}

const uint8_t *attach_bytes(const struct object *object, uint64_t address, size_t *size)
{
	const struct section_header *header = attach_section_at(object, address);
	const uint8_t *bytes =
		header ? object_loaded_bytes(object, (size_t)(header - object->headers), size)
		       : NULL;
	uint64_t offset = header ? address - header->address : 0;

	if (!bytes || offset >= *size)
		return NULL;
	*size -= offset;
	return bytes + offset;
}

uint32_t attach_relative_type(uint16_t machine)
{
	switch (machine) {
	case EM_X86_64: return R_X86_64_RELATIVE;
	case EM_AARCH64: return R_AARCH64_RELATIVE;
	case EM_S390: return R_390_RELATIVE;
	case EM_PPC64: return R_PPC64_RELATIVE;
	case EM_RISCV: return R_RISCV_RELATIVE;
	case EM_LOONGARCH: return 3;
	default: return 0;
	}
}

Elf *attach_elf(const struct object *object)
{
	return object->image ? object->image->elf : object->elf;
}

/*
 * The word that a kernel that moves itself when it boots (arm64 with RANDOMIZE_BASE) puts there:
 * its file has zero, and the address in .rela.dyn, where linkers put the relative ones first, by
 * place (-z combreloc). With .relr.dyn the address is in the word itself. 0: none.
 */
static uint64_t relocated_word(const struct object *object, uint64_t address)
{
	Elf *elf = attach_elf(object);
	Elf_Scn *scn = NULL;
	GElf_Ehdr header;
	GElf_Shdr section;
	GElf_Rela rela;
	uint32_t type;

	while (gelf_getehdr(elf, &header) && (scn = elf_nextscn(elf, scn))) {
		Elf_Data *data;
		size_t count, i;

		if (!gelf_getshdr(scn, &section) || section.sh_type != SHT_RELA ||
		    !(section.sh_flags & SHF_ALLOC) || !section.sh_entsize ||
		    !(data = elf_getdata(scn, NULL)))
			continue;
		type = attach_relative_type(header.e_machine);
		count = data->d_size / section.sh_entsize;
		i = lower_bound(k, count, gelf_getrela(data, (int)k, &rela) &&
					  GELF_R_TYPE(rela.r_info) == type &&
					  rela.r_offset < address);
		if (i < count && gelf_getrela(data, (int)i, &rela) && rela.r_offset == address &&
		    GELF_R_TYPE(rela.r_info) == type)
			return (uint64_t)rela.r_addend;
	}
	return 0;
}

bool attach_word(const struct object *object, uint64_t address, uint64_t *word)
{
	size_t size;
	const uint8_t *p = attach_bytes(object, address, &size);

	if (!p || size < object->address_bytes)
		return false;
	*word = object->address_bytes == 8 ? bytes_load_u64(p, object->swap)
					   : bytes_load_u32(p, object->swap);
	if (!*word && !object->relocatable)
		*word = relocated_word(object, address);
	return true;
}

const char *attach_string(const struct object *object, uint64_t address)
{
	size_t size;
	const uint8_t *p = attach_bytes(object, address, &size);

	return p && memchr(p, 0, size) ? (const char *)p : NULL;
}
