/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Makes one side of a diff of a file: DWARF is read as encode reads it; BTF is taken as it is, with
 * its .BTF.extra where there is one; a list of functions was made before (stats --functions).
 */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_SIDE_H
#define BTFENC_COMMANDS_DIFF_DIFF_SIDE_H

#include "commands/records/btf_input.h"
#include "commands/diff/diff.h"

enum side_kind {
	SIDE_DWARF,
	SIDE_BTF,
	SIDE_TABLE,			/* a list of functions */
};

struct side_source {
	struct encode_options options;	/* path, jobs, features */
	const char *base;		/* of split BTF, or NULL */
	const char *base_option;	/* by which it is given, or would be */
	bool types;			/* they will be compared */
	enum side_kind kind;
	struct diff_side side;
	/* Where side.btf is. */
	struct btf_input input;
	struct btf_image image;
	struct btf_reader reader;
	bool has_reader;
};

/* By the contents; a file that is neither a list nor BTF is read as DWARF. */
enum side_kind side_kind_of(const char *path);

/* Release it in any case. */
bool side_source_read(struct side_source *source, struct error *err);
void side_source_release(struct side_source *source);

#endif
