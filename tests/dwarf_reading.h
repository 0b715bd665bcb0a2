/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* A blob opened the way the encoder opens a file, for tests of the layers below the encoder. */
#ifndef BTFENC_TESTS_DWARF_READING_H
#define BTFENC_TESTS_DWARF_READING_H

#include "dwarf/unit_reader.h"
#include "tests/dwarf_blob.h"

struct dwarf_reading {
	struct object object;
	struct unit_list units;
	struct abbrev_table abbrevs;
	struct die_cursor cursor;
	struct unit_reader reader;
	struct dwarf_model model;
	struct error err;
	bool opened;
};

/* Writes the blob and opens it; false: err says why. Release it in any case. */
bool dwarf_reading_open(struct dwarf_reading *r, struct dwarf_blob *b);
void dwarf_reading_release(struct dwarf_reading *r);
/* Releases both. */
void dwarf_reading_end(struct dwarf_reading *r, struct dwarf_blob *b);

/* A cursor at the unit DIE of the given unit, with the default bases. */
bool dwarf_reading_cursor(struct dwarf_reading *r, size_t unit);

/* Opens the blob and reads the unit DIE of its first unit, whose bases the cursor has then. */
bool dwarf_reading_unit(struct dwarf_reading *r, struct dwarf_blob *b);

/* All units into one model, as the units of one group. */
bool dwarf_reading_model(struct dwarf_reading *r);

/* The file name taken out of an error's front. */
const char *dwarf_reading_error(const struct dwarf_reading *r);

#endif
