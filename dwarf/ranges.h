/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/* Range lists: .debug_ranges (DWARF 2-4) and .debug_rnglists (DWARF 5 section 7.25). */
#ifndef BTFENC_DWARF_RANGES_H
#define BTFENC_DWARF_RANGES_H

#include "dwarf/die_cursor.h"
#include "dwarf/unit_model.h"

/*
 * Appends the non-empty ranges of a DW_AT_ranges slot in list order. False when the list runs out
 * of its section or is malformed; what was read until then is kept.
 */
bool ranges_read(const struct die_cursor *cursor, const struct die *die,
		 address_range_array *ranges);

#endif
