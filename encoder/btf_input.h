/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * What `check` and `dump` have in common: `FILE [--base FILE]...`, `--help`, and opening the file
 * on top of its bases. With several --base the first is the lowest.
 */
#ifndef BTFENC_ENCODER_BTF_INPUT_H
#define BTFENC_ENCODER_BTF_INPUT_H

#include "base/error.h"
#include "btf/reader.h"

#define BTF_INPUT_MAX_BASES 8

struct btf_input {
	const char *path;
	const char *base_paths[BTF_INPUT_MAX_BASES];
	uint32_t base_count;
	bool help;
	struct btf_reader bases[BTF_INPUT_MAX_BASES];
	struct btf_reader btf;
};

/* False: a usage error. On --help only `help` is set. */
bool btf_input_parse(struct btf_input *input, int argc, char **argv, struct error *err);

/* Opens the bases and the file; release the input in any case. */
bool btf_input_open(struct btf_input *input, struct error *err);
void btf_input_release(struct btf_input *input);

#endif
