/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Symbols as text, one a line: System.map and /proc/kallsyms.
 *
 *	ffffffff81000000 T _stext
 *	ffffffffc0a01000 t xfs_open	[xfs]
 *
 * Both have no sizes: a symbol ends where the next address begins, as the kernel takes it. A user
 * who may not see addresses gets a /proc/kallsyms full of zeros, which is an error here.
 */
#ifndef BTFENC_KALLSYMS_KALLSYMS_FILE_H
#define BTFENC_KALLSYMS_KALLSYMS_FILE_H

#include "kallsyms/symbol_table.h"

#define KALLSYMS_PATH "/proc/kallsyms"

struct kallsyms_file {
	char *text;			/* has the names */
	struct symbol_table symbols;	/* STT_FUNC: in code; STT_OBJECT: anything else */
};

/*
 * `module`: only what has that name in brackets; NULL: only what has none, the kernel's own. That
 * a module has no symbols is not an error. False: err is filled, and there is nothing to release.
 */
bool kallsyms_file_read(struct kallsyms_file *file, const char *path, const char *module,
			struct error *err);

void kallsyms_file_release(struct kallsyms_file *file);

#endif
