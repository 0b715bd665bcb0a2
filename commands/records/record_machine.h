/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Which machine a file without DWARF is of: what registers are called, how large a word is. */
#ifndef BTFENC_COMMANDS_RECORDS_RECORD_MACHINE_H
#define BTFENC_COMMANDS_RECORDS_RECORD_MACHINE_H

#include "btf/reader.h"
#include "dwarf/abi/abi.h"

struct record_machine {
	const struct abi *abi;		/* NULL: nothing tells */
	uint8_t word_bytes;
};

/* Of an ELF file; of raw BTF by its types (object NULL): its own, and those of its bases. */
struct record_machine record_machine_of(const struct object *object, const struct btf_reader *btf);

/* Its name as a user writes it, "x86-64"; NULL: there is no such machine. */
const struct abi *record_machine_named(const char *name);

#endif
