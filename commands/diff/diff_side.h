/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A side: one build. */
#ifndef BTFENC_COMMANDS_DIFF_DIFF_SIDE_H
#define BTFENC_COMMANDS_DIFF_DIFF_SIDE_H

#include "commands/diff/function_table.h"
#include "commands/stats/stats.h"
#include "encoder/result.h"
#include "kernel/build_files.h"
#include "kernel/kernel.h"

/*
 * One build is made of a file: DWARF is read as encode reads it; BTF is taken as it is, with
 * its .BTF.extra where there is one; a list of functions was made before (stats --functions).
 */
enum side_kind {
	SIDE_DWARF,
	SIDE_BTF,
	SIDE_TABLE,			/* a list of functions */
};

/* A vmlinux, or a module, whose types are split from those of the vmlinux. */
struct side_file {
	struct kernel_types types;	/* btf is NULL: there are none */
	kfunc_names absent_kfuncs;	/* in sets, without a FUNC, and not in the table */
	struct function_rows rows;	/* of a module, on their way into the table */
};

struct diff_side {
	const char *path;		/* a file, or the directory of a build */
	const char *modules;		/* the directory of its modules, or NULL */
	struct encode_options options;	/* jobs, features */
	const char *base;		/* of split BTF or a module, or NULL */
	const char *base_option;	/* by which it is given, or would be */
	bool types;			/* those of `file` will be compared */
	/* Filled by diff_side_find(): */
	enum side_kind kind;		/* of the file */
	const char *file;		/* what `path` is, or its vmlinux */
	bool is_build;			/* with modules */
	struct build_files build;
	/* Filled by diff_side_read(): */
	bool is_read;
	struct error err;		/* why it is not */
	struct function_table table;
	struct side_file read;			/* and what modules lack, too */
	struct side_file *modules_read;		/* by build.modules */
	uint32_t pointer_bytes;		/* 0: not known */
	uint16_t machine;		/* EM_*; 0: not known */
	uint8_t byte_order;		/* ELFDATA2LSB or ELFDATA2MSB; 0: not known */
};

/* Finds the files of a build, and says what the side is. */
bool diff_side_find(struct diff_side *side, struct error *err);

/* Release it in any case. */
bool diff_side_read(struct diff_side *side, struct error *err);
void diff_side_release(struct diff_side *side);

#endif
