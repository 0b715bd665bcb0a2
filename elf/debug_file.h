/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The file with (a part of) another file's DWARF, searched where gdb searches it: by the name that
 * the file has for it, relative to its directory or below .debug/ there, and by its build id below
 * /usr/lib/debug/.build-id.
 */
#ifndef BTFENC_ELF_DEBUG_FILE_H
#define BTFENC_ELF_DEBUG_FILE_H

#include "elf/object.h"

struct debug_link {
	const char *what;	/* for the error */
	const char *name;	/* NULL: none */
	const uint8_t *build_id;	/* which it must have */
	size_t build_id_bytes;	/* 0: any will do */
};

/*
 * The build id in its notes, or what a supplementary file has for it; NULL: none. It lives as long
 * as the object.
 */
const uint8_t *debug_file_build_id(const struct object *object, size_t *bytes);

/* Opens it, bare; the caller closes it and frees its path. */
bool debug_file_open(struct object *found, const struct object *object,
		     const struct debug_link *link, char **path, struct error *err);

#endif
