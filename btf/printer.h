/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Prints BTF as text, line for line as `bpftool btf dump file X` (raw, 7.1 to 7.8) does.
 *
 * Sites and locations (docs/format.md) have lines in the same manner, and in parentheses what they
 * say, in words:
 *
 *	[4] LOC_PARAM '(anon)' size=8 vlen=2 flags=0x38 values=7,16 (+16(%sp))
 *	[5] LOC_PROTO '(anon)' vlen=2
 *		type_id=4 (+16(%sp))
 *		type_id=0 (?)
 *	[6] LOCSEC '.text' vlen=1
 *		func_id=3 loc_proto_id=5 offset=0x1a40 (caller+0x12: f a=+16(%sp) b=?)
 *	[8] LOC '(anon)' type_id=2 vlen=2
 *		'a' location=%di
 *		'b' location=?
 *	[9] DATASEC '.text' size=4096 vlen=3
 *		type_id=3 offset=0x10 location_type_id=2 (f+0x0: f by convention)
 *		type_id=3 offset=0x20 location_type_id=8 (caller+0x12: f a=%di b=?)
 *		type_id=7 offset=0x80 location_type_id=0 (.text+0x80: g)
 */
#ifndef BTFENC_BTF_PRINTER_H
#define BTFENC_BTF_PRINTER_H

#include <stdio.h>

#include "btf/location_text.h"
#include "btf/reader.h"

/* For what BTF does not have. NULL for either function: it is not known. */
struct btf_print_words {
	btf_register_name register_name;
	/*
	 * As snprintf(): what is at that offset in the code, where the function of that name begins
	 * or was inlined; the result is 0 when nothing is known there.
	 */
	int (*site_text)(const void *context, const char *section, uint32_t offset,
			 const char *function, char *buffer, size_t bytes);
	const void *context;		/* of both */
};

/*
 * All types of the BTF, without its base's, or those for which `wanted` is true, if it is not NULL,
 * by id; `words`, if not NULL, for sites and locations. Write
 * errors stay in `out` (ferror). When the reader could not index the whole type section, what it
 * has is printed; the caller says so. False: what sites repeat was too much, and the rest is `...`.
 */
bool btf_print(const struct btf_reader *btf, const bool *wanted,
	       const struct btf_print_words *words, FILE *out);

#endif
