/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Reads the types, functions and variables of units into a dwarf_model: one pass over the DIEs.
 *
 * One reader per worker; it owns the scratch memory, the compiled abbreviations and the names.
 */
#ifndef BTFENC_DWARF_UNIT_READER_H
#define BTFENC_DWARF_UNIT_READER_H

#include "dwarf/reader_frames.h"

/* DW_AT_const_value of the opened unit's DIE; false: it has none, or not a number. */
bool unit_reader_constant(const struct unit_reader *reader, const struct die *die,
			  uint64_t *constant);

void unit_reader_init(struct unit_reader *reader, const struct object *object,
		      const struct unit_list *units);
void unit_reader_release(struct unit_reader *reader);

/*
 * Opens a unit and reads its unit DIE. *language is DW_AT_language, 0 when there is none. False:
 * the unit cannot be read, err says why.
 */
bool unit_reader_open(struct unit_reader *reader, const struct unit *unit, uint64_t *language,
		      struct error *err);

/* Appends everything in the opened unit to the model, whose group must hold the unit. */
bool unit_reader_read(struct unit_reader *reader, struct dwarf_model *model, struct error *err);

#endif
