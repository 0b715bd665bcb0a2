/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A made-up kernel of a few functions as files: its BTF, the records of its sites in both
 * encodings, its symbols as they are linked and as they run. records_blob.c says what is in it.
 */
#ifndef BTFENC_TESTS_RECORDS_BLOB_H
#define BTFENC_TESTS_RECORDS_BLOB_H

#include <stdint.h>

#include "tests/btf_blob.h"

/* The addresses at which its sections are linked, and how far the running one has been moved. */
#define RECORDS_TEXT	  UINT64_C(0xffffffff81000000)
#define RECORDS_INIT_TEXT UINT64_C(0xffffffff82000000)
#define RECORDS_SHIFT	  UINT64_C(0x1c000000)

struct records_blobs {
	struct btf_blob btf;		/* without LOC kinds */
	struct btf_blob extra;		/* split from it: instances and inline sites */
	struct btf_blob inlined;	/* the BTF with LOCSECs */
};

void records_blobs_make(struct records_blobs *blobs);
void records_blobs_release(struct records_blobs *blobs);

/* System.map; /proc/kallsyms of the same kernel after KASLR, with a module. */
extern const char records_system_map[];
extern const char records_kallsyms[];

#endif
