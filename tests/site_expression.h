/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A parameter's location at a pc, as libdw reads the DWARF and as a small interpreter of its own
 * understands the expression. Written for the tests: shares nothing with dwarf/location.h.
 */
#ifndef BTFENC_TESTS_SITE_EXPRESSION_H
#define BTFENC_TESTS_SITE_EXPRESSION_H

#include <elfutils/libdw.h>

#include "elf/object.h"
#include "tests/site_records.h"

enum site_reading {
	READING_PLACE,		/* as in docs/format.md */
	READING_ENTRY,		/* what its register held at the function's entry, + number */
	READING_ABSENT,		/* nothing is said, or nothing at that pc */
	READING_NO_PLACE,	/* the format has no location of this kind */
	READING_UNKNOWN,	/* not judged */
	READINGS,
};

extern const char *const site_reading_names[READINGS];

struct site_scope {
	Dwarf *dwarf;
	Dwarf_CFI *cfi;			/* NULL: none */
	bool has_frames;		/* libdw knows the machine's frames */
	Dwarf_Die function;		/* whose code the site is in: has the frame base */
	uint64_t pc;
	bool has_view;			/* DW_AT_GNU_entry_view */
	uint64_t view;
	const struct object *object;
	uint64_t base;			/* of the image */
	unsigned int address_bytes;
	bool is_big_endian;
};

/* size_bytes: of the parameter. why: for a message. */
enum site_reading site_read_parameter(const struct site_scope *scope, Dwarf_Die *parameter,
				      uint32_t size_bytes, struct record_place *place,
				      const char **why);

#endif
