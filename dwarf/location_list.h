/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Location lists: .debug_loc (DWARF 2-4) and .debug_loclists (DWARF 5 sections 2.6.2 and 7.7.3).
 * Takes a list and a program counter, finds the bytes of one expression; does not look into them.
 */
#ifndef BTFENC_DWARF_LOCATION_LIST_H
#define BTFENC_DWARF_LOCATION_LIST_H

#include "dwarf/location_form.h"

/*
 * The expression for a moment in the list at `offset` in the unit's section, by the rules of
 * location_at(); expression->begin is NULL when no entry is for it. False: the list is malformed or
 * runs out of its section before an entry that counts.
 */
bool location_list_find(const struct location_unit *unit, uint64_t offset,
			const struct location_moment *moment, struct byte_range *expression);

#endif
