/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The prototypes that a BTF file promises, read by libbpf. */
#ifndef BTFENC_TESTS_TRUTH_BTF_PROTOTYPES_H
#define BTFENC_TESTS_TRUTH_BTF_PROTOTYPES_H

#include "prototype.h"

struct btf;

struct btf *btf_open(const char *path, size_t pointer_bytes);

/* False if there is no FUNC of that name, or several; *count is their number. */
bool btf_prototype(const struct btf *btf, const char *name, struct prototype *prototype,
		   unsigned int *count);

#endif
