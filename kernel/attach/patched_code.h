/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Instructions that no kprobe can be set to (kprobe_instruction.c), and code that the kernel
 * replaces when it boots, or loads the module.
 */
#ifndef BTFENC_KERNEL_ATTACH_PATCHED_CODE_H
#define BTFENC_KERNEL_ATTACH_PATCHED_CODE_H

#include "kernel/attach/attach_image.h"

/*
 * Do kernels of that release take a kprobe at the instruction `code + at`? YES, too, if nothing is
 * known; UNKNOWN: some of them do. `code` has `size` bytes, from the start of the symbol around the
 * instruction on. `abi` may be NULL.
 */
struct answer kprobe_instruction_is_taken(const struct abi *abi, struct kernel_version version,
					  const uint8_t *code, size_t size, size_t at);

/* One replacement of some bytes. */
struct patch {
	uint64_t address;
	const uint8_t *code;	/* what may be there instead; NOPs after its end */
	uint32_t number;	/* patches of one address are applied in this order */
	uint8_t size, code_size;
	bool is_certain;	/* whatever the processor: what was there before does not run */
	bool is_unknown;	/* a function of the kernel makes the code */
};

/* By address and number. */
struct patches {
	struct patch *data;
	size_t count, capacity;
};

/* `alternatives`, `paravirt`: the tables, as long as the image has them. */
void patches_read(struct patches *patches, const struct attach_image *image,
		  const struct attach_span *alternatives, const struct attach_span *paravirt);

/*
 * Does the kernel of the image take a kprobe at the instruction `code + at`, as
 * kprobe_instruction_is_taken() says it, by all that may be there when it runs? The instruction is
 * at `address`.
 */
struct answer patched_code_is_taken(const struct patches *patches, const struct attach_image *image,
				    uint64_t address, const uint8_t *code, size_t size, size_t at);

/*
 * May a NOP of five bytes be at the entry? x86-64 lets fentry programs put their call there if the
 * function has no hook (bpf_arch_text_poke()).
 */
bool patches_make_nop(const struct patches *patches, const struct attach_image *image,
		      uint64_t entry);

#endif
