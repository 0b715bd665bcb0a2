/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Prints BTF as text, line for line as `bpftool btf dump file X` (raw format, v7.1) does.
 */
#ifndef BTFENC_BTF_PRINTER_H
#define BTFENC_BTF_PRINTER_H

#include <stdio.h>

#include "btf/reader.h"

/*
 * All types of the BTF, without its base's. Write errors stay in `out` (ferror). When the reader
 * could not index the whole type section, what it has is printed; the caller says so.
 */
void btf_print(const struct btf_reader *btf, FILE *out);

/* One type; the id must exist. */
void btf_print_type(const struct btf_reader *btf, uint32_t id, FILE *out);

#endif
