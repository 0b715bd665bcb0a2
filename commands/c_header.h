/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The types of BTF as C, by libbpf: vmlinux.h. */
#ifndef BTFENC_COMMANDS_C_HEADER_H
#define BTFENC_COMMANDS_C_HEADER_H

#include <stdio.h>

#include "base/error.h"
#include "btf/reader.h"

struct c_types {
	const uint32_t *ids;
	size_t count;
	const bool *wanted;	/* by id: these types, and what has to be declared before them */
};

/*
 * These types of the BTF or of its bases. Without `wanted` all of the BTF without its bases', and
 * its kfuncs, as a header for BPF programs. False: libbpf cannot be had, or the BTF is refused.
 */
bool c_print(const struct btf_reader *btf, const struct c_types *types, FILE *out,
	     struct error *err);

#endif
