/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Split DWARF (-gsplit-dwarf; DWARF 5 section 7.3.2, and GNU's form of it in DWARF 4): the image
 * has skeleton units with addresses, and a .dwo file for each unit, or a .dwp file for all, has the
 * rest. Their sections are joined to the image's.
 */
#ifndef BTFENC_DWARF_SPLIT_UNITS_H
#define BTFENC_DWARF_SPLIT_UNITS_H

#include "dwarf/unit.h"

/*
 * Replaces each skeleton by the unit that it belongs to, with the type units of the same file. One
 * whose file is not found stays in the list: the unit reader says so. Fails for a damaged file.
 */
bool split_units_join(struct unit_list *units, struct object *object, struct error *err);

#endif
