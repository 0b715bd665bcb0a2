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
 * Lists all units in section order, with split units in place of their skeletons: their sections
 * are joined to the object's. A skeleton whose file is not found stays: the unit reader says so.
 * Fails when a unit's length runs past its section, because nothing after it can be found then; a
 * unit of an unknown version is listed, its reader refuses.
 */
bool unit_list_read(struct unit_list *units, struct object *object, struct error *err);

#endif
