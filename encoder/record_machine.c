/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An ELF file says it in its header. Raw BTF does not, but a kernel of each machine has a struct
 * that no other has: mostly the registers on entry to the kernel, pt_regs. A module's BTF has it
 * in its base.
 */
#include "encoder/record_machine.h"

#include <elf.h>
#include <string.h>

#include "base/bytes.h"

#ifndef EM_LOONGARCH
#define EM_LOONGARCH 258
#endif

struct machine_row {
	const char *record;	/* a struct ... */
	const char *member;	/* ... and what it has; NULL: anything */
	uint16_t machine;
	uint16_t machine_32;	/* the same with 32 bits */
};

static const struct machine_row rows[] = {
	{ "pt_regs", "di", EM_X86_64, EM_386 },
	{ "pt_regs", "pstate", EM_AARCH64, EM_NONE },
	{ "pt_regs", "gprs", EM_S390, EM_S390 },
	{ "pt_regs", "epc", EM_RISCV, EM_RISCV },
	{ "pt_regs", "csr_era", EM_LOONGARCH, EM_LOONGARCH },
	{ "pt_regs", "uregs", EM_NONE, EM_ARM },
	{ "paca_struct", NULL, EM_PPC64, EM_NONE },
};

static bool has_member(const struct records *records, const uint32_t *words, const char *name)
{
	uint32_t count = btf_info_vlen(words[BTF_WORD_INFO]);

	for (uint32_t i = 0; name && i < count; i++) {
		if (strcmp(records_string(records, words[BTF_HEAD_WORDS + 3 * i]), name) == 0)
			return true;
	}
	return !name;
}

static const struct machine_row *row_of(const struct records *records, const uint32_t *words)
{
	const char *name = records_string(records, words[BTF_WORD_NAME]);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(name, rows[i].record) == 0 && has_member(records, words, rows[i].member))
			return &rows[i];
	}
	return NULL;
}

static bool is_long(const struct records *records, const uint32_t *words)
{
	const char *name = records_string(records, words[BTF_WORD_NAME]);

	return strcmp(name, "long unsigned int") == 0 || strcmp(name, "unsigned long") == 0;
}

static void find_by_types(struct records *records)
{
	bool is_big_endian = records->input.btf.swapped != HOST_IS_BIG_ENDIAN;
	uint32_t end = btf_reader_end_id(records->btf);
	const struct machine_row *row = NULL;

	for (uint32_t id = 1; id < end; id++) {
		const uint32_t *words = btf_reader_type(records->btf, id);
		enum btf_kind kind = words ? btf_info_kind(words[BTF_WORD_INFO]) : BTF_VOID;

		if (kind == BTF_INT && words[BTF_WORD_SIZE] == 4 && is_long(records, words))
			records->word_bytes = 4;
		else if (kind == BTF_STRUCT && !row)
			row = row_of(records, words);
	}
	if (row)
		records->abi = abi_find(records->word_bytes == 4 ? row->machine_32 : row->machine,
					records->word_bytes, is_big_endian);
}

void record_machine_find(struct records *records)
{
	records->word_bytes = 8;
	if (records->is_elf) {
		records->word_bytes = records->elf.address_bytes;
		records->abi = abi_find(records->elf.machine, records->word_bytes,
					records->elf.is_big_endian);
	} else {
		find_by_types(records);
	}
}
