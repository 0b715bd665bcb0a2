/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Where a variable or parameter is at one program counter, from DW_AT_location (DWARF 5 sections
 * 2.6 and 7.7; the lists: .debug_loc of DWARF 2 to 4, .debug_loclists of DWARF 5).
 *
 * An expression is reduced to one of the forms below or, if it cannot be, to LOCATION_OTHER: it is
 * never guessed. The reader knows nothing of calling conventions.
 *
 * location.c has the attributes, and finds the entry of a list; location_reduce.c reduces an
 * expression, with location_operation.c and location_term.c.
 */
#ifndef BTFENC_DWARF_LOCATION_H
#define BTFENC_DWARF_LOCATION_H

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
	LOCATION_IMPLICIT_POINTER,	/* no pointer is left; what it pointed to is described:
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
	uint8_t length_bytes;	/* of an expression's length field, 0: LEB128 */
	bool has_views;
};

enum location_form {
	LOCATION_FORM_ABSENT,
	LOCATION_FORM_EXPRESSION,	/* value: section offset of the block's length field */
	LOCATION_FORM_LIST,		/* value: section offset of the list */
	LOCATION_FORM_LIST_INDEX,	/* value: index of the unit's offsets (DW_FORM_loclistx) */
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

/* Takes the slot of a DIE just read, whatever its form. */
struct location_source location_source_of(const struct die_cursor *cursor, const struct die *die,
					  enum die_slot slot);

struct location_unit location_unit_of(const struct die_cursor *cursor);

/*
 * The question: where is it at `pc`? Of a list the first entry that covers the pc counts; if none
 * covers it, the one that covers pc + pad_bytes does (code at the entry that leaves all argument
 * registers alone: the call of __fentry__, patchable NOPs, endbr64), and, if there is still none, a
 * default location entry.
 *
 * is_entry: of a function's own parameter at its entry, where the caller has put it. GCC lets
 * statements that need no instruction happen at the entry, too ("size &= ~7;"). Then the list
 * begins with an entry whose range is empty, [entry, entry), and only its view numbers say that it
 * is the first; the next one, which covers the entry, is what the variable is after that statement.
 * The empty entry counts here. In Debian's 6.1 kernel 80 parameters have one; with it each of them
 * is where the ABI has it, and without it 29 are computed, 19 off by a constant, 17 absent, and one
 * that IPA-SRA has removed seems to be in another one's register.
 *
 * has_view: of a parameter of a function that was inlined, where its code begins. GCC numbers what
 * happens at one address without an instruction: *views*. That a parameter gets its value is one
 * such event, what the function makes of it at once ("n += 5;") the next ones. DW_AT_GNU_entry_view
 * says with which view the inlined code begins, DW_AT_GNU_locviews has the first and last view of
 * each entry: an entry holds where (begin, first) <= (pc, view) < (end, last). If none does, the
 * parameter gets its value right after the view: by an entry that begins at the pc with the next
 * one. (Later ones say what the function has made of it: of 13,690 in programs under ptrace 28 were
 * that.) A list without views is read by addresses alone, with is_entry as above.
 *
 * or_later: where no entry covers `pc`, the first entry that begins later counts. LLVM loses track
 * of parameters at the entry and finds them again after the prologue.
 */
struct location_moment {
	uint64_t pc;
	uint32_t pad_bytes;
	bool is_entry;
	bool or_later;
	bool has_view;
	uint64_t view;
};

/*
 * False: the expression or the list is malformed or outside its section; *location is
 * LOCATION_OTHER then.
 *
 * An expression without a list is for the whole function. GCC writes one, too, for the slot into
 * which the prologue stores an argument (CFA - 64, rsp + 0 after a realigned stack; 7 parameters
 * of Debian's 6.1 kernel): at the entry nothing is there yet.
 */
bool location_at(const struct location_unit *unit, const struct location_source *source,
		 enum frame_base frame_base, const struct location_moment *moment,
		 struct location *location);

/* The bytes of the expression, not looked at; begin NULL: there is none. */
bool location_expression_at(const struct location_unit *unit, const struct location_source *source,
			    const struct location_moment *moment, struct byte_range *expression);

/* One expression that describes a location. */
bool location_reduce(const struct location_unit *unit, const uint8_t *begin, const uint8_t *end,
		     enum frame_base frame_base, struct location *location);

/*
 * One expression that describes a value: DW_AT_call_value and its like. The result on the stack is
 * not an address there, so that the kinds of memory do not occur.
 */
bool location_reduce_value(const struct location_unit *unit, const uint8_t *begin,
			   const uint8_t *end, struct location *location);

/* Needs the unit's expression only: a frame base in a list is FRAME_BASE_NONE. */
enum frame_base frame_base_of(const struct location_unit *unit,
			      const struct location_source *source, uint8_t *reg);

#endif
