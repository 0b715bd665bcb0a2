/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The base types that typed operations of expressions name (DW_OP_convert, DW_OP_regval_type, ...):
 * a DIE in the same unit. Decoded on the spot, because expressions are looked at long after the
 * unit was read; few name a type.
 */
#ifndef BTFENC_DWARF_LOCATION_TYPE_H
#define BTFENC_DWARF_LOCATION_TYPE_H

#include "dwarf/location.h"

struct location_type {
	uint8_t bytes;
	bool is_signed;
};

/*
 * The base type at an offset from the unit's start. False: no integer of 1 to 8 whole bytes in the
 * file's byte order, or nothing that can be read.
 */
bool location_type_at(const struct location_unit *unit, uint64_t unit_offset,
		      struct location_type *type);

#endif
