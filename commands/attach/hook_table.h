/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Where functions have a tracer's hook, which fentry needs: the table __mcount_loc of an image, or
 * of a module (__patchable_function_entries of arm64 and riscv64 modules).
 *
 * An entry is the address of what ftrace patches, and where that is depends on the machine: at the
 * symbol (x86, s390), after an endbr64, up to two words in front of the symbol (arm64, riscv64:
 * NOPs), in the prologue (ppc64le: +4 or +12, arm: +4 to +16). The kernel takes the first entry in
 * a symbol's extent for its hook (ftrace_location(), since 5.18), and so it is here.
 */
#ifndef BTFENC_COMMANDS_ATTACH_HOOK_TABLE_H
#define BTFENC_COMMANDS_ATTACH_HOOK_TABLE_H

#include <libelf.h>
#include <stdbool.h>
#include <stdint.h>

#include "dwarf/abi/abi.h"

enum attach_answer {
	ATTACH_UNKNOWN,		/* the image has no such table */
	ATTACH_NO,
	ATTACH_YES,
};

struct hook_table {
	Elf *elf;		/* of a linked image, for its relative relocations; else NULL */
	uint64_t address;
	const uint8_t *words;	/* addresses of hooks, in the byte order of the file */
	uint64_t size;		/* in bytes */
	uint8_t word_bytes;	/* 4 or 8 */
	bool swap;		/* the file's byte order is not the host's */
};

/*
 * Has the function that is entered there a hook? `size_bytes` is its symbol's, 0: not known. `abi`
 * may be NULL. UNKNOWN also where only a link or the boot fills the table.
 */
enum attach_answer hook_table_ask(const struct hook_table *table, const struct abi *abi,
				  uint64_t entry, uint64_t size_bytes);

#endif
