/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Terms: what is in place of a number when a location expression is run before the program is.
 * "rdi + 16", "the low 4 bytes of rsi". What a term cannot say is TERM_OTHER, which every operation
 * passes on.
 */
#ifndef BTFENC_DWARF_LOCATION_TERM_H
#define BTFENC_DWARF_LOCATION_TERM_H

#include "dwarf/location.h"

enum term_base {
	TERM_OTHER,
	TERM_NUMBER,
	TERM_ADDRESS,		/* number: of something in the program */
	TERM_REGISTER,		/* reg + number */
	TERM_FRAME,		/* frame base + number */
	TERM_CFA,		/* CFA + number */
	TERM_ENTRY,		/* reg at the function's entry + number */
	TERM_LOADED,		/* `kept` bytes in memory at reg + number */
	TERM_BIT,		/* 0 or 1: the lowest bit of reg */
	TERM_PARAMETER,		/* DW_OP_GNU_parameter_ref; number: the DIE */
};

/*
 * An integer of `width` bytes. Its low `kept` bytes are those of base + number from byte `skipped`
 * on; the bytes above are unknown. A generic one (no type of its own) is as wide as an address.
 */
struct term {
	uint8_t base;		/* enum term_base */
	uint8_t reg;
	uint8_t width;
	uint8_t kept;
	uint8_t skipped;
	uint8_t shift;		/* shifted left by so many bits, which a right shift may undo */
	bool is_generic;
	bool is_signed;
	uint64_t number;
};

/* A register above 255 makes it TERM_OTHER. */
struct term term_generic(const struct location_unit *unit, enum term_base base, uint64_t reg,
			 uint64_t number);

void term_set_other(struct term *term);

/* Is it a whole word: nothing cut off, skipped or shifted? */
bool term_is_word(const struct location_unit *unit, const struct term *term);

/* DW_OP_convert, DW_OP_reinterpret; the type is an offset in the unit, 0 the generic type. */
void term_convert(const struct location_unit *unit, struct term *term, uint64_t type_offset,
		  bool is_reinterpreted);

/* Gives a fresh generic term, of type_bytes (0: whatever the type has), its type. */
void term_set_type(const struct location_unit *unit, struct term *term, uint64_t type_offset,
		   uint64_t type_bytes);

/* Loads `bytes` bytes from where the term points; they are extended to a word. */
void term_deref(const struct location_unit *unit, struct term *term, uint64_t bytes);

/* An arithmetic operation; the result replaces `a`, which was pushed before `b`. */
void term_binary(const struct location_unit *unit, uint8_t op, struct term *a, struct term *b);

static inline uint64_t bytes_mask(unsigned int bytes)
{
	return bytes >= 8 ? UINT64_MAX : (UINT64_C(1) << 8 * bytes) - 1;
}

static inline int64_t bytes_sign_extend(uint64_t number, unsigned int bytes)
{
	unsigned int unused = bytes >= 8 ? 0 : 64 - 8 * bytes;

	return (int64_t)(number << unused) >> unused;
}

#endif
