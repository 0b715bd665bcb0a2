/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#define _GNU_SOURCE
#include "tests/comparison.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

struct comparison compared;

/* Of compare_dwarf(). */
static bool wants_libdw;
static bool (*compare_opened)(struct error *err);

int compare_files(int argc, char **argv, int (*compare)(const char *path))
{
	int worst = EXIT_DONE;

	if (argc < 2)
		printf("%s: skipped, no files are given\n", program_invocation_short_name);
	for (int i = 1; i < argc; i++) {
		int status = compare(argv[i]);

		if (status > worst)
			worst = status;
	}
	return worst;
}

static bool open_and_compare(struct error *err)
{
	if (wants_libdw)
		libdw_file_open(&compared.theirs, &compared.object);
	if (wants_libdw && !compared.theirs.dwarf)
		return error_set(err, "%s: libdw cannot read it", compared.path);
	return unit_list_read(&compared.units, &compared.object, err) && compare_opened(err);
}

static int compare_file(const char *path)
{
	struct error err;
	bool is_open, good;

	compared = (struct comparison){ .path = path };
	is_open = object_open(&compared.object, path, &err);
	good = is_open && open_and_compare(&err);
	if (!good)
		printf("%s: %s\n", program_invocation_short_name, err.text);
	if (is_open) {
		abbrev_table_release(&compared.abbrevs);
		unit_list_release(&compared.units);
		if (wants_libdw)
			libdw_file_close(&compared.theirs);
		object_close(&compared.object);
	}
	return !good ? EXIT_FAILED : compared.differences ? EXIT_ANSWER_NO : EXIT_DONE;
}

int compare_dwarf(int argc, char **argv, bool with_libdw, bool (*compare)(struct error *err))
{
	wants_libdw = with_libdw;
	compare_opened = compare;
	return compare_files(argc, argv, compare_file);
}

bool compared_unit_open(const struct unit *unit, struct error *err)
{
	if (!unit_is_readable(unit, &compared.object, err) ||
	    !abbrev_table_compile(&compared.abbrevs, &compared.object, unit, err))
		return false;
	die_cursor_init(&compared.cursor, &compared.object, &compared.units, unit,
			&compared.abbrevs, err);
	return true;
}

void differ(uint64_t die_offset, const char *format, ...)
{
	va_list args;

	if (compared.differences++ >= MAX_DIFFERENCES)
		return;
	printf("%s: DIE 0x%" PRIx64 ": ", compared.path, die_offset);
	va_start(args, format);
	vprintf(format, args);
	va_end(args);
	printf("\n");
}

const char *compared_verdict(void)
{
	return compared.differences ? "DIFFERENT" : "equal";
}
