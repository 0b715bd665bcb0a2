/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The abbreviation table of a unit (DWARF 5 section 7.5.3): from codes to plans.
 */
#ifndef BTFENC_DWARF_ABBREV_TABLE_H
#define BTFENC_DWARF_ABBREV_TABLE_H

#include "dwarf/abbrev_plan.h"

/*
 * Compiles the table of a unit into `table`, which is reused (and kept as it is when it already
 * holds that table). On failure err says what is wrong with the table.
 */
bool plan_table_compile(struct plan_table *table, const struct object *object,
			const struct unit *unit, struct error *err);
void plan_table_release(struct plan_table *table);

/* The form in which `plan` encodes the attribute of a slot, 0 when it has none. */
uint16_t plan_form(const struct plan_table *table, const struct plan *plan, enum die_slot slot);

/* Is it a form of class string that this program can read? */
bool plan_form_is_string(uint16_t form);

const struct plan *plan_table_sparse_lookup(const struct plan_table *table, uint64_t code);

/* The plan of an abbreviation code, or NULL. */
static inline const struct plan *plan_table_lookup(const struct plan_table *table, uint64_t code)
{
	if (__builtin_expect(code < table->plans.count && table->plans.data[code].tag, 1))
		return &table->plans.data[code];
	return plan_table_sparse_lookup(table, code);
}

#endif
