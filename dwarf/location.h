/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Where a variable or parameter is at one program counter, from DW_AT_location (DWARF 5 sections
 * 2.6 and 7.7; the lists: .debug_loc of DWARF 2 to 4, .debug_loclists of DWARF 5).
 *
 * An expression is reduced to one of the forms below or, if it cannot be, to LOCATION_OTHER: it is
 * never guessed. The reader knows nothing of calling conventions.
 *
 * Here are the attributes and what is common; location_list.c finds the entry of a list,
 * location_reduce.c reduces an expression, with location_operation.c, location_term.c and
 * location_type.c.
 */
#ifndef BTFENC_DWARF_LOCATION_H
#define BTFENC_DWARF_LOCATION_H

#include "dwarf/location_form.h"

/* Takes the slot of a DIE just read, whatever its form. */
struct location_source location_source_of(const struct die_cursor *cursor, const struct die *die,
					  enum die_slot slot);

struct location_unit location_unit_of(const struct die_cursor *cursor);

/*
 * The location at `pc`. Of a list the first entry that covers the pc counts; if none covers it, the
 * one that covers pc + pad_bytes does (code at the entry that leaves all argument registers alone:
 * the call of __fentry__, patchable NOPs, endbr64), and, if there is still none, a default location
 * entry. False: the expression or the list is malformed or outside its section; *location is
 * LOCATION_OTHER then.
 *
 * An expression without a list is for the whole function. GCC writes one, too, for the slot into
 * which the prologue stores an argument (CFA - 64, rsp + 0 after a realigned stack; 7 parameters
 * of Debian's 6.1 kernel): at the entry nothing is there yet.
 */
bool location_at(const struct location_unit *unit, const struct location_source *source,
		 enum frame_base frame_base, uint64_t pc, uint32_t pad_bytes,
		 struct location *location);

/*
 * The same for a function's own parameter at its entry: where the caller has put it.
 *
 * GCC lets statements that need no instruction happen at the entry, too ("size &= ~7;"). Then the
 * list begins with an entry whose range is empty, [entry, entry), and only its view numbers say
 * that it is the first; the next one, which covers the entry, is what the variable is after that
 * statement. The empty entry counts here. In Debian's 6.1 kernel 80 parameters have one; with it
 * each of them is where the ABI has it, and without it 29 are computed, 19 off by a constant, 17
 * absent, and one that IPA-SRA has removed seems to be in another one's register.
 */
bool location_at_entry(const struct location_unit *unit, const struct location_source *source,
		       enum frame_base frame_base, uint64_t entry, uint32_t pad_bytes,
		       struct location *location);

/*
 * The same for a parameter of a function that was inlined, where its code begins.
 *
 * GCC numbers what happens at one address without an instruction: *views*. That a parameter gets
 * its value is one such event, what the function makes of it at once ("n += 5;") the next ones.
 * DW_AT_GNU_entry_view says with which view the inlined code begins, DW_AT_GNU_locviews has the
 * first and last view of each entry: an entry holds where (begin, first) <= (pc, view) < (end,
 * last). If none does, the parameter gets its value right after the view: by an entry that begins
 * at the pc with the next one. (Later ones say what the function has made of it: of 13,690 in
 * programs under ptrace 28 were that.) Without views it is as at a function's entry.
 */
bool location_at_inline_entry(const struct location_unit *unit,
			      const struct location_source *source, enum frame_base frame_base,
			      uint64_t entry, const uint64_t *view, struct location *location);

/*
 * The location of a variable after `pc` where no entry covers `pc`: by the first entry that begins
 * later. LLVM loses track of parameters at the entry and finds them again after the prologue.
 */
bool location_after(const struct location_unit *unit, const struct location_source *source,
		    enum frame_base frame_base, uint64_t pc, struct location *location);

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
			   const uint8_t *end, enum frame_base frame_base,
			   struct location *location);

/* Needs the unit's expression only: a frame base in a list is FRAME_BASE_NONE. */
enum frame_base frame_base_of(const struct location_unit *unit,
			      const struct location_source *source, uint8_t *reg);

#endif
