/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "commands/attach/hook_table.h"

#include <gelf.h>

#include "base/bytes.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

/* Of a symbol without a size: an endbr64 and a call. */
#define ENTRY_BYTES 16

struct hook_range {
	uint64_t begin, end;
	bool any;	/* the table has an entry that is not 0 */
	bool found;
};

static void note_hook(struct hook_range *range, uint64_t address)
{
	range->any |= address != 0;
	range->found |= address >= range->begin && address < range->end;
}

/* The type of "base + addend": psABI of each machine. */
static uint32_t relative_type(uint16_t machine)
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

/*
 * A kernel that moves itself when it boots (arm64 with RANDOMIZE_BASE) has zeros in the table, and
 * the addresses in .rela.dyn.
 */
static void note_relocations(const struct hook_table *table, Elf_Scn *scn, struct hook_range *range)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	GElf_Ehdr header;
	GElf_Rela rela;

	if (!data || !gelf_getehdr(table->elf, &header))
		return;
	for (int i = 0; gelf_getrela(data, i, &rela); i++) {
		if (rela.r_offset - table->address < table->size &&
		    GELF_R_TYPE(rela.r_info) == relative_type(header.e_machine))
			note_hook(range, (uint64_t)rela.r_addend);
	}
}

enum attach_answer hook_table_ask(const struct hook_table *table, const struct abi *abi,
				  uint64_t entry, uint64_t size_bytes)
{
	struct hook_range range = {
		.begin = entry - (abi ? abi->hook_bytes_before : 0),
		.end = entry + (size_bytes ? size_bytes : ENTRY_BYTES),
	};
	Elf_Scn *scn = NULL;

	if (range.end < entry)
		range.end = UINT64_MAX;
	for (uint64_t i = 0; i + table->word_bytes <= table->size; i += table->word_bytes)
		note_hook(&range, table->word_bytes == 8
					  ? bytes_load_u64(table->words + i, table->swap)
					  : bytes_load_u32(table->words + i, table->swap));
	while (table->elf && !range.any && (scn = elf_nextscn(table->elf, scn))) {
		GElf_Shdr header;

		if (gelf_getshdr(scn, &header) && header.sh_type == SHT_RELA &&
		    header.sh_flags & SHF_ALLOC)
			note_relocations(table, scn, &range);
	}
	if (range.found)
		return ATTACH_YES;
	return range.any ? ATTACH_NO : ATTACH_UNKNOWN;
}
