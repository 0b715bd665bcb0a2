/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * From one abbreviation to its plan. Only abbrev_table.c, abbrev_compile.c and plain_plan.c include
 * this.
 */
#ifndef BTFENC_DWARF_ABBREV_COMPILE_H
#define BTFENC_DWARF_ABBREV_COMPILE_H

#include "dwarf/abbrev_plan.h"

#define BIT(slot) (UINT64_C(1) << (slot))

/* Fills table->rules for the sizes in a unit's header. */
void plan_make_rules(struct plan_table *table, const struct unit *unit);

/*
 * Compiles the attribute specifications at p; tag and has_children of the plan are set. Returns
 * what is after them, or NULL, with *problem and *value for the message.
 */
const uint8_t *plan_compile(struct plan_table *table, struct declaration *declaration,
			    struct compiled_plan *compiled, const uint8_t *p,
			    const uint8_t *end, const char **problem, uint64_t *value);

/* The plain form of a plan that is complete, or one with PLAIN_NOT. */
void plain_find(const struct plan_table *table, const struct plan *plan, struct plain *found);

#endif
