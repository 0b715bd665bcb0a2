/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The files of a unit's line table, by number (DWARF 5 section 6.2.4, and that of DWARF 2 to 4).
 *
 * A path is read when it is asked for. One header has many, by the includes that lead to it:
 * "events/perf_event.h" and "events/intel/../perf_event.h" are one file.
 */
#ifndef BTFENC_DWARF_FILE_TABLE_H
#define BTFENC_DWARF_FILE_TABLE_H

#include "dwarf/die_cursor.h"

struct file_name {
	const char *name;		/* in a section */
	uint64_t directory;
	uint32_t hash;			/* 0: not asked for yet */
};

/* One per reader; all 0 is one without files. */
struct file_table {
	struct die_cursor cursor;	/* of the unit */
	const char *compiled_in;	/* DW_AT_comp_dir, or NULL */
	uint64_t offset;		/* of the line table in .debug_line */
	bool is_there, is_read;
	ARRAY_OF(struct file_name) directories;
	ARRAY_OF(struct file_name) files;	/* before DWARF 5 from 1 on */
	ARRAY_OF(char) path;
};

/* `cursor` has read the unit's DIE. Without the bytes of SECTION_LINE no file is known. */
void file_table_open(struct file_table *table, const struct die_cursor *cursor,
		     const struct die *unit_die);
void file_table_release(struct file_table *table);

/* A hash of the path, without "." and ".."; 0: it is not known. */
uint32_t file_table_hash(struct file_table *table, uint64_t file);

#endif
