/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A blob through the whole encoder, and the result as the lines of `btfenc dump`. */
#ifndef BTFENC_TESTS_ENCODE_BLOB_H
#define BTFENC_TESTS_ENCODE_BLOB_H

#include "encoder/result.h"
#include "tests/dwarf_blob.h"

struct encoded_blob {
	struct encode_report report;
	struct error err;
	char *dump;		/* NULL: it failed, err says why */
};

/* The default features, one thread; `change` may alter the options. */
void encode_blob(struct encoded_blob *out, struct dwarf_blob *b,
		 void (*change)(struct encode_options *options));
void encoded_blob_release(struct encoded_blob *out);

#endif
