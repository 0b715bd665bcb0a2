/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A vmlinux or a module that is asked by its DWARF: its functions, judged, what attaches to them,
 * and what its own .BTF has, by which programs go.
 */
#ifndef BTFENC_KERNEL_KERNEL_PROGRAM_H
#define BTFENC_KERNEL_KERNEL_PROGRAM_H

#include "encoder/result.h"
#include "kernel/attach.h"
#include "kernel/btf_input.h"

/* What is known of a module's kernel; NULL where it is not. */
struct module_kernel {
	const struct base_list *given;	/* what -b names, which must be right; */
	const struct btf_reader *btf;	/* else its BTF, and not that of another one's module, */
	const struct func_names *funcs;	/* and the FUNCs of that */
};

struct kernel_program {
	struct encode_options options;
	struct program program;
	bool is_open;
	struct attach_image image;	/* with its module's name */
	struct attach_tables tables;
	char *module;			/* NULL: it is none */
	struct btf_bases bases;		/* what -b names */
	struct btf_input own;		/* the file's .BTF, if it is split, on its base, */
	struct btf_base base;		/* which is this */
};

/* `options->path` is the file. False: err is filled. Close it in any case; it must not be moved. */
bool kernel_program_open(struct kernel_program *kernel, const struct encode_options *options,
			 const struct module_kernel *of, struct error *err);
void kernel_program_close(struct kernel_program *kernel);

#endif
