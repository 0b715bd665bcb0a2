/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Is a place in memory about to be filled? Compilers say of a variable in memory that it is in its
 * slot from the start of its scope on, though the first instructions there are those that put it
 * there.
 */
#ifndef BTFENC_DWARF_CODE_CODE_SLOT_H
#define BTFENC_DWARF_CODE_CODE_SLOT_H

#include "dwarf/code/code_graph.h"

/*
 * Does an instruction from `pc` on, up to the first that does not just go on to the next, write
 * some of the `size` bytes at register `base` + offset? What follows is not looked at.
 */
bool code_slot_is_filled(const struct code_graph *graph, uint64_t pc, unsigned int base,
			 int64_t offset, uint64_t size);

#endif
