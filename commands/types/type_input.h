/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The types of a file: its BTF, or that which its DWARF would be encoded as. */
#ifndef BTFENC_COMMANDS_TYPES_TYPE_INPUT_H
#define BTFENC_COMMANDS_TYPES_TYPE_INPUT_H

#include "btf/dedup/image.h"
#include "kernel/btf_input.h"
#include "encoder/encode_options.h"

struct type_input {
	struct btf_input input;
	struct btf_image image;		/* of DWARF */
	struct btf_reader reader;	/* of the image */
	bool has_image, has_reader;
	const struct btf_reader *btf;	/* either */
};

/*
 * `below`: a base that is open, or NULL. The options are for DWARF; their path is `path`. Release
 * the input in any case.
 */
bool type_input_open(struct type_input *input, const char *path, const struct base_list *bases,
		     const struct btf_reader *below, const struct encode_options *options,
		     struct error *err);
void type_input_release(struct type_input *input);

#endif
