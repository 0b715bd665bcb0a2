/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* What the differential tests (compare_*.c) have in common: their main(), and the file at hand. */
#ifndef BTFENC_TESTS_COMPARISON_H
#define BTFENC_TESTS_COMPARISON_H

#include "dwarf/die_cursor.h"
#include "dwarf/unit.h"
#include "tests/libdw_file.h"

#define MAX_DIFFERENCES 20	/* that are printed */

/* The file that is compared now. */
extern struct comparison {
	const char *path;
	struct object object;
	struct unit_list units;
	struct abbrev_table abbrevs;
	struct die_cursor cursor;
	struct libdw_file theirs;	/* if it is wanted */
	uint64_t differences;
} compared;

/* main(): the worst of the exit statuses of all files. Without any: skipped. */
int compare_files(int argc, char **argv, int (*compare)(const char *path));

/* The same, of files that are opened: each is then `compared`. False: err is printed. */
int compare_dwarf(int argc, char **argv, bool with_libdw, bool (*compare)(struct error *err));

/* The cursor at the beginning of a unit. */
bool compared_unit_open(const struct unit *unit, struct error *err);

/* Counts a difference, and prints it if it is not one of many. */
__attribute__((format(printf, 2, 3)))
void differ(uint64_t die_offset, const char *format, ...);

/* The last word about the file. */
const char *compared_verdict(void);

#endif
