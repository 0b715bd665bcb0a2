/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The types of BTF as C, by libbpf: vmlinux.h. */
#ifndef BTFENC_COMMANDS_C_HEADER_H
#define BTFENC_COMMANDS_C_HEADER_H

#include <stdio.h>

#include "base/error.h"
#include "btf/reader.h"

/*
 * All types of the BTF without its bases', and its kfuncs, as a header for BPF programs. False:
 * libbpf cannot be had, or refuses the BTF.
 */
bool c_header_print(const struct btf_reader *btf, FILE *out, struct error *err);

/* Only these types of it or of its bases, and what has to be declared before them. */
bool c_types_print(const struct btf_reader *btf, const uint32_t *ids, size_t count, FILE *out,
		   struct error *err);

#endif
