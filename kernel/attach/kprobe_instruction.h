/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Instructions that no kprobe can be set to, by machine. */
#ifndef BTFENC_KERNEL_ATTACH_KPROBE_INSTRUCTION_H
#define BTFENC_KERNEL_ATTACH_KPROBE_INSTRUCTION_H

#include <stddef.h>
#include <stdint.h>

#include "dwarf/abi/abi.h"
#include "kallsyms/kernel_version.h"
#include "kernel/attach/answer.h"

/*
 * Do kernels of that release take a kprobe at the instruction `code + at`? YES, too, if nothing is
 * known; UNKNOWN: some of them do. `code` has `size` bytes, from the start of the symbol around the
 * instruction on. `abi` may be NULL.
 */
struct answer kprobe_instruction_is_taken(const struct abi *abi, struct kernel_version version,
					  const uint8_t *code, size_t size, size_t at);

#endif
