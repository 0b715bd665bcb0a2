/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The abbreviation table of a unit (DWARF 5 section 7.5.3): from codes to programs.
 */
#ifndef BTFENC_DWARF_ABBREV_TABLE_H
#define BTFENC_DWARF_ABBREV_TABLE_H

#include "dwarf/abbrev_program.h"

/*
 * Compiles the table of a unit into `table`, which is reused (and kept as it is when it already
 * holds that table). On failure err says what is wrong with the table.
 */
bool abbrev_table_compile(struct abbrev_table *table, const struct object *object,
			const struct unit *unit, struct error *err);
void abbrev_table_release(struct abbrev_table *table);

/* The form in which an abbreviation encodes the attribute of a slot, 0 when it has none. */
uint16_t abbrev_form(const struct abbrev_table *table, const struct abbrev *abbrev,
		     enum die_slot slot);

/* Is it a form of class string that this program can read? */
bool abbrev_form_is_string(uint16_t form);

const struct abbrev *abbrev_table_sparse_lookup(const struct abbrev_table *table, uint64_t code);

/* The program of an abbreviation code, or NULL. */
static inline const struct abbrev *abbrev_table_lookup(const struct abbrev_table *table,
						       uint64_t code)
{
	if (__builtin_expect(code < table->abbrevs.count && table->abbrevs.data[code].tag, 1))
		return &table->abbrevs.data[code];
	return abbrev_table_sparse_lookup(table, code);
}

#endif
