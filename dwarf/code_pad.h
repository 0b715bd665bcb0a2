/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Pads: instructions at a function's entry that leave all arguments alone, per machine. NOPs, which
 * -fpatchable-function-entry and -mnop-mcount leave for a tracer to overwrite, arm64's hints (bti,
 * paciasp), ppc64le's way from the global to the local entry, s390's call of the hook. They are
 * told by their bytes, so this works where no decoder does, and on a module before anything is
 * relocated. (The calls of hooks on x86-64 and arm64 are known by their target:
 * dwarf/code/machine_code.h.)
 */
#ifndef BTFENC_DWARF_CODE_PAD_H
#define BTFENC_DWARF_CODE_PAD_H

#include "elf/object.h"

/* Bytes of pads at an entry that are looked over; kernels have 8 to 16 (of x86 21 in tests). */
#define CODE_PADS_MAX 256

/* Length of the pad that the bytes begin with; 0: it is none, or the machine (EM_*) has no row. */
size_t code_pad_length(uint16_t machine, const uint8_t *bytes, size_t size);

/* The bytes of executable sections, as they are in the file. Read-only once opened. */
struct code_pads {
	const struct object *object;
	uint16_t machine;
	const uint8_t **bytes;	/* by ELF section index; NULL: the file has none */
};

/* Calls libelf, which is not for two threads at once. The object must outlive it. */
void code_pads_open(struct code_pads *pads, const struct object *object);
void code_pads_close(struct code_pads *pads);

/*
 * The first address from `begin` on that is not a pad, or where a pad reaches or passes `limit`.
 * `begin` itself where the section has no bytes.
 */
uint64_t code_pads_end(const struct code_pads *pads, uint32_t section, uint64_t begin,
		       uint64_t limit);

#endif
