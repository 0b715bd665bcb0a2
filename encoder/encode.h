/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* `btfenc encode`: the passes from an ELF file with DWARF to BTF. */
#ifndef BTFENC_ENCODER_ENCODE_H
#define BTFENC_ENCODER_ENCODE_H

#include "encoder/result.h"

/* Encodes a file into an image that has passed the project's own checks. */
bool encode_file(const struct encode_options *options, struct btf_image *image,
		 struct encode_report *report, struct error *err);

#endif
