/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The DIE cursor: walks the DIEs of one unit in section order, decoding only what is wanted.
 *
 * Depth is the caller's business: a DIE with children is followed by its children and a null
 * entry. After an error the cursor stays at its end and keeps the error ("poisoned"), so a loop
 * needs one test after it.
 */
#ifndef BTFENC_DWARF_DIE_CURSOR_H
#define BTFENC_DWARF_DIE_CURSOR_H

#include "dwarf/abbrev_table.h"
#include "dwarf/byte_cursor.h"

enum die_status {
	DIE_READ,	/* *die is filled */
	DIE_NULL,	/* a null entry: the end of a sibling list */
	DIE_END,	/* the end of the unit */
	DIE_FAILED,	/* cursor->error says why */
};

/* Where the indexed forms of a unit start; from the unit DIE. */
struct unit_bases {
	uint64_t str_offsets;
	uint64_t addr;
	uint64_t rnglists;
	uint64_t loclists;
	uint64_t low_pc;
};

/* A string reference: where the bytes are, and at which offset (or index). */
enum string_source { STRING_STR, STRING_LINE_STR, STRING_INFO, STRING_INDEX };
#define STRING_SOURCE_SHIFT 56
#define STRING_OFFSET_MASK  ((UINT64_C(1) << STRING_SOURCE_SHIFT) - 1)

struct die_cursor {
	const uint8_t *p;
	const uint8_t *end;		/* of the unit */
	const uint8_t *section;		/* start of .debug_info */
	const uint8_t *wide_end;	/* an 8-byte load at or before this stays in the section */
	uint64_t spaces[SPACE_COUNT];	/* what each value space adds */
	const struct abbrev_table *abbrevs;
	const struct object *object;
	const struct unit *unit;
	const struct unit_list *units;
	struct unit_bases bases;
	bool swap;
	bool failed;
	struct error *error;		/* borrowed; filled when failed */
};

/*
 * Starts at the unit DIE; `abbrevs` must be compiled for that unit. The bases are set to the
 * defaults of DWARF 5; die_cursor_set_bases() takes them from the unit DIE.
 */
void die_cursor_init(struct die_cursor *cursor, const struct object *object,
		     const struct unit_list *units, const struct unit *unit,
		     const struct abbrev_table *abbrevs, struct error *error);
void die_cursor_set_bases(struct die_cursor *cursor, const struct die *unit_die);

/*
 * All of that: compiles the unit's abbreviations and reads its DIE. False: it cannot be read, and
 * err is filled, or there is none.
 */
bool die_cursor_open(struct die_cursor *cursor, const struct object *object,
		     const struct unit_list *units, const struct unit *unit,
		     struct abbrev_table *abbrevs, struct die *unit_die, struct error *err);

enum die_status die_cursor_next(struct die_cursor *cursor, struct die *die);

/* Goes on at a section offset of this unit (DW_AT_sibling); false and poisoned when outside. */
bool die_cursor_seek(struct die_cursor *cursor, uint64_t offset);

/*
 * Skips the children of `die`, which was just read: by DW_AT_sibling where it is decoded, else by
 * walking over them.
 */
void die_cursor_skip_children(struct die_cursor *cursor, const struct die *die);

/*
 * The characters of a string slot; they live as long as the object. NULL and poisoned when the
 * offset is outside its section. *str_offset is the offset in .debug_str, or UINT64_MAX when the
 * string is elsewhere.
 */
const char *die_cursor_string(struct die_cursor *cursor, const struct die *die,
			      enum die_slot slot, uint64_t *str_offset);

/* The address in a slot, whatever its form; false when there is none, or it is out of bounds. */
bool die_cursor_address(struct die_cursor *cursor, const struct die *die, enum die_slot slot,
			uint64_t *address);

/* The bytes of a block or exprloc slot; false when there is none of that class of form. */
bool die_cursor_block(const struct die_cursor *cursor, const struct die *die, enum die_slot slot,
		      struct byte_range *block);

/* The entry of .debug_addr with this index. */
bool die_cursor_indexed_address(const struct die_cursor *cursor, uint64_t index,
				uint64_t *address);

/* Poisons the cursor with "FILE: unit 0x.., DIE 0x..: " and the message. */
__attribute__((format(printf, 3, 4), cold))
bool die_cursor_fail(struct die_cursor *cursor, uint64_t die_offset, const char *format, ...);

#endif
