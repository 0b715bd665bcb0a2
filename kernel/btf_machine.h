/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The machine that a file without DWARF is of. */
#ifndef BTFENC_KERNEL_BTF_MACHINE_H
#define BTFENC_KERNEL_BTF_MACHINE_H

#include "btf/reader.h"
#include "dwarf/abi/abi.h"
#include "elf/object.h"

/* Which machine a file without DWARF is of: what registers are called, how large a word is. */
struct btf_machine {
	uint16_t number;		/* EM_*; 0: nothing tells for certain */
	const struct abi *abi;		/* NULL: nothing tells */
	uint8_t word_bytes;
};

/* Of an ELF file; of raw BTF by its types (object NULL): its own, and those of its bases. */
struct btf_machine btf_machine_of(const struct object *object, const struct btf_reader *btf);

/* Its name as a user writes it, "x86-64"; NULL: there is no such machine. */
const struct abi *btf_machine_named(const char *name);

#endif
