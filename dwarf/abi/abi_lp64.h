/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The integer convention that riscv64 and loongarch64 share: eight registers, up to two of them for
 * a value, the last of them also for the first half of one; longer ones by reference. Floating
 * point counts as integers.
 */
#ifndef BTFENC_DWARF_ABI_ABI_LP64_H
#define BTFENC_DWARF_ABI_ABI_LP64_H

#include "dwarf/abi/abi_state.h"

bool abi_lp64_assign(const struct abi *abi, const struct abi_prototype *prototype,
		     struct abi_call *call, struct abi_place *parameters);

#endif
