/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * From one abbreviation to its program. Only abbrev_table.c, abbrev_compile.c and fixed_die.c
 * include this.
 */
#ifndef BTFENC_DWARF_ABBREV_COMPILE_H
#define BTFENC_DWARF_ABBREV_COMPILE_H

#include "dwarf/abbrev_program.h"

#define BIT(slot) (UINT64_C(1) << (slot))

/* Fills table->rules for the sizes in a unit's header. */
void abbrev_make_rules(struct abbrev_table *table, const struct unit *unit);

/*
 * Compiles the attribute specifications at p; tag and has_children of the program are set. Returns
 * what is after them, or NULL, with *problem and *value for the message.
 */
const uint8_t *abbrev_compile(struct abbrev_table *table, struct declaration *declaration,
			    struct compiled_abbrev *compiled, const uint8_t *p,
			    const uint8_t *end, const char **problem, uint64_t *value);

/* The fixed layout of a program that is complete; FIXED_NOT: it has none. */
void fixed_die_find(const struct abbrev_table *table, const struct abbrev *abbrev,
		    struct fixed_die *found);

#endif
