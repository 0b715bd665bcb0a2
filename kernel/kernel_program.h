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

/*
 * Calls `visit` for other names of functions, of which the file's own .BTF has a FUNC: the running
 * kernel's BTF has them, too, and fentry and kprobes find them (__x64_sys_inotify_init, whose code
 * DWARF describes as __do_sys_inotify_init). `of` is promised.
 */
typedef void visit_alias(void *context, const char *name, const struct judged_function *of);
void program_visit_aliases(const struct program *program, const struct attach_tables *tables,
			   visit_alias *visit, void *context);

#endif
