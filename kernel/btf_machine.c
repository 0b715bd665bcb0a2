/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * An ELF file says it in its header. Raw BTF does not, but a kernel of each machine has a struct
 * that no other has: mostly the registers on entry to the kernel, pt_regs. A module's BTF has it
 * in its base. What has none of them is not a kernel; it is taken for something of this machine.
 */
#include "kernel/btf_machine.h"

#include <elf.h>
#include <string.h>

#include "base/bytes.h"
#include "elf/section_header.h"
#include "kernel/type_source.h"

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
#define HOST_MACHINE EM_LOONGARCH
#else
#define HOST_MACHINE EM_NONE
#endif

struct machine_row {
	const char *record;	/* a struct ... */
	const char *member;	/* ... and what it has; NULL: anything */
	uint16_t machine;
	uint16_t machine_32;	/* the same with 32 bits */
};

static const struct machine_row rows[] = {
	{ "pt_regs", "di", EM_X86_64, EM_386 },
	/* Its pt_regs has that in a struct without a name, and this one in a union with it. */
	{ "user_pt_regs", "pstate", EM_AARCH64, EM_NONE },
	{ "pt_regs", "orig_gpr2", EM_S390, EM_S390 },
	{ "pt_regs", "epc", EM_RISCV, EM_RISCV },
	{ "pt_regs", "csr_era", EM_LOONGARCH, EM_LOONGARCH },
	{ "pt_regs", "uregs", EM_NONE, EM_ARM },
	{ "paca_struct", NULL, EM_PPC64, EM_NONE },
};

static const struct machine_row *find_machine(const struct btf_reader *btf, const uint32_t *words)
{
	const struct type_source types = { .btf = btf };
	const char *name = btf_type_name(btf, words);

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (strcmp(name, rows[i].record) == 0 &&
		    (!rows[i].member || type_member(&types, words, rows[i].member)))
			return &rows[i];
	}
	return NULL;
}

static struct btf_machine machine_by_types(const struct btf_reader *btf)
{
	bool is_big_endian = btf->swapped != HOST_IS_BIG_ENDIAN;
	struct btf_machine machine = {
		.word_bytes = btf_pointer_bytes(btf) == 4 ? 4 : 8 };
	const struct machine_row *row = NULL;
	uint16_t number = HOST_MACHINE;

	for (uint32_t id = 1; !row && id < btf_reader_end_id(btf); id++) {
		const uint32_t *words = btf_reader_type(btf, id);

		if (btf_record_kind(words) == BTF_STRUCT)
			row = find_machine(btf, words);
	}
	if (row)
		machine.number = number = machine.word_bytes == 4 ? row->machine_32 : row->machine;
	else if (btf->swapped || machine.word_bytes != sizeof(void *))
		return machine;
	machine.abi = abi_find(number, machine.word_bytes, is_big_endian);
	return machine;
}

struct btf_machine btf_machine_of(const struct object *object, const struct btf_reader *btf)
{
	return object ? (struct btf_machine){ object->machine, abi_of(object),
						object->address_bytes }
		      : machine_by_types(btf);
}

const struct abi *btf_machine_named(const char *name)
{
	const struct abi *abi;

	for (size_t i = 0; (abi = abi_at(i)); i++) {
		if (strcmp(abi->name, name) == 0)
			return abi;
	}
	return NULL;
}
