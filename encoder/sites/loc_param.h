/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * Where a parameter is at one address, as BTF can say it (docs/format.md): a location of DWARF in,
 * the words of a LOC_PARAM out, or the reason why there is none. What the record says is exact at
 * that address: a value of which a part is not known has no LOC_PARAM.
 */
#ifndef BTFENC_ENCODER_SITES_LOC_PARAM_H
#define BTFENC_ENCODER_SITES_LOC_PARAM_H

#include "base/text.h"
#include "btf/format.h"
#include "dwarf/abi/abi.h"
#include "dwarf/location.h"

/* X(identifier, code, sentence); the first have a record, those from NOT_SAID on have none. */
#define LOC_PARAM_LIST(X)                                                                          \
	X(REGISTER, "register", "in a register")                                                   \
	X(SUM, "register-sum", "a register and a number")                                          \
	X(MEMORY, "memory", "in memory, at a register and a number")                               \
	X(FRAME, "frame", "relative to the frame, whose base is not a register there")             \
	X(CONSTANT, "constant", "a constant")                                                      \
	X(ADDRESS, "address", "the address of something in the image")                             \
	X(TWO_REGISTERS, "two-registers", "in two registers")                                      \
	X(NOT_SAID, "not-said", "DWARF has no location")                                           \
	X(NOT_HERE, "not-here", "no location covers this address")                                 \
	X(POINTEE, "pointee", "a pointer that is gone, only what it pointed to is there")          \
	X(CALLER, "caller", "only the caller knew it")                                             \
	X(ENTRY_LOST, "entry-lost", "it was in a register that has been written since")            \
	X(PIECES, "pieces", "in pieces")                                                           \
	X(FIXED, "fixed", "in memory or an address that no record can name")                       \
	X(NARROWED, "narrowed", "only a part of it is known")                                      \
	X(LATER, "later", "its slot in the frame, which is filled later")                          \
	X(FRAME_WRONG, "frame-wrong", "in the frame, by a list of GCC's for ARM, which is wrong")  \
	X(COMPUTED, "computed", "computed, or by an expression that is not understood")

enum loc_param_kind {
#define X(id, code, text) LOC_PARAM_##id,
	LOC_PARAM_LIST(X)
#undef X
	LOC_PARAM_COUNT,
	LOC_PARAM_FIRST_NONE = LOC_PARAM_NOT_SAID,
};

extern const struct code_text loc_param_texts[LOC_PARAM_COUNT];

static inline bool loc_param_is_known(enum loc_param_kind kind)
{
	return kind < LOC_PARAM_FIRST_NONE;
}

/* What the owner of the code knows of the address. */
struct loc_param_site {
	const struct abi *abi;		/* NULL: not known for this machine */
	bool big_endian;
	uint8_t word_bytes;
	bool is_entry;			/* a function's first instruction: by the ABI's stack */
	bool is_frame_wrong;		/* what DWARF says of this parameter's place in the frame */
	enum frame_base frame_base;
	uint8_t frame_register;		/* of FRAME_BASE_REGISTER */
	bool has_image_base;		/* addresses are final, and count from image_base */
	uint64_t image_base;
	uint64_t image_end;		/* what is not in between does not move with the image */
	/* Asked when they are needed. */
	bool (*find_cfa)(void *context, uint8_t *reg, int64_t *offset);
	bool (*keeps_entry)(void *context, uint8_t reg);
	void *context;
};

struct loc_param_type {
	uint32_t size_bytes;		/* 0: not known */
	bool is_signed;
};

#define LOC_PARAM_WORDS (BTF_HEAD_WORDS + 1 + 2)

/* Fills words[0..btf_record_words()) if the location is known. It does not outlive the site. */
enum loc_param_kind loc_param_of(const struct loc_param_site *site,
				 const struct loc_param_type *type, const struct location *location,
				 uint32_t words[LOC_PARAM_WORDS]);

/* The same for DW_AT_const_value. */
enum loc_param_kind loc_param_of_constant(const struct loc_param_type *type, uint64_t value,
					  uint32_t words[LOC_PARAM_WORDS]);

#endif
