/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * The forms that locations have: as DWARF has them, not yet looked at (location_source), and
 * reduced (location).
 */
#ifndef BTFENC_DWARF_LOCATION_FORM_H
#define BTFENC_DWARF_LOCATION_FORM_H

#include "dwarf/die_cursor.h"

/*
 * A value in a register may be narrowed: value_bytes is the number of low bytes that are those of
 * the named value; the bytes above are unknown. 0: all of them. For a parameter of that size or
 * less it makes no difference. first_byte is nearly always 0; else the value begins that many bytes
 * further up in the register.
 */
enum location_kind {
	LOCATION_NONE,			/* no attribute, empty, or no entry for the pc */
	LOCATION_REGISTER,		/* the value is in `reg` */
	LOCATION_REGISTER_VALUE,	/* the value is reg + offset (not memory), value_bytes of
					   it, from first_byte on */
	LOCATION_REGISTER_BIT,		/* the value is the lowest bit of reg: clang's bool */
	LOCATION_MEMORY,		/* the object is in memory at reg + offset */
	LOCATION_MEMORY_VALUE,		/* the value is the `value_bytes` bytes at reg + offset */
	LOCATION_FRAME,			/* the object is in memory at the frame base + offset */
	LOCATION_FRAME_VALUE,		/* the value is frame base + offset: a local's address */
	LOCATION_CFA,			/* the object is in memory at the CFA + offset */
	LOCATION_CFA_VALUE,		/* the value is CFA + offset */
	LOCATION_ADDRESS,		/* the object is at a fixed address: `constant` */
	LOCATION_ADDRESS_VALUE,		/* the value is an address: `constant` */
	LOCATION_CONSTANT,		/* the value is `constant` (value_bytes 0: its type's) */
	LOCATION_ENTRY_VALUE,		/* as LOCATION_REGISTER_VALUE, of what `reg` held at the
					   function's entry */
	LOCATION_IMPLICIT_POINTER,	/* a pointer that is gone; what it pointed to is described:
					   the DIE at `constant` in .debug_info, + offset */
	LOCATION_PARAMETER_REF,		/* DW_OP_GNU_parameter_ref: the caller's argument is gone;
					   `constant`: the parameter's DIE in .debug_info */
	LOCATION_PIECES,		/* in parts: pieces */
	LOCATION_OTHER,			/* computed in a way this reader does not reduce */
};

struct location_piece {
	uint8_t kind;			/* enum location_kind, not LOCATION_PIECES */
	uint8_t reg;			/* DWARF number; above 255: LOCATION_OTHER */
	uint8_t value_bytes;
	uint8_t first_byte;
	uint16_t size_bytes;		/* 0: not whole bytes */
	int64_t offset;
	uint64_t constant;
};

#define LOCATION_MAX_PIECES 8

struct location {
	uint8_t kind;			/* enum location_kind */
	uint8_t reg;
	uint8_t value_bytes;
	uint8_t first_byte;
	uint8_t piece_count;		/* of LOCATION_PIECES; beyond the limit: LOCATION_OTHER */
	int64_t offset;
	uint64_t constant;
	struct location_piece pieces[LOCATION_MAX_PIECES];	/* undefined after the last */
};

/* The properties of a unit that its location lists depend on. Small; made once per unit. */
struct location_unit {
	const struct object *object;
	const struct unit *unit;
	struct unit_bases bases;
	bool swap;
};

/* The frame base of a function, as far as it is known exactly. */
enum frame_base {
	FRAME_BASE_NONE,	/* none, or something this reader does not reduce */
	FRAME_BASE_CFA,		/* DW_OP_call_frame_cfa */
	FRAME_BASE_REGISTER,	/* a register: valid after the prologue only */
};

/* A DW_AT_location, not yet looked at: kept by the readers of DIEs, resolved when it is needed. */
struct location_source {
	uint64_t value;		/* of the slot */
	uint64_t views;		/* DW_AT_GNU_locviews: section offset of the list's views */
	uint8_t form_class;	/* enum location_form */
	bool has_views;
};

enum location_form {
	LOCATION_FORM_ABSENT,
	LOCATION_FORM_EXPRESSION,	/* value: section offset of the block's length field */
	LOCATION_FORM_BLOCK1,		/* the same, by the width of the length field */
	LOCATION_FORM_BLOCK2,
	LOCATION_FORM_BLOCK4,
	LOCATION_FORM_LIST,		/* value: section offset of the list */
	LOCATION_FORM_LIST_INDEX,	/* value: index of the unit's offsets (DW_FORM_loclistx) */
};

/*
 * A pc, with the tolerance of location_at(), and the rule of location_at_entry(), of
 * location_after() or of neither.
 */
struct location_moment {
	uint64_t pc;
	uint32_t pad_bytes;
	bool is_entry;
	bool or_later;
	bool has_view;		/* with the list's views: location_at_inline_entry() */
	uint64_t view;
	uint64_t views;
};

/* Nothing but a kind. */
static inline void location_set(struct location *location, enum location_kind kind)
{
	location->kind = (uint8_t)kind;
	location->reg = 0;
	location->value_bytes = 0;
	location->first_byte = 0;
	location->piece_count = 0;
	location->offset = 0;
	location->constant = 0;
}

#endif
