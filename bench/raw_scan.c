/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The floor under every figure of `make bench`: a bare walk over all DIEs of a file with the
 * project's own cursor, decoding what the plans want and doing nothing with it. One core.
 *
 * usage: raw_scan FILE [RUNS]		prints seconds of the fastest run, and the DIE count
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "dwarf/die_cursor.h"

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool scan_unit(const struct object *object, const struct unit_list *units,
		      const struct unit *unit, struct plan_table *plans, uint64_t *dies,
		      struct error *err)
{
	struct die_cursor cursor;
	struct die die;
	enum die_status status;

	if (!plan_table_compile(plans, object, unit, err))
		return false;
	die_cursor_init(&cursor, object, units, unit, plans, err);
	do {
		status = die_cursor_next(&cursor, &die);
		*dies += status == DIE_READ;
	} while (status == DIE_READ || status == DIE_NULL);
	return status == DIE_END;
}

int main(int argc, char **argv)
{
	struct plan_table plans = { 0 };
	struct unit_list units;
	struct object object;
	struct error err;
	int runs = argc > 2 ? atoi(argv[2]) : 5;
	double best = 1e9;
	uint64_t dies = 0;

	if (argc < 2) {
		fprintf(stderr, "usage: raw_scan FILE [RUNS]\n");
		return EXIT_USAGE;
	}
	if (!object_open(&object, argv[1], &err) || !unit_list_read(&units, &object, &err))
		goto failed;
	for (int run = 0; run < runs; run++) {
		double start = now();

		dies = 0;
		plans.valid = false;
		for (size_t i = 0; i < units.count; i++) {
			if (!scan_unit(&object, &units, &units.data[i], &plans, &dies, &err))
				goto failed;
		}
		if (now() - start < best)
			best = now() - start;
	}
	printf("%.4f %" PRIu64 "\n", best, dies);
	plan_table_release(&plans);
	unit_list_release(&units);
	object_close(&object);
	return 0;
failed:
	fprintf(stderr, "raw_scan: %s\n", err.text);
	return EXIT_FAILED;
}
