/* SPDX-License-Identifier: BSD-2-Clause OR LGPL-2.1 */
/*
 * A decoded DIE: tag, and the attributes that are used. Which attributes those are for each
 * tag is decided in abbrev_compile.c; all others are skipped without being decoded.
 */
#ifndef BTFENC_DWARF_DIE_H
#define BTFENC_DWARF_DIE_H

#include <dwarf.h>
#include <stdbool.h>
#include <stdint.h>

#ifndef DW_TAG_LLVM_annotation
#define DW_TAG_LLVM_annotation 0x6000
#endif
/* GCC 16: the annotations are DIEs of their own, chained by an attribute. */
#define DW_TAG_GNU_annotation_chain 0x6001
#define DW_AT_GNU_annotation_chain  0x2139
#ifndef DW_AT_GNU_locviews
#define DW_AT_GNU_locviews   0x2137
#define DW_AT_GNU_entry_view 0x2138
#endif
#ifndef DW_AT_GNU_dwo_name
#define DW_AT_GNU_dwo_name    0x2130
#define DW_AT_GNU_dwo_id      0x2131
#define DW_AT_GNU_ranges_base 0x2132
#endif

/* The slots of struct die. One attribute each; the tag says which are meaningful. */
enum die_slot {
	SLOT_NAME,
	SLOT_TYPE,
	SLOT_BYTE_SIZE,
	SLOT_MEMBER_LOCATION,
	SLOT_BIT_SIZE,
	SLOT_DATA_BIT_OFFSET,
	SLOT_BIT_OFFSET,
	SLOT_ENCODING,
	SLOT_CONST_VALUE,
	SLOT_DECLARATION,
	SLOT_SIBLING,
	SLOT_UPPER_BOUND,
	SLOT_COUNT_OF,		/* DW_AT_count */
	SLOT_EXTERNAL,
	SLOT_ARTIFICIAL,
	SLOT_LOCATION,
	SLOT_LOW_PC,
	SLOT_RANGES,
	SLOT_ORIGIN,		/* DW_AT_abstract_origin */
	SLOT_SPECIFICATION,
	SLOT_SIGNATURE,
	SLOT_ANNOTATION,	/* DW_AT_GNU_annotation */
	SLOT_LANGUAGE,
	SLOT_STR_OFFSETS_BASE,
	SLOT_ADDR_BASE,
	SLOT_RNGLISTS_BASE,
	SLOT_HIGH_PC,
	SLOT_INLINE,
	SLOT_CALLING_CONVENTION,
	SLOT_PROTOTYPED,
	SLOT_DWO_NAME,
	SLOT_LOCLISTS_BASE,
	SLOT_PRODUCER,
	SLOT_FRAME_BASE,
	SLOT_CALL_ORIGIN,
	SLOT_CALL_RETURN_PC,
	SLOT_CALL_PC,
	SLOT_CALL_VALUE,
	SLOT_CALL_TAIL,		/* DW_AT_call_tail_call */
	SLOT_CALL_TARGET,
	SLOT_ALIGNMENT,
	SLOT_ENTRY_PC,
	SLOT_CALL_FILE,
	SLOT_CALL_LINE,
	SLOT_ENTRY_VIEW,	/* DW_AT_GNU_entry_view */
	SLOT_LOCATION_VIEWS,	/* DW_AT_GNU_locviews */
	SLOT_IMPORT,
	SLOT_COMP_DIR,
	SLOT_DWO_ID,		/* DW_AT_GNU_dwo_id */
	SLOT_COUNT,
	SLOT_NONE = 0xff,
};

/*
 * Values by class of form:
 *	reference	section offset in .debug_info (DW_FORM_ref_sig8: resolved the same way)
 *	string		a string reference, see die_cursor_string()
 *	constant, flag	the value; DW_FORM_sdata and implicit_const sign-extended
 *	address		the address, or for DW_FORM_addrx* the index: die_cursor_address()
 *	block, exprloc	section offset of its length field: die_cursor_block()
 *	other lists	the offset or index as it is
 */
struct die {
	uint64_t offset;	/* section offset of the DIE */
	const struct abbrev *abbrev;
	uint64_t present;	/* bit per slot */
	uint16_t tag;
	bool has_children;
	uint64_t value[SLOT_COUNT];	/* undefined where the bit is not set */
};

static inline bool die_has(const struct die *die, enum die_slot slot)
{
	return die->present >> slot & 1;
}

static inline uint64_t die_value(const struct die *die, enum die_slot slot, uint64_t otherwise)
{
	return die_has(die, slot) ? die->value[slot] : otherwise;
}

#endif
