/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A search for what `btfenc explain` is asked for, through modules. */
#ifndef BTFENC_COMMANDS_EXPLAIN_MODULES_H
#define BTFENC_COMMANDS_EXPLAIN_MODULES_H

#include "base/near_names.h"
#include "commands/explain/asked.h"
#include "commands/types/types.h"
#include "kernel/build_files.h"
#include "kernel/kernel.h"

struct module_question {
	const struct build_files *build;
	const struct kernel_options *kernel;	/* how files are read, and on how many threads */
	const struct asked *asked;
	const char *name;		/* of a function, tracepoint or variable; NULL: the type */
	const struct type_query *type;	/* which is wanted if no module has the name; or NULL */
	struct near_names *near;	/* of the names of functions, where no module has it */
	/* Filled; the first is to be released: */
	struct btf_reader vmlinux;
	const struct btf_reader *below;	/* that, of which modules are split; NULL: it has no BTF */
	bool is_type;			/* the type was found, or looked for at the end */
	size_t read;			/* how many modules could be, where none has it */
};

/*
 * The path, in the build, of the first module that has the name, or else the type; NULL: none has.
 * DWARF of modules is read only for what can be nothing but a type: all of it takes minutes. Warns
 * of other modules with the name, and of those that cannot be read.
 */
const char *modules_ask(struct module_question *question);

/*
 * The same of the running kernel and its modules: the path of the BTF. Of the question it reads
 * name, type and asked, and fills near and read. NULL and an empty err: none has it; NULL and a
 * message: BTF cannot be read.
 */
const char *modules_ask_running(struct module_question *question, struct running_kernel *kernel,
				struct error *err);

#endif
