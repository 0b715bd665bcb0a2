/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The functions of a whole build: the rows of its vmlinux, then those of each module, by the names
 * of the modules. Modules are read at the same time, one by each thread.
 */
#ifndef BTFENC_COMMANDS_STATS_BUILD_LIST_H
#define BTFENC_COMMANDS_STATS_BUILD_LIST_H

#include "kernel/build_files.h"
#include "encoder/encode_options.h"
#include "encoder/result.h"
#include "kernel/function_rows.h"

/* Adds the functions of the module. Runs on any thread. */
typedef bool list_module(const void *context, const struct module_file *module,
			 struct function_rows *rows, struct error *err);

/* Adds those of all modules. False: err is of the first that failed, by name. */
bool build_list_modules(const struct build_files *build, unsigned int jobs, list_module *list,
			const void *context, struct function_rows *rows, struct error *err);

typedef ARRAY_OF(char *) kfunc_names;

/*
 * Adds those kfuncs that the list of functions has not, because they have no code here; each is
 * owned by the caller. For what program_encode() or program_find_absent_kfuncs() left. Of a module
 * also those that the kernel may have, which is not asked.
 */
void keep_absent_kfuncs(const struct program *program, bool of_module, kfunc_names *names);

/* Finds what a list of its functions shows; its BTF, too, if `image` is not NULL. */
bool judge_program(struct program *program, struct btf_image *image, struct error *err);

/*
 * The functions of a module with DWARF. `options` are for it but for the path and the jobs. What
 * `image` and `absent` are for is only found if they are not NULL.
 */
bool list_dwarf_module(const struct encode_options *options, const struct module_file *module,
		       struct btf_image *image, kfunc_names *absent,
		       struct function_rows *rows, struct error *err);

#endif
