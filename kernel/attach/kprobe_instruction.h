/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Instructions that no kprobe can be set to, by machine. */
#ifndef BTFENC_KERNEL_ATTACH_KPROBE_INSTRUCTION_H
#define BTFENC_KERNEL_ATTACH_KPROBE_INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

#include "dwarf/abi/abi.h"
#include "kallsyms/kernel_version.h"

/* In front of a reason: it is not known whether that is so. */
#define MAYBE "?"

/*
 * Why kernels of that release refuse a kprobe at the instruction `code + at`, with MAYBE in front:
 * why some of them do; NULL: they do not, or nothing is known. `code` has `size` bytes, from the
 * start of the symbol around the instruction on. `abi` may be NULL.
 */
const char *kprobe_instruction_refusal(const struct abi *abi, struct kernel_version version,
				       const uint8_t *code, size_t size, size_t at);

#endif
