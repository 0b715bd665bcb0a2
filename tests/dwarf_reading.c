/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
#include "tests/dwarf_reading.h"

#include <string.h>

#include "dwarf/unit.h"

bool dwarf_reading_open(struct dwarf_reading *r, struct dwarf_blob *b)
{
	memset(r, 0, sizeof(*r));
	if (!object_open(&r->object, dwarf_blob_write(b), &r->err))
		return false;
	r->opened = true;
	if (!unit_list_read(&r->units, &r->object, &r->err))
		return false;
	unit_reader_init(&r->reader, &r->object, &r->units);
	return true;
}

void dwarf_reading_release(struct dwarf_reading *r)
{
	if (r->reader.object)
		unit_reader_release(&r->reader);
	abbrev_table_release(&r->abbrevs);
	dwarf_model_release(&r->model);
	unit_list_release(&r->units);
	if (r->opened)
		object_close(&r->object);
	memset(r, 0, sizeof(*r));
}

void dwarf_reading_end(struct dwarf_reading *r, struct dwarf_blob *b)
{
	dwarf_reading_release(r);
	dwarf_blob_release(b);
}

bool dwarf_reading_cursor(struct dwarf_reading *r, size_t unit)
{
	const struct unit *at = &r->units.data[unit];

	if (!unit_is_readable(at, &r->object, &r->err) ||
	    !abbrev_table_compile(&r->abbrevs, &r->object, at, &r->err))
		return false;
	die_cursor_init(&r->cursor, &r->object, &r->units, at, &r->abbrevs, &r->err);
	return true;
}

bool dwarf_reading_unit(struct dwarf_reading *r, struct dwarf_blob *b)
{
	struct die die;

	if (!dwarf_reading_open(r, b) || !dwarf_reading_cursor(r, 0) ||
	    die_cursor_next(&r->cursor, &die) != DIE_READ)
		return false;
	die_cursor_set_bases(&r->cursor, &die);
	return die.tag == DW_TAG_compile_unit;
}

bool dwarf_reading_model(struct dwarf_reading *r)
{
	uint64_t language;

	dwarf_model_reset(&r->model, 0, r->object.sections[SECTION_INFO].size);
	r->reader.names.intern_all = r->units.count > 1;
	for (size_t i = 0; i < r->units.count; i++) {
		if (!unit_reader_open(&r->reader, &r->units.data[i], &language, &r->err) ||
		    !unit_reader_read(&r->reader, &r->model, &r->err))
			return false;
	}
	return true;
}

const char *dwarf_reading_error(const struct dwarf_reading *r)
{
	const char *text = strstr(r->err.text, ": ");

	return text ? text + 2 : r->err.text;
}
