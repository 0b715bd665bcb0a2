/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Lines of source code, for the few DIEs that explain shows. Line tables are nothing that encoding
 * needs, so libdw reads them: the only code outside of tests that it is used.
 */
#ifndef BTFENC_COMMANDS_EXPLAIN_EXPLAIN_SOURCE_H
#define BTFENC_COMMANDS_EXPLAIN_EXPLAIN_SOURCE_H

#include <elfutils/libdwfl.h>
#include <stdint.h>

#include "elf/object.h"

/* A line in a file; file NULL: not known. Borrowed from the source_lines. */
struct source_line {
	const char *file;	/* as the compiler was called, without its directory in front */
	int line;		/* 0: not known */
};

struct source_lines {
	Dwarf *dwarf;		/* NULL: libdw cannot read this file; every answer is "not known" */
	Dwfl *relocated;	/* owns it if the object is relocatable */
};

void source_lines_open(struct source_lines *lines, const struct object *object);
void source_lines_close(struct source_lines *lines);

/* The name of the unit that has the DIE, or NULL. */
const char *source_unit_of_die(const struct source_lines *lines, uint64_t die);

/* Where the entity that a DIE of .debug_info describes was declared. */
struct source_line source_line_of_die(const struct source_lines *lines, uint64_t die);

/* A line in file number `file` of the unit that has the DIE. */
struct source_line source_line_in_unit(const struct source_lines *lines, uint64_t die,
				       uint32_t file, uint32_t line);

/*
 * Visits the code of a function or inline site, which the DIE describes: each function that is
 * inlined there (is_call: false), and each that it is known to call. A name may come repeatedly.
 */
void source_walk_code(const struct source_lines *lines, uint64_t die,
		      void (*visit)(void *context, const char *name, bool is_call),
		      void *context);

#endif
