/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Instructions that do nothing, per machine: what -fpatchable-function-entry and -mnop-mcount leave
 * at a function's entry for a tracer to overwrite. They are told by their bytes, so this works
 * where no decoder does, and on a module before anything is relocated.
 */
#ifndef BTFENC_DWARF_CODE_PAD_H
#define BTFENC_DWARF_CODE_PAD_H

#include "dwarf/object.h"

/*
 * Length of the NOP that the bytes begin with; 0: it is none, or the machine (EM_*) has no row.
 * On arm64 all hints count, bti and paciasp among them: they leave arguments alone, too.
 */
size_t code_nop_length(uint16_t machine, const uint8_t *bytes, size_t size);

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
 * The first address from `begin` on that is no NOP, or where a NOP reaches or passes `limit`.
 * `begin` itself where the section has no bytes.
 */
uint64_t code_pads_end(const struct code_pads *pads, uint32_t section, uint64_t begin,
		       uint64_t limit);

#endif
