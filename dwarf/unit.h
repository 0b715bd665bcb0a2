/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The units of .debug_info (DWARF 5 section 7.5.1): where each begins and ends, and how wide its
 * addresses and offsets are. A unit's DIEs are read with die_cursor.h.
 */
#ifndef BTFENC_DWARF_UNIT_H
#define BTFENC_DWARF_UNIT_H

#include "base/bytes.h"
#include "base/hash_table.h"
#include "base/memory.h"
#include "elf/object.h"

struct unit {
	uint64_t offset;	/* of the unit header in .debug_info */
	uint64_t first_die;	/* section offset of the unit DIE */
	uint64_t end;		/* section offset after the last DIE */
	uint64_t abbrev_offset;	/* with the start of the piece */
	uint64_t signature;	/* of a type unit */
	uint64_t type_die;	/* of a type unit: its type's section offset; else 0 */
	uint16_t version;	/* 2..5; anything else: the unit cannot be read */
	uint8_t unit_type;	/* DW_UT_*; DW_UT_compile before DWARF 5 */
	uint8_t address_bytes;
	uint8_t offset_bytes;	/* 4 or 8 */
	const struct dwarf_piece *piece;
};

struct unit_list {
	struct unit *data;
	size_t count;
	size_t capacity;
	struct hash_table signatures;	/* of type units: index + 1 */
};

/*
 * Lists all units in section order. Fails when a unit's length runs past its section, because
 * nothing after it can be found then; a unit of an unknown version is listed, its reader refuses.
 */
bool unit_list_read(struct unit_list *units, const struct object *object, struct error *err);
void unit_list_release(struct unit_list *units);

/* The unit that holds the section offset, or NULL. */
const struct unit *unit_list_find(const struct unit_list *units, uint64_t offset);

/* The type DIE with that signature; UINT64_MAX: none. */
uint64_t unit_list_type(const struct unit_list *units, uint64_t signature);

/* Can DIEs of this unit be read at all? If not, err says why. */
bool unit_is_readable(const struct unit *unit, const struct object *object, struct error *err);

/* An address or an offset, of 4 or 8 bytes. */
static inline uint64_t unit_load_word(const uint8_t *p, uint8_t wide, bool swap)
{
	return wide == 8 ? bytes_load_u64(p, swap) : bytes_load_u32(p, swap);
}

/* Word number `index` of a table at `base` in a section; false when it is outside. */
bool unit_indexed_word(const struct object *object, enum section_id id, uint64_t base,
		       uint64_t index, uint8_t wide, uint64_t *value);

#endif
