/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Makes one side of a diff of a file: DWARF is read as encode reads it; BTF is taken as it is, with
 * its .BTF.extra where there is one; a list of functions was made before (stats --functions).
 */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_SIDE_H
#define BTFENC_COMMANDS_DIFF_DIFF_SIDE_H

#include "commands/diff/function_table.h"
#include "commands/records/btf_input.h"

enum side_kind {
	SIDE_DWARF,
	SIDE_BTF,
	SIDE_TABLE,			/* a list of functions */
};

struct diff_compiler {
	char *name;
	uint32_t units;
};

/* One build. */
struct diff_side {
	const char *path;
	struct encode_options options;	/* jobs, features */
	const char *base;		/* of split BTF, or NULL */
	const char *base_option;	/* by which it is given, or would be */
	bool types;			/* they will be compared */
	enum side_kind kind;
	/* Filled by diff_side_read(): */
	bool is_read;
	struct error err;		/* why it is not */
	ARRAY_OF(struct diff_compiler) compilers;	/* none: not known */
	struct function_table table;
	const struct btf_reader *btf;	/* NULL: has no types */
	uint32_t pointer_bytes;		/* 0: not known */
	uint16_t machine;		/* EM_*; 0: not known */
	uint8_t byte_order;		/* ELFDATA2LSB or ELFDATA2MSB; 0: not known */
	/* Where `btf` is. */
	struct btf_input input;
	struct btf_image image;
	struct btf_reader reader;
	bool has_reader;
};

/* By the contents; a file that is neither a list nor BTF is read as DWARF. */
enum side_kind side_kind_of(const char *path);

/* Release it in any case. */
void diff_side_read(struct diff_side *side);
void diff_side_release(struct diff_side *side);

#endif
