/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The floor under every figure of `make bench`: a bare walk over all DIEs of a file with the
 * project's own cursor, on one core, doing nothing with them. Without --decode every attribute is
 * skipped; with it, what the encoder wants is decoded into struct die.
 *
 * usage: raw_scan [--decode] FILE	prints the seconds of the walk alone, and the DIE count
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "dwarf/die_cursor.h"
#include "dwarf/unit.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool scan_unit(const struct object *object, const struct unit_list *units,
		      const struct unit *unit, struct abbrev_table *abbrevs, uint64_t *dies,
		      struct error *err)
{
	struct die_cursor cursor;
	struct die die;
	enum die_status status;

	if (!abbrev_table_compile(abbrevs, object, unit, err))
		return false;
	die_cursor_init(&cursor, object, units, unit, abbrevs, err);
	do {
		status = die_cursor_next(&cursor, &die);
		*dies += status == DIE_READ;
	} while (status == DIE_READ || status == DIE_NULL);
	return status == DIE_END;
}

int main(int argc, char **argv)
{
	struct abbrev_table abbrevs = { 0 };
	struct unit_list units;
	struct object object;
	struct error err;
	uint64_t dies = 0;
	double start;

	abbrevs.ignored_slots = UINT64_MAX;
	if (argc > 1 && strcmp(argv[1], "--decode") == 0) {
		abbrevs.ignored_slots = 0;
		argc--;
		argv++;
	}
	if (argc != 2) {
		fprintf(stderr, "usage: raw_scan [--decode] FILE\n");
		return EXIT_USAGE;
	}
	if (!object_open(&object, argv[1], &err) || !unit_list_read(&units, &object, &err))
		goto failed;
	start = now();
	for (size_t i = 0; i < units.count; i++) {
		if (!scan_unit(&object, &units, &units.data[i], &abbrevs, &dies, &err))
			goto failed;
	}
	printf("%.4f %" PRIu64 "\n", now() - start, dies);
	abbrev_table_release(&abbrevs);
	unit_list_release(&units);
	object_close(&object);
	return 0;
failed:
	fprintf(stderr, "raw_scan: %s\n", err.text);
	return EXIT_FAILED;
}
