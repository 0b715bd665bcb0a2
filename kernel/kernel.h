/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * One file of a kernel, its vmlinux or a module, that is asked: its functions, its types, what
 * attaches to it.
 *
 * Which source is asked is one rule. Raw BTF is what it is. An ELF file is asked by its DWARF, and
 * without any, not even in a debug file, by its .BTF, with records of sites where it has some; one
 * with records and without .debug_info of its own is asked by these. Types alone are asked of the
 * .BTF that the file has, and else of the BTF that its DWARF becomes: that of a kernel is read at
 * once, and it is what programs are loaded with.
 */
#ifndef BTFENC_KERNEL_KERNEL_H
#define BTFENC_KERNEL_KERNEL_H

#include "btf/dedup/image.h"
#include "encoder/result.h"
#include "kernel/attach/attach.h"
#include "kernel/records.h"
#include "kernel/type_source.h"

struct kernel_options {
	struct encode_options encode;	/* of DWARF, but for the path */
	struct records_options records;	/* the path; bases, which must be right; and of BTF */
	const struct func_names *funcs;	/* of a module's kernel; NULL: by the base */
};

struct kernel {
	const struct program *program;	/* by DWARF, judged; else NULL */
	const struct records *records;	/* by BTF; else NULL */
	const char *path;
	const char *module;		/* its name; NULL: it is none */
	struct type_source types;
	struct attach_image image;	/* with the tables and the module's name */
	struct attach_tables tables;

	/* What these are of. */
	struct encode_options options;
	struct program opened;
	struct records opened_records;
	char *program_module;
	struct btf_bases bases;		/* what -b names, */
	struct btf_input own;		/* the file's .BTF, if it is split, on its base, */
	struct btf_base base;		/* which is this */
};

/* False: err is filled. Close it in any case; it must not be moved, and borrows the options. */
bool kernel_open(struct kernel *kernel, const struct kernel_options *options, struct error *err);
void kernel_close(struct kernel *kernel);

/* The types of a file alone. */
struct kernel_types {
	const struct btf_reader *btf;	/* of either: */
	struct btf_input input;
	struct btf_image image;		/* of DWARF, */
	struct btf_reader reader;	/* and what reads it */
};

/* The same. */
bool kernel_types_open(struct kernel_types *types, const struct kernel_options *options,
		       struct error *err);
/* `image` was made of the file: reads it. `below`: its base, or NULL. */
bool kernel_types_read_image(struct kernel_types *types, const char *path,
			     const struct btf_reader *below, struct error *err);
void kernel_types_close(struct kernel_types *types);

/*
 * Calls `visit` for other names of functions, of which the file's own .BTF has a FUNC: the running
 * kernel's BTF has them, too, and fentry and kprobes find them (__x64_sys_inotify_init, whose code
 * DWARF describes as __do_sys_inotify_init). `of` is promised.
 */
typedef void visit_alias(void *context, const char *name, const struct judged_function *of);
void program_visit_aliases(const struct program *program, const struct attach_tables *tables,
			   visit_alias *visit, void *context);

#endif
