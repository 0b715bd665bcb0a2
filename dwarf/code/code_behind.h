/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Is what a call left in a register looked at after it? The value is followed along all paths
 * until each has overwritten it.
 */
#ifndef BTFENC_DWARF_CODE_CODE_BEHIND_H
#define BTFENC_DWARF_CODE_CODE_BEHIND_H

#include "dwarf/code/code_callee.h"

/* Of the call in [begin, end) that ends at return_pc; CODE_UNKNOWN when there is none. */
enum code_use code_use_behind(struct code_callees *callees, uint64_t begin, uint64_t end,
			      uint64_t return_pc, unsigned int reg);

#endif
