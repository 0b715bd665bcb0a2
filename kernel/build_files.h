/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* The files of one build of a kernel: its vmlinux and its modules. */
#ifndef BTFENC_KERNEL_BUILD_FILES_H
#define BTFENC_KERNEL_BUILD_FILES_H

#include <stdbool.h>

#include "base/error.h"
#include "base/memory.h"

struct module_file {
	char *path;
	char *name;		/* the kernel's, by .modinfo: snd_hda_intel */
};

struct build_files {
	char *vmlinux;
	ARRAY_OF(struct module_file) modules;	/* by name, each once */
};

/*
 * `path` is a vmlinux, or a directory with one somewhere in it, or else a vmlinuz, and with its
 * modules: files *.ko, compressed or not, or *.ko.debug, or, where vmlinux is raw BTF as in
 * /sys/kernel/btf, the other BTF next to it. `modules`, if it is not NULL, is the directory of the
 * modules instead. Links to directories or modules are not followed. Two modules of one name cost
 * a warning. Release it in any case.
 */
bool build_files_find(struct build_files *build, const char *path, const char *modules,
		      struct error *err);
/*
 * All modules below a directory, as it has them: in the order of their paths, which their names are
 * of, for none is opened. Links to modules are among them, and those to directories that are not
 * followed. Release it as the former.
 */
bool build_files_find_all(struct build_files *build, const char *directory, bool follows,
			  struct error *err);
void build_files_release(struct build_files *build);

/*
 * Calls `visit` for each of `count` files, on up to `jobs` threads at the same time, which begin
 * them in order. `progress` is the title of the progress that is shown; NULL: the caller has begun
 * it, or wants none. What `visit` warns of is printed in their order, at the end. False: no more
 * begin; the warnings end with those of the first that failed, and err is that one's.
 */
typedef bool visit_file(void *context, size_t i, struct error *err);
bool files_visit(const char *progress, size_t count, unsigned int jobs, visit_file *visit,
		 void *context, struct error *err);

/* Is `path` the same file as `file`, or as its OUT.extra or OUT.inline? */
bool is_or_belongs_to(const char *path, const char *file);

/* Is `path` one of them, or does it belong to one? */
bool build_files_have(const struct build_files *build, const char *path);

/* Is there a directory of that name? */
bool is_directory(const char *path);

#endif
